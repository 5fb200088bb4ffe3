//! `sonyflake`.

use crate::check::{Shape, ordered};
use crate::row::{Clock, Group, Mark, Row, State, Who};
use crate::work::{Plain, each};
use sonyflake::{Id, Sonyflake};

const WHO: Who = Who::Peer("sonyflake");
const SLEEPS: Mark = Mark("Sleeps with its mutex held when the 256 ids of 10 ms are used up.");

/// Its rows.
pub fn rows() -> Vec<Row> {
    let make = || {
        let builder = Sonyflake::builder().machine_id(&|| Ok(1));
        let generator = builder.finalize().expect("a generator");
        let next = move || generator.next_id().expect("an id");
        each(next, |id: &Id| Plain::new(&id.to_u64().to_be_bytes()))
    };
    let row = Row::new(
        Group::One,
        "sonyflake",
        WHO,
        "next_id",
        ordered(Shape::Bare(8)),
        make,
    );
    vec![
        row.clock(Clock::Real)
            .state(State::Mutex)
            .limit(256, 10_000_000)
            .mark(SLEEPS),
    ]
}
