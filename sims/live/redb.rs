//! redb, in a temporary file: plain inserts of fixed-width keys and byte strings as
//! values, no fsync until the end.

use super::{
    Id, Ids, Live, Loaded, Request, decimals, described, folder, only_primary, put, seconds, unlink,
};
use anyhow::{Context, Result, bail};
use redb::{Database, Durability, ReadableDatabase, ReadableTableMetadata, TableDefinition};
use std::time::Instant;

pub struct Redb;

/// The release this program is built with: the crate does not tell its own.
fn version() -> Option<&'static str> {
    let lock = include_str!("../../Cargo.lock");
    let (_, package) = lock.split_once("\nname = \"redb\"\nversion = \"")?;
    Some(package.split_once('"')?.0)
}

impl Live for Redb {
    fn version(&mut self) -> Result<String> {
        Ok(version().context("no redb in Cargo.lock")?.to_owned())
    }

    fn load(&mut self, request: &Request, progress: &dyn Fn(u64)) -> Result<Loaded> {
        only_primary("redb", request)?;
        let ids = Ids::of(request)?;
        match ids.width() {
            8 => load::<8>(request, ids, progress),
            16 => load::<16>(request, ids, progress),
            _ => load::<20>(request, ids, progress),
        }
    }
}

fn load<const WIDTH: usize>(
    request: &Request,
    mut ids: Ids,
    progress: &dyn Fn(u64),
) -> Result<Loaded> {
    let table: TableDefinition<&[u8; WIDTH], &[u8]> = TableDefinition::new("t");
    let folder = folder()?;
    let database = Database::create(folder.path().join("t.redb"))?;
    unlink(&folder);
    let payload = vec![b'x'; request.payload_bytes as usize];
    let start = Instant::now();
    loop {
        let batch = ids.next(request.rows_per_transaction)?;
        let end = batch.is_empty();
        let mut transaction = database.begin_write()?;
        if !end {
            transaction.set_durability(Durability::None)?;
        }
        {
            let mut table = transaction.open_table(table)?;
            for id in &batch {
                let key = key::<WIDTH>(id)?;
                if table.insert(key, &payload[..])?.is_some() {
                    bail!("the stream issued an id twice");
                }
            }
        }
        transaction.commit()?;
        progress(batch.len() as u64);
        if end {
            break;
        }
    }
    let wall = seconds(start);

    let stats = database.begin_read()?.open_table(table)?.stats()?;
    let mut tree = described("redb", &Redb.version()?, request, WIDTH as u32);
    put(&mut tree, "page_bytes", 4096);
    put(&mut tree, "rows_per_txn", request.rows_per_transaction);
    put(&mut tree, "tree_height", stats.tree_height());
    put(&mut tree, "leaf_pages", stats.leaf_pages());
    put(&mut tree, "branch_pages", stats.branch_pages());
    put(&mut tree, "stored_bytes", stats.stored_bytes());
    put(&mut tree, "metadata_bytes", stats.metadata_bytes());
    put(&mut tree, "fragmented_bytes", stats.fragmented_bytes());
    let mean = request.rows as f64 / stats.leaf_pages() as f64;
    put(&mut tree, "leaf_entries_mean", decimals(mean, 3));
    put(&mut tree, "load_wall_s", wall);
    Ok(Loaded {
        trees: vec![tree],
        missing: Vec::new(),
    })
}

fn key<const WIDTH: usize>(id: &Id) -> Result<&[u8; WIDTH]> {
    Ok(id.bytes().try_into()?)
}
