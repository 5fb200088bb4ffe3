//! Leaks: what an outsider learns from ids of one scheme.
//!
//! When they were made, and how exactly; how many there were between two of them, and of how many
//! workers; how likely the next one is guessed. Each is said with its error, and nothing where
//! ids tell nothing.
//!
//! The ids are taken for a sample at random of all there were. Where too few share a worker and a
//! tick, the volume that sequence numbers tell is that of a steady rate, or bounded from below
//! alone if the rate changes; a change within a part of the time that has eight ids is not
//! noticed, and makes it too high, as most ids are of busy ticks.

mod conduct;
mod gaps;
mod guess;
mod leaked;
mod population;
mod running;
mod sequence;
mod tank;
#[cfg(test)]
mod trials;
mod workers;

pub use conduct::Conduct;
pub use guess::{Counter, Unknown};
pub use leaked::{Guess, LEAK_MEASURES, Leaked, Times, Volume};
pub use tank::tank;
pub use workers::{Method, Workers, workers};

use super::Estimate;
use crate::clock::{NS_PER_MS, NS_PER_S, Timestamp};
use crate::id::{Id, Key};
use crate::measure::Sample;
use crate::scheme::{FieldKind, Scheme};
use conduct::Part;
use running::Counters;
use sequence::{Seen, Sequences, Spread};

/// What holds for ids of every scheme.
pub const NO_SECRET: &str = "An id is never an authorisation token, in any scheme: whoever asks \
     for a row by its id needs the right to see it, however hard the id is to guess.";

/// Guesses whose odds are told.
const TRIES: [u64; 3] = [1, 1000, 1_000_000];
/// As many writers as ids that do not tell them apart are taken to be of: each is of its own.
const WRITERS: f64 = 1048576.0;
/// How exactly a stranger may know when the next id is made.
const KNOWN: [(&str, u64); 2] = [("1ms", NS_PER_MS), ("1s", NS_PER_S)];

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
        let mut leaked = Leaked {
            ids: self.ids,
            conduct: self.conduct,
            times,
            workers,
            issued: None,
            volume: Volume::Unknown,
            ids_per_s: None,
            guesses: Vec::new(),
        };
        if let (Conduct::Tickets, Some((least, most))) = (self.conduct, self.counts) {
            leaked.issued = Some(tank(self.ids, most));
            leaked.volume = Volume::Exact(most - least);
        }
        if let Some(times) = times {
            leaked.volume = match self.conduct {
                Conduct::RunsOn => Volume::of(self.counters.issued()),
                Conduct::PerTick(first) => self.of_sequences(first, workers),
                _ => Volume::Unknown,
            };
            // Those of the list are known.
            if let (Volume::Near(volume), "all") = (leaked.volume, leaked.of()) {
                leaked.volume = Volume::Near(volume.at_least(self.ids.saturating_sub(1) as f64));
            }
            if let Some(volume) = leaked.volume.estimate().filter(|_| times.seconds() > 0.0) {
                leaked.ids_per_s = Some(volume.times(1.0 / times.seconds()));
            }
        }
        let unknown = self.unknown(&leaked);
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

    /// The volume from sequence numbers, which begin with `first`.
    fn of_sequences(&self, first: u64, workers: Option<Workers>) -> Volume {
        let sample = (0..).zip(self.sample.in_order());
        let seen = |(place, &(_, key)): (u64, &(u64, _))| Seen {
            // Each id may be of another writer.
            worker: match workers {
                Some(_) => self.node.read(key),
                None => place,
            },
            tick: self.tick(self.scheme.timestamp(S::Id::from_key(key))),
            number: self.count(key).saturating_sub(first),
        };
        let Some(sequences) = Sequences::new(sample.map(seen).collect()) else {
            return Volume::Unknown;
        };
        Volume::of(match workers {
            None => {
                let of_one = sequences.population(Spread::Even(Estimate::exact(WRITERS)));
                part(of_one, 1.0 / WRITERS)
            }
            Some(Workers {
                by: Method::Chao1, ..
            }) => sequences.volume(Spread::ByShares),
            Some(Workers { all, .. }) => sequences.volume(Spread::Even(all)),
        })
    }

    fn unknown(&self, leaked: &Leaked) -> Unknown {
        let counter = match self.conduct {
            Conduct::None | Conduct::Tickets | Conduct::RunsOn => Counter::Known,
            Conduct::PerTick(_) => Counter::PerTick(self.ids_per_tick(leaked)),
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

    /// Ids of a worker in a tick, on average.
    fn ids_per_tick(&self, leaked: &Leaked) -> f64 {
        let ticks = |times: Times| self.tick(Some(times.last)) - self.tick(Some(times.first));
        let ticks = leaked.times.map_or(0, ticks).max(1) as f64;
        let workers = leaked.workers.map_or(1.0, |workers| workers.seen as f64);
        let ids = leaked.volume.estimate().map_or(0.0, |volume| volume.value);
        ids / (ticks * workers)
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

/// A share of a number of ids: with its error, and which of them it is by chance.
fn part(all: Estimate, share: f64) -> Estimate {
    let mean = all.times(share);
    if !mean.high.is_finite() {
        return mean;
    }
    let chance = 1.959_964 * libm::sqrt((mean.value * (1.0 - share)).max(0.0));
    let wider = |end: f64| libm::sqrt((mean.value - end) * (mean.value - end) + chance * chance);
    Estimate {
        value: mean.value,
        low: (mean.value - wider(mean.low)).max(0.0),
        high: mean.value + wider(mean.high),
    }
}
