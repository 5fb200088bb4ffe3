//! What the flags of `sim shards` stand for.

use super::{Args, DEFAULT_SECONDS, DEFAULT_SHARDS, ServiceArg};
use crate::args::{self, usage};
use crate::input::Input;
use anyhow::Result;
use idlab::clock::NS_PER_S;
use idlab::measure::{Clients, Service, ShardsPlan};
use idlab::shards::{self, MOST_NODES, MOST_REPLICAS, MOST_SHARDS, Setup, ShardingKey, Store};

/// What was asked for and makes no difference.
pub(super) fn notes(stores: &[&Store], keys: &[ShardingKey], inputs: usize) -> Vec<String> {
    let list = |names: Vec<String>| names.join(", ");
    let hashed = stores.iter().filter(|store| store.hashed);
    let hashed: Vec<_> = hashed.map(|store| store.name.to_owned()).collect();
    let others = keys.iter().filter(|key| **key != ShardingKey::Range);
    let others: Vec<_> = others.map(ToString::to_string).collect();
    let mut notes = Vec::new();
    if !hashed.is_empty() && !others.is_empty() {
        notes.push(format!(
            "{}: places rows by a hash of the whole key, so that {} spread them no better than range",
            list(hashed),
            list(others)
        ));
    }
    let counters = keys
        .iter()
        .filter(|key| matches!(key, ShardingKey::AutoRandom(_) | ShardingKey::ShardRowId(_)));
    let counters: Vec<_> = counters.map(ToString::to_string).collect();
    if inputs > 1 && !counters.is_empty() {
        notes.push(format!(
            "{}: numbers rows by itself, so that it is the same for all schemes",
            list(counters)
        ));
    }
    notes
}

pub(super) fn stores(args: &Args) -> Result<Vec<&'static Store>> {
    args::distinct("--store", &args.store)?;
    let default = match args.shards {
        Some(_) => "range_fixed",
        None => "cockroach",
    };
    let names: Vec<&str> = match args.store.is_empty() {
        true => vec![default],
        false => args.store.iter().map(String::as_str).collect(),
    };
    let found = names
        .into_iter()
        .map(|name| shards::store(name).map_err(|error| usage(format!("--store: {error}"))));
    let stores: Vec<_> = found.collect::<Result<_>>()?;
    let fixed = stores
        .iter()
        .any(|store| store.first_ranges == shards::FirstRanges::Asked);
    if args.shards.is_some() && !fixed {
        return Err(usage(
            "--shards: only range_fixed and hash_fixed have a fixed number of ranges; leave it out, or choose one of these with --store",
        ));
    }
    Ok(stores)
}

pub(super) fn keys(args: &Args) -> Result<Vec<ShardingKey>> {
    let parse = |text: String| {
        text.parse()
            .map_err(|error| usage(format!("--key {error}")))
    };
    let keys: Vec<ShardingKey> = args
        .key
        .iter()
        .map(|text| run_of_keys(text))
        .collect::<Result<Vec<_>>>()?
        .into_iter()
        .flatten()
        .map(parse)
        .collect::<Result<_>>()?;
    args::distinct("--key", &keys)?;
    args::distinct("--nodes", &args.nodes)?;
    Ok(keys)
}

pub(super) fn most_nodes(args: &Args) -> u64 {
    args.nodes.iter().copied().max().unwrap_or(1)
}

/// `hash:1..32` is `hash:1`, `hash:2` and so on up to `hash:32`.
fn run_of_keys(text: &str) -> Result<Vec<String>> {
    let run = text.rsplit_once(':');
    let run = run.and_then(|(name, numbers)| Some((name, numbers.split_once("..")?)));
    let Some((name, (first, last))) = run else {
        return Ok(vec![text.to_owned()]);
    };
    match (first.parse::<u32>(), last.parse::<u32>()) {
        (Ok(first), Ok(last)) if first <= last && last - first < MOST_KEYS => Ok((first..=last)
            .map(|number| format!("{name}:{number}"))
            .collect()),
        _ => Err(usage(format!(
            "--key {text}: expected FIRST..LAST with at most {MOST_KEYS} numbers, such as {name}:1..32"
        ))),
    }
}

/// Keys of a run at most.
const MOST_KEYS: u32 = 256;

