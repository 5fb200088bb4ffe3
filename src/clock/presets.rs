//! Clocks by name.

use super::model::ClockModel;
use super::parse::ClockError;
use crate::names::nearest;

/// A clock known by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preset {
    /// Name on the command line.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// The same as [`ClockModel::parse`] reads it.
    pub text: &'static str,
}

const fn preset(name: &'static str, about: &'static str, text: &'static str) -> Preset {
    Preset { name, about, text }
}

/// Every clock, in the order of `sim list`.
pub const CLOCKS: &[Preset] = &[
    preset("ideal", "true time", "offset=constant:0"),
    preset(
        "ptp_hw",
        "PTP with hardware timestamps: normal error, sd 200 ns, at most 1 µs; drift 0.1 ppm, corrected each second",
        "target=normal:200ns:1us,drift=normal:100ppb,correct=slew:1s",
    ),
    preset(
        "ec2_phc",
        "a cloud's hardware clock: normal error, sd 5 µs, at most 50 µs; drift 0.1 ppm, corrected each second",
        "target=normal:5us:50us,drift=normal:100ppb,correct=slew:1s",
    ),
    preset(
        "ec2_ntp",
        "a cloud's NTP server: normal error, sd 50 µs, at most 1 ms; drift 1 ppm, corrected each 16 s",
        "target=normal:50us:1ms,drift=normal:1ppm,correct=slew:16s",
    ),
    preset(
        "gps_pps_ntpd",
        "ntpd with a GPS pulse: normal error, sd 5.6 µs, at most 34 µs; drift 0.14 ppm, corrected each 8 s",
        "target=normal:5600ns:34us,drift=normal:140ppb,correct=ntpd:8s",
    ),
    preset(
        "lan_chrony",
        "chrony in a data centre: Laplace error of scale 150 µs, 0.1 % out to 5 ms; drift 1 ppm, corrected each 64 s",
        "target=laplace:150us:5ms,drift=normal:1ppm,correct=slew:64s",
    ),
    preset(
        "wan_pool",
        "public NTP pool: each path's error lognormal, sd 5 ms, 1 % out to 50 ms; drift 10 ppm, corrected each 64 s; a step of 128 to 500 ms a month",
        // sd = median · e^½ · √(e − 1) at sigma 1.
        "offset=lognormal:2313500ns:1:50ms,drift=normal:10ppm,correct=slew:64s,step=30d:128ms..500ms",
    ),
    preset(
        "truetime",
        "Spanner's bound: within 1 ms of true time at each poll, 30 s apart, then drift uniform within 200 ppm; slewed to at a twelfth",
        "target=uniform:1ms,drift=uniform:200ppm,correct=chrony:30s",
    ),
    preset(
        "multi_dc",
        "three data centres, writers in turn: normal errors, sd 2 ms a centre and 300 µs a writer; drift 1 ppm, corrected each 64 s",
        "sites=3:normal:2ms:1s,offset=normal:300us:1s,drift=normal:1ppm,correct=slew:64s",
    ),
    preset(
        "azure_phc_bad",
        "a host's PTP device gone wrong: normal error, sd 20 ms, at most 60 ms, a new one each hour, slewed to; drift 1 ppm",
        "target=normal:20ms:60ms,drift=normal:1ppm,correct=slew:1h",
    ),
    preset(
        "crdb_edge",
        "CockroachDB's limit: errors uniform within 250 ms; drift 5 ppm, corrected each 64 s",
        "offset=uniform:250ms,drift=normal:5ppm,correct=slew:64s",
    ),
    preset(
        "vmotion",
        "lan_chrony on a machine that is migrated once a week: it stands still for 50 ms to 5 s and its clock is late by that, then slewed",
        "lan_chrony,suspend=7d:50ms..5s",
    ),
    preset(
        "host_maint",
        "lan_chrony on a host that is maintained each 90 days: the machine stands still for 1 to 30 s and its clock is late by that, then slewed",
        "lan_chrony,suspend=90d:1s..30s",
    ),
    preset(
        "ntpd_step",
        "ntpd over drift of 50 ppm: slewed at up to 500 ppm; thrown off by 128 ms to 2 s once an hour, set back by a step after 300 s",
        "target=normal:1ms,drift=normal:50ppm,correct=ntpd:64s,step=1h:128ms..2s",
    ),
    preset(
        "cron_sync",
        "set once a day, each writer at its own time, by a step: frequency error normal, sd 115.6 ppm",
        "drift=normal:115600ppb,correct=step:1d",
    ),
    preset(
        "unsynced",
        "right at the start, then never set: frequency error normal, sd 115.6 ppm",
        "drift=normal:115600ppb",
    ),
    preset(
        "laptop",
        "wan_pool with drift 20 ppm, suspended once a day, median 2 h: late by that until chrony's next correction, at most 64 s later, steps it",
        "wan_pool,drift=normal:20ppm,correct=chrony:64s:1s:always,suspend=1d:lognormal:2h:1",
    ),
    preset(
        "leap_step",
        "lan_chrony with a leap second 60 s after the start: each clock steps back by 1 s",
        "lan_chrony,leap=60s",
    ),
    preset(
        "leap_mixed",
        "lan_chrony with a leap second 60 s after the start: every other clock has it smeared over 24 h, noon to noon; the others step back by 1 s",
        "lan_chrony,leap=60s:smear:50%",
    ),
    preset(
        "bad_upstream",
        "lan_chrony; 120 s after the start the servers of one writer in ten are 12 years slow for 52 min, and its clock follows by a step",
        "lan_chrony,upstream=2min:-4383d:52min:10%",
    ),
    preset(
        "tz_epoch",
        "lan_chrony; every other writer is started again within the first 5 min, with an epoch 1 h earlier or later",
        "lan_chrony,epoch=0..5min:1h:50%",
    ),
];

/// The clock of this name.
///
/// # Errors
/// An unknown name.
pub fn clock(name: &str) -> Result<ClockModel, ClockError> {
    let known = CLOCKS.iter().find(|preset| preset.name == name);
    let known = known.ok_or_else(|| {
        let names = CLOCKS.iter().map(|preset| preset.name);
        ClockError(format!("unknown clock {name:?}{}", nearest(name, names)))
    })?;
    ClockModel::parse(known.text)
}
