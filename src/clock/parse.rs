//! Clocks as typed: a preset, keys, or a preset and what is changed of it.

use super::correction::Correction;
use super::law::{Jump, Law, Length, Span};
use super::model::{ClockModel, Kind};
use super::presets::clock;
use super::process::{Leap, Once, Process, Steps, Suspends};
use super::quantity::{LEAST_GAP_NS, Unit, percent};
use crate::names::nearest;
use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// A clock that does not exist.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct ClockError(pub(super) String);

/// The keys of a clock: name, form, and one line on what it is.
pub const CLOCK_KEYS: &[(&str, &str, &str)] = &[
    (
        "sites",
        "N:LAW",
        "writers belong to N sites in turn, each with an error of its own",
    ),
    ("offset", "LAW", "the error that a writer keeps"),
    ("target", "LAW", "what each correction misses it by"),
    (
        "drift",
        "LAW",
        "frequency error in ppm, drawn anew by each correction",
    ),
    (
        "correct",
        "never | slew:EVERY | step:EVERY | ntpd[:EVERY] | chrony[:EVERY[:STEP_ABOVE[:CORRECTIONS|always]]]",
        "what keeps the clock near its offset (64s, chrony steps above 1s at the first 3)",
    ),
    ("step", "RATE:SIZE", "steps at random times"),
    (
        "suspend",
        "RATE:LENGTH",
        "the machine stands still at random times and is late by that",
    ),
    (
        "at",
        "AFTER:SIZE[:SHARE]",
        "one step, so long after the start",
    ),
    (
        "upstream",
        "AFTER:SIZE:FOR[:SHARE]",
        "the servers are off for a while, and the clock with them",
    ),
    (
        "epoch",
        "AFTER:SIZE[:SHARE]",
        "the process is started again with another epoch, for good",
    ),
    (
        "leap",
        "AFTER[:smear[:SHARE]]",
        "a leap second: a step of -1 s, or smeared over 24 h",
    ),
];

/// How the parts of [`CLOCK_KEYS`] are typed.
pub const CLOCK_FORMS: &str = "LAW: normal:SD[:CAP], laplace:SCALE[:TAIL], lognormal:MEDIAN:SIGMA[:TAIL], uniform:MOST or constant:VALUE. \
RATE: a mean gap such as 30d, or 2/h. SIZE: -1s, +1s, 1s (either way) or a range 128ms..500ms. LENGTH: 5s, 50ms..5s or lognormal:MEDIAN:SIGMA. \
AFTER: 60s or 0..5min. SHARE: of the writers, 50%.";

const MOST_SITES: u32 = 1_000_000;

impl ClockModel {
    /// The clock that `text` says: a preset's name, `key=value` pairs (keys not given are
    /// those of `ideal`), or a preset's name and then pairs; all joined by commas.
    ///
    /// # Errors
    /// An unknown name, key or law, or a value that makes no sense.
    ///
    /// ```
    /// use idlab::clock::ClockModel;
    /// let clock = ClockModel::parse("lan_chrony,at=60s:-1s").unwrap();
    /// assert_eq!(ClockModel::parse(&clock.to_string()), Ok(clock));
    /// assert!(ClockModel::parse("lan_chrony,at=60s:-1").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, ClockError> {
        let mut process = Process::IDEAL;
        let mut given: Vec<&str> = Vec::new();
        let parts = text.split(',').map(str::trim);
        if parts.clone().all(str::is_empty) {
            return Err(ClockError(
                "the text is empty, expected a clock's name or key=value pairs".to_owned(),
            ));
        }
        for (i, part) in parts.enumerate() {
            let Some((key, value)) = part.split_once('=') else {
                if i > 0 {
                    return Err(ClockError(format!(
                        "{part:?}: expected key=value; a clock's name comes first"
                    )));
                }
                if part.is_empty() {
                    return Err(ClockError(
                        "\"\": expected a clock's name or key=value before the comma".to_owned(),
                    ));
                }
                if let Kind::Drawn(known) = clock(part)?.0 {
                    process = Arc::unwrap_or_clone(known);
                }
                continue;
            };
            if given.contains(&key) {
                return Err(ClockError(format!("{key} is given twice")));
            }
            given.push(key);
            set(&mut process, key, value)
                .map_err(|error| ClockError(format!("{part}: {error}")))?;
        }
        Ok(Self(Kind::Drawn(Arc::new(process))))
    }
}

fn set(process: &mut Process, key: &str, value: &str) -> Result<(), String> {
    let time = |text: &str| Law::parse(text, Unit::Time);
    let never = value == "never";
    match key {
        "sites" if never => process.sites = None,
        "sites" => {
            let (count, law) = value.split_once(':').ok_or("expected N:LAW")?;
            let sites = count.parse().ok().filter(|n| (1..=MOST_SITES).contains(n));
            let sites = sites.ok_or("expected 1 to 1000000 sites")?;
            process.sites = Some((sites, time(law)?));
        }
        "offset" => process.offset = time(value)?,
        "target" => process.target = time(value)?,
        "drift" => process.drift = Law::parse(value, Unit::Frequency)?,
        "correct" => process.correction = Correction::parse(value)?,
        "step" if never => process.steps = None,
        "step" => {
            let (gap, size) = value.split_once(':').ok_or("expected RATE:SIZE")?;
            process.steps = Some(Steps {
                mean_gap_ns: mean_gap_ns(gap)?,
                size: Jump::parse(size)?,
            });
        }
        "suspend" if never => process.suspends = None,
        "suspend" => {
            let (gap, length) = value.split_once(':').ok_or("expected RATE:LENGTH")?;
            process.suspends = Some(Suspends {
                mean_gap_ns: mean_gap_ns(gap)?,
                length: Length::parse(length)?,
            });
        }
        "at" if never => process.at = None,
        "at" => process.at = Some(once(value)?),
        "upstream" if never => process.upstream = None,
        "upstream" => process.upstream = Some(upstream(value)?),
        "epoch" if never => process.epoch = None,
        "epoch" => process.epoch = Some(once(value)?),
        "leap" if never => process.leap = None,
        "leap" => process.leap = Some(leap(value)?),
        _ => {
            let keys = CLOCK_KEYS.iter().map(|(key, ..)| *key);
            return Err(format!("unknown key {key:?}{}", nearest(key, keys)));
        }
    }
    Ok(())
}

