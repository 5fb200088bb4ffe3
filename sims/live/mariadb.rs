//! MariaDB's InnoDB: `INSERT` statements into a table of database `idlab`, which is
//! made and dropped here. Trees are measured in the table's file.

use super::server::{MARKER, Server, one_line};
use super::{Ids, Live, Loaded, Request, Table, Tree, decimals, described, put, seconds};
use crate::args::usage;
use anyhow::{Context, Result, anyhow, bail};
use mysql::prelude::Queryable;
use mysql::{Conn, Opts, OptsBuilder};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Instant;

mod ibd;

/// Where `scripts/engines.sh up mariadb` starts one.
const URL: &str = "mariadb://root@127.0.0.1:33069";

/// Counters of the server, by column and by name in `INNODB_METRICS`.
const METRICS: [(&str, &str); 13] = [
    ("index_page_splits", "index_page_splits"),
    ("index_page_merge_attempts", "index_page_merge_attempts"),
    ("index_page_merge_successful", "index_page_merge_successful"),
    ("index_page_reorg_attempts", "index_page_reorg_attempts"),
    ("index_page_reorg_successful", "index_page_reorg_successful"),
    ("buffer_pool_reads", "buffer_pool_reads"),
    ("buffer_pool_read_requests", "buffer_pool_read_requests"),
    ("buffer_pool_read_ahead", "buffer_pool_read_ahead"),
    ("read_index_leaf_pages", "buffer_page_read_index_leaf"),
    (
        "read_index_non_leaf_pages",
        "buffer_page_read_index_non_leaf",
    ),
    ("written_index_leaf_pages", "buffer_page_written_index_leaf"),
    (
        "written_index_non_leaf_pages",
        "buffer_page_written_index_non_leaf",
    ),
    ("buffer_pages_written", "buffer_pages_written"),
];

pub struct MariaDb {
    connection: Conn,
    server: Server,
}

impl MariaDb {
    pub fn connect(url: Option<&str>, yes_remote: bool) -> Result<Self> {
        // The client knows the protocol by its older name only.
        let url = url.unwrap_or(URL).replacen("mariadb://", "mysql://", 1);
        let options = Opts::from_url(&url);
        let options = options.map_err(|error| usage(format!("the URL of mariadb: {error}")))?;
        let host = options.get_ip_or_hostname().into_owned();
        let server = Server::new("mariadb", &host, options.get_tcp_port());
        // A packet begins with 3 bytes of length and its number; a greeting with the
        // version of the protocol, a refusal with 255.
        if !matches!(server.reach(yes_remote, &[])?, [_, _, _, 0, 10 | 255]) {
            return Err(server.foreign());
        }
        let options = OptsBuilder::from_opts(options).prefer_socket(false);
        let connection = Conn::new(options);
        let mut connection = connection.map_err(|error| server.fail(error, "log in"))?;
        let version: Option<String> = connection.query_first("select version()")?;
        if !version.is_some_and(|version| version.contains("MariaDB")) {
            bail!("{server}: MySQL, whose tables of statistics are different, is not supported");
        }
        // A session whose client was interrupted may take a moment to end.
        if connection.query_first("select get_lock('idlab', 5)")? != Some(1) {
            bail!("{server}: another sim is loading there");
        }
        Ok(Self { connection, server })
    }

    /// Drops what a load left, if nothing else is in the database.
    fn clear(&mut self) -> Result<()> {
        let comment =
            "select schema_comment from information_schema.schemata where schema_name = 'idlab'";
        let Some(comment) = self.connection.query_first::<String, _>(comment)? else {
            return Ok(());
        };
        let strangers = "select concat('idlab.', table_name) from information_schema.tables
             where table_schema = 'idlab' and table_comment <> ?
             union select concat('idlab.', routine_name) from information_schema.routines
             where routine_schema = 'idlab'";
        let stranger = match &*comment {
            MARKER => self.connection.exec_first(strangers, (MARKER,))?,
            _ => Some("database idlab".to_owned()),
        };
        if let Some(stranger) = stranger {
            bail!("{stranger} was not made by idlab: nothing was done to it");
        }
        Ok(self.connection.query_drop("drop database idlab")?)
    }

