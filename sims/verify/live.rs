//! Loads of engines that are made now, to be compared as recorded ones are.

use super::Measurement;
use super::recorded::{Load, Recorded};
use super::{innodb, lmdb, postgres, redb, sqlite};
use crate::args::{self, refused, usage};
use crate::live::{self, Live, Request, Table, Tree};
use crate::recorder;
use anyhow::{Error, Result};
use idlab::engine::{EngineOptions, Profile};
use idlab::id::Column;
use idlab::names;
use idlab::pool::{CachePlan, Commits};
use idlab::record::Parameters;
use idlab::reference::Reference;
use idlab::source::Stream;
use idlab::store::Design;
use std::collections::{BTreeMap, BTreeSet};

/// The names that `--live` takes.
pub fn names() -> impl Iterator<Item = &'static str> + Clone {
    KINDS.iter().map(|kind| kind.name)
}

/// Flags of live loads.
#[derive(clap::Args)]
#[command(next_help_heading = "Live")]
pub struct LiveArgs {
    /// Engines to load now, instead of recorded loads: sqlite, sqlite:unique, redb, lmdb,
    /// postgres, mariadb, mariadb:secondary
    #[arg(long = "live", value_name = "LIST", value_delimiter = ',', value_parser = args::item, conflicts_with = "engine")]
    pub engines: Vec<String>,
    /// Rows of a load
    #[arg(short = 'n', long, value_name = "N", default_value = "1M", value_parser = args::positive, requires = "engines", conflicts_with = "engine")]
    rows: u64,
    /// Reference streams
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_value = "uuid4,uuid7_w16_s50_r10000,seq8",
        value_parser = args::item,
        requires = "engines",
        conflicts_with = "engine"
    )]
    stream: Vec<String>,
    /// Bytes of the row beside its id
    #[arg(long, value_name = "BYTES", default_value = "100", value_parser = args::size_bytes, requires = "engines", conflicts_with = "engine")]
    payload_bytes: u32,
    /// SQLite's page cache [default: 2000KiB]; servers have theirs
    #[arg(long, value_name = "BYTES", value_parser = args::bytes, requires = "engines", conflicts_with = "engine")]
    cache: Option<u64>,
    /// The server, if not the one of scripts/engines.sh up: postgres://USER@HOST:PORT/DATABASE
    /// or mariadb://USER@HOST:PORT
    #[arg(long, requires = "engines", conflicts_with = "engine")]
    url: Option<String>,
    /// Load it though it is on another machine
    #[arg(long, requires = "url", conflicts_with = "engine")]
    yes_remote: bool,
}

/// SQLite's pages, the size of which is not offered.
const PAGE_BYTES: u64 = 4096;

impl LiveArgs {
    fn cache_pages(&self) -> u64 {
        self.cache.map_or(500, |bytes| bytes / PAGE_BYTES)
    }
}

/// An engine and where it keeps ids.
struct Kind {
    name: &'static str,
    table: Table,
    /// What it is compared with.
    engine: &'static Recorded,
}

impl Kind {
    const fn new(name: &'static str, table: Table, engine: &'static Recorded) -> Self {
        Self {
            name,
            table,
            engine,
        }
    }

    /// The engine's name alone.
    fn client(&self) -> &'static str {
        self.name
            .split_once(':')
            .map_or(self.name, |(client, _)| client)
    }

    /// The model of the engine that loads ids of `column`.
    fn profile(&self, column: Column) -> Result<Profile> {
        let profile = match (self.name, column) {
            ("sqlite", Column::Bigint) => "sqlite:rowid",
            ("sqlite", _) => "sqlite:without_rowid",
            ("mariadb", _) => "innodb",
            ("mariadb:secondary", _) => "innodb:secondary",
            (name, _) => name,
        };
        Ok(profile.parse()?)
    }
}

/// All that can be loaded.
const KINDS: &[Kind] = &[
    Kind::new("sqlite", Table::Primary, &sqlite::RECORDED),
    Kind::new("sqlite:unique", Table::Indexed, &sqlite::RECORDED),
    Kind::new("redb", Table::Primary, &redb::RECORDED),
    Kind::new("lmdb", Table::Primary, &lmdb::RECORDED),
    Kind::new("postgres", Table::Primary, &postgres::RECORDED),
    Kind::new("mariadb", Table::Primary, &innodb::RECORDED),
    Kind::new("mariadb:secondary", Table::Indexed, &innodb::RECORDED),
];

