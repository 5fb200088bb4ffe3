//! The kinds of ids that a dump may hold: how they are written.

use super::fields::is_rule;
use super::kinds::Kinds;
use crate::id::{
    Column, Cuid2, Id, Key, Ksuid, NanoId, Number, ObjectId, ParseError, PublicId, PushId, Scru128,
    SqlGuid, Tsid, Ulid, Uuid, Xid,
};
use std::any::{Any, TypeId};
use std::fmt;

/// A kind of id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Decimal integers of 64 bits with a sign. Their keys have the highest bit turned round,
    /// so that they order as the numbers do.
    Decimal,
    /// Decimal integers of 64 bits without a sign.
    Unsigned,
    /// UUIDs of any version.
    Uuid,
    /// UUIDs whose keys order as SQL Server compares them.
    SqlGuid,
    /// ULIDs.
    Ulid,
    /// KSUIDs.
    Ksuid,
    /// TSIDs.
    Tsid,
    /// ObjectIds.
    ObjectId,
    /// xids.
    Xid,
    /// SCRU128 ids.
    Scru128,
    /// Public ids.
    PublicId,
    /// Nano ids.
    NanoId,
    /// cuid2s.
    Cuid2,
    /// Push ids.
    PushId,
    /// Hex strings of this many bytes (4 to 20), with or without `0x` or `\x`.
    Hex(u32),
}

/// The names that `--as` takes, each with what it stands for (hex of any width), the
/// likeliest first where a text may be several.
pub const KINDS: &[(&str, Kind)] = &[
    ("decimal", Kind::Decimal),
    ("unsigned", Kind::Unsigned),
    ("uuid", Kind::Uuid),
    ("sql_guid", Kind::SqlGuid),
    ("ulid", Kind::Ulid),
    ("ksuid", Kind::Ksuid),
    ("tsid", Kind::Tsid),
    ("object_id", Kind::ObjectId),
    ("xid", Kind::Xid),
    ("scru128", Kind::Scru128),
    ("public_id", Kind::PublicId),
    ("nanoid", Kind::NanoId),
    ("cuid2", Kind::Cuid2),
    ("push_id", Kind::PushId),
    ("hex", Kind::Hex(0)),
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Decimal => "decimal integers",
            Kind::Unsigned => "unsigned decimal integers",
            Kind::Uuid => "UUIDs",
            Kind::SqlGuid => "GUIDs of SQL Server",
            Kind::Ulid => "ULIDs",
            Kind::Ksuid => "KSUIDs",
            Kind::Tsid => "TSIDs",
            Kind::ObjectId => "ObjectIds",
            Kind::Xid => "xids",
            Kind::Scru128 => "SCRU128 ids",
            Kind::PublicId => "public ids",
            Kind::NanoId => "nano ids",
            Kind::Cuid2 => "cuid2s",
            Kind::PushId => "push ids",
            Kind::Hex(0) => "hex strings",
            Kind::Hex(bytes) => return write!(f, "hex strings of {bytes} bytes"),
        })
    }
}

/// Evaluates `$body` with `$I` as the type of the ids of a kind that has one.
macro_rules! of_type {
    ($kind:expr, $I:ident => $body:expr, { $($other:pat => $else:expr),* $(,)? }) => {
        match $kind {
            Kind::Uuid => { type $I = Uuid; $body }
            Kind::SqlGuid => { type $I = SqlGuid; $body }
            Kind::Ulid => { type $I = Ulid; $body }
            Kind::Ksuid => { type $I = Ksuid; $body }
            Kind::Tsid => { type $I = Tsid; $body }
            Kind::ObjectId => { type $I = ObjectId; $body }
            Kind::Xid => { type $I = Xid; $body }
            Kind::Scru128 => { type $I = Scru128; $body }
            Kind::PublicId => { type $I = PublicId; $body }
            Kind::NanoId => { type $I = NanoId; $body }
            Kind::Cuid2 => { type $I = Cuid2; $body }
            Kind::PushId => { type $I = PushId; $body }
            $($other => $else),*
        }
    };
}

