//! Distributions of how bad a fault is.

use crate::duration::show;
use crate::fleet::text::{MOST_NS, duration_ns};
use crate::random;
use rand_chacha::ChaCha8Rng;
use std::fmt;

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
    /// A draw, at most 1000 days.
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
        ns.min(MOST_NS)
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let parts: Vec<&str> = text.split(':').collect();
        let shape = |text: &str| match text.parse::<f64>() {
            Ok(shape) if shape > 0.0 && shape <= 100.0 => Ok(shape),
            _ => Err(format!("{text:?}: expected a number above 0, at most 100")),
        };
        let size = match parts[..] {
            ["exponential", mean] => Size::Exponential {
                mean_ns: duration_ns(mean)?,
            },
            ["uniform", least, most] => Size::Uniform {
                least_ns: duration_ns(least)?,
                most_ns: duration_ns(most)?,
            },
            ["lognormal", median, sigma] => Size::Lognormal {
                median_ns: duration_ns(median)?,
                sigma: shape(sigma)?,
            },
            ["pareto", least, alpha] => Size::Pareto {
                least_ns: duration_ns(least)?,
                alpha: shape(alpha)?,
            },
            [ns] if ns.starts_with(|first: char| !first.is_ascii_alphabetic()) => Size::Fixed {
                ns: duration_ns(ns)?,
            },
            _ => {
                return Err(format!(
                    "{text:?}: expected TIME, exponential:MEAN, uniform:LEAST:MOST, lognormal:MEDIAN:SIGMA or pareto:LEAST:ALPHA"
                ));
            }
        };
        match size {
            Size::Uniform { least_ns, most_ns } if least_ns > most_ns => {
                Err(format!("{text:?}: expected the smaller size first"))
            }
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
