//! The table of `sim fleet`.

use crate::report;
use idlab::record::{Records, Row};

/// A duration in seconds: `0.01 s`.
pub(super) fn seconds(ns: u64) -> String {
    format!("{} s", ns as f64 / 1e9)
}

/// The rows of one scheme and rollback.
struct Line<'a> {
    scheme: &'a str,
    rollback: Option<&'a str>,
    rows: Vec<&'a Row>,
}

impl Line<'_> {
    /// The row of a measure with these params, at `x` on its axis.
    fn row(&self, measure: &str, params: &[(&str, &str)], x: Option<u64>) -> Option<&Row> {
        let matches = |row: &&&Row| {
            let said = |(name, value): &(&str, &str)| {
                row.params.get(*name).and_then(|text| text.as_str()) == Some(*value)
            };
            let at = row.x.map(|x| x.as_f64() as u64) == x;
            row.measure == measure && at && params.iter().all(said)
        };
        self.rows.iter().find(matches).copied()
    }

    /// The total of a measure with these params.
    fn found(&self, measure: &str, params: &[(&str, &str)]) -> Option<f64> {
        self.row(measure, params, None)
            .map(|row| row.value.as_f64())
    }

    fn whole(&self, measure: &str) -> Option<String> {
        self.found(measure, &[]).map(report::whole)
    }

    /// A measure in milliseconds as seconds.
    fn seconds(&self, measure: &str) -> Option<String> {
        let ms = self.found(measure, &[]);
        ms.map(|ms| report::two((ms / 1e3).max(0.0)))
    }

    fn refused(&self, cause: &str) -> Option<String> {
        let count = self.found("refused_calls", &[("cause", cause)]);
        count.map(report::whole)
    }
}

fn lines(records: &Records) -> Vec<Line<'_>> {
    let mut lines: Vec<Line> = Vec::new();
    for row in &records.rows {
        let rollback = row.params.get("rollback").and_then(|name| name.as_str());
        let known = lines
            .iter_mut()
            .find(|line| line.scheme == row.scheme && line.rollback == rollback);
        match known {
            Some(line) => line.rows.push(row),
            None => lines.push(Line {
                scheme: &row.scheme,
                rollback,
                rows: vec![row],
            }),
        }
    }
    lines
}

/// A line with its cells after its name.
type Cells<'a> = (&'a Line<'a>, Vec<Option<String>>);

/// A table of `cells` under `headings`, with the rollback where some line has one, and notes;
/// nothing without cells.
fn part(all: &[Line], headings: &[&str], cells: Vec<Cells>, notes: &str) -> Option<String> {
    if cells.is_empty() {
        return None;
    }
    let with_rollback = all.iter().any(|line| line.rollback.is_some());
    let names: &[&str] = match with_rollback {
        true => &["scheme", "rollback"],
        false => &["scheme"],
    };
    let cells = cells.into_iter().map(|(line, cells)| {
        let names = [
            Some(line.scheme.to_owned()),
            line.rollback.map(str::to_owned),
        ];
        let names = names.into_iter().take(if with_rollback { 2 } else { 1 });
        let dash = |cell: Option<String>| cell.unwrap_or_else(|| "-".to_owned());
        names.chain(cells).map(dash).collect()
    });
    let table = report::table(&[names, headings].concat(), cells);
    Some(format!("{table}\n\n{notes}"))
}