impl Kind {
    /// One id of the kind, in words: "UUID".
    pub fn singular(self) -> String {
        let plural = self.to_string();
        let (noun, of) = plural.split_once(" of ").unwrap_or((&plural, ""));
        let noun = noun.strip_suffix('s').unwrap_or(noun);
        match of {
            "" => noun.to_owned(),
            of => format!("{noun} of {of}"),
        }
    }

    /// The name that `--as` takes for it.
    pub fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, kind)| kind.same(self))
            .map_or("", |(name, _)| name)
    }

    /// The kind of this type's texts.
    pub fn of<I: Id>() -> Self {
        let id = TypeId::of::<I>();
        let found = KINDS.iter().map(|(_, kind)| *kind).find(|kind| {
            let own = of_type!(*kind, T => TypeId::of::<T>(), {
                Kind::Unsigned => TypeId::of::<Number>(),
                Kind::Decimal | Kind::Hex(_) => return false,
            });
            own == id
        });
        found.unwrap_or(Kind::Hex(I::Key::BYTES))
    }

    /// Whether two kinds are one; `Hex(0)` stands for hex of any width.
    pub(super) fn same(self, other: Kind) -> bool {
        match (self, other) {
            (Kind::Hex(a), Kind::Hex(b)) => a == b || a == 0 || b == 0,
            _ => self == other,
        }
    }

    /// The id that `text` stands for if it is of this kind: its first 4 bytes
    /// (of 20) and its low 16, so that they order as the ids do.
    ///
    /// # Errors
    /// What is wrong and where.
    pub fn parse(self, text: &[u8]) -> Result<(u32, u128), ParseError> {
        of_type!(self, I => I::decode(text).map(|id| parts(id.key())), {
            Kind::Decimal => signed(text).map(|value| (0, u128::from(value as u64 ^ 1 << 63))),
            Kind::Unsigned => {
                let digits = text.strip_prefix(b"+").unwrap_or(text);
                let value = Number::decode(digits).map_err(|error| after_sign(error, text, digits));
                value.map(|number| (0, number.0.into()))
            },
            Kind::Hex(bytes) => {
                let digits = hex_digits(text)?;
                if digits.len() as u32 != bytes * 2 && bytes != 0 {
                    let (expected, found) = ("as many hex digits as before, not other", digits.len());
                    return Err(ParseError::Length { expected, found });
                }
                Ok(digits.iter().fold((0, 0), |(high, low), &digit| {
                    let value = (digit as char).to_digit(16).unwrap_or_default();
                    ((high << 4) | (low >> 124) as u32, low << 4 | u128::from(value))
                }))
            }
        })
    }

    /// The column people use for it.
    pub fn column(self) -> Column {
        of_type!(self, I => I::COLUMN, {
            Kind::Decimal | Kind::Unsigned => Column::Bigint,
            Kind::Hex(bytes) => Column::Bytes(bytes),
        })
    }

    /// Bits of an id: the lowest ones of its key.
    pub fn bits(self) -> u32 {
        of_type!(self, I => I::BITS, {
            Kind::Decimal | Kind::Unsigned => 64,
            Kind::Hex(bytes) => bytes * 8,
        })
    }

    /// Bytes of a key: 8, 16 or 20.
    pub fn key_bytes(self) -> u32 {
        match self.bits() {
            0..=64 => 8,
            65..=128 => 16,
            _ => 20,
        }
    }

    /// Characters of the ids' text, if it sorts as they do.
    pub(super) fn text_chars(self) -> Option<u32> {
        of_type!(self, I => I::TEXT_CHARS, {
            Kind::Decimal | Kind::Unsigned => None,
            Kind::Hex(bytes) => Some(bytes * 2),
        })
    }

    /// The text of a key of this kind.
    pub fn text<K: Key>(self, key: K) -> String {
        fn of<I: Id, K: Key>(key: K) -> String {
            let key: &dyn Any = &key;
            key.downcast_ref::<I::Key>()
                .map_or_else(String::new, |key| I::from_key(*key).to_string())
        }
        let low = key.field(0, 64) as u64;
        of_type!(self, I => of::<I, K>(key), {
            Kind::Decimal => ((low ^ 1 << 63) as i64).to_string(),
            Kind::Unsigned => low.to_string(),
            Kind::Hex(bytes) => {
                let digit = |place: u32| key.field(place * 4, 4) as u32;
                let digits = (0..bytes * 2).rev().map(digit);
                digits.filter_map(|digit| char::from_digit(digit, 16)).collect()
            }
        })
    }
}

