//! `sim ids --random-bits`: only the bits of ids that claim to be random, for tests of randomness.

use crate::args::usage;
use anyhow::Result;
use idlab::fleet::{Generator, Pace};
use idlab::id::{Id, Key};
use idlab::random;
use idlab::scheme::{Field, FieldKind, Scheme, Visitor};
use std::io::Write;

/// Ids at one reading of the clock, a millisecond.
const BATCH: usize = 4_000;

/// Bytes at which the output is written.
const WRITE_BYTES: usize = 1 << 16;

/// One generator with a simulated clock.
pub struct RandomBits {
    /// Ids; `None`: until nobody reads.
    pub count: Option<u64>,
    pub seed: u64,
}

impl Visitor for RandomBits {
    type Output = Result<()>;

    fn visit<S: Scheme>(self, mut scheme: S) -> Result<()> {
        let fields = scheme.fields();
        let mut packer = Packer::new(&fields);
        // Tails that count up have no field of their own for it.
        let counts = scheme.ascends()
            && scheme.limits().ids_per_tick.is_some()
            && fields.iter().all(|field| field.kind != FieldKind::Counter);
        if packer.runs.is_empty() || counts {
            let name = scheme.name();
            return Err(usage(format!(
                "--random-bits: {name} with these parameters has no random bits; expected a scheme such as uuid_v4"
            )));
        }
        let random = random::secure_stream(self.seed, "ids.random_bits", 0);
        let mut generator = Generator::new(&mut scheme, 0, random, Pace::steps())?;
        let mut ids = [S::Id::from_key(Default::default()); BATCH];
        let mut stdout = std::io::stdout().lock();
        let mut left = self.count.unwrap_or(u64::MAX);
        while left > 0 {
            let batch = ids.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            let ids = &mut ids[..batch];
            generator.fill(&mut scheme, ids)?;
            ids.iter().for_each(|id| packer.add(id.key()));
            if self.count.is_some() {
                left -= batch as u64;
            }
            if packer.bytes.len() >= WRITE_BYTES {
                stdout.write_all(&packer.bytes)?;
                packer.bytes.clear();
            }
        }
        stdout.write_all(&packer.finish())?;
        Ok(stdout.flush()?)
    }
}

/// Packs the random fields of ids without gaps, most significant bit first.
struct Packer {
    /// Shift and width, at most 64 bits, of what is kept of a key.
    runs: Vec<(u32, u32)>,
    bytes: Vec<u8>,
    /// The last `held` bits, fewer than 64, are yet to be packed.
    bits: u128,
    held: u32,
}

impl Packer {
    fn new(fields: &[Field]) -> Self {
        let mut shift = fields.iter().map(|field| field.bits).sum();
        let mut runs = Vec::new();
        for field in fields {
            let low = shift - field.bits;
            while field.kind == FieldKind::Random && shift > low {
                let width = 64.min(shift - low);
                shift -= width;
                runs.push((shift, width));
            }
            shift = low;
        }
        Self {
            runs,
            bytes: Vec::with_capacity(2 * WRITE_BYTES),
            bits: 0,
            held: 0,
        }
    }

    #[inline]
    fn add(&mut self, key: impl Key) {
        for &(shift, width) in &self.runs {
            self.bits = self.bits << width | key.field(shift, width);
            self.held += width;
            if self.held >= 64 {
                self.held -= 64;
                let word = (self.bits >> self.held) as u64;
                self.bytes.extend_from_slice(&word.to_be_bytes());
            }
        }
    }

    /// What is left, without the bits that fill no byte.
    fn finish(mut self) -> Vec<u8> {
        while self.held >= 8 {
            self.held -= 8;
            self.bytes.push((self.bits >> self.held) as u8);
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use idlab::id::Key20;

    /// Bit by bit, from the definition.
    fn naive<K: Key>(fields: &[Field], keys: &[K]) -> Vec<u8> {
        let mut bits = Vec::new();
        for key in keys {
            let mut shift = K::BYTES * 8;
            for field in fields {
                for _ in 0..field.bits {
                    shift -= 1;
                    if field.kind == FieldKind::Random {
                        bits.push(key.field(shift, 1) as u8);
                    }
                }
            }
        }
        let byte = |bits: &[u8]| bits.iter().fold(0, |byte, bit| byte << 1 | bit);
        bits.chunks_exact(8).map(byte).collect()
    }

    fn check<K: Key>(widths: &[(u32, bool)], key: impl Fn(u128) -> K) {
        let field = |&(bits, random): &(u32, bool)| {
            let kind = if random {
                FieldKind::Random
            } else {
                FieldKind::Fixed
            };
            Field::new("", bits, kind)
        };
        let fields: Vec<_> = widths.iter().map(field).collect();
        let mut random = random::stream(1, "test", 0);
        for count in 0..20 {
            let keys: Vec<K> = (0..count)
                .map(|_| key(random::bits128(&mut random)))
                .collect();
            let mut packer = Packer::new(&fields);
            keys.iter().for_each(|&key| packer.add(key));
            assert_eq!(packer.finish(), naive(&fields, &keys), "{widths:?}");
        }
    }

    #[test]
    fn bits_are_packed_as_a_loop_over_bits_does() {
        check(
            &[(48, true), (4, false), (12, true), (2, false), (62, true)],
            |bits| bits,
        );
        check(&[(48, false), (80, true)], |bits| bits);
        check(&[(128, true)], |bits| bits);
        check(&[(1, false), (63, true)], |bits| bits as u64);
        check(&[(61, false), (3, true)], |bits| bits as u64);
        check(&[(32, false), (128, true)], |bits| Key20::new(7, bits));
    }
}
