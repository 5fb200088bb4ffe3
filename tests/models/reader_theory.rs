//! Readers against the closed forms of what they lose, on rows that come by a Poisson
//! process and differ in nothing but independent marks.
//!
//! Tolerances are 5.5 standard errors, taken from 100 blocks of a run (rows of a poll are
//! lost together, a block has many polls): a right program misses one less than once in
//! 10⁶ seeds (and the seeds are fixed).

use idlab::clock::Timestamp;
use idlab::id::Key;
use idlab::measure::{
    AnyReader, Ledger, Polls, Read, Reader, ReaderKind, Seen, order, smallest_lossless_lag,
};
use idlab::random;
use idlab::theory::cursor::{
    self, Latencies, skipped_at_gaps, skipped_by_offsets, skipped_in_blocks,
    skipped_of_exponential, skipped_of_skew,
};
use idlab::theory::disorder;
use rand_chacha::ChaCha8Rng;

const ROWS: usize = 1_000_000;
const BLOCKS: usize = 100;
const MS: u64 = 1_000_000;

/// When, from whom and as what a row comes.
struct Mark {
    latency_ns: u64,
    lead_ns: i64,
    writer: u32,
}

/// Rows minted by a Poisson process at `rate` a second, in the order of minting, with ids in the
/// order of their key times.
fn minted(
    rate: u64,
    rows: usize,
    mut mark: impl FnMut(&mut ChaCha8Rng) -> Mark,
) -> Vec<Seen<u128>> {
    let mut random = random::stream(11, "reader.rows", rate);
    let mut now_ps = 1_000_000_000_000_000u64;
    let mut row = || {
        now_ps += random::exponential(&mut random, 1_000_000_000_000 / rate);
        let minted = Timestamp(now_ps / 1000);
        let mark = mark(&mut random);
        let key_time = Timestamp(minted.0.saturating_add_signed(mark.lead_ns));
        Seen {
            key: u128::from(key_time.0) << 64 | random::bits128(&mut random) >> 64,
            committed: minted.later(mark.latency_ns),
            minted,
            key_time,
            writer: mark.writer,
        }
    };
    (0..rows).map(|_| row()).collect()
}

/// The same in the order of commit.
fn seen(rate: u64, mark: impl FnMut(&mut ChaCha8Rng) -> Mark) -> Vec<Seen<u128>> {
    let mut rows = minted(rate, ROWS, mark);
    rows.sort_by_key(|row| row.committed);
    rows
}

fn exponential(mean_ns: u64) -> impl FnMut(&mut ChaCha8Rng) -> Mark {
    skewed(mean_ns, 0)
}

fn skewed(mean_ns: u64, sd_ns: u64) -> impl FnMut(&mut ChaCha8Rng) -> Mark {
    move |random| Mark {
        latency_ns: random::exponential(random, mean_ns),
        lead_ns: random::normal_ns(random, sd_ns),
        writer: 0,
    }
}

/// A reader's totals, and rows skipped and delays by block.
struct Blocks {
    rows: usize,
    skipped: [f64; BLOCKS],
    delay_s: [f64; BLOCKS],
    read: Read,
}

impl Ledger for Blocks {
    fn read(&mut self, place: u64, committed: Timestamp, at: Timestamp) {
        self.delay_s[place as usize / self.rows] += (at.0 - committed.0) as f64 / 1e9;
        self.read.read(place, committed, at);
    }

    fn skipped(&mut self, place: u64) {
        self.skipped[place as usize / self.rows] += 1.0;
        self.read.skipped(place);
    }

    fn read_twice(&mut self, rows: u64) {
        self.read.read_twice(rows);
    }

    fn stalled(&mut self, ns: u64) {
        self.read.stalled(ns);
    }
}

fn read<K: Key>(kind: &str, poll_ns: u64, seen: &[Seen<K>]) -> Blocks {
    let blocks = Blocks {
        rows: seen.len().div_ceil(BLOCKS),
        skipped: [0.0; BLOCKS],
        delay_s: [0.0; BLOCKS],
        read: Read::default(),
    };
    let polls = Polls::new(Timestamp(0), poll_ns);
    let mut reader = AnyReader::new(kind.parse().unwrap(), polls, None, blocks);
    seen.iter().for_each(|row| reader.see(row));
    let blocks = reader.finish();
    let read = &blocks.read;
    assert_eq!(read.read_rows + read.skipped_rows, seen.len() as u64);
    blocks
}

impl Blocks {
    /// Share skipped and its standard error.
    fn share(&self) -> (f64, f64) {
        mean(&self.skipped.map(|skipped| skipped / self.rows as f64))
    }
}

/// Mean and its standard error.
fn mean(values: &[f64]) -> (f64, f64) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares = values.iter().map(|one| (one - mean).powi(2)).sum::<f64>();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

