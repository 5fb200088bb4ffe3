//! The clock of version 1 UUIDs: ticks of 100 ns since 1582-10-15, a clock sequence, a node.
//!
//! - Ids per tick: one. Ticks run ahead of a clock that stands still, by less than 10,000: as
//!   many as fit the millisecond of a coarse clock. Then [`Stall::Exhausted`].
//! - Lifetime: 2⁶⁰ ticks; the last ones are in the year 5236.
//! - Rollback: a reading before the last one has the next of the 2¹⁴ clock sequences, and its
//!   own tick: ids repeat only after so many setbacks to one instant.
//! - Clock sequence and node are drawn once by each writer; the node is marked as no MAC
//!   address (multicast bit).
//! - Source: RFC 9562, sections 5.1, 6.1 and 6.10.

use super::{Field, FieldKind, Limits, Stall};
use crate::clock::{Clock, Timestamp};
use rand::Rng;

const TICK_NS: u64 = 100;
/// The Unix epoch in ticks.
pub const UNIX_TICKS: u64 = 0x01B2_1DD2_1381_4000;
/// Ids of one reading at most.
const MOST_OF_A_READING: u64 = 10_000;
const SEQUENCES: u16 = 1 << 14;
const MULTICAST: u64 = 1 << 40;

/// What an id of this clock carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stamp {
    /// Ticks, 60 bits.
    pub ticks: u64,
    /// The clock sequence, 14 bits.
    pub sequence: u16,
    /// The node, 48 bits.
    pub node: u64,
}

/// What a writer of this clock remembers.
#[derive(Debug, Default)]
pub struct GregorianWriter {
    /// The last stamp.
    last: Option<Stamp>,
    /// The reading that it was made of, in ticks.
    reading: u64,
}

impl Stamp {
    fn drawn(ticks: u64, random: &mut impl Rng) -> Self {
        let bits = random.next_u64();
        Self {
            ticks,
            sequence: (bits >> 48) as u16 % SEQUENCES,
            node: bits & ((1 << 48) - 1) | MULTICAST,
        }
    }

    /// The low 64 bits of all layouts: variant, clock sequence, node.
    pub fn low(self) -> u64 {
        0b10 << 62 | u64::from(self.sequence) << 48 | self.node
    }

    /// The high 64 bits in the order of significance: version 1 and ticks.
    pub fn version_and_ticks(self) -> u64 {
        1 << 60 | self.ticks
    }
}

impl GregorianWriter {
    /// The next stamp.
    ///
    /// # Errors
    /// The clock stands still for too many ids.
    pub fn next(&mut self, clock: &impl Clock, random: &mut impl Rng) -> Result<Stamp, Stall> {
        let now = clock.now();
        let reading = UNIX_TICKS + now.0 / TICK_NS;
        let stamp = match self.last {
            None => Stamp::drawn(reading, random),
            Some(last) if reading < self.reading => Stamp {
                ticks: reading,
                sequence: (last.sequence + 1) % SEQUENCES,
                ..last
            },
            Some(last) => {
                let ticks = reading.max(last.ticks + 1);
                if ticks - reading >= MOST_OF_A_READING {
                    let wait_ns = now.wait_ns(instant(ticks - MOST_OF_A_READING + 1));
                    return Err(Stall::Exhausted { wait_ns });
                }
                Stamp { ticks, ..last }
            }
        };
        self.last = Some(stamp);
        self.reading = reading;
        Ok(stamp)
    }
}

/// The start of a tick; what `u64` nanoseconds since 1970 do not hold saturates.
pub fn instant(ticks: u64) -> Timestamp {
    Timestamp(ticks.saturating_sub(UNIX_TICKS).saturating_mul(TICK_NS))
}

/// The limits of all layouts.
pub fn limits() -> Limits {
    Limits {
        ids_per_tick: Some(1),
        tick_ns: Some(TICK_NS),
        exhausted_unix_ms: Some(((1 << 60) - UNIX_TICKS) / 10_000 - 1),
        writers: None,
    }
}

/// The fields of [`Stamp::low`].
pub const LOW_FIELDS: [Field; 3] = [
    Field::new("var", 2, FieldKind::Fixed),
    Field::new("clock_seq", 14, FieldKind::Counter),
    Field::new("node", 48, FieldKind::Node),
];

/// The fields of [`Stamp::version_and_ticks`].
pub const TICK_FIELDS: [Field; 4] = [
    Field::new("ver", 4, FieldKind::Fixed),
    Field::new("time_high", 12, FieldKind::Timestamp),
    Field::new("time_mid", 16, FieldKind::Timestamp),
    Field::new("time_low", 32, FieldKind::Timestamp),
];

/// The example of RFC 9562, appendix A.1.
#[cfg(test)]
pub const EXAMPLE: Stamp = Stamp {
    ticks: 0x1EC_9414_C232_AB00,
    sequence: 0x33C8,
    node: 0x9F6B_DECE_D846,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    /// 2025-01-01T00:00:00Z.
    const START_NS: u64 = 1_735_689_600_000_000_000;

    #[test]
    fn the_example_of_rfc_9562_has_its_instant() {
        let instant = instant(EXAMPLE.ticks);
        assert_eq!(instant, Timestamp::from_ms(1_645_557_742_000));
        let first = GregorianWriter::default().next(&instant, &mut stream(1, "test", 0));
        assert_eq!(first.unwrap().ticks, EXAMPLE.ticks);
        assert_eq!(super::instant(0), Timestamp(0));
        assert_eq!(super::instant((1 << 60) - 1), Timestamp(u64::MAX));
    }

    #[test]
    fn a_standing_clock_is_left_behind_by_less_than_a_millisecond() {
        let (mut writer, mut random) = (GregorianWriter::default(), stream(1, "test", 0));
        let mut next = |ns| writer.next(&Timestamp(START_NS + ns), &mut random);
        let first = next(50).unwrap();
        assert_ne!(first.node & MULTICAST, 0);
        for ahead in 1..10_000 {
            let ticks = first.ticks + ahead;
            assert_eq!(next(50), Ok(Stamp { ticks, ..first }));
        }
        for ns in [50, 99] {
            let wait_ns = 100 - ns;
            assert_eq!(next(ns), Err(Stall::Exhausted { wait_ns }));
        }
        let ticks = first.ticks + 10_000;
        assert_eq!(next(100), Ok(Stamp { ticks, ..first }));
    }

    #[test]
    fn a_clock_that_goes_back_has_the_next_sequence() {
        let (mut writer, mut random) = (GregorianWriter::default(), stream(1, "test", 0));
        let mut next = |ns| writer.next(&Timestamp(START_NS + ns), &mut random).unwrap();
        let first = next(1000);
        let sequence = (first.sequence + 1) % SEQUENCES;
        let back = Stamp {
            ticks: first.ticks - 5,
            sequence,
            ..first
        };
        assert_eq!(next(500), back);
        // Where the first id was, with another sequence.
        assert_eq!(next(1000), Stamp { sequence, ..first });
        // Every other reading goes back.
        let ids = (0..2 * u64::from(SEQUENCES)).map(|i| next(i % 2 * 100).sequence);
        assert_eq!(ids.max(), Some(SEQUENCES - 1));
    }
}
