//! Policies in random schedules of faults: the safe ones repeat no id on any clock, the
//! others are found out, and their schedules are made as short as can be.

use idlab::clock::{self, CLOCKS};
use idlab::fleet::{
    Arrivals, Fault, Policy, SAFE_NUMBERS, SAFE_POLICIES, Schedule, Trial, Trouble, UNSAFE_NUMBERS,
    UNSAFE_POLICIES, shrink,
};

const SEED: u64 = 3;

fn trial(policy: &Policy, clock: &str) -> Trial {
    Trial::new(*policy, clock::clock(clock).unwrap()).unwrap()
}

#[test]
fn safe_policies_repeat_no_id() {
    let mut runs = 0;
    for policy in SAFE_POLICIES.iter().chain(SAFE_NUMBERS) {
        for clock in CLOCKS {
            let mut trial = trial(policy, clock.name);
            for number in 0..100 {
                let drawn = Schedule::draw(SEED, number);
                let Some(schedule) = policy.bears(&drawn, clock) else {
                    continue;
                };
                runs += 1;
                let duplicates = trial.duplicates(&schedule).unwrap();
                assert_eq!(duplicates, 0, "{policy:?}, {}: {schedule}", clock.name);
            }
        }
    }
    assert!(runs > 50_000, "{runs}");
}

#[test]
fn unsafe_numbers_are_found_out_by_few_faults() {
    let ideal = CLOCKS.iter().find(|clock| clock.name == "ideal").unwrap();
    for policy in UNSAFE_NUMBERS {
        let mut trial = trial(policy, "ideal");
        let mut repeats = |schedule: &Schedule| trial.duplicates(schedule).unwrap() > 0;
        let schedules =
            (0..5000).filter_map(|number| policy.bears(&Schedule::draw(SEED, number), ideal));
        let first = schedules.into_iter().find(&mut repeats);
        let first = first.unwrap_or_else(|| panic!("{policy:?}"));
        let found = shrink(first, &mut repeats);
        assert!(
            repeats(&found) && found.faults.len() <= 3,
            "{policy:?}: {found}"
        );
    }
}

#[test]
fn unsafe_policies_are_found_out_by_few_faults() {
    for policy in UNSAFE_POLICIES {
        let mut trial = trial(policy, "ideal");
        let schedules = (0..1000).map(|number| Schedule::draw(SEED, number));
        let mut repeating = schedules.filter(|schedule| trial.duplicates(schedule).unwrap() > 0);
        let first = repeating.next().unwrap_or_else(|| panic!("{policy:?}"));
        drop(repeating);
        let mut repeats = |schedule: &Schedule| trial.duplicates(schedule).unwrap() > 0;
        let found = shrink(first.clone(), &mut repeats);
        assert!(repeats(&found), "{found}");
        assert_eq!(found, shrink(first, &mut repeats));
        // A step, perhaps a restart; past ticks need a second step before they meet.
        assert!((1..=3).contains(&found.faults.len()), "{policy:?}: {found}");
        for left_out in 0..found.faults.len() {
            let mut fewer = found.clone();
            fewer.faults.remove(left_out);
            assert!(!repeats(&fewer), "{policy:?}: {found}");
        }
    }
}

/// Every other clock of this kind is started again within 5 min: here when its machine goes on.
#[test]
fn a_restart_waits_for_a_machine_that_stands_still() {
    let clock = CLOCKS
        .iter()
        .find(|clock| clock.name == "tz_epoch")
        .unwrap();
    let drawn = Schedule::draw(SEED, 0);
    let stands_still = Fault {
        at: drawn.start.later(1),
        writer: 1,
        trouble: Trouble::Suspend {
            for_ns: 400_000_000_000,
        },
    };
    let schedule = Schedule {
        writers: 2,
        rate: 1,
        arrivals: Arrivals::Steady,
        length_ns: 600_000_000_000,
        faults: vec![stands_still],
        ..drawn
    };
    for policy in SAFE_POLICIES {
        if let Some(schedule) = policy.bears(&schedule, clock) {
            let mut trial = trial(policy, clock.name);
            assert_eq!(trial.duplicates(&schedule).unwrap(), 0, "{policy:?}");
        }
    }
}
