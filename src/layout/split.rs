//! Layouts as they are typed: `41/10/12`, `1+39/8/16`, `t48/f4/r12/f2/r62`.

use crate::scheme::{Field, FieldKind};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The fields of an id, most significant first.
///
/// Typed as `[BITS+]PART/PART/...`. A part is a number of bits, with a letter for what it is:
/// `t` timestamp, `n` node, `s` sequence, `r` random, `f` fixed; `BITS+` in front is fixed.
/// Without any letter one part is random, two are timestamp and random, more are timestamp,
/// nodes and sequence, after a sign if the first of four or more has 1 bit. The bits add up to
/// 64 or 128; of 63 the sign bit is left out, of 122 the version and variant of a UUID.
///
/// ```
/// use idlab::layout::Layout;
/// use idlab::scheme::FieldKind;
/// let layout: Layout = "41/10/12".parse()?;
/// assert_eq!(layout.to_string(), "f1/t41/n10/s12");
/// assert_eq!(layout.bits(FieldKind::Node), 10);
/// # Ok::<(), idlab::layout::LayoutError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Layout {
    fields: Vec<Field>,
}

/// Why a layout is refused.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0}")]
pub struct LayoutError(String);

/// The kinds of parts: letter, kind, name.
const KINDS: [(char, FieldKind, &str); 5] = [
    ('t', FieldKind::Timestamp, "timestamp"),
    ('n', FieldKind::Node, "node"),
    ('s', FieldKind::Counter, "sequence"),
    ('r', FieldKind::Random, "random"),
    ('f', FieldKind::Fixed, "fixed"),
];

/// A widest timestamp: at a nanosecond a tick it lasts 584 years.
const MOST_TIMESTAMP_BITS: u32 = 64;
const SIGN: Field = Field::new("sign", 1, FieldKind::Fixed);
const VERSION: Field = Field::new("version and variant", 6, FieldKind::Fixed);

impl Layout {
    /// The layout with these fields, most significant first.
    pub fn new(fields: Vec<Field>) -> Self {
        Self { fields }
    }

    /// Its fields, most significant first.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// Bits of all fields of a kind.
    pub fn bits(&self, kind: FieldKind) -> u32 {
        let of_kind = self.fields.iter().filter(|field| field.kind == kind);
        of_kind.map(|field| field.bits).sum()
    }

    /// The same layout with a bit of one kind given to another: each from or to its last field.
    /// `None` if there is no such field, only one bit that would be taken, or no room for it.
    pub(super) fn moved(&self, from: FieldKind, to: FieldKind) -> Option<Self> {
        let last = |kind| self.fields.iter().rposition(|field| field.kind == kind);
        let (from, to) = (last(from)?, last(to)?);
        let mut fields = self.fields.clone();
        fields.get_mut(from).filter(|field| field.bits > 1)?.bits -= 1;
        fields.get_mut(to)?.bits += 1;
        let moved = Self { fields };
        (moved.bits(FieldKind::Timestamp) <= MOST_TIMESTAMP_BITS).then_some(moved)
    }
}

/// With a letter for each part.
impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, field) in self.fields.iter().enumerate() {
            let kind = KINDS.iter().find(|(_, kind, _)| *kind == field.kind);
            let letter = kind.map_or('?', |(letter, ..)| *letter);
            let slash = if i == 0 { "" } else { "/" };
            write!(f, "{slash}{letter}{}", field.bits)?;
        }
        Ok(())
    }
}

impl FromStr for Layout {
    type Err = LayoutError;

