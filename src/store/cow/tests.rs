use super::*;
use crate::store::Events;
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Pages and rows small and large: one row a leaf to hundreds, rows on overflow pages.
fn options() -> impl Strategy<Value = EngineOptions> {
    (9u32..13, 0u32..600).prop_map(|(log, payload_bytes)| EngineOptions {
        page_bytes: Some(1 << log),
        payload_bytes: payload_bytes % (1 << (log - 1)),
        ..Default::default()
    })
}

/// Keys that rise, lie about each other or anywhere, and share beginnings.
fn keys() -> impl Strategy<Value = Vec<u128>> {
    let key = prop_oneof![0u64..4000, any::<u64>(), 10_000u64..10_200];
    (prop::collection::vec(key, 1..3000), 1u64..5, any::<bool>()).prop_map(
        |(mut keys, prefixes, rising)| {
            if rising {
                keys.sort_unstable();
            }
            let long = |key: u64| u128::from(key % prefixes) << 64 | u128::from(key);
            keys.into_iter().map(long).collect()
        },
    )
}

/// Counts touches and the pages made.
#[derive(Default)]
struct Touches {
    begun: u64,
    made: u64,
    last: Vec<Touch>,
}

impl Sink for Touches {
    const TOUCHES: bool = true;

    fn begin(&mut self) {
        self.begun += 1;
        self.last.clear();
    }

    fn touch(&mut self, touch: Touch) {
        self.made += u64::from(touch.access == Access::New);
        self.last.push(touch);
    }

    fn insert(&mut self, event: &Insert) {
        assert!(
            self.last
                .iter()
                .any(|touch| touch.level == 0 && touch.page.number() == event.leaf)
        );
    }

    fn split(&mut self, _: &Split) {}
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn it_is_an_ordered_set(keys in keys(), options in options(), lmdb: bool) {
        let engine = if lmdb { CowEngine::Lmdb } else { CowEngine::Redb };
        let new = |uniqueness| CowTree::new(engine, Column::Uuid, options, uniqueness).unwrap();
        let (mut tree, mut events) = (new(Uniqueness::Checked), Events::default());
        let (mut oracle, mut fresh) = (BTreeSet::new(), Vec::new());
        for &key in &keys {
            let new = oracle.insert(key);
            prop_assert_eq!(tree.insert(key, &mut events), new);
            if new {
                fresh.push(key);
                prop_assert_eq!(events.inserts.last().unwrap().leaf, tree.leaf_of(key));
            }
        }
        prop_assert!(tree.keys().eq(oracle.iter().copied()));
        prop_assert_eq!(tree.rows(), oracle.len() as u64);
        prop_assert_eq!(tree.first_duplicate(), None);
        let fits = |leaf: (u32, u32, u32)| leaf.1 > 0 && leaf.2 <= tree.format.leaf.room;
        prop_assert!(tree.leaves().all(fits));
        for internal in &tree.internals {
            let children = internal.children.len() as u32;
            prop_assert!((2..=tree.format.internal.capacity()).contains(&children)
                || engine == CowEngine::Lmdb && children == 1, "{}", children);
        }
        // The leaves to the right are counted on the way down.
        let numbers: Vec<_> = tree.leaves().map(|leaf| leaf.0).collect();
        for (right, &number) in numbers.iter().rev().enumerate() {
            let key = tree.leaves.keys(number)[0];
            prop_assert_eq!(tree.locate(key).edge_distance_leaves as usize, right);
        }

        let (mut all, mut all_events) = (new(Uniqueness::Promised), Events::default());
        all.insert_all(&fresh, &mut all_events);
        prop_assert_eq!(all_events, events);
        prop_assert!(all.leaves().eq(tree.leaves()));

        let (mut touched, mut touches) = (new(Uniqueness::Promised), Touches::default());
        touched.insert_all(&fresh, &mut touches);
        prop_assert_eq!(touches.begun, touched.rows());
        prop_assert_eq!(touches.made + 1, touched.leaf_pages() + touched.internal_pages());
    }
}

#[test]
fn a_broken_promise_of_uniqueness_is_found() {
    for engine in [CowEngine::Lmdb, CowEngine::Redb] {
        let options = EngineOptions::default();
        let mut tree = CowTree::new(engine, Column::Uuid, options, Uniqueness::Promised).unwrap();
        (0..10_000u128).for_each(|key| assert!(tree.insert(key * 7919 % 10_007, &mut ())));
        assert_eq!(tree.first_duplicate(), None);
        tree.insert(5000, &mut ());
        assert_eq!(tree.first_duplicate(), Some(5000));
    }
}

#[test]
fn sizes_without_sense_are_refused() {
    let new = |engine, page_bytes, payload_bytes, fill_factor_percent| {
        let options = EngineOptions {
            page_bytes,
            payload_bytes,
            fill_factor_percent,
        };
        CowTree::<u64>::new(engine, Column::Bigint, options, Uniqueness::Promised)
            .map(|tree| tree.leaves.entries(0))
            .map_err(|error| error.to_string())
    };
    let cases = [
        (
            new(CowEngine::Lmdb, Some(5000), 0, None),
            "lmdb: a page of 5000 bytes is not valid, expected one of 512, 1024, 2048, 4096, 8192, 16384, 32768",
        ),
        (
            new(CowEngine::Redb, None, 5000, None),
            "redb: a key of 8 bytes and a payload of 5000 bytes are larger than a page of 4096",
        ),
        (
            new(CowEngine::Redb, None, 0, Some(90)),
            "redb: there is no fill factor",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, Err(expected.to_owned()));
    }
    assert_eq!(new(CowEngine::Lmdb, None, 5000, None), Ok(0));
}
