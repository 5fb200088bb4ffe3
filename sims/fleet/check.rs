//! `sim fleet --check`: what is known beforehand beside what fleets and readers give.

mod blocks;
mod cursors;
mod duplicates;
mod faults;
mod leases;
mod numbers;
mod order;
mod planted;
mod steps;
mod table;
mod ties;
mod transactions;

use crate::args::{self, usage};
use crate::recorder::{self, OutputArgs, Recorder};
use crate::tolerance::{self, Tolerance};
use anyhow::Result;
use blocks::Estimate;
use idlab::chart::{Chart, ChartError};
use idlab::measure::Rows;
use idlab::record::{Measured, Number, Parameters, Row};
use indicatif::ProgressBar;
use rayon::prelude::*;

/// Flags of the checks.
#[derive(clap::Args)]
pub(super) struct CheckArgs {
    /// Compare the simulation with what is known beforehand
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        num_args = 0..=1,
        default_missing_value = "forms",
        conflicts_with_all = [
            "scheme", "length", "poll", "lag", "writers", "rate", "arrivals", "clock", "clock_log", "clock_sd", "commit", "delay", "rollback", "memory", "numbers", "leases", "faults", "abort",
            "sweep", "timeline", "replicas", "reader", "page",
        ],
        help_heading = "Check"
    )]
    pub(super) check: Option<What>,
    /// Random schedules of faults a policy and clock [default: 10k]
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Check")]
    schedules: Option<u64>,
    /// Snowflakes among which one is planted twice; of UUIDv4, a tenth of them [default: 100M]
    #[arg(long, value_name = "N", value_parser = args::positive, help_heading = "Check")]
    among: Option<u64>,
}

impl CheckArgs {
    /// Refuses flags that say nothing without --check.
    pub(super) fn refuse_without_check(&self) -> Result<()> {
        let given = [
            ("--schedules", self.schedules.is_some()),
            ("--among", self.among.is_some()),
        ];
        match given
            .iter()
            .find(|(_, given)| *given && self.check.is_none())
        {
            Some((flag, _)) => Err(usage(format!("{flag}: is for --check alone"))),
            None => Ok(()),
        }
    }
}

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(super) enum What {
    /// Closed forms: theory, simulated, error
    Forms,
    /// Random schedules of faults: no safe policy repeats an id, the others are found out
    Faults,
    /// One duplicate planted among many ids: it is found, and nothing else
    Planted,
    /// Rules for leases against every order of events of a small model
    Leases,
}

/// Standard errors of a simulated number that pass.
const STANDARD_ERRORS: f64 = 4.0;

/// For numbers that are exact but for rounding.
const EXACT: Tolerance = Tolerance::absolute(1e-12);

/// What all checks are made with.
struct Setting {
    seed: u64,
    /// Counts rows.
    progress: ProgressBar,
}

/// A simulated number beside its closed form.
struct Check {
    /// What was simulated.
    case: String,
    measure: &'static str,
    unit: &'static str,
    simulated: Estimate,
    theory: f64,
    /// How near the closed form itself is, where it is an approximation.
    form: Tolerance,
    /// What the form leaves out.
    note: &'static str,
}

impl Check {
    fn new(
        case: impl Into<String>,
        (measure, unit): (&'static str, &'static str),
        simulated: Estimate,
        theory: f64,
    ) -> Self {
        Self {
            case: case.into(),
            measure,
            unit,
            simulated,
            theory,
            form: EXACT,
            note: "",
        }
    }

    /// The same for a form that is an approximation.
    fn about(self, form: Tolerance, note: &'static str) -> Self {
        Self { form, note, ..self }
    }

    /// How far the two may be apart.
    fn most(&self) -> f64 {
        let of_form = self.form.relative * self.theory.abs();
        STANDARD_ERRORS * self.simulated.error + of_form.max(self.form.absolute)
    }

    /// Whether the two agree.
    fn holds(&self) -> bool {
        (self.simulated.mean - self.theory).abs() <= self.most()
    }

    fn into_rows(self, section: &str, digest: &str) -> Vec<Row> {
        let mut rows = Rows::new(digest, &self.case, section, Parameters::new());
        let mut params: Vec<(&str, serde_json::Value)> = vec![
            ("theory", self.theory.into()),
            ("standard_error", self.simulated.error.into()),
            ("most", self.most().into()),
            ("holds", self.holds().into()),
        ];
        if !self.note.is_empty() {
            params.push(("note", self.note.into()));
        }
        let measured = Measured {
            name: self.measure,
            unit: self.unit,
            about: "",
        };
        let simulated = Number::Real(self.simulated.mean);
        rows.push(&measured, None, simulated, &params);
        rows.into_rows()
    }
}

