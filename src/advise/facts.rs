//! What a scheme's fields and limits say.

use super::check::{
    CAPACITY, COLLISION, GUESS, ID_BYTES, SHARED_NUMBER, TELLING_BITS, WORKER_NUMBERS, YEARS_LEFT,
};
use super::{Asked, Bound, Check};
use crate::clock::{NS_PER_MS, NS_PER_S};
use crate::id::Column;
use crate::scheme::{self, FieldKind, Limits, Scheme, Spec, SpecError, Visitor};
use crate::theory::clash::same_number;

/// The scheme of random ids for the public.
pub const PUBLIC: &str = "public_id";

/// Odds that are taken for never.
const NEVER: f64 = 1e-6;
/// Guesses that an outsider is given.
const GUESSES: f64 = 1e9;
/// A scheme must last so long.
const LEAST_YEARS: f64 = 10.0;
const MS_PER_YEAR: f64 = 31_556_952_000.0;

/// What a scheme is.
#[derive(Clone, PartialEq, Debug)]
pub struct Facts {
    /// Its name and parameters.
    pub spec: Spec,
    /// The column of its ids.
    pub column: Column,
    /// Its limits.
    pub limits: Limits,
    /// Random bits.
    pub random_bits: u32,
    /// Bits of a node.
    pub node_bits: u32,
    /// Bits of timestamps, nodes and counters.
    pub telling_bits: u32,
    /// Whether a centre hands out its numbers.
    pub has_centre: bool,
    /// Whether that centre is the store itself: no round trip leads to it.
    pub is_drawn_in_the_store: bool,
    /// Whether a writer's ids ascend.
    pub ascends: bool,
    /// Whether all bits of the column are in use, so that a signed one will sort wrongly.
    pub is_unsigned: bool,
}

struct Read(Spec);

impl Visitor for Read {
    type Output = Facts;

    fn visit<S: Scheme>(self, scheme: S) -> Facts {
        let fields = scheme.fields();
        let bits = |wanted: &[FieldKind]| {
            let of = fields.iter().filter(|field| wanted.contains(&field.kind));
            of.map(|field| field.bits).sum()
        };
        let first = fields.first().map(|field| field.kind);
        let has_centre = scheme.visits().is_some();
        let is_afar = self.0.params.iter().any(|(name, _)| name == "rtt_us");
        Facts {
            spec: self.0,
            column: scheme.column(),
            limits: scheme.limits(),
            random_bits: bits(&[FieldKind::Random]),
            node_bits: bits(&[FieldKind::Node]),
            telling_bits: bits(&[FieldKind::Timestamp, FieldKind::Node, FieldKind::Counter]),
            has_centre,
            is_drawn_in_the_store: has_centre && !is_afar,
            ascends: scheme.ascends(),
            is_unsigned: scheme.column() == Column::Bigint && first != Some(FieldKind::Fixed),
        }
    }
}

impl Facts {
    /// Those of the scheme of this name and parameters.
    ///
    /// # Errors
    /// An unknown name or parameter, or a value that does not fit.
    pub fn of(text: &str) -> Result<Self, SpecError> {
        let spec: Spec = text.parse()?;
        scheme::visit_keys(&spec, Read(spec.clone()))
    }

    /// Ids that are minted in a tick and told apart by nothing but their random bits: at most.
    fn ids_in_a_tick(&self, asked: &Asked) -> f64 {
        let rows = asked.rows as f64;
        match self.limits.tick_ns {
            Some(tick_ns) => (asked.rate as f64 * tick_ns as f64 / NS_PER_S as f64).min(rows),
            None => rows,
        }
    }

    /// Odds that two of all rows have one id. Nothing where a centre or a number of its own
    /// keeps a writer's ids apart from all others'.
    fn collision_odds(&self, asked: &Asked) -> Option<f64> {
        if self.has_centre || self.limits.writers.is_some() {
            return None;
        }
        // Writers that draw a node once clash by their nodes, others by each of their ids.
        let pairs = match (self.node_bits, self.random_bits) {
            (0, 0) => return None,
            (0, random) => asked.rows as f64 * self.ids_in_a_tick(asked) / 2.0 / pow2(random),
            (node, _) => {
                let nodes = f64::from(asked.nodes);
                nodes * (nodes - 1.0) / 2.0 / pow2(node)
            }
        };
        Some(-libm::expm1(-pairs))
    }

    /// Requirements that need no run; `shown` are the ids that outsiders see.
    pub(super) fn checks(&self, asked: &Asked, shown: &Facts) -> Vec<Check> {
        let mut checks = Vec::new();
        let mut check = |asked, measured, value, bound| {
            checks.push(Check {
                asked,
                measured,
                value,
                bound,
            });
        };
        if let Some(bytes) = asked.bytes {
            let own = f64::from(self.column.value_bytes());
            check("--bytes", &ID_BYTES, own, Bound::AtMost(bytes.into()));
        }
        if let (Some(ids), Some(tick_ns)) = (self.limits.ids_per_tick, self.limits.tick_ns) {
            let per_s = ids as f64 * (NS_PER_S as f64 / tick_ns as f64) * f64::from(asked.nodes);
            check(
                "--rate",
                &CAPACITY,
                per_s,
                Bound::AtLeast(asked.rate as f64),
            );
        }
        if let Some(ms) = self.limits.exhausted_unix_ms {
            let left = (ms as f64 - (asked.start().0 / NS_PER_MS) as f64) / MS_PER_YEAR;
            check("life", &YEARS_LEFT, left, Bound::AtLeast(LEAST_YEARS));
        }
        if let Some(numbers) = self.limits.writers {
            let least = Bound::AtLeast(asked.nodes.into());
            check("--nodes", &WORKER_NUMBERS, numbers as f64, least);
            if !asked.registry {
                let odds = same_number(asked.nodes.into(), numbers);
                check("--registry", &SHARED_NUMBER, odds, Bound::AtMost(NEVER));
            }
        }
        if let Some(odds) = self.collision_odds(asked) {
            check("--rows", &COLLISION, odds, Bound::AtMost(NEVER));
        }
        if asked.public {
            let telling = f64::from(shown.telling_bits);
            check("--public", &TELLING_BITS, telling, Bound::AtMost(0.0));
            let odds = -libm::expm1(-(asked.rows as f64) * GUESSES / pow2(shown.random_bits));
            check("--public", &GUESS, odds, Bound::AtMost(NEVER));
        }
        checks
    }
}

/// 2 to the power of `bits`.
fn pow2(bits: u32) -> f64 {
    libm::exp2(bits.into())
}
