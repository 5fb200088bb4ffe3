//! Floors: the least that parts of the work take on this machine.

use crate::check::Check;
use crate::clocks::manual;
use crate::row::{
    AES256, CHACHA8, CHACHA12, CHUNK, Clock, Group, OS, Row, SECURE_CHACHA12, THREAD_RNG, Who,
    cipher,
};
use crate::work::{Plain, Work, bulk, each, turn};
use idlab::clock::{CachedClock, Clock as _, SystemClock};
use idlab::random::{Secure, bits128};
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
        floor(Group::One, "reading", || {
            let clock = CachedClock::new();
            each(move || clock.now().0, |ns| Plain::new(&ns.to_be_bytes()))
        })
        .clock(Clock::Cached),
        secure(Group::One, AES256),
        secure(Group::One, CHACHA8),
        secure(Group::One, SECURE_CHACHA12),
        drawn(Group::One, CHACHA12, rand::make_rng::<StdRng>),
        drawn(Group::One, THREAD_RNG, ThreadRng::default),
        floor(Group::One, "16 bytes of getrandom", || each(os, number)).random(OS),
        floor(Group::Bulk, "memcpy of 16 bytes", || {
            let from = vec![black_box(7u128); CHUNK];
            let copy = move |out: &mut [u128]| out.copy_from_slice(black_box(&from[..out.len()]));
            bulk(0, copy, number)
        }),
        secure(Group::Bulk, AES256),
        secure(Group::Bulk, CHACHA8),
        secure(Group::Bulk, SECURE_CHACHA12),
        drawn(Group::Bulk, CHACHA12, rand::make_rng::<StdRng>),
        drawn(Group::Bulk, THREAD_RNG, ThreadRng::default),
        copied::<36>(Group::Text, "copy of 36 bytes"),
        copied::<16>(Group::Parse, "copy of 16 bytes"),
    ]
}

fn copied<const N: usize>(group: Group, call: &str) -> Row {
    floor(group, call, || {
        let copy = |from: &[u8; N], to: &mut [u8; N]| *to = *from;
        turn(vec![[7; N]; CHUNK], [0; N], copy, |bytes| Plain::new(bytes))
    })
}

fn secure(group: Group, name: &'static str) -> Row {
    drawn(group, name, move || {
        Secure::new(cipher(name)).expect("randomness of the system")
    })
}

/// 16 bytes a call, or a chunk of 16 bytes by one call.
fn drawn<R: Rng + 'static>(
    group: Group,
    name: &'static str,
    make: impl Fn() -> R + Send + Sync + 'static,
) -> Row {
    let work = move || {
        let mut random = make();
        match group {
            Group::One => Box::new(each(move || bits128(&mut random), number)) as Box<dyn Work>,
            _ => {
                let fill = move |out: &mut [[u8; 16]]| random.fill_bytes(out.as_flattened_mut());
                Box::new(bulk([0; 16], fill, |bytes| Plain::new(bytes)))
            }
        }
    };
    let call = format!("16 bytes of {name}");
    Row::boxed(group, SCHEME, Who::Floor, call, Check::Nothing, work).random(name)
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
