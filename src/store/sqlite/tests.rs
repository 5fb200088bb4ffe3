use super::*;
use crate::store::Events;
use proptest::prelude::*;
use std::collections::BTreeMap;

mod remove;

fn options(payload_bytes: u32) -> EngineOptions {
    EngineOptions {
        page_bytes: Some(512),
        payload_bytes,
        ..Default::default()
    }
}

/// The leaves below a page that holds keys above `low` and up to `high`, after
/// all that is counted has been counted anew.
fn check_page<K: Key>(
    tree: &SqliteTree<K>,
    page: u32,
    level: u32,
    low: Option<K>,
    high: Option<K>,
) -> u32 {
    let (keys, bytes) = cells(tree, page);
    assert_eq!(tree.pages.is_internal(page), level > 0);
    let sorted = match level {
        0 => tree.pages.sorted(page),
        _ => keys.len(),
    };
    assert!(keys[..sorted].is_sorted_by(|a, b| a < b));
    let within = |key: &K| low.is_none_or(|low| low < *key) && high.is_none_or(|high| *key <= high);
    assert!(keys.iter().all(within));
    let used: u32 = bytes.iter().map(|&bytes| cell::cost(bytes, level)).sum();
    assert_eq!(tree.pages.used(page), used);
    assert!(used <= tree.room(level));
    if level == 0 {
        // A removed row's rowid may stay the upper bound of its leaf.
        let exact = tree.layout == SqliteLayout::Rowid && tree.removed == 0;
        let directory = &tree.directory;
        let at = high.map_or(directory.last(), |high| directory.find(high));
        assert_eq!(directory.leaf(at), page);
        assert_eq!((directory.low(at), directory.high(at)), (low, high));
        if let (true, Some(high)) = (exact, high) {
            assert_eq!(keys.iter().max(), Some(&high));
        }
        return 1;
    }
    let number = page;
    let page = tree.pages.internal(number);
    assert_eq!(page.children.len(), page.keys.len() + 1);
    let mut leaves = 0;
    for (slot, &child) in page.children.iter().enumerate().rev() {
        assert_eq!(tree.pages.above(child), number);
        let high = page.keys.get(slot).copied().or(high);
        let low = slot.checked_sub(1).map(|slot| page.keys[slot]).or(low);
        leaves += check_page(tree, child, level - 1, low, high);
    }
    leaves
}

/// The keys of a page and the sizes of their cells.
fn cells<K: Key>(tree: &SqliteTree<K>, page: u32) -> (Vec<K>, Vec<u16>) {
    let (keys, bytes) = match tree.pages.is_internal(page) {
        true => {
            let page = tree.pages.internal(page);
            (&page.keys[..], &page.bytes[..])
        }
        false => (tree.pages.keys(page), tree.pages.bytes(page)),
    };
    let bytes = match tree.uniform {
        Some(cell) => vec![cell.local; keys.len()],
        None => bytes.to_vec(),
    };
    assert_eq!(keys.len(), bytes.len());
    (keys.to_vec(), bytes)
}

/// A tree must hold what the ordered map holds, whose values are the sizes of
/// the cells, in pages that keep all promises.
fn check_tree<K: Key>(tree: &SqliteTree<K>, oracle: &BTreeMap<K, u16>) {
    assert!(tree.keys().eq(oracle.keys().copied()));
    assert_eq!(tree.rows(), oracle.len() as u64);
    assert_eq!(tree.first_duplicate(), None);
    let leaves = check_page(tree, ROOT, tree.level, None, None);
    assert_eq!(u64::from(leaves), tree.leaf_pages());
    let last = tree.directory.last();
    assert_eq!((tree.last, tree.last_low), (last, tree.directory.low(last)));
    let leaves: Vec<_> = tree.leaves().collect();
    assert_eq!(leaves.len() as u64, tree.leaf_pages());
    for (right, leaf) in leaves.iter().rev().enumerate() {
        let at = tree.directory.before(last, right);
        assert_eq!(tree.directory.leaf(at), leaf.0);
        assert_eq!(tree.directory.leaves_right(at) as usize, right);
    }
    let internal = |&page: &u32| tree.pages.is_internal(page);
    let internal_pages = (0..tree.pages.len()).filter(internal).count();
    assert_eq!(internal_pages as u64, tree.internal_pages());
    // In an index every entry is on one page; in a table all are in the leaves.
    let counted = |page: &u32| tree.is_index() || !internal(page);
    let mut entries = BTreeMap::new();
    for page in (0..tree.pages.len()).filter(counted) {
        let (keys, bytes) = cells(tree, page);
        entries.extend(keys.into_iter().zip(bytes));
    }
    assert_eq!(entries, *oracle);
}

/// What the event must say about the key that was inserted last.
fn check_event<K: Key>(tree: &SqliteTree<K>, check: &Events, key: K, new_maximum: bool) {
    let event = check.inserts.last().unwrap();
    assert_eq!(event.new_maximum, new_maximum);
    assert_eq!(event.leaf, tree.leaf_of(key));
    let right = tree
        .leaves()
        .skip_while(|leaf| leaf.0 != event.leaf)
        .count()
        - 1;
    assert_eq!(event.edge_distance_leaves as usize, right);
}

