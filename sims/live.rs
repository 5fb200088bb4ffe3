//! Real engines: they load the keys that a model gets, and say what they made of them.

mod lmdb;
#[cfg(feature = "servers")]
mod mariadb;
#[cfg(feature = "servers")]
mod postgres;
mod redb;
#[cfg(feature = "servers")]
mod server;
mod sqlite;
#[cfg(test)]
mod tests;

use crate::args::usage;
use anyhow::{Context, Result, bail};
use idlab::id::{Column, Key};
use idlab::reference::Reference;
use idlab::source::{AnySource, Source, Stream};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::time::Instant;
use tempfile::TempDir;

/// The engines that can be loaded.
pub const ENGINES: [&str; 5] = ["sqlite", "redb", "lmdb", "postgres", "mariadb"];

/// A load: a stream into a fresh table, in its order, by one connection.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// Name of a reference stream.
    pub stream: &'a str,
    pub seed: u64,
    pub rows: u64,
    pub payload_bytes: u32,
    pub table: Table,
    /// PostgreSQL loads all rows in one transaction, or those between two checkpoints.
    pub rows_per_transaction: u64,
    /// SQLite's page size; the other engines have theirs.
    pub page_bytes: u32,
    /// SQLite's cache; the servers have theirs.
    pub cache_pages: u64,
    /// PostgreSQL: rows from one checkpoint to the next.
    #[cfg_attr(not(feature = "servers"), allow(dead_code))]
    pub checkpoint_rows: Option<u64>,
}

impl<'a> Request<'a> {
    /// The load that most recorded rows are of.
    pub fn new(stream: &'a str, rows: u64) -> Self {
        Self {
            stream,
            seed: 1,
            rows,
            payload_bytes: 100,
            table: Table::Primary,
            rows_per_transaction: 1000,
            page_bytes: 4096,
            cache_pages: 500,
            checkpoint_rows: None,
        }
    }
}

/// Where the ids are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Table {
    /// In the primary key. SQLite keeps 8-byte ids as rowids and others `WITHOUT ROWID`.
    Primary,
    /// In a unique index beside a primary key that counts rows; the table is one more tree.
    Indexed,
}

/// What was measured of one tree, by column of results/reference/`<engine>`.csv.
pub type Tree = BTreeMap<&'static str, String>;

/// A finished load.
#[derive(Debug, Default)]
pub struct Loaded {
    /// One tree, or the table and then its index.
    pub trees: Vec<Tree>,
    /// What could not be measured, one line each.
    pub missing: Vec<String>,
}

/// An engine that is ready.
pub trait Live {
    /// The version, as the recorded rows have it.
    fn version(&mut self) -> Result<String>;

    /// Loads into a fresh table, measures it and drops it. `progress` is told how many
    /// rows more have been inserted.
    fn load(&mut self, request: &Request, progress: &dyn Fn(u64)) -> Result<Loaded>;
}

/// The engine `name`; a server is at `url`, or on this machine where
/// `scripts/engines.sh up` starts it. Another machine needs `yes_remote`.
pub fn connect(name: &str, url: Option<&str>, yes_remote: bool) -> Result<Box<dyn Live>> {
    if matches!(name, "sqlite" | "redb" | "lmdb") && url.is_some() {
        return Err(usage(format!("{name} runs inside this program, at no URL")));
    }
    match name {
        "sqlite" => Ok(Box::new(sqlite::Sqlite)),
        "redb" => Ok(Box::new(redb::Redb)),
        "lmdb" => Ok(Box::new(lmdb::Lmdb)),
        #[cfg(feature = "servers")]
        "postgres" => Ok(Box::new(postgres::Postgres::connect(url, yes_remote)?)),
        #[cfg(feature = "servers")]
        "mariadb" => Ok(Box::new(mariadb::MariaDb::connect(url, yes_remote)?)),
        #[cfg(not(feature = "servers"))]
        "postgres" | "mariadb" => {
            let _ = yes_remote;
            Err(usage(format!(
                "{name}: this program was built without clients of servers: cargo run --release --features servers --bin sim -- ..."
            )))
        }
        _ => Err(usage(format!(
            "{name}: cannot be loaded, expected one of {}",
            ENGINES.join(", ")
        ))),
    }
}

/// An id as engines get it: 8, 16 or 20 bytes, big-endian.
#[derive(Clone, Copy)]
struct Id {
    bytes: [u8; 20],
    width: usize,
}

