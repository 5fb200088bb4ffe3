//! What a bit position looks like: constant, clock, counter, random.
//!
//! Only counts of single positions and of neighbouring ones are used, so a class says what a
//! bit does, not what its makers mean by it: a clock that ticks once an id is a counter, and
//! its bits far below the time between two ids are random.

use super::tally::Tally;
use crate::theory::tails::normal_bound;

/// What a bit does as ids arrive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Class {
    /// The same in all ids.
    Constant,
    /// Changes rarely, when the bits below it carry, or upwards where no higher bit changes: follows
    /// the order of arrival.
    Clock,
    /// Changes with each id, or when the bits below it carry.
    Counter,
    /// Cannot be told from tosses of a fair coin.
    Random,
    /// None of these, or of too few ids to tell.
    Varied,
}

impl Class {
    /// All, in the order of tables.
    pub const ALL: [Self; 5] = [
        Self::Constant,
        Self::Clock,
        Self::Counter,
        Self::Random,
        Self::Varied,
    ];

    /// Name in records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constant => "constant",
            Self::Clock => "clock",
            Self::Counter => "counter",
            Self::Random => "random",
            Self::Varied => "varied",
        }
    }
}

/// Lists in which chance alone makes any of the tests of a list's bits exceed the bound.
pub(super) const FALSE_ALARMS: f64 = 1e-3;
/// Tests a bit: its share of ones, its changes, its carries.
const TESTS: usize = 3;
/// Below so many ids no test could exceed the bound.
pub(super) const LEAST_IDS: u64 = 32;
/// A counter's lowest bit changes at least this often.
const COUNTS: f64 = 0.75;

/// A number of ids against what chance makes of it.
pub(in crate::inspect) struct Odds {
    mean: f64,
    deviation: f64,
}

impl Odds {
    /// Heads of `tosses` of a fair coin.
    pub fn coin(tosses: u64) -> Self {
        let tosses = tosses as f64;
        Self {
            mean: tosses / 2.0,
            deviation: libm::sqrt(tosses) / 2.0,
        }
    }

    /// Changes in a random order of `ones` and `zeros` (Wald and Wolfowitz 1940).
    fn order(ones: u64, zeros: u64) -> Self {
        let all = (ones + zeros) as f64;
        let twice = 2.0 * ones as f64 * zeros as f64;
        let variance = twice * (twice - all) / (all * all * (all - 1.0));
        Self {
            mean: twice / all,
            deviation: libm::sqrt(variance.max(0.0)),
        }
    }

    /// Places that two random choices, of `a` and of `b` among `all` places, have in common.
    fn overlap(a: u64, b: u64, all: u64) -> Self {
        let (a, b, all) = (a as f64, b as f64, all as f64);
        let variance = a * b * (all - a) * (all - b) / (all * all * (all - 1.0));
        Self {
            mean: a * b / all,
            deviation: libm::sqrt(variance.max(0.0)),
        }
    }

    /// Standard deviations between `found` and the mean; 0 if there is no deviation.
    pub fn z(&self, found: u64) -> f64 {
        let off = found as f64 - self.mean;
        if self.deviation > 0.0 {
            off / self.deviation
        } else {
            0.0
        }
    }

    /// The same, half an id nearer to 0: counts are whole, the normal distribution is not.
    pub fn corrected(&self, found: u64) -> f64 {
        let off = found as f64 - self.mean;
        if self.deviation > 0.0 {
            (off.abs() - 0.5).max(0.0).copysign(off) / self.deviation
        } else {
            0.0
        }
    }
}

/// The z of a bit's changes, given its ones.
pub(super) fn changes(ids: u64, tally: &Tally) -> Odds {
    Odds::order(tally.ones, ids - tally.ones)
}

/// What |z| exceeds by chance in fewer than [`FALSE_ALARMS`] of all lists of these many
/// bits that vary.
pub(super) fn bound(varying: usize) -> f64 {
    normal_bound(FALSE_ALARMS / (TESTS * varying.max(1)) as f64)
}

/// The class of each bit, most significant first.
pub(super) fn classes(ids: u64, tallies: &[Tally]) -> Vec<Class> {
    let varies = |tally: &Tally| tally.changes > 0;
    let bound = bound(tallies.iter().filter(|tally| varies(tally)).count());
    let mut classes: Vec<Class> = tallies
        .iter()
        .map(|tally| match tally {
            tally if !varies(tally) => Class::Constant,
            _ if ids < LEAST_IDS => Class::Varied,
            tally if Odds::coin(ids).corrected(tally.ones).abs() > bound => Class::Varied,
            tally if changes(ids, tally).corrected(tally.changes).abs() > bound => Class::Varied,
            _ => Class::Random,
        })
        .collect();
    if ids < LEAST_IDS {
        return classes;
    }
    let list = List {
        ids,
        tallies,
        bound,
    };
    let mut first = 0;
    while first < tallies.len() {
        let links = (first..tallies.len() - 1).take_while(|&upper| list.link(upper).is_some());
        let last = first + links.count();
        if let Some(class) = list.of_run(first, last, &classes) {
            classes[first..=last].fill(class);
            if class == Class::Clock {
                list.extend(first, last, &mut classes);
            }
        }
        first = last + 1;
    }
    classes
}