    fn from_str(text: &str) -> Result<Self, LayoutError> {
        let refuse = |what: String| Err(LayoutError(format!("{text}: {what}")));
        let (head, rest) = match text.split_once('+') {
            Some((head, rest)) => (Some(head), rest),
            None => (None, text),
        };
        let mut parts = Vec::new();
        for part in rest.split('/') {
            parts.push(read(part).map_err(|what| LayoutError(format!("{text}: {what}")))?);
        }
        let given = parts.iter().filter(|(kind, _)| kind.is_some()).count();
        let kinds: Vec<FieldKind> = match given {
            0 => usual(&parts.iter().map(|(_, bits)| *bits).collect::<Vec<_>>()),
            _ if given == parts.len() => parts.iter().filter_map(|(kind, _)| *kind).collect(),
            _ => {
                return refuse(
                    "some parts have a letter and others none, expected one for each, such as t41/n10/s12"
                        .to_owned(),
                );
            }
        };
        let mut fields: Vec<Field> = kinds
            .into_iter()
            .zip(&parts)
            .map(|(kind, (_, bits))| field(kind, *bits))
            .collect();
        if let Some(head) = head {
            match read(head) {
                Ok((None | Some(FieldKind::Fixed), bits)) => {
                    fields.insert(0, field(FieldKind::Fixed, bits));
                }
                _ => {
                    return refuse(format!(
                        "{head:?} before + is not valid, expected a number of fixed bits, such as 1+41/10/12"
                    ));
                }
            }
        }
        let timestamps = || (fields.iter()).filter(|field| field.kind == FieldKind::Timestamp);
        if timestamps().count() > 1 {
            return refuse("has two timestamps, expected at most one".to_owned());
        }
        if let Some(wrong) = timestamps().find(|field| field.bits > MOST_TIMESTAMP_BITS) {
            return refuse(format!(
                "a timestamp of {} bits is too wide, expected at most {MOST_TIMESTAMP_BITS}",
                wrong.bits
            ));
        }
        let sum = fields.iter().map(|field| field.bits).sum();
        match sum {
            64 | 128 => {}
            63 => fields.insert(0, SIGN),
            122 => fields.push(VERSION),
            _ => {
                let terms: Vec<_> = fields.iter().map(|field| field.bits.to_string()).collect();
                let terms = match terms.len() {
                    1 => String::new(),
                    _ => format!("{} = ", terms.join(" + ")),
                };
                return refuse(format!("{terms}{sum} bits, {}", wanted(sum)));
            }
        }
        fields.retain(|field| field.bits > 0);
        Ok(Self { fields })
    }
}

/// A part: its kind, if it has a letter, and its bits.
fn read(part: &str) -> Result<(Option<FieldKind>, u32), String> {
    let part = part.trim();
    let letter = part.chars().next().filter(char::is_ascii_alphabetic);
    let digits = part.trim_start_matches(|c: char| Some(c) == letter);
    let kind = letter.and_then(|letter| {
        let lower = letter.to_ascii_lowercase();
        KINDS.iter().find(|(known, ..)| *known == lower)
    });
    let bits = (digits.bytes().all(|byte| byte.is_ascii_digit()))
        .then(|| digits.parse().ok())
        .flatten()
        .filter(|bits| *bits <= 128);
    let once = letter.is_none_or(|_| part.len() == digits.len() + 1);
    match (bits, kind.is_some() == letter.is_some(), once) {
        (Some(bits), true, true) => Ok((kind.map(|(_, kind, _)| *kind), bits)),
        _ => Err(format!(
            "{part:?} is not a number of bits from 0 to 128, alone or after t (timestamp), n (node), s (sequence), r (random) or f (fixed)"
        )),
    }
}

fn field(kind: FieldKind, bits: u32) -> Field {
    let known = KINDS.iter().find(|(_, known, _)| *known == kind);
    let name = known.map_or("", |(.., name)| name);
    match (kind, bits) {
        (FieldKind::Fixed, 1) => SIGN,
        _ => Field::new(name, bits, kind),
    }
}

/// What parts without letters are.
fn usual(bits: &[u32]) -> Vec<FieldKind> {
    use FieldKind::{Counter, Fixed, Node, Random, Timestamp};
    match *bits {
        [_] => vec![Random],
        [_, _] => vec![Timestamp, Random],
        [1, _, _, _, ..] => [Fixed].into_iter().chain(usual(&bits[1..])).collect(),
        _ => {
            let nodes = vec![Node; bits.len().saturating_sub(2)];
            let first = [Timestamp].into_iter();
            first.chain(nodes).chain([Counter]).collect()
        }
    }
}

