use super::*;
use crate::engine::{EngineOptions, TEXTBOOK};
use crate::id::Column;
use crate::random;
use crate::store::{BTree, Events};
use proptest::prelude::*;
use rand::Rng;
use std::collections::BTreeSet;

fn geometry(page_bytes: u32) -> Geometry {
    let options = EngineOptions {
        page_bytes: Some(page_bytes),
        ..Default::default()
    };
    Geometry::new(&TEXTBOOK, Column::Bigint, options).unwrap()
}

fn keys() -> impl Strategy<Value = Vec<u64>> {
    let key = prop_oneof![0u64..4000, any::<u64>(), 10_000u64..10_200];
    prop::collection::vec(key, 1..3000)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Pages of five entries make many levels.
    #[test]
    fn it_is_an_ordered_set_of_filled_pages(keys in keys(), neighbours in 1u32..5) {
        let mut tree = BStar::new(geometry(80), neighbours, Uniqueness::Checked);
        let (mut oracle, mut events) = (BTreeSet::new(), Events::default());
        for &key in &keys {
            let new_maximum = oracle.last().is_none_or(|&last| key > last);
            let new = oracle.insert(key);
            prop_assert_eq!(tree.insert(key, &mut events), new);
            if new {
                let event = events.inserts.last().unwrap();
                prop_assert_eq!((event.leaf, event.new_maximum), (tree.leaf_of(key), new_maximum));
                let numbers = tree.leaf_numbers();
                let at = numbers.iter().position(|&leaf| leaf == event.leaf).unwrap();
                prop_assert_eq!(event.edge_distance_leaves as usize, numbers.len() - 1 - at);
            }
        }
        prop_assert!(tree.keys().eq(oracle.iter().copied()));
        prop_assert_eq!(tree.rows(), oracle.len() as u64);
        prop_assert_eq!(tree.first_duplicate(), None);
        prop_assert_eq!(tree.leaves().count() as u64, tree.leaf_pages());
        prop_assert!(tree.leaves().all(|leaf| leaf.1 <= 5 && (leaf.1 >= 2 || tree.rows() == 1)));
        let splits = events.splits.iter().filter(|split| split.level == 0);
        prop_assert_eq!(splits.count() as u64 + 1, tree.leaf_pages());
    }

    #[test]
    fn with_one_neighbour_it_is_the_b_tree(keys in keys()) {
        let keys: BTreeSet<_> = keys.iter().map(|key| key.wrapping_mul(7919)).collect();
        let keys: Vec<_> = keys.into_iter().map(|key| key.reverse_bits()).collect();
        let mut tree = BTree::new(geometry(80), Uniqueness::Promised);
        let mut b_star = BStar::new(geometry(80), 1, Uniqueness::Promised);
        tree.insert_all(&keys, &mut ());
        b_star.insert_all(&keys, &mut ());
        prop_assert!(b_star.leaves().map(|leaf| leaf.1).eq(tree.leaves().map(|leaf| leaf.1)));
        prop_assert_eq!(b_star.internal_pages(), tree.internal_pages());
        prop_assert_eq!(b_star.tree_level(), tree.tree_level());
    }
}

/// The mean over a doubling of the rows, where the fill is read once a per cent.
#[test]
fn the_fill_of_random_keys_is_near_kuesperts() {
    for neighbours in 1..=4u32 {
        let mut tree = BStar::new(geometry(1600), neighbours, Uniqueness::Promised);
        let mut random = random::stream(1, "b_star", 0);
        let (mut fill, rows) = (0.0, 200_000);
        for row in 0..rows {
            tree.insert(random.next_u64(), &mut ());
            if row >= rows / 2 && row % (rows / 200) == 0 {
                fill += tree.rows() as f64 / (tree.leaf_pages() * 100) as f64 / 100.0;
            }
        }
        let m = f64::from(neighbours);
        let kuespert = m * ((m + 1.0) / m).ln();
        // Above it, as the neighbours of a page are not always the same ones.
        let above = if neighbours == 1 {
            -0.01..0.01
        } else {
            0.005..0.02
        };
        assert!(
            above.contains(&(fill / kuespert - 1.0)),
            "{neighbours}: {fill}"
        );
    }
}

#[test]
fn ascending_keys_leave_pages_as_full_as_a_split_made_them() {
    for neighbours in 1..=4u32 {
        let mut tree = BStar::new(geometry(960), neighbours, Uniqueness::Promised);
        tree.insert_all(&(0..60_000).collect::<Vec<u64>>(), &mut ());
        let fill = tree.rows() as f64 / (tree.leaf_pages() * 60) as f64;
        let m = f64::from(neighbours);
        assert!((fill - m / (m + 1.0)).abs() < 0.02, "{neighbours}: {fill}");
    }
}
