use super::*;
use crate::random::stream;
use rand::TryRng;
use std::convert::Infallible;

/// Draws the same bits again and again.
struct Always(u64);

impl TryRng for Always {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.0 as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.0)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        bytes.fill(self.0 as u8);
        Ok(())
    }
}

fn of(tail: Tail) -> UuidV7 {
    UuidV7 {
        tail,
        rollback: Rollback::default(),
    }
}

fn values(tail: Tail, id: Uuid) -> Vec<u128> {
    let fields = of(tail).decode(id);
    fields.into_iter().map(|(_, value)| value).collect()
}

fn mint(tail: Tail, writer: &mut UuidV7Writer, ns: u64) -> Result<Uuid, Stall> {
    of(tail).mint(writer, &Timestamp(ns), &mut stream(ns, "test", 0))
}

#[test]
fn the_example_of_rfc_9562_appendix_a_6_decodes_to_its_parts() {
    let id = "017F22E2-79B0-7CC3-98C4-DC0C0C07398F".parse().unwrap();
    let parts = [1_645_557_742_000, 7, 0xCC3, 2, 0x18C4_DC0C_0C07_398F];
    assert_eq!(values(Tail::Random, id), parts);
    let instant = Timestamp::from_ms(1_645_557_742_000);
    assert_eq!(of(Tail::Random).timestamp(id), Some(instant));
    assert_eq!(uuid(instant.ms(), 0xCC3, 0x18C4_DC0C_0C07_398F), id);
}

#[test]
fn the_example_of_postgresql_18_decodes_with_its_fraction() {
    let id = "019535d9-3df7-79fb-b466-fa907fa17f9e".parse().unwrap();
    assert_eq!(
        values(Tail::Fraction, id)[..3],
        [1_740_365_184_503, 7, 2555]
    );
    let scheme = of(Tail::Fraction);
    let instant = Timestamp(1_740_365_184_503 * NS_PER_MS + 623_780);
    assert_eq!(scheme.timestamp(id), Some(instant));
    let same = mint(Tail::Fraction, &mut UuidV7Writer::default(), instant.0).unwrap();
    assert_eq!(scheme.timestamp(same), Some(instant));
    let before = mint(Tail::Fraction, &mut UuidV7Writer::default(), instant.0 - 1).unwrap();
    assert_eq!(values(Tail::Fraction, before)[2], 2554);
}

#[test]
fn a_used_up_counter_waits_for_the_next_millisecond() {
    let mut writer = UuidV7Writer::default();
    for counter in 0..4096 {
        let id = mint(Tail::Counter, &mut writer, 7 * NS_PER_MS).unwrap();
        assert_eq!(values(Tail::Counter, id)[..4], [7, 7, counter, 2]);
    }
    let stall = mint(Tail::Counter, &mut writer, 7 * NS_PER_MS + 1);
    let wait_ns = NS_PER_MS - 1;
    assert_eq!(stall, Err(Stall::Exhausted { wait_ns }));
    let id = mint(Tail::Counter, &mut writer, 8 * NS_PER_MS).unwrap();
    assert_eq!(values(Tail::Counter, id)[..3], [8, 7, 0]);
}

#[test]
fn a_long_counter_starts_below_its_highest_bit_and_goes_on_by_one() {
    let counter = |id| {
        let values = values(Tail::Counter42, id);
        assert_eq!((values[1], values[3]), (7, 2));
        values[2] << 30 | values[4]
    };
    let mut starts = Vec::new();
    for ms in 1..100 {
        let mut writer = UuidV7Writer::default();
        let mut next = || counter(mint(Tail::Counter42, &mut writer, ms * NS_PER_MS).unwrap());
        let start = next();
        assert!(start < 1 << 41);
        assert_eq!(next(), start + 1);
        starts.push(start);
    }
    assert!(starts.iter().any(|start| start >> 40 == 1));
    let count = Ticker::after(7, (1 << 42) - 2);
    let mut writer = UuidV7Writer { count, last_ns: 0 };
    let last = mint(Tail::Counter42, &mut writer, 7 * NS_PER_MS).unwrap();
    assert_eq!(counter(last), (1 << 42) - 1);
    let stall = mint(Tail::Counter42, &mut writer, 8 * NS_PER_MS - 5);
    assert_eq!(stall, Err(Stall::Exhausted { wait_ns: 5 }));
}

#[test]
fn a_used_up_monotonic_tail_waits_and_carries_nowhere() {
    let count = Ticker::after(7, (1 << 74) - 1);
    let mut writer = UuidV7Writer { count, last_ns: 0 };
    for _ in 0..3 {
        let stall = mint(Tail::Monotonic, &mut writer, 8 * NS_PER_MS - 5);
        assert_eq!(stall, Err(Stall::Exhausted { wait_ns: 5 }));
    }
    let id = mint(Tail::Monotonic, &mut writer, 8 * NS_PER_MS).unwrap();
    assert_eq!(values(Tail::Monotonic, id)[0], 8);
}

#[test]
fn a_monotonic_tail_starts_in_the_lower_half_and_steps_by_1_to_two_to_the_32() {
    let tail_of = |id: Uuid| id.key().field(64, 12) << 62 | id.key().field(0, 62);
    let extremes = [(0, 0, 1), (u64::MAX, (1 << 73) - 1, 1 << 32)];
    for (bits, start, step) in extremes {
        let tail = Tail::Monotonic;
        let (mut scheme, mut writer) = (of(tail), UuidV7Writer::default());
        let mut next = || {
            let id = scheme.mint(&mut writer, &Timestamp(0), &mut Always(bits));
            tail_of(id.unwrap())
        };
        assert_eq!(
            [next(), next(), next()],
            [start, start + step, start + 2 * step]
        );
    }
}

#[test]
fn a_rollback_waits_for_the_last_millisecond() {
    for tail in [Tail::Counter, Tail::Counter42, Tail::Monotonic] {
        let mut writer = UuidV7Writer::default();
        mint(tail, &mut writer, 7 * NS_PER_MS + 400_000).unwrap();
        let stall = mint(tail, &mut writer, 4 * NS_PER_MS + 1);
        let wait_ns = 3 * NS_PER_MS - 1;
        assert_eq!(stall, Err(Stall::ClockBehind { wait_ns }));
        assert!(mint(tail, &mut writer, 7 * NS_PER_MS).is_ok());
    }
}

#[test]
fn the_fraction_grows_by_245_ns_even_if_the_clock_does_not() {
    let mut writer = UuidV7Writer::default();
    let start = 7 * NS_PER_MS + 999_000;
    let mut last = mint(Tail::Fraction, &mut writer, start).unwrap();
    for i in 1..10_000 {
        let reading = if i % 2 == 0 { start } else { start - NS_PER_MS };
        let id = mint(Tail::Fraction, &mut writer, reading).unwrap();
        assert!(id.0 >> 64 > last.0 >> 64);
        assert_eq!(writer.last_ns, start + i * STEP_NS);
        last = id;
    }
    writer.last_ns = u64::MAX - 100;
    assert_eq!(
        mint(Tail::Fraction, &mut writer, start),
        Err(Stall::OutOfRange)
    );
}
