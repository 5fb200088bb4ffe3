//! Digits of any base up to 64, one after another, for texts that need not be fast.

use super::ParseError;
use super::text::{FOREIGN, refusal};

/// The digits of base 36 in lower case.
pub(super) const BASE36: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
/// The characters of base 64 for URLs, in ASCII order.
pub(super) const ORDERED64: &[u8; 64] =
    b"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/// So many digits fit 64 bits in every base.
const GROUP: usize = 10;

/// Fills `out` with the last digits of `value`.
pub(super) fn encode<const BASE: usize>(mut value: u128, digits: &[u8; BASE], out: &mut [u8]) {
    for group in out.rchunks_mut(GROUP) {
        let bound = (BASE as u128).pow(group.len() as u32);
        let mut rest = (value % bound) as u64;
        value /= bound;
        for digit in group.iter_mut().rev() {
            *digit = digits[(rest % BASE as u64) as usize];
            rest /= BASE as u64;
        }
    }
}

/// The number that `length` digits are; `None` if it does not fit 128 bits.
///
/// # Errors
///
/// `text` does not consist of `length` digits.
pub(super) fn decode<const BASE: usize>(
    text: &[u8],
    values: &[u32; 256],
    length: usize,
    expected: &'static str,
) -> Result<Option<u128>, ParseError> {
    let mut digits = text.iter().map(|&byte| values[usize::from(byte)]);
    if text.len() != length || digits.clone().any(|digit| digit == FOREIGN) {
        return Err(refusal(text, length, values, expected));
    }
    Ok(digits.try_fold(0u128, |value, digit| {
        value.checked_mul(BASE as u128)?.checked_add(digit.into())
    }))
}

#[cfg(test)]
mod tests {
    use super::super::text::digit_values;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn digits_are_those_of_division(value: u128) {
            for value in [value, 0, u128::MAX] {
                let mut text = [0; 25];
                encode(value, BASE36, &mut text);
                for (place, &digit) in text.iter().rev().enumerate() {
                    let rest = value / 36u128.pow(place as u32) % 36;
                    prop_assert_eq!(digit, BASE36[rest as usize]);
                }
                let values = digit_values(BASE36, false);
                prop_assert_eq!(decode::<36>(&text, &values, 25, ""), Ok(Some(value)));
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_nothing() {
        let values = digit_values(ORDERED64, false);
        let decode = |text: &str| decode::<64>(text.as_bytes(), &values, 22, "");
        assert_eq!(decode("2zzzzzzzzzzzzzzzzzzzzz"), Ok(Some(u128::MAX)));
        assert_eq!(decode("3---------------------"), Ok(None));
    }
}
