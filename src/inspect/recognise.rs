//! Which schemes may have made a list of ids, and why.
//!
//! A scheme fits if its fixed bits are in place and its instants lie in [`PLAUSIBLE`]. Of those
//! that fit, the one is best that describes the list in the fewest bits: where ticks follow
//! each other closely, nodes are few and sequences go on as they should. Schemes within
//! [`MARGIN_BITS`] of the best are equals: the list does not tell them apart.
//!
//! Not known from any list: the epoch. A layout with another one fits as well, with all
//! instants shifted. So equals whose instants are still to come stand behind the others.

mod cost;
mod counter;
mod layout;
mod text;
mod uuid;

use crate::clock::Timestamp;
use crate::dump::{Head, Kind};
use crate::id::{Id, Key};
use crate::scheme::{self, Scheme, Visitor};
use std::any::Any;
use std::ops::Range;

/// Instants that are believed: 2000-01-01 to 2050-01-01.
pub const PLAUSIBLE: Range<Timestamp> =
    Timestamp::from_ms(946_684_800_000)..Timestamp::from_ms(2_524_608_000_000);
/// Schemes are equals whose descriptions differ by less: odds below 4,096 to 1.
pub const MARGIN_BITS: f64 = 12.0;
/// Ids whose description is measured; for all others of the head it is enough that they fit.
const SAMPLE_IDS: usize = 4096;
/// An instant by so much after now is in the future, whatever the clocks.
const CLOCK_ERROR_NS: u64 = 86_400 * 1_000_000_000;
/// What instants speak against a scheme that are not plausible.
const IMPLAUSIBLE_BITS: f64 = 1e9;

/// A scheme that fits.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// The scheme with its parameters, as `--as` takes it.
    pub spec: String,
    /// Names of others that make the same ids.
    pub also: Vec<&'static str>,
    /// The kind that the ids are read as.
    pub kind: Kind,
    /// Bits in which the list is described; 0 where the form alone decides.
    pub bits: f64,
    /// First and last instant of the ids that were looked at.
    pub span: Option<(Timestamp, Timestamp)>,
    /// Whether the last instant is still to come.
    pub is_future: bool,
    /// What speaks for it.
    pub why: String,
}

impl Fit {
    /// Whether its instants are believed.
    fn plausible(&self) -> bool {
        self.bits < IMPLAUSIBLE_BITS
    }

    /// Its names: the spec, then the others.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.spec).chain(self.also.iter().copied())
    }
}

/// What fits a list.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Recognised {
    /// The best, and what cannot be told from it; empty if no scheme fits.
    pub equals: Vec<Fit>,
    /// What fits worse, from the best.
    pub others: Vec<Fit>,
}

impl Recognised {
    /// The best fit.
    pub fn best(&self) -> Option<&Fit> {
        self.equals.first()
    }
}

/// Numbers that a list begins with.
struct Head64<'a> {
    all: &'a [u64],
    /// The first of them.
    sample: &'a [u64],
}

/// The schemes that the first ids of a list may be of, by each kind that they may be, to one who
/// asks at the time `now`.
pub fn recognise(heads: &[(Kind, Head)], now: Timestamp) -> Recognised {
    let latest = now.later(CLOCK_ERROR_NS);
    let mut fits: Vec<Fit> = heads
        .iter()
        .filter(|(kind, _)| {
            !heads
                .iter()
                .any(|(other, _)| stored_as(*kind) == Some(*other))
        })
        .flat_map(|(kind, head)| fits(*kind, head))
        .collect();
    for fit in &mut fits {
        fit.is_future = fit.span.is_some_and(|(_, last)| last > latest);
        if fit.is_future && fit.plausible() {
            fit.why = format!("in the future; {}", fit.why);
        }
    }
    fits.sort_by(|a, b| a.bits.total_cmp(&b.bits));
    let Some(least) = fits.first().map(|fit| fit.bits) else {
        return Recognised::default();
    };
    let bound = least + MARGIN_BITS;
    let equals = fits.iter().take_while(|fit| fit.bits <= bound).count();
    let others = fits.split_off(equals);
    fits.sort_by_key(|fit| fit.is_future);
    Recognised {
        equals: fits,
        others,
    }
}

/// Whether an instant is believed.
fn is_plausible(at: Timestamp) -> bool {
    PLAUSIBLE.contains(&at)
}

/// The kind that hex strings of a width are in a column of bytes.
fn stored_as(kind: Kind) -> Option<Kind> {
    match kind {
        Kind::Hex(12) => Some(Kind::ObjectId),
        Kind::Hex(16) => Some(Kind::Uuid),
        Kind::Hex(20) => Some(Kind::Ksuid),
        _ => None,
    }
}

fn fits(kind: Kind, head: &Head) -> Vec<Fit> {
    if let Some(stored) = stored_as(kind) {
        let fits = fits(stored, head).into_iter();
        let fits = fits.filter(|fit| fit.kind == stored);
        return fits.map(|fit| Fit { kind, ..fit }).collect();
    }
    match (kind, head) {
        (Kind::Uuid | Kind::SqlGuid, Head::Bytes16(ids)) => uuid::fits(ids),
        (Kind::Tsid, Head::Bytes8(ids)) => {
            let fits = layout::fits(&sampled(ids), kind);
            fits.into_iter().filter(|fit| fit.spec == "tsid").collect()
        }
        (Kind::Decimal, Head::Bytes8(ids)) => {
            let ids: Vec<u64> = ids.iter().map(|id| id ^ 1 << 63).collect();
            numbers(&ids, kind)
        }
        (Kind::Unsigned | Kind::Hex(8), Head::Bytes8(ids)) => numbers(ids, kind),
        _ => text::fits(kind, head),
    }
}

fn sampled(ids: &[u64]) -> Head64<'_> {
    let sample = &ids[..ids.len().min(SAMPLE_IDS)];
    Head64 { all: ids, sample }
}

fn numbers(ids: &[u64], kind: Kind) -> Vec<Fit> {
    let ids = sampled(ids);
    let mut fits = layout::fits(&ids, kind);
    // What takes as much as the numbers themselves explains nothing.
    let most = ids.all.iter().max().copied().unwrap_or_default();
    let plain = f64::from(64 - most.leading_zeros()) * ids.sample.len() as f64;
    fits.retain(|fit| fit.bits < 0.98 * plain + 64.0);
    fits.extend(counter::fits(&ids, kind));
    fits
}

/// First and last instant by a scheme, if it has a clock, and whether all are plausible; `None`
/// if its keys are others.
fn span_of<K: Key>(spec: &str, keys: &[K]) -> Option<(Option<(Timestamp, Timestamp)>, bool)> {
    struct Span<'a, K>(&'a [K]);

    impl<K: Key> Visitor for Span<'_, K> {
        type Output = Option<(Option<(Timestamp, Timestamp)>, bool)>;

        fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
            let (mut span, mut plausible) = (None, true);
            for key in self.0 {
                let key: &dyn Any = key;
                let key = key.downcast_ref::<<S::Id as Id>::Key>()?;
                if let Some(at) = scheme.timestamp(S::Id::from_key(*key)) {
                    plausible &= is_plausible(at);
                    let (first, last) = span.unwrap_or((at, at));
                    span = Some((at.min(first), at.max(last)));
                }
            }
            Some((span, plausible))
        }
    }
    scheme::visit(&spec.parse().ok()?, Span(keys)).ok()?
}

#[cfg(test)]
mod tests;
