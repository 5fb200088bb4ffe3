//! What the model is made of, and every step from one state to the next.

use super::{Check, Model};

/// Units of a clock in a tick, and by how many it may be wrong: 10 %.
const UNITS: u8 = 10;
const ERROR: u8 = 1;
/// Ticks of a lease by the registry's clock.
const TTL: u8 = 3;

/// Something on its way between worker and registry.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Mail {
    None,
    /// Its age by the worker's clock.
    Request {
        age: u8,
        renews: bool,
    },
    Answer {
        age: u8,
        granted: Option<(u8, u8)>,
    },
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Lease {
    /// By the worker's clock, from where its rule counts.
    age: u8,
    /// Key ticks, the end excluded.
    from: u8,
    to: u8,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Worker {
    mail: Mail,
    lease: Option<Lease>,
    /// The key tick of the last id under this lease.
    last: Option<u8>,
    /// Between check and mint: the key tick that was checked, and ticks since.
    checked: Option<(u8, u8)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    tick: u8,
    owner: Option<usize>,
    /// Of the lease, by the registry's clock.
    left: u8,
    /// Key ticks of the last lease, the end excluded.
    key_from: u8,
    key_end: u8,
    /// One bit a key tick that has an id of sequence number 0.
    minted: u32,
    workers: [Worker; 2],
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Step {
    /// Clocks run fast, or slow: the registry's, A's and B's.
    Tick([bool; 3]),
    Send(usize),
    Lose(usize),
    Arrive(usize),
    Read(usize),
    Check(usize),
    Mint(usize, u8),
}

impl State {
    /// Nothing has happened.
    pub(super) fn start() -> Self {
        let idle = Worker {
            mail: Mail::None,
            lease: None,
            last: None,
            checked: None,
        };
        Self {
            tick: 0,
            owner: None,
            left: 0,
            key_from: 0,
            key_end: 0,
            minted: 0,
            workers: [idle; 2],
        }
    }
}

const NAMES: [&str; 2] = ["A", "B"];

impl Model {
    /// What a trace says of a step.
    pub(super) fn line(&self, step: Step, before: &State, after: &State) -> String {
        let answer = |granted| if granted { "granted" } else { "refused" };
        let text = match step {
            Step::Tick(fast) => {
                let clocks = ["the registry's", "A's", "B's"].iter().zip(fast);
                let counted = clocks
                    .zip(self.counts(before))
                    .filter(|(_, counts)| *counts);
                let mut text = "a tick passes".to_owned();
                for ((whose, fast), _) in counted {
                    let speed = if fast { "fast" } else { "slow" };
                    text += &format!(", {whose} clock {speed}");
                }
                if before.owner.is_some() && after.owner.is_none() {
                    text += "; the lease expires";
                }
                text
            }
            Step::Send(w) => {
                let verb = match before.workers[w].lease {
                    Some(_) => "asks to renew its lease",
                    None => "asks for a lease",
                };
                format!("{} {verb}", NAMES[w])
            }
            Step::Lose(w) => format!("a message of or to {} is lost", NAMES[w]),
            Step::Arrive(w) => {
                let Worker { mail, .. } = after.workers[w];
                let granted = matches!(
                    mail,
                    Mail::Answer {
                        granted: Some(_),
                        ..
                    }
                );
                format!(
                    "the registry gets {}'s request: {}",
                    NAMES[w],
                    answer(granted)
                )
            }
            Step::Read(w) => {
                let granted = after.workers[w].lease.is_some();
                format!("{} gets the answer: {}", NAMES[w], answer(granted))
            }
            Step::Check(w) => format!("{} checks that it may mint", NAMES[w]),
            Step::Mint(w, key) => {
                format!("{} mints the id of key tick {key}, sequence 0", NAMES[w])
            }
        };
        format!("tick {}: {text}", before.tick)
    }

    /// Which clocks somebody reads: the registry's, A's, B's.
    fn counts(&self, state: &State) -> [bool; 3] {
        let [a, b] = state.workers.map(|worker| {
            let idle = worker.mail == Mail::None && worker.lease.is_none();
            matches!(self.check, Check::FromSending | Check::FromAnswer) && !idle
        });
        [state.owner.is_some(), a, b]
    }

    fn lends_key_times(&self) -> bool {
        matches!(self.check, Check::KeyTime | Check::KeyTimeThenRead)
    }

    /// Age at which a lease is no longer good, by the worker's clock.
    fn good_for(&self) -> u8 {
        let units = u16::from(TTL * UNITS);
        let (slow, fast) = (u16::from(UNITS - ERROR), u16::from(UNITS + ERROR));
        let allowed = if self.allows {
            units * slow / fast
        } else {
            units
        };
        (allowed as u8).saturating_sub(self.guard * UNITS)
    }

    fn wall(&self, state: &State, worker: usize) -> u8 {
        state.tick + if worker == 0 { self.skew } else { 0 }
    }

    fn may_mint(&self, lease: Lease, key: u8) -> bool {
        match self.check {
            Check::Told => true,
            Check::FromSending | Check::FromAnswer => lease.age < self.good_for(),
            Check::KeyTime | Check::KeyTimeThenRead => (lease.from..lease.to).contains(&key),
        }
    }

    /// The age that a clock may show a tick later; ages beyond all leases are alike, and ages
    /// that nobody asks for stay 0.
    fn older(&self, age: u8, fast: bool) -> u8 {
        match self.check {
            Check::Told | Check::KeyTime | Check::KeyTimeThenRead => 0,
            Check::FromSending | Check::FromAnswer => (age + speed(fast)).min(TTL * UNITS),
        }
    }

    /// The state a tick later; `None` if a worker must mint before.
    fn tick(&self, mut state: State, fast: [bool; 3]) -> Option<State> {
        state.tick += 1;
        if state.owner.is_some() {
            state.left = state.left.saturating_sub(speed(fast[0]));
            if state.left == 0 {
                state.owner = None;
            }
        }
        for (worker, fast) in state.workers.iter_mut().zip([fast[1], fast[2]]) {
            match &mut worker.mail {
                Mail::Request { age, .. } | Mail::Answer { age, .. } => {
                    *age = self.older(*age, fast)
                }
                Mail::None => {}
            }
            if let Some(lease) = &mut worker.lease {
                lease.age = self.older(lease.age, fast);
            }
            if let (Some((_, age)), Some(most)) = (&mut worker.checked, self.pause) {
                *age += 1;
                if *age > most {
                    return None;
                }
            }
        }
        Some(state)
    }

    fn arrive(&self, mut state: State, w: usize) -> Option<State> {
        let Mail::Request { age, renews } = state.workers[w].mail else {
            return None;
        };
        let is_owner = state.owner == Some(w);
        let granted = if is_owner || (state.owner.is_none() && !renews) {
            if !is_owner {
                // The interval of a lease starts where that of the one before ended.
                state.key_from = state.key_end;
            }
            state.owner = Some(w);
            state.left = TTL * UNITS;
            if self.lends_key_times() {
                state.key_end = state.key_end.max(state.tick + TTL);
            }
            Some((state.key_from, state.key_end))
        } else {
            None
        };
        state.workers[w].mail = Mail::Answer { age, granted };
        Some(state)
    }

    fn read(&self, mut state: State, w: usize) -> Option<State> {
        let worker = &mut state.workers[w];
        let Mail::Answer { age, granted } = worker.mail else {
            return None;
        };
        worker.mail = Mail::None;
        if worker.lease.is_none() || granted.is_none() {
            // A lease begins without memory, and a lost one takes it along.
            worker.last = None;
        }
        worker.lease = granted.map(|(from, to)| Lease {
            age: if self.check == Check::FromAnswer {
                0
            } else {
                age
            },
            from,
            to,
        });
        Some(state)
    }

    /// Every step from `state` and where it leads; `None` for two equal ids.
    pub(super) fn steps(&self, state: &State) -> Vec<(Step, Option<State>)> {
        let mut steps = Vec::new();
        for w in 0..2 {
            let worker = state.workers[w];
            let with = |change: &dyn Fn(&mut Worker)| {
                let mut state = *state;
                change(&mut state.workers[w]);
                state
            };
            if let Some((checked, _)) = worker.checked {
                let key = match self.check {
                    Check::KeyTime => checked,
                    _ => self.wall(state, w),
                };
                let next = (state.minted >> key & 1 == 0).then(|| {
                    let mut state = with(&|worker| {
                        worker.checked = None;
                        worker.last = Some(key);
                    });
                    state.minted |= 1 << key;
                    state
                });
                steps.push((Step::Mint(w, key), next));
            } else {
                let key = self.wall(state, w);
                let new = worker.last.is_none_or(|last| key > last);
                if worker
                    .lease
                    .is_some_and(|lease| new && self.may_mint(lease, key))
                {
                    let checked = if self.check == Check::KeyTime { key } else { 0 };
                    let next = with(&|worker| worker.checked = Some((checked, 0)));
                    steps.push((Step::Check(w), Some(next)));
                }
                if worker.mail == Mail::None {
                    let renews = worker.lease.is_some();
                    let next = with(&|worker| worker.mail = Mail::Request { age: 0, renews });
                    steps.push((Step::Send(w), Some(next)));
                }
                if let Some(next) = self.read(*state, w) {
                    steps.push((Step::Read(w), Some(next)));
                }
            }
            if let Some(next) = self.arrive(*state, w) {
                steps.push((Step::Arrive(w), Some(next)));
            }
            if worker.mail != Mail::None {
                let next = with(&|worker| worker.mail = Mail::None);
                steps.push((Step::Lose(w), Some(next)));
            }
        }
        if state.tick < self.horizon {
            let counts = self.counts(state);
            for bits in 0..8u8 {
                let fast = [0, 1, 2].map(|clock| bits >> clock & 1 == 1);
                if fast
                    .iter()
                    .zip(counts)
                    .any(|(fast, counts)| *fast && !counts)
                {
                    continue;
                }
                if let Some(next) = self.tick(*state, fast) {
                    steps.push((Step::Tick(fast), Some(next)));
                }
            }
        }
        steps
    }

    /// The state without what can matter no more.
    pub(super) fn normal(&self, mut state: State) -> State {
        let mut first = state.tick;
        if self.check == Check::KeyTime {
            for (key, _) in state.workers.iter().filter_map(|worker| worker.checked) {
                first = first.min(key);
            }
        }
        state.minted = state.minted >> first << first;
        for worker in &mut state.workers {
            worker.last = worker.last.filter(|last| *last >= first);
        }
        state
    }
}

fn speed(fast: bool) -> u8 {
    if fast { UNITS + ERROR } else { UNITS - ERROR }
}
