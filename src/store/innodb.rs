//! InnoDB's B-tree: [`InnoDb`].

mod format;
mod indexed;
mod page;
mod pointers;
mod remove;
mod split;

use super::{Access, Insert, PageId, Sink, Space, Touch, Uniqueness};
use crate::id::Key;
pub use format::{InnoDbFormat, InnoDbIndex};
pub use indexed::InnoDbIndexed;
use page::{Level, NONE};

/// Where a key belongs.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    page: u32,
    /// Leaves to the right of the page.
    edge_distance_leaves: u32,
}

/// InnoDB's B+-tree of unique keys, with the engine's split rule on every level.
///
/// A full page is divided where its last insert went, not where it lies in the
/// tree: after or before that record if the new one is beside it, else in the
/// middle. An insert past the end of a full page goes to the right sibling if
/// there is room; then the sibling's lower bound is replaced in its parent, and
/// that page, if it is half empty, is merged or given up.
///
/// A removed record leaves its place in the page's heap free. A leaf whose records then
/// take less than half of the page is merged with its left or else its right neighbour, if
/// that has space for all of them; if not, the next removal tries again. A leaf's
/// last record takes the page with it.
///
/// Touches: an insert goes down to its leaf. If that is full it goes down again and
/// also asks for the leaf's two neighbours, so that it may change them; of a divided
/// page the neighbour beside the new page is changed. Leaves are in [`Space::Index`],
/// internal pages in [`Space::IndexInternal`]. Not told: pages of the file's own
/// upkeep and repeated requests for pages that the insert has in hand.
///
/// The events of a split name the left and the right page; of two leaves the new
/// one has the higher number, and it may be the left. Internal pages are numbered
/// by level, and the numbers of those that were given up are used again.
///
/// The rule is that of MariaDB 10.11, where the top of a page's heap may sink as
/// records leave; without this, leaf counts differ by up to 0.4 %. Not modelled:
/// updates, records of several widths, compressed pages.
///
/// ```
/// use idlab::id::Column;
/// use idlab::store::{InnoDb, InnoDbFormat, InnoDbIndex};
/// let index = InnoDbIndex::Clustered { payload_bytes: 100 };
/// let mut tree = InnoDb::new(InnoDbFormat::new(index, Column::Bigint, 16384)?);
/// (1..=1_000_000u64).for_each(|key| { tree.insert(key, &mut ()); });
/// assert_eq!(tree.leaf_pages(), 8404);
/// # Ok::<(), idlab::engine::EngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct InnoDb<K> {
    format: InnoDbFormat,
    /// The leaves, then the internal pages from below; the last is the root's.
    levels: Vec<Level<K>>,
    rows: u64,
    maximum: Option<K>,
    splits: u64,
    sibling_inserts: u64,
    merge_attempts: u64,
    merges: u64,
    /// The most pages before a row was removed.
    most_pages: u64,
}

impl<K: Key> InnoDb<K> {
    /// An empty tree: one leaf.
    pub fn new(format: InnoDbFormat) -> Self {
        Self {
            format,
            levels: vec![Level::new(room(&format))],
            rows: 0,
            maximum: None,
            splits: 0,
            sibling_inserts: 0,
            merge_attempts: 0,
            merges: 0,
            most_pages: 0,
        }
    }

    /// Records of a leaf are in order: comparing them costs nothing.
    pub fn uniqueness(&self) -> Uniqueness {
        Uniqueness::Checked
    }

    /// None: keys are compared.
    pub fn first_duplicate(&self) -> Option<K> {
        None
    }

    /// Bytes that the records of all internal pages take.
    pub fn internal_used_bytes(&self) -> u64 {
        let levels = self.levels[1..].iter();
        let records = levels.flat_map(|level| level.pages.iter().map(|page| u64::from(page.len())));
        records.sum::<u64>() * u64::from(self.format.record(1))
    }

    /// What an internal page has room for.
    pub fn internal_usable_bytes(&self) -> u32 {
        self.format.usable_bytes
    }

    /// What a leaf has room for.
    pub fn leaf_usable_bytes(&self) -> u32 {
        self.format.usable_bytes
    }

    /// Size of the index.
    pub fn index_bytes(&self) -> u64 {
        (self.leaf_pages() + self.internal_pages()) * u64::from(self.format.page_bytes)
    }

    /// Inserts `key` and reports it; `false` if it is there already.
    pub fn insert<S: Sink>(&mut self, key: K, sink: &mut S) -> bool {
        if S::TOUCHES {
            sink.begin();
        }
        self.insert_entry(key, sink)
    }

