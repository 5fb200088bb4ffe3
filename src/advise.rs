//! Which scheme to take: requirements in, options ranked by what was measured out.
//!
//! 1. [`Asked`] says what is required, [`CANDIDATES`] what there is to choose from.
//! 2. A [`Choice`] is a candidate with what its writers do when their clocks go back, what a
//!    sharded store is sharded by, and whether a random id for the public stands beside it.
//! 3. Each requirement is a [`Check`]: a figure and the bound that it must keep. Figures come
//!    from a scheme's fields and limits, closed forms, and short seeded runs of fleet and store.
//! 4. A choice that fits has kept all bounds, and all were looked at; those that fit are ranked
//!    by what a row costs ([`Cost`]), near equals sharing a place ([`Criterion`]). There is no other way to be recommended.
//!
//! Not asked: how fast ids are made ([`crate::measure`] has it), what rows cost beside their keys.

mod asked;
mod candidate;
mod check;
mod cost;
mod facts;
mod rank;
mod runs;
mod trial;
mod verdict;

pub use asked::{Asked, Effort, Order, Sharding};
pub use candidate::{CANDIDATES, Candidate};
pub use check::*;
pub use cost::Cost;
pub use facts::{Facts, PUBLIC};
pub use rank::{BYTES, Criterion, READS, VISITS};
pub use runs::RunError;
pub use verdict::{Advice, Choice, Verdict, advise};

#[cfg(test)]
mod tests;
