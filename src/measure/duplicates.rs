//! Ids that come more than once, among more of them than fit into memory.

use crate::id::Key;
use rayon::slice::ParallelSliceMut;

/// An id and the places at which it comes, from 0, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeated<K> {
    /// The id.
    pub key: K,
    /// At least two.
    pub places: Vec<u64>,
}

/// The ids that come more than once in a stream of about `rows`, ascending. `mint` passes
/// the ids on, the same ones each time that it is called: twice, or once if all differ.
///
/// Memory is 8 bytes an id, and little more while few of them repeat: a 64-bit fingerprint
/// of each (the id itself, if that is all of it) is sorted in place. Ids of an equal
/// fingerprint are compared when they come again, so none is said to repeat that does not.
///
/// # Errors
/// Those of `mint`.
pub fn repeated<K: Key, E>(
    rows: usize,
    mut mint: impl FnMut(&mut dyn FnMut(K)) -> Result<(), E>,
) -> Result<Vec<Repeated<K>>, E> {
    let mut prints = Vec::with_capacity(rows);
    mint(&mut |key| prints.push(fingerprint(key)))?;
    let suspects = suspects(prints, usize::MAX);
    if suspects.is_empty() {
        return Ok(Vec::new());
    }
    let mut known: Vec<(K, u64)> = Vec::new();
    let mut place = 0;
    mint(&mut |key| {
        if suspects.binary_search(&fingerprint(key)).is_ok() {
            known.push((key, place));
        }
        place += 1;
    })?;
    Ok(same(known))
}

/// The least `most` of the fingerprints that come more than once, ascending.
pub(super) fn suspects(mut prints: Vec<u64>, most: usize) -> Vec<u64> {
    prints.par_sort_unstable();
    let equal = prints
        .chunk_by(|a, b| a == b)
        .filter(|equal| equal.len() > 1);
    equal.map(|equal| equal[0]).take(most).collect()
}

/// The keys that come more than once, ascending, of keys and their places.
pub(super) fn same<K: Key>(mut known: Vec<(K, u64)>) -> Vec<Repeated<K>> {
    known.par_sort_unstable();
    let same = known.chunk_by(|a, b| a.0 == b.0);
    let several = same.filter(|ids| ids.len() > 1);
    let repeated = several.map(|ids| Repeated {
        key: ids[0].0,
        places: ids.iter().map(|(_, place)| *place).collect(),
    });
    repeated.collect()
}

/// √2 and √3, 64 bits after the point.
const ODD: [u64; 2] = [0x6a09_e667_f3bc_c909, 0xbb67_ae85_84ca_a73b];

/// 64 bits of an id: all of them if it has no more.
pub(crate) fn fingerprint<K: Key>(key: K) -> u64 {
    let low = key.field(0, 64) as u64;
    if K::BYTES <= 8 {
        return low;
    }
    let print = fold(low ^ ODD[0], key.field(64, 64) as u64 ^ ODD[1]);
    match (K::BYTES * 8).checked_sub(128) {
        Some(bits @ 1..) => fold(print ^ ODD[0], key.field(128, bits) as u64 ^ ODD[1]),
        _ => print,
    }
}

/// The halves of a product, mixed.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Key20;
    use proptest::prelude::*;
    use std::collections::BTreeMap;
    use std::convert::Infallible;

    fn found<K: Key>(ids: &[K]) -> Vec<Repeated<K>> {
        let mint = |take: &mut dyn FnMut(K)| -> Result<(), Infallible> {
            ids.iter().copied().for_each(take);
            Ok(())
        };
        repeated(ids.len(), mint).unwrap()
    }

    fn expected<K: Key>(ids: &[K]) -> Vec<Repeated<K>> {
        let mut places: BTreeMap<K, Vec<u64>> = BTreeMap::new();
        for (place, id) in (0..).zip(ids) {
            places.entry(*id).or_default().push(place);
        }
        let several = places.into_iter().filter(|(_, places)| places.len() > 1);
        several
            .map(|(key, places)| Repeated { key, places })
            .collect()
    }

    proptest! {
        #[test]
        fn ids_of_any_width_repeat_as_a_map_says(
            parts in prop::collection::vec((0u32..4, 0u128..6), 0..60)
        ) {
            let narrow: Vec<u64> = parts.iter().map(|part| part.1 as u64).collect();
            prop_assert_eq!(found(&narrow), expected(&narrow));
            // Both halves small, so that some are equal in one of them.
            let wide: Vec<u128> = parts.iter().map(|part| u128::from(part.0) << 64 | part.1).collect();
            prop_assert_eq!(found(&wide), expected(&wide));
            let wider: Vec<Key20> = parts.iter().map(|part| Key20::new(part.0, part.1)).collect();
            prop_assert_eq!(found(&wider), expected(&wider));
        }
    }

    /// A factor of 0 makes all fingerprints 0.
    #[test]
    fn equal_fingerprints_are_no_duplicates() {
        let id = |low: u64| u128::from(ODD[1]) << 64 | u128::from(low);
        let mut ids: Vec<u128> = (0..100).map(id).collect();
        assert!(ids.iter().all(|id| fingerprint(*id) == 0));
        assert!(found(&ids).is_empty());
        ids.push(id(7));
        let places = vec![7, 100];
        assert_eq!(found(&ids), [Repeated { key: id(7), places }]);
    }

    #[test]
    fn ids_are_minted_again_only_to_confirm_and_errors_end_it() {
        let mut calls = 0;
        let mut mint = |take: &mut dyn FnMut(u64)| -> Result<(), String> {
            calls += 1;
            (0..1000).for_each(take);
            Ok(())
        };
        assert_eq!(repeated(1000, &mut mint), Ok(Vec::new()));
        assert_eq!(calls, 1);
        let refused = repeated(1, |_: &mut dyn FnMut(u64)| Err("no more".to_owned()));
        assert_eq!(refused, Err("no more".to_owned()));
    }
}
