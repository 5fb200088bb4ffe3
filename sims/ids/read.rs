//! `sim ids --read`: what a list of ids says, section by section.
//!
//! A list is read once. Each of [`sections`] sees its keys batch by batch in the order of
//! arrival, and has its tables and rows at the end. To add one: a type that is an
//! [`Observer`], and a line in `sections`.

mod bits;
mod comparators;
mod facts;
mod leaks;
mod order;
mod outsider;
mod random;
mod recognised;
mod section;
mod statistics;
mod widths;

use outsider::Outsider;
pub use recognised::epoch;
pub use section::{List, Observer, Section};
use statistics::Statistics;

use super::Args;
use super::decode::KindsOf;
use crate::args::usage;
use crate::input::{self, Input};
use crate::recorder::{self, Format, OutputArgs, Recorder};
use anyhow::{Context, Result};
use idlab::chart;
use idlab::clock::Timestamp;
use idlab::dump::{Dump, KINDS, Kind, Lines};
use idlab::id::{Id, Key};
use idlab::inspect::recognise::{self, Recognised};
use idlab::layout::date;
use idlab::measure::Rows;
use idlab::names;
use idlab::record::{Measured, Parameters};
use idlab::scheme::{self, Field, PRESETS, SCHEMES, Scheme, Spec, Visitor};
use idlab::source::{AnySource, Source};
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// What is measured.
pub const MEASURES: &[&Measured] = &[
    &recognised::FIT,
    &recognised::IDS,
    &facts::FIRST,
    &facts::LAST,
    &facts::RATE,
    &facts::PART,
    &facts::GAP,
    &facts::DESCENTS,
    &facts::LEAST,
    &facts::MOST,
    &facts::DISTINCT,
    &facts::ZEROS,
    &facts::SHARE,
    &facts::MISSING,
];

/// What is said where a scheme is asked for whose ids have another width.
pub const OTHER_WIDTH: &str = "the ids are of another width than the scheme's";

/// Ids in a batch.
const BATCH: usize = 4096;

/// What `--as` asks for.
pub enum As {
    /// A scheme, and the kinds that its ids may be written as.
    Scheme(Spec, Vec<Kind>),
    /// A kind.
    Kind(Kind),
}

impl As {
    /// The scheme or the kind of this name; no epoch is after `now`.
    pub fn parse(text: &str, now: Timestamp) -> Result<Self> {
        let schemes = SCHEMES.iter().map(|scheme| scheme.name);
        let schemes = schemes.chain(PRESETS.iter().map(|preset| preset.name));
        let kinds = KINDS.iter().map(|(name, _)| *name);
        let spec: Spec = text.parse().map_err(usage)?;
        if schemes.clone().any(|name| name == spec.name) {
            let kinds = scheme::visit(&spec, KindsOf).map_err(usage)?;
            if scheme::visit(&spec, EpochOf).map_err(usage)? > now {
                return Err(usage(format!(
                    "--as {text}: its epoch lies in the future, expected at most {}, which is today (or --now)",
                    date(now.0.into())
                )));
            }
            return Ok(Self::Scheme(spec, kinds));
        }
        match KINDS.iter().find(|(name, _)| *name == text) {
            Some((_, kind)) => Ok(Self::Kind(*kind)),
            None => {
                let hint = names::nearest(&spec.name, schemes.chain(kinds));
                Err(usage(format!(
                    "--as {text}: unknown scheme or kind of id{hint}"
                )))
            }
        }
    }

    /// The kinds that ids may be written as.
    pub fn kinds(&self) -> Vec<Kind> {
        match self {
            Self::Scheme(_, kinds) => kinds.clone(),
            Self::Kind(kind) => vec![*kind],
        }
    }
}

