use super::*;
use crate::clock::Timestamp;
use crate::fleet::fault::{Fault, FaultPlan, Trouble};
use crate::fleet::number::{Grant, NumberRule, NumberTally, Numbers};
use crate::random;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const START: Timestamp = Timestamp::from_ms(1_767_225_600_000);

fn at(seconds: u64) -> Timestamp {
    START.later(seconds * NS_PER_S)
}

fn fault(seconds: u64, writer: u32, trouble: Trouble) -> Fault {
    Fault {
        at: at(seconds),
        writer,
        trouble,
    }
}

fn numbers(rule: &str, writers: u32, room: u64, seed: u64, faults: &[Fault]) -> Numbers {
    let rule = NumberRule::Lease(rule.parse().unwrap());
    Numbers::new(&rule, writers, room, seed, START, faults).unwrap()
}

/// P(lease lost | pause) = 1/R · ∫ P(Z > TTL - u) du, u from 0 to the renewal period R.
/// 200,000 pauses of lognormal length, far apart, cut at 30 s where the lease is lost
/// anyway; 5.5 binomial standard deviations.
#[test]
fn pauses_lose_as_many_leases_as_the_integral_says() {
    let exceeds =
        |seconds: f64| 0.5 * libm::erfc(libm::log(seconds / 0.1) / 1.8 / std::f64::consts::SQRT_2);
    let steps = 1000;
    let share = (0..steps).map(|i| exceeds(15.0 - 5.0 * (f64::from(i) + 0.5) / f64::from(steps)));
    let share = share.sum::<f64>() / f64::from(steps);
    assert!((share - 3.76e-3).abs() < 5e-6, "{share}");
    let (writers, pauses) = (200, 1000);
    let mut random = random::stream(1, "test", 0);
    let mut faults = Vec::new();
    for writer in 0..writers {
        for pause in 1..=pauses {
            let phase_ns = (random::unit(&mut random) * 5e9) as u64;
            let for_ns = random::lognormal(&mut random, 100 * NS_PER_MS, 1.8);
            faults.push(Fault {
                at: at(45 * pause).later(phase_ns),
                writer,
                trouble: Trouble::Pause {
                    for_ns: for_ns.min(30 * NS_PER_S),
                },
            });
        }
    }
    let rule = "ttl=15s,renew=5s,round_trip=0,rate=0,holder=background";
    let mut numbers = numbers(rule, writers, writers.into(), 1, &faults);
    let tally = numbers.tally(at(45 * (pauses + 2)));
    let found = tally.lost as f64 / faults.len() as f64;
    let tolerance = 5.5 * (share / faults.len() as f64).sqrt();
    assert!((found - share).abs() < tolerance, "{found} for {share}");
}

/// Writer 0 is cut off for a minute while writer 2 waits for a number.
fn cut_off(holder: &str) -> (Numbers, NumberTally) {
    let partition = Trouble::Partition {
        for_ns: 60 * NS_PER_S,
    };
    let rule = format!("ttl=15s,renew=5s,takeover=1s,holder={holder}");
    let mut probe = numbers(&rule, 3, 2, 1, &[]);
    // Whoever came last.
    let waiting = (0..3).find(|writer| probe.grant(*writer, at(9)).is_none());
    let cut = (waiting.unwrap() + 1) % 3;
    let faults = [fault(10, cut, partition)];
    let tally = numbers(&rule, 3, 2, 1, &faults).tally(at(100));
    (numbers(&rule, 3, 2, 1, &faults), tally)
}

#[test]
fn a_background_holder_that_is_cut_off_shares_its_number_until_it_hears_of_it() {
    let (_, tally) = cut_off("background,notice=500ms");
    assert_eq!((tally.doubles, tally.lost), (1, 1));
    // From takeover, 15 s after a renewal between 5 and 10 s, to the answer at about 70 to 75 s.
    let seconds = tally.double_ns / NS_PER_S;
    assert!((40..=55).contains(&seconds), "{tally:?}");
}

#[test]
fn a_holder_with_a_clock_of_its_own_stops_in_time() {
    for holder in ["own_clock,guard=1s", "key_time"] {
        let (_, tally) = cut_off(holder);
        assert_eq!(
            (tally.doubles, tally.double_ns, tally.lost),
            (0, 0, 1),
            "{holder}"
        );
        // One of three is without, and all are for at most guard, takeover and messages longer.
        let without_s = tally.without_ns / NS_PER_S;
        assert!((99..=103).contains(&without_s), "{holder}: {tally:?}");
    }
}

