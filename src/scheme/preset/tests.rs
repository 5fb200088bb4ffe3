use super::*;
use crate::clock::{NS_PER_MS, Timestamp};
use crate::id::Number;
use crate::random::stream;
use crate::scheme::{
    FieldKind, Listed, Params, SCHEMES, Scheme, Snowflake, Spec, SpecError, TicketBlock, Visitor,
    visit,
};

fn snowflake(text: &str) -> Result<Snowflake, SpecError> {
    let spec: Spec = text.parse()?;
    Snowflake::new(&Params::new(&spec, Snowflake::PARAMS)?)
}

fn values(scheme: &Snowflake, id: u64) -> Vec<u128> {
    let fields = scheme.decode(Number(id)).into_iter();
    fields.map(|(_, value)| value).collect()
}

/// As a date.
fn exhausted(scheme: &impl Scheme) -> String {
    let ms = scheme.limits().exhausted_unix_ms.unwrap() as i64;
    jiff::Timestamp::from_millisecond(ms).unwrap().to_string()
}

#[test]
fn presets_are_settings_of_a_scheme_under_names_of_their_own() {
    struct Ignore;
    impl Visitor for Ignore {
        type Output = ();
        fn visit<S: Scheme>(self, _: S) {}
    }
    for (i, preset) in PRESETS.iter().enumerate() {
        let Preset { name, scheme, .. } = preset;
        assert!(PRESETS[..i].iter().all(|other| other.name != *name));
        assert!(SCHEMES.iter().all(|other| other.name != *name), "{name}");
        let base = SCHEMES.iter().find(|base| base.name == *scheme);
        let base = base.unwrap_or_else(|| panic!("{name} is no {scheme}"));
        for (key, _) in preset.params {
            assert!(
                base.params.iter().any(|param| param.name == *key),
                "{name}: {key}"
            );
        }
        assert_eq!(visit(&name.parse().unwrap(), Ignore), Ok(()), "{name}");
    }
    let unknown = visit(&"sonyflak".parse().unwrap(), Ignore).unwrap_err();
    assert!(unknown.to_string().contains("sonyflake"), "{unknown}");
}

#[test]
fn parameters_that_are_given_come_before_those_of_a_preset() {
    let scheme = snowflake("sonyflake:epoch_ms=unix").unwrap();
    assert_eq!(scheme.ticks.epoch_ns, 0);
    assert_eq!(scheme.ticks.tick_ns, 10 * NS_PER_MS);
    let error = snowflake("twitter:worker=6").unwrap_err().to_string();
    assert!(
        error.starts_with("twitter: ") && error.ends_with("= 65"),
        "{error}"
    );
}

#[test]
fn an_id_of_twitter_has_a_data_centre_and_a_worker() {
    let mut scheme = snowflake("twitter").unwrap();
    let id = 1_541_815_603_606_036_480;
    assert_eq!(values(&scheme, id), [0, 367_597_485_448, 11, 26, 0]);
    assert!(scheme.writer(1023).is_ok() && scheme.writer(1024).is_err());
}

/// Elapsed 1, sequence 2, machine 3.
#[test]
fn the_machine_of_a_sonyflake_is_in_its_lowest_bits() {
    let mut scheme = snowflake("sonyflake").unwrap();
    assert_eq!(values(&scheme, 16_908_291), [0, 1, 2, 3]);
    let mut writer = scheme.writer(3).unwrap();
    let start_ns = 1_409_529_600_000 * NS_PER_MS;
    let mut at = |ns| {
        let now = Timestamp(start_ns + ns);
        scheme.mint(&mut writer, &now, &mut stream(1, "test", 0))
    };
    let ids = [10_000_000, 19_999_999, 15_000_000].map(|ns| at(ns).unwrap().0);
    assert_eq!(ids, [1 << 24 | 3, 1 << 24 | 1 << 16 | 3, 16_908_291]);
    // A clock that goes back uses up the sequence, and then has to come again.
    assert_eq!(at(0).unwrap().0, 1 << 24 | 3 << 16 | 3);
    let more = (0..300).take_while(|_| at(0).is_ok()).count();
    assert_eq!(more, 256 - 4);
    assert_eq!(at(20_000_000).unwrap().0, 2 << 24 | 3);
    assert_eq!(
        exhausted(&snowflake("sonyflake").unwrap()),
        "2188-11-16T03:28:58.879Z"
    );
    let rollback = Rollback::BackFill;
    assert!(
        snowflake("sonyflake")
            .unwrap()
            .set_rollback(rollback)
            .is_err()
    );
}

