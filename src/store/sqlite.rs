//! SQLite's b-trees: [`SqliteTree`], and [`SqliteIndexed`] for a table with a unique index.

mod balance;
mod cell;
mod directory;
mod family;
mod freelist;
mod indexed;
mod internal;
mod page;
mod remove;
mod shape;
mod touch;

pub use indexed::SqliteIndexed;

use super::{Access, Insert, PageId, Sink, Space, Touch, Uniqueness};
use crate::engine::{EngineError, EngineOptions, SQLITE};
use crate::id::{Column, Key};
use balance::Scratch;
use cell::{Bytes, Value};
use directory::{Directory, Position};
use freelist::Freelist;
use page::{Cells, Pages};
use std::hint::black_box;

/// What a b-tree of SQLite holds for a row, which consists of an id and a payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SqliteLayout {
    /// `id INTEGER PRIMARY KEY`: the id is the rowid. Rows live in the leaves of
    /// a table b-tree; internal pages hold rowids alone.
    Rowid,
    /// `WITHOUT ROWID`: an index b-tree, whose internal pages hold rows too.
    WithoutRowid,
    /// A unique index: the same with id and rowid instead of rows. Rowids count
    /// from 1 in the order of insertion.
    UniqueIndex,
}

/// The number of the file's first page in [`Space::Other`]: changed when the file grows or shrinks.
const FIRST_PAGE: u32 = 0;
/// The number of the root: it stays where it is, a full root moves its content down.
const ROOT: u32 = 0;

/// A b-tree as SQLite grows it under inserts, with real keys, real cell sizes and no pages.
///
/// As in a [`BTree`](super::BTree), a leaf's keys are put in order only when it
/// is balanced.
///
/// The bytes are those of file format 4 without reserved bytes: every cell has
/// the exact size of its varints, serial types and values, and a 2-byte pointer;
/// a page's header takes 8 bytes, or 12 with children. The root is not the
/// file's first page, so it has no file header.
///
/// A page that overflows shares its cells with up to two siblings under the same
/// parent: they are packed from the left, then cells move to the right while
/// that evens out neighbours. The parent is balanced after its children if it
/// overflows, or if more than 2/3 of it is free. In a rowid table, a row past the
/// end of a full leaf that is its parent's last child starts a new leaf alone.
///
/// Pages are numbered from 0, the root, in the order of allocation, leaves and
/// internal pages alike, as in a file that holds no other tree. Siblings are
/// renumbered from left to right when they are balanced.
///
/// Each page that a balance adds is a [`Split`](super::Split): `left` is the page
/// that overflowed, `right` the new one, and the new entry went left if it is
/// not above the lower bound of the new page. No event tells that a balance
/// moved entries among pages or, rarely, freed one.
///
/// A removed row's key on an internal page is replaced by the key before it, which is
/// the last of a leaf. Then the leaf is balanced if more than 2/3 of it is free,
/// and likewise the pages above it. The file does not shrink: see
/// [`SqliteTree::free_pages`].
///
/// Not modelled: updates, which free pages take overflow pages, text that is not
/// ASCII, integers above 2⁶³ - 1
/// (they are taken as the widest integers).
///
/// ```
/// use idlab::engine::EngineOptions;
/// use idlab::id::Column;
/// use idlab::store::{SqliteLayout, SqliteTree, Uniqueness};
/// let options = EngineOptions { payload_bytes: 100, ..Default::default() };
/// let mut tree = SqliteTree::new(
///     SqliteLayout::Rowid,
///     Column::Bigint,
///     options,
///     Uniqueness::Promised,
/// )?;
/// (1..=1_000_000u64).for_each(|key| { tree.insert(key, &mut ()); });
/// assert_eq!((tree.leaf_pages(), tree.internal_pages()), (27_028, 69));
/// # Ok::<(), idlab::engine::EngineError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SqliteTree<K> {
    layout: SqliteLayout,
    column: Column,
    payload_bytes: u32,
    uniqueness: Uniqueness,
    /// Where its pages are numbered.
    space: Space,
    /// Page size, all of it usable.
    page_bytes: u32,
    /// Every cell, if all have the same size.
    uniform: Option<Bytes>,
    pages: Pages<K>,
    /// Pages that a balance has freed and none has taken yet.
    free: Freelist,
    leaf_pages: u64,
    overflow_pages: u64,
    /// The most overflow pages before a row was removed.
    most_overflow_pages: u64,
    level: u32,
    /// Rows inserted: the last rowid.
    inserted: u64,
    /// How many of them were removed.
    removed: u64,
    maximum: Option<K>,
    directory: Directory<K>,
    /// The rightmost leaf and the key before it.
    last: Position,
    last_low: Option<K>,
    /// Times that leaves were balanced, modulo 2³².
    balances: u32,
    /// Times that the number of leaves changed, modulo 2³².
    shapes: u32,
    scratch: Scratch<K>,
}