/// What readers lose, what callers are refused if any is, and what numbers from a centre cost.
pub(super) fn table(records: &Records) -> String {
    let lines = lines(records);
    let parts = [
        readers(records, &lines),
        kinds(&lines),
        callers(&lines),
        numbers(&lines),
        centres(&lines),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    parts.join("\n\n")
}

fn readers(records: &Records, lines: &[Line]) -> Option<String> {
    let mut lags: Vec<u64> = Vec::new();
    for row in &records.rows {
        if let Some(lag) = row.x.map(|x| x.as_f64() as u64)
            && row.measure == "skipped_rows_share"
            && !lags.contains(&lag)
        {
            lags.push(lag);
        }
    }
    let fixed = [
        "rows",
        "dupli-\ncates",
        "late\n%",
        "moved\nrows",
        "k-\nsorted",
        "latency, ms\nmedian",
        "\n99 %",
        "\nmost",
        "lossless\nlag, ms",
    ];
    let mut headings = fixed.map(str::to_owned).to_vec();
    headings.extend(lags.iter().enumerate().map(|(i, lag)| {
        let over = if i == 0 { "lost at lag" } else { "" };
        format!("{over}\n{}", seconds(*lag))
    }));
    let headings: Vec<&str> = headings.iter().map(String::as_str).collect();
    let cells = lines.iter().map(|line| {
        let late = line.found("late_rows_share", &[]);
        let mut cells = vec![
            line.whole("fleet_rows"),
            line.whole("fleet_duplicate_ids"),
            late.map(report::percent),
            line.whole("displacement_max_rows"),
            line.whole("k_sorted_rows"),
        ];
        cells.extend(["p50", "p99", "max"].map(|quantile| {
            let latency = ("quantile", quantile);
            let ms = line.found("effective_latency_ms", &[latency]);
            ms.map(report::two)
        }));
        let lossless = line.row("smallest_lossless_lag_ms", &[], None);
        let most = lossless.map(|row| row.high.unwrap_or(row.value).as_f64());
        // Rounded up: a lag as printed is enough.
        cells.push(most.map(|ms| report::two((ms * 100.0).ceil() / 100.0)));
        let count = line.found("fleet_rows", &[]).unwrap_or_default();
        cells.extend(lags.iter().map(|lag| {
            let row = line.row("skipped_rows_share", &[], Some(*lag))?;
            let most = row.high.unwrap_or(row.value).as_f64();
            let lost = row.value.as_f64() * count;
            let little = most > 0.0 && lost < 0.5;
            Some(if little {
                "<1".to_owned()
            } else {
                report::whole(lost)
            })
        }));
        (line, cells)
    });
    let notes = "late: committed after a larger id. moved: furthest from its place by id. k-sorted: most rows behind a larger id.\n\
                 latency: commit time less the id's time; a lag as long as the most of it loses nothing, whatever the reader (-: ids follow no time, no lag helps).\n\
                 lossless lag: smallest with which none of the readers lost a row in this run. lost: rows that a reader never gets; means of 8 readers who poll at different times.";
    part(lines, &headings, cells.collect(), notes)
}

/// A share in per cent, with two digits that count where it is small.
fn share(value: f64) -> String {
    match value * 100.0 {
        0.0 => "0".to_owned(),
        percent if percent < 0.095 => {
            let digits = 1 - percent.log10().floor() as i32;
            format!("{percent:.*}", digits.clamp(0, 9) as usize)
        }
        _ => report::percent(value),
    }
}

/// What readers of several kinds make of the rows; nothing if none was asked for.
fn kinds(lines: &[Line]) -> Option<String> {
    let headings = [
        "reader",
        "lost\n%",
        "lost\na day",
        "delay, ms\nmedian",
        "\n99 %",
        "\nmost",
        "read\ntwice",
        "held up\n%",
    ];
    let mut table = Vec::new();
    for line in lines {
        let reader = |row: &Row| Some(row.params.get("reader")?.as_str()?.to_owned());
        let mut readers: Vec<String> = line.rows.iter().filter_map(|row| reader(row)).collect();
        readers.dedup();
        for reader in readers {
            let of = |measure: &str| line.found(measure, &[("reader", &*reader)]);
            let delay = |quantile: &str| {
                let params = [("reader", &*reader), ("quantile", quantile)];
                line.found("reader_delay_ms", &params).map(report::two)
            };
            let cells = vec![
                Some(reader.clone()),
                of("reader_skipped_share").map(share),
                of("reader_skipped_rows_per_day").map(report::whole),
                delay("p50"),
                delay("p99"),
                delay("max"),
                of("reader_read_twice_rows").map(report::whole),
                of("reader_stalled_share").map(report::percent),
            ];
            table.push((line, cells));
        }
    }
    let notes = "delay: from commit to reading. held up: time in which a gap or an open transaction held rows back.";
    part(lines, &headings, table, notes)
}

/// What became of worker numbers; nothing if each writer has its own for ever.
fn numbers(lines: &[Line]) -> Option<String> {
    let headings = [
        "numbers in\nuse, most",
        "leases\nlost",
        "shared\ns",
        "dupli-\ncates",
        "without, s\nall",
        "\nlongest",
        "messages",
    ];
    let numbered = lines
        .iter()
        .filter(|line| line.whole("worker_numbers_in_use_max").is_some());
    let cells = numbered.map(|line| {
        let cells = vec![
            line.whole("worker_numbers_in_use_max"),
            line.whole("worker_numbers_lost"),
            line.seconds("worker_number_shared_ms"),
            line.whole("fleet_duplicate_ids"),
            line.seconds("without_worker_number_ms"),
            line.seconds("without_worker_number_longest_ms"),
            line.whole("registry_messages"),
        ];
        (line, cells)
    });
    let notes = "leases lost: expired while their holders lived. shared: two that ran held one number. without: up, but without a number.";
    part(lines, &headings, cells.collect(), notes)
}

/// Nothing if no clock went back, nothing was refused and nobody waited.
fn callers(lines: &[Line]) -> Option<String> {
    let troubled = |line: &Line| {
        let some = |measure| line.found(measure, &[]).is_some_and(|n| n > 0.0);
        let refused = |row: &&Row| row.measure == "refused_calls" && row.value.as_f64() > 0.0;
        some("clock_went_back") || some("waiting_calls") || line.rows.iter().any(refused)
    };
    if !lines.iter().any(troubled) {
        return None;
    }
    let headings = [
        "clock\nback",
        "dupli-\ncates",
        "refused:\nclock",
        "\nrange",
        "\ndown",
        "\nnumber",
        "without ids, s\nall",
        "\nlongest",
        "waits",
        "waited\ns",
        "ids ahead\ns",
    ];
    let cells = lines.iter().map(|line| {
        let cells = vec![
            line.whole("clock_went_back"),
            line.whole("fleet_duplicate_ids"),
            line.refused("clock_behind"),
            line.refused("out_of_range"),
            line.refused("down"),
            line.refused("no_number"),
            line.seconds("unavailable_ms"),
            line.seconds("outage_longest_ms"),
            line.whole("waiting_calls"),
            line.seconds("waited_ms"),
            line.seconds("id_ahead_max_ms"),
        ];
        (line, cells)
    });
    let notes = "clock back: readings below the one before. without ids: from the first call that waits or is refused to the next id, all writers; calls that queue behind it count in waited.\n\
                 waits: calls that waited. ids ahead: furthest that an id's time is ahead of true time. own: the scheme's own rule for clocks that go back.";
    part(lines, &headings, cells.collect(), notes)
}

/// Nothing if no scheme visits a centre.
fn centres(lines: &[Line]) -> Option<String> {
    let visiting = |line: &&Line| line.found("round_trips_per_id", &[]).is_some();
    let headings = [
        "visits\nan id",
        "gaps\nids",
        "stalled\nwriters",
        "without ids\nall, s",
        "longest\nms",
        "waits",
        "waited\ns",
    ];
    let cells = lines.iter().filter(visiting).map(|line| {
        let visits = line.found("round_trips_per_id", &[]);
        let longest_ms = line.found("outage_longest_ms", &[]);
        let cells = vec![
            visits.map(|visits| format!("{visits:.4}")),
            line.whole("gap_ids"),
            line.whole("stalled_writers"),
            line.seconds("unavailable_ms"),
            longest_ms.map(report::two),
            line.whole("waiting_calls"),
            line.seconds("waited_ms"),
        ];
        (line, cells)
    });
    let notes = "visits: round trips to the centre that hands out numbers. gaps: numbers up to the largest id that no row has, lost or in hand.\n\
                 stalled: had no id to give at some time.";
    part(lines, &headings, cells.collect(), notes)
}
