use super::*;
use crate::inspect::bits::Bits;
use crate::random::{bits128, stream};
use crate::scheme::{Scheme, UuidV4};
use rand::Rng;
use std::collections::BTreeMap;

fn random_ids(seed: u64, ids: usize) -> Vec<u128> {
    let mut random = stream(seed, "inspect.random", 0);
    (0..ids).map(|_| bits128(&mut random)).collect()
}

fn of(ids: &[u128]) -> Randomness<u128> {
    let mut randomness = Randomness::new(128);
    ids.chunks(100).for_each(|batch| randomness.see(batch));
    randomness
}

fn test(ids: &[u128], name: &str) -> Test {
    let tested = of(ids).test_raw();
    let test = tested.tests.into_iter().find(|test| test.name == name);
    test.unwrap()
}

const ALL: [&str; 8] = [
    "monobit",
    "worst_bit",
    "runs",
    "worst_neighbours",
    "collisions_32",
    "collisions_64",
    "spacings",
    "common_byte",
];

/// Of 400 lists, p-values below α are α of them (for counts of few: at most), within what a
/// right program exceeds less than once in a million of such checks.
#[test]
fn false_alarms_are_as_many_as_stated() {
    const LISTS: u64 = 400;
    let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let mut verdicts: BTreeMap<Verdict, u64> = BTreeMap::new();
    for seed in 0..LISTS {
        let tested = of(&random_ids(seed, 1500)).test_raw();
        *verdicts.entry(tested.verdict().unwrap()).or_default() += 1;
        for test in tested.tests {
            values.entry(test.name).or_default().push(test.p);
        }
    }
    assert!(ALL.iter().all(|name| values.contains_key(name)));
    for (name, values) in values {
        for alpha in [0.01, 0.1, 0.3, 0.5] {
            let found = values.iter().filter(|p| **p < alpha).count() as f64;
            let mean = LISTS as f64 * alpha;
            // Binomial: 5.5 standard deviations, and a little for the skew of rare ones.
            let most = mean + 5.5 * (mean * (1.0 - alpha)).sqrt() + 5.0;
            let least = mean - 5.5 * (mean * (1.0 - alpha)).sqrt() - 5.0;
            assert!(found <= most, "{name}: {found} of {LISTS} below {alpha}");
            // Few collisions, and the correction for whole numbers, make p-values larger.
            let exact = ["monobit", "runs", "worst_bit", "worst_neighbours"].contains(&name);
            assert!(
                !exact || found >= 0.8 * least,
                "{name}: {found} of {LISTS} below {alpha}"
            );
        }
    }
    // At most one of 100, and one of 10,000.
    let weak = verdicts.get(&Verdict::Weak).copied().unwrap_or(0);
    assert!(weak <= 25, "{weak}");
    assert!(verdicts.get(&Verdict::Fail).copied().unwrap_or(0) <= 2);
}

#[test]
fn a_bit_that_is_one_in_52_of_100_is_found() {
    let mut random = stream(1, "inspect.bias", 0);
    let mut ids = random_ids(1, 100_000);
    for id in &mut ids {
        *id &= !(1 << 60);
        *id |= u128::from(random.next_u32() % 100 < 52) << 60;
    }
    let worst = test(&ids, "worst_bit");
    assert_eq!((worst.bit, worst.verdict), (Some(127 - 60), Verdict::Fail));
    assert_eq!(test(&ids, "worst_neighbours").verdict, Verdict::Pass);
}

#[test]
fn a_block_that_comes_again_is_found() {
    let mut ids = random_ids(2, 20_000);
    ids.copy_within(3000..3010, 15_000);
    let again = test(&ids, "collisions_64");
    assert_eq!((again.found, again.verdict), (10.0, Verdict::Fail));
    let again = test(&ids, "collisions_32");
    assert_eq!(again.verdict, Verdict::Fail);
}

