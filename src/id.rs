//! Ids: values with a text form, and the keys a B-tree compares for them.
//!
//! An [`Id`] is what a user sees; its [`Key`] is what an index stores: a plain
//! number or byte string of fixed width whose order is the id's order.

mod bare;
mod cuid2;
mod hex;
mod key20;
mod ksuid;
mod nano_id;
mod number;
mod object_id;
mod public_id;
mod push_id;
mod radix;
mod scru128;
mod sql_guid;
mod text;
mod tsid;
mod ulid;
mod uuid;
mod xid;

pub use bare::Bare;
pub use cuid2::Cuid2;
pub use key20::Key20;
pub use ksuid::Ksuid;
pub use nano_id::NanoId;
pub use number::Number;
pub use object_id::ObjectId;
pub use public_id::PublicId;
pub use push_id::PushId;
pub use scru128::Scru128;
pub use sql_guid::SqlGuid;
pub(crate) use text::characters;
pub use text::{ParseError, decode_all, encode_all};
pub use tsid::Tsid;
pub use ulid::Ulid;
pub use uuid::Uuid;
pub use xid::Xid;

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
    impl Sealed for super::Key20 {}
}

/// A fixed-width key as an index compares it: `u64`, `u128` or [`Key20`].
pub trait Key:
    sealed::Sealed + Copy + Ord + Hash + Default + Debug + Send + Sync + 'static
{
    /// Width in bytes.
    const BYTES: u32;

    /// The key's lowest `bits` bits after a shift to the right by `shift`
    /// (`bits` ≤ 128): how a decoder reads one field.
    fn field(self, shift: u32, bits: u32) -> u128;

    /// The key whose first 4 bytes (of 20) are `high` and whose last 16 are `low`; a shorter
    /// one takes the end of it.
    fn from_parts(high: u32, low: u128) -> Self;

    /// The top 64 bits: what a search compares first.
    fn prefix(self) -> u64 {
        self.field(Self::BYTES * 8 - 64, 64) as u64
    }
}

impl Key for u64 {
    const BYTES: u32 = 8;

    #[inline]
    fn field(self, shift: u32, bits: u32) -> u128 {
        low_bits(u128::from(self) >> shift, bits)
    }

    #[inline]
    fn from_parts(_: u32, low: u128) -> Self {
        low as u64
    }
}

impl Key for u128 {
    const BYTES: u32 = 16;

    #[inline]
    fn field(self, shift: u32, bits: u32) -> u128 {
        low_bits(self >> shift, bits)
    }

    #[inline]
    fn from_parts(_: u32, low: u128) -> Self {
        low
    }
}

/// The lowest `bits` bits of `value`.
#[inline]
pub(crate) fn low_bits(value: u128, bits: u32) -> u128 {
    if bits >= 128 {
        value
    } else {
        value & ((1 << bits) - 1)
    }
}

/// The type of the column that stores an id: it decides the bytes of an index entry.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Column {
    /// A 64-bit integer (`bigint`).
    Bigint,
    /// A 16-byte `uuid`.
    Uuid,
    /// A byte string of this many bytes (`bytea`, `BINARY(n)`).
    Bytes(u32),
    /// Text of this many ASCII characters (`text`, `CHAR(n)`), C collation.
    Text(u32),
}

impl Column {
    /// Bytes of the value itself, without any length prefix.
    pub const fn value_bytes(self) -> u32 {
        match self {
            Column::Bigint => 8,
            Column::Uuid => 16,
            Column::Bytes(n) | Column::Text(n) => n,
        }
    }
}

impl Display for Column {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Column::Bigint => f.write_str("bigint"),
            Column::Uuid => f.write_str("uuid"),
            Column::Bytes(n) => write!(f, "bytes({n})"),
            Column::Text(n) => write!(f, "text({n})"),
        }
    }
}

/// An id: an ordered value with a text form.
///
/// [`encode`](Id::encode) and [`decode`](Id::decode) are inverse, and what `Display` and
/// `FromStr` use; [`encode_all`] and [`decode_all`] do the same for many ids.
pub trait Id:
    Copy + Ord + Hash + Debug + Display + FromStr<Err = ParseError> + Send + Sync + 'static
{
    /// What an index stores; ordered as the ids are.
    type Key: Key;

    /// What the kind of id is called in messages ("UUID").
    const KIND: &'static str;

    /// Bits of an id: the lowest ones of its key, whose others are 0.
    const BITS: u32 = <Self::Key as Key>::BYTES * 8;

    /// The column people use for it.
    const COLUMN: Column;

    /// Characters of the text form if all ids have equally many and the text
    /// sorts (bytewise) as the ids do; such ids may live in a text column.
    const TEXT_CHARS: Option<u32>;

    /// Bytes of the longest text.
    const TEXT_BYTES: usize;

    /// The id as a key.
    fn key(self) -> Self::Key;

    /// The id of a key.
    fn from_key(key: Self::Key) -> Self;

    /// Writes the text to the start of `out` and returns its length in bytes, all ASCII.
    /// Of the first [`TEXT_BYTES`](Self::TEXT_BYTES), those after it hold no meaning.
    ///
    /// # Panics
    ///
    /// If `out` is shorter than [`TEXT_BYTES`](Self::TEXT_BYTES).
    fn encode(self, out: &mut [u8]) -> usize;

    /// The id that `text` is. Refuses what the scheme's specification refuses
    /// (wrong length, foreign characters, overflow).
    ///
    /// # Errors
    ///
    /// What is wrong and where; a byte that is not UTF-8 counts as the character U+FFFD.
    fn decode(text: &[u8]) -> Result<Self, ParseError>;
}
