//! The end of a run: the records, and what they say as a table.

use crate::transport::{EMBEDDED, SCHEME};
use crate::{Mode, Row, histogram};
use comfy_table::{CellAlignment, Table, presets};
use hdrhistogram::Histogram;
use idlab::record::{self, Number, Parameters, Records, Run, shell_words, write_files};
use serde_json::json;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

/// What articles say a call of a sidecar takes.
const ARTICLES_NS: f64 = 200_000.0;
/// The quantiles in table and records; the last is the worst.
const QUANTILES: [f64; 4] = [0.5, 0.99, 0.999, 1.0];

/// Shows the records of a run: `cargo bench --bench sidecar -- --summary results/sidecar.jsonl`.
pub const FLAG: &str = "--summary";

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
    println!("\n{}\n", summary(&records));
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

/// Prints what a file of records says.
pub fn print(file: &str) -> ExitCode {
    let records = File::open(file)
        .map_err(|error| error.to_string())
        .and_then(|file| {
            Records::read_jsonl(BufReader::new(file)).map_err(|error| error.to_string())
        })
        .and_then(|records| match records.run.experiment.as_str() {
            "sidecar" => Ok(records),
            other => Err(format!("records of {other}")),
        });
    match records {
        Ok(records) => {
            println!("{}", summary(&records));
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {file}: {error}; expected records of cargo bench --bench sidecar");
            ExitCode::FAILURE
        }
    }
}

/// A value of the same way as `of`.
fn value(records: &Records, of: &record::Row, measure: &str, x: Option<f64>) -> Option<f64> {
    let mut rows = records.rows.iter().filter(|row| row.params == of.params);
    let x = x.map(Number::Real);
    let row = rows.find(|row| row.measure == measure && row.x == x)?;
    Some(row.value.as_f64())
}

/// The table of all ways, and what they say of the articles' number.
fn summary(records: &Records) -> String {
    let ways = (records.rows.iter()).filter(|row| row.measure == "ns_per_id");
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
    let mut notes = vec![
        "Ids ascended on each way, so none came twice. A trip's time includes a reading of the clock."
            .to_owned(),
    ];
    let shown = |value: Option<f64>, show: fn(f64) -> String| value.map_or("-".to_owned(), show);
    for way in ways {
        let transport = way.params["transport"].as_str().unwrap_or_default();
        let batch = way.params["ids_per_trip"].to_string();
        let trip = |quantile| value(records, way, "round_trip_ns", Some(quantile));
        let trips = (records.rows.iter())
            .find(|row| row.params == way.params && row.measure == "round_trip_ns")
            .map_or(0, |row| row.samples);
        let ratio = value(records, way, "ratio_to_embedded", None);
        let mut line = vec![transport.to_owned(), batch.clone()];
        line.push(time(way.value.as_f64()));
        line.push(shown(ratio, |ratio| format!("{ratio:.1}")));
        line.extend(QUANTILES.map(|quantile| shown(trip(quantile), time)));
        line.push(trips.to_string());
        table.add_row(line);
        if let Some(median_ns) = trip(0.5).filter(|_| batch == "1" && transport != EMBEDDED) {
            notes.push(format!(
                "The 0.2 ms that articles tell of a sidecar's call: {:.1} times the median of {transport}.",
                ARTICLES_NS / median_ns
            ));
        }
    }
    let right = table.column_iter_mut().skip(1);
    right.for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    let lines = table.lines().map(|line| line.trim_end().to_owned());
    lines
        .chain([String::new()])
        .chain(notes)
        .collect::<Vec<_>>()
        .join("\n")
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
