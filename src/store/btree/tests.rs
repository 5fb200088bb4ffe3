use super::*;
use crate::engine::{EngineOptions, ORACLE_LIKE, POSTGRES, TEXTBOOK};
use crate::id::Column;
use crate::store::{Events, Touch};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// A tree of ordered leaves, as plain as can be: each leaf a sorted vector.
struct Plain<K> {
    leaves: Vec<Vec<K>>,
}

impl<K: Key> Plain<K> {
    /// Returns the leaves to the right of the one where `key` went.
    fn insert(&mut self, key: K, geometry: &Geometry) -> usize {
        let at = self
            .leaves
            .partition_point(|leaf| leaf[0] <= key)
            .saturating_sub(1);
        if self.leaves.is_empty() {
            self.leaves.push(Vec::new());
        }
        let page = geometry.leaf[usize::from(at + 1 == self.leaves.len())];
        let last =
            at + 1 == self.leaves.len() && self.leaves[at].last().is_none_or(|&last| key > last);
        let leaf = &mut self.leaves[at];
        leaf.insert(leaf.partition_point(|&other| other < key), key);
        if leaf.len() > page.capacity as usize {
            let right = leaf.split_off(page.left_entries[usize::from(last)] as usize);
            self.leaves.insert(at + 1, right);
        }
        let at = self
            .leaves
            .partition_point(|leaf| leaf[0] <= key)
            .saturating_sub(1);
        self.leaves.len() - 1 - at
    }
}

/// Small pages make four levels out of a few thousand keys. One at a time and
/// all at once, a tree must be the ordered set and have the plain tree's leaves.
fn agrees<K: Key>(keys: &[K], engine: usize) -> Result<(), TestCaseError> {
    let (engine, page_bytes) = [(&POSTGRES, 160), (&TEXTBOOK, 80), (&ORACLE_LIKE, 300)][engine];
    let options = EngineOptions {
        page_bytes: Some(page_bytes),
        ..Default::default()
    };
    let geometry = Geometry::new(engine, Column::Bigint, options).unwrap();
    let mut tree = BTree::new(geometry, Uniqueness::Checked);
    let (mut plain, mut oracle) = (Plain { leaves: Vec::new() }, BTreeSet::new());
    let mut check = Events::default();
    let mut fresh = Vec::new();
    for &key in keys {
        let new_maximum = oracle.last().is_none_or(|&last| key > last);
        let new = oracle.insert(key);
        prop_assert_eq!(tree.insert(key, &mut check), new);
        if new {
            fresh.push(key);
            let right = plain.insert(key, &geometry) as u32;
            let event = check.inserts.last().unwrap();
            prop_assert_eq!(
                (event.edge_distance_leaves, event.new_maximum),
                (right, new_maximum)
            );
            prop_assert_eq!(event.leaf, tree.leaf_of(key));
        }
    }
    prop_assert!(tree.keys().eq(oracle.iter().copied()));
    prop_assert_eq!(tree.rows(), oracle.len() as u64);
    prop_assert_eq!(tree.first_duplicate(), None);
    let found: Vec<_> = tree.leaves().map(|leaf| leaf.1).collect();
    let expected: Vec<_> = plain.leaves.iter().map(|leaf| leaf.len() as u32).collect();
    prop_assert_eq!(found, expected);

    let mut all = BTree::new(geometry, Uniqueness::Promised);
    let mut check_all = Events::default();
    all.insert_all(&fresh, &mut check_all);
    prop_assert_eq!(check_all, check);
    prop_assert!(all.leaves().eq(tree.leaves()));
    Ok(())
}

