//! Rows of this crate: every scheme in its default form, and tails that count.

use crate::check::{Check, Shape, ordered, unique};
use crate::clocks::{CHUNK_STEP_NS, START, STEP_NS, TSID_MS, TWITTER_MS};
use crate::row::{
    AES256, CHACHA8, Clock, Draws, Group, Mark, Row, SECURE_CHACHA12, State, Who, cipher,
};
use crate::work::{Plain, Work, bulk, each};
use idlab::clock::{self, CachedClock, ManualClock, SystemClock};
use idlab::id::{Id, Key};
use idlab::random::Secure;
use idlab::scheme::{self, Blocks, FieldKind, SCHEMES, Scheme, Spec, Stall, Visitor};
use std::sync::LazyLock;

/// Forms beside the default ones.
const FORMS: &[&str] = &[
    "sonyflake",
    "uuid_v7:tail=counter",
    "uuid_v7:tail=counter42",
    "uuid_v7:tail=fraction",
    "uuid_v7:tail=monotonic",
    "ulid:tail=monotonic",
];

/// Schemes, in any form, that other crates have, on every clock; of others a clock adds as much.
const ON_EVERY_CLOCK: &[&str] = &[
    "snowflake",
    "sonyflake",
    "tsid",
    "unique_rowid",
    "uuid_v7",
    "ulid",
    "ksuid",
    "scru128",
];

/// Schemes that are also timed without AES.
const ALSO_CHACHA: &[&str] = &["uuid_v4", "uuid_v7", "ulid", "ksuid"];

const AHEAD: Mark = Mark(
    "One id a step of its timestamp, as the original does: at this rate timestamps run ahead of the clock.",
);

/// Every row of this crate's generators.
pub fn rows() -> Vec<Row> {
    let defaults = SCHEMES.iter().map(|scheme| scheme.name);
    let forms = defaults.chain(FORMS.iter().copied());
    let facts = forms.flat_map(|form| {
        let spec: Spec = form.parse().expect("a form of a scheme");
        scheme::visit_inlined(&spec, Facts(form)).expect("a form of a scheme")
    });
    facts.chain([blocks()]).collect()
}

/// The one generator that threads share.
fn blocks() -> Row {
    static BLOCKS: LazyLock<Blocks> = LazyLock::new(|| Blocks::new(1000));
    let check = ordered(Shape::Bare(8));
    Row::new(
        Group::One,
        "ticket_block",
        Who::Ours,
        "Blocks of 1,000, shared",
        check,
        || {
            let mut tickets = BLOCKS.tickets();
            each(
                move || tickets.next().expect("numbers are left"),
                |id| plain(*id),
            )
        },
    )
    .state(State::Atomic)
}

