//! Leaks: what an outsider learns from ids of one scheme.
//!
//! When they were made, and how exactly; how many there were between two of them, and of how many
//! workers; how likely the next one is guessed. Each is said with its error, and nothing where
//! ids tell nothing.
//!
//! The ids are taken for a sample at random of all there were, at a steady rate; a rate that
//! changes makes the one that sequence numbers tell too high, as most ids are of busy ticks.

mod conduct;
mod guess;
mod running;
mod sequence;
mod tank;
#[cfg(test)]
mod trials;
mod workers;

pub use conduct::Conduct;
pub use guess::{Counter, Unknown};
pub use tank::tank;
pub use workers::{Method, Workers, workers};

use super::Estimate;
use crate::clock::{NS_PER_MS, NS_PER_S, Timestamp};
use crate::id::{Id, Key};
use crate::measure::{Rows, Sample};
use crate::record::{Measured, Number};
use crate::scheme::{FieldKind, Scheme};
use conduct::Part;
use running::Counters;
use sequence::{Seen, Spread, ids_per_tick};

/// What holds for ids of every scheme.
pub const NO_SECRET: &str = "An id is never an authorisation token, in any scheme: whoever asks \
     for a row by its id needs the right to see it, however hard the id is to guess.";

/// Guesses whose odds are told.
const TRIES: [u64; 3] = [1, 1000, 1_000_000];
/// How exactly a stranger may know when the next id is made.
const KNOWN: [(&str, u64); 2] = [("1ms", NS_PER_MS), ("1s", NS_PER_S)];

/// Measures of this file.
pub const LEAK_MEASURES: &[&Measured] = &[
    &LEAK_TICK_NS,
    &LEAK_SPAN_MS,
    &LEAK_WORKERS_SEEN,
    &LEAK_WORKERS,
    &LEAK_ISSUED,
    &LEAK_VOLUME,
    &LEAK_RATE,
    &LEAK_ODDS,
];

const LEAK_TICK_NS: Measured = Measured {
    name: "leak_tick_ns",
    unit: "ns",
    about: "precision to which an id tells when it was made; absent if it does not",
};
const LEAK_SPAN_MS: Measured = Measured {
    name: "leak_span_ms",
    unit: "ms",
    about: "time from the earliest id of the list to the latest, as they tell it",
};
const LEAK_WORKERS_SEEN: Measured = Measured {
    name: "leak_workers_seen",
    unit: "workers",
    about: "different workers in the list",
};
const LEAK_WORKERS: Measured = Measured {
    name: "leak_workers",
    unit: "workers",
    about: "all workers there are, estimated (param by); high is null if nothing bounds it",
};
const LEAK_ISSUED: Measured = Measured {
    name: "leak_issued",
    unit: "ids",
    about: "ids that a central counter has given out so far, estimated from the list (German tank)",
};
const LEAK_VOLUME: Measured = Measured {
    name: "leak_volume",
    unit: "ids",
    about: "ids from the list's earliest to its latest, estimated; of one writer where the ids do not tell writers apart (param of); low and high are null if exact, high alone if only bounded from below",
};
const LEAK_RATE: Measured = Measured {
    name: "leak_rate",
    unit: "ids/s",
    about: "the same a second",
};
const LEAK_ODDS: Measured = Measured {
    name: "leak_odds",
    unit: "probability",
    about: "that one of x guesses is the next id, if the guesser knows when it is made to within param known",
};

/// How many ids there were.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Volume {
    /// So many, less numbers that were never given out.
    Exact(u64),
    /// So many, with an error.
    Near(Estimate),
    /// So many or more.
    AtLeast(u64),
    /// The ids do not tell.
    Unknown,
}

impl Volume {
    fn of(estimate: Estimate) -> Self {
        if estimate.high == f64::INFINITY {
            Self::AtLeast(estimate.low as u64)
        } else if estimate.low == estimate.high {
            Self::Exact(estimate.low as u64)
        } else {
            Self::Near(estimate)
        }
    }

    /// As value, lower and upper end.
    pub fn estimate(self) -> Option<Estimate> {
        match self {
            Self::Exact(ids) => Some(Estimate::exact(ids as f64)),
            Self::Near(estimate) => Some(estimate),
            Self::AtLeast(ids) => Some(Estimate {
                value: ids as f64,
                low: ids as f64,
                high: f64::INFINITY,
            }),
            Self::Unknown => None,
        }
    }
}

/// Odds of a guess.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Guess {
    /// Guesses.
    pub tries: u64,
    /// How exactly it is known when the next id is made, in words and in nanoseconds.
    pub known: (&'static str, u64),
    /// Probability that one of them is it.
    pub odds: f64,
}

