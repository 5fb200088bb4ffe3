//! From a count and times to a verdict.

use super::Bounds;

/// Above this ratio of times, head to base, a case is slower.
pub const RATIO_LIMIT: f64 = 1.02;
/// Above this ratio of instructions, head to base, the clock must clear a case.
pub const COUNT_FLAGGED: f64 = 1.02;
/// Above this ratio of instructions a case is noted.
pub const COUNT_NOTED: f64 = 1.01;

/// Below this difference the ratio of instructions is 1: what is slower then takes the
/// same instructions, only longer.
const COUNT_SAME: f64 = 0.001;

/// What is said of a case, in the order of what stops a merge.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Verdict {
    /// It is not slower.
    Pass,
    /// A human must look.
    Undecided,
    /// It is slower.
    Regressed,
}

impl Verdict {
    /// The word in tables and records.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Pass => "pass",
            Verdict::Undecided => "undecided",
            Verdict::Regressed => "regressed",
        }
    }

    /// The exit code of a program that says it.
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Pass => 0,
            Verdict::Undecided => 3,
            Verdict::Regressed => 1,
        }
    }
}

/// A verdict and why.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// What a reader should know of it.
    pub note: Option<&'static str>,
}

impl Judgement {
    fn new(verdict: Verdict, note: &'static str) -> Self {
        Self {
            verdict,
            note: Some(note),
        }
    }

    /// The checksums of the two sides differ: what they do cannot be compared.
    pub const OTHER_WORK: Self = Self {
        verdict: Verdict::Undecided,
        note: Some("the checksums differ, so the work is another one: accept it by hand"),
    };

    /// The base does this case and the head does not.
    pub const GONE: Self = Self {
        verdict: Verdict::Undecided,
        note: Some("the head has no such case"),
    };

    /// The head does this case and the base does not.
    pub const NEW: Self = Self {
        verdict: Verdict::Pass,
        note: Some("the base has no such case: skipped"),
    };

    /// Whether times are to be taken again, with workers started afresh.
    pub fn needs_fresh(time: &Bounds) -> bool {
        time.low > RATIO_LIMIT
    }

    /// Whether times alone exclude that a case is slower.
    pub fn is_cleared(time: &Bounds) -> bool {
        time.high <= RATIO_LIMIT
    }

    /// The verdict on a case whose sides do the same work. `count` is the ratio of
    /// instructions, if they could be counted; `time` that of the times, and `fresh` the
    /// same taken again, if the first [needed](Self::needs_fresh) it.
    pub fn of(count: Option<f64>, time: &Bounds, fresh: Option<&Bounds>) -> Self {
        use Verdict::{Pass, Regressed, Undecided};
        let slower = Self::needs_fresh;
        if slower(time) {
            match fresh {
                None => return Self::new(Undecided, "slower once, and not measured again"),
                Some(fresh) if slower(fresh) => {
                    let same = count.is_some_and(|count| (count - 1.0).abs() < COUNT_SAME);
                    let note = match same {
                        true => {
                            "slower, twice in a row, by the same instructions: perhaps where code lies"
                        }
                        false => "slower, twice in a row",
                    };
                    return Self::new(Regressed, note);
                }
                Some(_) => {}
            }
        }
        let cleared = Self::is_cleared(fresh.unwrap_or(time));
        match count {
            Some(count) if count > COUNT_FLAGGED && cleared => {
                Self::new(Pass, "more instructions, not slower")
            }
            Some(count) if count > COUNT_FLAGGED => Self::new(
                Regressed,
                "more instructions, and the clock cannot clear it",
            ),
            Some(count) if count > COUNT_NOTED => Self::new(Pass, "more instructions, below 2 %"),
            None if !cleared => Self::new(
                Undecided,
                "time alone cannot clear it, and nothing was counted",
            ),
            _ => Self {
                verdict: Pass,
                note: None,
            },
        }
    }

