//! When and where ranges are split.

use super::super::range::{Range, Watch};
use super::super::{Event, Load, Parts, Refusal, Size, SizeLimit, SizePoint};
use super::{Cluster, prefix};
use crate::clock::NS_PER_S;
use crate::random;

/// Bytes a second from which FoundationDB's finder has anything to tell: a part of a cut gets so many.
const QUANTILE_FROM_BYTES_PER_S: u64 = 250_000;
/// Seconds in which refusals of the online finder count once.
const REFUSAL_PAUSE_S: u32 = 60;
/// Seconds in which refusals of FoundationDB's finder count once.
const QUANTILE_PAUSE_S: u64 = 120;

/// What made a store split a range.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cause {
    Size,
    Load,
    Move,
}

impl Watch {
    #[inline]
    pub fn see(&mut self, key: u128, now_s: u64, row_bytes: u64, random: &mut impl rand::Rng) {
        match self {
            Watch::Online { finder, .. } => finder.record(key, key, random),
            Watch::Quantile(finder) => finder.record(now_s * NS_PER_S, key, row_bytes, random),
        }
    }

    fn outlives_a_split(&self) -> bool {
        matches!(self, Watch::Quantile(_))
    }

    /// What the right part of a split at `key` goes on with.
    fn split_off(&mut self, key: u128) -> Option<Self> {
        match self {
            Watch::Online { .. } => None,
            Watch::Quantile(finder) => Some(Watch::Quantile(Box::new(finder.split_off(key)))),
        }
    }
}

impl Cluster {
    /// Bytes above which a range is split for its size.
    pub(super) fn limit_bytes(&self, range: &Range) -> u64 {
        let on_node = || {
            let leader = range.replicas[0];
            let led = self.living().filter(|other| other.replicas[0] == leader);
            led.count() as u64
        };
        match self.setup.store.size.above {
            SizeLimit::Never => u64::MAX,
            SizeLimit::Bytes(bytes) => bytes,
            SizeLimit::Stepping(first, later) => match on_node() {
                1 => first,
                _ => later,
            },
            SizeLimit::UpperBound(base, most) => match on_node() {
                ranges @ 1..=100 => most.min(base * ranges.pow(3)),
                _ => most,
            },
            SizeLimit::Steps(steps) => {
                let ranges = self.order.len() as u32;
                let mut steps = steps.iter();
                let step = steps.find(|(below, _)| ranges / self.setup.nodes < *below);
                step.map_or(u64::MAX, |(_, bytes)| *bytes)
            }
            SizeLimit::FoundationDb => {
                let all_bytes = self.bytes(self.totals.rows);
                500_000_000.min(4 * (10_000_000 + 45 * all_bytes.isqrt()))
            }
        }
    }

    /// Rows at which a range's size is looked at with the write.
    pub(super) fn look_rows(&self) -> u64 {
        match self.setup.store.size {
            Size {
                above: SizeLimit::Bytes(bytes),
                check_s: 0,
                ..
            } => bytes / u64::from(self.setup.row_bytes) + 1,
            _ => u64::MAX,
        }
    }

    /// Splits a range if it is too large; returns whether it did.
    #[cold]
    pub(super) fn look_at_size(&mut self, number: u32) -> bool {
        let rows = self.ranges[number as usize].rows;
        let size_bytes = self.size_bytes(rows);
        // Counting a node's ranges takes time, and is in vain for a small one.
        if self
            .setup
            .store
            .least_range_bytes()
            .is_none_or(|least| size_bytes <= least)
        {
            return false;
        }
        let limit_bytes = self.limit_bytes(&self.ranges[number as usize]);
        if size_bytes <= limit_bytes {
            return false;
        }
        let cuts = self.size_cuts(number, limit_bytes);
        if cuts.is_empty() {
            // Looked at again when it has grown by an eighth.
            let range = &mut self.ranges[number as usize];
            range.look_rows = range.rows + (range.rows / 8).max(1);
            self.refuse(Refusal::SingleKey);
            return false;
        }
        self.split(number, &cuts, Cause::Size);
        true
    }

    /// The size of so many rows as the store counts it.
    fn size_bytes(&self, rows: u64) -> u64 {
        let by_rows = match self.setup.store.size.rows_per_mib {
            0 => 0,
            rows_per_mib => (rows << 20) / u64::from(rows_per_mib),
        };
        self.bytes(rows).max(by_rows)
    }

    /// Looks at the sizes of the ranges that have grown.
    pub(super) fn look_at_sizes(&mut self) {
        let Size {
            growth_bytes,
            splits,
            ..
        } = self.setup.store.size;
        let mut numbers = self.order.clone();
        if splits < u32::MAX {
            numbers.sort_by_key(|&number| std::cmp::Reverse(self.ranges[number as usize].rows));
        }
        let mut done = 0;
        for number in numbers {
            let range = &self.ranges[number as usize];
            let grown = range.rows.saturating_sub(range.looked_rows);
            if self.size_bytes(grown) < growth_bytes {
                continue;
            }
            self.ranges[number as usize].looked_rows = range.rows;
            done += u32::from(self.look_at_size(number));
            if done >= splits {
                break;
            }
        }
    }

