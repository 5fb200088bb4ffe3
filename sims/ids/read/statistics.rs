//! What needs no scheme: bits, their randomness, order and course of a list.

use super::{List, Observer, Section, bits, order, random};
use idlab::id::Key;
use idlab::inspect::{Bits, Course, Order, Randomness, claimed};
use idlab::scheme::Field;

/// Sees ids as keys.
pub struct Statistics<K: Key> {
    /// The fields of the scheme that the ids are read by; none if there is no scheme.
    layout: Vec<Field>,
    bits: Bits<K>,
    random: Randomness<K>,
    order: Order<K>,
    course: Course<K>,
}

impl<K: Key> Statistics<K> {
    /// Of ids of this kind and scheme.
    pub fn new(list: &List, layout: Vec<Field>) -> Self {
        let bits = list.kind.bits();
        Self {
            layout,
            bits: Bits::new(bits),
            random: Randomness::new(bits),
            order: Order::new(bits),
            course: Course::new(),
        }
    }
}

impl<K: Key> Observer<K> for Statistics<K> {
    fn see(&mut self, keys: &[K]) {
        self.bits.see(keys);
        self.random.see(keys);
        self.order.see(keys);
        self.course.see(keys);
    }

    fn sections(self: Box<Self>, list: &List) -> Vec<Section> {
        let Self {
            layout,
            bits: counted,
            random,
            order,
            course,
        } = *self;
        let classed = counted.bits();
        let arrival = order.finish();
        let mut rows = list.rows.clone();
        arrival.rows(&mut rows);
        course.rows(&mut rows);
        let mut ordered = Section::new(
            order::section(&arrival, |key| list.kind.text(key), &list.lines),
            rows,
        );
        ordered.grids.push(course.grid(&list.digest, &list.label));

        let mut rows = list.rows.clone();
        counted.rows(&mut rows);
        let mut of_bits = Section::new(bits::section(&counted, &layout), rows);
        of_bits.grids.push(counted.heat(&list.digest, &list.label));

        let stripped = random.test(&claimed(&layout, &classed));
        let raw = random.test_raw();
        let mut rows = list.rows.clone();
        stripped.rows("claimed", &mut rows);
        raw.rows("raw", &mut rows);
        let text = random::section(&stripped, &raw, &classed, &layout);
        vec![ordered, of_bits, Section::new(text, rows)]
    }
}
