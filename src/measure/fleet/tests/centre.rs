//! Numbers from a centre: what readers lose of them, and what they cost.

use super::*;
use crate::fleet::{Arrivals, Fault, Trouble};
use crate::scheme::{Listed, Params, TicketBlock};
use crate::theory::cursor::skipped_in_blocks;

fn blocks(size: u64) -> TicketBlock {
    let spec = format!("ticket_block:size={size}").parse().unwrap();
    TicketBlock::new(&Params::new(&spec, TicketBlock::PARAMS).unwrap()).unwrap()
}

/// Perfect clocks, no latency, about `rows` rows at 1,000 a second.
fn plan_of(writers: u32, rows: u64) -> FleetPlan {
    FleetPlan {
        spec: FleetSpec {
            writers,
            arrivals: Arrivals::Poisson,
            ..FleetSpec::single(1000, 5)
        },
        length_ns: rows * 1_000_000,
        poll_ns: 0,
        lags_ns: Vec::new(),
        readers: Vec::new(),
        page_rows: None,
    }
}

/// The form is an approximation, good to 0.005 (0.730 where it says 0.735, by an independent
/// calculation); standard errors, from blocks of rows, are below 0.001.
#[test]
fn a_restless_reader_of_blocks_loses_what_the_form_says() {
    for (writers, size) in [(4, 50), (16, 50), (4, 1000)] {
        let seen = plan_of(writers, 400_000).run(blocks(size)).unwrap().seen;
        let skipped = Readable::new(&seen, 0).skipped(Timestamp(0), 0).len();
        let share = skipped as f64 / seen.len() as f64;
        let form = skipped_in_blocks(writers.into(), size as f64);
        assert!(
            (share - form).abs() < 0.01,
            "{writers} {size}: {share} {form}"
        );
    }
    // Without blocks, and without others, nothing is late.
    for (writers, size) in [(4, 1), (1, 50)] {
        let seen = plan_of(writers, 10_000).run(blocks(size)).unwrap().seen;
        assert!(Readable::new(&seen, 0).skipped(Timestamp(0), 0).is_empty());
    }
}

/// Where a row's place in time is that of its block's lease, a window of the longest life of a
/// block loses nothing; by the time of its minting no window helps.
#[test]
fn a_window_of_the_longest_life_of_a_block_loses_nothing() {
    let size = 50;
    let mut seen = plan_of(4, 50_000).run(blocks(size)).unwrap().seen;
    let block = |row: &Seen<u64>| ((row.key - 1) / size) as usize;
    // With no prefetch, a block is leased for its first id.
    let mut leased = vec![Timestamp(u64::MAX); seen.iter().map(block).max().unwrap() + 1];
    for row in &seen {
        let leased = &mut leased[block(row)];
        *leased = row.minted.min(*leased);
    }
    let lost =
        |seen: &[Seen<u64>], lag_ns| Readable::new(seen, lag_ns).skipped(Timestamp(0), 0).len();
    let life_ns = seen.iter().map(|row| row.minted.0 - leased[block(row)].0);
    let life_ns = life_ns.max().unwrap();
    assert_eq!(lost(&seen, life_ns), lost(&seen, 0));
    for row in &mut seen {
        row.key_time = leased[block(row)];
    }
    assert_eq!(lost(&seen, life_ns), 0);
    assert!(lost(&seen, life_ns / 2) > 0);
}

#[test]
fn a_run_says_what_its_centre_costs() {
    let mut plan = plan_of(4, 20_000);
    let found = |plan: &FleetPlan, scheme: &str, measured: &Measured| {
        let number = super::measured(plan, scheme).found(measured);
        number.map(|number| number.as_f64())
    };
    for (size, visits) in [(1, 1.0), (10, 0.1), (1000, 0.001)] {
        let scheme = format!("ticket_block:size={size}");
        let trips = found(&plan, &scheme, &ROUND_TRIPS_PER_ID).unwrap();
        let gaps = found(&plan, &scheme, &GAP_IDS).unwrap();
        // Four blocks are in hand at the end.
        assert!(
            (visits..visits + 4.0 / 19_000.0).contains(&trips),
            "{size}: {trips}"
        );
        assert!(gaps < 4.0 * f64::from(size), "{size}: {gaps}");
        assert_eq!(gaps == 0.0, size == 1);
        assert_eq!(found(&plan, &scheme, &STALLED_WRITERS), Some(0.0));
    }
    assert_eq!(found(&plan, "snowflake", &ROUND_TRIPS_PER_ID), None);
    assert_eq!(found(&plan, "stride", &GAP_IDS), None);
    let start = plan.spec.start;
    plan.spec.conduct.faults = vec![Fault {
        at: start.later(5_000_000_000),
        writer: 0,
        trouble: Trouble::Outage {
            for_ns: 2_000_000_000,
        },
    }];
    assert_eq!(found(&plan, "auto_increment", &STALLED_WRITERS), Some(4.0));
    assert_eq!(found(&plan, "auto_increment", &GAP_IDS), Some(0.0));
    let longest_ms = found(&plan, "auto_increment", &OUTAGE_LONGEST_MS).unwrap();
    // From the first call: on average 4 ms after the outage has begun.
    assert!((1900.0..2000.0).contains(&longest_ms), "{longest_ms}");
    assert_eq!(
        found(&plan, "ticket_block:size=1000000", &STALLED_WRITERS),
        Some(0.0)
    );
}
