use super::*;
use crate::clock::CLOCKS;
use proptest::prelude::*;

#[test]
fn presets_and_what_is_changed_of_them_read_back() {
    for preset in CLOCKS {
        let model = ClockModel::parse(preset.name).unwrap();
        assert_eq!(
            ClockModel::parse(preset.text).unwrap(),
            model,
            "{}",
            preset.name
        );
        assert_eq!(ClockModel::parse(&model.to_string()).unwrap(), model);
        let changed = format!("{},at=1min:+1s:25%", preset.name);
        let changed = ClockModel::parse(&changed).unwrap();
        assert_ne!(changed, model);
        let without = ClockModel::parse(&format!("{changed},at=never"));
        assert_eq!(without.unwrap_err().to_string(), "at is given twice");
    }
    let calm = ClockModel::parse("wan_pool,step=never").unwrap();
    assert_eq!(
        calm.to_string(),
        "offset=lognormal:2313500ns:1:50ms,drift=normal:10ppm,correct=slew:64s"
    );
}

fn law(unit: &'static str) -> impl Strategy<Value = String> {
    let size = move || (0u32..100_000).prop_map(move |size| format!("{size}{unit}"));
    let more = move || {
        prop::option::of(size())
            .prop_map(|size| size.map_or(String::new(), |size| format!(":{size}")))
    };
    prop_oneof![
        (size(), more()).prop_map(|(sd, cap)| format!("normal:{sd}{cap}")),
        (size(), more()).prop_map(|(scale, tail)| format!("laplace:{scale}{tail}")),
        (size(), 0.0..10.0, more())
            .prop_map(|(median, sigma, tail)| format!("lognormal:{median}:{sigma}{tail}")),
        size().prop_map(|most| format!("uniform:{most}")),
        (size(), any::<bool>())
            .prop_map(|(value, minus)| format!("constant:{}{value}", if minus { "-" } else { "" })),
    ]
}

fn jump() -> impl Strategy<Value = String> {
    ("[+-]?", 1u32..1000, prop::option::of(0u32..1000)).prop_map(|(sign, least, more)| {
        let most = more.map_or(String::new(), |more| {
            format!("..{}us", (least + more) * 1000)
        });
        format!("{sign}{least}ms{most}")
    })
}

fn share() -> impl Strategy<Value = String> {
    prop::option::of(1u32..=100)
        .prop_map(|share| share.map_or(String::new(), |share| format!(":{share}%")))
}

fn correction() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("never".to_owned()),
        Just("ntpd".to_owned()),
        Just("chrony".to_owned()),
        (50u32..5000).prop_map(|ms| format!("slew:{ms}ms")),
        (1u32..5000).prop_map(|s| format!("step:{s}s")),
        (1u32..5000).prop_map(|min| format!("ntpd:{min}min")),
        (1u32..50, 0u32..50).prop_map(|(d, steps)| format!("chrony:{d}d:{d}us:{steps}")),
        (1u32..50).prop_map(|h| format!("chrony:{h}h:1.5h:always")),
    ]
}

proptest! {
    #[test]
    fn a_clock_s_text_reads_back(
        (sites, offset, target, drift) in (prop::option::of((1u32..9, law("us"))), law("ns"), law("ms"), law("ppb")),
        correction in correction(),
        step in prop::option::of((1u32..60, jump())),
        suspend in prop::option::of((1u32..60, 0u32..100)),
        (at, upstream, epoch) in (
            prop::option::of((jump(), share())),
            prop::option::of((jump(), share())),
            prop::option::of((jump(), share())),
        ),
        leap in prop::option::of(prop::option::of(share())),
    ) {
        let mut parts = vec![
            format!("offset={offset}"),
            format!("target={target}"),
            format!("drift={drift}"),
            format!("correct={correction}"),
        ];
        parts.extend(sites.map(|(count, law)| format!("sites={count}:{law}")));
        parts.extend(step.map(|(rate, size)| format!("step={rate}/h:{size}")));
        parts.extend(suspend.map(|(days, s)| format!("suspend={days}d:{s}s..200s")));
        parts.extend(at.map(|(size, share)| format!("at=1s..5s:{size}{share}")));
        parts.extend(upstream.map(|(size, share)| format!("upstream=1h:{size}:5min{share}")));
        parts.extend(epoch.map(|(size, share)| format!("epoch=0..5s:{size}{share}")));
        parts.extend(leap.map(|smear| {
            let smear = smear.map_or(String::new(), |share| format!(":smear{share}"));
            format!("leap=60s{smear}")
        }));
        let text = parts.join(",");
        let model = ClockModel::parse(&text);
        prop_assert!(model.is_ok(), "{text}: {model:?}");
        let model = model.unwrap();
        let shown = model.to_string();
        prop_assert_eq!(ClockModel::parse(&shown), Ok(model), "{}", shown);
    }

    #[test]
    fn no_text_makes_the_parser_panic(text in "[a-z=:,./0-9%+-]{0,40}", key in 0..CLOCK_KEYS.len()) {
        let _ = ClockModel::parse(&text);
        let _ = ClockModel::parse(&format!("{}={text}", CLOCK_KEYS[key].0));
    }
}

