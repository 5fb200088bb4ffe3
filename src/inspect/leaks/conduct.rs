//! What a scheme does with its counter, found by minting a few ids with it.

use crate::clock::Timestamp;
use crate::id::Key;
use crate::random::stream;
use crate::scheme::{Field, FieldKind, Scheme};

/// What the values of a counter say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conduct {
    /// There is no counter.
    None,
    /// It counts all ids there are, without a clock.
    Tickets,
    /// It begins anew, with this value, in each tick.
    PerTick(u64),
    /// It runs on from tick to tick.
    RunsOn,
    /// It begins anywhere in each tick.
    Anywhere,
}

/// Where the bits of one meaning are in an id: parts of `(shift, bits)`, the highest first.
#[derive(Clone, Debug)]
pub struct Part(Vec<(u32, u32)>);

impl Part {
    /// The bits of this kind; of more than 64 the lowest.
    pub fn new(fields: &[Field], all_bits: u32, kind: FieldKind) -> Self {
        let mut shift = all_bits;
        let mut parts = Vec::new();
        for field in fields {
            shift -= field.bits;
            if field.kind == kind {
                parts.push((shift, field.bits));
            }
        }
        Self(parts)
    }

    /// How many.
    pub fn bits(&self) -> u32 {
        self.0.iter().map(|(_, bits)| bits).sum()
    }

    /// Their place above the lowest bit of the id, that of the lowest of them.
    pub fn shift(&self) -> Option<u32> {
        self.0.iter().map(|(shift, _)| *shift).min()
    }

    /// Their value.
    #[inline]
    pub fn read(&self, key: impl Key) -> u64 {
        let parts = self.0.iter();
        parts.fold(0, |value, &(shift, bits)| {
            let value = if bits < 64 { value << bits } else { 0 };
            value | key.field(shift, bits) as u64
        })
    }
}

/// 2026-01-01, in Unix milliseconds.
const A_DAY_MS: u64 = 1_767_225_600_000;
/// Ids in each of the ticks that are tried.
const TICKS: [usize; 8] = [3, 1, 2, 1, 3, 2, 1, 2];

impl Conduct {
    /// What `scheme` does with the counter that `counter` reads.
    pub fn of<S: Scheme>(scheme: &S, bits: u32, counter: impl Fn(S::Id) -> u64) -> Self {
        let limits = scheme.limits();
        let Some(tick_ns) = limits.tick_ns else {
            return if bits > 0 { Self::Tickets } else { Self::None };
        };
        // A counter that does not count ids: the clock sequence of version 1 UUIDs.
        if bits == 0 || limits.ids_per_tick == Some(1) {
            return Self::None;
        }
        let last_day_ms = limits
            .exhausted_unix_ms
            .map(|last| last.saturating_sub(86_400_000));
        let start_ms = A_DAY_MS.min(last_day_ms.unwrap_or(A_DAY_MS));
        let mut ticks: Vec<[u64; 2]> = Vec::new();
        let mut minting = scheme.clone();
        let Ok(mut writer) = minting.writer(0) else {
            return Self::Anywhere;
        };
        let mut random = stream(0, "conduct", 0);
        for (tick, ids) in (0..).zip(TICKS) {
            let clock = Timestamp::from_ms(start_ms).later(tick * 16 * tick_ns);
            let minted = (0..ids).map(|_| minting.mint(&mut writer, &clock, &mut random));
            let Ok(minted) = minted.collect::<Result<Vec<_>, _>>() else {
                return Self::Anywhere;
            };
            ticks.push([counter(minted[0]), counter(minted[ids - 1])]);
        }
        let most = u64::MAX >> (64 - bits.min(64));
        let first = ticks[0][0];
        let runs_on = |pair: &[[u64; 2]]| pair[0][1].wrapping_add(1) & most == pair[1][0];
        if ticks.iter().all(|tick| tick[0] == first) {
            Self::PerTick(first)
        } else if ticks.windows(2).all(runs_on) {
            Self::RunsOn
        } else {
            Self::Anywhere
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::Id;
    use crate::scheme::{Spec, Visitor, visit};

    struct Find;

    impl Visitor for Find {
        type Output = Conduct;

        fn visit<S: Scheme>(self, scheme: S) -> Conduct {
            let counter = Part::new(&scheme.fields(), S::Id::BITS, FieldKind::Counter);
            Conduct::of(&scheme, counter.bits(), |id| counter.read(id.key()))
        }
    }

    #[test]
    fn what_schemes_do_with_their_counters() {
        let cases = [
            ("auto_increment", Conduct::Tickets),
            ("ticket_block", Conduct::Tickets),
            ("auto_random", Conduct::Tickets),
            ("snowflake", Conduct::PerTick(0)),
            ("twitter", Conduct::PerTick(0)),
            ("sonyflake", Conduct::PerTick(0)),
            ("baidu", Conduct::PerTick(0)),
            ("uuid_v7:tail=counter", Conduct::PerTick(0)),
            ("uuid_v7:tail=counter42", Conduct::Anywhere),
            ("uuid_v7", Conduct::None),
            ("tsid", Conduct::Anywhere),
            ("scru128", Conduct::Anywhere),
            ("discord", Conduct::RunsOn),
            ("instagram", Conduct::RunsOn),
            ("mastodon", Conduct::Anywhere),
            ("object_id", Conduct::RunsOn),
            ("xid", Conduct::RunsOn),
            ("uuid_v1", Conduct::None),
            ("uuid_v6", Conduct::None),
            ("unique_rowid", Conduct::None),
            ("uuid_v4", Conduct::None),
        ];
        for (text, expected) in cases {
            let spec: Spec = text.parse().unwrap();
            assert_eq!(visit(&spec, Find).unwrap(), expected, "{text}");
        }
    }

    #[test]
    fn parts_are_read_across_what_lies_between() {
        let field = |name, bits, kind| Field::new(name, bits, kind);
        let fields = [
            field("a", 8, FieldKind::Node),
            field("b", 40, FieldKind::Timestamp),
            field("c", 16, FieldKind::Node),
        ];
        let node = Part::new(&fields, 64, FieldKind::Node);
        assert_eq!((node.bits(), node.shift()), (24, Some(0)));
        assert_eq!(node.read(0x1234_5678_9abc_def0_u64), 0x12_def0);
        let none = Part::new(&fields, 64, FieldKind::Counter);
        assert_eq!((none.bits(), none.shift(), none.read(1_u64)), (0, None, 0));
    }
}
