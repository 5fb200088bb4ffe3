//! What an id's width costs where it is stored: in the primary key's index, in each further
//! index that points to rows by it, in each foreign key and the index on that.
//!
//! Pages follow from the engines' entry sizes as the trees in [`crate::store`] have them, and
//! from how full pages are:
//!
//! | engine | ids in order | ids at random |
//! | --- | --- | --- |
//! | postgres | the split point of a rightmost page, exact | [`Fringe`] |
//! | innodb | a full page, of a table less a sixteenth, exact | [`Fringe`] with splits beside the last record |
//! | sqlite | table leaves full; an index keeps m - ⌊m/8⌋ of m cells | 90.5 % (measured on the model) |
//!
//! Pages of ids in order are the trees', in SQLite but for 1 %; of ids at random those of a mean
//! tree to 4 %, from which a tree may be another 10 % away (see [`Fringe`]).

use crate::engine::{
    Engine, EngineError, EngineOptions, Geometry, INNODB, Model, POSTGRES, Page, SQLITE,
};
use crate::id::Column;
use crate::store::{InnoDbFormat, InnoDbIndex, SqliteLayout, SqliteTree, Uniqueness};
use crate::theory::fringe::{self, Fringe, LeafKind};

/// The engines whose sizes are known.
pub const ENGINES: [&Engine; 3] = [&POSTGRES, &INNODB, &SQLITE];

/// In which order ids come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Arrival {
    InOrder,
    AtRandom,
}

/// A table, its indexes, and the tables that refer to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Table {
    /// Rows of each table.
    pub rows: u64,
    /// Further indexes on columns of random 8-byte values.
    pub secondary: u64,
    /// Tables with as many rows that hold the id as a foreign key, with an index on it; their
    /// own ids are of the same width.
    pub foreign: u64,
}

impl Table {
    /// Bytes of all copies of ids `width` bytes wide, no more: of the key, of each further
    /// index, of each foreign key.
    pub fn raw_bytes(self, width: u32) -> u128 {
        let copies = 1 + u128::from(self.secondary) + u128::from(self.foreign);
        u128::from(self.rows) * u128::from(width) * copies
    }
}

/// What a table's ids take in an engine, in bytes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Storage {
    /// The primary key's tree; where the table is that tree, rows with no other column.
    pub primary_bytes: f64,
    /// All further indexes.
    pub secondary_bytes: f64,
    /// The indexes on all foreign keys.
    pub foreign_bytes: f64,
    /// The values in rows that lie outside these trees.
    pub column_bytes: f64,
}

impl Storage {
    /// What `table` takes in `engine` if its ids are of `column`: when they come in order, and
    /// when they come at random.
    ///
    /// # Errors
    /// An engine that is not of [`ENGINES`], or a column that it does not take.
    pub fn new(
        engine: &'static Engine,
        column: Column,
        table: Table,
    ) -> Result<[Self; 2], EngineError> {
        let secondary = match table.secondary {
            0 => 0.0,
            _ => pages(
                engine,
                column,
                Tree::Secondary,
                table.rows,
                Arrival::AtRandom,
            )?,
        };
        let of = |arrival| {
            let of = |tree| pages(engine, column, tree, table.rows, arrival);
            let foreign = if table.foreign > 0 {
                of(Tree::Foreign)?
            } else {
                0.0
            };
            // A table that is the tree of its ids holds them there.
            let is_tree = match engine.model {
                Model::InnoDb => true,
                Model::Sqlite => column == Column::Bigint,
                _ => false,
            };
            let columns = table.foreign as f64 + if is_tree { 0.0 } else { 1.0 };
            let width = f64::from(column.value_bytes());
            let page_bytes = f64::from(engine.page_bytes);
            Ok(Self {
                primary_bytes: of(Tree::Primary)? * page_bytes,
                secondary_bytes: secondary * page_bytes * table.secondary as f64,
                foreign_bytes: foreign * page_bytes * table.foreign as f64,
                column_bytes: columns * width * table.rows as f64,
            })
        };
        Ok([of(Arrival::InOrder)?, of(Arrival::AtRandom)?])
    }