    fn create(&mut self, request: &Request, key_type: &str) -> Result<()> {
        self.clear()?;
        let payload = match request.payload_bytes {
            0 => String::new(),
            bytes => format!(", payload varbinary({}) not null", bytes.max(512)),
        };
        let columns = match request.table {
            Table::Primary => {
                format!("id {key_type} not null primary key{payload}")
            }
            Table::Indexed => format!(
                "pk bigint unsigned auto_increment primary key, id {key_type} not null{payload},
                 unique key k (id)"
            ),
        };
        self.connection
            .query_drop(format!("create database idlab comment '{MARKER}'"))?;
        Ok(self.connection.query_drop(format!(
            "create table idlab.t ({columns}) engine = innodb, row_format = dynamic, comment = '{MARKER}'"
        ))?)
    }

    /// The counters that are switched on.
    fn metrics(&mut self) -> Result<BTreeMap<String, i64>> {
        let counters = "select name, count from information_schema.innodb_metrics where enabled";
        let mut found: BTreeMap<_, _> = self.connection.query(counters)?.into_iter().collect();
        let position = "show global status like 'innodb_lsn_current'";
        if let Some((_, position)) = self.connection.query_first::<(String, i64), _>(position)? {
            found.insert("lsn".to_owned(), position);
        }
        Ok(found)
    }

    /// Loads the table and measures it; what is created here stays.
    fn run(&mut self, request: &Request, progress: &dyn Fn(u64)) -> Result<Loaded> {
        let mut ids = Ids::of(request)?;
        let width = ids.width();
        let key_type = match width {
            8 => "bigint unsigned".to_owned(),
            _ => format!("binary({width})"),
        };
        self.create(request, &key_type)?;
        // Rows without a payload are in a table without its column.
        let (columns, payload) = match request.payload_bytes {
            0 => ("id", String::new()),
            bytes => ("id, payload", format!(",'{}'", "x".repeat(bytes as usize))),
        };
        let before = self.metrics()?;
        let start = Instant::now();
        loop {
            let batch = ids.next(request.rows_per_transaction)?;
            if batch.is_empty() {
                break;
            }
            let mut insert = format!("insert into idlab.t ({columns}) values ");
            for (i, id) in batch.iter().enumerate() {
                let comma = if i == 0 { "" } else { "," };
                let _ = match id.number() {
                    Some(number) => write!(insert, "{comma}({number}{payload})"),
                    None => write!(insert, "{comma}(x'{}'{payload})", id.hex()),
                };
            }
            self.connection.query_drop(insert)?;
            progress(batch.len() as u64);
        }
        let wall = seconds(start);
        let after = self.metrics()?;

        let mut missing = Vec::new();
        let mut common = described("innodb", &self.version()?, request, width);
        put(&mut common, "key_type", &key_type);
        put(&mut common, "rows_per_txn", request.rows_per_transaction);
        let mode = match request.table {
            Table::Primary => "clustered_pk",
            Table::Indexed => "auto_inc_pk_plus_unique_secondary",
        };
        put(&mut common, "table_mode", mode);
        let pool = "select @@innodb_page_size, @@innodb_buffer_pool_size >> 20";
        let pool: Option<(usize, u64)> = self.connection.query_first(pool)?;
        let (page_bytes, pool_mebibytes) = pool.context("sizes of pages and pool")?;
        put(&mut common, "page_bytes", page_bytes);
        put(&mut common, "buffer_pool_mib", pool_mebibytes);
        put(&mut common, "load_wall_s", wall);
        let grown = |name: &str| Some(after.get(name)? - before.get(name)?);
        for (column, name) in METRICS {
            match grown(name) {
                Some(count) => put(&mut common, column, count),
                None => missing.push(format!(
                    "mariadb: no {column}: innodb_monitor_enable={name} switches it on"
                )),
            }
        }
        if let Some(bytes) = grown("lsn") {
            put(&mut common, "redo_bytes", bytes);
        }
        if let Some(splits) = grown("index_page_splits") {
            let splits = 1000.0 * splits as f64 / request.rows as f64;
            put(&mut common, "splits_per_1000_inserts", decimals(splits, 3));
        }
        if let Some(reads) = grown("buffer_pool_reads") {
            let reads = reads as f64 / request.rows as f64;
            put(&mut common, "reads_per_insert", decimals(reads, 6));
        }

        self.connection.query_drop("analyze table idlab.t")?;
        let indexes = match request.table {
            Table::Primary => &[("PRIMARY", "clustered")][..],
            Table::Indexed => &[("PRIMARY", "clustered"), ("k", "secondary")],
        };
        let mut trees = Vec::new();
        for &(index, btree) in indexes {
            let mut tree = common.clone();
            put(&mut tree, "btree", btree);
            self.index_stats(&mut tree, index)?;
            trees.push((index, tree));
        }
        if let Err(error) = self.read_file(&mut trees, page_bytes) {
            missing.push(format!(
                "mariadb: no sizes of the trees: {}",
                one_line(error)
            ));
        }
        let trees = trees.into_iter().map(|(_, tree)| tree).collect();
        Ok(Loaded { trees, missing })
    }

