//! `sim list`: everything that flags accept.

use crate::fleet::scenario::{self, SCENARIOS};
use crate::report;
use crate::writers::ArrivalsArg;
use crate::{gate, ids, layout, unique};
use anyhow::Result;
use clap::ValueEnum;
use comfy_table::{ContentArrangement, Table, presets};
use idlab::advise::ADVICE_MEASURES;
use idlab::clock::{CLOCK_FORMS, CLOCK_KEYS, CLOCKS};
use idlab::dump::KINDS;
use idlab::engine::{ENGINES, Engine, Model};
use idlab::fleet::number::{LeaseRule, NumberRule};
use idlab::fleet::{FaultPlan, LATENCIES, MEMORIES};
use idlab::inspect::INSPECT_MEASURES;
use idlab::inspect::comparators::COMPARATOR_MEASURES;
use idlab::inspect::leaks::LEAK_MEASURES;
use idlab::inspect::widths::WIDTH_MEASURES;
use idlab::measure::{
    FLEET_MEASURES, LATENCY_MEASURES, MEASURES, READER_KINDS, READER_MEASURES, SHARD_MEASURES,
};
use idlab::record::Measured;
use idlab::reference::STREAMS;
use idlab::scheme::{Limits, PRESETS, Preset, ROLLBACKS, Rollback, SCHEMES, Scheme, Spec, Visitor};
use idlab::shards::{KEYS, STORES, Store};
use std::io::Write;

/// List everything that flags accept: schemes, engines, measures, streams
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  sim list\n  sim list measures")]
pub struct Args {
    /// What to list [default: all]
    #[arg(value_enum)]
    what: Option<What>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// Id schemes with their parameters and limits
    Schemes,
    /// Engine profiles
    Engines,
    /// Stores that shard by ranges
    Stores,
    /// What rows are sharded by
    Keys,
    /// Measures, as records call them
    Measures,
    /// Reference streams
    Streams,
    /// Kinds of ids in a dump
    Kinds,
    /// When a fleet's ids are asked for
    Arrivals,
    /// Clocks of a fleet's writers
    Clocks,
    /// Times from minting an id until readers see its row
    Commits,
    /// What writers do when their clocks go back
    Rollbacks,
    /// What a restarted writer knows of its ids
    Memories,
    /// Programs that read the rows page by page
    Readers,
    /// How writers come by their worker numbers
    Numbers,
    /// What goes wrong at random
    Faults,
    /// What happened to others, for `sim fleet` to run again
    Scenarios,
}

pub fn run(args: &Args) -> Result<()> {
    let all = What::value_variants().iter().copied();
    let chosen = all.filter(|what| args.what.is_none_or(|wanted| wanted == *what));
    let texts: Vec<_> = chosen.map(list).collect::<Result<_>>()?;
    let mut stdout = std::io::stdout().lock();
    Ok(writeln!(stdout, "{}", texts.join("\n\n"))?)
}

/// Every measure, in the order of the list.
pub fn measures() -> impl Iterator<Item = &'static Measured> {
    MEASURES
        .iter()
        .chain(SHARD_MEASURES)
        .chain(FLEET_MEASURES)
        .chain(READER_MEASURES)
        .chain(LATENCY_MEASURES)
        .chain(ADVICE_MEASURES)
        .chain(scenario::MEASURES)
        .chain(gate::MEASURES)
        .chain(unique::MEASURES)
        .chain(ids::MEASURES)
        .chain(INSPECT_MEASURES)
        .chain(LEAK_MEASURES)
        .chain(COMPARATOR_MEASURES)
        .chain(WIDTH_MEASURES)
        .chain(layout::MEASURES)
        .chain(gate::SELF_TEST_MEASURES)
        .copied()
}

fn pairs(table: &[(&str, &str)]) -> Vec<[String; 2]> {
    let row = |(name, about): &(&str, &str)| [(*name).to_owned(), (*about).to_owned()];
    table.iter().map(row).collect()
}

