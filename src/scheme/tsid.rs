//! TSID: milliseconds, node and a counter that starts at random, in 13 characters.
//!
//! - Layout: timestamp 42, node 0 to 20, counter the rest of 22. 64 bits without a sign: a
//!   signed column sorts ids wrongly from 2089 on.
//! - Ids per tick: a counter starts anywhere in each millisecond, is increased by one within
//!   it, and carries into the timestamp when it is used up: more than are left run ahead of
//!   the clock and never stall.
//! - Lifetime: 2⁴² ms since 2020-01-01, 139 years: until 2159.
//! - Rollback: goes on from the last id, however far the clock is behind.
//! - Source: tsid-creator 5.2 (f4b6a3). Its earlier versions wait when a counter is used up (4),
//!   or follow a clock back that is more than 10 s behind. Text: 13 digits of Crockford's base 32.

use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, Ticks, WriterError};
use crate::clock::{Clock, NS_PER_MS, Timestamp};
use crate::id::{Id, Key, Tsid};
use rand::Rng;

const TIMESTAMP_BITS: u32 = 42;
/// Bits of node and counter.
const TAIL_BITS: u32 = 22;

const TICKS: Ticks = Ticks {
    // 2020-01-01T00:00:00Z.
    epoch_ns: 1_577_836_800_000 * NS_PER_MS,
    tick_ns: NS_PER_MS,
    last: (1 << TIMESTAMP_BITS) - 1,
};

/// Timestamp, node, counter.
#[derive(Clone, Debug)]
pub struct TsidScheme {
    counter_bits: u32,
}

/// What a node remembers.
#[derive(Debug)]
pub struct TsidNode {
    /// Its number in its place.
    number: u64,
    /// Timestamp and counter of its last id, one number.
    last: Option<u64>,
}

impl TsidScheme {
    fn node_bits(&self) -> u32 {
        TAIL_BITS - self.counter_bits
    }
}

impl Listed for TsidScheme {
    const NAME: &'static str = "tsid";
    const ABOUT: &'static str =
        "timestamp, node, a counter that starts at random, 64 bits (tsid-creator 5.2)";
    const PARAMS: &'static [Param] = &[Param {
        name: "node",
        default: "10",
        about: "bits of the node, 0 to 20; the counter has the rest of 22",
    }];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let node_bits = params.number("node", 0..=20)? as u32;
        Ok(Self {
            counter_bits: TAIL_BITS - node_bits,
        })
    }
}

