//! `sim fleet --check planted`: one id among many comes twice, and is found.

use super::blocks::start;
use crate::args::usage;
use crate::recorder::{self, OutputArgs, Recorder};
use crate::report;
use anyhow::{Result, bail};
use idlab::chart::{Chart, ChartError};
use idlab::fleet::FleetSpec;
use idlab::id::Id;
use idlab::measure::{Repeated, Rows, repeated};
use idlab::random;
use idlab::record::{Measured, Parameters, Records, Row};
use idlab::scheme::{Listed, Snowflake, UuidV4};
use indicatif::{HumanBytes, ProgressBar};
use serde_json::Value;
use std::fmt::Write;

const REPEATED: Measured = Measured {
    name: "repeated_ids",
    unit: "ids",
    about: "",
};

const FOUND: Measured = Measured {
    name: "planted_found",
    unit: "ids",
    about: "",
};

/// Ids a second: one that all layouts bear.
const RATE: u64 = 10_000_000;

/// The most ids: their places fit 40 bits.
const MOST: u64 = 1 << 40;

/// Two places of `ids`, the first one before the other.
fn places(seed: u64, ids: u64) -> (u64, u64) {
    let mut random = random::stream(seed, "check.planted", ids);
    let mut place = |below: u64| ((1.0 - random::unit(&mut random)) * below as f64) as u64;
    let second = 1 + place(ids - 1);
    (place(second), second)
}

/// Ids of a fleet of 16, of which the second place has the id of the first.
fn rows<S: Listed>(seed: u64, ids: u64, digest: &str, progress: &ProgressBar) -> Result<Vec<Row>> {
    let (first, second) = places(seed, ids);
    let mint = |take: &mut dyn FnMut(<S::Id as Id>::Key)| -> Result<()> {
        let spec = FleetSpec {
            writers: 16,
            ..FleetSpec::single(RATE, seed)
        };
        let mut fleet = start::<S>(S::NAME, spec)?;
        let mut planted = Default::default();
        for place in 0..ids {
            let key = fleet.issue()?.id.key();
            if place == first {
                planted = key;
            }
            take(if place == second { planted } else { key });
            if place % 1_000_000 == 0 {
                progress.inc(1_000_000);
            }
        }
        Ok(())
    };
    let found = repeated(usize::try_from(ids)?, mint)?;
    let planted = |one: &Repeated<_>| one.places == [first, second];
    let params = Parameters::from([
        ("ids".to_owned(), ids.into()),
        ("first".to_owned(), first.into()),
        ("second".to_owned(), second.into()),
    ]);
    let mut rows = Rows::new(digest, S::NAME, "", params);
    rows.total(&REPEATED, found.len() as u64);
    rows.total(&FOUND, u64::from(found.iter().any(planted)));
    Ok(rows.into_rows())
}

/// Mints and finds, and fails unless the planted id is found and no other.
pub fn run(among: u64, output: &OutputArgs) -> Result<()> {
    if !(20..=MOST).contains(&among) {
        return Err(usage(format!("--among {among}: expected 20 to {MOST}")));
    }
    let params = Parameters::from([("among".to_owned(), among.into())]);
    let mut recorder = Recorder::start("fleet_planted", output, params)?;
    let bytes = among.saturating_mul(8);
    // To see whether memory holds one.
    recorder::threads(output, 1, bytes, &format!("a check of {among} ids"))?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(output.threads.unwrap_or(0))
        .build()?;
    let progress = recorder::progress(None);
    let digest = recorder.digest().to_owned();
    let found: Result<Vec<Vec<Row>>> = pool.install(|| {
        Ok(vec![
            rows::<Snowflake>(output.seed, among, &digest, &progress)?,
            rows::<UuidV4>(output.seed, among / 10, &digest, &progress)?,
        ])
    });
    progress.finish_and_clear();
    let found = found?;
    let right = found.iter().flatten().all(|row| row.value.as_f64() == 1.0);
    found.into_iter().for_each(|rows| recorder.add(rows, None));
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table)?;
    if !right {
        bail!("the planted id is not the one that is found");
    }
    Ok(())
}

/// One line a scheme; then memory and time of the run.
fn table(records: &Records) -> String {
    let cells = records.rows.chunks_exact(2).map(|pair| {
        let param = |name: &str| pair[0].params.get(name).and_then(Value::as_u64);
        let whole = |value: Option<u64>| report::whole(value.unwrap_or_default() as f64);
        let found = pair[1].value.as_f64() == 1.0;
        vec![
            pair[0].scheme.clone(),
            whole(param("ids")),
            whole(param("first")),
            whole(param("second")),
            report::whole(pair[0].value.as_f64()),
            if found { "found" } else { "NOT FOUND" }.to_owned(),
        ]
    });
    let headings = ["scheme", "ids", "planted at", "and at", "repeated", ""];
    let mut text = report::table(&headings, cells);
    let _ = write!(text, "\n\n{:.1} s", records.run.wall_s);
    if let Some(bytes) = records.run.peak_memory_bytes {
        let _ = write!(text, ", at most {} of memory", HumanBytes(bytes));
    }
    text
}
