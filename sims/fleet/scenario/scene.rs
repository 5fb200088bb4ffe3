//! What scenarios are made of: fleets, what is read from their runs, and what is expected of it.

pub use anyhow::Result;
pub use idlab::fleet::number::NumberRule;
pub use idlab::fleet::{Fault, Latency, Memory, Trouble};
pub use idlab::measure::*;
pub use idlab::scheme::Rollback;

use idlab::clock::{ClockModel, NS_PER_MS, NS_PER_S};
use idlab::fleet::{Arrivals, Clocks, Conduct, FleetError, FleetSpec, START};
use idlab::record::{Measured, Number, Parameters, Row};
use idlab::scheme::{self, Spec};
use idlab::theory::clash::{duplicates_per_tick, variance_per_tick};

/// A millisecond, in nanoseconds.
pub const MS: u64 = NS_PER_MS;
/// A second.
pub const S: u64 = NS_PER_S;
/// A minute.
pub const MIN: u64 = 60 * S;
/// An hour.
pub const H: u64 = 60 * MIN;

/// A fleet and what happens to it. Calls come at random and are refused rather than made
/// to wait without end.
#[derive(Clone)]
pub struct Setting {
    /// The scheme, with parameters.
    pub scheme: &'static str,
    /// Number of writers.
    pub writers: u32,
    /// Ids a second that each is asked for, on average.
    pub rate: u64,
    /// Ids are asked for so long.
    pub length_ns: u64,
    /// The clocks, as typed after `--clock`.
    pub clock: &'static str,
    /// When the clock goes back.
    pub rollback: Rollback,
    /// What a restarted writer knows.
    pub memory: Memory,
    /// How writers come by their numbers.
    pub numbers: NumberRule,
    /// What goes wrong.
    pub faults: Vec<Fault>,
    /// Time from minting to commit.
    pub latency: Latency,
    /// Time between two polls of readers; 0: they never rest.
    pub poll_ns: u64,
    /// Lag windows of cursors; 0: none.
    pub lags_ns: Vec<u64>,
    /// Readers of other kinds.
    pub readers: Vec<ReaderKind>,
}

impl Default for Setting {
    /// One writer of Snowflakes with a perfect clock, asked for 500 ids a second for 10 s.
    fn default() -> Self {
        Self {
            scheme: "snowflake",
            writers: 1,
            rate: 500,
            length_ns: 10 * S,
            clock: "ideal",
            rollback: Rollback::Refuse,
            memory: Memory::Lost,
            numbers: NumberRule::Fixed,
            faults: Vec::new(),
            latency: Latency::None,
            poll_ns: 0,
            lags_ns: Vec::new(),
            readers: Vec::new(),
        }
    }
}

impl Setting {
    /// The same with another rollback.
    pub fn with(&self, rollback: Rollback) -> Self {
        Self {
            rollback,
            ..self.clone()
        }
    }

    /// The same with another memory.
    pub fn remembering(&self, memory: Memory) -> Self {
        Self {
            memory,
            ..self.clone()
        }
    }

    /// Runs it.
    pub fn measure(&self, seed: u64) -> Result<Outcome> {
        let plan = FleetPlan {
            spec: FleetSpec {
                writers: self.writers,
                rate: self.rate * u64::from(self.writers),
                arrivals: Arrivals::Poisson,
                clocks: Clocks::Model(ClockModel::parse(self.clock)?),
                latency: self.latency,
                abort_ppm: 0,
                conduct: Conduct {
                    rollback: Some(self.rollback),
                    refuse: true,
                    memory: self.memory,
                    numbers: self.numbers.clone(),
                    faults: self.faults.clone(),
                },
                seed,
                start: START,
                phase: 0,
            },
            length_ns: self.length_ns,
            poll_ns: self.poll_ns,
            lags_ns: self.lags_ns.clone(),
            readers: self.readers.clone(),
            page_rows: None,
        };
        let plan = self.own_rollback(plan)?;
        let mut rows = Rows::new("", self.scheme, "", Default::default());
        let measure = MeasureFleet {
            plan: &plan,
            rows: &mut rows,
        };
        scheme::visit_keys(&self.scheme.parse::<Spec>()?, measure)??;
        Ok(Outcome {
            scheme: self.scheme,
            case: String::new(),
            rows: rows.into_rows(),
        })
    }

    /// Leaves a scheme that has a rule of its own to it.
    fn own_rollback(&self, mut plan: FleetPlan) -> Result<FleetPlan> {
        let spec: Spec = self.scheme.parse()?;
        let follows = scheme::visit_keys(&spec, CheckFleet(&plan))?;
        if let Err(FleetError::Rollback(_)) = follows {
            plan.spec.conduct.rollback = None;
        }
        Ok(plan)
    }
}

/// What befalls `writer` so long after the start.
pub fn fault(after_ns: u64, writer: u32, trouble: Trouble) -> Fault {
    Fault {
        at: START.later(after_ns),
        writer,
        trouble,
    }
}

/// What befalls each of so many writers then, in this order.
pub fn of_each(writers: u32, after_ns: u64, troubles: &[Trouble]) -> Vec<Fault> {
    let of = |writer| troubles.iter().map(move |&trouble| (writer, trouble));
    let all = (0..writers).flat_map(of);
    all.map(|(writer, trouble)| fault(after_ns, writer, trouble))
        .collect()
}

