//! An internal page, laid out for the descent.

use crate::id::Key;

/// A child of an internal page.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct Child {
    /// Its number.
    pub page: u32,
    /// Leaves below the children to the right of it.
    pub leaves_right: u32,
}

/// An internal page: child `i` holds the keys from `separators[i - 1]` to below `separators[i]`.
///
/// The descent is most of the cost of a random insert. It reads the separators'
/// first 8 bytes alone, half as many cache lines as the 16-byte keys have.
#[derive(Clone, Debug)]
pub(in crate::store) struct Internal<K> {
    separators: Vec<K>,
    /// The separators' first 8 bytes.
    prefixes: Vec<u64>,
    pub children: Vec<Child>,
    /// The page to the right on its level.
    pub right: Option<u32>,
}

impl<K: Key> Internal<K> {
    /// The page with these separators and children (one more).
    pub fn new(separators: Vec<K>, children: Vec<Child>) -> Self {
        let prefixes = separators
            .iter()
            .map(|separator| separator.prefix())
            .collect();
        Self {
            separators,
            prefixes,
            children,
            right: None,
        }
    }

    /// The child for `key`: how many separators are at most `key`.
    #[inline]
    pub fn slot(&self, key: K) -> usize {
        let prefix = key.prefix();
        let slot = self.prefixes.partition_point(|&other| other < prefix);
        match self.prefixes.get(slot) {
            Some(&other) if other == prefix => self.slot_among_equals(slot, key),
            _ => slot,
        }
    }

    /// The child for `key` if child `i` holds the keys up to `separators[i]`, this one
    /// included: how many separators are below `key`.
    #[inline]
    pub fn slot_up_to(&self, key: K) -> usize {
        let prefix = key.prefix();
        let slot = self.prefixes.partition_point(|&other| other < prefix);
        match self.prefixes.get(slot) {
            Some(&other) if other == prefix => {
                slot + self.separators[slot..].partition_point(|&separator| separator < key)
            }
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
        self.prefixes.insert(slot, separator.prefix());
        let leaves_right = self.children[slot].leaves_right;
        self.children.insert(
            slot + 1,
            Child {
                page: child,
                leaves_right,
            },
        );
        self.children[slot].leaves_right += leaves;
    }

    /// The slot of the child that is page `page`.
    pub fn slot_of(&self, page: u32) -> usize {
        let mut children = self.children.iter();
        let slot = children.position(|child| child.page == page);
        slot.expect("a page is a child of the page above it")
    }

    /// Takes out child `slot`, which is not the only one and has one leaf below. Its keys
    /// fall to the child on the right, those of the last child to the one on the left.
    pub fn remove(&mut self, slot: usize) {
        let separator = slot.min(self.separators.len() - 1);
        self.separators.remove(separator);
        self.prefixes.remove(separator);
        self.children.remove(slot);
        self.one_leaf_less_right_of(slot);
    }

    /// A leaf below child `slot`, or one that was there, has gone.
    pub fn one_leaf_less_right_of(&mut self, slot: usize) {
        let left = &mut self.children[..slot];
        left.iter_mut().for_each(|child| child.leaves_right -= 1);
    }

    /// Keeps the first `left` children; returns the separator that moves up, the
    /// page of the others, which will have `number`, and the leaves below it.
    pub fn divide(&mut self, left: usize, number: u32) -> (K, Self, u32) {
        let mut right = Self::new(
            self.separators.split_off(left),
            self.children.split_off(left),
        );
        right.right = self.right.replace(number);
        let up = self
            .separators
            .pop()
            .expect("a full page has at least two children");
        self.prefixes.truncate(left - 1);
        let leaves = self.children[left - 1].leaves_right;
        self.children
            .iter_mut()
            .for_each(|child| child.leaves_right -= leaves);
        (up, right, leaves)
    }
}
