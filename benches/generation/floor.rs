//! Floors: the least that parts of the work take on this machine.

use crate::check::Check;
use crate::clocks::manual;
use crate::row::{CHACHA12, CHUNK, Clock, Group, OS, Row, THREAD_RNG, Who};
use crate::work::{Plain, Work, bulk, each};
use idlab::clock::{Clock as _, SystemClock};
use rand::rngs::{StdRng, SysRng, ThreadRng};
use rand::{Rng, TryRng};
use std::hint::black_box;

/// Scheme under which floors stand.
pub const SCHEME: &str = "floor";

fn floor<W: Work + 'static>(
    group: Group,
    call: &str,
    make: impl Fn() -> W + Send + Sync + 'static,
) -> Row {
    Row::new(group, SCHEME, Who::Floor, call, Check::Nothing, make)
}

/// Every floor.
pub fn rows() -> Vec<Row> {
    vec![
        floor(Group::One, "store of 16 bytes", || {
            let id = black_box(7u128);
            each(move || id, number)
        }),
        floor(Group::One, "reading", || {
            let clock = manual();
            each(move || clock.now().0, |ns| Plain::new(&ns.to_be_bytes()))
        })
        .clock(Clock::Manual),
        floor(Group::One, "reading", || {
            let clock = SystemClock::default();
            each(move || clock.now().0, |ns| Plain::new(&ns.to_be_bytes()))
        })
        .clock(Clock::Real),
        drawn(CHACHA12, rand::make_rng::<StdRng>),
        drawn(THREAD_RNG, ThreadRng::default),
        floor(Group::One, "16 bytes of getrandom", || each(os, number)).random(OS),
        floor(Group::Bulk, "memcpy of 16 bytes", || {
            let from = vec![black_box(7u128); CHUNK];
            let copy = move |out: &mut [u128]| out.copy_from_slice(black_box(&from[..out.len()]));
            bulk(0, copy, number)
        }),
        filled(CHACHA12, rand::make_rng::<StdRng>),
        filled(THREAD_RNG, ThreadRng::default),
    ]
}

fn drawn<R: Rng + 'static>(name: &'static str, make: fn() -> R) -> Row {
    floor(Group::One, &format!("16 bytes of {name}"), move || {
        let mut random = make();
        each(move || bytes(&mut random), |bytes| Plain::new(bytes))
    })
    .random(name)
}

fn filled<R: Rng + 'static>(name: &'static str, make: fn() -> R) -> Row {
    floor(Group::Bulk, &format!("16 bytes of {name}"), move || {
        let mut random = make();
        let fill = move |out: &mut [[u8; 16]]| random.fill_bytes(out.as_flattened_mut());
        bulk([0; 16], fill, |bytes| Plain::new(bytes))
    })
    .random(name)
}

fn bytes(random: &mut impl Rng) -> [u8; 16] {
    let mut bytes = [0; 16];
    random.fill_bytes(&mut bytes);
    bytes
}

/// 16 bytes of the operating system's.
pub fn os() -> u128 {
    let mut bytes = [0; 16];
    SysRng
        .try_fill_bytes(&mut bytes)
        .expect("randomness of the system");
    u128::from_ne_bytes(bytes)
}

fn number(number: &u128) -> Plain {
    Plain::new(&number.to_be_bytes())
}
