//! `sim fleet --check leases`: rules for leases against every order of events of a small model.

use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::{Result, bail};
use idlab::chart::{Chart, ChartError};
use idlab::fleet::number::search::{MODELS, Model};
use idlab::measure::Rows;
use idlab::record::{Measured, Parameters, Records, Row};
use rayon::prelude::*;
use std::fmt::Write;

const STATES: Measured = Measured {
    name: "states",
    unit: "states",
    about: "",
};

const TRACE: Measured = Measured {
    name: "counterexample_steps",
    unit: "steps",
    about: "",
};

/// Bytes that a search takes.
const BYTES: u64 = 256 << 20;

/// Searches all models, and fails unless those that are safe alone have no counterexample.
pub(super) fn run(output: &OutputArgs) -> Result<()> {
    let mut recorder = Recorder::start("fleet_leases", output, Parameters::new())?;
    let digest = recorder.digest().to_owned();
    let threads = recorder::threads(output, MODELS.len(), BYTES, "a search")?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let search = |model: &Model| {
        let outcome = model.search();
        let holds = outcome.trace.is_none() == model.safe;
        let trace = outcome.trace.unwrap_or_default();
        let mut rows = Rows::new(&digest, model.name, "", Parameters::new());
        rows.push(&STATES, None, (outcome.states as u64).into(), &[]);
        let params = [
            ("about", model.about.into()),
            ("safe", model.safe.into()),
            ("holds", holds.into()),
            ("trace", trace.clone().into()),
        ];
        rows.push(&TRACE, None, (trace.len() as u64).into(), &params);
        (holds, rows.into_rows())
    };
    let found: Vec<(bool, Vec<Row>)> = pool.install(|| MODELS.par_iter().map(search).collect());
    let missed = found.iter().filter(|(holds, _)| !holds).count();
    for (_, rows) in found {
        recorder.add(rows, None);
    }
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table)?;
    match missed {
        0 => Ok(()),
        missed => bail!("{missed} of {} models are not as expected", MODELS.len()),
    }
}

/// The models, then the counterexample of each.
fn table(records: &Records) -> String {
    let of = |measure: &str| {
        let rows = records.rows.iter();
        rows.filter(|row| row.measure == measure)
            .collect::<Vec<&Row>>()
    };
    let (states, traces) = (of(STATES.name), of(TRACE.name));
    let lines = states.iter().zip(&traces).map(|(states, trace)| {
        let says = |name: &str| trace.params.get(name).and_then(|value| value.as_bool());
        vec![
            states.scheme.clone(),
            report::whole(states.value.as_f64()),
            match trace.value.as_f64() as u64 {
                0 => "none".to_owned(),
                steps => report::plural(steps, "step"),
            },
            match says("holds") {
                Some(true) => "as expected".to_owned(),
                _ => "UNEXPECTED".to_owned(),
            },
        ]
    });
    let headings = ["rule", "states", "counterexample", ""];
    let mut text = report::table(&headings, lines);
    text.push_str("\n\nTwo workers, one number, a registry; a lease of 3 ticks, clock rates within a tenth, messages late or lost.");
    for row in traces {
        let about = row.params.get("about").and_then(|about| about.as_str());
        let _ = write!(text, "\n\n{}: {}", row.scheme, about.unwrap_or_default());
        let steps = row.params.get("trace").and_then(|steps| steps.as_array());
        match steps.into_iter().flatten().next() {
            None => text.push_str("\n  no way to two equal ids"),
            Some(_) => {
                for step in steps.into_iter().flatten() {
                    let _ = write!(text, "\n  {}", step.as_str().unwrap_or_default());
                }
            }
        }
    }
    text
}
