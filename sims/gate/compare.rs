//! Two sides compared, case by case.

use super::count;
use super::outcome::Outcome;
use super::side::Side;
use super::survey::Survey;
use super::time::{Effort, Measured, Timed, measure};
use crate::args::say;
use crate::recorder::{cores, progress_of};
use anyhow::Result;
use idlab::gate::Judgement;
use idlab::record::Parameters;

/// What is compared, and how.
pub struct Plan {
    pub base: Side,
    pub head: Side,
    pub seed: u64,
    pub effort: Effort,
    /// Whether instructions are counted only where times do not clear a case.
    pub spare_counts: bool,
    /// Programs that are counted at a time.
    pub threads: usize,
    /// Patterns of names; none: all cases.
    pub cases: Vec<String>,
}

impl Plan {
    /// Every parameter.
    pub fn parameters(&self) -> Parameters {
        let mut parameters = super::parameters(&self.cases, &self.head);
        parameters.extend([
            ("base".to_owned(), self.base.command.as_str().into()),
            ("launches".to_owned(), self.effort.launches.into()),
            ("pairs".to_owned(), self.effort.pairs.into()),
            ("spare_counts".to_owned(), self.spare_counts.into()),
        ]);
        parameters
    }

    /// Times, counts and judges; the cases are in the order of the base.
    pub fn compare(&self) -> Result<Vec<Outcome>> {
        if cores() == 1 {
            say("one core: both workers share it, turn by turn");
        }
        let survey = Survey::of(&self.base, &self.head, &self.cases, self.seed)?;
        let measured = self.time(&survey)?;
        let counts = self.counts(&survey, &measured)?;
        let mut outcomes = survey.others;
        outcomes.extend(
            measured
                .iter()
                .zip(counts)
                .map(|(case, counts)| self.judge(case, counts)),
        );
        outcomes.sort_by_key(|outcome| survey.order.iter().position(|case| *case == outcome.case));
        Ok(outcomes)
    }

    fn judge(&self, measured: &Measured, counts: Option<[f64; 2]>) -> Outcome {
        let case = &measured.timed.case;
        let Some(time) = measured.time else {
            return Outcome::unmeasured(case, Judgement::OTHER_WORK);
        };
        let change = counts.map(|[base, head]| head / base);
        Outcome {
            case: case.clone(),
            counts,
            times: std::iter::once(time).chain(measured.fresh).collect(),
            pairs: self.effort.pairs_in_all(),
            judgement: Judgement::of(change, &time, measured.fresh.as_ref()),
        }
    }

    fn time(&self, survey: &Survey) -> Result<Vec<Measured>> {
        let cases: Vec<_> = survey
            .same
            .iter()
            .map(|(case, _)| Timed::new(case))
            .collect();
        if cases.is_empty() {
            return Ok(Vec::new());
        }
        let bar = progress_of(
            Some(cases.len() as u64 * self.effort.pairs_in_all()),
            "pairs",
        );
        let measured = measure(
            [&self.base, &self.head],
            self.effort,
            (self.seed, 0),
            cases,
            &bar,
        );
        bar.finish_and_clear();
        measured
    }

    /// Instructions per id of both sides, of each case that they can change the verdict of.
    fn counts(&self, survey: &Survey, measured: &[Measured]) -> Result<Vec<Option<[f64; 2]>>> {
        let mut counts = vec![None; measured.len()];
        let spared =
            |case: &Measured| case.time.is_none() || (self.spare_counts && case.is_cleared());
        let wanted: Vec<_> = (0..measured.len())
            .filter(|&at| !spared(&measured[at]))
            .collect();
        if wanted.is_empty() {
            return Ok(counts);
        }
        if count::valgrind().is_none() {
            say(
                "valgrind is not here: instructions are not counted, and what time alone cannot clear is undecided",
            );
            return Ok(counts);
        }
        let cases = wanted.iter().map(|&at| &survey.same[at]);
        let tasks: Vec<_> = cases
            .flat_map(|case| [(&self.base, case), (&self.head, case)])
            .collect();
        let found = count::all(&tasks, self.seed, self.threads)?;
        for (at, sides) in wanted.into_iter().zip(found.chunks(2)) {
            if let [Some(base), Some(head)] = sides {
                counts[at] = Some([base.per_id, head.per_id]);
            }
        }
        Ok(counts)
    }
}
