use super::*;
use crate::clock::NS_PER_S;
use std::collections::HashSet;

/// Milliseconds with sequences 0 to 9.
fn next(ticker: &mut Ticker<u64>, rollback: Rollback, ms: u64) -> Result<(u64, u64), Stall> {
    let advance = |last: Option<u64>| {
        let next = last.map_or(0, |last| last + 1);
        (next < 10).then_some(next)
    };
    ticker.next(&MILLISECONDS, &rollback, &Timestamp::from_ms(ms), advance)
}

fn at(rollback: &str, readings_ms: &[u64]) -> Vec<Result<(u64, u64), Stall>> {
    let rollback = rollback.parse().unwrap();
    let mut ticker = Ticker::default();
    let ids = readings_ms
        .iter()
        .map(|&ms| next(&mut ticker, rollback, ms));
    ids.collect()
}

const BEHIND_5_MS: Result<(u64, u64), Stall> = Err(Stall::ClockBehind {
    wait_ns: 5 * NS_PER_MS,
});

#[test]
fn each_rollback_does_what_its_name_says() {
    for (rollback, expected) in [
        (
            "refuse",
            vec![Ok((100, 0)), BEHIND_5_MS, Ok((100, 1)), Ok((101, 0))],
        ),
        (
            "wait:5ms",
            vec![Ok((100, 0)), BEHIND_5_MS, Ok((100, 1)), Ok((101, 0))],
        ),
        (
            "hold",
            vec![Ok((100, 0)), Ok((100, 1)), Ok((100, 2)), Ok((101, 0))],
        ),
        (
            "hold:4ms",
            vec![Ok((100, 0)), BEHIND_5_MS, Ok((100, 1)), Ok((101, 0))],
        ),
        (
            "borrow",
            vec![Ok((100, 0)), Ok((100, 1)), Ok((100, 2)), Ok((101, 0))],
        ),
        (
            "consume",
            vec![Ok((100, 0)), Ok((100, 1)), Ok((100, 2)), Ok((101, 0))],
        ),
        (
            "logical",
            vec![Ok((100, 0)), Ok((100, 1)), Ok((100, 2)), Ok((100, 3))],
        ),
        (
            "backfill",
            vec![Ok((100, 5)), Ok((99, 1)), Ok((100, 6)), Ok((101, 5))],
        ),
        (
            "ignore",
            vec![Ok((100, 0)), Ok((95, 0)), Ok((100, 0)), Ok((101, 0))],
        ),
    ] {
        assert_eq!(at(rollback, &[100, 95, 100, 101]), expected, "{rollback}");
    }
}

#[test]
fn a_used_up_sequence_is_met_in_the_way_of_the_rollback() {
    let readings = [[100].as_slice(), &[95; 12]].concat();
    let last = |rollback| at(rollback, &readings)[10..].to_vec();
    let waits_ms = |ms: u64| {
        Err(Stall::Exhausted {
            wait_ns: ms * NS_PER_MS,
        })
    };
    assert_eq!(last("hold"), [BEHIND_5_MS; 3]);
    assert_eq!(last("consume"), [waits_ms(6); 3]);
    assert_eq!(last("borrow"), [Ok((101, 0)), Ok((101, 1)), Ok((101, 2))]);
    assert_eq!(last("borrow:2ms"), [waits_ms(4); 3]);
    assert_eq!(last("logical"), [Ok((101, 0)), Ok((101, 1)), Ok((101, 2))]);
}

#[test]
fn borrowing_ends_at_its_ceiling() {
    let ids = at("borrow:3ms", &[100; 41]);
    assert_eq!(ids[39], Ok((103, 9)));
    assert_eq!(ids[40], Err(Stall::Exhausted { wait_ns: NS_PER_MS }));
}

/// Yitter's fifth step back takes the slot of its first: ids come twice if both reach the same ticks.
#[test]
fn the_fifth_step_back_may_repeat_the_first() {
    let steps = |count: u64| {
        let step = |n: u64| [[100 + n].as_slice(), &[50; 8]].concat();
        (0..count).flat_map(step).collect::<Vec<_>>()
    };
    let distinct = |count| {
        let ids: Vec<_> = at("backfill", &steps(count))
            .into_iter()
            .flatten()
            .collect();
        (ids.len(), ids.iter().collect::<HashSet<_>>().len())
    };
    assert_eq!(distinct(4), (36, 36));
    assert_eq!(distinct(5), (45, 41));
}

#[test]
fn the_monotonic_clock_is_all_that_counts_after_the_first_reading() {
    struct Both(u64, u64);
    impl Clock for Both {
        fn now(&self) -> Timestamp {
            Timestamp::from_ms(self.0)
        }
        fn monotonic(&self) -> Timestamp {
            Timestamp::from_ms(self.1)
        }
    }
    let mut ticker = Ticker::<u64>::default();
    let ticks = [Both(1000, 5), Both(1001, 6), Both(3, 7), Both(9999, 7)].map(|clock| {
        let next = ticker.next(&MILLISECONDS, &Rollback::Monotonic, &clock, |last| {
            Some(last.map_or(0, |last| last + 1))
        });
        next.unwrap()
    });
    assert_eq!(ticks, [(1000, 0), (1001, 0), (1002, 0), (1002, 1)]);
}

#[test]
fn a_writer_that_resumes_uses_no_tick_up_to_its_floor() {
    for rollback in ["refuse", "wait", "hold", "consume", "borrow", "ignore"] {
        let rollback: Rollback = rollback.parse().unwrap();
        let mut ticker = Ticker::default();
        ticker.resume(MILLISECONDS, Timestamp::from_ms(100).later(999_999));
        let id = next(&mut ticker, rollback, 100);
        let beyond = id.map(|(tick, _)| tick > 100).unwrap_or(true);
        assert!(beyond, "{rollback}: {id:?}");
        assert_eq!(next(&mut ticker, rollback, 102), Ok((102, 0)), "{rollback}");
    }
}

#[test]
fn a_clock_outside_of_the_ticks_is_no_panic() {
    let ticks = Ticks {
        epoch_ns: NS_PER_S,
        tick_ns: NS_PER_MS,
        last: 10,
    };
    for rollback in [
        "refuse",
        "borrow",
        "ignore",
        "logical",
        "monotonic",
        "backfill",
    ] {
        let rollback: Rollback = rollback.parse().unwrap();
        let mut ticker = Ticker::<u64>::default();
        for (ns, found) in [
            (0, false),
            (NS_PER_S, true),
            (2 * NS_PER_S, false),
            (0, false),
        ] {
            let id = ticker.next(&ticks, &rollback, &Timestamp(ns), |_| Some(0));
            let may_go_on = matches!(rollback, Rollback::Logical | Rollback::Monotonic);
            assert!(
                id.is_ok() == found || may_go_on,
                "{rollback} at {ns}: {id:?}"
            );
        }
    }
}
