//! Trials: policies in random schedules of faults, and the shortest schedule that fails one.

mod numbering;
mod safety;
mod schedule;
mod shrink;

pub use numbering::Numbering;
pub use safety::{
    Against, Policy, SAFE_NUMBERS, SAFE_POLICIES, Trial, UNSAFE_NUMBERS, UNSAFE_POLICIES,
};
pub use schedule::{MOST_FAULTS, Schedule};
pub use shrink::shrink;
