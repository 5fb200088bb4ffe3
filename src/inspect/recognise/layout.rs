//! Layouts of 64 bits with a timestamp: how many bits a list takes that is written as ticks,
//! nodes and sequences.

use super::cost::{Residuals, Symbols, gamma};
use super::{Fit, Head64, is_plausible};
use crate::clock::Timestamp;
use crate::dump::Kind;
use crate::id::{Id, low_bits};
use crate::names::plural;
use crate::scheme::{self, FieldKind, Scheme, Visitor};
use std::collections::BTreeMap;

/// How sequence numbers follow each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sequences {
    /// From 0 in each tick of a node.
    Restart,
    /// On from tick to tick; lists of real ones also show restarts.
    Run,
    /// From anywhere in each tick of a node.
    Anywhere,
}

/// A layout to try.
struct Candidate {
    spec: &'static str,
    /// Names of what has the same layout.
    also: &'static [&'static str],
    sequences: Sequences,
    /// What speaks against it before any id is seen, in bits.
    prior_bits: f64,
}

const fn candidate(
    spec: &'static str,
    also: &'static [&'static str],
    sequences: Sequences,
) -> Candidate {
    Candidate {
        spec,
        also,
        sequences,
        prior_bits: 0.0,
    }
}

const CANDIDATES: &[Candidate] = &[
    candidate("snowflake", &["twitter"], Sequences::Restart),
    candidate("discord", &["running_sequence"], Sequences::Run),
    candidate("instagram", &[], Sequences::Run),
    candidate("mastodon", &[], Sequences::Anywhere),
    candidate("sonyflake", &[], Sequences::Restart),
    candidate("baidu", &["baidu_cached"], Sequences::Restart),
    candidate("unique_rowid", &[], Sequences::Restart),
    candidate("tsid", &[], Sequences::Anywhere),
    candidate("snowflake:epoch_ms=unix", &[], Sequences::Restart),
    // No service is known to have it.
    Candidate {
        prior_bits: 10.0,
        ..candidate("snowflake:first=worker", &[], Sequences::Restart)
    },
];

/// Shortest time since its epoch that an instant is believed.
const LEAST_AGE_NS: u64 = 86_400 * 1_000_000_000;
/// Ways in which a tick or a node can be told from another: about 50 years.
const WINDOW_NS: f64 = 1.6e18;
/// The most that nodes whose sequence numbers begin above 0 speak against a restart: such ids
/// are left where a list is a sample.
const MOST_AGAINST_RESTART: f64 = 6.0;

/// A run of bits.
#[derive(Clone, Copy, Default)]
struct Part {
    shift: u32,
    bits: u32,
}

impl Part {
    fn of(self, id: u64) -> u64 {
        low_bits(u128::from(id >> self.shift), self.bits) as u64
    }

    /// This one and the one right below it.
    fn and(self, shift: u32, bits: u32) -> Self {
        Self {
            shift,
            bits: self.bits + bits,
        }
    }
}

/// Where a scheme's fields are.
#[derive(Clone, Copy, Default)]
struct Layout {
    fixed: u64,
    ticks: Part,
    node: Part,
    sequence: Part,
    epoch_ns: u64,
    tick_ns: u64,
}

struct LayoutOf;

impl Visitor for LayoutOf {
    type Output = Layout;

    fn visit<S: Scheme>(self, scheme: S) -> Layout {
        let mut layout = Layout::default();
        let mut shift = S::Id::BITS;
        for field in scheme.fields() {
            shift -= field.bits;
            let part = match field.kind {
                FieldKind::Timestamp => &mut layout.ticks,
                FieldKind::Node => &mut layout.node,
                FieldKind::Counter | FieldKind::Random => &mut layout.sequence,
                FieldKind::Fixed => {
                    layout.fixed |= (low_bits(u128::MAX, field.bits) as u64) << shift;
                    continue;
                }
            };
            *part = part.and(shift, field.bits);
        }
        let zero = S::Id::from_key(<S::Id as Id>::Key::default());
        layout.epoch_ns = scheme.timestamp(zero).map_or(0, |at| at.0);
        layout.tick_ns = scheme.limits().tick_ns.unwrap_or(1);
        layout
    }
}

impl Layout {
    fn of(spec: &str) -> Option<Self> {
        scheme::visit(&spec.parse().ok()?, LayoutOf).ok()
    }