/// Some checks that are made at once.
type Made = fn(&Setting) -> Result<Vec<Check>>;

/// All checks by section, in the order of the table.
const SECTIONS: &[(&str, &[Made])] = &[
    (
        "cursor",
        &[
            cursors::exponential,
            cursors::offsets,
            cursors::skew,
            cursors::polls,
            cursors::two_writers,
        ],
    ),
    ("lag", &[cursors::lags, cursors::windows, cursors::lossless]),
    ("ties", &[ties::ticks, ties::snowflakes, ties::blocks]),
    (
        "transactions",
        &[
            transactions::horizons,
            transactions::gaps,
            transactions::aborts,
        ],
    ),
    (
        "duplicates",
        &[
            duplicates::of_one_number,
            duplicates::of_a_step,
            numbers::same_number,
            numbers::lost_leases,
        ],
    ),
    ("steps", &[steps::refused, steps::held, steps::consumed]),
    (
        "disorder",
        &[order::exponential, order::skew, order::offsets],
    ),
];

/// Makes a check, and fails if something is not as it should be.
pub(super) fn run(what: What, args: &CheckArgs, output: &OutputArgs) -> Result<()> {
    let only = |flag: &str, given: bool, of: What, name: &str| match given && what != of {
        true => Err(usage(format!("{flag}: is for --check {name} alone"))),
        false => Ok(()),
    };
    only(
        "--schedules",
        args.schedules.is_some(),
        What::Faults,
        "faults",
    )?;
    only("--among", args.among.is_some(), What::Planted, "planted")?;
    match what {
        What::Planted => planted::run(args.among.unwrap_or(100_000_000), output),
        What::Forms => forms(output),
        What::Leases => leases::run(output),
        What::Faults => faults::run(args.schedules.unwrap_or(10_000), output),
    }
}

fn forms(output: &OutputArgs) -> Result<()> {
    let mut recorder = Recorder::start("fleet_check", output, Parameters::new())?;
    let setting = Setting {
        seed: output.seed,
        progress: recorder::progress(None),
    };
    let sections = SECTIONS.iter();
    let tasks: Vec<(&str, Made)> = sections
        .flat_map(|&(section, made)| made.iter().map(move |&made| (section, made)))
        .collect();
    let threads = recorder::threads(output, usize::MAX, 1 << 29, "a check")?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()?;
    let made: Result<Vec<Vec<Check>>> =
        pool.install(|| tasks.par_iter().map(|(_, made)| made(&setting)).collect());
    setting.progress.finish_and_clear();
    let (mut compared, mut beyond) = (0, 0);
    for ((section, _), checks) in tasks.iter().zip(made?) {
        for check in checks {
            compared += 1;
            beyond += usize::from(!check.holds());
            let rows = check.into_rows(section, recorder.digest());
            recorder.add(rows, None);
        }
    }
    recorder.finish(|_| Ok::<Vec<Chart>, ChartError>(Vec::new()), table::table)?;
    tolerance::verdict(beyond, compared)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHARE: (&str, &str) = ("skipped_rows_share", "share");

    fn check(mean: f64, error: f64) -> Check {
        Check::new("case", SHARE, Estimate { mean, error }, 0.5)
    }

    #[test]
    fn four_standard_errors_and_what_the_form_leaves_out_pass() {
        assert!(check(0.539, 0.01).holds() && !check(0.541, 0.01).holds());
        assert!(!check(f64::NAN, 0.01).holds() && !check(0.5, f64::NAN).holds());
        assert!(check(0.5, 0.0).holds() && !check(0.500_001, 0.0).holds());
        let about = |mean| check(mean, 0.01).about(Tolerance::relative(0.02), "");
        assert!(about(0.549).holds() && !about(0.551).holds());
    }

    #[test]
    fn rows_say_what_the_form_says_and_whether_it_holds() {
        let row = &check(0.51, 0.01).into_rows("cursor", "digest")[0];
        assert_eq!((row.value.as_f64(), row.engine.as_str()), (0.51, "cursor"));
        assert_eq!(row.params["theory"], 0.5);
        assert_eq!(row.params["standard_error"], 0.01);
        assert_eq!(row.params["holds"], true);
    }
}
