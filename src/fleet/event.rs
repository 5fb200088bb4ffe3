//! What comes out of a fleet.

use crate::clock::Timestamp;

/// An id with where and when it was issued.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Issued<I> {
    /// True time of its insertion.
    pub inserted: Timestamp,
    /// Its number in the order of arrival.
    pub number: u64,
    /// The id.
    pub id: I,
    /// True time at which it was asked for.
    pub asked: Timestamp,
    /// True time of its minting.
    pub minted: Timestamp,
    /// The writer that issued it.
    pub writer: u32,
}

/// Why a call got no id.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Cause {
    /// The clock was behind the last id.
    ClockBehind,
    /// The clock was outside of the scheme's range.
    OutOfRange,
    /// The process was down, or was restarted while the call waited.
    Down,
    /// The writer had no number under which it may mint.
    NoNumber,
}

/// A call that got no id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Refused {
    /// True time of the refusal.
    pub at: Timestamp,
    /// True time at which the id was asked for.
    pub asked: Timestamp,
    /// The writer that refused it.
    pub writer: u32,
    /// Why.
    pub cause: Cause,
}

/// What comes out of a fleet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Event<I> {
    /// A row is inserted.
    Row(Issued<I>),
    /// A call is refused.
    Refused(Refused),
}
