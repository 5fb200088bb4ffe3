//! What cursors skip of ids of one tick, and of numbers leased in blocks.

use super::blocks::{MS, ROWS, cursor, fleet};
use super::{Check, EXACT, Setting};
use crate::tolerance::Tolerance;
use anyhow::Result;
use idlab::scheme::{KsuidScheme, Snowflake, TicketBlock, UuidV7};
use idlab::theory::cursor::{skipped_in_blocks, skipped_in_ticks};
use rayon::prelude::*;

const SKIPPED: (&str, &str) = ("skipped_rows_share", "share");

/// Ids in random order within a tick, and behind a lag of a tick.
pub fn ticks(setting: &Setting) -> Result<Vec<Check>> {
    // Length of a tick in ms, rows a second, lag in ms.
    let cases = [
        (1, 1000, 0),
        (1, 10_000, 0),
        (1, 3000, 0),
        (1, 1000, 1),
        (1000, 100, 0),
        (1000, 10, 0),
        (1000, 1, 0),
        (1000, 10, 1000),
    ];
    let check = |&(tick_ms, rate, lag_ms): &(u64, u64, u64)| {
        let polls = (0, lag_ms * MS);
        let spec = fleet(setting, 16, rate);
        let (name, found) = match tick_ms {
            1 => (
                "uuid_v7",
                cursor::<UuidV7>(setting, "uuid_v7", spec, ROWS, polls)?,
            ),
            _ => (
                "ksuid",
                cursor::<KsuidScheme>(setting, "ksuid", spec, ROWS, polls)?,
            ),
        };
        let rows_per_tick = (rate * tick_ms) as f64 / 1e3;
        let case = format!("{name}, {rows_per_tick} rows per tick");
        Ok(match lag_ms {
            0 => Check::new(case, SKIPPED, found, skipped_in_ticks(rows_per_tick)),
            _ => Check::new(format!("{case}, lag of a tick"), SKIPPED, found, 0.0).about(EXACT, ""),
        })
    };
    cases.par_iter().map(check).collect()
}

/// Within a tick, Snowflakes are in the order of their workers: at random, if these are many.
pub fn snowflakes(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [(1, 1000), (1, 5000), (10, 1000)];
    let check = |&(tick_ms, rate): &(u64, u64)| {
        let text = format!("snowflake:tick_ms={tick_ms}");
        let found = cursor::<Snowflake>(setting, &text, fleet(setting, 1024, rate), ROWS, (0, 0))?;
        let rows_per_tick = (rate * tick_ms) as f64 / 1e3;
        let case = format!("{text}, 1024 workers, {rows_per_tick} rows per tick");
        let note = "ids of one worker and tick are in order: one pair in 1024";
        Ok(
            Check::new(case, SKIPPED, found, skipped_in_ticks(rows_per_tick))
                .about(Tolerance::relative(1.0 / 1024.0), note),
        )
    };
    cases.par_iter().map(check).collect()
}

/// Numbers leased in blocks.
pub fn blocks(setting: &Setting) -> Result<Vec<Check>> {
    let cases = [(4, 50), (16, 50), (4, 1000), (8, 200), (32, 1000)];
    let check = |&(writers, size): &(u32, u32)| {
        let text = format!("ticket_block:size={size}");
        let spec = fleet(setting, writers, 1000);
        let found = cursor::<TicketBlock>(setting, &text, spec, ROWS, (0, 0))?;
        let case = format!("{writers} writers, blocks of {size}");
        let expected = skipped_in_blocks(writers.into(), size.into());
        Ok(Check::new(case, SKIPPED, found, expected)
            .about(Tolerance::relative(0.01), "approximation: a hundredth"))
    };
    cases.par_iter().map(check).collect()
}
