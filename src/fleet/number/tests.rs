use super::*;
use crate::clock::NS_PER_S;

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

fn numbers(rule: &str, writers: u32, room: u64, faults: &[Fault]) -> Numbers {
    let rule = rule.parse().unwrap();
    Numbers::new(&rule, writers, room, 7, START, faults).unwrap()
}

fn number(numbers: &mut Numbers, writer: u32, seconds: u64) -> Option<u32> {
    Some(numbers.grant(writer, at(seconds))?.number)
}

const OUTAGE: Trouble = Trouble::Outage {
    for_ns: 100 * NS_PER_S,
};
const PARTITION: Trouble = Trouble::Partition {
    for_ns: 100 * NS_PER_S,
};
const RESTART: Trouble = Trouble::Restart {
    down_ns: 10 * NS_PER_S,
};

#[test]
fn fixed_numbers_survive_everything_with_a_new_term_for_a_new_process() {
    let faults = [fault(5, 0, OUTAGE), fault(10, 1, RESTART)];
    let mut numbers = numbers("fixed", 3, 3, &faults);
    let first = numbers.grant(1, at(9)).unwrap();
    assert_eq!(first.number, 1);
    assert_eq!(numbers.grant(1, at(15)), None);
    let second = numbers.grant(1, at(20)).unwrap();
    assert_eq!(second.number, 1);
    assert!(second.term > first.term);
    let tally = numbers.tally(at(30));
    assert_eq!((tally.grants, tally.without_ns, tally.double_ns), (4, 0, 0));
    assert_eq!(tally.messages, 0);
    assert_eq!(tally.most_in_use, 3);
}

#[test]
fn a_stateful_set_does_not_replace_a_writer_that_it_cannot_see() {
    let faults = [
        fault(5, 0, OUTAGE),
        fault(6, 1, PARTITION),
        fault(10, 0, RESTART),
        fault(10, 1, RESTART),
    ];
    let mut numbers = numbers("ordinal", 2, 2, &faults);
    assert_eq!(number(&mut numbers, 0, 20), Some(0));
    assert_eq!(number(&mut numbers, 1, 105), None);
    assert_eq!(number(&mut numbers, 1, 106), Some(1));
    let tally = numbers.tally(at(200));
    assert_eq!(tally.without_ns, 86 * NS_PER_S);
    assert_eq!(tally.longest_without_ns, 86 * NS_PER_S);
}

#[test]
fn writers_that_start_in_an_outage_share_number_0_or_do_not_start() {
    let faults = [
        fault(5, 0, OUTAGE),
        fault(10, 2, RESTART),
        fault(12, 1, RESTART),
    ];
    let mut shared = numbers("zero_on_outage", 3, 1024, &faults);
    assert_eq!(number(&mut shared, 1, 11), Some(1));
    assert_eq!(number(&mut shared, 2, 22), Some(0));
    assert_eq!(number(&mut shared, 1, 22), Some(0));
    let tally = shared.tally(at(30));
    assert_eq!((tally.double_ns, tally.doubles), (10 * NS_PER_S, 1));
    // Three starts are answered, two are not.
    assert_eq!((tally.messages, tally.lost), (3 * 2 + 2, 0));
    let mut waiting = numbers("fail_to_start", 3, 1024, &faults);
    assert_eq!(number(&mut waiting, 2, 104), None);
    assert_eq!(number(&mut waiting, 2, 105), Some(2));
    let tally = waiting.tally(at(200));
    assert_eq!(
        (tally.double_ns, tally.without_ns),
        (0, (85 + 83) * NS_PER_S)
    );
    // The two ask again.
    assert_eq!((tally.messages, tally.lost), (3 * 2 + 2 + 2 * 2, 0));
}

#[test]
fn a_counter_comes_back_to_numbers_that_are_still_in_use() {
    let faults = [fault(10, 1, RESTART), fault(40, 1, RESTART)];
    let mut numbers = numbers("counter:3", 2, 1024, &faults);
    let of_1 = [0, 30, 60].map(|seconds| number(&mut numbers, 1, seconds));
    assert_eq!(of_1, [Some(1), Some(2), Some(0)]);
    assert_eq!(number(&mut numbers, 0, 60), Some(0));
    let tally = numbers.tally(at(60));
    assert_eq!((tally.double_ns, tally.messages), (10 * NS_PER_S, 4 * 2));
}

/// P = 1 - prod(1 - i / M). 20,000 fleets; 5.5 binomial standard deviations.
#[test]
fn random_numbers_collide_as_birthdays_do() {
    for (of, writers, expected) in [(1024, 38, 0.501), (1024, 10, 0.0431), (32, 7, 0.506)] {
        let free = (0..writers).map(|i| 1.0 - f64::from(i) / f64::from(of));
        let share = 1.0 - free.product::<f64>();
        assert!((share - expected).abs() < 1e-3, "{share}");
        let fleets = 20_000;
        let collided = (0..fleets).filter(|seed| {
            let rule = NumberRule::Random { of };
            let mut numbers = Numbers::new(&rule, writers, 1024, *seed, START, &[]).unwrap();
            numbers.tally(at(1)).doubles > 0
        });
        let found = collided.count() as f64 / fleets as f64;
        let tolerance = 5.5 * (share * (1.0 - share) / fleets as f64).sqrt();
        assert!(
            (found - share).abs() < tolerance,
            "{of} {writers}: {found} for {share}"
        );
    }
}

