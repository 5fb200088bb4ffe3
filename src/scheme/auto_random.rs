//! Auto-random: random shard bits before a central counter, so that inserts spread over shards.
//!
//! - Layout: sign 1 (always 0), reserved 64 − `range` (always 0), shard 5, counter the rest of
//!   `range` (58 bits by default). The shard is drawn anew for each transaction of a writer, and all
//!   of its ids have the same.
//! - Ids per tick: unbounded, there is no tick. Each writer (a server) leases `size` numbers
//!   of the counter at a time, as in `ticket_block`.
//! - Lifetime: 2⁵⁸ − 1 ids by default, then [`Stall::OutOfRange`]; no epoch.
//! - Rollback: none, no wall clock is read. Ids do not ascend.
//! - Source: `AUTO_RANDOM(S, R)` of TiDB 8 and its documentation: S from 1 to 15, default 5; R from 32 to
//!   64, default 64; `AUTO_ID_CACHE` 30000. There a hash of the transaction's start gives the shard.

use super::{
    Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, TicketBlock, WriterError,
};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;

/// Random shards of one counter.
#[derive(Clone, Debug)]
pub struct AutoRandom {
    tickets: TicketBlock,
    shard_bits: u32,
    counter_bits: u32,
    /// Ids of a transaction.
    transaction: u64,
}

/// What a writer of auto-random ids remembers.
#[derive(Debug)]
pub struct AutoRandomWriter {
    tickets: usize,
    /// The transaction's shard in its place.
    shard: u64,
    /// Ids that the transaction still makes.
    left: u64,
}

impl Listed for AutoRandom {
    const NAME: &'static str = "auto_random";
    const ABOUT: &'static str = "random shard before a central counter, 64 bits (TiDB AUTO_RANDOM)";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "shard",
            default: "5",
            about: "random bits, 1 to 15",
        },
        Param {
            name: "range",
            default: "64",
            about: "bits in use, the sign among them, 32 to 64",
        },
        Param {
            name: "transaction",
            default: "1",
            about: "ids of a transaction, which have the same random bits, 1 to 1000000000",
        },
        Param {
            default: "30000",
            ..TicketBlock::PARAMS[0]
        },
        TicketBlock::PARAMS[1],
        TicketBlock::PARAMS[2],
        TicketBlock::PARAMS[3],
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let shard_bits = params.number("shard", 1..=15)? as u32;
        let range = params.number("range", 32..=64)? as u32;
        Ok(Self {
            tickets: TicketBlock::new(params)?,
            shard_bits,
            counter_bits: range - 1 - shard_bits,
            transaction: params.number("transaction", 1..=1_000_000_000)?,
        })
    }
}

impl Scheme for AutoRandom {
    type Id = Number;
    type Writer = AutoRandomWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        let reserved = 63 - self.shard_bits - self.counter_bits;
        let fields = [
            Field::new("sign", 1, FieldKind::Fixed),
            Field::new("reserved", reserved, FieldKind::Fixed),
            Field::new("shard", self.shard_bits, FieldKind::Random),
            Field::new("counter", self.counter_bits, FieldKind::Counter),
        ];
        fields.into_iter().filter(|field| field.bits > 0).collect()
    }

    fn limits(&self) -> Limits {
        self.tickets.limits()
    }

    fn writer(&mut self, number: u32) -> Result<AutoRandomWriter, WriterError> {
        Ok(AutoRandomWriter {
            tickets: self.tickets.writer(number)?,
            shard: 0,
            left: 0,
        })
    }

    #[inline]
    fn mint(
        &mut self,
        writer: &mut AutoRandomWriter,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Number, Stall> {
        let Number(counter) = self.tickets.mint(&mut writer.tickets, clock, random)?;
        if counter >> self.counter_bits != 0 {
            return Err(Stall::OutOfRange);
        }
        if writer.left == 0 {
            writer.shard = random.next_u64() >> (64 - self.shard_bits) << self.counter_bits;
            writer.left = self.transaction;
        }
        writer.left -= 1;
        Ok(Number(writer.shard | counter))
    }

    fn outage(&mut self, from: Timestamp, until: Timestamp) {
        self.tickets.outage(from, until);
    }

    fn visits(&self) -> Option<u64> {
        self.tickets.visits()
    }

    fn timestamp(&self, _: Number) -> Option<Timestamp> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;
    use std::collections::BTreeSet;

    fn scheme(text: &str) -> AutoRandom {
        let spec = text.parse().unwrap();
        AutoRandom::new(&Params::new(&spec, AutoRandom::PARAMS).unwrap()).unwrap()
    }

    fn ids(scheme: &mut AutoRandom, writer: u32, count: usize) -> Vec<u64> {
        let mut writer = scheme.writer(writer).unwrap();
        let mut random = stream(1, "test", writer.tickets as u64);
        let mut mint = || scheme.mint(&mut writer, &Timestamp(0), &mut random);
        (0..count).map(|_| mint().unwrap().0).collect()
    }

    #[test]
    fn the_counter_counts_below_a_shard_that_a_transaction_keeps() {
        let mut scheme = scheme("auto_random:transaction=4:size=100");
        let minted = ids(&mut scheme, 0, 400);
        let counters: Vec<_> = minted.iter().map(|id| id & ((1 << 58) - 1)).collect();
        assert_eq!(counters, (1..=400).collect::<Vec<_>>());
        assert_eq!(scheme.visits(), Some(4));
        let shards = |ids: &[u64]| ids.iter().map(|id| id >> 58).collect::<BTreeSet<_>>();
        assert!(minted.chunks(4).all(|transaction| shards(transaction).len() == 1));
        let all = shards(&minted);
        assert!(all.len() > 16 && all.iter().all(|shard| *shard < 32), "{all:?}");
        assert_eq!(ids(&mut scheme, 1, 1)[0] & 1023, 401);
    }

    #[test]
    fn reserved_bits_are_zero_and_a_counter_that_outgrows_its_range_ends() {
        let mut scheme = scheme("auto_random:shard=15:range=32:size=1");
        let names: Vec<_> = scheme.fields().iter().map(|field| (field.name, field.bits)).collect();
        let expected = [("sign", 1), ("reserved", 32), ("shard", 15), ("counter", 16)];
        assert_eq!(names, expected);
        let last = *ids(&mut scheme, 0, 65_535).last().unwrap();
        assert_eq!((last >> 31, last & 0xffff), (0, 0xffff));
        let mut writer = scheme.writer(0).unwrap();
        let end = scheme.mint(&mut writer, &Timestamp(0), &mut stream(1, "test", 0));
        assert_eq!(end, Err(Stall::OutOfRange));
    }
}
