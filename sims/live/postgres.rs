//! PostgreSQL: `COPY` into a table of schema `idlab`, which is made and dropped here.

use super::server::{MARKER, Server, one_line};
use super::{Ids, Live, Loaded, Request, Tree, decimals, described, put, seconds};
use crate::args::usage;
use anyhow::{Context, Result, anyhow, bail};
use idlab::id::Column;
use postgres::config::Host;
use postgres::error::SqlState;
use postgres::{Client, Config, NoTls};
use std::fmt::{Display, Write as _};
use std::io::Write as _;
use std::time::Instant;

/// Where `scripts/engines.sh up postgres` starts one.
const URL: &str = "postgres://postgres@127.0.0.1:54329/postgres";
/// Asks whether the server speaks TLS; a PostgreSQL server answers with one letter.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];
const EXTENSIONS: [&str; 3] = ["pgstattuple", "pageinspect", "pg_walinspect"];
const PAGE_BYTES: i64 = 8192;

pub struct Postgres {
    client: Client,
    server: Server,
}

impl Postgres {
    pub fn connect(url: Option<&str>, yes_remote: bool) -> Result<Self> {
        let wrong = |error: &dyn Display| usage(format!("the URL of postgres: {error}"));
        let config: Config = url.unwrap_or(URL).parse().map_err(|error| wrong(&error))?;
        let ([Host::Tcp(host)], []) = (config.get_hosts(), config.get_hostaddrs()) else {
            return Err(wrong(&format!("expected one host, such as {URL}")));
        };
        let port = config.get_ports().first().copied().unwrap_or(5432);
        let server = Server::new("postgres", host, port);
        if !matches!(server.reach(yes_remote, &TLS_REQUEST)?, [b'N' | b'S']) {
            return Err(server.foreign());
        }
        let client = config.connect(NoTls);
        let mut client = client.map_err(|error| server.fail(error, "log in"))?;
        let prepare = "set client_min_messages = warning; set application_name = 'idlab'";
        client.batch_execute(prepare)?;
        // A session whose client was interrupted may take a moment to end.
        let alone = "set lock_timeout = '5s'; select pg_advisory_lock(hashtext('idlab'));
             reset lock_timeout";
        if let Err(error) = client.batch_execute(alone) {
            match error.code() {
                Some(&SqlState::LOCK_NOT_AVAILABLE) => {
                    bail!("{server}: another sim is loading there")
                }
                _ => return Err(server.fail(error, "be alone there")),
            }
        }
        Ok(Self { client, server })
    }

    /// Makes schema and table anew, and the extensions that are there to be had.
    fn create(&mut self, key_type: &str) -> Result<()> {
        self.clear()?;
        self.client.batch_execute(&format!(
            "begin;
             create schema idlab;
             comment on schema idlab is '{MARKER}';
             create table idlab.t (id {key_type} primary key, payload text);
             comment on table idlab.t is '{MARKER}';
             commit"
        ))?;
        for extension in EXTENSIONS {
            let create = format!("create extension if not exists {extension} schema idlab");
            // Whoever needs it will say that it is missing.
            let _ = self.client.batch_execute(&create);
        }
        // Without it a checkpoint may remove log records before they are read. It ends
        // with the session.
        let hold = "select pg_create_physical_replication_slot('idlab', true, true)";
        let _ = self.client.batch_execute(hold);
        Ok(())
    }

