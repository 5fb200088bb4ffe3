//! Loads a stream into a tree, stopping where a curve wants a point.

use super::{Sink, Tree, Uniqueness};
use crate::engine::EngineError;
use crate::id::Key;
use crate::source::{Source, SourceError};
use thiserror::Error;

/// Rows at which curves have a point: eight a decade from 100 up to near a 24th of
/// the end, then every 24th, so that no two points are close together. Without a
/// known end they are eight a decade throughout.
#[derive(Clone, Debug)]
pub struct Checkpoints {
    last: u64,
    rows: Option<u64>,
}

/// The eight points of a decade, in per cent of its start.
const DECADE: [u64; 8] = [100, 130, 180, 240, 320, 420, 560, 750];
const EQUAL: u64 = 24;

impl Checkpoints {
    /// The points of a load of `rows` rows, or of one without a known end.
    pub fn new(rows: Option<u64>) -> Self {
        Self { last: 0, rows }
    }
}

impl Iterator for Checkpoints {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let last = self.last;
        let mut decades = (0..17).flat_map(|decade| DECADE.map(|point| point * 10u64.pow(decade)));
        let geometric = decades.find(|&point| point > last);
        let next = match self.rows {
            Some(rows) if last >= rows => return None,
            Some(rows) => {
                let equal = |i: u64| (u128::from(rows) * u128::from(i) / u128::from(EQUAL)) as u64;
                let well_before = |point: &u64| point / 4 * 5 <= equal(1);
                let later = |point: &u64| *point > last.max(99);
                let equal = (1..=EQUAL).map(equal).find(later);
                geometric.filter(well_before).or(equal).unwrap_or(rows)
            }
            None => geometric?,
        };
        self.last = next;
        Some(next)
    }
}

/// Why a load stopped.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The tree cannot be made.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The source promised unique keys and did not keep it.
    #[error("the stream issued an id twice (key {0}), which a unique index refuses")]
    Duplicate(String),
}

/// What a load leaves besides the tree.
#[derive(Clone, Debug)]
pub struct Loaded<K> {
    /// The newest keys, oldest first: up to [`NEWEST`].
    pub newest: Vec<K>,
    /// Keys refused because they were there already.
    pub duplicates: u64,
    /// The first of them.
    pub refused: Option<K>,
    /// Its number in the stream, from 1.
    pub first_duplicate: Option<u64>,
}

/// How many of the newest keys a load keeps.
pub const NEWEST: usize = 10_000;
const BATCH: u64 = 4096;

/// Inserts up to `rows` keys of `source` into `tree`; events go to `sink`, which is
/// also handed to `point` with the tree at every checkpoint (the last is the
/// end of the load).
///
/// # Errors
/// Those of the source.
pub fn load<K: Key, T: Tree<K>, S: Sink>(
    source: &mut dyn Source<K>,
    rows: Option<u64>,
    tree: &mut T,
    sink: &mut S,
    mut point: impl FnMut(&T, &mut S),
    mut see: impl FnMut(&[K]),
) -> Result<Loaded<K>, LoadError> {
    let mut batch: Vec<K> = Vec::with_capacity(BATCH as usize);
    let mut loaded = Loaded {
        newest: Vec::with_capacity(NEWEST),
        duplicates: 0,
        refused: None,
        first_duplicate: None,
    };
    let mut offered = 0;
    let mut pointed = 0;
    'load: for checkpoint in Checkpoints::new(rows) {
        while offered < checkpoint {
            let wanted = BATCH.min(checkpoint - offered) as usize;
            batch.clear();
            source.fill(&mut batch, wanted)?;
            let came = batch.len() as u64;
            match tree.uniqueness() {
                Uniqueness::Promised => tree.insert_all(&batch, sink),
                Uniqueness::Checked => {
                    let mut number = offered;
                    batch.retain(|&key| {
                        number += 1;
                        let new = tree.insert(key, sink);
                        if !new {
                            loaded.duplicates += 1;
                            loaded.refused.get_or_insert(key);
                            loaded.first_duplicate.get_or_insert(number);
                        }
                        new
                    });
                }
            }
            offered += came;
            loaded.keep_newest(&batch);
            see(&batch);
            if came < wanted as u64 {
                break 'load;
            }
        }
        let rows = tree.size().rows;
        if rows > pointed {
            point(tree, sink);
            pointed = rows;
        }
    }
    if tree.size().rows > pointed {
        point(tree, sink);
    }
    Ok(loaded)
}

impl<K: Key> Loaded<K> {
    fn keep_newest(&mut self, batch: &[K]) {
        let fresh = &batch[batch.len().saturating_sub(NEWEST)..];
        let excess = (self.newest.len() + fresh.len()).saturating_sub(NEWEST);
        self.newest.drain(..excess);
        self.newest.extend_from_slice(fresh);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoints_end_at_the_last_row() {
        let points = |rows| Checkpoints::new(rows).collect::<Vec<_>>();
        assert_eq!(points(Some(50)), [50]);
        assert_eq!(points(Some(100)), [100]);
        assert_eq!(points(Some(101)), [101]);
        assert_eq!(points(Some(2400))[..3], [100, 200, 300]);
        let million = points(Some(1_000_000));
        assert!(million.starts_with(&[100, 130, 180]) && million.ends_with(&[958_333, 1_000_000]));
        assert!(million.contains(&500_000));
        for rows in [10_000, 1_000_000, 1_010_000, 7_654_321] {
            let points = points(Some(rows));
            // A curve of means over what lies between would jump where that is little.
            assert!(
                points
                    .windows(2)
                    .all(|pair| pair[1] * 24 >= pair[0] * 25 - 50),
                "{points:?}"
            );
        }
        assert!(Checkpoints::new(None).take(150).is_sorted());
    }
}
