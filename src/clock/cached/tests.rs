use super::*;
use proptest::prelude::*;
use std::rc::Rc;

/// True time, and a wall clock and a counter that are wrong by so much.
#[derive(Default)]
struct World {
    true_ns: Cell<u64>,
    /// Added to the wall clock.
    offset_ns: Cell<i64>,
    /// The counter's rate is wrong by so many ppm.
    counter_ppm: i64,
    /// So many of the next looks at the wall clock are interrupted, half a millisecond each,
    /// before or after the reading.
    interrupted: Cell<u32>,
}

#[derive(Clone)]
struct Wall(Rc<World>);

impl Clock for Wall {
    fn now(&self) -> Timestamp {
        let world = &self.0;
        let read = || {
            let offset_ns = world.offset_ns.get();
            Timestamp(world.true_ns.get().wrapping_add_signed(offset_ns))
        };
        let left = world.interrupted.get();
        if left == 0 {
            return read();
        }
        world.interrupted.set(left - 1);
        let before = read();
        pass(world, 500_000);
        if left.is_multiple_of(2) {
            before
        } else {
            read()
        }
    }
}

struct Ticks(Rc<World>);

impl Counter for Ticks {
    fn count(&self) -> u64 {
        let true_ns = self.0.true_ns.get() as i64;
        (true_ns + true_ns / 1000 * self.0.counter_ppm / 1000) as u64
    }

    fn elapsed_ns(&self, from: u64, to: u64) -> u64 {
        to.saturating_sub(from)
    }
}

const START_NS: u64 = 1_000_000_000;
type Cached = CachedClock<Wall, Ticks>;

fn clock(counter_ppm: i64) -> (Rc<World>, Cached) {
    let world = Rc::new(World {
        true_ns: Cell::new(START_NS),
        counter_ppm,
        ..World::default()
    });
    let clock = CachedClock::of(Wall(world.clone()), Ticks(world.clone()));
    (world, clock)
}

fn ahead_ns(clock: &Cached) -> i64 {
    let now = clock.now();
    now.0.wrapping_sub(clock.wall.now().0) as i64
}

fn pass(world: &World, ns: u64) {
    world.true_ns.set(world.true_ns.get() + ns);
}

#[test]
fn between_two_looks_it_is_off_by_the_counters_error_alone() {
    for ppm in [-500, 0, 500] {
        let (world, clock) = clock(ppm);
        for _ in 0..3000 {
            pass(&world, 997);
            // 500 ppm of a millisecond, and the rounding of the counter of this test.
            let ahead = ahead_ns(&clock);
            assert!(ahead.abs() <= 502, "{ppm} ppm: {ahead} ns");
        }
    }
}

#[test]
fn a_step_is_followed_within_a_millisecond_and_not_before_it_is_seen() {
    for step_ns in [-3_600_000_000_000, -2_000_000, 2_000_000, 3_600_000_000_000] {
        let (world, clock) = clock(0);
        pass(&world, 400_000);
        world.offset_ns.set(step_ns);
        assert_eq!(ahead_ns(&clock), -step_ns);
        pass(&world, 600_000);
        assert_eq!(ahead_ns(&clock), 0);
    }
}

#[test]
fn it_waits_for_a_wall_clock_that_is_back_a_little_and_follows_one_that_is_back_more() {
    for (back_ns, waits) in [(10_000, true), (10_001, false)] {
        let (world, clock) = clock(0);
        pass(&world, 900_000);
        let before = clock.now();
        world.offset_ns.set(-back_ns);
        pass(&world, 100_000);
        let after = clock.now();
        assert_eq!(after.0 - before.0, if waits { 100_000 } else { 89_999 });
        // Ten microseconds later the wall clock is there, too.
        pass(&world, 10_000);
        assert_eq!(ahead_ns(&clock), 0);
        assert_eq!(clock.now().0 - after.0, if waits { 0 } else { 10_000 });
    }
}

#[test]
fn a_counter_that_starts_again_is_seen_at_once() {
    let (world, clock) = clock(0);
    pass(&world, 300);
    // As on another machine, where the count is far behind.
    let anchor = clock.anchor.get();
    let count = u64::MAX;
    clock.anchor.set(Anchor { count, ..anchor });
    pass(&world, 100);
    assert_eq!(ahead_ns(&clock), 0);
}

/// The thread does not run for a while between counter and wall clock: without a second
/// look all readings of a millisecond would be off by as long.
#[test]
fn a_look_that_is_interrupted_is_taken_anew() {
    for times in 1..7 {
        let (world, clock) = clock(0);
        pass(&world, Cached::REFRESH_NS);
        world.interrupted.set(times);
        let _ = clock.now();
        assert_eq!(world.interrupted.get(), 0);
        for _ in 0..5 {
            pass(&world, 100_000);
            assert_eq!(ahead_ns(&clock), 0, "interrupted {times} times");
        }
    }
}

proptest! {
    /// Any steps, slews and pauses: the stated bound, from a refresh after the last step on.
    #[test]
    fn the_stated_bound_holds(
        counter_ppm in -200i64..200,
        moves in prop::collection::vec((1u64..3_000_000, -500i64..500, prop::option::weighted(0.1, -50_000_000i64..50_000_000)), 1..200),
    ) {
        let (world, clock) = clock(counter_ppm);
        let mut settled_ns = 0;
        for (pass_ns, slew_ppm, step) in moves {
            // A slew goes on in small parts while time passes.
            let parts = pass_ns.div_ceil(50_000);
            for _ in 0..parts {
                let part_ns = pass_ns / parts;
                pass(&world, part_ns);
                world.offset_ns.set(world.offset_ns.get() + part_ns as i64 * slew_ppm / 1_000_000);
                let before = settled_ns >= 2 * Cached::REFRESH_NS;
                settled_ns += part_ns;
                let ahead = ahead_ns(&clock);
                if before {
                    // Slack, then (200 + 500) ppm of a millisecond and of a part; rounding.
                    prop_assert!(ahead.unsigned_abs() <= Cached::SLACK_NS + 740, "{} ns", ahead);
                }
            }
            if let Some(step) = step {
                world.offset_ns.set(world.offset_ns.get() + step);
                settled_ns = 0;
            }
        }
    }
}
