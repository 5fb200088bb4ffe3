//! Distributions of how bad a fault is.

use crate::clock::NS_PER_S;
use crate::duration::show;
use crate::fleet::text::duration_ns;
use crate::random;
use rand_chacha::ChaCha8Rng;
use std::fmt;
use std::ops::RangeInclusive;

/// The largest size, drawn ones included: 30 days, longer than any run.
pub(super) const MOST_SIZE_NS: u64 = 30 * 86_400 * NS_PER_S;

/// Standard deviations of a logarithm; above, nearly all sizes are nothing or the largest.
const SIGMAS: RangeInclusive<f64> = 0.0..=10.0;

/// Exponents of a tail; below, most of what goes wrong is cut off at the largest size.
const ALPHAS: RangeInclusive<f64> = 0.5..=100.0;

/// How long a fault lasts, or how far a step goes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Size {
    /// Always this.
    Fixed {
        /// The size.
        ns: u64,
    },
    /// Uniform.
    Uniform {
        /// From.
        least_ns: u64,
        /// To.
        most_ns: u64,
    },
    /// Exponential.
    Exponential {
        /// Its mean.
        mean_ns: u64,
    },
    /// Lognormal.
    Lognormal {
        /// Its median.
        median_ns: u64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// Pareto.
    Pareto {
        /// The smallest size.
        least_ns: u64,
        /// The tail's exponent.
        alpha: f64,
    },
}

impl Size {
    /// A draw, at most [`MOST_SIZE_NS`].
    pub(super) fn draw(self, random: &mut ChaCha8Rng) -> u64 {
        let ns = match self {
            Size::Fixed { ns } => ns,
            Size::Uniform { least_ns, most_ns } => {
                least_ns + (random::unit(random) * (most_ns - least_ns) as f64) as u64
            }
            Size::Exponential { mean_ns } => random::exponential(random, mean_ns),
            Size::Lognormal { median_ns, sigma } => random::lognormal(random, median_ns, sigma),
            Size::Pareto { least_ns, alpha } => {
                (least_ns as f64 * libm::pow(random::unit(random), -1.0 / alpha)) as u64
            }
        };
        ns.min(MOST_SIZE_NS)
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let time = |text: &str| match duration_ns(text)? {
            ns if ns <= MOST_SIZE_NS => Ok(ns),
            _ => Err(format!("expected sizes of at most {}", show(MOST_SIZE_NS))),
        };
        let shape = |name, text: &str, range: RangeInclusive<f64>| match text.parse::<f64>() {
            Ok(shape) if range.contains(&shape) => Ok(shape),
            _ => Err(format!(
                "expected {name} from {} to {}",
                range.start(),
                range.end()
            )),
        };
        let size = match parts[..] {
            ["exponential", mean] => Size::Exponential {
                mean_ns: time(mean)?,
            },
            ["uniform", least, most] => Size::Uniform {
                least_ns: time(least)?,
                most_ns: time(most)?,
            },
            ["lognormal", median, sigma] => Size::Lognormal {
                median_ns: time(median)?,
                sigma: shape("SIGMA", sigma, SIGMAS)?,
            },
            ["pareto", least, alpha] => Size::Pareto {
                least_ns: time(least)?,
                alpha: shape("ALPHA", alpha, ALPHAS)?,
            },
            [ns] if ns.starts_with(|first: char| !first.is_ascii_alphabetic()) => {
                Size::Fixed { ns: time(ns)? }
            }
            _ => {
                return Err("expected TIME, exponential:MEAN, uniform:LEAST:MOST, lognormal:MEDIAN:SIGMA or pareto:LEAST:ALPHA".to_owned());
            }
        };
        match size {
            Size::Uniform { least_ns, most_ns } if least_ns > most_ns => {
                Err("expected the smaller size first".to_owned())
            }
            Size::Fixed { ns: 0 }
            | Size::Uniform { most_ns: 0, .. }
            | Size::Exponential { mean_ns: 0 }
            | Size::Lognormal { median_ns: 0, .. }
            | Size::Pareto { least_ns: 0, .. } => Err("expected a size above 0".to_owned()),
            size => Ok(size),
        }
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Size::Fixed { ns } => write!(f, "{}", show(*ns)),
            Size::Uniform { least_ns, most_ns } => {
                write!(f, "uniform:{}:{}", show(*least_ns), show(*most_ns))
            }
            Size::Exponential { mean_ns } => write!(f, "exponential:{}", show(*mean_ns)),
            Size::Lognormal { median_ns, sigma } => {
                write!(f, "lognormal:{}:{sigma}", show(*median_ns))
            }
            Size::Pareto { least_ns, alpha } => write!(f, "pareto:{}:{alpha}", show(*least_ns)),
        }
    }
}
