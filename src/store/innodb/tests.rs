use super::*;
use crate::id::{Column, Key20};
use crate::store::Events;
use proptest::prelude::*;
use std::collections::BTreeSet;

mod remove;

/// Pages for few records, so that a few thousand keys make many levels.
fn format(clustered: bool, page_bytes: u32) -> InnoDbFormat {
    let index = match clustered {
        true => InnoDbIndex::Clustered { payload_bytes: 1 },
        false => InnoDbIndex::Secondary {
            primary_key_bytes: 8,
        },
    };
    InnoDbFormat::new(index, Column::Bigint, page_bytes).unwrap()
}

/// What must hold of every page and between pages, whatever the rule.
fn is_sound<K: Key>(tree: &InnoDb<K>) -> Result<(), TestCaseError> {
    for (number, level) in tree.levels.iter().enumerate() {
        let mut seen = 0;
        let (mut page, mut left) = (level.leftmost, NONE);
        while page != NONE {
            let here = level.page(page);
            here.check_heap();
            prop_assert_eq!(here.left, left);
            let bounds = usize::from(number > 0 && left == NONE);
            prop_assert!(here.keys.iter().skip(bounds).is_sorted_by(|a, b| a < b));
            let used = here.heap * tree.format.record(number) + (2 * here.heap).div_ceil(4);
            prop_assert!(used <= tree.format.usable_bytes);
            if number > 0 {
                prop_assert_eq!(here.children.len(), here.keys.len());
                let below = &tree.levels[number - 1];
                let leaves = here.children.iter().map(|&child| below.page(child).leaves);
                prop_assert_eq!(here.leaves, leaves.sum::<u32>());
                for (&child, &bound) in here.children.iter().zip(&here.keys).skip(bounds) {
                    prop_assert_eq!(below.page(child).parent, page);
                    // A leaf's first record may have been removed.
                    let first = below.page(child).keys[0];
                    let removed = number == 1 && tree.most_pages > 0;
                    prop_assert!(first == bound || removed && first > bound);
                }
            }
            seen += 1;
            (left, page) = (page, here.right);
        }
        prop_assert_eq!(left, level.rightmost);
        prop_assert_eq!(seen, level.len());
    }
    let root = tree.levels.last().unwrap();
    prop_assert_eq!(root.len(), 1);
    let leaves = u64::from(root.page(tree.root()).leaves);
    prop_assert_eq!(leaves, tree.leaf_pages());
    Ok(())
}

/// A tree must be the ordered set and know each leaf's distance from the right edge.
fn agrees<K: Key>(keys: &[K], format: InnoDbFormat) -> Result<(), TestCaseError> {
    let mut tree = InnoDb::new(format);
    let (mut oracle, mut check) = (BTreeSet::new(), Events::default());
    for (index, &key) in keys.iter().enumerate() {
        let new_maximum = oracle.last().is_none_or(|&last| key > last);
        let new = oracle.insert(key);
        prop_assert_eq!(tree.insert(key, &mut check), new);
        if new {
            let event = *check.inserts.last().unwrap();
            prop_assert_eq!(event.new_maximum, new_maximum);
            prop_assert_eq!(event.leaf, tree.leaf_of(key));
            let to_here = tree.leaf_numbers().position(|leaf| leaf == event.leaf);
            let right = tree.leaf_pages() - 1 - to_here.unwrap() as u64;
            prop_assert_eq!(u64::from(event.edge_distance_leaves), right);
        }
        if index % 64 == 0 {
            is_sound(&tree)?;
        }
    }
    is_sound(&tree)?;
    prop_assert!(tree.keys().eq(oracle.iter().copied()));
    prop_assert_eq!(tree.rows(), oracle.len() as u64);
    prop_assert_eq!(tree.splits(), check.splits.len() as u64);
    let (mut at_once, mut events) = (InnoDb::new(format), Events::default());
    at_once.insert_all(keys, &mut events);
    prop_assert!(events == check);
    prop_assert!(at_once.leaves().eq(tree.leaves()));
    let leaf_splits = check.splits.iter().filter(|split| split.level == 0);
    prop_assert_eq!(tree.leaf_pages(), 1 + leaf_splits.count() as u64);
    Ok(())
}

