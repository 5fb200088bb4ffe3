//! How the parameters of a fleet are written: durations and shares with their units, lists of `key=value`.

use crate::names::nearest;
use std::fmt;

const UNITS: [(&str, u64); 8] = [
    ("d", 86_400_000_000_000),
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("µs", 1_000),
    ("ns", 1),
    ("s", 1_000_000_000),
];

/// The longest duration: 1000 days.
pub(crate) const MOST_NS: u64 = 1000 * UNITS[0].1;

/// Nanoseconds that are written in the largest unit that needs no fraction: `1500ms`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ns(pub u64);

impl fmt::Display for Ns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0;
        if ns == 0 {
            return f.write_str("0");
        }
        let whole = UNITS.iter().filter(|(_, unit)| ns.is_multiple_of(*unit));
        match whole.max_by_key(|(_, unit)| *unit) {
            Some((name, unit)) => write!(f, "{}{name}", ns / unit),
            None => write!(f, "{ns}ns"),
        }
    }
}

/// The duration of `text`, in nanoseconds: `0`, `2ms`, `1.5s`.
pub(crate) fn duration_ns(text: &str) -> Result<u64, String> {
    if text == "0" {
        return Ok(0);
    }
    let found = UNITS
        .iter()
        .find_map(|(unit, ns)| scaled(text.strip_suffix(unit)?, *ns));
    match found {
        Some(ns) if ns <= MOST_NS => Ok(ns),
        Some(_) => Err("expected at most 1000d".to_owned()),
        None => Err(
            "expected a number with its unit (ns, us, ms, s, min, h, d), such as 2ms or 1.5s"
                .to_owned(),
        ),
    }
}

/// The share of `text`, in parts per million: `0`, `200ppm`, `1.5%`.
pub(crate) fn share_ppm(text: &str) -> Result<u32, String> {
    let ppm = match text {
        "0" => Some(0),
        _ => ["ppm", "%"]
            .iter()
            .zip([1, 10_000])
            .find_map(|(unit, ppm)| scaled(text.strip_suffix(unit)?, ppm)),
    };
    ppm.and_then(|ppm| u32::try_from(ppm).ok())
        .filter(|ppm| *ppm <= 1_000_000)
        .ok_or_else(|| "expected a share with its unit (ppm, %), such as 200ppm or 1%".to_owned())
}

/// `digits`, perhaps with a fraction, times `unit`; `None` if that is not a whole number.
fn scaled(digits: &str, unit: u64) -> Option<u64> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let number = |text: &str| {
        let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| text.parse::<u64>().ok()).flatten()
    };
    let parts = u64::checked_pow(10, u32::try_from(fraction.len()).ok()?)?;
    let part = u128::from(number(fraction)?) * u128::from(unit);
    if part % u128::from(parts) != 0 {
        return None;
    }
    let part = u64::try_from(part / u128::from(parts)).ok()?;
    number(whole)?.checked_mul(unit)?.checked_add(part)
}

/// The comma-separated `key` or `key=value` of `text`, each key one of `known` and none twice.
pub(crate) fn pairs<'a>(
    text: &'a str,
    known: &[&str],
) -> Result<Vec<(&'a str, Option<&'a str>)>, String> {
    let mut pairs: Vec<(&str, Option<&str>)> = Vec::new();
    for part in text.split(',') {
        let (key, value) = match part.split_once('=') {
            Some((key, value)) => (key, Some(value)),
            None => (part, None),
        };
        if !known.contains(&key) {
            return Err(format!(
                "unknown key {key:?}{}",
                nearest(key, known.iter().copied())
            ));
        }
        if pairs.iter().any(|(earlier, _)| *earlier == key) {
            return Err(format!("{key} is given twice"));
        }
        pairs.push((key, value));
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn durations_survive_writing(ns in 0..=MOST_NS) {
            prop_assert_eq!(duration_ns(&Ns(ns).to_string()), Ok(ns));
            let coarse = ns / 60_000_000_000 * 60_000_000_000;
            prop_assert_eq!(duration_ns(&Ns(coarse).to_string()), Ok(coarse));
        }
    }

    #[test]
    fn durations_need_a_unit_and_no_sign() {
        let good = [
            ("1.5s", 1_500_000_000),
            ("2min", 120_000_000_000),
            ("0.25us", 250),
        ];
        for (text, ns) in good {
            assert_eq!(duration_ns(text), Ok(ns), "{text}");
        }
        for bad in [
            "", "5", "s", "-1s", "+1s", "1 s", "1.5ns", "1.s", ".5s", "1001d", "1e3s",
        ] {
            assert!(duration_ns(bad).is_err(), "{bad}");
        }
        assert_eq!(Ns(90_000_000_000).to_string(), "90s");
    }

    #[test]
    fn shares_have_units() {
        assert_eq!(share_ppm("200ppm"), Ok(200));
        assert_eq!(share_ppm("1.5%"), Ok(15_000));
        for bad in ["0.01", "101%", "-1%", "0.5ppm"] {
            assert!(share_ppm(bad).is_err(), "{bad}");
        }
    }
}
