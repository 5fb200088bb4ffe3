//! Widths: ids that a double changes or a signed column turns negative, and what text costs.

use super::Estimate;
use super::comparator::{Comparator, ranks};
use super::comparators::{HEAD_IDS, text_bytes};
use crate::engine::{EngineError, EngineOptions, Profile};
use crate::id::{Column, Id, Key};
use crate::measure::Rows;
use crate::record::{Measured, Number};
use crate::store::{Design, Tree, Uniqueness};
use rayon::prelude::*;

mod doubles;

pub use doubles::{Doubles, is_changed};

/// Rows from which on pages are many enough to compare.
const LEAST_ROWS: usize = 10_000;
/// Engines whose indexes are compared.
const ENGINES: [&str; 3] = ["postgres", "innodb", "sqlite"];

/// Measures of this file.
pub const WIDTH_MEASURES: &[&Measured] = &[
    &DOUBLE_CHANGED_SHARE,
    &DOUBLE_COLLAPSED_IDS,
    &ABOVE_2_53_SHARE,
    &ABOVE_2_63_SHARE,
    &DECIMAL_DIGITS_MAX,
    &WIDTH_INDEX_BYTES,
];

const DOUBLE_CHANGED_SHARE: Measured = Measured {
    name: "double_changed_share",
    unit: "share",
    about: "ids that are another number as an IEEE double, which a number of JavaScript is",
};
const DOUBLE_COLLAPSED_IDS: Measured = Measured {
    name: "double_collapsed_ids",
    unit: "ids",
    about: "distinct ids less the distinct doubles they become; exact without low and high, else scaled up from one double in so many (param one_in)",
};
const ABOVE_2_53_SHARE: Measured = Measured {
    name: "above_2_53_share",
    unit: "share",
    about: "ids above 2^53 - 1, the last that JavaScript holds safe (Number.MAX_SAFE_INTEGER)",
};
const ABOVE_2_63_SHARE: Measured = Measured {
    name: "above_2_63_share",
    unit: "share",
    about: "ids from 2^63 on, which are negative in a signed column",
};
const DECIMAL_DIGITS_MAX: Measured = Measured {
    name: "decimal_digits_max",
    unit: "digits",
    about: "digits of the longest decimal text",
};
const WIDTH_INDEX_BYTES: Measured = Measured {
    name: "width_index_bytes",
    unit: "bytes",
    about: "pages that hold the first ids as keys (params engine, key: binary or text, column, rows), of the table's own tree, too, where the engine keeps one (SQLite)",
};

/// What holds for ids of 64 bits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Numbers {
    /// Ids that a double changes.
    pub changed: u64,
    /// Ids above 2⁵³ − 1.
    pub above_2_53: u64,
    /// Ids from 2⁶³ on.
    pub above_2_63: u64,
    /// Distinct ids less the distinct doubles they become.
    pub collapsed: Estimate,
    /// One double in so many was looked at for that.
    pub one_in: u64,
    /// Digits of the longest decimal text.
    pub digits: u32,
}

/// An index on the ids as they are and on their text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sizes {
    /// The engine.
    pub engine: &'static str,
    /// Rows of each.
    pub rows: u64,
    /// Columns: binary and text.
    pub columns: [Column; 2],
    /// Bytes of all pages that hold the key.
    pub bytes: [u64; 2],
}

impl Sizes {
    /// Text over binary.
    pub fn ratio(&self) -> f64 {
        self.bytes[1] as f64 / self.bytes[0] as f64
    }
}

/// What widths do to the ids.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// Ids of the list.
    pub ids: u64,
    /// `None` if ids have another number of bits than 64.
    pub numbers: Option<Numbers>,
    /// Empty if there are fewer than 10,000 ids.
    pub sizes: Vec<Sizes>,
}

/// Takes the ids of a list.
#[derive(Clone, Debug)]
pub struct Widths<I: Id> {
    ids: u64,
    changed: u64,
    above_2_53: u64,
    above_2_63: u64,
    greatest: u64,
    doubles: Doubles,
    head: Vec<I::Key>,
}

