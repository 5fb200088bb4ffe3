//! The B*-tree: [`BStar`].

use super::{Access, Insert, PageId, Sink, Space, Split, Touch, Uniqueness};
use crate::engine::Geometry;
use crate::id::Key;

/// A B+-tree that fills neighbours before it splits.
///
/// An entry too many for its page is made room for by moving one entry towards the
/// nearest page that is not full, among the `neighbours` that end with the page (fewer if
/// their parent has fewer children). If all are full, they become one page more, all
/// equally full. With one neighbour it is the plain B-tree with even splits.
///
/// Source: Kuespert, Storage utilization in B*-trees with a generalized overflow technique,
/// Acta Informatica 19 (1983). His m ln((m + 1) / m) for the fill under random keys
/// takes m pages for a group of their own; here a page has other neighbours with each
/// overflow, and the fill is 1 to 2 % above it for m > 1.
///
/// Capacities are those of pages that are not rightmost on their level. In a split's
/// events the page to the left is the one that had an entry too many, and the new page lies to
/// the right of all its neighbours. Not modelled: deletes, updates, entries of several widths.
#[derive(Clone, Debug)]
pub struct BStar<K> {
    geometry: Geometry,
    neighbours: usize,
    uniqueness: Uniqueness,
    /// Leaves and internal pages, by number.
    pages: [Vec<Page<K>>; 2],
    root: u32,
    level: usize,
    rows: u64,
    maximum: Option<K>,
    /// Pages and slots of the children from the root to a leaf.
    path: Vec<(u32, usize)>,
}

/// A page: keys in order, with children if it is internal. The keys from `keys[i]` to below
/// `keys[i + 1]` are below child `i`; the first child has all below, too.
#[derive(Clone, Debug)]
struct Page<K> {
    keys: Vec<K>,
    children: Vec<u32>,
    /// Leaves below, 1 if it is one.
    leaves: u32,
}

impl<K: Key> Page<K> {
    fn new(keys: Vec<K>, children: Vec<u32>) -> Self {
        Self {
            keys,
            children,
            leaves: 1,
        }
    }

    fn slot(&self, key: K) -> usize {
        let after = self.keys.partition_point(|&other| other <= key);
        after.saturating_sub(1)
    }
}

fn kind(level: usize) -> usize {
    usize::from(level > 0)
}

impl<K: Key> BStar<K> {
    /// An empty tree: one leaf. `neighbours` below 1 count as 1.
    pub fn new(geometry: Geometry, neighbours: u32, uniqueness: Uniqueness) -> Self {
        Self {
            geometry,
            neighbours: neighbours.max(1) as usize,
            uniqueness,
            pages: [vec![Page::new(Vec::new(), Vec::new())], Vec::new()],
            root: 0,
            level: 0,
            rows: 0,
            maximum: None,
            path: Vec::new(),
        }
    }

    /// Inserts `key` and reports it; `false` if it is there already (noticed
    /// only if [`Uniqueness::Checked`]).
    pub fn insert<S: Sink>(&mut self, key: K, sink: &mut S) -> bool {
        let mut path = std::mem::take(&mut self.path);
        path.clear();
        let leaf = self.descend(key, |page, slot| path.push((page, slot)));
        let keys = &mut self.pages[0][leaf as usize].keys;
        let slot = keys.partition_point(|&other| other < key);
        if self.uniqueness == Uniqueness::Checked && keys.get(slot) == Some(&key) {
            self.path = path;
            return false;
        }
        keys.insert(slot, key);
        let overfull = keys.len() > self.capacity(0);
        if S::TOUCHES {
            sink.begin();
            for (level, &(page, _)) in (1..=self.level).rev().zip(&path) {
                sink.touch(touch(level, page, Access::Read));
            }
            sink.touch(touch(0, leaf, Access::Write));
        }
        let leaves = self.pages[0].len();
        if overfull {
            self.overflow(&mut path, leaf, sink);
        }
        self.path = path;
        let new_maximum = self.maximum.is_none_or(|maximum| key > maximum);
        if new_maximum {
            self.maximum = Some(key);
        }
        self.rows += 1;
        let mut edge_distance_leaves = 0;
        let mut level = self.level;
        let leaf = self.descend(key, |page, slot| {
            level -= 1;
            let right = &self.pages[1][page as usize].children[slot + 1..];
            edge_distance_leaves += match level {
                0 => right.len() as u32,
                _ => right
                    .iter()
                    .map(|&child| self.page(level, child).leaves)
                    .sum(),
            };
        });
        sink.insert(&Insert {
            leaf,
            edge_distance_leaves,
            new_maximum,
            split: self.pages[0].len() > leaves,
            entries: self.page(0, leaf).keys.len() as u32,
        });
        true
    }

