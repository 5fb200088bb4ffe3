//! SQLite, in a temporary file: no journal, no fsync, exclusive locking.

use super::{
    Ids, Live, Loaded, Request, Table, Tree, apart_percent, decimals, described, folder,
    percentiles, put, seconds, unlink,
};
use anyhow::{Context, Result};
use rusqlite::{Connection, ffi};
use std::time::Instant;

pub struct Sqlite;

/// The counters of a connection's cache, by column: SQLITE_DBSTATUS_CACHE_*.
const COUNTERS: [(&str, i32); 4] = [
    ("conn_cache_hit", ffi::SQLITE_DBSTATUS_CACHE_HIT),
    ("conn_cache_miss", ffi::SQLITE_DBSTATUS_CACHE_MISS),
    ("conn_cache_write", ffi::SQLITE_DBSTATUS_CACHE_WRITE),
    ("conn_cache_spill", ffi::SQLITE_DBSTATUS_CACHE_SPILL),
];

impl Live for Sqlite {
    fn version(&mut self) -> Result<String> {
        Ok(rusqlite::version().to_owned())
    }

    fn load(&mut self, request: &Request, progress: &dyn Fn(u64)) -> Result<Loaded> {
        let mut ids = Ids::of(request)?;
        let width = ids.width();
        let (mode, key_type) = match (request.table, width) {
            (Table::Primary, 8) => ("ipk", "integer"),
            (Table::Primary, _) => ("wr", "blob"),
            (Table::Indexed, 8) => ("uidx", "integer"),
            (Table::Indexed, _) => ("uidx", "blob"),
        };
        let folder = folder()?;
        let connection = Connection::open(folder.path().join("t.db"))?;
        connection.execute_batch(&format!(
            "pragma page_size = {};
             pragma journal_mode = off;
             pragma synchronous = off;
             pragma locking_mode = exclusive;
             pragma cache_size = {};",
            request.page_bytes, request.cache_pages
        ))?;
        connection.execute_batch(match (mode, width) {
            ("ipk", _) => "create table t (id integer primary key, payload blob)",
            ("wr", _) => "create table t (id blob primary key, payload blob) without rowid",
            (_, 8) => "create table t (id int, payload blob); create unique index ti on t (id)",
            _ => "create table t (id blob, payload blob); create unique index ti on t (id)",
        })?;
        unlink(&folder);
        let payload = vec![b'x'; request.payload_bytes as usize];
        let mut insert = connection.prepare("insert into t values (?1, ?2)")?;
        let _before = take_counts(&connection);
        let start = Instant::now();
        loop {
            let batch = ids.next(request.rows_per_transaction)?;
            if batch.is_empty() {
                break;
            }
            connection.execute_batch("begin")?;
            for id in &batch {
                match id.number() {
                    Some(number) => insert.execute((number.cast_signed(), &payload))?,
                    None => insert.execute((id.bytes(), &payload))?,
                };
            }
            connection.execute_batch("commit")?;
            progress(batch.len() as u64);
        }
        let wall = seconds(start);
        let counts = take_counts(&connection);
        drop(insert);
        connection.execute_batch("pragma cache_size = 20000")?;

        let mut common = described("sqlite", &self.version()?, request, width);
        put(&mut common, "key_type", key_type);
        put(&mut common, "page_bytes", pragma(&connection, "page_size")?);
        put(&mut common, "cache_pages", request.cache_pages);
        put(&mut common, "rows_per_txn", request.rows_per_transaction);
        put(&mut common, "journal_mode", "OFF");
        put(&mut common, "table_mode", mode);
        put(&mut common, "db_pages", pragma(&connection, "page_count")?);
        let free = pragma(&connection, "freelist_count")?;
        put(&mut common, "freelist_pages", free);
        for ((column, _), count) in COUNTERS.iter().zip(counts) {
            put(&mut common, column, count);
        }
        let per_insert = |count: i64| count as f64 / request.rows as f64;
        let [hits, misses, writes, _] = counts.map(per_insert);
        put(&mut common, "misses_per_insert", decimals(misses, 6));
        put(&mut common, "writes_per_insert", decimals(writes, 6));
        let accesses = decimals(hits + misses, 4);
        put(&mut common, "accesses_per_insert", accesses);
        put(&mut common, "load_wall_s", wall);

        let trees: &[_] = match mode {
            "ipk" => &[("t", "rowid_table")],
            "wr" => &[("t", "without_rowid_table")],
            _ => &[("t", "rowid_table"), ("ti", "unique_index")],
        };
        let trees = trees.iter().map(|&(name, btree)| {
            let mut tree = common.clone();
            put(&mut tree, "btree", btree);
            measure(&connection, name, request.page_bytes, &mut tree)?;
            Ok(tree)
        });
        Ok(Loaded {
            trees: trees.collect::<Result<_>>()?,
            missing: Vec::new(),
        })
    }
}

