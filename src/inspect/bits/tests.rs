use super::*;
use crate::fleet::{Arrivals, Clocks, FleetSpec, IntoStream};
use crate::id::Key20;
use crate::scheme::{self, FieldKind, Scheme, Visitor};
use crate::source::AnySource;
use proptest::prelude::*;

/// Bit by bit.
fn naive(keys: &[Key20], bits: u32) -> Vec<Tally> {
    let bit = |key: &Key20, at: u32| at < bits && key.field(bits - 1 - at, 1) == 1;
    let highest = |pair: &[Key20]| (0..bits).find(|&at| bit(&pair[0], at) != bit(&pair[1], at));
    let highest: Vec<_> = keys.windows(2).map(highest).collect();
    let tally = |at: u32| {
        let mut tally = Tally {
            first: keys.first().is_some_and(|key| bit(key, at)),
            last: keys.last().is_some_and(|key| bit(key, at)),
            ..Tally::default()
        };
        for (i, key) in keys.iter().enumerate() {
            tally.ones += u64::from(bit(key, at));
            if i == 0 {
                continue;
            }
            let rises = |at| !bit(&keys[i - 1], at) && bit(key, at);
            let falls = |at| bit(&keys[i - 1], at) && !bit(key, at);
            tally.changes += u64::from(rises(at) || falls(at));
            tally.carries += u64::from(rises(at) && falls(at + 1));
            tally.passed += u64::from((rises(at) || falls(at)) && falls(at + 1));
            tally.reversed += u64::from(falls(at) && rises(at + 1));
            let is_highest = highest[i - 1] == Some(at);
            tally.up += u64::from(is_highest && rises(at));
            tally.down += u64::from(is_highest && falls(at));
        }
        tally
    };
    (0..bits).map(tally).collect()
}

proptest! {
    #[test]
    fn counts_are_those_of_bits_one_by_one(
        keys in prop::collection::vec((any::<u32>(), any::<u128>()), 0..150),
        bits in 1u32..=160,
        batch in 1usize..100,
        ascending: bool,
    ) {
        let mut keys: Vec<_> = keys.into_iter().map(|key| Key20::new(key.0, key.1)).collect();
        if ascending {
            keys = (0..keys.len()).map(|i| Key20::new(0, 3 * i as u128)).collect();
        }
        let mut counted = Bits::new(bits);
        keys.chunks(batch).for_each(|batch| counted.see(batch));
        prop_assert_eq!(counted.counts(), naive(&keys, bits));
        prop_assert_eq!(counted.ids(), keys.len() as u64);
    }

    /// Falls and rises follow from the ends.
    #[test]
    fn falls_and_rises_are_all_changes(bits in prop::collection::vec(0u64..2, 1..100)) {
        let mut counted = Bits::new(1);
        counted.see(&bits);
        let tally = counted.counts()[0];
        let falls = bits.windows(2).filter(|pair| pair[0] > pair[1]).count() as u64;
        let rises = bits.windows(2).filter(|pair| pair[0] < pair[1]).count() as u64;
        prop_assert_eq!((tally.falls(), tally.rises()), (falls, rises));
    }
}

/// Runs of classes: `=` constant, `t` clock, `#` counter, `?` random, `~` varied.
fn letters<K: Key>(ids: &[K], bits: u32) -> String {
    let mut counted = Bits::new(bits);
    ids.chunks(1000).for_each(|batch| counted.see(batch));
    let run = |run: &BitRun| {
        let letter = match run.class {
            Class::Constant => '=',
            Class::Clock => 't',
            Class::Counter => '#',
            Class::Random => '?',
            Class::Varied => '~',
        };
        format!("{letter}{}", run.last - run.first + 1)
    };
    let runs = bit_runs(&counted.bits(), &[]);
    runs.iter().map(run).collect::<Vec<_>>().join(" ")
}

/// The bits of an id of a scheme.
struct IdBits;

impl Visitor for IdBits {
    type Output = u32;

    fn visit<S: Scheme>(self, scheme: S) -> u32 {
        scheme.fields().iter().map(|field| field.bits).sum()
    }
}

fn classes(scheme: &str, fleet: FleetSpec, ids: usize) -> String {
    let spec = scheme.parse().unwrap();
    let bits = scheme::visit(&spec, IdBits).unwrap();
    let stream = scheme::visit(&spec, IntoStream(fleet)).unwrap().unwrap();
    fn all<K: Key>(mut source: Box<dyn crate::source::Source<K>>, ids: usize) -> Vec<K> {
        let mut keys = Vec::new();
        source.fill(&mut keys, ids).unwrap();
        keys
    }
    match stream.keys {
        AnySource::Bytes8(source) => letters(&all(source, ids), bits),
        AnySource::Bytes16(source) => letters(&all(source, ids), bits),
        AnySource::Bytes20(source) => letters(&all(source, ids), bits),
    }
}