    fn instant(&self, id: u64) -> Option<Timestamp> {
        let since = self.ticks.of(id).checked_mul(self.tick_ns)?;
        let at = Timestamp(self.epoch_ns.checked_add(since)?);
        (since >= LEAST_AGE_NS && is_plausible(at)).then_some(at)
    }

    /// First and last instant, if the ids may be of this layout.
    fn span(&self, ids: &[u64]) -> Option<(Timestamp, Timestamp)> {
        let mut span = None;
        for &id in ids {
            let at = self.instant(id).filter(|_| id & self.fixed == 0)?;
            let (first, last) = span.unwrap_or((at, at));
            span = Some((at.min(first), at.max(last)));
        }
        span
    }

    /// Bits of the sequence numbers by what is expected of them.
    fn sequences(&self, ids: &[u64], sequences: Sequences) -> f64 {
        let mut last: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        let (mut residuals, mut anywhere) = (Residuals::default(), 0.0);
        for &id in ids {
            let tick = if sequences == Sequences::Run {
                0
            } else {
                self.ticks.of(id)
            };
            let sequence = self.sequence.of(id);
            match last.insert((tick, self.node.of(id)), sequence) {
                Some(last) => residuals.add(i128::from(sequence) - i128::from(last) - 1),
                None if sequences == Sequences::Restart => residuals.add(sequence.into()),
                None if sequences == Sequences::Run => {
                    anywhere += gamma(sequence).min(f64::from(self.sequence.bits));
                }
                None => anywhere += f64::from(self.sequence.bits),
            }
        }
        residuals.bits() + anywhere
    }

    /// What speaks against a restart: nodes whose least sequence number of a tick is above 0,
    /// unless most begin at 0.
    fn against_restart(&self, ids: &[u64]) -> f64 {
        let mut least: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for &id in ids {
            let sequence = self.sequence.of(id);
            let least = least
                .entry((self.ticks.of(id), self.node.of(id)))
                .or_insert(sequence);
            *least = sequence.min(*least);
        }
        let late = least.values().filter(|least| **least > 0).count();
        match 2 * late > least.len() {
            true => (late as f64).min(MOST_AGAINST_RESTART),
            false => 0.0,
        }
    }

    /// Bits of the whole list.
    fn cost(&self, ids: &[u64], sequences: Sequences) -> f64 {
        let first = libm::log2(WINDOW_NS / self.tick_ns as f64);
        let ticks = Residuals::of(ids.iter().map(|&id| self.ticks.of(id)));
        let mut nodes = Symbols::default();
        ids.iter().for_each(|&id| nodes.add(self.node.of(id)));
        let restart = self.sequences(ids, Sequences::Restart);
        let sequence = match sequences {
            _ if self.sequence.bits == 0 => 0.0,
            Sequences::Restart => restart + self.against_restart(ids),
            Sequences::Run => restart.min(self.sequences(ids, sequences)) + 1.0,
            Sequences::Anywhere => self.sequences(ids, sequences),
        };
        first + ticks + nodes.bits() + sequence
    }

    fn why(&self, ids: &[u64]) -> String {
        let mut nodes: Vec<u64> = ids.iter().map(|&id| self.node.of(id)).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut parts = Vec::new();
        if self.node.bits > 0 {
            let most = nodes.last().copied().unwrap_or_default();
            parts.push(format!("{} to {most}", plural(nodes.len() as u64, "node")));
        }
        if self.sequence.bits > 0 {
            let sequences = ids.iter().map(|&id| self.sequence.of(id));
            let zeros = sequences.clone().filter(|sequence| *sequence == 0).count();
            let percent = 100.0 * zeros as f64 / ids.len() as f64;
            let most = sequences.max().unwrap_or_default();
            parts.push(format!("sequences to {most}, {percent:.1} % are 0"));
        }
        parts.join(", ")
    }
}

/// The layouts whose instants are plausible.
pub fn fits(ids: &Head64, kind: Kind) -> Vec<Fit> {
    let fit = |candidate: &Candidate| {
        let layout = Layout::of(candidate.spec)?;
        let span = layout.span(ids.all)?;
        Some(Fit {
            spec: candidate.spec.to_owned(),
            also: candidate.also.to_vec(),
            kind,
            bits: layout.cost(ids.sample, candidate.sequences) + candidate.prior_bits,
            span: Some(span),
            is_future: false,
            why: layout.why(ids.all),
        })
    };
    CANDIDATES.iter().filter_map(fit).collect()
}
