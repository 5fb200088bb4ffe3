//! The table of a run, with the remarks under it.

use crate::report::{Found, floor};
use crate::row::{GROUPS, Group, Mark, Who};
use comfy_table::{CellAlignment, Table};

const HEAD: [&str; 13] = [
    "scheme", "who", "call", "clock", "random", "state", "ns/id", "95 %", "instr/id", "ids/s",
    "x peer", "x floor", "notes",
];

/// The tables of all groups that were run, then the remarks.
pub fn table(found: &[Found]) -> String {
    let mut notes = Notes::default();
    let mut text = String::new();
    for &group in GROUPS {
        let mut rows: Vec<_> = found
            .iter()
            .filter(|found| found.row.group == group)
            .collect();
        if rows.is_empty() {
            continue;
        }
        rows.sort_by(|a, b| {
            a.row
                .scheme
                .cmp(&b.row.scheme)
                .then(a.ns().total_cmp(&b.ns()))
        });
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_header(HEAD);
        for found_row in rows {
            table.add_row(cells(found_row, found, &mut notes));
        }
        for right in 6..12 {
            if let Some(column) = table.column_mut(right) {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        let lines: Vec<_> = table
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
        text += &format!("{}\n{}\n\n", about(group), lines.join("\n"));
    }
    text + &notes.text()
}

fn about(group: Group) -> &'static str {
    match group {
        Group::One => "one: one id a call, written to the caller's slice",
        Group::Bulk => "bulk: 1,024 ids a call into the caller's slice",
        Group::Text => "text: an id to text, into the caller's buffer",
        Group::Parse => "parse: text to an id",
        Group::Threads => "threads: two threads at once; ns/id is the time of both over all ids",
        Group::Model => "model: the simulators",
    }
}

impl Found<'_> {
    /// Its median; after all others if there is none.
    pub fn ns(&self) -> f64 {
        self.time.map_or(f64::INFINITY, |time| time.median_ns)
    }
}

fn cells(found: &Found, all: &[Found], notes: &mut Notes) -> Vec<String> {
    let row = found.row;
    let ns = found.time.map(|time| time.median_ns);
    let peers = all.iter().filter(|peer| {
        matches!(peer.row.who, Who::Peer(_))
            && (peer.row.group, &peer.row.scheme, peer.row.clock)
                == (row.group, &row.scheme, row.clock)
    });
    let peer = peers
        .filter_map(|peer| Some(peer.time?.median_ns))
        .reduce(f64::min);
    let ratio = |other: Option<f64>| match (ns, other) {
        (Some(ns), Some(other)) => format!("{:.2}", ns / other),
        _ => "-".to_owned(),
    };
    let mut marks: Vec<_> = row.marks.iter().map(|mark| notes.mark(mark.0)).collect();
    if let Some(limit) = row.limit {
        let (ids, ms) = (limit.ids, limit.tick_ns as f64 / 1e6);
        marks.push(notes.mark(&format!(
            "In bursts of {}: beyond {ids} ids in {ms} ms it waits, which makes {:.1} ns an id at best.",
            ids / 4,
            limit.ns_per_id()
        )));
    }
    if found.instructions.is_some() && row.leaves_system_calls_out() {
        marks.push(notes.mark(LEFT_OUT.0));
    }
    if let Some(wrong) = found.wrong {
        marks.push(notes.mark(&format!("WRONG: {wrong}.")));
    }
    let interval =
        |time: crate::time::Timing| format!("{}-{}", short(time.low_ns), short(time.high_ns));
    let dash = || "-".to_owned();
    vec![
        row.scheme.clone(),
        row.who.to_string(),
        row.call.clone(),
        row.clock.name().to_owned(),
        row.random.to_owned(),
        row.state.name().to_owned(),
        ns.map_or_else(dash, short),
        found.time.map_or_else(dash, interval),
        found
            .instructions
            .map_or_else(dash, |count| format!("{count:.1}")),
        ns.map_or_else(dash, |ns| rate(1e9 / ns)),
        ratio(peer),
        ratio(floor(row, all)),
        marks.concat(),
    ]
}

const LEFT_OUT: Mark = Mark(
    "Instructions without the kernel's: it reads a real clock or asks the system for randomness.",
);

/// Three digits.
fn short(ns: f64) -> String {
    match ns {
        ns if ns < 10.0 => format!("{ns:.2}"),
        ns if ns < 100.0 => format!("{ns:.1}"),
        ns => format!("{ns:.0}"),
    }
}

fn rate(ids_per_s: f64) -> String {
    match ids_per_s {
        rate if rate >= 1e9 => format!("{:.2}G", rate / 1e9),
        rate if rate >= 1e6 => format!("{:.1}M", rate / 1e6),
        rate => format!("{:.0}k", rate / 1e3),
    }
}

/// Remarks, numbered as they come.
#[derive(Default)]
struct Notes(Vec<String>);

impl Notes {
    fn mark(&mut self, note: &str) -> String {
        let known = self.0.iter().position(|other| other == note);
        let at = known.unwrap_or_else(|| {
            self.0.push(note.to_owned());
            self.0.len() - 1
        });
        format!("[{}]", at + 1)
    }

    fn text(&self) -> String {
        let lines = (1..).zip(&self.0);
        lines
            .map(|(number, note)| format!("[{number}] {note}\n"))
            .collect()
    }
}