fn steady(rate: u64) -> FleetSpec {
    FleetSpec::single(rate, 7)
}

/// Writers whose ids come in a Poisson process, with clocks a millisecond apart.
fn busy(rate: u64, writers: u32) -> FleetSpec {
    FleetSpec {
        writers,
        arrivals: Arrivals::Poisson,
        clocks: Clocks::Offset { sd_ns: 1_000_000 },
        ..steady(rate)
    }
}

/// What is random, follows a clock or counts is so in lists of each kind, of one writer and of
/// several whose clocks differ; seeds are fixed.
#[test]
fn lists_of_known_schemes_are_what_they_are() {
    for (scheme, fleet, ids, expected) in [
        ("uuid_v4", steady(1000), 10_000, "?48 =4 ?12 =2 ?62"),
        ("uuid_v7", steady(5000), 100_000, "=33 t15 =4 ?12 =2 ?62"),
        ("uuid_v7", busy(5000, 16), 100_000, "=33 t15 =4 ?12 =2 ?62"),
        // A clock that ticks once an id is a counter.
        ("uuid_v7", steady(1000), 10_000, "=33 #15 =4 ?12 =2 ?62"),
        (
            "uuid_v7:tail=counter",
            steady(5000),
            100_000,
            "=33 t15 =13 #3 =2 ?62",
        ),
        ("uuid_v6", busy(1000, 1), 100_000, "=27 t21 =4 ?12 =64"),
        ("comb", busy(1000, 1), 100_000, "=33 t15 =2 ?22 =4 ?52"),
        ("ulid", steady(5000), 100_000, "=33 t15 ?80"),
        ("ksuid", steady(5000), 100_000, "=27 t5 ?128"),
        ("nanoid", busy(5000, 1), 100_000, "?126"),
        ("snowflake", steady(5000), 100_000, "=27 t15 =19 #3"),
        ("snowflake", busy(5000, 1), 100_000, "=27 t15 =18 #4"),
        ("snowflake", busy(500, 1), 100_000, "=21 t21 =19 #3"),
        ("snowflake", busy(5000, 16), 100_000, "=27 t15 =6 ?4 =9 ~3"),
        (
            "snowflake:first=worker",
            busy(5000, 16),
            100_000,
            "=7 ?4 =26 t15 =9 ~3",
        ),
        ("snowflake", steady(1_000_000), 100_000, "=34 t8 =12 #10"),
        ("discord", busy(100, 4), 10_000, "=21 t21 =8 ?2 #2 ~8 ?1 ~1"),
        ("sonyflake", busy(1000, 4), 100_000, "=26 t14 =4 ~4 =14 ?2"),
        ("unique_rowid", busy(1000, 3), 100_000, "=25 t24 =13 ~2"),
        ("auto_increment", steady(1000), 100, "=57 #7"),
        ("auto_increment", steady(1000), 100_000, "=47 #17"),
        ("bit_reversed", steady(1000), 100_000, "=1 #17 =46"),
        ("auto_random", steady(1000), 100_000, "=1 ?5 =41 #17"),
        ("xid", busy(1000, 1), 100_000, "=25 t7 =46 #18"),
        // Random bits that are drawn anew each tick only, and then count.
        (
            "ulid:tail=monotonic",
            steady(5000),
            100_000,
            "=33 t15 ~77 #3",
        ),
    ] {
        let name = format!("{scheme} {} {}", fleet.rate, fleet.writers);
        assert_eq!(classes(scheme, fleet, ids), expected, "{name}");
    }
}

/// No list of 100 random ids has a bit that is taken for anything else, but for the false alarms
/// that are stated: of 2,000 lists one in 1,000 by each test, at most.
#[test]
fn random_bits_look_random_as_often_as_stated() {
    let mut random = crate::random::stream(1, "inspect.bits", 0);
    let mut alarms = 0;
    for _ in 0..2000 {
        let ids: Vec<u128> = (0..100)
            .map(|_| crate::random::bits128(&mut random))
            .collect();
        let mut bits = Bits::new(128);
        bits.see(&ids);
        alarms += u32::from(bits.bits().iter().any(|bit| bit.class != Class::Random));
    }
    // Poisson of mean 2: 13 or more come less than once in a million.
    assert!(alarms <= 12, "{alarms}");
}

