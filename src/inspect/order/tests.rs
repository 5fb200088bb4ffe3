use super::*;
use crate::fleet::{FleetSpec, IntoStream};
use crate::measure::{Plan, measure_any};
use crate::record::Parameters;
use crate::scheme;
use proptest::prelude::*;

fn of(keys: &[u64], block_ids: usize) -> Arrival<u64> {
    let mut order = Order::with_block(64, block_ids);
    keys.chunks(11).for_each(|batch| order.see(batch));
    order.finish()
}

/// By all pairs.
fn naive(keys: &[u64], block_ids: usize) -> InBlocks {
    let mut found = InBlocks::default();
    let mut displacements = Vec::new();
    for block in keys.chunks(block_ids) {
        for (i, a) in block.iter().enumerate() {
            for b in &block[i + 1..] {
                found.pairs += 1;
                found.equal_pairs += u64::from(a == b);
                found.inversions += u64::from(a > b);
            }
            if block[..i].iter().any(|earlier| earlier > a) {
                let below = block.iter().filter(|b| *b < a).count();
                let rank = below + block[..i].iter().filter(|b| *b == a).count();
                displacements.push(rank.abs_diff(i));
            }
        }
    }
    let length = displacements.iter().max().map_or(0, |most| most + 1);
    found.by_displacement = vec![0; length];
    displacements
        .iter()
        .for_each(|&d| found.by_displacement[d] += 1);
    found
}

proptest! {
    #[test]
    fn all_numbers_are_those_of_all_pairs(
        keys in prop::collection::vec(0u64..40, 0..70),
        block_ids in 1usize..80,
        sorted: bool,
    ) {
        let mut keys = keys;
        if sorted {
            keys.sort_unstable();
        }
        let found = of(&keys, block_ids);
        let mut blocks = found.in_blocks.clone();
        while blocks.by_displacement.last() == Some(&0) {
            blocks.by_displacement.pop();
        }
        let expected = naive(&keys, block_ids);
        prop_assert_eq!(&blocks, &expected);
        let mut distances: Vec<u64> = Vec::new();
        for (distance, &count) in (0..).zip(&expected.by_displacement) {
            distances.extend(std::iter::repeat_n(distance, count as usize));
        }
        let rank = |per_mille: usize| (distances.len() * per_mille).div_ceil(1000).max(1) - 1;
        for per_mille in [1, 500, 990, 1000] {
            let expected = distances.get(rank(per_mille)).copied().unwrap_or(0);
            prop_assert_eq!(found.displacement(per_mille as u64), expected);
        }

        let descents = keys.windows(2).filter(|pair| pair[1] < pair[0]).count() as u64;
        let ties = keys.windows(2).filter(|pair| pair[1] == pair[0]).count() as u64;
        prop_assert_eq!((found.descents, found.ties), (descents, ties));
        let before = |i: usize| keys[..i].iter().max();
        let late = (0..keys.len()).filter(|&i| before(i) > Some(&keys[i])).count() as u64;
        let maxima = (0..keys.len()).filter(|&i| before(i) < Some(&keys[i])).count() as u64;
        prop_assert_eq!((found.late, found.maxima), (late, maxima));
        let runs = keys.chunk_by(|a, b| a < b).map(|run| run.len() as u64);
        prop_assert_eq!(found.longest_run, runs.max().unwrap_or(0));
    }

    #[test]
    fn common_prefixes_are_those_of_all_ids(keys in prop::collection::vec(0u128..256, 1..6), bits in 8u32..100) {
        let mut order = Order::new(bits);
        order.see(&keys);
        let bit = |key: u128, at: u32| key >> (bits - 1 - at) & 1;
        let same = |at: &u32| keys.iter().all(|&key| bit(key, *at) == bit(keys[0], *at));
        let expected = (0..bits).take_while(same).count() as u32;
        prop_assert_eq!(order.finish().common_prefix_bits(), expected);
    }
}

#[test]
fn an_empty_list_is_no_error() {
    let found = of(&[], BLOCK_IDS);
    assert_eq!(
        (found.ids, found.tau(), found.common_prefix_bits()),
        (0, 0.0, 0)
    );
}

/// Ascending, descending, and in between: 1, -1, and a known number.
#[test]
fn tau_is_a_correlation() {
    assert_eq!(of(&[1, 2, 3, 4], BLOCK_IDS).tau(), 1.0);
    assert_eq!(of(&[4, 3, 2, 1], BLOCK_IDS).tau(), -1.0);
    // Two of six pairs are in the wrong order.
    assert!((of(&[2, 3, 1, 4], BLOCK_IDS).tau() - 2.0 / 6.0).abs() < 1e-15);
}

/// The shares are those of `sim btree`.
#[test]
fn shares_at_the_right_edge_are_those_of_the_b_tree() {
    let rows = 20_000;
    for name in ["uuid_v4", "uuid_v7", "snowflake", "ksuid"] {
        let spec = name.parse().unwrap();
        let fleet = FleetSpec {
            writers: 16,
            clocks: crate::fleet::Clocks::Offset { sd_ns: 2_000_000 },
            ..FleetSpec::single(5000, 3)
        };
        let open = || {
            let stream = scheme::visit(&spec, IntoStream(fleet.clone()));
            stream.unwrap().unwrap()
        };
        let stream = open();
        let design = Design::new(&POSTGRES, stream.column, EngineOptions::default()).unwrap();
        let plan = Plan {
            rows: Some(rows),
            ..Plan::new(design, Uniqueness::Checked)
        };
        let mut tree = Rows::new("", "", "", Parameters::new());
        measure_any(stream.keys, plan, &mut tree, &|_| ()).unwrap();

        fn shares<K: Key>(mut source: Box<dyn crate::source::Source<K>>, rows: u64) -> [Number; 2] {
            let mut keys = Vec::new();
            source.fill(&mut keys, rows as usize).unwrap();
            let mut order = Order::new(K::BYTES * 8);
            keys.chunks(999).for_each(|batch| order.see(batch));
            let found = order.finish();
            [found.right_edge_share, found.rightmost_leaf_share]
        }
        use crate::source::AnySource;
        let found = match open().keys {
            AnySource::Bytes8(source) => shares(source, rows),
            AnySource::Bytes16(source) => shares(source, rows),
            AnySource::Bytes20(source) => shares(source, rows),
        };
        let expected = [&RIGHT_EDGE_SHARE, &RIGHTMOST_LEAF_SHARE];
        assert_eq!(
            found.map(Some),
            expected.map(|measured| tree.found(measured)),
            "{name}"
        );
    }
}
