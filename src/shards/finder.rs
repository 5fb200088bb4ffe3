//! Where to cut a range by its load, as three systems do it.
//!
//! A request is a span of keys `[start, end)`; one of a single row is a point, `start == end`.
//! A key divides the requests in three: a span is *contained* if it strictly contains
//! the key (a cut there makes two requests of it), else *right* if the key is at or before its
//! start, else *left*.
//!
//! [`Online`] counts what comes after a key was drawn, so an ascending stream is all to
//! the right of every key and is not cut. [`Retrospective`] and [`Quantile`] judge a key by the
//! past: an ascending stream is cut behind its own end, which relieves nobody.

mod online;
mod quantile;
mod retrospective;
mod weighted;

pub use online::Online;
pub use quantile::Quantile;
pub use retrospective::Retrospective;
pub use weighted::Weighted;

use rand::Rng;

/// Why a range is not cut.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Refusal {
    /// No key has been judged by enough requests.
    TooFewSamples,
    /// Every key leaves too much of the load on one side.
    Unbalanced,
    /// Every balanced key would cut too many requests in two.
    Spanning,
    /// One key has too much of the load.
    SingleKey,
    /// The pieces would be too small.
    TooSmall,
    /// The range was cut or judged a short time ago.
    Cooldown,
}

impl Refusal {
    /// Every reason.
    pub const ALL: [Self; 6] = [
        Self::TooFewSamples,
        Self::Unbalanced,
        Self::Spanning,
        Self::SingleKey,
        Self::TooSmall,
        Self::Cooldown,
    ];

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooFewSamples => "too_few_samples",
            Self::Unbalanced => "unbalanced",
            Self::Spanning => "spanning",
            Self::SingleKey => "single_key",
            Self::TooSmall => "too_small",
            Self::Cooldown => "cooldown",
        }
    }
}

/// Requests a key was judged by, or their weights.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Counts {
    left: u64,
    right: u64,
    contained: u64,
}

impl Counts {
    fn total(self) -> u64 {
        self.left + self.right + self.contained
    }

    /// (r - l) / (r + l); 0 without either.
    fn direction(self) -> f64 {
        let sides = (self.left + self.right).max(1);
        (self.right as f64 - self.left as f64) / sides as f64
    }

    /// Balance and the share contained, added: the smaller the better.
    fn score(self, below_balance: f64) -> Result<f64, Refusal> {
        const BELOW_CONTAINED: f64 = 0.5;
        let balance = self.direction().abs();
        let contained = self.contained as f64 / self.total().max(1) as f64;
        if self.left + self.right == 0 || contained >= BELOW_CONTAINED {
            return Err(Refusal::Spanning);
        }
        if balance >= below_balance {
            return Err(Refusal::Unbalanced);
        }
        Ok(balance + contained)
    }
}

/// The key of the smallest score, the first of equals.
///
/// Without one: [`Refusal::Spanning`] if spans alone rule out a key, else [`Refusal::Unbalanced`].
fn best(
    candidates: impl Iterator<Item = (u128, Counts)>,
    below_balance: f64,
) -> Result<u128, Refusal> {
    let mut best: Option<(u128, f64)> = None;
    let mut refusal = Refusal::TooFewSamples;
    for (key, counts) in candidates {
        match counts.score(below_balance) {
            Ok(score) if best.is_none_or(|(_, smallest)| score < smallest) => {
                best = Some((key, score));
            }
            Ok(_) => {}
            Err(reason) if refusal != Refusal::Spanning => refusal = reason,
            Err(_) => {}
        }
    }
    best.map(|(key, _)| key).ok_or(refusal)
}

/// A uniform draw from `0..bound`; the bias is below `bound` / 2⁶⁴.
fn below(random: &mut impl Rng, bound: u64) -> u64 {
    ((u128::from(random.next_u64()) * u128::from(bound)) >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        let mut names = Refusal::ALL.map(Refusal::name).to_vec();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Refusal::ALL.len());
    }

    #[test]
    fn scores_at_the_limits() {
        let score = |left, right, contained| {
            let counts = Counts {
                left,
                right,
                contained,
            };
            counts.score(0.25)
        };
        assert_eq!(score(50, 50, 0), Ok(0.0));
        assert_eq!(score(75, 125, 0), Err(Refusal::Unbalanced)); // exactly 0.25
        assert_eq!(score(76, 124, 0), Ok(0.24));
        assert_eq!(score(50, 50, 100), Err(Refusal::Spanning)); // exactly 0.5
        assert_eq!(score(51, 50, 100), Ok(1.0 / 101.0 + 100.0 / 201.0));
        assert_eq!(score(0, 0, 500), Err(Refusal::Spanning));
        assert_eq!(score(0, 500, 0), Err(Refusal::Unbalanced));
    }

    #[test]
    fn the_first_of_equals_is_best() {
        let counts = |left, right, contained| Counts {
            left,
            right,
            contained,
        };
        let keys = [
            (9, counts(0, 9, 0)),
            (5, counts(5, 5, 0)),
            (3, counts(5, 5, 0)),
        ];
        assert_eq!(best(keys.into_iter(), 0.25), Ok(5));
        assert_eq!(
            best(keys[..1].iter().copied(), 0.25),
            Err(Refusal::Unbalanced)
        );
        let spanning = [(9, counts(0, 9, 0)), (5, counts(5, 5, 50))];
        assert_eq!(best(spanning.into_iter(), 0.25), Err(Refusal::Spanning));
        assert_eq!(best(std::iter::empty(), 0.25), Err(Refusal::TooFewSamples));
    }
}
