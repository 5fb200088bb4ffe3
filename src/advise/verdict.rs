//! Options held to all requirements, and ranked.

use super::check::{RANK, UNMET};
use super::cost::Cost;
use super::facts::PUBLIC;
use super::rank::rank;
use super::runs::{self, FleetRun, RunError};
use super::trial::Trial;
use super::{Asked, Bound, CANDIDATES, Check, Facts};
use crate::measure::Rows;
use crate::record::{Number, Parameters, Row};
use crate::scheme::Rollback;
use crate::shards::ShardingKey;
use rayon::prelude::*;
use std::fmt;

/// An option.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// The scheme.
    pub facts: Facts,
    /// What its writers do when their clocks go back; the scheme's own rule if `None`.
    pub rollback: Option<Rollback>,
    /// What a sharded store is sharded by.
    pub key: Option<ShardingKey>,
    /// Random ids beside it, which alone are shown to outsiders.
    pub public: Option<Facts>,
}

impl fmt::Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.facts.spec)?;
        if let Some(rollback) = self.rollback {
            write!(f, " --rollback {rollback}")?;
        }
        if let Some(key @ ShardingKey::HashBuckets(_)) = self.key {
            write!(f, ", sharded by {key}")?;
        }
        match &self.public {
            Some(public) => write!(f, ", {} beside it", public.spec),
            None => Ok(()),
        }
    }
}

/// An option and what was found of it.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The option.
    pub choice: Choice,
    /// Its requirements, in the order in which they were looked at.
    pub checks: Vec<Check>,
    /// Whether all were looked at; not if those that need no run ruled it out.
    pub is_complete: bool,
    /// What a row costs, of options that fit and of the nearest if none does.
    pub cost: Option<Cost>,
    /// Visits to a centre that an id costs, if callers wait for it.
    pub visits_per_id: f64,
    /// What it needs beside the ids: worker numbers, a centre, buckets, a second id.
    pub parts: u32,
    /// Its place among the options that fit, from 1, equals having one; `None` if it does not.
    pub rank: Option<u64>,
    /// Place of its scheme among the candidates.
    pub(super) candidate: usize,
}

impl Verdict {
    /// Whether all requirements were looked at and are met.
    pub fn fits(&self) -> bool {
        self.is_complete && self.unmet().next().is_none()
    }

    /// Requirements that are not met.
    pub fn unmet(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| !check.is_met())
    }

    fn params(&self) -> Parameters {
        let mut params = Parameters::new();
        let mut set = |name: &str, value: Option<String>| {
            params.extend(value.map(|value| (name.to_owned(), value.into())));
        };
        set(
            "beside",
            self.choice
                .public
                .as_ref()
                .map(|public| public.spec.to_string()),
        );
        set("key", self.choice.key.map(|key| key.to_string()));
        set(
            "rollback",
            self.choice.rollback.map(|rule| rule.to_string()),
        );
        params
    }

    /// A row for each requirement: its figure, its bound, and whether it is met.
    fn rows(&self, digest: &str, engine: &str) -> Vec<Row> {
        let scheme = self.choice.facts.spec.to_string();
        let mut rows = Rows::new(digest, &scheme, engine, self.params());
        for check in &self.checks {
            let (name, bound) = match check.bound {
                Bound::AtMost(most) => ("at_most", most),
                Bound::AtLeast(least) => ("at_least", least),
            };
            let params = [
                ("asked", check.asked.into()),
                (name, bound.into()),
                ("met", check.is_met().into()),
            ];
            rows.push(check.measured, None, Number::Real(check.value), &params);
        }
        let tried = [("tried", self.is_complete.into())];
        rows.push(&UNMET, None, (self.unmet().count() as u64).into(), &tried);
        if let Some(rank) = self.rank {
            rows.total(&RANK, rank);
        }
        rows.into_rows()
    }
}

/// All options.
#[derive(Clone, Debug)]
pub struct Advice {
    /// Those that fit, the best first, then the others, the nearest first.
    pub verdicts: Vec<Verdict>,
    /// What the runs found, and all requirements.
    pub rows: Vec<Row>,
}

impl Advice {
    /// The best of those that fit.
    pub fn best(&self) -> Option<&Verdict> {
        self.verdicts.first().filter(|verdict| verdict.fits())
    }
}

/// A candidate on its way.
struct Entry {
    candidate: usize,
    facts: Facts,
    /// What may be shown to outsiders instead of it, if its own ids may not be.
    publics: Vec<Option<Facts>>,
    trial: Option<Trial>,
}

impl Entry {
    fn shown<'a>(&'a self, public: &'a Option<Facts>) -> &'a Facts {
        public.as_ref().unwrap_or(&self.facts)
    }

    /// Requirements not met that need no run, of its best option.
    fn unmet(&self, asked: &Asked) -> usize {
        let unmet = |public| {
            let checks = self.facts.checks(asked, self.shown(public));
            checks.iter().filter(|check| !check.is_met()).count()
        };
        self.publics.iter().map(unmet).min().unwrap_or(usize::MAX)
    }

