//! Loads a stream into a tree, stopping where a curve wants a point.

use super::{Sink, Tree, Uniqueness};
use crate::engine::EngineError;
use crate::id::Key;
use crate::source::{Source, SourceError};
use std::collections::VecDeque;
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
    /// Rows are to be purged, from a tree that cannot do it.
    #[error("the purge of rows is not modelled for this engine")]
    NoPurge,
}

/// Keeps a table to its newest rows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Purge {
    /// Rows that stay: the last that were inserted.
    pub keep_rows: u64,
    /// Ids from one purge to the next; each removes all older rows as one batch.
    pub every_rows: u64,
}

/// The keys in the tree, oldest first, if rows are purged.
struct Kept<K> {
    purge: Purge,
    keys: VecDeque<K>,
    removed: u64,
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
/// Those of the source, or a purge that the tree cannot do.
pub fn load<K: Key, T: Tree<K>, S: Sink>(
    source: &mut dyn Source<K>,
    rows: Option<u64>,
    purge: Option<Purge>,
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
    let mut kept = purge.map(Kept::new);
    if kept.is_some() && !tree.remove_all(&[], sink) {
        return Err(LoadError::NoPurge);
    }
    let mut offered = 0;
    let mut pointed = 0;
    'load: for checkpoint in Checkpoints::new(rows) {
        while offered < checkpoint {
            let to_purge = kept
                .as_ref()
                .map_or(BATCH, |kept| kept.ids_to_purge(offered));
            let wanted = BATCH.min(checkpoint - offered).min(to_purge) as usize;
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
            if let Some(kept) = &mut kept {
                kept.keys.extend(&batch);
                tree.remove_all(&kept.too_old(offered), sink);
            }
            if came < wanted as u64 {
                break 'load;
            }
        }
        let inserted = tree.size().rows + removed(&kept);
        if inserted > pointed {
            point(tree, sink);
            pointed = inserted;
        }
    }
    if tree.size().rows + removed(&kept) > pointed {
        point(tree, sink);
    }
    Ok(loaded)
}

fn removed<K>(kept: &Option<Kept<K>>) -> u64 {
    kept.as_ref().map_or(0, |kept| kept.removed)
}

impl<K: Key> Kept<K> {
    fn new(purge: Purge) -> Self {
        let every_rows = purge.every_rows.max(1);
        Self {
            purge: Purge {
                every_rows,
                ..purge
            },
            keys: VecDeque::new(),
            removed: 0,
        }
    }

    fn ids_to_purge(&self, offered: u64) -> u64 {
        self.purge.every_rows - offered % self.purge.every_rows
    }

    /// The keys to remove after so many ids.
    fn too_old(&mut self, offered: u64) -> Vec<K> {
        if !offered.is_multiple_of(self.purge.every_rows) {
            return Vec::new();
        }
        let excess = (self.keys.len() as u64).saturating_sub(self.purge.keep_rows);
        self.removed += excess;
        self.keys.drain(..excess as usize).collect()
    }
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