/// A prefix that is drawn from fewer values, bits that stick, bytes that favour one value, a
/// lattice: each is found by the test that is made for it.
#[test]
fn each_test_finds_what_it_is_made_for() {
    let mut random = stream(3, "inspect.faults", 0);
    let ids = random_ids(3, 50_000);
    let failed = |ids: &[u128], name| {
        let test = test(ids, name);
        assert_eq!(test.verdict, Verdict::Fail, "{test:?}");
    };

    let few: Vec<u128> = ids.iter().map(|id| id & !(0xff << 100)).collect();
    failed(&few, "collisions_32");

    let mut sticky = ids.clone();
    for i in 1..sticky.len() {
        if random.next_u32().is_multiple_of(20) {
            sticky[i] = sticky[i] & !2 | sticky[i - 1] & 2;
        }
    }
    let worst = test(&sticky, "worst_neighbours");
    assert_eq!((worst.bit, worst.verdict), (Some(126), Verdict::Fail));

    let mut zeros = ids.clone();
    for id in zeros.iter_mut().step_by(100) {
        *id &= !(0xff << 64);
    }
    failed(&zeros, "common_byte");

    let more: Vec<u128> = ids.iter().map(|id| id | (id >> 1 & 1 << 30)).collect();
    failed(&more, "monobit");
    // One of eight bits is that before it.
    let mut copy = |id: &u128| {
        let own = bits128(&mut random) | bits128(&mut random) | bits128(&mut random);
        id & own | id >> 1 & !own
    };
    let copies: Vec<u128> = ids.iter().map(&mut copy).collect();
    failed(&copies, "runs");

    // Multiples of one number, which look even but have few different distances.
    let mut state = 0u64;
    let lattice = |_: &u128| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        u128::from(state) << 64 | 0xffff
    };
    let lattice: Vec<u128> = ids.iter().map(lattice).collect();
    failed(&lattice, "spacings");
}

/// A thousand UUIDs: what is random passes, all of them do not.
#[test]
fn uuids_pass_stripped_and_fail_raw() {
    let ids: Vec<u128> = random_ids(4, 2316)
        .into_iter()
        .map(|id| id & !(0xf << 76 | 3 << 62) | 4 << 76 | 2 << 62)
        .collect();
    let mut bits = Bits::new(128);
    bits.see(&ids);
    let layout = UuidV4.fields();
    for layout in [&layout[..], &[]] {
        let claimed = claimed(layout, &bits.bits());
        assert_eq!(claimed.len(), 122);
        let tested = of(&ids).test(&claimed);
        assert_eq!((tested.bits, tested.verdict()), (122, Some(Verdict::Pass)));
        assert!(tested.byte_entropy_bits > Some(7.0));
    }
    let raw = of(&ids).test_raw();
    assert_eq!(raw.verdict(), Some(Verdict::Fail));
}

#[test]
fn too_few_ids_or_no_bits_are_no_test() {
    assert_eq!(of(&random_ids(5, 31)).test_raw().verdict(), None);
    assert_eq!(of(&random_ids(5, 100)).test(&[]).verdict(), None);
    assert_eq!(of(&random_ids(5, 100)).test(&[200]).verdict(), None);
    assert_eq!(of(&[]).test_raw().tests, []);
    // Equal ids, and ids of one bit, end too.
    assert_eq!(of(&[7; 2000]).test_raw().verdict(), Some(Verdict::Fail));
    let mut one = Randomness::new(1);
    one.see(&vec![1u64; 100]);
    assert_eq!(one.test_raw().verdict(), Some(Verdict::Fail));
}

#[test]
fn the_sample_is_bounded() {
    let mut randomness = Randomness::new(64);
    let batch: Vec<u64> = (0..100_000).collect();
    (0..6).for_each(|_| randomness.see(&batch));
    assert_eq!(randomness.kept.len(), SAMPLE_IDS);
    assert_eq!(randomness.ids, 600_000);
}
