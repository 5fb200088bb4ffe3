//! Values of flags, and errors of usage.

use anyhow::Error;
use idlab::duration::{self, scaled};
use idlab::engine::EngineError;
use std::io::{self, Write};
use std::process::ExitCode;
use thiserror::Error;

/// What people choose from: the default where schemes are compared.
pub const USUAL_SCHEMES: &str = "auto_increment,ticket_block,snowflake,uuid_v4,uuid_v7,ulid,ksuid";

/// A wrong argument: exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Neither fine nor failed: a human must look. Exit code 3.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct Undecided(pub String);

/// Makes a library's refusal of an argument an error of usage.
pub fn usage(error: impl std::fmt::Display) -> Error {
    Usage(error.to_string()).into()
}

/// [`usage`] with the flag that is to blame; flags are called as the engine's options.
pub fn refused(error: EngineError) -> Error {
    match error.option {
        Some(option) => usage(format!("--{}: {error}", option.replace('_', "-"))),
        None => usage(error),
    }
}

/// Prints help to stdout, or one line on what is wrong to stderr.
pub fn report_usage(error: &clap::Error) -> ExitCode {
    if !error.use_stderr() {
        // Help and version; a closed pipe is the reader's choice.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let text = error.render().to_string();
    if text.starts_with("error: ") {
        let relevant = text
            .lines()
            .take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more"));
        let parts: Vec<_> = relevant
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .collect();
        say(&format!(
            "{} (see --help)",
            parts.join("; ").replace(":;", ":")
        ));
    } else {
        say(text.trim_end());
    }
    ExitCode::from(2)
}

/// Writes a line to stderr; if that cannot be, nothing is lost but the line.
pub fn say(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
}

/// A list item without blanks around it.
pub fn item(text: &str) -> Result<String, String> {
    match text.trim() {
        "" => Err("expected a name; is a comma too many?".to_owned()),
        item => Ok(item.to_owned()),
    }
}

/// Refuses a list that has an item twice.
pub fn distinct<T: PartialEq + std::fmt::Display>(flag: &str, items: &[T]) -> Result<(), Error> {
    match items
        .iter()
        .enumerate()
        .find(|(i, item)| items[..*i].contains(item))
    {
        Some((_, item)) => Err(usage(format!("{flag}: {item} is given twice"))),
        None => Ok(()),
    }
}

/// Whether the reader of our output has gone.
pub fn is_closed_pipe(error: &Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>().map(io::Error::kind);
        let json = cause
            .downcast_ref::<serde_json::Error>()
            .and_then(serde_json::Error::io_error_kind);
        io.or(json) == Some(io::ErrorKind::BrokenPipe)
    })
}

/// A whole number with `_` and an optional k, M or G (powers of 1000): `10M`, `2.5k`, `1_000`.
pub fn count(text: &str) -> Result<u64, String> {
    let plain = text.trim().replace('_', "");
    let (digits, factor) = match plain.char_indices().last() {
        Some((at, 'k' | 'K')) => (&plain[..at], 1_000),
        Some((at, 'M' | 'm')) => (&plain[..at], 1_000_000),
        Some((at, 'G' | 'g')) => (&plain[..at], 1_000_000_000),
        _ => (&*plain, 1),
    };
    scaled(digits, factor)
        .ok_or_else(|| "expected a whole number below 2^64, such as 500k, 10M or 1_000".to_owned())
}

/// A count of at least 1.
pub fn positive(text: &str) -> Result<u64, String> {
    match count(text)? {
        0 => Err("expected at least 1".to_owned()),
        value => Ok(value),
    }
}

/// A share in per cent, to be checked by who knows its range.
pub fn percent(text: &str) -> Result<u32, String> {
    text.trim_end_matches('%')
        .parse()
        .map_err(|_| "expected a whole number of per cent, such as 90".to_owned())
}

/// A number of threads.
pub fn threads(text: &str) -> Result<usize, String> {
    match positive(text)?.try_into() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("expected at most 1024".to_owned()),
    }
}

/// A rate of up to 100 million a second.
pub fn rate(text: &str) -> Result<u64, String> {
    let number = positive(text).map_err(|_| {
        "expected ids a second, at least 1: a number such as 500, 10k or 2.5M without another unit"
    })?;
    match number {
        value if value > 100_000_000 => Err("expected at most 100M ids a second".to_owned()),
        value => Ok(value),
    }
}

/// A duration with its unit: `2ms`, `50us`, `1.5s`, `0`. In nanoseconds, at most a day.
pub fn duration_ns(text: &str) -> Result<u64, String> {
    match duration::parse(text)? {
        ns if ns <= 86_400_000_000_000 => Ok(ns),
        _ => Err("expected at most 24h".to_owned()),
    }
}

/// A share with its unit: `1%`, `200ppm`, `0`. In parts per million, below the whole.
pub fn share_ppm(text: &str) -> Result<u32, String> {
    match duration::share_ppm(text)? {
        ppm if ppm < 1_000_000 => Ok(ppm),
        _ => Err("expected less than 100%".to_owned()),
    }
}

/// A size below 4 GiB.
pub fn size_bytes(text: &str) -> Result<u32, String> {
    bytes(text)
        .and_then(|bytes| u32::try_from(bytes).map_err(|error| error.to_string()))
        .map_err(|_| "expected a size below 4 GiB, such as 8192, 8KiB or 1MiB".to_owned())
}

/// A size with an optional unit: `8KiB`, `8192`, `1GiB`.
pub fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 9] = [
        ("KiB", 1 << 10),
        ("MiB", 1 << 20),
        ("GiB", 1 << 30),
        ("TiB", 1 << 40),
        ("GB", 1_000_000_000),
        ("TB", 1_000_000_000_000),
        ("kB", 1000),
        ("MB", 1_000_000),
        ("B", 1),
    ];
    let found = UNITS
        .iter()
        .find_map(|(unit, bytes)| Some((text.strip_suffix(unit)?, *bytes)));
    let (digits, factor) = found.unwrap_or((text, 1));
    scaled(&digits.replace('_', ""), factor)
        .ok_or_else(|| "expected a size in whole bytes, such as 8192, 128MiB or 1GiB".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts() {
        assert_eq!(count("10M"), Ok(10_000_000));
        assert_eq!(count("1_000"), Ok(1000));
        assert_eq!(count("2.5k"), Ok(2500));
        for bad in [
            "",
            "k",
            "1.5",
            "-1",
            "1e6",
            "99999999999999999999G",
            "0.0001k",
            "é",
        ] {
            assert!(count(bad).is_err(), "{bad}");
        }
        assert!(positive("0").is_err());
    }

    #[test]
    fn durations_are_a_day_at_most() {
        assert_eq!(duration_ns("24h"), Ok(86_400_000_000_000));
        for bad in ["2", "-1s", "25h"] {
            assert!(duration_ns(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn sizes() {
        assert_eq!(size_bytes("8KiB"), Ok(8192));
        assert_eq!(size_bytes("16_384"), Ok(16_384));
        assert!(size_bytes("8 GiB").is_err());
        assert!(size_bytes("4GiB").is_err());
        assert_eq!(bytes("1.5GiB"), Ok(3 << 29));
    }
}
