//! Durations and shares as people type and read them.

/// Units with their nanoseconds; none is the end of a later one.
const UNITS: [(&str, u64); 8] = [
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("ms", 1_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
    ("s", 1_000_000_000),
];

/// A duration with its unit (`2ms`, `50us`, `1.5s`, `0`), in nanoseconds.
///
/// # Errors
/// What was expected, for a message that names the argument.
pub fn parse(text: &str) -> Result<u64, String> {
    if text == "0" {
        return Ok(0);
    }
    let found = UNITS
        .iter()
        .find_map(|(unit, ns)| Some((text.strip_suffix(unit)?, *ns)));
    let Some(ns) = found.and_then(|(digits, ns)| scaled(digits, ns)) else {
        let too_large = found.is_some_and(|(digits, ns)| is_too_large(digits, ns));
        return Err(if too_large {
            "is too large, expected less than 2^64 ns, about 213503d"
        } else {
            "expected a number with its unit (ns, us, ms, s, min, h, d), such as 2ms, 50us or 1.5s"
        }
        .to_owned());
    };
    Ok(ns)
}

/// A duration that [`parse`] reads back, in the largest unit that leaves a whole number.
pub fn show(ns: u64) -> String {
    const SHOWN: [(&str, u64); 7] = [
        ("d", 86_400_000_000_000),
        ("h", 3_600_000_000_000),
        ("min", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
    ];
    let whole = SHOWN.iter().find(|(_, unit)| ns.is_multiple_of(*unit));
    match whole {
        Some((name, unit)) if ns > 0 => format!("{}{name}", ns / unit),
        _ => "0".to_owned(),
    }
}

/// The share of `text`, in parts per million: `0`, `200ppm`, `1.5%`.
///
/// # Errors
/// What was expected, for a message that names the argument.
pub fn share_ppm(text: &str) -> Result<u32, String> {
    if text == "0" {
        return Ok(0);
    }
    let found = [("ppm", 1), ("%", 10_000)]
        .into_iter()
        .find_map(|(unit, ppm)| Some((text.strip_suffix(unit)?, ppm)));
    match found.map(|(digits, ppm)| (scaled(digits, ppm), is_too_large(digits, ppm))) {
        Some((Some(ppm @ 0..=1_000_000), _)) => Ok(ppm as u32),
        Some((Some(_), _) | (None, true)) => Err("expected at most 100%".to_owned()),
        _ => Err("expected a share with its unit (ppm, %), such as 200ppm or 1%".to_owned()),
    }
}

/// Whether `digits` are a number whose `digits * factor` does not fit.
fn is_too_large(digits: &str, factor: u64) -> bool {
    let plain = digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.');
    let large = |value: f64| value * factor as f64 >= u64::MAX as f64;
    plain && digits.parse().is_ok_and(large)
}

/// `digits * factor` if that is whole and fits; `digits` may have a decimal point.
pub fn scaled(digits: &str, factor: u64) -> Option<u64> {
    let (whole, fraction) = match digits.split_once('.') {
        Some((_, "")) => return None,
        Some(parts) => parts,
        None => (digits, ""),
    };
    let all = format!("{whole}{fraction}");
    if whole.is_empty() || !all.bytes().all(|byte| byte.is_ascii_digit()) || fraction.len() > 15 {
        return None;
    }
    let value = all.parse::<u128>().ok()?.checked_mul(factor.into())?;
    let divisor = 10u128.pow(fraction.len() as u32);
    (value % divisor == 0)
        .then(|| u64::try_from(value / divisor).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_need_a_unit() {
        assert_eq!(parse("2ms"), Ok(2_000_000));
        assert_eq!(parse("1.5s"), Ok(1_500_000_000));
        assert_eq!(parse("1min"), Ok(60_000_000_000));
        assert_eq!(parse("0"), Ok(0));
        for bad in [
            "2",
            "ms",
            "-1s",
            "+1s",
            "999999999999h",
            "1 s",
            "1.s",
            ".5s",
            "1.5ns",
            "1e3s",
            "",
        ] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        for (bad, part) in [
            ("999999999999h", "too large"),
            ("99999999999999999999999999999999999999999.5s", "too large"),
            ("213504d", "too large"),
            ("1.5ns", "with its unit"),
            ("99999999999999999999", "with its unit"),
        ] {
            let error = parse(bad).unwrap_err();
            assert!(error.contains(part), "{bad}: {error}");
        }
    }

    #[test]
    fn what_is_shown_is_read_back() {
        for (ns, text) in [
            (0, "0"),
            (7, "7ns"),
            (1_500_000_000, "1500ms"),
            (120_000_000_000, "2min"),
            (86_400_000_000_000, "1d"),
        ] {
            assert_eq!(show(ns), text);
            assert_eq!(parse(text), Ok(ns));
        }
    }

    #[test]
    fn shares_have_units() {
        assert_eq!(share_ppm("200ppm"), Ok(200));
        assert_eq!(share_ppm("1.5%"), Ok(15_000));
        for bad in ["0.01", "101%", "-1%", "0.5ppm"] {
            assert!(share_ppm(bad).is_err(), "{bad}");
        }
        for (bad, part) in [
            ("101%", "at most 100%"),
            ("1000001ppm", "at most 100%"),
            ("9999999999999999999999%", "at most 100%"),
            ("-1%", "with its unit"),
        ] {
            let error = share_ppm(bad).unwrap_err();
            assert!(error.contains(part), "{bad}: {error}");
        }
    }
}
