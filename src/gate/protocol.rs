//! What gate and worker say to each other.

/// The version spoken.
pub const VERSION: u32 = 1;

/// The protocol, for authors of workers in any language.
pub const ABOUT: &str = "\
A worker is a program that is spoken to in lines of text over stdin and stdout:

  worker  gate 1                 the version of the protocol, first of all
  worker  case uuid_v4/one       one line for each case: a name without blanks
  worker  note rustc 1.95.0      any number of facts about itself (may be left out)
  worker  ready
  gate    run uuid_v4/one 7 20000
  worker  9c1e55d0 1034120       checksum and nanoseconds
  gate    count uuid_v4/one 7 16384
  worker  9c1e55d0               checksum

`run CASE SEED N` asks for N ids (rows, operations) of a case whose randomness follows from
SEED, three times over from the same start, each time timed by itself; the answer has the least
of the three times. `count CASE SEED N` asks for the same work once. The checksum is a word
that depends on every id: the same CASE, SEED and N give the same one, timed or not, and two
versions of a library give the same one as long as their ids are the same. The gate chooses N so
that one of the three takes about 1 ms. A request that cannot be met is answered by `error` and the reason. Flush stdout
after each line; write nothing else to it; end when stdin ends.";

/// A line that a worker says before it is ready.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Greeting {
    /// It can do this case.
    Case(String),
    /// A fact: its name and what it is.
    Note(String, String),
    /// It waits for requests.
    Ready,
}

/// The version in the first line of a worker.
pub fn parse_version(line: &str) -> Option<u32> {
    match words(line)[..] {
        ["gate", version] => version.parse().ok(),
        _ => None,
    }
}

/// Reads a line between the first and `ready`.
pub fn parse_greeting(line: &str) -> Option<Greeting> {
    match words(line)[..] {
        ["ready"] => Some(Greeting::Ready),
        ["case", name] => Some(Greeting::Case(name.to_owned())),
        ["note", name, ref value @ ..] => Some(Greeting::Note(name.to_owned(), value.join(" "))),
        _ => None,
    }
}

/// A request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Request<'a> {
    /// Whether time is to be taken, of three repeats; else the work is to be done once.
    pub timed: bool,
    /// The case.
    pub case: &'a str,
    /// Seed of its randomness.
    pub seed: u64,
    /// Ids.
    pub ids: u64,
}

impl<'a> Request<'a> {
    /// Reads a request.
    pub fn parse(line: &'a str) -> Option<Self> {
        let [verb, case, seed, ids] = words(line)[..] else {
            return None;
        };
        Some(Self {
            timed: match verb {
                "run" => true,
                "count" => false,
                _ => return None,
            },
            case,
            seed: seed.parse().ok()?,
            ids: ids.parse().ok()?,
        })
    }
}

impl std::fmt::Display for Request<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let verb = if self.timed { "run" } else { "count" };
        write!(f, "{verb} {} {} {}", self.case, self.seed, self.ids)
    }
}

/// An answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The checksum, and the least time in ns if it was asked for.
    Done(String, Option<u64>),
    /// Why the request cannot be met.
    Error(String),
}

impl Answer {
    /// Reads the answer to a request; `None` if it is none. A time of 0 is none.
    pub fn parse(line: &str, timed: bool) -> Option<Self> {
        match (words(line)[..].as_ref(), timed) {
            (["error", reason @ ..], _) => Some(Answer::Error(reason.join(" "))),
            ([checksum], false) => Some(Answer::Done((*checksum).to_owned(), None)),
            ([checksum, ns], true) => match ns.parse() {
                Ok(0) | Err(_) => None,
                Ok(ns) => Some(Answer::Done((*checksum).to_owned(), Some(ns))),
            },
            _ => None,
        }
    }
}

fn words(line: &str) -> Vec<&str> {
    line.split_ascii_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_as_they_are_written() {
        for timed in [true, false] {
            let request = Request {
                timed,
                case: "uuid_v7:tail=monotonic/bulk",
                seed: u64::MAX,
                ids: 3,
            };
            assert_eq!(Request::parse(&request.to_string()), Some(request));
        }
        for bad in [
            "",
            "run",
            "run a 1",
            "run a -1 5",
            "run a 1 5 6",
            "walk a 1 5",
        ] {
            assert_eq!(Request::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn greetings() {
        assert_eq!(parse_version("gate 12"), Some(12));
        assert_eq!(parse_version("gate"), None);
        let note = Greeting::Note("rustc".to_owned(), "rustc 1.95.0 (x)".to_owned());
        assert_eq!(parse_greeting("note rustc rustc 1.95.0 (x)\r"), Some(note));
        assert_eq!(parse_greeting("ready"), Some(Greeting::Ready));
        assert_eq!(parse_greeting("case a b"), None);
        assert_eq!(parse_greeting("hello"), None);
    }

    #[test]
    fn answers() {
        let done = |ns| Some(Answer::Done("9c".to_owned(), ns));
        assert_eq!(Answer::parse("9c 17", true), done(Some(17)));
        assert_eq!(Answer::parse("9c", false), done(None));
        for (bad, timed) in [
            ("9c", true),
            ("9c 0", true),
            ("9c -1", true),
            ("9c 1.5", true),
            ("9c 17", false),
            ("", true),
            ("", false),
        ] {
            assert_eq!(Answer::parse(bad, timed), None, "{bad}");
        }
        let error = Some(Answer::Error("no such case".to_owned()));
        assert_eq!(Answer::parse("error no such case", true), error);
    }
}
