use super::*;
use crate::id::Key;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::num::NonZeroU32;

/// A row as drawn: key, minting, commit latency, key time, writer.
type Drawn = (u64, u64, u64, u64, u32);

fn rows(drawn: &[Drawn]) -> Vec<Seen<u64>> {
    let row = |&(key, minted, latency, key_time, writer): &Drawn| Seen {
        key,
        committed: Timestamp(minted + latency),
        minted: Timestamp(minted),
        key_time: Timestamp(key_time),
        writer,
    };
    let mut rows: Vec<_> = drawn.iter().map(row).collect();
    rows.sort_by_key(|row| row.committed);
    rows
}

/// What became of each row.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Book {
    /// By place: when read, or never.
    fates: BTreeMap<u64, Option<u64>>,
    read_twice: u64,
    stalled_ns: u64,
}

impl Ledger for Book {
    fn read(&mut self, place: u64, _: Timestamp, at: Timestamp) {
        assert_eq!(self.fates.insert(place, Some(at.0)), None);
    }

    fn skipped(&mut self, place: u64) {
        assert_eq!(self.fates.insert(place, None), None);
    }

    fn read_twice(&mut self, rows: u64) {
        self.read_twice += rows;
    }

    fn stalled(&mut self, ns: u64) {
        self.stalled_ns += ns;
    }
}

fn book<K: Key>(
    kind: ReaderKind,
    polls: Polls,
    page: Option<NonZeroU32>,
    seen: &[Seen<K>],
) -> Book {
    let mut reader = AnyReader::new(kind, polls, page, Book::default());
    seen.iter().for_each(|row| reader.see(row));
    reader.finish()
}

/// Polls one by one, long enough for all rows; a reader who never rests looks each nanosecond.
struct Polled<'a> {
    seen: &'a [Seen<u64>],
    first: u64,
    poll_ns: u64,
    book: Book,
}

impl<'a> Polled<'a> {
    fn new(seen: &'a [Seen<u64>], first: u64, poll_ns: u64) -> Self {
        Self {
            seen,
            first,
            poll_ns,
            book: Book::default(),
        }
    }

    /// Calls `poll` with the time, the places of the rows that are committed, and the time to the next poll.
    fn each(&mut self, end: u64, mut poll: impl FnMut(&mut Book, u64, &[usize], u64)) -> Book {
        let step = self.poll_ns.max(1);
        for now in (self.first..=end.max(self.first)).step_by(step as usize) {
            let there = |place: &usize| self.seen[*place].committed.0 <= now;
            let there: Vec<usize> = (0..self.seen.len()).filter(there).collect();
            poll(&mut self.book, now, &there, step);
        }
        for place in 0..self.seen.len() as u64 {
            self.book.fates.entry(place).or_insert(None);
        }
        std::mem::take(&mut self.book)
    }

    fn last_commit(&self) -> u64 {
        let last = self.seen.last().map_or(0, |row| row.committed.0);
        // The poll that sees it.
        let late = last.saturating_sub(self.first);
        self.first + late.next_multiple_of(self.poll_ns.max(1))
    }

    fn cursors<T: Ord + Copy>(
        mut self,
        lag_ns: u64,
        page: usize,
        key: impl Fn(&Seen<u64>) -> T,
        slot: impl Fn(&Seen<u64>) -> u32,
    ) -> Book {
        let seen = self.seen;
        let latest = seen.iter().map(|row| row.key_time.0).max().unwrap_or(0);
        let polls = (seen.len() as u64 + 2) * self.poll_ns.max(1);
        let end = self.last_commit().max(latest) + lag_ns + polls;
        let mut last: BTreeMap<u32, T> = BTreeMap::new();
        self.each(end, |book, now, there, _| {
            let wanted = |place: &&usize| {
                let row = &seen[**place];
                let old = lag_ns == 0 || row.key_time.0 + lag_ns <= now;
                old && last.get(&slot(row)).is_none_or(|last| key(row) > *last)
            };
            let mut found: Vec<usize> = there.iter().filter(wanted).copied().collect();
            found.sort_by_key(|&place| (key(&seen[place]), place));
            for place in found.into_iter().take(page) {
                last.insert(slot(&seen[place]), key(&seen[place]));
                book.fates.insert(place as u64, Some(now));
            }
        })
    }

