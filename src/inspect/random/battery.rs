//! Tests of bits that claim to be random, each with the probability that chance does as badly.

use super::stream::{Stream, Taken};
use super::{Test, Verdict};
use crate::id::Key;
use crate::inspect::bits::{Bits, Odds, Tally};
use crate::theory::tails::{
    normal_beyond, normal_bound, of_several, poisson_at_least, poisson_beyond,
};

/// Below so many ids nothing is tested.
const LEAST_IDS: usize = 32;
/// Ids below which repeated spacings are not nearly Poisson.
const LEAST_IDS_OF_SPACINGS: usize = 1000;
/// Bytes below which the most common of 256 says nothing.
const LEAST_BYTES: u64 = 1024;
/// Lists of random bits in which chance alone makes a test weak.
pub(super) const WEAK_LISTS: f64 = 1e-2;
/// Lists of random bits in which chance alone fails a test.
pub(super) const FAILED_LISTS: f64 = 1e-4;

/// The standard's Z(0.995), to the digits that it has.
const Z_99: f64 = 2.576;

/// A finding before its verdict.
struct Finding {
    name: &'static str,
    found: f64,
    expected: f64,
    p: f64,
    bit: Option<u32>,
}

/// All tests that so many ids allow, of the bits at `positions`; the entropy of a byte too.
pub(super) fn run<K: Key>(ids: &[K], bits: u32, positions: &[u32]) -> (Vec<Test>, Option<f64>) {
    if ids.len() < LEAST_IDS || positions.is_empty() {
        return (Vec::new(), None);
    }
    let taken = Taken::new(bits, positions);
    let mut stream = Stream::new();
    for id in ids {
        taken
            .of(*id)
            .for_each(|(value, width)| stream.push(value, width));
    }
    let stream = stream.finish();
    let mut counts = Bits::new(bits);
    counts.see(ids);
    let counts = counts.counts();

    let all = ids.len() as u64;
    let mut findings = vec![
        pooled("monobit", stream.ones, stream.bits),
        worst("worst_bit", &counts, positions, all, |tally| tally.ones),
        pooled("runs", stream.changes, stream.bits - 1),
        worst("worst_neighbours", &counts, positions, all - 1, |tally| {
            tally.changes
        }),
    ];
    let mut prefixes: Vec<u64> = ids.iter().map(|id| taken.prefix(*id)).collect();
    prefixes.sort_unstable();
    let width = positions.len();
    for (name, prefix_bits) in [("collisions_32", 32), ("collisions_64", 64)] {
        // Pairs are nearly Poisson if they are few.
        if width >= prefix_bits as usize && all >> (prefix_bits - 2) == 0 {
            findings.push(collisions(name, &prefixes, prefix_bits));
        }
    }
    findings.extend(spacings(&prefixes, width as u32));
    let bytes = stream.bytes.iter().sum::<u64>();
    let most = stream.bytes.iter().copied().max().unwrap_or(0);
    let entropy = (bytes >= LEAST_BYTES).then(|| {
        findings.push(common_byte(most, bytes));
        most_common_value_entropy(most, bytes)
    });

    let tests = findings.len() as f64;
    let verdict = |p: f64| match p {
        p if p < FAILED_LISTS / tests => Verdict::Fail,
        p if p < WEAK_LISTS / tests => Verdict::Weak,
        _ => Verdict::Pass,
    };
    let test = |finding: Finding| Test {
        name: finding.name,
        found: finding.found,
        expected: finding.expected,
        p: finding.p,
        bit: finding.bit,
        verdict: verdict(finding.p),
    };
    (findings.into_iter().map(test).collect(), entropy)
}

/// Heads among tosses of a fair coin.
fn pooled(name: &'static str, heads: u64, tosses: u64) -> Finding {
    Finding {
        name,
        found: heads as f64 / tosses.max(1) as f64,
        expected: 0.5,
        p: normal_beyond(Odds::coin(tosses).corrected(heads)),
        bit: None,
    }
}

/// Of the bits at `positions` the one whose heads are furthest from one half: in standard
/// deviations, against the median of what the worst of so many has.
fn worst(
    name: &'static str,
    counts: &[Tally],
    positions: &[u32],
    tosses: u64,
    heads: impl Fn(&Tally) -> u64,
) -> Finding {
    let odds = Odds::coin(tosses);
    let z = |&bit: &u32| {
        let heads = counts.get(bit as usize).map_or(0, &heads);
        (odds.corrected(heads), bit)
    };
    let found = positions.iter().map(z);
    let found = found.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()));
    let (z, bit) = found.unwrap_or_default();
    let several = positions.len() as u64;
    Finding {
        name,
        found: z.abs(),
        expected: normal_bound(median_of(several)),
        p: of_several(normal_beyond(z), several),
        bit: Some(bit),
    }
}