pub fn run(args: &Args, path: &Path, now: Timestamp) -> Result<()> {
    let wanted = args.as_scheme.as_deref();
    let wanted = wanted.map(|text| As::parse(text, now)).transpose()?;
    let label = Input::dump(path, None)?.label();
    let kinds = wanted.as_ref().map(As::kinds).unwrap_or_default();
    let name = match path == Path::new("-") {
        true => label.clone(),
        false => path.display().to_string().escape_debug().to_string(),
    };
    let input = BufReader::with_capacity(1 << 16, input::raw(path)?);
    let mut dump = Dump::list(input, &kinds).context(name.clone())?;
    let (recognised, spec) = match wanted {
        Some(As::Scheme(spec, _)) => (None, Some(spec)),
        _ => {
            let heads = dump.kinds().into_iter().map(|kind| (kind, dump.head(kind)));
            let found = recognise::recognise(&heads.collect::<Vec<_>>(), now);
            let spec = match found.best() {
                Some(best) => {
                    dump.choose(best.kind);
                    Some(best.spec.parse().map_err(usage)?)
                }
                None => None,
            };
            (Some(found), spec)
        }
    };
    let (kind, report) = (dump.kind(), dump.report());
    let params = Parameters::from([
        ("read".to_owned(), label.clone().into()),
        ("as".to_owned(), args.as_scheme.clone().into()),
        ("charts".to_owned(), args.charts.into()),
        ("now".to_owned(), date(now.0.into()).into()),
    ]);
    let output = OutputArgs {
        seed: args.seed,
        out: args.out.clone().unwrap_or_else(|| PathBuf::from("results")),
        format: args.format.unwrap_or(Format::Table),
        threads: None,
    };
    let mut recorder = Recorder::start("ids", &output, params)?;
    let mut list = List {
        digest: recorder.digest().to_owned(),
        rows: Rows::new(recorder.digest(), &label, "", Parameters::new()),
        title: String::new(),
        label,
        kind,
        spec,
        recognised,
        ids: 0,
        lines: Lines::default(),
        now,
    };
    let (ids, ends) = match dump.into_stream().keys {
        AnySource::Bytes8(keys) => observe(keys, &list),
        AnySource::Bytes16(keys) => observe(keys, &list),
        AnySource::Bytes20(keys) => observe(keys, &list),
    }
    .context(name)?;
    list.ids = ids;
    let report = report
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    list.lines = report.lines_of_ids.clone();
    list.title = input::describe(&list.label, kind, &report);
    let found: Vec<Section> = ends.into_iter().flat_map(|end| end(&list)).collect();
    let mut texts = Vec::new();
    for section in found {
        recorder.add(section.rows, None);
        for grid in section.grids {
            recorder.add(Vec::new(), Some(grid));
        }
        texts.push(section.text);
    }
    let text = texts.join("\n\n");
    recorder.finish(
        |records| match args.charts {
            true => chart::ids(records),
            false => Ok(Vec::new()),
        },
        |_| text.clone(),
    )
}

/// What is said of a list, in this order.
fn sections<K: Key>(list: &List) -> Result<Vec<Box<dyn Observer<K>>>> {
    let mut sections: Vec<Box<dyn Observer<K>>> = vec![Box::new(recognised::Heading)];
    let mut layout = Vec::new();
    if let Some(spec) = &list.spec {
        sections.extend(facts::of(spec)?);
        layout = scheme::visit_keys(spec, FieldsOf).map_err(usage)?;
    }
    sections.push(Box::new(Statistics::new(list, layout)));
    let (of_type, is_read) = match &list.spec {
        Some(spec) => (Some(spec.clone()), true),
        None => (any_of(list.kind)?, false),
    };
    if let Some(spec) = of_type {
        sections.extend(scheme::visit(&spec, Outsider::new(is_read)).map_err(usage)?);
    }
    Ok(sections)
}

/// A scheme whose ids are written as this kind, if there is one.
fn any_of(kind: Kind) -> Result<Option<Spec>> {
    for scheme in SCHEMES {
        let spec: Spec = scheme.name.parse().map_err(usage)?;
        if scheme::visit(&spec, KindsOf).map_err(usage)?.first() == Some(&kind) {
            return Ok(Some(spec));
        }
    }
    Ok(None)
}

/// The instant of tick 0, 1970 if there is no clock.
struct EpochOf;

impl Visitor for EpochOf {
    type Output = Timestamp;

    fn visit<S: Scheme>(self, scheme: S) -> Timestamp {
        let zero = S::Id::from_key(Default::default());
        scheme.timestamp(zero).unwrap_or_default()
    }
}

/// The fields of a scheme.
struct FieldsOf;

impl Visitor for FieldsOf {
    type Output = Vec<Field>;

    fn visit<S: Scheme>(self, scheme: S) -> Vec<Field> {
        scheme.fields()
    }
}

/// What an observer says when the list has ended.
type End = Box<dyn FnOnce(&List) -> Vec<Section>>;

/// Shows all keys to all observers; returns how many there were.
fn observe<K: Key>(mut keys: Box<dyn Source<K>>, list: &List) -> Result<(u64, Vec<End>)> {
    let mut observers = sections::<K>(list)?;
    let bar = recorder::progress_of(None, "ids");
    let (mut batch, mut ids) = (Vec::with_capacity(BATCH), 0);
    loop {
        batch.clear();
        keys.fill(&mut batch, BATCH)?;
        if batch.is_empty() {
            break;
        }
        ids += batch.len() as u64;
        bar.inc(batch.len() as u64);
        observers
            .iter_mut()
            .for_each(|observer| observer.see(&batch));
    }
    bar.finish_and_clear();
    let end = |observer: Box<dyn Observer<K>>| -> End { Box::new(|list| observer.sections(list)) };
    Ok((ids, observers.into_iter().map(end).collect()))
}

/// The best fit and what is equal to it, in words; nothing if the scheme was given.
fn equals(recognised: &Recognised) -> String {
    let names: Vec<_> = recognised
        .equals
        .iter()
        .flat_map(|fit| fit.names())
        .collect();
    names.join(", ")
}