/// Where a key belongs.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    leaf: u32,
    position: Position,
    /// Leaves to the right of it.
    edge_distance_leaves: u32,
    /// Whether it is there already, on an internal page.
    is_internal: bool,
}

/// The most levels of a tree (`BTCURSOR_MAX_DEPTH`).
const MOST_LEVELS: usize = 20;

/// Keys that [`SqliteTree::insert_all`] looks up at once.
const LOOKAHEAD: usize = 16;

impl<K: Key> SqliteTree<K> {
    /// An empty tree: one leaf. Pages have 4096 bytes unless `options` say otherwise.
    ///
    /// # Errors
    /// A page size that is not a power of two from 512 to 65536, a payload above
    /// 10⁹ bytes, a fill factor, a rowid that is not an integer.
    pub fn new(
        layout: SqliteLayout,
        column: Column,
        options: EngineOptions,
        uniqueness: Uniqueness,
    ) -> Result<Self, EngineError> {
        let refuse = |option, message| {
            Err(EngineError {
                option,
                message: format!("sqlite: {message}"),
            })
        };
        let page_bytes = options.page_bytes.unwrap_or(SQLITE.page_bytes);
        SQLITE.check_page(page_bytes)?;
        let payload_bytes = options.payload_bytes;
        if payload_bytes > 1_000_000_000 {
            let message = format!(
                "a payload of {payload_bytes} bytes is too large, expected at most 1000000000"
            );
            return refuse(Some("payload_bytes"), message);
        }
        if options.fill_factor_percent.is_some() {
            return refuse(Some("fill_factor"), "there is no fill factor".to_string());
        }
        if layout == SqliteLayout::Rowid && column != Column::Bigint {
            return refuse(None, format!("a rowid is a bigint, not {column}"));
        }
        let mut tree = Self {
            layout,
            column,
            payload_bytes,
            uniqueness,
            space: Space::Index,
            page_bytes,
            uniform: None,
            pages: Pages::new(1, true),
            free: Freelist::default(),
            leaf_pages: 1,
            overflow_pages: 0,
            most_overflow_pages: 0,
            level: 0,
            inserted: 0,
            removed: 0,
            maximum: None,
            directory: Directory::new(ROOT),
            last: Position::default(),
            last_low: None,
            balances: 0,
            shapes: 0,
            scratch: Scratch::default(),
        };
        let least = tree.cell(K::default());
        if layout == SqliteLayout::WithoutRowid && column != Column::Bigint {
            tree.uniform = Some(least);
        }
        let capacity = cell::most_cells(least, page_bytes);
        tree.pages = Pages::new(capacity, tree.uniform.is_some());
        tree.pages.add();
        Ok(tree)
    }