    /// Inserts `keys` in their order; those that are there already are passed over.
    pub fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        keys.iter().for_each(|&key| {
            self.insert(key, sink);
        });
    }

    #[inline]
    fn insert_entry<S: Sink>(&mut self, key: K, sink: &mut S) -> bool {
        let new_maximum = self.maximum.is_none_or(|maximum| key > maximum);
        let mut place = match new_maximum {
            true => Place {
                page: self.levels[0].rightmost,
                edge_distance_leaves: 0,
            },
            false => self.locate(key, 0),
        };
        let leaf = self.levels[0].page_mut(place.page);
        let slot = match new_maximum {
            true => leaf.keys.len(),
            false => leaf.keys.partition_point(|&other| other < key),
        };
        let present = leaf.keys.get(slot) == Some(&key);
        let accepted = present || self.format.accepts(0, leaf, slot);
        if S::TOUCHES {
            self.touch_path(key, place.page, sink);
            match (present, accepted) {
                (true, _) => {}
                (false, true) => touch(0, place.page, Access::Write, sink),
                (false, false) => self.touch_neighbours(key, place.page, sink),
            }
        }
        if present {
            return false;
        }
        let splits = self.splits;
        if accepted {
            self.levels[0].page_mut(place.page).insert(slot, key);
        } else {
            self.insert_into_full(0, place.page, slot, (key, NONE), sink);
            place = self.locate(key, 0);
        }
        if new_maximum {
            self.maximum = Some(key);
        }
        self.rows += 1;
        sink.insert(&Insert {
            leaf: place.page,
            edge_distance_leaves: place.edge_distance_leaves,
            new_maximum,
            split: self.splits > splits,
            entries: self.levels[0].page(place.page).len(),
        });
        true
    }

    /// The page of `level` where `key` belongs.
    #[inline]
    fn locate(&self, key: K, level: usize) -> Place {
        let mut place = Place {
            page: self.root(),
            edge_distance_leaves: 0,
        };
        for above in (level + 1..self.levels.len()).rev() {
            let page = self.levels[above].page(place.page);
            let slot = page.child_slot(key);
            place.edge_distance_leaves += match above {
                1 => page.len() - 1 - slot as u32,
                _ => page.leaves_right[slot],
            };
            place.page = page.children[slot];
        }
        place
    }

    /// Touches what an insert reads on its way down to `leaf`.
    fn touch_path(&self, key: K, leaf: u32, sink: &mut impl Sink) {
        let mut page = self.root();
        for level in (1..self.levels.len()).rev() {
            touch(level, page, Access::Read, sink);
            let here = self.levels[level].page(page);
            page = here.children[here.child_slot(key)];
        }
        touch(0, leaf, Access::Read, sink);
    }

    /// Touches what an insert into a full leaf reads before it changes anything.
    fn touch_neighbours(&self, key: K, leaf: u32, sink: &mut impl Sink) {
        self.touch_path(key, leaf, sink);
        let page::Page { left, right, .. } = *self.levels[0].page(leaf);
        for neighbour in [left, right] {
            touch(0, neighbour, Access::Read, sink);
        }
    }

    fn root(&self) -> u32 {
        self.levels.last().map_or(0, |level| level.rightmost)
    }

    /// The sizes.
    pub fn format(&self) -> &InnoDbFormat {
        &self.format
    }

    /// Keys in the tree.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Leaf pages.
    pub fn leaf_pages(&self) -> u64 {
        self.levels[0].len() as u64
    }

    /// Internal pages, the root included.
    pub fn internal_pages(&self) -> u64 {
        self.levels[1..]
            .iter()
            .map(|level| level.len() as u64)
            .sum()
    }

    /// Level of the root; 0 is a lone leaf.
    pub fn tree_level(&self) -> u32 {
        self.levels.len() as u32 - 1
    }

    /// Pages divided, on all levels.
    pub fn splits(&self) -> u64 {
        self.splits
    }

    /// Records that went to the right sibling of their full page, on all levels.
    pub fn sibling_inserts(&self) -> u64 {
        self.sibling_inserts
    }

    /// The engine's counter of that name: it takes inserts into the right sibling
    /// for splits.
    pub fn index_page_splits(&self) -> u64 {
        self.splits + self.sibling_inserts
    }

    /// The engine's counter of that name: half empty pages that were to be merged.
    /// Internal ones count twice if it came to nothing, as the engine tries twice.
    pub fn index_page_merge_attempts(&self) -> u64 {
        self.merge_attempts
    }

    /// The engine's counter `index_page_merge_successful`.
    pub fn merges(&self) -> u64 {
        self.merges
    }

    /// The number of the leaf that holds or would hold `key`.
    pub fn leaf_of(&self, key: K) -> u32 {
        self.locate(key, 0).page
    }

    /// The leaves from left to right, each with its number, entries and the bytes
    /// of these. Numbers are in the order of allocation.
    pub fn leaves(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.leaf_numbers().map(|leaf| {
            let entries = self.levels[0].page(leaf).len();
            (leaf, entries, entries * self.format.record(0))
        })
    }

    fn leaf_numbers(&self) -> impl Iterator<Item = u32> {
        let leaves = &self.levels[0];
        std::iter::successors(Some(leaves.leftmost), |&leaf| {
            Some(leaves.page(leaf).right).filter(|&right| right != NONE)
        })
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.leaf_numbers()
            .flat_map(|leaf| self.levels[0].page(leaf).keys.iter().copied())
    }
}

/// Tells `sink` what is done with a page, if there is one and `sink` wants to know.
#[inline]
fn touch<S: Sink>(level: usize, page: u32, access: Access, sink: &mut S) {
    if !S::TOUCHES || page == NONE {
        return;
    }
    let page = match level {
        0 => PageId::new(Space::Index, page),
        // Numbered by level; a tree has fewer than 32 of them.
        _ => PageId::new(Space::IndexInternal, page << 5 | level as u32),
    };
    sink.touch(Touch {
        page,
        level: level as u8,
        access,
    });
}

/// Records for which a leaf sets space aside: all it can hold.
fn room(format: &InnoDbFormat) -> usize {
    (format.usable_bytes / format.record(0)) as usize
}

#[cfg(test)]
mod tests;
