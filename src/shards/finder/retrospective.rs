//! TiKV's finder: ten seconds of samples, judged afterwards.

use super::{Counts, Refusal, below, best};
use rand::Rng;

const SECONDS: usize = 10;
const SAMPLES: usize = 20;
/// Of TiKV's source, not of its documentation.
const MIN_POOL: usize = 100;
const BELOW_BALANCE: f64 = 0.8;

/// The last ten seconds, 20 spans of each.
///
/// Some spans of the pool are drawn as candidates, and all of the pool judge their start and
/// end keys: a key is judged by what came before it too.
#[derive(Clone, Debug, Default)]
pub struct Retrospective {
    pool: Vec<(u128, u128)>,
    seconds: usize,
    /// Where the current second's spans begin in the pool.
    second: usize,
    seen: u64,
}

impl Retrospective {
    /// Nothing seen.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sees one request of the current second.
    #[inline]
    pub fn record(&mut self, start: u128, end: u128, random: &mut impl Rng) {
        let seen = self.seen;
        self.seen += 1;
        if seen < SAMPLES as u64 {
            self.pool.push((start, end));
        } else {
            let slot = below(random, seen);
            if slot < SAMPLES as u64 {
                self.pool[self.second + slot as usize] = (start, end);
            }
        }
    }

    /// The current second is over.
    pub fn end_of_second(&mut self) {
        self.seconds += 1;
        self.second = self.pool.len();
        self.seen = 0;
    }

    /// Ten seconds are over: decide, then begin anew.
    pub fn is_ready(&self) -> bool {
        self.seconds >= SECONDS
    }

    /// The key to cut at.
    ///
    /// # Errors
    /// Not ready, fewer than 100 spans, or no candidate has a balance below 0.8 and a
    /// contained share below 0.5.
    pub fn decide(&self, random: &mut impl Rng) -> Result<u128, Refusal> {
        let pool = &self.pool[..self.second];
        if !self.is_ready() || pool.len() < MIN_POOL {
            return Err(Refusal::TooFewSamples);
        }
        let mut spans = pool.to_vec();
        for place in 0..SAMPLES {
            let left = (spans.len() - place) as u64;
            spans.swap(place, place + below(random, left) as usize);
        }
        let mut keys: Vec<u128> = Vec::with_capacity(2 * SAMPLES);
        for (start, end) in &spans[..SAMPLES] {
            keys.extend([*start, *end]);
        }
        keys.sort_unstable();
        keys.dedup();
        best(
            keys.into_iter().map(|key| (key, judge(key, pool))),
            BELOW_BALANCE,
        )
    }
}

fn judge(key: u128, spans: &[(u128, u128)]) -> Counts {
    let mut counts = Counts::default();
    for &(start, end) in spans {
        if key <= start {
            counts.right += 1;
        } else if key < end {
            counts.contained += 1;
        } else {
            counts.left += 1;
        }
    }
    counts
}
