//! Timelines: one minute of a run, row by row, when something goes wrong.

use super::super::Rows;
use super::FleetPlan;
use crate::clock::{NS_PER_S, Timestamp};
use crate::fleet::{Event, FleetError, Trouble};
use crate::id::Id;
use crate::record::{Measured, Number};
use crate::scheme::{FieldKind, Scheme, Visitor};
use std::collections::BTreeMap;

/// Rows of a minute.
pub const TIMELINE_LEAD_MS: Measured = Measured {
    name: "timeline_lead_ms",
    unit: "ms",
    about: "time that an id says less true time of minting, by that time in ns since the start (x), of rows of one minute (params writer, kind: row, waited, duplicate); the least and most of short stretches",
};

/// Refusals of a minute.
pub const TIMELINE_REFUSED: Measured = Measured {
    name: "timeline_refused_calls",
    unit: "calls",
    about: "calls refused in a quarter of a second, by its start in ns since the start (x), of one minute (param writer)",
};

/// Length of a timeline.
pub(super) const LENGTH_NS: u64 = 60 * NS_PER_S;
/// How often a run is looked at for steps back.
const LOOKS: u64 = 4096;
/// Stretches in which refusals are counted.
const REFUSED_STRETCHES: u64 = 240;
/// The most points of a timeline.
pub(super) const MOST_POINTS: usize = 4000;
/// The most writers of a timeline.
pub(super) const MOST_WRITERS: usize = 16;
/// Leads that differ by less than the range of all over this are the same to the eye.
const FLAT: u64 = 300;
/// Calls that wait less are not marked: a tick whose ids are used up is no trouble.
const LEAST_WAIT_NS: u64 = 10_000_000;

/// A [`Visitor`] that says when, in nanoseconds since the start, something first goes wrong: a clock goes
/// back (to a 4096th of the run), a process stops, or a call is refused. `None`: never.
#[derive(Debug)]
pub struct FirstTrouble<'a>(pub &'a FleetPlan);

impl Visitor for FirstTrouble<'_> {
    type Output = Result<Option<u64>, FleetError>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        let spec = &self.0.spec;
        let end = spec.start.later(self.0.length_ns);
        let faults = spec.conduct.faults.iter().filter(|fault| {
            let of_process = !matches!(
                fault.trouble,
                Trouble::Partition { .. } | Trouble::Outage { .. }
            );
            of_process && fault.writer < spec.writers && fault.at < end
        });
        let known = faults.map(|fault| fault.at).min();
        let mut fleet = self.0.open(scheme)?;
        let until = known.unwrap_or(end);
        // Steps are counted now and then: it takes a look at every writer.
        let every_ns = (self.0.length_ns / LOOKS).max(1);
        let mut looked = spec.start;
        while let Some(event) = fleet.event_before(until)? {
            let at = match event {
                Event::Row(issued) => issued.minted,
                Event::Refused(refused) => return Ok(Some(since(spec.start, refused.at))),
            };
            if at >= looked.later(every_ns) {
                if fleet.steps_back() > 0 {
                    return Ok(Some(since(spec.start, looked)));
                }
                looked = at;
            }
        }
        if fleet.steps_back() > 0 {
            return Ok(Some(since(spec.start, looked)));
        }
        Ok(known.map(|at| since(spec.start, at)))
    }
}

/// A [`Visitor`] that runs a plan up to the end of a minute and writes the rows of its timeline;
/// nothing if ids say no time.
#[derive(Debug)]
pub struct MeasureTimeline<'a> {
    /// The plan.
    pub plan: &'a FleetPlan,
    /// Where the minute begins, in nanoseconds since the start.
    pub from_ns: u64,
    /// What receives the numbers.
    pub rows: &'a mut Rows,
}

/// What became of a call that got an id, the worse the later.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Kind {
    Row,
    Waited,
    Duplicate,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Row => "row",
            Kind::Waited => "waited",
            Kind::Duplicate => "duplicate",
        }
    }
}

/// A row of a timeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Point {
    pub(super) kind: Kind,
    pub(super) writer: u32,
    /// True time of minting since the start.
    pub(super) at_ns: u64,
    /// Time of the id less true time.
    pub(super) lead_ns: i64,
}

