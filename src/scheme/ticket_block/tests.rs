use super::*;
use crate::random::stream;
use proptest::prelude::*;
use std::collections::VecDeque;

fn scheme(spec: &str) -> TicketBlock {
    let spec = spec.parse().unwrap();
    TicketBlock::new(&Params::new(&spec, TicketBlock::PARAMS).unwrap()).unwrap()
}

fn next(scheme: &mut TicketBlock, process: &mut usize) -> Result<u64, Stall> {
    let id = scheme.mint(process, &Timestamp(0), &mut stream(1, "test", 0));
    id.map(|id| id.0)
}

#[test]
fn writers_take_turns_in_blocks() {
    let mut scheme = scheme("ticket_block:size=2");
    let (mut a, mut b) = (scheme.writer(0).unwrap(), scheme.writer(1).unwrap());
    let mut next = |process: &mut _| next(&mut scheme, process).unwrap();
    let ids = [
        next(&mut a),
        next(&mut b),
        next(&mut a),
        next(&mut a),
        next(&mut b),
    ];
    assert_eq!(ids, [1, 3, 2, 5, 4]);
}

#[test]
fn writers_of_one_process_share_its_block() {
    let mut scheme = scheme("ticket_block:size=10:processes=2");
    let mut writers: Vec<_> = (0..4).map(|writer| scheme.writer(writer).unwrap()).collect();
    let ids: Vec<_> = writers.iter_mut().map(|writer| next(&mut scheme, writer).unwrap()).collect();
    assert_eq!(ids, [1, 11, 2, 12]);
}

fn mint(scheme: &mut TicketBlock, process: &mut usize, at: u64) -> Result<u64, Stall> {
    let id = scheme.mint(process, &Timestamp(at), &mut stream(1, "test", 0));
    id.map(|id| id.0)
}

fn waits(wait_ns: u64) -> Result<u64, Stall> {
    Err(Stall::Exhausted { wait_ns })
}

/// The second block is asked for with the fifth id of ten, at 5,000 ns.
#[test]
fn the_next_block_comes_while_this_one_is_used() {
    let mut scheme = scheme("ticket_block:size=10:prefetch=50:rtt_us=3");
    let mut process = scheme.writer(0).unwrap();
    assert_eq!(mint(&mut scheme, &mut process, 0), waits(3_000));
    for id in 1..=10 {
        assert_eq!(mint(&mut scheme, &mut process, 3_000 + 500 * id), Ok(id));
        assert_eq!(scheme.visits(), Some(if id < 5 { 1 } else { 2 }));
    }
    assert_eq!(mint(&mut scheme, &mut process, 8_499), waits(1));
    assert_eq!(mint(&mut scheme, &mut process, 8_500), Ok(11));
}

#[test]
fn blocks_in_hand_outlast_an_outage_and_requests_wait_for_its_end() {
    let mut scheme = scheme("ticket_block:size=2");
    let (mut a, mut b) = (scheme.writer(0).unwrap(), scheme.writer(1).unwrap());
    assert_eq!(mint(&mut scheme, &mut a, 10), Ok(1));
    assert_eq!(mint(&mut scheme, &mut b, 10), Ok(3));
    assert_eq!(mint(&mut scheme, &mut b, 11), Ok(4));
    scheme.outage(Timestamp(20), Timestamp(100));
    assert_eq!(mint(&mut scheme, &mut b, 20), waits(80));
    assert_eq!(mint(&mut scheme, &mut a, 30), Ok(2));
    assert_eq!(mint(&mut scheme, &mut a, 99), waits(1));
    assert_eq!(mint(&mut scheme, &mut a, 100), Ok(7));
    assert_eq!(mint(&mut scheme, &mut b, 100), Ok(5));
    assert_eq!(scheme.visits(), Some(4));
}

#[test]
fn a_process_that_starts_again_has_lost_its_blocks() {
    let mut scheme = scheme("ticket_block:size=4:prefetch=25");
    let mut process = scheme.writer(0).unwrap();
    assert_eq!(next(&mut scheme, &mut process), Ok(1));
    let mut process = scheme.writer(0).unwrap();
    // 2 to 4 were in use, 5 to 8 ready.
    assert_eq!(next(&mut scheme, &mut process), Ok(9));
}

