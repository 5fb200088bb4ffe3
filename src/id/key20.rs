//! The 20-byte key (KSUID, SHA-1 sized ids).

use super::{Key, low_bits};

/// A 20-byte big-endian key.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key20 {
    high: u32,
    // Two halves keep the struct at 20 bytes with 4-byte alignment.
    low: [u32; 4],
}

impl Key20 {
    /// The key with `high` as its first 4 bytes and `low` as the other 16.
    #[inline]
    pub fn new(high: u32, low: u128) -> Self {
        let word = |i: u32| (low >> (96 - 32 * i)) as u32;
        Self {
            high,
            low: [word(0), word(1), word(2), word(3)],
        }
    }

    /// The first 4 bytes.
    #[inline]
    pub fn high(self) -> u32 {
        self.high
    }

    /// The last 16 bytes.
    #[inline]
    pub fn low(self) -> u128 {
        self.low
            .iter()
            .fold(0, |value, &word| value << 32 | u128::from(word))
    }
}

impl Key for Key20 {
    const BYTES: u32 = 20;

    #[inline]
    fn from_parts(high: u32, low: u128) -> Self {
        Self::new(high, low)
    }

    fn field(self, shift: u32, bits: u32) -> u128 {
        let high = u128::from(self.high);
        let shifted = match shift {
            0 => self.low(),
            1..128 => self.low() >> shift | high << (128 - shift),
            _ => high >> (shift - 128),
        };
        low_bits(shifted, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_byte_order_and_fields_cross_the_seam() {
        let a = Key20::new(1, u128::MAX);
        let b = Key20::new(2, 0);
        assert!(a < b);
        assert_eq!(a.low(), u128::MAX);
        assert_eq!(Key20::new(0xdead_beef, 0).prefix(), 0xdead_beef_0000_0000);
        assert_eq!(Key20::new(0x1234_5678, 0xff << 120).field(120, 16), 0x78ff);
        assert_eq!(std::mem::size_of::<Key20>(), 20);
    }
}
