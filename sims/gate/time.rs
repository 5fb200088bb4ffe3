//! Paired times: both workers alive, the same seed to both, in random order.

use super::side::{Side, Worker};
use anyhow::Result;
use idlab::random::{below, stream};
use indicatif::ProgressBar;
use rand::Rng;

/// What one repeat of a worker should take.
const REPEAT_NS: u64 = 1_000_000;
/// Ids that calibration begins with, and ends with at the latest.
const IDS: std::ops::RangeInclusive<u64> = 256..=1 << 30;

/// How often times are taken.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Times that both workers are started afresh.
    pub launches: u64,
    /// Pairs of each case while they live.
    pub pairs: u64,
}

/// A case whose times are compared.
#[derive(Clone, Debug)]
pub struct Timed {
    /// Its name.
    pub case: String,
    /// Ids of a repeat; 0: not yet known.
    pub ids: u64,
    /// Times of the head divided by those of the base.
    pub ratios: Vec<f64>,
    /// Whether the checksums have differed; then no more times are taken.
    pub differs: bool,
}

impl Timed {
    /// A case of which nothing is known.
    pub fn new(case: &str) -> Self {
        Self {
            case: case.to_owned(),
            ids: 0,
            ratios: Vec::new(),
            differs: false,
        }
    }

    /// The same case, to be taken again.
    pub fn again(&self) -> Self {
        Self {
            ratios: Vec::new(),
            ..self.clone()
        }
    }
}

/// Takes the times of all cases. `round` tells apart what is taken more than once.
pub fn take(
    [base, head]: [&Side; 2],
    effort: Effort,
    (seed, round): (u64, u64),
    cases: &mut [Timed],
    bar: &ProgressBar,
) -> Result<()> {
    let mut random = stream(seed, "gate_pairs", round);
    for _ in 0..effort.launches {
        let mut workers = match below(&mut random, 2) {
            0 => {
                let base = base.start()?;
                [base, head.start()?]
            }
            _ => {
                let head = head.start()?;
                [base.start()?, head]
            }
        };
        for case in cases.iter_mut().filter(|case| !case.differs) {
            if case.ids == 0 {
                case.ids = calibrate(&mut workers[0], &case.case)?;
            }
            for _ in 0..effort.pairs {
                let seed = random.next_u64();
                let first = below(&mut random, 2) as usize;
                pair(&mut workers, case, seed, first)?;
                bar.inc(1);
                if case.differs {
                    break;
                }
            }
        }
    }
    Ok(())
}

fn pair(workers: &mut [Worker; 2], case: &mut Timed, seed: u64, first: usize) -> Result<()> {
    let mut answers = [(String::new(), 0), (String::new(), 0)];
    for side in [first, 1 - first] {
        answers[side] = workers[side].run(&case.case, seed, case.ids)?;
    }
    let [(base, base_ns), (head, head_ns)] = answers;
    case.differs = base != head;
    case.ratios.push(head_ns as f64 / base_ns as f64);
    Ok(())
}

/// The ids with which a repeat takes about the time it should.
fn calibrate(worker: &mut Worker, case: &str) -> Result<u64> {
    let mut ids = *IDS.start();
    loop {
        let ns = worker.run(case, 0, ids)?.1;
        let wanted = (u128::from(ids) * u128::from(REPEAT_NS) / u128::from(ns)) as u64;
        // A short time tells little of a long one.
        let next = wanted.clamp(1, ids.saturating_mul(16)).min(*IDS.end());
        if ns >= REPEAT_NS / 2 || next == ids {
            return Ok(next);
        }
        ids = next;
    }
}
