//! What becomes of calls when numbers come from a centre, near or far, up or down.

use super::*;
use crate::clock::{NS_PER_S, clock};
use crate::scheme::{OddEven, Stride, TicketBlock};
use std::collections::HashSet;

const S: u64 = NS_PER_S;
/// Four writers at 100 ids a second, 25 each.
const WRITERS: u32 = 4;
const RATE: u64 = 100;
const LENGTH_NS: u64 = 40 * S;

/// Equal intervals, writers in turn, each every 40 ms; no latency.
fn spec(faults: &[Fault]) -> FleetSpec {
    FleetSpec {
        writers: WRITERS,
        conduct: Conduct {
            refuse: true,
            faults: faults.to_vec(),
            ..Conduct::default()
        },
        ..FleetSpec::single(RATE, 3)
    }
}

struct Found<S: Listed> {
    fleet: Fleet<S>,
    rows: Vec<Issued<S::Id>>,
    outages: Outages,
}

fn run<S: Listed>(params: &str, spec: FleetSpec) -> Found<S> {
    let mut fleet = Fleet::new(scheme::<S>(params), spec).unwrap();
    let end = START.later(LENGTH_NS);
    let mut rows = Vec::new();
    while let Some(event) = fleet.event_before(end).unwrap() {
        if let Event::Row(row) = event {
            rows.push(row);
        }
    }
    Found {
        outages: fleet.outages(end),
        fleet,
        rows,
    }
}

fn outage(at_ns: u64, for_ns: u64) -> Fault {
    Fault {
        at: START.later(at_ns),
        writer: 0,
        trouble: Trouble::Outage { for_ns },
    }
}

fn waits<I: Copy>(rows: &[Issued<I>]) -> Vec<Issued<I>> {
    let waits = rows.iter().filter(|row| row.minted > row.asked);
    waits.copied().collect()
}

/// A process's 25 ids a second take a block of 100 in 4 s, its last half in 2 s.
#[test]
fn a_prefetch_hides_the_round_trip_unless_the_block_is_used_up_within_it() {
    let rtt_ns = S / 10;
    let far = run::<TicketBlock>("ticket_block:size=100:rtt_us=100000", spec(&[]));
    let blocks = far.fleet.scheme().visits().unwrap();
    assert_eq!(far.outages.count, blocks);
    assert_eq!(far.outages.longest_ns, rtt_ns);
    assert_eq!(far.outages.total_ns, blocks * rtt_ns);

    let ahead = "ticket_block:size=100:prefetch=50:rtt_us=100000";
    let hidden = run::<TicketBlock>(ahead, spec(&[]));
    // Only the first block of each process is waited for.
    assert_eq!(hidden.outages.count, u64::from(WRITERS));
    assert!(
        waits(&hidden.rows)
            .iter()
            .all(|row| row.asked < START.later(2 * S))
    );

    // Asked for with the second id of three, it is needed 80 ms later, and comes after 100 ms.
    let short = "ticket_block:size=3:prefetch=50:rtt_us=100000";
    let short = run::<TicketBlock>(short, spec(&[]));
    let later = short.outages.count - u64::from(WRITERS);
    assert!(later > 1_200, "{later}");
    assert_eq!(short.outages.longest_ns, rtt_ns);
    // Until calls are no longer behind by the first wait: 100, 80, 60, 40 and then 20 ms.
    let behind_ns = u64::from(WRITERS) * (rtt_ns + 60_000_000 + 40_000_000 + 20_000_000);
    let waited_ns = behind_ns + later * 20_000_000;
    assert_eq!(short.outages.total_ns, waited_ns);
}

