//! `sim ids --decode ID`: the fields of given ids, by one scheme or by every one that fits.

use super::read::{self, As};
use super::{Decoder, fixed};
use anyhow::{Context, Result, bail};
use idlab::clock::Timestamp;
use idlab::dump::{Dump, Head, Kind};
use idlab::id::{Id, Key};
use idlab::inspect::recognise::{self, Fit};
use idlab::scheme::{self, Scheme, Spec, Visitor};
use std::any::Any;
use std::io::{Cursor, Write};

/// Prints the fields of these ids.
pub fn run(ids: &[String], as_scheme: Option<&str>, now: Timestamp) -> Result<()> {
    let wanted = as_scheme.map(|text| As::parse(text, now)).transpose()?;
    let kinds = wanted
        .as_ref()
        .map(|wanted| wanted.kinds())
        .unwrap_or_default();
    let ids: Vec<_> = ids.iter().flat_map(|text| text.split([',', ' '])).collect();
    let dump = Dump::list(Cursor::new(ids.join("\n")), &kinds).context("--decode")?;
    let mut stdout = std::io::stdout().lock();
    if let Some(As::Scheme(spec, _)) = &wanted {
        let table = table(&spec.to_string(), &dump.head(dump.kind()))?;
        return Ok(writeln!(stdout, "{table}")?);
    }
    let heads: Vec<_> = dump
        .kinds()
        .into_iter()
        .map(|kind| (kind, dump.head(kind)))
        .collect();
    let found = recognise::recognise(&heads, now);
    if found.equals.is_empty() {
        let what = match ids.as_slice() {
            [id] => format!("the {} {}", dump.kind().singular(), id.escape_debug()),
            _ => format!("all of these {}", dump.kind()),
        };
        bail!("--decode: no scheme of `sim list schemes` fits {what}");
    }
    for fit in found.equals.iter().chain(&found.others) {
        writeln!(
            stdout,
            "{}\n{}\n",
            heading(fit),
            table(&fit.spec, &dump.head(fit.kind))?
        )?;
    }
    if let Some(note) = found.best().and_then(read::epoch) {
        writeln!(stdout, "{note}")?;
    }
    Ok(())
}

fn heading(fit: &Fit) -> String {
    let names: Vec<_> = fit.names().collect();
    format!("{}: {}", names.join(", "), fit.why)
}

/// The fields of keys by a scheme.
fn table(spec: &str, head: &Head) -> Result<String> {
    let spec: Spec = spec.parse().map_err(crate::args::usage)?;
    let table = match head {
        Head::Bytes8(keys) => scheme::visit(&spec, Fields(&spec, keys)),
        Head::Bytes16(keys) => scheme::visit(&spec, Fields(&spec, keys)),
        Head::Bytes20(keys) => scheme::visit(&spec, Fields(&spec, keys)),
    };
    table
        .map_err(crate::args::usage)?
        .context(read::OTHER_WIDTH)
}

struct Fields<'a, K>(&'a Spec, &'a [K]);

impl<K: Key> Visitor for Fields<'_, K> {
    type Output = Option<String>;

    fn visit<S: Scheme>(self, scheme: S) -> Option<String> {
        let mut decoder = Decoder::new(&scheme, false);
        let mut spans: Vec<(u128, u128)> = Vec::new();
        for key in self.1 {
            let key: &dyn Any = key;
            let id = S::Id::from_key(*key.downcast_ref::<<S::Id as Id>::Key>()?);
            decoder.add(&scheme, id, None);
            let values = scheme.decode(id).into_iter().map(|(_, value)| value);
            match spans.as_mut_slice() {
                [] => spans.extend(values.map(|value| (value, value))),
                spans => spans
                    .iter_mut()
                    .zip(values)
                    .for_each(|(span, value)| *span = (span.0.min(value), span.1.max(value))),
            }
        }
        let misfit = fixed::misfit(&scheme, &self.0.to_string(), spans);
        let parts = std::iter::once(decoder.table()).chain(misfit);
        Some(parts.collect::<Vec<_>>().join("\n"))
    }
}

/// What the ids of a scheme may be written as: its own kind, and what columns make of it.
pub struct KindsOf;

impl Visitor for KindsOf {
    type Output = Vec<Kind>;

    fn visit<S: Scheme>(self, _: S) -> Vec<Kind> {
        let own = Kind::of::<S::Id>();
        let stored: &[Kind] = match own.bits() {
            64 => &[Kind::Unsigned, Kind::Hex(8)],
            96 => &[Kind::Hex(12)],
            128 if own != Kind::SqlGuid => &[Kind::Uuid, Kind::Hex(16)],
            160 => &[Kind::Hex(20)],
            _ => &[],
        };
        let others = stored.iter().copied().filter(|kind| *kind != own);
        std::iter::once(own).chain(others).collect()
    }
}
