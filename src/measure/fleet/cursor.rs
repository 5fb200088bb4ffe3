//! Readers who page with `id > last_seen order by id`.

use super::Seen;
use crate::clock::Timestamp;
use crate::id::Key;

/// Rows in the order in which a reader with a lag window may read them.
#[derive(Clone, Debug)]
pub struct Readable<K> {
    /// When, which id, and the row's place in the order of commit.
    rows: Vec<(Timestamp, K, u32)>,
}

impl<K: Key> Readable<K> {
    /// The rows of `seen`, in the order of their commit, for a reader who only reads those
    /// whose `key_time` is at least `lag_ns` ago; 0: all that are there.
    pub fn new(seen: &[Seen<K>], lag_ns: u64) -> Self {
        let when = |row: &Seen<K>| match lag_ns {
            0 => row.committed,
            _ => row.committed.max(row.key_time.later(lag_ns)),
        };
        let rows = (0..)
            .zip(seen)
            .map(|(place, row)| (when(row), row.key, place));
        let mut rows: Vec<_> = rows.collect();
        // Stable, and nearly sorted already.
        rows.sort_by_key(|row| row.0);
        Self { rows }
    }

    /// Places of the rows that a reader never gets who polls at `first` and each `poll_ns`
    /// after (0: whenever there is a row), without a limit on rows: a poll before the first
    /// that could read the row has moved on to a larger id, or to the same one. Ascending.
    pub fn skipped(&self, first: Timestamp, poll_ns: u64) -> Vec<u32> {
        let poll = |row: &(Timestamp, K, u32)| {
            let past_ns = row.0.0.saturating_sub(first.0);
            match poll_ns {
                0 => past_ns,
                poll_ns => past_ns.div_ceil(poll_ns),
            }
        };
        let mut skipped = Vec::new();
        let (mut now, mut last_seen, mut largest) = (0, None, None);
        for row in &self.rows {
            let (poll, key) = (poll(row), Some(row.1));
            if poll > now {
                (now, last_seen) = (poll, largest);
            }
            if key <= last_seen {
                skipped.push(row.2);
            }
            largest = largest.max(key);
        }
        skipped.sort_unstable();
        skipped
    }
}
