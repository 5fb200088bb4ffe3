//! The flags of a purge.

use crate::args::{self, usage};
use anyhow::Result;
use idlab::engine::{ENGINES, EngineOptions};
use idlab::id::Column;
use idlab::store::{Design, Purge};

/// Which rows are removed.
#[derive(clap::Args)]
pub struct PurgeArgs {
    /// Keep the newest N rows; older ones are removed as the engine's purge does it [default: all]
    #[arg(long, value_name = "N", value_parser = args::positive, conflicts_with_all = ["cache", "miss_curve", "secondary"], help_heading = "Purge")]
    keep_rows: Option<u64>,
    /// Ids from one purge to the next [default: a tenth of --keep-rows]
    #[arg(long, value_name = "N", value_parser = args::positive, requires = "keep_rows", conflicts_with_all = ["cache", "miss_curve", "secondary"], help_heading = "Purge")]
    purge_every: Option<u64>,
}

impl PurgeArgs {
    /// The purge, if there is one.
    pub fn purge(&self) -> Option<Purge> {
        self.keep_rows.map(|keep_rows| Purge {
            keep_rows,
            every_rows: self.purge_every.unwrap_or(keep_rows.div_ceil(10)),
        })
    }

    /// The purge of a tree, which must be able to do it.
    pub fn of(&self, design: &Design) -> Result<Option<Purge>> {
        let purge = self.purge();
        if purge.is_none() || design.has_purge() {
            return Ok(purge);
        }
        let engines = ENGINES.iter().filter(|engine| {
            let design = Design::new(**engine, Column::Bigint, EngineOptions::default());
            design.is_ok_and(|design| design.has_purge())
        });
        let names: Vec<_> = engines.map(|engine| engine.name).collect();
        Err(usage(format!(
            "--keep-rows: {} has no purge that is modelled, expected one of {}",
            design.profile,
            names.join(", ")
        )))
    }
}
