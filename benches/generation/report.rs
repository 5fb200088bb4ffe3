//! The end of a run: records, charts, and the table of them.

use crate::count::count;
use crate::row::{Clock, Group, Row, Who};
use crate::threads::{self, Scaling};
use crate::time::{Timing, time};
use crate::{Mode, table};
use idlab::chart;
use idlab::record::{self, Number, Parameters, Records, Run, shell_words, write_files};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Most rounds on two threads.
const THREAD_ROUNDS: usize = 200;

/// What a row gave.
pub struct Found<'a> {
    /// The row.
    pub row: &'a Row,
    /// Its time; on two threads those of one and of both.
    pub time: Option<Timing>,
    /// The same on two threads at once, all ids of both.
    pub scaling: Option<Scaling>,
    /// Instructions an id.
    pub instructions: Option<f64>,
    /// What is wrong with it.
    pub wrong: Option<&'a str>,
}

/// Times and counts `rows`, writes records and charts, prints the table.
///
/// # Errors
/// In words: files that cannot be written.
pub fn report(
    rows: &[&Row],
    wrong: &BTreeMap<String, String>,
    mode: Mode,
    folder: &Path,
) -> Result<(), String> {
    let start = Instant::now();
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let command = "cargo bench --bench generation".to_owned();
    let command = match shell_words(words) {
        words if words.is_empty() => command,
        words => format!("{command} -- {words}"),
    };
    let mut run = Run::start("generation", command, 1, params(mode));
    let found = find(rows, wrong, mode);
    run.finish(start.elapsed());
    let mut records = Records {
        rows: found
            .iter()
            .flat_map(|found| found.records(&run.run))
            .collect(),
        run,
        grids: Vec::new(),
    };
    println!("\n{}", table::table(&found));
    let names = write(&mut records, folder)?;
    if mode != Mode::Full {
        println!("Quick: few batches, and instructions are not counted.");
    }
    println!("{}: {}", folder.display(), names.join(" "));
    Ok(())
}

fn params(mode: Mode) -> Parameters {
    let text = |value: &str| json!(value);
    Parameters::from([(
        "mode".to_owned(),
        text(if mode == Mode::Full { "full" } else { "quick" }),
    )])
}

fn find<'a>(rows: &[&'a Row], wrong: &'a BTreeMap<String, String>, mode: Mode) -> Vec<Found<'a>> {
    let rounds = match mode {
        Mode::Full => 100,
        _ => 5,
    };
    let alone: Vec<_> = rows
        .iter()
        .copied()
        .filter(|row| row.group != Group::Threads)
        .collect();
    let mut times = Vec::new();
    let mut instructions = Vec::new();
    if !alone.is_empty() {
        eprintln!("{} rows in turns ...", alone.len());
        times = time(&alone, rounds);
        instructions = match mode {
            Mode::Full => count(&alone, |i| times[i].map(|time| time.median_ns)),
            _ => Vec::new(),
        };
    }
    if alone.len() < rows.len() {
        eprintln!("{} rows on two threads ...", rows.len() - alone.len());
    }
    let (mut times, mut instructions) = (times.into_iter(), instructions.into_iter());
    let find = |row: &&'a Row| {
        let scaling = (row.group == Group::Threads)
            .then(|| threads::scaling(row, THREAD_ROUNDS.min(rounds * 4)));
        let alone = scaling.is_none();
        Found {
            row,
            time: if alone { times.next().flatten() } else { None },
            scaling: scaling.flatten(),
            instructions: if alone {
                instructions.next().flatten()
            } else {
                None
            },
            wrong: wrong.get(&row.full_id()).map(String::as_str),
        }
    };
    rows.iter().map(find).collect()
}

impl Found<'_> {
    fn records(&self, run: &str) -> Vec<record::Row> {
        let row = self.row;
        let mut params = Parameters::new();
        let mut say = |name: &str, value: &str| params.insert(name.to_owned(), json!(value));
        say("group", row.group.name());
        say("who", &row.who.to_string());
        say("call", &row.call);
        say("clock", row.clock.name());
        say("random", &row.randomness());
        say("state", row.state.name());
        say("order", row.order());
        say(
            "marks",
            &row.marks
                .iter()
                .map(|mark| mark.0)
                .collect::<Vec<_>>()
                .join(" "),
        );
        say("wrong", self.wrong.unwrap_or_default());
        let record = |measure: &str, unit: &str, value: f64| record::Row {
            run: run.to_owned(),
            scheme: row.scheme.clone(),
            engine: String::new(),
            params: params.clone(),
            measure: measure.to_owned(),
            unit: unit.to_owned(),
            x: None,
            value: Number::Real(value),
            low: None,
            high: None,
            samples: 1,
        };
        let timed = |time: Timing, threads: u64| {
            let mut record = record::Row {
                low: Some(Number::Real(time.low_ns)),
                high: Some(Number::Real(time.high_ns)),
                samples: time.batches,
                ..record("ns_per_id", "ns/id", time.median_ns)
            };
            record.params.insert("threads".to_owned(), json!(threads));
            record
        };
        let mut records = Vec::new();
        records.extend(self.time.map(|time| timed(time, 1)));
        if let Some(scaling) = self.scaling {
            records.push(timed(scaling.one, 1));
            records.extend(scaling.two.map(|time| timed(time, 2)));
        }
        let limit = row.limit.map(|limit| limit.ns_per_id());
        records.extend(limit.map(|ns| record("ceiling_ns_per_id", "ns/id", ns)));
        let counted = self.instructions;
        records
            .extend(counted.map(|count| record("instructions_per_id", "instructions/id", count)));
        records
    }
}

/// Writes records and charts, all or none; returns the names of the files.
fn write(records: &mut Records, folder: &Path) -> Result<Vec<String>, String> {
    let charts = chart::generation(records).map_err(|error| error.to_string())?;
    let mut files = Vec::new();
    for chart in charts {
        files.push((format!("{}.svg", chart.name), chart.svg.into_bytes()));
        files.push((format!("{}.png", chart.name), chart.png));
    }
    records.run.charts = files.iter().map(|(name, _)| name.clone()).collect();
    let mut jsonl = Vec::new();
    let written = records.write_jsonl(&mut jsonl, true);
    written.map_err(|error| error.to_string())?;
    files.insert(0, ("generation.jsonl".to_owned(), jsonl));
    let cannot = |name: String, error| {
        format!(
            "{}: cannot be written: {error}",
            folder.join(name).display()
        )
    };
    std::fs::create_dir_all(folder).map_err(|error| cannot(String::new(), error))?;
    write_files(folder, &files).map_err(|(name, error)| cannot(name, error))?;
    Ok(files.into_iter().map(|(name, _)| name).collect())
}

/// Where the files of a run go: those of a whole one among the published results.
pub fn folder(whole: bool) -> PathBuf {
    match std::env::var_os("IDLAB_OUT") {
        Some(folder) => folder.into(),
        None if whole => "results".into(),
        None => "target/generation".into(),
    }
}

/// The least time of parts that a row cannot do without: its clock's reading, its randomness,
/// the store of its id; whichever takes longest. None where no floor of its group was timed.
pub fn floor(row: &Row, all: &[Found]) -> Option<f64> {
    let part = |floor: &Row| {
        (floor.clock == Clock::None || floor.clock == row.clock)
            && (floor.random == "-" || floor.random == row.randomness())
    };
    let floors = all.iter().filter(|found| {
        found.row.who == Who::Floor && found.row.group == row.group && part(found.row)
    });
    floors
        .filter_map(|found| Some(found.time?.median_ns))
        .reduce(f64::max)
}
