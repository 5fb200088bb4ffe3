//! The cliff: at how many rows a table's inserts outgrow a cache.
//!
//! One simulated load tells how far apart the touches of a page are (in distinct pages,
//! [`StackDistances`]), in two windows of its rows. The distances of a random insert grow
//! with the table, those of ids in order of time do not; which is which shows where the
//! second window's are twice the first's. So a load of 10⁶ rows says what a table of 10⁹
//! will read, for a cache that makes room by giving up the least recently used page.
//!
//! Not modelled: how an engine's own pool differs from that (`sim btree --cache` tells);
//! a cliff of ids whose order changes with the size of the table.

use crate::engine::EngineError;
use crate::id::Key;
use crate::pool::{Curve, StackDistances, heap_page_rows};
use crate::record::Measured;
use crate::source::{AnySource, Source};
use crate::store::{
    Access, AnyTree, Design, Insert, LoadError, PageId, Sink, Size, Space, Split, Touch, Tree,
    Uniqueness, WithSecondaries,
};
use crate::theory::access::{Popularity, distinct, random_leaves};

/// Pages read an insert by rows.
pub const READS_BY_ROWS: Measured = Measured {
    name: "reads_per_insert_by_rows",
    unit: "pages/insert",
    about: "pages that an insert reads, new pages not counted, when the table has x rows, through an LRU cache of the given size",
};
/// Rows at which inserts read pages.
pub const ROWS_AT_READS: Measured = Measured {
    name: "rows_at_reads",
    unit: "rows",
    about: "rows from which an insert reads so many pages (param reads), from a simulated load or by a closed form for random ids (param by: simulation, closed form); no row if it never comes",
};
/// Pages that the inserts need in the cache.
pub const WORKING_SET_PAGES: Measured = Measured {
    name: "cache_working_set_pages",
    unit: "pages",
    about: "cache with which one insert in a hundred still reads a page, at the size that was simulated",
};

/// What is loaded to find a cliff.
#[derive(Clone, Copy, Debug)]
pub struct CliffPlan {
    /// Rows to simulate.
    pub rows: u64,
    /// The tree of the ids.
    pub design: Design,
    /// Further indexes on random values.
    pub secondaries: u32,
    /// Seed of these values.
    pub seed: u64,
}

/// Reads of a table of any size through a cache of any size.
#[derive(Clone, Debug)]
pub struct Cliff {
    /// Curves at the ends of the windows.
    curves: [Curve; 4],
    /// Rows of the load.
    rows: u64,
    /// Leaves and internal pages a row, mean over a doubling of the rows.
    pages_per_row: [f64; 2],
    /// Leaves a row in the second window, in parts of that mean.
    window_leaves: f64,
    /// Pages a row of a heap beside the tree.
    heap_pages_per_row: f64,
}

/// Simulates a load.
///
/// # Errors
/// Those of the source; a design that cannot be grown.
pub fn cliff(keys: AnySource, plan: CliffPlan, progress: &dyn Fn(u64)) -> Result<Cliff, LoadError> {
    match keys {
        AnySource::Bytes8(mut source) => load(&mut *source, plan, progress),
        AnySource::Bytes16(mut source) => load(&mut *source, plan, progress),
        AnySource::Bytes20(mut source) => load(&mut *source, plan, progress),
    }
}

const BATCH: usize = 4096;
/// A load must have as many.
const LEAST_ROWS: u64 = 1000;

