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
    /// Median distance between a row's place and its place in the order of ids (nearest rank).
    pub displacement_p50: u64,
    /// 99th percentile of it.
    pub displacement_p99: u64,
    /// The largest.
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
    let distance = |(rank, &place): (usize, &u32)| (rank as u32).abs_diff(place);
    let mut distances: Vec<u32> = sorted.iter().enumerate().map(distance).collect();
    distances.sort_unstable();
    let quantile = |percent: usize| {
        let rank = (distances.len() * percent).div_ceil(100);
        let found = rank.checked_sub(1).and_then(|rank| distances.get(rank));
        found.map_or(0, |&rows| rows.into())
    };
    order.displacement_p50 = quantile(50);
    order.displacement_p99 = quantile(99);
    order.displacement_max = quantile(100);
    for pair in sorted.windows(2) {
        let (a, b) = (&seen[pair[0] as usize], &seen[pair[1] as usize]);
        order.duplicates += u64::from(a.key == b.key);
        order.as_minted &= a.minted <= b.minted;
    }
    let mut scratch = sorted.clone();
    order.inversions = inversions(&mut sorted, &mut scratch);
    order
}

/// Rows whose ids say the same time: the mean over all times that ids say; 0 of no rows.
pub fn rows_per_tick<K>(seen: &[Seen<K>]) -> f64 {
    let mut times: Vec<u64> = seen.iter().map(|row| row.key_time.0).collect();
    times.sort_unstable();
    times.dedup();
    seen.len() as f64 / times.len().max(1) as f64
}

/// Sorts `places` by merging, and counts the pairs that were in the wrong order.
pub(crate) fn inversions(places: &mut [u32], scratch: &mut [u32]) -> u64 {
    if places.len() <= 16 {
        return insert(places);
    }
    let middle = places.len() / 2;
    let (left, right) = places.split_at_mut(middle);
    let mut count = inversions(left, &mut scratch[..middle]);
    count += inversions(right, &mut scratch[middle..]);
    if left[middle - 1] <= right[0] {
        return count;
    }
    let (mut i, mut j) = (0, 0);
    let mut slots = scratch.iter_mut();
    // Without branches on what is compared, which no processor foresees.
    while i < left.len() && j < right.len() {
        let Some(slot) = slots.next() else { break };
        let (a, b) = (left[i], right[j]);
        let is_right = b < a;
        *slot = if is_right { b } else { a };
        count += if is_right { (left.len() - i) as u64 } else { 0 };
        i += usize::from(!is_right);
        j += usize::from(is_right);
    }
    let rest = left[i..].iter().chain(&right[j..]);
    slots.zip(rest).for_each(|(slot, place)| *slot = *place);
    places.copy_from_slice(&scratch[..places.len()]);
    count
}

/// The same of few, by insertion.
fn insert(places: &mut [u32]) -> u64 {
    let mut count = 0;
    for end in 1..places.len() {
        let place = places[end];
        let mut at = end;
        while at > 0 && places[at - 1] > place {
            places[at] = places[at - 1];
            at -= 1;
        }
        places[at] = place;
        count += (end - at) as u64;
    }
    count
}
