//! Engine profiles: how a storage engine accounts its pages in bytes.
//!
//! To add a profile: write `src/engine/<name>.rs` with one documented constant
//! and add one line to `engines!` below.

use crate::id::Column;
use std::fmt;
use thiserror::Error;

/// How a full page is divided.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Entries that stay on the left page.
    pub left_entries: fn(&Page) -> u32,
    /// What the rule is, for `sim list engines`.
    pub about: &'static str,
}

/// What an engine writes ahead of its pages, as far as it is modelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Log {
    /// Nothing, or nothing that is modelled.
    None,
    /// PostgreSQL's records of resource manager Btree.
    Nbtree,
}

/// An engine profile.
#[derive(Clone, Copy)]
pub struct Engine {
    /// Name on the command line.
    pub name: &'static str,
    /// One line on what it is, with its source.
    pub about: &'static str,
    /// Page size unless another is asked for.
    pub page_bytes: u32,
    /// Bytes of a page that never hold entries.
    pub overhead_bytes: u32,
    /// Pages of the index besides leaf and internal ones.
    pub meta_pages: u64,
    /// Bytes of a leaf entry, for a column and a payload width.
    pub leaf_entry_bytes: fn(Column, u32) -> u32,
    /// Bytes of an entry of an internal page.
    pub internal_entry_bytes: fn(Column) -> u32,
    /// Bytes of an internal page's first entry, whose key is not stored.
    pub first_internal_entry_bytes: u32,
    /// Whether each page but the rightmost of its level keeps its upper bound
    /// as one more entry.
    pub high_key: bool,
    /// Leaf fill factor in percent unless another is asked for; `None` if the engine has none.
    pub fill_factor_percent: Option<u32>,
    /// How a full page is divided.
    pub split: Split,
    /// What it writes ahead of its pages.
    pub log: Log,
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

macro_rules! engines {
    ($($module:ident :: $constant:ident),* $(,)?) => {
        $(mod $module; pub use $module::$constant;)*

        /// Every engine profile, in the order of `sim list`.
        pub const ENGINES: &[&Engine] = &[$(&$constant),*];
    };
}

engines! {
    postgres::POSTGRES,
    textbook::TEXTBOOK,
}

impl Engine {
    /// The profile called `name`.
    ///
    /// # Errors
    /// There is none; the message names the nearest.
    pub fn by_name(name: &str) -> Result<&'static Engine, EngineError> {
        ENGINES
            .iter()
            .copied()
            .find(|engine| engine.name == name)
            .ok_or_else(|| {
                let hint = crate::names::nearest(name, ENGINES.iter().map(|engine| engine.name));
                EngineError {
                    option: None,
                    message: format!("unknown engine {name:?}{hint}"),
                }
            })
    }
}

/// What may be changed in a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EngineOptions {
    /// Page size.
    pub page_bytes: Option<u32>,
    /// Leaf fill factor in percent.
    pub fill_factor_percent: Option<u32>,
    /// Bytes that a leaf entry carries beside its key, where the engine keeps the row there.
    pub payload_bytes: u32,
}

/// A profile or its options cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{message}")]
pub struct EngineError {
    /// The option that is to blame, as [`EngineOptions`] calls it; none if it is the name.
    pub option: Option<&'static str>,
    /// What is wrong, and what was expected.
    pub message: String,
}

impl EngineError {
    fn new(option: &'static str, message: String) -> Self {
        Self {
            option: Some(option),
            message,
        }
    }
}

/// The numbers that decide when and where a page of one class (leaf or
/// internal, rightmost of its level or not) splits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Page {
    /// Whether it is a leaf.
    pub leaf: bool,
    /// Whether it is the rightmost page of its level.
    pub rightmost: bool,
    /// Bytes for entries.
    pub usable_bytes: u32,
    /// Bytes of an entry.
    pub entry_bytes: u32,
    /// Bytes of the first entry.
    pub first_entry_bytes: u32,
    /// Bytes of the high key that a page keeps when it is not rightmost, 0 if none.
    pub high_key_bytes: u32,
    /// Leaf fill factor in percent.
    pub fill_factor_percent: u32,
    /// Entries that fit; one more and it splits.
    pub capacity: u32,
    /// Entries on the left page after a split of `capacity + 1`.
    pub left_entries: u32,
}

