//! Schemes: from a clock reading and randomness to an id.
//!
//! A [`Scheme`] holds its parameters and whatever its writers share (a central
//! counter); a [`Scheme::Writer`] holds what one writer remembers between two
//! ids. Neither reads a global clock nor blocks: a writer that cannot issue yet
//! returns a [`Stall`], and the caller decides whether to spin or to let
//! simulated time pass.
//!
//! To add a scheme: write `src/scheme/<name>.rs` and add one line to
//! `schemes!` below; if it is another one's layout with other numbers, add a [`Preset`]. A scheme from outside the crate needs neither; see
//! `examples/custom_scheme.rs`.

use crate::clock::{Clock, Held, Timestamp};
use crate::id::{Column, Id, Key};
use rand::Rng;
use std::fmt;
use thiserror::Error;

mod blocks;
mod boxed;
mod centre;
mod gregorian;
mod keyed;
mod preset;
mod process;
mod rollback;
mod spec;
mod ticker;

pub use blocks::{Blocks, Shared, Tickets};
pub use boxed::Boxed;
use keyed::Keyed;
pub use preset::{PRESETS, Preset};
pub use rollback::{ROLLBACKS, Rollback, RollbackError};
pub use spec::{Param, Params, Spec, SpecError};
pub use ticker::{Ticker, Ticks};

/// What the bits of a field mean.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FieldKind {
    /// Bits that are the same in every id (version, variant, sign).
    Fixed,
    /// Ticks since the scheme's epoch.
    Timestamp,
    /// Who issued the id.
    Node,
    /// Counts up within a tick, or for ever.
    Counter,
    /// Random bits.
    Random,
}

/// A run of bits in an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Field {
    /// Name, in the words of the scheme's specification.
    pub name: &'static str,
    /// Width in bits, 1 to 128.
    pub bits: u32,
    /// Meaning.
    pub kind: FieldKind,
}

impl Field {
    /// A field.
    pub const fn new(name: &'static str, bits: u32, kind: FieldKind) -> Self {
        Self { name, bits, kind }
    }
}

/// Why no id can be issued now.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum Stall {
    /// The clock reads less than it did for the last id.
    #[error("the clock is {wait_ns} ns behind the last id")]
    ClockBehind {
        /// Nanoseconds until the clock reaches the last id's tick.
        wait_ns: u64,
    },
    /// Counter, sequence or random part of this tick are used up.
    #[error("the ids of this tick are used up for another {wait_ns} ns")]
    Exhausted {
        /// Nanoseconds until the next tick.
        wait_ns: u64,
    },
    /// The reading lies before the scheme's epoch or after its last tick: waiting does not help.
    #[error("the clock is outside the scheme's range")]
    OutOfRange,
}

impl Stall {
    /// Nanoseconds after which to try again; `None` if that is useless.
    pub fn wait_ns(self) -> Option<u64> {
        match self {
            Stall::ClockBehind { wait_ns } | Stall::Exhausted { wait_ns } => Some(wait_ns),
            Stall::OutOfRange => None,
        }
    }
}

/// A writer's number does not fit the scheme.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{scheme} has room for workers 0 to {max}, not for worker {number}")]
pub struct WriterError {
    /// The scheme.
    pub scheme: &'static str,
    /// The number asked for.
    pub number: u32,
    /// The largest number that fits.
    pub max: u64,
}

/// How long a scheme lasts and how fast it can go.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Limits {
    /// Ids one writer can issue in a tick; `None` if nothing in the scheme bounds it.
    pub ids_per_tick: Option<u128>,
    /// Length of the tick in nanoseconds; `None` without a clock.
    pub tick_ns: Option<u64>,
    /// The last instant that the timestamp field can hold, in milliseconds
    /// since the Unix epoch; `None` without a clock.
    pub exhausted_unix_ms: Option<u64>,
    /// Writers that can be told apart; `None` if they need no number.
    pub writers: Option<u64>,
}

/// A scheme that is made by its name.
pub trait Listed: Scheme {
    /// Its name on the command line, `snake_case`.
    const NAME: &'static str;
    /// One line on what it is, with its source.
    const ABOUT: &'static str;
    /// Parameters accepted after the name.
    const PARAMS: &'static [Param];

