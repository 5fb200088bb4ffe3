//! The course of a list: the value of ids against their arrival, and the steps between them.

use crate::id::Key;
use crate::measure::{CELLS, Rows, Sample};
use crate::record::{Grid, Measured, Parameters};

/// The picture's name in records.
pub const VALUES_BY_ARRIVAL: Measured = Measured {
    name: "values_by_arrival",
    unit: "ids",
    about: "sampled ids by arrival (columns) and value between the least and the largest (rows), a grid of 64 by 64",
};
/// Steps by their size.
pub const STEPS_BY_LOG2: Measured = Measured {
    name: "steps_by_log2",
    unit: "ids",
    about: "ids that are above or below the one before (param direction) by at least 2^x and less than twice that",
};
/// Steps of nothing.
pub const EQUAL_STEPS: Measured = Measured {
    name: "equal_steps",
    unit: "ids",
    about: "ids that equal the one before",
};

/// Widths of a difference in bits, 0 for none.
const WIDTHS: usize = 161;

/// Samples values, and counts steps.
#[derive(Clone, Debug)]
pub struct Course<K> {
    sample: Sample<K>,
    ids: u64,
    last: Option<K>,
    /// Steps down and up by the width of the difference.
    steps: [[u64; WIDTHS]; 2],
}

impl<K: Key> Default for Course<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: Key> Course<K> {
    /// Of an empty list.
    pub fn new() -> Self {
        Self {
            sample: Sample::default(),
            ids: 0,
            last: None,
            steps: [[0; WIDTHS]; 2],
        }
    }

    /// The next ids, in the order of arrival.
    pub fn see(&mut self, keys: &[K]) {
        self.sample.see(keys);
        self.ids += keys.len() as u64;
        let mut last = self.last;
        for &key in keys {
            if let Some(last) = last {
                let is_up = key >= last;
                let step = if is_up {
                    minus(key, last)
                } else {
                    minus(last, key)
                };
                self.steps[usize::from(is_up)][width(step)] += 1;
            }
            last = Some(key);
        }
        self.last = last;
    }

    /// The sample over the plane of arrival and value.
    pub fn grid(&self, run: &str, scheme: &str) -> Grid {
        let sample = self.sample.in_order();
        let keys = || sample.iter().map(|(_, key)| *key);
        let (least, largest) = (keys().min(), keys().max());
        let mut cells = vec![vec![0; CELLS]; CELLS];
        if let (Some(least), Some(largest)) = (least, largest) {
            let span = minus(largest, least);
            // So many bits are left that products fit.
            let shift = (width(span) as u32).saturating_sub(64);
            let span = u128::from(shifted(span, shift)) + 1;
            for &(number, key) in sample {
                let x = u128::from(number) * CELLS as u128 / u128::from(self.ids.max(1));
                let above = shifted(minus(key, least), shift);
                let y = u128::from(above) * CELLS as u128 / span;
                cells[y as usize][x as usize] += 1;
            }
        }
        Grid {
            run: run.to_owned(),
            scheme: scheme.to_owned(),
            engine: String::new(),
            params: Parameters::new(),
            measure: VALUES_BY_ARRIVAL.name.to_owned(),
            cells,
        }
    }

    /// Writes the steps by size; sizes that no step has are left out.
    pub fn rows(&self, rows: &mut Rows) {
        for (direction, steps) in ["down", "up"].into_iter().zip(&self.steps) {
            for (log2, &count) in (0u32..).zip(&steps[1..]) {
                if count > 0 {
                    let direction = [("direction", direction.into())];
                    rows.push(&STEPS_BY_LOG2, Some(log2.into()), count.into(), &direction);
                }
            }
        }
        rows.total(&EQUAL_STEPS, self.steps[1][0]);
    }
}

/// `a - b`, of which `b` is no larger, as its upper 32 and its lower 128 bits.
fn minus<K: Key>(a: K, b: K) -> (u32, u128) {
    let parts = |key: K| match K::BYTES {
        ..=16 => (0, key.field(0, 128)),
        _ => (key.field(128, 32) as u32, key.field(0, 128)),
    };
    let ((a_high, a_low), (b_high, b_low)) = (parts(a), parts(b));
    let (low, borrow) = a_low.overflowing_sub(b_low);
    (a_high - b_high - u32::from(borrow), low)
}

/// Bits of a number.
fn width((high, low): (u32, u128)) -> usize {
    match high {
        0 => (128 - low.leading_zeros()) as usize,
        high => 128 + (32 - high.leading_zeros()) as usize,
    }
}

/// The lowest 64 bits of a number after a shift to the right.
fn shifted((high, low): (u32, u128), shift: u32) -> u64 {
    let of_high = match shift {
        0 => 0,
        1..128 => u128::from(high) << (128 - shift),
        _ => u128::from(high) >> (shift - 128),
    };
    (low.checked_shr(shift).unwrap_or(0) | of_high) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Key20;
    use proptest::prelude::*;

    fn of<K: Key>(keys: &[K]) -> Course<K> {
        let mut course = Course::new();
        keys.chunks(7).for_each(|batch| course.see(batch));
        course
    }

    proptest! {
        #[test]
        fn steps_are_those_of_subtraction(keys in prop::collection::vec(0u128..1 << 100, 0..50)) {
            let course = of(&keys);
            let mut expected = [[0; WIDTHS]; 2];
            for pair in keys.windows(2) {
                let bits = (1 + pair[0].abs_diff(pair[1])).next_power_of_two().ilog2();
                expected[usize::from(pair[1] >= pair[0])][bits as usize] += 1;
            }
            prop_assert_eq!(course.steps, expected);
        }

        /// The same picture, and the same steps but for the shift, of narrow and of wide keys.
        #[test]
        fn wide_keys_are_as_narrow_ones(keys in prop::collection::vec(any::<u32>(), 1..200)) {
            let narrow: Vec<u64> = keys.iter().map(|&key| key.into()).collect();
            let narrow = of(&narrow);
            for shift in [0, 60, 120] {
                let wide = |&key: &u32| {
                    let high = if shift > 96 { key >> (128 - shift) } else { 0 };
                    Key20::new(high, u128::from(key) << shift)
                };
                let wide: Vec<Key20> = keys.iter().map(wide).collect();
                let wide = of(&wide);
                prop_assert_eq!(wide.grid("", ""), narrow.grid("", ""));
                for (wide, narrow) in wide.steps.iter().zip(&narrow.steps) {
                    prop_assert_eq!(&wide[1 + shift..], &narrow[1..WIDTHS - shift]);
                }
            }
        }
    }

    #[test]
    fn a_line_is_a_diagonal_and_no_ids_are_no_error() {
        let grid = of(&(0..6400u64).map(|i| i << 40).collect::<Vec<_>>()).grid("", "");
        for (y, row) in grid.cells.iter().enumerate() {
            assert!((0..CELLS).all(|x| (row[x] > 0) == (x == y)), "{y}");
        }
        assert_eq!(
            of::<u128>(&[]).grid("", "").cells,
            vec![vec![0; CELLS]; CELLS]
        );
        let extremes = of(&[Key20::default(), Key20::new(u32::MAX, u128::MAX)]);
        assert_eq!(extremes.steps[1][160], 1);
    }
}