#[test]
fn what_makes_no_sense_is_named() {
    for (text, expected) in [
        ("", "the text is empty, expected a clock's name or key"),
        (" , ", "the text is empty"),
        (
            ",at=1s:1s",
            "\"\": expected a clock's name or key=value before the comma",
        ),
        (
            "lan_crony",
            "unknown clock \"lan_crony\" (did you mean \"lan_chrony\"?)",
        ),
        (
            "ofset=constant:1s",
            "ofset=constant:1s: unknown key \"ofset\" (did you mean \"offset\"?)",
        ),
        (
            "offset=laplac:1s",
            "offset=laplac:1s: unknown law \"laplac\" (did you mean \"laplace\"?)",
        ),
        (
            "offset=laplace:150",
            "\"150\": expected a number with its unit (ns, us, ms, s, min, h, d)",
        ),
        (
            "offset=laplace",
            "offset=laplace: expected laplace:SCALE[:TAIL]",
        ),
        ("offset=normal:1s:1s:1s", "expected normal:SD[:CAP]"),
        ("offset=normal:-1s", "\"-1s\": expected no sign"),
        (
            "offset=lognormal:1s:-1",
            "\"-1\": expected a sigma of 0 to 10",
        ),
        ("offset=lognormal:1s:NaN", "\"NaN\": expected a sigma"),
        (
            "drift=normal:1us",
            "expected a number with its unit (ppm, ppb)",
        ),
        ("drift=constant:100001ppm", "expected at most 100000ppm"),
        ("offset=constant:20001d", "expected at most 20000d"),
        (
            "correct=slewed:1s",
            "unknown correction \"slewed\" (did you mean \"slew\"?)",
        ),
        ("correct=slew", "expected slew:EVERY"),
        (
            "correct=slew:0",
            "\"0\": expected at least 50ms from one correction",
        ),
        (
            "correct=chrony:1s:1s:-1",
            "expected a number of corrections or always",
        ),
        ("step=1/h", "expected RATE:SIZE"),
        ("step=0/h:1s", "expected a rate such as 2/h or 30d"),
        ("correct=ntpd:49ms", "\"49ms\": expected at least 50ms"),
        (
            "step=1ns:1s",
            "\"1ns\": expected a mean gap of at least 50ms",
        ),
        (
            "suspend=21/s:1s",
            "\"21/s\": expected a mean gap of at least 50ms",
        ),
        ("step=1/h:0s", "step=1/h:0s: \"0s\": expected more than 0"),
        ("epoch=1s:0..0s", "\"0..0s\": expected more than 0"),
        ("suspend=1s:0s", "\"0s\": expected more than 0"),
        ("suspend=1s:lognormal:0:1", "\"0\": expected more than 0"),
        ("at=5s:-0s:10%", "\"0s\": expected more than 0"),
        ("upstream=5s:1s:0", "\"0\": expected more than 0"),
        ("at=1s:-99999999d", "\"99999999d\": expected at most 20000d"),
        (
            "at=1s:99999999999999999999999.5s",
            "expected at most 20000d",
        ),
        ("at=1s:99999999d9d", "expected a number with its unit"),
        (
            "at=1s:99999999999999999999.5.5s",
            "expected a number with its unit",
        ),
        (
            "offset=constant:-300000000000000s",
            "\"-300000000000000s\": expected at most 20000d",
        ),
        (
            "drift=constant:99999999999999999999ppm",
            "expected at most 100000ppm",
        ),
        ("step=1/h:2s..1s", "expected the smaller one first"),
        ("at=60s", "expected AFTER:SIZE[:SHARE]"),
        ("at=60s:1s:0%", "expected a share of 1% to 100%"),
        (
            "upstream=60s:1s:10%",
            "\"10%\": expected a number with its unit",
        ),
        ("leap=60s:smeared", "expected AFTER[:smear[:SHARE]]"),
        ("sites=0:constant:1s", "expected 1 to 1000000 sites"),
        (
            "ideal,lan_chrony",
            "\"lan_chrony\": expected key=value; a clock's name comes first",
        ),
        ("ideal,", "\"\": expected key=value"),
        (
            "offset=constant:1s,offset=constant:1s",
            "offset is given twice",
        ),
    ] {
        let error = ClockModel::parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
        assert_eq!(error.lines().count(), 1);
    }
}
