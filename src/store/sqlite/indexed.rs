//! A rowid table with a unique index: [`SqliteIndexed`].

use super::cell::{self, Bytes, Value};
use super::{Place, SqliteLayout, SqliteTree};
use crate::engine::{EngineError, EngineOptions};
use crate::id::{Column, Key};
use crate::store::{Sink, Space, Touches, Uniqueness};

/// A table `(id, payload)` with a unique index on id: what SQLite makes of any
/// primary key but `INTEGER PRIMARY KEY`.
///
/// Two trees: rows under rowids 1, 2, 3, … in the order of insertion (after the
/// highest in use, if rows were removed), and index
/// entries of id and rowid. Pages of the index are numbered in [`Space::Index`],
/// those of the table in [`Space::Table`].
#[derive(Clone, Debug)]
pub struct SqliteIndexed<K> {
    table: SqliteTree<u64>,
    index: SqliteTree<K>,
    /// The most pages of both before a row was removed.
    most_pages: u64,
}

impl<K: Key> SqliteIndexed<K> {
    /// An empty table and its index.
    ///
    /// # Errors
    /// As [`SqliteTree::new`].
    pub fn new(
        column: Column,
        options: EngineOptions,
        uniqueness: Uniqueness,
    ) -> Result<Self, EngineError> {
        let mut table = SqliteTree::new(
            SqliteLayout::Rowid,
            Column::Bigint,
            options,
            Uniqueness::Promised,
        )?;
        table.space = Space::Table;
        Ok(Self {
            table,
            index: SqliteTree::new(SqliteLayout::UniqueIndex, column, options, uniqueness)?,
            most_pages: 0,
        })
    }

    /// Inserts a row with `key`; `false` if the key is there already (noticed only
    /// if [`Uniqueness::Checked`]).
    ///
    /// The sink is told what the index does, and which pages of both are asked for.
    #[inline]
    pub fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        self.insert_at(self.index.locate(key), key, sink)
    }

    /// Inserts rows with `keys` in their order; as [`SqliteTree::insert_all`].
    pub fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        let insert = |this: &mut Self, place, key, sink: &mut _| {
            this.insert_at(place, key, sink);
        };
        SqliteTree::each_place(self, |this| &this.index, keys, sink, insert);
    }

    /// Inserts a row whose entry belongs at `place` of the index.
    #[inline]
    fn insert_at(&mut self, place: Place, key: K, sink: &mut impl Sink) -> bool {
        // The engine looks for the highest rowid, then for the id in the index,
        // and changes the index before the table.
        let rowid = self.table.inserted + 1;
        sink.begin();
        let table_place = self.table.locate(rowid);
        self.table.ask(table_place.leaf, sink);
        self.index.ask(place.leaf, sink);
        let entry = self.index.cell(key);
        let new = self.index.insert_at(place, key, entry, sink);
        if new {
            let row = self.row(key, rowid);
            (self.table).insert_at(table_place, rowid, row, &mut Touches(sink));
        }
        new
    }

    /// Removes the row with `key` and `rowid`; `false` if they are not there.
    pub fn remove(&mut self, key: K, rowid: u64, sink: &mut impl Sink) -> bool {
        self.most_pages = self.most_pages.max(self.pages_in_use());
        sink.begin();
        let sink = &mut Touches(sink);
        // A row in the table has its entry in the index.
        let overflow_pages = self.row(key, rowid).overflow_pages;
        let found = self.table.remove_entry(rowid, overflow_pages, sink)
            && self.index.remove_entry(key, 0, sink);
        if found && rowid == self.table.inserted {
            let last = self.table.highest().unwrap_or(0);
            self.table.take_back_rowids(last);
            self.index.take_back_rowids(last);
        }
        found
    }

    /// Removes the rows that were inserted first; `keys` are theirs, in that order.
    pub fn remove_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        for &key in keys {
            match self.table.lowest() {
                Some(rowid) => self.remove(key, rowid, sink),
                None => return,
            };
        }
    }

    /// Pages of the file that hold nothing; both trees take their pages from them.
    pub fn free_pages(&self) -> u64 {
        let pages = self.pages_in_use();
        self.most_pages.max(pages) - pages
    }

    fn pages_in_use(&self) -> u64 {
        self.table.pages_in_use() + self.index.pages_in_use()
    }

    /// The cell of the row with `key` under `rowid`.
    #[inline]
    fn row(&self, key: K, rowid: u64) -> Bytes {
        let id = Value::key(key, self.index.column);
        let record = cell::record_bytes([id, Value::Blob(self.table.payload_bytes)]);
        cell::table_cell(rowid, record, self.table.page_bytes)
    }

    /// The rows, under their rowids.
    pub fn table(&self) -> &SqliteTree<u64> {
        &self.table
    }

    /// The index entries.
    pub fn index(&self) -> &SqliteTree<K> {
        &self.index
    }
}