    fn overlap(mut self, width_ns: u64) -> Book {
        let seen = self.seen;
        let (mut cursor, mut known): (Option<(u64, u64)>, Vec<usize>) = Default::default();
        let (restless, first) = (self.poll_ns == 0, self.first);
        self.each(self.last_commit(), |book, now, there, _| {
            // Without rest, there is a poll only if there is a new row.
            let new = |row: &Seen<u64>| {
                row.committed.0 == now || (now == first && row.committed.0 <= now)
            };
            if restless && !seen.iter().any(new) {
                return;
            }
            let before = cursor;
            let again = |place: usize| {
                before.is_none_or(|(_, newest)| seen[place].key_time.0 + width_ns > newest)
            };
            known.retain(|&place| again(place));
            for &place in there {
                let row = &seen[place];
                if !(again(place) || before.is_none_or(|(last, _)| row.key > last)) {
                    continue;
                }
                if known.contains(&place) {
                    book.read_twice += 1;
                } else if !known.iter().any(|&other| seen[other].key == row.key) {
                    known.push(place);
                    book.fates.insert(place as u64, Some(now));
                    let (last, newest) = cursor.unwrap_or((row.key, row.key_time.0));
                    cursor = Some((last.max(row.key), newest.max(row.key_time.0)));
                }
            }
        })
    }

    fn gap(mut self, timeout_ns: u64) -> Book {
        let seen = self.seen;
        let mut next = 1;
        let mut missed: BTreeMap<u64, u64> = BTreeMap::new();
        let end = self.last_commit() + timeout_ns + self.poll_ns;
        self.each(end, |book, now, there, step| {
            let place_of = |number| there.iter().find(|&&place| seen[place].key == number);
            let largest = there
                .iter()
                .map(|&place| seen[place].key)
                .max()
                .unwrap_or(0);
            for number in next..largest {
                missed.entry(number).or_insert(now);
            }
            while next <= largest {
                match place_of(next) {
                    Some(&place) => {
                        book.fates.insert(place as u64, Some(now));
                    }
                    None if now >= missed[&next] + timeout_ns => {}
                    None => break,
                }
                next += 1;
            }
            if next <= largest {
                book.stalled_ns += step;
            }
        })
    }

    fn xmin(mut self) -> Book {
        let seen = self.seen;
        self.each(self.last_commit(), |book, now, there, step| {
            let open = seen
                .iter()
                .filter(|row| row.minted.0 <= now && row.committed.0 > now);
            let horizon = open.map(|row| row.minted).min();
            for &place in there {
                if horizon.is_none_or(|horizon| seen[place].minted < horizon) {
                    book.fates.entry(place as u64).or_insert(Some(now));
                }
            }
            if there
                .iter()
                .any(|&place| !book.fates.contains_key(&(place as u64)))
            {
                book.stalled_ns += step;
            }
        })
    }
}

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    prop::collection::vec((1u64..40, 0u64..120, 0u64..60, 0u64..150, 0u32..4), 0..40)
}

