//! `snowflake_me`.

use crate::check::{Shape, ordered};
use crate::clocks::{CHUNK_STEP_NS, STEP_NS, TWITTER_MS, shared_ms};
use crate::row::{CHUNK, Clock, Group, Row, State, Who};
use crate::work::{Plain, Work, each};
use snowflake_me::{Snowflake, SnowflakeId};
use std::hint::black_box;
use std::sync::LazyLock;

const WHO: Who = Who::Peer("snowflake_me");

fn plain(id: &SnowflakeId) -> Plain {
    Plain::new(&id.as_u64().to_be_bytes())
}

fn generator(step_ns: Option<u64>) -> Snowflake {
    let builder = Snowflake::builder()
        .start_time(TWITTER_MS as i64)
        .machine_id(&|| Ok(1))
        .data_center_id(&|| Ok(1));
    let builder = match step_ns {
        Some(step_ns) => builder.clock_source(shared_ms(step_ns)),
        None => builder,
    };
    builder.finalize().expect("a generator")
}

/// Its bulk call, which appends to a vector with room.
struct Appended {
    generator: Snowflake,
    ids: Vec<SnowflakeId>,
}

impl Work for Appended {
    fn run(&mut self, ids: usize) {
        let mut left = ids;
        while left > 0 {
            let chunk = left.min(CHUNK);
            self.ids.clear();
            let appended = self.generator.next_ids_into(chunk, &mut self.ids);
            appended.expect("ids");
            black_box(&mut self.ids);
            left -= chunk;
        }
    }

    fn see(&self, see: &mut dyn FnMut(Plain)) {
        self.ids.iter().map(plain).for_each(see);
    }
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    static SHARED: LazyLock<Snowflake> = LazyLock::new(|| generator(None));
    let check = ordered(Shape::Ms22(TWITTER_MS));
    let next = |generator: &Snowflake| generator.next_id().expect("an id");
    let appended = |step_ns| {
        move || Appended {
            generator: generator(step_ns),
            ids: Vec::with_capacity(CHUNK),
        }
    };
    vec![
        Row::new(Group::One, "snowflake", WHO, "next_id", check, move || {
            each(move || next(&SHARED), plain)
        })
        .clock(Clock::Real)
        .state(State::Atomic)
        .limit_12_bits(),
        Row::new(Group::One, "snowflake", WHO, "next_id", check, move || {
            let generator = generator(Some(STEP_NS));
            each(move || next(&generator), plain)
        })
        .clock(Clock::Manual)
        .state(State::Atomic),
        Row::new(
            Group::Bulk,
            "snowflake",
            WHO,
            "next_ids_into",
            check,
            appended(None),
        )
        .clock(Clock::Real)
        .state(State::Atomic)
        .limit_12_bits(),
        Row::new(
            Group::Bulk,
            "snowflake",
            WHO,
            "next_ids_into",
            check,
            appended(Some(CHUNK_STEP_NS)),
        )
        .clock(Clock::Manual)
        .state(State::Atomic),
    ]
}