/// A step of the wall clock, back by so much.
pub const fn back(by_ns: u64) -> Trouble {
    Trouble::Step {
        by_ns: -by_ns.cast_signed(),
    }
}

/// A number of a run.
#[derive(Clone, Copy)]
pub struct Figure {
    measured: &'static Measured,
    param: Option<(&'static str, &'static str)>,
    x: Option<u64>,
}

/// The total of a measure.
pub const fn total(measured: &'static Measured) -> Figure {
    Figure {
        measured,
        param: None,
        x: None,
    }
}

/// A measure's row that has this parameter.
pub const fn of(measured: &'static Measured, name: &'static str, value: &'static str) -> Figure {
    Figure {
        measured,
        param: Some((name, value)),
        x: None,
    }
}

/// A measure's point at `x`.
pub const fn at(measured: &'static Measured, x: u64) -> Figure {
    Figure {
        measured,
        param: None,
        x: Some(x),
    }
}

/// What a run gave.
pub struct Outcome {
    scheme: &'static str,
    case: String,
    rows: Vec<Row>,
}

impl Outcome {
    /// A number of it; `NaN`, which nothing expects, if it has none.
    pub fn number(&self, figure: Figure) -> Number {
        let is = |row: &&Row| {
            let said = figure.param.is_none_or(|(name, value)| {
                row.params.get(name).and_then(|text| text.as_str()) == Some(value)
            });
            let x = row.x.map(|x| x.as_f64());
            row.measure == figure.measured.name && x == figure.x.map(|x| x as f64) && said
        };
        let found = self.rows.iter().find(is);
        found.map_or(Number::Real(f64::NAN), |row| row.value)
    }

    /// The same as a float.
    pub fn value(&self, figure: Figure) -> f64 {
        self.number(figure).as_f64()
    }
}

/// Between what a right program's number lies.
#[derive(Clone, Copy)]
pub struct Expected {
    least: f64,
    most: f64,
}

/// Standard deviations of a number drawn at random: fewer than one in 10⁷ is further off.
const SIGMAS: f64 = 5.5;

/// This number.
pub fn exactly(value: f64) -> Expected {
    between(value, value)
}

/// These and what lies between.
pub fn between(least: f64, most: f64) -> Expected {
    Expected { least, most }
}

/// A mean that is met by chance alone.
pub fn about(mean: f64, deviation: f64) -> Expected {
    let by = SIGMAS * deviation;
    between((mean - by).max(0.0), mean + by)
}

/// A Poisson number.
pub fn counts(mean: f64) -> Expected {
    about(mean, mean.sqrt())
}

/// Ids twice after so many ticks in which a generator of `ids` a tick met one of `other`.
pub fn twice(ticks: u64, ids: f64, other: f64) -> Expected {
    let ticks = ticks as f64;
    let variance = ticks * variance_per_tick(ids, other);
    about(ticks * duplicates_per_tick(ids, other), variance.sqrt())
}

/// A share that is lost of so many rows, of which the others are records: each is one or
/// not, independently.
pub fn lost(share: f64, rows: f64) -> Expected {
    about(share, ((1.0 - share) / rows).sqrt())
}

/// A scenario at work.
pub struct Scene {
    scenario: &'static str,
    run: String,
    /// The run's seed.
    pub seed: u64,
    rows: Vec<Row>,
    missed: usize,
}

impl Scene {
    /// The scenario of this name in a run of this digest.
    pub fn new(scenario: &'static str, run: &str, seed: u64) -> Self {
        Self {
            scenario,
            run: run.to_owned(),
            seed,
            rows: Vec::new(),
            missed: 0,
        }
    }

    /// Runs a fleet that is called `case`.
    pub fn run(&self, case: &str, setting: &Setting) -> Result<Outcome> {
        let case = case.to_owned();
        Ok(Outcome {
            case,
            ..setting.measure(self.seed)?
        })
    }

    /// Expects this of a number of a run.
    pub fn expect(&mut self, outcome: &Outcome, figure: Figure, expected: Expected) {
        let found = outcome.number(figure);
        let (case, scheme) = (&outcome.case, outcome.scheme);
        self.note(case, scheme, figure, found, expected);
    }

    /// Expects this of a number that was found otherwise.
    pub fn note(
        &mut self,
        case: &str,
        scheme: &str,
        figure: Figure,
        found: Number,
        expected: Expected,
    ) {
        let holds = (expected.least..=expected.most).contains(&found.as_f64());
        self.missed += usize::from(!holds);
        let params = Parameters::from([
            ("scenario".to_owned(), self.scenario.into()),
            ("case".to_owned(), case.into()),
        ]);
        let mut rows = Rows::new(&self.run, scheme, "", params);
        let mut more = vec![
            ("expected_least", expected.least.into()),
            ("expected_most", expected.most.into()),
            ("as_expected", holds.into()),
        ];
        more.extend(figure.param.map(|(name, value)| (name, value.into())));
        let x = figure.x.map(Number::Whole);
        rows.push(figure.measured, x, found, &more);
        self.rows.extend(rows.into_rows());
    }

    /// Numbers that are not as expected.
    pub fn missed(&self) -> usize {
        self.missed
    }

    /// The numbers, each with what was expected.
    pub fn into_rows(self) -> Vec<Row> {
        self.rows
    }
}
