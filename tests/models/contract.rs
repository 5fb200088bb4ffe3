//! What every scheme promises, whatever its layout.

use idlab::clock::{NS_PER_MS, Timestamp};
use idlab::id::{Column, Id, Key};
use idlab::random::stream;
use idlab::scheme::{FieldKind, PRESETS, ROLLBACKS, SCHEMES, Scheme, Spec, Stall, Visitor, visit};
use rand::Rng;
use std::collections::HashSet;

/// Parameters worth a run of their own; the defaults of every scheme run too.
const VARIANTS: &[&str] = &[
    "ticket_block:size=1",
    "ticket_block:size=7",
    "ticket_block:size=7:prefetch=20:rtt_us=300",
    "auto_increment:rtt_us=15",
    "odd_even:lag=7:rtt_us=15",
    "snowflake:epoch_ms=discord:tick_ms=10:timestamp=39:worker=16:sequence=8",
    // Four ids a millisecond: this one stalls.
    "snowflake:worker=20:sequence=2",
    "snowflake:first=worker",
    "uuid_v7:tail=counter",
    "uuid_v7:tail=counter42",
    "uuid_v7:tail=fraction",
    "uuid_v7:tail=monotonic",
    "ulid:tail=monotonic",
    // Their own epoch has ended.
    "baidu:epoch_ms=1700000000000",
    "baidu_cached:epoch_ms=1700000000000",
    "snowflake:last=worker",
    "snowflake:sign=0:datacenter=4:worker=7",
    "running_sequence:first=worker:start=hashed",
    "tsid:node=2",
    "auto_random:shard=15:range=54:transaction=3:size=10:rtt_us=15",
    "bit_reversed:size=7:prefetch=20",
    "comb:time=unix_ms",
];

/// Schemes whose writers promise ascending ids, even of clocks that go back.
const ASCENDING: &[&str] = &[
    "auto_increment",
    "ticket_block",
    "hi_lo",
    "pooled",
    "leaf_segment",
    "stride",
    "snowflake",
    "twitter",
    "sonyflake",
    "baidu",
    "baidu_cached",
    "tsid",
    "uuid_v7:tail=counter",
    "uuid_v7:tail=counter42",
    "uuid_v7:tail=fraction",
    "uuid_v7:tail=monotonic",
    "ulid:tail=monotonic",
];

/// 2025-01-01T00:00:00Z.
const START_NS: u64 = 1_735_689_600_000 * NS_PER_MS;
/// 50,000 ids a second, all writers together.
const INTERVAL_NS: u64 = 20_000;
const WRITERS: u32 = 3;
const IDS: usize = 20_000;

/// Presets whose timestamps are used up at [`START_NS`].
const ENDED: &[&str] = &["baidu", "baidu_cached"];

fn specs() -> impl Iterator<Item = String> {
    let defaults = SCHEMES.iter().map(|scheme| scheme.name);
    let presets = PRESETS.iter().map(|preset| preset.name);
    let presets = presets.filter(|name| !ENDED.contains(name));
    let names = defaults.chain(presets).chain(VARIANTS.iter().copied());
    names.map(str::to_owned)
}

fn run<V: Visitor>(spec: &str, visitor: V) -> V::Output {
    let parsed: Spec = spec.parse().expect(spec);
    visit(&parsed, visitor).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn is_ascending(spec: &str) -> bool {
    ASCENDING.iter().any(|name| {
        let rest = spec.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    })
}

/// The next id, after all waits that it takes.
fn patiently<S: Scheme>(
    scheme: &mut S,
    writer: &mut S::Writer,
    now: &mut Timestamp,
    random: &mut impl Rng,
) -> S::Id {
    loop {
        match scheme.mint(writer, now, random) {
            Ok(id) => return id,
            Err(stall) => {
                now.0 += stall
                    .wait_ns()
                    .unwrap_or_else(|| panic!("{}", scheme.name()))
            }
        }
    }
}

/// Mints [`IDS`] ids at a steady rate and checks each; yields their texts.
struct Steady<'a> {
    spec: &'a str,
    seed: u64,
}

