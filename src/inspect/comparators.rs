//! Comparators: the same ids in the orders of databases and languages, so that one that sorts
//! them at random is known before it holds the table.

use super::comparator::{Comparator, Place, ranks};
use crate::engine::{EngineOptions, Geometry, POSTGRES};
use crate::id::{Column, Id};
use crate::measure::{Edge, Rows};
use crate::record::{Measured, Number};
use crate::store::{BTree, Uniqueness};
use crate::theory::harmonic;

/// Ids of a list that are put into trees: the first ones.
pub const HEAD_IDS: usize = 200_000;

/// Measures of this file.
pub const COMPARATOR_MEASURES: &[&Measured] =
    &[&ORDER_RIGHT_EDGE_SHARE, &ORDER_RIGHTMOST_LEAF_SHARE];

const ORDER_RIGHT_EDGE_SHARE: Measured = Measured {
    name: "order_right_edge_share",
    unit: "share",
    about: "ids above every earlier one in an order (param order), of those that do not repeat the greatest so far",
};
const ORDER_RIGHTMOST_LEAF_SHARE: Measured = Measured {
    name: "order_rightmost_leaf_share",
    unit: "share",
    about: "inserts into the rightmost leaf of a PostgreSQL index that compares in an order (param order), of the first 200,000 ids",
};

/// What an order does to the ids, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Fewer than 20 ids: there is no telling.
    TooFew,
    /// No more ids are above all earlier ones, or below, than of ids at random.
    Random,
    /// More are below all earlier ones, but not above.
    Descending,
    /// As many as in the order of bytes, to 1 %.
    AsBytes,
    /// More.
    Better,
    /// Fewer, but half of them or more.
    Nearly,
    /// Fewer than half.
    Worse,
}

impl Verdict {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::TooFew => "too few",
            Self::Random => "random",
            Self::Descending => "descending",
            Self::AsBytes => "as bytes",
            Self::Better => "better",
            Self::Nearly => "nearly",
            Self::Worse => "worse",
        }
    }

    fn of(edges: &Edges, as_bytes: u64) -> Self {
        let ids = edges.ids();
        if ids < 20 {
            return Self::TooFew;
        }
        // Of ids at random H_n are expected; so many more have a chance of at most
        // e^-13.8, 10⁻⁶ (Chernoff's bound; the maxima are independent).
        let are_many = |found: u64| {
            let (found, mean) = (found as f64, harmonic(ids));
            found > mean && found * libm::log(found / mean) - found + mean >= 13.8
        };
        if !are_many(edges.new_maxima) {
            return match are_many(edges.new_minima) {
                true => Self::Descending,
                false => Self::Random,
            };
        }
        let share = edges.new_maxima as f64 / as_bytes.max(1) as f64;
        match share {
            0.99..1.01 => Self::AsBytes,
            1.01.. => Self::Better,
            0.5.. => Self::Nearly,
            _ => Self::Worse,
        }
    }
}

/// One order and the ids so far.
#[derive(Clone, Copy, Debug)]
struct Edges {
    order: Comparator,
    /// The greatest, and the least.
    extremes: Option<(Place, Place)>,
    new_maxima: u64,
    new_minima: u64,
    /// Ids that are no new maximum, and not the greatest again.
    below: u64,
}

impl Edges {
    fn new(order: Comparator) -> Self {
        Self {
            order,
            extremes: None,
            new_maxima: 0,
            new_minima: 0,
            below: 0,
        }
    }

    #[inline]
    fn scan<K: Copy>(&mut self, keys: &[K], place: impl Fn(K) -> Place) {
        let (mut new_maxima, mut new_minima, mut below) = (0, 0, 0);
        let mut keys = keys.iter();
        let Some((mut maximum, mut minimum)) = self.extremes.or_else(|| {
            (new_maxima, new_minima) = (1, 1);
            let first = keys.next().map(|&key| place(key))?;
            Some((first, first))
        }) else {
            return;
        };
        for &key in keys {
            let place = place(key);
            if place > maximum {
                maximum = place;
                new_maxima += 1;
            } else if place < minimum {
                minimum = place;
                new_minima += 1;
                below += 1;
            } else {
                below += u64::from(place < maximum);
            }
        }
        self.extremes = Some((maximum, minimum));
        self.new_maxima += new_maxima;
        self.new_minima += new_minima;
        self.below += below;
    }