    /// Drops what a load left. No drop has a `cascade`: it fails as a whole if
    /// anything else is in the schema or depends on it.
    fn clear(&mut self) -> Result<()> {
        self.client.batch_execute(
            "select pg_drop_replication_slot(slot_name) from pg_replication_slots
             where slot_name = 'idlab' and active_pid = pg_backend_pid()",
        )?;
        let schema = "select coalesce(obj_description(oid, 'pg_namespace'), '')
                      from pg_namespace where nspname = 'idlab'";
        let Some(schema) = self.client.query_opt(schema, &[])? else {
            return Ok(());
        };
        let strangers = "select 'idlab.' || relname from pg_class
             where relnamespace = 'idlab'::regnamespace and relkind <> 'i'
               and obj_description(oid, 'pg_class') is distinct from $1 limit 1";
        let stranger = match schema.get::<_, &str>(0) {
            MARKER => self
                .client
                .query_opt(strangers, &[&MARKER])?
                .map(|row| row.get(0)),
            _ => Some("schema idlab".to_owned()),
        };
        if let Some(stranger) = stranger {
            bail!("{stranger} was not made by idlab: nothing was done to it");
        }
        let mut drops = "begin; drop table if exists idlab.t; ".to_owned();
        let ours = "select extname::text from pg_extension
             where extnamespace = 'idlab'::regnamespace and extname = any($1)";
        for row in self.client.query(ours, &[&&EXTENSIONS[..]])? {
            let _ = write!(drops, "drop extension {}; ", row.get::<_, &str>(0));
        }
        drops += "drop schema idlab; commit";
        if let Err(error) = self.client.batch_execute(&drops) {
            self.client.batch_execute("rollback")?;
            bail!("schema idlab cannot be dropped: {}", one_line(error));
        }
        Ok(())
    }

    /// Copies the next `rows` ids in one transaction.
    fn copy(
        &mut self,
        ids: &mut Ids,
        rows: u64,
        payload: &str,
        progress: &dyn Fn(u64),
    ) -> Result<()> {
        const BATCH: u64 = 1000;
        let is_uuid = ids.column == Column::Uuid;
        let mut copy = self.client.copy_in("copy idlab.t from stdin")?;
        let mut left = rows;
        while left > 0 {
            let batch = ids.next(BATCH.min(left))?;
            let mut text = String::new();
            for id in &batch {
                let _ = match id.number() {
                    Some(number) => writeln!(text, "{number}\t{payload}"),
                    None if is_uuid => writeln!(text, "{}\t{payload}", id.hex()),
                    None => writeln!(text, "\\\\x{}\t{payload}", id.hex()),
                };
            }
            copy.write_all(text.as_bytes())?;
            left -= batch.len() as u64;
            progress(batch.len() as u64);
        }
        copy.finish()?;
        Ok(())
    }

    /// Loads the table and measures it; what is created here stays.
    fn run(&mut self, request: &Request, progress: &dyn Fn(u64)) -> Result<Loaded> {
        let mut ids = Ids::of(request)?;
        let key_type = match ids.column {
            Column::Bigint => "bigint",
            Column::Uuid => "uuid",
            _ => "bytea",
        };
        self.create(key_type)?;
        let payload = "x".repeat(request.payload_bytes as usize);
        self.client.batch_execute("checkpoint")?;
        let written = self.written_by_backends()?;
        let from = self.log_position()?;
        let start = Instant::now();
        let chunk = request.checkpoint_rows.unwrap_or(request.rows);
        while ids.left > 0 {
            let rows = chunk.clamp(1, ids.left);
            self.copy(&mut ids, rows, &payload, progress)?;
            if request.checkpoint_rows.is_some() {
                self.client.batch_execute("checkpoint")?;
            }
        }
        let wall = seconds(start);
        let to = self.log_position()?;

        let mut tree = described("postgresql", &self.version()?, request, ids.width());
        put(&mut tree, "key_type", key_type);
        put(&mut tree, "page_bytes", PAGE_BYTES);
        let buffers = "select setting::int8 / 128 from pg_settings where name = 'shared_buffers'";
        let mebibytes: i64 = self.client.query_one(buffers, &[])?.get(0);
        put(&mut tree, "shared_buffers_mib", mebibytes);
        let connections = "select current_setting('max_connections')";
        let connections: String = self.client.query_one(connections, &[])?.get(0);
        put(&mut tree, "max_connections", connections);
        put(&mut tree, "load_method", "copy");
        let checkpoint_rows = request.checkpoint_rows.unwrap_or(0);
        put(&mut tree, "checkpoint_every_rows", checkpoint_rows);
        put(&mut tree, "load_wall_s", wall);
        if let (Some(before), Some(after)) = (written, self.written_by_backends()?) {
            put(&mut tree, "buffers_backend_written", after - before);
        }
        // The accesses first: what measures the rest reads pages too.
        self.accesses(&mut tree, request.rows)?;
        let mut missing = Vec::new();
        let mut attempt = |what: &str, result: Result<()>| {
            if let Err(error) = result {
                missing.push(format!("postgres: no {what}: {}", one_line(error)));
            }
        };
        attempt("sizes of the tree", self.shape(&mut tree));
        attempt("entries a leaf", self.leaf_items(&mut tree));
        attempt("log records", self.log(&mut tree, &from, &to, request.rows));
        Ok(Loaded {
            trees: vec![tree],
            missing,
        })
    }

