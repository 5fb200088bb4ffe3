//! The gate: whether one program does its work slower than another.
//!
//! Two workers, one built from the base and one from the head, do the same work: they are
//! spoken to by a [`protocol`]. Their instructions are counted and their times compared in
//! [pairs](Bounds); a [`Judgement`] follows from both. Nothing here reads a clock or starts
//! a program.

mod bounds;
mod case;
mod judgement;
pub mod protocol;

pub use bounds::{Bounds, binomial_at_most, share_at_least, share_at_most};
pub use case::{BULK_IDS, CaseError, Work, names, work};
pub use judgement::{COUNT_FLAGGED, COUNT_NOTED, Judgement, RATIO_LIMIT, Verdict};
