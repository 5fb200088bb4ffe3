//! Running sequence: a Snowflake whose sequence does not begin anew with each tick.
//!
//! It is a counter modulo 2^`sequence`, of a process (Discord) or of a table in a shard
//! (Instagram), or, with `start=hashed`, that counter after a start that a hash of the tick
//! gives (Mastodon, so that ids do not tell how many there were). So ids of one tick are not in
//! the order in which they were made where the sequence wraps.
//!
//! - Layout: by default Discord's: timestamp 42, unsigned, datacenter 5 (its worker), worker 5
//!   (its process), sequence 12 (its increment). Widths are parameters. Without bits of
//!   a writer (Mastodon) all writers draw from one sequence: sessions of one database.
//! - Ids per tick: 2^`sequence` a writer, then [`Stall::Exhausted`]; the originals repeat ids.
//! - Lifetime: 2⁴² ms, 139 years: until 2154. A signed column sorts ids of `instagram` wrongly
//!   from half of its 2⁴¹ ms on, in 2046.
//! - Rollback: any [`Rollback`] but those that need a sequence of their own for each tick; by
//!   default refused. The originals follow the clock back: `ignore`. Sequences survive a restart.
//! - Source: Discord's API reference; "Sharding & IDs at Instagram", 2011; Mastodon 2.0's
//!   `timestamp_id`, whose MD5 is another mixing function here.

use super::snowflake::{EPOCH, Snowflake, advance};
use super::ticker::Ticker;
use super::{Field, Limits, Listed, Param, Params, Rollback, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, Timestamp};
use crate::id::Number;
use rand::Rng;
use std::collections::BTreeMap;

/// A layout, and the sequences that its writers draw from.
#[derive(Clone, Debug)]
pub struct RunningSequence {
    layout: Snowflake,
    hashed: bool,
    /// Place in `issued`, by writer's number.
    places: BTreeMap<u32, usize>,
    /// Ids of each sequence so far.
    issued: Vec<u64>,
}

/// What a writer of a running sequence remembers.
#[derive(Debug)]
pub struct RunningSequenceWriter {
    /// Its number in its place.
    number: u64,
    /// Its sequence, a place in [`RunningSequence::issued`].
    place: usize,
    /// Tails are how many ids the tick had before.
    ticker: Ticker<u64>,
}

