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
    kinds: Vec<Kind>,
    /// Keys in the leaves of a kind with j keys, by j and kind after kind, as expected.
    keys: Vec<f64>,
}

/// Leaves of equal capacity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeafKind {
    /// Keys that fit.
    pub capacity: u32,
    /// The two leaves that one key more makes of it: the numbers of their kinds, and the keys
    /// of the first; the other has the rest.
    pub divides_into: ([usize; 2], u32),
    /// Keys from which on one more divides the leaf between itself and the last one if they are
    /// neighbours, which they are anywhere in the leaf; at most the capacity. `None`: never.
    pub uneven_from: Option<u32>,
}

impl LeafKind {
    /// Leaves of `capacity` keys that divide evenly into leaves of these kinds.
    pub fn even(capacity: u32, into: [usize; 2]) -> Self {
        Self {
            capacity,
            divides_into: (into, capacity.div_ceil(2)),
            uneven_from: None,
        }
    }
}

/// A kind, and where its leaves stand.
#[derive(Clone, Copy, Debug)]
struct Kind {
    start: usize,
    capacity: usize,
    /// The kinds of its two parts, and their keys.
    parts: [(usize, usize); 2],
    uneven_from: usize,
}

impl Fringe {
    /// One leaf with one key, all leaves of `capacity` keys, at least 2, dividing evenly.
    pub fn new(capacity: u32) -> Self {
        Self::of_kinds(&[LeafKind::even(capacity.max(2), [0, 0])])
    }

    /// One leaf of the last of `kinds` with one key.
    ///
    /// # Panics
    /// If there is no kind, or a part is of none, or it does not fit its kind.
    pub fn of_kinds(kinds: &[LeafKind]) -> Self {
        let mut starts = vec![0];
        for kind in kinds {
            starts.push(starts[starts.len() - 1] + kind.capacity as usize + 1);
        }
        let part = |kind: usize, keys: u32| {
            assert!(
                (1..=kinds[kind].capacity).contains(&keys),
                "a part of {keys} keys fits its kind"
            );
            (kind, keys as usize)
        };
        let placed = (kinds.iter().zip(&starts)).map(|(kind, &start)| {
            let ([left, right], keys) = kind.divides_into;
            let never = kind.capacity + 1;
            Kind {
                uneven_from: kind.uneven_from.map_or(never, |keys| keys.clamp(1, never)) as usize,
                start,
                capacity: kind.capacity as usize,
                parts: [part(left, keys), part(right, kind.capacity + 1 - keys)],
            }
        });
        let placed: Vec<_> = placed.collect();
        let mut keys = vec![0.0; starts[kinds.len()]];
        keys[starts[kinds.len() - 1] + 1] = 1.0;
        Self {
            rows: 1,
            kinds: placed,
            keys,
        }
    }

    /// The same tree when it has `rows` keys; nothing if it has more already.
    pub fn grow(&mut self, rows: u64) {
        let mut gains = Vec::new();
        while self.rows < rows {
            self.gains(&self.keys, &mut gains);
            let per_key = 1.0 / self.rows as f64;
            for (keys, gain) in self.keys.iter_mut().zip(&gains) {
                *keys += gain * per_key;
            }
            self.rows += 1;
        }
    }

    /// The same, but of many keys as a flow in ln N, by Runge and Kutta: for trees too large
    /// to go through key by key. The fill is right to 5·10^-4.
    pub fn leap(&mut self, rows: u64) {
        self.grow(rows.min(8 * self.keys.len() as u64));
        if self.rows >= rows {
            return;
        }
        let widest = self.kinds.iter().map(|kind| kind.capacity).max();
        let way = libm::log(rows as f64 / self.rows as f64);
        // The method is stable up to 1.39 over the fastest rate.
        let steps = (way * widest.unwrap_or(1) as f64 / 1.25).ceil().max(1.0);
        let step = way / steps;
        let [mut slope, mut at, mut sum] = [const { Vec::new() }; 3];
        for _ in 0..steps as u64 {
            sum.clone_from(&self.keys);
            at.clone_from(&self.keys);
            for (weight, reach) in [(6.0, 2.0), (3.0, 2.0), (3.0, 1.0), (6.0, 1.0)] {
                self.gains(&at, &mut slope);
                for (i, gain) in slope.iter().enumerate() {
                    sum[i] += step / weight * gain;
                    at[i] = self.keys[i] + step / reach * gain;
                }
            }
            std::mem::swap(&mut self.keys, &mut sum);
        }
        self.rows = rows;
    }

