//! How large InnoDB's records are, and what fits a page.

use super::page::Page;
use crate::engine::{EngineError, EngineOptions, INNODB};
use crate::id::{Column, Key};
use crate::names::plural;

/// Page header, infimum and supremum records.
const HEAD_BYTES: u32 = 120;
/// Trailer and the directory slots of infimum and supremum.
const TAIL_BYTES: u32 = 12;
/// Header of a record.
const RECORD_HEADER_BYTES: u32 = 5;
/// Transaction number and roll pointer of a clustered record.
const SYSTEM_BYTES: u32 = 13;
/// Page number in a node pointer.
const CHILD_BYTES: u32 = 4;

/// What an index keeps beside its key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InnoDbIndex {
    /// The table itself, in the order of its primary key.
    Clustered {
        /// Bytes of the row's other column, a `VARBINARY`; 0 if there is none.
        payload_bytes: u32,
    },
    /// Another index: its records end with the primary key.
    Secondary {
        /// Bytes of the primary key.
        primary_key_bytes: u32,
    },
}

/// The sizes of one index in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InnoDbFormat {
    /// Page size.
    pub page_bytes: u32,
    /// What an empty page has room for: records and the directory's share of each.
    pub usable_bytes: u32,
    /// Bytes of a record: on a leaf, on an internal page.
    pub record_bytes: [u32; 2],
    /// Whether leaves keep a sixteenth free when they fill in order.
    pub clustered: bool,
}

impl InnoDbFormat {
    /// The sizes for ids in `column` (row format dynamic, fixed-width column, no
    /// NULLs); InnoDB's pages have 16384 bytes unless the server is set up otherwise.
    ///
    /// # Errors
    /// A page too large or with room for fewer than two records.
    pub fn new(index: InnoDbIndex, column: Column, page_bytes: u32) -> Result<Self, EngineError> {
        let page = plural(page_bytes, "byte");
        if page_bytes > 1 << 16 {
            let message = format!("innodb: a page of {page} is too large, expected at most 65536");
            return Err(EngineError::new("page_bytes", message));
        }
        let (beside, suffix, payload_bytes) = match index {
            InnoDbIndex::Clustered { payload_bytes } => {
                let length_bytes = match payload_bytes {
                    0 => 0,
                    1..128 => 1,
                    _ => 2,
                };
                let beside = payload_bytes.saturating_add(SYSTEM_BYTES + length_bytes);
                (beside, 0, payload_bytes)
            }
            InnoDbIndex::Secondary { primary_key_bytes } => {
                (primary_key_bytes, primary_key_bytes, 0)
            }
        };
        let key_bytes = column.value_bytes().saturating_add(RECORD_HEADER_BYTES);
        let format = Self {
            page_bytes,
            usable_bytes: page_bytes.saturating_sub(HEAD_BYTES + TAIL_BYTES),
            record_bytes: [beside, suffix.saturating_add(CHILD_BYTES)]
                .map(|bytes| key_bytes.saturating_add(bytes)),
            clustered: matches!(index, InnoDbIndex::Clustered { .. }),
        };
        // The engine, too, refuses a table whose rows are above half a page.
        if let Some(record) = format
            .record_bytes
            .into_iter()
            .find(|&record| record > format.usable_bytes.saturating_sub(directory_bytes(2)) / 2)
        {
            let message =
                format!("innodb: a page of {page} is too small for two records of {record} bytes");
            let options = EngineOptions {
                page_bytes: (page_bytes != INNODB.page_bytes).then_some(page_bytes),
                payload_bytes,
                ..EngineOptions::default()
            };
            return Err(EngineError::new(options.to_blame(column), message));
        }
        Ok(format)
    }

    /// Records that fit a page: a leaf, an internal page.
    pub fn capacity(&self) -> [u32; 2] {
        self.record_bytes
            .map(|record| fitting(record, self.usable_bytes))
    }

    /// Records that fit a leaf whose heap has places of records that left it: the last
    /// places are not worth a reorganization.
    pub fn capacity_of_divided_leaf(&self) -> u32 {
        let [leaf, _] = self.record_bytes;
        let scarce = (self.page_bytes / 32).saturating_sub(leaf);
        fitting(leaf, self.usable_bytes.saturating_sub(scarce))
    }

    /// Records of a page after which others came, all in order: a leaf, an internal page.
    pub fn kept_in_order(&self) -> [u32; 2] {
        let [leaf, internal] = self.record_bytes;
        // What leaves keep free for rows that grow, from their third record on.
        let reserve = if self.clustered {
            self.page_bytes / 16
        } else {
            0
        };
        let leaf = fitting(leaf, self.usable_bytes.saturating_sub(reserve));
        let least = if self.clustered { 2 } else { 1 };
        [leaf.max(least), fitting(internal, self.usable_bytes)]
    }

    /// Bytes of a record on `level`, 0 for the leaves.
    pub(super) fn record(&self, level: usize) -> u32 {
        self.record_bytes[usize::from(level > 0)]
    }

    /// Bytes left for `more` records above `records` records.
    fn room(&self, level: usize, records: u32, more: u32) -> u32 {
        let used = records * self.record(level) + directory_bytes(records + more);
        self.usable_bytes.saturating_sub(used)
    }

    /// Whether `more` records have space above all places of `page`'s heap.
    pub(super) fn has_space_above<K: Key>(&self, level: usize, page: &Page<K>, more: u32) -> bool {
        self.room(level, page.heap, more) >= more * self.record(level)
    }

    /// Whether `page` would take `more` records after a reorganization.
    pub(super) fn has_space_reorganized<K: Key>(
        &self,
        level: usize,
        page: &Page<K>,
        more: u32,
    ) -> bool {
        self.room(level, page.len(), more) >= more * self.record(level)
    }

    /// Whether a record goes to `slot` of `page` without further ado; if not, the
    /// page counts as full.
    #[inline]
    pub(super) fn accepts<K: Key>(&self, level: usize, page: &Page<K>, slot: usize) -> bool {
        let record = self.record(level);
        let room = self.room(level, page.len(), 1);
        if page.has_garbage() {
            // Not worth a reorganization if it gains less than a 32nd of the page.
            let scarce = room < record.max(self.page_bytes / 32);
            if scarce && page.len() > 1 && !self.has_space_above(level, page, 1) {
                return false;
            }
        } else if room < record {
            return false;
        }
        // Leaves of a table that fill in order keep space for rows that grow.
        let reserve = self.clustered && level == 0 && page.len() >= 2;
        !(reserve && self.page_bytes / 16 + record > room && page.is_beside_last(slot))
    }

    /// Whether `page` is so empty that it should be merged with a neighbour.
    pub(super) fn is_sparse<K: Key>(&self, level: usize, page: &Page<K>) -> bool {
        page.len() * self.record(level) < self.page_bytes / 2
    }
}

/// Records of so many bytes that `usable_bytes` have room for, with their share of the directory.
fn fitting(record_bytes: u32, usable_bytes: u32) -> u32 {
    let fits = |records: &u32| records * record_bytes + directory_bytes(*records) <= usable_bytes;
    (1..).take_while(fits).count() as u32
}

/// What the page directory takes for `records` records: a slot of 2 bytes for each
/// 4 of them.
fn directory_bytes(records: u32) -> u32 {
    (2 * records).div_ceil(4)
}
