//! What becomes of calls when clocks, processes and memories fail.

use super::*;
use crate::clock::NS_PER_S;
use std::collections::HashSet;

const S: u64 = NS_PER_S;

fn fault(writer: u32, at_ns: u64, trouble: Trouble) -> Fault {
    Fault {
        at: START.later(at_ns),
        writer,
        trouble,
    }
}

/// What came of ten seconds of one writer's Snowflakes.
struct Found {
    rows: Vec<Issued<crate::id::Number>>,
    refused: Vec<Refused>,
    outages: Outages,
    duplicates: usize,
}

fn run(params: &str, rate: u64, rollback: &str, memory: &str, faults: &[Fault]) -> Found {
    let spec = FleetSpec {
        arrivals: Arrivals::Poisson,
        conduct: Conduct {
            rollback: Some(rollback.parse().unwrap()),
            refuse: true,
            memory: memory.parse().unwrap(),
            numbers: Default::default(),
            faults: faults.to_vec(),
        },
        ..FleetSpec::single(rate, 1)
    };
    let snowflake = scheme::<Snowflake>(&format!("snowflake{params}"));
    let mut fleet = Fleet::new(snowflake, spec).unwrap();
    let end = START.later(10 * S);
    let (mut rows, mut refused) = (Vec::new(), Vec::new());
    let mut last = START;
    while let Some(event) = fleet.event_before(end).unwrap() {
        let at = match event {
            Event::Row(issued) => {
                rows.push(issued);
                issued.inserted
            }
            Event::Refused(one) => {
                refused.push(one);
                one.at
            }
        };
        assert!(at >= last, "events in the order of time");
        last = at;
    }
    let ids: HashSet<_> = rows.iter().map(|row| row.id.0).collect();
    Found {
        duplicates: rows.len() - ids.len(),
        outages: fleet.outages(end),
        rows,
        refused,
    }
}

const BACK_1_S: Trouble = Trouble::Step {
    by_ns: -1_000_000_000,
};

/// 2,000 ids a second, a step of a second back: 2,000 calls within it, give or take five
/// times 45.
#[test]
fn a_step_back_of_a_second_costs_each_rollback_its_own() {
    let step = [fault(0, 4 * S, BACK_1_S)];
    let found = |rollback: &str| run("", 2000, rollback, "lost", &step);
    let about_a_second = |ns: u64| (S - 10_000_000..S + 10_000_000).contains(&ns);
    for rollback in ["refuse", "wait:5ms", "hold:500ms"] {
        let found = found(rollback);
        let refused = found.refused.len();
        // A clock that may be half a second behind is refused for half of the time.
        let half = if rollback == "hold:500ms" { 2 } else { 1 };
        assert!(refused.abs_diff(2000 / half) < 225, "{rollback}: {refused}");
        assert!(
            about_a_second(found.outages.total_ns * half as u64),
            "{rollback}"
        );
        assert_eq!(
            (found.outages.count, found.duplicates),
            (1, 0),
            "{rollback}"
        );
        assert!(
            found
                .refused
                .iter()
                .all(|one| one.cause == Cause::ClockBehind)
        );
    }
    let waits = found("wait:2s");
    assert!(about_a_second(waits.outages.longest_ns));
    let waited = waits.rows.iter().filter(|row| row.minted > row.asked);
    assert!(waited.count().abs_diff(2000) < 225);
    assert_eq!((waits.refused.len(), waits.duplicates), (0, 0));
    for rollback in [
        "hold",
        "borrow",
        "consume",
        "monotonic",
        "logical",
        "backfill",
    ] {
        let found = found(rollback);
        assert_eq!(
            (found.refused.len(), found.duplicates),
            (0, 0),
            "{rollback}"
        );
        assert_eq!(found.outages, Outages::default(), "{rollback}");
    }
    assert!(found("ignore").duplicates > 0);
}

/// Sonyflake's 256 ids of 10 ms at 500 a second: blocked for the step less 256/500 s, the
/// time until 256 calls came: five standard deviations of it are 160 ms.
#[test]
fn consuming_blocks_for_the_step_less_what_the_sequence_holds() {
    let step = [fault(0, 4 * S, BACK_1_S)];
    let sonyflake = ":timestamp=39:worker=16:sequence=8:tick_ms=10:epoch_ms=1409529600000";
    let found = run(sonyflake, 500, "consume", "lost", &step);
    let blocked_ms = found.outages.longest_ns / 1_000_000;
    assert!(blocked_ms.abs_diff(488) < 160, "{blocked_ms}");
    assert_eq!((found.refused.len(), found.duplicates), (0, 0));
}

