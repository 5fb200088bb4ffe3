//! Sweeps: one fleet again and again, with one thing made worse and worse.

use super::{
    DISPLACEMENT_MAX, DISPLACEMENT_P50, DISPLACEMENT_P99, FLEET_DUPLICATES, FleetPlan,
    INVERSIONS_PER_ROW, K_SORTED_ROWS, NUMBERS_LOST, NUMBERS_SHARED_MS, Run, order,
};
use crate::clock::{NS_PER_S, Timestamp};
use crate::fleet::{Clocks, Fault, FleetError, Latency, Trouble};
use crate::random;
use crate::record::Measured;
use crate::scheme::{FieldKind, Scheme, Visitor};
use crate::theory::disorder::inversions_of_offsets;

/// Inversions by the closed form.
pub const INVERSIONS_EXPECTED: Measured = Measured {
    name: "inversions_expected_per_row",
    unit: "pairs",
    about: "pairs out of order, a row, by the closed form (rate/2) E|A - A'| of the writers' offsets A: ids that say the time exactly, committed at once",
};

/// Time without ids by a step.
pub const UNAVAILABLE_PER_STEP_MS: Measured = Measured {
    name: "unavailable_per_step_ms",
    unit: "ms",
    about: "time in which a writer had no id to give, a step back of its clock",
};

/// Calls refused by a step.
pub const REFUSED_PER_STEP: Measured = Measured {
    name: "refused_calls_per_step",
    unit: "calls",
    about: "calls that got no id, a step back of a writer's clock",
};

/// Duplicates by a step.
pub const DUPLICATES_PER_STEP: Measured = Measured {
    name: "duplicate_ids_per_step",
    unit: "ids",
    about: "ids that an earlier row has, a step back of a writer's clock",
};

/// What is made worse.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sweep {
    /// The standard deviation of the writers' constant clock offsets.
    Skew,
    /// The size of one step back of each writer's clock.
    Step,
    /// The length of one pause of writer 0, which has a leased number.
    Pause,
}

/// Digits times powers of ten, and the power that ends them.
fn decades(powers: std::ops::Range<u32>, digits: &[u64]) -> Vec<u64> {
    let last = 10_u64.pow(powers.end);
    let values = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10_u64.pow(power)));
    values.chain([last]).collect()
}

impl Sweep {
    /// The values that are tried, in nanoseconds, ascending: skews of 1 µs to 1 s, steps of
    /// 1 ms to 10 s, pauses of 0.1 s to 2 min.
    pub fn ladder_ns(self) -> Vec<u64> {
        const PAUSES_MS: [u64; 13] = [
            100, 500, 1_000, 5_000, 8_000, 10_000, 12_000, 15_000, 18_000, 20_000, 30_000, 60_000,
            120_000,
        ];
        match self {
            Sweep::Skew => decades(3..9, &[1, 2, 5]),
            Sweep::Step => decades(6..10, &[1, 2, 5]),
            Sweep::Pause => PAUSES_MS.map(|ms| ms * 1_000_000).to_vec(),
        }
    }

