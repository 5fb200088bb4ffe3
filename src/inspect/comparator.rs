//! Orders: what databases and languages compare ids by.
//!
//! An id has a [`Place`] in each order; places compare as the ids do.

use crate::id::{Id, Key, Number, Scru128, SqlGuid, Ulid, Uuid};
use crate::id::{Ksuid, NanoId, PublicId, PushId};
use std::any::TypeId;

/// An order of ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparator {
    /// Bytes from the first on, as `memcmp`.
    Bytes,
    /// 64 bits with a sign.
    Signed64,
    /// Text by the codes of its characters.
    Text,
    /// Text as people sort it.
    TextEnUs,
    /// Java's `UUID.compareTo`.
    JavaUuid,
    /// .NET's `Guid.CompareTo`.
    DotNetGuid,
    /// The bytes of .NET's `Guid.ToByteArray`.
    DotNetBytes,
    /// SQL Server's `uniqueidentifier`.
    SqlServer,
    /// The bytes of MySQL's `UUID_TO_BIN(u, 1)`.
    MySqlSwapped,
}

/// Where an id is in an order: 192 bits that compare as the ids do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Place(u128, u64);

/// Whether two types are one.
fn is<A: 'static, B: 'static>() -> bool {
    TypeId::of::<A>() == TypeId::of::<B>()
}

impl Comparator {
    /// The orders that ids of type `I` are compared in, [`Bytes`](Self::Bytes) first.
    pub fn of<I: Id>() -> Vec<Self> {
        let mut orders = vec![Self::Bytes];
        if I::BITS == 64 {
            orders.push(Self::Signed64);
        }
        orders.push(Self::Text);
        // Of one case, or of hex digits, texts are in the order of their codes anyway.
        if is::<I, Ksuid>() || is::<I, PublicId>() || is::<I, NanoId>() || is::<I, PushId>() {
            orders.push(Self::TextEnUs);
        }
        let is_uuid = is::<I, Uuid>() || is::<I, SqlGuid>();
        if is_uuid || is::<I, Ulid>() || is::<I, Scru128>() || is::<I, PublicId>() {
            orders.extend([
                Self::JavaUuid,
                Self::DotNetGuid,
                Self::DotNetBytes,
                Self::SqlServer,
            ]);
        }
        if is_uuid {
            orders.push(Self::MySqlSwapped);
        }
        orders
    }

    /// Its name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Signed64 => "signed_64",
            Self::Text => "text",
            Self::TextEnUs => "text_en_us",
            Self::JavaUuid => "java_uuid",
            Self::DotNetGuid => "dotnet_guid",
            Self::DotNetBytes => "dotnet_bytes",
            Self::SqlServer => "sql_server",
            Self::MySqlSwapped => "mysql_swapped",
        }
    }

    /// Who compares so.
    pub fn about(self) -> &'static str {
        match self {
            Self::Bytes => {
                "memcmp: PostgreSQL uuid and bytea, BINARY(n), RAW(n), MySQL UUID_TO_BIN(u, 0), unsigned integers"
            }
            Self::Signed64 => "BIGINT of SQL, long of Java",
            Self::Text => "text under the C collation; decimal digits for 64-bit numbers",
            Self::TextEnUs => {
                "text under en_US: case only among equals, lower first; digits before letters"
            }
            Self::JavaUuid => "UUID.compareTo: two signed 64-bit halves",
            Self::DotNetGuid => "Guid.CompareTo: unsigned groups in the order of the text",
            Self::DotNetBytes => {
                "Guid.ToByteArray as BINARY(16) or bytea: three groups turned round"
            }
            Self::SqlServer => "uniqueidentifier: the last six bytes first",
            Self::MySqlSwapped => "UUID_TO_BIN(u, 1): for version 1 alone",
        }
    }

    /// Whether the column holds text.
    pub fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::TextEnUs)
    }

    /// Whether it is the order of bytes for ids of type `I`.
    pub fn is_bytes<I: Id>(self) -> bool {
        match self {
            Self::Bytes | Self::DotNetGuid => true,
            Self::Text => !is::<I, Number>(),
            _ => false,
        }
    }

    /// Where the id of `key` is in this order.
    #[inline]
    pub fn place<I: Id>(self, key: I::Key) -> Place {
        match self {
            // Text of a kind whose texts sort as its ids do.
            Self::Text if I::TEXT_CHARS.is_some() => bytes::<I>(key),
            Self::Text if is::<I, Number>() => decimal(key.field(0, 64) as u64),
            Self::Bytes | Self::Text => bytes::<I>(key),
            Self::Signed64 => Place(key.field(0, 64) ^ 1 << 63, 0),
            Self::TextEnUs => en_us(I::from_key(key)),
            Self::JavaUuid => Place(guid::<I>(key) ^ (1 << 127 | 1 << 63), 0),
            // Each group is compared as a number without a sign: `(uint)_b` of a negative
            // `short` is above all others, and in order.
            Self::DotNetGuid => Place(guid::<I>(key), 0),
            Self::DotNetBytes => Place(dotnet_bytes(guid::<I>(key)), 0),
            Self::SqlServer => Place(SqlGuid::from(Uuid(guid::<I>(key))).key(), 0),
            Self::MySqlSwapped => Place(mysql_swapped(guid::<I>(key)), 0),
        }
    }
}

