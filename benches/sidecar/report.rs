//! The end of a run: the table, and the records.

use crate::transport::{EMBEDDED, SCHEME};
use crate::{Mode, Row, histogram};
use comfy_table::{CellAlignment, Table, presets};
use hdrhistogram::Histogram;
use idlab::record::{self, Number, Parameters, Records, Run, shell_words, write_files};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// What articles say a call of a sidecar takes.
const ARTICLES_NS: f64 = 200_000.0;
/// The quantiles in table and records; the last is the worst.
const QUANTILES: [f64; 4] = [0.5, 0.99, 0.999, 1.0];

/// What a row gave.
pub struct Found {
    /// The row.
    pub row: Row,
    /// Criterion's samples, sorted: nanoseconds an id.
    samples_ns: Vec<f64>,
    /// Each round trip.
    pub trips_ns: Histogram<u64>,
}

impl Found {
    /// A row with criterion's samples, at least one, in nanoseconds an id.
    pub fn new(row: Row, mut samples_ns: Vec<f64>) -> Self {
        samples_ns.sort_by(f64::total_cmp);
        Self {
            row,
            samples_ns,
            trips_ns: histogram(),
        }
    }

    /// The median of the samples.
    fn ns_per_id(&self) -> f64 {
        self.samples_ns[self.samples_ns.len() / 2]
    }

    fn records(&self, run: &str, embedded_ns: Option<f64>) -> Vec<record::Row> {
        let record = |measure: &str, unit: &str, x: Option<f64>, value: Number| record::Row {
            run: run.to_owned(),
            scheme: SCHEME.to_owned(),
            engine: String::new(),
            params: Parameters::from([
                ("transport".to_owned(), json!(self.row.transport)),
                ("ids_per_trip".to_owned(), json!(self.row.batch)),
            ]),
            measure: measure.to_owned(),
            unit: unit.to_owned(),
            x: x.map(Number::Real),
            value,
            low: None,
            high: None,
            samples: self.trips_ns.len(),
        };
        let ns = self.ns_per_id();
        let (least, most) = (self.samples_ns.first(), self.samples_ns.last());
        let mut records = vec![record::Row {
            low: least.copied().map(Number::Real),
            high: most.copied().map(Number::Real),
            samples: self.samples_ns.len() as u64,
            ..record("ns_per_id", "ns/id", None, Number::Real(ns))
        }];
        records.extend(embedded_ns.map(|embedded| {
            let ratio = Number::Real(ns / embedded);
            let samples = self.samples_ns.len() as u64;
            record::Row {
                samples,
                ..record("ratio_to_embedded", "x", None, ratio)
            }
        }));
        for quantile in QUANTILES {
            let ns = self.trips_ns.value_at_quantile(quantile);
            records.push(record("round_trip_ns", "ns", Some(quantile), ns.into()));
        }
        records
    }

    fn line(&self, embedded_ns: Option<f64>) -> Vec<String> {
        let ns = self.ns_per_id();
        let ratio = embedded_ns.map(|embedded| format!("{:.1}", ns / embedded));
        let quantiles = QUANTILES.map(|quantile| self.trips_ns.value_at_quantile(quantile));
        let times = [ns].into_iter().chain(quantiles.map(|ns| ns as f64));
        let mut times = times.map(time);
        [
            Some(self.row.transport.to_owned()),
            Some(self.row.batch.to_string()),
            times.next(),
            Some(ratio.unwrap_or_else(|| "-".to_owned())),
        ]
        .into_iter()
        .flatten()
        .chain(times)
        .chain([self.trips_ns.len().to_string()])
        .collect()
    }
}

/// Prints the table and writes the records.
///
/// # Errors
/// In words: files that cannot be written.
pub fn report(found: &[Found], mode: Mode, start: Instant, folder: &Path) -> Result<(), String> {
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let command = "cargo bench --bench sidecar".to_owned();
    let command = match shell_words(words) {
        words if words.is_empty() => command,
        words => format!("{command} -- {words}"),
    };
    let name = if mode == Mode::Full { "full" } else { "quick" };
    let params = Parameters::from([("mode".to_owned(), json!(name))]);
    let mut run = Run::start("sidecar", command, 1, params);
    run.finish(start.elapsed());
    let embedded = (found.iter())
        .find(|found| found.row.transport == EMBEDDED && found.row.batch == 1)
        .map(Found::ns_per_id);
    let rows = found
        .iter()
        .flat_map(|found| found.records(&run.run, embedded));
    let records = Records {
        rows: rows.collect(),
        run,
        grids: Vec::new(),
    };
    println!("\n{}\n", table(found, embedded));
    println!(
        "Ids ascended on each way, so none came twice. A trip's time includes a reading of the clock."
    );
    let alone = (found.iter()).filter(|found| found.row.batch == 1);
    for one in alone.filter(|found| found.row.transport != EMBEDDED) {
        let median = one.trips_ns.value_at_quantile(0.5) as f64;
        println!(
            "The 0.2 ms that articles tell of a sidecar's call: {:.1} times the median of {}.",
            ARTICLES_NS / median,
            one.row.transport
        );
    }
    let mut jsonl = Vec::new();
    let written = records.write_jsonl(&mut jsonl, true);
    written.map_err(|error| error.to_string())?;
    let file = folder.join("sidecar.jsonl");
    let cannot = |error| format!("{}: cannot be written: {error}", file.display());
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let files = [("sidecar.jsonl".to_owned(), jsonl)];
    write_files(folder, &files).map_err(|(_, error)| cannot(error))?;
    println!("{}", file.display());
    Ok(())
}

fn table(found: &[Found], embedded_ns: Option<f64>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "way",
        "ids a trip",
        "an id",
        "x embedded",
        "trip p50",
        "p99",
        "p99.9",
        "max",
        "trips",
    ]);
    table.add_rows(found.iter().map(|found| found.line(embedded_ns)));
    let right = table.column_iter_mut().skip(1);
    right.for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let lines: Vec<_> = table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect();
    lines.join("\n")
}

/// Three digits.
fn time(ns: f64) -> String {
    match ns {
        ..1e3 => format!("{ns:.1} ns"),
        ..1e6 => format!("{:.2} µs", ns / 1e3),
        _ => format!("{:.2} ms", ns / 1e6),
    }
}

/// Where the files of a run go: those of a whole one among the published results.
pub fn folder(whole: bool) -> PathBuf {
    match std::env::var_os("IDLAB_OUT") {
        Some(folder) => folder.into(),
        None if whole => "results".into(),
        None => "target/sidecar".into(),
    }
}
