//! `ferroid`.

use crate::check::{Check, Shape, ordered, unique};
use crate::clocks::{Fed, TWITTER_MS};
use crate::fixtures;
use crate::row::{CHACHA12, Clock, Draws, Group, Mark, Row, State, THREAD_RNG, Who};
use crate::work::{Plain, Work, each, turn};
use ferroid::base32::Base32UlidExt;
use ferroid::generator::thread_local::Ulid;
use ferroid::generator::{
    AtomicSnowflakeGenerator, BasicMonoUlidGenerator, BasicSnowflakeGenerator, BasicUlidGenerator,
    LockMonoUlidGenerator, LockSnowflakeGenerator,
};
use ferroid::id::{SnowflakeTwitterId, ULID};
use ferroid::rand::RandSource;
use ferroid::time::{MonotonicClock, TWITTER_EPOCH, TimeSource};
use rand::Rng;
use rand::rngs::StdRng;
use std::cell::RefCell;
use std::hint::spin_loop;
use std::sync::LazyLock;

const WHO: Who = Who::Peer("ferroid");
const TICKER: Mark = Mark(
    "Its clock is a number that a thread refreshes each millisecond: late under load, frozen in a forked child, and it follows no correction of the real clock.",
);
const MASKED: Mark = Mark("Masks numbers of machines that do not fit, without a word.");
const WRAPS: Mark = Mark(
    "Takes texts above 7ZZZZZZZZZZZZZZZZZZZZZZZZZ, which wrap; the specification refuses them.",
);

/// The counting clock in its unit: milliseconds since Twitter's epoch for 64 bits, Unix ones for 128.
impl TimeSource<u64> for Fed {
    fn current_millis(&self) -> u64 {
        self.ms() - TWITTER_MS
    }
}

impl TimeSource<u128> for Fed {
    fn current_millis(&self) -> u128 {
        self.ms().into()
    }
}

struct ChaCha12(RefCell<StdRng>);

impl ChaCha12 {
    fn new() -> Self {
        Self(RefCell::new(rand::make_rng()))
    }
}

impl RandSource<u128> for ChaCha12 {
    fn rand(&self) -> u128 {
        let mut random = self.0.borrow_mut();
        u128::from(random.next_u64()) << 64 | u128::from(random.next_u64())
    }
}

fn twitter() -> MonotonicClock {
    MonotonicClock::with_epoch(TWITTER_EPOCH)
}

fn unix() -> MonotonicClock {
    MonotonicClock::default()
}

fn wait<T>(_: T) {
    spin_loop();
}

fn plain(id: &ULID) -> Plain {
    Plain::new(&id.to_raw().to_be_bytes())
}

fn ulid(
    call: &str,
    check: Check,
    clock: Clock,
    next: impl Fn() -> Box<dyn Work> + Send + Sync + 'static,
) -> Row {
    let row = Row::boxed(Group::One, "ulid", WHO, call, check, next).clock(clock);
    let row = match check {
        Check::Ids { ordered: true, .. } => row.draws(Draws::EachMs),
        _ => row,
    };
    match clock {
        Clock::Ticker => row.random(THREAD_RNG).mark(TICKER),
        _ => row.random(CHACHA12),
    }
}

fn snowflake(
    call: &str,
    clock: Clock,
    next: impl Fn() -> Box<dyn Work> + Send + Sync + 'static,
) -> Row {
    let check = ordered(Shape::Ms22(TWITTER_MS));
    let row = Row::boxed(Group::One, "snowflake", WHO, call, check, next).clock(clock);
    match clock {
        Clock::Ticker => row.limit_12_bits().mark(TICKER).mark(MASKED),
        _ => row.mark(MASKED),
    }
}

fn ulids(next: impl FnMut() -> ULID + 'static) -> Box<dyn Work> {
    Box::new(each(next, plain))
}

fn snowflakes(next: impl FnMut() -> SnowflakeTwitterId + 'static) -> Box<dyn Work> {
    Box::new(each(next, |id: &SnowflakeTwitterId| {
        Plain::new(&id.to_raw().to_be_bytes())
    }))
}

