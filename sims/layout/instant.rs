//! Instants as they are typed.

use super::OfScheme;
use crate::args::usage;
use idlab::names::nearest;
use idlab::scheme::{self, PRESETS, SCHEMES, Spec};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

pub const NS_PER_DAY: i128 = 86_400_000_000_000;

/// The start of a day in UTC, in nanoseconds since the Unix epoch: `2026-12-01`.
///
/// # Errors
/// The text, and what was expected.
pub fn date_ns(text: &str) -> Result<i128, String> {
    let date = (text.len() == "2026-12-01".len()).then(|| text.parse().ok());
    let start = date.flatten().and_then(start_ns);
    start.ok_or_else(|| format!("{text}: expected a date such as 2026-12-01"))
}

/// The day that --now gives, else today: its start in UTC.
///
/// # Errors
/// Usage: no date.
pub fn now_ns(given: Option<&str>) -> anyhow::Result<i128> {
    match given {
        Some(text) => date_ns(text).map_err(|error| usage(format!("--now {error}"))),
        None => {
            let now = Timestamp::now().as_nanosecond();
            Ok(now - now.rem_euclid(NS_PER_DAY))
        }
    }
}

fn start_ns(date: Date) -> Option<i128> {
    let start = TimeZone::UTC.to_timestamp(date.at(0, 0, 0, 0)).ok()?;
    Some(start.as_nanosecond())
}

/// The instant of tick 0, in nanoseconds since the Unix epoch.
///
/// # Errors
/// The text, and what was expected.
pub fn epoch_ns(text: &str) -> Result<i128, String> {
    if text == "unix" {
        return Ok(0);
    }
    if let Ok(ns) = date_ns(text) {
        return Ok(ns);
    }
    if let Some(ns) = unix_ns(text) {
        return Ok(ns);
    }
    if let Ok(instant) = text.parse::<Timestamp>() {
        return Ok(instant.as_nanosecond());
    }
    let spec = text.parse::<Spec>().ok();
    if let Some(found) = spec.and_then(|spec| scheme::visit(&spec, OfScheme).ok()) {
        let none = || format!("{text}: its ticks are not counted from one instant since 1970");
        return found.epoch_ns.ok_or_else(none);
    }
    let letters = |c: char| c.is_ascii_lowercase() || c == '_';
    let hint = if text.starts_with(letters) {
        let presets = PRESETS.iter().map(|preset| preset.name);
        let known = SCHEMES.iter().map(|scheme| scheme.name).chain(presets);
        let hint = nearest(text, known.chain(["unix"]));
        if hint.contains("did you mean") {
            hint
        } else {
            String::new()
        }
    } else {
        String::new()
    };
    Err(format!(
        "{text}: expected a date such as 2014-09-01, a time such as 2014-09-01T00:00:00Z, Unix time such as 1288834974657ms or 1400000000s, or a scheme such as twitter{hint}"
    ))
}

/// Unix time with its unit, up to the year 9999.
fn unix_ns(text: &str) -> Option<i128> {
    let (digits, factor) = match text.strip_suffix("ms") {
        Some(digits) => (digits, 1_000_000),
        None => (text.strip_suffix('s')?, 1_000_000_000),
    };
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let ns = digits.parse::<i64>().ok()? as i128 * factor;
    Timestamp::from_nanosecond(ns).ok().map(|_| ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_have_many_forms() {
        for (text, ms) in [
            ("unix", 0),
            ("2014-09-01", 1_409_529_600_000),
            ("2014-09-01T00:00:00Z", 1_409_529_600_000),
            ("2014-09-01T02:00:00.5+02:00", 1_409_529_600_500),
            ("1288834974657ms", 1_288_834_974_657),
            ("1400000000s", 1_400_000_000_000),
            ("twitter", 1_288_834_974_657),
            ("ksuid", 1_400_000_000_000),
            ("1969-12-31", -86_400_000),
        ] {
            assert_eq!(epoch_ns(text), Ok(ms * 1_000_000), "{text}");
        }
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        for (text, part) in [
            ("2014", "expected a date such as"),
            ("2014-13-01", "expected a date such as"),
            ("2014-09-01T00:00:00", "expected a date such as"),
            ("1288834974657", "Unix time such as"),
            ("99999999999999999999ms", "Unix time such as"),
            ("ms", "Unix time such as"),
            ("", "expected a date"),
            ("yesterday", "expected a date"),
            ("twiter", "(did you mean \"twitter\"?)"),
            ("uuid_v1", "not counted from one instant"),
            ("uuid_v4", "not counted from one instant"),
        ] {
            let error = epoch_ns(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        assert!(date_ns("2014-9-1").is_err() && date_ns("2014-09-011").is_err());
    }
}