    /// What `analyze table` stored.
    fn index_stats(&mut self, tree: &mut Tree, index: &str) -> Result<()> {
        let stats = "select stat_name, stat_value from mysql.innodb_index_stats
             where database_name = 'idlab' and table_name = 't' and index_name = ?";
        let stats: Vec<(String, u64)> = self.connection.exec(stats, (index,))?;
        for (name, value) in stats {
            match &*name {
                "n_leaf_pages" => put(tree, "stat_n_leaf_pages", value),
                "size" => put(tree, "stat_size_pages", value),
                _ => {}
            }
        }
        Ok(())
    }

    /// Reads the table's file, which the server completes and leaves alone meanwhile.
    fn read_file(&mut self, trees: &mut [(&str, Tree)], page_bytes: usize) -> Result<()> {
        let roots = "select i.name, i.page_no from information_schema.innodb_sys_indexes i
             join information_schema.innodb_sys_tables t using (table_id) where t.name = 'idlab/t'";
        let roots: BTreeMap<String, u64> = self.connection.query(roots)?.into_iter().collect();
        let folder: Option<String> = self.connection.query_first("select @@datadir")?;
        let path = std::path::Path::new(&folder.context("@@datadir")?).join("idlab/t.ibd");
        self.connection
            .query_drop("flush tables idlab.t for export")?;
        let file = ibd::File::read(&path, page_bytes);
        self.connection.query_drop("unlock tables")?;
        let file = file.with_context(|| path.display().to_string())?;
        let mut added = 0;
        for (index, tree) in trees.iter_mut() {
            let root = roots
                .get(*index)
                .with_context(|| format!("the root of {index}"))?;
            added += file.measure(*root, tree)? - 1;
        }
        for (_, tree) in trees {
            put(tree, "net_pages_added", added);
        }
        Ok(())
    }
}

impl Live for MariaDb {
    fn version(&mut self) -> Result<String> {
        let version = "select substring_index(version(), '-', 1)";
        let version: Option<String> = self.connection.query_first(version)?;
        Ok(format!("MariaDB {}", version.context("version")?))
    }

    fn load(&mut self, request: &Request, progress: &dyn Fn(u64)) -> Result<Loaded> {
        let loaded = self.run(request, progress);
        let cleared = self.clear();
        loaded
            .and_then(|loaded| cleared.map(|()| loaded))
            .map_err(|error| anyhow!("{}: {}", self.server, one_line(error)))
    }
}
