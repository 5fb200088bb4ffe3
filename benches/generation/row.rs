//! Rows: what is timed, against what, and what a reader must know of it.

use crate::check::Check;
use crate::work::Work;
use idlab::random::Cipher;
use std::fmt;

/// Ids that one call of a bulk row fills, and ids between two looks of the optimiser's
/// enemy ([`std::hint::black_box`]) at what was written.
pub const CHUNK: usize = 1024;

/// What is compared.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Group {
    /// One id a call, each written to the caller's slice.
    One,
    /// [`CHUNK`] ids a call into the caller's slice.
    Bulk,
    /// An id to text, into the caller's buffer.
    Text,
    /// Text to an id.
    Parse,
    /// As [`Group::One`], on two threads at once.
    Threads,
    /// The simulators: inserts and ids a second.
    Model,
}

/// Every group, in the order of the table.
pub const GROUPS: &[Group] = &[
    Group::One,
    Group::Bulk,
    Group::Text,
    Group::Parse,
    Group::Threads,
    Group::Model,
];

impl Group {
    /// Name in ids of rows and in records.
    pub fn name(self) -> &'static str {
        match self {
            Group::One => "one",
            Group::Bulk => "bulk",
            Group::Text => "text",
            Group::Parse => "parse",
            Group::Threads => "threads",
            Group::Model => "model",
        }
    }
}

/// Where a generator reads the time. Rows are compared within one class.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Clock {
    /// Nowhere.
    None,
    /// A counter that goes on by [`crate::clocks::STEP_NS`] with each reading.
    Manual,
    /// A number that a thread refreshes: nobody else looks at a clock, however late it is.
    Ticker,
    /// A reading of the real clock that is kept for a while.
    Cached,
    /// The real clock, at each id (or at each call, in bulk).
    Real,
}

impl Clock {
    /// Name in the table and in records.
    pub fn name(self) -> &'static str {
        match self {
            Clock::None => "none",
            Clock::Manual => "manual",
            Clock::Ticker => "ticker",
            Clock::Cached => "cached",
            Clock::Real => "real",
        }
    }
}

/// Whose the generator's state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// The caller's: one thread at a time.
    Local,
    /// The thread's.
    ThreadLocal,
    /// All threads', changed by atomic operations.
    Atomic,
    /// All threads', behind a mutex.
    Mutex,
    /// There is none.
    Stateless,
}

impl State {
    /// Name in the table and in records.
    pub fn name(self) -> &'static str {
        match self {
            State::Local => "local",
            State::ThreadLocal => "thread-local",
            State::Atomic => "atomic",
            State::Mutex => "mutex",
            State::Stateless => "none",
        }
    }

    /// Whether threads share it.
    pub fn shared(self) -> bool {
        matches!(self, State::Atomic | State::Mutex)
    }
}

/// How often a generator takes randomness.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Draws {
    /// For each id.
    EachId,
    /// For the first id of a millisecond; the others count.
    EachMs,
    /// When it is made.
    Once,
}

/// How many ids a tick holds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Limit {
    /// Ids in a tick.
    pub ids: u32,
    /// Length of the tick in nanoseconds.
    pub tick_ns: u64,
}

impl Limit {
    /// Nanoseconds an id, however fast the generator is.
    pub fn ns_per_id(self) -> f64 {
        self.tick_ns as f64 / f64::from(self.ids)
    }
}

/// A remark under the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Mark(pub &'static str);

/// Who made a row's code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Who {
    /// This crate.
    Ours,
    /// The least that the machine needs for a part of the work.
    Floor,
    /// Another crate, by name.
    Peer(&'static str),
}

impl fmt::Display for Who {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Who::Ours => "idlab",
            Who::Floor => "floor",
            Who::Peer(name) => name,
        })
    }
}

/// Makes a row's work anew.
pub type Make = Box<dyn Fn() -> Box<dyn Work> + Send + Sync>;

/// A row.
pub struct Row {
    /// What is compared.
    pub group: Group,
    /// The scheme, by its name in [`idlab::scheme::SCHEMES`] where it is one of them.
    pub scheme: String,
    /// Who made the code.
    pub who: Who,
    /// The call.
    pub call: String,
    /// Where it reads the time.
    pub clock: Clock,
    /// Where it takes randomness from.
    pub random: &'static str,
    /// How often.
    pub draws: Draws,
    /// Whose its state is.
    pub state: State,
    /// What a clock that goes on by itself holds it to: it is timed in bursts of fewer.
    pub limit: Option<Limit>,
    /// Remarks.
    pub marks: Vec<Mark>,
    /// What its ids are held to.
    pub check: Check,
    /// Makes its work anew.
    pub make: Make,
}