    /// Rows to the left of each cut by size, from the left.
    fn size_targets(&mut self, rows: u64, limit_bytes: u64) -> Vec<u64> {
        let row_bytes = u64::from(self.setup.row_bytes);
        match self.setup.store.size.point {
            SizePoint::Half => vec![rows / 2],
            SizePoint::LeftPercent(percent) => vec![rows * u64::from(percent) / 100],
            SizePoint::Tail => vec![rows],
            SizePoint::Fill(bytes) => {
                let by_rows = match self.setup.store.size.rows_per_mib {
                    0 => u64::MAX,
                    rows_per_mib => (bytes * u64::from(rows_per_mib)) >> 20,
                };
                let part = (bytes / row_bytes).min(by_rows).max(1);
                let targets = (1..=10).map(|i| i * part);
                let mut targets: Vec<_> = targets.take_while(|&target| target < rows).collect();
                if targets.last().is_some_and(|&last| 2 * (rows - last) < part) {
                    targets.pop();
                }
                targets
            }
            SizePoint::EqualParts => {
                let parts = (rows * row_bytes).div_ceil(limit_bytes / 2).max(2);
                let jitter = rows / parts / 20;
                let mut target = |i: u64| {
                    let draw = random::below(&mut self.random, (2 * jitter + 1) as u32);
                    (rows * i / parts + u64::from(draw)).saturating_sub(jitter)
                };
                (1..parts).map(&mut target).collect()
            }
        }
    }

    /// Where a range is cut for its size, and the rows to the left of each cut.
    fn size_cuts(&mut self, number: u32, limit_bytes: u64) -> Vec<(u128, u64)> {
        let rows = self.ranges[number as usize].rows;
        let targets = self.size_targets(rows, limit_bytes);
        self.cuts_at(number, &targets)
    }

    /// The keys with about so many rows to the left of each, and how many that are.
    pub(super) fn cuts_at(&self, number: u32, targets: &[u64]) -> Vec<(u128, u64)> {
        let at = self.place(number);
        let low = self.lows[at];
        let high = self.lows.get(at + 1).copied().unwrap_or(u128::MAX);
        let range = &self.ranges[number as usize];
        let (keys, stride) = (range.sample.sorted(), range.sample.stride());
        let mut cuts: Vec<(u128, u64)> = Vec::new();
        for &target in targets {
            let index = ((target + stride / 2) / stride) as usize;
            let cut = match keys.get(index) {
                Some(&key) if target < range.rows => (key, index as u64 * stride),
                // Behind the last row.
                _ => (
                    keys.last().copied().unwrap_or(low).saturating_add(1),
                    range.rows,
                ),
            };
            // A part without rows is none, nor is one without keys.
            if cut.1 > 0 && cut.0 < high && cut.0 > cuts.last().map_or(low, |cut| cut.0) {
                cuts.push(cut);
            }
        }
        cuts
    }

    /// Looks at the load of the ranges that were written in the last second.
    pub(super) fn look_at_load(&mut self, touched: &[u32]) {
        match self.setup.store.load {
            Load::Never => {}
            Load::Online { .. } => {
                for &number in touched {
                    self.look_at_requests(number);
                }
            }
            Load::Quantile => {
                for &number in touched {
                    self.look_at_bytes(number);
                }
            }
        }
    }

    fn look_at_requests(&mut self, number: u32) {
        let Load::Online {
            requests_per_s,
            request_bytes,
            watch_s,
            pause_s,
        } = self.setup.store.load
        else {
            return;
        };
        let now_s = self.now_s;
        let range = &mut self.ranges[number as usize];
        let requests = range
            .second
            .saturating_mul(self.setup.row_bytes.div_ceil(request_bytes));
        if requests < requests_per_s {
            range.watch = None;
            return;
        }
        let Some(Watch::Online { finder, since_s }) = range.watch.as_ref() else {
            range.watch = Some(Watch::Online {
                finder: Box::default(),
                since_s: now_s,
            });
            return;
        };
        if now_s - since_s < u64::from(watch_s) {
            return;
        }
        let within = |then: Option<u64>, s: u32| then.is_some_and(|then| now_s - then < s.into());
        let found = match within(range.load_split_s, pause_s) {
            true => Err(Refusal::Cooldown),
            false => finder.decide(),
        };
        let refused = within(range.refused_s, REFUSAL_PAUSE_S);
        match found {
            Ok(key) if key > self.lows[self.place(number)] => {
                let left = self.rows_left_of(number, key);
                self.split(number, &[(key, left)], Cause::Load);
            }
            found if !refused => {
                self.ranges[number as usize].refused_s = Some(now_s);
                self.refuse(found.err().unwrap_or(Refusal::SingleKey));
            }
            _ => {}
        }
    }

