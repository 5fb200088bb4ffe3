//! Quantities with their units, as typed and as printed.

use crate::duration;

/// What a number counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unit {
    /// Nanoseconds.
    Time,
    /// Parts per billion.
    Frequency,
}

/// The longest duration: all sums of a few fit 64 bits. About 54 years.
pub(super) const MOST_NS: i64 = 20_000 * 86_400 * 1_000_000_000;

/// The shortest time, or mean time, between two events of a kind: 16 writers have some 10^8
/// of all kinds in a day at most.
pub(super) const LEAST_GAP_NS: u64 = 50_000_000;

/// The largest frequency error: 100,000 ppm.
const MOST_PPB: i64 = 100_000_000;

impl Unit {
    /// Suffixes, the larger first; one that another ends in comes after it.
    fn suffixes(self) -> &'static [(&'static str, i64)] {
        match self {
            Unit::Time => &[
                ("d", 86_400_000_000_000),
                ("h", 3_600_000_000_000),
                ("min", 60_000_000_000),
                ("ms", 1_000_000),
                ("us", 1_000),
                ("µs", 1_000),
                ("ns", 1),
                ("s", 1_000_000_000),
            ],
            Unit::Frequency => &[("ppm", 1_000), ("ppb", 1)],
        }
    }

    /// The number, which may have a sign and a decimal point; 0 needs no unit.
    pub(super) fn parse(self, text: &str) -> Result<i64, String> {
        let expected = || match self {
            Unit::Time => format!(
                "{text:?}: expected a number with its unit (ns, us, ms, s, min, h, d), such as 150us or 1.5s"
            ),
            Unit::Frequency => {
                format!("{text:?}: expected a number with its unit (ppm, ppb), such as 1ppm")
            }
        };
        let (negative, plain) = match text.strip_prefix('-') {
            Some(plain) => (true, plain),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        if plain == "0" {
            return Ok(0);
        }
        let found = self
            .suffixes()
            .iter()
            .find_map(|(suffix, factor)| Some((plain.strip_suffix(suffix)?, *factor)));
        let (digits, factor) = found.ok_or_else(expected)?;
        let scaled = |digits: &str| duration::scaled(digits, factor.unsigned_abs());
        let value = match scaled(digits) {
            Some(value) => i64::try_from(value).unwrap_or(i64::MAX),
            // A number that does not fit is one without the figures of its whole part.
            None => {
                let fraction = digits.trim_start_matches(|c: char| c.is_ascii_digit());
                let is_number = fraction.len() < digits.len();
                let rest = scaled(&format!("0{fraction}")).filter(|_| is_number);
                rest.map(|_| i64::MAX).ok_or_else(expected)?
            }
        };
        let most = match self {
            Unit::Time => MOST_NS,
            Unit::Frequency => MOST_PPB,
        };
        if value > most {
            return Err(format!("{text:?}: expected at most {}", self.show(most)));
        }
        Ok(if negative { -value } else { value })
    }

    /// The same without a sign.
    pub(super) fn parse_size(self, text: &str) -> Result<u64, String> {
        let value = self.parse(text)?;
        let size = u64::try_from(value).ok();
        size.filter(|_| !text.starts_with(['+', '-']))
            .ok_or_else(|| format!("{text:?}: expected no sign"))
    }

    /// The same, of something that a size of 0 would not be.
    pub(super) fn parse_more_than_0(self, text: &str) -> Result<u64, String> {
        match self.parse_size(text)? {
            0 => Err(more_than_0(text)),
            size => Ok(size),
        }
    }

    /// The number in the largest unit in which it is whole.
    pub(super) fn show(self, value: i64) -> String {
        if value == 0 {
            return "0".to_owned();
        }
        let fitting = self.suffixes().iter().filter(|(_, f)| value % f == 0);
        match fitting.max_by_key(|(_, factor)| *factor) {
            // Of two names of a unit the last would win.
            Some((_, 1_000)) if self == Unit::Time => format!("{}us", value / 1_000),
            Some((suffix, factor)) => format!("{}{suffix}", value / factor),
            None => value.to_string(),
        }
    }

    /// [`Unit::show`] of a size.
    pub(super) fn show_size(self, size: u64) -> String {
        self.show(i64::try_from(size).unwrap_or(i64::MAX))
    }
}

pub(super) fn more_than_0(text: &str) -> String {
    format!("{text:?}: expected more than 0")
}

/// A share in whole per cent, from 1 to 100.
pub(super) fn percent(text: &str) -> Result<u32, String> {
    let number = text.strip_suffix('%').and_then(|text| text.parse().ok());
    let number = number.filter(|percent| (1..=100).contains(percent));
    number.ok_or_else(|| format!("{text:?}: expected a share of 1% to 100%"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_need_a_unit_and_keep_their_sign() {
        for (text, ns) in [
            ("150us", 150_000),
            ("1.5s", 1_500_000_000),
            ("-2min", -120_000_000_000),
            ("+1ms", 1_000_000),
            ("0", 0),
            ("4383d", 378_691_200_000_000_000),
        ] {
            assert_eq!(Unit::Time.parse(text), Ok(ns), "{text}");
        }
        assert_eq!(Unit::Frequency.parse("115.6ppm"), Ok(115_600));
        for bad in [
            "2", "ms", "--1s", "1 s", "1e3s", "1ppm", "20001d", ".5s", "0.1ns",
        ] {
            assert!(Unit::Time.parse(bad).is_err(), "{bad}");
        }
        assert!(Unit::Time.parse_size("-1s").is_err() && Unit::Time.parse_size("+1s").is_err());
        assert!(percent("0%").is_err() && percent("101%").is_err() && percent("50").is_err());
    }

    #[test]
    fn quantities_are_shown_as_they_are_typed() {
        for text in ["150us", "90s", "-1h", "20d", "2313500ns", "0", "3ms"] {
            assert_eq!(Unit::Time.show(Unit::Time.parse(text).unwrap()), text);
        }
        assert_eq!(Unit::Time.show(60_000_000_000), "1min");
        assert_eq!(Unit::Frequency.show(115_600), "115600ppb");
        assert_eq!(Unit::Frequency.show(-1_000), "-1ppm");
    }
}
