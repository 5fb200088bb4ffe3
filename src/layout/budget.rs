//! Budgets: what a layout gives at a tick and an epoch.

use super::Layout;
use crate::clock::NS_PER_MS;
use crate::id::Id;
use crate::scheme::{FieldKind, Limits, Scheme};

/// The longest tick: a day.
pub const MOST_TICK_NS: u64 = 86_400_000_000_000;

/// How long a layout lasts and how much it holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Budget {
    /// The fields.
    pub layout: Layout,
    /// Length of a tick in nanoseconds; `None` without a timestamp.
    pub tick_ns: Option<u64>,
    /// Start of tick 0, in nanoseconds since the Unix epoch; `None` if there is none, or if
    /// the timestamp is no plain count of ticks.
    pub epoch_ns: Option<i128>,
    /// The first instant that is too late; `None` without a timestamp.
    pub end_ns: Option<i128>,
    /// Writers that can be told apart; `None` if they need no number.
    pub nodes: Option<u128>,
    /// Ids of a writer in a tick, or for ever without a timestamp; `None` if none of its
    /// fields bounds them.
    pub ids_per_tick: Option<u128>,
}

/// 2^bits, or as much as there is.
fn power(bits: u32) -> u128 {
    1u128.checked_shl(bits).unwrap_or(u128::MAX)
}

impl Budget {
    /// What `layout` gives if a tick of `tick_ns`, at most `MOST_TICK_NS`, counts from
    /// `epoch_ns`.
    pub fn new(layout: Layout, tick_ns: u64, epoch_ns: i128) -> Self {
        use FieldKind::{Counter, Node, Random, Timestamp};
        let bits = |kind| layout.bits(kind);
        let [timestamp, node] = [bits(Timestamp), bits(Node)];
        let [sequence, random] = [bits(Counter), bits(Random)];
        let timed = timestamp > 0;
        // At most 2^64 ticks of less than 2^47 ns.
        let life_ns = i128::from(tick_ns.min(MOST_TICK_NS)) << timestamp.min(64);
        Self {
            tick_ns: timed.then_some(tick_ns),
            epoch_ns: timed.then_some(epoch_ns),
            end_ns: timed.then(|| epoch_ns.saturating_add(life_ns)),
            nodes: (node > 0 || random == 0).then(|| power(node)),
            ids_per_tick: (sequence > 0 || random == 0).then(|| power(sequence)),
            layout,
        }
    }

    /// What a scheme gives, by its own [`Limits`].
    pub fn of<S: Scheme>(scheme: &S) -> Self {
        let layout = Layout::new(scheme.fields());
        let limits = scheme.limits();
        let end_ns = limits
            .exhausted_unix_ms
            .map(|ms| (i128::from(ms) + 1) * i128::from(NS_PER_MS));
        let first = scheme.timestamp(S::Id::from_key(Default::default()));
        let life_ns = |tick_ns| i128::from(tick_ns) << layout.bits(FieldKind::Timestamp).min(64);
        // Else its ticks are not of one length, or what precedes 1970 has no instant here. The
        // end is known by the millisecond.
        let plain = |tick_ns| {
            let (end_ns, epoch_ns) = (end_ns?, i128::from(first?.0));
            let late_ns = end_ns - epoch_ns - life_ns(tick_ns);
            (0..i128::from(NS_PER_MS))
                .contains(&late_ns)
                .then_some(epoch_ns)
        };
        let plain = limits.tick_ns.and_then(plain);
        let end_ns = match (plain, limits.tick_ns) {
            (Some(epoch_ns), Some(tick_ns)) => Some(epoch_ns + life_ns(tick_ns)),
            _ => end_ns,
        };
        let Limits {
            ids_per_tick,
            tick_ns,
            writers,
            ..
        } = limits;
        Self {
            layout,
            tick_ns,
            epoch_ns: plain,
            end_ns,
            nodes: writers.map(u128::from),
            ids_per_tick,
        }
    }

    /// Nanoseconds from the epoch to the end.
    pub fn life_ns(&self) -> Option<i128> {
        Some(self.end_ns? - self.epoch_ns?)
    }

    /// Ids a second of one writer, ticks used up; `None` without a tick or a bound.
    pub fn ids_per_second(&self) -> Option<f64> {
        let ticks = 1e9 / self.tick_ns? as f64;
        Some(self.ids_per_tick? as f64 * ticks)
    }

    /// Ids a second of all writers.
    pub fn ids_per_second_of_all(&self) -> Option<f64> {
        Some(self.ids_per_second()? * self.nodes? as f64)
    }

    /// The budget with a bit of one kind given to another; `None` if there is none to give or
    /// to take, or if its fields are not all there is to it (see [`Budget::epoch_ns`]).
    pub fn moved(&self, from: FieldKind, to: FieldKind) -> Option<Self> {
        let again = Self::new(self.layout.clone(), self.tick_ns?, self.epoch_ns?);
        if *self != again {
            return None;
        }
        let layout = self.layout.moved(from, to)?;
        Some(Self::new(layout, self.tick_ns?, self.epoch_ns?))
    }

    /// All budgets with one bit moved.
    pub fn trades(&self) -> Vec<Self> {
        use FieldKind::{Counter, Node, Random, Timestamp};
        let kinds = [Timestamp, Node, Counter, Random];
        let pairs = kinds
            .iter()
            .flat_map(|to| kinds.iter().map(move |from| (*from, *to)));
        pairs
            .filter(|(from, to)| from != to)
            .filter_map(|(from, to)| self.moved(from, to))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::{date, time};
    use crate::scheme::{self, PRESETS, SCHEMES, Spec, Visitor};

    fn budget(layout: &str, tick_ms: u64, epoch_ms: i128) -> Budget {
        let ns = i128::from(NS_PER_MS);
        Budget::new(layout.parse().unwrap(), tick_ms * NS_PER_MS, epoch_ms * ns)
    }

    struct Read;

    impl Visitor for Read {
        type Output = (Budget, Limits);
        fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
            (Budget::of(&scheme), scheme.limits())
        }
    }