/// The rows of one form of a scheme.
struct Facts(&'static str);

impl Visitor for Facts {
    type Output = Vec<Row>;

    fn visit<S: Scheme>(self, scheme: S) -> Vec<Row> {
        let limits = scheme.limits();
        let random = scheme.fields().iter().any(|f| f.kind == FieldKind::Random);
        let (name, form) = self.0.split_once(':').unwrap_or((self.0, ""));
        let clocks: &[Clock] = match limits.tick_ns {
            None => &[Clock::None],
            Some(_) if ON_EVERY_CLOCK.contains(&name) => {
                &[Clock::Manual, Clock::Cached, Clock::Real]
            }
            Some(_) => &[Clock::Manual],
        };
        let check = check(&scheme, self.0);
        let mut randoms = vec![if random { AES256 } else { "-" }];
        if ALSO_CHACHA.contains(&self.0) {
            randoms.push(CHACHA8);
        }
        if self.0 == "uuid_v4" {
            randoms.push(SECURE_CHACHA12);
        }
        // Ids so few that a tick of a real clock can be used up.
        let few = limits.ids_per_tick.and_then(|ids| u32::try_from(ids).ok());
        let limit = few.filter(|ids| *ids > 1).zip(limits.tick_ns);
        // Its counters carry into the timestamp instead.
        let limit = limit.filter(|_| self.0 != "tsid");
        let draws = match self.0 {
            "ulid:tail=monotonic" => Draws::EachMs,
            _ => Draws::EachId,
        };
        let mut rows = Vec::new();
        for group in [Group::One, Group::Bulk] {
            for &clock in clocks {
                for &random in &randoms {
                    let call = match group {
                        Group::Bulk => "fill",
                        _ => "mint",
                    };
                    let call = [call, form, random].map(|part| part.trim_start_matches('-'));
                    let call: Vec<_> = call.into_iter().filter(|part| !part.is_empty()).collect();
                    let make = Make {
                        form: self.0,
                        group,
                        clock,
                        random,
                    };
                    let call = call.join(" ");
                    let mut row =
                        Row::boxed(group, name, Who::Ours, call, check, move || make.work())
                            .clock(clock)
                            .draws(draws)
                            .random(random)
                            .state(State::Local);
                    if let "unique_rowid" | "tsid" | "uuid_v7:tail=fraction" = self.0 {
                        row = row.mark(AHEAD);
                    }
                    if clock != Clock::Manual
                        && let Some((ids, tick_ns)) = limit
                    {
                        row = row.limit(ids, tick_ns);
                    }
                    rows.push(row);
                }
            }
        }
        rows
    }
}

/// What ids of a form are held to.
fn check<S: Scheme>(scheme: &S, form: &str) -> Check {
    let bytes = <S::Id as Id>::Key::BYTES as usize;
    let shape = match form.split(':').next() {
        Some("uuid_v1") => Shape::Uuid(1),
        Some("uuid_v4") => Shape::Uuid(4),
        Some("uuid_v6") => Shape::Uuid(6),
        Some("uuid_v7") => Shape::Uuid(7),
        Some("ulid" | "scru128") => Shape::Ms48,
        Some("ksuid") => Shape::Ksuid,
        Some("snowflake") => Shape::Ms22(TWITTER_MS),
        Some("tsid") => Shape::Ms22(TSID_MS),
        _ => Shape::Bare(bytes),
    };
    match scheme.ascends() {
        true => ordered(shape),
        false => unique(shape),
    }
}

/// What it takes to make a row's work.
#[derive(Clone, Copy)]
struct Make {
    form: &'static str,
    group: Group,
    clock: Clock,
    random: &'static str,
}

impl Make {
    fn work(self) -> Box<dyn Work> {
        let spec: Spec = self.form.parse().expect("a form of a scheme");
        scheme::visit_inlined(&spec, self).expect("a form of a scheme")
    }

    /// The one place where clocks are chosen.
    fn with_clock<S: Scheme>(self, scheme: S) -> Box<dyn Work> {
        // Long enough that no tick is used up.
        let limits = scheme.limits();
        let few = limits.ids_per_tick.filter(|ids| *ids > 1);
        let an_id_ns = few
            .zip(limits.tick_ns)
            .map_or(0, |(ids, tick_ns)| u128::from(tick_ns).div_ceil(ids));
        let longer = (an_id_ns as u64).div_ceil(STEP_NS).max(1);
        let step_ns = match self.group {
            Group::Bulk => CHUNK_STEP_NS * longer,
            _ => STEP_NS * longer,
        };
        match self.clock {
            Clock::Real => self.with_random(scheme, SystemClock::default()),
            Clock::Cached => self.with_random(scheme, CachedClock::new()),
            Clock::Ticker => panic!("no row of this crate has a thread that refreshes its clock"),
            Clock::None | Clock::Manual => {
                self.with_random(scheme, ManualClock::new(START, step_ns))
            }
        }
    }

    /// The one place where generators of randomness are chosen.
    fn with_random<S: Scheme>(
        self,
        scheme: S,
        clock: impl clock::Clock + 'static,
    ) -> Box<dyn Work> {
        let random = Secure::new(cipher(self.random)).expect("randomness of the system");
        self.loops(scheme, clock, random)
    }

    fn loops<S: Scheme>(
        self,
        mut scheme: S,
        clock: impl clock::Clock + 'static,
        mut random: impl rand::Rng + 'static,
    ) -> Box<dyn Work> {
        let mut writer = scheme.writer(1).expect("room for one writer");
        if self.group == Group::One {
            let next = move || match scheme.mint(&mut writer, &clock, &mut random) {
                Ok(id) => id,
                Err(_) => patiently(|| scheme.mint(&mut writer, &clock, &mut random)),
            };
            return Box::new(each(next, |id: &S::Id| plain(*id)));
        }
        let first = patiently(|| scheme.mint(&mut writer, &clock, &mut random));
        let fill = move |ids: &mut [S::Id]| {
            let mut filled = 0;
            while filled < ids.len() {
                let rest = &mut ids[filled..];
                filled += patiently(|| scheme.fill(&mut writer, &clock, &mut random, rest));
            }
        };
        Box::new(bulk(first, fill, |id: &S::Id| plain(*id)))
    }
}

/// Tries until it is no stall: the clock goes on meanwhile.
#[cold]
#[inline(never)]
fn patiently<T>(mut attempt: impl FnMut() -> Result<T, Stall>) -> T {
    loop {
        match attempt() {
            Ok(done) => return done,
            Err(Stall::OutOfRange) => panic!("the clock is within every scheme's range"),
            Err(_) => std::hint::spin_loop(),
        }
    }
}

/// The bytes of an id, most significant first.
pub fn plain<I: Id>(id: I) -> Plain {
    let bytes = <I::Key as Key>::BYTES;
    let key = id.key();
    let byte = |i| key.field(8 * (bytes - 1 - i), 8) as u8;
    Plain::new(&(0..bytes).map(byte).collect::<Vec<_>>())
}

impl Visitor for Make {
    type Output = Box<dyn Work>;

    fn visit<S: Scheme>(self, scheme: S) -> Box<dyn Work> {
        self.with_clock(scheme)
    }
}
