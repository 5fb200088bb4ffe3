//! Doubly linked lists of a pool's frames.

use std::ops::{Index, IndexMut};

#[derive(Clone, Copy, Debug)]
struct Node<T> {
    before: u32,
    after: u32,
    item: T,
}

/// Lists over one array of nodes; a node is in at most one list and keeps its number.
///
/// List `i` is a ring through node `i`, its end, so that linking takes no
/// branches; no item has number 0.
#[derive(Clone, Debug)]
pub struct Lists<T> {
    nodes: Vec<Node<T>>,
}

impl<T: Copy> Lists<T> {
    /// Empty lists; their ends hold `blank`.
    pub fn new(lists: u32, blank: T) -> Self {
        let mut empty = Self { nodes: Vec::new() };
        (0..lists).for_each(|_| {
            empty.add(blank);
        });
        empty
    }

    /// Adds an item that is in no list; its number.
    pub fn add(&mut self, item: T) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            before: number,
            after: number,
            item,
        });
        number
    }

    /// The first item of a list.
    #[inline]
    pub fn first(&self, list: u32) -> Option<u32> {
        let first = self.nodes[list as usize].after;
        (first != list).then_some(first)
    }

    /// The last item of a list.
    #[inline]
    pub fn last(&self, list: u32) -> Option<u32> {
        let last = self.nodes[list as usize].before;
        (last != list).then_some(last)
    }

    /// Moves an item behind `at`, which is another item or a list, then as its first.
    #[inline]
    pub fn move_after(&mut self, at: u32, item: u32) {
        let Node { before, after, .. } = self.nodes[item as usize];
        self.nodes[before as usize].after = after;
        self.nodes[after as usize].before = before;
        let next = std::mem::replace(&mut self.nodes[at as usize].after, item);
        self.nodes[next as usize].before = item;
        let node = &mut self.nodes[item as usize];
        (node.before, node.after) = (at, next);
    }

    /// Every item, in a list or not.
    pub fn items_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.nodes.iter_mut().map(|node| &mut node.item)
    }
}

impl<T> Index<u32> for Lists<T> {
    type Output = T;

    #[inline]
    fn index(&self, item: u32) -> &T {
        &self.nodes[item as usize].item
    }
}

impl<T> IndexMut<u32> for Lists<T> {
    #[inline]
    fn index_mut(&mut self, item: u32) -> &mut T {
        &mut self.nodes[item as usize].item
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(lists: &Lists<char>, list: u32) -> String {
        let mut found = String::new();
        let mut at = lists.first(list);
        while let Some(item) = at {
            found.push(lists[item]);
            let after = lists.nodes[item as usize].after;
            at = (after != list).then_some(after);
        }
        assert_eq!(
            lists.last(list).map(|item| lists[item]),
            found.chars().last()
        );
        found
    }

    #[test]
    fn items_move_within_and_between_lists() {
        let mut lists = Lists::new(2, ' ');
        let [a, b, c] = ['a', 'b', 'c'].map(|item| lists.add(item));
        for item in [c, b, a] {
            lists.move_after(0, item);
        }
        assert_eq!(
            (items(&lists, 0), items(&lists, 1)),
            ("abc".into(), "".into())
        );
        lists.move_after(0, a);
        lists.move_after(a, c);
        assert_eq!(items(&lists, 0), "acb");
        lists.move_after(1, c);
        assert_eq!(
            (items(&lists, 0), items(&lists, 1)),
            ("ab".into(), "c".into())
        );
    }
}