    /// Where the next log record goes.
    fn log_position(&mut self) -> Result<String> {
        let position = "select pg_current_wal_insert_lsn()::text";
        Ok(self.client.query_one(position, &[])?.get(0))
    }

    /// Dirty buffers that backends wrote themselves; not counted since release 17.
    fn written_by_backends(&mut self) -> Result<Option<i64>> {
        // Without it a session reports what it has done only every second.
        self.client
            .batch_execute("select pg_stat_force_next_flush()")?;
        let counted = "select 1 from pg_attribute
             where attrelid = 'pg_stat_bgwriter'::regclass and attname = 'buffers_backend'";
        if self.client.query_opt(counted, &[])?.is_none() {
            return Ok(None);
        }
        let written = "select buffers_backend from pg_stat_bgwriter";
        Ok(Some(self.client.query_one(written, &[])?.get(0)))
    }

    /// Buffer reads and hits.
    fn accesses(&mut self, tree: &mut Tree, rows: u64) -> Result<()> {
        let counts = "select i.idx_blks_read, i.idx_blks_hit, t.heap_blks_read, t.heap_blks_hit,
                 pg_relation_size('idlab.t_pkey'), pg_relation_size('idlab.t'),
                 current_setting('server_version_num')::int < 160000
             from pg_statio_user_indexes i join pg_statio_user_tables t using (relid)
             where relid = 'idlab.t'::regclass";
        let row = self.client.query_one(counts, &[])?;
        let [read, hit, heap_read, heap_hit, bytes, heap_bytes] =
            [0, 1, 2, 3, 4, 5].map(|column| row.get::<_, i64>(column));
        // Before release 16 a page that is added counts as a read.
        let new_pages = match row.get(6) {
            true => bytes / PAGE_BYTES,
            false => 0,
        };
        let misses = read - new_pages;
        put(tree, "idx_blks_read", read);
        put(tree, "idx_blks_hit", hit);
        put(tree, "heap_blks_read", heap_read);
        put(tree, "heap_blks_hit", heap_hit);
        put(tree, "heap_bytes", heap_bytes);
        put(tree, "idx_misses_excl_new_pages", misses);
        let per_insert = |count: i64| count as f64 / rows as f64;
        put(
            tree,
            "idx_misses_per_insert",
            decimals(per_insert(misses), 6),
        );
        let accesses = decimals(per_insert(read + hit), 4);
        put(tree, "idx_accesses_per_insert", accesses);
        Ok(())
    }

    /// A function of an extension, with its schema.
    fn function(&mut self, extension: &str, function: &str) -> Result<String> {
        let schema = "select quote_ident(nspname) from pg_extension e, pg_namespace n
             where extname = $1 and extnamespace = n.oid";
        let row = self.client.query_opt(schema, &[&extension])?;
        let row = row.with_context(|| format!("the extension {extension} is missing"))?;
        Ok(format!("{}.{function}", row.get::<_, &str>(0)))
    }

    /// What `pgstatindex` says.
    fn shape(&mut self, tree: &mut Tree) -> Result<()> {
        let pgstatindex = self.function("pgstattuple", "pgstatindex")?;
        let shape = format!(
            "select tree_level::int8, leaf_pages, internal_pages, index_size,
                 avg_leaf_density, leaf_fragmentation from {pgstatindex}('idlab.t_pkey')"
        );
        let row = self.client.query_one(&shape, &[])?;
        let columns = ["tree_level", "leaf_pages", "internal_pages", "index_bytes"];
        for (i, column) in columns.into_iter().enumerate() {
            put(tree, column, row.get::<_, i64>(i));
        }
        put(tree, "avg_leaf_density_pct", row.get::<_, f64>(4));
        put(tree, "leaf_fragmentation_pct", row.get::<_, f64>(5));
        Ok(())
    }

