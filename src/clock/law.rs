//! Distributions of clock errors and of what disturbs clocks.

use super::quantity::{Unit, more_than_0};
use crate::names::nearest;
use crate::random;
use rand_chacha::ChaCha8Rng;

/// A distribution of errors, in nanoseconds or parts per billion.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Law {
    Constant {
        value: i64,
    },
    /// Mean 0, no further out than the cap.
    Normal {
        sd: u64,
        cap: Option<u64>,
    },
    /// Mean 0; with a tail, one draw in 1000 is uniform within it instead.
    Laplace {
        scale: u64,
        tail: Option<u64>,
    },
    /// Clock fast; with a tail, one draw in 100 is uniform up to it instead.
    LogNormal {
        median: u64,
        sigma: f64,
        tail: Option<u64>,
    },
    /// Within this much of 0.
    Uniform {
        most: u64,
    },
}

/// How laws are typed.
const LAWS: [(&str, &str); 5] = [
    ("normal", "normal:SD[:CAP]"),
    ("laplace", "laplace:SCALE[:TAIL]"),
    ("lognormal", "lognormal:MEDIAN:SIGMA[:TAIL]"),
    ("uniform", "uniform:MOST"),
    ("constant", "constant:VALUE"),
];

/// The largest sigma of a lognormal law.
const MOST_SIGMA: f64 = 10.0;

impl Law {
    pub(super) const ZERO: Law = Law::Constant { value: 0 };

    pub(super) fn draw(self, random: &mut ChaCha8Rng) -> i64 {
        match self {
            Law::Constant { value } => value,
            Law::Normal { sd, cap } => {
                let cap = cap.map_or(i64::MAX, |cap| cap as i64);
                random::normal_ns(random, sd).clamp(-cap, cap)
            }
            Law::Laplace { scale, tail } => {
                if let Some(tail) = tail
                    && random::below(random, 1000) == 0
                {
                    return uniform(random, tail);
                }
                let size = random::exponential(random, scale) as i64;
                if random::below(random, 2) == 0 {
                    size
                } else {
                    -size
                }
            }
            Law::LogNormal {
                median,
                sigma,
                tail,
            } => {
                if let Some(tail) = tail
                    && random::below(random, 100) == 0
                {
                    return uniform(random, tail).abs();
                }
                i64::try_from(random::lognormal(random, median, sigma)).unwrap_or(i64::MAX)
            }
            Law::Uniform { most } => uniform(random, most),
        }
    }

    pub(super) fn parse(text: &str, unit: Unit) -> Result<Self, String> {
        let mut parts = text.split(':');
        let name = parts.next().unwrap_or_default();
        let parts: Vec<&str> = parts.collect();
        let size = |text: &str| unit.parse_size(text);
        match (name, &*parts) {
            ("constant", [value]) => Ok(Law::Constant {
                value: unit.parse(value)?,
            }),
            ("normal", [sd, rest @ ..]) if rest.len() < 2 => Ok(Law::Normal {
                sd: size(sd)?,
                cap: rest.first().map(|cap| size(cap)).transpose()?,
            }),
            ("laplace", [scale, rest @ ..]) if rest.len() < 2 => Ok(Law::Laplace {
                scale: size(scale)?,
                tail: rest.first().map(|tail| size(tail)).transpose()?,
            }),
            ("lognormal", [median, spread, rest @ ..]) if rest.len() < 2 => Ok(Law::LogNormal {
                median: size(median)?,
                sigma: sigma(spread)?,
                tail: rest.first().map(|tail| size(tail)).transpose()?,
            }),
            ("uniform", [most]) => Ok(Law::Uniform { most: size(most)? }),
            _ => Err(match LAWS.iter().find(|(known, _)| *known == name) {
                Some((_, form)) => format!("expected {form}"),
                None => {
                    let known = LAWS.iter().map(|(name, _)| *name);
                    format!("unknown law {name:?}{}", nearest(name, known))
                }
            }),
        }
    }

    pub(super) fn show(self, unit: Unit) -> String {
        let size = |size| unit.show_size(size);
        let more = |more: Option<u64>| more.map(|more| format!(":{}", size(more)));
        match self {
            Law::Constant { value } => format!("constant:{}", unit.show(value)),
            Law::Normal { sd, cap } => {
                format!("normal:{}{}", size(sd), more(cap).unwrap_or_default())
            }
            Law::Laplace { scale, tail } => {
                format!("laplace:{}{}", size(scale), more(tail).unwrap_or_default())
            }
            Law::LogNormal {
                median,
                sigma,
                tail,
            } => {
                let tail = more(tail).unwrap_or_default();
                format!("lognormal:{}:{sigma}{tail}", size(median))
            }
            Law::Uniform { most } => format!("uniform:{}", size(most)),
        }
    }
}