    fn of(name: &str) -> (Budget, Limits) {
        scheme::visit(&name.parse::<Spec>().unwrap(), Read).unwrap()
    }

    fn last(budget: &Budget) -> String {
        time(budget.end_ns.unwrap() - 1)
    }

    /// Years of 365.2425 days.
    fn years(budget: &Budget) -> f64 {
        budget.life_ns().unwrap() as f64 / 31_556_952e9
    }

    #[test]
    fn published_layouts() {
        let twitter = budget("41/5/5/12", 1, 1_288_834_974_657);
        assert_eq!(last(&twitter), "2080-07-10 17:30:30");
        assert_eq!(format!("{:.1}", years(&twitter)), "69.7");
        assert_eq!(twitter.nodes, Some(1024));
        assert_eq!(twitter.ids_per_second(), Some(4_096_000.0));
        assert_eq!(twitter.ids_per_second_of_all(), Some(4_194_304_000.0));

        let sonyflake = budget("t39/s8/n16", 10, 1_409_529_600_000);
        assert_eq!(date(sonyflake.end_ns.unwrap()), "2188-11-16");
        assert_eq!(format!("{:.1}", years(&sonyflake)), "174.2");
        assert_eq!(sonyflake.ids_per_second(), Some(25_600.0));

        let baidu = budget("28/22/13", 1000, 1_463_673_600_000);
        assert_eq!(format!("{:.1}", years(&baidu)), "8.5");
        assert_eq!(baidu.ids_per_second(), Some(8192.0));

        for layout in ["48/74", "48/80"] {
            let unix = budget(layout, 1, 0);
            assert_eq!(last(&unix), "10889-08-02 05:31:50");
            assert_eq!((unix.nodes, unix.ids_per_tick), (None, None));
        }
        assert_eq!(last(&of("ksuid").0), "2150-06-19 23:21:35");
        // 2^48 ticks of 10 us since 2015 end within a millisecond.
        let rowid = of("unique_rowid").0;
        assert_eq!(rowid.epoch_ns, Some(1_420_070_400_000_000_000));
        assert_eq!(rowid.life_ns(), Some(10_000 << 48));
    }

    /// Without a clock, with ticks from before 1970 or of several lengths, with fewer ids in a
    /// tick than bits, with bits that are a process's, or with writers that need no number.
    const NOT_PLAIN: &[&str] = &[
        "auto_increment",
        "ticket_block",
        "odd_even",
        "stride",
        "auto_random",
        "bit_reversed",
        "uuid_v4",
        "uuid_v1",
        "uuid_v6",
        "uuid_v1_swapped",
        "newsequentialid",
        "comb",
        "object_id",
        "xid",
        "scru128",
        "push_id",
        "nanoid",
        "cuid2",
        "public_id",
        "hi_lo",
        "pooled",
        "leaf_segment",
        "mastodon",
    ];

    /// Schemes say the same as their layouts do, but for some.
    #[test]
    fn schemes_are_their_layouts() {
        let mut apart = Vec::new();
        let presets = PRESETS.iter().map(|preset| preset.name);
        for name in SCHEMES.iter().map(|info| info.name).chain(presets) {
            let (budget, limits) = of(name);
            assert_eq!(budget.tick_ns, limits.tick_ns, "{name}");
            let end_ms = budget.end_ns.map(|ns| ((ns - 1) / 1_000_000) as u64);
            assert_eq!(end_ms, limits.exhausted_unix_ms, "{name}");
            if budget.trades().is_empty() {
                apart.push(name);
            }
        }
        assert_eq!(apart, NOT_PLAIN);
    }

    #[test]
    fn a_bit_doubles_one_number_and_halves_another() {
        use FieldKind::{Counter, Node, Timestamp};
        let twitter = of("twitter").0;
        assert_eq!(twitter.trades().len(), 6);
        let longer = twitter.moved(Node, Timestamp).unwrap();
        assert_eq!(longer.life_ns().unwrap(), 2 * twitter.life_ns().unwrap());
        assert_eq!((longer.nodes, longer.ids_per_tick), (Some(512), Some(4096)));
        let faster = twitter.moved(Timestamp, Counter).unwrap();
        assert_eq!(2 * faster.life_ns().unwrap(), twitter.life_ns().unwrap());
        assert_eq!(faster.ids_per_tick, Some(8192));
        assert_eq!(twitter.epoch_ns, Some(1_288_834_974_657_000_000));
    }

    #[test]
    fn the_widest_fields_fit() {
        let wide = Budget::new(
            "t64/n64".parse().unwrap(),
            MOST_TICK_NS,
            4_000_000_000 * 1_000_000_000,
        );
        assert!(wide.life_ns().unwrap() > 0);
        assert!(last(&wide).len() > 20);
        assert_eq!(wide.ids_per_tick, Some(1));
        let count = Budget::new("n128".parse().unwrap(), 1, 0);
        assert_eq!(count.nodes, Some(u128::MAX));
        let counter = Budget::new("f1/s63".parse().unwrap(), 1, 0);
        assert_eq!((counter.tick_ns, counter.life_ns()), (None, None));
        assert_eq!(counter.ids_per_tick, Some(1 << 63));
    }
}