fn list(what: What) -> Result<String> {
    let rows: Vec<[String; 2]> = match what {
        What::Schemes => {
            let schemes = SCHEMES.iter().flat_map(scheme);
            schemes.chain(PRESETS.iter().flat_map(preset)).collect()
        }
        What::Engines => ENGINES.iter().flat_map(|engine| profiles(engine)).collect(),
        What::Measures => measures()
            .map(|measured| {
                [
                    measured.name.to_owned(),
                    format!("[{}] {}", measured.unit, measured.about),
                ]
            })
            .collect(),
        What::Stores => STORES.iter().flat_map(|store| store_rows(store)).collect(),
        What::Keys => KEYS
            .iter()
            .map(|(form, about)| [(*form).to_owned(), (*about).to_owned()])
            .collect(),
        What::Clocks => clocks(),
        What::Commits => pairs(LATENCIES),
        What::Rollbacks => pairs(ROLLBACKS),
        What::Memories => pairs(MEMORIES),
        What::Readers => pairs(READER_KINDS),
        What::Numbers => numbers(),
        What::Faults => FaultPlan::known()
            .into_iter()
            .map(|(text, about)| [text, about.to_owned()])
            .collect(),
        What::Scenarios => SCENARIOS
            .iter()
            .map(|scenario| {
                let remedy = format!("What to do: {}", scenario.remedy);
                let text = format!("{}\n{remedy}", scenario.happened);
                [scenario.name.to_owned(), text]
            })
            .collect(),
        What::Kinds => KINDS
            .iter()
            .map(|(name, kind)| [(*name).to_owned(), kind.to_string()])
            .collect(),
        What::Arrivals => ArrivalsArg::value_variants()
            .iter()
            .filter_map(ArrivalsArg::to_possible_value)
            .map(|value| {
                [
                    value.get_name().to_owned(),
                    value
                        .get_help()
                        .map(ToString::to_string)
                        .unwrap_or_default(),
                ]
            })
            .collect(),
        What::Streams => STREAMS
            .iter()
            .map(|stream| {
                let options = if stream.options.is_empty() {
                    "none"
                } else {
                    stream.options
                };
                [
                    stream.name.to_owned(),
                    format!("{}; options: {options}", stream.about),
                ]
            })
            .collect(),
    };
    let (title, note) = match what {
        What::Kinds => (
            "Kinds of dumps",
            "--as NAME; told from the ids unless given",
        ),
        What::Arrivals => ("Arrivals", "--arrivals NAME"),
        What::Clocks => (
            "Clocks",
            "--clock NAME[,key=value]* or key=value[,key=value]*; errors are local less true time",
        ),
        What::Commits => ("Commits", "--commit NAME"),
        What::Rollbacks => (
            "Rollbacks",
            "--rollback NAME; schemes with a rule of their own keep it",
        ),
        What::Memories => ("Memories", "--memory NAME"),
        What::Readers => ("Readers", "sim fleet --reader NAME"),
        What::Numbers => (
            "Numbers",
            "--numbers RULE; --leases KEY=VALUE,... for lease:KEY=VALUE,...",
        ),
        What::Faults => (
            "Faults",
            "--faults KIND[=GAP[:SIZE]],...; these are the defaults, a GAP is the mean for one writer, a SIZE is TIME, exponential:MEAN, uniform:LEAST:MOST, lognormal:MEDIAN:SIGMA or pareto:LEAST:ALPHA, cut off at 30d",
        ),
        What::Scenarios => ("Scenarios", "sim fleet --scenario NAME"),
        What::Schemes => (
            "Schemes",
            "--scheme NAME[:key=value]*, phases of one table joined by +, each with rows=N",
        ),
        What::Engines => (
            "Engines",
            "--engine NAME[:INDEX]; sim verify --live loads sqlite, redb, lmdb, postgres, mariadb themselves",
        ),
        What::Stores => (
            "Stores",
            "sim shards --store NAME; what is assumed is no published fact",
        ),
        What::Keys => ("Sharding keys", "sim shards --key NAME[:OPTION]*"),
        What::Measures => (
            "Measures",
            "the `measure` of a record's row, its unit in brackets",
        ),
        What::Streams => (
            "Streams",
            "--stream NAME[_OPTION]*: wW writers, sS clock sd in ms, rR ids/s, rr writers in turn, pP processes, bB block size",
        ),
    };
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_width(110);
    table.add_rows(rows);
    Ok(format!("{title} ({note})\n{}", report::print(&table)))
}

/// A store, then what is assumed of it and what it calls a hot range.
fn store_rows(store: &Store) -> Vec<[String; 2]> {
    let more = [("assumed", store.assumed), ("calls it", store.calls_it)];
    let more = more.into_iter().filter(|(_, text)| !text.is_empty());
    let first = [store.name.to_owned(), store.about.to_owned()];
    std::iter::once(first)
        .chain(more.map(|(name, text)| [String::new(), format!("{name}: {text}")]))
        .collect()
}

