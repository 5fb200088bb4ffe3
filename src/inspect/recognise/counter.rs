//! Numbers that count: tickets, blocks of them, strides, and those behind random or turned bits.

use super::cost::{Residuals, gamma};
use super::{Fit, Head64};
use crate::dump::Kind;
use std::collections::BTreeMap;

/// A gap in sorted numbers that is longer than this one ends a run.
const LONGEST_GAP: u64 = 10;
/// Runs from which the length of blocks is told, unless it is one that is well known.
const LEAST_RUNS: usize = 4;
/// First ids of a block that may be missing: their rows are still on their way.
const LATE: u64 = 3;
/// Bits that are 0 in all ids, between what is random and what counts.
const LEAST_ZEROS: u32 = 12;

/// The counters that the ids may be of.
pub fn fits(ids: &Head64, kind: Kind) -> Vec<Fit> {
    let fit = |spec: &str, also: &[&'static str], bits, why: &str| Fit {
        spec: spec.to_owned(),
        also: also.to_vec(),
        kind,
        bits,
        span: None,
        is_future: false,
        why: why.to_owned(),
    };
    let mut found = Vec::new();
    let bits = count_bits(ids.sample.iter().copied());
    // Numbers that take almost all of their bits do not count.
    let counts = |bits: f64, each: f64| bits < 0.8 * each * ids.sample.len() as f64 + 64.0;
    if counts(bits, 64.0) {
        let mut sorted = ids.all.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        let shape = Shape::of(&sorted);
        let why = shape.why();
        match shape {
            Shape::Steps(step) => {
                found.push(fit(&with("stride", "step", step, 16), &[], bits, &why))
            }
            Shape::Blocks(size) => {
                let (spec, also): (_, &[_]) = match size {
                    50 => ("hi_lo".to_owned(), &["pooled"]),
                    2000 => ("leaf_segment".to_owned(), &[]),
                    size => (with("ticket_block", "size", size, 1000), &[]),
                };
                found.push(fit(&spec, also, bits, &why));
            }
            Shape::Dense | Shape::Sparse => {
                let blocks = &["hi_lo", "pooled", "leaf_segment"];
                found.push(fit("auto_increment", &[], bits, &why));
                if shape == Shape::Dense {
                    found.push(fit("ticket_block", blocks, bits, &why));
                }
                found.push(fit("odd_even", &[], bits, &why));
                found.push(fit("stride", &[], bits, &why));
            }
        }
    }
    let used = ids.all.iter().fold(0, |used, id| used | id);
    if used >> 62 == 1 && used.trailing_zeros() >= LEAST_ZEROS {
        let reversed = ids.sample.iter().map(|id| id.reverse_bits() >> 1);
        let bits = count_bits(reversed);
        if counts(bits, 63.0) {
            let why = "turned round, lowest bit first, the numbers count";
            found.push(fit("bit_reversed", &[], bits, why));
        }
    }
    let common = ids.all.iter().fold(u64::MAX, |common, id| common & id);
    if let Some((shard, counter)) = shards(used, common) {
        let low = ids.sample.iter().map(|id| id & ((1 << counter) - 1));
        let bits = count_bits(low) + f64::from(shard) * ids.sample.len() as f64;
        if counts(bits, 64.0) {
            let range = shard + counter + 1;
            let spec = with("auto_random", "shard", shard.into(), 5);
            let spec = if range == 64 {
                spec
            } else {
                format!("{spec}:range={range}")
            };
            let why = format!("{shard} high bits vary, the low ones count, those between are 0");
            found.push(fit(&spec, &[], bits, &why));
        }
    }
    found
}

/// A spec with a parameter, unless it has its default.
fn with(scheme: &str, name: &str, value: u64, default: u64) -> String {
    match value == default {
        true => scheme.to_owned(),
        false => format!("{scheme}:{name}={value}"),
    }
}

/// Bits of numbers that follow each other.
fn count_bits(numbers: impl Iterator<Item = u64> + Clone) -> f64 {
    numbers.clone().next().map_or(0.0, gamma) + Residuals::of(numbers)
}