    /// Inserts `key` and reports it; `false` if it is there already (noticed
    /// only if [`Uniqueness::Checked`]).
    #[inline]
    pub fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        let place = self.locate(key);
        sink.begin();
        self.ask(place.leaf, sink);
        self.insert_at(place, key, self.cell(key), sink)
    }

    /// Inserts `keys` in their order.
    ///
    /// The same as [`SqliteTree::insert`] on each, but faster: looking up a few keys
    /// before the first of them is inserted lets their cache misses overlap.
    pub fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        let insert = |this: &mut Self, place: Place, key, sink: &mut _| {
            Sink::begin(sink);
            this.ask(place.leaf, sink);
            this.insert_at(place, key, this.cell(key), sink);
        };
        Self::each_place(self, |this| this, keys, sink, insert);
    }

    /// Calls `insert` with each key and its place in the tree of `owner`.
    fn each_place<T, S: Sink>(
        owner: &mut T,
        tree: impl Fn(&T) -> &Self,
        keys: &[K],
        sink: &mut S,
        mut insert: impl FnMut(&mut T, Place, K, &mut S),
    ) {
        let mut places = [Place::default(); LOOKAHEAD];
        for group in keys.chunks(LOOKAHEAD) {
            let this = tree(owner);
            let (shapes, balances) = (this.shapes, this.balances);
            for (place, &key) in places.iter_mut().zip(group) {
                *place = this.locate(key);
            }
            for &place in &places[..group.len()] {
                this.fetch(place);
            }
            for (&place, &key) in places.iter().zip(group) {
                let this = tree(owner);
                let balanced = this.pages.balanced(place.leaf).wrapping_sub(balances) as i32;
                // What happened since may have moved the key's place.
                let place = match this.shapes != shapes || balanced > 0 {
                    true => this.locate(key),
                    false => place,
                };
                insert(owner, place, key, sink);
            }
        }
    }

    /// Brings what an insert at `place` will need into the processor's cache: the leaf's
    /// end, or all of it and its neighbours if it will be balanced.
    #[inline]
    fn fetch(&self, place: Place) {
        let cost = self.uniform.map_or(0, |cell| cell::cost(cell.local, 0));
        if self.pages.used(place.leaf) + cost <= self.room(0) {
            black_box(self.pages.keys(place.leaf).last().copied());
        } else {
            for &leaf in self.directory.about(place.position) {
                self.pages.fetch(leaf);
            }
        }
    }

    /// Bytes of the record of the row with this rowid if `key` is its id.
    #[inline]
    fn record_bytes(&self, key: K, rowid: u64) -> u64 {
        let payload = Value::Blob(self.payload_bytes);
        let id = Value::key(key, self.column);
        cell::record_bytes(match self.layout {
            // A null is in the place of the rowid.
            SqliteLayout::Rowid => [Value::Null, payload],
            SqliteLayout::WithoutRowid => [id, payload],
            SqliteLayout::UniqueIndex => [id, Value::Integer(rowid)],
        })
    }

    /// The cell of a record of so many bytes under `key`.
    #[inline]
    fn local(&self, key: K, record: u64) -> Bytes {
        match self.layout {
            SqliteLayout::Rowid => cell::table_cell(key, record, self.page_bytes),
            _ => cell::index_cell(record, self.page_bytes),
        }
    }

    /// The cell of the next row if `key` is its id.
    #[inline]
    fn cell(&self, key: K) -> Bytes {
        match self.uniform {
            Some(cell) => cell,
            None => self.local(key, self.record_bytes(key, self.inserted + 1)),
        }
    }

    /// The size of one of `cells`.
    fn cell_bytes(&self, cells: &Cells<K>, at: usize) -> u16 {
        match self.uniform {
            Some(cell) => cell.local,
            None => cells.bytes[at],
        }
    }

    /// Inserts a cell of `bytes` for `key` into the leaf of `place`, which was
    /// right after the last balance; `false` if the key is found there already.
    #[inline]
    fn insert_at(&mut self, place: Place, key: K, bytes: Bytes, sink: &mut impl Sink) -> bool {
        let new_maximum = self.maximum.is_none_or(|maximum| key > maximum);
        if self.uniqueness == Uniqueness::Checked
            && (place.is_internal || self.pages.keys(place.leaf).contains(&key))
        {
            return false;
        }
        let overfull = self.pages.push(place.leaf, key, bytes.local) > self.room(0);
        if new_maximum {
            self.maximum = Some(key);
        }
        self.ask_for_overflow_pages(bytes.overflow_pages, sink);
        self.overflow_pages += bytes.overflow_pages;
        self.inserted += 1;
        let place = match overfull {
            true => {
                self.balance(place, key, sink);
                self.locate(key)
            }
            false => {
                self.touch(place.leaf, 0, Access::Write, sink);
                place
            }
        };
        sink.insert(&Insert {
            leaf: place.leaf,
            edge_distance_leaves: place.edge_distance_leaves,
            new_maximum,
            split: overfull,
            entries: self.pages.entries(place.leaf),
        });
        true
    }

    /// Where `key` belongs: the leaf that holds or would hold it, or the last
    /// one before it if an internal page holds it.
    #[inline]
    fn locate(&self, key: K) -> Place {
        if self.last_low.is_none_or(|low| key > low) {
            return Place {
                leaf: self.directory.leaf(self.last),
                position: self.last,
                ..Place::default()
            };
        }
        let position = self.directory.find(key);
        Place {
            leaf: self.directory.leaf(position),
            position,
            edge_distance_leaves: self.directory.leaves_right(position),
            is_internal: self.uniqueness == Uniqueness::Checked
                && self.is_index()
                && self.directory.high(position) == Some(key),
        }
    }

    /// Whether the keys are compared.
    pub fn uniqueness(&self) -> Uniqueness {
        self.uniqueness
    }

    /// Whether internal pages hold entries.
    fn is_index(&self) -> bool {
        self.layout != SqliteLayout::Rowid
    }

    /// Entries of a leaf, or keys of an internal page.
    fn entries(&self, page: u32) -> u32 {
        match self.pages.is_internal(page) {
            true => self.pages.internal(page).keys.len() as u32,
            false => self.pages.entries(page),
        }
    }

    /// Bytes for cells and their pointers on a page of `level`.
    fn room(&self, level: u32) -> u32 {
        self.page_bytes - if level == 0 { 8 } else { 12 }
    }
}

#[cfg(test)]
mod tests;