    /// Ids but for those that repeat the greatest so far.
    fn ids(&self) -> u64 {
        self.new_maxima + self.below
    }
}

/// What an order does to the ids.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    /// The order.
    pub order: Comparator,
    /// Share of the ids above every earlier one, of those that do not repeat the greatest so far.
    pub right_edge_share: Number,
    /// Share of the first ids that go to the rightmost leaf; `None` if these have too few leaves.
    pub rightmost_leaf_share: Option<Number>,
    /// In a word.
    pub verdict: Verdict,
}

/// Takes the ids of a list.
#[derive(Clone, Debug)]
pub struct Comparators<I: Id> {
    edges: Vec<Edges>,
    head: Vec<I::Key>,
}

impl<I: Id> Default for Comparators<I> {
    fn default() -> Self {
        let orders = Comparator::of::<I>().into_iter();
        Self {
            edges: orders.map(Edges::new).collect(),
            head: Vec::new(),
        }
    }
}

impl<I: Id> Comparators<I> {
    /// Takes the next ids in the order of arrival.
    pub fn see(&mut self, keys: &[I::Key]) {
        let room = HEAD_IDS - self.head.len();
        self.head.extend(&keys[..keys.len().min(room)]);
        // Each is compiled for its order.
        macro_rules! scan {
            ($edges:expr, $($order:ident)*) => {
                match $edges.order {
                    $(Comparator::$order => $edges.scan(keys, |key| Comparator::$order.place::<I>(key)),)*
                }
            };
        }
        for edges in &mut self.edges {
            if edges.order == Comparator::Bytes || !edges.order.is_bytes::<I>() {
                scan!(edges, Bytes Signed64 Text TextEnUs JavaUuid DotNetGuid DotNetBytes SqlServer MySqlSwapped);
            }
        }
    }

    /// What each order does to them.
    pub fn finish(&self) -> Vec<Comparison> {
        let Some(bytes) = self.edges.first() else {
            return Vec::new();
        };
        let compare = |edges: &Edges| {
            let order = edges.order;
            let edges = match order.is_bytes::<I>() {
                true => bytes,
                false => edges,
            };
            Comparison {
                order,
                right_edge_share: Number::ratio(edges.new_maxima, edges.ids()),
                rightmost_leaf_share: self.rightmost_leaf_share(order),
                verdict: Verdict::of(edges, bytes.new_maxima),
            }
        };
        self.edges.iter().map(compare).collect()
    }

    fn rightmost_leaf_share(&self, order: Comparator) -> Option<Number> {
        let column = match order.is_text() {
            true => Column::Text(text_bytes::<I>(&self.head)),
            false => I::COLUMN,
        };
        let geometry = Geometry::new(&POSTGRES, column, EngineOptions::default()).ok()?;
        let mut tree = BTree::new(geometry, Uniqueness::Checked);
        let mut edge = Edge::default();
        for rank in ranks::<I>(&self.head, order) {
            tree.insert(rank, &mut edge);
        }
        // With few leaves chance alone hits the last one often.
        (tree.leaf_pages() >= 10).then(|| edge.last_leaves_share(1))
    }
}

/// Bytes of the longest text of some ids, at least 1.
pub(super) fn text_bytes<I: Id>(keys: &[I::Key]) -> u32 {
    // Numbers have more digits the greater they are; other kinds have texts of one length.
    let mut text = [0; 64];
    let most = keys.iter().max();
    most.map_or(1, |&key| I::from_key(key).encode(&mut text) as u32)
}

