//! Sets of kinds.

use super::kind::{KINDS, Kind};

/// A set of kinds; of hex strings those of one width, or of any.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Kinds {
    /// A bit a kind, by its place in [`KINDS`].
    bits: u32,
    /// Bytes of the hex strings.
    hex: u32,
}

/// The place of a kind in [`KINDS`].
fn place(kind: Kind) -> usize {
    KINDS
        .iter()
        .position(|(_, known)| known.same(kind))
        .unwrap_or(KINDS.len())
}

impl Kinds {
    /// All of them.
    pub const ALL: Self = Self {
        bits: (1 << KINDS.len()) - 1,
        hex: 0,
    };

    /// Adds a kind.
    pub fn insert(&mut self, kind: Kind) {
        self.bits |= 1 << place(kind);
        if let Kind::Hex(bytes) = kind {
            self.hex = bytes;
        }
    }

    /// Those of both sets.
    pub fn both(self, other: Self) -> Self {
        let mut bits = self.bits & other.bits;
        let hex = self.hex.max(other.hex);
        if self.hex != other.hex && self.hex != 0 && other.hex != 0 {
            bits &= !(1 << place(Kind::Hex(0)));
        }
        Self { bits, hex }
    }

    /// Without this one.
    pub fn without(self, kind: Kind) -> Self {
        let bits = self.bits & !(1 << place(kind));
        Self { bits, ..self }
    }

    /// Whether it has none.
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// The likeliest.
    pub fn first(self) -> Option<Kind> {
        self.iter().next()
    }

    /// Each, the likeliest first.
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        let listed = KINDS.iter().enumerate();
        let listed = listed.filter(move |(place, _)| self.bits >> place & 1 == 1);
        listed.map(move |(_, (_, kind))| match kind {
            Kind::Hex(_) => Kind::Hex(self.hex),
            kind => *kind,
        })
    }
}

impl FromIterator<Kind> for Kinds {
    fn from_iter<T: IntoIterator<Item = Kind>>(kinds: T) -> Self {
        let mut set = Self::default();
        kinds.into_iter().for_each(|kind| set.insert(kind));
        set
    }
}