impl Visitor for MeasureTimeline<'_> {
    type Output = Result<(), FleetError>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        let fields = scheme.fields();
        if !fields
            .iter()
            .any(|field| field.kind == FieldKind::Timestamp)
        {
            return Ok(());
        }
        let start = self.plan.spec.start;
        let window = self.from_ns..self.from_ns.saturating_add(LENGTH_NS);
        let end = start.later(window.end.min(self.plan.length_ns));
        let mut fleet = self.plan.open(scheme)?;
        let mut minted = Vec::new();
        let mut refused: BTreeMap<(u32, u64), u64> = BTreeMap::new();
        while let Some(event) = fleet.event_before(end)? {
            match event {
                Event::Row(issued) => {
                    let said = fleet.scheme().timestamp(issued.id).unwrap_or(issued.minted);
                    let point = Point {
                        kind: match issued.minted.0 - issued.asked.0 >= LEAST_WAIT_NS {
                            true => Kind::Waited,
                            false => Kind::Row,
                        },
                        writer: issued.writer,
                        at_ns: issued.minted.0 - start.0,
                        lead_ns: said.0.cast_signed() - issued.minted.0.cast_signed(),
                    };
                    minted.push((issued.id.key(), point));
                }
                Event::Refused(call) => {
                    let past_ns = since(start, call.at);
                    if window.contains(&past_ns) {
                        let stretch_ns = LENGTH_NS / REFUSED_STRETCHES;
                        let stretch = (past_ns - window.start) / stretch_ns;
                        let at_ns = window.start + stretch * stretch_ns;
                        *refused.entry((call.writer, at_ns)).or_default() += 1;
                    }
                }
            }
        }
        // Of equal ids the one minted first is no duplicate.
        minted.sort_unstable_by_key(|(key, point)| (*key, point.at_ns, point.writer));
        for place in 1..minted.len() {
            if minted[place].0 == minted[place - 1].0 {
                minted[place].1.kind = Kind::Duplicate;
            }
        }
        let points = minted.into_iter().map(|(_, point)| point);
        let points: Vec<Point> = points
            .filter(|point| window.contains(&point.at_ns))
            .collect();
        let shown = writers(&points, &refused);
        let kept = |writer: &u32| shown.binary_search(writer).is_ok();
        let points = points.into_iter().filter(|point| kept(&point.writer));
        for point in thinned(points.collect(), window.start) {
            let x = Number::Whole(point.at_ns);
            let lead_ms = Number::Real(point.lead_ns as f64 / 1e6);
            let params = [
                ("writer", point.writer.into()),
                ("kind", point.kind.name().into()),
            ];
            self.rows.push(&TIMELINE_LEAD_MS, Some(x), lead_ms, &params);
        }
        for ((writer, at_ns), calls) in refused.into_iter().filter(|((writer, _), _)| kept(writer))
        {
            let params = [("writer", writer.into())];
            let x = Number::Whole(at_ns);
            self.rows
                .push(&TIMELINE_REFUSED, Some(x), calls.into(), &params);
        }
        Ok(())
    }
}

fn since(start: Timestamp, at: Timestamp) -> u64 {
    at.0.saturating_sub(start.0)
}

/// The writers that are shown, ascending: those with most trouble, and the first of those with as much.
fn writers(points: &[Point], refused: &BTreeMap<(u32, u64), u64>) -> Vec<u32> {
    let mut trouble: BTreeMap<u32, u64> = BTreeMap::new();
    for point in points {
        *trouble.entry(point.writer).or_default() += u64::from(point.kind != Kind::Row);
    }
    for ((writer, _), calls) in refused {
        *trouble.entry(*writer).or_default() += calls;
    }
    let mut writers: Vec<(u32, u64)> = trouble.into_iter().collect();
    writers.sort_by_key(|(writer, count)| (std::cmp::Reverse(*count), *writer));
    let mut shown: Vec<u32> = writers.into_iter().map(|(writer, _)| writer).collect();
    shown.truncate(MOST_WRITERS);
    shown.sort_unstable();
    shown
}

/// At most [`MOST_POINTS`] of `points`, a writer and kind after the other: the least and the most lead
/// in each of equal stretches of the minute, as short as they can be; where the lead hardly changes, one a second.
pub(super) fn thinned(mut points: Vec<Point>, from_ns: u64) -> Vec<Point> {
    points.sort_unstable();
    let leads = || points.iter().map(|point| point.lead_ns);
    let range = leads().max().unwrap_or(0) - leads().min().unwrap_or(0);
    if points.len() <= MOST_POINTS {
        return points;
    }
    let mut kept: Vec<Point> = Vec::new();
    // Primes: stretches in step with ticks would show ids at a few places of a tick only.
    for stretches in [967, 487, 241, 127, 61, 31, 17] {
        kept.clear();
        let stretch_ns = LENGTH_NS / stretches;
        let cell = |point: &Point| {
            let stretch = (point.at_ns - from_ns) / stretch_ns;
            (point.kind, point.writer, stretch)
        };
        for cell in points.chunk_by(|a, b| cell(a) == cell(b)) {
            let by_lead = |point: &&Point| (point.lead_ns, point.at_ns);
            let least = cell.iter().min_by_key(by_lead);
            let most = cell.iter().max_by_key(by_lead);
            let mut extremes: Vec<Point> = least.into_iter().chain(most).copied().collect();
            extremes.sort_unstable();
            extremes.dedup();
            for point in extremes {
                let same = |last: &&Point| {
                    (last.kind, last.writer) == (point.kind, point.writer)
                        && point.at_ns - last.at_ns < NS_PER_S
                        && point.lead_ns.abs_diff(last.lead_ns) <= range.unsigned_abs() / FLAT
                };
                if kept.last().filter(same).is_none() {
                    kept.push(point);
                }
            }
        }
        if kept.len() <= MOST_POINTS {
            break;
        }
    }
    kept
}

#[cfg(test)]
mod tests;
