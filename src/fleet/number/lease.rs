//! Leases: numbers that a registry lends for a time, and what their holders do about its end.

mod holder;
mod registry;

pub(super) use holder::{Leases, Note};

use super::RuleError;
use crate::clock::{NS_PER_MS, NS_PER_S};
use crate::duration::{share_ppm, show};
use crate::fleet::text::{duration_ns, pairs};
use crate::names::nearest;
use std::fmt;
use std::str::FromStr;

/// When a holder stops to mint under its number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Holder {
    /// This long after an answer that the lease is lost; an answer that fails to come
    /// means nothing to it. Unsafe.
    Background {
        /// Time from the answer until the last mint.
        notice_ns: u64,
    },
    /// When its own monotonic clock, which counts suspends, says before a mint that the lease,
    /// from the sending of the last request that was granted, may be over. Safe as long as
    /// the guard is longer than the hold-up between that check and its effect and the
    /// difference between writers' wall clocks together.
    OwnClock {
        /// Time by which it stops early.
        guard_ns: u64,
    },
    /// When its wall clock has left the key times of the lease: the registry lends intervals
    /// of timestamps, which do not overlap. Safe whatever holds it up.
    KeyTime,
}

/// How numbers are leased.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LeaseRule {
    /// Time from a request's arrival at the registry until the lease that it granted ends, by the registry's clock.
    pub ttl_ns: u64,
    /// Time between a holder's requests.
    pub renew_ns: u64,
    /// Time between the requests of a writer without a number.
    pub takeover_ns: u64,
    /// Median time from a request to its answer, shorter than `renew_ns`; each way lognormal, sigma 0.7.
    pub round_trip_ns: u64,
    /// Share of the messages that are lost.
    pub loss_ppm: u32,
    /// Largest error of a monotonic clock's rate, the registry's and the writers'; each is drawn within it, and holders allow for it.
    pub rate_ppm: u32,
    /// What holders do.
    pub holder: Holder,
}

impl Default for LeaseRule {
    fn default() -> Self {
        Self {
            ttl_ns: 15 * NS_PER_S,
            renew_ns: 5 * NS_PER_S,
            takeover_ns: 2 * NS_PER_S,
            round_trip_ns: NS_PER_MS,
            loss_ppm: 0,
            rate_ppm: 200,
            holder: Holder::OwnClock { guard_ns: GUARD_NS },
        }
    }
}

const GUARD_NS: u64 = 100 * NS_PER_MS;

const NOTICE_NS: u64 = 500 * NS_PER_MS;

const MILLION: u128 = 1_000_000;

impl LeaseRule {
    /// Nanoseconds from the sending of a granted request during which its holder may mint
    /// whatever the clocks' rates, on its own clock, if it must stop `guard_ns` early.
    pub fn safe_ns(&self, guard_ns: u64) -> u64 {
        let rate = u128::from(self.rate_ppm);
        let slowest = MILLION.saturating_sub(rate);
        let ns = u128::from(self.ttl_ns) * slowest / (MILLION + rate);
        // Not above the TTL, so that it fits.
        (ns as u64).saturating_sub(guard_ns)
    }

    /// Refuses what cannot work.
    pub(super) fn check(&self) -> Result<(), String> {
        let least = [("renew", self.renew_ns), ("takeover", self.takeover_ns)];
        if let Some((key, ns)) = least.iter().find(|(_, ns)| *ns < NS_PER_MS) {
            return Err(format!(
                "{key}={} is too short, expected at least 1ms",
                show(*ns)
            ));
        }
        if self.ttl_ns <= self.renew_ns {
            let (ttl, renew) = (show(self.ttl_ns), show(self.renew_ns));
            return Err(format!("ttl={ttl} must be longer than renew={renew}"));
        }
        if self.round_trip_ns >= self.renew_ns {
            let (round_trip, renew) = (show(self.round_trip_ns), show(self.renew_ns));
            return Err(format!(
                "round_trip={round_trip} must be shorter than renew={renew}"
            ));
        }
        if self.rate_ppm > 100_000 {
            return Err(format!(
                "rate={}ppm is too large, expected at most 10%",
                self.rate_ppm
            ));
        }
        if self.loss_ppm >= 1_000_000 {
            return Err("loss=100% lets no message through, expected less".to_owned());
        }
        if let Holder::OwnClock { guard_ns } = self.holder
            && self.safe_ns(guard_ns) <= self.renew_ns
        {
            return Err(format!(
                "guard={} leaves no time between renew={} and ttl={}, expected a shorter one",
                show(guard_ns),
                show(self.renew_ns),
                show(self.ttl_ns)
            ));
        }
        Ok(())
    }
}

