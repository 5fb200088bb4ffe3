//! What the ids of a known scheme say: instants and their rate, the values of each field.
//!
//! Memory is bounded: instants are counted in at most [`MOST_SLOTS`] slots of time, which
//! become twice as long when there are more, and values of a field up to [`MOST_VALUES`].

use crate::clock::Timestamp;
use crate::id::{Id, Key};
use crate::scheme::{Field, FieldKind, Scheme};
use std::collections::BTreeMap;

/// Slots of time at most.
pub const MOST_SLOTS: usize = 4096;
/// Values of a field that are counted, unless it has at most `TABLE_BITS`.
pub const MOST_VALUES: usize = 4096;
/// Fields of so many bits have a place for each value.
const TABLE_BITS: u32 = 16;

/// Sees the ids of a scheme.
#[derive(Debug)]
pub struct Facts<S: Scheme> {
    scheme: S,
    ids: u64,
    /// Whether the scheme reads its fields in a way of its own.
    own_way: bool,
    instants: Option<Instants>,
    fields: Vec<FieldFacts>,
}

impl<S: Scheme> Facts<S> {
    /// Has seen nothing yet.
    pub fn new(scheme: S) -> Self {
        let mut shift = S::Id::BITS;
        let fields = scheme.fields().into_iter().map(|field| {
            shift -= field.bits;
            FieldFacts::new(field, shift)
        });
        let fields = fields.collect();
        Self {
            scheme,
            ids: 0,
            own_way: false,
            instants: None,
            fields,
        }
    }

    /// Sees the next ids.
    pub fn see(&mut self, keys: &[<S::Id as Id>::Key]) {
        for &key in keys {
            let id = S::Id::from_key(key);
            // The first ids may look the same in either way, but then they also are.
            if self.ids < 1024 && !self.own_way {
                let plain = self
                    .fields
                    .iter()
                    .map(|field| key.field(field.shift, field.field.bits));
                self.own_way =
                    !plain.eq(self.scheme.decode(id).into_iter().map(|(_, value)| value));
            }
            self.ids += 1;
            if let Some(at) = self.scheme.timestamp(id) {
                match &mut self.instants {
                    Some(instants) => instants.add(at),
                    none => *none = Some(Instants::new(at)),
                }
            }
            if self.own_way {
                let values = self.scheme.decode(id).into_iter();
                self.fields
                    .iter_mut()
                    .zip(values)
                    .for_each(|(field, (_, value))| field.add(value));
            } else {
                for field in &mut self.fields {
                    field.add(key.field(field.shift, field.field.bits));
                }
            }
        }
    }

    /// Ids seen.
    pub fn ids(&self) -> u64 {
        self.ids
    }

    /// The scheme.
    pub fn scheme(&self) -> &S {
        &self.scheme
    }

    /// What the instants say, if the scheme has a clock and ids were seen.
    pub fn instants(&self) -> Option<&Instants> {
        self.instants.as_ref()
    }

    /// What each field says, most significant first.
    pub fn fields(&self) -> &[FieldFacts] {
        &self.fields
    }

    /// Numbers that a scheme without a clock left out between the least and the most of its
    /// counter, if no id is there twice.
    pub fn missing(&self) -> Option<u64> {
        let counter = self
            .fields
            .iter()
            .find(|field| field.field.kind == FieldKind::Counter)?;
        let span = counter.most.checked_sub(counter.least)? + 1;
        let missing = span.saturating_sub(self.ids.into());
        self.instants
            .is_none()
            .then(|| u64::try_from(missing).unwrap_or(u64::MAX))
    }
}

/// When ids were made.
#[derive(Clone, Debug)]
pub struct Instants {
    first: Timestamp,
    last: Timestamp,
    /// The longest time from the last instant so far to a later one.
    gap_ns: u64,
    descents: u64,
    previous: Timestamp,
    /// Slots are 2 to the power of this long, in nanoseconds.
    shift: u32,
    slots: BTreeMap<u64, u64>,
    /// The slot of the id before and what is to be added to it.
    open: (u64, u64),
}

impl Instants {
    fn new(at: Timestamp) -> Self {
        Self {
            first: at,
            last: at,
            gap_ns: 0,
            descents: 0,
            previous: at,
            shift: 0,
            slots: BTreeMap::new(),
            open: (at.0, 1),
        }
    }

