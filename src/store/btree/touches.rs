//! Which pages an insert asks the buffer pool for, in nbtree's order.
//!
//! A descent asks for one page a level. From root level 2 on a connection whose
//! last descent ended in the rightmost leaf looks there first; it forgets the
//! leaf if the next key does not belong there or does not fit. It also remembers
//! the root: when that has split, it looks at the old one, the metapage and the
//! new one. A division asks for the new page, the old right neighbour and the
//! page above, a new root for the metapage too.
//! Source: `_bt_search_insert`, `_bt_insertonpg`, `_bt_split`, `_bt_newroot` in
//! `nbtinsert.c`, `_bt_getroot`, `_bt_metaversion`, `_bt_getrootheight` in
//! `nbtpage.c` (releases 12 to 18).
//!
//! A geometry that is not nbtree's has neither shortcut nor metapage.

use super::super::{Access, PageId, Space, Touch};
use super::{BTree, Sink};
use crate::engine::Log;
use crate::id::Key;

/// Level of the root from which the rightmost leaf is remembered (`BTREE_FASTPATH_MIN_LEVEL`).
const SHORTCUT_LEVEL: u32 = 2;
/// Number of the metapage among the other pages.
const METAPAGE: u32 = 0;

/// What a connection knows of the tree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Remembered {
    /// Whether the rightmost leaf is remembered.
    rightmost_leaf: bool,
    /// The root it knows, if that is no longer the root.
    former_root: Option<u32>,
}

#[inline]
pub(super) fn touch(level: usize, page: u32, access: Access, sink: &mut impl Sink) {
    let space = if level == 0 {
        Space::Index
    } else {
        Space::IndexInternal
    };
    sink.touch(Touch {
        page: PageId::new(space, page),
        level: level as u8,
        access,
    });
}

/// A page of `level` was divided; `new` is the new one.
pub(super) fn divided(level: usize, new: u32, old_right: Option<u32>, sink: &mut impl Sink) {
    touch(level, new, Access::New, sink);
    if let Some(right) = old_right {
        touch(level, right, Access::Write, sink);
    }
}

fn touch_metapage(access: Access, sink: &mut impl Sink) {
    sink.touch(Touch {
        page: PageId::new(Space::Other, METAPAGE),
        level: 0,
        access,
    });
}

impl<K: Key> BTree<K> {
    /// A key looks for `leaf`, its place, by way of `path`, which the rightmost leaf does without.
    #[inline]
    pub(super) fn touch_descent(
        &mut self,
        leaf: u32,
        path: impl Iterator<Item = u32>,
        sink: &mut impl Sink,
    ) {
        let nbtree = self.geometry.log == Log::Nbtree;
        if self.maximum.is_none() {
            return self.touch_first_leaf(nbtree, sink);
        }
        let rightmost = leaf == self.right_edge[0];
        let fits = self.leaves.entries(leaf) < self.geometry.leaf[usize::from(rightmost)].capacity;
        let stays = rightmost && fits;
        if std::mem::take(&mut self.remembered.rightmost_leaf) {
            let access = if stays { Access::Write } else { Access::Read };
            touch(0, self.right_edge[0], access, sink);
            if stays {
                self.remembered.rightmost_leaf = true;
                return;
            }
        }
        let level = self.tree_level() as usize;
        if let Some(root) = self.remembered.former_root.take() {
            touch(level - 1, root, Access::Read, sink);
            touch_metapage(Access::Read, sink);
        }
        let levels = (1..=level).rev();
        if rightmost {
            levels.for_each(|level| touch(level, self.right_edge[level], Access::Read, sink));
        } else {
            levels
                .zip(path)
                .for_each(|(level, page)| touch(level, page, Access::Read, sink));
        }
        touch(0, leaf, Access::Write, sink);
        self.remembered.rightmost_leaf = nbtree && stays && self.tree_level() >= SHORTCUT_LEVEL;
    }

    /// The first key makes the first leaf.
    #[cold]
    fn touch_first_leaf(&self, nbtree: bool, sink: &mut impl Sink) {
        if nbtree {
            touch_metapage(Access::Read, sink);
            touch_metapage(Access::Write, sink);
        }
        touch(0, 0, Access::New, sink);
        if nbtree {
            touch_metapage(Access::Read, sink);
        }
    }

    /// A root was made above the old one.
    pub(super) fn touch_new_root(&mut self, sink: &mut impl Sink) {
        touch(self.tree_level() as usize, self.root, Access::New, sink);
        if self.geometry.log == Log::Nbtree {
            touch_metapage(Access::Write, sink);
            let former = self.internals[self.root as usize].children[0].page;
            self.remembered.former_root = Some(former);
        }
    }
}