    /// The scheme with these parameters.
    ///
    /// # Errors
    /// A value that cannot be parsed or that does not fit the others.
    fn new(params: &Params) -> Result<Self, SpecError>;
}

/// An id scheme. Its clone goes on from where it is; writers are never shared.
pub trait Scheme: Clone + Send + Sync + 'static {
    /// The ids it issues.
    type Id: Id;
    /// What one writer remembers.
    type Writer: Send + 'static;

    /// Its name, `snake_case`.
    fn name(&self) -> &'static str;

    /// The column people use for its ids.
    fn column(&self) -> Column {
        Self::Id::COLUMN
    }

    /// Characters of its ids' text, as [`Id::TEXT_CHARS`].
    fn text_chars(&self) -> Option<u32> {
        Self::Id::TEXT_CHARS
    }

    /// Its fields, most significant first; their bits add up to the id's.
    fn fields(&self) -> Vec<Field>;

    /// Its limits.
    fn limits(&self) -> Limits;

    /// A new writer, by number (from 0).
    ///
    /// # Errors
    /// A number that the scheme has no room for; it is never masked.
    fn writer(&mut self, number: u32) -> Result<Self::Writer, WriterError>;

    /// The next id of `writer`.
    ///
    /// # Errors
    /// [`Stall`] if none can be issued at this reading.
    fn mint(
        &mut self,
        writer: &mut Self::Writer,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Self::Id, Stall>;

    /// Fills `ids` from the front with the next ids of `writer`, all at one reading of the
    /// clock; returns how many they are: fewer than `ids` holds where the tick is used up.
    ///
    /// # Errors
    /// [`Stall`] if not even one can be issued at this reading.
    fn fill(
        &mut self,
        writer: &mut Self::Writer,
        clock: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [Self::Id],
    ) -> Result<usize, Stall> {
        one_by_one(self, writer, clock, random, ids)
    }

    /// Sets what its writers do when their clocks go back.
    ///
    /// # Errors
    /// The scheme has a rule of its own, or cannot follow this one.
    fn set_rollback(&mut self, _: Rollback) -> Result<(), SpecError> {
        Err(SpecError(format!(
            "{} has its own rule for clocks that go back",
            self.name()
        )))
    }

    /// Tells a new writer that all instants up to `floor` may have been used by the one
    /// before it, which had the same number.
    fn resume(&self, _: &mut Self::Writer, _floor: Timestamp) {}

    /// The centre that its writers visit is down between these times, of which the first has
    /// come; for others nothing. Writers compare them with their monotonic clocks, which
    /// read true time but for the clock's error at the start, its drift, and suspensions:
    /// by so much an outage begins and ends early or late for them.
    fn outage(&mut self, _from: Timestamp, _until: Timestamp) {}

    /// Round trips of its writers to a centre so far; `None`: there is none.
    fn visits(&self) -> Option<u64> {
        None
    }

    /// Whether each id of a writer is promised to be larger than its last one, while the
    /// clock does not go back.
    fn ascends(&self) -> bool {
        !self
            .fields()
            .iter()
            .any(|field| field.kind == FieldKind::Random)
    }

    /// The instant an id carries, to the scheme's tick; `None` without a clock.
    fn timestamp(&self, id: Self::Id) -> Option<Timestamp>;

    /// The value of each field of `id`, most significant first.
    fn decode(&self, id: Self::Id) -> Vec<(Field, u128)> {
        let mut shift = Self::Id::BITS;
        let read = |field: Field| {
            shift -= field.bits;
            (field, id.key().field(shift, field.bits))
        };
        self.fields().into_iter().map(read).collect()
    }
}

/// [`Scheme::fill`] by [`Scheme::mint`]: what schemes with a faster way fall back on.
fn one_by_one<S: Scheme>(
    scheme: &mut S,
    writer: &mut S::Writer,
    clock: &impl Clock,
    random: &mut impl Rng,
    ids: &mut [S::Id],
) -> Result<usize, Stall> {
    let reading = Held::new(clock);
    for (filled, id) in ids.iter_mut().enumerate() {
        *id = match scheme.mint(writer, &reading, random) {
            Ok(id) => id,
            Err(stall) if filled == 0 => return Err(stall),
            Err(_) => return Ok(filled),
        };
    }
    Ok(ids.len())
}