#[test]
fn too_few_numbers_are_refused() {
    let check = |rule: &str, writers, room| {
        let rule: NumberRule = rule.parse().unwrap();
        let numbers = Numbers::new(&rule, writers, room, 1, START, &[]);
        numbers.err().map(|error| error.to_string())
    };
    assert_eq!(
        check("ordinal", 5, 4).unwrap(),
        "ordinal numbers need one for each of 5 writers, but the scheme has 4"
    );
    assert_eq!(
        check("random:2048", 5, 1024).unwrap(),
        "random:2048 numbers go beyond the 1024 of the scheme"
    );
    assert_eq!(check("lease", 5, 4), None);
    assert!(check("lease", 5, 0).is_some());
}

#[test]
fn rules_survive_writing() {
    for text in [
        "fixed",
        "ordinal",
        "random:1024",
        "zero_on_outage",
        "fail_to_start",
        "counter:961",
    ] {
        assert_eq!(text.parse::<NumberRule>().unwrap().to_string(), text);
    }
    for text in [
        "ttl=30s,renew=10s",
        "holder=background",
        "holder=background,notice=2s,loss=1%",
        "holder=key_time,takeover=1s,rate=0",
        "guard=1s,round_trip=1500us",
    ] {
        let rule: LeaseRule = text.parse().unwrap();
        assert_eq!(
            rule.to_string().parse::<LeaseRule>(),
            Ok(rule.clone()),
            "{text}"
        );
        let rule = NumberRule::Lease(rule);
        assert_eq!(rule.to_string().parse(), Ok(rule));
    }
}

#[test]
fn bad_rules_are_refused_by_name() {
    for (text, part) in [
        ("fixd", "did you mean \"fixed\""),
        (
            "random",
            "at least 1 and at most 4294967295, such as random:1024",
        ),
        ("random:0", "at least 1"),
        ("random:99999999999", "at most 4294967295"),
        ("counter:-1", "at least 1"),
        ("fixed:3", "fixed takes no parameters"),
        ("lease:renwe=1s", "did you mean \"renew\""),
        (
            "lease:ttl=5s,renew=5s",
            "ttl=5s must be longer than renew=5s",
        ),
        ("lease:ttl=30", "ttl=30: expected a number with its unit"),
        ("lease:ttl=-30s", "ttl=-30s: expected"),
        ("lease:ttl", "expected ttl=VALUE"),
        ("lease:ttl=1s,ttl=2s", "ttl is given twice"),
        ("lease:renew=0", "renew=0 is too short"),
        ("lease:holder=own", "did you mean \"own_clock\""),
        ("lease:holder=key_time,guard=1s", "guard belongs to"),
        ("lease:notice=1s", "notice belongs to"),
        ("lease:guard=10s", "guard=10s leaves no time"),
        ("lease:rate=20%", "at most 10%"),
        ("lease:loss=100%", "loss=100%"),
        ("lease:", "unknown key \"\""),
        (
            "lease:renew=20s",
            "ttl=15s must be longer than renew=20s (ttl by default)",
        ),
        (
            "lease:ttl=100ms",
            "guard=100ms leaves no time between renew=33ms and ttl=100ms, expected a shorter one (renew, guard by default)",
        ),
        (
            "lease:ttl=30s,round_trip=1h",
            "round_trip=1h must be shorter than renew=10s (renew by default)",
        ),
        (
            "lease:ttl=1ms",
            "ttl=1ms must be longer than renew=1ms (renew by default)",
        ),
    ] {
        let error = text.parse::<NumberRule>().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
        let typed = text.trim_start_matches("lease:");
        assert!(
            !typed.contains('=') || error.matches(typed).count() <= 1,
            "{error}"
        );
    }
}

#[test]
fn leases_are_renewed_and_waited_for() {
    let mut numbers = numbers("lease", 3, 2, &[fault(20, 0, RESTART)]);
    let mut terms = |seconds| {
        [0, 1, 2].map(|writer| numbers.grant(writer, at(seconds)).map(|grant| grant.term))
    };
    let first = terms(15);
    assert_eq!(first.iter().flatten().count(), 2);
    assert_eq!(terms(19), first);
    // Until the lease of the ended process is over, its number is blocked.
    assert_eq!(terms(29), [None, first[1], first[2]]);
    assert_eq!(terms(600).iter().flatten().count(), 2);
    let tally = numbers.tally(at(600));
    assert_eq!(tally.double_ns, 0);
    assert!(tally.lost == 0 && tally.most_in_use == 2, "{tally:?}");
    assert!(
        tally.without_ns > 550 * NS_PER_S && tally.without_ns < 620 * NS_PER_S,
        "{tally:?}"
    );
    assert!(tally.messages > 400);
}