    fn verdicts(&self, asked: &Asked) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for public in &self.publics {
            let checks = self.facts.checks(asked, self.shown(public));
            let choice = Choice {
                facts: self.facts.clone(),
                rollback: None,
                key: None,
                public: public.clone(),
            };
            let numbers = self.facts.limits.writers.is_some() && asked.nodes > 1;
            let verdict = Verdict {
                choice,
                checks,
                is_complete: false,
                cost: None,
                visits_per_id: 0.0,
                parts: u32::from(numbers) + u32::from(public.is_some()),
                rank: None,
                candidate: self.candidate,
            };
            let Some(trial) = &self.trial else {
                verdicts.push(verdict);
                continue;
            };
            for fleet in &trial.fleets {
                for (key, of_store) in &trial.stores {
                    let mut verdict = verdict.clone();
                    verdict.choice.rollback = fleet.rollback;
                    verdict.choice.key = *key;
                    verdict.checks.extend(fleet.checks.iter().flatten());
                    verdict.checks.extend(of_store);
                    verdict.is_complete = fleet.checks.is_some();
                    let bucketed = matches!(key, Some(ShardingKey::HashBuckets(_)));
                    verdict.visits_per_id = fleet.visits_per_id;
                    verdict.parts += u32::from(bucketed) + u32::from(fleet.visits_per_id > 0.0);
                    verdicts.push(verdict);
                }
            }
        }
        verdicts
    }
}

/// Tries all candidates and ranks what fits; `progress` is told of candidates that are to be
/// tried (true) and that have been (false). Uses the current pool of threads.
///
/// # Errors
/// An index that the engine cannot grow, or a candidate that is not known.
pub fn advise(
    asked: &Asked,
    digest: &str,
    progress: &(dyn Fn(bool) + Sync),
) -> Result<Advice, RunError> {
    let mut entries = entries(asked)?;
    let mut verdicts = Vec::new();
    // Those that are ruled out without a run are tried only where nothing else fits.
    for most_unmet in [0, 1] {
        let wanted = |entry: &&mut Entry| entry.trial.is_none() && entry.unmet(asked) <= most_unmet;
        let chosen: Vec<&mut Entry> = entries.iter_mut().filter(wanted).collect();
        chosen.iter().for_each(|_| progress(true));
        chosen.into_par_iter().for_each(|entry| {
            entry.trial = Trial::of(asked, &entry.facts, digest).ok();
            progress(false);
        });
        verdicts = entries
            .iter()
            .flat_map(|entry| entry.verdicts(asked))
            .collect();
        if verdicts.iter().any(Verdict::fits) {
            break;
        }
    }
    // A stable sort: candidates stay in order.
    verdicts.sort_by_key(|verdict| {
        (
            !verdict.fits(),
            !verdict.is_complete,
            verdict.unmet().count(),
        )
    });
    let fitting = verdicts.iter().filter(|verdict| verdict.fits()).count();
    // Of the nearest if none fits; one that cannot be tried cannot be loaded either.
    let nearest = verdicts
        .iter()
        .take(1)
        .filter(|verdict| verdict.is_complete)
        .count();
    let wanted = fitting.max(nearest);
    let mut rows: Vec<Row> = entries
        .iter_mut()
        .filter_map(|entry| entry.trial.as_mut())
        .flat_map(|trial| std::mem::take(&mut trial.rows))
        .collect();
    rows.extend(costs(asked, &mut verdicts[..wanted], digest, progress)?);
    rank(&mut verdicts[..fitting]);
    let engine = asked.engine.to_string();
    for verdict in &verdicts {
        rows.extend(verdict.rows(digest, &engine));
    }
    Ok(Advice { verdicts, rows })
}

fn entries(asked: &Asked) -> Result<Vec<Entry>, RunError> {
    let public = Facts::of(PUBLIC)?;
    let engine = asked.engine.engine.name;
    let wanted = |candidate: &super::Candidate| candidate.engine.is_none_or(|own| own == engine);
    let has_tree =
        |facts: &Facts, beside: Option<&Facts>| runs::design(asked, facts, beside).is_ok();
    let mut entries = Vec::new();
    for (candidate, offered) in CANDIDATES.iter().enumerate() {
        let facts = Facts::of(&(offered.spec)(asked))?;
        if !wanted(offered) || !has_tree(&facts, None) {
            continue;
        }
        let of_public = |check: &Check| check.asked == "--public" && !check.is_met();
        let is_hidden = asked.public && facts.checks(asked, &facts).iter().any(of_public);
        let mut publics = vec![None];
        if is_hidden && has_tree(&public, Some(&facts)) {
            publics.push(Some(public.clone()));
        }
        entries.push(Entry {
            candidate,
            facts,
            publics,
            trial: None,
        });
    }
    Ok(entries)
}

/// Finds what rows of these options cost, and what readers of them lose; returns its rows.
fn costs(
    asked: &Asked,
    verdicts: &mut [Verdict],
    digest: &str,
    progress: &(dyn Fn(bool) + Sync),
) -> Result<Vec<Row>, RunError> {
    // The store's key and the rollback change neither tree.
    let mut distinct: Vec<(Facts, Option<Facts>)> = Vec::new();
    for Verdict { choice, .. } in verdicts.iter() {
        let trees = (choice.facts.clone(), choice.public.clone());
        if !distinct.contains(&trees) {
            distinct.push(trees);
        }
    }
    distinct.iter().for_each(|_| progress(true));
    let found = distinct.par_iter().map(|(facts, public)| {
        let beside = public.as_ref().map(|public| public.spec.to_string());
        let params = beside.map(|beside| ("beside".to_owned(), beside.into()));
        let (cost, mut rows) = Cost::of(
            asked,
            facts,
            public.as_ref(),
            digest,
            params.into_iter().collect(),
        )?;
        rows.extend(runs::fleet(asked, facts, None, FleetRun::Reader, digest)?);
        progress(false);
        Ok((cost, rows))
    });
    let found: Vec<(Cost, Vec<Row>)> = found.collect::<Result<_, RunError>>()?;
    for verdict in verdicts {
        let trees = (verdict.choice.facts.clone(), verdict.choice.public.clone());
        let at = distinct.iter().position(|other| *other == trees);
        verdict.cost = at
            .and_then(|at| found.get(at))
            .map(|(cost, _)| cost.clone());
    }
    Ok(found.into_iter().flat_map(|(_, rows)| rows).collect())
}
