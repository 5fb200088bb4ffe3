//! A scheme whose ids are taken for their keys alone.

use super::{Field, Limits, Rollback, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::{Bare, Column, Id};
use rand::Rng;

/// The scheme `S` with [`Bare`] ids: what asks no id for its text is compiled for each key.
#[derive(Clone, Debug)]
pub(super) struct Keyed<S>(pub S);

type Key<S> = <<S as Scheme>::Id as Id>::Key;

impl<S: Scheme> Scheme for Keyed<S> {
    type Id = Bare<Key<S>>;
    type Writer = S::Writer;

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

    fn writer(&mut self, number: u32) -> Result<S::Writer, WriterError> {
        self.0.writer(number)
    }

    fn mint(
        &mut self,
        writer: &mut S::Writer,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Self::Id, Stall> {
        let id = self.0.mint(writer, clock, random)?;
        Ok(Bare(id.key()))
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        self.0.set_rollback(rollback)
    }

    fn resume(&self, writer: &mut S::Writer, floor: Timestamp) {
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

    fn timestamp(&self, id: Self::Id) -> Option<Timestamp> {
        self.0.timestamp(S::Id::from_key(id.0))
    }

    fn decode(&self, id: Self::Id) -> Vec<(Field, u128)> {
        self.0.decode(S::Id::from_key(id.0))
    }
}
