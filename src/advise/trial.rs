//! A scheme held to what only a run can tell.

use super::check::{MEAN_WAIT, ORDER_MS, REFUSED_SHARE};
use super::runs::{self, FleetRun, RunError, StoreRun};
use super::{Asked, Bound, Check, Facts, Order, Sharding};
use crate::measure::{
    CEILING, FLEET_DUPLICATES, FLEET_ROWS, LATE_SHARE, LATENESS_MS, REFUSED, ROUND_TRIPS_PER_ID,
    WAITED_MS,
};
use crate::record::{Measured, Row};
use crate::scheme::Rollback;
use crate::shards::ShardingKey;

/// Time that a call may wait for its id on average.
const MOST_WAIT_MS: f64 = 10.0;
/// Share of calls that may get no id.
const MOST_REFUSED: f64 = 1e-3;
/// What is tried where a scheme's own rule refuses too much.
const OTHER_ROLLBACK: Rollback = Rollback::Borrow {
    most_ns: 2_000_000_000,
};

/// The fleet runs of a scheme under one rollback.
#[derive(Clone, Debug)]
pub struct FleetTrial {
    /// What its writers do when their clocks go back; the scheme's own rule if `None`.
    pub rollback: Option<Rollback>,
    /// Requirements; `None` if a run had no row to tell by.
    pub checks: Option<Vec<Check>>,
    /// Visits to a centre that an id costs, if callers wait for it.
    pub visits_per_id: f64,
}

/// The runs of a scheme.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Under its own rule, and another one if that refused too much.
    pub fleets: Vec<FleetTrial>,
    /// What the store made of the ids, by what it is sharded by.
    pub stores: Vec<(Option<ShardingKey>, Option<Check>)>,
    /// All rows.
    pub rows: Vec<Row>,
}

/// The sum of a measure's totals.
fn sum(rows: &[Row], measured: &Measured) -> f64 {
    let of = rows
        .iter()
        .filter(|row| row.measure == measured.name && row.x.is_none());
    of.map(|row| row.value.as_f64()).sum()
}

/// The largest of a measure's totals, 0 without any.
fn most(rows: &[Row], measured: &Measured) -> f64 {
    let of = rows
        .iter()
        .filter(|row| row.measure == measured.name && row.x.is_none());
    of.map(|row| row.value.as_f64()).fold(0.0, f64::max)
}

/// Requirements of one or more runs of a fleet: the worst of them counts.
fn fleet_checks(asked: &Asked, facts: &Facts, runs: &[Vec<Row>]) -> Option<Vec<Check>> {
    if runs.iter().any(|rows| sum(rows, &FLEET_ROWS) == 0.0) {
        return None;
    }
    let worst = |of: &dyn Fn(&[Row]) -> f64| runs.iter().map(|rows| of(rows)).fold(0.0, f64::max);
    let mut checks = Vec::new();
    let mut at_most = |asked, measured, value, most| {
        checks.push(Check {
            asked,
            measured,
            value,
            bound: Bound::AtMost(most),
        });
    };
    let waited = worst(&|rows| sum(rows, &WAITED_MS) / sum(rows, &FLEET_ROWS));
    at_most("--rate", &MEAN_WAIT, waited, MOST_WAIT_MS);
    if !asked.registry && asked.shards != Sharding::None && facts.has_centre {
        let visits = worst(&|rows| sum(rows, &ROUND_TRIPS_PER_ID));
        at_most("--registry", &ROUND_TRIPS_PER_ID, visits, 0.0);
    }
    let refused = worst(&|rows| {
        let refused = sum(rows, &REFUSED);
        refused / (refused + sum(rows, &FLEET_ROWS))
    });
    at_most("--clock", &REFUSED_SHARE, refused, MOST_REFUSED);
    let twice = worst(&|rows| sum(rows, &FLEET_DUPLICATES));
    at_most("--clock", &FLEET_DUPLICATES, twice, 0.0);
    let late_ms = worst(&|rows| most(rows, &LATENESS_MS));
    match asked.order {
        Order::None => {}
        Order::Second => at_most("--order", &ORDER_MS, late_ms, 2000.0),
        Order::Ms => at_most("--order", &ORDER_MS, late_ms, 10.0),
        Order::Strict => {
            let late = worst(&|rows| sum(rows, &LATE_SHARE));
            at_most("--order", &LATE_SHARE, late, 0.0);
        }
    }
    Some(checks)
}

