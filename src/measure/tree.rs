//! All measures of one stream in one tree.

use super::pages::Paged;
use super::shape::FREE_PAGES;
use super::wal::nbtree_wal;
use super::{
    Accesses, COUNTED_SPLITS, DUPLICATE_IDS, Edge, FullPageImages, Rows, Sample, Splits,
    WorkingSet, newest_rows, shape, size,
};
use crate::engine::Log;
use crate::id::Key;
use crate::pool::CachePlan;
use crate::record::Grid;
use crate::source::{AnySource, Source};
use crate::store::{
    AnyTree, BStar, BTree, CowTree, Design, InnoDb, InnoDbIndexed, LoadError, Purge, Sink, Size,
    Sizes, SqliteIndexed, SqliteLayout, SqliteTree, Tree, Uniqueness, WIREDTIGER_CACHE_BYTES,
    WiredTiger, WithSecondaries, load,
};

/// What to load, and into what.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Keys to take; all if `None`.
    pub rows: Option<u64>,
    /// The tree.
    pub design: Design,
    /// Whether the source promises that its keys differ.
    pub uniqueness: Uniqueness,
    /// Rows from one checkpoint to the next; none at all if `None`.
    pub checkpoint_rows: Option<u64>,
    /// The cache that pages go through, if that is measured.
    pub cache: Option<CachePlan>,
    /// Whether the misses of every size of cache are measured.
    pub miss_curve: bool,
    /// Further indexes, whose pages compete for the cache.
    pub secondaries: Secondaries,
    /// Which rows are removed, if any are; what that reads, writes and logs is not measured.
    pub purge: Option<Purge>,
}

/// Further indexes of the table, each on a column of random 8-byte values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Secondaries {
    /// How many.
    pub count: u32,
    /// Seed of the values.
    pub seed: u64,
}

/// What a measured load leaves besides its rows.
#[derive(Clone, Debug)]
pub struct Found {
    /// The locality picture.
    pub grid: Grid,
    /// Keys in the tree.
    pub rows: u64,
    /// Ids refused because they were there already.
    pub duplicates: u64,
    /// The first of them, by its number in the stream, from 1.
    pub first_duplicate: Option<u64>,
}

/// What an engine has beside what all trees have.
trait OfEngine: Sink {
    /// Writes the totals of a tree of this size.
    fn totals(&mut self, size: &Size, splits: &Splits, rows: &mut Rows);
}

impl OfEngine for () {
    fn totals(&mut self, _: &Size, _: &Splits, _: &mut Rows) {}
}

/// The log and the page accesses of PostgreSQL.
impl OfEngine for (FullPageImages, Accesses) {
    fn totals(&mut self, size: &Size, splits: &Splits, rows: &mut Rows) {
        nbtree_wal(splits, &self.0, size.tree_level, rows);
        self.1.totals(rows);
    }
}

/// The pages, too, if they are measured.
impl<E: OfEngine> OfEngine for (E, Option<Paged>) {
    fn totals(&mut self, size: &Size, splits: &Splits, rows: &mut Rows) {
        self.0.totals(size, splits, rows);
        if let Some(paged) = &mut self.1 {
            paged.totals(rows);
        }
    }
}

/// The pages, too.
impl<E: OfEngine> OfEngine for (E, Paged) {
    fn totals(&mut self, size: &Size, splits: &Splits, rows: &mut Rows) {
        self.0.totals(size, splits, rows);
        self.1.totals(rows);
    }
}

/// [`measure_tree`] for keys whose width is known only now.
///
/// # Errors
/// The same.
pub fn measure_any(
    keys: AnySource,
    plan: Plan,
    rows: &mut Rows,
    progress: &dyn Fn(u64),
) -> Result<Found, LoadError> {
    match keys {
        AnySource::Bytes8(mut keys) => measure_tree(&mut *keys, plan, rows, progress),
        AnySource::Bytes16(mut keys) => measure_tree(&mut *keys, plan, rows, progress),
        AnySource::Bytes20(mut keys) => measure_tree(&mut *keys, plan, rows, progress),
    }
}

