//! Times: medians of short batches, row after row in turns, so that what disturbs the
//! machine disturbs few batches, and all rows alike.

use crate::row::{CHUNK, Group, Limit, Row};
use crate::work::Work;
use std::hint::{black_box, spin_loop};
use std::time::{Duration, Instant};

/// Length of a batch: longer than a reading of the clock, shorter than a time slice.
const BATCH_NS: f64 = 30_000.0;
/// Ids of a batch of a simulator: at fewer its tables are too small to be like real ones.
const MODEL_IDS: usize = 20_000;
/// Batches of a row before others have their turn.
const BATCHES: usize = 5;

/// The median of times an id, with its interval.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Timing {
    /// Nanoseconds an id.
    pub median_ns: f64,
    /// Lower bound of the median at 95 %.
    pub low_ns: f64,
    /// Upper bound of the median at 95 %.
    pub high_ns: f64,
    /// Batches.
    pub batches: u64,
}

impl Timing {
    /// Of these times an id; none if there are none.
    pub fn new(mut ns: Vec<f64>) -> Option<Self> {
        ns.sort_by(f64::total_cmp);
        let count = ns.len() as f64;
        // Ranks that the median lies between at 95 %: the binomial law, by the normal one.
        let reach = 0.98 * count.sqrt();
        let at = |rank: f64| ns.get((rank.max(0.0) as usize).min(ns.len().saturating_sub(1)));
        Some(Self {
            median_ns: *at(count / 2.0)?,
            low_ns: *at(count / 2.0 - reach)?,
            high_ns: *at((count / 2.0 + reach).ceil())?,
            batches: ns.len() as u64,
        })
    }
}

/// Waits until the tick of a burst before is over.
pub fn pause(limit: Option<Limit>) {
    if let Some(limit) = limit {
        let start = Instant::now();
        let length = Duration::from_nanos(limit.tick_ns + limit.tick_ns / 10);
        while start.elapsed() < length {
            spin_loop();
        }
    }
}

/// A row's work, and its times so far.
pub struct Timer<'a> {
    row: &'a Row,
    work: Box<dyn Work>,
    batch: usize,
    ns: Vec<f64>,
}

impl<'a> Timer<'a> {
    /// Makes a row's work and finds the size of its batches.
    pub fn new(row: &'a Row) -> Self {
        let mut timer = Self {
            row,
            work: (row.make)(),
            batch: 16,
            ns: Vec::new(),
        };
        if row.group == Group::Model {
            timer.batch = MODEL_IDS;
        } else if let Some(limit) = row.limit {
            timer.batch = limit.ids as usize / 4;
        } else {
            if row.group == Group::Bulk {
                timer.batch = CHUNK;
            }
            timer.run(timer.batch);
            let trials = (0..9).map(|_| timer.run(timer.batch).as_nanos() as f64);
            let ns = trials.fold(f64::INFINITY, f64::min) / timer.batch as f64;
            let ids = (BATCH_NS / ns.max(0.01)) as usize;
            timer.batch = match ids.div_ceil(CHUNK) {
                1 if row.group != Group::Bulk => ids.max(16),
                chunks => chunks * CHUNK,
            };
        }
        timer
    }

    /// Ids of a batch.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// The time of one run of so many ids.
    pub fn run(&mut self, ids: usize) -> Duration {
        pause(self.row.limit);
        let start = Instant::now();
        self.work.run(ids);
        let time = start.elapsed();
        black_box(self.work.checksum());
        time
    }

    /// The mean time of `ids` ids, from as many batches as they are, but not of more than `most`.
    pub fn mean(&mut self, ids: u64, most: u64) -> Duration {
        let (mut done, mut time) = (0, Duration::ZERO);
        for _ in 0..most {
            let batch = (ids - done).min(self.batch as u64).max(1);
            time += self.run(batch as usize);
            done += batch;
            if done >= ids {
                break;
            }
        }
        time.mul_f64(ids as f64 / done as f64)
    }

    /// Times a few batches; the first one warms up.
    fn turn(&mut self) {
        let batches = match self.row.group {
            Group::Model => 1,
            _ => {
                self.run(self.batch);
                BATCHES
            }
        };
        for _ in 0..batches {
            let time = self.run(self.batch);
            self.ns.push(time.as_nanos() as f64 / self.batch as f64);
        }
    }
}

/// Times rows in turns, for so many rounds.
pub fn time(rows: &[&Row], rounds: usize) -> Vec<Option<Timing>> {
    let mut timers: Vec<_> = rows.iter().map(|row| Timer::new(row)).collect();
    for _ in 0..rounds {
        timers.iter_mut().for_each(Timer::turn);
    }
    timers
        .into_iter()
        .map(|timer| Timing::new(timer.ns))
        .collect()
}