/// How writes come in, and how many a second there can be at most.
pub(super) fn clients(args: &Args, rate: u64) -> Result<(Clients, u64)> {
    if args.capacity > 100_000_000 {
        return Err(usage("--capacity: expected at most 100M writes a second"));
    }
    let service = match args.service {
        ServiceArg::Exponential => Service::Exponential,
        ServiceArg::Fixed => Service::Fixed,
    };
    match args.clients.map(u32::try_from) {
        None => Ok((Clients::OpenLoop { rate }, rate)),
        Some(Ok(clients @ 1..=1_000_000)) => Ok((
            Clients::ClosedLoop { clients, service },
            args.capacity.saturating_mul(most_nodes(args)),
        )),
        Some(_) => Err(usage("--clients: expected at most 1M")),
    }
}

/// Streams of ids, with the rows (if known) and the seconds of each.
pub(super) fn inputs(args: &Args, most_per_s: u64) -> Result<Vec<(Input, Option<u64>, u64)>> {
    let asked_s = match args.length {
        Some(ns) if ns == 0 || ns % NS_PER_S > 0 => {
            return Err(usage("--for: expected whole seconds, at least 1s"));
        }
        length => length.map(|ns| ns / NS_PER_S),
    };
    let for_rows = |rows: u64| rows.div_ceil(most_per_s.max(1));
    if let Some(path) = &args.ids {
        args.fleet.refuse_but_rate_for("a dump")?;
        let mut input = Input::dump(path, args.kind.as_deref())?;
        input.spool()?;
        return Ok(vec![(input, None, asked_s.unwrap_or(u64::MAX))]);
    }
    args::distinct("--scheme", &args.scheme)?;
    let fleet = args.fleet.spec(args.output.seed)?;
    let one = |text: &String| {
        if text.contains(":rows=") {
            if asked_s.is_some() {
                return Err(usage(format!(
                    "--for: {text} lasts as long as its rows; leave out --for, or rows="
                )));
            }
            let (input, rows) = Input::schemes(text, None, &fleet)?;
            return Ok((input, Some(rows), for_rows(rows)));
        }
        let seconds = asked_s.unwrap_or(DEFAULT_SECONDS);
        let rows = most_per_s.saturating_mul(seconds);
        let (input, rows) = Input::schemes(text, Some(rows), &fleet)?;
        Ok((input, Some(rows), seconds))
    };
    args.scheme.iter().map(one).collect()
}

pub(super) fn setup(
    args: &Args,
    store: &'static Store,
    nodes: u64,
    key: ShardingKey,
    column: idlab::id::Column,
) -> Result<Setup> {
    let within = |flag: &str, value: u64, most: u32| match u32::try_from(value) {
        Ok(value) if value <= most => Ok(value),
        _ => Err(usage(format!("{flag} {value}: expected at most {most}"))),
    };
    let nodes = within("--nodes", nodes, MOST_NODES)?;
    let replication = match args.replication {
        None => store.replication.min(nodes),
        Some(copies) => {
            let copies = within("--replication", copies, MOST_REPLICAS as u32)?;
            if copies > nodes {
                return Err(usage(format!(
                    "--replication {copies}: {nodes} nodes cannot hold so many copies, expected at most {nodes}"
                )));
            }
            copies
        }
    };
    if args.row == 0 {
        return Err(usage("--row: expected at least 1 byte"));
    }
    if let Some(most) = store.least_range_bytes()
        && u64::from(args.row) > most
    {
        return Err(usage(format!(
            "--row {}: larger than a range of {} at its smallest ({most} bytes)",
            args.row, store.name
        )));
    }
    Ok(Setup {
        store,
        key,
        column,
        nodes,
        replication,
        shards: within(
            "--shards",
            args.shards.unwrap_or(DEFAULT_SHARDS),
            MOST_SHARDS,
        )?,
        row_bytes: args.row,
        seed: args.output.seed,
    })
}

pub(super) fn refuse_more_tenants_than_rows(plan: &ShardsPlan, rows: Option<u64>) -> Result<()> {
    for setup in &plan.setups {
        if let (ShardingKey::Tenant(tenants), Some(rows)) = (setup.key, rows)
            && u64::from(tenants.tenants) > rows
        {
            return Err(usage(format!(
                "--key {}: {} tenants are more than the {rows} rows of the load; expected fewer, such as tenant:zipf:{}:tenants={}, or another --key",
                setup.key,
                tenants.tenants,
                tenants.exponent,
                (rows / 10).max(1)
            )));
        }
    }
    Ok(())
}
