//! `cargo bench --bench predict`: predicting a load against running it, and how the
//! time of a prediction grows with its rows. One thread, the same keys.
//!
//! A prediction is all that `sim btree --cache` does: every measure, and every page
//! through the engine's cache. SQLite keeps no journal and waits for no disk: its
//! time is its own work and the operating system's. Times are medians, on Linux of
//! the time that the thread had the processor for.
//!
//! The growth ends at 10⁷ rows, with `-- --full` at 10⁸.

use idlab::engine::{Engine, EngineOptions, POSTGRES, Profile, SQLITE};
use idlab::id::Column;
use idlab::measure::{Plan, Rows, measure_tree};
use idlab::pool::CachePlan;
use idlab::record::Parameters;
use idlab::reference::Reference;
use idlab::source::{Source, SourceError};
use idlab::store::{Design, Uniqueness};
use rusqlite::Connection;
use std::hint::black_box;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

const PAYLOAD_BYTES: u32 = 100;
const ROWS_PER_TRANSACTION: u64 = 1000;
const SQLITE_CACHE_PAGES: u64 = 500;
const SHARED_BUFFERS_BYTES: u64 = 4 << 20;
const CHECKPOINT_ROWS: u64 = 100_000;
/// How often each is repeated.
const LOADS: usize = 3;
const PREDICTIONS: usize = 11;

/// The time by the thread's own clock where there is one, else by the wall's.
fn now() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let scheduled = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = scheduled.split(' ').next().and_then(|ns| ns.parse().ok());
    ns.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// Keys from memory.
struct Keys<'a>(&'a [u128]);

impl Source<u128> for Keys<'_> {
    fn fill(&mut self, keys: &mut Vec<u128>, rows: usize) -> Result<(), SourceError> {
        let (now, later) = self.0.split_at(rows.min(self.0.len()));
        keys.extend_from_slice(now);
        self.0 = later;
        Ok(())
    }
}

fn profile(engine: &'static Engine, index: &str) -> Profile {
    let index = engine.indexes.iter().find(|other| other.name == index);
    Profile {
        index: index.expect("an index of the engine"),
        ..engine.into()
    }
}

/// Predicts a load of `rows` keys; returns what it took.
fn predict(
    source: &mut dyn Source<u128>,
    rows: u64,
    profile: Profile,
    payload_bytes: u32,
    cache_bytes: Option<u64>,
) -> Duration {
    let start = now();
    let options = EngineOptions {
        payload_bytes,
        ..Default::default()
    };
    let design = Design::new(profile, Column::Uuid, options).expect("the page holds its entries");
    let plan = Plan {
        rows: Some(rows),
        transaction_rows: ROWS_PER_TRANSACTION,
        checkpoint_rows: Some(CHECKPOINT_ROWS),
        cache: cache_bytes.map(CachePlan::new),
        ..Plan::new(design, Uniqueness::Promised)
    };
    let mut found = Rows::new("bench", "keys", profile.engine.name, Parameters::new());
    let run = measure_tree(source, plan, &mut found, &|_| {}).expect("the keys differ");
    assert_eq!(run.rows, rows);
    black_box(found.into_rows());
    now() - start
}

/// Loads a new database of SQLite; returns what it took.
fn load_sqlite(keys: &[u128]) -> rusqlite::Result<Duration> {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let connection = Connection::open(folder.path().join("t.db"))?;
    connection.execute_batch(&format!(
        "pragma page_size = 4096;
         pragma journal_mode = off;
         pragma synchronous = off;
         pragma locking_mode = exclusive;
         pragma cache_size = {SQLITE_CACHE_PAGES};
         create table t (id blob primary key, payload blob) without rowid"
    ))?;
    let payload = vec![b'x'; PAYLOAD_BYTES as usize];
    let mut insert = connection.prepare("insert into t values (?1, ?2)")?;
    let start = now();
    for batch in keys.chunks(ROWS_PER_TRANSACTION as usize) {
        connection.execute_batch("begin")?;
        for key in batch {
            insert.execute((&key.to_be_bytes(), &payload))?;
        }
        connection.execute_batch("commit")?;
    }
    Ok(now() - start)
}

fn median(times: usize, mut work: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..times).map(|_| work()).collect();
    times.sort_unstable();
    times[times.len() / 2]
}

fn ns_an_insert(time: Duration, rows: u64) -> f64 {
    time.as_secs_f64() * 1e9 / rows as f64
}

/// The most memory this process ever held, where the system tells.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<f64> = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
    kib.map_or("unknown".to_owned(), |kib| {
        format!("{:.2} GiB", kib / f64::from(1 << 20))
    })
}

fn main() {
    let asked = |flag: &str| std::env::args().any(|arg| arg == flag);
    let quick = asked("--quick") || asked("--test");
    growth(match (quick, asked("--full")) {
        (true, _) => 1_000_000,
        (_, false) => 10_000_000,
        (_, true) => 100_000_000,
    });
    for stream in ["uuid4", "uuid7_r10000"] {
        compare(stream, if quick { 20_000 } else { 1_000_000 });
    }
}

/// Predicts loads of PostgreSQL of up to `most` rows, each ten times the one before.
fn growth(most: u64) {
    let mut first = None;
    // The clock of the processor's time is too coarse for fewer.
    for rows in [most / 100, most / 10, most]
        .into_iter()
        .filter(|&rows| rows >= 100_000)
    {
        let time = median(if rows < 10_000_000 { 5 } else { 1 }, || {
            let mut source = Reference::new("uuid4", 1).expect("a reference stream");
            predict(&mut source, rows, (&POSTGRES).into(), 0, None)
        });
        let ns = ns_an_insert(time, rows);
        println!(
            "uuid4, PostgreSQL, {rows:>9} rows: {ns:.1} ns an insert ({:.2} of the first), {:.1} s, peak memory {}",
            ns / *first.get_or_insert(ns),
            time.as_secs_f64(),
            peak_memory()
        );
    }
}

/// Predicts a load of SQLite and runs it; predicts the same rows in PostgreSQL.
fn compare(stream: &str, rows: u64) {
    let mut keys = Vec::new();
    let mut source = Reference::new(stream, 1).expect("a reference stream");
    source
        .fill(&mut keys, rows as usize)
        .expect("a reference stream has no end");
    let predicted = |profile, payload_bytes, cache_bytes| {
        median(PREDICTIONS, || {
            let source = &mut Keys(&keys);
            predict(source, rows, profile, payload_bytes, Some(cache_bytes))
        })
    };
    let sqlite = profile(&SQLITE, "without_rowid");
    let ours = predicted(sqlite, PAYLOAD_BYTES, SQLITE_CACHE_PAGES * 4096);
    let postgres = predicted(Profile::from(&POSTGRES), 0, SHARED_BUFFERS_BYTES);
    let theirs = median(LOADS, || load_sqlite(&keys).expect("a load of SQLite"));
    println!(
        "{stream:12} {rows} rows: SQLite predicted {:.1} ns an insert, loaded {:.1} ns: ratio {:.1}; PostgreSQL predicted {:.1} ns",
        ns_an_insert(ours, rows),
        ns_an_insert(theirs, rows),
        theirs.as_secs_f64() / ours.as_secs_f64(),
        ns_an_insert(postgres, rows),
    );
}
