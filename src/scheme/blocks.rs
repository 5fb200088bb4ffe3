//! Tickets for the threads of one process: blocks of numbers from one counter.
//!
//! The one generator here that threads share. A lock or an atomic step for each id makes two
//! threads slower than one; a step for each block costs them nothing.

use crate::id::Number;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use super::auto_increment::LAST;

/// A number that threads change one after the other.
pub trait Shared {
    /// Changes it to what `next` makes of it; the old one, or `None` and no change if `next` says so.
    fn change(&self, next: impl FnMut(u64) -> Option<u64>) -> Option<u64>;
}

impl Shared for AtomicU64 {
    fn change(&self, next: impl FnMut(u64) -> Option<u64>) -> Option<u64> {
        // Numbers order nothing else in memory.
        self.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
            .ok()
    }
}

/// Blocks of numbers from 1 to 2⁶³ − 1, each handed out once.
///
/// ```
/// use idlab::scheme::Blocks;
/// let blocks = Blocks::new(1000);
/// let [mut a, mut b] = [blocks.tickets(), blocks.tickets()];
/// assert_eq!([a.next(), b.next(), a.next()].map(|id| id.unwrap().0), [1, 1001, 2]);
/// ```
#[derive(Debug)]
pub struct Blocks<A = AtomicU64> {
    next: A,
    size: u64,
}

impl Blocks {
    /// Blocks of `size` numbers, at least 1.
    pub fn new(size: u64) -> Self {
        Self::over(AtomicU64::new(1), size)
    }
}

impl<A: Shared> Blocks<A> {
    /// Blocks of `size` numbers, at least 1, from what `next` holds on.
    pub fn over(next: A, size: u64) -> Self {
        let size = size.max(1);
        Self { next, size }
    }

    /// A block that nobody else has; the last one may be short, and after it there is none.
    pub fn lease(&self) -> Option<Range<u64>> {
        let after = |first: u64| first.saturating_add(self.size).min(LAST + 1);
        let first = self
            .next
            .change(|first| (first <= LAST).then(|| after(first)))?;
        Some(first..after(first))
    }

    /// Tickets for one thread.
    #[inline]
    pub fn tickets(&self) -> Tickets<'_, A> {
        let block = 0..0;
        Tickets {
            blocks: self,
            block,
        }
    }
}

/// The tickets of one thread, which ascend.
#[derive(Debug)]
pub struct Tickets<'a, A = AtomicU64> {
    blocks: &'a Blocks<A>,
    block: Range<u64>,
}

impl<A: Shared> Iterator for Tickets<'_, A> {
    type Item = Number;

    /// The next ticket; `None` if all numbers are handed out.
    #[inline]
    fn next(&mut self) -> Option<Number> {
        if self.block.is_empty() {
            self.block = self.blocks.lease()?;
        }
        self.block.next().map(Number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::thread;

    #[test]
    fn the_last_block_is_short_and_the_numbers_end_with_the_signed_range() {
        let blocks = Blocks::over(AtomicU64::new(LAST - 4), 3);
        let leases: Vec<_> = std::iter::from_fn(|| blocks.lease()).take(5).collect();
        assert_eq!(leases, [LAST - 4..LAST - 1, LAST - 1..LAST + 1]);
        let blocks = Blocks::over(AtomicU64::new(LAST), 1000);
        let ids: Vec<_> = blocks.tickets().take(5).collect();
        assert_eq!(ids, [Number(LAST)]);
    }

    #[test]
    fn threads_get_every_number_once() {
        let blocks = Blocks::new(7);
        let ids: Vec<Vec<Number>> = thread::scope(|scope| {
            let take = || blocks.tickets().take(7000).collect();
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(take)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap())
                .collect()
        });
        assert!(ids.iter().all(|ids| ids.is_sorted_by(|a, b| a < b)));
        let all: BTreeSet<_> = ids.into_iter().flatten().map(|id| id.0).collect();
        assert_eq!(all, (1..=28_000).collect());
    }

    impl Shared for loom::sync::atomic::AtomicU64 {
        fn change(&self, next: impl FnMut(u64) -> Option<u64>) -> Option<u64> {
            self.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
                .ok()
        }
    }

    /// All orders in which the steps of two threads can mix.
    #[test]
    fn no_order_of_steps_hands_out_a_number_twice() {
        loom::model(|| {
            let blocks = Blocks::over(loom::sync::atomic::AtomicU64::new(1), 2);
            let blocks = loom::sync::Arc::new(blocks);
            let other = blocks.clone();
            let take = |blocks: &Blocks<_>| blocks.tickets().take(3).collect::<Vec<_>>();
            let thread = loom::thread::spawn(move || take(&other));
            let mut ids = take(&blocks);
            ids.extend(thread.join().unwrap());
            ids.sort_unstable();
            let distinct = ids.windows(2).all(|pair| pair[0] < pair[1]);
            assert!(distinct && ids.iter().all(|id| id.0 <= 8), "{ids:?}");
        });
    }
}