#[track_caller]
fn close((found, error): (f64, f64), expected: f64) {
    let away = (found - expected).abs();
    println!("{expected:.6} {found:.6} ± {error:.6}: {:.2}", away / error);
    assert!(
        away <= 5.5 * error,
        "expected {expected}, found {found} ± {error}"
    );
}

/// The same rows as those of a central counter that begins at 1.
fn counted(mut rows: Vec<Seen<u128>>) -> Vec<Seen<u64>> {
    rows.sort_by_key(|row| row.minted);
    let row = |(number, row): (u64, Seen<u128>)| Seen {
        key: number,
        committed: row.committed,
        minted: row.minted,
        key_time: row.key_time,
        writer: row.writer,
    };
    let mut rows: Vec<_> = (1..).zip(rows).map(row).collect();
    rows.sort_by_key(|row| row.committed);
    rows
}

#[test]
fn cursors_lags_and_overlaps_lose_what_the_sample_of_latencies_says() {
    for (rate, mean_ms, sd_ms) in [(1000, 10, 2), (50, 20, 5)] {
        let seen = seen(rate, skewed(mean_ms * MS, sd_ms * MS));
        let latency = |row: &Seen<u128>| (row.committed.0 as f64 - row.key_time.0 as f64) / 1e9;
        let latencies = Latencies::new(seen.iter().map(latency).collect()).unwrap();
        let rate = rate as f64;
        for poll_ms in [0, 7, 200] {
            let (poll_ns, poll_s) = (poll_ms * MS, poll_ms as f64 / 1e3);
            let share = |kind: &str| read(kind, poll_ns, &seen).share();
            close(share("cursor"), latencies.skipped(rate, poll_s));
            let lag = latencies.skipped_behind_lag(rate, poll_s, 0.03);
            close(share("cursor:30ms"), lag);
            let overlap = latencies.skipped_by_overlap(rate, poll_s, 0.03);
            close(share("overlap:30ms"), overlap);
            // Ids are in the order of their times: pairs say nothing new.
            assert_eq!(share("tuple:30ms"), share("cursor:30ms"));
            assert_eq!(read("xmin", poll_ns, &seen).read.skipped_rows, 0);
        }
    }
}

#[test]
fn restless_cursors_lose_what_series_and_integral_say() {
    for (rate, mean_ns) in [(1000, MS), (1000, 10 * MS), (20_000, 2 * MS)] {
        let seen = seen(rate, exponential(mean_ns));
        let in_flight = rate as f64 * mean_ns as f64 / 1e9;
        close(
            read("cursor", 0, &seen).share(),
            skipped_of_exponential(in_flight),
        );
    }
    let seen = seen(1000, skewed(0, 5 * MS));
    close(read("cursor", 0, &seen).share(), skipped_of_skew(5.0));
}

/// Twenty writers of constant clock offset: each loses its own share, the fastest none; a
/// cursor a writer loses nothing.
#[test]
fn offsets_cost_what_the_sum_over_writers_says() {
    let mut random = random::stream(5, "reader.offset", 0);
    let leads: Vec<i64> = (0..20)
        .map(|_| random::normal_ns(&mut random, 5 * MS))
        .collect();
    let seen = seen(1000, |random| {
        let writer = random::below(random, 20);
        Mark {
            latency_ns: 0,
            lead_ns: leads[writer as usize],
            writer,
        }
    });
    let rates: Vec<(f64, f64)> = leads
        .iter()
        .map(|lead| (*lead as f64 / 1e9, 50.0))
        .collect();
    let shares = skipped_by_offsets(&rates);
    let expected = shares.iter().sum::<f64>() / 20.0;
    close(read("cursor", 0, &seen).share(), expected);
    assert_eq!(read("vector", 0, &seen).read.skipped_rows, 0);
    let fastest = (0..20)
        .max_by_key(|&writer| leads[writer as usize])
        .unwrap();
    assert_eq!(shares[fastest as usize], 0.0);
}

#[test]
fn gaps_given_up_lose_what_the_tail_says() {
    let seen = counted(seen(100, exponential(20 * MS)));
    for timeout_ms in [0, 40, 100] {
        let found = read(&format!("gap:{timeout_ms}ms"), 0, &seen).share();
        close(found, skipped_at_gaps(100.0, 0.02, timeout_ms as f64 / 1e3));
    }
}

