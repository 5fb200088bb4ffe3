//! How far rows are out of order.

use super::Seen;
use crate::id::Key;

/// The disorder of rows in the order of their commit.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Order {
    /// Rows whose id an earlier row has.
    pub duplicates: u64,
    /// Pairs of rows whose ids are in the wrong order.
    pub inversions: u64,
    /// Largest distance between a row's place and its place in the order of ids.
    pub displacement_max: u64,
    /// Largest distance between a row and a larger id before it.
    pub radius: u64,
    /// For each row after a larger id: time since the first larger one.
    pub lateness_ns: Vec<u64>,
    /// Whether the order of ids is the order of minting.
    pub as_minted: bool,
}

/// The disorder of `seen`, rows in the order of their commit; fewer than 2³².
pub fn order<K: Key>(seen: &[Seen<K>]) -> Order {
    let mut order = Order {
        as_minted: true,
        ..Order::default()
    };
    // Rows with a larger id than all before: their ids ascend.
    let mut records: Vec<usize> = Vec::new();
    for (place, row) in seen.iter().enumerate() {
        match records.last() {
            Some(&last) if seen[last].key > row.key => {
                let first = records[records.partition_point(|&at| seen[at].key <= row.key)];
                order.radius = order.radius.max((place - first) as u64);
                order
                    .lateness_ns
                    .push(row.committed.0 - seen[first].committed.0);
            }
            Some(&last) if seen[last].key == row.key => {}
            _ => records.push(place),
        }
    }
    let mut sorted: Vec<u32> = (0..seen.len() as u32).collect();
    // Stable: equal ids stay in the order of commit.
    sorted.sort_by_key(|&place| seen[place as usize].key);
    for (rank, &place) in sorted.iter().enumerate() {
        let distance = (rank as u64).abs_diff(place.into());
        order.displacement_max = order.displacement_max.max(distance);
    }
    for pair in sorted.windows(2) {
        let (a, b) = (&seen[pair[0] as usize], &seen[pair[1] as usize]);
        order.duplicates += u64::from(a.key == b.key);
        order.as_minted &= a.minted <= b.minted;
    }
    let mut scratch = sorted.clone();
    order.inversions = inversions(&mut sorted, &mut scratch);
    order
}

/// Sorts `places` by merging, and counts the pairs that were in the wrong order.
fn inversions(places: &mut [u32], scratch: &mut [u32]) -> u64 {
    if places.len() < 2 {
        return 0;
    }
    let middle = places.len() / 2;
    let (left, right) = places.split_at_mut(middle);
    let mut count = inversions(left, &mut scratch[..middle]);
    count += inversions(right, &mut scratch[middle..]);
    if left[middle - 1] <= right[0] {
        return count;
    }
    let (mut i, mut j) = (0, 0);
    for slot in scratch.iter_mut() {
        if j == right.len() || (i < left.len() && left[i] <= right[j]) {
            *slot = left[i];
            i += 1;
        } else {
            count += (left.len() - i) as u64;
            *slot = right[j];
            j += 1;
        }
    }
    places.copy_from_slice(scratch);
    count
}
