//! What a generator does about clocks and restarts, and when that repeats no id.

use super::{Numbering, Schedule};
use crate::clock::{CLOCKS, ClockModel, NS_PER_MS, NS_PER_S, Preset};
use crate::fleet::{Clocks, Conduct, Event, Fleet, FleetError, Memory};
use crate::id::Id;
use crate::scheme::{Listed, Params, Rollback, Snowflake, SpecError};

/// What a policy bears without repeating an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Against {
    /// Whatever clocks and faults do.
    All,
    /// Restarts as well, while all that the clock loses is less than the wait of a restarted
    /// writer: steps, times that it stands still, and slewing of at most half its rate.
    Shorter,
    /// All but restarts.
    NoRestart,
    /// All but what sets the clock of a writer apart from another's.
    AgreeingClocks,
    /// All but restarts, while the clock goes back four times at most: there are as many slots.
    FourSteps,
    /// Nothing: it is here to show that duplicates are found.
    Nothing,
}

/// What a writer does when its clock goes back, and what it knows after a restart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Policy {
    /// When its clock goes back.
    pub rollback: Rollback,
    /// After a restart; the time of [`Memory::Wait`] is that of the schedule.
    pub memory: Memory,
    /// How it comes by its number.
    pub numbers: Numbering,
    /// What it bears.
    pub against: Against,
}

const fn policy(rollback: Rollback, memory: Memory, against: Against) -> Policy {
    Policy {
        rollback,
        memory,
        numbers: Numbering::Fixed,
        against,
    }
}

/// Ways on from a clock that goes back, none of which returns to a tick that is left.
const FORWARD: [Rollback; 9] = [
    Rollback::Refuse,
    Rollback::Wait {
        most_ns: 5 * NS_PER_MS,
        times: 2,
    },
    Rollback::Wait {
        most_ns: 2 * NS_PER_S,
        times: 1,
    },
    Rollback::Hold { most_ns: u64::MAX },
    Rollback::Hold {
        most_ns: 2 * NS_PER_S,
    },
    Rollback::Borrow {
        most_ns: 2 * NS_PER_S,
    },
    Rollback::Consume,
    Rollback::Monotonic,
    Rollback::Logical,
];

/// Nothing but what a schedule says.
const WAIT: Memory = Memory::Wait { for_ns: 0 };

const RESERVED: Memory = Memory::Reserved {
    ahead_ns: 3 * NS_PER_S,
};

/// Every policy that is safe against something: all ways forward with a memory of all
/// instants used; with a wait, but for the logical clock, which leaves its ids' time behind
/// the wall clock or ahead of it without bound; and those that need no memory if nothing
/// restarts. Past ticks fill up from a first slot after each restart, whatever is remembered.
pub const SAFE_POLICIES: &[Policy] = &{
    let mut policies = [policy(Rollback::BackFill, Memory::Lost, Against::FourSteps); 36];
    let mut i = 0;
    while i < FORWARD.len() {
        policies[i] = policy(FORWARD[i], RESERVED, Against::All);
        policies[9 + i] = policy(FORWARD[i], Memory::Every, Against::All);
        policies[18 + i] = policy(FORWARD[i], Memory::Lost, Against::NoRestart);
        // The last of them is the logical clock; past ticks take its place.
        if i < 8 {
            policies[27 + i] = policy(FORWARD[i], WAIT, Against::Shorter);
        }
        i += 1;
    }
    policies
};

const fn numbered(numbers: Numbering, memory: Memory, against: Against) -> Policy {
    Policy {
        numbers,
        ..policy(Rollback::Refuse, memory, against)
    }
}

/// Ways to a number that are safe: each writer its own, with a memory; intervals of
/// timestamps, without one; a holder's own clock, where clocks agree.
pub const SAFE_NUMBERS: &[Policy] = &[
    numbered(Numbering::Ordinal, Memory::Every, Against::All),
    numbered(Numbering::FailToStart, Memory::Every, Against::All),
    numbered(Numbering::KeyTime, Memory::Lost, Against::All),
    numbered(Numbering::OwnClock, Memory::Lost, Against::AgreeingClocks),
];

/// Ways to a number that repeat ids.
pub const UNSAFE_NUMBERS: &[Policy] = &[
    numbered(Numbering::ZeroOnOutage, Memory::Every, Against::Nothing),
    numbered(Numbering::Background, Memory::Every, Against::Nothing),
];

/// Policies that repeat ids.
pub const UNSAFE_POLICIES: &[Policy] = &[
    policy(Rollback::Ignore, Memory::Every, Against::Nothing),
    policy(Rollback::Refuse, Memory::Lost, Against::Nothing),
    policy(
        Rollback::Hold { most_ns: u64::MAX },
        Memory::Stored {
            every_ns: 3 * NS_PER_S,
        },
        Against::Nothing,
    ),
    policy(Rollback::Monotonic, Memory::Lost, Against::Nothing),
    policy(Rollback::Logical, Memory::Lost, Against::Nothing),
    policy(Rollback::BackFill, Memory::Every, Against::Nothing),
];