static ATOMIC: LazyLock<AtomicSnowflakeGenerator<SnowflakeTwitterId, MonotonicClock>> =
    LazyLock::new(|| AtomicSnowflakeGenerator::new(1, twitter()));
static LOCK: LazyLock<LockSnowflakeGenerator<SnowflakeTwitterId, MonotonicClock>> =
    LazyLock::new(|| LockSnowflakeGenerator::new(2, twitter()));
static LOCK_MONO: LazyLock<
    LockMonoUlidGenerator<ULID, MonotonicClock, ferroid::rand::ThreadRandom>,
> = LazyLock::new(|| LockMonoUlidGenerator::new(unix(), ferroid::rand::ThreadRandom));

/// Its rows.
pub fn rows() -> Vec<Row> {
    let (random, counted) = (unique(Shape::Ms48), ordered(Shape::Ms48));
    vec![
        ulid("ULID::now", random, Clock::Real, || ulids(ULID::now)).random(THREAD_RNG),
        ulid("new_ulid", random, Clock::Ticker, || ulids(Ulid::new_ulid)).state(State::ThreadLocal),
        ulid("new_ulid_mono", counted, Clock::Ticker, || {
            ulids(|| Ulid::new_ulid_mono(wait))
        })
        .state(State::ThreadLocal),
        ulid("BasicUlidGenerator", random, Clock::Manual, || {
            let generator = BasicUlidGenerator::<ULID, _, _>::new(Fed::new(), ChaCha12::new());
            ulids(move || generator.next_id(wait))
        })
        .state(State::Local),
        ulid("BasicMonoUlidGenerator", counted, Clock::Ticker, || {
            let generator = BasicMonoUlidGenerator::new(unix(), ferroid::rand::ThreadRandom);
            ulids(move || generator.next_id(wait))
        })
        .state(State::Local),
        ulid("BasicMonoUlidGenerator", counted, Clock::Manual, || {
            let generator = BasicMonoUlidGenerator::new(Fed::new(), ChaCha12::new());
            ulids(move || generator.next_id(wait))
        })
        .state(State::Local),
        ulid("LockMonoUlidGenerator", counted, Clock::Ticker, || {
            ulids(|| {
                LOCK_MONO
                    .try_next_id(wait)
                    .expect("a lock that is not poisoned")
            })
        })
        .state(State::Mutex),
        snowflake("BasicSnowflakeGenerator", Clock::Ticker, || {
            let generator = BasicSnowflakeGenerator::new(1, twitter());
            snowflakes(move || generator.next_id(wait))
        })
        .state(State::Local),
        snowflake("BasicSnowflakeGenerator", Clock::Manual, || {
            let generator = BasicSnowflakeGenerator::new(1, Fed::new());
            snowflakes(move || generator.next_id(wait))
        })
        .state(State::Local),
        snowflake("AtomicSnowflakeGenerator", Clock::Ticker, || {
            snowflakes(|| ATOMIC.next_id(wait))
        })
        .state(State::Atomic),
        snowflake("LockSnowflakeGenerator", Clock::Ticker, || {
            snowflakes(|| LOCK.try_next_id(wait).expect("a lock that is not poisoned"))
        })
        .state(State::Mutex),
        Row::new(
            Group::Text,
            "ulid",
            WHO,
            "encode_to_buf",
            Check::Same(fixtures::ulid_texts),
            || {
                let ids = fixtures::ulids().into_iter().map(|id| ULID::from_raw(id.0));
                let encode = |id: &ULID, out: &mut [u8; 26]| {
                    id.encode_to_buf(out);
                };
                turn(ids.collect(), [0; 26], encode, |text| Plain::new(text))
            },
        ),
        Row::new(
            Group::Parse,
            "ulid",
            WHO,
            "decode",
            Check::Same(fixtures::ulid_bytes),
            || {
                let texts = fixtures::texts(fixtures::ulids());
                let parse = |text: &String, out: &mut ULID| {
                    *out = ULID::decode(text).expect("the text of a ULID");
                };
                turn(texts, ULID::from_raw(0), parse, plain)
            },
        )
        .mark(WRAPS),
    ]
}
