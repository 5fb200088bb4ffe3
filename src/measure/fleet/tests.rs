mod centre;

use super::*;
use crate::clock::clock;
use crate::fleet::{Clocks, Latency};
use crate::scheme::{self, Spec};
use proptest::prelude::*;

/// Rows of a small run: keys, minting and commit in nanoseconds.
fn rows(marks: &[(u64, u64, u64)]) -> Vec<Seen<u64>> {
    let row = |&(key, minted, latency): &(u64, u64, u64)| Seen {
        key,
        committed: Timestamp(minted + latency),
        minted: Timestamp(minted),
        key_time: Timestamp(minted),
        writer: 0,
    };
    let mut rows: Vec<_> = marks.iter().map(row).collect();
    rows.sort_by_key(|row| row.committed);
    rows
}

/// A reader that really polls: at each poll it takes what is there above its cursor.
fn polled(seen: &[Seen<u64>], first: u64, poll_ns: u64, lag_ns: u64) -> Vec<u32> {
    let end = seen
        .iter()
        .map(|row| row.committed.0.max(row.key_time.0) + lag_ns);
    let end = end.max().unwrap_or(0) + poll_ns;
    let mut got = vec![false; seen.len()];
    let mut cursor = None;
    for now in (first..=first + end).step_by(poll_ns as usize) {
        let mut last = cursor;
        for (row, got) in seen.iter().zip(&mut got) {
            let old = lag_ns == 0 || row.key_time.0 + lag_ns <= now;
            if row.committed.0 <= now && old && Some(row.key) > cursor {
                *got = true;
                last = last.max(Some(row.key));
            }
        }
        cursor = last;
    }
    (0..seen.len() as u32)
        .filter(|&i| !got[i as usize])
        .collect()
}

