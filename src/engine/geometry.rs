//! Pages that divide at a number of entries.

use super::{EngineError, EngineOptions, Model, Profile};
use crate::id::Column;
use crate::names::plural;

/// How a full page is divided.
#[derive(Clone, Copy, Debug)]
pub struct Split {
    /// Entries that stay on the left page; whether the new entry is the last of a
    /// page that is the rightmost of its level.
    pub left_entries: fn(&Page, bool) -> u32,
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

/// How an engine accounts its pages if all entries are equally large.
#[derive(Clone, Copy, Debug)]
pub struct Pages {
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
    /// Entries on the left page after a split of `capacity + 1`, by whether the new
    /// entry is the last of a page that is the rightmost of its level.
    pub left_entries: [u32; 2],
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
    /// The page arithmetic of an engine with [`Model::Pages`] for ids in `column`.
    ///
    /// # Errors
    /// Another engine, a key too wide, a page too small for three entries, a page
    /// size or fill factor out of range, a fill factor for an engine without one.
    pub fn new(
        profile: impl Into<Profile>,
        column: Column,
        options: EngineOptions,
    ) -> Result<Self, EngineError> {
        let profile = profile.into();
        profile.check(column)?;
        let name = profile.engine.name;
        let model = profile.engine.model;
        let (Model::Pages(engine) | Model::BStar(engine)) = model else {
            return Err(EngineError::name(format!(
                "{name} has pages of another kind"
            )));
        };
        let page_bytes = options.page_bytes.unwrap_or(profile.engine.page_bytes);
        if page_bytes > 1 << 20 {
            let message = format!(
                "{name}: a page of {page_bytes} bytes is too large, expected at most 1 MiB"
            );
            return Err(EngineError::new("page_bytes", message));
        }
        if options.payload_bytes > page_bytes {
            let payload = plural(options.payload_bytes, "byte");
            let message =
                format!("{name}: a payload of {payload} is larger than a page of {page_bytes}");
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
        let half = profile
            .parameter
            .filter(|_| matches!(model, Model::Pages(_)));
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
                left_entries: [0; 2],
            };
            if let Some(half) = half {
                page.usable_bytes = page.used_bytes(2 * half - 1);
            }
            let spare = page.usable_bytes.saturating_sub(page.used_bytes(1));
            page.capacity = 1 + spare / page.entry_bytes;
            if page.capacity < 3 {
                let need = engine.overhead_bytes + page.used_bytes(3);
                let given = plural(page_bytes, "byte");
                let message = format!(
                    "{name}: a page of {given} is too small for three entries of {entry_bytes} bytes, expected at least {need} bytes"
                );
                return Err(EngineError::new(options.to_blame(column), message));
            }
            page.left_entries = [false, true].map(|last| (engine.split.left_entries)(&page, last));
            Ok(page)
        };
        let leaf = [page(true, false)?, page(true, true)?];
        Ok(Self {
            page_bytes: match half {
                Some(_) => engine.overhead_bytes + leaf[0].usable_bytes,
                None => page_bytes,
            },
            meta_pages: engine.meta_pages,
            log: engine.log,
            leaf,
            internal: [page(false, false)?, page(false, true)?],
        })
    }
}