fn load<K: Key>(
    source: &mut dyn Source<K>,
    plan: CliffPlan,
    progress: &dyn Fn(u64),
) -> Result<Cliff, LoadError> {
    let rows = plan.rows.max(LEAST_ROWS);
    let tree = plan.design.tree(Uniqueness::Promised)?;
    let mut tree = WithSecondaries::new(tree, &plan.design, plan.secondaries, plan.seed)?;
    let mut touches = Touches::new(&plan.design);
    let mut keys: Vec<K> = Vec::with_capacity(BATCH);
    let mut loaded = 0;
    let mut load_to = |end: u64, tree: &mut WithSecondaries<AnyTree<K>>, touches: &mut Touches| {
        while loaded < end {
            keys.clear();
            let wanted = BATCH.min((end - loaded) as usize);
            source.fill(&mut keys, wanted)?;
            tree.insert_all(&keys, touches);
            loaded += keys.len() as u64;
            progress(keys.len() as u64);
        }
        Ok::<(), LoadError>(())
    };
    let mut curves: [Curve; 4] = Default::default();
    let mut tenths = TENTHS.iter().zip(&mut curves).peekable();
    let (mut pages_per_row, mut points) = ([0.0; 2], 0.0);
    let (mut window_leaves, mut window_points) = (0.0, 0.0);
    for at in stops(rows) {
        load_to(at, &mut tree, &mut touches)?;
        let size = tree.size();
        let table = tree.table().map(|(size, _)| size);
        let count = |of: fn(&Size) -> u64| of(&size) + table.as_ref().map_or(0, of);
        let leaves = count(|size| size.leaf_pages) + tree.other_pages();
        let internal = count(|size| size.internal_pages);
        if 2 * at > rows {
            points += 1.0;
            pages_per_row[0] += leaves as f64 / at as f64;
            pages_per_row[1] += internal as f64 / at as f64;
        }
        if at > rows / 10 * TENTHS[2] {
            window_points += 1.0;
            window_leaves += leaves as f64 / at as f64;
        }
        while let Some((_, curve)) = tenths.next_if(|(tenth, _)| rows / 10 * **tenth <= at) {
            *curve = touches.distances.curve(|_, _| true);
        }
    }
    let fill = window_leaves / window_points / (pages_per_row[0] / points);
    Ok(Cliff {
        curves,
        rows: rows / 10 * 10,
        pages_per_row: pages_per_row.map(|pages| pages / points),
        window_leaves: fill,
        heap_pages_per_row: touches.heap_pages_per_row(),
    })
}

/// Windows of the load that are compared, in tenths of it: the second has twice the
/// rows of the first.
const TENTHS: [u64; 4] = [4, 5, 8, 10];
/// Shorter distances are not told apart by whether they grow, in pages.
const LEAST_DISTANCE: f64 = 64.0;
/// Reads an insert below which chance decides which is nearer.
const LEAST_READS: f64 = 5e-4;
/// Points of a doubling of the rows at which the tree's size is taken.
const SIZES: u32 = 16;

/// The rows at which a load stops: ends of the windows, and points at equal ratios in the
/// last half, so that the ups and downs of the fill cancel out.
fn stops(rows: u64) -> Vec<u64> {
    let rows = rows / 10 * 10;
    let ratio = |i| libm::exp2(f64::from(i) / f64::from(SIZES) - 1.0);
    let sizes = (1..=SIZES).map(|i| ((rows as f64 * ratio(i)) as u64).min(rows));
    let mut stops: Vec<_> = TENTHS
        .map(|tenth| rows / 10 * tenth)
        .into_iter()
        .chain(sizes)
        .collect();
    stops.sort_unstable();
    stops.dedup();
    stops
}

/// Distances between touches, those of a heap beside the tree included.
struct Touches {
    distances: StackDistances,
    /// Rows of a heap's page; 0 if rows lie in trees.
    heap_page_rows: u32,
    rows: u32,
    heap_page: u32,
}

impl Touches {
    fn new(design: &Design) -> Self {
        Self {
            distances: StackDistances::default(),
            heap_page_rows: match design.nbtree() {
                Some(_) => heap_page_rows(design.column, design.options.payload_bytes),
                None => 0,
            },
            rows: 0,
            heap_page: 0,
        }
    }

    fn heap_pages_per_row(&self) -> f64 {
        match self.heap_page_rows {
            0 => 0.0,
            rows => 1.0 / f64::from(rows),
        }
    }
}

impl Sink for Touches {
    const TOUCHES: bool = true;

    fn begin(&mut self) {
        if self.heap_page_rows == 0 {
            return;
        }
        let is_new = self.rows == 0;
        self.touch(Touch {
            page: PageId::new(Space::Other, 1 + self.heap_page),
            level: 0,
            access: if is_new { Access::New } else { Access::Write },
        });
        self.rows += 1;
        if self.rows == self.heap_page_rows {
            self.rows = 0;
            self.heap_page += 1;
        }
    }

    fn touch(&mut self, touch: Touch) {
        self.distances.touch(touch);
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}

impl Cliff {
    /// Reads an insert in one window (0 or 1) through `cache_pages` pages.
    fn window(&self, window: usize, cache_pages: f64) -> f64 {
        let pages = cache_pages.clamp(0.0, 1e15) as u64;
        let [before, after] =
            [2 * window, 2 * window + 1].map(|end| self.curves[end].misses_at(pages));
        let rows = self.rows / 10 * (TENTHS[2 * window + 1] - TENTHS[2 * window]);
        after.saturating_sub(before) as f64 / rows as f64
    }

