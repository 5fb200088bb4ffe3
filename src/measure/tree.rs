//! All measures of one stream in one tree.

use super::wal::nbtree_wal;
use super::{
    Accesses, DUPLICATE_IDS, Edge, FullPageImages, Rows, Sample, Splits, WorkingSet, newest_rows,
    shape, size,
};
use crate::engine::{Geometry, Log};
use crate::id::Key;
use crate::record::Grid;
use crate::source::{AnySource, Source};
use crate::store::{BTree, LoadError, Uniqueness, load};

/// What a measured load leaves besides its rows.
#[derive(Clone, Debug)]
pub struct TreeRun<K> {
    /// The tree.
    pub tree: BTree<K>,
    /// A sample for the locality picture.
    pub sample: Sample<K>,
    /// Ids refused because they were there already.
    pub duplicates: u64,
    /// The first of them, by its number in the stream, from 1.
    pub first_duplicate: Option<u64>,
}

/// What to load, and into what.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Keys to take; all if `None`.
    pub rows: Option<u64>,
    /// The tree's page arithmetic.
    pub geometry: Geometry,
    /// Whether the source promises that its keys differ.
    pub uniqueness: Uniqueness,
    /// Rows from one checkpoint to the next; none at all if `None`.
    pub checkpoint_rows: Option<u64>,
}

/// What a measured load of any key width leaves besides its rows.
#[derive(Clone, Debug)]
pub struct Found {
    /// The locality picture.
    pub grid: Grid,
    /// Ids refused because they were there already.
    pub duplicates: u64,
    /// The first of them, by its number in the stream, from 1.
    pub first_duplicate: Option<u64>,
}

/// [`measure_tree`] for keys whose width is known only now.
///
/// # Errors
/// The same.
pub fn measure_any(
    keys: AnySource,
    plan: Plan,
    rows: &mut Rows,
    progress: impl Fn(u64),
) -> Result<Found, LoadError> {
    match keys {
        AnySource::Bytes8(mut keys) => {
            Ok(measure_tree(&mut *keys, plan, rows, progress)?.found(rows))
        }
        AnySource::Bytes16(mut keys) => {
            Ok(measure_tree(&mut *keys, plan, rows, progress)?.found(rows))
        }
        AnySource::Bytes20(mut keys) => {
            Ok(measure_tree(&mut *keys, plan, rows, progress)?.found(rows))
        }
    }
}

impl<K: Key> TreeRun<K> {
    fn found(self, rows: &Rows) -> Found {
        let row = rows.template();
        Found {
            // The picture is of the ids alone, whatever the engine.
            grid: self.sample.grid(&row.run, &row.scheme, ""),
            duplicates: self.duplicates,
            first_duplicate: self.first_duplicate,
        }
    }
}

/// Loads keys of `source` into a tree with all measures on, and writes curves
/// and totals to `rows`. `progress` is told after each batch how many keys it had.
///
/// # Errors
/// Those of the source, or a promise of uniqueness that was not kept.
pub fn measure_tree<K: Key>(
    source: &mut dyn Source<K>,
    plan: Plan,
    rows: &mut Rows,
    progress: impl Fn(u64),
) -> Result<TreeRun<K>, LoadError> {
    let Plan {
        rows: limit,
        geometry,
        uniqueness,
        checkpoint_rows,
    } = plan;
    let mut tree = BTree::new(geometry, uniqueness);
    let counts = (Edge::default(), (Splits::default(), WorkingSet::default()));
    let log = (
        FullPageImages::new(geometry, checkpoint_rows),
        Accesses::default(),
    );
    let mut sinks = (log, counts);
    let mut sample = Sample::default();
    let loaded = load(
        source,
        limit,
        &mut tree,
        &mut sinks,
        |tree, (_, (_, (splits, working_set)))| {
            splits.point(rows);
            size(tree, rows);
            working_set.point(rows);
        },
        |batch| {
            sample.see(batch);
            progress(batch.len() as u64);
        },
    )?;
    if uniqueness == Uniqueness::Promised
        && let Some(key) = tree.first_duplicate()
    {
        return Err(LoadError::Duplicate(format!("{key:?}")));
    }
    let ((images, accesses), (edge, (splits, working_set))) = sinks;
    edge.totals(rows);
    splits.totals(rows);
    shape(&tree, rows);
    if geometry.log == Log::Nbtree {
        nbtree_wal(&splits, &images, tree.tree_level(), rows);
        accesses.totals(rows);
    }
    newest_rows(&tree, &loaded.newest, rows);
    working_set.totals(rows);
    if uniqueness == Uniqueness::Checked {
        rows.total(&DUPLICATE_IDS, loaded.duplicates);
    }
    let (duplicates, first_duplicate) = (loaded.duplicates, loaded.first_duplicate);
    Ok(TreeRun {
        tree,
        sample,
        duplicates,
        first_duplicate,
    })
}
