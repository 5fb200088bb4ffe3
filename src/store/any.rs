//! Trees and sinks behind tables of functions.
//!
//! A program with all kinds of trees, for all widths of keys and sets of measures, would
//! take minutes to compile. A call through a table costs a few ns a row.

use super::{Insert, Leaf, Separator, Sink, Size, Split, Touch, Tree, Uniqueness};
use crate::id::Key;

/// A tree of any kind, which always says which pages it asks for.
pub struct AnyTree<K>(Box<dyn TreeMethods<K>>);

impl<K: Key> AnyTree<K> {
    /// `tree` with its kind forgotten.
    pub fn new(tree: impl Tree<K> + Send + 'static) -> Self {
        Self(Box::new(tree))
    }
}

/// The methods of a [`Tree`], which [`AnyTree`] calls.
trait TreeMethods<K>: Send {
    fn insert(&mut self, key: K, sink: &mut dyn Methods) -> bool;
    fn insert_all(&mut self, keys: &[K], sink: &mut dyn Methods);
    fn remove_all(&mut self, keys: &[K], sink: &mut dyn Methods) -> bool;
    fn free_pages(&self) -> u64;
    fn uniqueness(&self) -> Uniqueness;
    fn first_duplicate(&self) -> Option<K>;
    fn size(&self) -> Size;
    fn leaves(&self) -> Vec<Leaf>;
    fn table(&self) -> Option<(Size, Vec<Leaf>)>;
    fn other_pages(&self) -> u64;
    fn counted_splits(&self) -> Option<u64>;
    fn leaf_of(&self, key: K) -> u32;
}

impl<K: Key, T: Tree<K> + Send> TreeMethods<K> for T {
    fn insert(&mut self, key: K, sink: &mut dyn Methods) -> bool {
        Tree::insert(self, key, &mut AnySink(sink))
    }

    fn insert_all(&mut self, keys: &[K], sink: &mut dyn Methods) {
        Tree::insert_all(self, keys, &mut AnySink(sink));
    }

    fn remove_all(&mut self, keys: &[K], sink: &mut dyn Methods) -> bool {
        Tree::remove_all(self, keys, &mut AnySink(sink))
    }

    fn free_pages(&self) -> u64 {
        Tree::free_pages(self)
    }

    fn uniqueness(&self) -> Uniqueness {
        Tree::uniqueness(self)
    }

    fn first_duplicate(&self) -> Option<K> {
        Tree::first_duplicate(self)
    }

    fn size(&self) -> Size {
        Tree::size(self)
    }

    fn leaves(&self) -> Vec<Leaf> {
        Tree::leaves(self).collect()
    }

    fn table(&self) -> Option<(Size, Vec<Leaf>)> {
        Tree::table(self)
    }

    fn other_pages(&self) -> u64 {
        Tree::other_pages(self)
    }

    fn counted_splits(&self) -> Option<u64> {
        Tree::counted_splits(self)
    }

    fn leaf_of(&self, key: K) -> u32 {
        Tree::leaf_of(self, key)
    }
}

impl<K: Key> Tree<K> for AnyTree<K> {
    fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        self.0.insert(key, sink)
    }

    fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        self.0.insert_all(keys, sink);
    }

    fn remove_all(&mut self, keys: &[K], sink: &mut impl Sink) -> bool {
        self.0.remove_all(keys, sink)
    }

    fn free_pages(&self) -> u64 {
        self.0.free_pages()
    }

    fn uniqueness(&self) -> Uniqueness {
        self.0.uniqueness()
    }

    fn first_duplicate(&self) -> Option<K> {
        self.0.first_duplicate()
    }

    fn size(&self) -> Size {
        self.0.size()
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf> {
        self.0.leaves().into_iter()
    }

    fn table(&self) -> Option<(Size, Vec<Leaf>)> {
        self.0.table()
    }

    fn other_pages(&self) -> u64 {
        self.0.other_pages()
    }

    fn counted_splits(&self) -> Option<u64> {
        self.0.counted_splits()
    }

    fn leaf_of(&self, key: K) -> u32 {
        self.0.leaf_of(key)
    }
}

/// The methods of a [`Sink`], which [`AnySink`] calls.
pub(super) trait Methods {
    fn begin(&mut self);
    fn touch(&mut self, touch: Touch);
    fn insert(&mut self, event: &Insert);
    fn split(&mut self, event: &Split);
    fn separator(&mut self, event: &Separator);
    fn new_root(&mut self, page: u32);
}

impl<S: Sink> Methods for S {
    fn begin(&mut self) {
        Sink::begin(self);
    }

    fn touch(&mut self, touch: Touch) {
        Sink::touch(self, touch);
    }

    fn insert(&mut self, event: &Insert) {
        Sink::insert(self, event);
    }

    fn split(&mut self, event: &Split) {
        Sink::split(self, event);
    }

    fn separator(&mut self, event: &Separator) {
        Sink::separator(self, event);
    }

    fn new_root(&mut self, page: u32) {
        Sink::new_root(self, page);
    }
}

pub(super) struct AnySink<'a>(pub &'a mut dyn Methods);

impl Sink for AnySink<'_> {
    const TOUCHES: bool = true;

    fn begin(&mut self) {
        self.0.begin();
    }

    fn touch(&mut self, touch: Touch) {
        self.0.touch(touch);
    }

    fn insert(&mut self, event: &Insert) {
        self.0.insert(event);
    }

    fn split(&mut self, event: &Split) {
        self.0.split(event);
    }

    fn separator(&mut self, event: &Separator) {
        self.0.separator(event);
    }

    fn new_root(&mut self, page: u32) {
        self.0.new_root(page);
    }
}