/// A key's first 4 bytes (of 20) and its low 16.
fn parts<K: Key>(key: K) -> (u32, u128) {
    let high = if K::BYTES > 16 {
        key.field(128, 32) as u32
    } else {
        0
    };
    (high, key.field(0, 128))
}

/// A decimal integer with a sign or without.
fn signed(text: &[u8]) -> Result<i64, ParseError> {
    let (negative, digits) = match text {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    let size = Number::decode(digits)
        .map_err(|error| after_sign(error, text, digits))?
        .0;
    let value = if negative {
        0i64.checked_sub_unsigned(size)
    } else {
        i64::try_from(size).ok()
    };
    let max = if negative {
        "9223372036854775808 below 0"
    } else {
        "9223372036854775807"
    };
    value.ok_or(ParseError::Overflow { max })
}

/// An error in `digits` as one in `text`, which has a sign before them or none.
fn after_sign(error: ParseError, text: &[u8], digits: &[u8]) -> ParseError {
    match error {
        ParseError::Character { found, position } => ParseError::Character {
            found,
            position: position + text.len() - digits.len(),
        },
        other => other,
    }
}

/// The digits of a hex string of 4 to 20 whole bytes.
fn hex_digits(text: &[u8]) -> Result<&[u8], ParseError> {
    let prefixes: [&[u8]; 3] = [b"0x", b"0X", b"\\x"];
    let digits = prefixes
        .iter()
        .find_map(|prefix| text.strip_prefix(*prefix))
        .unwrap_or(text);
    if let Some(offset) = digits.iter().position(|byte| !byte.is_ascii_hexdigit()) {
        return Err(ParseError::Character {
            found: digits[offset..]
                .utf8_chunks()
                .next()
                .and_then(|chunk| chunk.valid().chars().next())
                .unwrap_or(char::REPLACEMENT_CHARACTER),
            position: text.len() - digits.len() + offset + 1,
        });
    }
    let found = digits.len();
    if !(8..=40).contains(&found) || !found.is_multiple_of(2) {
        let expected = "8 to 40 hex digits, two a byte, not other";
        return Err(ParseError::Length { expected, found });
    }
    Ok(digits)
}

/// The kinds that `text` may be.
pub(super) fn candidates(text: &[u8]) -> Kinds {
    if is_rule(text) {
        return Kinds::default();
    }
    let hex = hex_digits(text).map_or(0, |digits| digits.len() as u32 / 2);
    let mut found = Kinds::default();
    for &(_, kind) in KINDS {
        match kind {
            // A matter of order, not of text.
            Kind::SqlGuid => {}
            Kind::Hex(_) if hex > 0 => found.insert(Kind::Hex(hex)),
            Kind::Hex(_) => {}
            kind if kind.parse(text).is_ok() => found.insert(kind),
            _ => {}
        }
    }
    found
}

/// Whether `text` is a decimal number of any size.
pub(super) fn is_number(text: &[u8]) -> bool {
    let digits = text
        .strip_prefix(b"-")
        .or(text.strip_prefix(b"+"))
        .unwrap_or(text);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}