/// One number in a hundred never comes: the reader waits for each.
#[test]
fn aborted_rows_stall_a_gap_reader_as_long_as_the_form_says() {
    let rows = counted(minted(100, ROWS, exponential(0)));
    let mut random = random::stream(5, "reader.abort", 0);
    let mut shares = Vec::new();
    for run in rows.chunks_exact(ROWS / BLOCKS) {
        let first = run[0].key;
        let kept = run.iter().filter(|_| random::below(&mut random, 100) > 0);
        let kept = kept.map(|row| Seen {
            key: row.key - first + 1,
            ..*row
        });
        let kept: Vec<_> = kept.collect();
        let found = read("gap:300ms", 0, &kept).read;
        assert_eq!(found.skipped_rows, 0);
        // The first wait is awaited for so long at most.
        let length_ns = kept[kept.len() - 1].committed.0 - kept[0].committed.0;
        shares.push(found.stalled_ns as f64 / length_ns as f64);
    }
    close(mean(&shares), cursor::stalled_at_gaps(100.0, 0.01, 0.3));
}

#[test]
fn rows_wait_for_older_transactions_as_long_as_the_harmonic_sum_says() {
    for (rate, mean_ns) in [(50, 20 * MS), (1000, 20 * MS)] {
        let seen = seen(rate, exponential(mean_ns));
        let found = read("xmin", 0, &seen);
        let (mean_s, in_flight) = (mean_ns as f64 / 1e9, rate as f64 * mean_ns as f64 / 1e9);
        let delays = found.delay_s.map(|delay| delay / found.rows as f64);
        close(mean(&delays), cursor::horizon_delay_s(mean_s, in_flight));
    }
}

/// Each poll returns the newest row and the window before it: 1 + λW rows. A hundredth is ten
/// standard errors.
#[test]
fn an_overlap_costs_its_window_each_poll() {
    let seen = seen(1000, exponential(0));
    let found = read("overlap:100ms", 50 * MS, &seen).read;
    let length_ns = seen[ROWS - 1].committed.0 - seen[0].committed.0;
    let per_poll = found.read_twice_rows as f64 / (length_ns as f64 / (50 * MS) as f64);
    assert!((per_poll / 101.0 - 1.0).abs() < 0.01, "{per_poll}");
    assert_eq!(found.skipped_rows, 0);
}

/// Blocks of numbers: the form is an approximation, a hundredth off.
#[test]
fn blocks_cost_all_but_one_writer_all_but_one_row() {
    for (writers, block) in [(4u32, 50u32), (16, 50), (4, 1000)] {
        let mut rows = minted(1000, ROWS, |random| Mark {
            latency_ns: 0,
            lead_ns: 0,
            writer: random::below(random, writers),
        });
        let mut blocks = vec![(0u128, 0); writers as usize];
        let mut next = 0;
        for row in &mut rows {
            let (number, left) = &mut blocks[row.writer as usize];
            if *left == 0 {
                (*number, *left) = (next, block);
                next += u128::from(block);
            }
            row.key = *number;
            *number += 1;
            *left -= 1;
        }
        let (found, error) = read("cursor", 0, &rows).share();
        let expected = skipped_in_blocks(writers.into(), block.into());
        println!("{expected:.4} {found:.4} ± {error:.4}");
        assert!((found - expected).abs() < 0.01 * expected + 5.5 * error);
        assert_eq!(read("vector", 0, &rows).read.skipped_rows, 0);
        assert_eq!(smallest_lossless_lag(&rows, Timestamp(0), 0), None);
    }
}

#[test]
fn the_smallest_lossless_lag_is_smallest() {
    let seen = seen(1000, skewed(10 * MS, 2 * MS));
    for poll_ns in [0, 200 * MS] {
        let polls = Polls::new(Timestamp(0), poll_ns);
        let lag_ns = smallest_lossless_lag(&seen, Timestamp(0), poll_ns).unwrap();
        let lost = |lag_ns| {
            ReaderKind::Cursor { lag_ns }
                .read(polls, None, &seen)
                .skipped_rows
        };
        assert_eq!(lost(lag_ns), 0);
        assert!(lost(lag_ns - 1) > 0);
        let latency = |row: &Seen<u128>| row.committed.0.saturating_sub(row.key_time.0);
        assert!(lag_ns <= seen.iter().map(latency).max().unwrap());
    }
}

#[test]
fn disorder_is_what_the_forms_say() {
    let seen = seen(1000, skewed(0, 5 * MS));
    let block = |rows: &[Seen<u128>]| order(rows).inversions as f64 / rows.len() as f64;
    // Pairs across the ends of blocks are few: a block has 10 000 rows.
    let blocks: Vec<f64> = seen.chunks_exact(ROWS / BLOCKS).map(block).collect();
    close(
        (block(&seen), mean(&blocks).1),
        disorder::inversions_of_skew(5.0),
    );
    let descents = |rows: &[Seen<u128>]| {
        let pairs = rows.windows(2).filter(|pair| pair[0].key > pair[1].key);
        pairs.count() as f64 / (rows.len() - 1) as f64
    };
    let blocks: Vec<f64> = seen.chunks_exact(ROWS / BLOCKS).map(descents).collect();
    close(mean(&blocks), disorder::descents_of_skew(5.0));
}
