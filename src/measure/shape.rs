//! The tree as it stands: pages, fill, fragmentation, where the newest rows are.

use super::Rows;
use crate::id::Key;
use crate::record::{Measured, Number};
use crate::store::{Leaf, Size, Tree};

pub(super) const ROWS: Measured = Measured {
    name: "rows",
    unit: "rows",
    about: "rows in the index",
};
pub(super) const LEAF_PAGES: Measured = Measured {
    name: "leaf_pages",
    unit: "pages",
    about: "leaf pages; pgstatindex.leaf_pages",
};
pub(super) const INTERNAL_PAGES: Measured = Measured {
    name: "internal_pages",
    unit: "pages",
    about: "internal pages, the root included; pgstatindex.internal_pages",
};
pub(super) const TREE_LEVEL: Measured = Measured {
    name: "tree_level",
    unit: "levels",
    about: "level of the root, 0 for a lone leaf; pgstatindex.tree_level",
};
/// Size of the index.
pub const INDEX_BYTES: Measured = Measured {
    name: "index_bytes",
    unit: "bytes",
    about: "size of the index's file, metapage included (with x: after so many inserts); pg_relation_size",
};
/// Mean fill of the leaves.
pub const FILL_MEAN: Measured = Measured {
    name: "fill_mean",
    unit: "share",
    about: "used share of the leaves' usable bytes, high keys counted as used; pgstatindex.avg_leaf_density / 100",
};
pub(super) const INTERNAL_FILL_MEAN: Measured = Measured {
    name: "internal_fill_mean",
    unit: "share",
    about: "used share of the internal pages' usable bytes, high keys counted as used",
};
pub(super) const LEAF_PAGES_BY_FILL: Measured = Measured {
    name: "leaf_pages_by_fill",
    unit: "pages",
    about: "leaf pages whose fill lies in the 5 points up to x per cent",
};
pub(super) const LEAF_ITEMS_P05: Measured = Measured {
    name: "leaf_items_p05",
    unit: "entries",
    about: "entries a leaf, 5th percentile over leaves, the high key not counted",
};
pub(super) const LEAF_ITEMS_P50: Measured = Measured {
    name: "leaf_items_p50",
    unit: "entries",
    about: "the same, median",
};
pub(super) const LEAF_ITEMS_P95: Measured = Measured {
    name: "leaf_items_p95",
    unit: "entries",
    about: "the same, 95th percentile",
};
pub(super) const LEAF_ITEMS_MEAN: Measured = Measured {
    name: "leaf_items_mean",
    unit: "entries",
    about: "the same, mean",
};
pub(super) const FRAGMENTATION_SHARE: Measured = Measured {
    name: "fragmentation_share",
    unit: "share",
    about: "leaves whose right neighbour was allocated earlier; pgstatindex.leaf_fragmentation / 100",
};
pub(super) const FREE_PAGES: Measured = Measured {
    name: "free_pages",
    unit: "pages",
    about: "pages of the file that a purge took out of the tree and nothing uses yet; pgstatindex.deleted_pages",
};
pub(super) const NEWEST_100_LEAVES: Measured = Measured {
    name: "newest_100_leaves",
    unit: "pages",
    about: "leaf pages that hold the newest 100 rows",
};

pub(super) const NEWEST_10K_LEAVES: Measured = Measured {
    name: "newest_10k_leaves",
    unit: "pages",
    about: "leaf pages that hold the newest 10,000 rows: what a query for a stretch of time reads (of a random row it reads tree_level + 1 pages)",
};

const FILL_BINS: u64 = 20;

/// Writes a point of the curve of index size, after so many inserts.
pub fn size<K: Key>(tree: &impl Tree<K>, inserts: u64, rows: &mut Rows) {
    rows.point(&INDEX_BYTES, inserts, tree.size().index_bytes);
}

/// Writes the totals of a tree of this size with these leaves, from left to right.
pub fn shape(size: &Size, leaves: impl Iterator<Item = Leaf>, rows: &mut Rows) {
    rows.total(&ROWS, size.rows);
    rows.total(&LEAF_PAGES, size.leaf_pages);
    rows.total(&INTERNAL_PAGES, size.internal_pages);
    rows.total(&TREE_LEVEL, size.tree_level);
    rows.total(&INDEX_BYTES, size.index_bytes);
    let usable_bytes = u64::from(size.leaf_usable_bytes);
    let mut bins = [0u64; FILL_BINS as usize];
    let (mut used_bytes, mut descents, mut last) = (0, 0, 0);
    let mut entries = Vec::with_capacity(size.leaf_pages as usize);
    for leaf in leaves {
        let used = u64::from(leaf.used_bytes);
        let bin = (used * FILL_BINS).div_ceil(usable_bytes);
        bins[bin.clamp(1, FILL_BINS) as usize - 1] += 1;
        used_bytes += used;
        descents += u64::from(leaf.number < std::mem::replace(&mut last, leaf.number));
        entries.push(leaf.entries);
    }
    rows.total(
        &FILL_MEAN,
        Number::ratio(used_bytes, usable_bytes * size.leaf_pages),
    );
    if size.internal_pages > 0 {
        let usable_bytes = size.internal_pages * u64::from(size.internal_usable_bytes);
        let fill = Number::ratio(size.internal_used_bytes, usable_bytes);
        rows.total(&INTERNAL_FILL_MEAN, fill);
    }
    entries.sort_unstable();
    let quantile = |per_cent: usize| entries[(entries.len() * per_cent).div_ceil(100).max(1) - 1];
    rows.total(&LEAF_ITEMS_P05, quantile(5));
    rows.total(&LEAF_ITEMS_P50, quantile(50));
    rows.total(&LEAF_ITEMS_P95, quantile(95));
    rows.total(
        &LEAF_ITEMS_MEAN,
        Number::ratio(
            entries.iter().copied().map(u64::from).sum(),
            size.leaf_pages,
        ),
    );
    rows.total(
        &FRAGMENTATION_SHARE,
        Number::ratio(descents, size.leaf_pages),
    );
    for (bin, leaves) in (1..).zip(bins) {
        rows.point(&LEAF_PAGES_BY_FILL, bin * 100 / FILL_BINS, leaves);
    }
}