proptest! {
    #[test]
    fn what_a_polling_reader_misses_is_skipped(
        marks in prop::collection::vec((0u64..40, 0u64..200, 0u64..60), 0..40),
        poll_ns in 1u64..30,
        first in 0u64..30,
        lag_ns in 0u64..80,
    ) {
        let seen = rows(&marks);
        let skipped = Readable::new(&seen, lag_ns).skipped(Timestamp(first), poll_ns);
        prop_assert_eq!(skipped, polled(&seen, first, poll_ns, lag_ns));
    }

    /// A lag no shorter than the largest effective latency loses nothing, at any poll.
    #[test]
    fn a_lag_of_the_largest_effective_latency_loses_nothing(
        marks in prop::collection::vec((1000u64..2000, 0u64..60, -40i64..40), 1..60),
        poll_ns in 0u64..50,
    ) {
        let row = |(number, &(minted, latency, lead)): (usize, &(u64, u64, i64))| {
            let key_time = Timestamp(minted.saturating_add_signed(lead));
            Seen {
                // Any order within a tick.
                key: key_time.0 << 32 | (number as u64 * 2_654_435_761) & 0xffff_ffff,
                committed: Timestamp(minted + latency),
                minted: Timestamp(minted),
                key_time,
                writer: 0,
            }
        };
        let mut seen: Vec<_> = marks.iter().enumerate().map(row).collect();
        seen.sort_by_key(|row| row.committed);
        let latency = |row: &Seen<u64>| row.committed.0.saturating_sub(row.key_time.0);
        let most = seen.iter().map(latency).max().unwrap().max(1);
        prop_assert!(Readable::new(&seen, most).skipped(Timestamp(0), poll_ns).is_empty());
    }

    #[test]
    fn disorder_is_what_pairs_say(keys in prop::collection::vec(0u64..30, 0..30)) {
        let marks: Vec<_> = (0..).zip(&keys).map(|(at, &key)| (key, at, 0)).collect();
        let found = order(&rows(&marks));
        let pairs = || (0..keys.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
        let wrong = || pairs().filter(|&(i, j)| keys[i] > keys[j]);
        let late = (0..keys.len()).filter(|&j| (0..j).any(|i| keys[i] > keys[j]));
        let repeated = (0..keys.len()).filter(|&j| keys[..j].contains(&keys[j]));
        prop_assert_eq!(found.inversions, wrong().count() as u64);
        prop_assert_eq!(found.radius, wrong().map(|(i, j)| (j - i) as u64).max().unwrap_or(0));
        prop_assert_eq!(found.lateness_ns.len(), late.count());
        prop_assert_eq!(found.duplicates, repeated.count() as u64);
        let mut sorted: Vec<usize> = (0..keys.len()).collect();
        sorted.sort_by_key(|&place| keys[place]);
        let moved = sorted.iter().enumerate().map(|(rank, place)| rank.abs_diff(*place) as u64);
        let mut moved: Vec<u64> = moved.collect();
        moved.sort_unstable();
        // Nearest rank: the least that is no less than so many of a hundred.
        let quantile = |percent: usize| {
            let enough = |most: &&u64| {
                moved.iter().filter(|rows| rows <= most).count() * 100 >= moved.len() * percent
            };
            moved.iter().find(enough).copied().unwrap_or(0)
        };
        prop_assert_eq!(found.displacement_p50, quantile(50));
        prop_assert_eq!(found.displacement_p99, quantile(99));
        prop_assert_eq!(found.displacement_max, quantile(100));
        prop_assert!(found.displacement_max <= found.radius);
        prop_assert!(found.radius <= 2 * found.displacement_max);
    }
}

#[test]
fn ties_are_rows_of_one_time() {
    assert_eq!(
        rows_per_tick(&rows(&[(1, 10, 0), (2, 10, 0), (3, 10, 5), (4, 20, 0)])),
        2.0
    );
    assert_eq!(rows_per_tick::<u64>(&[]), 0.0);
    // 1000 ids a second: one or so a millisecond that has any, 1/(1 - 1/e); all of a second.
    let ties = |scheme| measured(&plan("ideal", Latency::None), scheme).found(&ROWS_PER_TICK);
    assert!((ties("snowflake").unwrap().as_f64() - 1.582).abs() < 0.06);
    assert!((ties("ksuid").unwrap().as_f64() - 1000.0).abs() < 100.0);
    assert_eq!(ties("auto_increment"), None);
}

#[test]
fn order_as_minted_is_told_from_another() {
    assert!(order(&rows(&[(1, 10, 50), (2, 20, 0), (3, 30, 0)])).as_minted);
    assert!(!order(&rows(&[(2, 10, 0), (1, 20, 0)])).as_minted);
}

pub(super) fn plan(clock_name: &str, latency: Latency) -> FleetPlan {
    FleetPlan {
        spec: FleetSpec {
            writers: 16,
            arrivals: crate::fleet::Arrivals::Poisson,
            clocks: Clocks::Model(clock(clock_name).unwrap()),
            latency,
            ..FleetSpec::single(1000, 1)
        },
        length_ns: 20_000_000_000,
        poll_ns: 1_000_000_000,
        lags_ns: vec![0],
        readers: Vec::new(),
        page_rows: None,
    }
}

fn measured(plan: &FleetPlan, scheme: &str) -> Rows {
    let spec: Spec = scheme.parse().unwrap();
    let mut rows = Rows::new("", scheme, "", Default::default());
    let measure = MeasureFleet {
        plan,
        rows: &mut rows,
    };
    scheme::visit_keys(&spec, measure).unwrap().unwrap();
    rows
}

#[test]
fn perfect_clocks_and_commits_lose_nothing() {
    let mut plan = plan("ideal", Latency::None);
    for (scheme, writers) in [
        ("auto_increment", 16),
        ("snowflake", 1),
        ("uuid_v7:tail=counter", 1),
    ] {
        plan.spec.writers = writers;
        let rows = measured(&plan, scheme);
        assert_eq!(rows.found(&LATE_SHARE), Some(Number::Real(0.0)), "{scheme}");
        assert_eq!(rows.found(&DISPLACEMENT_MAX), Some(Number::Whole(0)));
    }
}

#[test]
fn rows_are_those_asked_for_in_time_and_unique() {
    for scheme in [
        "auto_increment",
        "ticket_block",
        "snowflake",
        "ulid",
        "ksuid",
    ] {
        let rows = measured(&plan("crdb_edge", Latency::Batch), scheme);
        let Some(Number::Whole(count)) = rows.found(&FLEET_ROWS) else {
            panic!("no rows");
        };
        // Poisson, mean 20 000: 5.5 standard deviations.
        assert!(count.abs_diff(20_000) < 778, "{count}");
        assert_eq!(rows.found(&FLEET_DUPLICATES), Some(Number::Whole(0)));
    }
}

#[test]
fn readers_are_apart_by_equal_times() {
    let plan = plan("ideal", Latency::None);
    let polls = plan.first_polls();
    assert_eq!(polls.len(), 8);
    assert!(polls[0] > plan.spec.start && polls[7].0 - plan.spec.start.0 <= plan.poll_ns);
    for pair in polls.windows(2) {
        assert!((pair[1].0 - pair[0].0).abs_diff(plan.poll_ns / 8) <= 1);
    }
}

/// Clocks apart by half a second and commits that take minutes, still: the largest
/// effective latency is a window that loses nothing, and one of half of it is not.
#[test]
fn the_reported_latency_is_a_window_that_loses_nothing() {
    fn lost<S: Scheme>(scheme: S) -> [usize; 2] {
        let plan = plan("crdb_edge", Latency::Heavy);
        let seen = plan.run(scheme).unwrap().seen;
        let latency = |row: &Seen<_>| row.committed.0.saturating_sub(row.key_time.0);
        let most_ns = seen.iter().map(latency).max().unwrap();
        [most_ns, most_ns / 2].map(|lag_ns| {
            let readable = Readable::new(&seen, lag_ns);
            let polls = plan.first_polls().into_iter();
            polls
                .map(|first| readable.skipped(first, plan.poll_ns).len())
                .sum()
        })
    }
    struct Lost;
    impl Visitor for Lost {
        type Output = [usize; 2];
        fn visit<S: Scheme>(self, scheme: S) -> [usize; 2] {
            lost(scheme)
        }
    }
    for name in [
        "auto_increment",
        "snowflake",
        "uuid_v7",
        "ulid",
        "ksuid",
        "unique_rowid",
    ] {
        let [none, some] = scheme::visit_keys(&name.parse::<Spec>().unwrap(), Lost).unwrap();
        assert_eq!(none, 0, "{name}");
        assert!(some > 0, "{name}");
    }
}

/// Clocks that are set back by seconds, once a day each: writers wait, so that the ids
/// of each ascend and none comes twice.
#[test]
fn steps_back_make_writers_wait_and_no_duplicates() {
    fn check<S: Scheme>(scheme: S) {
        let plan = FleetPlan {
            length_ns: 86_400_000_000_000,
            ..plan("cron_sync", Latency::None)
        };
        let plan = FleetPlan {
            spec: FleetSpec {
                rate: 50,
                ..plan.spec.clone()
            },
            ..plan
        };
        let name = scheme.name();
        let mut fleet = plan.open(scheme).unwrap();
        let end = plan.spec.start.later(plan.length_ns);
        let mut by_writer = vec![Vec::new(); 16];
        while let Some(event) = fleet.event_before(end).unwrap() {
            let Event::Row(issued) = event else {
                panic!("refused")
            };
            by_writer[issued.writer as usize].push((issued.minted, issued.id.key()));
        }
        let mut waited = 0;
        for ids in &mut by_writer {
            ids.sort_unstable();
            for pair in ids.windows(2) {
                assert!(pair[0].1 < pair[1].1, "{name}");
                // A writer's rows come each 320 ms on average: the end of a wait is a crowd.
                let gap_ns = pair[1].0.0 - pair[0].0.0;
                waited += u32::from(gap_ns > 7_000_000_000);
            }
        }
        // e^-22 of gaps are that long by chance.
        assert!(waited > 0, "{name}");
        let mut keys: Vec<_> = by_writer.iter().flatten().map(|(_, key)| *key).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }
    struct Check;
    impl Visitor for Check {
        type Output = ();
        fn visit<S: Scheme>(self, scheme: S) {
            check(scheme);
        }
    }
    for name in ["snowflake", "uuid_v7:tail=counter"] {
        scheme::visit_keys(&name.parse::<Spec>().unwrap(), Check).unwrap();
    }
}