/// A number that looks random, another one for each tick (Stafford's mix 13, of
/// Steele, Lea and Flood, 2014).
fn scatter(tick: u64) -> u64 {
    let tick = (tick ^ (tick >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let tick = (tick ^ (tick >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    tick ^ (tick >> 31)
}

impl Listed for RunningSequence {
    const NAME: &'static str = "running_sequence";
    const ABOUT: &'static str =
        "timestamp, writer, a sequence that runs on from tick to tick, 64 bits (Discord)";
    const PARAMS: &'static [Param] = &[
        Param {
            name: "sign",
            default: "0",
            about: "bits of the sign, 1 or 0: unsigned",
        },
        Param {
            name: "timestamp",
            default: "42",
            about: "bits of the timestamp, 1 to 62",
        },
        Param {
            name: "datacenter",
            default: "5",
            about: "upper bits of a writer's number, 0 to 31",
        },
        Param {
            name: "worker",
            default: "5",
            about: "lower bits of a writer's number, 0 to 31; none at all: writers share a sequence",
        },
        Param {
            name: "sequence",
            default: "12",
            about: "bits of the sequence, 0 to 31",
        },
        Param {
            name: "tick_ms",
            default: "1",
            about: "length of a tick in milliseconds, 1 to 86400000",
        },
        Param {
            name: "epoch_ms",
            default: "discord",
            about: "tick 0 in Unix milliseconds, or twitter, discord, unix",
        },
        EPOCH,
        Param {
            name: "first",
            default: "timestamp",
            about: "the field of the highest bits: timestamp or worker",
        },
        Param {
            name: "last",
            default: "sequence",
            about: "the field of the lowest bits: sequence",
        },
        Param {
            name: "start",
            default: "zero",
            about: "what a tick adds to the sequence: zero, or hashed: a number that looks random",
        },
    ];

    fn new(params: &Params) -> Result<Self, SpecError> {
        params.choice("last", &[("sequence", ())])?;
        Ok(Self {
            layout: Snowflake::new(params)?,
            hashed: params.choice("start", &[("zero", false), ("hashed", true)])?,
            places: BTreeMap::new(),
            issued: Vec::new(),
        })
    }
}

impl Scheme for RunningSequence {
    type Id = Number;
    type Writer = RunningSequenceWriter;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        self.layout.fields()
    }

    fn limits(&self) -> Limits {
        let limits = self.layout.limits();
        Limits {
            writers: limits.writers.filter(|_| self.layout.node_bits() > 0),
            ..limits
        }
    }

    fn writer(&mut self, number: u32) -> Result<RunningSequenceWriter, WriterError> {
        let alone = self.layout.node_bits() == 0;
        let number = if alone { 0 } else { number };
        let writer = self.layout.writer(number).map_err(|error| WriterError {
            scheme: Self::NAME,
            ..error
        })?;
        let next = self.issued.len();
        let place = *self.places.entry(number).or_insert(next);
        if place == next {
            self.issued.push(0);
        }
        Ok(RunningSequenceWriter {
            number: writer.worker,
            place,
            ticker: writer.ticker,
        })
    }

    #[inline]
    fn mint(
        &mut self,
        writer: &mut RunningSequenceWriter,
        clock: &impl Clock,
        _: &mut impl Rng,
    ) -> Result<Number, Stall> {
        let layout = &self.layout;
        let most = layout.last_sequence;
        let advance = |last| advance(last, 1, most);
        let (ticks, rollback) = (&layout.ticks, &layout.rollback);
        let (tick, _) = writer.ticker.next(ticks, rollback, clock, advance)?;
        let issued = &mut self.issued[writer.place];
        *issued += 1;
        let start = if self.hashed { scatter(tick) } else { 0 };
        let sequence = start.wrapping_add(*issued) & most;
        Ok(Number(tick << layout.tick_shift | writer.number | sequence))
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        if rollback == Rollback::BackFill {
            return Err(SpecError(format!(
                "{} has no sequence numbers to reserve, as {rollback} needs",
                Self::NAME
            )));
        }
        self.layout.set_rollback(rollback)
    }

    fn resume(&self, writer: &mut RunningSequenceWriter, floor: Timestamp) {
        writer.ticker.resume(self.layout.ticks, floor);
    }

    fn ascends(&self) -> bool {
        false
    }

    fn timestamp(&self, id: Number) -> Option<Timestamp> {
        self.layout.timestamp(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::NS_PER_MS;
    use crate::random::stream;

    fn scheme(text: &str) -> RunningSequence {
        let spec = text.parse().unwrap();
        RunningSequence::new(&Params::new(&spec, RunningSequence::PARAMS).unwrap()).unwrap()
    }

    fn values(scheme: &RunningSequence, id: u64) -> Vec<u128> {
        let fields = scheme.decode(Number(id)).into_iter();
        fields.map(|(_, value)| value).collect()
    }

    fn mint(scheme: &mut RunningSequence, writer: &mut RunningSequenceWriter, ms: u64) -> Number {
        let now = Timestamp(ms * NS_PER_MS);
        let id = scheme.mint(writer, &now, &mut stream(1, "test", 0));
        id.unwrap()
    }

    const NOW_MS: u64 = 1_700_000_000_000;

    #[test]
    fn an_id_of_discord_decodes_to_its_parts() {
        let scheme = scheme("discord");
        let id = 175_928_847_299_117_063;
        assert_eq!(values(&scheme, id), [41_944_705_796, 1, 0, 7]);
        // 2016-04-30T11:18:25.796Z
        let instant = Timestamp::from_ms(1_462_015_105_796);
        assert_eq!(scheme.timestamp(Number(id)), Some(instant));
    }

    /// User 31341 of 2000 shards, the 5001st id of a table.
    #[test]
    fn the_example_of_instagram_is_made_and_read() {
        let mut scheme = scheme("instagram");
        let ms = 1_314_220_021_721 + 1_387_263_000;
        let mut writer = scheme.writer(31_341 % 2000).unwrap();
        scheme.issued[writer.place] = 5000;
        let id = mint(&mut scheme, &mut writer, ms);
        assert_eq!(id, Number(11_637_205_501_278_089));
        assert_eq!(values(&scheme, id.0), [1_387_263_000, 1341, 5001 % 1024]);
        assert_eq!(scheme.timestamp(id), Some(Timestamp::from_ms(ms)));
        assert!(scheme.writer(8192).is_err());
    }

    #[test]
    fn an_id_of_mastodon_decodes_to_its_instant_and_tail() {
        let scheme = scheme("mastodon");
        let id = 103_254_222_827_954_101;
        assert_eq!(values(&scheme, id), [1_575_534_405_944, 8117]);
        // 2019-12-05T08:26:45.944Z
        let instant = Timestamp::from_ms(1_575_534_405_944);
        assert_eq!(scheme.timestamp(Number(id)), Some(instant));
        assert_eq!(scheme.limits().writers, None);
    }

    #[test]
    fn a_sequence_runs_on_from_tick_to_tick_and_over_a_restart() {
        let mut scheme = scheme("instagram");
        let mut a = scheme.writer(5).unwrap();
        let mut b = scheme.writer(7).unwrap();
        let sequence = |id: Number| id.0 & 1023;
        let next = |scheme: &mut _, writer: &mut _, ms| sequence(mint(scheme, writer, NOW_MS + ms));
        assert_eq!([0, 0, 1].map(|ms| next(&mut scheme, &mut a, ms)), [1, 2, 3]);
        assert_eq!(next(&mut scheme, &mut b, 1), 1);
        let mut again = scheme.writer(5).unwrap();
        assert_eq!(next(&mut scheme, &mut again, 2), 4);
    }

    /// Where it wraps, a later id of the same tick is the smaller one.
    #[test]
    fn a_tick_has_each_number_once_wherever_it_begins() {
        let mut scheme = scheme("instagram");
        let mut writer = scheme.writer(0).unwrap();
        scheme.issued[0] = 1000;
        let ids: Vec<_> = (0..1024).map(|_| mint(&mut scheme, &mut writer, NOW_MS).0).collect();
        assert!(ids[23] < ids[22] && ids[0] & 1023 == 1001);
        let mut sorted = ids.clone();
        sorted.sort_unstable();
        assert!(sorted.windows(2).all(|pair| pair[1] == pair[0] + 1));
        let now = Timestamp(NOW_MS * NS_PER_MS);
        let stall = scheme.mint(&mut writer, &now, &mut stream(1, "test", 0));
        assert_eq!(stall, Err(Stall::Exhausted { wait_ns: NS_PER_MS }));
    }

    /// One sequence for all, from another start in each millisecond.
    #[test]
    fn sessions_of_a_database_share_a_sequence_that_starts_anywhere() {
        let mut scheme = scheme("mastodon");
        let mut writers = [0, 9].map(|number| scheme.writer(number).unwrap());
        let tail = |id: Number| id.0 & 0xffff;
        let starts: Vec<_> = (0..100)
            .map(|ms| {
                let ids = [0, 1, 0].map(|i| mint(&mut scheme, &mut writers[i], NOW_MS + ms));
                assert!(ids.iter().all(|id| id.0 >> 16 == NOW_MS + ms));
                let [a, b, c] = ids.map(tail);
                assert_eq!([b, c], [(a + 1) & 0xffff, (a + 2) & 0xffff]);
                a
            })
            .collect();
        // Of 100 tails at random about half are less than the one before.
        let down = starts.windows(2).filter(|pair| pair[1] < pair[0]).count();
        assert!((30..70).contains(&down), "{down}");
    }

    #[test]
    fn what_a_running_sequence_cannot_do_is_refused() {
        let spec = "running_sequence:last=worker".parse().unwrap();
        let params = Params::new(&spec, RunningSequence::PARAMS).unwrap();
        assert!(RunningSequence::new(&params).is_err());
        assert!(scheme("discord").set_rollback(Rollback::BackFill).is_err());
        assert!(scheme("discord").set_rollback(Rollback::Consume).is_ok());
        assert_eq!(scheme("discord").writer(1024).unwrap_err().scheme, "running_sequence");
    }
}
