//! Rows that are removed: what the purge does with records that were marked deleted
//! (`btr_cur_optimistic_delete`, `btr_cur_pessimistic_delete`).

use super::page::NONE;
use super::{InnoDb, touch};
use crate::id::Key;
use crate::store::{Access, Sink};

impl<K: Key> InnoDb<K> {
    /// Removes `key`; `false` if it is not there.
    pub fn remove(&mut self, key: K, sink: &mut impl Sink) -> bool {
        sink.begin();
        self.remove_entry(key, sink)
    }

    /// Removes `keys` in their order, as one purge thread does after each was deleted
    /// and no transaction can see it any more.
    pub fn remove_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        for &key in keys {
            self.remove(key, sink);
        }
    }

    /// Pages that were given up and not taken again. The file keeps them.
    pub fn free_pages(&self) -> u64 {
        let pages = self.pages_in_use();
        self.most_pages.max(pages) - pages
    }

    fn pages_in_use(&self) -> u64 {
        self.leaf_pages() + self.internal_pages()
    }

    /// Bytes of removed records on each leaf, from left to right (`PAGE_GARBAGE`).
    pub fn leaf_garbage(&self) -> Vec<u32> {
        let places = |leaf| self.levels[0].page(leaf).free_places();
        let bytes = |leaf| places(leaf) * self.format.record(0);
        self.leaf_numbers().map(bytes).collect()
    }

    /// The lowest key.
    pub(super) fn lowest(&self) -> Option<K> {
        let leaves = &self.levels[0];
        leaves.page(leaves.leftmost).keys.first().copied()
    }

    pub(super) fn remove_entry<S: Sink>(&mut self, key: K, sink: &mut S) -> bool {
        let leaf = self.locate(key, 0).page;
        if S::TOUCHES {
            self.touch_path(key, leaf, sink);
        }
        let here = self.levels[0].page(leaf);
        let Ok(slot) = here.keys.binary_search(&key) else {
            return false;
        };
        self.most_pages = self.most_pages.max(self.pages_in_use());
        self.rows -= 1;
        let is_root = self.levels.len() == 1;
        let alone = (here.left, here.right) == (NONE, NONE);
        if here.len() < 2 && !is_root && !alone {
            // Its last record: the page goes with it.
            let neighbours = [here.left, here.right];
            for page in neighbours {
                touch(0, page, Access::Write, sink);
            }
            self.remove_pointer_to(0, leaf, sink);
            self.give_up(0, leaf, sink);
            return true;
        }
        touch(0, leaf, Access::Write, sink);
        self.levels[0].page_mut(leaf).remove(slot);
        if !is_root {
            self.merge_if_sparse(0, leaf, sink);
        }
        true
    }
}