/// When ids were made.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Times {
    /// To this precision.
    pub tick_ns: u64,
    /// The earliest.
    pub first: Timestamp,
    /// The latest.
    pub last: Timestamp,
}

impl Times {
    fn seconds(&self) -> f64 {
        (self.last.0 - self.first.0) as f64 / NS_PER_S as f64
    }
}

/// What an outsider learns.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaked {
    /// Ids of the list.
    pub ids: u64,
    /// What the scheme's counter says.
    pub conduct: Conduct,
    /// When they were made; `None` without a clock.
    pub times: Option<Times>,
    /// Workers; `None` if ids do not tell them apart.
    pub workers: Option<Workers>,
    /// Numbers that a central counter has given out.
    pub issued: Option<Estimate>,
    /// Ids from the earliest to the latest: of all workers, or, if ids do not tell them
    /// apart, of one.
    pub volume: Volume,
    /// The same a second.
    pub ids_per_s: Option<Estimate>,
    /// Odds of guessing the next id.
    pub guesses: Vec<Guess>,
    /// Ids of all workers in a tick, where a sequence tells.
    ids_per_tick: Option<Estimate>,
}

/// Takes the ids of a list.
pub struct Leaks<S: Scheme> {
    scheme: S,
    tick_ns: Option<u64>,
    conduct: Conduct,
    counter: Part,
    node: Part,
    random_bits: u32,
    /// One more than an id is so much more than it, if that is how the scheme counts.
    step: Option<u128>,
    /// Whether `counter` reads what the scheme decodes.
    is_plain: bool,
    ids: u64,
    times: Option<(Timestamp, Timestamp)>,
    counts: Option<(u64, u64)>,
    counters: Counters,
    sample: Sample<<S::Id as Id>::Key>,
    previous: Option<u128>,
    stepped: u64,
}

impl<S: Scheme> Leaks<S> {
    /// Of no ids of `scheme` yet.
    pub fn new(scheme: S) -> Self {
        let fields = scheme.fields();
        let part = |kind| Part::new(&fields, S::Id::BITS, kind);
        let (counter, node) = (part(FieldKind::Counter), part(FieldKind::Node));
        let random = part(FieldKind::Random);
        let conduct = Conduct::of(&scheme, counter.bits(), |id| counter.read(id.key()));
        let counts = !matches!(conduct, Conduct::None | Conduct::Tickets);
        let step = if counts {
            counter.shift()
        } else {
            random.shift()
        };
        Self {
            tick_ns: scheme.limits().tick_ns,
            conduct,
            counters: Counters::new(counter.bits()),
            counter,
            node,
            random_bits: random.bits(),
            step: step.filter(|&shift| shift < 128).map(|shift| 1 << shift),
            is_plain: true,
            scheme,
            ids: 0,
            times: None,
            counts: None,
            sample: Sample::default(),
            previous: None,
            stepped: 0,
        }
    }

    /// Takes the next ids in the order of arrival.
    pub fn see(&mut self, keys: &[<S::Id as Id>::Key]) {
        let is_plain = |&key: &_| self.counter.read(key) == self.decoded(key);
        self.is_plain = self.is_plain && keys.iter().take(64).all(is_plain);
        self.ids += keys.len() as u64;
        self.sample.see(keys);
        let has_writers = self.node.bits() > 0 || self.conduct == Conduct::RunsOn;
        for &key in keys {
            let at = self.scheme.timestamp(S::Id::from_key(key));
            if let Some(at) = at {
                let (first, last) = self.times.get_or_insert((at, at));
                (*first, *last) = ((*first).min(at), (*last).max(at));
            }
            if self.conduct == Conduct::Tickets {
                let count = self.count(key);
                let (least, most) = self.counts.get_or_insert((count, count));
                (*least, *most) = ((*least).min(count), (*most).max(count));
            }
            if has_writers {
                let (writer, tick) = (self.node.read(key), self.tick(at));
                self.counters.see(writer, tick, self.count(key));
            }
            if let Some(step) = self.step {
                let low = key.field(0, 128);
                self.stepped += u64::from(self.previous == Some(low.wrapping_sub(step)));
                self.previous = Some(low);
            }
        }
    }

