//! Uniformly random keys in a B-tree that splits a full page of C entries evenly.
//!
//! C + 1 entries divide into floor and ceiling halves; a leaf with j keys receives
//! the next key with probability j / N.
//! Source: Yao, On random 2-3 trees, Acta Informatica 9 (1978); Eisenbarth, Ziviani,
//! Gonnet, Mehlhorn, Wood, The theory of fringe analysis, Information and Control 55 (1982).

use super::harmonic;

/// Leaf splits an insert in the steady state.
///
/// s = 1 / (2b (H_2b - H_b)) for C = 2b - 1; for C = 2b the halves are b and b + 1.
/// Tends to 1 / ((C + 1) ln 2). 0 for a capacity below 2.
pub fn splits_per_insert(capacity: u32) -> f64 {
    let b = f64::from(capacity.div_ceil(2));
    let between = |low: u32, high: u32| harmonic(high.into()) - harmonic(low.into());
    let half = capacity / 2;
    if capacity < 2 {
        0.0
    } else if capacity % 2 == 1 {
        1.0 / (2.0 * b * between(half + 1, capacity + 1))
    } else {
        1.0 / (b / (b + 1.0) + (2.0 * b + 1.0) * between(half + 1, capacity + 1))
    }
}

/// Mean fill of a leaf in the steady state: f = 1 / (s C), about ln 2.
pub fn fill(capacity: u32) -> f64 {
    1.0 / (splits_per_insert(capacity) * f64::from(capacity))
}

/// Leaves with `entries` keys for each key of the tree, for odd capacities C = 2b - 1:
/// 2 s b / (j (j + 1)), b <= j < 2b.
pub fn leaves_per_key(capacity: u32, entries: u32) -> f64 {
    let b = capacity.div_ceil(2);
    if !(b..=capacity).contains(&entries) {
        return 0.0;
    }
    let pairs = f64::from(entries) * (f64::from(entries) + 1.0);
    2.0 * splits_per_insert(capacity) * f64::from(b) / pairs
}

/// Splits of all levels an insert: each split inserts a separator above, where a page of
/// `children` children divides once in (F + 1) ln 2 inserts.
pub fn splits_of_all_levels(leaf_splits: f64, children: f64) -> f64 {
    leaf_splits / (1.0 - 1.0 / ((children + 1.0) * std::f64::consts::LN_2))
}

/// Fill where a full page first fills m neighbours, then m pages divide into m + 1:
/// m ln((m + 1) / m).
/// Source: Kuespert, Storage utilization in B*-trees with a generalized overflow
/// technique, Acta Informatica 19 (1983).
pub fn b_star_fill(neighbours: u32) -> f64 {
    let m = f64::from(neighbours);
    m * libm::log((m + 1.0) / m)
}

/// Expected leaves by size as keys come in: the exact linear recurrence.
///
/// The fill of large pages does not settle but swings about ln 2 with log₂ N, because
/// leaves are born, fill and divide together.
/// Source: Chauvin, Gardy, Pouyanne, Ton-That, B-urns, ALEA 13 (2016).
#[derive(Clone, Debug)]
pub struct Fringe {
    rows: u64,
    /// Keys in the leaves with j keys, by j, as expected.
    keys: Vec<f64>,
}

impl Fringe {
    /// One leaf with one key; `capacity` is at least 2.
    pub fn new(capacity: u32) -> Self {
        let mut keys = vec![0.0; capacity.max(2) as usize + 1];
        keys[1] = 1.0;
        Self { rows: 1, keys }
    }

