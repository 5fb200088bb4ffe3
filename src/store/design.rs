//! From an engine's profile to a tree with all its sizes.

use super::{InnoDbFormat, InnoDbIndex, SqliteLayout, SqliteTree, Uniqueness};
use crate::engine::{EngineError, EngineOptions, Geometry, Model, Profile};
use crate::id::Column;

/// A tree that is to be grown: an engine's index on one column.
#[derive(Clone, Copy, Debug)]
pub enum Design {
    /// A [`BTree`](super::BTree).
    Pages(Geometry),
    /// An [`InnoDb`](super::InnoDb).
    InnoDb(InnoDbFormat),
    /// A [`SqliteTree`](super::SqliteTree).
    Sqlite {
        /// What it holds.
        layout: SqliteLayout,
        /// The column of the ids.
        column: Column,
        /// Page and payload sizes.
        options: EngineOptions,
    },
}

/// Bytes of the counter that clusters a table with a secondary index.
const COUNTER_BYTES: u32 = 8;

impl Design {
    /// The tree of `profile` for ids in `column`.
    ///
    /// # Errors
    /// What the engine does not take: a key too wide, a page size, a payload, a fill factor.
    pub fn new(
        profile: impl Into<Profile>,
        column: Column,
        options: EngineOptions,
    ) -> Result<Self, EngineError> {
        let profile = profile.into();
        profile.check(column)?;
        let name = profile.engine.name;
        if options.fill_factor_percent.is_some() && !matches!(profile.engine.model, Model::Pages(_))
        {
            let message = format!("{name} has no fill factor that inserts obey");
            return Err(EngineError::new("fill_factor", message));
        }
        match profile.engine.model {
            Model::Pages(_) => Geometry::new(profile, column, options).map(Self::Pages),
            Model::InnoDb => {
                let index = match profile.index.name {
                    "secondary" => InnoDbIndex::Secondary {
                        primary_key_bytes: COUNTER_BYTES,
                    },
                    _ => InnoDbIndex::Clustered {
                        payload_bytes: options.payload_bytes,
                    },
                };
                let page_bytes = options.page_bytes.unwrap_or(profile.engine.page_bytes);
                InnoDbFormat::new(index, column, page_bytes).map(Self::InnoDb)
            }
            Model::Sqlite => {
                let layout = match (profile.index.name, column) {
                    ("without_rowid", _) => SqliteLayout::WithoutRowid,
                    ("rowid", _) | ("primary_key", Column::Bigint) => SqliteLayout::Rowid,
                    _ => SqliteLayout::UniqueIndex,
                };
                SqliteTree::<u64>::new(layout, column, options, Uniqueness::Promised)?;
                Ok(Self::Sqlite {
                    layout,
                    column,
                    options,
                })
            }
        }
    }
}
