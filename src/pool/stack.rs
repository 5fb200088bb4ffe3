//! The stack of an LRU cache: pages in the order of their last touch.

use super::table::PageTable;
use crate::store::PageId;
use std::collections::BinaryHeap;

/// Slots in the order of time, those in use marked, with counts to tell how many are later.
#[derive(Clone, Debug, Default)]
struct Slots {
    marks: Vec<u64>,
    /// Slots in use by word of `marks`; by group of words; by group of groups; …
    counts: Vec<Vec<u32>>,
}

/// Children of a count in the next.
const FANOUT: usize = 16;
const LEAST_SLOTS: u32 = 4096;

impl Slots {
    /// At least `slots` slots; the first `used` are in use.
    fn new(slots: u32, used: u32) -> Self {
        let words = slots.div_ceil(u64::BITS) as usize;
        let full = (used / u64::BITS) as usize;
        let mut marks = vec![0; words];
        marks[..full].fill(u64::MAX);
        if full < words {
            marks[full] = (1 << (used % u64::BITS)) - 1;
        }
        let mut counts = Vec::new();
        let mut level: Vec<u32> = marks.iter().map(|word: &u64| word.count_ones()).collect();
        while level.len() > 1 {
            level.resize(level.len().next_multiple_of(FANOUT), 0);
            let above = level.chunks(FANOUT).map(|group| group.iter().sum());
            let above = above.collect();
            counts.push(std::mem::replace(&mut level, above));
        }
        Self { marks, counts }
    }

    /// The slots in use.
    fn used(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.marks).flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                left &= left.checked_sub(1)?;
                Some(at * u64::BITS + bit)
            })
        })
    }

    #[inline]
    fn mark(&mut self, slot: u32) {
        let mut at = slot as usize / 64;
        self.marks[at] |= 1 << (slot % 64);
        for level in &mut self.counts {
            level[at] += 1;
            at /= FANOUT;
        }
    }

    /// Clears a used slot; how many later ones are in use.
    #[inline]
    fn take(&mut self, slot: u32) -> u32 {
        let mut at = slot as usize / 64;
        let word = &mut self.marks[at];
        *word &= !(1 << (slot % 64));
        let mut later = (*word >> (slot % 64)).count_ones();
        for level in &mut self.counts {
            let groups = level.as_chunks_mut::<FANOUT>().0;
            let (group, child) = (&mut groups[at / FANOUT], at % FANOUT);
            group[child] -= 1;
            // All children with a mask: no branches to mispredict, and SIMD's own width.
            let count = |(i, &count): (i32, &u32)| if i > child as i32 { count } else { 0 };
            later += (0i32..).zip(&*group).map(count).sum::<u32>();
            at /= FANOUT;
        }
        later
    }
}

/// Pages by last touch: how many others were touched since.
///
/// Each touch takes a slot; when all are taken, those still in use move together.
/// A page that is given up leaves its slot as a hole, which is the free frame it leaves in
/// each cache that held it: the next page that such a cache reads fills it. So a page
/// that comes from below a hole takes the hole with it down to its own slot.
/// Source: Mattson, Gecsei, Slutz, Traiger, Evaluation techniques for storage
/// hierarchies, IBM Systems Journal 9 (1970); counts over time: Bennett, Kruskal, LRU
/// stack processing, IBM J. Res. Dev. 19 (1975).
#[derive(Clone, Debug, Default)]
pub struct Stack {
    slots: Slots,
    /// The page that took each slot.
    pages: Vec<PageId>,
    /// The slot of each page, from 1.
    slot_of: PageTable,
    holes: BinaryHeap<u32>,
    /// Slots in use.
    live: u32,
}

impl Stack {
    /// Pages and holes.
    pub fn live(&self) -> u32 {
        self.live
    }

    /// Whether the next touch needs [`Stack::compact`] first.
    #[inline]
    pub fn is_full(&self) -> bool {
        self.pages.len() / 64 == self.slots.marks.len()
    }

    /// Puts `page` on top; how many entries were above it, `None` if it was not there.
    #[inline]
    pub fn touch(&mut self, page: PageId) -> Option<u32> {
        let slot = self.pages.len() as u32;
        let above = match self.slot_of.set(page, slot + 1) {
            0 => {
                match self.holes.pop() {
                    Some(hole) => _ = self.slots.take(hole),
                    None => self.live += 1,
                }
                None
            }
            old if old == slot => {
                // It is on top already.
                self.slot_of.set(page, slot);
                return Some(0);
            }
            old => {
                let old = old - 1;
                let above = self.slots.take(old);
                if let Some(mut hole) = self.holes.peek_mut()
                    && *hole > old
                {
                    self.slots.take(*hole);
                    self.slots.mark(old);
                    *hole = old;
                }
                Some(above)
            }
        };
        self.pages.push(page);
        self.slots.mark(slot);
        above
    }

    /// Gives up a page.
    pub fn free(&mut self, page: PageId) {
        let slot = self.slot_of.get(page);
        if slot > 0 {
            self.slot_of.set(page, 0);
            self.holes.push(slot - 1);
        }
    }

    /// Drops all but the newest `most` entries, then those whose page is not wanted,
    /// and makes room for touches.
    pub fn compact(&mut self, most: u32, wanted: impl Fn(PageId) -> bool) {
        let mut surplus = self.live.saturating_sub(most);
        let mut kept = 0;
        self.holes.clear();
        for slot in self.slots.used() {
            let page = self.pages[slot as usize];
            let hole = self.slot_of.get(page) != slot + 1;
            if surplus > 0 || !wanted(page) {
                surplus = surplus.saturating_sub(1);
                if !hole {
                    self.slot_of.set(page, 0);
                }
                continue;
            }
            if hole {
                self.holes.push(kept);
            } else {
                self.slot_of.set(page, kept + 1);
            }
            self.pages[kept as usize] = page;
            kept += 1;
        }
        self.live = kept;
        self.pages.truncate(kept as usize);
        self.slots = Slots::new(kept.saturating_mul(4).max(LEAST_SLOTS), kept);
    }
}
