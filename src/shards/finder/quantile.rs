//! FoundationDB's finder: quantiles of the bytes written.

use super::Refusal;
use crate::clock::NS_PER_S;
use rand::Rng;
use std::collections::VecDeque;

const WINDOW_S: u64 = 120;
const HOT_BYTES_PER_S: u64 = 1_000_000;
const PIECE_BYTES_PER_S: u64 = 250_000;
const MIN_PIECE_BYTES: u64 = 10_000_000;
/// Samples kept at most.
const SAMPLES: usize = 2048;
const FIRST_UNIT_BITS: u32 = 8;

/// Bytes written by key in the last 120 s, as equal samples.
///
/// Each sample stands for a unit of bytes; when there are too many, the unit doubles and half of
/// them, drawn at random, go.
#[derive(Clone, Debug)]
pub struct Quantile {
    /// A sample stands for 2 to this many bytes.
    unit_bits: u32,
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
            unit_bits: FIRST_UNIT_BITS,
            samples: VecDeque::new(),
        }
    }

    /// Sees bytes written at a time that is not before the last.
    #[inline]
    pub fn record(&mut self, now_ns: u64, key: u128, bytes: u64, random: &mut impl Rng) {
        // The remainder is a sample with the probability of its share of one.
        let remainder = random.next_u64() >> (64 - self.unit_bits);
        let samples = (bytes + remainder) >> self.unit_bits;
        if samples > 0 {
            self.push(now_ns, key, samples, random);
        }
    }

    #[cold]
    fn push(&mut self, now_ns: u64, key: u128, mut samples: u64, random: &mut impl Rng) {
        let unit_bits = self.unit_bits;
        self.expire(now_ns);
        samples <<= unit_bits - self.unit_bits;
        while self.samples.len() as u64 + samples > SAMPLES as u64 {
            self.unit_bits += 1;
            self.samples.retain(|_| random.next_u64() & 1 == 0);
            samples = (samples + (random.next_u64() & 1)) / 2;
        }
        for _ in 0..samples {
            self.samples.push_back((now_ns, key));
        }
    }

    /// Takes out what was written from `key` on, as a sample of its own: a range is split there.
    pub fn split_off(&mut self, key: u128) -> Self {
        let is_left = |&(_, other): &(u64, u128)| other < key;
        let (left, right) = self.samples.iter().copied().partition(is_left);
        self.samples = left;
        Self {
            unit_bits: self.unit_bits,
            samples: right,
        }
    }

    /// Forgets what was written 120 s ago or earlier. Without samples the unit is small again.
    pub fn expire(&mut self, now_ns: u64) {
        let window_ns = WINDOW_S * NS_PER_S;
        let is_old = |&(then_ns, _): &(u64, u128)| now_ns.saturating_sub(then_ns) >= window_ns;
        self.samples.drain(..self.samples.partition_point(is_old));
        if self.samples.is_empty() {
            self.unit_bits = FIRST_UNIT_BITS;
        }
    }

    /// Bytes written a second, averaged over 120 s, up to sampling.
    pub fn rate_bytes_per_s(&self) -> u64 {
        ((self.samples.len() as u64) << self.unit_bits) / WINDOW_S
    }

    /// Keys that cut the range in pieces that are each written at less than 250 kB/s, ascending;
    /// none if the range is written at 1 MB/s or less.
    ///
    /// `bytes_from` is the size of the range at and after a key. A piece has 10 MB at least: a cut that
    /// would make a smaller one comes later, or not at all.
    ///
    /// # Errors
    /// The range is too small, nothing was sampled, or one key takes all writes.
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
        let quantile = |piece: u64| keys.len() as u64 * piece / pieces;
        let mut cuts = Vec::new();
        let mut piece = 1;
        let mut before = first;
        let mut rest_bytes = bytes_from(0);
        for (place, &key) in (0..).zip(&keys) {
            if place < quantile(piece) || key == before {
                continue;
            }
            let after_bytes = bytes_from(key);
            let piece_bytes = rest_bytes.saturating_sub(after_bytes);
            if piece_bytes.min(after_bytes) < MIN_PIECE_BYTES {
                continue;
            }
            cuts.push(key);
            while piece < pieces && quantile(piece) <= place {
                piece += 1;
            }
            if piece == pieces {
                break;
            }
            before = key;
            rest_bytes = after_bytes;
        }
        if cuts.is_empty() {
            return Err(Refusal::TooSmall);
        }
        Ok(cuts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below, stream};
    use proptest::prelude::*;

    const ROW_BYTES: u64 = 256;

    /// Rows of 256 bytes at a rate for a time, the keys by their number.
    fn written(rate_bytes_per_s: u64, seconds: u64, mut key: impl FnMut(u64) -> u128) -> Quantile {
        let (mut finder, mut random) = (Quantile::new(), stream(1, "quantile", 0));
        let rows_per_s = rate_bytes_per_s / ROW_BYTES;
        for row in 0..seconds * rows_per_s {
            let now_ns = row * NS_PER_S / rows_per_s;
            finder.record(now_ns, key(row), ROW_BYTES, &mut random);
            assert!(finder.samples.len() <= SAMPLES);
        }
        finder
    }

    #[test]
    fn a_split_parts_what_was_written_by_key() {
        let mut random = crate::random::stream(1, "quantile", 9);
        let mut left = Quantile::new();
        (0..1000u32).for_each(|row| left.record(0, row.into(), 256, &mut random));
        assert_eq!(left.samples.len(), 1000);
        let right = left.split_off(400);
        assert_eq!((left.samples.len(), right.samples.len()), (400, 600));
        assert!(left.samples.iter().all(|&(_, key)| key < 400));
        assert_eq!(right.rate_bytes_per_s(), 600 * 256 / WINDOW_S);
    }

    #[test]
    fn an_ascending_stream_is_cut_behind_its_end() {
        let finder = written(4_000_000, 120, u128::from);
        let rows = 120 * (4_000_000 / ROW_BYTES);
        let rate = finder.rate_bytes_per_s();
        // 1024 samples at least: 5 standard errors are 16 %.
        assert!(rate.abs_diff(4_000_000) < 640_000, "{rate}");
        let bytes_from = |key: u128| (rows - (key as u64).min(rows)) * ROW_BYTES;
        let cuts = finder.cuts(4_000_000, bytes_from).unwrap();
        assert_eq!(cuts.len(), 16);
        // All that comes is to the right of the last.
        assert!(cuts[15] < rows.into());
        for (piece, cut) in (1..).zip(cuts) {
            let share = cut as f64 / rows as f64;
            assert!(
                (share - f64::from(piece) / 17.0).abs() < 5.0 * 0.5 / 32.0,
                "{share}"
            );
        }
    }

    #[test]
    fn what_is_not_cut() {
        let plenty = |key: u128| u64::MAX - (key as u64) * 100_000_000;
        assert_eq!(Quantile::new().cuts(1_000_000, plenty), Ok(Vec::new()));
        assert_eq!(
            Quantile::new().cuts(1_000_001, plenty),
            Err(Refusal::TooFewSamples)
        );
        assert_eq!(
            written(2_000_000, 5, |_| 7).cuts(2_000_000, plenty),
            Err(Refusal::SingleKey)
        );
        // Half of the bytes below the key 500.
        let small = |bytes: u64| move |key: u128| bytes - bytes * (key as u64) / 1000;
        let finder = written(2_000_000, 5, |row| (row % 1000).into());
        assert_eq!(
            finder.cuts(2_000_000, small(19_000_000)),
            Err(Refusal::TooSmall)
        );
        assert_eq!(finder.cuts(2_000_000, small(22_000_000)).unwrap().len(), 1);
        // 44 MB: pieces of 10 MB at least, and two of them left before each cut.
        let cuts = finder.cuts(2_000_000, small(44_000_000)).unwrap();
        assert_eq!(cuts.len(), 3);
        assert_eq!(finder.cuts(2_000_000, plenty).unwrap().len(), 8);
    }

    #[test]
    fn the_window_is_two_minutes() {
        let mut finder = written(1_000_000, 1, |_| 7);
        let before = finder.samples.len();
        finder.expire(120 * NS_PER_S - 1);
        assert_eq!(finder.samples.len(), before);
        finder.expire(121 * NS_PER_S);
        assert_eq!(
            (finder.rate_bytes_per_s(), finder.unit_bits),
            (0, FIRST_UNIT_BITS)
        );
    }

    /// A write of a range that was hot long ago weighs what it is.
    #[test]
    fn a_coarse_unit_does_not_outlive_its_samples() {
        let mut finder = written(100_000_000, 1, |_| 7);
        assert!(finder.unit_bits > 12);
        let mut random = stream(5, "late", 0);
        finder.record(1000 * NS_PER_S, 8, 1 << 24, &mut random);
        let bytes = (finder.samples.len() as u64) << finder.unit_bits;
        assert!(bytes.abs_diff(1 << 24) < 1 << 21, "{bytes}");
    }

    /// Thinning at fixed steps would drop one of two streams in turn.
    #[test]
    fn streams_in_turn_are_sampled_alike() {
        let finder = written(4_000_000, 100, |row| (row % 4).into());
        let total = finder.samples.len() as f64;
        for stream in 0..4 {
            let share = finder
                .samples
                .iter()
                .filter(|sample| sample.1 == stream)
                .count() as f64
                / total;
            assert!(
                (share - 0.25).abs() < 5.0 * (0.1875 / total).sqrt(),
                "{share}"
            );
        }
    }

    #[test]
    fn a_large_write_is_weighed() {
        let (mut finder, mut random) = (Quantile::new(), stream(4, "large", 0));
        finder.record(0, 1, 1 << 40, &mut random);
        finder.record(0, 2, 1 << 40, &mut random);
        let rate = finder.rate_bytes_per_s() as f64 * 120.0 / (2u64 << 40) as f64;
        assert!(
            finder.samples.len() <= SAMPLES && (rate - 1.0).abs() < 0.12,
            "{rate}"
        );
    }

    proptest! {
        /// Whole units and few of them: nothing is drawn, and the quantiles are exact.
        #[test]
        fn it_is_the_literal_rule(
            seed: u64,
            keys in 1u32..500,
            writes in 1u64..500,
            rate_kb_per_s in 900u64..6000,
            range_mb in 1u64..400,
        ) {
            let mut random = stream(seed, "writes", 0);
            let mut finder = Quantile::new();
            let mut written: Vec<(u64, u128)> = Vec::new();
            for write in 0..writes {
                let (key, units) = (u128::from(below(&mut random, keys)), below(&mut random, 16));
                finder.record(write * NS_PER_S, key, 256 * u64::from(units), &mut random);
                written.extend((0..units).map(|_| (write, key)));
            }
            finder.expire(writes * NS_PER_S);
            let mut kept: Vec<u128> = Vec::new();
            kept.extend(written.iter().filter(|(s, _)| writes - s < 120).map(|(_, key)| *key));
            kept.sort_unstable();
            prop_assert_eq!(finder.rate_bytes_per_s(), kept.len() as u64 * 256 / 120);
            let range_bytes = range_mb * 1_000_000;
            let bytes_from = |key: u128| range_bytes - range_bytes * key as u64 / u64::from(keys);
            let found = finder.cuts(rate_kb_per_s * 1000, bytes_from);
            if rate_kb_per_s <= 1000 {
                prop_assert_eq!(found, Ok(Vec::new()));
                return Ok(());
            }
            // The fewest pieces below 250 kB/s.
            let pieces = (1..).find(|pieces| rate_kb_per_s < 250 * pieces).unwrap();
            let mut expected: Vec<u128> = Vec::new();
            let mut last = None;
            for piece in 1..pieces as usize {
                let from = kept.len() * piece / pieces as usize;
                if last >= Some(from) {
                    continue;
                }
                let left = bytes_from(expected.last().copied().unwrap_or(0));
                let place = (from..kept.len()).find(|&place| {
                    let right = bytes_from(kept[place]);
                    kept[place] > kept[0]
                        && expected.last() < Some(&kept[place])
                        && left - right >= 10_000_000
                        && right >= 10_000_000
                });
                if let Some(place) = place {
                    expected.push(kept[place]);
                    last = Some(place);
                }
            }
            prop_assert_eq!(found.unwrap_or_default(), expected);
        }
    }
}