/// Runs up and down, and single keys: each branch of the rule wants its own.
fn keys() -> impl Strategy<Value = Vec<u64>> {
    let start = || prop_oneof![0u64..2000, 1_000_000u64..1_000_100, any::<u64>()];
    let up =
        (start(), 1u64..60).prop_map(|(key, n)| (0..n).map(|i| key.saturating_add(i)).collect());
    let down =
        (start(), 1u64..60).prop_map(|(key, n)| (0..n).map(|i| key.saturating_sub(i)).collect());
    let near = prop::collection::vec(start(), 1..60);
    let nearly_sorted =
        (start(), prop::collection::vec(0u64..40, 1..60)).prop_map(|(key, late)| {
            (0..)
                .zip(late)
                .map(|(i, late)| key.saturating_add(i * 8 + late))
                .collect()
        });
    prop::collection::vec(prop_oneof![up, down, near, nearly_sorted], 1..40)
        .prop_map(|runs: Vec<Vec<u64>>| runs.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn it_is_an_ordered_set(keys in keys(), clustered: bool, page_bytes in 220u32..700) {
        agrees(&keys, format(clustered, page_bytes))?;
    }

    #[test]
    fn long_keys_are_ordered_too(keys in keys(), clustered: bool) {
        let long = |key: u64| Key20::new((key >> 62) as u32, u128::from(key) << 60);
        agrees(&keys.into_iter().map(long).collect::<Vec<_>>(), format(clustered, 300))?;
    }
}

/// Disorder at the edge sends records to siblings, and their parents are merged.
#[test]
fn sparse_internal_pages_are_merged() {
    let mut merges = 0;
    for page_bytes in 220..400 {
        let mut tree = InnoDb::new(format(true, page_bytes));
        let mut random = 1u64;
        for key in 0..3000u64 {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1);
            tree.insert(key * 10 + (random >> 60) * 10, &mut ());
            tree.insert(key * 10 + (random >> 59) % 10, &mut ());
        }
        is_sound(&tree).unwrap();
        assert!(tree.sibling_inserts() > 0, "{page_bytes}");
        assert!(tree.index_page_merge_attempts() >= tree.merges());
        merges += tree.merges();
    }
    assert!(merges > 0);
}

#[test]
fn sizes_that_cannot_be_are_refused() {
    let new = |payload_bytes, page_bytes| {
        let index = InnoDbIndex::Clustered { payload_bytes };
        InnoDbFormat::new(index, Column::Uuid, page_bytes)
    };
    assert!(new(8000, 16384).is_ok());
    for (payload_bytes, page_bytes) in [(8100, 16384), (u32::MAX, 16384), (0, 150), (0, 0)] {
        assert!(new(payload_bytes, page_bytes).is_err());
    }
    assert!(new(0, u32::MAX).is_err());
    let index = InnoDbIndex::Secondary {
        primary_key_bytes: u32::MAX,
    };
    assert!(InnoDbFormat::new(index, Column::Bytes(u32::MAX), 16384).is_err());
}

#[test]
fn records_have_the_documented_widths() {
    let records = |index, column| {
        InnoDbFormat::new(index, column, 16384)
            .unwrap()
            .record_bytes
    };
    let clustered = |payload_bytes| InnoDbIndex::Clustered { payload_bytes };
    assert_eq!(records(clustered(0), Column::Uuid), [34, 25]);
    assert_eq!(records(clustered(100), Column::Bigint), [127, 17]);
    assert_eq!(records(clustered(400), Column::Uuid), [436, 25]);
    let secondary = InnoDbIndex::Secondary {
        primary_key_bytes: 8,
    };
    assert_eq!(records(secondary, Column::Bytes(20)), [33, 37]);
}