/// Writes how many leaves hold the newest 100 rows, and the newest 10,000, if there are as many.
pub fn newest_rows<K: Key>(tree: &impl Tree<K>, newest: &[K], rows: &mut Rows) {
    for (measured, count) in [(&NEWEST_100_LEAVES, 100), (&NEWEST_10K_LEAVES, 10_000)] {
        let Some(start) = newest.len().checked_sub(count) else {
            return;
        };
        let mut leaves: Vec<_> = newest[start..]
            .iter()
            .map(|&key| tree.leaf_of(key))
            .collect();
        leaves.sort_unstable();
        leaves.dedup();
        rows.total(measured, leaves.len() as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EngineOptions, Geometry, TEXTBOOK};
    use crate::id::Column;
    use crate::record::{Parameters, Row};
    use crate::store::{BTree, Uniqueness};

    /// Four entries of 16 bytes a leaf; of five, two stay on the left page.
    fn tree(keys: impl IntoIterator<Item = u64>) -> BTree<u64> {
        let options = EngineOptions {
            page_bytes: Some(64),
            ..EngineOptions::default()
        };
        let geometry = Geometry::new(&TEXTBOOK, Column::Bigint, options).unwrap();
        let leaf = geometry.leaf[0];
        assert_eq!((leaf.capacity, leaf.left_entries), (4, [2; 2]));
        let mut tree = BTree::new(geometry, Uniqueness::Checked);
        keys.into_iter()
            .for_each(|key| assert!(tree.insert(key, &mut ())));
        tree
    }

    fn totals(tree: &BTree<u64>, newest: &[u64]) -> Vec<Row> {
        let mut rows = Rows::new("", "", "", Parameters::new());
        shape(
            &Tree::<u64>::size(tree),
            Tree::<u64>::leaves(tree),
            &mut rows,
        );
        newest_rows(tree, newest, &mut rows);
        rows.into_rows()
    }

    fn value(rows: &[Row], measured: &Measured) -> f64 {
        let found = rows
            .iter()
            .find(|row| row.measure == measured.name && row.x.is_none());
        found.unwrap().value.as_f64()
    }

    #[test]
    fn fill_and_histogram_of_a_hand_made_tree() {
        // 0 1 | 2 3 | 4 5 6: two leaves half full, one at three quarters.
        let tree = tree(0..7);
        let entries: Vec<_> = tree.leaves().map(|leaf| leaf.1).collect();
        assert_eq!(entries, [2, 2, 3]);
        let rows = totals(&tree, &[]);
        assert_eq!(value(&rows, &FILL_MEAN), 7.0 / 12.0);
        assert_eq!(value(&rows, &FRAGMENTATION_SHARE), 0.0);
        let bins = rows
            .iter()
            .filter(|row| row.measure == LEAF_PAGES_BY_FILL.name);
        let filled: Vec<_> = bins
            .map(|row| (row.x.unwrap().as_f64(), row.value.as_f64()))
            .filter(|bin| bin.1 > 0.0)
            .collect();
        assert_eq!(filled, [(50.0, 2.0), (75.0, 1.0)]);
        assert!(rows.iter().all(|row| row.measure != NEWEST_100_LEAVES.name));
    }

    #[test]
    fn fragmentation_counts_leaves_before_an_older_one() {
        // 0 10 | 20 30 40, then 1 2 3 split the left leaf: leaf 2 lies before leaf 1.
        let tree = tree([0, 10, 20, 30, 40, 1, 2, 3]);
        let numbers: Vec<_> = tree.leaves().map(|leaf| leaf.0).collect();
        assert_eq!(numbers, [0, 2, 1]);
        let rows = totals(&tree, &[]);
        assert_eq!(value(&rows, &FRAGMENTATION_SHARE), 1.0 / 3.0);
    }

    #[test]
    fn the_newest_rows_are_counted_by_leaf() {
        let tree = tree(0..1000);
        let newest: Vec<u64> = (900..1000).collect();
        // Two to a leaf, but for the last one's.
        let leaves = value(&totals(&tree, &newest), &NEWEST_100_LEAVES);
        assert!((49.0..=50.0).contains(&leaves), "{leaves}");
        let scattered: Vec<u64> = (0..100).map(|i| i * 10).collect();
        assert_eq!(value(&totals(&tree, &scattered), &NEWEST_100_LEAVES), 100.0);
    }
}
