//! A scheme behind a pointer: what takes any scheme with this type of id is compiled once.

use super::{Field, Limits, Rollback, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::{Column, Id};
use rand::Rng;
use std::any::Any;
use std::fmt;

/// Any scheme whose ids are of type `I`. Its ids are the scheme's own; a call costs a few
/// nanoseconds more.
pub struct Boxed<I: Id>(Box<dyn Erased<I>>);

impl<I: Id> Boxed<I> {
    /// `scheme` behind a pointer.
    pub fn new<S: Scheme<Id = I>>(scheme: S) -> Self {
        Self(Box::new(scheme))
    }
}

impl<I: Id> fmt::Debug for Boxed<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

impl<I: Id> Clone for Boxed<I> {
    fn clone(&self) -> Self {
        Self(self.0.boxed())
    }
}

/// A writer whose type is forgotten.
type AnyWriter = Box<dyn Any + Send>;

/// [`Scheme`] without what a pointer cannot have: types of its own, and parameters of types.
trait Erased<I: Id>: Send + Sync {
    fn boxed(&self) -> Box<dyn Erased<I>>;
    fn name(&self) -> &'static str;
    fn column(&self) -> Column;
    fn text_chars(&self) -> Option<u32>;
    fn fields(&self) -> Vec<Field>;
    fn limits(&self) -> Limits;
    fn writer(&mut self, number: u32) -> Result<AnyWriter, WriterError>;
    fn mint(
        &mut self,
        writer: &mut AnyWriter,
        clock: &dyn Clock,
        random: &mut dyn Rng,
    ) -> Result<I, Stall>;
    fn fill(
        &mut self,
        writer: &mut AnyWriter,
        clock: &dyn Clock,
        random: &mut dyn Rng,
        ids: &mut [I],
    ) -> Result<usize, Stall>;
    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError>;
    fn resume(&self, writer: &mut AnyWriter, floor: Timestamp);
    fn outage(&mut self, from: Timestamp, until: Timestamp);
    fn visits(&self) -> Option<u64>;
    fn ascends(&self) -> bool;
    fn timestamp(&self, id: I) -> Option<Timestamp>;
    fn decode(&self, id: I) -> Vec<(Field, u128)>;
}

/// A clock whose type is forgotten.
struct AnyClock<'a>(&'a dyn Clock);

impl Clock for AnyClock<'_> {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    fn monotonic(&self) -> Timestamp {
        self.0.monotonic()
    }
}

/// The writer as it is.
///
/// # Panics
/// If another scheme made it: a mistake of the caller's code.
fn own<S: Scheme>(writer: &mut AnyWriter) -> &mut S::Writer {
    writer.downcast_mut().expect("a writer of this scheme")
}

impl<S: Scheme> Erased<S::Id> for S {
    fn boxed(&self) -> Box<dyn Erased<S::Id>> {
        Box::new(self.clone())
    }

    fn name(&self) -> &'static str {
        Scheme::name(self)
    }

    fn column(&self) -> Column {
        Scheme::column(self)
    }

    fn text_chars(&self) -> Option<u32> {
        Scheme::text_chars(self)
    }

    fn fields(&self) -> Vec<Field> {
        Scheme::fields(self)
    }

    fn limits(&self) -> Limits {
        Scheme::limits(self)
    }

    fn writer(&mut self, number: u32) -> Result<AnyWriter, WriterError> {
        Ok(Box::new(Scheme::writer(self, number)?))
    }

    fn mint(
        &mut self,
        writer: &mut AnyWriter,
        clock: &dyn Clock,
        mut random: &mut dyn Rng,
    ) -> Result<S::Id, Stall> {
        Scheme::mint(self, own::<S>(writer), &AnyClock(clock), &mut random)
    }

    fn fill(
        &mut self,
        writer: &mut AnyWriter,
        clock: &dyn Clock,
        mut random: &mut dyn Rng,
        ids: &mut [S::Id],
    ) -> Result<usize, Stall> {
        Scheme::fill(self, own::<S>(writer), &AnyClock(clock), &mut random, ids)
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        Scheme::set_rollback(self, rollback)
    }

    fn resume(&self, writer: &mut AnyWriter, floor: Timestamp) {
        Scheme::resume(self, own::<S>(writer), floor);
    }

    fn outage(&mut self, from: Timestamp, until: Timestamp) {
        Scheme::outage(self, from, until);
    }

    fn visits(&self) -> Option<u64> {
        Scheme::visits(self)
    }

    fn ascends(&self) -> bool {
        Scheme::ascends(self)
    }

    fn timestamp(&self, id: S::Id) -> Option<Timestamp> {
        Scheme::timestamp(self, id)
    }

    fn decode(&self, id: S::Id) -> Vec<(Field, u128)> {
        Scheme::decode(self, id)
    }
}

impl<I: Id> Scheme for Boxed<I> {
    type Id = I;
    type Writer = AnyWriter;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn column(&self) -> Column {
        self.0.column()
    }

    fn text_chars(&self) -> Option<u32> {
        self.0.text_chars()
    }

    fn fields(&self) -> Vec<Field> {
        self.0.fields()
    }

    fn limits(&self) -> Limits {
        self.0.limits()
    }

    fn writer(&mut self, number: u32) -> Result<AnyWriter, WriterError> {
        self.0.writer(number)
    }

    fn mint(
        &mut self,
        writer: &mut AnyWriter,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<I, Stall> {
        self.0.mint(writer, clock, random)
    }

    fn fill(
        &mut self,
        writer: &mut AnyWriter,
        clock: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [I],
    ) -> Result<usize, Stall> {
        self.0.fill(writer, clock, random, ids)
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        self.0.set_rollback(rollback)
    }

    fn resume(&self, writer: &mut AnyWriter, floor: Timestamp) {
        self.0.resume(writer, floor);
    }

    fn outage(&mut self, from: Timestamp, until: Timestamp) {
        self.0.outage(from, until);
    }

    fn visits(&self) -> Option<u64> {
        self.0.visits()
    }

    fn ascends(&self) -> bool {
        self.0.ascends()
    }

    fn timestamp(&self, id: I) -> Option<Timestamp> {
        self.0.timestamp(id)
    }

    fn decode(&self, id: I) -> Vec<(Field, u128)> {
        self.0.decode(id)
    }
}