/// The clock goes back a second while the process is down: what it knows of its last ids decides.
#[test]
fn a_restart_repeats_ids_unless_the_last_ones_are_known() {
    let faults = [
        fault(0, 4 * S, Trouble::Restart { down_ns: S / 10 }),
        fault(0, 4 * S + 1, BACK_1_S),
    ];
    for (memory, repeats) in [
        ("lost", true),
        // Last stored at 3 s, ids were issued until 4 s, and it goes on from 3.1 s.
        ("stored:3s", true),
        ("stored:30ms", true),
        ("wait:500ms", true),
        ("wait:1s", false),
        ("reserved:3s", false),
        ("every", false),
    ] {
        for rollback in ["refuse", "wait", "hold", "borrow", "consume"] {
            let found = run("", 2000, rollback, memory, &faults);
            assert_eq!(found.duplicates > 0, repeats, "{memory} {rollback}");
        }
    }
    let reserved = run("", 2000, "refuse", "reserved:500ms", &faults);
    // Reserved until up to 4.5 s, by a clock that is a second late: at most 1.5 s, and down before.
    assert!((S..16 * S / 10).contains(&reserved.outages.total_ns));
}

#[test]
fn a_process_that_is_down_refuses_and_one_that_stands_still_lets_wait() {
    let restart = [fault(0, 4 * S, Trouble::Restart { down_ns: S })];
    let found = run("", 1000, "refuse", "lost", &restart);
    assert!(found.refused.iter().all(|one| one.cause == Cause::Down));
    assert!(found.refused.len().abs_diff(1000) < 160);
    let gap = found
        .rows
        .windows(2)
        .map(|pair| pair[1].minted.0 - pair[0].minted.0);
    assert!(gap.max().unwrap() >= S);

    let pause = [fault(0, 4 * S, Trouble::Pause { for_ns: S })];
    let found = run("", 1000, "refuse", "lost", &pause);
    assert!(found.refused.is_empty());
    let waited: Vec<_> = found
        .rows
        .iter()
        .filter(|row| row.minted > row.asked)
        .collect();
    assert!(waited.len().abs_diff(1000) < 160);
    assert!(waited.iter().all(|row| row.minted == START.later(5 * S)));
    assert!(waited.is_sorted_by_key(|row| (row.number, row.id)));

    // A suspended machine's clock is late afterwards: nothing goes back.
    let suspend = [fault(0, 4 * S, Trouble::Suspend { for_ns: S })];
    let found = run("", 1000, "refuse", "lost", &suspend);
    assert!(found.refused.is_empty());
    let snowflake = scheme::<Snowflake>("snowflake");
    let last = found.rows.last().unwrap();
    let late_ns = last.minted.0 - snowflake.timestamp(last.id).unwrap().0;
    assert!((S..S + 1_000_001).contains(&late_ns), "{late_ns}");
}

/// A call that waits for a clock dies with the process, and so do those behind it.
#[test]
fn a_restart_kills_the_calls_that_wait() {
    let faults = [
        fault(0, 4 * S, BACK_1_S),
        fault(0, 4 * S + S / 2, Trouble::Restart { down_ns: 1 }),
    ];
    let found = run("", 1000, "wait", "every", &faults);
    let killed = found.refused.iter().filter(|one| one.cause == Cause::Down);
    assert!(killed.count().abs_diff(500) < 112);
    assert_eq!(found.duplicates, 0);
}

/// One in a hundred of 20,000: five standard deviations are 70. The others are as without aborts.
#[test]
fn aborted_rows_leave_holes() {
    let issued = |abort_ppm: u32| {
        let spec = FleetSpec {
            abort_ppm,
            ..FleetSpec::single(20_000, 1)
        };
        let mut fleet = Fleet::new(scheme::<AutoIncrement>("auto_increment"), spec).unwrap();
        let end = START.later(S);
        std::iter::from_fn(move || fleet.event_before(end).unwrap()).count()
    };
    assert_eq!(issued(0), 20_000);
    assert!(issued(10_000).abs_diff(19_800) < 70);
}
