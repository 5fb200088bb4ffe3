//! The lag window that would have been enough.

use crate::clock::Timestamp;
use crate::id::Key;
use crate::measure::fleet::Seen;
use crate::measure::fleet::reader::Polls;
use std::collections::BTreeMap;

/// The smallest lag window in ns with which a cursor over ids loses no row of `seen` (in the
/// order of commit) at polls from `first` on, each `poll_ns` (0: whenever there is a row);
/// `None` if it loses some without a window and ids do not ascend with their key times: a
/// window holds back all rows alike then, and cures nothing.
///
/// With a window D > 0 a row is readable from max(commit, key time + D) on. It is lost if an
/// id no smaller was readable at a poll before. Where ids ascend with key times, the row
/// itself must have been committed too late for that poll, b: the window must exceed
/// b - (key time of the smallest such id committed by b).
pub fn smallest_lossless_lag<K: Key>(
    seen: &[Seen<K>],
    first: Timestamp,
    poll_ns: u64,
) -> Option<u64> {
    let mut polls = Polls::new(first, poll_ns);
    let mut known: BTreeMap<K, Timestamp> = BTreeMap::new();
    let mut coming = seen.iter().peekable();
    let (mut lost, mut lag_ns) = (false, 0);
    for row in seen {
        let poll = polls.advance(row.committed);
        if poll == first {
            continue;
        }
        let before = Timestamp(poll.0 - poll_ns.max(1));
        while let Some(row) = coming.next_if(|row| row.committed <= before) {
            let time = known.entry(row.key).or_insert(row.key_time);
            *time = row.key_time.min(*time);
        }
        if let Some((_, key_time)) = known.range(row.key..).next() {
            lost = true;
            lag_ns = lag_ns.max(before.0.saturating_sub(key_time.0).saturating_add(1));
        }
    }
    if !lost {
        return Some(0);
    }
    ascending(seen).then_some(lag_ns.max(1))
}

/// Whether a larger id never has an earlier key time, and equal ids have equal ones.
fn ascending<K: Key>(seen: &[Seen<K>]) -> bool {
    let mut times: Vec<(K, Timestamp)> = seen.iter().map(|row| (row.key, row.key_time)).collect();
    times.sort_unstable();
    let pair = |pair: &[(K, Timestamp)]| match pair {
        [a, b] if a.0 == b.0 => a.1 == b.1,
        [a, b] => a.1 <= b.1,
        _ => true,
    };
    times.windows(2).all(pair)
}