    /// All of it.
    pub fn total_bytes(&self) -> f64 {
        self.primary_bytes + self.secondary_bytes + self.foreign_bytes + self.column_bytes
    }
}

/// A tree of a [`Table`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tree {
    Primary,
    Secondary,
    Foreign,
}

/// Pages of a tree of a table whose ids are of `column`.
fn pages(
    engine: &'static Engine,
    column: Column,
    tree: Tree,
    rows: u64,
    arrival: Arrival,
) -> Result<f64, EngineError> {
    let key = match tree {
        Tree::Secondary => Column::Bigint,
        _ => column,
    };
    match engine.model {
        Model::Pages(_) if engine.name == POSTGRES.name => nbtree(engine, key, rows, arrival),
        Model::InnoDb => {
            let index = match tree {
                Tree::Primary => InnoDbIndex::Clustered { payload_bytes: 0 },
                _ => InnoDbIndex::Secondary {
                    primary_key_bytes: column.value_bytes(),
                },
            };
            innodb(index, key, rows, arrival)
        }
        Model::Sqlite => {
            let is_rowid = column == Column::Bigint;
            let layout = match tree {
                Tree::Primary if is_rowid => SqliteLayout::Rowid,
                _ => SqliteLayout::UniqueIndex,
            };
            sqlite(layout, key, is_rowid, rows, arrival)
        }
        _ => {
            let message = format!("{}: sizes of its indexes are not predicted", engine.name);
            Err(EngineError::name(message))
        }
    }
}

/// How many entries pages of a level have.
struct Level {
    /// As many as fit.
    fits: f64,
    /// As many as are left to one page when the others have `in_order`.
    rest: f64,
    /// As many as stay when further ones come in order.
    in_order: f64,
    /// As many as there are on average when they come at random.
    at_random: f64,
}

impl Level {
    fn pages(&self, entries: f64, arrival: Arrival) -> f64 {
        if entries <= self.fits {
            return 1.0;
        }
        match arrival {
            Arrival::InOrder => 1.0 + ((entries - self.rest) / self.in_order).ceil(),
            Arrival::AtRandom => (entries / self.at_random).max(2.0),
        }
    }
}

/// Pages of a tree of `rows` entries.
fn tree_pages(rows: u64, leaf: &Level, internal: &Level, arrival: Arrival) -> f64 {
    let mut level = leaf.pages(rows as f64, arrival);
    let mut pages = level;
    while level > 1.0 {
        level = internal.pages(level, arrival);
        pages += level;
    }
    pages
}

/// The mean number of entries of a leaf when `rows` have come at random.
fn at_random(kinds: &[LeafKind], rows: u64) -> f64 {
    let mut fringe = Fringe::of_kinds(kinds);
    fringe.leap(rows);
    rows as f64 / fringe.leaves()
}

fn nbtree(
    engine: &'static Engine,
    column: Column,
    rows: u64,
    arrival: Arrival,
) -> Result<f64, EngineError> {
    let geometry = Geometry::new(engine, column, EngineOptions::default())?;
    let [inner, last] = geometry.leaf;
    let leaf = Level {
        fits: last.capacity.into(),
        rest: last.capacity.into(),
        in_order: last.left_entries[1].into(),
        at_random: match arrival {
            Arrival::InOrder => 1.0,
            Arrival::AtRandom => {
                let [half, edge] = [inner, last].map(|page| page.left_entries[0]);
                let kind = |page: Page, into, left| LeafKind {
                    divides_into: (into, left),
                    ..LeafKind::even(page.capacity, into)
                };
                // The first leaf is a rightmost one, and the swing begins with it.
                at_random(&[kind(inner, [0, 0], half), kind(last, [0, 1], edge)], rows)
            }
        },
    };
    let [inner, last] = geometry.internal;
    let internal = Level {
        fits: last.capacity.into(),
        rest: last.capacity.into(),
        in_order: last.left_entries[1].into(),
        at_random: fringe::fill(inner.capacity) * f64::from(inner.capacity),
    };
    Ok(geometry.meta_pages as f64 + tree_pages(rows, &leaf, &internal, arrival))
}

