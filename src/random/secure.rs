//! [`Secure`]: the random source of ids that are handed out.
//!
//! A cipher makes a buffer of key stream; its first 32 bytes are the next key, and bytes are
//! wiped as they are taken ("fast-key-erasure random-number generators", Bernstein 2017): who
//! reads the memory learns nothing of ids made before. A generator of [`Secure::new`] mixes
//! fresh entropy of the system into its key every MiB.
//!
//! After a fork the child starts anew from the system's entropy. On Linux the kernel sees to
//! it from the first byte on; elsewhere the process id is compared when the buffer is made
//! anew, so up to [`BUFFER_BYTES`] can repeat in a child that does not make a new generator.
//! A copied virtual machine repeats up to a MiB.

use super::wiped::{Wiped, Zeroes};
use aes::cipher::{Array, BlockCipherEncrypt, KeyInit, consts::U16};
use rand::TryRng;
use rand::rngs::{SysError, SysRng};
use rand_chacha::rand_core::{Infallible, Rng, SeedableRng, TryCryptoRng};
use rand_chacha::{ChaCha8Rng, ChaCha12Rng, ChaCha20Rng};

const KEY_BYTES: usize = 32;

/// Bytes of key stream made at a time, the next key included.
pub const BUFFER_BYTES: usize = 8192;

/// Buffers from one visit to the system's entropy to the next.
const BUFFERS_PER_MIX: u64 = (1 << 20) / BUFFER_BYTES as u64;

/// The cipher whose key stream is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cipher {
    /// AES-256 of the counters 0, 1, … in 16 bytes, little-endian. Fast where the processor
    /// has instructions for it; elsewhere slow, but in constant time.
    Aes256,
    /// ChaCha of 8 rounds.
    ChaCha8,
    /// ChaCha of 12 rounds, as in `rand::rngs::ThreadRng`.
    ChaCha12,
    /// ChaCha of 20 rounds (RFC 8439).
    ChaCha20,
}

impl Cipher {
    /// AES-256 if this processor has instructions for it, otherwise ChaCha12.
    pub fn best() -> Self {
        #[cfg(any(target_arch = "x86_64", target_arch = "x86"))]
        let instructions = std::arch::is_x86_feature_detected!("aes");
        #[cfg(target_arch = "aarch64")]
        let instructions = std::arch::is_aarch64_feature_detected!("aes");
        #[cfg(not(any(target_arch = "x86_64", target_arch = "x86", target_arch = "aarch64")))]
        let instructions = false;
        match instructions {
            true => Self::Aes256,
            false => Self::ChaCha12,
        }
    }

    /// The first bytes of the key stream of `key`.
    fn stream(self, key: [u8; KEY_BYTES], out: &mut [u8; BUFFER_BYTES]) {
        match self {
            Self::Aes256 => {
                let (blocks, _) = Array::<u8, U16>::slice_as_chunks_mut(out);
                let (counters, _) = Array::<u8, U16>::slice_as_chunks(COUNTERS.as_flattened());
                aes::Aes256::new(&key.into())
                    .encrypt_blocks_b2b(counters, blocks)
                    .expect("as many counters as blocks");
            }
            Self::ChaCha8 => ChaCha8Rng::from_seed(key).fill_bytes(out),
            Self::ChaCha12 => ChaCha12Rng::from_seed(key).fill_bytes(out),
            Self::ChaCha20 => ChaCha20Rng::from_seed(key).fill_bytes(out),
        }
    }
}

/// What AES encrypts: the counters of one buffer.
static COUNTERS: [[u8; 16]; BUFFER_BYTES / 16] = {
    let mut counters = [[0; 16]; BUFFER_BYTES / 16];
    let mut i = 0;
    while i < counters.len() {
        counters[i] = (i as u128).to_le_bytes();
        i += 1;
    }
    counters
};

/// Where the key came from.
const WIPED: u64 = 0;
const SYSTEM: u64 = 1;
const SEED: u64 = 2;

#[derive(Clone, Copy)]
#[repr(C)]
struct State {
    /// Bytes at the end of `stream` that are yet to be taken.
    left: usize,
    /// [`WIPED`] (no key), [`SYSTEM`] or [`SEED`].
    origin: u64,
    /// Buffers made.
    buffers: u64,
    key: [u8; KEY_BYTES],
    stream: [u8; BUFFER_BYTES],
}

// SAFETY: integers and arrays of them.
#[expect(unsafe_code)]
unsafe impl Zeroes for State {
    const ZEROES: Self = Self {
        left: 0,
        origin: WIPED,
        buffers: 0,
        key: [0; KEY_BYTES],
        stream: [0; BUFFER_BYTES],
    };
}