    /// Whether distances about this one grow with the table: those of the second window
    /// are nearer to twice the first's than to the first's.
    fn grows(&self, distance: f64) -> bool {
        // Below, distances are those of the paths that every insert takes.
        let distance = distance.max(LEAST_DISTANCE);
        let now = self.window(1, distance);
        let as_twice = (now - self.window(0, distance / 2.0)).abs();
        let as_equal = (now - self.window(0, distance)).abs();
        now >= LEAST_READS && as_twice < as_equal
    }

    /// Rows of the table, filled as on the average, whose distances are those of the
    /// second window: the mean of 1/N over the window is that of this N.
    fn mean_rows(&self) -> f64 {
        let (start, end) = (TENTHS[2] as f64, TENTHS[3] as f64);
        let rows = self.rows as f64 / 10.0 * (end - start) / libm::log(end / start);
        rows * self.window_leaves
    }

    /// Pages read an insert by a table that has `rows` rows.
    pub fn reads_per_insert(&self, rows: f64, cache_pages: f64) -> f64 {
        // The distance that will have grown to the cache's size.
        let distance = cache_pages * self.mean_rows() / rows;
        if distance > self.curves[3].largest() as f64 {
            0.0
        } else if self.grows(distance) {
            self.window(1, distance)
        } else {
            self.window(1, cache_pages)
        }
    }

    /// Rows from which an insert reads `reads` pages or more; `None` if that never comes.
    pub fn rows_at(&self, reads: f64, cache_pages: f64) -> Option<f64> {
        let distance = self.distance_at(reads);
        if distance < 1.0 {
            return None;
        }
        if self.grows(distance * 0.98) {
            return Some(self.mean_rows() * cache_pages / distance);
        }
        (self.window(1, cache_pages) >= reads).then_some(0.0)
    }

    /// The largest cache with which an insert still reads `reads` pages in the second window.
    fn distance_at(&self, reads: f64) -> f64 {
        let (mut low, mut high) = (0.0, self.curves[3].largest() as f64 + 1.0);
        if self.window(1, 0.0) < reads {
            return 0.0;
        }
        for _ in 0..60 {
            let middle = (low + high) / 2.0;
            *(if self.window(1, middle) >= reads {
                &mut low
            } else {
                &mut high
            }) = middle;
        }
        low
    }

    /// Pages of a cache with which fewer than one insert in a hundred reads a page at
    /// the size that was simulated.
    pub fn working_set_pages(&self) -> u64 {
        self.distance_at(0.01).ceil() as u64
    }

    /// Pages of the tree a row, internal ones included: mean over a doubling of the rows.
    pub fn pages_per_row(&self) -> f64 {
        self.pages_per_row.iter().sum()
    }

    /// [`Cliff::reads_per_insert`] by the closed form for one index of uniformly random keys:
    /// Che's approximation over leaves of sizes 1/y², internal pages resident, pages of the
    /// heap passing through.
    pub fn random_reads_per_insert(&self, rows: f64, cache_pages: f64) -> f64 {
        let leaves = random_leaves(rows * self.pages_per_row[0]);
        let room = cache_pages - rows * self.pages_per_row[1];
        let held = |inserts: f64| distinct(&leaves, inserts) + inserts * self.heap_pages_per_row;
        if rows * self.pages_per_row[0] <= room {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, rows * 1e3);
        for _ in 0..80 {
            let middle = (low + high) / 2.0;
            *(if held(middle) < room {
                &mut low
            } else {
                &mut high
            }) = middle;
        }
        let missed = |class: &Popularity| {
            class.pages * class.probability * libm::exp(-class.probability * high)
        };
        leaves.iter().map(missed).sum()
    }

    /// [`Cliff::rows_at`] by the same closed form.
    pub fn random_rows_at(&self, reads: f64, cache_pages: f64) -> f64 {
        let (mut low, mut high) = (1.0, 1e15);
        for _ in 0..100 {
            let middle = libm::sqrt(low * high);
            let fewer = self.random_reads_per_insert(middle, cache_pages) < reads;
            *(if fewer { &mut low } else { &mut high }) = middle;
        }
        high
    }
}

/// A design that a cliff can be found for.
///
/// # Errors
/// Further indexes that are not modelled.
pub fn check_cliff(plan: &CliffPlan) -> Result<(), EngineError> {
    plan.design.tree::<u64>(Uniqueness::Promised)?;
    WithSecondaries::new((), &plan.design, plan.secondaries, plan.seed)?;
    Ok(())
}

#[cfg(test)]
mod tests;
