//! The write working set: how many leaves a window of inserts dirties.

use super::Rows;
use crate::record::{Measured, Number};
use crate::store::{Insert, Sink, Split};

pub(super) const WORKING_SET_LEAVES: Measured = Measured {
    name: "working_set_leaves",
    unit: "leaves",
    about: "distinct leaves written in a window of w consecutive inserts (param window), mean over the windows that ended since the point before; totals: over all",
};

/// The windows, in inserts; each divides the next, so that a leaf first written
/// in a long window is first written in the shorter ones too.
pub const WINDOWS: [u64; 4] = [100, 1000, 10_000, 100_000];

/// Windows that ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Ended {
    windows: u64,
    leaves: u64,
}

/// Counts distinct leaves written in windows laid end to end, exactly.
#[derive(Clone, Debug, Default)]
pub struct WorkingSet {
    inserts: u64,
    /// Insert number (from 1) at which each leaf was last written, 0 for never.
    written: Vec<u64>,
    /// Number of the first insert of each window now open.
    opened: [u64; WINDOWS.len()],
    /// Distinct leaves in each window now open.
    leaves: [u64; WINDOWS.len()],
    all: [Ended; WINDOWS.len()],
    since_point: [Ended; WINDOWS.len()],
}

impl WorkingSet {
    #[inline]
    fn write(&mut self, leaf: u32) {
        let leaf = leaf as usize;
        if leaf >= self.written.len() {
            self.written.resize((leaf + 1).next_power_of_two(), 0);
        }
        let last = std::mem::replace(&mut self.written[leaf], self.inserts + 1);
        for (leaves, opened) in self.leaves.iter_mut().zip(self.opened) {
            if last > opened {
                break;
            }
            *leaves += 1;
        }
    }

    /// Closes the windows that end with this insert.
    #[cold]
    fn close(&mut self) {
        for (i, window) in WINDOWS.into_iter().enumerate() {
            if !self.inserts.is_multiple_of(window) {
                break;
            }
            let leaves = std::mem::take(&mut self.leaves[i]);
            self.opened[i] = self.inserts;
            for ended in [&mut self.all[i], &mut self.since_point[i]] {
                ended.windows += 1;
                ended.leaves += leaves;
            }
        }
    }

    /// Mean distinct leaves in windows of `WINDOWS[i]` inserts so far, `None` before the first ended.
    pub fn mean(&self, i: usize) -> Option<f64> {
        let Ended { windows, leaves } = self.all[i];
        (windows > 0).then(|| leaves as f64 / windows as f64)
    }

    /// Writes a point of the curves.
    pub fn point(&mut self, rows: &mut Rows) {
        for (ended, window) in self.since_point.iter_mut().zip(WINDOWS) {
            let Ended { windows, leaves } = std::mem::take(ended);
            if windows > 0 {
                let mean = Number::ratio(leaves, windows);
                rows.push(
                    &WORKING_SET_LEAVES,
                    Some(self.inserts.into()),
                    mean,
                    &[("window", window.into())],
                );
            }
        }
    }

    /// Writes the totals.
    pub fn totals(&self, rows: &mut Rows) {
        for (ended, window) in self.all.iter().zip(WINDOWS) {
            if ended.windows > 0 {
                let mean = Number::ratio(ended.leaves, ended.windows);
                rows.push(
                    &WORKING_SET_LEAVES,
                    None,
                    mean,
                    &[("window", window.into())],
                );
            }
        }
    }
}

impl Sink for WorkingSet {
    #[inline]
    fn insert(&mut self, event: &Insert) {
        self.write(event.leaf);
        self.inserts += 1;
        if self.inserts.is_multiple_of(WINDOWS[0]) {
            self.close();
        }
    }

    fn split(&mut self, event: &Split) {
        if event.level == 0 {
            self.write(event.left);
            self.write(event.right);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;
    use std::collections::HashSet;

    /// Against sets, on leaves that repeat and with splits between.
    #[test]
    fn it_counts_what_sets_count() {
        let mut random = crate::random::stream(1, "working_set", 0);
        let mut measure = WorkingSet::default();
        let mut sets: [HashSet<u32>; 2] = Default::default();
        let mut sums = [0u64; 2];
        for i in 1..=10_000u64 {
            let leaf = (random.next_u64() % 700) as u32;
            if i % 37 == 0 {
                measure.split(&Split {
                    level: 0,
                    rightmost: false,
                    new_entry_left: true,
                    left: leaf,
                    right: 700 + i as u32,
                    left_entries: 1,
                    old_right: None,
                });
                sets.iter_mut()
                    .for_each(|set| set.extend([leaf, 700 + i as u32]));
            }
            measure.insert(&Insert {
                leaf,
                edge_distance_leaves: 0,
                new_maximum: false,
                split: false,
                entries: 1,
            });
            for (j, set) in sets.iter_mut().enumerate() {
                set.insert(leaf);
                if i % WINDOWS[j] == 0 {
                    sums[j] += set.drain().count() as u64;
                }
            }
        }
        assert_eq!(measure.mean(0), Some(sums[0] as f64 / 100.0));
        assert_eq!(measure.mean(1), Some(sums[1] as f64 / 10.0));
        assert_eq!(measure.mean(3), None);
    }

    /// Uniform writes to P leaves: a window of w touches P (1 - (1 - 1/P)^w) of
    /// them (Cardenas 1975); 200 windows bring the standard error below 0.1 %.
    #[test]
    fn uniform_writes_touch_as_many_leaves_as_cardenas_says() {
        let leaves = 1000u32;
        let mut random = crate::random::stream(2, "working_set", 0);
        let mut measure = WorkingSet::default();
        for _ in 0..200_000 {
            let leaf = crate::random::below(&mut random, leaves);
            measure.insert(&Insert {
                leaf,
                edge_distance_leaves: 0,
                new_maximum: false,
                split: false,
                entries: 1,
            });
        }
        let untouched = |window: i32| (1.0 - 1.0 / f64::from(leaves)).powi(window);
        for (i, window) in [(0, 100), (1, 1000)] {
            let expected = f64::from(leaves) * (1.0 - untouched(window));
            let found = measure.mean(i).unwrap_or_default();
            assert!(
                (found / expected - 1.0).abs() < 0.005,
                "w = {window}: {found}, expected {expected}"
            );
        }
    }
}