impl Row {
    /// A row without clock, randomness, state or remarks.
    pub fn new<W: Work + 'static>(
        group: Group,
        scheme: &str,
        who: Who,
        call: impl Into<String>,
        check: Check,
        make: impl Fn() -> W + Send + Sync + 'static,
    ) -> Self {
        let make = move || Box::new(make()) as Box<dyn Work>;
        Self::boxed(group, scheme, who, call, check, make)
    }

    /// The same, of work whose type is not known.
    pub fn boxed(
        group: Group,
        scheme: &str,
        who: Who,
        call: impl Into<String>,
        check: Check,
        make: impl Fn() -> Box<dyn Work> + Send + Sync + 'static,
    ) -> Self {
        Self {
            group,
            scheme: scheme.to_owned(),
            who,
            call: call.into(),
            clock: Clock::None,
            random: "-",
            draws: Draws::EachId,
            state: State::Stateless,
            limit: None,
            marks: Vec::new(),
            check,
            make: Box::new(make),
        }
    }

    /// With this clock.
    pub fn clock(self, clock: Clock) -> Self {
        Self { clock, ..self }
    }

    /// With this source of randomness.
    pub fn random(self, random: &'static str) -> Self {
        Self { random, ..self }
    }

    /// Taking its randomness less often than for each id.
    pub fn draws(self, draws: Draws) -> Self {
        Self { draws, ..self }
    }

    /// Its source of randomness, and how often it is asked.
    pub fn randomness(&self) -> String {
        match self.draws {
            Draws::EachId => self.random.to_owned(),
            Draws::EachMs => format!("{}, each ms", self.random),
            Draws::Once => format!("{}, once", self.random),
        }
    }

    /// With this kind of state.
    pub fn state(self, state: State) -> Self {
        Self { state, ..self }
    }

    /// With a remark.
    pub fn mark(mut self, mark: Mark) -> Self {
        self.marks.push(mark);
        self
    }

    /// With a limit of ids a tick of the clock that goes on by itself.
    pub fn limit(self, ids: u32, tick_ns: u64) -> Self {
        Self {
            limit: Some(Limit { ids, tick_ns }),
            ..self
        }
    }

    /// With the limit of a sequence of 12 bits.
    pub fn limit_12_bits(self) -> Self {
        self.limit(4096, idlab::clock::NS_PER_MS)
    }

    /// Its id within the group: scheme, who, call and clock.
    pub fn id(&self) -> String {
        let clock = match self.clock {
            Clock::None => String::new(),
            clock => format!(", {} clock", clock.name()),
        };
        format!("{}/{} {}{clock}", self.scheme, self.who, self.call)
    }

    /// Its id, group included: what a filter sees.
    pub fn full_id(&self) -> String {
        format!("{}/{}", self.group.name(), self.id())
    }

    /// Whether it promises ids in order: `yes`, `no`, or `-` of rows without ids.
    pub fn order(&self) -> &'static str {
        match self.check {
            Check::Ids { ordered: true, .. } => "yes",
            Check::Ids { ordered: false, .. } => "no",
            _ => "-",
        }
    }

    /// Whether its instruction count leaves out system calls.
    pub fn leaves_system_calls_out(&self) -> bool {
        self.clock == Clock::Real || (self.random == OS && self.draws == Draws::EachId)
    }
}

/// The operating system, asked at each id.
pub const OS: &str = "getrandom";
/// `rand`'s thread-local generator: ChaCha12, reseeded after 64 KiB.
pub const THREAD_RNG: &str = "ThreadRng";
/// [`idlab::random::Secure`] of AES-256.
pub const AES256: &str = "Secure AES-256";
/// [`idlab::random::Secure`] of ChaCha8.
pub const CHACHA8: &str = "Secure ChaCha8";
/// [`idlab::random::Secure`] of ChaCha12.
pub const SECURE_CHACHA12: &str = "Secure ChaCha12";

/// The cipher of one of them.
pub fn cipher(random: &str) -> Cipher {
    match random {
        CHACHA8 => Cipher::ChaCha8,
        SECURE_CHACHA12 => Cipher::ChaCha12,
        _ => Cipher::Aes256,
    }
}

/// ChaCha12 in a local variable.
pub const CHACHA12: &str = "ChaCha12";