impl Scheme for TsidScheme {
    type Id = Tsid;
    type Writer = TsidNode;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        let fields = [
            Field::new("timestamp", TIMESTAMP_BITS, FieldKind::Timestamp),
            Field::new("node", self.node_bits(), FieldKind::Node),
            Field::new("counter", self.counter_bits, FieldKind::Counter),
        ];
        fields.into_iter().filter(|field| field.bits > 0).collect()
    }

    fn limits(&self) -> Limits {
        let life_ms = 1 << TIMESTAMP_BITS;
        Limits {
            ids_per_tick: Some(1 << self.counter_bits),
            tick_ns: Some(TICKS.tick_ns),
            exhausted_unix_ms: Some(TICKS.epoch_ns / NS_PER_MS + life_ms - 1),
            writers: Some(1 << self.node_bits()),
        }
    }

    fn writer(&mut self, number: u32) -> Result<TsidNode, WriterError> {
        let max = (1 << self.node_bits()) - 1;
        if u64::from(number) > max {
            return Err(WriterError {
                scheme: Self::NAME,
                number,
                max,
            });
        }
        Ok(TsidNode {
            number: u64::from(number) << self.counter_bits,
            last: None,
        })
    }

    #[inline]
    fn mint(
        &mut self,
        node: &mut TsidNode,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Tsid, Stall> {
        let bits = self.counter_bits;
        let tick = TICKS.of(clock.now()).ok_or(Stall::OutOfRange)?;
        let next = match node.last {
            Some(last) if tick <= last >> bits => last.checked_add(1),
            _ => Some(tick << bits | random.next_u64() >> (64 - bits)),
        };
        let next = next.filter(|next| next >> bits <= TICKS.last);
        let next = next.ok_or(Stall::OutOfRange)?;
        node.last = Some(next);
        let counter = next & ((1 << bits) - 1);
        Ok(Tsid((next >> bits) << TAIL_BITS | node.number | counter))
    }

    fn resume(&self, node: &mut TsidNode, floor: Timestamp) {
        if let Some(tick) = TICKS.of(floor) {
            let used_up = tick << self.counter_bits | ((1 << self.counter_bits) - 1);
            node.last = node.last.max(Some(used_up));
        }
    }

    fn timestamp(&self, id: Tsid) -> Option<Timestamp> {
        let tick = id.key().field(TAIL_BITS, TIMESTAMP_BITS);
        Some(TICKS.start(tick as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    const TEN: TsidScheme = TsidScheme { counter_bits: 12 };
    const NOW_NS: u64 = 1_700_000_000_000 * NS_PER_MS;

    fn mint(node: &mut TsidNode, ns: u64) -> Result<u64, Stall> {
        let id = { TEN }.mint(node, &Timestamp(ns), &mut stream(1, "test", 0));
        id.map(|id| id.0)
    }

    #[test]
    fn the_published_example_is_read() {
        let id: Tsid = "01226N0640J7Q".parse().unwrap();
        let values: Vec<_> = TEN.decode(id).into_iter().map(|(_, value)| value).collect();
        assert_eq!(values, [9_145_327_665, 18_679 >> 12, 18_679 & 4095]);
        // 2020-04-15T20:22:07.665Z
        let instant = Timestamp::from_ms(1_586_982_127_665);
        assert_eq!(TEN.timestamp(id), Some(instant));
    }

    #[test]
    fn a_counter_starts_at_random_and_carries_into_the_timestamp() {
        let mut node = { TEN }.writer(5).unwrap();
        let first = mint(&mut node, NOW_NS).unwrap();
        assert_eq!(first >> 12 & 1023, 5);
        let left = 4095 - (first & 4095);
        assert!((1..4095).contains(&left));
        for more in 1..=left {
            assert_eq!(mint(&mut node, NOW_NS), Ok(first + more));
        }
        let ahead = mint(&mut node, NOW_NS).unwrap();
        assert_eq!(ahead >> 22, (first >> 22) + 1);
        assert_eq!((ahead >> 12 & 1023, ahead & 4095), (5, 0));
        // The millisecond that was run into, and a clock that goes back.
        assert_eq!(mint(&mut node, NOW_NS + NS_PER_MS), Ok(ahead + 1));
        assert_eq!(mint(&mut node, NOW_NS - 9_000 * NS_PER_MS), Ok(ahead + 2));
        let later = mint(&mut node, NOW_NS + 2 * NS_PER_MS).unwrap();
        assert_eq!(later >> 22, (ahead >> 22) + 1);
        assert_eq!(later & 4095, first & 4095, "of the same stream");
    }

    #[test]
    fn a_node_that_starts_again_uses_no_tick_twice() {
        let mut node = { TEN }.writer(1023).unwrap();
        TEN.resume(&mut node, Timestamp(NOW_NS));
        let id = mint(&mut node, NOW_NS).unwrap();
        assert_eq!(TEN.timestamp(Tsid(id)), Some(Timestamp(NOW_NS + NS_PER_MS)));
        assert!({ TEN }.writer(1024).is_err());
    }

    #[test]
    fn readings_outside_the_field_are_refused() {
        let mut node = { TEN }.writer(0).unwrap();
        assert_eq!(mint(&mut node, TICKS.epoch_ns - 1), Err(Stall::OutOfRange));
        let end_ns = (TEN.limits().exhausted_unix_ms.unwrap() + 1) * NS_PER_MS;
        assert_eq!(mint(&mut node, end_ns), Err(Stall::OutOfRange));
        TEN.resume(&mut node, Timestamp(end_ns - 1));
        assert_eq!(mint(&mut node, end_ns - 1), Err(Stall::OutOfRange));
        for bits in [2, 12, 22] {
            let scheme = TsidScheme { counter_bits: bits };
            let sum: u32 = scheme.fields().iter().map(|field| field.bits).sum();
            assert_eq!(sum, 64);
        }
    }
}