/// A cryptographically secure generator for one thread.
///
/// ```
/// use idlab::random::{Cipher, Secure};
/// use rand::Rng;
/// let mut random = Secure::new(Cipher::best())?;
/// assert_ne!(random.next_u64(), random.next_u64());
/// # Ok::<(), rand::rngs::SysError>(())
/// ```
pub struct Secure {
    cipher: Cipher,
    state: Wiped<State>,
    /// The process that the key is for, where forks do not wipe it.
    process: u32,
}

impl std::fmt::Debug for Secure {
    /// Says nothing of its state.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cipher = self.cipher;
        write!(f, "Secure({cipher:?})")
    }
}

impl Secure {
    /// A generator with a key from the system.
    ///
    /// # Errors
    /// The system has no entropy to give.
    pub fn new(cipher: Cipher) -> Result<Self, SysError> {
        let mut key = [0; KEY_BYTES];
        SysRng.try_fill_bytes(&mut key)?;
        Ok(Self::with_key(cipher, key, SYSTEM))
    }

    /// A generator that always gives the same bytes: for tests and for runs that can be
    /// repeated. In a forked child it goes on as one of [`Secure::new`].
    pub fn from_seed(cipher: Cipher, key: [u8; KEY_BYTES]) -> Self {
        Self::with_key(cipher, key, SEED)
    }

    fn with_key(cipher: Cipher, key: [u8; KEY_BYTES], origin: u64) -> Self {
        let mut state = Wiped::<State>::new();
        state.key = key;
        state.origin = origin;
        Self {
            cipher,
            state,
            process: std::process::id(),
        }
    }

    /// The next `N` bytes.
    #[inline]
    fn take<const N: usize>(&mut self) -> [u8; N] {
        loop {
            let state = &mut *self.state;
            let at = BUFFER_BYTES.wrapping_sub(state.left);
            if let Some(bytes) = state
                .stream
                .get_mut(at..)
                .and_then(<[u8]>::first_chunk_mut::<N>)
            {
                state.left -= N;
                return std::mem::replace(bytes, [0; N]);
            }
            self.refill();
        }
    }

    /// Makes the buffer anew; what is left of it is dropped.
    #[cold]
    #[inline(never)]
    fn refill(&mut self) {
        if !self.state.by_kernel() && self.process != std::process::id() {
            self.process = std::process::id();
            self.state.origin = WIPED;
        }
        let state = &mut *self.state;
        let due = state.origin == SYSTEM && state.buffers.is_multiple_of(BUFFERS_PER_MIX);
        if state.origin == WIPED || (due && state.buffers > 0) {
            let mut fresh = [0; KEY_BYTES];
            match SysRng.try_fill_bytes(&mut fresh) {
                Ok(()) => state.key.iter_mut().zip(fresh).for_each(|(k, f)| *k ^= f),
                // The old key is as good as it was; but a child has none.
                Err(error) => assert!(state.origin == SYSTEM, "no entropy after a fork: {error}"),
            }
            state.origin = SYSTEM;
        }
        self.cipher.stream(state.key, &mut state.stream);
        let (key, _) = state.stream.split_at_mut(KEY_BYTES);
        state.key.copy_from_slice(key);
        key.fill(0);
        state.buffers += 1;
        state.left = BUFFER_BYTES - KEY_BYTES;
    }
}

impl TryRng for Secure {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(u32::from_le_bytes(self.take()))
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(u64::from_le_bytes(self.take()))
    }

    #[inline]
    fn try_fill_bytes(&mut self, out: &mut [u8]) -> Result<(), Infallible> {
        // The most frequent draw is one of a known length.
        match <&mut [u8; 16]>::try_from(&mut *out) {
            Ok(out) => *out = self.take(),
            Err(_) => self.fill(out),
        }
        Ok(())
    }
}

impl Secure {
    #[inline(never)]
    fn fill(&mut self, mut out: &mut [u8]) {
        while !out.is_empty() {
            if self.state.left == 0 {
                self.refill();
            }
            let state = &mut *self.state;
            let (_, left) = state.stream.split_at_mut(BUFFER_BYTES - state.left);
            let count = left.len().min(out.len());
            let (now, later) = out.split_at_mut(count);
            now.copy_from_slice(&left[..count]);
            left[..count].fill(0);
            state.left -= count;
            out = later;
        }
    }
}

impl TryCryptoRng for Secure {}

#[cfg(test)]
mod tests;