/// Loads to be made.
pub struct Plan<'a> {
    args: &'a LiveArgs,
    seed: u64,
    kinds: Vec<&'static Kind>,
    /// The engines, ready, by name.
    clients: BTreeMap<&'static str, Box<dyn Live>>,
}

impl<'a> Plan<'a> {
    /// Looks at all arguments, then connects to all engines.
    ///
    /// # Errors
    /// What cannot be loaded or predicted, or does not answer.
    pub fn new(args: &'a LiveArgs, seed: u64) -> Result<Self> {
        args::distinct("--live", &args.engines)?;
        args::distinct("--stream", &args.stream)?;
        let kinds: Vec<_> = args.engines.iter().map(kind).collect::<Result<_>>()?;
        let names: BTreeSet<_> = kinds.iter().map(|kind| kind.client()).collect();
        if args.url.is_some() && names.len() > 1 {
            return Err(usage("--url: expected one engine in --live"));
        }
        if args.cache.is_some() && !names.contains("sqlite") {
            return Err(usage("--cache: only sqlite has its cache from here"));
        }
        for stream in &args.stream {
            let Stream { column, .. } = Reference::new(stream, seed).map_err(usage)?.into();
            for kind in &kinds {
                let options = EngineOptions {
                    payload_bytes: args.payload_bytes,
                    ..EngineOptions::default()
                };
                let design =
                    Design::new(kind.profile(column)?, column, options).map_err(refused)?;
                if kind.client() == "sqlite" {
                    let cache = CachePlan::new(args.cache_pages() * PAGE_BYTES);
                    let commits = Commits {
                        transaction_rows: 1000,
                        checkpoint_rows: None,
                    };
                    cache.open(&design, commits).map_err(refused)?;
                }
            }
        }
        let url = args.url.as_deref();
        let connect = |name| Ok((name, live::connect(name, url, args.yes_remote)?));
        let clients = names.into_iter().map(connect).collect::<Result<_>>()?;
        Ok(Self {
            args,
            seed,
            kinds,
            clients,
        })
    }

    /// What decides the loads, for the record.
    pub fn parameters(&self) -> Parameters {
        let args = self.args;
        Parameters::from([
            ("live".to_owned(), args.engines.clone().into()),
            ("stream".to_owned(), args.stream.clone().into()),
            ("rows".to_owned(), args.rows.into()),
            ("payload_bytes".to_owned(), args.payload_bytes.into()),
            ("cache_pages".to_owned(), args.cache_pages().into()),
        ])
    }

    /// Rows of a load.
    pub fn rows(&self) -> u64 {
        self.args.rows
    }

    /// Makes the loads one after the other, up to the first that fails.
    pub fn load(&mut self) -> (Vec<Measurement>, Option<Error>) {
        let loads = (self.kinds.len() * self.args.stream.len()) as u64;
        let bar = recorder::progress(Some(loads * self.args.rows));
        let (mut done, mut missing) = (Vec::new(), BTreeSet::new());
        let each = self.kinds.iter().flat_map(|&kind| {
            let streams = self.args.stream.iter();
            streams.map(move |stream| (kind, stream))
        });
        let mut failed = None;
        for (kind, stream) in each {
            let request = Request {
                seed: self.seed,
                payload_bytes: self.args.payload_bytes,
                table: kind.table,
                cache_pages: self.args.cache_pages(),
                ..Request::new(stream, self.args.rows)
            };
            let place = format!("{} {stream}", kind.name);
            let Some(client) = self.clients.get_mut(kind.client()) else {
                continue;
            };
            match client.load(&request, &|rows| bar.inc(rows)) {
                Ok(loaded) => {
                    missing.extend(loaded.missing);
                    done.extend(loaded.trees.into_iter().map(|tree| Measurement {
                        engine: kind.engine,
                        load: owned(tree),
                        place: place.clone(),
                    }));
                }
                Err(error) => {
                    failed = Some(error.context(place));
                    break;
                }
            }
        }
        bar.finish_and_clear();
        for line in missing {
            args::say(&line);
        }
        (done, failed)
    }
}

/// A measured tree as a recorded one.
fn owned(tree: Tree) -> Load {
    let columns = tree.into_iter();
    columns
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn kind(name: &String) -> Result<&'static Kind> {
    let found = KINDS.iter().find(|kind| kind.name == name);
    found.ok_or_else(|| {
        let hint = names::nearest(name, self::names());
        usage(format!("--live {name}: cannot be loaded{hint}"))
    })
}