impl<I: Id> Default for Widths<I> {
    fn default() -> Self {
        Self {
            ids: 0,
            changed: 0,
            above_2_53: 0,
            above_2_63: 0,
            greatest: 0,
            doubles: Doubles::default(),
            head: Vec::new(),
        }
    }
}

impl<I: Id> Widths<I> {
    /// Takes the next ids in the order of arrival.
    pub fn see(&mut self, keys: &[I::Key]) {
        self.ids += keys.len() as u64;
        let room = HEAD_IDS - self.head.len();
        self.head.extend(&keys[..keys.len().min(room)]);
        if I::BITS != 64 {
            return;
        }
        for &key in keys {
            let number = key.field(0, 64) as u64;
            self.changed += u64::from(is_changed(number));
            self.above_2_53 += u64::from(number >= 1 << 53);
            self.above_2_63 += number >> 63;
            self.greatest = self.greatest.max(number);
            self.doubles.see(number);
        }
    }

    /// What they do.
    pub fn finish(&self) -> Found {
        let numbers = (I::BITS == 64).then(|| {
            let (collapsed, one_in) = self.doubles.collapsed();
            Numbers {
                changed: self.changed,
                above_2_53: self.above_2_53,
                above_2_63: self.above_2_63,
                collapsed,
                one_in,
                digits: self.greatest.checked_ilog10().unwrap_or(0) + 1,
            }
        });
        let sizes = match self.head.len() >= LEAST_ROWS {
            // No design of these is refused: columns are at most 36 bytes wide.
            true => self.sizes().unwrap_or_default(),
            false => Vec::new(),
        };
        Found {
            ids: self.ids,
            numbers,
            sizes,
        }
    }

    fn sizes(&self) -> Result<Vec<Sizes>, EngineError> {
        let binary = match I::COLUMN {
            Column::Text(_) => Column::Bytes(I::BITS.div_ceil(8)),
            column => column,
        };
        let columns = [binary, Column::Text(text_bytes::<I>(&self.head))];
        let order = match binary {
            Column::Bigint => Comparator::Signed64,
            _ => Comparator::Bytes,
        };
        let keys = [order, Comparator::Text].map(|order| ranks::<I>(&self.head, order));
        let of = |engine: &&'static str| {
            let mut sizes = Sizes {
                engine,
                rows: 0,
                columns,
                bytes: [0; 2],
            };
            for i in 0..2 {
                (sizes.rows, sizes.bytes[i]) = index(engine, columns[i], &keys[i])?;
            }
            Ok(sizes)
        };
        ENGINES.par_iter().map(of).collect()
    }
}

/// Rows and bytes of an engine's trees of `keys` in `column`.
fn index(engine: &str, column: Column, keys: &[u64]) -> Result<(u64, u64), EngineError> {
    let profile: Profile = engine.parse()?;
    let design = Design::new(profile, column, EngineOptions::default())?;
    let mut tree = design.tree(Uniqueness::Checked)?;
    keys.iter().for_each(|&key| {
        tree.insert(key, &mut ());
    });
    let size = tree.size();
    let table = tree.table().map_or(0, |(table, _)| table.index_bytes);
    Ok((size.rows, size.index_bytes + table))
}