    /// Inserts `keys`, which are new, in their order.
    pub fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        for &key in keys {
            self.insert(key, sink);
        }
    }

    /// The leaf of `key`; `pass` is called with each page above it and the slot taken.
    fn descend(&self, key: K, mut pass: impl FnMut(u32, usize)) -> u32 {
        let mut page = self.root;
        for _ in 0..self.level {
            let internal = &self.pages[1][page as usize];
            let slot = internal.slot(key);
            pass(page, slot);
            page = internal.children[slot];
        }
        page
    }

    fn page(&self, level: usize, page: u32) -> &Page<K> {
        &self.pages[kind(level)][page as usize]
    }

    fn page_mut(&mut self, level: usize, page: u32) -> &mut Page<K> {
        &mut self.pages[kind(level)][page as usize]
    }

    fn capacity(&self, level: usize) -> usize {
        let class = match level {
            0 => self.geometry.leaf[0],
            _ => self.geometry.internal[0],
        };
        class.capacity as usize
    }

    /// Makes room in a leaf with an entry too many; `path` leads to it.
    fn overflow<S: Sink>(&mut self, path: &mut Vec<(u32, usize)>, leaf: u32, sink: &mut S) {
        let (mut page, mut level) = (leaf, 0);
        while self.page(level, page).keys.len() > self.capacity(level) {
            let (parent, slot) = path.pop().unwrap_or_else(|| self.grow(sink));
            let children = &self.page(level + 1, parent).children;
            let first = (slot + 1).saturating_sub(self.neighbours);
            let group_end = (first + self.neighbours).min(children.len());
            let group = children[first..group_end].to_vec();
            if S::TOUCHES {
                let others = group.iter().filter(|&&other| other != page);
                others.for_each(|&other| sink.touch(touch(level, other, Access::Write)));
                sink.touch(touch(level + 1, parent, Access::Write));
            }
            let capacity = self.capacity(level);
            let with_room = (0..group.len())
                .filter(|&i| self.page(level, group[i]).keys.len() < capacity)
                .min_by_key(|&i| (first + i).abs_diff(slot));
            match with_room {
                Some(to) => self.shift(level, &group, slot - first, to),
                None => {
                    let rightmost = group_end == self.page(level + 1, parent).children.len()
                        && path.iter().zip((level + 2..=self.level).rev()).all(
                            |(&(page, slot), level)| {
                                slot + 1 == self.page(level, page).children.len()
                            },
                        );
                    let new = self.spread(level, &group);
                    let above = self.page_mut(level + 1, parent);
                    above.children.insert(group_end, new);
                    above.keys.insert(group_end, K::default());
                    if S::TOUCHES {
                        sink.touch(touch(level, new, Access::New));
                    }
                    sink.split(&Split {
                        level: level as u32,
                        rightmost,
                        new_entry_left: group.len() > 1,
                        left: page,
                        right: new,
                        left_entries: self.page(level, page).keys.len() as u32,
                        old_right: None,
                    });
                }
            }
            let end = group_end + usize::from(with_room.is_none());
            for child in first + 1..end {
                let page = self.page(level + 1, parent).children[child];
                let least = self.page(level, page).keys[0];
                self.page_mut(level + 1, parent).keys[child] = least;
            }
            (page, level) = (parent, level + 1);
            self.count_leaves(level, page);
            path.iter().rev().enumerate().for_each(|(i, &(above, _))| {
                self.count_leaves(level + 1 + i, above);
            });
        }
    }

    /// Moves one entry of each page of `group` from `from` on to the next one towards `to`.
    fn shift(&mut self, level: usize, group: &[u32], from: usize, to: usize) {
        let mut at = from;
        while at != to {
            let right = at < to;
            let here = self.page_mut(level, group[at]);
            let key = match right {
                true => here.keys.pop(),
                false => Some(here.keys.remove(0)),
            };
            let child = match right {
                true => here.children.pop(),
                false if level > 0 => Some(here.children.remove(0)),
                false => None,
            };
            at = if right { at + 1 } else { at - 1 };
            let next = self.page_mut(level, group[at]);
            let end = if right { 0 } else { next.keys.len() };
            key.into_iter().for_each(|key| next.keys.insert(end, key));
            child
                .into_iter()
                .for_each(|child| next.children.insert(end, child));
        }
        group
            .iter()
            .for_each(|&page| self.count_leaves(level, page));
    }

    /// Spreads the entries of `group` evenly over it and a new page, which is returned.
    fn spread(&mut self, level: usize, group: &[u32]) -> u32 {
        let (mut keys, mut children) = (Vec::new(), Vec::new());
        for &page in group {
            let page = self.page_mut(level, page);
            keys.append(&mut page.keys);
            children.append(&mut page.children);
        }
        let new = self.pages[kind(level)].len() as u32;
        self.pages[kind(level)].push(Page::new(Vec::new(), Vec::new()));
        let pages = group.len() + 1;
        for (i, &page) in group.iter().chain([&new]).enumerate() {
            let part = keys.len() * i / pages..keys.len() * (i + 1) / pages;
            let page = self.page_mut(level, page);
            page.keys.extend_from_slice(&keys[part.clone()]);
            page.children
                .extend_from_slice(children.get(part).unwrap_or_default());
        }
        let all = group.iter().chain([&new]);
        all.for_each(|&page| self.count_leaves(level, page));
        new
    }

    fn count_leaves(&mut self, level: usize, page: u32) {
        if level > 0 {
            let children = &self.page(level, page).children;
            let leaves = children
                .iter()
                .map(|&child| self.page(level - 1, child).leaves);
            self.page_mut(level, page).leaves = leaves.sum();
        }
    }

    /// Makes a root above the old one.
    fn grow(&mut self, sink: &mut impl Sink) -> (u32, usize) {
        let root = self.pages[1].len() as u32;
        let least = self.page(self.level, self.root).keys[0];
        self.pages[1].push(Page::new(vec![least], vec![self.root]));
        self.root = root;
        self.level += 1;
        sink.touch(touch(self.level, root, Access::New));
        sink.new_root(root);
        (root, 0)
    }

    /// The page arithmetic.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Pages that are filled before they split.
    pub fn neighbours(&self) -> u32 {
        self.neighbours as u32
    }

    /// Whether the keys are compared.
    pub fn uniqueness(&self) -> Uniqueness {
        self.uniqueness
    }

    /// Keys in the tree.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Leaf pages.
    pub fn leaf_pages(&self) -> u64 {
        self.pages[0].len() as u64
    }

    /// Internal pages, the root included.
    pub fn internal_pages(&self) -> u64 {
        self.pages[1].len() as u64
    }

    /// Level of the root; 0 is a lone leaf.
    pub fn tree_level(&self) -> u32 {
        self.level as u32
    }

    /// Size of the index.
    pub fn index_bytes(&self) -> u64 {
        let pages = self.geometry.meta_pages + self.leaf_pages() + self.internal_pages();
        pages * u64::from(self.geometry.page_bytes)
    }

    /// Bytes that the entries of all internal pages take.
    pub fn internal_used_bytes(&self) -> u64 {
        let class = &self.geometry.internal[0];
        let children = self.pages[1].iter().map(|page| page.children.len() as u32);
        children
            .map(|children| u64::from(class.used_bytes(children)))
            .sum()
    }

    /// What an internal page has room for.
    pub fn internal_usable_bytes(&self) -> u32 {
        self.geometry.internal[0].usable_bytes
    }

    /// What a leaf has room for.
    pub fn leaf_usable_bytes(&self) -> u32 {
        self.geometry.leaf[0].usable_bytes
    }

    /// The number of the leaf that holds or would hold `key`.
    pub fn leaf_of(&self, key: K) -> u32 {
        self.descend(key, |_, _| {})
    }

    /// The leaves from left to right, each with its number, entries and the bytes of
    /// these. Numbers are in the order of allocation.
    pub fn leaves(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.leaf_numbers().into_iter().map(|leaf| {
            let entries = self.page(0, leaf).keys.len() as u32;
            (leaf, entries, self.geometry.leaf[1].used_bytes(entries))
        })
    }

    fn leaf_numbers(&self) -> Vec<u32> {
        let mut pages = vec![self.root];
        for _ in 0..self.level {
            let children = |&page: &u32| self.pages[1][page as usize].children.iter().copied();
            pages = pages.iter().flat_map(children).collect();
        }
        pages
    }

    /// All keys in order.
    pub fn keys(&self) -> impl Iterator<Item = K> {
        self.leaf_numbers()
            .into_iter()
            .flat_map(|leaf| self.page(0, leaf).keys.iter().copied())
    }

    /// The least key that was inserted twice, if any was.
    pub fn first_duplicate(&self) -> Option<K> {
        let mut last = None;
        self.keys()
            .find(|&key| last.replace(key).is_some_and(|last| last == key))
    }
}

fn touch(level: usize, page: u32, access: Access) -> Touch {
    let space = match level {
        0 => Space::Index,
        _ => Space::IndexInternal,
    };
    Touch {
        page: PageId::new(space, page),
        level: level as u8,
        access,
    }
}

#[cfg(test)]
mod tests;
