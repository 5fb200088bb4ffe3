//! What a list of ids says: which scheme made them, what their bits are, and what an
//! outsider learns.
//!
//! Observers take the keys of a list batch by batch in the order of arrival, in bounded
//! memory, and are asked for what they saw at the end.

pub mod facts;
pub mod recognise;