    /// What they say.
    pub fn finish(&self) -> Leaked {
        let times = self.times.zip(self.tick_ns);
        let times = times.map(|((first, last), tick_ns)| Times {
            tick_ns,
            first,
            last,
        });
        let shares = self.counters.shares();
        let workers = (self.node.bits() > 0 && self.ids > 0).then(|| workers(&shares));
        let per_worker = self.ids_per_tick(Spread::Even);
        let ids_per_tick = match workers {
            Some(Workers {
                by: Method::Chao1, ..
            }) => self.ids_per_tick(Spread::ByShares),
            Some(Workers { all, .. }) => per_worker.map(|each| product(each, all)),
            None => per_worker,
        };
        let mut leaked = Leaked {
            ids: self.ids,
            conduct: self.conduct,
            times,
            workers,
            issued: None,
            volume: Volume::Unknown,
            ids_per_s: None,
            guesses: Vec::new(),
            ids_per_tick,
        };
        if let (Conduct::Tickets, Some((least, most))) = (self.conduct, self.counts) {
            leaked.issued = Some(tank(self.ids, most));
            leaked.volume = Volume::Exact(most - least);
        }
        if let Some(times) = times {
            leaked.volume = match self.conduct {
                Conduct::RunsOn => Volume::of(self.issued(times)),
                _ => self.of_ticks(&leaked, times.first, times.last),
            };
            // Those of the list are known.
            if let (Volume::Near(volume), "all") = (leaked.volume, leaked.of()) {
                leaked.volume = Volume::Near(volume.at_least(self.ids.saturating_sub(1) as f64));
            }
            if let Some(volume) = leaked.volume.estimate().filter(|_| times.seconds() > 0.0) {
                leaked.ids_per_s = Some(volume.times(1.0 / times.seconds()));
            }
        }
        let unknown = self.unknown(&leaked, per_worker.map_or(0.0, |each| each.value));
        for known in KNOWN {
            // Without a clock it does not matter when.
            if leaked.times.is_none() && known != KNOWN[0] {
                continue;
            }
            leaked.guesses.extend(TRIES.map(|tries| Guess {
                tries,
                known,
                odds: unknown.odds(tries, known.1),
            }));
        }
        leaked
    }

    /// How many ids were issued after `a`, up to `b`, or the other way round, by all workers;
    /// `leaked` is what [`finish`](Self::finish) gave.
    pub fn between(&self, leaked: &Leaked, a: S::Id, b: S::Id) -> Volume {
        let (from, to) = (self.count(a.key()), self.count(b.key()));
        if self.conduct == Conduct::Tickets {
            return Volume::Exact(from.abs_diff(to));
        }
        let (Some(at), Some(until)) = (self.scheme.timestamp(a), self.scheme.timestamp(b)) else {
            return Volume::Unknown;
        };
        if self.conduct != Conduct::RunsOn {
            return self.of_ticks(leaked, at.min(until), at.max(until));
        }
        let (from, to) = if at <= until { (from, to) } else { (to, from) };
        let ticks = self.tick(Some(at)).abs_diff(self.tick(Some(until)));
        let alone = leaked.workers.is_none_or(|workers| workers.seen == 1);
        let exact = self.counters.between(ticks, from, to).filter(|_| alone);
        match (exact, leaked.volume, leaked.times) {
            (Some(ids), _, _) => Volume::Exact(ids),
            (None, Volume::Exact(_) | Volume::Near(_), Some(times)) if times.seconds() > 0.0 => {
                let share = at.0.abs_diff(until.0) as f64 / (times.seconds() * NS_PER_S as f64);
                let all = leaked.volume.estimate().map(|all| all.times(share));
                all.map_or(Volume::Unknown, |all| Volume::Near(with_chance(all)))
            }
            _ => Volume::Unknown,
        }
    }

    /// Ids of the ticks from `first` to `last`, where a sequence tells.
    fn of_ticks(&self, leaked: &Leaked, first: Timestamp, last: Timestamp) -> Volume {
        let ticks = self.tick(Some(last)) - self.tick(Some(first));
        let Some(each) = leaked.ids_per_tick else {
            return Volume::Unknown;
        };
        Volume::of(with_chance(each.times(ticks as f64)))
    }

    /// Ids of a worker, or of all, in a tick, from sequence numbers.
    fn ids_per_tick(&self, spread: Spread) -> Option<Estimate> {
        let Conduct::PerTick(first) = self.conduct else {
            return None;
        };
        let sample = self.sample.in_order().iter();
        let seen = |&(_, key): &(u64, _)| Seen {
            worker: self.node.read(key),
            tick: self.tick(self.scheme.timestamp(S::Id::from_key(key))),
            number: self.count(key).saturating_sub(first),
        };
        ids_per_tick(&mut sample.map(seen).collect::<Vec<_>>(), spread)
    }

    /// What the counters say, of the whole list.
    fn issued(&self, times: Times) -> Estimate {
        let [first, last] = [times.first, times.last].map(|at| self.tick(Some(at)));
        self.counters.issued(first, last)
    }

