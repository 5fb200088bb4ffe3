//! A page and the pages of one level.

use crate::id::Key;

/// No page, no record.
pub(super) const NONE: u32 = u32::MAX;

/// A page as far as the split rule looks at it.
#[derive(Clone, Debug)]
pub(super) struct Page<K> {
    /// The keys in order; on an internal page the lower bounds of the children
    /// (the first on a level stands for minus infinity).
    pub keys: Vec<K>,
    /// The children, none on a leaf.
    pub children: Vec<u32>,
    /// The first 8 bytes of each child's key: what the descent reads.
    prefixes: Vec<u64>,
    /// For each child, the leaves below the children to the right of it; left
    /// out on level 1, where it is the number of those children.
    pub leaves_right: Vec<u32>,
    /// Leaves below, 1 for a leaf.
    pub leaves: u32,
    /// Places for records in use or free: how far the page's heap reaches.
    pub heap: u32,
    /// The place of each record in the heap.
    places: Vec<u16>,
    /// Free places (garbage); the last is taken first.
    free: Vec<u16>,
    /// Slot of the last insert, unless a record has left since.
    pub last: u32,
    /// The neighbours on the level.
    pub left: u32,
    pub right: u32,
    /// The internal page that points here.
    pub parent: u32,
}

impl<K: Key> Page<K> {
    fn new(room: usize) -> Self {
        Self {
            keys: Vec::with_capacity(room),
            children: Vec::new(),
            prefixes: Vec::new(),
            leaves_right: Vec::new(),
            leaves: 1,
            heap: 0,
            places: Vec::with_capacity(room),
            free: Vec::new(),
            last: NONE,
            left: NONE,
            right: NONE,
            parent: NONE,
        }
    }

    pub fn len(&self) -> u32 {
        self.keys.len() as u32
    }

    pub fn has_garbage(&self) -> bool {
        !self.free.is_empty()
    }

    /// Places of records that were removed.
    pub fn free_places(&self) -> u32 {
        self.free.len() as u32
    }

    /// Whether the last insert was the record before `slot`.
    pub fn is_after_last(&self, slot: usize) -> bool {
        self.last != NONE && self.last as usize + 1 == slot
    }

    /// Whether the last insert was the record now in `slot`.
    pub fn is_before_last(&self, slot: usize) -> bool {
        self.last as usize == slot
    }

    pub fn is_beside_last(&self, slot: usize) -> bool {
        self.is_after_last(slot) || self.is_before_last(slot)
    }

    /// The slot of the child for `key`.
    #[inline]
    pub fn child_slot(&self, key: K) -> usize {
        // The first bound is not asked: on the left edge it may be any.
        let Some(prefixes) = self.prefixes.get(1..) else {
            return 0;
        };
        let prefix = key.prefix();
        let slot = prefixes.partition_point(|&bound| bound < prefix);
        match prefixes.get(slot) {
            Some(&bound) if bound == prefix => self.child_slot_among_equals(slot, key),
            _ => slot,
        }
    }

    /// The same if the bounds after `slot` begin as `key` does.
    #[cold]
    fn child_slot_among_equals(&self, slot: usize, key: K) -> usize {
        slot + self.keys[slot + 1..].partition_point(|&bound| bound <= key)
    }

    #[inline]
    fn take_place(&mut self) -> u16 {
        self.free.pop().unwrap_or_else(|| {
            self.heap += 1;
            (self.heap - 1) as u16
        })
    }

    /// Adds a record.
    #[inline]
    pub fn insert(&mut self, slot: usize, key: K) {
        let place = self.take_place();
        self.keys.insert(slot, key);
        self.places.insert(slot, place);
        self.last = slot as u32;
    }

    /// Adds a record with its child.
    pub fn insert_child(&mut self, slot: usize, key: K, child: u32) {
        self.insert(slot, key);
        self.children.insert(slot, child);
        self.prefixes.insert(slot, key.prefix());
    }

    /// Takes out the first `records` records, one by one, and returns their keys
    /// and children. The top of the heap sinks with a record that lies there.
    pub fn take_start(&mut self, records: usize) -> (Vec<K>, Vec<u32>) {
        self.remove_places(0, records);
        let children = self.children.len().min(records);
        self.prefixes.drain(..children);
        (
            self.keys.drain(..records).collect(),
            self.children.drain(..children).collect(),
        )
    }

