//! Flags that describe who issues ids: one description of a fleet serves every command.

use crate::args::{self, usage};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use idlab::clock::log::{self, ClockLog};
use idlab::clock::{ClockModel, NS_PER_MS, NS_PER_S};
use idlab::duration;
use idlab::fleet::number::{LeaseRule, NumberRule};
use idlab::fleet::{
    self, Arrivals, Clocks, Conduct, Fault, FaultPlan, FleetError, FleetSpec, Latency, Memory,
    PlanError,
};
use idlab::record::Parameters;
use idlab::scheme::Rollback;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

const DAY_NS: u64 = 86_400 * NS_PER_S;

/// Who issues the ids, and when.
#[derive(Args, Clone)]
#[command(next_help_heading = "Writers (of schemes)")]
pub struct FleetArgs {
    /// Writers, each with its own clock [default: 16]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = args::positive)]
    pub writers: Option<u64>,
    /// Ids a second, all writers together [default: 10k; `sim fleet`: 1k]
    #[arg(long, value_name = "IDS/S", allow_hyphen_values = true, value_parser = args::rate)]
    pub rate: Option<u64>,
    /// When ids are asked for [default: poisson]
    #[arg(long, value_enum)]
    pub arrivals: Option<ArrivalsArg>,
    /// Standard deviation of the writers' constant clock offsets [default: 2ms; `sim fleet`: --clock lan_chrony]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = args::duration_ns)]
    pub clock_sd: Option<u64>,
    /// The writers' clocks, instead of --clock-sd: a name (see `sim list clocks`), key=value pairs, or both, joined by commas
    #[arg(long, value_name = "CLOCK", value_parser = args::item, conflicts_with = "clock_sd")]
    pub clock: Option<String>,
    /// Logs that the clocks follow instead, writers in turn: chrony's tracking, statistics or measurements, ntpd's loopstats or peerstats. An offset of 0.5 s or more between small ones is a step: the clock has it from the update before to the one that sees it and steps it away
    #[arg(long, value_name = "FILES", value_delimiter = ',', conflicts_with_all = ["clock", "clock_sd"])]
    pub clock_log: Vec<PathBuf>,
    /// Mean time from minting an id to inserting its row, exponential [default: 1ms; `sim fleet`: --commit light]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, value_parser = args::duration_ns)]
    pub delay: Option<u64>,
    /// Time from minting an id to inserting its row, instead of --delay: none, light, heavy, batch or exponential:TIME (see `sim list commits`)
    #[arg(long, value_name = "NAME", value_parser = args::item, conflicts_with = "delay")]
    pub commit: Option<String>,
    /// Ids whose rows are never inserted, such as 1%: transactions that are rolled back [default: 0]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true, value_parser = args::share_ppm)]
    pub abort: Option<u32>,
    /// What writers do when their clock goes back (see `sim list rollbacks`) [default: wait; `sim fleet`: refuse]
    #[arg(long, value_name = "NAME", value_delimiter = ',', value_parser = args::item)]
    pub rollback: Vec<String>,
    /// How writers come by their worker numbers: fixed, ordinal, random:N, zero_on_outage, fail_to_start, counter:N (see `sim list numbers`) [default: fixed]
    #[arg(long, value_name = "RULE", value_parser = args::item)]
    pub numbers: Option<String>,
    /// Worker numbers are leased from a registry: KEY=VALUE of ttl, renew, takeover, round_trip, loss, rate, holder, guard, notice, such as ttl=30s,renew=10s (see `sim list numbers`)
    #[arg(long, value_name = "LEASES", value_parser = args::item, conflicts_with = "numbers")]
    pub leases: Option<String>,
    /// What goes wrong at random: partitions, pauses, restarts, steps, suspends, outages, each as `KIND[=GAP[:SIZE]]`, none larger than 30d (see `sim list faults`)
    #[arg(long, value_name = "LIST", value_parser = args::item)]
    pub faults: Option<String>,
    /// What a restarted writer knows of its ids (see `sim list memories`) [default: lost]
    #[arg(long, value_name = "NAME", value_parser = args::item)]
    pub memory: Option<String>,
}

/// When ids are asked for.
#[derive(Clone, Copy, ValueEnum)]
pub enum ArrivalsArg {
    /// At equal intervals, writers in turn
    Steady,
    /// At random, from random writers
    Poisson,
    /// In bursts of 100 from one writer
    Bursty,
}

/// What a command takes where the flags say nothing.
pub struct Defaults {
    /// Ids a second.
    pub rate: u64,
    /// Clocks.
    pub clocks: Clocks,
    /// Time to insertion.
    pub latency: Latency,
}