impl Page {
    /// Bytes that `entries` entries and the high key take.
    pub fn used_bytes(&self, entries: u32) -> u32 {
        let high_key = if self.rightmost {
            0
        } else {
            self.high_key_bytes
        };
        match entries {
            0 => high_key,
            _ => high_key + self.first_entry_bytes + (entries - 1) * self.entry_bytes,
        }
    }
}

/// An engine's four classes of pages, for one column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    /// Page size.
    pub page_bytes: u32,
    /// Pages besides leaf and internal ones.
    pub meta_pages: u64,
    /// What is written ahead of the pages.
    pub log: Log,
    /// A leaf, by whether it is rightmost.
    pub leaf: [Page; 2],
    /// An internal page, by whether it is the rightmost of its level.
    pub internal: [Page; 2],
}

impl Geometry {
    /// The page arithmetic of `engine` for ids in `column`.
    ///
    /// # Errors
    /// A page too small for three entries, a page size or fill factor out of
    /// range, a fill factor for an engine without one.
    pub fn new(
        engine: &Engine,
        column: Column,
        options: EngineOptions,
    ) -> Result<Self, EngineError> {
        let name = engine.name;
        let page_bytes = options.page_bytes.unwrap_or(engine.page_bytes);
        if page_bytes > 1 << 20 {
            let message = format!(
                "{name}: a page of {page_bytes} bytes is too large, expected at most 1 MiB"
            );
            return Err(EngineError::new("page_bytes", message));
        }
        if options.payload_bytes > page_bytes {
            let given = options.payload_bytes;
            let message =
                format!("{name}: a payload of {given} bytes is larger than a page of {page_bytes}");
            return Err(EngineError::new("payload_bytes", message));
        }
        let fill_factor_percent = match (engine.fill_factor_percent, options.fill_factor_percent) {
            (None, Some(_)) => {
                let message = format!("{name} has no fill factor");
                return Err(EngineError::new("fill_factor", message));
            }
            (_, Some(percent)) if !(10..=100).contains(&percent) => {
                let message = format!("{name}: {percent} is not valid, expected 10 to 100 (%)");
                return Err(EngineError::new("fill_factor", message));
            }
            (default, given) => given.or(default).unwrap_or(100),
        };
        let page = |leaf: bool, rightmost: bool| {
            let entry_bytes = match leaf {
                true => (engine.leaf_entry_bytes)(column, options.payload_bytes),
                false => (engine.internal_entry_bytes)(column),
            };
            let separator_bytes = (engine.internal_entry_bytes)(column);
            let mut page = Page {
                leaf,
                rightmost,
                usable_bytes: page_bytes.saturating_sub(engine.overhead_bytes),
                entry_bytes,
                first_entry_bytes: if leaf {
                    entry_bytes
                } else {
                    engine.first_internal_entry_bytes
                },
                high_key_bytes: if engine.high_key { separator_bytes } else { 0 },
                fill_factor_percent,
                capacity: 0,
                left_entries: 0,
            };
            let spare = page.usable_bytes.saturating_sub(page.used_bytes(1));
            page.capacity = 1 + spare / page.entry_bytes;
            if page.capacity < 3 {
                let need = engine.overhead_bytes + page.used_bytes(3);
                let message = format!(
                    "{name}: a page of {page_bytes} bytes is too small for three {column} entries, expected at least {need} bytes"
                );
                return Err(EngineError::new("page_bytes", message));
            }
            page.left_entries = (engine.split.left_entries)(&page);
            Ok(page)
        };
        Ok(Self {
            page_bytes,
            meta_pages: engine.meta_pages,
            log: engine.log,
            leaf: [page(true, false)?, page(true, true)?],
            internal: [page(false, false)?, page(false, true)?],
        })
    }
}
