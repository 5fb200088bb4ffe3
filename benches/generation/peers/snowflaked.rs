//! `snowflaked`.

use crate::check::{Shape, ordered};
use crate::clocks::TWITTER_MS;
use crate::row::{Clock, Group, Mark, Row, State, Who};
use crate::work::{Plain, each};
use snowflaked::{Generator, sync};
use std::sync::LazyLock;
use std::time::{Duration, UNIX_EPOCH};

const WHO: Who = Who::Peer("snowflaked");
const PANICS: Mark = Mark("Panics when the clock goes back.");
const EPOCH: Duration = Duration::from_millis(TWITTER_MS);

fn plain(id: &u64) -> Plain {
    Plain::new(&id.to_be_bytes())
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    static SHARED: LazyLock<sync::Generator> = LazyLock::new(|| {
        sync::Generator::builder()
            .instance(2)
            .epoch(UNIX_EPOCH + EPOCH)
            .build()
    });
    let check = ordered(Shape::Ms22(TWITTER_MS));
    let rows = [
        Row::new(Group::One, "snowflake", WHO, "Generator", check, || {
            let builder = Generator::builder().instance(1).epoch(UNIX_EPOCH + EPOCH);
            let mut generator: Generator = builder.build();
            each(move || generator.generate::<u64>(), plain)
        })
        .state(State::Local),
        Row::new(
            Group::One,
            "snowflake",
            WHO,
            "sync::Generator",
            check,
            || each(|| SHARED.generate::<u64>(), plain),
        )
        .state(State::Atomic),
    ];
    let common = |row: Row| row.clock(Clock::Real).limit_12_bits().mark(PANICS);
    rows.into_iter().map(common).collect()
}
