//! Page accesses of a load in PostgreSQL: buffer reads and hits together.
//!
//! A descent touches one page a level. Once the root is at level 2, a backend
//! that has just inserted into the rightmost leaf without a split looks there
//! first: one access if the next key belongs there and fits, one in vain if not.
//! A split touches the new page, the page above and, unless the page was
//! rightmost, the old right neighbour.
//! Source: `_bt_search_insert`, `_bt_insertonpg`, `_bt_split`, `_bt_newroot` in
//! `nbtinsert.c` (releases 12 to 18).
//!
//! Not modelled: several backends, which each have a shortcut of their own.

use super::Rows;
use crate::record::{Measured, Number};
use crate::store::{Insert, Sink, Split};

pub(super) const PAGE_ACCESSES: Measured = Measured {
    name: "page_accesses",
    unit: "accesses",
    about: "buffer reads and hits of the index; pg_statio_user_indexes, idx_blks_read + idx_blks_hit (release 18 leaves out new pages)",
};
pub(super) const PAGE_ACCESSES_PER_INSERT: Measured = Measured {
    name: "page_accesses_per_insert",
    unit: "accesses/insert",
    about: "the same over the rows",
};

/// Level of the root from which the shortcut is taken (`BTREE_FASTPATH_MIN_LEVEL`).
const SHORTCUT_LEVEL: u64 = 2;
/// Making the first leaf, and each root above: metapage, new page, metapage again.
const NEW_ROOT_ACCESSES: u64 = 3;

/// Counts page accesses of one backend.
#[derive(Clone, Copy, Debug)]
pub struct Accesses {
    accesses: u64,
    inserts: u64,
    tree_level: u64,
    /// Whether the rightmost leaf is remembered.
    shortcut: bool,
}

impl Default for Accesses {
    fn default() -> Self {
        Self {
            accesses: NEW_ROOT_ACCESSES,
            inserts: 0,
            tree_level: 0,
            shortcut: false,
        }
    }
}

impl Accesses {
    /// Looks at the remembered leaf in vain, then descends.
    fn descend(&mut self) {
        self.accesses += u64::from(std::mem::take(&mut self.shortcut)) + self.tree_level + 1;
    }

    /// Writes the totals.
    pub fn totals(&self, rows: &mut Rows) {
        rows.total(&PAGE_ACCESSES, self.accesses);
        let per_insert = Number::ratio(self.accesses, self.inserts);
        rows.total(&PAGE_ACCESSES_PER_INSERT, per_insert);
    }
}

impl Sink for Accesses {
    #[inline]
    fn insert(&mut self, event: &Insert) {
        self.inserts += 1;
        // A key of the rightmost leaf is never below its first one.
        let rightmost = event.edge_distance_leaves == 0;
        match (event.split, self.shortcut && rightmost) {
            (true, _) => {}
            (false, true) => self.accesses += 1,
            (false, false) => {
                self.descend();
                self.shortcut = rightmost && self.tree_level >= SHORTCUT_LEVEL;
            }
        }
    }

    fn split(&mut self, event: &Split) {
        if event.level == 0 {
            self.descend();
        }
        self.accesses += if event.rightmost { 2 } else { 3 };
    }

    fn new_root(&mut self, _: u32) {
        self.tree_level += 1;
        self.accesses += NEW_ROOT_ACCESSES;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{EngineOptions, Geometry, POSTGRES};
    use crate::id::Key;
    use crate::reference::Reference;
    use crate::source::{AnySource, Source, Stream};
    use crate::store::{BTree, Touch, Uniqueness};

    /// Counts the pages that the tree asks for.
    #[derive(Default)]
    struct Touches(u64);

    impl Sink for Touches {
        const TOUCHES: bool = true;

        fn touch(&mut self, _: Touch) {
            self.0 += 1;
        }

        fn insert(&mut self, _: &Insert) {}

        fn split(&mut self, _: &Split) {}
    }

    fn agrees<K: Key>(mut source: Box<dyn Source<K>>, geometry: Geometry) -> u32 {
        let mut keys = Vec::new();
        source.fill(&mut keys, 20_000).unwrap();
        let mut tree = BTree::new(geometry, Uniqueness::Promised);
        let mut sinks = (Accesses::default(), Touches::default());
        tree.insert_all(&keys, &mut sinks);
        let (accesses, touches) = sinks;
        assert_eq!(touches.0, accesses.accesses);
        tree.tree_level()
    }

    #[test]
    fn the_tree_asks_for_as_many_pages_as_are_counted() {
        for stream in [
            "seq8",
            "rand8",
            "snow8_w16_s50_r10000",
            "block8_p16_b1000",
            "uuid4",
            "ulid_r10000",
            "ksuid20_r10000",
        ] {
            for (page_bytes, levels) in [(512, 2..=4), (8192, 1..=2)] {
                let stream = Stream::from(Reference::new(stream, 1).unwrap());
                let options = EngineOptions {
                    page_bytes: Some(page_bytes),
                    ..Default::default()
                };
                let geometry = Geometry::new(&POSTGRES, stream.column, options).unwrap();
                let level = match stream.keys {
                    AnySource::Bytes8(source) => agrees(source, geometry),
                    AnySource::Bytes16(source) => agrees(source, geometry),
                    AnySource::Bytes20(source) => agrees(source, geometry),
                };
                assert!(levels.contains(&level), "{level}");
            }
        }
    }
}
