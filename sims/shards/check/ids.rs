//! Ids of schemes as sharding keys.

use super::load::{relocated, scheme, stream};
use super::{Check, EXACT, Setting, sampled};
use crate::tolerance::Tolerance;
use anyhow::Result;
use idlab::fleet::{Arrivals, FleetSpec};
use idlab::shards::{KeyMaker, ShardingKey, SizePoint, Store};
use idlab::source::AnySource;
use idlab::theory::shards as theory;
use std::collections::BTreeSet;

/// So many bigint ids of a scheme.
fn ids(text: &str, fleet: FleetSpec, rows: usize) -> Result<Vec<u64>> {
    let mut ids = Vec::new();
    match stream(text, fleet)?.keys {
        AnySource::Bytes8(mut source) => source.fill(&mut ids, rows)?,
        _ => anyhow::bail!("{text}: expected a scheme of bigint ids"),
    }
    Ok(ids)
}

/// Shards that Snowflake ids, one each 10 ms, use of N.
pub fn residues(setting: &Setting) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let one = FleetSpec::single(100, setting.seed);
    let sixteen = FleetSpec {
        writers: 16,
        ..one.clone()
    };
    // Low bits that are always 0: the sequence's 12; of one writer with an even step, the timestamp's step too.
    let step = 10 << 22;
    for (writers, fleet, values, note) in [
        ("16 writers", sixteen, 4096, ""),
        (
            "1 writer",
            one,
            step,
            "a single writer in an exact step of 10 ms: N / gcd(10 x 2^22, N), fewer still",
        ),
    ] {
        let ids = ids("snowflake", fleet, 40_000)?;
        for modulus in [4, 6, 10, 12, 16, 100, 256, 1000, 7, 101] {
            let mut maker = KeyMaker::new(ShardingKey::IdMod(modulus), setting.seed);
            let used: BTreeSet<u128> = ids.iter().map(|&id| maker.key(id) >> 112).collect();
            let expected = theory::residues(modulus.into(), values) as f64;
            checks.push(
                Check::new(
                    format!("snowflake mod {modulus}, {writers}"),
                    ("shards_used", "shards"),
                    used.len() as f64,
                    expected,
                    EXACT,
                )
                .note(note),
            );
        }
    }
    Ok(checks)
}

/// Sequence numbers of Snowflake ids that come at random.
pub fn sequence_numbers(setting: &Setting) -> Result<Vec<Check>> {
    const ROWS: usize = 100_000;
    let mut checks = Vec::new();
    for (rate, mean) in [(100, 0.1), (1000, 1.0)] {
        let fleet = FleetSpec {
            arrivals: Arrivals::Poisson,
            ..FleetSpec::single(rate, setting.seed)
        };
        let ids = ids("snowflake", fleet, ROWS)?;
        for sequence in [0, 1] {
            let with = ids.iter().filter(|&&id| id & 0xfff == sequence).count();
            let expected = theory::sequence_share(sequence as u32, mean);
            checks.push(Check::new(
                format!("snowflake sequence {sequence}, {mean} ids/ms"),
                ("share", "share"),
                with as f64 / ROWS as f64,
                expected,
                sampled(expected, ROWS as f64, 4.0),
            ));
        }
    }
    Ok(checks)
}

const HALF: Store = relocated(1 << 20, SizePoint::Half);
/// Rows of 256 bytes that fill a range.
const RANGE_ROWS: u64 = 4096;

/// Writers that each fill leased blocks: one last range for all while blocks are small, one each while they are large.
pub fn ticket_blocks(setting: &Setting) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for writers in [4u32, 8] {
        for (block_rows, expected) in [
            (RANGE_ROWS / 64, 1.0),
            (64 * RANGE_ROWS, 1.0 / f64::from(writers)),
        ] {
            let fleet = FleetSpec {
                writers,
                ..FleetSpec::single(1000, setting.seed)
            };
            let setup = setting.setup(&HALF, ShardingKey::Range, 4);
            let plan = setting.plan(vec![setup], 1000, 800);
            let text = format!("ticket_block:size={block_rows}");
            let found = scheme(&text, fleet, &plan)?;
            let params = [("window", "1s"), ("of", "settled")];
            checks.push(Check::new(
                format!("{writers} writers, blocks of {block_rows} rows, ranges of {RANGE_ROWS}"),
                ("hot_range_share", "share"),
                found[0].total("hot_range_share", &params),
                expected,
                Tolerance::absolute(0.01),
            ));
        }
    }
    Ok(checks)
}
