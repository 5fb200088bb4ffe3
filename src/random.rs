//! Randomness: seeded for simulations, [`Secure`] for ids that are handed out.
//!
//! Every consumer of a simulation draws from its own ChaCha8 stream, keyed by the run's seed,
//! the consumer's name and a number. Adding a consumer disturbs no other.

mod secure;
#[expect(unsafe_code)]
mod wiped;

pub use secure::{BUFFER_BYTES, Cipher, Secure};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// The sub-stream of `seed` for the consumer `name`, number `index`.
///
/// # Panics
/// If the name is longer than 16 bytes.
///
/// ```
/// use rand::Rng;
/// let mut a = idlab::random::stream(42, "delay", 0);
/// let mut b = idlab::random::stream(42, "delay", 0);
/// assert_eq!(a.next_u64(), b.next_u64());
/// ```
pub fn stream(seed: u64, name: &str, index: u64) -> ChaCha8Rng {
    ChaCha8Rng::from_seed(key(seed, name, index))
}

/// The generator that ids are handed out with, [`Secure`] of AES-256, with the key of a
/// sub-stream: for tests of what it gives, which can be repeated.
///
/// # Panics
/// As [`stream`].
pub fn secure_stream(seed: u64, name: &str, index: u64) -> Secure {
    Secure::from_seed(Cipher::Aes256, key(seed, name, index))
}

fn key(seed: u64, name: &str, index: u64) -> [u8; 32] {
    let mut key = [0u8; 32];
    key[..8].copy_from_slice(&seed.to_le_bytes());
    key[8..16].copy_from_slice(&index.to_le_bytes());
    key[16..16 + name.len()].copy_from_slice(name.as_bytes());
    key
}

/// A uniform draw from (0, 1], in steps of 2⁻⁵³.
pub fn unit(random: &mut impl Rng) -> f64 {
    ((random.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// A draw from the exponential distribution of this mean, rounded down; the unit is the caller's.
///
/// The logarithm is `libm`'s, so the same bits come out on every machine.
pub fn exponential(random: &mut impl Rng, mean: u64) -> u64 {
    if mean == 0 {
        return 0;
    }
    (-libm::log(unit(random)) * mean as f64) as u64
}

/// A draw from the normal distribution of mean 0 and this standard deviation.
pub fn normal_ns(random: &mut impl Rng, sd_ns: u64) -> i64 {
    // Box and Muller (1958).
    let radius = libm::sqrt(-2.0 * libm::log(unit(random)));
    let angle = std::f64::consts::TAU * unit(random);
    (radius * libm::cos(angle) * sd_ns as f64) as i64
}

/// A draw from the lognormal distribution of this median, rounded down; `sigma` is the logarithm's standard deviation.
pub fn lognormal(random: &mut impl Rng, median: u64, sigma: f64) -> u64 {
    // Box and Muller (1958).
    let radius = libm::sqrt(-2.0 * libm::log(unit(random)));
    let angle = std::f64::consts::TAU * unit(random);
    (libm::exp(sigma * radius * libm::cos(angle)) * median as f64) as u64
}

/// A uniform draw from `0..bound` (Lemire's multiplication; the bias is below 2⁻³²
/// for every `bound` that fits 32 bits).
pub fn below(random: &mut impl Rng, bound: u32) -> u32 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u32
}

/// 128 random bits.
#[inline]
pub fn bits128(random: &mut impl Rng) -> u128 {
    let mut bytes = [0; 16];
    random.fill_bytes(&mut bytes);
    word(bytes)
}

/// Two words of 64 bits, the first of them the high one.
#[inline]
fn word(bytes: [u8; 16]) -> u128 {
    u128::from_le_bytes(bytes).rotate_left(64)
}

/// Fills `out` with `make` of 128 random bits each: those that [`bits128`] would draw one by one.
#[inline]
pub fn fill128<T>(random: &mut impl Rng, out: &mut [T], make: impl Fn(u128) -> T) {
    let mut bytes = [[0; 16]; 64];
    for part in out.chunks_mut(bytes.len()) {
        let bytes = &mut bytes[..part.len()];
        random.fill_bytes(bytes.as_flattened_mut());
        for (value, bytes) in part.iter_mut().zip(bytes) {
            *value = make(word(*bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_name_and_index() {
        let first = |seed, name, index| stream(seed, name, index).next_u64();
        let base = first(1, "a", 0);
        assert_ne!(base, first(2, "a", 0));
        assert_ne!(base, first(1, "b", 0));
        assert_ne!(base, first(1, "a", 1));
    }

    /// The bits are part of every golden result: a change here changes them all.
    #[test]
    fn the_first_draws_are_pinned() {
        let mut random = stream(42, "pin", 7);
        let first = [random.next_u64(), random.next_u64()];
        let exponential = exponential(&mut random, 1_000_000);
        let normal = normal_ns(&mut random, 1_000_000);
        assert_eq!(
            (first, exponential, normal),
            (
                [9_102_097_237_521_121_631, 4_079_993_730_493_778_283],
                2_493_233,
                1_152_215
            )
        );
    }

    #[test]
    fn bits_in_bulk_are_those_drawn_one_by_one() {
        let (mut one, mut bulk) = (stream(5, "bulk", 0), stream(5, "bulk", 0));
        let mut values = vec![0; 1000];
        fill128(&mut bulk, &mut values, |bits| bits);
        assert!(values.into_iter().all(|bits| bits == bits128(&mut one)));
    }

    /// Standard errors: mean of 10⁵ draws is within 5.5 of them, which a right
    /// generator misses less than once in 10⁷ seeds (and this seed is fixed).
    #[test]
    fn means_and_spreads_are_as_asked() {
        let mut random = stream(3, "moments", 0);
        let n = 100_000;
        let mean = (0..n)
            .map(|_| exponential(&mut random, 1_000_000) as f64)
            .sum::<f64>()
            / n as f64;
        assert!((mean - 1e6).abs() < 5.5 * 1e6 / (n as f64).sqrt(), "{mean}");
        let square = (0..n)
            .map(|_| (normal_ns(&mut random, 1_000_000) as f64).powi(2))
            .sum::<f64>();
        let variance = square / n as f64 / 1e12;
        assert!(
            (variance - 1.0).abs() < 5.5 * (2.0 / n as f64).sqrt(),
            "{variance}"
        );
    }
}