impl Trial {
    /// Runs a scheme.
    ///
    /// # Errors
    /// A fleet that cannot issue the ids that are asked for.
    pub fn of(asked: &Asked, facts: &Facts, digest: &str) -> Result<Self, RunError> {
        let mut trial = Self {
            fleets: Vec::new(),
            stores: Vec::new(),
            rows: Vec::new(),
        };
        trial.fleet(asked, facts, None, digest)?;
        let refuses = |check: &Check| check.measured == &REFUSED_SHARE && !check.is_met();
        let refused_too_much = match &trial.fleets[0].checks {
            Some(checks) => checks.iter().any(refuses),
            None => true,
        };
        if refused_too_much {
            // Schemes with a rule of their own have no other.
            let _ = trial.fleet(asked, facts, Some(OTHER_ROLLBACK), digest);
        }
        trial.store(asked, facts, digest)?;
        Ok(trial)
    }

    fn fleet(
        &mut self,
        asked: &Asked,
        facts: &Facts,
        rollback: Option<Rollback>,
        digest: &str,
    ) -> Result<(), RunError> {
        let run = |run| runs::fleet(asked, facts, rollback, run, digest);
        let both = [run(FleetRun::Rate)?, run(FleetRun::Clock)?];
        let waits = both.iter().any(|rows| sum(rows, &WAITED_MS) > 0.0);
        let visits_per_id = match facts.has_centre && waits {
            true => sum(&both[0], &ROUND_TRIPS_PER_ID),
            false => 0.0,
        };
        self.fleets.push(FleetTrial {
            rollback,
            checks: fleet_checks(asked, facts, &both),
            visits_per_id,
        });
        self.rows.extend(both.into_iter().flatten());
        Ok(())
    }

    fn store(&mut self, asked: &Asked, facts: &Facts, digest: &str) -> Result<(), RunError> {
        let keys = runs::keys(asked);
        let sharded: Vec<ShardingKey> = keys.iter().flatten().copied().collect();
        if sharded.is_empty() {
            self.stores = vec![(None, None)];
            return Ok(());
        }
        let mut found = runs::sharded(asked, facts, &sharded, StoreRun::Short, digest)?;
        let mut checks: Vec<Check> = found.iter().map(|rows| ceiling(asked, rows)).collect();
        if let Some(longer) = StoreRun::Short.longer(asked) {
            let short = |at: &usize| !checks[*at].is_met();
            let short: Vec<usize> = (0..sharded.len()).filter(short).collect();
            let keys: Vec<ShardingKey> = short.iter().map(|at| sharded[*at]).collect();
            let again = match keys.is_empty() {
                true => Vec::new(),
                false => runs::sharded(asked, facts, &keys, longer, digest)?,
            };
            for (at, rows) in short.into_iter().zip(again) {
                checks[at] = ceiling(asked, &rows);
                found[at] = rows;
            }
        }
        let keys = sharded.into_iter().map(Some);
        self.stores = keys.zip(checks.into_iter().map(Some)).collect();
        self.rows.extend(found.into_iter().flatten());
        Ok(())
    }
}

/// What the store must be able to take.
fn ceiling(asked: &Asked, rows: &[Row]) -> Check {
    let nodes = f64::from(asked.store_nodes());
    // Where the nodes cannot take the rate at all, half of what they can.
    let least = (asked.rate as f64).min(nodes * asked.capacity_per_s as f64 / 2.0);
    Check {
        asked: "--shards",
        measured: &CEILING,
        value: sum(rows, &CEILING),
        bound: Bound::AtLeast(least),
    }
}
