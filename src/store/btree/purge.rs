//! Taking rows out of the tree.
//!
//! nbtree: VACUUM takes the dead entries out of the leaves in the order of the file.
//! A leaf that has none left is deleted unless it is the rightmost one, or the last of
//! several children; with it go the pages above that have no other child. Its keys fall
//! to its right sibling, which is tried next if it is empty, too. A deleted page may
//! be used again after the next VACUUM, if no other session has taken a transaction
//! number meanwhile, which is how it is here. Leaves are never merged, and levels never
//! taken away.
//! Source: `btvacuumscan`, `btvacuumpage` in `nbtree.c`, `_bt_pagedel`,
//! `_bt_lock_subtree_parent`, `_bt_pendingfsm_finalize` in `nbtpage.c`, `fsm_vacuum_page`
//! in `freespace.c` (releases 14 to 18).
//!
//! Other trees: an empty leaf goes at once, whichever child it is, and its page may be
//! used again at once ("free-at-empty": Johnson and Shasha, "B-trees with inserts and
//! deletes", 1993). Nothing here was measured for them.
//!
//! Not modelled: the page accesses and the log of a purge, the fast root, VACUUM that
//! passes the index by because too few rows are dead.

use super::BTree;
use crate::engine::Log;
use crate::id::Key;

/// No parent: a root, or a page that has left the tree.
const NONE: u32 = u32::MAX;

/// The page above each leaf and each internal page.
struct Parents([Vec<u32>; 2]);

impl Parents {
    fn of(&self, level: usize, page: u32) -> Option<u32> {
        Some(self.0[level.min(1)][page as usize]).filter(|&parent| parent != NONE)
    }

    fn take(&mut self, level: usize, page: u32) -> u32 {
        std::mem::replace(&mut self.0[level.min(1)][page as usize], NONE)
    }
}

impl<K: Key> BTree<K> {
    /// Removes the rows with `keys`, all of which are in the tree, as one DELETE and VACUUM.
    pub fn remove_all(&mut self, keys: &[K]) {
        if keys.is_empty() {
            return;
        }
        self.file.recycle();
        let located = |&key| (self.locate(key).leaf, key);
        let mut dead: Vec<(u32, K)> = keys.iter().map(located).collect();
        dead.sort_unstable();
        let still_empty = |&leaf: &u32| self.leaves.entries(leaf) == 0;
        let empty = self.empty.iter().copied().filter(still_empty);
        let mut visits: Vec<(u32, &[(u32, K)])> = empty.map(|leaf| (leaf, &[][..])).collect();
        let by_leaf = dead.chunk_by(|a, b| a.0 == b.0);
        visits.extend(by_leaf.map(|dead| (dead[0].0, dead)));
        visits.sort_unstable_by_key(|&(leaf, _)| self.file.page(0, leaf));

        let mut parents = None;
        let mut of_leaf = Vec::new();
        for (leaf, dead) in visits {
            of_leaf.clear();
            of_leaf.extend(dead.iter().map(|&(_, key)| key));
            self.remove_from(leaf, &of_leaf);
            let mut empty = Some(leaf).filter(|&leaf| self.leaves.entries(leaf) == 0);
            while let Some(leaf) = empty {
                let parents = parents.get_or_insert_with(|| self.parents());
                empty = self.delete_leaf(leaf, parents);
            }
        }
        if parents.is_some() {
            self.relink();
        }
    }

    /// Takes sorted `keys` out of their leaf.
    fn remove_from(&mut self, leaf: u32, keys: &[K]) {
        let removed = self.leaves.remove(leaf, keys);
        self.rows -= removed as u64;
        // A key that is there twice is missed, or takes its double with it.
        let twice = keys.windows(2).find(|pair| pair[0] == pair[1]);
        if removed != keys.len() || twice.is_some() {
            let key = twice.unwrap_or(keys)[0];
            self.removed_twice.get_or_insert(key);
        }
    }

    /// Takes an empty leaf out of the tree if the engine does so; returns the leaf to try next.
    fn delete_leaf(&mut self, leaf: u32, parents: &mut Parents) -> Option<u32> {
        if leaf == self.right_edge[0] {
            return None;
        }
        let nbtree = self.geometry.log == Log::Nbtree;
        let (mut page, mut level) = (leaf, 0);
        let (parent, slot) = loop {
            let parent = parents.of(level, page)?;
            let slot = self.internals[parent as usize].slot_of(page);
            let last = slot + 1 == self.internals[parent as usize].children.len();
            match (last, slot) {
                (true, 0) => (page, level) = (parent, level + 1),
                (true, _) if nbtree => return None,
                _ => break (parent, slot),
            }
        };
        let mut below = leaf;
        for level in 0..=level {
            self.file.release(level, below, !nbtree);
            below = parents.take(level, below);
        }
        self.internals[parent as usize].remove(slot);
        let (mut page, mut above) = (parent, level + 1);
        while let Some(parent) = parents.of(above, page) {
            let internal = &mut self.internals[parent as usize];
            let slot = internal.slot_of(page);
            internal.one_leaf_less_right_of(slot);
            (page, above) = (parent, above + 1);
        }
        let mut right = self.internals[parent as usize].children.get(slot)?.page;
        for _ in 0..level {
            right = self.internals[right as usize].children[0].page;
        }
        Some(right).filter(|&right| self.leaves.entries(right) == 0)
    }

    /// The pages of each level from left to right, leaves first.
    pub(super) fn levels(&self) -> Vec<Vec<u32>> {
        let mut levels = vec![vec![self.root]];
        for above in 0..self.tree_level() as usize {
            let internals = levels[above]
                .iter()
                .map(|&page| &self.internals[page as usize]);
            let below = internals.flat_map(|page| page.children.iter().map(|child| child.page));
            levels.push(below.collect());
        }
        levels.reverse();
        levels
    }

    fn parents(&self) -> Parents {
        let mut parents = Parents([Vec::new(), Vec::new()]);
        for (level, pages) in self.levels().iter().enumerate() {
            let parents = &mut parents.0[level.min(1)];
            let end = pages.iter().max().map_or(0, |&page| page as usize + 1);
            parents.resize(end.max(parents.len()), NONE);
        }
        for (level, pages) in self.levels().iter().enumerate().skip(1) {
            for &parent in pages {
                for child in &self.internals[parent as usize].children {
                    parents.0[(level - 1).min(1)][child.page as usize] = parent;
                }
            }
        }
        parents
    }

    /// Links the pages of each level again, and notes the leaves that stayed though empty.
    fn relink(&mut self) {
        for (level, pages) in self.levels().iter().enumerate() {
            let rights = pages[1..].iter().copied().map(Some).chain([None]);
            for (&page, right) in pages.iter().zip(rights) {
                match level {
                    0 => self.leaves.set_right(page, right),
                    _ => self.internals[page as usize].right = right,
                }
            }
            if level == 0 {
                let leaves = pages[..pages.len() - 1].iter().copied();
                self.empty = leaves
                    .filter(|&leaf| self.leaves.entries(leaf) == 0)
                    .collect();
            }
        }
    }

    /// Pages of the file that are not in the tree: free, or free after the next purge
    /// (`pgstatindex.deleted_pages`).
    pub fn free_pages(&self) -> u64 {
        self.file.unused() as u64
    }

    /// Pages of the file that a split may take (those in PostgreSQL's free space map).
    pub fn reusable_pages(&self) -> u64 {
        self.file.reusable() as u64
    }
}