impl Default for Defaults {
    fn default() -> Self {
        Self {
            rate: 10_000,
            clocks: Clocks::Offset {
                sd_ns: 2 * NS_PER_MS,
            },
            latency: Latency::Exponential { mean_ns: NS_PER_MS },
        }
    }
}

impl FleetArgs {
    /// The fleet that these flags describe.
    pub fn spec(&self, seed: u64) -> Result<FleetSpec> {
        let spec = self.spec_or(seed, Defaults::default(), DAY_NS)?;
        if self.rollback.len() > 1 {
            return Err(usage(
                "--rollback: expected one; several at once are for `sim fleet`",
            ));
        }
        Ok(spec)
    }

    /// The same with the defaults of a command, for a run of `length_ns`; the first of several rollbacks.
    pub fn spec_or(&self, seed: u64, defaults: Defaults, length_ns: u64) -> Result<FleetSpec> {
        let arrivals = match self.arrivals {
            Some(ArrivalsArg::Steady) => Arrivals::Steady,
            Some(ArrivalsArg::Poisson) | None => Arrivals::Poisson,
            Some(ArrivalsArg::Bursty) => Arrivals::Bursty,
        };
        let writers = match self.writers.map(u32::try_from) {
            None => 16,
            Some(Ok(writers @ 1..=1_000_000)) => writers,
            Some(_) => return Err(usage("--writers: expected at most 1M")),
        };
        let clocks = match (&self.clock, self.clock_sd) {
            _ if !self.clock_log.is_empty() => {
                let logs = self.clock_log.iter().map(|path| clock_log(path));
                Clocks::Model(ClockModel::replay(logs.collect::<Result<_>>()?)?)
            }
            (Some(text), _) => Clocks::Model(
                ClockModel::parse(text).map_err(|error| usage(format!("--clock: {error}")))?,
            ),
            (None, Some(sd_ns)) => Clocks::Offset { sd_ns },
            (None, None) => defaults.clocks,
        };
        let latency = match (&self.commit, self.delay) {
            (Some(text), _) => latency(text)?,
            (None, Some(mean_ns)) => Latency::Exponential { mean_ns },
            (None, None) => defaults.latency,
        };
        let memory = self.memory.as_ref().map(|text| text.parse::<Memory>());
        Ok(FleetSpec {
            writers,
            rate: self.rate.unwrap_or(defaults.rate),
            arrivals,
            clocks,
            latency,
            abort_ppm: self.abort.unwrap_or(0),
            conduct: Conduct {
                rollback: self.rollbacks()?.first().copied(),
                refuse: !self.rollback.is_empty() || self.has_misfortune(),
                memory: memory
                    .transpose()
                    .map_err(|error| usage(format!("--memory: {error}")))?
                    .unwrap_or_default(),
                numbers: self.number_rule()?,
                faults: self.fault_schedule(seed, writers, length_ns)?,
            },
            seed,
            start: fleet::START,
            phase: 0,
        })
    }

    /// Whether there may be times without an id to give: calls are refused then.
    fn has_misfortune(&self) -> bool {
        self.numbers.is_some() || self.leases.is_some() || self.faults.is_some()
    }

    fn number_rule(&self) -> Result<NumberRule> {
        match (&self.numbers, &self.leases) {
            (_, Some(text)) => {
                let rule = text.parse::<LeaseRule>();
                let rule = rule.map_err(|error| usage(format!("--leases: {error}")))?;
                Ok(NumberRule::Lease(rule))
            }
            (Some(text), None) => text
                .parse()
                .map_err(|error| usage(format!("--numbers: {error}"))),
            (None, None) => Ok(NumberRule::Fixed),
        }
    }

    fn fault_schedule(&self, seed: u64, writers: u32, length_ns: u64) -> Result<Vec<Fault>> {
        let Some(text) = &self.faults else {
            return Ok(Vec::new());
        };
        let wrong = |error: PlanError| usage(format!("--faults: {error}"));
        let plan: FaultPlan = text.parse().map_err(wrong)?;
        plan.schedule(seed, writers, fleet::START, length_ns)
            .map_err(wrong)
    }

    /// The rollbacks asked for.
    pub fn rollbacks(&self) -> Result<Vec<Rollback>> {
        args::distinct("--rollback", &self.rollback)?;
        let parsed = self.rollback.iter().map(|text| {
            text.parse()
                .map_err(|error| usage(format!("--rollback: {error}")))
        });
        parsed.collect()
    }