/// A uniform draw from within `most` of 0.
fn uniform(random: &mut ChaCha8Rng, most: u64) -> i64 {
    ((2.0 * random::unit(random) - 1.0) * most as f64) as i64
}

fn sigma(text: &str) -> Result<f64, String> {
    let sigma = text.parse().ok();
    let sigma = sigma.filter(|sigma| (0.0..=MOST_SIGMA).contains(sigma));
    sigma.ok_or_else(|| format!("{text:?}: expected a sigma of 0 to {MOST_SIGMA}"))
}

/// Uniform from the least to the most nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Span {
    pub(super) least_ns: u64,
    pub(super) most_ns: u64,
}

impl Span {
    pub(super) fn draw(self, random: &mut ChaCha8Rng) -> u64 {
        let span_ns = (self.most_ns - self.least_ns) as f64;
        self.least_ns + (random::unit(random) * span_ns) as u64
    }

    /// `1s` or `1s..5s`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let (least_ns, most_ns) = (Unit::Time.parse_size(least)?, Unit::Time.parse_size(most)?);
        if least_ns > most_ns {
            return Err(format!("{text:?}: expected the smaller one first"));
        }
        Ok(Self { least_ns, most_ns })
    }

    /// The same, of something that 0 would not be.
    fn parse_more_than_0(text: &str) -> Result<Self, String> {
        match Self::parse(text)? {
            Self { most_ns: 0, .. } => Err(more_than_0(text)),
            span => Ok(span),
        }
    }

    pub(super) fn show(self) -> String {
        let least = Unit::Time.show_size(self.least_ns);
        if self.least_ns == self.most_ns {
            return least;
        }
        format!("{least}..{}", Unit::Time.show_size(self.most_ns))
    }
}

/// The way that a step goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    Either,
    Forwards,
    Back,
}

/// The size of a step, and its way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Jump {
    pub(super) way: Way,
    pub(super) size: Span,
}

impl Jump {
    pub(super) fn draw(self, random: &mut ChaCha8Rng) -> i64 {
        let size_ns = self.size.draw(random) as i64;
        let back = match self.way {
            Way::Either => random::below(random, 2) == 0,
            Way::Forwards => false,
            Way::Back => true,
        };
        if back { -size_ns } else { size_ns }
    }

    /// `-1s`, `+1s..5s`; without a sign either way.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (way, size) = match (text.strip_prefix('-'), text.strip_prefix('+')) {
            (Some(size), _) => (Way::Back, size),
            (_, Some(size)) => (Way::Forwards, size),
            _ => (Way::Either, text),
        };
        let size = Span::parse_more_than_0(size)?;
        Ok(Self { way, size })
    }

    pub(super) fn show(self) -> String {
        let sign = match self.way {
            Way::Either => "",
            Way::Forwards => "+",
            Way::Back => "-",
        };
        format!("{sign}{}", self.size.show())
    }
}

/// How long a machine stands still.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Length {
    Span(Span),
    LogNormal { median_ns: u64, sigma: f64 },
}

impl Length {
    pub(super) fn draw(self, random: &mut ChaCha8Rng) -> u64 {
        match self {
            Length::Span(span) => span.draw(random),
            Length::LogNormal { median_ns, sigma } => random::lognormal(random, median_ns, sigma),
        }
    }

    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let Some(law) = text.strip_prefix("lognormal:") else {
            return Span::parse_more_than_0(text).map(Length::Span);
        };
        let (median, spread) = law
            .split_once(':')
            .ok_or("expected lognormal:MEDIAN:SIGMA")?;
        Ok(Length::LogNormal {
            median_ns: Unit::Time.parse_more_than_0(median)?,
            sigma: sigma(spread)?,
        })
    }

    pub(super) fn show(self) -> String {
        match self {
            Length::Span(span) => span.show(),
            Length::LogNormal { median_ns, sigma } => {
                format!("lognormal:{}:{sigma}", Unit::Time.show_size(median_ns))
            }
        }
    }
}
