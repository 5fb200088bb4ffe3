//! Rows removed, against an ordered set.

use super::*;

/// Runs of keys, to be inserted or, if `bool` says so, removed.
fn runs() -> impl Strategy<Value = Vec<(bool, u64, u64)>> {
    let key = prop_oneof![0u64..300, any::<u64>(), 0u64..1 << 14];
    prop::collection::vec((any::<bool>(), key, 1u64..60), 1..120)
}

/// Keys of the set from `start` on, or the first if there are none.
fn some(set: &BTreeSet<u64>, start: u64, count: u64) -> Vec<u64> {
    let count = 2 * count as usize;
    let found: Vec<_> = set.range(start..).take(count).copied().collect();
    match found.is_empty() {
        true => set.iter().take(count).copied().collect(),
        false => found,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn it_is_an_ordered_set(runs in runs(), clustered: bool, page_bytes in 220u32..700) {
        let mut tree = InnoDb::new(format(clustered, page_bytes));
        let mut oracle = BTreeSet::new();
        for (removes, start, length) in runs {
            if removes {
                for key in some(&oracle, start, length) {
                    prop_assert!(tree.remove(key, &mut ()));
                    prop_assert!(!tree.remove(key, &mut ()));
                    oracle.remove(&key);
                }
            } else {
                for step in 0..length {
                    let key = start.saturating_add(step);
                    prop_assert_eq!(tree.insert(key, &mut ()), oracle.insert(key));
                }
            }
            is_sound(&tree)?;
            prop_assert!(tree.keys().eq(oracle.iter().copied()));
            prop_assert_eq!(tree.rows(), oracle.len() as u64);
        }
        let pages = tree.leaf_pages() + tree.internal_pages();
        let free = tree.free_pages();
        let keys: Vec<_> = oracle.into_iter().collect();
        tree.remove_all(&keys, &mut ());
        is_sound(&tree)?;
        prop_assert_eq!((tree.rows(), tree.leaf_pages(), tree.internal_pages()), (0, 1, 0));
        prop_assert_eq!(tree.free_pages(), pages + free - 1);
    }

    #[test]
    fn both_trees_lose_the_oldest_rows(keys in keys(), removed in 0usize..400) {
        let mut table = InnoDbIndexed::new(Column::Bigint, 10, 400).unwrap();
        let mut rows = Vec::new();
        for key in keys {
            if !rows.contains(&key) {
                table.insert(key, &mut ());
                rows.push(key);
            }
        }
        let last = rows.len() as u64;
        let gone: Vec<_> = rows.drain(..removed.min(rows.len())).collect();
        table.remove_all(&gone, &mut ());
        is_sound(table.table())?;
        is_sound(table.index())?;
        prop_assert!(table.table().keys().eq(gone.len() as u64 + 1..=last));
        let left: BTreeSet<_> = rows.into_iter().collect();
        prop_assert!(table.index().keys().eq(left));
        // The counter never goes back.
        table.insert(gone.first().copied().unwrap_or(5_000_000), &mut ());
        prop_assert_eq!(table.table().keys().last(), Some(last + 1));
    }
}
