//! The table of a run, with the remarks under it.

use crate::report::{Found, floor};
use crate::row::{CHACHA12, GROUPS, Group, Mark, Row, THREAD_RNG, Who};
use crate::time::Timing;
use comfy_table::{CellAlignment, Table};

/// What tells rows apart; in all tables.
const WHAT: [&str; 7] = ["scheme", "who", "call", "clock", "random", "state", "order"];
const ALONE: [&str; 7] = [
    "ns/id", "95 %", "instr/id", "ids/s", "x peer", "x floor", "notes",
];
const THREADS: [&str; 6] = [
    "1: ns/id", "2: ns/id", "2: 95 %", "x rate", "rounds", "notes",
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
        let threads = group == Group::Threads;
        let numbers: &[&str] = if threads { &THREADS } else { &ALONE };
        let mut table = Table::new();
        table.load_style(comfy_table::presets::NOTHING);
        table.set_header(WHAT.iter().chain(numbers));
        for of_row in rows {
            let numbers = match threads {
                true => of_row.on_threads(&mut notes),
                false => of_row.alone(found, &mut notes),
            };
            table.add_row(of_row.what().into_iter().chain(numbers));
        }
        for right in WHAT.len()..WHAT.len() + numbers.len() - 1 {
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
        Group::One => {
            "one: one id a call, written to the caller's slice. Floor: a reading of the row's clock, 16 bytes of its randomness or the store, whichever is slowest"
        }
        Group::Bulk => {
            "bulk: 1,024 ids a call into the caller's slice. Floor: 16 bytes an id of the row's randomness, or copied"
        }
        Group::Text => "text: an id to text, into the caller's buffer",
        Group::Parse => "parse: text to an id",
        Group::Threads => "threads: two threads at once; ns/id is the time of both over all ids",
        Group::Model => "model: the simulators",
    }
}

impl Found<'_> {
    /// Its median, on two threads if it has two; after all others if there is none.
    fn ns(&self) -> f64 {
        let both = self
            .scaling
            .map(|scaling| scaling.two.unwrap_or(scaling.one));
        let time = self.time.or(both);
        time.map_or(f64::INFINITY, |time| time.median_ns)
    }

    fn what(&self) -> [String; 7] {
        let row = self.row;
        [
            row.scheme.clone(),
            row.who.to_string(),
            row.call.clone(),
            row.clock.name().to_owned(),
            row.randomness(),
            row.state.name().to_owned(),
            row.order().to_owned(),
        ]
    }

    fn alone(&self, all: &[Found], notes: &mut Notes) -> Vec<String> {
        let row = self.row;
        let ns = self.time.map(|time| time.median_ns);
        let ratio =
            |other: Option<f64>| option(ns.zip(other), |(ns, other)| format!("{:.2}", ns / other));
        let floor = floor(row, all).filter(|_| row.who != Who::Floor);
        vec![
            option(ns, short),
            option(self.time, interval),
            option(self.instructions, |count| format!("{count:.1}")),
            option(ns, |ns| rate(1e9 / ns)),
            ratio(fastest_peer(row, all)),
            ratio(floor),
            self.notes(notes),
        ]
    }

    fn on_threads(&self, notes: &mut Notes) -> Vec<String> {
        let one = self.scaling.map(|scaling| scaling.one);
        let two = self.scaling.and_then(|scaling| scaling.two);
        vec![
            option(one, |time| short(time.median_ns)),
            option(two, |time| short(time.median_ns)),
            option(two, interval),
            option(one.zip(two), |(one, two)| {
                format!("{:.2}", one.median_ns / two.median_ns)
            }),
            option(two, |time| time.batches.to_string()),
            self.notes(notes),
        ]
    }

    fn notes(&self, notes: &mut Notes) -> String {
        let row = self.row;
        let mut marks: Vec<_> = row.marks.iter().map(|mark| notes.mark(mark.0)).collect();
        if [THREAD_RNG, CHACHA12].contains(&row.random) {
            marks.push(notes.mark(FORK_REPEATS.0));
        }
        if let Some(limit) = row.limit {
            let (ids, ms) = (limit.ids, limit.tick_ns as f64 / 1e6);
            marks.push(notes.mark(&format!(
                "Timed in bursts: it waits beyond {ids} ids in {ms} ms, which makes {:.1} ns an id at best.",
                limit.ns_per_id()
            )));
        }
        if self.instructions.is_some() && row.leaves_system_calls_out() {
            marks.push(notes.mark(LEFT_OUT.0));
        }
        if let Some(wrong) = self.wrong {
            marks.push(notes.mark(&format!("WRONG: {wrong}.")));
        }
        marks.concat()
    }
}

/// The least time of a peer at the same task on the same kind of clock.
fn fastest_peer(row: &Row, all: &[Found]) -> Option<f64> {
    let task = |row: &Row| (row.group, row.scheme.clone(), row.clock);
    let peers = all
        .iter()
        .filter(|other| matches!(other.row.who, Who::Peer(_)) && task(other.row) == task(row));
    peers
        .filter_map(|peer| Some(peer.time?.median_ns))
        .reduce(f64::min)
}

fn option<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), text)
}

fn interval(time: Timing) -> String {
    format!("{}-{}", short(time.low_ns), short(time.high_ns))
}

const FORK_REPEATS: Mark = Mark(
    "After a fork, parent and child give the same ids: the generator of randomness does not notice.",
);
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