fn agrees<K: Key>(keys: &[K], layout: SqliteLayout, column: Column, payload_bytes: u32) {
    let mut tree =
        SqliteTree::new(layout, column, options(payload_bytes), Uniqueness::Checked).unwrap();
    let mut oracle = BTreeMap::new();
    let mut check = Events::default();
    for &key in keys {
        let new_maximum = oracle.last_key_value().is_none_or(|(&last, _)| key > last);
        let new = !oracle.contains_key(&key);
        assert_eq!(tree.insert(key, &mut check), new);
        if new {
            let payload = Value::Blob(payload_bytes);
            let bytes = match layout {
                SqliteLayout::Rowid => {
                    let record = cell::record_bytes([Value::Null, payload]);
                    cell::table_cell(key, record, 512)
                }
                _ => {
                    let record = cell::record_bytes([Value::key(key, column), payload]);
                    cell::index_cell(record, 512)
                }
            };
            oracle.insert(key, bytes.local);
            check_event(&tree, &check, key, new_maximum);
        }
    }
    check_tree(&tree, &oracle);

    let mut all =
        SqliteTree::new(layout, column, options(payload_bytes), Uniqueness::Checked).unwrap();
    let mut check_all = Events::default();
    all.insert_all(keys, &mut check_all);
    assert_eq!(check_all, check);
    check_tree(&all, &oracle);
    let leaf_splits = check.splits.iter().filter(|split| split.level == 0);
    assert!(leaf_splits.count() as u64 + 1 >= tree.leaf_pages());
}

/// Keys of all sizes, some of them twice, some in a row.
fn keys() -> impl Strategy<Value = Vec<u64>> {
    let key = prop_oneof![0u64..300, 0..i64::MAX as u64, 0u64..1 << 20];
    let run = (key, 1u64..40);
    prop::collection::vec(run, 1..300).prop_map(|runs| {
        let run = |(start, length)| (0..length).map(move |step| start + step);
        runs.into_iter().flat_map(run).take(1500).collect()
    })
}

fn payloads() -> impl Strategy<Value = u32> {
    prop_oneof![0u32..200, Just(440), Just(5000)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_rowid_table_is_an_ordered_set(keys in keys(), payload in payloads()) {
        agrees(&keys, SqliteLayout::Rowid, Column::Bigint, payload);
    }

    #[test]
    fn a_table_without_rowid_is_an_ordered_set(keys in keys(), payload in payloads()) {
        agrees(&keys, SqliteLayout::WithoutRowid, Column::Bigint, payload);
        let long: Vec<_> = keys.iter().map(|&key| u128::from(key) << 64 | 7).collect();
        agrees(&long, SqliteLayout::WithoutRowid, Column::Uuid, payload);
    }

    #[test]
    fn an_indexed_table_is_an_ordered_set(keys in keys(), payload in payloads()) {
        let mut table = SqliteIndexed::new(Column::Bigint, options(payload), Uniqueness::Checked).unwrap();
        let (mut rows, mut index) = (BTreeMap::new(), BTreeMap::new());
        let mut check = Events::default();
        for &key in &keys {
            let new_maximum = index.last_key_value().is_none_or(|(&last, _)| key > last);
            let new = !index.contains_key(&key);
            assert_eq!(table.insert(key, &mut check), new);
            if new {
                let rowid = rows.len() as u64 + 1;
                let [id, number] = [key, rowid].map(Value::Integer);
                let row = cell::record_bytes([id, Value::Blob(payload)]);
                rows.insert(rowid, cell::table_cell(rowid, row, 512).local);
                let entry = cell::record_bytes([id, number]);
                index.insert(key, cell::index_cell(entry, 512).local);
                check_event(table.index(), &check, key, new_maximum);
            }
        }
        check_tree(table.table(), &rows);
        check_tree(table.index(), &index);

        let mut all = SqliteIndexed::new(Column::Bigint, options(payload), Uniqueness::Checked).unwrap();
        let mut check_all = Events::default();
        all.insert_all(&keys, &mut check_all);
        assert_eq!(check_all, check);
        check_tree(all.table(), &rows);
        check_tree(all.index(), &index);
    }
}

#[test]
fn a_broken_promise_of_uniqueness_is_found() {
    for layout in [SqliteLayout::WithoutRowid, SqliteLayout::Rowid] {
        let promised = Uniqueness::Promised;
        let mut tree = SqliteTree::new(layout, Column::Bigint, options(0), promised).unwrap();
        (0..3000u64).for_each(|key| assert!(tree.insert(key * 7919 % 3001, &mut ())));
        assert_eq!(tree.first_duplicate(), None);
        for key in [1234, 999] {
            tree.insert(key, &mut ());
            assert_eq!(tree.first_duplicate(), Some(key));
        }
    }
}

#[test]
fn what_sqlite_has_not_is_refused() {
    let new = |layout, column, options| {
        SqliteTree::<u64>::new(layout, column, options, Uniqueness::Promised)
    };
    let mut bad = vec![(Column::Uuid, options(0))];
    bad.push((Column::Bigint, options(u32::MAX)));
    for page_bytes in [0, 256, 1000, 131_072] {
        let page_bytes = Some(page_bytes);
        bad.push((
            Column::Bigint,
            EngineOptions {
                page_bytes,
                ..options(0)
            },
        ));
    }
    let fill_factor_percent = Some(90);
    bad.push((
        Column::Bigint,
        EngineOptions {
            fill_factor_percent,
            ..options(0)
        },
    ));
    for (column, options) in bad {
        assert!(
            new(SqliteLayout::Rowid, column, options).is_err(),
            "{options:?}"
        );
    }
    // The largest rows keep pages within bounds, and fan-out above one.
    for page_bytes in [512, 65536] {
        let options = EngineOptions {
            page_bytes: Some(page_bytes),
            ..options(1_000_000_000)
        };
        for layout in [SqliteLayout::Rowid, SqliteLayout::WithoutRowid] {
            let mut tree = new(layout, Column::Bigint, options).unwrap();
            (0..500).for_each(|key| assert!(tree.insert(key * 7919 % 1009, &mut ())));
            check_page(&tree, ROOT, tree.level, None, None);
            assert!(tree.overflow_pages() > 500 * 1_000_000_000 / u64::from(page_bytes));
        }
    }
}
