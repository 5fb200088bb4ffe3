//! The smallest of the schedules that fail as a given one does.

use super::Schedule;
use crate::fleet::{Fault, Trouble};

/// Makes a schedule that `fails` shorter as long as it still does: fewer faults, then less
/// of each and earlier, then fewer writers and a shorter run. No fault of the result can be
/// left out. Source: Zeller and Hildebrandt, Simplifying and isolating failure-inducing
/// input, 2002.
pub fn shrink(mut schedule: Schedule, mut fails: impl FnMut(&Schedule) -> bool) -> Schedule {
    loop {
        let before = schedule.clone();
        drop_faults(&mut schedule, &mut fails);
        halve(&mut schedule, &mut fails);
        if schedule == before {
            return schedule;
        }
    }
}

/// Puts `smaller` in the place of `schedule` if it fails too.
fn take(
    schedule: &mut Schedule,
    smaller: Schedule,
    fails: &mut impl FnMut(&Schedule) -> bool,
) -> bool {
    let better = smaller != *schedule && fails(&smaller);
    if better {
        *schedule = smaller;
    }
    better
}

/// Leaves out halves, quarters, and so on down to single faults.
fn drop_faults(schedule: &mut Schedule, fails: &mut impl FnMut(&Schedule) -> bool) {
    let mut size = schedule.faults.len().div_ceil(2);
    while size > 0 {
        let mut from = 0;
        let mut dropped = false;
        while from < schedule.faults.len() {
            let mut smaller = schedule.clone();
            let end = (from + size).min(smaller.faults.len());
            smaller.faults.drain(from..end);
            if take(schedule, smaller, fails) {
                dropped = true;
            } else {
                from += size;
            }
        }
        // Single ones once more: one may have needed another that is gone.
        if size > 1 || !dropped {
            size /= 2;
        }
    }
}

fn halve(schedule: &mut Schedule, fails: &mut impl FnMut(&Schedule) -> bool) {
    for place in 0..schedule.faults.len() {
        let less = |fault: Fault| Fault {
            trouble: half(fault.trouble),
            ..fault
        };
        while change(schedule, place, less, fails) {}
        let start = schedule.start;
        let earlier = |fault: Fault| Fault {
            at: start.later(fault.at.0.saturating_sub(start.0) / 2),
            ..fault
        };
        while change(schedule, place, earlier, fails) {}
        let first = |fault: Fault| Fault { writer: 0, ..fault };
        change(schedule, place, first, fails);
    }
    loop {
        let mut smaller = schedule.clone();
        smaller.length_ns /= 2;
        if !take(schedule, smaller, fails) {
            break;
        }
    }
    let most = schedule.faults.iter().map(|fault| fault.writer + 1).max();
    let smaller = Schedule {
        writers: most.unwrap_or(1),
        ..schedule.clone()
    };
    take(schedule, smaller, fails);
}

/// Changes one fault, if the schedule still fails and its faults stay in order.
fn change(
    schedule: &mut Schedule,
    place: usize,
    to: impl Fn(Fault) -> Fault,
    fails: &mut impl FnMut(&Schedule) -> bool,
) -> bool {
    let mut smaller = schedule.clone();
    if let Some(fault) = smaller.faults.get_mut(place) {
        *fault = to(*fault);
    }
    smaller.faults.is_sorted_by_key(|fault| fault.at) && take(schedule, smaller, fails)
}

fn half(trouble: Trouble) -> Trouble {
    match trouble {
        Trouble::Step { by_ns } => Trouble::Step { by_ns: by_ns / 2 },
        Trouble::Pause { for_ns } => Trouble::Pause { for_ns: for_ns / 2 },
        Trouble::Suspend { for_ns } => Trouble::Suspend { for_ns: for_ns / 2 },
        Trouble::Restart { down_ns } => Trouble::Restart {
            down_ns: down_ns / 2,
        },
        Trouble::Partition { for_ns } => Trouble::Partition { for_ns: for_ns / 2 },
        Trouble::Outage { for_ns } => Trouble::Outage { for_ns: for_ns / 2 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn back_ns(fault: &Fault) -> u64 {
        match fault.trouble {
            Trouble::Step { by_ns } if by_ns < 0 => by_ns.unsigned_abs(),
            _ => 0,
        }
    }

    fn drawn(wanted: impl Fn(&Schedule) -> bool) -> Schedule {
        let schedules = (0..).map(|number| Schedule::draw(5, number));
        schedules.into_iter().find(|one| wanted(one)).unwrap()
    }

    #[test]
    fn one_fault_of_many_is_found_and_halved_until_it_would_pass() {
        let fails = |schedule: &Schedule| schedule.faults.iter().any(|fault| back_ns(fault) > 1000);
        let many = drawn(|schedule| schedule.faults.len() > 4 && fails(schedule));
        let found = shrink(many, fails);
        assert_eq!(found.faults.len(), 1);
        let fault = found.faults[0];
        assert!((1001..=2001).contains(&back_ns(&fault)), "{fault:?}");
        assert_eq!((fault.at, fault.writer), (found.start, 0));
        assert_eq!((found.writers, found.length_ns), (1, 0));
    }

    /// A step back and a restart after it: neither alone fails.
    #[test]
    fn faults_that_need_each_other_stay() {
        let fails = |schedule: &Schedule| {
            let mut stepped = schedule.faults.iter().filter(|fault| back_ns(fault) > 0);
            stepped.next().is_some_and(|step| {
                let later = schedule.faults.iter().filter(|fault| fault.at > step.at);
                let restart = |fault: &&Fault| matches!(fault.trouble, Trouble::Restart { .. });
                later.filter(restart).count() > 0
            })
        };
        for number in 0..300 {
            let schedule = Schedule::draw(9, number);
            if !fails(&schedule) {
                continue;
            }
            let found = shrink(schedule, fails);
            assert!(fails(&found));
            assert_eq!(found.faults.len(), 2, "{found}");
            assert_eq!(back_ns(&found.faults[0]), 1);
            assert_eq!(found.faults[1].trouble, Trouble::Restart { down_ns: 0 });
            assert_eq!(found.faults[0].at, found.start);
            assert_eq!(found.faults[1].at, found.start.later(1));
        }
    }

    #[test]
    fn what_always_fails_needs_no_fault() {
        let found = shrink(Schedule::draw(1, 2), |_| true);
        assert!(found.faults.is_empty());
        assert_eq!((found.writers, found.length_ns), (1, 0));
    }
}