impl Policy {
    /// What is left of a schedule that the policy can bear on these clocks; `None`: nothing.
    pub fn bears(&self, schedule: &Schedule, clock: &Preset) -> Option<Schedule> {
        let has = |what: &str| {
            let inner = CLOCKS
                .iter()
                .find(|known| clock.text.starts_with(known.name));
            clock.text.contains(what) || inner.is_some_and(|inner| inner.text.contains(what))
        };
        match self.against {
            Against::All | Against::Nothing if self.numbers != Numbering::Fixed => {
                Some(schedule.clone().with_registry())
            }
            Against::AgreeingClocks => (clock.name == "ideal").then(|| {
                let schedule = schedule.clone().with_registry();
                schedule.with_agreeing_clocks()
            }),
            Against::All | Against::Nothing => Some(schedule.clone()),
            Against::Shorter => {
                let mishaps = ["step", "suspend", "upstream", "epoch", "leap"];
                (!mishaps.into_iter().any(has)).then(|| schedule.clone())
            }
            Against::NoRestart | Against::FourSteps => {
                (!has("epoch")).then(|| schedule.clone().without_restarts())
            }
        }
    }

    fn memory(&self, schedule: &Schedule) -> Memory {
        match self.memory {
            Memory::Wait { .. } => {
                let ahead_ns = match self.rollback {
                    Rollback::Borrow { most_ns } => most_ns,
                    _ => 0,
                };
                // A tick and errors besides, and half of the time by slewing.
                let lost_ns = schedule.lost_ns().saturating_add(ahead_ns + NS_PER_S);
                let for_ns = lost_ns.saturating_mul(2);
                Memory::Wait { for_ns }
            }
            memory => memory,
        }
    }
}

/// A policy at work on schedules.
#[derive(Debug)]
pub struct Trial {
    policy: Policy,
    clocks: ClockModel,
    layouts: Vec<(Snowflake, u64)>,
    /// A layout of two numbers, for leases.
    two: Snowflake,
    ids: Vec<u64>,
}

/// Layouts as typed, and the most ids a second that are asked of one.
const LAYOUTS: [(&str, u64); 3] = [
    ("snowflake", 1_000_000),
    ("snowflake:worker=19:sequence=3", 1_000),
    (
        "snowflake:timestamp=39:worker=16:sequence=8:tick_ms=10:epoch_ms=1409529600000",
        10_000,
    ),
];

impl Trial {
    /// A policy on clocks of a model.
    ///
    /// # Errors
    /// A layout that cannot be read.
    pub fn new(policy: Policy, clocks: ClockModel) -> Result<Self, SpecError> {
        let read = |text: &str| {
            let spec = text.parse()?;
            Snowflake::new(&Params::new(&spec, Snowflake::PARAMS)?)
        };
        let layout = |(text, most): (&str, u64)| Ok((read(text)?, most));
        let layouts: Result<_, SpecError> = LAYOUTS.into_iter().map(layout).collect();
        Ok(Self {
            policy,
            clocks,
            layouts: layouts?,
            two: read("snowflake:worker=1:sequence=21")?,
            ids: Vec::new(),
        })
    }

    /// Ids that come again in a schedule's run.
    ///
    /// # Errors
    /// Those of the fleet.
    pub fn duplicates(&mut self, schedule: &Schedule) -> Result<u64, FleetError> {
        let fits = self
            .layouts
            .iter()
            .filter(|(_, most)| schedule.rate <= *most);
        let mut fits: Vec<&Snowflake> = fits.map(|(layout, _)| layout).collect();
        if self.policy.numbers.leases() {
            fits = vec![&self.two];
        }
        let Some(layout) = fits.get(schedule.seed as usize % fits.len().max(1)) else {
            return Ok(0);
        };
        let Some(numbers) = self.policy.numbers.rule(schedule) else {
            return Ok(0);
        };
        let conduct = Conduct {
            numbers,
            rollback: Some(self.policy.rollback),
            refuse: true,
            memory: self.policy.memory(schedule),
            ..Conduct::default()
        };
        let spec = schedule.spec(Clocks::Model(self.clocks.clone()), conduct);
        let mut fleet = Fleet::new((*layout).clone(), spec)?;
        self.ids.clear();
        while let Some(event) = fleet.event_before(schedule.end())? {
            if let Event::Row(row) = event {
                self.ids.push(row.id.key());
            }
        }
        if self.policy.against == Against::FourSteps && fleet.steps_back() > 4 {
            return Ok(0);
        }
        self.ids.sort_unstable();
        let again = self.ids.windows(2).filter(|pair| pair[0] == pair[1]);
        Ok(again.count() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_differ_and_bear_what_they_say() {
        for (i, policy) in SAFE_POLICIES.iter().enumerate() {
            assert_ne!(policy.against, Against::Nothing);
            assert!(!SAFE_POLICIES[..i].contains(policy), "{policy:?}");
        }
        let clock = |name: &str| CLOCKS.iter().find(|clock| clock.name == name).unwrap();
        let schedule = (0..).map(|number| Schedule::draw(1, number));
        let schedule = schedule.into_iter().find(Schedule::restarts).unwrap();
        let bears = |against, name: &str| {
            let policy = policy(Rollback::Refuse, Memory::Lost, against);
            policy.bears(&schedule, clock(name))
        };
        assert_eq!(bears(Against::All, "tz_epoch"), Some(schedule.clone()));
        assert_eq!(bears(Against::NoRestart, "tz_epoch"), None);
        assert!(!bears(Against::NoRestart, "laptop").unwrap().restarts());
        for (name, steady) in [
            ("ideal", true),
            ("truetime", true),
            ("multi_dc", true),
            // Through the clock that they build on.
            ("laptop", false),
            ("vmotion", false),
            ("wan_pool", false),
            ("leap_mixed", false),
        ] {
            assert_eq!(bears(Against::Shorter, name).is_some(), steady, "{name}");
        }
    }
}
