//! Which line of a dump an id is on.

/// Runs at most; the lines of ids after them are not known.
const MOST_RUNS: usize = 256;

/// The lines of ids by their place in the dump, as runs of ids that are equally far apart.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lines {
    runs: Vec<Run>,
    is_full: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Run {
    /// Place of the first id, from 0.
    first: u64,
    ids: u64,
    /// Its line.
    line: u64,
    /// Lines from an id to the next.
    step: u64,
}

impl Lines {
    /// Adds the line of the next id, which is no less than that of the one before.
    #[inline]
    pub(super) fn add(&mut self, line: u64) {
        match self.runs.last_mut() {
            _ if self.is_full => {}
            Some(run) if run.line + run.step * run.ids == line && run.ids > 1 => run.ids += 1,
            Some(run) if run.ids == 1 => {
                run.step = line - run.line;
                run.ids = 2;
            }
            last => {
                let first = last.map_or(0, |run| run.first + run.ids);
                self.begin(first, line);
            }
        }
    }

    #[cold]
    fn begin(&mut self, first: u64, line: u64) {
        self.is_full = self.runs.len() == MOST_RUNS;
        if !self.is_full {
            self.runs.push(Run {
                first,
                ids: 1,
                line,
                step: 0,
            });
        }
    }

    /// The line of the id at a place, from 0, if it is known.
    pub fn of(&self, place: u64) -> Option<u64> {
        let after = self.runs.partition_point(|run| run.first <= place);
        let run = self.runs.get(after.checked_sub(1)?)?;
        let at = place - run.first;
        (at < run.ids).then(|| run.line + run.step * at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lines_are_those_added(steps in prop::collection::vec(0u64..3, 0..600)) {
            let mut lines = Lines::default();
            let mut line = 1;
            let all: Vec<u64> = steps.iter().map(|step| { line += step; line }).collect();
            all.iter().for_each(|&line| lines.add(line));
            let known = all.iter().zip(0..).take_while(|(_, place)| lines.of(*place).is_some()).count();
            prop_assert!(known == all.len() || lines.runs.len() == MOST_RUNS && known >= 2 * MOST_RUNS);
            for place in 0..all.len() + 2 {
                let expected = all.get(place).filter(|_| place < known);
                prop_assert_eq!(lines.of(place as u64), expected.copied());
            }
        }
    }

    #[test]
    fn a_line_each_takes_one_run() {
        let mut lines = Lines::default();
        (0..1_000_000u64).for_each(|id| lines.add(7 + 2 * id));
        assert_eq!((lines.runs.len(), lines.of(999_999)), (1, Some(2_000_005)));
        assert_eq!((lines.of(1_000_000), Lines::default().of(0)), (None, None));
    }
}
