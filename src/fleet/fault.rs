//! Faults: what goes wrong, when, and for whom, as a schedule that a run follows.

mod plan;
mod size;

pub use plan::{FaultPlan, MAX_FAULTS, PlanError};

use crate::clock::Timestamp;

/// What goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Trouble {
    /// The writer's wall clock is set forwards or, negative, back; its monotonic clock is not.
    Step {
        /// By how much.
        by_ns: i64,
    },
    /// The writer's process stops and goes on later (garbage collection, a busy host); its clocks run on.
    Pause {
        /// For how long.
        for_ns: u64,
    },
    /// The writer's machine stops and goes on later (suspend, migration); its clocks stop with it
    /// and its wall clock stays late until it is corrected.
    Suspend {
        /// For how long.
        for_ns: u64,
    },
    /// The writer's process ends, forgets all that it has not stored, and is started again.
    Restart {
        /// Time between end and start.
        down_ns: u64,
    },
    /// The writer cannot reach the registry of worker numbers; its messages, both ways, are lost.
    Partition {
        /// For how long.
        for_ns: u64,
    },
    /// The registry of worker numbers, or the server of tickets, is down for everybody; it forgets nothing.
    Outage {
        /// For how long.
        for_ns: u64,
    },
}

/// Something that goes wrong at a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Fault {
    /// True time.
    pub at: Timestamp,
    /// Whom it hits; of no meaning for [`Trouble::Outage`].
    pub writer: u32,
    /// What goes wrong.
    pub trouble: Trouble,
}
