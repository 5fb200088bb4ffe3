use super::super::tests::plan;
use super::*;
use crate::clock::NS_PER_MS;
use crate::fleet::Arrivals;
use crate::fleet::number::{Holder, LeaseRule, NumberRule};
use crate::scheme;

fn found(sweep: Sweep, plan: &FleetPlan, scheme: &str, measured: &Measured) -> f64 {
    let spec = scheme.parse().unwrap();
    let values = scheme::visit_keys(&spec, MeasureSweep { sweep, plan }).unwrap();
    let values = values.unwrap();
    let value = values.iter().find(|(known, _)| known.name == measured.name);
    value.map(|(_, value)| *value).unwrap()
}

#[test]
fn ladders_ascend_over_their_decades() {
    for (sweep, least, most) in [
        (Sweep::Skew, 1_000, NS_PER_S),
        (Sweep::Step, NS_PER_MS, 10 * NS_PER_S),
        (Sweep::Pause, 100 * NS_PER_MS, 120 * NS_PER_S),
    ] {
        let ladder = sweep.ladder_ns();
        assert_eq!((ladder[0], *ladder.last().unwrap()), (least, most));
        assert!(ladder.is_sorted_by(|a, b| a < b));
    }
}

/// Ids that say the time to the millisecond, skews of many: inversions as the offsets say, within 10 %:
/// of 30,000 rows with some 280 inversions each, the standard error is below 1 %.
#[test]
fn inversions_follow_the_offsets() {
    let mut base = plan("ideal", Latency::None);
    base.spec.rate = 1000;
    base.length_ns = 30 * NS_PER_S;
    let mut last = 0.0;
    for sd_ms in [50, 200, 1000] {
        let plan = Sweep::Skew.plan(&base, sd_ms * NS_PER_MS, 3);
        let of = |measured| found(Sweep::Skew, &plan, "snowflake", measured);
        let (seen, expected) = (of(&INVERSIONS_PER_ROW), of(&INVERSIONS_EXPECTED));
        assert!((seen / expected - 1.0).abs() < 0.1, "{seen} for {expected}");
        assert!(of(&DISPLACEMENT_P50) < of(&DISPLACEMENT_P99));
        assert!(of(&DISPLACEMENT_P99) <= of(&DISPLACEMENT_MAX));
        assert!(of(&DISPLACEMENT_MAX) <= of(&K_SORTED_ROWS));
        assert!(seen > 2.0 * last);
        last = seen;
    }
    let plan = Sweep::Skew.plan(&base, NS_PER_S, 3);
    let values = scheme::visit_keys(
        &"auto_increment".parse().unwrap(),
        MeasureSweep {
            sweep: Sweep::Skew,
            plan: &plan,
        },
    );
    let values = values.unwrap().unwrap();
    let none = |name: &str| {
        values
            .iter()
            .all(|(known, value)| known.name != name || *value == 0.0)
    };
    assert!(none(INVERSIONS_PER_ROW.name) && none(K_SORTED_ROWS.name));
    assert!(
        values
            .iter()
            .all(|(known, _)| known.name != INVERSIONS_EXPECTED.name)
    );
}

/// Calls come each millisecond to each writer.
fn stepping(rollback: &str, size_ns: u64) -> FleetPlan {
    let mut base = plan("ideal", Latency::None);
    base.spec.writers = 2;
    base.spec.rate = 2000;
    base.spec.arrivals = Arrivals::Steady;
    base.length_ns = 2 * NS_PER_S;
    base.spec.conduct.rollback = Some(rollback.parse().unwrap());
    base.spec.conduct.refuse = true;
    Sweep::Step.plan(&base, size_ns, 1)
}

#[test]
fn a_step_costs_what_the_rollback_says() {
    const SONYFLAKE: &str = "snowflake:timestamp=39:worker=16:sequence=8:tick_ms=10";
    for size_ms in [20, 200, 2000] {
        let of = |rollback: &str, scheme: &str, measured| {
            let plan = stepping(rollback, size_ms * NS_PER_MS);
            found(Sweep::Step, &plan, scheme, measured)
        };
        let size = size_ms as f64;
        for (scheme, tick_ms) in [("snowflake", 1.0), (SONYFLAKE, 10.0)] {
            for rollback in ["refuse", "wait"] {
                // A call comes within a millisecond of the end; the clock was within a tick at its begin.
                let out = of(rollback, scheme, &UNAVAILABLE_PER_STEP_MS);
                assert!(
                    (out - size).abs() <= tick_ms + 2.0,
                    "{scheme} {rollback}: {out} of {size}"
                );
                let refused = of(rollback, scheme, &REFUSED_PER_STEP);
                let expected = if rollback == "refuse" { out } else { 0.0 };
                assert!(
                    (refused - expected).abs() <= 2.0,
                    "{refused} for {expected}"
                );
            }
            for rollback in ["borrow", "monotonic", "logical", "backfill"] {
                assert_eq!(
                    of(rollback, scheme, &UNAVAILABLE_PER_STEP_MS),
                    0.0,
                    "{rollback}"
                );
                assert_eq!(of(rollback, scheme, &REFUSED_PER_STEP), 0.0, "{rollback}");
                assert_eq!(
                    of(rollback, scheme, &DUPLICATES_PER_STEP),
                    0.0,
                    "{rollback}"
                );
            }
            assert_eq!(of("ignore", scheme, &UNAVAILABLE_PER_STEP_MS), 0.0);
            assert!(of("ignore", scheme, &DUPLICATES_PER_STEP) > 0.0);
        }
        // 4096 ids of a tick suffice for 2 s, 256 for a quarter of one.
        assert_eq!(of("hold", "snowflake", &UNAVAILABLE_PER_STEP_MS), 0.0);
        let out = of("consume", SONYFLAKE, &UNAVAILABLE_PER_STEP_MS);
        assert!(
            (out - (size - 256.0).max(0.0)).abs() <= 22.0,
            "{out} of {size}"
        );
    }
}

/// The pause ends after the lease has: only who checks the lease, or stays within its times, mints no duplicate.
#[test]
fn holders_that_check_mint_no_duplicates_whatever_the_pause() {
    let of = |holder: Holder, pause_s: u64, measured| {
        let mut base = plan("ideal", Latency::None);
        base.spec.writers = 3;
        base.spec.rate = 600;
        base.length_ns = 60 * NS_PER_S;
        base.spec.conduct.refuse = true;
        base.spec.conduct.numbers = NumberRule::Lease(LeaseRule {
            holder,
            ..LeaseRule::default()
        });
        let plan = Sweep::Pause.plan(&base, pause_s * NS_PER_S, 1);
        found(
            Sweep::Pause,
            &plan,
            "snowflake:worker=1:sequence=21",
            measured,
        )
    };
    let background = Holder::Background {
        notice_ns: 500 * NS_PER_MS,
    };
    let own_clock = Holder::OwnClock {
        guard_ns: 100 * NS_PER_MS,
    };
    assert_eq!(of(background, 5, &FLEET_DUPLICATES), 0.0);
    assert_eq!(of(background, 5, &NUMBERS_LOST), 0.0);
    for pause_s in [20, 60] {
        assert!(of(background, pause_s, &FLEET_DUPLICATES) > 0.0);
        assert!(of(background, pause_s, &NUMBERS_SHARED_MS) > 400.0);
        for holder in [own_clock, Holder::KeyTime] {
            assert!(of(holder, pause_s, &NUMBERS_LOST) > 0.0);
            assert_eq!(of(holder, pause_s, &FLEET_DUPLICATES), 0.0);
        }
    }
}