/// In an outage of 2 s a process needs about 50 ids: the one with more in hand does not notice.
#[test]
fn blocks_in_hand_outlast_an_outage_and_others_wait_for_its_end() {
    let (from, until) = (START.later(20 * S), START.later(22 * S));
    let spec = FleetSpec {
        arrivals: Arrivals::Poisson,
        ..spec(&[outage(20 * S, 2 * S)])
    };
    let size = 100;
    let found = run::<TicketBlock>("ticket_block:size=100", spec.clone());
    let (mut stalled, mut through) = (0, 0);
    for writer in 0..WRITERS {
        let rows = found.rows.iter().filter(|row| row.writer == writer);
        let before = rows.clone().filter(|row| row.asked < from).count();
        let asked = rows
            .clone()
            .filter(|row| (from..until).contains(&row.asked));
        let asked: Vec<_> = asked.collect();
        let in_hand = (size - before % size) % size;
        let waited: Vec<_> = asked.iter().filter(|row| row.minted > row.asked).collect();
        assert_eq!(
            waited.len(),
            asked.len().saturating_sub(in_hand),
            "writer {writer}"
        );
        assert!(waited.iter().all(|row| row.minted == until));
        stalled += u64::from(!waited.is_empty());
        through += u64::from(waited.is_empty());
    }
    assert!(stalled > 0 && through > 0, "{stalled} {through}");
    assert_eq!(found.outages.writers, stalled);
    // Every id is a visit, or none is.
    let counter = run::<AutoIncrement>("auto_increment", spec.clone());
    assert_eq!(counter.outages.writers, u64::from(WRITERS));
    let waited = waits(&counter.rows);
    let asked = counter
        .rows
        .iter()
        .filter(|row| (from..until).contains(&row.asked));
    assert_eq!(waited.len(), asked.count());
    assert!(waited.iter().all(|row| row.minted == until));
    let long = run::<TicketBlock>("ticket_block:size=1000000", spec);
    assert_eq!(long.outages, Outages::default());
}

/// Requests that a prefetch sends in an outage are answered at its end, before anybody needs them.
#[test]
fn a_prefetch_bridges_an_outage_as_long_as_the_block_lasts() {
    let faults = [outage(20 * S, S)];
    let found = run::<TicketBlock>("ticket_block:size=100:prefetch=20", spec(&faults));
    assert_eq!(found.outages, Outages::default());
    let late = run::<TicketBlock>("ticket_block:size=100", spec(&[outage(20 * S, 4 * S)]));
    assert!(late.outages.writers > 0);
}

#[test]
fn a_visit_serves_a_block() {
    for size in [1, 10, 100] {
        let found = run::<TicketBlock>(&format!("ticket_block:size={size}"), spec(&[]));
        let rows = found.rows.len() as u64;
        let visits = found.fleet.scheme().visits().unwrap();
        assert_eq!(rows, 4_000);
        // But for the blocks in hand at the end.
        assert!(visits >= rows.div_ceil(size) && visits < rows / size + u64::from(WRITERS) + 1);
    }
    let counter = run::<AutoIncrement>("auto_increment", spec(&[]));
    assert_eq!(counter.fleet.scheme().visits(), Some(4_000));
    assert_eq!(
        run::<Stride>("stride", spec(&[])).fleet.scheme().visits(),
        None
    );
}

/// Each restart loses what was left of the writer's block: numbers that no row ever has.
#[test]
fn a_restart_leaves_a_gap() {
    let at_ns = [7 * S, 13 * S, 21 * S, 30 * S];
    let restart = |at_ns: u64| Fault {
        at: START.later(at_ns),
        writer: 2,
        trouble: Trouble::Restart { down_ns: 0 },
    };
    let faults: Vec<_> = at_ns.into_iter().map(restart).collect();
    let size = 1000;
    let found = run::<TicketBlock>("ticket_block:size=1000", spec(&faults));
    // A block a process and restart: none is used up in 40 s otherwise, but by chance.
    assert_eq!(found.fleet.scheme().visits(), Some(u64::from(WRITERS) + 4));
    let of_writer = found.rows.iter().filter(|row| row.writer == 2);
    let ids: Vec<u64> = of_writer.map(|row| row.id.0).collect();
    let blocks: HashSet<u64> = ids.iter().map(|id| (id - 1) / size).collect();
    assert_eq!(blocks.len(), 5);
    for block in blocks {
        let of_block = ids.iter().filter(|&&id| (id - 1) / size == block);
        let used = of_block.clone().count() as u64;
        assert_eq!(of_block.max().unwrap() - block * size, used);
        assert!(used < size / 2, "{used}");
    }
}

