//! `rs-snowflake`.

use crate::check::{Shape, ordered};
use crate::clocks::TWITTER_MS;
use crate::row::{Clock, Group, Mark, Row, State, Who};
use crate::work::{Plain, each};
use snowflake::SnowflakeIdGenerator;
use std::time::{Duration, UNIX_EPOCH};

const WHO: Who = Who::Peer("rs-snowflake");
const SPILLS: Mark =
    Mark("Does not check numbers of machines: their high bits spill into the timestamp.");
const BACK: Mark = Mark("Takes a clock that goes back for a new millisecond: ids repeat.");
const STALE: Mark = Mark("Reads the clock once in 4,096 ids: timestamps are stale without limit.");
const AHEAD: Mark =
    Mark("Reads no clock after its first id: timestamps run ahead, 244 ms after a million ids.");

fn generator() -> SnowflakeIdGenerator {
    SnowflakeIdGenerator::with_epoch(1, 1, UNIX_EPOCH + Duration::from_millis(TWITTER_MS))
}

fn plain(id: &i64) -> Plain {
    Plain::new(&id.to_be_bytes())
}

/// A row of one of its calls; generic, so that the call is not one through a pointer.
fn row(
    call: &str,
    next: impl Fn(&mut SnowflakeIdGenerator) -> i64 + Copy + Send + Sync + 'static,
) -> Row {
    let make = move || {
        let mut generator = generator();
        each(move || next(&mut generator), plain)
    };
    let check = ordered(Shape::Ms22(TWITTER_MS));
    Row::new(Group::One, "snowflake", WHO, call, check, make)
        .state(State::Local)
        .mark(SPILLS)
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    vec![
        row("real_time_generate", |generator| {
            generator.real_time_generate()
        })
        .clock(Clock::Real)
        .limit_12_bits()
        .mark(BACK),
        row("generate", |generator| generator.generate())
            .clock(Clock::Cached)
            .limit_12_bits()
            .mark(STALE),
        row("lazy_generate", |generator| generator.lazy_generate()).mark(AHEAD),
    ]
}