    /// The same tree when it has `rows` keys; nothing if it has more already.
    pub fn grow(&mut self, rows: u64) {
        let capacity = self.keys.len() - 1;
        let halves = [capacity.div_ceil(2), capacity / 2 + 1];
        while self.rows < rows {
            let per_key = 1.0 / self.rows as f64;
            let overflow = self.keys[capacity] * per_key;
            // A leaf of j - 1 keys becomes one of j: all its keys and the new one.
            let mut below = 0.0;
            for (j, keys) in (0i32..).zip(&mut self.keys) {
                let gain = std::mem::replace(&mut below, *keys) - *keys;
                *keys += f64::from(j) * per_key * gain;
            }
            for half in halves {
                self.keys[half] += half as f64 * overflow;
            }
            self.rows += 1;
        }
    }

    /// Expected leaves.
    pub fn leaves(&self) -> f64 {
        (1..)
            .zip(&self.keys[1..])
            .map(|(j, keys)| keys / f64::from(j))
            .sum()
    }

    /// Mean fill: keys over leaves and capacity.
    pub fn fill(&self) -> f64 {
        self.rows as f64 / (self.leaves() * (self.keys.len() - 1) as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_states() {
        for (capacity, splits, expected) in [
            (4, 0.342_857, 0.729_167),
            (7, 0.196_998, 0.725_170),
            (10, 0.140_806, 0.710_198),
            (31, 0.046_107, 0.699_630),
            (101, 0.014_244, 0.695_084),
            (163, 0.008_836, 0.694_341),
            (291, 0.004_953, 0.693_814),
            (407, 0.003_542, 0.693_623),
            (471, 0.003_061, 0.693_558),
        ] {
            assert!(
                (splits_per_insert(capacity) - splits).abs() < 6e-7,
                "{capacity}"
            );
            assert!((fill(capacity) - expected).abs() < 6e-7, "{capacity}");
        }
        assert!((fill(1_000_001) - std::f64::consts::LN_2).abs() < 1e-6);
    }

    /// Every key is in some leaf, and s leaves a key.
    #[test]
    fn sizes_add_up() {
        let sizes = || (0..=40).map(|j| (j, leaves_per_key(31, j)));
        let keys: f64 = sizes().map(|(j, leaves)| f64::from(j) * leaves).sum();
        let leaves: f64 = sizes().map(|(_, leaves)| leaves).sum();
        assert!((keys - 1.0).abs() < 1e-12 && (leaves - splits_per_insert(31)).abs() < 1e-12);
    }

    #[test]
    fn splits_above_the_leaves() {
        let all = splits_of_all_levels(splits_per_insert(291), 290.0);
        assert!((all - 0.004_978).abs() < 6e-7, "{all}");
    }

    #[test]
    fn overflow_into_neighbours() {
        let fills = [1, 2, 3, 4].map(|m| format!("{:.4}", b_star_fill(m)));
        assert_eq!(fills, ["0.6931", "0.8109", "0.8630", "0.8926"]);
    }

    #[test]
    fn the_fill_swings() {
        let rows = [10, 20, 50, 100, 200, 500, 1000].map(|thousands| thousands * 1000);
        for (capacity, expected) in [
            (
                290,
                [0.6299, 0.6389, 0.6803, 0.6823, 0.6842, 0.7329, 0.7274],
            ),
            (
                406,
                [0.7677, 0.7648, 0.7132, 0.7095, 0.7065, 0.6417, 0.6464],
            ),
            (
                471,
                [0.6636, 0.6641, 0.7976, 0.7885, 0.7800, 0.6590, 0.6618],
            ),
            (
                550,
                [0.5833, 0.5914, 0.7101, 0.7100, 0.7097, 0.7674, 0.7600],
            ),
        ] {
            let mut fringe = Fringe::new(capacity);
            for (rows, expected) in rows.into_iter().zip(expected) {
                fringe.grow(rows);
                let found = fringe.fill();
                assert!(
                    (found - expected).abs() < 6e-5,
                    "{capacity}, {rows}: {found}"
                );
            }
        }
    }

    #[test]
    fn small_pages_settle() {
        let mut fringe = Fringe::new(7);
        fringe.grow(100_000);
        assert!((fringe.fill() - fill(7)).abs() < 1e-4);
    }
}
