//! idlab: what a unique-id scheme costs the database that stores its ids.
//!
//! 1. A [`scheme`] turns a clock reading and randomness into an [`id`].
//! 2. A [`fleet`] of writers, each with its own clock, yields one stream of ids.
//! 3. A [`store`] consumes the stream and emits events (insert, split, a page that is
//!    asked for); a [`pool`] answers requests for pages, or reads them.
//!    A cluster of [`shards`] takes the stream the same way.
//! 4. A [`measure`] folds events into numbers with units; a [`record`] keeps
//!    them with their provenance.
//! 5. A [`chart`] only ever reads records.
//!
//! A [`gate`] tells whether one program is slower than another.
//!
//! [`theory`] has the closed forms that trees, pools and clusters are held to.

#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod advise;
pub mod chart;
pub mod clock;
pub mod dump;
pub mod duration;
pub mod engine;
pub mod fleet;
pub mod gate;
pub mod id;
pub mod inspect;
pub mod layout;
pub mod measure;
pub mod names;
pub mod pool;
pub mod random;
pub mod record;
pub mod reference;
pub mod scheme;
pub mod shards;
pub mod source;
pub mod store;
pub mod theory;