/// A bit that is 1 in 52 of 100 ids is not random; one that sticks is not; both show in z.
#[test]
fn bits_that_are_uneven_or_stick_are_found() {
    let mut random = crate::random::stream(2, "inspect.bits", 0);
    let mut last = 0;
    let ids = (0..100_000).map(|_| {
        let id = crate::random::bits128(&mut random) as u64;
        let uneven = u64::from(crate::random::below(&mut random, 100) < 52);
        let stays = crate::random::below(&mut random, 20) == 0;
        let stuck = if stays { last } else { id & 2 };
        last = stuck;
        id & !7 | uneven << 2 | stuck | id & 1
    });
    let ids: Vec<u64> = ids.collect();
    assert_eq!(letters(&ids, 64), "?61 ~2 ?1");
    let mut bits = Bits::new(64);
    bits.see(&ids);
    let (bound, bits) = (bits.bound(), bits.bits());
    assert!(bits[61].ones_z > bound && bits[61].change_z.abs() < bound);
    assert!(bits[62].ones_z.abs() < bound && bits[62].change_z < -bound);
    assert!((bits[61].ones_share - 0.52).abs() < 0.01 && bits[61].entropy_bits < 0.9996);
}

/// A list in the order of its ids, far apart and close by turns: where ids that
/// agree in all higher bits go up, a bit is the clock's, though it changes as random ones do.
#[test]
fn clocks_whose_steps_differ_are_followed_down() {
    let mut random = crate::random::stream(4, "inspect.bits", 0);
    let mut time = 0u64;
    let ids = (0..5000).map(|_| {
        time += 1 << (20 * crate::random::below(&mut random, 2));
        time += u64::from(crate::random::below(&mut random, 1 << 12));
        time << 20 | u64::from(crate::random::below(&mut random, 1 << 20))
    });
    let found = letters(&ids.collect::<Vec<_>>(), 64);
    assert!(found.starts_with("=12 t"), "{found}");
    let clock: u32 = found["=12 t".len()..]
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    // Of 32 bits the lowest few are the highest that change in too few ids to tell.
    assert!((24..=32).contains(&clock), "{found}");
}

/// Few ids tell what is constant, and nothing more.
#[test]
fn few_ids_tell_little() {
    let ids: Vec<u64> = (1..32).collect();
    assert_eq!(letters(&ids, 64), "=59 ~5");
    assert!(disagreements(31, &Bits::<u64>::new(64).bits(), &[]).is_empty());
    let mut none = Bits::<u64>::new(8);
    assert_eq!(none.bits().len(), 8);
    none.see(&[3]);
    assert_eq!(letters(&[3u64], 8), "=8");
    assert_eq!(none.ids(), 1);
}

#[test]
fn layouts_disagree_where_bits_do_something_else() {
    use crate::scheme::FieldKind::{Counter, Fixed, Node, Random, Timestamp};
    let mut random = crate::random::stream(3, "inspect.bits", 0);
    // A clock of 16 bits that ticks every 8 ids, 4 bits at rest, 12 random, a counter of 8.
    let ids = (0..2000u64).map(|i| {
        let chance = u64::from(crate::random::below(&mut random, 1 << 12));
        (1000 + i / 8) << 24 | 5 << 20 | chance << 8 | (i % 256)
    });
    let mut bits = Bits::new(40);
    bits.see(&ids.collect::<Vec<_>>());
    let bits = bits.bits();
    let found = |fields: &[(FieldKind, u32)]| {
        let fields = fields
            .iter()
            .map(|&(kind, bits)| Field::new("f", bits, kind));
        let found = disagreements(2000, &bits, &fields.collect::<Vec<_>>());
        let found = found
            .iter()
            .map(|wrong| (wrong.first, wrong.last, wrong.class));
        found.collect::<Vec<_>>()
    };
    let right = [(Timestamp, 16), (Fixed, 4), (Random, 12), (Counter, 8)];
    assert_eq!(found(&right), []);
    let unused = [(Timestamp, 16), (Node, 4), (Node, 12), (Counter, 8)];
    assert_eq!(found(&unused), []);
    let wrong = [(Random, 16), (Random, 4), (Fixed, 12), (Random, 8)];
    let expected = [
        (0, 4, Class::Constant),
        (5, 15, Class::Clock),
        (16, 19, Class::Constant),
        (20, 31, Class::Random),
        (32, 39, Class::Counter),
    ];
    assert_eq!(found(&wrong), expected);
    assert_eq!(found(&[(Node, 16), (Fixed, 4)]), [(5, 15, Class::Clock)]);
    // Nothing follows the clock: the list is not in order of time.
    let shifted = [(Fixed, 5), (Counter, 15), (Timestamp, 12), (Counter, 8)];
    assert_eq!(found(&shifted), [(20, 31, Class::Random)]);
    // Random bits above those that follow the clock.
    assert_eq!(
        found(&[(Counter, 20), (Timestamp, 20)]),
        [(20, 31, Class::Random)]
    );
}