    /// Records the fleet that these flags describe.
    pub fn record(&self, params: &mut Parameters) {
        if let Ok(fleet) = self.spec(0) {
            fleet_parameters(&fleet, params);
        }
    }

    /// Refuses flags that say nothing of `what`, whose ids are issued already.
    pub fn refuse_for(&self, what: &str) -> Result<()> {
        self.refuse_but_rate_for(what)?;
        refuse_given(&[("--rate", self.rate.is_some())], what)
    }

    /// The same where --rate is the pace at which the ids are written.
    pub fn refuse_but_rate_for(&self, what: &str) -> Result<()> {
        let given = [
            ("--writers", self.writers.is_some()),
            ("--arrivals", self.arrivals.is_some()),
            ("--clock-sd", self.clock_sd.is_some()),
            ("--clock", self.clock.is_some()),
            ("--clock-log", !self.clock_log.is_empty()),
            ("--delay", self.delay.is_some()),
            ("--commit", self.commit.is_some()),
            ("--abort", self.abort.is_some()),
            ("--rollback", !self.rollback.is_empty()),
            ("--memory", self.memory.is_some()),
            ("--numbers", self.numbers.is_some()),
            ("--leases", self.leases.is_some()),
            ("--faults", self.faults.is_some()),
        ];
        refuse_given(&given, what)
    }
}

/// A log of the clocks' errors.
fn clock_log(path: &Path) -> Result<ClockLog> {
    let shown = || format!("--clock-log {}", path.display().to_string().escape_debug());
    if path.is_dir() {
        anyhow::bail!("{}: is a folder, expected a file", shown());
    }
    let file = File::open(path).with_context(|| format!("{}: cannot be opened", shown()))?;
    let path = path.display().to_string().escape_debug().to_string();
    log::read(BufReader::new(file), &path).map_err(|error| usage(format!("--clock-log {error}")))
}

fn latency(text: &str) -> Result<Latency> {
    let Some(mean) = text.strip_prefix("exponential:") else {
        return Latency::named(text).map_err(|error| usage(format!("--commit: {error}")));
    };
    match duration::parse(mean) {
        Ok(mean_ns) => Ok(Latency::Exponential { mean_ns }),
        Err(error) => Err(usage(format!("--commit {text}: {error}"))),
    }
}

fn refuse_given(flags: &[(&str, bool)], what: &str) -> Result<()> {
    match flags.iter().find(|(_, given)| *given) {
        Some((flag, _)) => Err(usage(format!(
            "{flag} is for --scheme: {what} has its ids and their order"
        ))),
        None => Ok(()),
    }
}

/// What a record says of a fleet.
pub fn fleet_parameters(fleet: &FleetSpec, params: &mut Parameters) {
    let mut set = |name: &str, value: serde_json::Value| params.insert(name.to_owned(), value);
    set("writers", fleet.writers.into());
    set("rate", fleet.rate.into());
    set(
        "arrivals",
        format!("{:?}", fleet.arrivals).to_lowercase().into(),
    );
    match &fleet.clocks {
        Clocks::Offset { sd_ns } => set("clock_sd_ns", (*sd_ns).into()),
        Clocks::Model(model) => set("clock", model.to_string().into()),
    };
    match fleet.latency {
        Latency::Exponential { mean_ns } => set("delay_mean_ns", mean_ns.into()),
        latency => set("commit", latency.to_string().into()),
    };
    if let Some(rollback) = fleet.conduct.rollback {
        set("rollback", rollback.to_string().into());
    }
    if fleet.abort_ppm > 0 {
        set("abort_ppm", fleet.abort_ppm.into());
    }
    if fleet.conduct.numbers != NumberRule::Fixed {
        set("numbers", fleet.conduct.numbers.to_string().into());
    }
    if fleet.conduct.memory != Memory::Lost {
        set("memory", fleet.conduct.memory.to_string().into());
    }
}

/// A fleet's refusal, with the flags that help.
pub fn explain(error: FleetError) -> anyhow::Error {
    let help = match &error {
        FleetError::Writer(_) => "use fewer --writers, or give the scheme room for more",
        FleetError::TooFast { .. } => "lower --rate, or use more --writers",
        FleetError::InFlight { .. } => "lower --rate or --delay, or take another --commit",
        FleetError::Number { .. } => {
            "use fewer --writers, or other --numbers, or give the scheme more bits for them"
        }
        FleetError::Rollback(_) => "choose another --rollback, or another scheme",
        FleetError::Stalled { .. } => {
            "simulated time starts 2026-01-01, each clock off by --clock-sd: choose an epoch before"
        }
    };
    usage(format!("{error}: {help}"))
}