/// The p-value that the least of so many is below in half of all cases.
fn median_of(several: u64) -> f64 {
    -libm::expm1(-std::f64::consts::LN_2 / several as f64)
}

/// Pairs of equal prefixes of this many bits; `prefixes` are sorted.
fn collisions(name: &'static str, prefixes: &[u64], bits: u32) -> Finding {
    let equal = prefixes.chunk_by(|a, b| a >> (64 - bits) == b >> (64 - bits));
    let pairs = |ids: u64| ids * (ids - 1) / 2;
    let found: u64 = equal.map(|ids| pairs(ids.len() as u64)).sum();
    let all = pairs(prefixes.len() as u64) as f64;
    let expected = libm::scalbn(all, -(bits as i32));
    Finding {
        name,
        found: found as f64,
        expected,
        p: poisson_beyond(found, expected),
        bit: None,
    }
}

/// Birthday spacings (Marsaglia 1985): spacings of `m` sorted days of a year that come again
/// are nearly Poisson of mean m³ / 4 over the days of the year, which is as long as makes
/// that 4 to 8. `None` of too few ids, or bits.
fn spacings(prefixes: &[u64], width: u32) -> Option<Finding> {
    let ids = prefixes.len() as u128;
    let cube = ids * ids * ids;
    let year_bits = (cube / 16).checked_ilog2()?;
    if prefixes.len() < LEAST_IDS_OF_SPACINGS || year_bits > width.min(64) {
        return None;
    }
    let days = prefixes.iter().map(|prefix| prefix >> (64 - year_bits));
    let mut last = 0;
    let spacing = |day| day - std::mem::replace(&mut last, day);
    let mut spacings: Vec<u64> = days.map(spacing).collect();
    spacings.sort_unstable();
    let again = spacings.windows(2).filter(|pair| pair[0] == pair[1]);
    let found = again.count() as u64;
    let expected = libm::scalbn(cube as f64, -2 - year_bits as i32);
    Some(Finding {
        name: "spacings",
        found: found as f64,
        expected,
        p: poisson_beyond(found, expected),
        bit: None,
    })
}

/// The most common byte, against the median of what the most common of 256 has.
fn common_byte(most: u64, bytes: u64) -> Finding {
    let mean = bytes as f64 / 256.0;
    let (mut low, mut high) = (0, bytes);
    while low < high {
        let middle = low + (high - low) / 2;
        if poisson_at_least(middle, mean) > median_of(256) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    Finding {
        name: "common_byte",
        found: most as f64,
        expected: high as f64,
        p: of_several(poisson_at_least(most, mean), 256),
        bit: None,
    }
}

/// Entropy of a byte in bits, the most common value estimate with its 99 % bound (NIST SP
/// 800-90B, section 6.3.1).
fn most_common_value_entropy(most: u64, bytes: u64) -> f64 {
    let share = most as f64 / bytes as f64;
    let error = libm::sqrt(share * (1.0 - share) / (bytes as f64 - 1.0));
    let bound = (share + Z_99 * error).min(1.0);
    -libm::log2(bound) + 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the standard's section 6.3.1: of 20 values the most common comes 8 times.
    #[test]
    fn the_standard_s_example_comes_out() {
        assert!((most_common_value_entropy(8, 20) - 0.5363).abs() < 5e-5);
        assert_eq!(most_common_value_entropy(20, 20), 0.0);
    }

    #[test]
    fn collisions_and_spacings_are_counted_by_pairs() {
        let prefixes = [1, 1, 1, 1 << 32, 5 << 32, 5 << 32 | 7];
        let found = |bits| collisions("", &prefixes, bits).found;
        assert_eq!((found(32), found(64)), (4.0, 3.0));
        assert!(spacings(&prefixes, 64).is_none());
    }

    /// Equal steps repeat their spacing.
    #[test]
    fn equal_steps_fail_the_spacings() {
        let steps: Vec<u64> = (0..2000).map(|i| i << 50).collect();
        let finding = spacings(&steps, 64).unwrap();
        assert_eq!(finding.found, 1998.0);
        assert!((4.0..8.0).contains(&finding.expected) && finding.p < 1e-12);
    }
}