fn keys() -> impl Strategy<Value = Vec<u64>> {
    let key = prop_oneof![0u64..4000, any::<u64>(), 10_000u64..10_200];
    prop::collection::vec(key, 1..3000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn it_is_an_ordered_set_with_plain_leaves(keys in keys(), engine in 0usize..3) {
        agrees(&keys, engine)?;
    }

    /// Keys that begin alike: none, few or all share their first 8 bytes.
    #[test]
    fn keys_with_equal_beginnings_are_told_apart(keys in keys(), prefixes in 1u64..5, engine in 0usize..3) {
        let long = |key: u64| u128::from(key % prefixes) << 64 | u128::from(key);
        agrees(&keys.into_iter().map(long).collect::<Vec<_>>(), engine)?;
    }
}

#[test]
fn a_broken_promise_of_uniqueness_is_found() {
    let geometry = Geometry::new(&POSTGRES, Column::Uuid, EngineOptions::default()).unwrap();
    let mut tree = BTree::new(geometry, Uniqueness::Promised);
    (0..10_000u128).for_each(|key| assert!(tree.insert(key * 7919 % 10_007, &mut ())));
    assert_eq!(tree.first_duplicate(), None);
    tree.insert(5000, &mut ());
    assert_eq!(tree.first_duplicate(), Some(5000));
    // Every key twice in a row: some pairs are parted by a split.
    for rows in 1..3000u128 {
        let mut tree = BTree::new(geometry, Uniqueness::Promised);
        let twice = rows / 2;
        (0..rows).for_each(|row| assert!(tree.insert(row.min(twice), &mut ())));
        assert_eq!(
            tree.first_duplicate(),
            (rows > twice + 1).then_some(twice),
            "{rows}"
        );
    }
}

/// The pages that each insert asks for, as `space number access`.
#[derive(Default)]
struct Trail(Vec<String>);

impl Sink for Trail {
    const TOUCHES: bool = true;

    fn begin(&mut self) {
        self.0.push(String::new());
    }

    fn touch(&mut self, touch: Touch) {
        let space = ["leaf", "internal", "", "", "", "", "meta"][touch.page.space()];
        let (number, access) = (touch.page.number(), touch.access);
        let asked = format!("{space} {number} {access:?}, ");
        self.0.last_mut().unwrap().push_str(&asked);
    }

    fn insert(&mut self, _: &Insert) {}

    fn split(&mut self, _: &Split) {}
}

#[test]
fn pages_are_asked_for_in_the_engine_s_order() {
    let trail = |engine, page_bytes, keys: &[u64]| {
        let options = EngineOptions {
            page_bytes: Some(page_bytes),
            ..Default::default()
        };
        let geometry = Geometry::new(engine, Column::Bigint, options).unwrap();
        let mut tree = BTree::new(geometry, Uniqueness::Promised);
        let mut trail = Trail::default();
        tree.insert_all(keys, &mut trail);
        trail.0
    };
    // Six entries fill a page; four of seven stay at the right edge.
    let keys: Vec<u64> = (1..=8).chain([0, 9]).map(|key| key * 10).collect();
    assert_eq!(
        trail(&POSTGRES, 160, &keys),
        [
            "meta 0 Read, meta 0 Write, leaf 0 New, meta 0 Read, ",
            "leaf 0 Write, ",
            "leaf 0 Write, ",
            "leaf 0 Write, ",
            "leaf 0 Write, ",
            "leaf 0 Write, ",
            "leaf 0 Write, leaf 1 New, internal 0 New, meta 0 Write, ",
            "leaf 0 Read, meta 0 Read, internal 0 Read, leaf 1 Write, ",
            "internal 0 Read, leaf 0 Write, ",
            "internal 0 Read, leaf 1 Write, ",
        ]
    );
    // From level 2 on the rightmost leaf is looked at first.
    let keys: Vec<u64> = (1..=32).chain([0, 33]).collect();
    assert_eq!(
        trail(&POSTGRES, 160, &keys)[26..],
        [
            "internal 0 Read, leaf 5 Write, leaf 6 New, internal 0 Write, internal 1 New, internal 2 New, meta 0 Write, ",
            "internal 0 Read, meta 0 Read, internal 2 Read, internal 1 Read, leaf 6 Write, ",
            "leaf 6 Write, ",
            "leaf 6 Write, ",
            "leaf 6 Read, internal 2 Read, internal 1 Read, leaf 6 Write, leaf 7 New, internal 1 Write, ",
            "internal 2 Read, internal 1 Read, leaf 7 Write, ",
            "leaf 7 Read, internal 2 Read, internal 0 Read, leaf 0 Write, ",
            "internal 2 Read, internal 1 Read, leaf 7 Write, ",
        ]
    );
    // No metapage; the old right neighbour is changed as well.
    let keys = [10, 20, 30, 40, 50, 60, 1, 2, 3];
    assert_eq!(
        trail(&TEXTBOOK, 80, &keys)[4..],
        [
            "leaf 0 Write, ",
            "leaf 0 Write, leaf 1 New, internal 0 New, ",
            "internal 0 Read, leaf 0 Write, ",
            "internal 0 Read, leaf 0 Write, ",
            "internal 0 Read, leaf 0 Write, leaf 2 New, leaf 1 Write, internal 0 Write, ",
        ]
    );
}

/// Inserts batches and removes part of the keys after each: the tree must stay the
/// ordered set, each key lie where a search looks for it, and each page of the file
/// be in the tree or free.
fn agrees_after_removes(batches: &[(Vec<u64>, u64)], engine: usize) -> Result<(), TestCaseError> {
    let (engine, page_bytes) = [(&POSTGRES, 160), (&TEXTBOOK, 80), (&ORACLE_LIKE, 300)][engine];
    let options = EngineOptions {
        page_bytes: Some(page_bytes),
        ..Default::default()
    };
    let geometry = Geometry::new(engine, Column::Bigint, options).unwrap();
    let mut tree = BTree::new(geometry, Uniqueness::Checked);
    let mut all = BTree::new(geometry, Uniqueness::Promised);
    let mut oracle = BTreeSet::new();
    for (keys, every) in batches {
        let mut fresh = Vec::new();
        for &key in keys {
            let new = oracle.insert(key);
            prop_assert_eq!(tree.insert(key, &mut ()), new);
            if new {
                fresh.push(key);
            }
        }
        all.insert_all(&fresh, &mut ());
        // Ranges of keys, so that whole leaves and parents go; of one range, all keys.
        let goes = |key: &u64| *every == 0 || !(key / 64).is_multiple_of(*every);
        let gone: Vec<u64> = oracle.iter().copied().filter(goes).rev().collect();
        oracle.retain(|key| !goes(key));
        tree.remove_all(&gone);
        all.remove_all(&gone);
        prop_assert!(tree.keys().eq(oracle.iter().copied()));
        prop_assert_eq!(tree.rows(), oracle.len() as u64);
        prop_assert_eq!(tree.first_duplicate(), None);
        prop_assert!(all.leaves().eq(tree.leaves()));
        prop_assert_eq!(all.index_bytes(), tree.index_bytes());

        let chain: Vec<u32> = tree.leaf_numbers().collect();
        prop_assert_eq!(chain.len() as u64, tree.leaf_pages());
        for &key in &oracle {
            let place = tree.locate(key);
            prop_assert!(tree.leaves.keys(place.leaf).contains(&key));
            let from_right = chain.len() - 1 - place.edge_distance_leaves as usize;
            prop_assert_eq!(chain[from_right], place.leaf);
        }
        let mut pages: Vec<u32> = Vec::new();
        for (level, numbers) in tree.levels().iter().enumerate() {
            prop_assert_eq!(numbers.last(), Some(&tree.right_edge[level]));
            pages.extend(numbers.iter().map(|&number| tree.file.page(level, number)));
        }
        pages.sort_unstable();
        pages.dedup();
        let used = tree.leaf_pages() + tree.internal_pages();
        prop_assert_eq!(pages.len() as u64, used);
        let file = used + tree.free_pages() + geometry.meta_pages;
        prop_assert_eq!(tree.index_bytes(), file * u64::from(page_bytes));
        if engine.name != "postgres" {
            let empty = tree.leaves().filter(|leaf| leaf.1 == 0).count();
            prop_assert!(empty <= 1, "only the rightmost leaf may be empty");
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn it_is_an_ordered_set_after_removes(
        batches in prop::collection::vec(
            (prop::collection::vec(prop_oneof![0u64..4000, 10_000u64..10_400], 1..800), 0u64..5),
            1..8,
        ),
        engine in 0usize..3,
    ) {
        agrees_after_removes(&batches, engine)?;
    }
}

#[test]
fn a_key_that_is_there_twice_is_found_when_it_is_removed() {
    let geometry = Geometry::new(&POSTGRES, Column::Uuid, EngineOptions::default()).unwrap();
    for batches in [&[&[7, 7][..]][..], &[&[7], &[7]]] {
        let mut tree = BTree::new(geometry, Uniqueness::Promised);
        tree.insert_all(&[5u128, 7, 7, 9], &mut ());
        batches.iter().for_each(|batch| tree.remove_all(batch));
        assert_eq!((tree.first_duplicate(), tree.rows()), (Some(7), 2));
    }
}

/// Six entries fill a leaf, four of seven stay at the right edge; six children fill a parent.
#[test]
fn nbtree_keeps_an_empty_leaf_that_is_the_last_of_several() {
    let options = EngineOptions {
        page_bytes: Some(160),
        ..Default::default()
    };
    let tree = |engine| {
        let geometry = Geometry::new(engine, Column::Bigint, options).unwrap();
        let mut tree = BTree::new(geometry, Uniqueness::Promised);
        (1..=40u64).for_each(|key| assert!(tree.insert(key, &mut ())));
        tree
    };
    let mut postgres = tree(&POSTGRES);
    let first_parent = &postgres.internals[postgres.levels()[1][0] as usize];
    let children = first_parent.children.len() as u64;
    let (leaves, bytes) = (postgres.leaf_pages(), postgres.index_bytes());
    // The keys of the first parent's last leaf, then the others of that parent.
    let last: Vec<u64> = (4 * children - 3..=4 * children).collect();
    postgres.remove_all(&last);
    assert_eq!((postgres.leaf_pages(), postgres.free_pages()), (leaves, 0));
    postgres.remove_all(&(1..4 * children - 3).collect::<Vec<_>>());
    assert_eq!(postgres.leaf_pages(), leaves - children);
    // The parent went, too; nothing can be used again before the next purge.
    let free = (postgres.free_pages(), postgres.reusable_pages());
    assert_eq!(free, (children + 1, 0));
    postgres.remove_all(&[39]);
    assert_eq!(postgres.reusable_pages(), children + 1);
    (41..=48u64).for_each(|key| assert!(postgres.insert(key, &mut ())));
    assert_eq!(postgres.index_bytes(), bytes);

    let mut textbook = tree(&TEXTBOOK);
    textbook.remove_all(&(1..=39).collect::<Vec<_>>());
    assert_eq!((textbook.leaf_pages(), textbook.rows()), (1, 1));
    assert_eq!(textbook.reusable_pages(), textbook.free_pages());
}
