//! A reader who pages with `id > last_seen order by id`.

use super::Seen;
use crate::clock::Timestamp;
use crate::id::Key;

/// How a reader reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reader {
    /// The first poll.
    pub start: Timestamp,
    /// Time between two polls, each without a limit on rows; 0: one at every row.
    pub poll_ns: u64,
    /// Only rows are read whose `key_time` is at least so long ago; 0: all that are there.
    pub lag_ns: u64,
}

impl Reader {
    /// When a row can first be read.
    fn readable<K>(self, row: &Seen<K>) -> Timestamp {
        match self.lag_ns {
            0 => row.committed,
            lag_ns => row.committed.max(row.key_time.later(lag_ns)),
        }
    }

    /// The poll that can first read what is there `at` this time.
    fn poll(self, at: Timestamp) -> u64 {
        let past_ns = at.0.saturating_sub(self.start.0);
        match self.poll_ns {
            0 => past_ns,
            poll_ns => past_ns.div_ceil(poll_ns),
        }
    }
}

/// Places in `seen` (rows in the order of commit) of the rows that the reader never
/// gets: a poll before the first that could read them has moved on to a larger id, or
/// to the same one. Ascending.
pub fn skipped<K: Key>(seen: &[Seen<K>], reader: Reader) -> Vec<u32> {
    let poll = |place: u32| reader.poll(reader.readable(&seen[place as usize]));
    let mut order: Vec<u32> = (0..seen.len() as u32).collect();
    // Stable, and nearly sorted already.
    order.sort_by_key(|&place| poll(place));
    let mut skipped = Vec::new();
    let mut last_seen: Option<K> = None;
    for read in order.chunk_by(|&a, &b| poll(a) == poll(b)) {
        let mut largest = last_seen;
        for &place in read {
            let key = seen[place as usize].key;
            if last_seen.is_some_and(|last| key <= last) {
                skipped.push(place);
            }
            largest = largest.max(Some(key));
        }
        last_seen = largest;
    }
    skipped.sort_unstable();
    skipped
}
