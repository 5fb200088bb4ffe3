//! The tree as it stands: pages, fill, fragmentation, where the newest rows are.

use super::Rows;
use crate::id::Key;
use crate::record::{Measured, Number};
use crate::store::BTree;

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
    about: "size of the index, metapage included (with x: at that row); pg_relation_size",
};
/// Mean fill of the leaves.
pub const FILL_MEAN: Measured = Measured {
    name: "fill_mean",
    unit: "share",
    about: "used share of the leaves' usable bytes, high keys counted as used; pgstatindex.avg_leaf_density / 100",
};
pub(super) const LEAF_PAGES_BY_FILL: Measured = Measured {
    name: "leaf_pages_by_fill",
    unit: "pages",
    about: "leaf pages whose fill lies in the 5 points up to x per cent",
};
pub(super) const FRAGMENTATION_SHARE: Measured = Measured {
    name: "fragmentation_share",
    unit: "share",
    about: "leaves whose right neighbour was allocated earlier; pgstatindex.leaf_fragmentation / 100",
};
pub(super) const NEWEST_100_LEAVES: Measured = Measured {
    name: "newest_100_leaves",
    unit: "pages",
    about: "leaf pages that hold the newest 100 rows",
};

const FILL_BINS: u64 = 20;

/// Writes a point of the curve of index size.
pub fn size<K: Key>(tree: &BTree<K>, rows: &mut Rows) {
    rows.point(&INDEX_BYTES, tree.rows(), tree.index_bytes());
}

/// Used share of the leaves' usable bytes.
pub fn fill<K: Key>(tree: &BTree<K>) -> Number {
    let usable_bytes = u64::from(tree.geometry().leaf[0].usable_bytes);
    let used_bytes = fills(tree).map(|(_, used_bytes)| used_bytes).sum();
    Number::ratio(used_bytes, usable_bytes * tree.leaf_pages())
}

/// The leaves from left to right: number and used bytes.
fn fills<K: Key>(tree: &BTree<K>) -> impl Iterator<Item = (u32, u64)> {
    let [middle, last] = tree.geometry().leaf;
    let mut leaves = tree.leaves().peekable();
    std::iter::from_fn(move || {
        let (number, entries) = leaves.next()?;
        let page = if leaves.peek().is_some() {
            middle
        } else {
            last
        };
        Some((number, page.used_bytes(entries).into()))
    })
}

/// Writes the totals.
pub fn shape<K: Key>(tree: &BTree<K>, rows: &mut Rows) {
    rows.total(&ROWS, tree.rows());
    rows.total(&LEAF_PAGES, tree.leaf_pages());
    rows.total(&INTERNAL_PAGES, tree.internal_pages());
    rows.total(&TREE_LEVEL, tree.tree_level());
    rows.total(&INDEX_BYTES, tree.index_bytes());
    rows.total(&FILL_MEAN, fill(tree));
    let usable_bytes = u64::from(tree.geometry().leaf[0].usable_bytes);
    let mut bins = [0u64; FILL_BINS as usize];
    let (mut descents, mut last) = (0, 0);
    for (number, used_bytes) in fills(tree) {
        let bin = (used_bytes * FILL_BINS)
            .div_ceil(usable_bytes)
            .clamp(1, FILL_BINS)
            - 1;
        bins[bin as usize] += 1;
        descents += u64::from(number < std::mem::replace(&mut last, number));
    }
    rows.total(
        &FRAGMENTATION_SHARE,
        Number::ratio(descents, tree.leaf_pages()),
    );
    for (bin, leaves) in (1..).zip(bins) {
        rows.point(&LEAF_PAGES_BY_FILL, bin * 100 / FILL_BINS, leaves);
    }
}

/// Writes how many leaves hold the `newest` rows, if there are 100 of them.
pub fn newest_rows<K: Key>(tree: &BTree<K>, newest: &[K], rows: &mut Rows) {
    if newest.len() < crate::store::NEWEST {
        return;
    }
    let mut leaves: Vec<_> = newest.iter().map(|&key| tree.leaf_of(key)).collect();
    leaves.sort_unstable();
    leaves.dedup();
    rows.total(&NEWEST_100_LEAVES, leaves.len() as u64);
}
