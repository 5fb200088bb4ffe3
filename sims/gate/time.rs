//! Paired times: both workers alive, the same seed to both, in random order.

use super::side::{Side, Worker};
use anyhow::Result;
use idlab::gate::{Bounds, Judgement};
use idlab::random::{below, stream};
use indicatif::ProgressBar;
use rand::Rng;

/// What one repeat of a worker should take.
const REPEAT_NS: u64 = 1_000_000;
/// Ids that calibration begins with, and ends with at the latest.
const IDS: std::ops::RangeInclusive<u64> = 256..=1 << 30;

/// The chance with which each limit of a ratio misses the true one.
const MISS: f64 = 0.001;

/// How often times are taken.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Times that both workers are started afresh.
    pub launches: u64,
    /// Pairs of each case while they live.
    pub pairs: u64,
}

impl Effort {
    /// Pairs of each case.
    pub fn pairs_in_all(self) -> u64 {
        self.launches * self.pairs
    }
}

/// A case whose times are compared.
#[derive(Clone, Debug)]
pub struct Timed {
    /// Its name.
    pub case: String,
    /// Ids of a repeat; 0: not yet known.
    ids: u64,
    /// Times of the head divided by those of the base.
    ratios: Vec<f64>,
    /// Whether the checksums have differed; then no more times are taken.
    differs: bool,
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

    /// Limits of the ratio; `None` if the checksums have differed.
    fn bounds(&self) -> Option<Bounds> {
        let same = !self.differs;
        same.then(|| Bounds::of_median(self.ratios.clone(), MISS))?
    }
}

/// A case as it was timed.
pub struct Measured {
    /// Once.
    pub timed: Timed,
    /// What came out; `None` if the checksums have differed.
    pub time: Option<Bounds>,
    /// What came out with workers started afresh, if the first time needed that.
    pub fresh: Option<Bounds>,
}

impl Measured {
    /// Whether times alone exclude that the case is slower.
    pub fn is_cleared(&self) -> bool {
        let decisive = self.fresh.as_ref().or(self.time.as_ref());
        decisive.is_some_and(Judgement::is_cleared)
    }
}

/// Takes the times of all cases, and again of those that look slower. `round` tells apart
/// what is measured more than once.
pub fn measure(
    sides: [&Side; 2],
    effort: Effort,
    (seed, round): (u64, u64),
    mut cases: Vec<Timed>,
    bar: &ProgressBar,
) -> Result<Vec<Measured>> {
    take(
        sides,
        effort,
        stream(seed, "gate_pairs", 2 * round),
        &mut cases,
        bar,
    )?;
    let looks_slower = |case: &Timed| case.bounds().as_ref().is_some_and(Judgement::needs_fresh);
    let mut fresh: Vec<_> = cases
        .iter()
        .filter(|case| looks_slower(case))
        .map(Timed::again)
        .collect();
    if !fresh.is_empty() {
        bar.inc_length(fresh.len() as u64 * effort.pairs_in_all());
        take(
            sides,
            effort,
            stream(seed, "gate_pairs", 2 * round + 1),
            &mut fresh,
            bar,
        )?;
    }
    let of = |timed: Timed| {
        let fresh = fresh.iter().find(|fresh| fresh.case == timed.case);
        let differs = fresh.is_some_and(|fresh| fresh.differs);
        Measured {
            time: timed.bounds().filter(|_| !differs),
            fresh: fresh.and_then(Timed::bounds),
            timed,
        }
    };
    Ok(cases.into_iter().map(of).collect())
}

fn take(
    [base, head]: [&Side; 2],
    effort: Effort,
    mut random: impl Rng,
    cases: &mut [Timed],
    bar: &ProgressBar,
) -> Result<()> {
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
        for case in cases.iter_mut() {
            if case.ids == 0 {
                case.ids = calibrate(&mut workers[0], &case.case)?;
            }
            for _ in 0..effort.pairs {
                let seed = random.next_u64();
                let first = below(&mut random, 2) as usize;
                if !case.differs {
                    pair(&mut workers, case, seed, first)?;
                }
                bar.inc(1);
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
