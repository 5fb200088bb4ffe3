//! What a key does to a range-sharded store.
//!
//! A row a key puts in order goes to the one range that holds the key, and a range to one node:
//! the largest share of the load that a node has in a short window, the *hot share*, bounds the throughput.

use super::harmonic;

/// Seconds between splits of the range at the end of an ascending stream, cut at half of its
/// bytes: S / (2 λ s).
pub fn half_split_interval_s(split_bytes: f64, rows_per_s: f64, row_bytes: f64) -> f64 {
    split_bytes / (2.0 * rows_per_s * row_bytes)
}

/// Seconds between splits of the same range, cut where the left piece is full: S / (λ s).
pub fn fill_split_interval_s(split_bytes: f64, rows_per_s: f64, row_bytes: f64) -> f64 {
    split_bytes / (rows_per_s * row_bytes)
}

/// Nodes that take the writes of an ascending stream within a window, if the last range
/// moves on at each split: min(N, 1 + W / τ).
pub fn distinct_writers(nodes: u32, window_s: f64, interval_s: f64) -> f64 {
    f64::from(nodes).min(1.0 + window_s / interval_s)
}

/// Hot share of B equal buckets on N nodes, as even as can be: ⌈B/N⌉ / B.
pub fn bucket_hot_share(buckets: u32, nodes: u32) -> f64 {
    f64::from(buckets.div_ceil(nodes)) / f64::from(buckets)
}

/// Hot share of B equal buckets, each on a random one of N nodes, about:
/// (1 + √(2 N ln N / B)) / N. Good for B ≫ N ln N; never above 1.
///
/// Source: Raab, Steger, "Balls into bins", RANDOM 1998.
pub fn random_bucket_hot_share(buckets: u32, nodes: u32) -> f64 {
    let n = f64::from(nodes);
    let excess = libm::sqrt(2.0 * n * libm::log(n) / f64::from(buckets));
    ((1.0 + excess) / n).min(1.0)
}

/// Most requests a second when they come without waiting for answers: μ / H, the node
/// capacity over the hot share.
pub fn open_ceiling_per_s(node_per_s: f64, hot_share: f64) -> f64 {
    node_per_s / hot_share
}

/// Requests a second of K clients that each wait for the answer, when node i has the share p_i.
///
/// Exact mean-value analysis of exponential service: R_i = (1 + Q_i) / μ, X = n / Σ p_i R_i,
/// Q_i = X p_i R_i for n = 1 … K. Equal shares give μ N K / (K + N - 1).
/// Source: Reiser, Lavenberg, "Mean-value analysis of closed multichain queuing
/// networks", JACM 27 (1980).
pub fn closed_throughput_per_s(node_per_s: f64, clients: u32, shares: &[f64]) -> f64 {
    let mut queues = vec![0.0; shares.len()];
    let mut per_s = 0.0;
    for n in 1..=clients {
        let waits: f64 = shares.iter().zip(&queues).map(|(p, q)| p * (1.0 + q)).sum();
        per_s = f64::from(n) * node_per_s / waits;
        for (p, q) in shares.iter().zip(&mut queues) {
            *q = f64::from(n) * p * (1.0 + *q) / waits;
        }
    }
    per_s
}

/// The Gini coefficient of counts: 0 if they are equal, (N - 1) / N if one has all.
///
/// Σ (2i - N - 1) x_i / (N Σ x) over x in ascending order, i = 1 … N; the sums are exact. 0 without counts.
pub fn gini(counts: &[u64]) -> f64 {
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    let n = counts.len() as i128;
    let total: i128 = counts.iter().map(|&x| i128::from(x)).sum();
    let weighted: i128 = (1..)
        .zip(&sorted)
        .map(|(i, &x)| (2 * i - n - 1) * i128::from(x))
        .sum();
    if total == 0 {
        return 0.0;
    }
    weighted as f64 / (n * total) as f64
}