    /// Takes out the records from `slot` on, all at once, and returns their keys
    /// and children. The top of the heap stays.
    pub fn take_end(&mut self, slot: usize) -> (Vec<K>, Vec<u32>) {
        if slot < self.keys.len() {
            self.last = NONE;
        }
        self.free.extend(self.places.drain(slot..).rev());
        if slot == 0 {
            (self.heap, self.free) = (0, Vec::new());
        }
        let children = self.children.len().min(slot);
        self.prefixes.truncate(children);
        (self.keys.split_off(slot), self.children.split_off(children))
    }

    /// Takes out a record, with its child if it has one.
    pub fn remove(&mut self, slot: usize) {
        self.remove_places(slot, 1);
        self.keys.remove(slot);
        if slot < self.children.len() {
            self.children.remove(slot);
            self.prefixes.remove(slot);
        }
    }

    fn remove_places(&mut self, slot: usize, records: usize) {
        for place in self.places.drain(slot..slot + records) {
            self.last = NONE;
            if u32::from(place) + 1 == self.heap {
                self.heap -= 1;
            } else {
                self.free.push(place);
            }
        }
        if self.places.is_empty() {
            self.heap = 0;
            self.free.clear();
        }
    }

    /// Copies records here one by one, from `slot` on.
    pub fn copy(&mut self, slot: usize, keys: Vec<K>, children: Vec<u32>) {
        self.last = ((slot + keys.len()) as u32).wrapping_sub(1);
        let places: Vec<_> = keys.iter().map(|_| self.take_place()).collect();
        self.places.splice(slot..slot, places);
        let child_slot = slot.min(self.children.len());
        let prefixes = keys.iter().take(children.len()).map(|key| key.prefix());
        self.prefixes.splice(child_slot..child_slot, prefixes);
        self.children.splice(child_slot..child_slot, children);
        self.keys.splice(slot..slot, keys);
    }

    /// Panics unless each place of the heap is a record's or free.
    #[cfg(test)]
    pub fn check_heap(&self) {
        let mut places = [&self.places[..], &self.free].concat();
        places.sort_unstable();
        assert!(places.into_iter().map(u32::from).eq(0..self.heap));
        assert_eq!(self.places.len(), self.keys.len());
    }

    /// Writes the page anew, without garbage.
    pub fn reorganize(&mut self) {
        self.heap = self.len();
        self.places.clear();
        self.places.extend(0..self.heap as u16);
        self.free.clear();
        self.last = NONE;
    }
}

/// The pages of a level, by number in the order of allocation.
#[derive(Clone, Debug)]
pub(super) struct Level<K> {
    pub pages: Vec<Page<K>>,
    /// Numbers of pages that are no longer used.
    free: Vec<u32>,
    pub rightmost: u32,
    pub leftmost: u32,
}

impl<K: Key> Level<K> {
    /// A level of one empty page; `room` is for how many records space is set aside.
    pub fn new(room: usize) -> Self {
        Self {
            pages: vec![Page::new(room)],
            free: Vec::new(),
            rightmost: 0,
            leftmost: 0,
        }
    }

    pub fn page(&self, page: u32) -> &Page<K> {
        &self.pages[page as usize]
    }

    pub fn page_mut(&mut self, page: u32) -> &mut Page<K> {
        &mut self.pages[page as usize]
    }

    /// Pages in use.
    pub fn len(&self) -> usize {
        self.pages.len() - self.free.len()
    }

    /// Puts an empty page beside `page`.
    pub fn add(&mut self, page: u32, on_the_left: bool, room: usize) -> u32 {
        let new = self.free.pop().unwrap_or(self.pages.len() as u32);
        if new as usize == self.pages.len() {
            self.pages.push(Page::new(room));
        }
        let (left, right) = match on_the_left {
            true => (self.page(page).left, page),
            false => (page, self.page(page).right),
        };
        self.link(left, new);
        self.link(new, right);
        new
    }

    /// Takes `page` out.
    pub fn remove(&mut self, page: u32) {
        let Page { left, right, .. } = *self.page(page);
        self.link(left, right);
        *self.page_mut(page) = Page::new(0);
        self.free.push(page);
    }

    /// Makes `left` and `right` neighbours; one of them may be the edge.
    fn link(&mut self, left: u32, right: u32) {
        match left {
            NONE => self.leftmost = right,
            _ => self.page_mut(left).right = right,
        }
        match right {
            NONE => self.rightmost = left,
            _ => self.page_mut(right).left = left,
        }
    }
}