#[test]
fn a_prefetch_is_a_share_or_off() {
    let refused = |text: &str| {
        let spec = format!("ticket_block:prefetch={text}").parse().unwrap();
        let params = Params::new(&spec, TicketBlock::PARAMS).unwrap();
        TicketBlock::new(&params).unwrap_err().to_string()
    };
    assert!(refused("101").ends_with("expected off or a whole number from 0 to 100"));
    assert!(refused("on").starts_with("ticket_block: prefetch=on is not valid"));
}

#[test]
fn the_last_block_ends_with_the_signed_range() {
    let mut scheme = scheme("ticket_block:prefetch=0");
    scheme.next = LAST;
    let mut process = scheme.writer(0).unwrap();
    assert_eq!(next(&mut scheme, &mut process), Ok(LAST));
    assert_eq!(next(&mut scheme, &mut process), Err(Stall::OutOfRange));
}

/// Half of the shortest round trip: everything happens at multiples of it.
const TICK_NS: u64 = 500;

/// The same step by step, the centre with a queue that it serves while it is up.
struct Naive {
    size: u64,
    prefetch: Option<u64>,
    /// Ticks to the centre, and back.
    way: u64,
    down: Range<u64>,
    now: u64,
    /// First number of the next block.
    next: u64,
    /// Requests: when they arrive, and from whom.
    queue: VecDeque<(u64, usize)>,
    /// Answers: when they arrive, to whom, and the first number.
    answers: Vec<(u64, usize, u64)>,
    blocks: Vec<Range<u64>>,
    asked: Vec<bool>,
    spare: Vec<Option<u64>>,
}

impl Naive {
    /// Lets happen what happens up to tick `now`.
    fn pass(&mut self, now: u64) {
        for tick in self.now..=now {
            while let Some(&(at, process)) = self.queue.front()
                && at <= tick
                && !self.down.contains(&tick)
            {
                self.queue.pop_front();
                self.answers.push((tick + self.way, process, self.next));
                self.next += self.size;
            }
            for &(at, process, first) in &self.answers {
                if at == tick {
                    self.spare[process] = Some(first);
                }
            }
            self.answers.retain(|answer| answer.0 > tick);
        }
        self.now = now;
    }

    fn ask(&mut self, process: usize) {
        if !self.asked[process] {
            self.asked[process] = true;
            self.queue.push_back((self.now + self.way, process));
            self.pass(self.now);
        }
    }

    fn call(&mut self, process: usize) -> Option<u64> {
        if self.blocks[process].is_empty() {
            self.ask(process);
            let first = self.spare[process].take()?;
            self.blocks[process] = first..first + self.size;
            self.asked[process] = false;
        }
        let id = self.blocks[process].next();
        let left = self.blocks[process].end - self.blocks[process].start;
        if self.prefetch.is_some_and(|percent| left * 100 <= self.size * (100 - percent)) {
            self.ask(process);
        }
        id
    }
}

proptest! {
    /// Numbers taken when a request is sent are those that a queue would hand out.
    #[test]
    fn blocks_are_those_of_a_queue(
        calls in prop::collection::vec((0u64..5, 0usize..3), 1..200),
        size in 1u64..6,
        prefetch in prop::option::of(0u64..=100),
        way in 0u64..8,
        from in 0u64..200,
        lasts in 0u64..60,
    ) {
        let prefetch_text = prefetch.map_or("off".to_owned(), |percent| percent.to_string());
        let spec = format!("ticket_block:size={size}:prefetch={prefetch_text}:rtt_us={way}");
        let mut scheme = scheme(&spec);
        let mut writers = [0, 1, 2].map(|number| scheme.writer(number).unwrap());
        let mut naive = Naive {
            size,
            prefetch,
            way,
            down: from..from + lasts,
            now: 0,
            next: 1,
            queue: VecDeque::new(),
            answers: Vec::new(),
            blocks: vec![0..0; 3],
            asked: vec![false; 3],
            spare: vec![None; 3],
        };
        let (mut tick, mut told) = (0, false);
        for (gap, process) in calls {
            tick += gap;
            if tick >= from && !told {
                let at = |tick| Timestamp(tick * TICK_NS);
                scheme.outage(at(from), at(from + lasts));
                told = true;
            }
            naive.pass(tick);
            let found = mint(&mut scheme, &mut writers[process], tick * TICK_NS);
            prop_assert_eq!(found.ok(), naive.call(process), "tick {}", tick);
        }
    }
}