/// Which way two neighbouring bits carry.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Link {
    Up,
    /// As in numbers whose bits are reversed.
    Down,
}

struct List<'a> {
    ids: u64,
    tallies: &'a [Tally],
    bound: f64,
}

impl List<'_> {
    /// Whether the bit `upper` and the next lower one carry.
    fn link(&self, upper: usize) -> Option<Link> {
        let (upper, lower) = (&self.tallies[upper], &self.tallies[upper + 1]);
        let together = |moves: u64, falls: u64, both: u64| {
            let odds = Odds::overlap(moves, falls, self.ids - 1);
            3 * both > 2 * moves && odds.corrected(both) > self.bound
        };
        // Bits of a few workers go opposite ways as often in one direction as in the other, and
        // change equally often.
        let halves = |slow: &Tally, fast: &Tally| 4 * slow.changes <= 3 * fast.changes;
        let up = halves(upper, lower) || upper.carries > 2 * upper.reversed;
        let down = halves(lower, upper) || upper.reversed > 2 * upper.carries;
        let carries = match upper.rises() {
            // It falls when a bit above it carries, and the one below it then falls too.
            0 => together(upper.changes, lower.falls(), upper.passed),
            rises => together(rises, lower.falls(), upper.carries),
        };
        if carries && up {
            Some(Link::Up)
        } else if down && together(lower.rises(), upper.falls(), upper.reversed) {
            Some(Link::Down)
        } else {
            None
        }
    }

    /// The class of the bits `first` to `last`, which are linked, or one that is not.
    fn of_run(&self, first: usize, last: usize, classes: &[Class]) -> Option<Class> {
        let links: Vec<_> = (first..last).filter_map(|upper| self.link(upper)).collect();
        let reversed = 2 * links.iter().filter(|link| **link == Link::Down).count() > links.len();
        let lowest = &self.tallies[if reversed { first } else { last }];
        let rate = self.rate(lowest);
        if first == last {
            let is_top = classes[..first].iter().all(|c| *c == Class::Constant);
            // Once, or from 0 to 1 with nothing above it.
            let goes_on = lowest.changes == 1 || is_top && !lowest.first && lowest.last;
            return match classes[first] {
                Class::Varied if rate >= COUNTS => Some(Class::Counter),
                Class::Varied if goes_on && self.is_slow(first) => Some(Class::Clock),
                _ => None,
            };
        }
        // A counter that begins anew falls without a carry, and is low more often than high.
        let falls = self.tallies[first + 1..=last].iter().map(Tally::falls);
        let passed = self.tallies[first..last].iter().map(|tally| tally.passed);
        let resets = 4 * passed.sum::<u64>() < 3 * falls.sum::<u64>();
        let is_low = 20 * lowest.ones < 9 * self.ids;
        // Of short lists the carries out of a counter's lowest bit may be too few to tell.
        let next = self
            .tallies
            .get(last + 1)
            .map_or(0.0, |tally| self.rate(tally));
        let counts = reversed || rate.max(next) >= COUNTS || resets && is_low;
        Some(if counts { Class::Counter } else { Class::Clock })
    }

    /// Share of ids that differ in a bit from the one before.
    fn rate(&self, tally: &Tally) -> f64 {
        tally.changes as f64 / (self.ids - 1) as f64
    }

    /// Whether the bit keeps its value for longer than chance would let it.
    fn is_slow(&self, bit: usize) -> bool {
        let tally = &self.tallies[bit];
        changes(self.ids, tally).corrected(tally.changes) < -self.bound
    }

    /// Whether ids that agree in all higher bits go up at this one, rather than down.
    fn goes_up(&self, bit: usize) -> bool {
        let Tally { up, down, .. } = self.tallies[bit];
        up > down && Odds::coin(up + down).corrected(up) > self.bound
    }

    /// Counts bits beside a clock's as its own where carries do not show that they are: the lower
    /// ones of ids that come seldom, or out of order. Either ids go up at a bit, or it is slow, and
    /// changes more often than the one above it, up to as chance has it; bits that rest as often
    /// as each other are no clock's.
    fn extend(&self, first: usize, last: usize, classes: &mut [Class]) {
        let rate = |bit: usize| {
            let tally = &self.tallies[bit];
            tally.changes as f64 / changes(self.ids, tally).mean
        };
        let faster = |bit: usize, than: usize| {
            let (rate, than) = (rate(bit), rate(than));
            rate > 1.25 * than || 1.0 - rate < 0.8 * (1.0 - than)
        };
        let mut take = |bit: usize, is_next: bool| {
            let is_own = match classes[bit] {
                Class::Varied if self.rate(&self.tallies[bit]) >= COUNTS => false,
                Class::Varied => self.goes_up(bit) || is_next && self.is_slow(bit),
                Class::Random => self.goes_up(bit),
                _ => false,
            };
            if is_own {
                classes[bit] = Class::Clock;
            }
            is_own
        };
        let _ = (last + 1..self.tallies.len()).all(|bit| take(bit, faster(bit, bit - 1)));
        let _ = (0..first).rev().all(|bit| take(bit, faster(bit + 1, bit)));
    }
}
