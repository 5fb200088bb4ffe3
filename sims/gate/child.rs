//! A worker's process: lines to and fro, each answer within a time limit, and a sure end.

use anyhow::{Context, Result, anyhow};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child as Process, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Longest line that a worker may say.
const LINE_BYTES: u64 = 4096;
/// How long a worker that has closed its output may take to end.
const FAREWELL: Duration = Duration::from_secs(2);
const ENDING: Duration = Duration::from_millis(5);

/// The groups of processes that were started and not yet ended.
static RUNNING: Mutex<Vec<u32>> = Mutex::new(Vec::new());

/// Ends all workers, whatever they do, at the end of this program: none can be started or
/// ended after it, so nobody complains of their end.
pub fn kill_all() {
    let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    running.drain(..).for_each(kill_group);
    std::mem::forget(running);
}

/// Ends a process and what it has started.
fn kill_group(leader: u32) {
    #[cfg(unix)]
    if let Ok(leader) = i32::try_from(leader) {
        use nix::{sys::signal, unistd::Pid};
        let _ = signal::killpg(Pid::from_raw(leader), signal::Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}

/// Why there is no line.
enum Trouble {
    NoText,
    TooLong,
}

/// A running process.
pub struct Child {
    /// What errors call it: a flag and its command.
    name: String,
    process: Process,
    stdin: Option<ChildStdin>,
    lines: Receiver<Result<String, Trouble>>,
    /// The last line that it wrote to stderr.
    complaint: Arc<Mutex<String>>,
    patience: Duration,
}

impl Child {
    /// Starts the program `words`; `name` is what errors call it.
    pub fn start(name: &str, words: &[String], patience: Duration) -> Result<Self> {
        let (program, arguments) = words
            .split_first()
            .ok_or_else(|| anyhow!("{name}: expected a command"))?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let mut process = command
            .spawn()
            .with_context(|| format!("{name}: cannot be started"))?;
        running.push(process.id());
        drop(running);
        let (sender, lines) = sync_channel(64);
        if let Some(stdout) = process.stdout.take() {
            thread::spawn(move || pass_lines(stdout, &sender));
        }
        let complaint = Arc::new(Mutex::new(String::new()));
        if let Some(stderr) = process.stderr.take() {
            let complaint = Arc::clone(&complaint);
            thread::spawn(move || keep_last_line(stderr, &complaint));
        }
        Ok(Self {
            name: name.to_owned(),
            stdin: process.stdin.take(),
            process,
            lines,
            complaint,
            patience,
        })
    }

    /// Sends a line.
    pub fn say(&mut self, line: &impl std::fmt::Display) {
        if let Some(stdin) = &mut self.stdin {
            // A reader that has gone says why when its answer is awaited.
            let _ = writeln!(stdin, "{line}").and_then(|()| stdin.flush());
        }
    }

    /// The next line, which should be what `expected` says.
    pub fn line(&mut self, expected: &str) -> Result<String> {
        let fault = match self.lines.recv_timeout(self.patience) {
            Ok(Ok(line)) => return Ok(line),
            Ok(Err(Trouble::NoText)) => "said bytes that are no UTF-8".to_owned(),
            Ok(Err(Trouble::TooLong)) => format!("said a line of more than {LINE_BYTES} bytes"),
            Err(RecvTimeoutError::Timeout) => {
                format!("said nothing for {:?}", self.patience)
            }
            Err(RecvTimeoutError::Disconnected) => self.end(),
        };
        Err(self.fault(&fault, expected))
    }

    /// How long each answer may take.
    pub fn patience(&self) -> Duration {
        self.patience
    }

    /// A line that has come without being waited for.
    pub fn unasked(&self) -> Option<String> {
        self.lines.try_recv().ok().and_then(Result::ok)
    }

    /// An error: what this process did, and what it should have done.
    pub fn fault(&self, did: &str, expected: &str) -> anyhow::Error {
        anyhow!("{}: {did}, expected {expected}", self.name)
    }

    /// Closes its stdin and waits until it ends.
    pub fn finish(&mut self) -> Result<()> {
        self.stdin = None;
        match self.wait(self.patience) {
            Some(status) if status.success() => Ok(()),
            Some(_) => {
                let did = self.end();
                Err(self.fault(&did, "exit code 0 after its stdin ended"))
            }
            None => {
                let did = format!("went on for {:?} after its stdin ended", self.patience);
                Err(self.fault(&did, "that it ends"))
            }
        }
    }

    fn wait(&mut self, at_most: Duration) -> Option<ExitStatus> {
        let start = Instant::now();
        loop {
            match self.process.try_wait() {
                Ok(Some(status)) => return Some(status),
                Ok(None) if start.elapsed() < at_most => thread::sleep(ENDING),
                _ => return None,
            }
        }
    }

    /// How it ended, in words.
    fn end(&mut self) -> String {
        let status = self.wait(FAREWELL);
        // The thread that reads stderr may be a moment behind.
        thread::sleep(ENDING);
        let complaint = self
            .complaint
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let why = match complaint.is_empty() {
            true => String::new(),
            false => format!(" ({complaint})"),
        };
        match status {
            Some(status) => format!("ended with {status}{why}"),
            None => format!("closed its stdout{why}"),
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        let mut running = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
        let id = self.process.id();
        running.retain(|running| *running != id);
        // Also if it has ended, for what it started; its number is not given away so soon.
        kill_group(id);
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn pass_lines(stdout: impl Read, sender: &SyncSender<Result<String, Trouble>>) {
    let mut stdout = BufReader::new(stdout);
    loop {
        let line = match read_line(&mut stdout) {
            Ok(Some(line)) => line,
            Ok(None) | Err(_) => return,
        };
        let wrong = line.is_err();
        if sender.send(line).is_err() || wrong {
            return;
        }
    }
}

fn read_line(from: &mut impl BufRead) -> io::Result<Option<Result<String, Trouble>>> {
    let mut bytes = Vec::new();
    from.by_ref()
        .take(LINE_BYTES)
        .read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    if bytes.len() as u64 == LINE_BYTES && !bytes.ends_with(b"\n") {
        return Ok(Some(Err(Trouble::TooLong)));
    }
    let text = String::from_utf8(bytes).map_err(|_| Trouble::NoText);
    Ok(Some(text.map(|line| line.trim_end().to_owned())))
}

fn keep_last_line(stderr: impl Read, complaint: &Mutex<String>) {
    let mut stderr = BufReader::new(stderr);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match stderr
            .by_ref()
            .take(LINE_BYTES)
            .read_until(b'\n', &mut bytes)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&bytes);
        let line: String = line.trim().chars().take(200).collect();
        if !line.is_empty() {
            *complaint.lock().unwrap_or_else(PoisonError::into_inner) = line;
        }
    }
}