    /// Entries of a leaf without its high key, which all but the last have.
    fn leaf_items(&mut self, tree: &mut Tree) -> Result<()> {
        let page_stats = self.function("pageinspect", "bt_page_stats")?;
        let items = format!(
            "select percentile_disc(array[0.05, 0.5, 0.95]) within group (order by items), avg(items)::float8
             from (select live_items - (btpo_next <> 0)::int as items
                   from generate_series(1, pg_relation_size('idlab.t_pkey') / {PAGE_BYTES} - 1) as block,
                        {page_stats}('idlab.t_pkey', block)
                   where type = 'l') as leaves"
        );
        let row = self.client.query_one(&items, &[])?;
        let columns = ["leaf_items_p05", "leaf_items_p50", "leaf_items_p95"];
        for (column, value) in columns.into_iter().zip(row.get::<_, Vec<i32>>(0)) {
            put(tree, column, value);
        }
        put(tree, "leaf_items_mean", decimals(row.get(1), 3));
        Ok(())
    }

    /// Records of the write-ahead log from one position to another.
    fn log(&mut self, tree: &mut Tree, from: &str, to: &str, rows: u64) -> Result<()> {
        let stats = self.function("pg_walinspect", "pg_get_wal_stats")?;
        let stats = format!(
            "select \"resource_manager/record_type\", count::int8, record_size::int8, fpi_size::int8
             from {stats}('{from}', '{to}', true)"
        );
        let distance = format!("select ('{to}'::pg_lsn - '{from}'::pg_lsn)::int8");
        let distance: i64 = self.client.query_one(&distance, &[])?.get(0);
        let mut counts = [
            ("Btree/INSERT_LEAF", "wal_insert_leaf", 0),
            ("Btree/INSERT_UPPER", "wal_insert_upper", 0),
            ("Btree/SPLIT_L", "wal_split_l", 0),
            ("Btree/SPLIT_R", "wal_split_r", 0),
            ("Btree/NEWROOT", "wal_newroot", 0),
        ];
        // Bytes of btree, heap and other records: without full-page images, and of them.
        let mut bytes = [[0; 2]; 3];
        for row in self.client.query(&stats, &[])? {
            let name: &str = row.get(0);
            let [count, record, image] = [1, 2, 3].map(|column| row.get::<_, i64>(column));
            if let Some(found) = counts.iter_mut().find(|(record, ..)| *record == name) {
                found.2 += count;
            }
            let whose = match name.split('/').next() {
                Some("Btree") => 0,
                Some("Heap" | "Heap2") => 1,
                _ => 2,
            };
            bytes[whose][0] += record;
            bytes[whose][1] += image;
        }
        for (_, column, count) in counts {
            put(tree, column, count);
        }
        let splits = 1000.0 * (counts[2].2 + counts[3].2) as f64 / rows as f64;
        put(tree, "splits_per_1000_inserts", decimals(splits, 3));
        put(tree, "wal_btree_record_bytes", bytes[0][0]);
        put(tree, "wal_btree_fpi_bytes", bytes[0][1]);
        put(tree, "wal_heap_record_bytes", bytes[1][0]);
        put(tree, "wal_heap_fpi_bytes", bytes[1][1]);
        put(tree, "wal_other_bytes", bytes[2][0] + bytes[2][1]);
        put(tree, "wal_total_lsn_bytes", distance);
        Ok(())
    }
}

impl Live for Postgres {
    fn version(&mut self) -> Result<String> {
        let version = "select split_part(current_setting('server_version'), ' ', 1)";
        Ok(self.client.query_one(version, &[])?.get(0))
    }

    fn load(&mut self, request: &Request, progress: &dyn Fn(u64)) -> Result<Loaded> {
        let loaded = self.run(request, progress);
        let cleared = self.clear();
        loaded
            .and_then(|loaded| cleared.map(|()| loaded))
            .map_err(|error| anyhow!("{}: {}", self.server, one_line(error)))
    }
}