fn bytes<I: Id>(key: I::Key) -> Place {
    match <I::Key as Key>::BYTES {
        20 => Place(key.field(32, 128), key.field(0, 32) as u64),
        16 if is::<I, SqlGuid>() => Place(guid::<I>(key), 0),
        _ => Place(key.field(0, 128), 0),
    }
}

/// The 16 bytes in the order of a UUID's text.
fn guid<I: Id>(key: I::Key) -> u128 {
    let value = key.field(0, 128);
    match is::<I, SqlGuid>() {
        true => Uuid::from(SqlGuid::from_key(value)).0,
        false => value,
    }
}

/// The three groups with the lowest byte first.
fn dotnet_bytes(uuid: u128) -> u128 {
    let (a, b, c) = (
        (uuid >> 96) as u32,
        (uuid >> 80) as u16,
        (uuid >> 64) as u16,
    );
    let groups = [
        u128::from(a.swap_bytes()),
        u128::from(b.swap_bytes()),
        u128::from(c.swap_bytes()),
    ];
    groups[0] << 96 | groups[1] << 80 | groups[2] << 64 | u128::from(uuid as u64)
}

/// The third group, the second and the first.
fn mysql_swapped(uuid: u128) -> u128 {
    let (a, b, c) = (
        (uuid >> 96) as u32,
        (uuid >> 80) as u16,
        (uuid >> 64) as u16,
    );
    u128::from(c) << 112 | u128::from(b) << 96 | u128::from(a) << 64 | u128::from(uuid as u64)
}

const DIGITS: u32 = 20;

/// Powers of ten.
static POWERS: [u128; DIGITS as usize] = {
    let mut powers = [1; DIGITS as usize];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// The digits to the left of 20 places; of equal ones the shorter text is less.
fn decimal(number: u64) -> Place {
    let digits = number.checked_ilog10().unwrap_or(0) + 1;
    let padded = u128::from(number) * POWERS[(DIGITS - digits) as usize];
    Place(padded, digits.into())
}

/// The weight of each character, case aside: `_` and `-`, digits, letters (the root collation of
/// CLDR).
static WEIGHTS: [u8; 128] = {
    let mut weights = [0; 128];
    weights[b'-' as usize] = 1;
    let mut i = 0;
    while i < 26 {
        if i < 10 {
            weights[b'0' as usize + i] = 2 + i as u8;
        }
        weights[b'A' as usize + i] = 12 + i as u8;
        weights[b'a' as usize + i] = 12 + i as u8;
        i += 1;
    }
    weights
};

/// Characters whose weights fit the first number.
const FIRST_CHARS: usize = 21;
/// Characters of the longest text.
const CHARS: usize = 27;

/// Six bits for each character's weight, then one bit each: whether it is an upper-case letter.
fn en_us(id: impl Id) -> Place {
    let mut text = [b'_'; 64];
    let chars = id.encode(&mut text);
    // Whatever the encoder left behind the text.
    text[chars..].fill(b'_');
    let weights = |text: &[u8]| {
        text.iter().fold(0, |value: u64, &char| {
            value << 6 | u64::from(WEIGHTS[usize::from(char & 127)])
        })
    };
    let [first, second] = [weights(&text[..10]), weights(&text[10..20])].map(u128::from);
    let upper = text[..CHARS].iter().fold(0, |bits: u64, char| {
        bits << 1 | u64::from(char.is_ascii_uppercase())
    });
    let weight = u128::from(weights(&text[20..FIRST_CHARS]));
    Place(
        first << 66 | second << 6 | weight,
        weights(&text[FIRST_CHARS..CHARS]) << CHARS | upper,
    )
}

/// Keys as numbers that compare as their ids do in `order`; equal ids have equal ones.
pub fn ranks<I: Id>(keys: &[I::Key], order: Comparator) -> Vec<u64> {
    let places = keys.iter().map(|&key| order.place::<I>(key));
    let mut sorted: Vec<(Place, usize)> = places.zip(0..).collect();
    sorted.sort_unstable();
    let mut ranks = vec![0; keys.len()];
    for (rank, alike) in (0..).zip(sorted.chunk_by(|a, b| a.0 == b.0)) {
        alike.iter().for_each(|&(_, at)| ranks[at] = rank);
    }
    ranks
}

#[cfg(test)]
mod tests;
