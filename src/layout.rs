//! Layouts: how the bits of an id are shared between time, writers and counting, how long that
//! lasts and what it holds; and what an id's width costs where it is stored.
//!
//! A [`Layout`] is typed (`41/10/12`) or a scheme's; with a tick and an epoch it is a
//! [`Budget`]. [`Workers`] are a fleet that looks for numbers, [`Storage`] what the copies of
//! an id take in an engine.

mod budget;
mod date;
mod split;
mod storage;
mod workers;

pub use budget::Budget;
pub use date::{date, time};
pub use split::{Layout, LayoutError};
pub use storage::{ENGINES, Storage, Table};
pub use workers::Workers;
