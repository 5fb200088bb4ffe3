//! Fleets at work for a check, and means with their standard errors.

use super::Setting;
use anyhow::{Result, anyhow};
use idlab::clock::Timestamp;
use idlab::fleet::{Arrivals, Clocks, Event, Fault, Fleet, FleetSpec, Latency, Trouble};
use idlab::id::{Id, Key};
use idlab::measure::{AnyReader, Ledger, Polls, Reader, ReaderKind, Seen};
use idlab::scheme::{Listed, Params, Spec};

/// Rows of a run unless it needs more.
pub const ROWS: u64 = 1_000_000;

/// Consecutive blocks of a run; their means are nearly independent.
pub const BLOCKS: usize = 100;

pub const MS: u64 = 1_000_000;

/// A mean and its standard error.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Estimate {
    pub mean: f64,
    pub error: f64,
}

impl Estimate {
    /// Of independent values.
    pub fn of(values: &[f64]) -> Self {
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares = values.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
        Self {
            mean,
            error: (squares / (count - 1.0) / count).sqrt(),
        }
    }

    /// Of consecutive values, by the means of blocks.
    pub fn of_blocks(values: &[f64]) -> Self {
        let blocks = values.chunks_exact((values.len() / BLOCKS).max(1));
        let mean = |block: &[f64]| block.iter().sum::<f64>() / block.len() as f64;
        Self::of(&blocks.map(mean).collect::<Vec<f64>>())
    }

    /// Of a number that is not left to chance.
    pub fn exact(mean: f64) -> Self {
        Self { mean, error: 0.0 }
    }
}

/// Perfect clocks, ids asked for at random.
pub fn fleet(setting: &Setting, writers: u32, rate: u64) -> FleetSpec {
    FleetSpec {
        writers,
        arrivals: Arrivals::Poisson,
        ..FleetSpec::single(rate, setting.seed)
    }
}

/// The same with exponential commits of this mean.
pub fn commits(setting: &Setting, writers: u32, rate: u64, mean_ns: u64) -> FleetSpec {
    FleetSpec {
        latency: Latency::Exponential { mean_ns },
        ..fleet(setting, writers, rate)
    }
}

/// The same with normal clock errors, a constant one a writer.
pub fn skewed(spec: FleetSpec, sd_ns: u64) -> FleetSpec {
    FleetSpec {
        clocks: Clocks::Offset { sd_ns },
        ..spec
    }
}

/// The clock of `writer` is set at `at_ns` after the start.
pub fn step(spec: &FleetSpec, writer: u32, at_ns: u64, by_ns: i64) -> Fault {
    Fault {
        at: spec.start.later(at_ns),
        writer,
        trouble: Trouble::Step { by_ns },
    }
}

/// A scheme as typed.
pub fn scheme<S: Listed>(text: &str) -> Result<S> {
    let spec: Spec = text.parse()?;
    Ok(S::new(&Params::new(&spec, S::PARAMS)?)?)
}

/// A fleet at work.
pub fn start<S: Listed>(text: &str, spec: FleetSpec) -> Result<Fleet<S>> {
    Ok(Fleet::new(scheme(text)?, spec)?)
}

/// Passes the first `rows` rows of a fleet on, in the order of their commit.
pub fn each_row<S: Listed>(
    setting: &Setting,
    text: &str,
    spec: FleetSpec,
    rows: u64,
    mut see: impl FnMut(Seen<<S::Id as Id>::Key>),
) -> Result<()> {
    let mut fleet = start::<S>(text, spec)?;
    for _ in 0..rows {
        let issued = fleet.issue()?;
        see(Seen {
            key: issued.id.key(),
            committed: issued.inserted,
            minted: issued.minted,
            key_time: fleet.scheme().timestamp(issued.id).unwrap_or(issued.minted),
            writer: issued.writer,
        });
    }
    setting.progress.inc(rows);
    Ok(())
}

/// All of them at once.
pub fn rows<S: Listed>(
    setting: &Setting,
    text: &str,
    spec: FleetSpec,
    rows: u64,
) -> Result<Vec<Seen<<S::Id as Id>::Key>>> {
    let mut seen = Vec::with_capacity(rows as usize);
    each_row::<S>(setting, text, spec, rows, |row| seen.push(row))?;
    Ok(seen)
}

/// All that happens to ids asked for in the first `length_ns`; yields the fleet at its end.
pub fn each_event<S: Listed>(
    setting: &Setting,
    text: &str,
    spec: FleetSpec,
    length_ns: u64,
    mut see: impl FnMut(Event<S::Id>),
) -> Result<Fleet<S>> {
    let end = spec.start.later(length_ns);
    let mut fleet = start::<S>(text, spec)?;
    let mut events = 0;
    while let Some(event) = fleet.event_before(end)? {
        events += 1;
        see(event);
    }
    setting.progress.inc(events);
    Ok(fleet)
}

