//! Push id: milliseconds and 72 random bits, plus 1 within a millisecond.
//!
//! - Layout: timestamp 48 (Unix milliseconds), randomness 72.
//! - Ids per tick: at most 2⁷² a writer, as the count starts at a random number of all 72
//!   bits: it can be used up early, which is [`Stall::Exhausted`], never a wrap or a carry.
//! - Lifetime: 2⁴⁸ ms; the last one is in the year 10889.
//! - Rollback: followed back by default, with new random bits, as in Firebase's clients; any
//!   other [`Rollback`] without sequence numbers.
//! - Source: Firebase blog, 2015-02-11, "The 2^120 Ways to Ensure Unique Identifiers".

use super::ticker::{LAST_MS, MILLISECONDS, Ticker, instant, without_slots};
use super::{
    Field, FieldKind, Limits, Listed, Param, Params, Rollback, Scheme, SpecError, Stall, WriterError,
};
use crate::clock::{Clock, NS_PER_MS, Timestamp};
use crate::id::{Id, PushId};
use crate::random::bits128;
use rand::Rng;

/// Push ids as Firebase's clients make them.
#[derive(Clone, Debug)]
pub struct PushIdScheme {
    rollback: Rollback,
}

/// The 72 bits after `last`.
fn step(last: Option<u128>, random: &mut impl Rng) -> Option<u128> {
    let next = match last {
        Some(tail) => tail + 1,
        None => bits128(random) >> 56,
    };
    (next < 1 << 72).then_some(next)
}

impl Listed for PushIdScheme {
    const NAME: &'static str = "push_id";
    const ABOUT: &'static str = "milliseconds and 72 random bits, 20 characters (Firebase)";
    const PARAMS: &'static [Param] = &[];

    fn new(_: &Params) -> Result<Self, SpecError> {
        let rollback = Rollback::Ignore;
        Ok(Self { rollback })
    }
}

impl Scheme for PushIdScheme {
    type Id = PushId;
    type Writer = Ticker<u128>;

    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("timestamp", 48, FieldKind::Timestamp),
            Field::new("randomness", 72, FieldKind::Random),
        ]
    }

    fn limits(&self) -> Limits {
        Limits {
            ids_per_tick: Some(1 << 72),
            tick_ns: Some(NS_PER_MS),
            exhausted_unix_ms: Some(LAST_MS),
            writers: None,
        }
    }

    fn writer(&mut self, _: u32) -> Result<Ticker<u128>, WriterError> {
        Ok(Ticker::default())
    }

    fn mint(
        &mut self,
        writer: &mut Ticker<u128>,
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<PushId, Stall> {
        let step = |last| step(last, random);
        let (ms, tail) = writer.next(&MILLISECONDS, &self.rollback, clock, step)?;
        Ok(PushId::from_key(u128::from(ms) << 72 | tail))
    }

    fn set_rollback(&mut self, rollback: Rollback) -> Result<(), SpecError> {
        self.rollback = without_slots("push_id", rollback)?;
        Ok(())
    }

    fn resume(&self, writer: &mut Ticker<u128>, floor: Timestamp) {
        writer.resume(MILLISECONDS, floor);
    }

    fn ascends(&self) -> bool {
        true
    }

    fn timestamp(&self, id: PushId) -> Option<Timestamp> {
        Some(instant(id.key() >> 72))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::stream;

    fn scheme() -> PushIdScheme {
        PushIdScheme {
            rollback: Rollback::Ignore,
        }
    }

    #[test]
    fn published_ids_decode_to_their_millisecond() {
        for (text, ms, randomness) in [
            ("-JhLeOlGIEjaIOFHR0xd", 1_423_088_131_153, 0x4c_fbe6_4d94_1270_1f69),
            ("-JhQ76OEK_848CkIFhAq", 1_423_163_029_071, 0x56_5245_24dc_1342_d2f6),
        ] {
            let id = text.parse().unwrap();
            let fields = scheme().decode(id);
            let values: Vec<_> = fields.into_iter().map(|(_, value)| value).collect();
            assert_eq!(values, [ms, randomness]);
            assert_eq!(scheme().timestamp(id), Some(Timestamp::from_ms(ms as u64)));
        }
    }

    #[test]
    fn ids_of_a_millisecond_count_and_carry_nowhere() {
        let mut random = stream(1, "test", 0);
        let mut writer = Ticker::after(7, (1 << 72) - 2);
        let mut mint = |ns| scheme().mint(&mut writer, &Timestamp(ns), &mut random);
        let id = mint(7 * NS_PER_MS).unwrap();
        assert!(id.to_string().ends_with("zzzzzzzzzzzz"));
        let stall = mint(8 * NS_PER_MS - 3);
        assert_eq!(stall, Err(Stall::Exhausted { wait_ns: 3 }));
        let back = mint(6 * NS_PER_MS).unwrap();
        assert_eq!(back.key() >> 72, 6);
        let next = mint(6 * NS_PER_MS + 1).unwrap();
        assert_eq!(next.key(), back.key() + 1);
    }
}