#[test]
fn bulk_ids_of_a_sonyflake_are_a_machine_apart() {
    let mut scheme = snowflake("sonyflake").unwrap();
    let mut writer = scheme.writer(7).unwrap();
    let now = Timestamp(1_700_000_000_000 * NS_PER_MS);
    let mut ids = [Number(0); 300];
    let filled = scheme.fill(&mut writer, &now, &mut stream(1, "test", 0), &mut ids);
    assert_eq!(filled, Ok(256));
    let steps = ids[..256].windows(2).map(|pair| pair[1].0 - pair[0].0);
    assert!(steps.into_iter().all(|step| step == 1 << 16));
    assert!(ids[..256].iter().all(|id| id.0 & 0xffff == 7));
}

/// The default layout has ended; one that counts from another day goes on.
#[test]
fn the_seconds_of_baidu_are_used_up() {
    let scheme = snowflake("baidu").unwrap();
    assert_eq!(exhausted(&scheme), "2024-11-20T13:24:15.999Z");
    let id = 1000 << 35 | 7 << 13 | 5;
    assert_eq!(values(&scheme, id), [0, 1000, 7, 5]);
    let later = snowflake("baidu:epoch_ms=1700000000000").unwrap();
    assert_eq!(exhausted(&later), "2032-05-17T19:37:35.999Z");
}

#[test]
fn cached_seconds_of_baidu_run_ahead_of_the_clock() {
    let mut scheme = snowflake("baidu_cached:epoch_ms=unix:timestamp=32:worker=18").unwrap();
    let mut writer = scheme.writer(0).unwrap();
    let now = Timestamp(1_700_000_000_000 * NS_PER_MS);
    let mut mint = || {
        scheme
            .mint(&mut writer, &now, &mut stream(1, "test", 0))
            .unwrap()
    };
    let ids: Vec<_> = (0..3 * 8192).map(|_| mint().0).collect();
    let seconds = ids.chunks(8192).map(|second| second[0] >> 31);
    assert!(seconds.eq([0, 1, 2].map(|second| 1_700_000_000 + second)));
    assert!(ids.is_sorted_by(|a, b| a < b));
}

#[test]
fn segments_and_pools_are_ticket_blocks() {
    let visits = |name: &str, ids: u32| {
        let spec = name.parse().unwrap();
        let params = Params::new(&spec, TicketBlock::PARAMS).unwrap();
        let mut scheme = TicketBlock::new(&params).unwrap();
        let mut writer = scheme.writer(0).unwrap();
        for _ in 0..ids {
            let id = scheme.mint(&mut writer, &Timestamp(0), &mut stream(1, "test", 0));
            assert!(id.is_ok());
        }
        assert!(
            scheme
                .fields()
                .iter()
                .all(|field| field.kind != FieldKind::Node)
        );
        scheme.visits()
    };
    assert_eq!([50, 51].map(|ids| visits("hi_lo", ids)), [Some(1), Some(2)]);
    assert_eq!(
        [50, 51].map(|ids| visits("pooled", ids)),
        [Some(1), Some(2)]
    );
    let segments = [199, 200, 2199, 2200].map(|ids| visits("leaf_segment", ids));
    assert_eq!(segments, [Some(1), Some(2), Some(2), Some(3)]);
}
