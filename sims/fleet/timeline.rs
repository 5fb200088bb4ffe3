//! Which minute `sim fleet --timeline` draws, and its rows.

use super::Case;
use crate::args::{self, usage};
use crate::writers::explain;
use anyhow::{Context, Result};
use idlab::clock::NS_PER_S;
use idlab::duration;
use idlab::measure::{FirstTrouble, FleetPlan, MeasureTimeline, Rows};
use idlab::scheme;
use rayon::prelude::*;

/// Where a timeline begins.
#[derive(Clone, Copy)]
pub(super) enum From {
    /// A quarter of a minute before the first trouble.
    Trouble,
    /// So many nanoseconds after the start.
    At(u64),
}

/// `""` or a time.
pub(super) fn from(text: &str) -> Result<From, String> {
    match text {
        "" => Ok(From::Trouble),
        time => args::duration_ns(time).map(From::At),
    }
}

/// Where the minute begins, in nanoseconds since the start; one for all `cases`.
pub(super) fn from_ns(
    asked: Option<From>,
    plan: &FleetPlan,
    cases: &[Case],
) -> Result<Option<u64>> {
    match asked {
        None => Ok(None),
        Some(From::At(at_ns)) if at_ns < plan.length_ns => Ok(Some(at_ns)),
        Some(From::At(at_ns)) => Err(usage(format!(
            "--timeline {}: expected less than the run's {}; give a longer --for",
            duration::show(at_ns),
            duration::show(plan.length_ns)
        ))),
        Some(From::Trouble) => {
            let first = |case: &Case| scheme::visit_keys(&case.spec, FirstTrouble(&case.plan));
            let found: Result<Vec<_>, _> = cases.par_iter().map(first).collect();
            let found: Result<Vec<_>, _> = found.map_err(usage)?.into_iter().collect();
            let first = found.map_err(explain)?.into_iter().flatten().min();
            // Nothing goes wrong: the first minute is as good as any.
            Ok(Some(
                first.map_or(0, |at_ns| at_ns.saturating_sub(15 * NS_PER_S)),
            ))
        }
    }
}

/// Writes the minute's rows, if there is one.
pub(super) fn measure(case: &Case, from_ns: Option<u64>, rows: &mut Rows) -> Result<()> {
    let Some(from_ns) = from_ns else {
        return Ok(());
    };
    let timeline = MeasureTimeline {
        plan: &case.plan,
        from_ns,
        rows,
    };
    scheme::visit_keys(&case.spec, timeline)?.with_context(|| case.spec.to_string())
}