    /// The verdict from a count alone.
    pub fn of_count(count: f64) -> Self {
        use Verdict::{Pass, Regressed};
        if count > COUNT_FLAGGED {
            Self::new(Regressed, "more instructions")
        } else if count > COUNT_NOTED {
            Self::new(Pass, "more instructions, below 2 %")
        } else {
            Self {
                verdict: Pass,
                note: None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Pass, Regressed, Undecided};

    const FASTER: Bounds = bounds(0.90, 0.95);
    const CLEAR: Bounds = bounds(0.99, 1.02);
    const OPEN: Bounds = bounds(1.02, 1.021);
    const SLOWER: Bounds = bounds(1.021, 1.06);
    const UNKNOWN: Bounds = bounds(f64::NEG_INFINITY, f64::INFINITY);

    const fn bounds(low: f64, high: f64) -> Bounds {
        Bounds {
            median: 1.0,
            low,
            high,
        }
    }

    /// Instructions, times, times again, verdict, a word of the note.
    type Line = (Option<f64>, Bounds, Option<Bounds>, Verdict, &'static str);

    const TABLE: &[Line] = &[
        // Slower twice in a row, whatever the count.
        (Some(0.9), SLOWER, Some(SLOWER), Regressed, "twice"),
        (Some(1.5), SLOWER, Some(SLOWER), Regressed, "twice"),
        (None, SLOWER, Some(SLOWER), Regressed, "twice"),
        (
            Some(1.0),
            SLOWER,
            Some(SLOWER),
            Regressed,
            "same instructions",
        ),
        // Slower once.
        (Some(1.0), SLOWER, None, Undecided, "again"),
        (Some(1.0), SLOWER, Some(OPEN), Pass, ""),
        (Some(1.0), SLOWER, Some(CLEAR), Pass, ""),
        (Some(1.03), SLOWER, Some(OPEN), Regressed, "cannot clear"),
        (Some(1.03), SLOWER, Some(CLEAR), Pass, "not slower"),
        (None, SLOWER, Some(OPEN), Undecided, "nothing was counted"),
        (None, SLOWER, Some(CLEAR), Pass, ""),
        // More instructions than 2 %.
        (Some(1.0201), OPEN, None, Regressed, "cannot clear"),
        (Some(1.0201), UNKNOWN, None, Regressed, "cannot clear"),
        (Some(1.0201), CLEAR, None, Pass, "not slower"),
        (Some(1.0201), FASTER, None, Pass, "not slower"),
        // Not more than that.
        (Some(1.02), OPEN, None, Pass, "below 2 %"),
        (Some(1.0101), CLEAR, None, Pass, "below 2 %"),
        (Some(1.01), OPEN, None, Pass, ""),
        (Some(0.5), UNKNOWN, None, Pass, ""),
        // Nothing was counted.
        (None, FASTER, None, Pass, ""),
        (None, CLEAR, None, Pass, ""),
        (None, OPEN, None, Undecided, "nothing was counted"),
        (None, UNKNOWN, None, Undecided, "nothing was counted"),
    ];

    #[test]
    fn verdicts_are_those_of_the_table() {
        for (count, time, fresh, verdict, word) in TABLE {
            let found = Judgement::of(*count, time, fresh.as_ref());
            let note = found.note.unwrap_or_default();
            assert_eq!(found.verdict, *verdict, "{count:?} {time:?} {fresh:?}");
            assert!(note.contains(word), "{count:?} {time:?} {fresh:?}: {note}");
            assert_eq!(note.is_empty(), word.is_empty(), "{note}");
        }
    }

    #[test]
    fn a_count_alone_decides_at_two_per_cent() {
        let of = |count| Judgement::of_count(count).verdict;
        assert_eq!((of(1.02), of(1.0201), of(0.5)), (Pass, Regressed, Pass));
        assert!(Judgement::of_count(1.015).note.is_some());
    }

    #[test]
    fn what_regressed_outweighs_what_is_undecided() {
        let worst = [Pass, Regressed, Undecided].into_iter().max();
        assert_eq!(worst.map(Verdict::exit_code), Some(1));
        assert_eq!(Undecided.exit_code(), 3);
    }
}
