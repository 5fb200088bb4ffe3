//! What the type of the ids, and their scheme, tell of a list: leaks, other orders, widths.

use super::{List, Observer, Section, comparators, leaks, widths};
use idlab::id::{Id, Key};
use idlab::inspect::comparators::Comparators;
use idlab::inspect::leaks::Leaks;
use idlab::inspect::widths::Widths;
use idlab::scheme::{Scheme, Visitor};
use std::any::Any;
use std::marker::PhantomData;

/// A [`Visitor`] that makes the observer of a scheme's ids; none if its keys are not `K`.
pub struct Outsider<K> {
    /// Whether the ids are read by this scheme, or are of its type only.
    is_read: bool,
    keys: PhantomData<K>,
}

impl<K> Outsider<K> {
    pub fn new(is_read: bool) -> Self {
        let keys = PhantomData;
        Self { is_read, keys }
    }
}

impl<K: Key> Visitor for Outsider<K> {
    type Output = Option<Box<dyn Observer<K>>>;

    fn visit<S: Scheme>(self, scheme: S) -> Self::Output {
        let observer: Box<dyn Observer<<S::Id as Id>::Key>> = Box::new(Seen {
            leaks: self.is_read.then(|| Leaks::new(scheme)),
            comparators: Comparators::<S::Id>::default(),
            widths: Widths::<S::Id>::default(),
        });
        let observer: Box<dyn Any> = Box::new(observer);
        observer.downcast().ok().map(|observer| *observer)
    }
}

struct Seen<S: Scheme> {
    leaks: Option<Leaks<S>>,
    comparators: Comparators<S::Id>,
    widths: Widths<S::Id>,
}

impl<S: Scheme> Observer<<S::Id as Id>::Key> for Seen<S> {
    fn see(&mut self, keys: &[<S::Id as Id>::Key]) {
        if let Some(leaks) = &mut self.leaks {
            leaks.see(keys);
        }
        self.comparators.see(keys);
        self.widths.see(keys);
    }

    fn sections(self: Box<Self>, list: &List) -> Vec<Section> {
        let mut sections = Vec::new();
        if let Some(leaks) = &self.leaks {
            let leaked = leaks.finish();
            let mut rows = list.rows.clone();
            leaked.rows(&mut rows);
            let head = "What an outsider learns from them\n".to_owned();
            sections.push(Section::new(head + &leaks::section(&leaked), rows));
        }
        let comparisons = self.comparators.finish();
        let mut rows = list.rows.clone();
        idlab::inspect::comparators::rows(&comparisons, &mut rows);
        let head = "Ascending for whom\n".to_owned();
        let text = head + &comparators::section(&comparisons);
        sections.push(Section::new(text, rows));

        let found = self.widths.finish();
        let mut rows = list.rows.clone();
        found.rows(&mut rows);
        let text = widths::section(&found);
        if !text.is_empty() {
            let head = "Widths\n".to_owned();
            sections.push(Section::new(head + &text, rows));
        }
        sections
    }
}
