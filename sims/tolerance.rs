//! How far a prediction may be off.

use anyhow::{Result, bail};

/// Largest error that passes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Tolerance {
    /// Relative to the value that was predicted for, …
    pub relative: f64,
    /// … or absolute, if that is more.
    pub absolute: f64,
}

impl Tolerance {
    /// An absolute error.
    pub const fn absolute(absolute: f64) -> Self {
        Self {
            relative: 0.0,
            absolute,
        }
    }

    /// A relative error.
    pub const fn relative(relative: f64) -> Self {
        Self {
            relative,
            absolute: 0.0,
        }
    }

    /// Whether a value is near enough to what it should be.
    pub fn passes(self, value: f64, expected: f64) -> bool {
        let error = (value - expected).abs();
        error <= self.absolute || relative_error(value, expected) <= self.relative
    }

    /// What a record says of it.
    pub fn parameters(self) -> [(&'static str, serde_json::Value); 2] {
        [
            ("tolerance", self.relative.into()),
            ("tolerance_absolute", self.absolute.into()),
        ]
    }
}

/// How far a value is off, relative to what it should be; 0 if both are 0.
pub fn relative_error(value: f64, expected: f64) -> f64 {
    if value == expected {
        0.0
    } else {
        (value / expected - 1.0).abs()
    }
}

/// How a program ends after its comparisons.
///
/// # Errors
/// Some are beyond their tolerance.
pub fn verdict(beyond: usize, compared: usize) -> Result<()> {
    if beyond > 0 {
        bail!("{beyond} of {compared} predictions beyond their tolerance");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_larger_tolerance_counts_and_what_is_no_number_fails() {
        let both = Tolerance {
            relative: 0.1,
            absolute: 0.5,
        };
        assert!(both.passes(1.5, 1.0) && both.passes(109.0, 100.0));
        assert!(!both.passes(1.6, 1.0) && !both.passes(111.0, 100.0));
        assert!(!both.passes(f64::NAN, 1.0) && !both.passes(1.0, 0.0));
        assert!(Tolerance::relative(0.0).passes(0.0, 0.0));
        assert!(!Tolerance::absolute(0.0).passes(0.1, 0.0));
        assert!(verdict(0, 5).is_ok());
        let beyond = verdict(2, 5).unwrap_err().to_string();
        assert_eq!(beyond, "2 of 5 predictions beyond their tolerance");
    }
}
