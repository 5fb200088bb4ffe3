//! All measures of one stream in one tree.

use super::pages::{COMMITTED_PAGES_PER_INSERT, FILE_PAGES, Paged};
use super::shape::FREE_PAGES;
use super::wal::nbtree_wal;
use super::{
    Accesses, COUNTED_SPLITS, DUPLICATE_IDS, Edge, FullPageImages, Rows, Sample, Splits,
    WorkingSet, newest_rows, shape, size,
};
use crate::id::Key;
use crate::pool::{CachePlan, Commits};
use crate::record::{Grid, Number};
use crate::source::{AnySource, Source};
use crate::store::{
    BTree, CowEngine, Design, LmdbFile, LoadError, Purge, Sink, Size, Sizes, SqliteLayout,
    SqliteTree, Tree, Uniqueness, WithSecondaries, load,
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
    /// Rows from one commit to the next.
    pub transaction_rows: u64,
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

impl Plan {
    /// A load of all keys in transactions of 1,000 rows, and nothing more.
    pub fn new(design: Design, uniqueness: Uniqueness) -> Self {
        Self {
            rows: None,
            design,
            uniqueness,
            transaction_rows: 1000,
            checkpoint_rows: None,
            cache: None,
            miss_curve: false,
            secondaries: Secondaries::default(),
            purge: None,
        }
    }
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

/// Its requests for pages, if they are measured.
impl OfEngine for Paged {
    fn totals(&mut self, _: &Size, _: &Splits, rows: &mut Rows) {
        self.totals(rows);
    }
}

/// The file of LMDB.
impl OfEngine for LmdbFile {
    fn totals(&mut self, _: &Size, splits: &Splits, rows: &mut Rows) {
        self.commit();
        rows.total(&FILE_PAGES, self.file_pages());
        let written = Number::ratio(self.pages_written(), splits.inserts);
        rows.total(&COMMITTED_PAGES_PER_INSERT, written);
    }
}

/// The log and the page accesses of PostgreSQL.
impl OfEngine for (FullPageImages, Accesses) {
    fn totals(&mut self, size: &Size, splits: &Splits, rows: &mut Rows) {
        nbtree_wal(splits, &self.0, size.tree_level, rows);
        self.1.totals(rows);
    }
}

/// Both.
impl<A: OfEngine> OfEngine for (A, Paged) {
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
    let design = Design {
        cache_bytes: plan.cache.map(|cache| cache.bytes),
        ..plan.design
    };
    let commits = Commits {
        transaction_rows: plan.transaction_rows,
        checkpoint_rows: plan.checkpoint_rows,
    };
    let cache = plan.cache.map(|cache| cache.open(&design, commits));
    let paged = Paged::new(cache.transpose()?, plan.miss_curve, &design);
    let nbtree = design.nbtree();
    let log = |geometry| {
        let images = FullPageImages::new(geometry, plan.checkpoint_rows);
        (images, Accesses::default())
    };
    // Two kinds of tree must be fast, and are compiled with their measures: what is
    // grown to 10⁸ rows, and what is compared with SQLite in time.
    let alone = plan.secondaries.count == 0;
    if let (Some(geometry), true, false) = (nbtree, alone, paged.is_wanted()) {
        let tree = BTree::new(geometry, plan.uniqueness);
        return measure_all(source, plan, tree, log(geometry), rows, progress);
    }
    if let (Sizes::Sqlite(layout), true, true) = (design.sizes, alone, paged.is_wanted())
        && layout != SqliteLayout::UniqueIndex
    {
        let tree = SqliteTree::new(layout, design.column, design.options, plan.uniqueness)?;
        return measure_all(source, plan, tree, paged, rows, progress);
    }
    let Secondaries { count, seed } = plan.secondaries;
    let tree = design.tree(plan.uniqueness)?;
    let tree = WithSecondaries::new(tree, &design, count, seed)?;
    match (nbtree, design.sizes) {
        (Some(geometry), _) => {
            measure_all(source, plan, tree, (log(geometry), paged), rows, progress)
        }
        (None, Sizes::Cow(CowEngine::Lmdb)) => {
            let file = LmdbFile::new(plan.transaction_rows);
            measure_all(source, plan, tree, (file, paged), rows, progress)
        }
        (None, _) => measure_all(source, plan, tree, paged, rows, progress),
    }
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