/// What became of rows, by block.
#[derive(Clone, Debug)]
pub struct Blocks {
    rows: u64,
    skipped: Vec<f64>,
    delay_s: Vec<f64>,
    /// Time held up, by the block of the row read before.
    pub stalled_s: Vec<f64>,
    last: usize,
}

impl Blocks {
    fn new(rows: u64) -> Self {
        Self {
            rows: rows.div_ceil(BLOCKS as u64),
            skipped: vec![0.0; BLOCKS],
            delay_s: vec![0.0; BLOCKS],
            stalled_s: vec![0.0; BLOCKS],
            last: 0,
        }
    }

    fn block(&self, place: u64) -> usize {
        ((place / self.rows) as usize).min(BLOCKS - 1)
    }

    fn each_row(&self, sums: &[f64]) -> Vec<f64> {
        sums.iter().map(|sum| sum / self.rows as f64).collect()
    }

    /// Share of the rows that is skipped.
    pub fn skipped(&self) -> Estimate {
        Estimate::of(&self.each_row(&self.skipped))
    }

    /// Time from commit to reading.
    pub fn delay_s(&self) -> Estimate {
        Estimate::of(&self.each_row(&self.delay_s))
    }
}

impl Ledger for Blocks {
    fn read(&mut self, place: u64, committed: Timestamp, at: Timestamp) {
        self.last = self.block(place);
        self.delay_s[self.last] += (at.0 - committed.0) as f64 / 1e9;
    }

    fn skipped(&mut self, place: u64) {
        let block = self.block(place);
        self.skipped[block] += 1.0;
    }

    fn read_twice(&mut self, _: u64) {}

    fn stalled(&mut self, ns: u64) {
        self.stalled_s[self.last] += ns as f64 / 1e9;
    }
}

/// First polls of readers out of step; of one if it never rests.
pub fn first_polls(start: Timestamp, poll_ns: u64) -> impl Iterator<Item = Timestamp> {
    let readers = if poll_ns == 0 { 1 } else { READERS };
    (0..readers).map(move |number| start.later(poll_ns / readers * number))
}

/// Places of the rows that a cursor skips.
pub fn skipped<K: Key>(seen: &[Seen<K>], polls: Polls) -> Vec<u64> {
    struct Places(Vec<u64>);
    impl Ledger for Places {
        fn read(&mut self, _: u64, _: Timestamp, _: Timestamp) {}
        fn skipped(&mut self, place: u64) {
            self.0.push(place);
        }
        fn read_twice(&mut self, _: u64) {}
        fn stalled(&mut self, _: u64) {}
    }
    let kind = ReaderKind::Cursor { lag_ns: 0 };
    let mut reader = AnyReader::new(kind, polls, None, Places(Vec::new()));
    seen.iter().for_each(|row| reader.see(row));
    reader.finish().0
}

/// Readers who differ in their first poll alone; one if they never rest.
pub struct Readers<K: Key>(Vec<AnyReader<K, Blocks>>);

/// Readers out of step.
const READERS: u64 = 8;

impl<K: Key> Readers<K> {
    /// Of the first `rows` rows of a fleet that starts at `start`.
    pub fn new(kind: ReaderKind, start: Timestamp, poll_ns: u64, rows: u64) -> Self {
        let reader = |first| {
            let polls = Polls::new(first, poll_ns);
            AnyReader::new(kind, polls, None, Blocks::new(rows))
        };
        Self(first_polls(start, poll_ns).map(reader).collect())
    }

    /// Takes the next row.
    pub fn see(&mut self, row: &Seen<K>) {
        self.0.iter_mut().for_each(|reader| reader.see(row));
    }

    /// What became of the rows, the mean of the readers.
    pub fn finish(self) -> Result<Blocks> {
        let readers = self.0.len() as f64;
        let mut found = self.0.into_iter().map(Reader::<K, Blocks>::finish);
        let mut mean = found.next().ok_or_else(|| anyhow!("no reader"))?;
        for other in found {
            let add = |sums: &mut [f64], more: &[f64]| {
                sums.iter_mut().zip(more).for_each(|(sum, one)| *sum += one);
            };
            add(&mut mean.skipped, &other.skipped);
            add(&mut mean.delay_s, &other.delay_s);
            add(&mut mean.stalled_s, &other.stalled_s);
        }
        for sums in [&mut mean.skipped, &mut mean.delay_s, &mut mean.stalled_s] {
            sums.iter_mut().for_each(|sum| *sum /= readers);
        }
        Ok(mean)
    }
}

/// What a cursor skips of the first `rows` rows of a fleet.
pub fn cursor<S: Listed>(
    setting: &Setting,
    text: &str,
    spec: FleetSpec,
    rows: u64,
    (poll_ns, lag_ns): (u64, u64),
) -> Result<Estimate> {
    let kind = ReaderKind::Cursor { lag_ns };
    let mut readers = Readers::new(kind, spec.start, poll_ns, rows);
    each_row::<S>(setting, text, spec, rows, |row| readers.see(&row))?;
    Ok(readers.finish()?.skipped())
}
