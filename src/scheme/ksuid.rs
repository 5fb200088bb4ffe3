//! KSUID: seconds and 128 random bits.
//!
//! - Layout: timestamp 32 (seconds since 2014-05-13T16:53:20Z), payload 128.
//! - Ids per tick: unbounded, every id draws a new payload.
//! - Lifetime: 2³² s, 136 years; the last second is 2150-06-19T23:21:35Z.
//!   Readings outside are [`Stall::OutOfRange`].
//! - Rollback: followed back; only the payload keeps ids apart.
//! - Source: segmentio/ksuid.

use super::{Field, FieldKind, Limits, Listed, Param, Params, Scheme, SpecError, Stall, WriterError};
use crate::clock::{Clock, NS_PER_S, Timestamp};
use crate::id::{Key20, Ksuid};
use crate::random::{bits128, fill128};
use rand::Rng;

/// Second 0, in seconds since the Unix epoch.
const EPOCH_S: u64 = 1_400_000_000;

/// KSUIDs as segmentio/ksuid makes them.
#[derive(Clone, Debug, Default)]
pub struct KsuidScheme;

/// Seconds since the epoch.
#[inline]
fn second(clock: &impl Clock) -> Result<u32, Stall> {
    let since = clock.now().seconds().checked_sub(EPOCH_S);
    since
        .and_then(|since| u32::try_from(since).ok())
        .ok_or(Stall::OutOfRange)
}

impl Listed for KsuidScheme {
    const NAME: &'static str = "ksuid";
    const ABOUT: &'static str = "seconds and 128 random bits, 160 bits (segmentio/ksuid)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        Ok(Self)
    }
}

impl Scheme for KsuidScheme {
    type Id = Ksuid;
    type Writer = ();

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("timestamp", 32, FieldKind::Timestamp),
            Field::new("payload", 128, FieldKind::Random),
        ]
    }

    fn limits(&self) -> Limits {
        Limits {
            ids_per_tick: None,
            tick_ns: Some(NS_PER_S),
            exhausted_unix_ms: Some((EPOCH_S + (1 << 32)) * 1_000 - 1),
            writers: None,
        }
    }

    fn writer(&mut self, _: u32) -> Result<(), WriterError> {
        Ok(())
    }

    #[inline]
    fn mint(
        &mut self,
        _: &mut (),
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Ksuid, Stall> {
        Ok(Ksuid(Key20::new(second(clock)?, bits128(random))))
    }

    fn fill(
        &mut self,
        _: &mut (),
        clock: &impl Clock,
        random: &mut impl Rng,
        ids: &mut [Ksuid],
    ) -> Result<usize, Stall> {
        let second = second(clock)?;
        fill128(random, ids, |bits| Ksuid(Key20::new(second, bits)));
        Ok(ids.len())
    }

    fn timestamp(&self, id: Ksuid) -> Option<Timestamp> {
        Some(Timestamp((EPOCH_S + u64::from(id.0.high())) * NS_PER_S))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn instant(text: &str) -> String {
        let instant = KsuidScheme.timestamp(text.parse().unwrap()).unwrap();
        jiff::Timestamp::from_second(instant.seconds() as i64)
            .unwrap()
            .to_string()
    }

    #[test]
    fn published_ids_decode_to_their_second() {
        assert_eq!(
            instant("0ujtsYcgvSTl8PAuAdqWYSMnLOv"),
            "2017-10-10T04:00:47Z"
        );
        assert_eq!(
            instant("000000pryYUMiBILyxOCoroLz6w"),
            "2014-05-13T16:53:20Z"
        );
        assert_eq!(
            instant("aWgEPTl1tmebfsQzFP4bxwgy80V"),
            "2150-06-19T23:21:35Z"
        );
    }

    #[test]
    fn readings_outside_32_bits_of_seconds_are_refused() {
        let mut random = stream(1, "test", 0);
        let mut seconds = |ns| {
            let id = KsuidScheme.mint(&mut (), &Timestamp(ns), &mut random);
            id.map(|id| id.0.high())
        };
        let (first, end) = (EPOCH_S * NS_PER_S, (EPOCH_S + (1 << 32)) * NS_PER_S);
        assert_eq!(seconds(first - 1), Err(Stall::OutOfRange));
        assert_eq!(seconds(first), Ok(0));
        assert_eq!(seconds(end - 1), Ok(u32::MAX));
        assert_eq!(seconds(end), Err(Stall::OutOfRange));
    }
}
