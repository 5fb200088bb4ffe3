//! Fleets against the closed forms of what readers lose.
//!
//! Tolerances are 5.5 standard errors, taken from 100 blocks of a run: a right program
//! misses one less than once in 10⁶ seeds (and the seeds are fixed).

use idlab::clock::{self, Timestamp};
use idlab::fleet::{Arrivals, Clocks, Fleet, FleetSpec, Latency};
use idlab::id::{Id, Key};
use idlab::measure::{FleetPlan, Readable, Seen, order};
use idlab::scheme::{AutoIncrement, Listed, Params, Scheme, Spec, UuidV4, UuidV7};
use idlab::theory::cursor::{
    skipped_behind, skipped_behind_lag, skipped_in_ticks, skipped_of_exponential,
};

fn scheme<S: Listed>(text: &str) -> S {
    let spec: Spec = text.parse().unwrap();
    S::new(&Params::new(&spec, S::PARAMS).unwrap()).unwrap()
}

/// A run of perfect clocks, about a million rows at this rate.
fn plan(rate: u64, mean_ns: u64, poll_ns: u64) -> FleetPlan {
    FleetPlan {
        spec: FleetSpec {
            writers: 16,
            arrivals: Arrivals::Poisson,
            clocks: Clocks::Model(clock::clock("ideal").unwrap()),
            latency: Latency::Exponential { mean_ns },
            ..FleetSpec::single(rate, 7)
        },
        length_ns: 1_000_000 * 1_000_000_000 / rate,
        poll_ns,
        lags_ns: Vec::new(),
        readers: Vec::new(),
        page_rows: None,
    }
}

/// Share skipped and its standard error, the mean of the plan's readers.
fn share<K: Key>(seen: &[Seen<K>], plan: &FleetPlan, lag_ns: u64) -> (f64, f64) {
    let readable = Readable::new(seen, lag_ns);
    let polls = plan.first_polls();
    let mut counts = vec![0.0; seen.len()];
    for &first in &polls {
        for place in readable.skipped(first, plan.poll_ns) {
            counts[place as usize] += 1.0 / polls.len() as f64;
        }
    }
    mean(&counts)
}

/// Mean and its standard error from 100 blocks.
fn mean(values: &[f64]) -> (f64, f64) {
    let blocks = values.chunks_exact(values.len() / 100);
    let means: Vec<f64> = blocks
        .map(|block| block.iter().sum::<f64>() / block.len() as f64)
        .collect();
    let mean = means.iter().sum::<f64>() / means.len() as f64;
    let squares = means.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
    let count = means.len() as f64;
    (mean, (squares / (count - 1.0) / count).sqrt())
}

#[track_caller]
fn close((found, error): (f64, f64), expected: f64) {
    let away = (found - expected).abs();
    println!("{expected:.6} {found:.6} ± {error:.6}: {:.2}", away / error);
    assert!(
        away <= 5.5 * error,
        "expected {expected}, found {found} ± {error}"
    );
}

#[test]
fn a_restless_reader_of_a_counter_loses_what_the_series_says() {
    for (rate, mean_ns) in [
        (1_000, 100_000),
        (1_000, 1_000_000),
        (1_000, 10_000_000),
        (500, 6_000_000),
        (20_000, 2_000_000),
    ] {
        let plan = plan(rate, mean_ns, 0);
        let seen = plan
            .run(scheme::<AutoIncrement>("auto_increment"))
            .unwrap()
            .seen;
        let in_flight = rate as f64 * mean_ns as f64 / 1e9;
        close(share(&seen, &plan, 0), skipped_of_exponential(in_flight));
    }
}

/// Pairs out of order: half the rows on their way, a row.
#[test]
fn inversions_are_half_the_rows_in_flight() {
    for (rate, mean_ns) in [(1_000, 1_000_000), (1_000, 10_000_000)] {
        let plan = plan(rate, mean_ns, 0);
        let seen = plan
            .run(scheme::<AutoIncrement>("auto_increment"))
            .unwrap()
            .seen;
        let block = |rows: &[Seen<u64>]| order(rows).inversions as f64 / rows.len() as f64;
        // Pairs across the ends of blocks are few: a block has 10 000 rows.
        let blocks: Vec<f64> = seen.chunks_exact(seen.len() / 100).map(block).collect();
        let (_, error) = mean(&blocks);
        close(
            (block(&seen), error),
            rate as f64 * mean_ns as f64 / 1e9 / 2.0,
        );
    }
}

#[test]
fn a_tick_in_random_order_costs_what_the_integral_says() {
    for rate in [1_000, 10_000, 3_000] {
        let plan = plan(rate, 0, 0);
        let seen = plan.run(scheme::<UuidV7>("uuid_v7")).unwrap().seen;
        close(
            share(&seen, &plan, 0),
            skipped_in_ticks(rate as f64 / 1000.0),
        );
        // A window of a tick cures it.
        assert_eq!(share(&seen, &plan, 1_000_000).0, 0.0);
    }
}

