//! Presets as they are named.

use super::*;

/// Readings are part of every golden result: a change here changes them all.
#[test]
fn readings_are_pinned() {
    let digest = |name: &str| {
        let model = model(name);
        let mut digest = 0xcbf2_9ce4_8422_2325_u64;
        for writer in 0..8 {
            let mut clock = model.start(7, writer, START);
            let mut now = START;
            for i in 0..6_000u64 {
                let byte = |digest: u64, byte: u8| {
                    (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
                };
                let bytes = clock.read(now).0.to_le_bytes();
                digest = bytes.into_iter().fold(digest, byte);
                // Two days in all.
                now = now.later(if i % 2 == 0 {
                    i * 7
                } else {
                    i * 20_000_003 * (i % 3)
                });
            }
        }
        digest
    };
    for (name, expected) in [
        ("ideal", 0xd3d9_469b_a748_4575),
        ("ptp_hw", 0xa697_6293_06d6_c6c6),
        ("ec2_phc", 0x6946_1b8b_45ed_4dd9),
        ("ec2_ntp", 0x3f50_ad8c_b6d2_cd38),
        ("lan_chrony", 0x090c_a8cb_ea3b_1321),
        ("wan_pool", 0xfb93_eb3c_200f_3b5e),
        ("multi_dc", 0x17cd_8b84_c47f_7731),
        ("crdb_edge", 0xe973_5493_fa1a_7e81),
        ("cron_sync", 0x57ef_4cea_3da5_45d2),
        ("unsynced", 0x81d6_f3af_f240_9738),
    ] {
        assert_eq!(digest(name), expected, "{name}");
    }
}

#[test]
fn truetime_stays_within_its_bound() {
    let mut clock = model("truetime").start(1, 0, START);
    for tenth in 0..36_000 {
        let error = error_ns(&mut clock, START.later(tenth * (NS_PER_S / 10)));
        assert!(error.unsigned_abs() <= 7_000_001, "{error}");
    }
}

#[test]
fn bad_servers_lead_a_tenth_of_the_writers_astray_for_52_minutes() {
    let model = model("bad_upstream");
    let astray: Vec<u32> = (0..20)
        .filter(|&writer| {
            let jumps = jumps_ns(&mut model.start(1, writer, START), 3600);
            let years = 4383 * DAY_NS.cast_signed();
            let fits = |at: (u64, i64), second, by_ns: i64| {
                at.0 == second && (at.1 - by_ns).abs() < 1_000_000
            };
            match *jumps {
                [] => false,
                [away, back] => fits(away, 120, -years) && fits(back, 3240, years),
                _ => unreachable!("{jumps:?}"),
            }
        })
        .collect();
    assert_eq!(astray, [9, 19]);
}

#[test]
fn another_epoch_comes_with_a_restart() {
    let model = model("tz_epoch");
    let mut ways = [0; 2];
    for writer in 0..100 {
        let mut clock = model.start(1, writer, START);
        let Some(at) = clock.next_restart() else {
            assert_eq!(writer % 2, 0);
            continue;
        };
        assert!(at <= START.later(300 * NS_PER_S));
        let before = error_ns(&mut clock, Timestamp(at.0 - 1));
        let by_ns = error_ns(&mut clock, at) - before;
        assert!((by_ns.abs() - 3_600_000_000_000).abs() < 10, "{by_ns}");
        assert_eq!(clock.next_restart(), None);
        let hour = error_ns(&mut clock, at.later(DAY_NS));
        assert!(
            (hour.abs() - 3_600_000_000_000).abs() < 10_000_000,
            "{hour}"
        );
        ways[usize::from(by_ns > 0)] += 1;
    }
    // Binomial, 50 of a half: 5.5 standard deviations are 19.
    assert!(
        ways[0] + ways[1] == 50 && ways[0].min(ways[1]) >= 6,
        "{ways:?}"
    );
}

#[test]
fn a_laptop_wakes_up_late_and_is_set_at_the_next_correction() {
    let mut clock = model("laptop").start(1, 0, START);
    let mut asleep = 0;
    let mut now = START;
    while now < START.later(30 * DAY_NS) {
        now = now.later(60 * NS_PER_S);
        let Some(end) = clock.stopped_until(now) else {
            continue;
        };
        asleep += 1;
        let late = error_ns(&mut clock, end);
        // By what is left of it, at least.
        assert!(
            late < 1_000_000_000 - (end.0 - now.0).cast_signed(),
            "{late}"
        );
        now = end.later(64 * NS_PER_S);
        if clock.stopped_until(now).is_none() {
            assert!(error_ns(&mut clock, now).abs() < 1_000_000_000);
        }
    }
    // Poisson, mean 30 less the time asleep: 5.5 standard deviations and more.
    assert!((1..=60).contains(&asleep), "{asleep}");
}
