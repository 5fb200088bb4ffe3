//! Keeps what an experiment found: provenance, rows, charts, files.

use crate::args::{self, usage};
use anyhow::{Context, Result};
use clap::{Args, ValueEnum};
use idlab::chart::Chart;
use idlab::record::{Grid, Parameters, Records, Row, Run, plain, shell_words, write_files};
use indicatif::HumanBytes;
use std::fs::TryLockError;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

/// Flags that every experiment has.
#[derive(Args, Clone)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Seed of all randomness
    #[arg(long, value_name = "N", default_value = "1", allow_hyphen_values = true, value_parser = args::count)]
    pub seed: u64,
    /// Folder that receives records and charts
    #[arg(long, value_name = "DIR", default_value = "results")]
    pub out: PathBuf,
    /// What goes to stdout
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
    /// Threads; the results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", allow_hyphen_values = true, value_parser = args::threads)]
    pub threads: Option<usize>,
}

/// What goes to stdout.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table to read
    Table,
    /// Run line and rows as JSON Lines
    Jsonl,
    /// The same as CSV
    Csv,
}

/// A run under way.
pub struct Recorder {
    records: Records,
    args: OutputArgs,
    /// Name of the file of records.
    file: String,
    started: Instant,
}

impl Recorder {
    /// Starts a run; makes its folder and sees that it can be written.
    pub fn start(experiment: &str, args: &OutputArgs, params: Parameters) -> Result<Self> {
        see_writable("--out", &args.out)?;
        let run = Run::start(experiment, command_line(), args.seed, params);
        let records = Records {
            run,
            rows: Vec::new(),
            grids: Vec::new(),
        };
        Ok(Self {
            records,
            args: args.clone(),
            file: format!("{experiment}.jsonl"),
            started: Instant::now(),
        })
    }

    /// Starts a run whose records go to `file`.
    pub fn start_file(
        experiment: &str,
        args: &OutputArgs,
        file: &Path,
        params: Parameters,
    ) -> Result<Self> {
        let name = file.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| usage(format!("{}: expected a file", file.display())))?;
        let args = OutputArgs {
            out: folder_of(file).to_owned(),
            ..args.clone()
        };
        Ok(Self {
            file: name.to_owned(),
            ..Self::start(experiment, &args, params)?
        })
    }

    /// The run's digest, which stands in each row.
    pub fn digest(&self) -> &str {
        &self.records.run.run
    }

    /// Adds what one tree gave.
    pub fn add(&mut self, rows: Vec<Row>, grid: Option<Grid>) {
        self.records.rows.extend(rows);
        self.records.grids.extend(grid);
    }

    /// Writes records and charts, each whole or not at all, then prints to stdout:
    /// `table` and the names of the files, or the records.
    pub fn finish<E: std::error::Error + Send + Sync + 'static>(
        mut self,
        chart: impl Fn(&Records) -> Result<Vec<Chart>, E>,
        table: impl Fn(&Records) -> String,
    ) -> Result<()> {
        self.records.run.finish(self.started.elapsed());
        let mut files = Vec::new();
        for chart in chart(&self.records).context("the charts cannot be drawn")? {
            files.push((format!("{}.svg", chart.name), chart.svg.into_bytes()));
            files.push((format!("{}.png", chart.name), chart.png));
        }
        self.records.run.charts = files.iter().map(|(name, _)| name.clone()).collect();
        let mut jsonl = Vec::new();
        self.records.write_jsonl(&mut jsonl, true)?;
        files.insert(0, (self.file.clone(), jsonl));
        self.write(&files)?;
        self.print(&files, table).context("stdout")
    }

    fn print(&self, files: &[(String, Vec<u8>)], table: impl Fn(&Records) -> String) -> Result<()> {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        match self.args.format {
            Format::Table => {
                writeln!(stdout, "{}\n", table(&self.records))?;
                let names: Vec<_> = files.iter().map(|(name, _)| name.as_str()).collect();
                writeln!(stdout, "{}: {}", self.args.out.display(), names.join(" "))?;
            }
            Format::Jsonl => self.records.write_jsonl(&mut stdout, false)?,
            Format::Csv => self.records.write_csv(&mut stdout)?,
        }
        Ok(stdout.flush()?)
    }

    /// Replaces the files of the run before, charts that are no longer made included.
    fn write(&self, files: &[(String, Vec<u8>)]) -> Result<()> {
        let out = &self.args.out;
        // Two programs take turns; where a folder cannot be locked, the last one wins.
        let folder = std::fs::File::open(out).ok();
        if let Some(folder) = &folder
            && matches!(folder.try_lock(), Err(TryLockError::WouldBlock))
        {
            args::say(&format!(
                "waiting for another program to finish writing to {}",
                out.display()
            ));
            let _ = folder.lock();
        }
        let _writing = WRITING.lock();
        let before = std::fs::File::open(out.join(&files[0].0)).ok();
        let before = before.and_then(|file| Records::read_jsonl(io::BufReader::new(file)).ok());
        write_files(out, files).map_err(|(name, error)| {
            anyhow::Error::from(error)
                .context(format!("{}: cannot be written", out.join(name).display()))
        })?;
        for old in before.into_iter().flat_map(|records| records.run.charts) {
            let plain = !old.contains(['/', '\\']);
            if plain && !files.iter().any(|(name, _)| *name == old) {
                let _ = std::fs::remove_file(out.join(old));
            }
        }
        Ok(())
    }
}

