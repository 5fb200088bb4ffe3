//! What a list of ids says: which scheme made them, what their bits are, and what an
//! outsider learns.
//!
//! Observers take the keys of a list batch by batch in the order of arrival, in bounded
//! memory, and are asked for what they saw at the end.

mod bits;
mod columns;
pub mod comparator;
pub mod comparators;
mod course;
mod estimate;
pub mod facts;
mod heat;
pub mod leaks;
mod order;

mod random;
pub mod recognise;
pub mod widths;

pub use bits::{
    BIT_CHANGE_RATE, BIT_ENTROPY, BIT_ONES_SHARE, BIT_Z_BOUND, BITS_BY_CLASS, Bit, BitRun, Bits,
    Class, Disagreement, Tally, bit_runs, disagreements,
};
pub use course::{Course, EQUAL_STEPS, STEPS_BY_LOG2, VALUES_BY_ARRIVAL};
pub use estimate::Estimate;
pub use heat::ONES_BY_BIT;
pub use order::{
    Arrival, BLOCK_IDS, BLOCK_INVERSIONS, COMMON_PREFIX_BITS, DESCENTS, KENDALL_TAU,
    LATE_DISPLACEMENT, LATE_IDS, LIST_IDS, LONGEST_RUN, Order, REPEATED_IDS, Repeated, Repeats,
    TIES, TREE_IDS,
};
pub use random::{
    COMMON_BYTE_ENTROPY, RANDOMNESS_P, Randomness, SAMPLE_IDS, TESTED_BITS, Test, Tested, Verdict,
    claimed,
};

use crate::record::Measured;

/// What observers of a list measure, in the order of `sim list`.
pub const INSPECT_MEASURES: &[&Measured] = &[
    &BIT_ONES_SHARE,
    &BIT_CHANGE_RATE,
    &BIT_ENTROPY,
    &BITS_BY_CLASS,
    &BIT_Z_BOUND,
    &ONES_BY_BIT,
    &TESTED_BITS,
    &RANDOMNESS_P,
    &COMMON_BYTE_ENTROPY,
    &LIST_IDS,
    &DESCENTS,
    &TIES,
    &LATE_IDS,
    &LATE_DISPLACEMENT,
    &BLOCK_INVERSIONS,
    &KENDALL_TAU,
    &LONGEST_RUN,
    &REPEATED_IDS,
    &COMMON_PREFIX_BITS,
    &VALUES_BY_ARRIVAL,
    &STEPS_BY_LOG2,
    &EQUAL_STEPS,
];