/// What is missing or too much in a sum that is none of 63, 64, 122 and 128.
fn wanted(sum: u32) -> String {
    let short = match sum {
        ..64 => Some((64, 63, "a sign bit")),
        64..128 => Some((128, 122, "version and variant")),
        _ => None,
    };
    let long = match sum {
        ..65 => None,
        65..123 => Some(64),
        123..128 => Some(122),
        _ => Some(128),
    };
    let missing = short.map(|(whole, less, rest)| match less > sum {
        true => format!(
            "{} too few for {whole}, {} for {less} and {rest}",
            whole - sum,
            less - sum
        ),
        false => format!("{} too few for {whole}", whole - sum),
    });
    let above = long.map(|most| format!("{} too many for {most}", sum - most));
    let words: Vec<_> = above.into_iter().chain(missing).collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn parts_are_what_their_letters_or_places_say() {
        for (text, layout) in [
            ("41/10/12", "f1/t41/n10/s12"),
            ("39/16/8", "f1/t39/n16/s8"),
            ("t39/s8/n16", "f1/t39/s8/n16"),
            ("1+41/10/12", "f1/t41/n10/s12"),
            ("1/41/10/12", "f1/t41/n10/s12"),
            ("1/41/5/5/12", "f1/t41/n5/n5/s12"),
            ("42/5/5/12", "t42/n5/n5/s12"),
            ("48/80", "t48/r80"),
            ("48/74", "t48/r74/f6"),
            ("122", "r122/f6"),
            ("T48/F4/R12/F2/R62", "t48/f4/r12/f2/r62"),
            ("42/0/22", "t42/s22"),
            ("f1+s63", "f1/s63"),
            (" 41 / 10 / 12 ", "f1/t41/n10/s12"),
        ] {
            let read: Layout = text.parse().unwrap();
            assert_eq!(read.to_string(), layout, "{text}");
            let again: Layout = layout.parse().unwrap();
            assert_eq!(again.to_string(), layout);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            (
                "41/10/11",
                "41/10/11: 41 + 10 + 11 = 62 bits, 2 too few for 64, 1 for 63 and a sign bit",
            ),
            (
                "42/10/13",
                "42 + 10 + 13 = 65 bits, 1 too many for 64, 63 too few for 128, 57 for 122 and version and variant",
            ),
            ("r125", "125 bits, 3 too many for 122, 3 too few for 128"),
            ("64/64/1", "64 + 64 + 1 = 129 bits, 1 too many for 128"),
            ("1+41/10/13", "1 + 41 + 10 + 13 = 65 bits, 1 too many"),
            ("t41/10/12", "some parts have a letter"),
            ("t20/t21/n10/s12", "two timestamps"),
            ("t65/n63", "a timestamp of 65 bits is too wide"),
            ("n1+41/10/12", "\"n1\" before +"),
            ("x41/10/12", "\"x41\" is not a number of bits"),
            ("tt41/n10/s12", "\"tt41\" is not"),
            ("41/ten/12", "\"ten\" is not"),
            ("41//12", "\"\" is not"),
            ("", "\"\" is not"),
            ("-41/10/12", "\"-41\" is not"),
            ("t", "\"t\" is not"),
            ("99999999999/1", "is not a number of bits from 0 to 128"),
            ("4١/10/12", "is not a number"),
        ] {
            let error = text.parse::<Layout>().unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    #[test]
    fn a_bit_moves_from_field_to_field() {
        use FieldKind::{Counter, Node, Random, Timestamp};
        let layout: Layout = "41/5/5/12".parse().unwrap();
        let moved = layout.moved(Node, Timestamp).unwrap();
        assert_eq!(moved.to_string(), "f1/t42/n5/n4/s12");
        assert!(layout.moved(Random, Counter).is_none());
        assert!(layout.moved(Counter, Random).is_none());
        let tight: Layout = "62/1/1".parse().unwrap();
        assert!(tight.moved(Node, Counter).is_none());
        let widest: Layout = "t64/n64".parse().unwrap();
        assert!(widest.moved(Node, Timestamp).is_none());
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in "\\PC{0,40}") {
            let _ = text.parse::<Layout>();
        }

        #[test]
        fn layouts_are_read_back(timestamp in 1u32..40, node in 1u32..20) {
            let text = format!("{timestamp}/{node}/{}", 63 - timestamp - node);
            let layout: Layout = text.parse().unwrap();
            prop_assert_eq!(layout.to_string().parse(), Ok(layout));
        }
    }
}
