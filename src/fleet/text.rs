//! How the parameters of a fleet are written: durations and shares with their units, lists of `key=value`.

use crate::clock::NS_PER_S;
use crate::duration;
use crate::names::nearest;

/// The longest duration: 1000 days.
pub(crate) const MOST_NS: u64 = 1000 * 86_400 * NS_PER_S;

/// The duration of `text`, in nanoseconds: `0`, `2ms`, `1.5s`.
pub(crate) fn duration_ns(text: &str) -> Result<u64, String> {
    match duration::parse(text)? {
        ns if ns <= MOST_NS => Ok(ns),
        _ => Err("expected at most 1000d".to_owned()),
    }
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

    #[test]
    fn durations_are_1000_days_at_most() {
        assert_eq!(duration_ns("1000d"), Ok(MOST_NS));
        assert!(duration_ns("1001d").is_err() && duration_ns("5").is_err());
    }
}