impl Visitor for Steady<'_> {
    type Output = Vec<String>;

    fn visit<S: Scheme>(self, mut scheme: S) -> Vec<String> {
        let spec = self.spec;
        let mut writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let random = stream(self.seed, "contract", number.into());
                (scheme.writer(number).expect(spec), random)
            })
            .collect();
        let mut now = Timestamp(START_NS);
        let mut ids = Vec::new();
        for turn in (0..WRITERS as usize).cycle().take(IDS) {
            let (writer, random) = &mut writers[turn];
            now.0 += INTERVAL_NS;
            let id = patiently(&mut scheme, writer, &mut now, random);
            check_instant(&scheme, id, now, spec);
            ids.push(id);
        }
        check_ids(&scheme, &ids, spec);
        let texts: Vec<_> = ids.iter().map(S::Id::to_string).collect();
        check_texts(&ids, &texts, spec);
        texts
    }
}

/// The id carries the tick of the reading; a fraction, or a counter that carries, may be ahead,
/// by 1 ms at most.
fn check_instant<S: Scheme>(scheme: &S, id: S::Id, now: Timestamp, spec: &str) {
    let tick_ns = scheme.limits().tick_ns;
    let instant = scheme.timestamp(id);
    assert_eq!(tick_ns.is_some(), instant.is_some(), "{spec}");
    if let (Some(tick_ns), Some(instant)) = (tick_ns, instant) {
        let may_be_ahead = spec.ends_with("tail=fraction") || spec.starts_with("tsid");
        let ahead_ns = if may_be_ahead { NS_PER_MS } else { 0 };
        assert!(instant.0 <= now.0 + ahead_ns, "{spec}: {id} is early");
        assert!(now.0 < instant.0 + tick_ns, "{spec}: {id} is late");
    }
}

fn check_ids<S: Scheme>(scheme: &S, ids: &[S::Id], spec: &str) {
    let unique: HashSet<_> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "{spec}");
    assert!(!is_ascending(spec) || scheme.ascends(), "{spec}");
    if scheme.ascends() {
        let pairs = ids.iter().zip(&ids[WRITERS as usize..]);
        pairs.for_each(|(last, next)| assert!(last < next, "{spec}: {last} then {next}"));
    }

    let fields = scheme.fields();
    let bits: u32 = fields.iter().map(|field| field.bits).sum();
    assert_eq!(bits, S::Id::BITS, "{spec}");
    let above = 8 * <S::Id as Id>::Key::BYTES - bits;
    assert!(
        ids.iter()
            .all(|id| id.key().field(bits.min(127), above) == 0),
        "{spec}"
    );
    assert!(fields.iter().all(|field| field.bits > 0), "{spec}");
    let fixed = |id: S::Id| {
        let mut values = scheme.decode(id);
        values.retain(|(field, _)| field.kind == FieldKind::Fixed);
        values
    };
    assert!(ids.iter().all(|&id| fixed(id) == fixed(ids[0])), "{spec}");

    let bytes = bits.div_ceil(8);
    match S::Id::COLUMN {
        Column::Text(_) => assert!(S::Id::TEXT_CHARS.is_some(), "{spec}"),
        column => assert_eq!(column.value_bytes(), bytes, "{spec}"),
    }
}

fn check_texts<I: Id>(ids: &[I], texts: &[String], spec: &str) {
    for (&id, text) in ids.iter().zip(texts) {
        assert_eq!(text.parse(), Ok(id), "{spec}: {text}");
        assert_eq!(I::from_key(id.key()), id, "{spec}: {text}");
    }
    for (a, b) in (0..ids.len()).zip(1..ids.len()) {
        assert_eq!(
            ids[a].key().cmp(&ids[b].key()),
            ids[a].cmp(&ids[b]),
            "{spec}"
        );
        if let Some(chars) = I::TEXT_CHARS {
            assert_eq!(texts[a].len(), chars as usize, "{spec}: {}", texts[a]);
            assert_eq!(texts[a].cmp(&texts[b]), ids[a].cmp(&ids[b]), "{spec}");
        }
    }
}

