//! `tsid`.

use crate::check::{Shape, ordered};
use crate::clocks::TSID_MS;
use crate::row::{Clock, Draws, Group, Mark, Row, State, Who};
use crate::work::{Plain, each};
use tsid::{TSID, TsidFactory};

const WHO: Who = Who::Peer("tsid");
const CARRIES: Mark = Mark("Its counter begins at a random number and carries into the timestamp.");

fn plain(id: &TSID) -> Plain {
    Plain::new(&id.number().to_be_bytes())
}

/// Its rows.
pub fn rows() -> Vec<Row> {
    let check = ordered(Shape::Ms22(TSID_MS));
    let rows = [
        Row::new(Group::One, "tsid", WHO, "create_tsid", check, || {
            each(tsid::create_tsid, plain)
        })
        .state(State::Mutex),
        Row::new(Group::One, "tsid", WHO, "TsidFactory", check, || {
            let mut factory = TsidFactory::new();
            each(move || factory.create(), plain)
        })
        .state(State::Local),
    ];
    let common = |row: Row| {
        row.clock(Clock::Real)
            .random("rand 0.8")
            .draws(Draws::Once)
            .mark(CARRIES)
    };
    rows.into_iter().map(common).collect()
}
