//! Rows removed, against an ordered map.

use super::*;

/// Runs of keys, to be inserted or, if `bool` says so, removed.
fn runs() -> impl Strategy<Value = Vec<(bool, u64, u64)>> {
    let key = prop_oneof![0u64..300, 0..i64::MAX as u64, 0u64..1 << 14];
    prop::collection::vec((any::<bool>(), key, 1u64..60), 1..120)
}

/// Keys of the map from `start` on, or the first if there are none.
fn some<K: Key, V: Copy>(map: &BTreeMap<K, V>, start: K, count: u64) -> Vec<(K, V)> {
    let count = 2 * count as usize;
    let entries = map.range(start..).take(count).map(|(&k, &v)| (k, v));
    let found: Vec<_> = entries.collect();
    if found.is_empty() {
        return map.iter().take(count).map(|(&k, &v)| (k, v)).collect();
    }
    found
}

fn agrees<K: Key>(
    runs: &[(bool, u64, u64)],
    key: impl Fn(u64) -> K,
    (layout, column): (SqliteLayout, Column),
    payload_bytes: u32,
) {
    let options = options(payload_bytes);
    let mut tree = SqliteTree::new(layout, column, options, Uniqueness::Checked).unwrap();
    let mut oracle = BTreeMap::new();
    for &(removes, start, length) in runs {
        if removes {
            for (key, _) in some(&oracle, key(start), length) {
                assert!(tree.remove(key, &mut ()));
                assert!(!tree.remove(key, &mut ()));
                oracle.remove(&key);
            }
        } else {
            for key in (start..start + length).map(&key) {
                let bytes = tree.cell(key).local;
                assert_eq!(tree.insert(key, &mut ()), !oracle.contains_key(&key));
                oracle.insert(key, bytes);
            }
        }
        check_tree(&tree, &oracle);
    }
    let pages = tree.pages_in_use() + tree.free_pages();
    let keys: Vec<_> = oracle.into_keys().collect();
    tree.remove_all(&keys, &mut ());
    check_tree(&tree, &BTreeMap::new());
    assert_eq!((tree.pages_in_use(), tree.free_pages()), (1, pages - 1));
    assert_eq!(tree.overflow_pages(), 0);
    // All is as at first. A balance adds up to two pages a level, one more if the root is
    // full: the tree takes new ones only if fewer are free.
    for key in (0..500).map(&key) {
        let (free, numbers) = (tree.free.len(), tree.pages.len());
        tree.insert(key, &mut ());
        assert!(tree.pages.len() == numbers || free <= 2 * (tree.level + 1));
    }
    assert!(tree.pages_in_use() + tree.free_pages() >= pages);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_rowid_table_is_an_ordered_set(runs in runs(), payload in payloads()) {
        agrees(&runs, |key| key, (SqliteLayout::Rowid, Column::Bigint), payload);
    }

    #[test]
    fn a_table_without_rowid_is_an_ordered_set(runs in runs(), payload in payloads()) {
        let layout = SqliteLayout::WithoutRowid;
        agrees(&runs, |key| key, (layout, Column::Bigint), payload);
        let long = |key| u128::from(key) << 64 | 7;
        agrees(&runs, long, (layout, Column::Uuid), payload);
    }

    #[test]
    fn an_indexed_table_is_an_ordered_set(runs in runs(), payload in payloads()) {
        let checked = Uniqueness::Checked;
        let mut table = SqliteIndexed::new(Column::Bigint, options(payload), checked).unwrap();
        let mut oracle = BTreeMap::new();
        let mut rowids = BTreeMap::new();
        for (removes, start, length) in runs {
            if removes {
                for (key, rowid) in some(&oracle, start, length) {
                    assert!(table.remove(key, rowid, &mut ()));
                    assert!(!table.remove(key, rowid, &mut ()));
                    oracle.remove(&key);
                    rowids.remove(&rowid);
                }
            } else {
                for key in start..start + length {
                    if table.insert(key, &mut ()) {
                        let rowid = rowids.last_key_value().map_or(1, |(last, _)| last + 1);
                        oracle.insert(key, rowid);
                        rowids.insert(rowid, key);
                    }
                }
            }
            assert!(table.index().keys().eq(oracle.keys().copied()));
            assert!(table.table().keys().eq(rowids.keys().copied()));
        }
        check_cells(&table, &rowids, payload);
        let oldest: Vec<_> = rowids.values().copied().collect();
        table.remove_all(&oldest, &mut ());
        assert_eq!((table.table().rows(), table.index().rows()), (0, 0));
        assert!(table.insert(1, &mut ()));
        assert!(table.table().keys().eq([1]));
    }
}

/// Both trees must hold the cells of the rows, by rowid.
fn check_cells(table: &SqliteIndexed<u64>, keys: &BTreeMap<u64, u64>, payload: u32) {
    let (mut rows, mut index) = (BTreeMap::new(), BTreeMap::new());
    for (&rowid, &key) in keys {
        let [id, number] = [key, rowid].map(Value::Integer);
        let row = cell::record_bytes([id, Value::Blob(payload)]);
        rows.insert(rowid, cell::table_cell(rowid, row, 512).local);
        let entry = cell::record_bytes([id, number]);
        index.insert(key, cell::index_cell(entry, 512).local);
    }
    check_tree(table.table(), &rows);
    check_tree(table.index(), &index);
}