proptest! {
    #[test]
    fn cursors_are_those_that_really_poll(
        drawn in drawn(), first in 0u64..30, poll_ns in 0u64..30, lag_ns in prop_oneof![Just(0u64), 0u64..80],
        page in prop_oneof![Just(None), (1u32..6).prop_map(NonZeroU32::new)],
    ) {
        let seen = rows(&drawn);
        let polls = Polls::new(Timestamp(first), poll_ns);
        let polled = || Polled::new(&seen, first, poll_ns);
        let limit = page.filter(|_| poll_ns > 0).map_or(usize::MAX, |page| page.get() as usize);
        prop_assert_eq!(
            book(ReaderKind::Cursor { lag_ns }, polls, page, &seen),
            polled().cursors(lag_ns, limit, |row| row.key, |_| 0)
        );
        prop_assert_eq!(
            book(ReaderKind::Tuple { lag_ns }, polls, page, &seen),
            polled().cursors(lag_ns, limit, |row| (row.key_time, row.key), |_| 0)
        );
        prop_assert_eq!(
            book(ReaderKind::Vector { lag_ns }, polls, page, &seen),
            polled().cursors(lag_ns, limit, |row| row.key, |row| row.writer)
        );
    }

    #[test]
    fn an_overlap_is_one_that_really_polls(
        mut drawn in drawn(), first in 0u64..30, poll_ns in 0u64..30, width_ns in 0u64..80,
    ) {
        // An id that comes twice says the same time twice.
        let mut times = BTreeMap::new();
        for row in &mut drawn {
            row.3 = *times.entry(row.0).or_insert(row.3);
        }
        let seen = rows(&drawn);
        prop_assert_eq!(
            book(ReaderKind::Overlap { width_ns }, Polls::new(Timestamp(first), poll_ns), None, &seen),
            Polled::new(&seen, first, poll_ns).overlap(width_ns)
        );
    }

    #[test]
    fn a_gap_reader_is_one_that_really_polls(
        drawn in drawn(), first in 0u64..30, poll_ns in 0u64..30, timeout_ns in 0u64..60,
    ) {
        let seen = rows(&drawn);
        prop_assert_eq!(
            book(ReaderKind::Gap { timeout_ns }, Polls::new(Timestamp(first), poll_ns), None, &seen),
            Polled::new(&seen, first, poll_ns).gap(timeout_ns)
        );
    }

    #[test]
    fn a_reader_behind_the_horizon_is_one_that_really_polls_and_loses_nothing(
        drawn in drawn(), first in 0u64..30, poll_ns in 0u64..30,
    ) {
        let seen = rows(&drawn);
        let found = book(ReaderKind::Xmin, Polls::new(Timestamp(first), poll_ns), None, &seen);
        prop_assert!(found.fates.values().all(Option::is_some));
        prop_assert_eq!(found, Polled::new(&seen, first, poll_ns).xmin());
    }

    #[test]
    fn the_smallest_lossless_lag_is_the_first_that_loses_nothing(
        mut drawn in drawn(), first in 0u64..30, poll_ns in prop_oneof![Just(0u64), 0u64..30],
    ) {
        for row in &mut drawn {
            // Ids ascend with their times.
            row.0 = row.3 / 3;
            row.3 = row.0 * 2;
        }
        let seen = rows(&drawn);
        let polls = Polls::new(Timestamp(first), poll_ns);
        let loses = |lag_ns: &u64| {
            ReaderKind::Cursor { lag_ns: *lag_ns }.read(polls, None, &seen).skipped_rows > 0
        };
        let found = smallest_lossless_lag(&seen, Timestamp(first), poll_ns);
        prop_assert_eq!(found, (0..400).find(|lag_ns| !loses(lag_ns)));
        // And so does every longer one.
        prop_assert_eq!((found.unwrap()..400).find(loses), None);
    }

    #[test]
    fn a_lag_cures_nothing_where_ids_do_not_ascend_with_time(
        drawn in drawn(), first in 0u64..30, poll_ns in 0u64..30,
    ) {
        let seen = rows(&drawn);
        let polls = Polls::new(Timestamp(first), poll_ns);
        let lossless = ReaderKind::Cursor { lag_ns: 0 }.read(polls, None, &seen).skipped_rows == 0;
        let found = smallest_lossless_lag(&seen, Timestamp(first), poll_ns);
        prop_assert_eq!(found == Some(0), lossless);
        if let Some(lag_ns) = found {
            prop_assert_eq!(ReaderKind::Cursor { lag_ns }.read(polls, None, &seen).skipped_rows, 0);
        }
    }

    /// Any text is a reader or one line of refusal.
    #[test]
    fn texts_come_back_or_are_refused(text in "(cursor|tuple|vector|overlap|gap|xmin|[a-z]{0,5})(:[0-9.-]{0,4}(s|ms|h|)?)?") {
        match text.parse::<ReaderKind>() {
            Ok(kind) => prop_assert_eq!(kind.to_string().parse(), Ok(kind)),
            Err(error) => prop_assert!(!error.to_string().contains('\n')),
        }
    }
}

