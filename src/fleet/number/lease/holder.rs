//! The writers' side of leases, and the messages between them and the registry.

use super::registry::{Lease, Owner, Registry, rate_ppm};
use super::{Holder, LeaseRule, MILLION};
use crate::clock::Timestamp;
use crate::fleet::number::{Event, Grant, World};
use crate::random;
use rand_chacha::ChaCha8Rng;

/// Spread of message delays.
const SIGMA: f64 = 0.7;

const NEVER: Timestamp = Timestamp(u64::MAX);

/// Something of leases that happens at a time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Note {
    /// A writer's timer rings; of no meaning if it was set anew.
    Tick { owner: Owner, turn: u64 },
    /// A request reaches the registry.
    Request(Request),
    /// An answer reaches the writer's machine.
    Answer(Answer),
    /// The writer's process reads an answer.
    Read(Answer),
    /// A background holder acts upon the loss of its lease.
    Stop { owner: Owner, term: u64 },
    /// A lease may end.
    Expire { number: u32 },
    /// A holder's permission may end.
    Deadline { owner: Owner },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Request {
    owner: Owner,
    sent: Timestamp,
    /// The lease to be renewed; `None` to ask for one.
    term: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Answer {
    request: Request,
    lease: Option<Lease>,
}

#[derive(Debug)]
struct Client {
    life: u32,
    lease: Option<Lease>,
    /// When it has to stop, in true time.
    deadline: Timestamp,
    /// A [`Note::Deadline`] is on its way.
    watched: bool,
    /// Leases up to this term are known to be lost.
    lost: u64,
    turn: u64,
    rate_ppm: i32,
    random: ChaCha8Rng,
}

/// Leases at work.
#[derive(Debug)]
pub(crate) struct Leases {
    rule: LeaseRule,
    registry: Registry,
    clients: Vec<Client>,
}

impl Leases {
    pub(crate) fn new(rule: LeaseRule, writers: u32, room: u64, seed: u64) -> Self {
        let client = |writer: u32| {
            let mut random = random::stream(seed, "number.lease", writer.into());
            Client {
                life: 0,
                lease: None,
                deadline: NEVER,
                watched: false,
                lost: 0,
                turn: 0,
                rate_ppm: rate_ppm(&mut random, rule.rate_ppm),
                random,
            }
        };
        Self {
            registry: Registry::new(&rule, room, seed),
            clients: (0..writers).map(client).collect(),
            rule,
        }
    }

    /// A running writer's permission at `now`.
    pub(crate) fn grant(&self, writer: u32, now: Timestamp) -> Option<Grant> {
        let client = self.clients.get(writer as usize)?;
        let lease = client.lease?;
        let key_times = match self.rule.holder {
            Holder::OwnClock { .. } if now >= client.deadline => return None,
            Holder::KeyTime => Some(lease.from..lease.until),
            _ => None,
        };
        Some(Grant {
            number: lease.number,
            term: lease.term,
            key_times,
        })
    }

    /// The writer's process begins.
    pub(crate) fn start(&mut self, writer: u32, world: &mut World) {
        self.clients[writer as usize].life = world.processes[writer as usize].life;
        self.tick(writer, world.now, world);
    }

    /// The writer's process ends, without a word to the registry.
    pub(crate) fn end(&mut self, writer: u32) {
        let client = &mut self.clients[writer as usize];
        client.lease = None;
        client.deadline = NEVER;
        client.watched = false;
        client.turn += 1;
    }

    /// Sets the writer's timer.
    fn tick(&mut self, writer: u32, at: Timestamp, world: &mut World) {
        let client = &mut self.clients[writer as usize];
        client.turn += 1;
        let (owner, turn) = ((writer, client.life), client.turn);
        world.push(at, Event::Lease(Note::Tick { owner, turn }));
    }

    pub(crate) fn happen(&mut self, note: Note, world: &mut World) {
        match note {
            Note::Request(request) => self.request(request, world),
            Note::Expire { number } => self.expire(number, world),
            Note::Deadline { owner } => self.deadline(owner, world),
            Note::Answer(answer) => {
                // Once arrived, it waits for a paused reader, whatever becomes of the network.
                let process = world.processes[answer.request.owner.0 as usize];
                if process.unreachable_until <= world.now {
                    self.happen(Note::Read(answer), world);
                }
            }
            Note::Read(answer) => {
                if self.runs(answer.request.owner, note, world) {
                    self.read(answer, world);
                }
            }
            Note::Stop { owner, term } => {
                if self.runs(owner, note, world) {
                    self.lose(owner.0, term, world);
                }
            }
            Note::Tick { owner, turn } => {
                let set_anew = self.clients[owner.0 as usize].turn != turn;
                if !set_anew && self.runs(owner, note, world) {
                    self.send(owner.0, world);
                }
            }
        }
    }

    /// True if the process is there to act; if it is paused, the note is put off.
    fn runs(&self, owner: Owner, note: Note, world: &mut World) -> bool {
        let process = world.processes[owner.0 as usize];
        if process.life != owner.1 {
            return false;
        }
        let runs = process.paused_until <= world.now;
        if !runs {
            world.push(process.paused_until, Event::Lease(note));
        }
        runs
    }

    /// Sends the request that is due.
    fn send(&mut self, writer: u32, world: &mut World) {
        let now = world.now;
        let client = &mut self.clients[writer as usize];
        let request = Request {
            owner: (writer, client.life),
            sent: now,
            term: client.lease.map(|lease| lease.term),
        };
        let next_ns = match request.term {
            Some(_) => self.rule.renew_ns,
            None => self.rule.takeover_ns,
        };
        self.post(writer, Note::Request(request), world);
        self.tick(writer, now.later(next_ns), world);
    }

    /// Puts a message on its way, unless it is lost.
    fn post(&mut self, writer: u32, message: Note, world: &mut World) {
        let random = &mut self.clients[writer as usize].random;
        let lost = random::below(random, 1_000_000) < self.rule.loss_ppm;
        let delay_ns = random::lognormal(random, self.rule.round_trip_ns / 2, SIGMA);
        world.ledger.tally.messages += 1;
        if !lost && world.reachable_at(writer) <= world.now {
            world.push(world.now.later(delay_ns), Event::Lease(message));
        }
    }

    fn request(&mut self, request: Request, world: &mut World) {
        let now = world.now;
        let owner = request.owner;
        if world.reachable_at(owner.0) > now {
            return;
        }
        let terms = world.terms;
        let lease = match request.term {
            Some(term) => self.registry.renew(owner, term, now),
            None => self.registry.lend(owner, now, || world.term()),
        };
        world.ledger.in_use(self.registry.in_use());
        if let Some(lease) = lease
            && world.terms > terms
        {
            let number = lease.number;
            world.push(lease.until, Event::Lease(Note::Expire { number }));
        }
        self.post(owner.0, Note::Answer(Answer { request, lease }), world);
    }

    fn expire(&mut self, number: u32, world: &mut World) {
        match self.registry.until(number) {
            Some(until) if until > world.now => {
                world.push(until, Event::Lease(Note::Expire { number }));
            }
            Some(_) => {
                if let Some((writer, life)) = self.registry.free(number) {
                    let alive = world.processes[writer as usize].life == life;
                    world.ledger.tally.lost += u64::from(alive);
                }
            }
            None => {}
        }
    }

    fn read(&mut self, answer: Answer, world: &mut World) {
        let now = world.now;
        let request = answer.request;
        let writer = request.owner.0;
        let Some(lease) = answer.lease else {
            let Some(term) = request.term else {
                return;
            };
            match self.rule.holder {
                Holder::Background { notice_ns } => {
                    let owner = request.owner;
                    world.push(
                        now.later(notice_ns),
                        Event::Lease(Note::Stop { owner, term }),
                    );
                }
                Holder::OwnClock { .. } | Holder::KeyTime => self.lose(writer, term, world),
            }
            return;
        };
        let client = &mut self.clients[writer as usize];
        let known = client.lease.map(|lease| lease.term);
        if lease.term <= client.lost || known.is_some_and(|term| term > lease.term) {
            return;
        }
        let deadline = match self.rule.holder {
            Holder::Background { .. } => NEVER,
            Holder::KeyTime => lease.until,
            Holder::OwnClock { guard_ns } => {
                let rate = MILLION.saturating_add_signed(client.rate_ppm.into());
                let ns = u128::from(self.rule.safe_ns(guard_ns)) * MILLION / rate;
                request.sent.later(u64::try_from(ns).unwrap_or(u64::MAX))
            }
        };
        let is_new = known != Some(lease.term);
        if is_new {
            client.lease = Some(lease);
            client.deadline = deadline;
        } else if let Some(old) = &mut client.lease {
            old.until = old.until.max(lease.until);
            client.deadline = client.deadline.max(deadline);
        }
        if client.deadline > now {
            world.ledger.hold(writer, Some(lease.number), now);
            if client.deadline < NEVER && !client.watched {
                client.watched = true;
                let owner = request.owner;
                world.push(client.deadline, Event::Lease(Note::Deadline { owner }));
            }
        }
        if is_new {
            world.ledger.granted();
            self.tick(writer, now.later(self.rule.renew_ns), world);
        }
    }

    /// The holder's permission ends, unless it was prolonged. Clocks do not wait for paused processes.
    fn deadline(&mut self, owner: Owner, world: &mut World) {
        let client = &mut self.clients[owner.0 as usize];
        if client.life != owner.1 || !client.watched {
            return;
        }
        if client.deadline > world.now {
            world.push(client.deadline, Event::Lease(Note::Deadline { owner }));
        } else {
            client.watched = false;
            world.ledger.hold(owner.0, None, world.now);
        }
    }

    /// The writer gives up its lease, if it is still that of `term`, and asks for another.
    fn lose(&mut self, writer: u32, term: u64, world: &mut World) {
        let client = &mut self.clients[writer as usize];
        if client.lease.map(|lease| lease.term) != Some(term) {
            return;
        }
        client.lease = None;
        client.lost = term;
        world.ledger.hold(writer, None, world.now);
        self.tick(writer, world.now, world);
    }
}
