//! COMB: random, with the time in the last 6 bytes, which SQL Server compares first.
//!
//! - Layout, in the order that SQL Server compares: time 48, var 2, random_a 14, random_b 8,
//!   ver 4, random_c 52: a version 4 UUID whose last 6 bytes are overwritten.
//! - Ids per tick: unbounded, every id draws 74 bits.
//! - Rollback: followed back; only the random bits keep ids apart.
//!
//! | time | in the 6 bytes | lasts until |
//! | --- | --- | --- |
//! | `datetime` | SQL Server's `datetime`: 2 of days since 1900, 4 of 1/300 s (Nilsson 2002, NHibernate's `guid.comb`) | 2079-06-06; then [`Stall::OutOfRange`] |
//! | `unix_ms` | Unix milliseconds (RT.Comb, `UnixDateTimeStrategy`) | the year 10889 |
//!
//! - Source: J. Nilsson, "The Cost of GUIDs as Primary Keys", InformIT, 2002; RT.Comb 4.

use super::ticker::{LAST_MS, instant};
use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, NS_PER_MS, NS_PER_S, Timestamp};
use crate::id::{Id, SqlGuid, Uuid};
use crate::random::bits128;
use rand::Rng;

const DAY_NS: u64 = 86_400 * NS_PER_S;
/// 1970-01-01 in days since 1900-01-01.
const UNIX_DAYS: u64 = 25_567;
/// 1/300 s is so many thirds of a nanosecond.
const TICK_THIRDS: u64 = 10_000_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Time {
    DateTime,
    UnixMs,
}

/// GUIDs in SQL Server's order of time.
#[derive(Clone, Debug)]
pub struct Comb {
    time: Time,
}

impl Comb {
    /// The 48 bits of time.
    fn bits(&self, clock: &impl Clock) -> Result<u64, Stall> {
        match self.time {
            Time::UnixMs => Ok(clock.now_ms()),
            Time::DateTime => {
                let now = clock.now().0;
                let days = u16::try_from(now / DAY_NS + UNIX_DAYS);
                let days = days.map_err(|_| Stall::OutOfRange)?;
                let ticks = now % DAY_NS * 3 / TICK_THIRDS;
                Ok(u64::from(days) << 32 | ticks)
            }
        }
    }
}

impl Listed for Comb {
    const NAME: &'static str = "comb";
    const ABOUT: &'static str =
        "74 random bits behind the time, as SQL Server compares them (Nilsson 2002)";
    const PARAMS: &'static [Param] = &[Param {
        name: "time",
        default: "datetime",
        about: "datetime (days and 1/300 s, as NHibernate), or unix_ms (RT.Comb)",
    }];

    fn new(params: &Params) -> Result<Self, SpecError> {
        let times = [("datetime", Time::DateTime), ("unix_ms", Time::UnixMs)];
        let time = params.choice("time", &times)?;
        Ok(Self { time })
    }
}

impl Scheme for Comb {
    type Id = SqlGuid;
    type Writer = ();

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        let of_time = |name, bits| Field::new(name, bits, FieldKind::Timestamp);
        let mut fields = match self.time {
            Time::DateTime => vec![of_time("days", 16), of_time("ticks", 32)],
            Time::UnixMs => vec![of_time("unix_ms", 48)],
        };
        fields.extend([
            Field::new("var", 2, FieldKind::Fixed),
            Field::new("random_a", 14, FieldKind::Random),
            Field::new("random_b", 8, FieldKind::Random),
            Field::new("ver", 4, FieldKind::Fixed),
            Field::new("random_c", 52, FieldKind::Random),
        ]);
        fields
    }

    fn limits(&self) -> Limits {
        let (tick_ns, last_ms) = match self.time {
            Time::DateTime => {
                let days = (1 << 16) - UNIX_DAYS;
                (TICK_THIRDS.div_ceil(3), days * DAY_NS / NS_PER_MS - 1)
            }
            Time::UnixMs => (NS_PER_MS, LAST_MS),
        };
        Limits {
            ids_per_tick: None,
            tick_ns: Some(tick_ns),
            exhausted_unix_ms: Some(last_ms),
            writers: None,
        }
    }

    fn writer(&mut self, _: u32) -> Result<(), WriterError> {
        Ok(())
    }

    fn mint(
        &mut self,
        _: &mut (),
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<SqlGuid, Stall> {
        let time = self.bits(clock)?;
        let guid = Uuid(bits128(random)).with_version(4);
        Ok(Uuid(guid.0 >> 48 << 48 | u128::from(time)).into())
    }

    /// Days before 1970 are its first instant.
    fn timestamp(&self, id: SqlGuid) -> Option<Timestamp> {
        let time = id.key() >> 80;
        Some(match self.time {
            Time::UnixMs => instant(time),
            Time::DateTime => {
                let days = (time >> 32) as u64;
                let ticks = time as u64 & u64::from(u32::MAX);
                match days.checked_sub(UNIX_DAYS) {
                    // Rounded up: the first nanosecond that is written as this tick.
                    Some(days) => {
                        Timestamp(days * DAY_NS).later((ticks * TICK_THIRDS).div_ceil(3))
                    }
                    None => Timestamp(0),
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn mint(time: Time, now: Timestamp) -> Result<SqlGuid, Stall> {
        Comb { time }.mint(&mut (), &now, &mut stream(1, "test", 0))
    }

    fn values(time: Time, id: SqlGuid) -> Vec<u128> {
        let fields = Comb { time }.decode(id);
        fields.into_iter().map(|(_, value)| value).collect()
    }

    /// SQL Server stores 2000-01-01 as day 0x8EAC and noon as tick 0xC5C100.
    #[test]
    fn a_date_is_what_sql_server_stores() {
        let noon = Timestamp::from_ms((946_684_800 + 43_200) * 1000);
        let id = mint(Time::DateTime, noon).unwrap();
        assert!(id.to_string().ends_with("-8EAC00C5C100"), "{id}");
        assert_eq!(Uuid::from(id).version(), 4);
        let values = values(Time::DateTime, id);
        assert_eq!((values[0], values[1]), (0x8EAC, 0xC5_C100));
        assert_eq!((values[2], values[5]), (2, 4));
        let comb = Comb {
            time: Time::DateTime,
        };
        assert_eq!(comb.timestamp(id), Some(noon));
    }

    #[test]
    fn fields_are_those_of_the_text() {
        let id = "1F2E3D4C-5B6A-4798-8765-017F22E279B0".parse().unwrap();
        let parts = [0x017F_22E2_79B0, 2, 0x0765, 0x98, 4, 0x7_6A5B_4C3D_2E1F];
        assert_eq!(values(Time::UnixMs, id), parts);
        let comb = Comb { time: Time::UnixMs };
        let instant = Timestamp::from_ms(1_645_557_742_000);
        assert_eq!(comb.timestamp(id), Some(instant));
    }

    #[test]
    fn days_end_in_2079() {
        let end_ms = Comb {
            time: Time::DateTime,
        }
        .limits()
        .exhausted_unix_ms
        .unwrap();
        let last = jiff::Timestamp::from_millisecond(end_ms as i64).unwrap();
        assert_eq!(last.to_string(), "2079-06-06T23:59:59.999Z");
        assert!(mint(Time::DateTime, Timestamp::from_ms(end_ms)).is_ok());
        let stall = mint(Time::DateTime, Timestamp::from_ms(end_ms + 1));
        assert_eq!(stall, Err(Stall::OutOfRange));
    }
}
