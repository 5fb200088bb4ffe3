use super::*;
use crate::store::Events;
use proptest::prelude::*;

fn tree(cache_bytes: u64, uniqueness: Uniqueness) -> WiredTiger<u64> {
    let options = EngineOptions {
        page_bytes: Some(4096),
        payload_bytes: 100,
        ..Default::default()
    };
    WiredTiger::new(Column::Bigint, options, cache_bytes, uniqueness).unwrap()
}

fn keys() -> impl Strategy<Value = Vec<u64>> {
    let key = prop_oneof![0u64..4000, any::<u64>(), 10_000u64..10_200];
    (prop::collection::vec(key, 1..3000), any::<bool>()).prop_map(|(mut keys, rising)| {
        if rising {
            keys.sort_unstable();
        }
        keys
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Small caches evict pages with every few rows.
    #[test]
    fn it_is_an_ordered_set(keys in keys(), log in 16u32..24) {
        let mut tree = tree(1 << log, Uniqueness::Checked);
        let (mut oracle, mut events) = (BTreeSet::new(), Events::default());
        for &key in &keys {
            prop_assert_eq!(tree.insert(key, &mut events), oracle.insert(key));
        }
        prop_assert!(tree.keys().eq(oracle.iter().copied()));
        prop_assert_eq!(tree.rows(), oracle.len() as u64);
        prop_assert_eq!(tree.first_duplicate(), None);
        prop_assert_eq!(events.splits.len() + 1, tree.pages.len());
        let entries: u32 = tree.leaves().map(|leaf| leaf.1).sum();
        prop_assert_eq!(u64::from(entries), tree.rows());
        prop_assert!(tree.leaves().all(|leaf| leaf.1 > 0 && leaf.2 <= 4096));
        let bytes = |tree: &WiredTiger<u64>, state| -> u64 {
            let pages = tree.pages.iter().filter(|page| page.state == state);
            pages.map(|page| page.bytes(&tree.format)).sum()
        };
        prop_assert_eq!(bytes(&tree, State::Dirty), tree.dirty_bytes);
        prop_assert_eq!(bytes(&tree, State::Clean), tree.clean_bytes);

        // A checkpoint leaves what was said.
        let before: Vec<_> = tree.leaves().map(|leaf| (leaf.1, leaf.2)).collect();
        tree.checkpoint(&mut ());
        prop_assert_eq!(tree.dirty_bytes, 0);
        prop_assert_eq!(tree.pages.len() as u64, tree.leaf_pages());
        prop_assert!(tree.leaves().map(|leaf| (leaf.1, leaf.2)).eq(before));
        prop_assert!(tree.keys().eq(oracle.iter().copied()));
    }

    #[test]
    fn what_is_written_fits(entries in 1usize..20_000, payload_bytes in 0u32..2000) {
        let options = EngineOptions { payload_bytes, ..Default::default() };
        let format = Format::new(Column::Uuid, options, 1 << 27).unwrap();
        let written = format.reconcile(entries);
        prop_assert_eq!(written.iter().sum::<usize>(), entries);
        prop_assert!(written.iter().all(|&entries| entries > 0 && format.image(entries) <= 32768));
    }
}