/// Held while files are written.
static WRITING: Mutex<()> = Mutex::new(());

/// Lets an interrupt (Ctrl-C, SIGTERM) end the program, but not while it writes files, and
/// after `tidy`.
pub fn finish_writing_before_an_interrupt(tidy: fn()) {
    let end = move || {
        tidy();
        let _writing = WRITING.lock();
        std::process::exit(130);
    };
    // Without a handler an interrupt ends the program too, only less tidily.
    let _ = ctrlc::set_handler(end);
}

/// The folder that `file` is in.
pub fn folder_of(file: &Path) -> &Path {
    let folder = file.parent();
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Makes `folder`, which `flag` asks for, and sees that it can be written.
pub fn see_writable(flag: &str, folder: &Path) -> Result<()> {
    let name = folder.display();
    if folder.exists() && !folder.is_dir() {
        anyhow::bail!("{flag} {name}: is not a folder");
    }
    let probe = || -> io::Result<()> {
        std::fs::create_dir_all(folder)?;
        tempfile::tempfile_in(folder)
            .map_err(plain)?
            .write_all(b"idlab")
    };
    probe().with_context(|| format!("{flag} {name}: cannot be written to"))
}

/// The command as typed, without the program's folder.
fn command_line() -> String {
    let words = std::env::args_os().skip(1);
    let words = words.map(|word| word.to_string_lossy().into_owned());
    shell_words(std::iter::once("sim".to_owned()).chain(words))
}

pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// About what a tree of so many keys of this width takes, measures included.
pub fn tree_bytes(rows: u64, key_bytes: u32) -> u64 {
    rows.saturating_mul(2 * u64::from(key_bytes))
}

/// Threads for so many tasks of about this size each: all cores (or as many as
/// asked for), but no more than there are tasks or memory holds.
///
/// # Errors
/// Memory does not hold even one; `what` says whose size it is.
pub fn threads(args: &OutputArgs, tasks: usize, task_bytes: u64, what: &str) -> Result<usize> {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let available = system.available_memory();
    if available > 0 && task_bytes > available {
        let (need, have) = (HumanBytes(task_bytes), HumanBytes(available));
        return Err(usage(format!(
            "{what} would take about {need} of memory, and {have} are free: ask for fewer rows with -n"
        )));
    }
    let fit = if available == 0 {
        usize::MAX
    } else {
        (available / task_bytes.max(1)) as usize
    };
    Ok(args
        .threads
        .unwrap_or_else(cores)
        .min(tasks)
        .min(fit)
        .max(1))
}

/// A bar on stderr for `rows` rows, or a counter without an end; hidden unless stderr is a terminal.
pub fn progress(rows: Option<u64>) -> indicatif::ProgressBar {
    progress_of(rows, "rows")
}

/// [`progress`] that counts something else.
pub fn progress_of(total: Option<u64>, noun: &str) -> indicatif::ProgressBar {
    if !io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    let (bar, template) = match total {
        Some(total) => (
            indicatif::ProgressBar::new(total),
            format!("{{bar:32}} {{human_pos}}/{{human_len}} {noun}, {{per_sec}}, {{eta}} left"),
        ),
        None => (
            indicatif::ProgressBar::no_length(),
            format!("{{spinner}} {{human_pos}} {noun}, {{per_sec}}"),
        ),
    };
    match indicatif::ProgressStyle::with_template(&template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