    fn look_at_bytes(&mut self, number: u32) {
        let row_bytes = u64::from(self.setup.row_bytes);
        let now_s = self.now_s;
        let range = &mut self.ranges[number as usize];
        let Some(Watch::Quantile(finder)) = range.watch.as_mut() else {
            if u64::from(range.second) * row_bytes >= QUANTILE_FROM_BYTES_PER_S {
                range.watch = Some(Watch::Quantile(Box::default()));
            }
            return;
        };
        finder.expire(now_s * NS_PER_S);
        let rate = finder.rate_bytes_per_s();
        let range = &self.ranges[number as usize];
        let Some(Watch::Quantile(finder)) = range.watch.as_ref() else {
            return;
        };
        let bytes_from = |key| self.bytes(range.rows - self.rows_left_of(number, key));
        match finder.cuts(rate, bytes_from) {
            Ok(keys) => {
                let low = self.lows[self.place(number)];
                let cut = |&key: &u128| (key, self.rows_left_of(number, key));
                let cuts: Vec<_> = keys.iter().filter(|&&key| key > low).map(cut).collect();
                if !cuts.is_empty() {
                    self.split(number, &cuts, Cause::Load);
                }
            }
            Err(refusal) => {
                let then = range.refused_s;
                if then.is_none_or(|then| now_s - then >= QUANTILE_PAUSE_S) {
                    self.ranges[number as usize].refused_s = Some(now_s);
                    self.refuse(refusal);
                }
            }
        }
    }

    /// About how many rows of a range lie left of `key`.
    fn rows_left_of(&self, number: u32, key: u128) -> u64 {
        let range = &self.ranges[number as usize];
        let keys = range.sample.sorted();
        let left = keys.partition_point(|&other| other < key) as u64;
        (left * range.sample.stride()).min(range.rows)
    }

    /// Splits a range at keys, each with the rows to the left of it, from the left. The
    /// leftmost part keeps the number.
    pub(super) fn split(&mut self, number: u32, cuts: &[(u128, u64)], cause: Cause) {
        let now_s = self.now_s;
        self.last = (1, 1, 0);
        let at = self.place(number);
        let mut parts = vec![number];
        for &(key, left_rows) in cuts.iter().rev() {
            let left = &mut self.ranges[number as usize];
            let mut right = Range::new(left.replicas, now_s);
            right.rows = left.rows - left_rows.min(left.rows);
            left.rows -= right.rows;
            right.sample = left.sample.split_off(key);
            right.written_s = left.written_s;
            // What was written is remembered by key; the online finder begins anew.
            let watch = left.watch.as_mut();
            right.watch = watch.and_then(|watch| watch.split_off(key));
            let new = self.add(right);
            self.lows.insert(at + 1, key);
            self.prefixes.insert(at + 1, prefix(key));
            self.order.insert(at + 1, new);
            parts.push(new);
            let by_load = cause == Cause::Load;
            self.note(Event::Split { key, by_load });
        }
        let splits = match cause {
            Cause::Size => &mut self.totals.splits_by_size,
            Cause::Load => &mut self.totals.splits_by_load,
            Cause::Move => &mut self.totals.splits_to_move,
        };
        *splits += cuts.len() as u64;
        self.share_load(&parts);
        let look_rows = self.look_rows();
        for &part in &parts {
            let range = &mut self.ranges[part as usize];
            range.split_s = now_s;
            range.watch = range.watch.take().filter(Watch::outlives_a_split);
            range.look_rows = look_rows;
            range.looked_rows = range.rows;
            if cause == Cause::Load {
                range.load_split_s = Some(now_s);
            }
        }
        if cause == Cause::Move {
            return;
        }
        self.totals.first_split_s.get_or_insert(now_s);
        match self.setup.store.parts {
            Parts::Stay | Parts::StayRightOld => {}
            // The first of the new parts is the rightmost.
            Parts::RightMoves => self.send_away(parts[1]),
            Parts::OneStays => {
                let stays = random::below(&mut self.random, parts.len() as u32) as usize;
                parts.remove(stays);
                parts.into_iter().for_each(|part| self.send_away(part));
            }
        }
    }

    /// Gives the parts of a range, the leftmost of which has all of them, the writes of the last
    /// minute, by which they are moved before another is over.
    fn share_load(&mut self, parts: &[u32]) {
        let all = std::mem::take(&mut self.ranges[parts[0] as usize].tens);
        let (heirs, of) = match (self.setup.store.parts, parts) {
            (Parts::StayRightOld, [_, right, ..]) => (std::slice::from_ref(right), 1),
            _ => (parts, parts.len() as u32),
        };
        for (i, &heir) in (0..).zip(heirs) {
            self.ranges[heir as usize].tens = all.map(|rows| rows / of + u32::from(i < rows % of));
        }
    }

    fn add(&mut self, range: Range) -> u32 {
        match self.free.pop() {
            Some(number) => {
                self.ranges[number as usize] = range;
                number
            }
            None => {
                self.ranges.push(range);
                self.ranges.len() as u32 - 1
            }
        }
    }
}
