//! A leaf as it is in memory: [`Page`].

use super::format::Format;
use crate::id::Key;

/// Bytes of the head of a skip list: two arrays of ten pointers.
const LIST_HEAD: u64 = 160;
const POINTER: u64 = 8;

/// Where a page is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum State {
    /// On disk alone.
    Disk,
    /// In memory, as on disk.
    Clean,
    /// In memory, with rows that are not on disk.
    Dirty,
}

/// A leaf: the entries of its image on disk in order, then those inserted since in any.
#[derive(Clone, Debug)]
pub(super) struct Page<K> {
    pub keys: Vec<K>,
    /// Entries of the image.
    pub on_disk: usize,
    /// Whether each place between these has a list of inserted entries.
    lists: Vec<bool>,
    lists_count: u64,
    /// Pointers of the inserted entries in these lists.
    pointers: u64,
    /// Entries inserted past the last one on disk.
    pub appended: usize,
    pub state: State,
    /// When it was last used, in rows.
    pub used: u64,
    /// Whether it was split in memory, which is done once.
    pub was_split: bool,
}

impl<K: Key> Page<K> {
    /// The page with these entries on disk, in order.
    pub fn on_disk(keys: Vec<K>, state: State, used: u64) -> Self {
        Self {
            on_disk: keys.len(),
            keys,
            lists: Vec::new(),
            lists_count: 0,
            pointers: 0,
            appended: 0,
            state,
            used,
            was_split: false,
        }
    }

    /// A page made in memory.
    pub fn in_memory(keys: Vec<K>, used: u64) -> Self {
        Self {
            on_disk: 0,
            appended: keys.len(),
            pointers: keys.len() as u64,
            lists_count: u64::from(!keys.is_empty()),
            lists: vec![!keys.is_empty()],
            ..Self::on_disk(keys, State::Dirty, used)
        }
    }

    pub fn contains(&self, key: K) -> bool {
        let (on_disk, inserted) = self.keys.split_at(self.on_disk);
        on_disk.binary_search(&key).is_ok() || inserted.contains(&key)
    }

    /// Adds a key, whose node in a skip list has so many pointers.
    pub fn insert(&mut self, key: K, pointers: u32) {
        let slot = self.keys[..self.on_disk].partition_point(|&other| other < key);
        self.appended += usize::from(slot == self.on_disk);
        self.lists.resize(self.on_disk + 1, false);
        self.lists_count += u64::from(!self.lists[slot]);
        self.lists[slot] = true;
        self.pointers += u64::from(pointers);
        self.keys.push(key);
        self.state = State::Dirty;
    }

    /// Takes out the greatest key, one of the appended, with one pointer.
    pub fn pop_greatest(&mut self) -> Option<K> {
        let appended = self.on_disk..self.keys.len();
        let greatest = appended.max_by_key(|&i| self.keys[i])?;
        self.appended -= 1;
        self.pointers -= 1;
        Some(self.keys.swap_remove(greatest))
    }

    /// Takes out all keys, in order.
    pub fn take(&mut self) -> Vec<K> {
        // Mostly a long run and a short one, which this sort merges.
        self.keys.sort();
        std::mem::take(&mut self.keys)
    }

    /// Bytes in memory, without the image.
    pub fn bytes_without_image(&self, format: &Format) -> u64 {
        let on_disk = self.on_disk as u64;
        match self.state {
            State::Disk => 0,
            State::Clean => POINTER * on_disk,
            State::Dirty => {
                POINTER * (2 * on_disk + 1 + self.pointers)
                    + LIST_HEAD * self.lists_count
                    + format.inserted(self.keys.len() - self.on_disk)
            }
        }
    }

    /// Bytes in memory. The size of `WT_PAGE` and `WT_PAGE_MODIFY` is left out.
    pub fn bytes(&self, format: &Format) -> u64 {
        let image = match (self.state, self.on_disk) {
            (State::Disk, _) | (_, 0) => 0,
            (_, entries) => format.image(entries),
        };
        image + self.bytes_without_image(format)
    }

    /// `__wt_leaf_page_can_split`: a page above `bytes` whose last list of inserted
    /// entries is long enough.
    pub fn can_split(&self, format: &Format) -> bool {
        let bytes = self.bytes(format);
        if self.was_split || self.state != State::Dirty || bytes < format.split_memory_page {
            return false;
        }
        let page = u64::from(format.leaf_page_max);
        match bytes > 2 * page {
            true => self.appended >= 5,
            false => self.appended > 30 && format.inserted(self.appended) > page,
        }
    }
}