    /// `base` by a seed, with a skew, step or pause of `size_ns`. Steps and pauses come in the
    /// middle of its length, at random within half a second or (pauses) 5 s but no more than a quarter of it, and make the
    /// run so much longer; a step comes so much later too.
    pub fn plan(self, base: &FleetPlan, size_ns: u64, seed: u64) -> FleetPlan {
        let mut plan = base.clone();
        plan.spec.seed = seed;
        let start = plan.spec.start;
        let moment = |writer: u32, within_ns: u64| {
            let mut random = random::stream(seed, "sweep.moment", writer.into());
            let past = random::unit(&mut random) * within_ns.min(base.length_ns / 4) as f64;
            start.later(base.length_ns / 2).later(past as u64)
        };
        let faults = &mut plan.spec.conduct.faults;
        let mut fault = |at: Timestamp, writer, trouble| {
            faults.push(Fault {
                at,
                writer,
                trouble,
            })
        };
        match self {
            Sweep::Skew => plan.spec.clocks = Clocks::Offset { sd_ns: size_ns },
            Sweep::Step => {
                let by_ns = i64::try_from(size_ns).unwrap_or(i64::MAX);
                for writer in 0..base.spec.writers {
                    let trouble = Trouble::Step { by_ns: -by_ns };
                    // There is a past as long as the step, to go back to.
                    let at = moment(writer, NS_PER_S / 2).later(size_ns);
                    fault(at, writer, trouble);
                }
                plan.length_ns += 2 * size_ns;
            }
            Sweep::Pause => {
                // The others come too late for the number that writer 0 takes.
                for writer in 1..base.spec.writers {
                    fault(start, writer, Trouble::Partition { for_ns: NS_PER_S });
                }
                fault(
                    moment(0, 5 * NS_PER_S),
                    0,
                    Trouble::Pause { for_ns: size_ns },
                );
                plan.length_ns += size_ns;
            }
        }
        faults.sort_unstable();
        plan
    }
}

/// A [`Visitor`] that runs a plan of a sweep and says what the sweep is about.
#[derive(Debug)]
pub struct MeasureSweep<'a> {
    /// The sweep.
    pub sweep: Sweep,
    /// The plan that [`Sweep::plan`] made.
    pub plan: &'a FleetPlan,
}

impl Visitor for MeasureSweep<'_> {
    type Output = Result<Vec<(&'static Measured, f64)>, FleetError>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        let fields = scheme.fields();
        let says_time = fields
            .iter()
            .any(|field| field.kind == FieldKind::Timestamp);
        // Ties within a tick are the form's to ignore only where clocks are further apart.
        let tick_ns = scheme.limits().tick_ns;
        let exact = match self.plan.spec.clocks {
            Clocks::Offset { sd_ns } => tick_ns.is_some_and(|tick_ns| tick_ns <= sd_ns),
            Clocks::Model(_) => false,
        };
        let Run { seen, bill } = self.plan.run(scheme)?;
        let order = order(&seen);
        let spec = &self.plan.spec;
        let a_step = |value: f64| value / f64::from(spec.writers);
        Ok(match self.sweep {
            Sweep::Skew => {
                let rows = seen.len().max(1) as f64;
                let mut found: Vec<(&'static Measured, f64)> = vec![
                    (&INVERSIONS_PER_ROW, order.inversions as f64 / rows),
                    (&DISPLACEMENT_P50, order.displacement_p50 as f64),
                    (&DISPLACEMENT_P99, order.displacement_p99 as f64),
                    (&DISPLACEMENT_MAX, order.displacement_max as f64),
                    (&K_SORTED_ROWS, order.radius as f64),
                ];
                if let Some(offsets_ns) = spec.offsets_ns()
                    && says_time
                    && exact
                    && spec.latency == Latency::None
                {
                    let expected = inversions_of_offsets(spec.rate as f64, &offsets_ns);
                    found.push((&INVERSIONS_EXPECTED, expected));
                }
                found
            }
            Sweep::Step => vec![
                (
                    &UNAVAILABLE_PER_STEP_MS,
                    a_step(bill.outages.total_ns as f64 / 1e6),
                ),
                (&REFUSED_PER_STEP, a_step(bill.refused() as f64)),
                (&DUPLICATES_PER_STEP, a_step(order.duplicates as f64)),
            ],
            Sweep::Pause => {
                let tally = bill.numbers.unwrap_or_default();
                vec![
                    (&FLEET_DUPLICATES, order.duplicates as f64),
                    (&NUMBERS_SHARED_MS, tally.double_ns as f64 / 1e6),
                    (&NUMBERS_LOST, tally.lost as f64),
                ]
            }
        })
    }
}

#[cfg(test)]
mod tests;