    /// What `keys` become by as many keys as there are, each as if it were the first, less
    /// what they are.
    fn gains(&self, keys: &[f64], gains: &mut Vec<f64>) {
        gains.clear();
        for kind in &self.kinds {
            // A leaf of j - 1 keys becomes one of j: all its keys and the new one.
            gains.push(0.0);
            let sizes = &keys[kind.start..=kind.start + kind.capacity];
            let pairs = sizes.iter().zip(&sizes[1..]);
            gains.extend(
                (1i32..)
                    .zip(pairs)
                    .map(|(j, (below, here))| f64::from(j) * (below - here)),
            );
        }
        for kind in &self.kinds {
            let mut divided = keys[kind.start + kind.capacity];
            if kind.uneven_from <= kind.capacity {
                divided *= 1.0 - 2.0 / (kind.capacity + 1) as f64;
                self.divide_unevenly(kind, keys, gains);
            }
            for (part, size) in kind.parts {
                gains[self.kinds[part].start + size] += size as f64 * divided;
            }
        }
    }

    /// Of the keys that come to a leaf of j, 2 in j + 1 are neighbours of the last one.
    fn divide_unevenly(&self, kind: &Kind, keys: &[f64], gains: &mut [f64]) {
        let mut share = 0.0;
        for j in (1..=kind.capacity).rev() {
            if j >= kind.uneven_from {
                let here = 2.0 * keys[kind.start + j];
                share += here / (j * (j + 1)) as f64;
                if j < kind.capacity {
                    gains[kind.start + j + 1] -= here;
                }
            }
            // Each part has any number of keys up to j.
            for (part, _) in kind.parts {
                let part = &self.kinds[part];
                gains[part.start + j.min(part.capacity)] += j as f64 * share;
            }
        }
    }

    /// Expected leaves.
    pub fn leaves(&self) -> f64 {
        let of_kind = |kind: &Kind| -> f64 {
            let sizes = (1i32..).zip(&self.keys[kind.start + 1..=kind.start + kind.capacity]);
            sizes.map(|(j, keys)| keys / f64::from(j)).sum()
        };
        self.kinds.iter().map(of_kind).sum()
    }

    /// Mean fill: keys over leaves and the first kind's capacity.
    pub fn fill(&self) -> f64 {
        let capacity = self.kinds.first().map_or(1, |kind| kind.capacity);
        self.rows as f64 / (self.leaves() * capacity as f64)
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

    /// A second kind that divides as the first does is the first.
    #[test]
    fn equal_kinds_make_no_difference() {
        let even = |into| LeafKind::even(31, into);
        let mut one = Fringe::new(31);
        let mut two = Fringe::of_kinds(&[even([0, 0]), even([0, 1])]);
        let edge = LeafKind {
            divides_into: ([0, 1], 28),
            ..even([0, 1])
        };
        let mut first_is_uneven = Fringe::of_kinds(&[even([0, 0]), edge]);
        let beside = LeafKind {
            uneven_from: Some(28),
            ..even([0, 0])
        };
        let mut some_are_uneven = Fringe::of_kinds(&[beside]);
        for fringe in [
            &mut one,
            &mut two,
            &mut first_is_uneven,
            &mut some_are_uneven,
        ] {
            fringe.grow(5000);
            let keys: f64 = fringe.keys.iter().sum();
            assert!((keys - 5000.0).abs() < 1e-8);
        }
        assert!((two.leaves() / one.leaves() - 1.0).abs() < 1e-12);
        assert!((first_is_uneven.leaves() / one.leaves() - 1.0).abs() > 1e-3);
        assert!(some_are_uneven.leaves() > 1.02 * one.leaves());
    }

    #[test]
    fn leaps_land_where_steps_do() {
        for (capacity, rows) in [(31, 20_000), (101, 50_000), (290, 100_000)] {
            let (mut steps, mut leaps) = (Fringe::new(capacity), Fringe::new(capacity));
            steps.grow(rows);
            leaps.leap(rows);
            let ratio = leaps.fill() / steps.fill();
            assert!((ratio - 1.0).abs() < 5e-4, "{capacity}: {ratio}");
        }
        let mut leaps = Fringe::new(31);
        leaps.leap(1_000_000_000);
        assert!((leaps.fill() / fill(31) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn small_pages_settle() {
        let mut fringe = Fringe::new(7);
        fringe.grow(100_000);
        assert!((fringe.fill() - fill(7)).abs() < 1e-4);
    }
}