/// Loads keys of `source` into a tree with all measures on, and writes curves
/// and totals to `rows`. `progress` is told after each batch how many keys it had.
///
/// # Errors
/// Those of the source, a promise of uniqueness that was not kept, or a purge that the
/// tree cannot do.
pub fn measure_tree<K: Key>(
    source: &mut dyn Source<K>,
    plan: Plan,
    rows: &mut Rows,
    progress: &dyn Fn(u64),
) -> Result<Found, LoadError> {
    let uniqueness = plan.uniqueness;
    let alone = plan.secondaries.count == 0;
    let Design {
        column, options, ..
    } = plan.design;
    let cache = plan.cache.map(|cache| cache.open(&plan.design));
    let cache = cache.transpose()?;
    let paged = (cache.is_some() || plan.miss_curve)
        .then(|| Paged::new(cache, plan.miss_curve, &plan.design));
    match plan.design.sizes {
        Sizes::Pages(geometry) => {
            let tree = BTree::new(geometry, uniqueness);
            if geometry.log == Log::None {
                return measure(source, plan, tree, (), paged, rows, progress);
            }
            let log = (
                FullPageImages::new(geometry, plan.checkpoint_rows),
                Accesses::default(),
            );
            match paged {
                // The only trees that are grown to 10⁸ rows.
                None if alone => measure_all(source, plan, tree, log, rows, progress),
                paged => measure(source, plan, tree, log, paged, rows, progress),
            }
        }
        Sizes::BStar(geometry, neighbours) => {
            let tree = BStar::new(geometry, neighbours, uniqueness);
            measure(source, plan, tree, (), paged, rows, progress)
        }
        Sizes::InnoDbIndexed => {
            let page_bytes = plan.design.page_bytes();
            let tree = InnoDbIndexed::new(column, options.payload_bytes, page_bytes)?;
            measure(source, plan, tree, (), paged, rows, progress)
        }
        Sizes::InnoDb(format) => {
            let tree = InnoDb::new(format);
            measure(source, plan, tree, (), paged, rows, progress)
        }
        Sizes::Sqlite(SqliteLayout::UniqueIndex) => {
            let tree = SqliteIndexed::new(column, options, uniqueness)?;
            measure(source, plan, tree, (), paged, rows, progress)
        }
        Sizes::Sqlite(layout) => {
            let tree = SqliteTree::new(layout, column, options, uniqueness)?;
            match paged {
                // Compared with SQLite itself, in time.
                Some(paged) if alone => {
                    measure_all(source, plan, tree, ((), paged), rows, progress)
                }
                paged => measure(source, plan, tree, (), paged, rows, progress),
            }
        }
        Sizes::WiredTiger => {
            let cache_bytes = plan.cache.map(|cache| cache.bytes);
            let cache_bytes = cache_bytes.unwrap_or(WIREDTIGER_CACHE_BYTES);
            let tree = WiredTiger::new(column, options, cache_bytes, uniqueness)?;
            measure(source, plan, tree, (), paged, rows, progress)
        }
        Sizes::Cow(engine) => {
            let tree = CowTree::new(engine, column, options, uniqueness)?;
            measure(source, plan, tree, (), paged, rows, progress)
        }
    }
}

/// Measures by way of an [`AnyTree`], which is a little slower and compiled once.
fn measure<K: Key, T: Tree<K> + Send + 'static, E: OfEngine>(
    source: &mut dyn Source<K>,
    plan: Plan,
    tree: T,
    of_engine: E,
    paged: Option<Paged>,
    rows: &mut Rows,
    progress: &dyn Fn(u64),
) -> Result<Found, LoadError> {
    let Secondaries { count, seed } = plan.secondaries;
    let tree = WithSecondaries::new(AnyTree::new(tree), &plan.design, count, seed)?;
    measure_all(source, plan, tree, (of_engine, paged), rows, progress)
}

fn measure_all<K: Key, T: Tree<K>, E: OfEngine>(
    source: &mut dyn Source<K>,
    plan: Plan,
    mut tree: T,
    of_engine: E,
    rows: &mut Rows,
    progress: &dyn Fn(u64),
) -> Result<Found, LoadError> {
    let counts = (Edge::default(), (Splits::default(), WorkingSet::default()));
    let mut sinks = (of_engine, counts);
    let mut sample = Sample::default();
    let loaded = load(
        source,
        plan.rows,
        plan.purge,
        &mut tree,
        &mut sinks,
        |tree, (_, (_, (splits, working_set)))| {
            splits.point(rows);
            size(tree, splits.inserts, rows);
            working_set.point(rows);
        },
        |batch| {
            sample.see(batch);
            progress(batch.len() as u64);
        },
    )?;
    if plan.uniqueness == Uniqueness::Promised
        && let Some(key) = loaded.refused.or_else(|| tree.first_duplicate())
    {
        return Err(LoadError::Duplicate(format!("{key:?}")));
    }
    let (mut of_engine, (edge, (splits, working_set))) = sinks;
    edge.totals(rows);
    splits.totals(rows);
    shape(&tree.size(), tree.leaves(), rows);
    if let Some((size, leaves)) = tree.table() {
        rows.with("tree", "table", |rows| {
            shape(&size, leaves.into_iter(), rows)
        });
    }
    if plan.purge.is_some() {
        rows.total(&FREE_PAGES, tree.free_pages());
    }
    if let Some(splits_counted) = tree.counted_splits() {
        rows.total(&COUNTED_SPLITS, splits_counted);
    }
    of_engine.totals(&tree.size(), &splits, rows);
    newest_rows(&tree, &loaded.newest, rows);
    working_set.totals(rows);
    if plan.uniqueness == Uniqueness::Checked {
        rows.total(&DUPLICATE_IDS, loaded.duplicates);
    }
    let row = rows.template();
    Ok(Found {
        // The picture is of the ids alone, whatever the engine.
        grid: sample.grid(&row.run, &row.scheme, ""),
        rows: tree.size().rows,
        duplicates: loaded.duplicates,
        first_duplicate: loaded.first_duplicate,
    })
}
