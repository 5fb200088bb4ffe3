//! Hexadecimal digits, all 32 of a value at once.

#[cfg(not(target_arch = "x86_64"))]
use portable as kernel;
#[cfg(target_arch = "x86_64")]
use sse2 as kernel;

/// Eight digits.
type Word = [u8; 8];

/// The lower-case digits of `value`.
#[inline]
pub(super) fn encode(value: u128) -> [Word; 4] {
    kernel::encode(value)
}

/// The value of digits of any case, unless a byte is none.
#[inline]
pub(super) fn decode(digits: [Word; 4]) -> Option<u128> {
    kernel::decode(digits)
}

/// Eight digits are a `u64`.
#[cfg(any(test, not(target_arch = "x86_64")))]
mod portable {
    use super::Word;

    const fn each(byte: u8) -> u64 {
        u64::from_ne_bytes([byte; 8])
    }

    pub fn encode(value: u128) -> [Word; 4] {
        [96, 64, 32, 0].map(|shift| {
            // Spread to 16 bits of each 32, 8 of 16, 4 of 8.
            let spread = u64::from((value >> shift) as u32);
            let spread = (spread | spread << 16) & 0x0000_ffff_0000_ffff;
            let spread = (spread | spread << 8) & 0x00ff_00ff_00ff_00ff;
            let digits = (spread | spread << 4) & each(0xf);
            let letters = (digits + each(6)) >> 4 & each(1);
            (digits + each(b'0') + letters * u64::from(b'a' - b'9' - 1)).to_be_bytes()
        })
    }

    pub fn decode(digits: [Word; 4]) -> Option<u128> {
        let mut foreign = 0;
        let value = digits.iter().fold(0, |value, &digits| {
            let digits = u64::from_be_bytes(digits);
            let ascii = digits & each(0x7f);
            // The highest bit of each byte tells whether it is at least `first`; none carries.
            let from = |text, first| text + each(0x80 - first);
            let digit = from(ascii, b'0') & !from(ascii, b'9' + 1);
            let lower = ascii | each(0x20);
            let letter = from(lower, b'a') & !from(lower, b'f' + 1);
            foreign |= digits | !(digit | letter);

            let letters = ascii >> 6 & each(1);
            let values = ascii.wrapping_add(letters * 9) & each(0xf);
            let packed = (values | values >> 4) & 0x00ff_00ff_00ff_00ff;
            let packed = (packed | packed >> 8) & 0x0000_ffff_0000_ffff;
            value << 32 | u128::from((packed | packed >> 16) as u32)
        });
        (foreign & each(0x80) == 0).then_some(value)
    }
}

/// Sixteen digits are a vector: less than half the instructions of `portable`, and time.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod sse2 {
    use super::Word;
    use std::arch::x86_64::*;

    #[inline]
    pub fn encode(value: u128) -> [Word; 4] {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { to_text(value) }
    }

    #[inline]
    pub fn decode(digits: [Word; 4]) -> Option<u128> {
        // SAFETY: every x86-64 processor has SSE2.
        unsafe { to_value(digits) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn each(byte: u8) -> __m128i {
        _mm_set1_epi8(byte as i8)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn halves(vector: __m128i) -> [u64; 2] {
        [vector, _mm_unpackhi_epi64(vector, vector)].map(|half| _mm_cvtsi128_si64(half) as u64)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn to_text(value: u128) -> [Word; 4] {
        let word = |shift: u32| ((value >> shift) as i64).swap_bytes();
        let bytes = _mm_set_epi64x(word(0), word(64));
        let upper = _mm_and_si128(_mm_srli_epi16(bytes, 4), each(0xf));
        let lower = _mm_and_si128(bytes, each(0xf));
        let text = |digits| {
            let letters = _mm_cmpgt_epi8(digits, each(9));
            let skipped = _mm_and_si128(letters, each(b'a' - b'9' - 1));
            _mm_add_epi8(_mm_add_epi8(digits, each(b'0')), skipped)
        };
        let [a, b] = halves(text(_mm_unpacklo_epi8(upper, lower)));
        let [c, d] = halves(text(_mm_unpackhi_epi8(upper, lower)));
        [a, b, c, d].map(u64::to_le_bytes)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn to_value(digits: [Word; 4]) -> Option<u128> {
        let [a, b, c, d] = digits.map(i64::from_le_bytes);
        // Pairs of digits in 16 bits each, and which bytes are digits.
        let read = |text| {
            let at_most = |bytes, last| _mm_cmpeq_epi8(_mm_min_epu8(bytes, each(last)), bytes);
            let digits = _mm_sub_epi8(text, each(b'0'));
            let letters = _mm_sub_epi8(_mm_or_si128(text, each(0x20)), each(b'a'));
            let (are_digits, are_letters) = (at_most(digits, 9), at_most(letters, 5));
            let letters = _mm_and_si128(_mm_add_epi8(letters, each(10)), are_letters);
            let values = _mm_or_si128(_mm_and_si128(digits, are_digits), letters);
            let pairs = _mm_or_si128(_mm_slli_epi16(values, 4), _mm_srli_epi16(values, 8));
            let pairs = _mm_and_si128(pairs, _mm_set1_epi16(0xff));
            (pairs, _mm_or_si128(are_digits, are_letters))
        };
        let (upper, upper_good) = read(_mm_set_epi64x(b, a));
        let (lower, lower_good) = read(_mm_set_epi64x(d, c));
        let good = _mm_movemask_epi8(_mm_and_si128(upper_good, lower_good)) == 0xffff;
        let [high, low] = halves(_mm_packus_epi16(upper, lower)).map(u64::swap_bytes);
        good.then_some(u128::from(high) << 64 | u128::from(low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn words(text: &[u8]) -> [Word; 4] {
        let words: Vec<Word> = text.as_chunks().0.to_vec();
        words.try_into().unwrap()
    }

    #[test]
    fn every_byte_at_every_place_is_a_digit_or_refused() {
        for place in 0..32 {
            for byte in 0..=u8::MAX {
                let mut text = *b"0123456789abcdefFEDCBA9876543210";
                text[place] = byte;
                let expected = str::from_utf8(&text)
                    .ok()
                    .filter(|_| byte != b'+')
                    .and_then(|text| u128::from_str_radix(text, 16).ok());
                assert_eq!(decode(words(&text)), expected, "{byte} at {place}");
                assert_eq!(
                    portable::decode(words(&text)),
                    expected,
                    "{byte} at {place}"
                );
            }
        }
    }

    proptest! {
        #[test]
        fn digits_are_those_of_the_standard_library(value: u128) {
            for value in [value, 0, u128::MAX] {
                let digits = words(format!("{value:032x}").as_bytes());
                prop_assert_eq!(encode(value), digits);
                prop_assert_eq!(portable::encode(value), digits);
                prop_assert_eq!(decode(digits), Some(value));
                prop_assert_eq!(portable::decode(digits), Some(value));
            }
        }

        #[test]
        fn any_bytes_are_refused_by_both_or_neither(text: [u8; 32]) {
            prop_assert_eq!(decode(words(&text)), portable::decode(words(&text)));
        }
    }
}
