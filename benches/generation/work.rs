//! Work: loops that write to memory of the caller's, the same for everyone.

use crate::row::CHUNK;
use std::hint::black_box;

/// Up to 36 bytes, in the order of ids: what checks and checksums see of an id or text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Plain {
    bytes: [u8; 36],
    length: u8,
}

impl Plain {
    /// These bytes, most significant first.
    pub fn new(bytes: &[u8]) -> Self {
        let mut plain = Self {
            bytes: [0; 36],
            length: bytes.len() as u8,
        };
        plain.bytes[..bytes.len()].copy_from_slice(bytes);
        plain
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    fn word(&self) -> u64 {
        let words = self.bytes.as_chunks::<4>().0.iter();
        words.fold(0, |sum: u64, word| {
            sum.rotate_left(7)
                .wrapping_add(u64::from(u32::from_be_bytes(*word)))
        })
    }
}

/// What a row does.
pub trait Work {
    /// Does it for so many ids; what is timed.
    fn run(&mut self, ids: usize);

    /// Shows what the last chunk of the last run wrote.
    fn see(&self, see: &mut dyn FnMut(Plain));

    /// A sum over that, so that no run can be left out.
    fn checksum(&self) -> u64 {
        let mut sum = 0u64;
        self.see(&mut |plain| sum = sum.wrapping_add(plain.word()));
        sum
    }

    /// All of that.
    fn written(&self) -> Vec<Plain> {
        let mut written = Vec::new();
        self.see(&mut |plain| written.push(plain));
        written
    }
}

/// Calls `next` once an id.
pub struct Each<O, F, P> {
    next: F,
    out: Vec<O>,
    wrote: usize,
    plain: P,
}

/// One call an id; `plain` says its bytes in order.
pub fn each<O: Clone, F: FnMut() -> O, P: Fn(&O) -> Plain>(mut next: F, plain: P) -> Each<O, F, P> {
    let out = vec![next(); CHUNK];
    Each {
        next,
        out,
        wrote: 0,
        plain,
    }
}

impl<O, F: FnMut() -> O, P: Fn(&O) -> Plain> Work for Each<O, F, P> {
    fn run(&mut self, ids: usize) {
        let mut left = ids;
        while left > 0 {
            self.wrote = left.min(CHUNK);
            for slot in &mut self.out[..self.wrote] {
                *slot = (self.next)();
            }
            black_box(&mut self.out);
            left -= self.wrote;
        }
    }

    fn see(&self, see: &mut dyn FnMut(Plain)) {
        self.out[..self.wrote].iter().map(&self.plain).for_each(see);
    }
}

/// Calls `fill` once a chunk.
pub struct Bulk<O, F, P> {
    fill: F,
    out: Vec<O>,
    wrote: usize,
    plain: P,
}

/// One call a chunk, which fills it; `first` is what it holds before.
pub fn bulk<O: Clone, F: FnMut(&mut [O]), P: Fn(&O) -> Plain>(
    first: O,
    fill: F,
    plain: P,
) -> Bulk<O, F, P> {
    Bulk {
        fill,
        out: vec![first; CHUNK],
        wrote: 0,
        plain,
    }
}

impl<O, F: FnMut(&mut [O]), P: Fn(&O) -> Plain> Work for Bulk<O, F, P> {
    fn run(&mut self, ids: usize) {
        let mut left = ids;
        while left > 0 {
            self.wrote = left.min(CHUNK);
            (self.fill)(&mut self.out[..self.wrote]);
            black_box(&mut self.out);
            left -= self.wrote;
        }
    }

    fn see(&self, see: &mut dyn FnMut(Plain)) {
        self.out[..self.wrote].iter().map(&self.plain).for_each(see);
    }
}

/// Calls `turn` once an input, with a place for its output.
pub struct Turn<I, O, F, P> {
    inputs: Vec<I>,
    out: Vec<O>,
    turn: F,
    wrote: usize,
    plain: P,
}

/// One call an input, from `inputs` ([`CHUNK`] of them) to outputs in a row.
pub fn turn<I, O: Clone, F: FnMut(&I, &mut O), P: Fn(&O) -> Plain>(
    inputs: Vec<I>,
    first: O,
    turn: F,
    plain: P,
) -> Turn<I, O, F, P> {
    let out = vec![first; inputs.len()];
    Turn {
        inputs,
        out,
        turn,
        wrote: 0,
        plain,
    }
}

impl<I, O, F: FnMut(&I, &mut O), P: Fn(&O) -> Plain> Work for Turn<I, O, F, P> {
    fn run(&mut self, ids: usize) {
        let mut left = ids;
        while left > 0 {
            self.wrote = left.min(self.inputs.len());
            let inputs = black_box(&self.inputs);
            for (input, out) in inputs[..self.wrote].iter().zip(&mut self.out) {
                (self.turn)(input, out);
            }
            black_box(&mut self.out);
            left -= self.wrote;
        }
    }

    fn see(&self, see: &mut dyn FnMut(Plain)) {
        self.out[..self.wrote].iter().map(&self.plain).for_each(see);
    }
}

/// Calls `load` once for all ids of a run.
pub struct Whole<F>(F, u64);

/// One call a run, with the number of ids; it returns a checksum.
pub fn whole<F: FnMut(usize) -> u64>(load: F) -> Whole<F> {
    Whole(load, 0)
}

impl<F: FnMut(usize) -> u64> Work for Whole<F> {
    fn run(&mut self, ids: usize) {
        self.1 = black_box((self.0)(ids));
    }

    fn see(&self, see: &mut dyn FnMut(Plain)) {
        see(Plain::new(&self.1.to_be_bytes()));
    }
}
