//! The two sides: which program each is, and a worker of it that answers.

use super::child::Child;
use crate::args::usage;
use anyhow::{Result, bail};
use idlab::gate::protocol::{self, Answer, Greeting, Request, VERSION};
use std::time::{Duration, Instant};

/// A program that is compared.
#[derive(Clone, Debug)]
pub struct Side {
    /// What errors call it: `base` or `head`.
    pub name: &'static str,
    /// The command as given.
    pub command: String,
    /// Program and arguments.
    pub words: Vec<String>,
    /// How long each answer may take.
    pub patience: Duration,
}

impl Side {
    /// The program that the flag `--name` gives.
    pub fn new(name: &'static str, command: &str, patience: Duration) -> Result<Self> {
        let words = shlex::split(command).filter(|words| !words.is_empty());
        let Some(words) = words else {
            return Err(usage(format!(
                "--{name} {command:?}: expected a command, quoted as in a shell"
            )));
        };
        Ok(Self {
            name,
            command: command.to_owned(),
            words,
            patience,
        })
    }

    /// What errors call it.
    fn title(&self) -> String {
        format!("{} ({})", self.name, self.command)
    }

    /// Starts a worker.
    pub fn start(&self) -> Result<Worker> {
        Worker::greet(Child::start(&self.title(), &self.words, self.patience)?)
    }

    /// Starts a worker inside another program, `around`, which slows it by this factor.
    pub fn start_inside(&self, around: &[String], slower: u32) -> Result<Worker> {
        let words = [around, &self.words].concat();
        let patience = self.patience.saturating_mul(slower);
        Worker::greet(Child::start(&self.title(), &words, patience)?)
    }
}

/// Most cases and notes of a worker.
const MOST_GREETINGS: usize = 1000;

/// A worker that is ready.
pub struct Worker {
    child: Child,
    /// What it can do.
    pub cases: Vec<String>,
    /// What it says of itself.
    pub notes: Vec<(String, String)>,
}

impl Worker {
    fn greet(mut child: Child) -> Result<Self> {
        let expected = format!("\"gate {VERSION}\" as its first line (sim gate --help)");
        let line = child.line(&expected)?;
        match protocol::parse_version(&line) {
            Some(VERSION) => {}
            Some(other) => {
                let did = format!("speaks version {other} of the protocol");
                return Err(child.fault(&did, &format!("version {VERSION}")));
            }
            None => return Err(child.fault(&format!("said {line:?}"), &expected)),
        }
        let (mut cases, mut notes) = (Vec::new(), Vec::new());
        let expected = "\"case NAME\", \"note NAME VALUE\" or \"ready\"";
        let start = Instant::now();
        loop {
            let line = child.line(expected)?;
            if cases.len() + notes.len() > MOST_GREETINGS || start.elapsed() > child.patience() {
                let soon =
                    format!("\"ready\" after at most {MOST_GREETINGS} lines and within --timeout");
                return Err(child.fault("goes on to greet", &soon));
            }
            match protocol::parse_greeting(&line) {
                Some(Greeting::Ready) => break,
                Some(Greeting::Case(case)) if cases.contains(&case) => {
                    return Err(child.fault(&format!("lists case {case} twice"), "each once"));
                }
                Some(Greeting::Case(case)) => cases.push(case),
                Some(Greeting::Note(name, value)) => notes.push((name, value)),
                None => return Err(child.fault(&format!("said {line:?}"), expected)),
            }
        }
        if cases.is_empty() {
            return Err(child.fault("lists no cases", "at least one before \"ready\""));
        }
        Ok(Self {
            child,
            cases,
            notes,
        })
    }

    /// Has work done; returns its checksum and, if time was asked for, nanoseconds.
    fn ask(&mut self, request: Request) -> Result<(String, Option<u64>)> {
        let expected = match request.timed {
            true => format!("\"CHECKSUM NS\" in answer to {:?}", request.to_string()),
            false => format!("\"CHECKSUM\" in answer to {:?}", request.to_string()),
        };
        if let Some(line) = self.child.unasked() {
            return Err(self.child.fault(
                &format!("said {line:?} unasked"),
                "one line for each request",
            ));
        }
        self.child.say(&request);
        let line = self.child.line(&expected)?;
        match Answer::parse(&line, request.timed) {
            Some(Answer::Done(checksum, ns)) => Ok((checksum, ns)),
            Some(Answer::Error(reason)) => {
                Err(self.child.fault(&format!("refused ({reason})"), &expected))
            }
            None => Err(self.child.fault(&format!("said {line:?}"), &expected)),
        }
    }

    /// Has `ids` ids of `case` made and timed.
    pub fn run(&mut self, case: &str, seed: u64, ids: u64) -> Result<(String, u64)> {
        let timed = true;
        match self.ask(Request {
            timed,
            case,
            seed,
            ids,
        })? {
            (checksum, Some(ns)) => Ok((checksum, ns)),
            (_, None) => bail!("{case}: no time"),
        }
    }

    /// Has `ids` ids of `case` made once.
    pub fn count(&mut self, case: &str, seed: u64, ids: u64) -> Result<String> {
        let timed = false;
        Ok(self
            .ask(Request {
                timed,
                case,
                seed,
                ids,
            })?
            .0)
    }

    /// Lets it end.
    pub fn finish(mut self) -> Result<()> {
        self.child.finish()
    }
}