#[test]
fn the_key_times_of_a_number_follow_on_each_other() {
    let (mut numbers, _) = cut_off("key_time");
    let mut held: BTreeMap<u32, Vec<Grant>> = BTreeMap::new();
    for second in 0..100 {
        for writer in 0..3 {
            if let Some(grant) = numbers.grant(writer, at(second)) {
                held.entry(grant.number).or_default().push(grant);
            }
        }
    }
    let mut changes = 0;
    for grants in held.values_mut() {
        grants.sort_by_key(|grant| (grant.term, grant.key_times.as_ref().unwrap().end));
        for pair in grants.windows(2) {
            if pair[0].term < pair[1].term {
                changes += 1;
                let (old, new) = (pair[0].key_times.clone(), pair[1].key_times.clone());
                assert!(new.unwrap().start >= old.unwrap().end);
            }
        }
    }
    assert!(changes > 0);
}

#[test]
fn restarts_block_numbers_until_their_leases_end() {
    let restart = Trouble::Restart {
        down_ns: 100 * NS_PER_MS,
    };
    let rolling: Vec<_> = (0..10)
        .map(|writer| fault(20 + u64::from(writer), writer, restart))
        .collect();
    let most = |room| {
        let mut numbers = numbers("ttl=15s,renew=5s", 10, room, 1, &rolling);
        let tally = numbers.tally(at(60));
        (tally.most_in_use, tally.longest_without_ns)
    };
    let (in_use, without_ns) = most(1024);
    assert_eq!(in_use, 20);
    assert!(without_ns < NS_PER_S);
    let (in_use, without_ns) = most(10);
    assert_eq!(in_use, 10);
    assert!(without_ns > 5 * NS_PER_S);
}

/// What [`Numbers`] says over ten minutes of trouble.
fn trouble(
    rule: &LeaseRule,
    writers: u32,
    room: u64,
    seed: u64,
) -> (Vec<(u32, Grant)>, NumberTally) {
    let plan = "pauses=20s:lognormal:1s:1.8,suspends=60s:pareto:1s:1.2,partitions=60s:lognormal:10s:1,restarts=2min:3s,outages=3min:exponential:10s";
    let plan: FaultPlan = plan.parse().unwrap();
    let length_ns = 600 * NS_PER_S;
    let faults = plan.schedule(seed, writers, START, length_ns).unwrap();
    let own_clock = matches!(rule.holder, Holder::OwnClock { .. });
    let rule = NumberRule::Lease(rule.clone());
    let mut numbers = Numbers::new(&rule, writers, room, seed, START, &faults).unwrap();
    let mut random = random::stream(seed, "test", 1);
    let mut now = START;
    let mut grants: Vec<(u32, Grant)> = Vec::new();
    while now < START.later(length_ns) {
        let mut held = BTreeSet::new();
        for writer in 0..writers {
            if let Some(grant) = numbers.grant(writer, now) {
                let alone = held.insert(grant.number);
                assert!(alone || !own_clock, "{grant:?} at {now:?}");
                grants.push((writer, grant));
            }
        }
        now = now.later(random::exponential(&mut random, 300 * NS_PER_MS));
    }
    (grants, numbers.tally(now))
}