    #[inline]
    fn add(&mut self, at: Timestamp) {
        self.descents += u64::from(at < self.previous);
        self.previous = at;
        if at > self.last {
            self.gap_ns = self.gap_ns.max(at.0 - self.last.0);
            self.last = at;
        }
        self.first = self.first.min(at);
        let slot = at.0 >> self.shift;
        if slot == self.open.0 {
            self.open.1 += 1;
        } else {
            self.close(slot);
        }
    }

    /// Counts the open slot and opens another.
    fn close(&mut self, next: u64) {
        *self.slots.entry(self.open.0).or_default() += self.open.1;
        let mut halvings = 0;
        while self.slots.len() > MOST_SLOTS {
            halvings += 1;
            let mut longer = BTreeMap::new();
            for (slot, count) in &self.slots {
                *longer.entry(slot >> 1).or_default() += count;
            }
            self.slots = longer;
        }
        self.shift += halvings;
        self.open = (next >> halvings, 1);
    }

    /// The first instant.
    pub fn first(&self) -> Timestamp {
        self.first
    }

    /// The last instant.
    pub fn last(&self) -> Timestamp {
        self.last
    }

    /// Ids whose instant is before that of the id before them.
    pub fn descents(&self) -> u64 {
        self.descents
    }

    /// Ids by slots of time, in order.
    fn counts(&self) -> BTreeMap<u64, u64> {
        let mut slots = self.slots.clone();
        *slots.entry(self.open.0).or_default() += self.open.1;
        slots
    }

    /// The longest time without an id, in nanoseconds: exact if no instant descends, else at
    /// least so long, by slots that are empty, or as long as the mean time between two.
    pub fn longest_gap_ns(&self) -> u64 {
        if self.descents == 0 {
            return self.gap_ns;
        }
        let counts = self.counts();
        let slots: Vec<_> = counts.keys().collect();
        let empty = slots.windows(2).map(|pair| pair[1] - pair[0] - 1).max();
        let empty_ns = empty.unwrap_or_default() << self.shift;
        let ids: u64 = counts.values().sum();
        let mean_ns = (self.last.0 - self.first.0).div_ceil((ids - 1).max(1));
        empty_ns.max(mean_ns)
    }

    /// Ids in each of `parts` equal parts of the time from first to last; a slot counts where
    /// its middle is.
    pub fn parts(&self, parts: usize) -> Vec<u64> {
        let mut found = vec![0; parts];
        let span = u128::from(self.last.0 - self.first.0) + 1;
        for (slot, count) in self.counts() {
            let middle = (slot << self.shift).saturating_add((1 << self.shift) >> 1);
            let since = middle.clamp(self.first.0, self.last.0) - self.first.0;
            found[(u128::from(since) * parts as u128 / span) as usize] += count;
        }
        found
    }
}

/// The values of a field.
#[derive(Clone, Debug)]
pub struct FieldFacts {
    /// The field.
    pub field: Field,
    /// Bits to its right.
    shift: u32,
    /// Its least value.
    pub least: u128,
    /// Its largest value.
    pub most: u128,
    /// Ids in which it is 0.
    pub zeros: u64,
    values: Values,
}

/// How often each value occurs.
#[derive(Clone, Debug)]
enum Values {
    /// Not counted.
    None,
    /// By value.
    Table(Vec<u64>),
    /// Values met so far, and whether there are more.
    Map(BTreeMap<u128, u64>, bool),
}

impl FieldFacts {
    fn new(field: Field, shift: u32) -> Self {
        let values = match field.kind {
            FieldKind::Timestamp | FieldKind::Random => Values::None,
            _ if field.bits <= TABLE_BITS => Values::Table(vec![0; 1 << field.bits]),
            FieldKind::Node | FieldKind::Fixed => Values::Map(BTreeMap::new(), false),
            FieldKind::Counter => Values::None,
        };
        Self {
            field,
            shift,
            least: u128::MAX,
            most: 0,
            zeros: 0,
            values,
        }
    }

    #[inline]
    fn add(&mut self, value: u128) {
        self.least = self.least.min(value);
        self.most = self.most.max(value);
        self.zeros += u64::from(value == 0);
        match &mut self.values {
            Values::None => {}
            Values::Table(counts) => {
                if let Some(count) = counts.get_mut(value as usize) {
                    *count += 1;
                }
            }
            Values::Map(counts, more) => {
                if let Some(count) = counts.get_mut(&value) {
                    *count += 1;
                } else if counts.len() < MOST_VALUES {
                    counts.insert(value, 1);
                } else {
                    *more = true;
                }
            }
        }
    }

