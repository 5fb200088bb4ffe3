//! LMDB, in a temporary folder: plain puts into the unnamed database, no fsync.

use super::{
    Ids, Live, Loaded, Request, decimals, described, folder, only_primary, put, seconds, unlink,
};
use anyhow::Result;
use heed::types::Bytes;
use heed::{CommitOrAbort, EnvFlags, EnvOpenOptions, PutFlags};
use std::time::Instant;

pub struct Lmdb;

const PAGE_BYTES: u64 = 4096;

impl Live for Lmdb {
    fn version(&mut self) -> Result<String> {
        let version = heed::lmdb_version();
        let (major, minor, patch) = (version.major, version.minor, version.patch);
        Ok(format!("{major}.{minor}.{patch}"))
    }

    fn load(&mut self, request: &Request, progress: &dyn Fn(u64)) -> Result<Loaded> {
        only_primary("lmdb", request)?;
        let mut ids = Ids::of(request)?;
        let (width, payload_bytes) = (ids.width(), u64::from(request.payload_bytes));
        let folder = folder()?;
        // More than any tree takes, for the file is sparse: two pages a row.
        let row_bytes = 2 * (PAGE_BYTES + payload_bytes).next_multiple_of(PAGE_BYTES);
        let map_bytes = request.rows * row_bytes + (1 << 20);
        // SAFETY: no other process knows the folder, so nobody else changes what is
        // mapped; what is lost without fsync is lost with the folder.
        let env = unsafe {
            EnvOpenOptions::new()
                .flags(EnvFlags::NO_SYNC | EnvFlags::WRITE_MAP)
                .map_size(usize::try_from(map_bytes)?)
                .open(folder.path())?
        };
        let created = env.create_databases_and_commit(env.write_txn()?, |opener, transaction| {
            let table = opener.create_database::<Bytes, Bytes>(transaction, None)?;
            Ok::<_, heed::Error>(CommitOrAbort::<_, ()>::Commit(table))
        });
        let table = created?.unwrap_commit();
        unlink(&folder);
        let payload = vec![b'x'; request.payload_bytes as usize];
        let start = Instant::now();
        loop {
            let batch = ids.next(request.rows_per_transaction)?;
            if batch.is_empty() {
                break;
            }
            let mut transaction = env.write_txn()?;
            for id in &batch {
                let flags = PutFlags::NO_OVERWRITE;
                table.put_with_flags(&mut transaction, flags, id.bytes(), &payload)?;
            }
            transaction.commit()?;
            progress(batch.len() as u64);
        }
        let wall = seconds(start);

        let stat = env.unnamed_database_stat();
        let mut tree = described("lmdb", &self.version()?, request, width);
        put(&mut tree, "page_bytes", stat.page_size);
        put(&mut tree, "rows_per_txn", request.rows_per_transaction);
        put(&mut tree, "depth_levels", stat.depth);
        put(&mut tree, "leaf_pages", stat.leaf_pages);
        put(&mut tree, "branch_pages", stat.branch_pages);
        put(&mut tree, "overflow_pages", stat.overflow_pages);
        // A node is 8 bytes, key and value, rounded up to even, and has a 2-byte pointer.
        let entry_bytes = (8 + u64::from(width) + payload_bytes).next_multiple_of(2) + 2;
        let (used, room) = (request.rows * entry_bytes, u64::from(stat.page_size) - 16);
        if stat.overflow_pages == 0 {
            let fill = 100.0 * used as f64 / (stat.leaf_pages as u64 * room) as f64;
            put(&mut tree, "leaf_fill_pct", decimals(fill, 3));
        }
        let mean = request.rows as f64 / stat.leaf_pages as f64;
        put(&mut tree, "leaf_entries_mean", decimals(mean, 3));
        let pages = env.info().last_page_number + 1;
        put(&mut tree, "file_pages_high_water", pages);
        put(&mut tree, "load_wall_s", wall);
        Ok(Loaded {
            trees: vec![tree],
            missing: Vec::new(),
        })
    }
}