/// The 17th writer of a step of 16 has the offset of the first: each of its ids is one of the
/// first's, as long as that has issued as many.
#[test]
fn a_writer_beyond_the_step_is_refused_or_collides() {
    let spec = FleetSpec {
        writers: 17,
        ..spec(&[])
    };
    assert!(matches!(
        Fleet::new(scheme::<Stride>("stride"), spec.clone()).err(),
        Some(FleetError::Writer(error)) if error.number == 16 && error.max == 15
    ));
    let found = run::<Stride>("stride:wrap=yes", spec.clone());
    let of = |writer| {
        found
            .rows
            .iter()
            .filter(move |row| row.writer == writer)
            .count()
    };
    let ids: HashSet<_> = found.rows.iter().map(|row| row.id.0).collect();
    let duplicates = found.rows.len() - ids.len();
    assert!(duplicates > 0);
    assert_eq!(duplicates, of(0).min(of(16)));
    let wide = run::<Stride>("stride:step=17", spec);
    let ids: HashSet<_> = wide.rows.iter().map(|row| row.id.0).collect();
    assert_eq!(ids.len(), wide.rows.len());
}

/// While one server is down the other one serves all: nobody waits, and the one that was down
/// is behind for ever by 4 s × 100/s ids, each two numbers.
#[test]
fn a_ticket_server_that_was_down_stays_behind() {
    let found = run::<OddEven>("odd_even", spec(&[outage(10 * S, 4 * S)]));
    assert_eq!(found.outages, Outages::default());
    let minted = |from: u64, until: u64| {
        let times = START.later(from * S)..START.later(until * S);
        let rows = found
            .rows
            .iter()
            .filter(move |row| times.contains(&row.minted));
        rows.map(|row| row.id.0)
    };
    let largest = |odd, from, until| minted(from, until).filter(|id| id % 2 == odd).max();
    assert_eq!(largest(1, 10, 14), None);
    let level = largest(0, 5, 10)
        .unwrap()
        .abs_diff(largest(1, 5, 10).unwrap());
    let behind = largest(0, 35, 40).unwrap() - largest(1, 35, 40).unwrap();
    // Turns are each writer's own: apart by at most one a writer and change.
    assert!(level <= 2 * u64::from(WRITERS) + 1, "{level}");
    assert!(
        behind.abs_diff(800) <= 4 * u64::from(WRITERS) + 2,
        "{behind}"
    );
    let ids: HashSet<_> = found.rows.iter().map(|row| row.id.0).collect();
    assert_eq!(ids.len(), found.rows.len());
}

/// Clocks that drift and are set, round trips, outages and restarts: the same from the same seed.
#[test]
fn centres_repeat_themselves_from_their_seed() {
    let faults = [
        outage(5 * S, S),
        Fault {
            at: START.later(8 * S),
            writer: 1,
            trouble: Trouble::Restart { down_ns: S / 2 },
        },
        outage(9 * S, 2 * S),
    ];
    let spec = FleetSpec {
        arrivals: Arrivals::Poisson,
        clocks: Clocks::Model(clock("crdb_edge").unwrap()),
        latency: Latency::Light,
        ..spec(&faults)
    };
    fn same<S: Listed>(params: &str, spec: &FleetSpec) {
        let [first, again] = [0; 2].map(|_| run::<S>(params, spec.clone()));
        assert!(first.outages.count > 0, "{params}");
        assert_eq!(first.outages, again.outages);
        assert_eq!(first.rows, again.rows);
        let ids: HashSet<_> = first.rows.iter().map(|row| row.id).collect();
        assert_eq!(ids.len(), first.rows.len(), "{params}");
    }
    same::<TicketBlock>("ticket_block:size=7:prefetch=20:rtt_us=2000", &spec);
    same::<TicketBlock>("ticket_block:size=7:processes=2:rtt_us=2000", &spec);
    same::<AutoIncrement>("auto_increment:rtt_us=2000", &spec);
    same::<OddEven>("odd_even:rtt_us=2000", &spec);
}
