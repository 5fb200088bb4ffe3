use super::*;
use crate::clock::NS_PER_MS;
use crate::dump::Dump;
use crate::fleet::{Arrivals, Clocks, Fleet, FleetSpec, Latency};
use crate::scheme::Spec;
use std::io::Cursor;

/// The first ids of a fleet as text, a line each.
struct Text(FleetSpec, usize);

impl Visitor for Text {
    type Output = String;

    fn visit<S: Scheme>(self, scheme: S) -> String {
        let mut fleet = Fleet::new(scheme, self.0).unwrap();
        (0..self.1)
            .map(|_| format!("{}\n", fleet.issue().unwrap().id))
            .collect()
    }
}

/// What `sim ids` prints with so many writers, all else by default.
fn list(spec: &Spec, writers: u32, seed: u64, ids: usize) -> String {
    // Baidu's seconds hold 8,192 of a writer's ids.
    let slow = writers == 1 && spec.name.starts_with("baidu");
    let fleet = FleetSpec {
        writers,
        arrivals: Arrivals::Poisson,
        clocks: Clocks::Offset {
            sd_ns: 2 * NS_PER_MS,
        },
        latency: Latency::Exponential { mean_ns: NS_PER_MS },
        ..FleetSpec::single(if slow { 1000 } else { 10_000 }, seed)
    };
    scheme::visit(spec, Text(fleet, ids)).unwrap()
}

fn read(text: &str) -> Recognised {
    let dump = Dump::list(Cursor::new(text.as_bytes().to_vec()), &[]).unwrap();
    let heads = dump.kinds().into_iter().map(|kind| (kind, dump.head(kind)));
    recognise(&heads.collect::<Vec<_>>(), NOW)
}

/// When it is asked: 2026-06-01, months after the fleets' ids.
const NOW: Timestamp = Timestamp::from_ms(1_780_272_000_000);

/// Every scheme by its default, in its variants, and every preset; by the name that is expected.
fn all() -> Vec<(Spec, String)> {
    let schemes = scheme::SCHEMES.iter().map(|scheme| scheme.name);
    let presets = scheme::PRESETS.iter().map(|preset| preset.name);
    let variants = [
        "uuid_v7:tail=counter",
        "uuid_v7:tail=counter42",
        "uuid_v7:tail=fraction",
        "uuid_v7:tail=monotonic",
        "ulid:tail=monotonic",
        "comb:time=unix_ms",
        "ticket_block:size=300",
        "stride:step=20",
    ];
    let named = schemes.chain(presets).chain(variants);
    let spec = |name: &str| {
        let spec = match name.starts_with("baidu") {
            // Its own epoch was used up in 2024.
            true => format!("{name}:epoch_ms=1704067200000"),
            false => name.to_owned(),
        };
        (spec.parse().unwrap(), name.to_owned())
    };
    named.map(spec).collect()
}

/// Share of lists whose scheme is the best or equal to it, and the most names that were equal;
/// what was wrong goes to stderr.
fn share(seeds: std::ops::Range<u64>) -> (f64, usize) {
    let (mut lists, mut right, mut names, mut most) = (0, 0, 0, 0);
    for (spec, name) in all() {
        for writers in [16, 1] {
            for seed in seeds.clone() {
                let text = list(&spec, writers, seed, 100);
                let found = read(&text);
                let equals: Vec<&str> = found.equals.iter().flat_map(Fit::names).collect();
                // Steps of a stride show where one writer takes them alone.
                let base = name.split(':').next().unwrap();
                let is_right = equals.contains(&&*name)
                    || matches!(base, "stride" | "ticket_block") && equals.contains(&base);
                lists += 1;
                right += u32::from(is_right);
                names += equals.len();
                most = most.max(equals.len());
                if !is_right {
                    eprintln!("{name}, {writers} writers, seed {seed}: {equals:?}");
                }
            }
        }
    }
    let mean = names as f64 / f64::from(lists);
    eprintln!("{right} of {lists} right, {mean:.2} names on average, {most} at most");
    assert!(mean < 2.5, "{mean} names on average");
    (f64::from(right) / f64::from(lists), most)
}

/// A counter that all draw from looks the same whoever draws, with or without blocks.
const MOST_EQUALS: usize = 7;

#[test]
fn lists_of_a_hundred_ids_are_recognised() {
    let (right, most) = share(0..20);
    assert!(right >= 0.999 && most <= MOST_EQUALS, "{right}, {most}");
}

#[test]
#[ignore = "minutes, unless optimised"]
fn lists_of_a_hundred_ids_are_recognised_by_a_thousand_seeds() {
    let (right, most) = share(0..1000);
    assert!(right >= 0.999 && most <= MOST_EQUALS, "{right}, {most}");
}

#[test]
fn numbers_at_random_are_of_no_scheme() {
    use rand::Rng;
    let mut random = crate::random::stream(1, "test", 0);
    for bits in [64, 60, 53] {
        let text: String = (0..200)
            .map(|_| format!("{}\n", random.next_u64() >> (64 - bits)))
            .collect();
        assert_eq!(read(&text).equals, [], "{bits} bits");
    }
}

#[test]
fn instants_that_are_not_plausible_are_said() {
    let found = read("7ZZZZZZZZZZZZZZZZZZZZZZZZZ\n");
    assert!(
        found
            .equals
            .iter()
            .all(|fit| fit.why.contains("not plausible")),
        "{found:?}"
    );
    assert_eq!(recognise(&[], NOW).best(), None);
}

/// Two epochs fit; what would be in the future stands behind, and so does what no service has.
#[test]
fn of_equals_the_well_founded_one_is_first() {
    let best = |text: &str| read(text).best().map(|fit| fit.spec.clone());
    let lists = |name: &str, seed| list(&name.parse().unwrap(), 16, seed, 300);
    for seed in 0..5 {
        assert_eq!(
            best(&lists("snowflake", seed)).as_deref(),
            Some("snowflake")
        );
        assert_eq!(best(&lists("discord", seed)).as_deref(), Some("discord"));
    }
    assert_eq!(best("1541815603606036480\n").as_deref(), Some("snowflake"));
    let found = read(&lists("snowflake", 1));
    let future: Vec<_> = found.equals.iter().map(|fit| fit.is_future).collect();
    assert_eq!(future, [false, true], "{found:?}");
    assert!(found.equals[1].why.starts_with("in the future; "));
}