#[test]
fn every_scheme_keeps_the_contract_and_repeats_itself_from_its_seed() {
    for spec in specs() {
        let spec = spec.as_str();
        let first = run(spec, Steady { spec, seed: 1 });
        assert_eq!(first, run(spec, Steady { spec, seed: 1 }), "{spec}");
    }
}

/// Feeds one writer readings from all over the clock, back and forth.
struct Wild<'a> {
    spec: &'a str,
}

impl Visitor for Wild<'_> {
    type Output = ();

    fn visit<S: Scheme>(self, mut scheme: S) {
        let spec = self.spec;
        let mut random = stream(1, "wild", 0);
        let mut writer = scheme.writer(0).expect(spec);
        let mut ids = Vec::new();
        for i in 0..10_000u64 {
            let reading = match random.next_u32() % 16 {
                // Only at the end: a writer that goes on from its last id never gets back.
                0 if i > 9_000 => u64::MAX - random.next_u64() % 3,
                1 => random.next_u64() % 3,
                2..8 => START_NS + random.next_u64() % (i + 1) * NS_PER_MS,
                _ => START_NS + i * NS_PER_MS / 16,
            };
            let now = Timestamp(reading);
            match scheme.mint(&mut writer, &now, &mut random) {
                Ok(id) => {
                    scheme.timestamp(id);
                    ids.push(id);
                }
                Err(stall) => assert_ne!(stall.wait_ns(), Some(0), "{spec}"),
            }
        }
        assert!(ids.len() > 100, "{spec}: only {} ids", ids.len());
        let unique: HashSet<_> = ids.iter().collect();
        assert_eq!(unique.len(), ids.len(), "{spec}");
        assert!(!is_ascending(spec) || ids.is_sorted(), "{spec}");
    }
}

#[test]
fn no_clock_reading_makes_a_scheme_panic_or_repeat_an_id() {
    for spec in specs() {
        run(&spec, Wild { spec: &spec });
    }
}

#[test]
fn a_reading_after_the_wait_succeeds_when_a_sequence_is_used_up() {
    struct Burst;
    impl Visitor for Burst {
        type Output = ();

        fn visit<S: Scheme>(self, mut scheme: S) {
            let mut random = stream(1, "burst", 0);
            let mut writer = scheme.writer(0).unwrap();
            let now = Timestamp(START_NS + 250_000);
            let mut mint = |now| scheme.mint(&mut writer, &now, &mut random);
            let minted = (0..).take_while(|_| mint(now).is_ok()).count();
            assert_eq!(minted, 4096);
            let wait_ns = 750_000;
            assert_eq!(mint(now).err(), Some(Stall::Exhausted { wait_ns }));
            assert!(mint(Timestamp(now.0 + wait_ns)).is_ok());
        }
    }
    run("snowflake:epoch_ms=unix", Burst);
    run("uuid_v7:tail=counter", Burst);
}

#[test]
fn a_preset_whose_timestamps_are_used_up_issues_nothing() {
    struct Ended;
    impl Visitor for Ended {
        type Output = ();

        fn visit<S: Scheme>(self, mut scheme: S) {
            let mut writer = scheme.writer(0).unwrap();
            let now = Timestamp(START_NS);
            let stall = scheme.mint(&mut writer, &now, &mut stream(1, "ended", 0));
            assert_eq!(stall.err(), Some(Stall::OutOfRange));
        }
    }
    ENDED.iter().for_each(|preset| run(preset, Ended));
}