impl Id {
    fn new<K: Key>(key: K) -> Self {
        let mut bytes = [0; 20];
        for (i, byte) in bytes.iter_mut().take(K::BYTES as usize).enumerate() {
            *byte = key.field(8 * (K::BYTES - 1 - i as u32), 8) as u8;
        }
        let width = K::BYTES as usize;
        Self { bytes, width }
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.width]
    }

    /// The number, if the id is 8 bytes.
    fn number(&self) -> Option<u64> {
        Some(u64::from_be_bytes(self.bytes().try_into().ok()?))
    }

    /// Hexadecimal digits of the bytes.
    #[cfg(feature = "servers")]
    fn hex(&self) -> String {
        let digits = self.bytes().iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    }
}

/// The ids of a request, in their order.
struct Ids {
    keys: AnySource,
    column: Column,
    left: u64,
}

impl Ids {
    fn of(request: &Request) -> Result<Self> {
        if request.rows == 0 {
            bail!("a load has at least one row");
        }
        let stream = Stream::from(Reference::new(request.stream, request.seed)?);
        Ok(Self {
            keys: stream.keys,
            column: stream.column,
            left: request.rows,
        })
    }

    /// Bytes of an id.
    fn width(&self) -> u32 {
        self.column.value_bytes()
    }

    /// The next `rows` ids: fewer at the end, none after it.
    fn next(&mut self, rows: u64) -> Result<Vec<Id>> {
        fn fill<K: Key>(source: &mut dyn Source<K>, rows: usize) -> Result<Vec<Id>> {
            let mut keys = Vec::with_capacity(rows);
            source.fill(&mut keys, rows)?;
            if keys.len() < rows {
                bail!("the stream has ended");
            }
            Ok(keys.into_iter().map(Id::new).collect())
        }
        let rows = rows.max(1).min(self.left);
        self.left -= rows;
        let rows = rows as usize;
        match &mut self.keys {
            AnySource::Bytes8(source) => fill(&mut **source, rows),
            AnySource::Bytes16(source) => fill(&mut **source, rows),
            AnySource::Bytes20(source) => fill(&mut **source, rows),
        }
    }
}

/// A temporary folder for an engine's files.
fn folder() -> Result<TempDir> {
    tempfile::tempdir().context("the temporary folder")
}

/// Takes the names of open files away, so that even an interrupt leaves nothing behind.
/// Where names cannot go before files are closed, `folder` removes all at its end.
fn unlink(folder: &TempDir) {
    let _ = std::fs::remove_dir_all(folder.path());
}

/// Puts a value into a tree's row.
fn put(tree: &mut Tree, column: &'static str, value: impl Display) {
    tree.insert(column, value.to_string());
}

/// `value` with so many decimals.
fn decimals(value: f64, decimals: usize) -> String {
    format!("{value:.decimals$}")
}

/// The columns that say what was loaded.
fn described(engine: &'static str, version: &str, request: &Request, width: u32) -> Tree {
    let mut tree = Tree::new();
    put(&mut tree, "engine", engine);
    put(&mut tree, "version", version);
    put(&mut tree, "stream", request.stream);
    put(&mut tree, "key_bytes", width);
    put(&mut tree, "n_rows", request.rows);
    put(&mut tree, "payload_bytes", request.payload_bytes);
    tree
}

/// Seconds since `start`, as `load_wall_s` has them.
fn seconds(start: Instant) -> String {
    decimals(start.elapsed().as_secs_f64(), 2)
}

/// The least values that at least 5, 50 and 95 % of all do not exceed.
fn percentiles(values: &mut [u64]) -> [u64; 3] {
    values.sort_unstable();
    [5, 50, 95].map(|percent| {
        let rank = (values.len() * percent).div_ceil(100);
        values.get(rank.saturating_sub(1)).copied().unwrap_or(0)
    })
}

/// Percentage of numbers that do not follow the one before.
fn apart_percent(numbers: &[u64]) -> f64 {
    let apart = numbers.windows(2).filter(|pair| pair[1] != pair[0] + 1);
    100.0 * apart.count() as f64 / (numbers.len().max(2) - 1) as f64
}

/// An engine without secondary indexes refuses one.
fn only_primary(engine: &str, request: &Request) -> Result<()> {
    match request.table {
        Table::Primary => Ok(()),
        Table::Indexed => bail!("{engine} has no unique index beside a table"),
    }
}