/// The Herfindahl-Hirschman index of counts: the sum of their squared shares, from 1 / N to 1.
/// 0 without counts. Exact up to totals of 2⁶⁴.
pub fn hhi(counts: &[u64]) -> f64 {
    let total: u128 = counts.iter().map(|&x| u128::from(x)).sum();
    let squares = counts
        .iter()
        .map(|&x| u128::from(x) * u128::from(x))
        .fold(0, u128::saturating_add);
    if total == 0 {
        return 0.0;
    }
    squares as f64 / (total as f64 * total as f64)
}

/// Nodes that would share evenly what is concentrated so: 1 / HHI. 0 without counts.
pub fn effective_nodes(counts: &[u64]) -> f64 {
    match hhi(counts) {
        0.0 => 0.0,
        hhi => 1.0 / hhi,
    }
}

/// The largest count over the mean, from 1 to N. 0 without counts.
pub fn max_over_mean(counts: &[u64]) -> f64 {
    let total: u128 = counts.iter().map(|&x| u128::from(x)).sum();
    let largest = u128::from(counts.iter().copied().max().unwrap_or(0));
    if total == 0 {
        return 0.0;
    }
    (largest * counts.len() as u128) as f64 / total as f64
}

/// The largest count's share. 0 without counts.
pub fn hot_share(counts: &[u64]) -> f64 {
    max_over_mean(counts) / counts.len().max(1) as f64
}

/// Balance |2b - B| / B of a key in stream b (from 0) of B equal ascending streams, judged by what comes after it: the
/// streams below are to its left, its own and those above to its right.
pub fn stream_balance(stream: u32, streams: u32) -> f64 {
    f64::from((2 * stream).abs_diff(streams)) / f64::from(streams)
}

/// Whether the online finder cuts a range of B equal ascending streams (its balance is below 1/4): iff B is
/// even or at least 5.
pub fn streams_split(streams: u32) -> bool {
    streams > 0 && (streams.is_multiple_of(2) || streams >= 5)
}

