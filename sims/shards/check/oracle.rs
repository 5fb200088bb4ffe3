//! The finders of split points on known traffic.

use super::{Check, Setting};
use crate::tolerance::Tolerance;
use anyhow::Result;
use idlab::shards::{Finder, Found, ORACLE, OracleRow, Traffic, simulate};
use idlab::theory::shards::streams_split;
use rayon::prelude::*;

/// Trials of the oracle itself.
const ORACLE_TRIALS: f64 = 60.0;
/// What passes beside the errors of sampling.
const WITHIN: f64 = 0.03;
/// Standard errors that pass on top.
const STANDARD_ERRORS: f64 = 3.0;

const FOUND: (&str, &str) = ("found_share", "share");
const HOT: (&str, &str) = ("hot_share", "share");

/// Each row of the oracle.
pub fn finders(setting: &Setting) -> Result<Vec<Check>> {
    let checks = ORACLE.par_iter().map(|row| {
        let found = simulate(row.traffic, row.finder, setting.trials, setting.seed);
        compared(row, &found)
    });
    Ok(checks.flatten_iter().collect())
}

/// Both sides are samples.
fn compared(row: &OracleRow, found: &Found) -> Vec<Check> {
    let case = format!("{}, {:?}", named(row.traffic), row.finder).to_lowercase();
    let note = |simulated: f64, expected: f64| match (simulated - expected).abs() > WITHIN {
        true if row.note.is_empty() => "beyond 0.03, within three standard errors of 60 trials",
        true => row.note,
        false => "",
    };
    let tolerance =
        |standard_error: f64| Tolerance::absolute(WITHIN + STANDARD_ERRORS * standard_error + 1e-9);
    let share = |share: f64| share.clamp(0.01, 0.99);
    let variance = share(found.found) * (1.0 - share(found.found));
    let error = (variance * (1.0 / ORACLE_TRIALS + 1.0 / f64::from(found.trials))).sqrt();
    let mut checks = vec![
        Check::new(&case, FOUND, found.found, row.found, tolerance(error))
            .note(note(found.found, row.found)),
    ];
    if let (Some(hot), Some(expected)) = (found.hot_share, row.hot_share) {
        let keys = |trials: f64, found: f64| 1.0 / (trials * found).max(1.0);
        let keys = keys(ORACLE_TRIALS, row.found) + keys(found.trials.into(), found.found);
        let error = found.hot_share_sd * keys.sqrt();
        checks.push(
            Check::new(&case, HOT, hot, expected, tolerance(error)).note(note(hot, expected)),
        );
    }
    checks
}

/// Streams that the oracle does not have, by the closed form.
pub fn streams(setting: &Setting) -> Result<Vec<Check>> {
    let streams = [1, 9, 10, 11, 12];
    let check = |&streams: &u32| {
        let traffic = Traffic::Streams(streams);
        let found = simulate(traffic, Finder::Online, setting.trials, setting.seed).found;
        let expected = f64::from(u8::from(streams_split(streams)));
        let error = (0.02 * 0.98 / f64::from(setting.trials)).sqrt();
        let tolerance = Tolerance::absolute(WITHIN + STANDARD_ERRORS * error);
        let case = format!("{}, online", named(traffic));
        Check::new(case, FOUND, found, expected, tolerance)
    };
    Ok(streams.par_iter().map(check).collect())
}

fn named(traffic: Traffic) -> String {
    match traffic {
        Traffic::Uniform => "uniform".to_owned(),
        Traffic::Ascending { skew_ms: 0 } => "ascending".to_owned(),
        Traffic::Ascending { skew_ms } => format!("ascending, skew {skew_ms} ms"),
        Traffic::Streams(streams) => format!("streams {streams}"),
        Traffic::OneKey { percent } => format!("one key {percent} %"),
        Traffic::Zipf { s } => format!("zipf {s}"),
    }
}
