mod centre;
mod conduct;

use super::*;
use crate::clock::{NS_PER_MS, NS_PER_S};
use crate::scheme::{AutoIncrement, Listed, Params, Snowflake, Spec, UuidV7};

fn scheme<S: Listed>(text: &str) -> S {
    let spec: Spec = text.parse().unwrap();
    S::new(&Params::new(&spec, S::PARAMS).unwrap()).unwrap()
}

fn issue<S: Scheme>(scheme: S, spec: FleetSpec, ids: usize) -> Vec<Issued<S::Id>> {
    let mut fleet = Fleet::new(scheme, spec).unwrap();
    (0..ids).map(|_| fleet.issue().unwrap()).collect()
}

fn honest() -> FleetSpec {
    FleetSpec {
        writers: 16,
        arrivals: Arrivals::Poisson,
        clocks: Clocks::Offset {
            sd_ns: 2 * NS_PER_MS,
        },
        latency: Latency::Exponential { mean_ns: NS_PER_MS },
        ..FleetSpec::single(10_000, 1)
    }
}

/// 10⁵ arrivals: the rate's standard error is 0.3 % (Poisson), 3.2 % (bursts of 100).
#[test]
fn ids_come_at_the_rate_and_in_the_order_of_insertion() {
    for (arrivals, tolerance) in [
        (Arrivals::Steady, 1e-4),
        (Arrivals::Poisson, 0.017),
        (Arrivals::Bursty, 0.17),
    ] {
        let issued = issue(
            scheme::<UuidV7>("uuid_v7"),
            FleetSpec {
                arrivals,
                ..honest()
            },
            100_000,
        );
        assert!(issued.is_sorted_by_key(|id| id.inserted));
        let last = issued.iter().map(|id| id.minted).max().unwrap();
        let seconds = (last.0 - START.0) as f64 / 1e9;
        assert!(
            (seconds / 10.0 - 1.0).abs() < tolerance,
            "{arrivals:?}: {seconds} s"
        );
    }
}

/// A gap of 16.7 ns on average must not be 16.
#[test]
fn high_rates_are_kept() {
    let spec = FleetSpec {
        arrivals: Arrivals::Poisson,
        ..FleetSpec::single(60_000_000, 1)
    };
    let issued = issue(scheme::<UuidV7>("uuid_v7"), spec, 100_000);
    let seconds = (issued[99_999].minted.0 - START.0) as f64 / 1e9;
    let rate = 100_000.0 / seconds;
    assert!((rate / 60e6 - 1.0).abs() < 0.017, "{rate}");
}

#[test]
fn writers_are_as_good_as_their_clocks_and_rows_as_late_as_their_delay() {
    let spec = FleetSpec {
        writers: 1000,
        ..honest()
    };
    let issued = issue(scheme::<UuidV7>("uuid_v7"), spec, 100_000);
    let reader: UuidV7 = scheme("uuid_v7");
    let n = issued.len() as f64;
    let delay = issued
        .iter()
        .map(|id| (id.inserted.0 - id.minted.0) as f64)
        .sum::<f64>()
        / n;
    // Standard error 0.3 %.
    assert!((delay / 1e6 - 1.0).abs() < 0.017, "{delay} ns");
    let error_ms = |id: &Issued<_>| {
        reader.timestamp(id.id).unwrap().ms() as f64 + 0.5 - id.minted.0 as f64 / 1e6
    };
    let variance = issued.iter().map(|id| error_ms(id).powi(2)).sum::<f64>() / n;
    // 1,000 offsets of variance 4, and a uniform part of 1/12 from rounding; standard error 4.5 %.
    assert!(
        (variance / (4.0 + 1.0 / 12.0) - 1.0).abs() < 0.25,
        "{variance} ms²"
    );
}

#[test]
fn a_burst_comes_from_one_writer() {
    let spec = FleetSpec {
        arrivals: Arrivals::Bursty,
        latency: Latency::None,
        ..honest()
    };
    let issued = issue(scheme::<UuidV7>("uuid_v7"), spec, 1000);
    for burst in issued.chunks(BURST as usize) {
        assert!(burst.iter().all(|id| id.writer == burst[0].writer));
        let lasted_ns = burst[99].minted.0 - burst[0].minted.0;
        assert_eq!(lasted_ns, 99 * 1000);
    }
}

/// Bursts of 100 ids in 0.1 ms meet a sequence of 64 a millisecond: the rest
/// waits for the next one, none is lost or issued twice.
#[test]
fn a_writer_waits_out_a_used_up_sequence() {
    let narrow = scheme::<Snowflake>("snowflake:timestamp=47:sequence=6");
    let spec = FleetSpec {
        arrivals: Arrivals::Bursty,
        ..FleetSpec::single(20_000, 1)
    };
    let issued = issue(narrow, spec, 10_000);
    assert!(issued.is_sorted_by(|a, b| a.id < b.id));
    assert!(issued.iter().map(|id| id.number).eq(0..10_000));
    let waited = issued
        .iter()
        .filter(|id| id.minted.0.is_multiple_of(NS_PER_MS))
        .count();
    assert!(waited >= 100 * 36 / 2, "{waited}");
}

#[test]
fn one_perfect_writer_s_numbers_are_in_order_and_delays_mix_them() {
    let single = issue(
        scheme::<AutoIncrement>("auto_increment"),
        FleetSpec::single(1000, 1),
        1000,
    );
    assert!(single.iter().map(|id| id.id.0).eq(1..=1000));
    let mut many: Vec<_> = issue(scheme::<AutoIncrement>("auto_increment"), honest(), 1000);
    assert!(!many.is_sorted_by_key(|id| id.id));
    many.sort_unstable_by_key(|id| id.id);
    many.dedup_by_key(|id| id.id);
    assert_eq!(many.len(), 1000);
}

#[test]
fn too_many_writers_and_a_time_out_of_range_are_errors() {
    let spec = FleetSpec {
        writers: 1025,
        ..honest()
    };
    assert!(matches!(
        Fleet::new(scheme::<Snowflake>("snowflake"), spec).err(),
        Some(FleetError::Writer(error)) if error.number == 1024
    ));
    let spec = FleetSpec {
        rate: 5_000_000,
        ..FleetSpec::single(1, 1)
    };
    assert!(matches!(
        Fleet::new(scheme::<Snowflake>("snowflake"), spec).err(),
        Some(FleetError::TooFast {
            most: 4_096_000,
            ..
        })
    ));
    let spec = FleetSpec {
        latency: Latency::Exponential {
            mean_ns: 101 * NS_PER_S,
        },
        ..honest()
    };
    assert!(matches!(
        Fleet::new(scheme::<UuidV7>("uuid_v7"), spec).err(),
        Some(FleetError::InFlight {
            rows: 1_010_000,
            ..
        })
    ));
    let late = scheme::<Snowflake>("snowflake:epoch_ms=2000000000000");
    let error = Fleet::new(late, honest()).unwrap().issue().unwrap_err();
    assert!(
        matches!(
            error,
            FleetError::Stalled {
                stall: Stall::OutOfRange,
                ..
            }
        ),
        "{error}"
    );
}
