//! The numbers of readers.

use super::{Read, ReaderKind};
use crate::measure::Rows;
use crate::record::Measured;

/// Share of rows lost.
pub const READER_SKIPPED_SHARE: Measured = Measured {
    name: "reader_skipped_share",
    unit: "share",
    about: "rows that the reader (param reader) never reads: mean, least and most of readers out of step",
};

/// Rows lost in a day.
pub const READER_SKIPPED_PER_DAY: Measured = Measured {
    name: "reader_skipped_rows_per_day",
    unit: "rows",
    about: "rows that the reader (param reader) never reads, in a day at the run's rate",
};

/// Quantiles of delay.
pub const READER_DELAY_MS: Measured = Measured {
    name: "reader_delay_ms",
    unit: "ms",
    about: "time from a row's commit to its reading (params reader, quantile), to three digits",
};

/// Rows returned again.
pub const READER_READ_TWICE_ROWS: Measured = Measured {
    name: "reader_read_twice_rows",
    unit: "rows",
    about: "rows that a poll returned though the reader (param reader) had read them",
};

/// Time held up.
pub const READER_STALLED_SHARE: Measured = Measured {
    name: "reader_stalled_share",
    unit: "share",
    about: "time in which the reader (param reader) held back rows that it saw, because of a gap or an open transaction, of the run's time, or of that time if it is longer",
};

/// The lag that would have been enough.
pub const SMALLEST_LOSSLESS_LAG_MS: Measured = Measured {
    name: "smallest_lossless_lag_ms",
    unit: "ms",
    about: "smallest lag window with which no cursor loses a row of the run: the most of readers out of step, whose least is given too; none where no lag helps",
};

/// The measures of readers, in the order of `sim list`.
pub const READER_MEASURES: &[&Measured] = &[
    &READER_SKIPPED_SHARE,
    &READER_SKIPPED_PER_DAY,
    &READER_DELAY_MS,
    &READER_READ_TWICE_ROWS,
    &READER_STALLED_SHARE,
    &SMALLEST_LOSSLESS_LAG_MS,
];

const DAY_NS: f64 = 86_400e9;

/// Writes what readers of one kind, who differ only in their first poll, made of a run in
/// which ids were asked for so long.
pub fn write_reads(rows: &mut Rows, kind: ReaderKind, reads: &[Read], length_ns: u64) {
    // Some go on reading when no more ids are asked for.
    let lasted = |read: &Read| length_ns.max(read.stalled_ns).max(1) as f64;
    let length_ns = length_ns.max(1) as f64;
    let each = |value: &dyn Fn(&Read) -> f64| reads.iter().map(value).collect::<Vec<f64>>();
    let skipped = |read: &Read| read.skipped_rows as f64;
    let share = |read: &Read| skipped(read) / (read.read_rows + read.skipped_rows).max(1) as f64;
    rows.with("reader", &kind.to_string(), |rows| {
        rows.mean(&READER_SKIPPED_SHARE, &each(&share));
        let per_day = |read: &Read| skipped(read) / length_ns * DAY_NS;
        rows.mean(&READER_SKIPPED_PER_DAY, &each(&per_day));
        if reads.iter().all(|read| read.read_rows > 0) {
            for (name, quantile) in [("p50", 0.5), ("p99", 0.99), ("max", 1.0)] {
                let delay = |read: &Read| {
                    // The histogram's value is the largest that counts as the same.
                    let ns = read.delay_ns.value_at_quantile(quantile);
                    ns.min(read.delay_max_ns) as f64 / 1e6
                };
                let delays = each(&delay);
                rows.with("quantile", name, |rows| {
                    rows.mean(&READER_DELAY_MS, &delays)
                });
            }
        }
        let twice = |read: &Read| read.read_twice_rows as f64;
        rows.mean(&READER_READ_TWICE_ROWS, &each(&twice));
        let stalled = |read: &Read| read.stalled_ns as f64 / lasted(read);
        rows.mean(&READER_STALLED_SHARE, &each(&stalled));
    });
}

/// Writes the smallest lossless lags of such readers, in ns; nothing if there is none.
pub fn write_lossless_lag(rows: &mut Rows, lags_ns: &[Option<u64>]) {
    let lags: Option<Vec<f64>> = lags_ns
        .iter()
        .map(|ns| ns.map(|ns| ns as f64 / 1e6))
        .collect();
    if let Some(lags) = lags.filter(|lags| !lags.is_empty()) {
        rows.most(&SMALLEST_LOSSLESS_LAG_MS, &lags);
    }
}
