//! FoundationDB's finder: quantiles of the bytes written.

use super::{Refusal, below};
use crate::clock::NS_PER_S;
use rand::Rng;
use std::collections::VecDeque;

const WINDOW_S: u64 = 120;
const HOT_BYTES_PER_S: u64 = 1_000_000;
const PIECE_BYTES_PER_S: u64 = 250_000;
const MIN_PIECE_BYTES: u64 = 10_000_000;
/// Samples kept at most.
const SAMPLES: usize = 8192;
const FIRST_UNIT_BYTES: u64 = 256;

/// Bytes written by key in the last 120 s, as equal samples.
///
/// Each sample stands for a unit of bytes; when there are too many, the unit doubles and half of
/// them, drawn at random, go.
#[derive(Clone, Debug)]
pub struct Quantile {
    unit_bytes: u64,
    /// Times and keys, by time.
    samples: VecDeque<(u64, u128)>,
}

impl Default for Quantile {
    fn default() -> Self {
        Self::new()
    }
}

impl Quantile {
    /// Nothing written.
    pub fn new() -> Self {
        Self {
            unit_bytes: FIRST_UNIT_BYTES,
            samples: VecDeque::new(),
        }
    }

    /// Sees bytes written at a time that is not before the last.
    #[inline]
    pub fn record(&mut self, now_ns: u64, key: u128, bytes: u64, random: &mut impl Rng) {
        let units = (bytes + below(random, self.unit_bytes)) / self.unit_bytes;
        if units > 0 {
            self.sample(now_ns, key, units, random);
        }
    }

    fn sample(&mut self, now_ns: u64, key: u128, units: u64, random: &mut impl Rng) {
        self.expire(now_ns);
        // No write needs more samples than there are.
        for _ in 0..units.min(SAMPLES as u64) {
            self.samples.push_back((now_ns, key));
        }
        while self.samples.len() > SAMPLES {
            self.unit_bytes *= 2;
            self.samples.retain(|_| random.next_u64() & 1 == 0);
        }
    }

    /// Forgets what was written 120 s ago or earlier.
    pub fn expire(&mut self, now_ns: u64) {
        let window_ns = WINDOW_S * NS_PER_S;
        let old = |&(then_ns, _): &(u64, u128)| now_ns.saturating_sub(then_ns) >= window_ns;
        let gone = self.samples.partition_point(old);
        self.samples.drain(..gone);
    }

    /// Bytes written a second, averaged over 120 s, up to a unit of sampling.
    pub fn rate_bytes_per_s(&self) -> u64 {
        self.samples.len() as u64 * self.unit_bytes / WINDOW_S
    }

    /// Keys that cut the range in pieces that are each written at less than 250 kB/s, ascending;
    /// none if the range is written at 1 MB/s or less.
    ///
    /// `bytes_from` is the size of the range at and after a key. A cut needs 2 × 10 MB after the one
    /// before it, and a piece has 10 MB at least.
    ///
    /// # Errors
    /// The range is too small, or one key takes all writes.
    pub fn cuts(
        &self,
        rate_bytes_per_s: u64,
        bytes_from: impl Fn(u128) -> u64,
    ) -> Result<Vec<u128>, Refusal> {
        if rate_bytes_per_s <= HOT_BYTES_PER_S {
            return Ok(Vec::new());
        }
        let mut keys: Vec<u128> = self.samples.iter().map(|&(_, key)| key).collect();
        keys.sort_unstable();
        let (Some(&first), Some(&last)) = (keys.first(), keys.last()) else {
            return Err(Refusal::TooFewSamples);
        };
        if first == last {
            return Err(Refusal::SingleKey);
        }
        let pieces = rate_bytes_per_s / PIECE_BYTES_PER_S + 1;
        let mut cuts = Vec::new();
        let mut rest_bytes = bytes_from(0);
        let mut before = first;
        for piece in 1..pieces {
            let place = keys.len() as u128 * u128::from(piece) / u128::from(pieces);
            let key = keys[place as usize];
            let after_bytes = bytes_from(key);
            if key > before
                && rest_bytes >= 2 * MIN_PIECE_BYTES
                && rest_bytes - after_bytes >= MIN_PIECE_BYTES
                && after_bytes >= MIN_PIECE_BYTES
            {
                cuts.push(key);
                before = key;
                rest_bytes = after_bytes;
            }
        }
        if cuts.is_empty() {
            return Err(Refusal::TooSmall);
        }
        Ok(cuts)
    }
}
