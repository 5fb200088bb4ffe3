//! The rules for leases against every order of events: an exhaustive search of a small model.
//!
//! Two workers, A and B, one number, one registry, whole ticks of time. Messages take any
//! time or get lost; each tick, each clock runs at either end of its bound; workers are
//! held up between the check of their lease and the mint. An id is a key tick and a
//! sequence number, of which each holder's first in a tick is 0.

mod state;

use state::{State, Step};
use std::collections::HashMap;

/// What a worker checks before it mints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Check {
    /// That it was not told of the loss of its lease.
    Told,
    /// Its own clock, from the sending of the request that was granted.
    FromSending,
    /// Its own clock, from the answer.
    FromAnswer,
    /// The timestamp that it is going to use, against the lease's.
    KeyTime,
    /// The time, against the lease's timestamps; it uses the time that it reads afterwards.
    KeyTimeThenRead,
}

/// A rule for leases with the trouble that it meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Model {
    /// Name as typed.
    pub name: &'static str,
    /// One line on what it is.
    pub about: &'static str,
    /// Whether it should have no way to two equal ids.
    pub safe: bool,
    check: Check,
    /// Ticks by which it stops early.
    guard: u8,
    /// It allows for the clocks' rates.
    allows: bool,
    /// Ticks between check and mint, at most; `None` for any.
    pause: Option<u8>,
    /// Ticks by which A's wall clock is fast.
    skew: u8,
    /// Ticks that are searched.
    horizon: u8,
}

const SAFE: Model = Model {
    name: "own_clock",
    about: "own clock from the sending of the request, no pauses",
    safe: true,
    check: Check::FromSending,
    guard: 0,
    allows: true,
    pause: Some(0),
    skew: 0,
    horizon: 7,
};

/// Every model.
pub const MODELS: &[Model] = &[
    SAFE,
    Model {
        name: "own_clock_guarded",
        about: "the same, pauses between check and mint of at most the guard",
        guard: 1,
        pause: Some(1),
        ..SAFE
    },
    Model {
        name: "own_clock_paused",
        about: "the same, pauses one tick longer than the guard",
        safe: false,
        guard: 1,
        pause: Some(2),
        ..SAFE
    },
    Model {
        name: "own_clock_from_answer",
        about: "own clock from the answer, no pauses",
        safe: false,
        check: Check::FromAnswer,
        ..SAFE
    },
    Model {
        name: "own_clock_trusted",
        about: "own clock from the sending, its rate and the registry's taken for right",
        safe: false,
        allows: false,
        ..SAFE
    },
    Model {
        name: "own_clock_skewed",
        about: "own clock from the sending, A's wall clock one tick fast",
        safe: false,
        skew: 1,
        ..SAFE
    },
    Model {
        name: "own_clock_skew_guarded",
        about: "the same with a guard of as much",
        guard: 1,
        skew: 1,
        ..SAFE
    },
    Model {
        name: "background",
        about: "mints until told that the lease is lost, no pauses",
        safe: false,
        check: Check::Told,
        ..SAFE
    },
    Model {
        name: "key_time",
        about: "timestamps within the lease only, pauses of any length, A's wall clock two ticks fast",
        check: Check::KeyTime,
        pause: None,
        skew: 2,
        ..SAFE
    },
    Model {
        name: "key_time_read_again",
        about: "timestamps within the lease only, but the clock is read again after the check",
        safe: false,
        check: Check::KeyTimeThenRead,
        pause: Some(1),
        ..SAFE
    },
];

/// What a search found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Different states that were reached.
    pub states: usize,
    /// The shortest way to two equal ids, a line a step; `None` if there is no way.
    pub trace: Option<Vec<String>>,
}

impl Model {
    /// Searches all that can happen, breadth first.
    pub fn search(&self) -> Outcome {
        let start = State::start();
        let mut known = HashMap::from([(start, 0)]);
        // In the order of discovery, with the state before and the step from there.
        let mut found: Vec<(State, usize, Option<Step>)> = vec![(start, 0, None)];
        let mut next = 0;
        while let Some((state, _, _)) = found.get(next).copied() {
            for (step, after) in self.steps(&state) {
                let Some(after) = after else {
                    let mut lines = vec![self.line(step, &state, &state)];
                    let mut at = next;
                    while let (after, before, Some(step)) = found[at] {
                        lines.push(self.line(step, &found[before].0, &after));
                        at = before;
                    }
                    lines.reverse();
                    return Outcome {
                        states: known.len(),
                        trace: Some(lines),
                    };
                };
                let after = self.normal(after);
                known.entry(after).or_insert_with(|| {
                    found.push((after, next, Some(step)));
                    found.len() - 1
                });
            }
            next += 1;
        }
        Outcome {
            states: known.len(),
            trace: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn right_rules_have_no_way_to_two_equal_ids_and_wrong_ones_do() {
        for model in MODELS {
            let outcome = model.search();
            println!("{}: {} states", model.name, outcome.states);
            let Some(trace) = outcome.trace else {
                assert!(model.safe && outcome.states > 10_000, "{}", model.name);
                continue;
            };
            println!("  {}", trace.join("\n  "));
            assert!(!model.safe, "{}", model.name);
            // Two of the lines mint one id.
            let id = |line: &String| line.split_once(" mints ").map(|(_, id)| id.to_owned());
            let last = id(trace.last().unwrap()).unwrap();
            assert_eq!(
                trace.iter().filter_map(id).filter(|id| *id == last).count(),
                2
            );
        }
    }

    #[test]
    fn a_trace_is_the_shortest_story() {
        let model = MODELS
            .iter()
            .find(|model| model.name == "background")
            .unwrap();
        let trace = model.search().trace.unwrap();
        assert_eq!(trace.len(), 13, "{trace:#?}");
        assert_eq!(trace[0], "tick 0: A asks for a lease");
        assert_eq!(
            trace[12],
            "tick 3: B mints the id of key tick 3, sequence 0"
        );
    }
}