    fn unknown(&self, leaked: &Leaked, ids_per_tick: f64) -> Unknown {
        let counter = match self.conduct {
            Conduct::None | Conduct::Tickets | Conduct::RunsOn => Counter::Known,
            Conduct::PerTick(_) => Counter::PerTick(ids_per_tick),
            Conduct::Anywhere => Counter::Anywhere(self.counter.bits()),
        };
        let of_time = leaked.times.is_some();
        Unknown {
            random_bits: self.random_bits,
            // Those seen are the likeliest.
            writers: leaked.workers.map_or(1.0, |workers| workers.seen as f64),
            tick_ns: self.tick_ns.filter(|_| of_time),
            counter,
            stepped: self.stepped as f64 / self.ids.saturating_sub(1).max(1) as f64,
        }
    }

    fn tick(&self, at: Option<Timestamp>) -> u64 {
        at.map_or(0, |at| at.0 / self.tick_ns.unwrap_or(1).max(1))
    }

    fn count(&self, key: <S::Id as Id>::Key) -> u64 {
        match self.is_plain {
            true => self.counter.read(key),
            false => self.decoded(key),
        }
    }

    /// The counter as the scheme itself decodes it.
    fn decoded(&self, key: <S::Id as Id>::Key) -> u64 {
        let fields = self.scheme.decode(S::Id::from_key(key)).into_iter();
        let parts = fields.filter(|(field, _)| field.kind == FieldKind::Counter);
        parts.fold(0, |value, (field, part)| {
            let value = if field.bits < 64 {
                value << field.bits
            } else {
                0
            };
            value | part as u64
        })
    }
}

/// The product of two estimates that err independently: by what factor is added in squares.
fn product(a: Estimate, b: Estimate) -> Estimate {
    let value = a.value * b.value;
    if a.low == 0.0 || b.low == 0.0 || !value.is_finite() {
        return Estimate {
            value,
            low: a.low * b.low,
            high: a.high * b.high,
        };
    }
    let factor = |a: f64, b: f64| {
        let (a, b) = (libm::log(a), libm::log(b));
        libm::exp(libm::sqrt(a * a + b * b))
    };
    Estimate {
        value,
        low: value / factor(a.value / a.low, b.value / b.low),
        high: value * factor(a.high / a.value, b.high / b.value),
    }
}

/// A mean number of ids as what there may have been: a Poisson number of that mean.
fn with_chance(mean: Estimate) -> Estimate {
    if !mean.value.is_finite() {
        return mean;
    }
    let chance = 1.959_964 * libm::sqrt(mean.value.max(1.0));
    let wider = |end: f64| libm::sqrt((mean.value - end) * (mean.value - end) + chance * chance);
    Estimate {
        value: mean.value,
        low: (mean.value - wider(mean.low)).max(0.0),
        high: mean.value + wider(mean.high),
    }
}

impl Leaked {
    /// Whose ids [`volume`](Self::volume) counts.
    pub fn of(&self) -> &'static str {
        match (self.conduct, self.workers) {
            (Conduct::PerTick(_), None) => "one writer",
            _ => "all",
        }
    }

    /// Writes the numbers.
    pub fn rows(&self, rows: &mut Rows) {
        if let Some(times) = self.times {
            rows.total(&LEAK_TICK_NS, times.tick_ns);
            rows.total(&LEAK_SPAN_MS, (times.last.0 - times.first.0) / NS_PER_MS);
        }
        if let Some(workers) = self.workers {
            rows.total(&LEAK_WORKERS_SEEN, workers.seen);
            let by = [("by", workers.by.name().into())];
            estimate(rows, &LEAK_WORKERS, workers.all, &by);
        }
        if let Some(issued) = self.issued {
            estimate(rows, &LEAK_ISSUED, issued, &[]);
        }
        let of = [("of", self.of().into())];
        if let Some(volume) = self.volume.estimate() {
            estimate(rows, &LEAK_VOLUME, volume, &of);
        }
        if let Some(ids_per_s) = self.ids_per_s {
            estimate(rows, &LEAK_RATE, ids_per_s, &of);
        }
        for guess in &self.guesses {
            let known = [("known", guess.known.0.into())];
            let tries = Some(Number::Whole(guess.tries));
            rows.push(&LEAK_ODDS, tries, Number::Real(guess.odds), &known);
        }
    }
}

/// Writes an estimate: its value, or its lower end if there is none.
fn estimate(
    rows: &mut Rows,
    measured: &Measured,
    found: Estimate,
    params: &[(&str, serde_json::Value)],
) {
    let finite = |end: f64| end.is_finite().then_some(Number::Real(end));
    let ends = match found.low == found.high {
        true => (None, None),
        false => (finite(found.low), finite(found.high)),
    };
    let value = finite(found.value).unwrap_or(Number::Real(found.low));
    rows.interval(measured, value, ends, params);
}
