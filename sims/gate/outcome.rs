//! What was found of a case, as records.

use idlab::gate::{Bounds, Judgement};
use idlab::record::{Measured, Number, Parameters, Row};

/// What the gate measures.
pub const MEASURES: &[&Measured] = &[&INSTRUCTIONS, &TIME_RATIO, &VERDICT];

/// Exact.
pub const INSTRUCTIONS: Measured = Measured {
    name: "instructions_per_id",
    unit: "instructions/id",
    about: "instructions that each further id (row) takes, by cachegrind",
};
const TIME_RATIO: Measured = Measured {
    name: "time_ratio",
    unit: "head/base",
    about: "median of the ratios of paired times, with one-sided 99.9 % limits",
};
const VERDICT: Measured = Measured {
    name: "verdict",
    unit: "exit code",
    about: "what the gate says of a case: 0 pass, 1 regressed, 3 undecided",
};

/// What was found of a case.
pub struct Outcome {
    pub case: String,
    /// Instructions per id of base and head.
    pub counts: Option<[f64; 2]>,
    /// Limits of the ratio of times: once, and perhaps once more. The last is decisive.
    pub times: Vec<Bounds>,
    /// Pairs of times that each is of.
    pub pairs: u64,
    pub judgement: Judgement,
}

impl Outcome {
    /// A case of which nothing was measured.
    pub fn unmeasured(case: &str, judgement: Judgement) -> Self {
        Self {
            case: case.to_owned(),
            counts: None,
            times: Vec::new(),
            pairs: 0,
            judgement,
        }
    }

    /// It as numbers of the run `run`.
    pub fn rows(&self, run: &str) -> Vec<Row> {
        let row = |measured, value| row(run, &self.case, measured, value);
        let mut rows = Vec::new();
        let sides = ["base", "head"].into_iter();
        for (side, count) in sides.zip(self.counts.iter().flatten()) {
            rows.push(Row {
                params: Parameters::from([("side".to_owned(), side.into())]),
                ..row(INSTRUCTIONS, Number::Real(*count))
            });
        }
        let finite = |limit: f64| limit.is_finite().then_some(Number::Real(limit));
        for (round, time) in (1u64..).zip(&self.times) {
            rows.push(Row {
                params: Parameters::from([("round".to_owned(), round.into())]),
                low: finite(time.low),
                high: finite(time.high),
                samples: self.pairs,
                ..row(TIME_RATIO, Number::Real(time.median))
            });
        }
        let Judgement { verdict, note } = self.judgement;
        let mut params = Parameters::from([("verdict".to_owned(), verdict.name().into())]);
        params.extend(note.map(|note| ("note".to_owned(), note.into())));
        rows.push(Row {
            params,
            ..row(VERDICT, u64::from(verdict.exit_code()).into())
        });
        rows
    }
}

/// An exact number of `case`.
pub fn row(run: &str, case: &str, measured: Measured, value: Number) -> Row {
    Row {
        run: run.to_owned(),
        scheme: case.to_owned(),
        engine: String::new(),
        params: Parameters::new(),
        measure: measured.name.to_owned(),
        unit: measured.unit.to_owned(),
        x: None,
        value,
        low: None,
        high: None,
        samples: 1,
    }
}
