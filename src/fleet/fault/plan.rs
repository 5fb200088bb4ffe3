//! Plans: random faults of each kind, by rate and size, as typed.

use super::size::Size;
use super::{Fault, Trouble};
use crate::clock::{NS_PER_MS, NS_PER_S, Timestamp};
use crate::duration::show;
use crate::fleet::text::{duration_ns, pairs};
use crate::random;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The most faults of a run.
pub const MAX_FAULTS: u64 = 10_000_000;

const HOUR_NS: u64 = 3600 * NS_PER_S;

/// A kind of fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Partition,
    Pause,
    Restart,
    Step,
    Suspend,
    Outage,
}

/// A kind's name, what it has where nothing else is typed, and one line on it.
struct Known {
    name: &'static str,
    kind: Kind,
    gap_ns: u64,
    size: Size,
    about: &'static str,
}

const KNOWN: [Known; 6] = [
    Known {
        name: "partitions",
        kind: Kind::Partition,
        gap_ns: HOUR_NS,
        size: Size::Lognormal {
            median_ns: 10 * NS_PER_S,
            sigma: 1.0,
        },
        about: "a writer cannot reach the registry",
    },
    Known {
        name: "pauses",
        kind: Kind::Pause,
        gap_ns: 600 * NS_PER_S,
        size: Size::Lognormal {
            median_ns: 100 * NS_PER_MS,
            sigma: 1.8,
        },
        about: "a writer's process stops, its clocks run on",
    },
    Known {
        name: "restarts",
        kind: Kind::Restart,
        gap_ns: HOUR_NS,
        size: Size::Fixed { ns: 5 * NS_PER_S },
        about: "a writer's process ends and is started again after so long",
    },
    Known {
        name: "steps",
        kind: Kind::Step,
        gap_ns: 30 * 24 * HOUR_NS,
        size: Size::Uniform {
            least_ns: 128 * NS_PER_MS,
            most_ns: 500 * NS_PER_MS,
        },
        about: "a writer's wall clock is set, forwards or back",
    },
    Known {
        name: "suspends",
        kind: Kind::Suspend,
        gap_ns: 7 * 24 * HOUR_NS,
        size: Size::Uniform {
            least_ns: 50 * NS_PER_MS,
            most_ns: 5 * NS_PER_S,
        },
        about: "a writer's machine stops, its clocks with it",
    },
    Known {
        name: "outages",
        kind: Kind::Outage,
        gap_ns: 6 * HOUR_NS,
        size: Size::Exponential {
            mean_ns: 60 * NS_PER_S,
        },
        about: "the registry is down for everybody",
    },
];

/// Faults of one kind.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Item {
    kind: Kind,
    /// Mean time from one to the next, of each writer.
    gap_ns: u64,
    size: Size,
}

/// Which faults happen at random, how often and how badly; none by default.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FaultPlan {
    items: Vec<Item>,
}

/// Why a plan is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct PlanError(String);

impl FaultPlan {
    /// Every kind of fault as typed with its default, and one line on what it is.
    pub fn known() -> Vec<(String, &'static str)> {
        let known = KNOWN.iter().map(|known| {
            let text = format!("{}={}:{}", known.name, show(known.gap_ns), known.size);
            (text, known.about)
        });
        known.collect()
    }

    /// The faults of `length_ns` from `start`, in the order of time, then of writers: a Poisson
    /// process for each kind and writer (one for all, of outages), each with its own randomness.
    /// The direction of a step is as likely forwards as back.
    ///
    /// # Errors
    /// More than [`MAX_FAULTS`] on average.
    pub fn schedule(
        &self,
        seed: u64,
        writers: u32,
        start: Timestamp,
        length_ns: u64,
    ) -> Result<Vec<Fault>, PlanError> {
        let expected = self.items.iter().map(|item| {
            u128::from(item.hits(writers)) * u128::from(length_ns) / u128::from(item.gap_ns)
        });
        let expected = expected.sum::<u128>();
        if expected > MAX_FAULTS.into() {
            let length = show(length_ns);
            return Err(PlanError(format!(
                "{self}: {writers} writers would see {expected} faults within {length}, expected at most {MAX_FAULTS}"
            )));
        }
        let mut faults = Vec::new();
        for item in &self.items {
            for writer in 0..item.hits(writers) {
                item.schedule(seed, writer, start, length_ns, &mut faults);
            }
        }
        faults.sort();
        Ok(faults)
    }
}

