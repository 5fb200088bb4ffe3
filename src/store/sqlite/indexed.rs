//! A rowid table with a unique index: [`SqliteIndexed`].

use super::cell::{self, Value};
use super::{SqliteLayout, SqliteTree};
use crate::engine::{EngineError, EngineOptions};
use crate::id::{Column, Key};
use crate::store::{Sink, Uniqueness};

/// A table `(id, payload)` with a unique index on id: what SQLite makes of any
/// primary key but `INTEGER PRIMARY KEY`.
///
/// Two trees: rows under rowids 1, 2, 3, … in the order of insertion, and index
/// entries of id and rowid.
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
        Ok(Self {
            table: SqliteTree::new(
                SqliteLayout::Rowid,
                Column::Bigint,
                options,
                Uniqueness::Promised,
            )?,
            index: SqliteTree::new(SqliteLayout::UniqueIndex, column, options, uniqueness)?,
        })
    }

    /// Inserts a row with `key`, and reports what each tree did to the sink of
    /// that tree; `false` if the key is there already (noticed only if
    /// [`Uniqueness::Checked`]).
    #[inline]
    pub fn insert(&mut self, key: K, table: &mut impl Sink, index: &mut impl Sink) -> bool {
        let new = self.index.insert(key, index);
        if new {
            insert_row(&mut self.table, Value::key(key, self.index.column), table);
        }
        new
    }

    /// Inserts rows with `keys` in their order; as [`SqliteTree::insert_all`].
    pub fn insert_all(&mut self, keys: &[K], table: &mut impl Sink, index: &mut impl Sink) {
        let column = self.index.column;
        self.index.insert_each(keys, index, |key| {
            insert_row(&mut self.table, Value::key(key, column), table);
        });
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

/// Inserts the row of the next rowid.
fn insert_row(table: &mut SqliteTree<u64>, id: Value, sink: &mut impl Sink) {
    let rowid = table.rows() + 1;
    let row = cell::record_bytes([id, Value::Blob(table.payload_bytes)]);
    let row = cell::table_cell(rowid, row, table.page_bytes);
    table.insert_at(table.locate(rowid), rowid, row, sink);
}
