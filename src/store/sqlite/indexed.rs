//! A rowid table with a unique index: [`SqliteIndexed`].

use super::cell::{self, Value};
use super::{Path, Place, SqliteLayout, SqliteTree};
use crate::engine::{EngineError, EngineOptions};
use crate::id::{Column, Key};
use crate::store::{Insert, Sink, Space, Split, Touch, Uniqueness};

/// A table `(id, payload)` with a unique index on id: what SQLite makes of any
/// primary key but `INTEGER PRIMARY KEY`.
///
/// Two trees: rows under rowids 1, 2, 3, … in the order of insertion, and index
/// entries of id and rowid. Pages of the index are numbered in [`Space::Index`],
/// those of the table in [`Space::Table`].
#[derive(Clone, Debug)]
pub struct SqliteIndexed<K> {
    table: SqliteTree<u64>,
    index: SqliteTree<K>,
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
        })
    }

    /// Inserts a row with `key`; `false` if the key is there already (noticed only
    /// if [`Uniqueness::Checked`]).
    ///
    /// What each tree does is reported to the sink of that tree, rows and touches
    /// of both to `pages`.
    #[inline]
    pub fn insert(
        &mut self,
        key: K,
        table: &mut impl Sink,
        index: &mut impl Sink,
        pages: &mut impl Sink,
    ) -> bool {
        let mut path = Path::default();
        let place = self.index.locate_for(key, &mut path, pages);
        self.insert_at(place, &path, key, table, index, pages)
    }

    /// Inserts rows with `keys` in their order; as [`SqliteTree::insert_all`].
    pub fn insert_all(
        &mut self,
        keys: &[K],
        table: &mut impl Sink,
        index: &mut impl Sink,
        pages: &mut impl Sink,
    ) {
        let insert = |this: &mut Self, place, path: &_, key, pages: &mut _| {
            this.insert_at(place, path, key, table, index, pages);
        };
        SqliteTree::each_place(self, |this| &this.index, keys, pages, insert);
    }

    /// Inserts a row whose entry belongs at `place` of the index.
    #[inline]
    fn insert_at(
        &mut self,
        place: Place,
        path: &Path,
        key: K,
        table: &mut impl Sink,
        index: &mut impl Sink,
        pages: &mut impl Sink,
    ) -> bool {
        // The engine looks for the highest rowid, then for the id in the index,
        // and changes the index before the table.
        let rowid = self.table.rows() + 1;
        pages.begin();
        let mut table_path = Path::default();
        let table_place = self.table.locate_for(rowid, &mut table_path, pages);
        self.table.ask(&table_path, table_place.leaf, pages);
        self.index.ask(path, place.leaf, pages);
        let entry = self.index.cell(key);
        let new = (self.index).insert_at(
            place,
            key,
            entry,
            &mut Beside {
                events: index,
                pages,
            },
        );
        if new {
            let id = Value::key(key, self.index.column);
            let record = cell::record_bytes([id, Value::Blob(self.table.payload_bytes)]);
            let row = cell::table_cell(rowid, record, self.table.page_bytes);
            (self.table).insert_at(
                table_place,
                rowid,
                row,
                &mut Beside {
                    events: table,
                    pages,
                },
            );
        }
        new
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

/// A sink for events and one for touches.
struct Beside<'a, E, P> {
    events: &'a mut E,
    pages: &'a mut P,
}

impl<E: Sink, P: Sink> Sink for Beside<'_, E, P> {
    const TOUCHES: bool = P::TOUCHES;

    #[inline]
    fn touch(&mut self, touch: Touch) {
        self.pages.touch(touch);
    }

    #[inline]
    fn insert(&mut self, event: &Insert) {
        self.events.insert(event);
    }

    fn split(&mut self, event: &Split) {
        self.events.split(event);
    }
}