fn rule(holder: Holder) -> impl Strategy<Value = LeaseRule> {
    (
        1_000..20_000u64,
        2..6u64,
        0..1_000u64,
        0..300_000u32,
        0..20_000u32,
    )
        .prop_map(
            move |(ttl_ms, renewals, round_trip_ms, loss_ppm, rate_ppm)| LeaseRule {
                ttl_ns: ttl_ms * NS_PER_MS,
                renew_ns: ttl_ms * NS_PER_MS / renewals,
                takeover_ns: 500 * NS_PER_MS,
                round_trip_ns: (round_trip_ms * NS_PER_MS).min(ttl_ms * NS_PER_MS / renewals - 1),
                loss_ppm,
                rate_ppm,
                holder,
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn holders_with_clocks_of_their_own_never_share_a_number(
        rule in rule(Holder::OwnClock { guard_ns: 0 }), room in 1..5u64, seed: u64
    ) {
        let (_, tally) = trouble(&rule, 4, room, seed);
        prop_assert_eq!((tally.double_ns, tally.doubles), (0, 0));
    }

    #[test]
    fn holders_of_key_times_never_share_one(
        rule in rule(Holder::KeyTime), room in 1..5u64, seed: u64
    ) {
        let (grants, tally) = trouble(&rule, 4, room, seed);
        prop_assert_eq!(tally.double_ns, 0);
        // By number and term: whose, and which key times.
        let mut held = BTreeMap::new();
        for (writer, grant) in grants {
            let key_times = grant.key_times.unwrap();
            let entry = held.entry((grant.number, grant.term)).or_insert((writer, key_times.clone()));
            prop_assert_eq!((entry.0, entry.1.start), (writer, key_times.start));
            prop_assert!(entry.1.end <= key_times.end);
            entry.1.end = key_times.end;
        }
        let held: Vec<_> = held.into_iter().collect();
        for pair in held.windows(2) {
            let [((number, _), (_, old)), ((next, _), (_, new))] = pair else { unreachable!() };
            prop_assert!(number != next || new.start >= old.end, "{:?}", pair);
        }
    }
}

#[test]
fn rules_that_contradict_themselves_are_refused_however_they_are_made() {
    let rule = NumberRule::Lease(LeaseRule {
        renew_ns: 0,
        ..LeaseRule::default()
    });
    let error = Numbers::new(&rule, 1, 1, 1, START, &[])
        .unwrap_err()
        .to_string();
    assert!(error.contains("renew=0 is too short"), "{error}");
}

#[test]
fn a_lease_is_renewed_each_third_unless_said_otherwise() {
    let renew_ms = |text: &str| text.parse::<LeaseRule>().unwrap().renew_ns / NS_PER_MS;
    assert_eq!(renew_ms("ttl=5s"), 1666);
    assert_eq!(renew_ms("ttl=30s,takeover=1s"), 10_000);
    assert_eq!(renew_ms("ttl=5s,renew=2s"), 2000);
    assert_eq!(renew_ms("guard=1s"), 5000);
    let rule = LeaseRule::default();
    assert_eq!(rule.to_string().parse(), Ok(rule));
}

#[test]
fn every_key_is_known_with_its_default() {
    let known = LeaseRule::known();
    let keys = known.iter().filter(|(text, _)| !text.starts_with(' '));
    let keys: Vec<_> = keys.map(|(text, _)| text.clone()).collect();
    let names: Vec<_> = keys
        .iter()
        .filter_map(|text| text.split('=').next())
        .collect();
    assert_eq!(names, KEYS.map(|(key, _)| key));
    assert_eq!(keys[..8].join(",").parse(), Ok(LeaseRule::default()));
    assert_eq!(keys[8], "notice=500ms");
    for (name, _) in HOLDERS {
        let rule: LeaseRule = format!("holder={name}").parse().unwrap();
        assert!(rule.to_string().contains(name));
    }
}

#[test]
fn background_holders_do_share_numbers() {
    let rule = "ttl=5s,renew=2s,holder=background".parse().unwrap();
    let runs = 50;
    let shared = (0..runs).filter(|seed| trouble(&rule, 4, 4, *seed).1.double_ns > 0);
    assert!(shared.count() > 40);
}

#[test]
fn grants_stay_as_they_are_until_the_next_event() {
    for (seed, holder) in ["background", "own_clock", "key_time"].iter().enumerate() {
        let seed = seed as u64;
        let plan: FaultPlan = "pauses=20s,restarts=1min,partitions=1min".parse().unwrap();
        let faults = plan.schedule(seed, 3, START, 100 * NS_PER_S).unwrap();
        let rule = format!("ttl=3s,renew=1s,holder={holder}");
        let mut numbers = numbers(&rule, 3, 2, seed, &faults);
        let mut now = START;
        let mut changes = 0;
        while now < at(100) {
            let before = [0, 1, 2].map(|writer| numbers.grant(writer, now));
            let next = numbers.next_event().unwrap();
            assert!(next > now);
            let mut grants = |now| [0, 1, 2].map(|writer| numbers.grant(writer, now));
            assert_eq!(
                grants(Timestamp(next.0 - 1)),
                before,
                "{holder} before {next:?}"
            );
            changes += usize::from(grants(next) != before);
            now = next;
        }
        assert!(changes > 30, "{holder}: {changes}");
    }
}

#[test]
fn the_same_seed_gives_the_same_leases() {
    let rule = LeaseRule::default();
    let first = trouble(&rule, 4, 3, 1);
    assert_eq!(first, trouble(&rule, 4, 3, 1));
    assert_ne!(first.1, trouble(&rule, 4, 3, 2).1);
}