/// Two writers, one behind: the other one loses nothing at all.
#[test]
fn the_slower_of_two_clocks_loses_what_its_offset_says() {
    for (rate, sd_ns, poll_ns) in [
        (200, 10_000_000, 0),
        (200, 10_000_000, 4_000_000),
        (200, 10_000_000, 1_000_000_000),
        (800, 50_000_000, 100_000_000),
        (2_000, 3_000_000, 2_000_000),
    ] {
        let spec = FleetSpec {
            writers: 2,
            arrivals: Arrivals::Poisson,
            clocks: Clocks::Offset { sd_ns },
            ..FleetSpec::single(rate, 7)
        };
        let mut fleet =
            Fleet::new(scheme::<UuidV7>("uuid_v7:tail=fraction"), spec.clone()).unwrap();
        let mut writers = Vec::new();
        let mut leads_ns = [0i64; 2];
        let mut seen = Vec::new();
        while seen.len() < 1_000_000 {
            let issued = fleet.issue().unwrap();
            let key_time = fleet.scheme().timestamp(issued.id).unwrap();
            leads_ns[issued.writer as usize] = key_time.0 as i64 - issued.minted.0 as i64;
            writers.push(issued.writer);
            seen.push(Seen {
                key: issued.id.key(),
                committed: issued.inserted,
                minted: issued.minted,
                key_time,
                writer: issued.writer,
            });
        }
        let slow = u32::from(leads_ns[1] < leads_ns[0]);
        let offset_s = (leads_ns[0] - leads_ns[1]).abs() as f64 / 1e9;
        let readers = FleetPlan {
            spec,
            ..plan(rate, 0, poll_ns)
        };
        let readable = Readable::new(&seen, 0);
        let polls: Vec<Timestamp> = readers.first_polls();
        let mut lost = vec![0.0; seen.len()];
        for &first in &polls {
            for place in readable.skipped(first, poll_ns) {
                assert_eq!(writers[place as usize], slow);
                lost[place as usize] += 1.0 / polls.len() as f64;
            }
        }
        let of_slow = lost
            .iter()
            .zip(&writers)
            .filter(|(_, writer)| **writer == slow);
        let of_slow: Vec<f64> = of_slow.map(|(lost, _)| *lost).collect();
        let expected = skipped_behind(rate as f64 / 2.0, offset_s, poll_ns as f64 / 1e9);
        close(mean(&of_slow), expected);
    }
}

/// The form is an approximation in the tail: a twentieth, besides the standard errors.
#[test]
fn a_lag_window_leaves_what_the_tail_says() {
    for (rate, mean_ms, poll_ms, lag_ms) in [
        (1_000, 10, 0, 40),
        (1_000, 10, 10, 40),
        (1_000, 20, 500, 60),
        (50, 20, 200, 60),
    ] {
        let ns = |ms: u64| ms * 1_000_000;
        let plan = plan(rate, ns(mean_ms), ns(poll_ms));
        let seen = plan
            .run(scheme::<AutoIncrement>("auto_increment"))
            .unwrap()
            .seen;
        let s = |ms: u64| ms as f64 / 1e3;
        let expected = skipped_behind_lag(rate as f64, s(mean_ms), 0.0, s(poll_ms), s(lag_ms));
        let (found, error) = share(&seen, &plan, ns(lag_ms));
        println!("{expected:.6} {found:.6} ± {error:.6}");
        assert!(
            (found - expected).abs() <= 0.05 * expected + 5.5 * error,
            "{rate} {mean_ms}: {expected}, {found} ± {error}"
        );
    }
}

/// Nothing sorts random ids: a restless reader keeps the records, about ln n + 0.58 of n rows.
#[test]
fn random_ids_are_all_lost_but_the_records() {
    let plan = plan(1_000, 0, 0);
    let seen = plan.run(scheme::<UuidV4>("uuid_v4")).unwrap().seen;
    let kept = seen.len() - order(&seen).lateness_ns.len();
    // Mean 14.4, a sum of rare independent events: above 45 or none less than once in 10⁹.
    assert!((1..45).contains(&kept), "{kept}");
    let lost = Readable::new(&seen, 0).skipped(plan.spec.start, 0).len();
    assert_eq!(lost, seen.len() - kept);
}

/// A counter with heavy commits at 200 ids a second against an independent calculation
/// by numerical integration, printed to two digits (with 1 ms of clock error, which only
/// matters without a window): a twentieth for the digits, besides the standard errors.
#[test]
fn heavy_commits_lose_what_the_integral_says() {
    for (poll_ms, expected) in [
        (1000, [1.4e-3, 6.0e-4, 4.0e-4, 1.5e-4]),
        (250, [2.6e-3, 7.1e-4, 4.6e-4, 1.7e-4]),
    ] {
        let mut plan = plan(200, 0, poll_ms * 1_000_000);
        plan.spec.latency = Latency::Heavy;
        plan.length_ns = 10_000_000_000_000;
        let seen = plan
            .run(scheme::<AutoIncrement>("auto_increment"))
            .unwrap()
            .seen;
        for (lag_ms, expected) in [100, 1000, 2000, 5000].into_iter().zip(expected) {
            let (found, error) = share(&seen, &plan, lag_ms * 1_000_000);
            println!("{poll_ms} {lag_ms}: {expected:.6} {found:.6} ± {error:.6}");
            assert!(
                (found - expected).abs() <= 0.05 * expected + 5.5 * error,
                "{poll_ms} {lag_ms}: {expected}, {found} ± {error}"
            );
        }
    }
}
