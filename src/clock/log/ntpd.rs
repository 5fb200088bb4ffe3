//! Lines of ntpd's `loopstats` and `peerstats`: local less true time is less the offset.

use super::{Entry, LogFormat, Update, field, no_number, offset_ns};
use crate::clock::NS_PER_S;

/// The modified Julian day of 1970-01-01.
const EPOCH_MJD: u64 = 40_587;
/// That of 2500, about.
const LAST_MJD: u64 = 234_000;

const DAY_S: u64 = 86_400;

pub(super) fn format(fields: &[&str]) -> Option<LogFormat> {
    day(fields)?;
    // Frequency, or status in hexadecimal; peers are addresses or drivers, never numbers.
    let is_peer = field(fields, 2).parse::<f64>().is_err();
    match fields.len() {
        7 if !is_peer => Some(LogFormat::Loopstats),
        7 | 8 if is_peer => Some(LogFormat::Peerstats),
        _ => None,
    }
}

pub(super) fn entry<'a>(format: LogFormat, fields: &[&'a str]) -> Result<Entry<'a>, String> {
    let day = day(fields).ok_or_else(|| {
        format!(
            "day {:?}, expected a modified Julian day such as 61000; remove the line",
            field(fields, 0)
        )
    })?;
    let text = field(fields, 1);
    let seconds: Option<f64> = text.parse().ok();
    // A day with a leap second is a second longer.
    let seconds = seconds.filter(|seconds| (0.0..=DAY_S as f64 + 1.0).contains(seconds));
    let seconds = seconds.ok_or_else(|| no_number("second of the day", text))?;
    let at_ns = (day - EPOCH_MJD) * DAY_S * NS_PER_S + libm::round(seconds * 1e9) as u64;
    let (source, offset) = match format {
        LogFormat::Peerstats => (field(fields, 2), field(fields, 4)),
        _ => ("", field(fields, 2)),
    };
    Ok(Entry {
        source,
        update: Update {
            at_ns,
            error_ns: -offset_ns("offset", offset)?,
            sd_ns: 0,
        },
    })
}

fn day(fields: &[&str]) -> Option<u64> {
    let day = fields.first()?.parse().ok();
    day.filter(|day| (EPOCH_MJD..LAST_MJD).contains(day))
}
