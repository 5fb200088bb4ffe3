//! From an engine's profile to a tree with all its sizes.

use super::{
    AnyTree, BStar, BTree, CowEngine, CowTree, InnoDb, InnoDbFormat, InnoDbIndex, InnoDbIndexed,
    SqliteIndexed, SqliteLayout, SqliteTree, Uniqueness, WiredTiger,
};
use crate::engine::{EngineError, EngineOptions, Geometry, Log, Model, Profile};
use crate::id::{Column, Key};

/// A tree that is to be grown: an engine's index on one column.
#[derive(Clone, Copy, Debug)]
pub struct Design {
    /// The engine and the kind of index.
    pub profile: Profile,
    /// The column of the ids.
    pub column: Column,
    /// What is not as the profile says.
    pub options: EngineOptions,
    /// Its sizes.
    pub sizes: Sizes,
    /// The cache, if its size decides how the tree grows (WiredTiger).
    pub cache_bytes: Option<u64>,
}

/// The sizes of a tree, by what kind it is of.
#[derive(Clone, Copy, Debug)]
pub enum Sizes {
    /// A [`BTree`](super::BTree).
    Pages(Geometry),
    /// A [`BStar`](super::BStar) of so many neighbours.
    BStar(Geometry, u32),
    /// An [`InnoDb`](super::InnoDb).
    InnoDb(InnoDbFormat),
    /// An [`InnoDbIndexed`].
    InnoDbIndexed,
    /// A [`SqliteTree`], or a [`SqliteIndexed`](super::SqliteIndexed) if it is an index.
    Sqlite(SqliteLayout),
    /// A [`CowTree`].
    Cow(CowEngine),
    /// A [`WiredTiger`].
    WiredTiger,
}

/// The cache of WiredTiger, which decides when pages are made, unless a size is asked for.
const WIREDTIGER_CACHE_BYTES: u64 = 1 << 30;

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
        let name = profile.engine.name;
        profile.check(column)?;
        profile
            .engine
            .check_page(options.page_bytes.unwrap_or(profile.engine.page_bytes))?;
        let fixed = matches!(profile.engine.model, Model::Pages(_) | Model::BStar(_));
        if options.fill_factor_percent.is_some() && !fixed {
            let message = format!("{name} has no fill factor that inserts obey");
            return Err(EngineError::new("fill_factor", message));
        }
        let promised = Uniqueness::Promised;
        let sizes = match profile.engine.model {
            Model::Pages(_) => Sizes::Pages(Geometry::new(profile, column, options)?),
            Model::BStar(_) => Sizes::BStar(
                Geometry::new(profile, column, options)?,
                profile.parameter.unwrap_or(2),
            ),
            Model::InnoDb => {
                let page_bytes = options.page_bytes.unwrap_or(profile.engine.page_bytes);
                let payload_bytes = options.payload_bytes;
                if profile.index.name == "secondary" {
                    InnoDbIndexed::<u64>::new(column, payload_bytes, page_bytes)?;
                    Sizes::InnoDbIndexed
                } else {
                    let index = InnoDbIndex::Clustered { payload_bytes };
                    Sizes::InnoDb(InnoDbFormat::new(index, column, page_bytes)?)
                }
            }
            Model::Sqlite => {
                let layout = match (profile.index.name, column) {
                    ("without_rowid", _) => SqliteLayout::WithoutRowid,
                    ("rowid", _) | ("primary_key", Column::Bigint) => SqliteLayout::Rowid,
                    _ => SqliteLayout::UniqueIndex,
                };
                SqliteTree::<u64>::new(layout, column, options, promised)?;
                Sizes::Sqlite(layout)
            }
            Model::WiredTiger => {
                WiredTiger::<u64>::new(column, options, WIREDTIGER_CACHE_BYTES, promised)?;
                Sizes::WiredTiger
            }
            Model::Lmdb | Model::Redb => {
                let engine = match profile.engine.model {
                    Model::Lmdb => CowEngine::Lmdb,
                    _ => CowEngine::Redb,
                };
                CowTree::<u64>::new(engine, column, options, promised)?;
                Sizes::Cow(engine)
            }
        };
        Ok(Self {
            profile,
            column,
            options,
            sizes,
            cache_bytes: None,
        })
    }

    /// An empty tree of this design.
    ///
    /// # Errors
    /// As [`Design::new`].
    pub fn tree<K: Key>(&self, uniqueness: Uniqueness) -> Result<AnyTree<K>, EngineError> {
        let (column, options) = (self.column, self.options);
        Ok(match self.sizes {
            Sizes::Pages(geometry) => AnyTree::new(BTree::new(geometry, uniqueness)),
            Sizes::BStar(geometry, neighbours) => {
                AnyTree::new(BStar::new(geometry, neighbours, uniqueness))
            }
            Sizes::InnoDb(format) => AnyTree::new(InnoDb::new(format)),
            Sizes::InnoDbIndexed => AnyTree::new(InnoDbIndexed::new(
                column,
                options.payload_bytes,
                self.page_bytes(),
            )?),
            Sizes::Sqlite(SqliteLayout::UniqueIndex) => {
                AnyTree::new(SqliteIndexed::new(column, options, uniqueness)?)
            }
            Sizes::Sqlite(layout) => {
                AnyTree::new(SqliteTree::new(layout, column, options, uniqueness)?)
            }
            Sizes::Cow(engine) => AnyTree::new(CowTree::new(engine, column, options, uniqueness)?),
            Sizes::WiredTiger => {
                let cache_bytes = self.cache_bytes.unwrap_or(WIREDTIGER_CACHE_BYTES);
                AnyTree::new(WiredTiger::new(column, options, cache_bytes, uniqueness)?)
            }
        })
    }

    /// Trees of the table: the ids' own, and one of the rows if they lie in another.
    pub fn trees(&self) -> usize {
        match self.sizes {
            Sizes::Sqlite(SqliteLayout::UniqueIndex) | Sizes::InnoDbIndexed => 2,
            _ => 1,
        }
    }

    /// Whether rows can be purged from the tree ([`Tree::remove_all`](super::Tree::remove_all)).
    pub fn has_purge(&self) -> bool {
        matches!(
            self.sizes,
            Sizes::Pages(_) | Sizes::Sqlite(_) | Sizes::InnoDb(_) | Sizes::InnoDbIndexed
        )
    }

    /// Whether [`EngineOptions::page_bytes`] decides its pages, not a number of entries.
    pub fn takes_page_bytes(&self) -> bool {
        !matches!(self.sizes, Sizes::Pages(_)) || self.profile.parameter.is_none()
    }

    /// Whether its pages hold rows, not keys and pointers alone.
    pub fn holds_rows(&self) -> bool {
        match self.profile.engine.model {
            Model::Pages(pages) | Model::BStar(pages) => {
                (pages.leaf_entry_bytes)(self.column, 1 << 10)
                    != (pages.leaf_entry_bytes)(self.column, 0)
            }
            _ => true,
        }
    }

    /// The sizes of its pages, if it is PostgreSQL's.
    pub fn nbtree(&self) -> Option<Geometry> {
        match self.sizes {
            Sizes::Pages(geometry) if geometry.log == Log::Nbtree => Some(geometry),
            _ => None,
        }
    }

    /// Page size.
    pub fn page_bytes(&self) -> u32 {
        let default = self.profile.engine.page_bytes;
        match self.sizes {
            Sizes::Pages(geometry) | Sizes::BStar(geometry, _) => geometry.page_bytes,
            _ => self.options.page_bytes.unwrap_or(default),
        }
    }
}