fn innodb(
    index: InnoDbIndex,
    column: Column,
    rows: u64,
    arrival: Arrival,
) -> Result<f64, EngineError> {
    let format = InnoDbFormat::new(index, column, INNODB.page_bytes)?;
    let ([leaf, internal], [leaf_in_order, internal_in_order]) =
        (format.capacity(), format.kept_in_order());
    // A root's records move to a new page, whose last insert is not known: it divides evenly.
    let first = |records: u32| f64::from(records / 2);
    let leaf = Level {
        fits: match arrival {
            Arrival::InOrder => leaf_in_order.into(),
            Arrival::AtRandom => leaf.into(),
        },
        rest: first(leaf_in_order),
        in_order: leaf_in_order.into(),
        at_random: match arrival {
            Arrival::InOrder => 1.0,
            Arrival::AtRandom => {
                let kind = |capacity: u32| LeafKind {
                    uneven_from: Some(leaf_in_order.min(capacity)),
                    ..LeafKind::even(capacity, [1, 0])
                };
                // The left half of a leaf is the old page.
                at_random(&[kind(leaf), kind(format.capacity_of_divided_leaf())], rows)
            }
        },
    };
    let internal = Level {
        fits: internal.into(),
        rest: first(internal_in_order),
        in_order: internal_in_order.into(),
        at_random: fringe::fill(internal) * f64::from(internal),
    };
    Ok(tree_pages(rows, &leaf, &internal, arrival))
}

/// How full leaves and internal pages are when keys come at random, shared among siblings:
/// means of the model at 100,000 to 1,000,000 rows.
const SQLITE_AT_RANDOM: [f64; 2] = [0.905, 0.87];
/// An id of 63 bits whose top is not 0: the widest integer.
const WIDE_ID: u64 = 1 << 60;
/// The last rowids whose integers have 0, 1, 2, 3, 4, 6 and 8 bytes.
const LAST_ROWIDS: [u64; 7] = [
    1,
    0x7f,
    0x7fff,
    0x7f_ffff,
    0x7fff_ffff,
    0x7fff_ffff_ffff,
    u64::MAX,
];

/// `is_rowid`: ids are rowids, which index entries end with; else these count from 1.
fn sqlite(
    layout: SqliteLayout,
    column: Column,
    is_rowid: bool,
    rows: u64,
    arrival: Arrival,
) -> Result<f64, EngineError> {
    let promised = Uniqueness::Promised;
    let tree = SqliteTree::<u64>::new(layout, column, EngineOptions::default(), promised)?;
    let [leaf_room, internal_room] = [tree.leaf_usable_bytes(), tree.internal_usable_bytes()];
    let shared = |cells: u32| f64::from(cells - cells / 8);
    let is_table = layout == SqliteLayout::Rowid;
    // Between two leaves of an index lies an entry that is on neither.
    let between = f64::from(u8::from(!is_table));
    let (mut pages, mut bytes, mut internal_bytes, mut before) = (0.0, 0.0, 0, 0);
    for last in LAST_ROWIDS {
        let last = last.min(rows);
        let count = (last - before) as f64;
        before = last;
        let rowid = if is_rowid { WIDE_ID } else { last };
        let [leaf, internal] = tree.entry_bytes(WIDE_ID, rowid);
        let fit = leaf_room / leaf;
        let kept = if is_table { fit.into() } else { shared(fit) };
        pages += count / (kept + between);
        bytes += count * f64::from(leaf);
        internal_bytes = internal;
    }
    let rows_f64 = rows as f64;
    let fits = f64::from(leaf_room) * rows_f64 / bytes;
    let leaf = Level {
        fits: fits.floor(),
        rest: fits.floor(),
        in_order: rows_f64 / pages,
        at_random: fits * SQLITE_AT_RANDOM[0] + between,
    };
    // A page of m dividers has m + 1 children.
    let fit = internal_room / internal_bytes;
    let internal = Level {
        fits: f64::from(fit + 1),
        rest: f64::from(fit + 1),
        in_order: shared(fit) + 1.0,
        at_random: f64::from(fit) * SQLITE_AT_RANDOM[1] + 1.0,
    };
    Ok(tree_pages(rows, &leaf, &internal, arrival))
}

#[cfg(test)]
mod tests;
