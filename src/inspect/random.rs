//! Whether bits that claim to be random look it.
//!
//! First all that does not claim it is stripped: by the layout, if that is known, or by what the
//! bits do. A list with its fixed bits, its clock and its counters fails any such test, which
//! says nothing of its randomness.

mod battery;
mod stream;
#[cfg(test)]
mod tests;

use super::bits::{Bit, Class};
use crate::id::Key;
use crate::measure::Rows;
use crate::record::{Measured, Number};
use crate::scheme::{Field, FieldKind};

/// A test's p-value.
pub const RANDOMNESS_P: Measured = Measured {
    name: "randomness_p_value",
    unit: "probability",
    about: "probability that random bits do as badly in a test (param test) of claimed or raw bits (param of); its verdict is param verdict",
};
/// Entropy of a byte.
pub const COMMON_BYTE_ENTROPY: Measured = Measured {
    name: "common_byte_entropy_bits",
    unit: "bits/byte",
    about: "entropy of a byte of claimed or raw bits (param of), most common value estimate with its 99 % bound (SP 800-90B, 6.3.1)",
};
/// Bits that are tested.
pub const TESTED_BITS: Measured = Measured {
    name: "tested_bits",
    unit: "bits/id",
    about: "bits of an id that are tested for randomness (param of)",
};

/// Ids that are tested at most: the first of a list.
pub const SAMPLE_IDS: usize = 1 << 19;

/// What a test says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// As chance has it.
    Pass,
    /// Chance alone makes any test of a list weak in fewer than one list of 100.
    Weak,
    /// Chance alone fails any test of a list in fewer than one list of 10,000.
    Fail,
}

impl Verdict {
    /// Name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Weak => "weak",
            Self::Fail => "fail",
        }
    }
}

/// A test's outcome.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Test {
    /// Its name, `snake_case`.
    pub name: &'static str,
    /// What was found; its unit is the test's ([`Test::about`]).
    pub found: f64,
    /// The mean or median of that under chance.
    pub expected: f64,
    /// Probability that chance does as badly.
    pub p: f64,
    /// The bit, from the most significant of the id, if the test is of one.
    pub bit: Option<u32>,
    /// What that means, given how many tests there are.
    pub verdict: Verdict,
}

impl Test {
    /// What it counts.
    pub fn about(&self) -> &'static str {
        match self.name {
            "monobit" => "share of ones",
            "worst_bit" => "ones of the most uneven bit, |z|",
            "runs" => "share of bits unlike the one before",
            "worst_neighbours" => "changes of a bit from id to id, |z|",
            "collisions_32" => "pairs with the same first 32 bits",
            "collisions_64" => "pairs with the same first 64 bits",
            "spacings" => "equal distances of sorted ids",
            _ => "times of the most common byte",
        }
    }
}

/// What the tests of some bits say.
#[derive(Clone, PartialEq, Debug)]
pub struct Tested {
    /// Ids tested: the first of the list.
    pub ids: u64,
    /// Ids of the list.
    pub of: u64,
    /// Bits of each id that are tested.
    pub bits: u32,
    /// The tests; none of too few ids or of no bits.
    pub tests: Vec<Test>,
    /// Entropy of a byte, most common value estimate; `None` of too few bytes.
    pub byte_entropy_bits: Option<f64>,
}

impl Tested {
    /// The worst verdict; `None` if nothing was tested.
    pub fn verdict(&self) -> Option<Verdict> {
        self.tests.iter().map(|test| test.verdict).max()
    }

    /// Writes a row a test; `of` says which bits these are: `claimed` or `raw`.
    pub fn rows(&self, of: &str, rows: &mut Rows) {
        let which = ("of", of.into());
        let bits = self.bits.into();
        rows.push(&TESTED_BITS, None, bits, std::slice::from_ref(&which));
        for test in &self.tests {
            let verdict = ("verdict", test.verdict.name().into());
            let params = [which.clone(), ("test", test.name.into()), verdict];
            rows.push(&RANDOMNESS_P, None, Number::Real(test.p), &params);
        }
        if let Some(entropy) = self.byte_entropy_bits {
            let entropy = Number::Real(entropy);
            rows.push(&COMMON_BYTE_ENTROPY, None, entropy, &[which]);
        }
    }
}

/// The positions, from the most significant, of bits that claim to be random: those of the
/// random fields of `layout`, or if that is empty, all but those that are constant or look like
/// a clock's or a counter's.
pub fn claimed(layout: &[Field], bits: &[Bit]) -> Vec<u32> {
    let of_layout = layout.iter().flat_map(|field| {
        let is_random = field.kind == FieldKind::Random;
        std::iter::repeat_n(is_random, field.bits as usize)
    });
    let looks = |bit: &Bit| matches!(bit.class, Class::Random | Class::Varied);
    let claims: Vec<bool> = match layout {
        [] => bits.iter().map(looks).collect(),
        _ => of_layout.take(bits.len()).collect(),
    };
    let claims = (0..).zip(claims).filter(|(_, claims)| *claims);
    claims.map(|(position, _)| position).collect()
}

/// Keeps the first ids of a list to test their bits.
#[derive(Clone, Debug)]
pub struct Randomness<K> {
    bits: u32,
    ids: u64,
    kept: Vec<K>,
}

impl<K: Key> Randomness<K> {
    /// Of ids that are the lowest `bits` bits of their keys.
    pub fn new(bits: u32) -> Self {
        Self {
            bits: bits.clamp(1, K::BYTES * 8),
            ids: 0,
            kept: Vec::new(),
        }
    }

    /// The next ids, in the order of arrival.
    pub fn see(&mut self, keys: &[K]) {
        self.ids += keys.len() as u64;
        let left = SAMPLE_IDS - self.kept.len();
        self.kept.extend_from_slice(&keys[..keys.len().min(left)]);
    }

    /// Tests the bits at `positions`, ascending from the most significant; see [`claimed`].
    pub fn test(&self, positions: &[u32]) -> Tested {
        let positions: Vec<u32> = positions
            .iter()
            .copied()
            .filter(|&position| position < self.bits)
            .collect();
        let (tests, byte_entropy_bits) = battery::run(&self.kept, self.bits, &positions);
        Tested {
            ids: self.kept.len() as u64,
            of: self.ids,
            bits: positions.len() as u32,
            tests,
            byte_entropy_bits,
        }
    }

    /// Tests all bits, those that cannot be random too.
    pub fn test_raw(&self) -> Tested {
        self.test(&(0..self.bits).collect::<Vec<_>>())
    }
}