/// Keys in the order in which they are written, each with one line on it.
const KEYS: [(&str, &str); 9] = [
    (
        "ttl",
        "time from a request at the registry until the lease that it granted ends",
    ),
    (
        "renew",
        "time between a holder's requests; if only ttl is given, a third of it",
    ),
    (
        "takeover",
        "time between the requests of a writer without a number",
    ),
    (
        "round_trip",
        "median time from a request to its answer; each way lognormal, sigma 0.7",
    ),
    ("loss", "share of the messages that are lost"),
    (
        "rate",
        "largest error of a monotonic clock's rate; holders allow for it",
    ),
    (
        "holder",
        "when a holder stops to mint: own_clock, background or key_time",
    ),
    (
        "guard",
        "time by which an own_clock holder stops before its lease may be over",
    ),
    (
        "notice",
        "time for which a background holder goes on after it is told",
    ),
];

/// Holders, each with one line on it.
const HOLDERS: [(&str, &str); 3] = [
    (
        "own_clock",
        "when its own clock, asked before each id, says that the lease may be over; safe while the guard outlasts hold-ups between asking and the id's use",
    ),
    (
        "background",
        "once an answer has told it that the lease is lost; unsafe",
    ),
    (
        "key_time",
        "when its wall clock has left the timestamps that the registry lent it, which nobody else gets; safe",
    ),
];

impl LeaseRule {
    /// Every key as typed with its default, or holder, and one line on what it is.
    pub fn known() -> Vec<(String, &'static str)> {
        let defaults = format!("{},notice={}", Self::default(), show(NOTICE_NS));
        let mut known = Vec::new();
        for (default, (key, about)) in defaults.split(',').zip(KEYS) {
            known.push((default.to_owned(), about));
            if key == "holder" {
                known.extend(HOLDERS.map(|(name, about)| (format!("  {name}"), about)));
            }
        }
        known
    }
}

impl FromStr for LeaseRule {
    type Err = RuleError;

    /// Comma-separated `key=value`: `ttl=30s,renew=10s,holder=background,notice=500ms`. Missing
    /// ones have the values of [`LeaseRule::default`]; a TTL without `renew` is renewed each third.
    fn from_str(text: &str) -> Result<Self, RuleError> {
        let mut rule = Self::default();
        let (mut renew_ns, mut guard_ns, mut notice_ns) = (None, None, None);
        let mut holder = "own_clock";
        let given = pairs(text, &KEYS.map(|(key, _)| key)).map_err(RuleError)?;
        for (key, value) in &given {
            let value = value.ok_or_else(|| RuleError(format!("expected {key}=VALUE")))?;
            let named = |error| RuleError(format!("{key}={value}: {error}"));
            let ns = || duration_ns(value).map_err(named);
            let share = || share_ppm(value).map_err(named);
            match *key {
                "ttl" => rule.ttl_ns = ns()?,
                "renew" => renew_ns = Some(ns()?),
                "takeover" => rule.takeover_ns = ns()?,
                "round_trip" => rule.round_trip_ns = ns()?,
                "loss" => rule.loss_ppm = share()?,
                "rate" => rule.rate_ppm = share()?,
                "guard" => guard_ns = Some(ns()?),
                "notice" => notice_ns = Some(ns()?),
                _ => holder = value,
            }
        }
        rule.holder = match holder {
            "background" => Holder::Background {
                notice_ns: notice_ns.take().unwrap_or(NOTICE_NS),
            },
            "own_clock" => Holder::OwnClock {
                guard_ns: guard_ns.take().unwrap_or(GUARD_NS),
            },
            "key_time" => Holder::KeyTime,
            _ => {
                let nearest = nearest(holder, HOLDERS.iter().map(|(name, _)| *name));
                return Err(RuleError(format!("unknown holder {holder:?}{nearest}")));
            }
        };
        if guard_ns.is_some() {
            return Err(RuleError("guard belongs to holder=own_clock".to_owned()));
        }
        if notice_ns.is_some() {
            return Err(RuleError("notice belongs to holder=background".to_owned()));
        }
        let third_ns = rule.ttl_ns / 3;
        rule.renew_ns = renew_ns.unwrap_or((third_ns - third_ns % NS_PER_MS).max(NS_PER_MS));
        rule.check().map_err(|error| {
            let is_default = |key: &&str| {
                error.contains(&format!("{key}=")) && given.iter().all(|(given, _)| given != key)
            };
            let defaults: Vec<_> = KEYS
                .iter()
                .map(|(key, _)| *key)
                .filter(is_default)
                .collect();
            RuleError(match &defaults[..] {
                [] => error,
                defaults => format!("{error} ({} by default)", defaults.join(", ")),
            })
        })?;
        Ok(rule)
    }
}

impl fmt::Display for LeaseRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "ttl={},renew={},takeover={},round_trip={},loss={}ppm,rate={}ppm",
            show(self.ttl_ns),
            show(self.renew_ns),
            show(self.takeover_ns),
            show(self.round_trip_ns),
            self.loss_ppm,
            self.rate_ppm
        )?;
        match self.holder {
            Holder::Background { notice_ns } => {
                write!(f, ",holder=background,notice={}", show(notice_ns))
            }
            Holder::OwnClock { guard_ns } => {
                write!(f, ",holder=own_clock,guard={}", show(guard_ns))
            }
            Holder::KeyTime => f.write_str(",holder=key_time"),
        }
    }
}

#[cfg(test)]
mod tests;
