//! `sim shards --check`: what is known beforehand beside what the simulation gives.

mod forms;
mod ids;
mod load;
mod oracle;
mod published;
mod table;

use crate::args::usage;
use crate::recorder::{self, OutputArgs, Recorder};
use crate::tolerance::{self, Tolerance};
use anyhow::Result;
use idlab::chart::{Chart, ChartError};
use idlab::measure::Rows;
use idlab::record::{Measured, Number, Parameters, Row};
use rayon::prelude::*;

/// Trials of a finder unless told.
const DEFAULT_TRIALS: u64 = 200;
/// Rows with this parameter are shown and not judged.
const SHOWN: &str = "shown";

/// What all checks are made with.
pub struct Setting {
    /// Trials of a finder.
    pub trials: u32,
    pub seed: u64,
}

/// A simulated number beside what it should be.
pub struct Check {
    /// What was simulated.
    case: String,
    measure: &'static str,
    unit: &'static str,
    simulated: f64,
    /// What it should be, and how near; `None` if it is only shown.
    predicted: Option<(f64, Tolerance)>,
    /// Where the prediction is from, or what it leaves out.
    note: String,
}

impl Check {
    /// A number that should be `predicted`.
    pub fn new(
        case: impl Into<String>,
        (measure, unit): (&'static str, &'static str),
        simulated: f64,
        predicted: f64,
        tolerance: Tolerance,
    ) -> Self {
        Self {
            predicted: Some((predicted, tolerance)),
            ..Self::shown(case, (measure, unit), simulated, "")
        }
    }

    /// A number without a prediction.
    pub fn shown(
        case: impl Into<String>,
        (measure, unit): (&'static str, &'static str),
        simulated: f64,
        note: &str,
    ) -> Self {
        Self {
            case: case.into(),
            measure,
            unit,
            simulated,
            predicted: None,
            note: note.to_owned(),
        }
    }

    /// The same with a note.
    pub fn note(self, note: impl Into<String>) -> Self {
        Self {
            note: note.into(),
            ..self
        }
    }

    /// Whether it is as predicted.
    fn holds(&self) -> bool {
        self.predicted
            .is_none_or(|(predicted, tolerance)| tolerance.passes(self.simulated, predicted))
    }

    fn into_rows(self, section: &str, digest: &str) -> Vec<Row> {
        let mut rows = Rows::new(digest, &self.case, section, Parameters::new());
        let mut params: Vec<(&str, serde_json::Value)> = Vec::new();
        match self.predicted {
            Some((predicted, tolerance)) => {
                params.push(("predicted", predicted.into()));
                params.extend(tolerance.parameters());
            }
            None => params.push((SHOWN, true.into())),
        }
        if !self.note.is_empty() {
            params.push(("note", self.note.into()));
        }
        let measured = Measured {
            name: self.measure,
            unit: self.unit,
            about: "",
        };
        rows.push(&measured, None, Number::Real(self.simulated), &params);
        rows.into_rows()
    }
}

/// An error of so many standard errors of a share in so many draws, and what rounding needs.
pub fn sampled(share: f64, draws: f64, standard_errors: f64) -> Tolerance {
    Tolerance::absolute(standard_errors * (share * (1.0 - share) / draws).sqrt() + 1e-9)
}

/// For numbers that are exact but for rounding.
pub const EXACT: Tolerance = Tolerance::absolute(1e-9);

/// Some checks that are made at once.
type Made = fn(&Setting) -> Result<Vec<Check>>;

/// All checks by section, in the order of the table.
const SECTIONS: &[(&str, &[Made])] = &[
    ("oracle", &[oracle::finders, oracle::streams]),
    (
        "closed_form",
        &[
            forms::intervals,
            forms::relocation,
            forms::rolling_hotspot,
            forms::buckets,
            forms::shard_bits,
            forms::tenants,
            forms::one_hot_node,
            forms::closed_loop,
            forms::uniform_fill,
            forms::groups_of_three,
            ids::residues,
            ids::sequence_numbers,
            ids::ticket_blocks,
        ],
    ),
    (
        "published",
        &[
            published::tikv,
            published::cuts,
            published::mycat,
            published::shares,
        ],
    ),
];

pub fn run(trials: Option<u64>, output: &OutputArgs) -> Result<()> {
    let trials = trials.unwrap_or(DEFAULT_TRIALS);
    let setting = Setting {
        trials: match u32::try_from(trials) {
            Ok(trials @ 2..=1_000_000) => trials,
            _ => return Err(usage(format!("--trials {trials}: expected 2 to 1M"))),
        },
        seed: output.seed,
    };
    let params = Parameters::from([("trials".to_owned(), trials.into())]);
    let mut recorder = Recorder::start("shards_check", output, params)?;
    let sections = SECTIONS.iter();
    let tasks: Vec<(&str, Made)> = sections
        .flat_map(|&(section, made)| made.iter().map(move |&made| (section, made)))
        .collect();
    let threads = recorder::threads(output, usize::MAX, 1 << 26, "a check")?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let made: Result<Vec<Vec<Check>>> =
        pool.install(|| tasks.par_iter().map(|(_, made)| made(&setting)).collect());
    let (mut compared, mut beyond) = (0, 0);
    for ((section, _), checks) in tasks.iter().zip(made?) {
        for check in checks {
            compared += usize::from(check.predicted.is_some());
            beyond += usize::from(!check.holds());
            let rows = check.into_rows(section, recorder.digest());
            recorder.add(rows, None);
        }
    }
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table::table)?;
    tolerance::verdict(beyond, compared)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const SHARE: (&str, &str) = ("hot_node_share", "share");

    #[test]
    fn a_wrong_prediction_does_not_hold() {
        let check = |simulated, predicted| {
            Check::new("", SHARE, simulated, predicted, Tolerance::absolute(0.02))
        };
        assert!(check(0.26, 0.25).holds());
        assert!(!check(0.28, 0.25).holds());
        assert!(!check(f64::NAN, 0.25).holds());
        assert!(Check::shown("", SHARE, 0.5, "").holds());
    }

    #[test]
    fn rows_say_what_was_predicted() {
        let check = Check::new("case", SHARE, 0.5, 0.4, Tolerance::relative(0.1)).note("why");
        let rows = check.into_rows("oracle", "digest");
        assert_eq!((rows.len(), rows[0].value.as_f64()), (1, 0.5));
        assert_eq!(rows[0].params["predicted"], 0.4);
        assert_eq!(rows[0].params["tolerance"], 0.1);
        assert_eq!(rows[0].params["note"], "why");
    }

    #[test]
    fn cases_differ() {
        let setting = Setting { trials: 2, seed: 1 };
        let checks = ids::residues(&setting).unwrap();
        let names: BTreeSet<_> = checks
            .iter()
            .map(|check| (&check.case, check.measure))
            .collect();
        assert_eq!(names.len(), checks.len());
    }
}