/// Widths of shard and counter, if a run of zeros lies between bits that vary: up to
/// 5 bits are taken for 5, TiDB's default. `used` has the bits that are 1 in any id, `common`
/// those in all.
fn shards(used: u64, common: u64) -> Option<(u32, u32)> {
    let top = 64 - used.leading_zeros();
    if !(32..=63).contains(&top) || common >> (top - 1) == 1 {
        return None;
    }
    // The longest run of zeros below the highest bit and above the lowest.
    let mut best = (0, 0);
    let mut end = top;
    while end > 0 {
        let ones_end = 64 - (used & low(end)).leading_zeros();
        if ones_end == 0 {
            break;
        }
        best = best.max((end - ones_end, end));
        // Past the ones.
        let ones = (used << (64 - ones_end)).leading_ones();
        end = ones_end - ones;
    }
    let (zeros, shard_begin) = best;
    let shard = (top - shard_begin).max(if top == 63 { 5 } else { 1 });
    (zeros >= LEAST_ZEROS && shard <= 15).then_some((shard, top - shard))
}

fn low(bits: u32) -> u64 {
    u64::MAX.checked_shr(64 - bits).unwrap_or_default()
}

/// How sorted numbers lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Shape {
    /// So far apart, all of them.
    Steps(u64),
    /// In runs that begin so far apart.
    Blocks(u64),
    /// Most numbers between the first and the last are there.
    Dense,
    /// Many are missing.
    Sparse,
}

impl Shape {
    fn of(sorted: &[u64]) -> Self {
        let gaps = || sorted.windows(2).map(|pair| pair[1] - pair[0]);
        let common = gaps().reduce(gcd).unwrap_or(1);
        let equal = gaps().filter(|gap| *gap == common).count();
        if common > 1 && sorted.len() > 2 && 5 * equal >= 4 * (sorted.len() - 1) {
            return Self::Steps(common);
        }
        if let Some(size) = blocks(sorted) {
            return Self::Blocks(size);
        }
        let (first, last) = (sorted.first().copied(), sorted.last().copied());
        let span = last.unwrap_or_default() - first.unwrap_or_default();
        match span / 2 <= sorted.len() as u64 {
            true => Self::Dense,
            false => Self::Sparse,
        }
    }

    fn why(self) -> String {
        match self {
            Self::Steps(step) => format!("neighbours are {step} apart"),
            Self::Blocks(size) => format!("runs begin every {size} numbers"),
            Self::Dense => "most numbers between the first and the last are there".to_owned(),
            Self::Sparse => "most numbers between the first and the last are missing".to_owned(),
        }
    }
}

/// The distance of the beginnings of runs, if they have one.
fn blocks(sorted: &[u64]) -> Option<u64> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for &number in sorted {
        match runs.last_mut() {
            Some((_, last)) if number - *last <= LONGEST_GAP => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let mut distances: BTreeMap<u64, usize> = BTreeMap::new();
    for pair in runs.windows(2) {
        *distances.entry(pair[1].0 - pair[0].0).or_default() += 1;
    }
    let (&size, &count) = distances.iter().max_by_key(|(_, count)| **count)?;
    let known = matches!(size, 50 | 1000 | 2000);
    if runs.len() < LEAST_RUNS && !known || runs.len() > 2 && count < 2 {
        return None;
    }
    let begins = |run: &&(u64, u64)| run.0.saturating_sub(1) % size <= LATE && run.1 - run.0 < size;
    let fitting = runs.iter().filter(begins).count();
    (size > 2 * LONGEST_GAP && 5 * fitting >= 4 * runs.len()).then_some(size)
}

/// The greatest common divisor.
fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_told_with_a_few_numbers_missing() {
        let of = |numbers: &[u64]| Shape::of(numbers);
        assert_eq!(of(&[3, 19, 35, 67, 83, 99, 115]), Shape::Steps(16));
        assert_eq!(
            of(&[1, 2, 51, 52, 53, 102, 151, 152, 201]),
            Shape::Blocks(50)
        );
        assert_eq!(of(&[1, 2, 1001, 1002]), Shape::Blocks(1000));
        assert_eq!(of(&[1, 2, 4, 5, 6, 9]), Shape::Dense);
        assert_eq!(of(&[1, 2, 3, 40]), Shape::Sparse);
        assert_eq!((of(&[7]), of(&[])), (Shape::Dense, Shape::Dense));
    }

    #[test]
    fn random_bits_above_a_counter_are_seen() {
        assert_eq!(shards(0b10101 << 58 | 0x7f, 1), Some((5, 58)));
        assert_eq!(
            shards(0b10101 << 58 | 0x7f, 1 << 62),
            None,
            "a bit that never varies"
        );
        assert_eq!(shards(0x7f << 56 | 0xfff, 0), Some((7, 56)));
        assert_eq!(shards(0xffff_ffff, 0), None);
        assert_eq!(shards(0, 0), None);
    }
}
