//! An internal page, laid out for the descent.

use crate::id::Key;

/// Separators in a block of the search.
const BLOCK: usize = 16;

/// A child of an internal page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Child {
    /// Its number.
    pub page: u32,
    /// Leaves below the children to the right of it.
    pub leaves_right: u32,
}

/// An internal page: child `i` holds the keys from `separators[i - 1]` to below `separators[i]`.
///
/// The descent is most of the cost of a random insert. It reads the separators'
/// first 8 bytes alone, and without a branch that depends on them, so that the
/// processor can work on several inserts at once: first the last separator of
/// each block of 16, then one block.
#[derive(Clone, Debug)]
pub(super) struct Internal<K> {
    separators: Vec<K>,
    pub children: Vec<Child>,
    /// The separators' first 8 bytes in blocks, the last one filled up with the largest number.
    blocks: Vec<[u64; BLOCK]>,
    /// The last number of each block.
    block_ends: Vec<u64>,
}

impl<K: Key> Internal<K> {
    /// The page with these separators and children (one more).
    pub fn new(separators: Vec<K>, children: Vec<Child>) -> Self {
        let mut page = Self {
            separators,
            children,
            blocks: Vec::new(),
            block_ends: Vec::new(),
        };
        page.index(0);
        page
    }

    /// The child for `key`: how many separators are at most `key`.
    #[inline]
    pub fn slot(&self, key: K) -> usize {
        let prefix = key.prefix();
        let block = count_below(&self.block_ends, prefix);
        // Past the last block, all separators are below: its end was.
        let Some(numbers) = self.blocks.get(block) else {
            return self.separators.len();
        };
        let within = count_below(numbers, prefix);
        let slot = block * BLOCK + within;
        match numbers.get(within) {
            Some(&number) if number == prefix => self.slot_among_equals(slot, key),
            _ => slot,
        }
    }

    /// The child for `key` if the separators from `slot` on begin as it does.
    #[cold]
    fn slot_among_equals(&self, slot: usize, key: K) -> usize {
        slot + self.separators[slot..].partition_point(|&separator| separator <= key)
    }

    /// Puts `child` to the right of child `slot`, from which it took `leaves` leaves.
    pub fn insert(&mut self, slot: usize, separator: K, child: u32, leaves: u32) {
        self.separators.insert(slot, separator);
        let leaves_right = self.children[slot].leaves_right;
        self.children.insert(
            slot + 1,
            Child {
                page: child,
                leaves_right,
            },
        );
        self.children[slot].leaves_right += leaves;
        self.index(slot);
    }

    /// Keeps the first `left` children; returns the separator that moves up, the
    /// page of the others and the leaves below it.
    pub fn divide(&mut self, left: usize) -> (K, Self, u32) {
        let right = Self::new(
            self.separators.split_off(left),
            self.children.split_off(left),
        );
        let up = self
            .separators
            .pop()
            .expect("a full page has at least two children");
        let leaves = self.children[left - 1].leaves_right;
        self.children
            .iter_mut()
            .for_each(|child| child.leaves_right -= leaves);
        self.index(0);
        (up, right, leaves)
    }

    /// Makes the blocks anew from that of separator `from` on.
    fn index(&mut self, from: usize) {
        let first = from / BLOCK;
        self.blocks.truncate(first);
        self.block_ends.truncate(first);
        for separators in self.separators[first * BLOCK..].chunks(BLOCK) {
            let mut block = [u64::MAX; BLOCK];
            block
                .iter_mut()
                .zip(separators)
                .for_each(|(number, separator)| *number = separator.prefix());
            self.blocks.push(block);
            self.block_ends.push(block[BLOCK - 1]);
        }
    }
}

/// How many of `numbers` are below `bound`, without a branch on them.
#[inline]
fn count_below(numbers: &[u64], bound: u64) -> usize {
    numbers
        .iter()
        .map(|&number| usize::from(number < bound))
        .sum()
}