/// Most residues modulo N of ids whose low bits, a sequence of this many values, are 0:
/// N / gcd(values, N).
pub fn residues(modulus: u64, sequence_values: u64) -> u64 {
    modulus / gcd(sequence_values, modulus)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// Share of ids with sequence number j, where the sequence starts at 0 in each tick and a tick has
/// Poisson(m) ids: P(Poisson(m) > j) / m.
pub fn sequence_share(j: u32, mean_per_tick: f64) -> f64 {
    // The tail's own terms, for precision at small m; they fall once i exceeds m.
    let m = mean_per_tick;
    let mut term = libm::exp(-m);
    let mut tail = 0.0;
    for i in 1.. {
        term *= m / f64::from(i);
        if i > j {
            tail += term;
        }
        if f64::from(i) > m && i > j && term <= tail * f64::EPSILON {
            break;
        }
    }
    tail / m
}

/// Shares of N keys by Zipf's law of exponent s, the largest first: i⁻ˢ / Σ.
pub fn zipf_shares(keys: u32, s: f64) -> Vec<f64> {
    let mut shares: Vec<f64> = (1..=keys).map(|i| libm::pow(f64::from(i), -s)).collect();
    // From the small end, for precision.
    let total: f64 = shares.iter().rev().sum();
    for share in &mut shares {
        *share /= total;
    }
    shares
}

/// The largest sum of shares in a bucket, the key of rank i (from 0) being in bucket `bucket(i)`.
/// Never below the largest share.
pub fn hottest_bucket(shares: &[f64], buckets: usize, bucket: impl Fn(usize) -> usize) -> f64 {
    let mut sums = vec![0.0; buckets];
    for (i, share) in shares.iter().enumerate() {
        sums[bucket(i)] += share;
    }
    sums.into_iter().fold(0.0, f64::max)
}

/// Bytes moved for each byte written, if an ascending stream's last range is cut (1 - r) : r and the right
/// piece moves: r / (1 - r). Half gives 1, a cut past the last key 0.
pub fn relocation_amplification(right_share: f64) -> f64 {
    right_share / (1.0 - right_share)
}

/// Mean latency of a request that waits for the slowest of B others, exponential with this mean: m H_B.
pub fn slowest_mean(mean: f64, of: u32) -> f64 {
    mean * harmonic(of.into())
}

/// The quantile of each of B latencies at which the slowest has its quantile q: q^(1/B).
pub fn quantile_of_each(q: f64, of: u32) -> f64 {
    libm::pow(q, 1.0 / f64::from(of))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, within: f64) {
        assert!(
            (found - expected).abs() <= within,
            "{found}, expected {expected}"
        );
    }

    /// 10,000 rows/s of 256 bytes.
    #[test]
    fn splits_of_the_last_range() {
        const MIB: f64 = 1024.0 * 1024.0;
        let half = |bytes| half_split_interval_s(bytes, 1e4, 256.0);
        let fill = |bytes| fill_split_interval_s(bytes, 1e4, 256.0);
        close(half(512.0 * MIB), 105.0, 0.5);
        close(half(500e6), 98.0, 0.5);
        close(half(10.0 * 1024.0 * MIB) / 60.0, 35.0, 0.5);
        close(half(10e9) / 60.0, 33.0, 0.5);
        close(half(8e9) / 60.0, 26.0, 0.5);
        close(fill(256.0 * MIB), 105.0, 0.5);
        close(fill(96.0 * MIB), 39.0, 0.5);
    }

    #[test]
    fn a_rolling_hotspot() {
        assert_eq!(distinct_writers(4, 0.0, 100.0), 1.0);
        assert_eq!(distinct_writers(4, 150.0, 100.0), 2.5);
        assert_eq!(distinct_writers(4, 1e6, 100.0), 4.0);
        assert_eq!(distinct_writers(4, 1e6, f64::INFINITY), 1.0);
    }

    #[test]
    fn buckets_on_four_nodes() {
        let shares = [1, 2, 3, 4, 5, 6, 7, 8].map(|buckets| bucket_hot_share(buckets, 4));
        assert_eq!(
            shares.map(|share| format!("{share:.2}")),
            [
                "1.00", "0.50", "0.33", "0.25", "0.40", "0.33", "0.29", "0.25"
            ]
        );
        assert_eq!(random_bucket_hot_share(1, 1), 1.0);
        assert_eq!(random_bucket_hot_share(1, 4), 1.0);
        close(random_bucket_hot_share(1024, 4), 0.276, 1e-3);
    }

    #[test]
    fn open_and_closed_ceilings() {
        assert_eq!(open_ceiling_per_s(125.0, 0.25), 500.0);
        for (nodes, clients) in [(1, 24), (4, 1), (4, 24), (7, 3)] {
            let shares = vec![1.0 / f64::from(nodes); nodes as usize];
            let found = closed_throughput_per_s(125.0, clients, &shares);
            let (n, k) = (f64::from(nodes), f64::from(clients));
            close(found, 125.0 * n * k / (k + n - 1.0), 1e-9);
        }
        // 24 clients, 4 nodes, B buckets in turn, over one node.
        for (buckets, expected) in [
            (2, 1.92),
            (3, 2.77),
            (4, 3.56),
            (5, 2.50),
            (6, 2.87),
            (7, 3.22),
            (8, 3.56),
        ] {
            let mut counts = [0.0; 4];
            for bucket in 0..buckets {
                counts[bucket % 4] += 1.0 / buckets as f64;
            }
            close(closed_throughput_per_s(1.0, 24, &counts), expected, 6e-3);
        }
        // Many clients come up to the open ceiling.
        close(
            closed_throughput_per_s(1.0, 100_000, &[0.4, 0.2, 0.2, 0.2]),
            2.5,
            1e-3,
        );
        assert_eq!(closed_throughput_per_s(1.0, 0, &[1.0]), 0.0);
    }

    #[test]
    fn concentration() {
        let one = [0, 0, 1000, 0];
        assert_eq!(
            (gini(&one), hhi(&one), max_over_mean(&one)),
            (0.75, 1.0, 4.0)
        );
        assert_eq!((effective_nodes(&one), hot_share(&one)), (1.0, 1.0));
        let even = [7; 5];
        assert_eq!((gini(&even), max_over_mean(&even)), (0.0, 1.0));
        close(effective_nodes(&even), 5.0, 1e-12);
        assert_eq!(gini(&[3, 1, 2]), 4.0 / 18.0); // Σ (2i - 4) x = -2 + 0 + 6
        assert_eq!(hhi(&[3, 1, 2]), 14.0 / 36.0);
        for none in [&[][..], &[0, 0]] {
            assert_eq!(
                (gini(none), hhi(none), max_over_mean(none)),
                (0.0, 0.0, 0.0)
            );
            assert_eq!((effective_nodes(none), hot_share(none)), (0.0, 0.0));
        }
        let large = [u64::MAX, u64::MAX];
        assert_eq!((gini(&large), max_over_mean(&large)), (0.0, 1.0));
    }

    /// Gini by its definition: the mean difference of pairs over twice the mean.
    #[test]
    fn gini_is_the_mean_difference() {
        for n in 1..30 {
            let counts: Vec<u64> = (0..n).map(|i| i * i * 7919 % 1000).collect();
            let pairs = counts
                .iter()
                .flat_map(|a| counts.iter().map(move |b| a.abs_diff(*b)));
            let (total, pairs): (u64, u64) = (counts.iter().sum(), pairs.sum());
            let expected = pairs as f64 / (2 * n * total).max(1) as f64;
            close(gini(&counts), expected, 1e-12);
        }
    }

    #[test]
    fn streams_that_split() {
        let by_balance = |streams| (0..streams).any(|b| stream_balance(b, streams) < 0.25);
        for streams in 1..100 {
            assert_eq!(streams_split(streams), by_balance(streams), "{streams}");
        }
        assert!(!streams_split(0));
        assert_eq!(stream_balance(1, 3), 1.0 / 3.0);
        assert_eq!(stream_balance(2, 5), 0.2);
    }

    #[test]
    fn ids_modulo_n() {
        for (modulus, expected) in [
            (4, 1),
            (8, 1),
            (16, 1),
            (6, 3),
            (10, 5),
            (12, 3),
            (100, 25),
            (1000, 125),
            (15, 15),
        ] {
            assert_eq!(residues(modulus, 4096), expected, "{modulus}");
            let mut seen: Vec<u64> = (0..modulus).map(|tick| (tick * 4096) % modulus).collect();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len() as u64, expected, "{modulus}");
        }
    }

    #[test]
    fn sequence_numbers() {
        close(sequence_share(0, 0.1), 0.9516, 1e-4); // (1 - e^-m) / m
        for mean in [1e-6, 0.1, 1.0, 50.0] {
            let sum: f64 = (0..300).map(|j| sequence_share(j, mean)).sum();
            close(sum, 1.0, 1e-12);
        }
    }

    #[test]
    fn zipf() {
        let shares = zipf_shares(1000, 1.0);
        close(shares[0], 1.0 / harmonic(1000), 1e-12);
        close(shares.iter().sum(), 1.0, 1e-12);
        assert_eq!(zipf_shares(4, 0.0), [0.25; 4]);
        assert_eq!(hottest_bucket(&[0.5, 0.25, 0.25], 2, |i| i % 2), 0.75);
        assert_eq!(
            hottest_bucket(&[0.5, 0.25, 0.25], 2, |i| usize::from(i > 0)),
            0.5
        );
    }

    #[test]
    fn relocation_and_scans() {
        assert_eq!([0.5, 0.0].map(relocation_amplification), [1.0, 0.0]);
        close(relocation_amplification(0.1), 1.0 / 9.0, 1e-12);
        close(slowest_mean(8.0, 16), 8.0 * 3.380_729, 1e-5);
        close(quantile_of_each(0.99, 16), 0.9994, 5e-5);
    }
}
