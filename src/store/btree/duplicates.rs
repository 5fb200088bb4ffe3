//! A look for keys that are there twice.

use super::BTree;
use crate::id::Key;

impl<K: Key> BTree<K> {
    /// The least key, or one near it, that was inserted twice, if any was; one that a
    /// purge removed comes first.
    pub fn first_duplicate(&self) -> Option<K> {
        if self.removed_twice.is_some() {
            return self.removed_twice;
        }
        let mut prefixes = Vec::new();
        let mut last: Option<K> = None;
        self.leaf_numbers().find_map(|leaf| {
            let keys = self.leaves.keys(leaf);
            // Equal keys share a leaf, unless a split came between them.
            let (least, most) = (keys.iter().min(), keys.iter().max());
            let before = last;
            last = most.copied().or(last);
            if before.is_some() && before == least.copied() {
                return least.copied();
            }
            prefixes.clear();
            prefixes.extend(keys.iter().map(|key| key.prefix()));
            first_repeat(&mut prefixes)?;
            first_repeat(&mut keys.to_vec())
        })
    }
}

/// The least item that is there twice.
fn first_repeat<T: Ord + Copy>(items: &mut [T]) -> Option<T> {
    if !items.is_sorted() {
        items.sort_unstable();
    }
    items
        .windows(2)
        .find(|pair| pair[0] == pair[1])
        .map(|pair| pair[0])
}
