//! The kinds of ids that a dump may hold.

use crate::id::{Column, Id, Ksuid, Tsid, Ulid, Uuid};
use std::fmt;
use std::str::FromStr;

/// A kind of id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Decimal integers of 64 bits with a sign.
    Decimal,
    /// Decimal integers of 64 bits without a sign.
    Unsigned,
    /// UUIDs of any version.
    Uuid,
    /// ULIDs.
    Ulid,
    /// KSUIDs.
    Ksuid,
    /// TSIDs.
    Tsid,
    /// Hex strings of this many bytes (4 to 20), with or without `0x` or `\x`.
    Hex(u32),
}

/// The names that `--as` takes, each with what it stands for (hex of any width).
pub const KINDS: &[(&str, Kind)] = &[
    ("decimal", Kind::Decimal),
    ("unsigned", Kind::Unsigned),
    ("uuid", Kind::Uuid),
    ("ulid", Kind::Ulid),
    ("ksuid", Kind::Ksuid),
    ("tsid", Kind::Tsid),
    ("hex", Kind::Hex(0)),
];

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Kind::Decimal => f.write_str("decimal integers"),
            Kind::Unsigned => f.write_str("unsigned decimal integers"),
            Kind::Uuid => f.write_str("UUIDs"),
            Kind::Ulid => f.write_str("ULIDs"),
            Kind::Ksuid => f.write_str("KSUIDs"),
            Kind::Tsid => f.write_str("TSIDs"),
            Kind::Hex(0) => f.write_str("hex strings"),
            Kind::Hex(bytes) => write!(f, "hex strings of {bytes} bytes"),
        }
    }
}

impl Kind {
    /// The name that `--as` takes for it.
    pub fn name(self) -> &'static str {
        KINDS
            .iter()
            .find(|(_, kind)| kind.same(self))
            .map_or("", |(name, _)| name)
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
    pub(super) fn parse(self, text: &str) -> Option<(u32, u128)> {
        let low = |value: u128| Some((0, value));
        match self {
            Kind::Decimal => low(u128::from(i64::from_str(text).ok()? as u64 ^ 1 << 63)),
            Kind::Unsigned => low(u128::from(u64::from_str(text).ok()?)),
            Kind::Uuid => low(Uuid::from_str(text).ok()?.key()),
            Kind::Ulid => low(Ulid::from_str(text).ok()?.key()),
            Kind::Ksuid => {
                let key = Ksuid::from_str(text).ok()?.key();
                Some((key.high(), key.low()))
            }
            Kind::Tsid => low(Tsid::from_str(text).ok()?.key().into()),
            Kind::Hex(bytes) => {
                let digits = hex_digits(text)?;
                if digits.len() as u32 != bytes * 2 {
                    return None;
                }
                let (high, tail) = digits.split_at(digits.len().saturating_sub(32));
                let high = if high.is_empty() {
                    0
                } else {
                    u32::from_str_radix(high, 16).ok()?
                };
                Some((high, u128::from_str_radix(tail, 16).ok()?))
            }
        }
    }

    /// The column people use for it.
    pub fn column(self) -> Column {
        match self {
            Kind::Decimal | Kind::Unsigned => Column::Bigint,
            Kind::Uuid => Uuid::COLUMN,
            Kind::Ulid => Ulid::COLUMN,
            Kind::Ksuid => Ksuid::COLUMN,
            Kind::Tsid => Tsid::COLUMN,
            Kind::Hex(bytes) => Column::Bytes(bytes),
        }
    }

    /// Characters of the ids' text, if it sorts as they do.
    pub(super) fn text_chars(self) -> Option<u32> {
        match self {
            Kind::Decimal | Kind::Unsigned => None,
            Kind::Uuid => Uuid::TEXT_CHARS,
            Kind::Ulid => Ulid::TEXT_CHARS,
            Kind::Ksuid => Ksuid::TEXT_CHARS,
            Kind::Tsid => Tsid::TEXT_CHARS,
            Kind::Hex(bytes) => Some(bytes * 2),
        }
    }
}

/// The digits of a hex string of 4 to 20 whole bytes.
fn hex_digits(text: &str) -> Option<&str> {
    let digits = ["0x", "0X", "\\x"]
        .iter()
        .find_map(|prefix| text.strip_prefix(prefix))
        .unwrap_or(text);
    let fits = (8..=40).contains(&digits.len()) && digits.len().is_multiple_of(2);
    (fits && digits.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(digits)
}

/// The kinds that `text` may be, the likeliest first.
pub(super) fn candidates(text: &str) -> Vec<Kind> {
    let hex = Kind::Hex(hex_digits(text).map_or(0, |digits| digits.len() as u32 / 2));
    [
        Kind::Decimal,
        Kind::Unsigned,
        Kind::Uuid,
        Kind::Ulid,
        Kind::Ksuid,
        Kind::Tsid,
        hex,
    ]
    .into_iter()
    .filter(|kind| kind.parse(text).is_some())
    .collect()
}

/// Whether `text` is a decimal number of any size.
pub(super) fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}