    /// Different values, if they were counted, and whether there are more.
    pub fn distinct(&self) -> Option<(u64, bool)> {
        match &self.values {
            Values::None => None,
            Values::Table(counts) => Some((
                counts.iter().filter(|count| **count > 0).count() as u64,
                false,
            )),
            Values::Map(counts, more) => Some((counts.len() as u64, *more)),
        }
    }

    /// Values with their counts, the most frequent first; of equally frequent ones the smallest.
    pub fn frequent(&self, most: usize) -> Vec<(u128, u64)> {
        let mut counts: Vec<(u128, u64)> = match &self.values {
            Values::None => Vec::new(),
            Values::Table(counts) => (0..)
                .zip(counts.iter().copied())
                .filter(|(_, count)| *count > 0)
                .collect(),
            Values::Map(counts, _) => counts
                .iter()
                .map(|(value, count)| (*value, *count))
                .collect(),
        };
        counts.sort_by_key(|(value, count)| (std::cmp::Reverse(*count), *value));
        counts.truncate(most);
        counts
    }

    /// The share of its range up to its largest value.
    pub fn used(&self) -> f64 {
        (self.most as f64 + 1.0) / libm::exp2(f64::from(self.field.bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::NS_PER_S;
    use crate::scheme::{self, Visitor};

    fn instants(seconds: impl IntoIterator<Item = u64>) -> Instants {
        let mut seconds = seconds
            .into_iter()
            .map(|second| Timestamp(second * NS_PER_S));
        let mut instants = Instants::new(seconds.next().unwrap());
        seconds.for_each(|at| instants.add(at));
        instants
    }

    #[test]
    fn gaps_and_parts_are_those_of_the_instants() {
        let found = instants([10, 11, 12, 19, 20]);
        assert_eq!(
            (found.first().0, found.last().0),
            (10 * NS_PER_S, 20 * NS_PER_S)
        );
        assert_eq!(found.longest_gap_ns(), 7 * NS_PER_S);
        assert_eq!(found.parts(2), [3, 2]);
        let found = instants([12, 10, 20, 11, 19]);
        assert_eq!(found.descents(), 2);
        assert_eq!(found.parts(2), [3, 2]);
        let gap = found.longest_gap_ns() as f64 / NS_PER_S as f64;
        assert!((6.9..=7.0).contains(&gap), "{gap}");
        // No slot is empty, but some time is as long as the mean.
        let found = instants([12, 10, 11]);
        assert_eq!(found.longest_gap_ns(), NS_PER_S);
        let crowded = instants((0..1 << 20).map(|i| i ^ 1));
        assert_eq!(crowded.longest_gap_ns(), NS_PER_S);
    }

    #[test]
    fn slots_become_longer_and_none_is_lost() {
        let found = instants((0..100_000).map(|i| 1_000_000 + i * 7 % 100_000));
        assert!(found.slots.len() <= MOST_SLOTS);
        let parts = found.parts(10);
        assert_eq!(parts.iter().sum::<u64>(), 100_000);
        assert!(
            parts.iter().all(|count| (9_950..=10_050).contains(count)),
            "{parts:?}"
        );
    }

    struct See<'a>(&'a [&'a str]);

    impl Visitor for See<'_> {
        type Output = (Option<u64>, Vec<(u128, u128, u64)>);

        fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
            let mut facts = Facts::new(scheme);
            let keys: Vec<_> = self
                .0
                .iter()
                .map(|text| text.parse::<S::Id>().unwrap().key())
                .collect();
            facts.see(&keys);
            let fields = facts
                .fields()
                .iter()
                .map(|field| (field.least, field.most, field.zeros));
            (facts.missing(), fields.collect())
        }
    }

    fn see(spec: &str, ids: &[&str]) -> (Option<u64>, Vec<(u128, u128, u64)>) {
        scheme::visit(&spec.parse().unwrap(), See(ids)).unwrap()
    }

    #[test]
    fn fields_are_those_that_the_scheme_decodes() {
        let ids = ["175928847299117063", "175928847299117064"];
        let (missing, fields) = see("discord", &ids);
        assert_eq!(missing, None);
        assert_eq!(fields[1..], [(1, 1, 0), (0, 0, 2), (7, 8, 0)]);
        let (missing, fields) = see("auto_increment", &["3", "9", "5"]);
        assert_eq!((missing, fields[1]), (Some(4), (3, 9, 0)));
        // Counters whose bits are turned round.
        let (missing, fields) = see(
            "bit_reversed",
            &["4611686018427387904", "6917529027641081856"],
        );
        assert_eq!((missing, fields[1]), (Some(1), (1, 3, 0)));
    }
}