#[test]
fn mistakes_in_a_scheme_are_refused_with_a_hint() {
    struct Ignore;
    impl Visitor for Ignore {
        type Output = ();

        fn visit<S: Scheme>(self, _: S) {}
    }
    let refused = |spec: &str| {
        let spec: Spec = spec.parse().unwrap();
        visit(&spec, Ignore).unwrap_err().to_string()
    };
    assert!(refused("uuid_v8").contains("did you mean"));
    assert!(refused("uuid_v7:tial=counter").contains("\"tail\""));
    assert!(
        refused("uuid_v7:tail=clock").contains("random, counter, counter42, fraction, monotonic")
    );
    assert!(refused("uuid_v4:size=2").contains("it takes none"));
    assert!(refused("ticket_block:size=0").contains("from 1 to 1000000000"));
}

/// Fills slices of many lengths, and mints the same ids one by one at the same readings.
struct InBulk<'a>(&'a str);

impl Visitor for InBulk<'_> {
    type Output = ();

    fn visit<S: Scheme>(self, mut scheme: S) {
        let InBulk(spec) = self;
        let mut other = scheme.clone();
        let mut writers = [scheme.writer(1).expect(spec), other.writer(1).expect(spec)];
        let mut randoms = [stream(3, "contract", 0), stream(3, "contract", 0)];
        let mut now = Timestamp(START_NS);
        let first = patiently(&mut scheme, &mut writers[0], &mut now, &mut randoms[0]);
        let mut ids = [first; 5000];
        let mut same = Timestamp(START_NS);
        patiently(&mut other, &mut writers[1], &mut same, &mut randoms[1]);
        for (turn, length) in [0, 1, 2, 63, 64, 65, 1000, 5000, 3, 1]
            .into_iter()
            .cycle()
            .take(50)
            .enumerate()
        {
            let filled = scheme.fill(&mut writers[0], &now, &mut randoms[0], &mut ids[..length]);
            // As many as there are, and then the reason why there are no more.
            let filled = filled.unwrap_or_default();
            for id in &ids[..filled] {
                let expected = other.mint(&mut writers[1], &now, &mut randoms[1]);
                assert_eq!(expected.as_ref(), Ok(id), "{spec}, turn {turn}");
            }
            if filled < length {
                let stall = other.mint(&mut writers[1], &now, &mut randoms[1]);
                let wait_ns = stall.expect_err(spec).wait_ns().expect(spec);
                now.0 += wait_ns;
                // What a stall drew is drawn again.
                randoms = [
                    stream(turn as u64, "contract", 1),
                    stream(turn as u64, "contract", 1),
                ];
            } else {
                now.0 += INTERVAL_NS;
            }
        }
    }
}

#[test]
fn a_slice_is_filled_with_the_ids_that_come_one_by_one_at_one_reading() {
    specs().for_each(|spec| run(&spec, InBulk(&spec)));
}

/// Fills a slice by each rule for clocks that go back.
struct InFull<'a>(&'a str);

impl Visitor for InFull<'_> {
    type Output = ();

    fn visit<S: Scheme>(self, fresh: S) {
        let InFull(spec) = self;
        let mut rules = 0;
        for &(name, _) in ROLLBACKS {
            // Without the options in brackets.
            let rule = name.split_once('[').map_or(name, |(rule, _)| rule);
            let rollback = rule.parse().expect(name);
            let mut scheme = fresh.clone();
            if scheme.set_rollback(rollback).is_err() {
                continue;
            }
            rules += 1;
            let mut writer = scheme.writer(1).expect(spec);
            let (now, mut random) = (Timestamp(START_NS), stream(4, "contract", 0));
            let mut ids = vec![S::Id::from_key(Default::default()); 1000];
            let filled = scheme.fill(&mut writer, &now, &mut random, &mut ids);
            assert_eq!(filled, Ok(ids.len()), "{spec}, {name}");
            assert!(ids.is_sorted_by(|a, b| a < b), "{spec}, {name}");
        }
        assert!(rules > 5, "{spec}: {rules} rules");
    }
}

#[test]
fn a_slice_that_its_tick_has_room_for_is_filled_whatever_clocks_do() {
    for spec in [
        "snowflake",
        "uuid_v7:tail=counter",
        "uuid_v7:tail=monotonic",
        "ulid:tail=monotonic",
    ] {
        run(spec, InFull(spec));
    }
}