impl Item {
    fn known(&self) -> &'static Known {
        let known = KNOWN.iter().find(|known| known.kind == self.kind);
        known.unwrap_or(&KNOWN[0])
    }

    fn hits(&self, writers: u32) -> u32 {
        match self.kind {
            Kind::Outage => 1,
            _ => writers,
        }
    }

    fn schedule(
        &self,
        seed: u64,
        writer: u32,
        start: Timestamp,
        length_ns: u64,
        faults: &mut Vec<Fault>,
    ) {
        let stream = format!("fault.{}", self.known().name);
        let mut random = random::stream(seed, &stream, writer.into());
        let end = start.later(length_ns);
        let mut at = start;
        loop {
            at = at.later(random::exponential(&mut random, self.gap_ns));
            if at >= end {
                return;
            }
            let for_ns = self.size.draw(&mut random);
            let trouble = match self.kind {
                Kind::Partition => Trouble::Partition { for_ns },
                Kind::Pause => Trouble::Pause { for_ns },
                Kind::Restart => Trouble::Restart { down_ns: for_ns },
                Kind::Suspend => Trouble::Suspend { for_ns },
                Kind::Outage => Trouble::Outage { for_ns },
                Kind::Step => {
                    let forwards = random::below(&mut random, 2) == 0;
                    let by_ns = for_ns.cast_signed();
                    Trouble::Step {
                        by_ns: if forwards { by_ns } else { -by_ns },
                    }
                }
            };
            faults.push(Fault {
                at,
                writer,
                trouble,
            });
        }
    }
}

/// Whether one of the times of a size as typed has a sign.
fn has_signed_time(size: &str) -> bool {
    size.split(':').any(|part| {
        part.starts_with(['-', '+']) && part.ends_with(|last: char| last.is_ascii_alphabetic())
    })
}

impl FromStr for FaultPlan {
    type Err = PlanError;

    /// Comma-separated `KIND[=GAP[:SIZE]]`: `pauses=10min:lognormal:100ms:1.8,outages`. `none` is no fault.
    /// Sizes are above 0 and at most 30 days; what is drawn beyond is cut off.
    fn from_str(text: &str) -> Result<Self, PlanError> {
        if text == "none" {
            return Ok(Self::default());
        }
        let names = KNOWN.map(|known| known.name);
        let items = pairs(text, &names)
            .map_err(PlanError)?
            .into_iter()
            .map(|(key, value)| {
                let named = |error: String| {
                    PlanError(format!("{key}={}: {error}", value.unwrap_or_default()))
                };
                let known = KNOWN
                    .iter()
                    .find(|known| known.name == key)
                    .unwrap_or(&KNOWN[0]);
                let mut item = Item {
                    kind: known.kind,
                    gap_ns: known.gap_ns,
                    size: known.size,
                };
                let Some(value) = value else {
                    return Ok(item);
                };
                let (gap, size) = match value.split_once(':') {
                    Some((gap, size)) => (gap, Some(size)),
                    None => (value, None),
                };
                item.gap_ns = duration_ns(gap).map_err(named)?;
                if item.gap_ns < NS_PER_MS {
                    return Err(named("expected a mean gap of at least 1ms".to_owned()));
                }
                if let Some(size) = size {
                    if known.kind == Kind::Step && has_signed_time(size) {
                        let error = "expected no sign: steps go either way";
                        return Err(named(error.to_owned()));
                    }
                    item.size = Size::parse(size).map_err(named)?;
                }
                Ok(item)
            });
        Ok(Self {
            items: items.collect::<Result<_, _>>()?,
        })
    }
}

impl fmt::Display for FaultPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.items.is_empty() {
            return f.write_str("none");
        }
        for (i, item) in self.items.iter().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let name = item.known().name;
            write!(f, "{comma}{name}={}:{}", show(item.gap_ns), item.size)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