/// Writes the shares.
pub fn rows(comparisons: &[Comparison], rows: &mut Rows) {
    for comparison in comparisons {
        rows.with("order", comparison.order.name(), |rows| {
            rows.total(&ORDER_RIGHT_EDGE_SHARE, comparison.right_edge_share);
            if let Some(share) = comparison.rightmost_leaf_share {
                rows.total(&ORDER_RIGHTMOST_LEAF_SHARE, share);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::Timestamp;
    use crate::id::{Ksuid, Number as Decimal, SqlGuid, Uuid};
    use crate::random::stream;
    use crate::record::Parameters;
    use crate::scheme::{Scheme, Spec, Visitor, visit};
    use std::any::Any;

    /// Mints ids, 10 in each millisecond.
    struct Mint(u64);

    impl Visitor for Mint {
        type Output = Box<dyn Any>;

        fn visit<S: Scheme>(self, mut scheme: S) -> Box<dyn Any> {
            let mut writer = scheme.writer(0).unwrap();
            let mut random = stream(1, "comparators", 0);
            let mut mint = |i: u64| {
                let now = Timestamp::from_ms(1_780_000_000_000).later(i * 100_000);
                scheme.mint(&mut writer, &now, &mut random).unwrap().key()
            };
            Box::new(
                (0..self.0)
                    .map(&mut mint)
                    .collect::<Vec<<S::Id as Id>::Key>>(),
            )
        }
    }

    fn found<I: Id>(scheme: &str, ids: u64) -> Vec<Comparison> {
        let spec: Spec = scheme.parse().unwrap();
        let keys = visit(&spec, Mint(ids)).unwrap();
        let keys = keys.downcast::<Vec<I::Key>>().unwrap();
        let mut comparators = Comparators::<I>::default();
        keys.chunks(1000).for_each(|keys| comparators.see(keys));
        comparators.finish()
    }

    fn of(comparisons: &[Comparison], order: Comparator) -> (f64, f64, &'static str) {
        let found = comparisons
            .iter()
            .find(|comparison| comparison.order == order)
            .unwrap();
        let leaf = found.rightmost_leaf_share.map_or(f64::NAN, Number::as_f64);
        (found.right_edge_share.as_f64(), leaf, found.verdict.word())
    }

    #[test]
    fn version_7_is_random_in_sql_server_and_in_order_elsewhere() {
        let found = found::<Uuid>("uuid_v7:tail=counter", 20_000);
        for order in [
            Comparator::Bytes,
            Comparator::JavaUuid,
            Comparator::DotNetGuid,
            Comparator::Text,
        ] {
            assert_eq!(of(&found, order), (1.0, 1.0, "as bytes"), "{order:?}");
        }
        let (edge, leaf, word) = of(&found, Comparator::SqlServer);
        assert!(
            edge < 0.002 && leaf < 0.1 && word == "random",
            "{edge}, {leaf}, {word}"
        );
        // The second group's last byte comes before its first one: it goes round in 256 ms.
        assert_eq!(of(&found, Comparator::DotNetBytes).2, "worse");
        // Its first two bytes are the version and random bits.
        let found = self::found::<Uuid>("uuid_v7", 20_000);
        assert_eq!(of(&found, Comparator::MySqlSwapped).2, "random");
        assert!(of(&found, Comparator::Bytes).1 > 0.99);
    }

    #[test]
    fn a_comb_is_in_order_in_sql_server_alone() {
        let found = found::<SqlGuid>("comb", 20_000);
        let (edge, leaf, word) = of(&found, Comparator::SqlServer);
        assert!(
            edge > 0.1 && leaf > 0.9 && word == "better",
            "{edge}, {leaf}, {word}"
        );
        assert_eq!(of(&found, Comparator::Bytes).2, "random");
        assert_eq!(of(&found, Comparator::Text).2, "random");
    }

    #[test]
    fn version_1_is_in_order_where_mysql_swaps_it() {
        let found = found::<Uuid>("uuid_v1", 20_000);
        assert_eq!(of(&found, Comparator::MySqlSwapped).1, 1.0);
    }

    #[test]
    fn version_4_is_random_everywhere() {
        let found = found::<Uuid>("uuid_v4", 20_000);
        assert!(
            found
                .iter()
                .all(|comparison| comparison.verdict == Verdict::Random),
            "{found:?}"
        );
    }

    /// KSUIDs of few seconds differ in their last characters, where case decides.
    #[test]
    fn base_62_under_a_collation_that_folds_case() {
        let mut comparators = Comparators::<Ksuid>::default();
        let key = |i: u64| crate::id::Key20::new(i as u32 * 40_000, u128::from(i) << 100);
        comparators.see(&(0..5000).map(key).collect::<Vec<_>>());
        let found = comparators.finish();
        assert_eq!(of(&found, Comparator::Text).0, 1.0);
        let (edge, _, word) = of(&found, Comparator::TextEnUs);
        assert!(edge < 0.9 && word != "as bytes", "{edge}, {word}");
    }

    #[test]
    fn numbers_as_text_and_with_a_sign() {
        let mut comparators = Comparators::<Decimal>::default();
        comparators.see(&(1..=9999).collect::<Vec<u64>>());
        let found = comparators.finish();
        assert_eq!(of(&found, Comparator::Signed64).0, 1.0);
        // 1 to 9, 90 to 99, 990 to 999 and 9990 to 9999: what begins with all that was highest.
        let records = 9 + 10 + 10 + 10;
        assert!((of(&found, Comparator::Text).0 - f64::from(records) / 9999.0).abs() < 1e-12);
        assert_eq!(of(&found, Comparator::Text).2, "worse");
        let mut comparators = Comparators::<Decimal>::default();
        let over = |i: u64| (1 << 63) - 50 + i;
        comparators.see(&(0..100).map(over).collect::<Vec<u64>>());
        let found = comparators.finish();
        assert_eq!(of(&found, Comparator::Bytes).0, 1.0);
        let (edge, _, word) = of(&found, Comparator::Signed64);
        assert_eq!((edge, word), (0.5, "nearly"));
    }

    #[test]
    fn repeats_are_not_disorder_and_descending_is_not_random() {
        let verdicts = |keys: Vec<u64>| {
            let mut comparators = Comparators::<Decimal>::default();
            keys.chunks(7).for_each(|keys| comparators.see(keys));
            let found = comparators.finish();
            let (edge, _, bytes) = of(&found, Comparator::Bytes);
            (edge, bytes, of(&found, Comparator::Signed64).2)
        };
        let thrice = (0..3000).map(|i| i / 3).collect();
        assert_eq!(verdicts(thrice), (1.0, "as bytes", "as bytes"));
        let down = (0..3000).rev().collect();
        assert_eq!(verdicts(down), (1.0 / 3000.0, "descending", "descending"));
        assert_eq!(verdicts(vec![5; 3000]).1, "too few");
        let turns = (0..3000).map(|i| i % 2).collect();
        assert_eq!(verdicts(turns).1, "random");
    }

    #[test]
    fn few_ids_and_none_are_no_trouble() {
        let comparators = Comparators::<Uuid>::default();
        assert!(
            comparators
                .finish()
                .iter()
                .all(|found| found.verdict == Verdict::TooFew)
        );
        let mut few = Comparators::<Uuid>::default();
        few.see(&[1, 2, 3]);
        let found = few.finish();
        assert_eq!(
            (found[0].right_edge_share, found[0].rightmost_leaf_share),
            (Number::Real(1.0), None)
        );
        let mut written = Rows::new("", "", "", Parameters::new());
        rows(&found, &mut written);
        assert_eq!(written.into_rows().len(), found.len());
    }

    /// The shares are those of the tree that `sim btree` grows.
    #[test]
    fn shares_in_the_order_of_bytes_are_those_of_a_tree_of_the_keys() {
        let mut random = stream(2, "comparators", 0);
        let keys: Vec<u128> = (0..20_000u128)
            .map(|i| ((i / 50) << 100) | (crate::random::bits128(&mut random) >> 40))
            .collect();
        let mut comparators = Comparators::<Uuid>::default();
        comparators.see(&keys);
        let found = comparators.finish()[0];
        let geometry = Geometry::new(&POSTGRES, Column::Uuid, EngineOptions::default()).unwrap();
        let mut tree = BTree::new(geometry, Uniqueness::Promised);
        let mut edge = Edge::default();
        keys.iter().for_each(|&key| {
            tree.insert(key, &mut edge);
        });
        assert_eq!(found.right_edge_share, edge.right_edge_share());
        assert_eq!(found.rightmost_leaf_share, Some(edge.last_leaves_share(1)));
    }
}