/// Receives a scheme whose type is only known by name.
pub trait Visitor {
    /// What the visit yields.
    type Output;
    /// Called with the scheme that the name stands for.
    fn visit<S: Scheme>(self, scheme: S) -> Self::Output;
}

/// What `sim list` says of a scheme.
#[derive(Clone, Copy)]
pub struct SchemeInfo {
    /// Name on the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Parameters accepted after the name.
    pub params: &'static [Param],
}

impl fmt::Debug for SchemeInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

fn named<S: Listed>(spec: &Spec) -> Result<S, SpecError> {
    S::new(&Params::new(spec, S::PARAMS)?)
}

fn unknown(spec: &Spec) -> SpecError {
    let presets = PRESETS.iter().map(|preset| preset.name);
    let known = SCHEMES.iter().map(|scheme| scheme.name).chain(presets);
    SpecError::unknown_scheme(&spec.name, known)
}

/// Makes the scheme that `spec` names, by its own name or a preset's, and hands it to `visitor`
/// [`Boxed`]: compiled for each type of id.
///
/// # Errors
/// An unknown name or parameter, or a value that does not fit.
pub fn visit<V: Visitor>(spec: &Spec, visitor: V) -> Result<V::Output, SpecError> {
    struct InBox<V>(V);

    impl<V: Visitor> Visitor for InBox<V> {
        type Output = V::Output;

        fn visit<S: Scheme>(self, scheme: S) -> V::Output {
            self.0.visit(Boxed::new(scheme))
        }
    }

    visit_inlined(spec, InBox(visitor))
}

/// Makes the scheme that `spec` names, by its own name or a preset's, and hands it to `visitor`
/// [`Boxed`], its ids [`Bare`](crate::id::Bare): compiled for each key, of which there are three.
/// For whatever asks no id for its text; the column of the ids is [`Scheme::column`], not the
/// bare id's.
///
/// # Errors
/// An unknown name or parameter, or a value that does not fit.
pub fn visit_keys<V: Visitor>(spec: &Spec, visitor: V) -> Result<V::Output, SpecError> {
    struct ByKey<V>(V);

    impl<V: Visitor> Visitor for ByKey<V> {
        type Output = V::Output;

        fn visit<S: Scheme>(self, scheme: S) -> V::Output {
            self.0.visit(Boxed::new(Keyed(scheme)))
        }
    }

    visit_inlined(spec, ByKey(visitor))
}

macro_rules! schemes {
    ($($module:ident :: $type:ident),* $(,)?) => {
        $(mod $module; pub use $module::$type;)*

        /// Every scheme, in the order of `sim list`; [`PRESETS`] are further names.
        pub const SCHEMES: &[SchemeInfo] = &[$(SchemeInfo {
            name: $type::NAME,
            about: $type::ABOUT,
            params: $type::PARAMS,
        }),*];

        /// Makes the scheme that `spec` names, by its own name or a preset's, and hands it to
        /// `visitor`, which is compiled for each scheme: for what is hot.
        ///
        /// # Errors
        /// An unknown name or parameter, or a value that does not fit.
        pub fn visit_inlined<V: Visitor>(spec: &Spec, visitor: V) -> Result<V::Output, SpecError> {
            let name = preset::preset(&spec.name).map_or(&*spec.name, |preset| preset.scheme);
            $(if name == $type::NAME {
                return Ok(visitor.visit(named::<$type>(spec)?));
            })*
            Err(unknown(spec))
        }
    };
}

schemes! {
    auto_increment::AutoIncrement,
    ticket_block::TicketBlock,
    odd_even::OddEven,
    stride::Stride,
    auto_random::AutoRandom,
    bit_reversed::BitReversed,
    snowflake::Snowflake,
    running_sequence::RunningSequence,
    tsid::TsidScheme,
    unique_rowid::UniqueRowid,
    uuid_v4::UuidV4,
    uuid_v7::UuidV7,
    ulid::UlidScheme,
    ksuid::KsuidScheme,
    uuid_v1::UuidV1,
    uuid_v6::UuidV6,
    uuid_v1_swapped::UuidV1Swapped,
    newsequentialid::NewSequentialId,
    comb::Comb,
    object_id::ObjectIdScheme,
    xid::XidScheme,
    scru128::Scru128Scheme,
    push_id::PushIdScheme,
    nanoid::NanoIdScheme,
    cuid2::Cuid2Scheme,
    public_id::PublicIdScheme,
}
