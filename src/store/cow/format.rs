//! Bytes and split points of the copy-on-write trees: [`Format`].

use super::CowEngine;
use crate::engine::{EngineError, EngineOptions, LMDB, REDB};
use crate::id::Column;
use crate::names::plural;

/// Sizes of the pages of one kind, leaf or internal, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Class {
    /// For entries.
    pub room: u32,
    /// Of an entry.
    pub entry: u32,
    /// Of the first entry of the page; an internal one has no key.
    pub first: u32,
}

impl Class {
    fn new(room: u32, entry: u32, first: u32) -> Self {
        Self { room, entry, first }
    }

    /// Entries that fit.
    pub fn capacity(&self) -> u32 {
        match self.room.checked_sub(self.first) {
            Some(rest) => 1 + rest / self.entry,
            None => 0,
        }
    }
}

/// Sizes of a tree's pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    pub engine: CowEngine,
    pub page_bytes: u32,
    pub leaf: Class,
    pub internal: Class,
    /// Pages beside the tree that hold the payload of one row.
    pub overflow_pages: u32,
}

/// The rule of LMDB for pages of few or large entries takes a look at their sizes.
const LMDB_FEW: u32 = 32;

impl Format {
    /// The sizes for ids in `column`.
    ///
    /// # Errors
    /// A page size that is not a power of two from 512 to 65536 (LMDB: to 32768), a
    /// fill factor, entries that do not fit.
    pub fn new(
        engine: CowEngine,
        column: Column,
        options: EngineOptions,
    ) -> Result<Self, EngineError> {
        let refuse = |option, message: String| {
            Err(EngineError {
                option: Some(option),
                message: format!("{}: {message}", engine.name()),
            })
        };
        let profile = match engine {
            CowEngine::Lmdb => LMDB,
            CowEngine::Redb => REDB,
        };
        let page_bytes = options.page_bytes.unwrap_or(profile.page_bytes);
        profile.check_page(page_bytes)?;
        if options.fill_factor_percent.is_some() {
            return refuse("fill_factor", "there is no fill factor".to_owned());
        }
        let payload = options.payload_bytes;
        if payload > 1_000_000_000 {
            let message =
                format!("a payload of {payload} bytes is too large, expected at most 1000000000");
            return refuse("payload_bytes", message);
        }
        let key = column.value_bytes();
        let format = match engine {
            CowEngine::Lmdb => Self::lmdb(page_bytes, key, payload),
            CowEngine::Redb => Self::redb(page_bytes, key, payload),
        };
        if format.leaf.capacity() == 0 {
            let message = format!(
                "a key of {} and a payload of {} are larger than a page of {page_bytes}",
                plural(key, "byte"),
                plural(payload, "byte")
            );
            return refuse(options.to_blame(column), message);
        }
        if format.internal.capacity() < 4 {
            let message =
                format!("a page of {page_bytes} bytes is too small for four {column} separators");
            return refuse(options.to_blame(column), message);
        }
        Ok(format)
    }

    /// `mdb_leaf_size`, `mdb_branch_size`, `OVPAGES` of mdb.c (0.9.24): a node is 8 bytes,
    /// key and value, rounded up to even, with a slot of 2 bytes. The value of a
    /// node above half a page lies on overflow pages, with its number in the node.
    fn lmdb(page_bytes: u32, key: u32, payload: u32) -> Self {
        let room = page_bytes - 16;
        let largest_node = ((room / 2) & !1) - 2;
        let inline = 8 + key + payload <= largest_node;
        let node = |bytes: u32| (8 + bytes).next_multiple_of(2) + 2;
        let leaf = node(key + if inline { payload } else { 8 });
        Self {
            engine: CowEngine::Lmdb,
            page_bytes,
            leaf: Class::new(room, leaf, leaf),
            internal: Class::new(room, node(key), node(0)),
            overflow_pages: match inline {
                true => 0,
                false => (16 + payload).div_ceil(page_bytes),
            },
        }
    }

    /// `RawLeafBuilder::required_bytes`, `RawBranchBuilder::required_bytes` (4.6.0): a leaf
    /// keeps 4 bytes beside each value to tell where it ends, but none beside keys of
    /// fixed width.
    fn redb(page_bytes: u32, key: u32, payload: u32) -> Self {
        let leaf = key + payload + 4;
        Self {
            engine: CowEngine::Redb,
            page_bytes,
            leaf: Class::new(page_bytes - 4, leaf, leaf),
            internal: Class::new(page_bytes - 8, 24 + key, 24),
            overflow_pages: 0,
        }
    }

    pub fn class(&self, level: usize) -> &Class {
        match level {
            0 => &self.leaf,
            _ => &self.internal,
        }
    }

    /// How many entries stay on the left page when a page of `entries` divides for a
    /// new one that has `at` entries before it.
    pub fn left_entries(&self, level: usize, entries: u32, at: u32, rightmost: bool) -> u32 {
        match self.engine {
            CowEngine::Lmdb => self.lmdb_left_entries(level, entries, at),
            CowEngine::Redb => self.redb_left_entries(level, entries, rightmost && at == entries),
        }
    }

    /// `mdb_page_split`: the middle, but after an insert at the end of any page all
    /// stays left except its last entry. Of few or large entries the sizes are
    /// summed up, from the left or from the right, to one entry past the middle.
    fn lmdb_left_entries(&self, level: usize, entries: u32, at: u32) -> u32 {
        let class = self.class(level);
        let middle = entries.div_ceil(2);
        if at >= entries {
            return entries - 1;
        }
        if entries >= LMDB_FEW && class.entry <= class.room / 16 {
            return middle;
        }
        let size = |i: u32| if i == 0 { class.first } else { class.entry };
        let mut bytes = 0;
        if at <= middle {
            // The new entry is never the first of an internal page.
            let last = middle + u32::from(level == 0);
            (0..last)
                .find(|&i| {
                    bytes += size(i);
                    bytes > class.room
                })
                .unwrap_or(last)
        } else {
            let last = middle;
            (last + 1..=entries)
                .rev()
                .find(|&i| {
                    bytes += size(i);
                    bytes > class.room
                })
                .map_or(last + 1, |i| i + 1)
        }
    }

    /// `LeafBuilder::build_split`, `BranchBuilder::build_split`, and the fast path of
    /// `insert_helper` for a key above all others.
    fn redb_left_entries(&self, level: usize, entries: u32, at_the_end: bool) -> u32 {
        let all = entries + 1;
        match level {
            0 if at_the_end => entries,
            // The fewest that have at least half of the bytes of all.
            0 => {
                let entry = self.leaf.entry.max(1);
                (all * entry / 2).div_ceil(entry).clamp(1, entries)
            }
            // Half of the separators, and the next one moves up.
            _ => (all - 1) / 2 + 1,
        }
    }
}