/// Reads a tree's pages in the order of `dbstat`.
fn measure(connection: &Connection, name: &str, page_bytes: u32, tree: &mut Tree) -> Result<()> {
    let mut pages = connection
        .prepare(
            "select pagetype = 'leaf', pageno, ncell, unused, path
             from dbstat where name = ?1 and pagetype <> 'overflow'",
        )
        .context("dbstat")?;
    let mut pages = pages.query([name])?;
    let (mut cells, mut numbers) = (Vec::new(), Vec::new());
    let (mut internal_pages, mut depth) = (0, 0);
    let mut unused = [0u64; 2];
    while let Some(page) = pages.next()? {
        let is_leaf: bool = page.get(0)?;
        let path: String = page.get(4)?;
        depth = depth.max(path.matches('/').count());
        unused[usize::from(is_leaf)] += u64::from(page.get::<_, u32>(3)?);
        if is_leaf {
            numbers.push(u64::from(page.get::<_, u32>(1)?));
            cells.push(u64::from(page.get::<_, u32>(2)?));
        } else {
            internal_pages += 1;
        }
    }
    let leaf_pages = numbers.len() as u64;
    let fill = |unused: u64, pages: u64| match pages {
        0 => 0.0,
        _ => 100.0 * (1.0 - unused as f64 / (pages * u64::from(page_bytes)) as f64),
    };
    put(tree, "depth_levels", depth);
    put(tree, "leaf_pages", leaf_pages);
    put(tree, "internal_pages", internal_pages);
    let [internal_fill, leaf_fill] = [fill(unused[0], internal_pages), fill(unused[1], leaf_pages)];
    put(tree, "leaf_fill_pct", decimals(leaf_fill, 3));
    put(tree, "internal_fill_pct", decimals(internal_fill, 3));
    let mean = cells.iter().sum::<u64>() as f64 / leaf_pages as f64;
    let [p05, p50, p95] = percentiles(&mut cells);
    put(tree, "leaf_cells_p05", p05);
    put(tree, "leaf_cells_p50", p50);
    put(tree, "leaf_cells_p95", p95);
    put(tree, "leaf_cells_mean", decimals(mean, 3));
    let apart = decimals(apart_percent(&numbers), 3);
    put(tree, "leaf_noncontiguous_pct", apart);
    Ok(())
}

fn pragma(connection: &Connection, name: &str) -> Result<i64> {
    Ok(connection.pragma_query_value(None, name, |row| row.get(0))?)
}

/// The counters of the connection, which start again at 0.
fn take_counts(connection: &Connection) -> [i64; 4] {
    COUNTERS.map(|(_, counter)| {
        let (mut value, mut highest) = (0, 0);
        // SAFETY: the handle is that of an open connection, and both pointers are to locals.
        unsafe {
            ffi::sqlite3_db_status(connection.handle(), counter, &mut value, &mut highest, 1);
        }
        i64::from(value)
    })
}
