//! The locality picture: insert order against position in key order.

use crate::id::Key;
use crate::record::{Grid, Measured, Parameters};
use std::ops::Range;

pub(super) const LOCALITY: Measured = Measured {
    name: "locality",
    unit: "inserts",
    about: "sampled inserts by insert order (columns) and final position in key order (rows), a grid of 64 by 64",
};

/// Cells along each axis.
pub const CELLS: usize = 64;
const MOST: usize = 1 << 17;

/// An even sample of the inserts in bounded memory: one at a random place in
/// each run of `2^bits` inserts. When there are too many, runs are joined in pairs.
/// (A sample at equal intervals would meet writers that take turns in step.)
#[derive(Clone, Debug, Default)]
pub struct Sample<K> {
    seen: u64,
    bits: u32,
    taken: Vec<(u64, K)>,
}

impl<K: Key> Sample<K> {
    /// Offers the next keys in insertion order.
    pub fn see(&mut self, keys: &[K]) {
        let end = self.seen + keys.len() as u64;
        loop {
            let next = self.next();
            if next >= end {
                break;
            }
            self.taken.push((next, keys[(next - self.seen) as usize]));
            if self.taken.len() == MOST {
                let either = |(pair, both): (u64, &[(u64, K)])| both[hash(pair) as usize % 2];
                self.taken = (0..).zip(self.taken.chunks(2)).map(either).collect();
                self.bits += 1;
            }
        }
        self.seen = end;
    }

    /// The number of the next insert to take.
    fn next(&self) -> u64 {
        let run = self.taken.len() as u64;
        (run << self.bits) + hash(run) % (1 << self.bits)
    }

    /// The sample in insertion order: number of each insert, from 0, and its key.
    pub fn in_order(&self) -> &[(u64, K)] {
        &self.taken
    }

    /// Counts of the sample over the plane; the position of a key is its rank in the sample.
    pub fn grid(mut self, run: &str, scheme: &str, engine: &str) -> Grid {
        let count = self.taken.len();
        divide(&mut self.taken, 0, count, 0..CELLS);
        let mut cells = vec![vec![0; CELLS]; CELLS];
        for (rank, &(number, _)) in self.taken.iter().enumerate() {
            let x = (u128::from(number) * CELLS as u128 / u128::from(self.seen)) as usize;
            cells[rank * CELLS / count][x] += 1;
        }
        Grid {
            run: run.to_owned(),
            scheme: scheme.to_owned(),
            engine: engine.to_owned(),
            params: Parameters::new(),
            measure: LOCALITY.name.to_owned(),
            cells,
        }
    }
}

/// Brings the part of a sample of `count` that begins at rank `first` into the order
/// of its `rows`, and no further.
fn divide<K: Key>(taken: &mut [(u64, K)], first: usize, count: usize, rows: Range<usize>) {
    let middle = rows.start.midpoint(rows.end);
    // The least rank of the middle row.
    let rank = (middle * count).div_ceil(CELLS) - first;
    if rows.len() < 2 || taken.is_empty() {
        return;
    }
    if rank < taken.len() {
        taken.select_nth_unstable_by_key(rank, |&(_, key)| key);
    }
    let (below, above) = taken.split_at_mut(rank.min(taken.len()));
    divide(below, first, count, rows.start..middle);
    divide(above, first + rank, count, middle..rows.end);
}

/// A number's bits, well mixed.
fn hash(number: u64) -> u64 {
    let mixed = (number ^ number >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed ^ mixed >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9) >> 32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(keys: impl Iterator<Item = u64>) -> Sample<u64> {
        let mut sample = Sample::default();
        let keys: Vec<_> = keys.collect();
        keys.chunks(4096).for_each(|batch| sample.see(batch));
        sample
    }

    #[test]
    fn memory_is_bounded_and_the_sample_even() {
        let sample = sample(0..1_000_000);
        assert!(
            (MOST / 4..=MOST).contains(&sample.taken.len()),
            "{}",
            sample.taken.len()
        );
        let grid = sample.grid("", "", "");
        let columns: Vec<u32> = (0..CELLS)
            .map(|x| grid.cells.iter().map(|row| row[x]).sum())
            .collect();
        let mean = columns.iter().sum::<u32>() / CELLS as u32;
        assert!(
            columns.iter().all(|&count| count.abs_diff(mean) < mean / 5),
            "{columns:?}"
        );
    }

    #[test]
    fn ascending_keys_are_a_diagonal() {
        let grid = sample(0..10_000).grid("", "", "");
        for (y, row) in grid.cells.iter().enumerate() {
            let strays = row
                .iter()
                .enumerate()
                .filter(|(x, count)| **count > 0 && x.abs_diff(y) > 1);
            assert_eq!(strays.count(), 0);
        }
    }

    /// Writers that take turns show in every row, whatever the thinning.
    #[test]
    fn the_sample_does_not_fall_in_step_with_the_keys() {
        let grid = sample((0..1_000_000).map(|i| i % 16 * 1_000_000 + i)).grid("", "", "");
        assert!(grid.cells.iter().all(|row| row.iter().sum::<u32>() > 500));
    }
}