/// `30d`, or `2/h` or `2/1h`: two in an hour.
fn mean_gap_ns(text: &str) -> Result<u64, String> {
    let gap_ns = match text.split_once('/') {
        None => Unit::Time.parse_size(text)?,
        Some((count, unit)) => {
            let count = count.parse().ok().filter(|count| *count > 0);
            let count: u64 =
                count.ok_or_else(|| format!("{text:?}: expected a rate such as 2/h or 30d"))?;
            let one = if unit.starts_with(|c: char| c.is_ascii_digit()) {
                ""
            } else {
                "1"
            };
            Unit::Time.parse_size(&format!("{one}{unit}"))? / count
        }
    };
    if gap_ns < LEAST_GAP_NS {
        return Err(format!(
            "{text:?}: expected a mean gap of at least {}",
            Unit::Time.show_size(LEAST_GAP_NS)
        ));
    }
    Ok(gap_ns)
}

fn once(text: &str) -> Result<Once, String> {
    let parts: Vec<&str> = text.split(':').collect();
    match *parts {
        [after, size] => once_of(after, size, None),
        [after, size, share] => once_of(after, size, Some(share)),
        _ => Err("expected AFTER:SIZE[:SHARE]".to_owned()),
    }
}

fn upstream(text: &str) -> Result<(Once, u64), String> {
    let parts: Vec<&str> = text.split(':').collect();
    match *parts {
        [after, size, lasts] => Ok((
            once_of(after, size, None)?,
            Unit::Time.parse_more_than_0(lasts)?,
        )),
        [after, size, lasts, share] => Ok((
            once_of(after, size, Some(share))?,
            Unit::Time.parse_more_than_0(lasts)?,
        )),
        _ => Err("expected AFTER:SIZE:FOR[:SHARE]".to_owned()),
    }
}

fn once_of(after: &str, size: &str, share: Option<&str>) -> Result<Once, String> {
    Ok(Once {
        after: Span::parse(after)?,
        size: Jump::parse(size)?,
        percent: share.map_or(Ok(100), percent)?,
    })
}

fn leap(text: &str) -> Result<Leap, String> {
    let parts: Vec<&str> = text.split(':').collect();
    let (after, smeared_percent) = match *parts {
        [after] => (after, 0),
        [after, "smear"] => (after, 100),
        [after, "smear", share] => (after, percent(share)?),
        _ => return Err("expected AFTER[:smear[:SHARE]]".to_owned()),
    };
    Ok(Leap {
        after_ns: Unit::Time.parse_size(after)?,
        smeared_percent,
    })
}

/// As [`ClockModel::parse`] reads it; logs by their names, which it does not read.
impl fmt::Display for ClockModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let process = match &self.0 {
            Kind::Drawn(process) => process,
            Kind::Logs(logs) => {
                let logs: Vec<_> = logs.iter().map(|log| log.to_string()).collect();
                return f.write_str(&logs.join(", "));
            }
        };
        let ideal = Process::IDEAL;
        let time = |ns| Unit::Time.show_size(ns);
        let mut parts = Vec::new();
        let mut add = |key: &str, value: Option<String>| {
            parts.extend(value.map(|value| format!("{key}={value}")));
        };
        let law = |law: Law, unit| (law != Law::ZERO).then(|| law.show(unit));
        let share = |percent: u32| match percent {
            100 => String::new(),
            percent => format!(":{percent}%"),
        };
        let once = |once: &Once| format!("{}:{}", once.after.show(), once.size.show());
        let sites = process.sites.as_ref();
        add(
            "sites",
            sites.map(|(count, law)| format!("{count}:{}", law.show(Unit::Time))),
        );
        add("offset", law(process.offset, Unit::Time));
        add("target", law(process.target, Unit::Time));
        add("drift", law(process.drift, Unit::Frequency));
        let correction = process.correction;
        add(
            "correct",
            (correction != ideal.correction).then(|| correction.show()),
        );
        let steps = process.steps.as_ref();
        add(
            "step",
            steps.map(|steps| format!("{}:{}", time(steps.mean_gap_ns), steps.size.show())),
        );
        let suspends = process.suspends.as_ref();
        add(
            "suspend",
            suspends.map(|one| format!("{}:{}", time(one.mean_gap_ns), one.length.show())),
        );
        let single = |one: &Once| format!("{}{}", once(one), share(one.percent));
        add("at", process.at.as_ref().map(single));
        let upstream = process.upstream.as_ref();
        add(
            "upstream",
            upstream.map(|(one, for_ns)| {
                format!("{}:{}{}", once(one), time(*for_ns), share(one.percent))
            }),
        );
        add("epoch", process.epoch.as_ref().map(single));
        add(
            "leap",
            process.leap.map(|leap| match leap.smeared_percent {
                0 => time(leap.after_ns),
                percent => format!("{}:smear{}", time(leap.after_ns), share(percent)),
            }),
        );
        if parts.is_empty() {
            return f.write_str("ideal");
        }
        f.write_str(&parts.join(","))
    }
}

#[cfg(test)]
mod tests;