#[test]
fn readers_as_typed() {
    for text in [
        "cursor",
        "cursor:2s",
        "tuple",
        "tuple:1500ms",
        "vector",
        "vector:1us",
        "overlap:2s",
        "overlap:0",
        "gap:3s",
        "xmin",
    ] {
        assert_eq!(text.parse::<ReaderKind>().unwrap().to_string(), text);
    }
    for (text, part) in [
        ("cursr", "did you mean \"cursor\"?"),
        (
            "nothing",
            "known: cursor, tuple, vector, overlap, gap, xmin",
        ),
        ("overlap", "such as overlap:2s"),
        ("gap", "such as gap:2s"),
        ("gap:3", "expected a number with its unit"),
        ("overlap:-1s", "expected a number with its unit"),
        ("cursor:", "expected a number with its unit"),
        ("xmin:3s", "xmin takes no time"),
    ] {
        let error = text.parse::<ReaderKind>().unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn totals_are_those_of_the_rows() {
    // Key, minting, latency, key time, writer; the poll at 20 reads 3, the one at 30 the others.
    let seen = rows(&[
        (3, 12, 3, 12, 0),
        (2, 11, 10, 11, 0),
        (4, 22, 2, 22, 0),
        (5, 23, 7, 23, 0),
    ]);
    let polls = Polls::new(Timestamp(10), 10);
    let read = ReaderKind::Cursor { lag_ns: 0 }.read(polls, None, &seen);
    assert_eq!((read.read_rows, read.skipped_rows), (3, 1));
    assert_eq!(
        (read.delay_max_ns, read.delay_ns.value_at_quantile(0.5)),
        (6, 5)
    );
    let overlap = ReaderKind::Overlap { width_ns: 5 }.read(polls, None, &seen);
    assert_eq!((overlap.skipped_rows, overlap.read_twice_rows), (0, 1));
    let xmin = ReaderKind::Xmin.read(polls, None, &seen);
    assert_eq!((xmin.read_rows, xmin.stalled_ns), (4, 10));
}

#[test]
fn rows_of_readers_say_kind_unit_and_spread() {
    let seen = rows(&[(2, 0, 1_000_000, 0, 0), (1, 0, 3_000_000, 0, 0)]);
    let kind = ReaderKind::Cursor { lag_ns: 0 };
    let reads = [0, 2_500_000].map(|first| {
        let polls = Polls::new(Timestamp(first), 5_000_000);
        kind.read(polls, None, &seen)
    });
    let mut found = crate::measure::Rows::new("", "", "", Default::default());
    write_reads(&mut found, kind, &reads, 86_400_000_000);
    write_lossless_lag(&mut found, &[Some(1_500_000), Some(500_000)]);
    write_lossless_lag(&mut found, &[Some(1_500_000), None]);
    let found = found.into_rows();
    let value = |name: &str, quantile: Option<&str>| {
        let matches = |row: &&crate::record::Row| {
            let param = row.params.get("quantile").and_then(|name| name.as_str());
            row.measure == name && param == quantile
        };
        let row = found.iter().find(matches).unwrap();
        let number = |number: Option<crate::record::Number>| number.unwrap().as_f64();
        (row.value.as_f64(), number(row.low), number(row.high))
    };
    // The first reads both at 5 ms, the second the larger id at 2.5 ms.
    assert_eq!(value("reader_skipped_share", None), (0.25, 0.0, 0.5));
    assert_eq!(
        value("reader_skipped_rows_per_day", None),
        (500.0, 0.0, 1000.0)
    );
    assert_eq!(value("reader_delay_ms", Some("max")), (2.75, 1.5, 4.0));
    // Enough for both.
    assert_eq!(value("smallest_lossless_lag_ms", None), (1.5, 0.5, 1.5));
    assert_eq!(found.len(), 8);
    assert_eq!(found[0].params["reader"], "cursor");
}