impl Found {
    /// Writes the numbers.
    pub fn rows(&self, rows: &mut Rows) {
        if let Some(numbers) = &self.numbers {
            let share = |part| Number::ratio(part, self.ids);
            rows.total(&DOUBLE_CHANGED_SHARE, share(numbers.changed));
            rows.total(&ABOVE_2_53_SHARE, share(numbers.above_2_53));
            rows.total(&ABOVE_2_63_SHARE, share(numbers.above_2_63));
            rows.total(&DECIMAL_DIGITS_MAX, numbers.digits);
            let (collapsed, params) = (numbers.collapsed, [("one_in", numbers.one_in.into())]);
            let end = |end| (numbers.one_in > 1).then_some(Number::Real(end));
            let value = match numbers.one_in {
                1 => Number::Whole(collapsed.value as u64),
                _ => Number::Real(collapsed.value),
            };
            let ends = (end(collapsed.low), end(collapsed.high));
            rows.interval(&DOUBLE_COLLAPSED_IDS, value, ends, &params);
        }
        for sizes in &self.sizes {
            for (i, key) in ["binary", "text"].into_iter().enumerate() {
                let params = [
                    ("engine", sizes.engine.into()),
                    ("key", key.into()),
                    ("column", sizes.columns[i].to_string().into()),
                    ("rows", sizes.rows.into()),
                ];
                rows.push(&WIDTH_INDEX_BYTES, None, sizes.bytes[i].into(), &params);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{Number as Decimal, Ulid, Uuid};
    use crate::random::{bits128, stream};
    use crate::record::Parameters;

    fn found<I: Id>(keys: &[I::Key]) -> Found {
        let mut widths = Widths::<I>::default();
        keys.chunks(1000).for_each(|keys| widths.see(keys));
        widths.finish()
    }

    #[test]
    fn numbers_on_both_sides_of_the_edges() {
        let edges: [u64; 6] = [
            0,
            (1 << 53) - 1,
            1 << 53,
            (1 << 53) + 1,
            (1 << 63) - 1,
            1 << 63,
        ];
        let numbers = found::<Decimal>(&edges).numbers.unwrap();
        assert_eq!(
            (numbers.changed, numbers.above_2_53, numbers.above_2_63),
            (2, 4, 1)
        );
        assert_eq!(numbers.digits, 19);
        // 2^53 + 1 becomes 2^53, 2^63 - 1 becomes 2^63.
        assert_eq!(
            (numbers.collapsed, numbers.one_in),
            (Estimate::exact(2.0), 1)
        );
        assert_eq!(found::<Uuid>(&[1, 2]).numbers, None);
        assert_eq!(found::<Decimal>(&[]).numbers.unwrap().digits, 1);
    }

    #[test]
    fn text_of_36_characters_takes_more_pages_than_16_bytes() {
        let mut random = stream(1, "widths", 0);
        let ascending: Vec<u128> = (0..20_000u128)
            .map(|i| i << 80 | bits128(&mut random) >> 80)
            .collect();
        let sizes = found::<Uuid>(&ascending).sizes;
        let engines: Vec<_> = sizes.iter().map(|sizes| sizes.engine).collect();
        assert_eq!(engines, ENGINES);
        for sizes in &sizes {
            assert_eq!(
                (sizes.rows, sizes.columns),
                (20_000, [Column::Uuid, Column::Text(36)])
            );
        }
        // PostgreSQL: entries of 28 and 52 bytes (8 + 1 + 36 up to a multiple of 8, and a line pointer).
        let ratio = sizes[0].ratio();
        assert!((ratio / (52.0 / 28.0) - 1.0).abs() < 0.03, "{ratio}");
        assert!(
            sizes
                .iter()
                .all(|sizes| (1.3..2.6).contains(&sizes.ratio())),
            "{sizes:?}"
        );
        assert!(found::<Uuid>(&ascending[..9_999]).sizes.is_empty());
    }

    /// In the order of their digits numbers do not ascend, besides taking more bytes.
    #[test]
    fn numbers_as_text_are_larger_and_repeated_ids_are_one_row() {
        let mut keys: Vec<u64> = (1..=20_000).collect();
        keys.extend(1..=500);
        let sizes = found::<Decimal>(&keys).sizes;
        assert!(
            sizes
                .iter()
                .all(|sizes| sizes.rows == 20_000 && sizes.ratio() > 1.0),
            "{sizes:?}"
        );
        assert_eq!(sizes[0].columns, [Column::Bigint, Column::Text(5)]);
    }

    #[test]
    fn rows_have_both_sizes_of_each_engine() {
        let keys: Vec<u128> = (0..10_000).collect();
        let mut rows = Rows::new("", "", "", Parameters::new());
        found::<Ulid>(&keys).rows(&mut rows);
        let rows = rows.into_rows();
        assert_eq!(rows.len(), 6);
        assert!(
            rows.iter()
                .all(|row| row.measure == "width_index_bytes" && row.value.as_f64() > 0.0)
        );
    }
}
