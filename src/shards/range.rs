//! A range and the sample of its keys by which it is cut.

use super::key::mix;
use super::{Online, Quantile};

/// Keys that a sample holds at most; then every other one goes.
const SAMPLE_KEYS: usize = 1024;
/// Keys that it has room for from the first on.
const FIRST_KEYS: usize = 64;
/// Most copies of a range.
pub const MOST_REPLICAS: usize = 7;

/// One key of each run of 2^n in the order of arrival, at a random place in it.
///
/// Of keys that ascend it tells how many lie left of each in it, up to the length of a run; of
/// others as well as a random sample. (Keys at equal intervals would meet a counter whose bits
/// are reversed, or writers that take turns, in step.)
#[derive(Clone, Debug, Default)]
pub(super) struct Sample {
    keys: Vec<u128>,
    seen: u64,
    /// Which key is kept next.
    next: u64,
    /// Length of a run, less one.
    mask: u64,
}

impl Sample {
    #[inline]
    pub fn see(&mut self, key: u128) {
        if self.seen == self.next {
            self.keep(key);
        }
        self.seen += 1;
    }

    #[cold]
    fn keep(&mut self, key: u128) {
        if self.keys.len() == SAMPLE_KEYS {
            self.thin();
            self.aim();
            if self.next > self.seen {
                return;
            }
        }
        if self.keys.is_empty() {
            self.keys.reserve(FIRST_KEYS);
        }
        self.keys.push(key);
        self.aim();
    }

    /// Chooses the key that stands for the run after those that have one.
    fn aim(&mut self) {
        let run = self.keys.len() as u64;
        self.next = run * self.stride() + (mix(run) & self.mask);
    }

    fn thin(&mut self) {
        let pairs = self.keys.chunks(2).zip(0..);
        let either = |(pair, i): (&[u128], u64)| pair[mix(i) as usize % pair.len()];
        self.keys = pairs.map(either).collect();
        self.mask = self.mask * 2 + 1;
    }

    /// Rows that each key stands for.
    pub fn stride(&self) -> u64 {
        self.mask + 1
    }

    /// The keys in order.
    pub fn sorted(&self) -> Vec<u128> {
        let mut keys = self.keys.clone();
        keys.sort_unstable();
        keys
    }

    /// Takes out the keys from `split` on; returns them as a sample of their own.
    pub fn split_off(&mut self, split: u128) -> Self {
        let (left, right) = self.keys.iter().partition(|&&key| key < split);
        let right: Vec<u128> = right;
        self.keys = left;
        let seen = |keys: &[u128]| keys.len() as u64 * self.stride();
        let mut right = Self {
            seen: seen(&right),
            next: 0,
            keys: right,
            mask: self.mask,
        };
        right.aim();
        self.seen = seen(&self.keys);
        self.aim();
        right
    }

    /// Adds the keys of a neighbour.
    pub fn append(&mut self, mut other: Self) {
        while self.mask < other.mask || self.keys.len() + other.keys.len() > SAMPLE_KEYS {
            self.thin();
            while other.mask < self.mask {
                other.thin();
            }
        }
        while other.mask < self.mask {
            other.thin();
        }
        self.keys.append(&mut other.keys);
        self.seen = self.keys.len() as u64 * self.stride();
        self.aim();
    }
}

/// What watches the load of a range.
#[derive(Clone, Debug)]
pub(super) enum Watch {
    Online { finder: Box<Online>, since_s: u64 },
    Quantile(Box<Quantile>),
}

/// The keys from its low one up to that of its right neighbour.
#[derive(Clone, Debug)]
pub(super) struct Range {
    pub rows: u64,
    /// Rows of the second that is running.
    pub second: u32,
    /// Rows from which its size is looked at.
    pub look_rows: u64,
    /// Rows when its size was last looked at.
    pub looked_rows: u64,
    pub sample: Sample,
    pub watch: Option<Watch>,
    /// Nodes that hold it, its leader's first.
    pub replicas: [u16; MOST_REPLICAS],
    /// Rows in each of the last six spans of ten seconds, the running one first.
    pub tens: [u32; 6],
    /// When it was last split, in seconds.
    pub split_s: u64,
    /// When it was last split for its load.
    pub load_split_s: Option<u64>,
    /// When a refusal was last counted.
    pub refused_s: Option<u64>,
    /// When it was last written.
    pub written_s: u64,
}

impl Range {
    pub fn new(replicas: [u16; MOST_REPLICAS], now_s: u64) -> Self {
        Self {
            rows: 0,
            second: 0,
            look_rows: u64::MAX,
            looked_rows: 0,
            sample: Sample::default(),
            watch: None,
            replicas,
            tens: [0; 6],
            split_s: now_s,
            load_split_s: None,
            refused_s: None,
            written_s: now_s,
        }
    }

    /// Rows of the last minute.
    pub fn minute(&self) -> u64 {
        self.tens.iter().map(|&rows| u64::from(rows)).sum()
    }
}
