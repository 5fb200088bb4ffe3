use super::*;
use crate::random::stream;
use crate::scheme::Spec;

fn snowflake(params: &str) -> Result<Snowflake, SpecError> {
    let spec: Spec = format!("snowflake{params}").parse()?;
    Snowflake::new(&Params::new(&spec, Snowflake::PARAMS)?)
}

fn mint(scheme: &mut Snowflake, writer: &mut SnowflakeWriter, ns: u64) -> Result<u64, Stall> {
    let id = scheme.mint(writer, &Timestamp(ns), &mut stream(1, "test", 0));
    id.map(|id| id.0)
}

fn values(scheme: &Snowflake, id: u64) -> Vec<u128> {
    scheme
        .decode(Number(id))
        .into_iter()
        .map(|(_, value)| value)
        .collect()
}

#[test]
fn an_id_of_twitter_decodes_to_its_parts() {
    let scheme = snowflake("").unwrap();
    let id = 1_541_815_603_606_036_480;
    assert_eq!(values(&scheme, id), [0, 367_597_485_448, 378, 0]);
    // 2022-06-28T16:07:40.105Z
    let instant = Timestamp::from_ms(1_656_432_460_105);
    assert_eq!(scheme.timestamp(Number(id)), Some(instant));
}

#[test]
fn an_id_of_discord_decodes_with_its_epoch() {
    let scheme = snowflake(":epoch_ms=discord").unwrap();
    let id = 175_928_847_299_117_063;
    assert_eq!(values(&scheme, id), [0, 41_944_705_796, 1 << 5, 7]);
    // 2016-04-30T11:18:25.796Z
    let instant = Timestamp::from_ms(1_462_015_105_796);
    assert_eq!(scheme.timestamp(Number(id)), Some(instant));
}

/// The worker's bits come first, and sort first.
#[test]
fn the_worker_may_come_before_the_timestamp() {
    let mut scheme = snowflake(":first=worker").unwrap();
    let [mut low, mut high] = [3, 1023].map(|number| scheme.writer(number).unwrap());
    let now_ns = 1_700_000_000_000_000_000;
    let tick = u128::from(1_700_000_000_000u64 - 1_288_834_974_657);
    let early = mint(&mut scheme, &mut high, now_ns).unwrap();
    let late = mint(&mut scheme, &mut low, now_ns + 5_000_000).unwrap();
    assert!(late < early && early < 1 << 63);
    assert_eq!(values(&scheme, early), [0, 1023, tick, 0]);
    assert_eq!(values(&scheme, late), [0, 3, tick + 5, 0]);
    let instant = scheme.timestamp(Number(late));
    assert_eq!(instant, Some(Timestamp(now_ns + 5_000_000)));
    let plain = snowflake("").unwrap();
    assert_eq!(plain.fields()[1].name, "timestamp");
    assert!(snowflake(":first=sequence").is_err());
}

#[test]
fn the_limits_are_those_of_2010() {
    let limits = snowflake("").unwrap().limits();
    assert_eq!(limits.ids_per_tick, Some(4096));
    assert_eq!(limits.writers, Some(1024));
    let exhausted = jiff::Timestamp::from_millisecond(limits.exhausted_unix_ms.unwrap() as i64);
    assert_eq!(exhausted.unwrap().to_string(), "2080-07-10T17:30:30.208Z");
}

#[test]
fn bits_that_do_not_add_up_are_refused_with_their_sum() {
    let error = snowflake(":worker=11").unwrap_err().to_string();
    assert!(error.ends_with("1 + 41 + 0 + 11 + 12 = 65"), "{error}");
    assert!(snowflake(":timestamp=62:worker=1:sequence=0").is_ok());
    assert!(snowflake(":timestamp=63:worker=0:sequence=0").is_err());
    assert!(snowflake(":epoch_ms=yesterday").is_err());
    assert!(snowflake(":sign=0:timestamp=42").is_ok());
    assert!(snowflake(":first=worker:last=worker").is_err());
}

#[test]
fn a_worker_without_room_is_refused() {
    let mut scheme = snowflake("").unwrap();
    assert!(scheme.writer(1023).is_ok());
    let error = scheme.writer(1024).unwrap_err();
    assert_eq!((error.number, error.max), (1024, 1023));
    let mut alone = snowflake(":timestamp=51:worker=0").unwrap();
    assert!(alone.writer(0).is_ok() && alone.writer(1).is_err());
    assert_eq!(alone.fields().len(), 3);
}

#[test]
fn a_used_up_sequence_waits_for_the_next_tick() {
    let mut scheme = snowflake(":tick_ms=10:epoch_ms=unix").unwrap();
    let mut writer = scheme.writer(3).unwrap();
    let tick = 10 * NS_PER_MS;
    for sequence in 0..4096 {
        let id = mint(&mut scheme, &mut writer, 5 * tick + 1).unwrap();
        assert_eq!(values(&scheme, id), [0, 5, 3, sequence]);
    }
    let stall = mint(&mut scheme, &mut writer, 6 * tick - 7);
    assert_eq!(stall, Err(Stall::Exhausted { wait_ns: 7 }));
    let id = mint(&mut scheme, &mut writer, 6 * tick).unwrap();
    assert_eq!(values(&scheme, id), [0, 6, 3, 0]);
}

#[test]
fn a_rollback_waits_for_the_last_tick() {
    let mut scheme = snowflake(":epoch_ms=unix").unwrap();
    let mut writer = scheme.writer(0).unwrap();
    mint(&mut scheme, &mut writer, 5 * NS_PER_MS + 900_000).unwrap();
    let stall = mint(&mut scheme, &mut writer, 2 * NS_PER_MS + 1);
    let wait_ns = 3 * NS_PER_MS - 1;
    assert_eq!(stall, Err(Stall::ClockBehind { wait_ns }));
    // Back in the same tick, though earlier in it, the sequence goes on.
    let id = mint(&mut scheme, &mut writer, 5 * NS_PER_MS).unwrap();
    assert_eq!(values(&scheme, id), [0, 5, 0, 1]);
}

#[test]
fn readings_outside_the_field_are_refused() {
    let mut scheme = snowflake(":timestamp=32:worker=0:sequence=31:tick_ms=1000").unwrap();
    let mut writer = scheme.writer(0).unwrap();
    let last_ms = scheme.limits().exhausted_unix_ms.unwrap();
    let mut at = |ns| mint(&mut scheme, &mut writer, ns);
    let first = 1_288_834_974_657 * NS_PER_MS;
    assert_eq!(at(first - 1), Err(Stall::OutOfRange));
    assert_eq!(at(first), Ok(0));
    assert!(at(last_ms * NS_PER_MS + 999_999).is_ok());
    assert_eq!(at((last_ms + 1) * NS_PER_MS), Err(Stall::OutOfRange));
}

#[test]
fn an_epoch_is_a_name_a_date_or_milliseconds() {
    let epoch = |text: &str| snowflake(text).map(|scheme| scheme.ticks.epoch_ns / NS_PER_MS);
    assert_eq!(epoch(":epoch=discord"), epoch(":epoch_ms=discord"));
    assert_eq!(epoch(":epoch=2014-09-01"), Ok(1_409_529_600_000));
    assert_eq!(epoch(":epoch=unix"), Ok(0));
    for bad in ["2014-13-01", "1969-12-31", "3000-01-01", "12", "tweeter"] {
        let error = epoch(&format!(":epoch={bad}")).unwrap_err().0;
        assert!(error.contains(&format!("epoch={bad}")) && error.contains("a date"), "{error}");
    }
    assert!(epoch(":epoch=unix:epoch_ms=0").is_err());
}