/// Rules of numbers, then the keys of a lease.
fn numbers() -> Vec<[String; 2]> {
    let keys = LeaseRule::known().into_iter();
    let keys = keys.map(|(key, about)| [format!("  {key}"), about.to_owned()]);
    pairs(NumberRule::KNOWN).into_iter().chain(keys).collect()
}

/// Clocks, each with its keys, then what keys are.
fn clocks() -> Vec<[String; 2]> {
    let known = CLOCKS.iter().flat_map(|clock| {
        let about = [clock.name.to_owned(), clock.about.to_owned()];
        [about, [String::new(), clock.text.to_owned()]]
    });
    let keys = CLOCK_KEYS
        .iter()
        .map(|(key, form, about)| [format!("  {key}="), format!("{form}: {about}")]);
    let forms = [String::new(), CLOCK_FORMS.to_owned()];
    known.chain(keys).chain([forms]).collect()
}

/// An engine, then its kinds of index and its number.
fn profiles(engine: &Engine) -> Vec<[String; 2]> {
    let splits = match engine.model {
        Model::Pages(pages) => format!("; splits: {}", pages.split.about),
        _ => String::new(),
    };
    let mut rows = vec![[engine.name.to_owned(), format!("{}{splits}", engine.about)]];
    rows.extend(engine.indexes.iter().enumerate().map(|(i, index)| {
        let default = if i == 0 { " (the default)" } else { "" };
        [
            format!("  :{}", index.name),
            format!("{}{default}", index.about),
        ]
    }));
    rows.extend(engine.parameter.map(|parameter| {
        let text = format!("  :{}", parameter.name.to_uppercase());
        [text, parameter.about.to_owned()]
    }));
    rows
}

fn scheme(info: &idlab::scheme::SchemeInfo) -> Vec<[String; 2]> {
    let mut rows = vec![named(info.name, info.about)];
    rows.extend(info.params.iter().map(|param| {
        [
            format!("  :{}={}", param.name, param.default),
            param.about.to_owned(),
        ]
    }));
    rows
}

/// A preset, then the scheme that it is, its parameters and its rollback.
fn preset(preset: &Preset) -> [[String; 2]; 2] {
    let params = preset.params.iter();
    let params = params.map(|(key, value)| format!(" :{key}={value}"));
    let rollback = (preset.rollback != Rollback::default())
        .then(|| format!(" --rollback {}", preset.rollback));
    let words: String = params.chain(rollback).collect();
    let is = [String::new(), format!("= {}{words}", preset.scheme)];
    [named(preset.name, preset.about), is]
}

/// A scheme's name, what it is, and its limits.
fn named(name: &str, about: &str) -> [String; 2] {
    let spec = Spec {
        name: name.to_owned(),
        params: Vec::new(),
    };
    let limits = idlab::scheme::visit_keys(&spec, ReadLimits)
        .map(|limits| words(&limits))
        .unwrap_or_default();
    [name.to_owned(), format!("{about}{limits}")]
}

struct ReadLimits;

impl Visitor for ReadLimits {
    type Output = Limits;
    fn visit<S: Scheme>(self, scheme: S) -> Limits {
        scheme.limits()
    }
}

fn words(limits: &Limits) -> String {
    let mut text = String::new();
    if let (Some(ids), Some(tick_ns)) = (limits.ids_per_tick, limits.tick_ns) {
        let ids = if ids < 1 << 20 {
            ids.to_string()
        } else {
            format!("2^{}", ids.ilog2())
        };
        text += &format!("; {ids} ids a writer and {}", duration(tick_ns));
    }
    if let Some(writers) = limits.writers {
        text += &format!("; {writers} writers");
    }
    if let Some(ms) = limits.exhausted_unix_ms {
        let end = i64::try_from(ms)
            .ok()
            .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
        text += &match end {
            Some(end) => format!("; exhausted {}", end.strftime("%Y-%m-%d")),
            None => format!("; exhausted in the year {}", 1970 + ms / 31_556_952_000),
        };
    }
    text
}

fn duration(ns: u64) -> String {
    match ns {
        1_000_000_000 => "second".to_owned(),
        1_000_000 => "ms".to_owned(),
        ns if ns % 1_000_000 == 0 => format!("{} ms", ns / 1_000_000),
        ns => format!("{ns} ns"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_of_measures_are_unique_and_snake_case() {
        let mut met = BTreeSet::new();
        for measured in measures() {
            let name = measured.name;
            assert!(met.insert(name), "{name} stands twice");
            let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
            assert!(
                name.bytes().all(|byte| fits(byte) || byte == b'_'),
                "{name}"
            );
        }
    }
}
