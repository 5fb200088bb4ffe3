//! Where what bits do is not what a layout says of them.

use super::{Bit, Class};
use crate::scheme::{Field, FieldKind};

/// Bits of a field that do not do what their kind of field does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// The field.
    pub field: Field,
    /// The first of its bits that disagree, counted from the id's most significant.
    pub first: u32,
    /// The last of them.
    pub last: u32,
    /// What they look like.
    pub class: Class,
}

/// The disagreements between `bits` and `layout`, most significant first; none of lists of
/// too few ids to tell.
///
/// Random bits must look random, fixed ones constant. Nodes may do anything but follow a
/// clock. A counter may do anything: its upper bits rest, and other writers' numbers come
/// between its own. So may a clock's bits, but for those above one that follows it: time
/// does not skip there; and where none at all follows it, the list is not in order of time.
pub fn disagreements(ids: u64, bits: &[Bit], layout: &[Field]) -> Vec<Disagreement> {
    if ids < super::class::LEAST_IDS {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut first = 0;
    for field in layout {
        let bits = bits.get(first..first + field.bits as usize);
        for (at, class) in wrong(*field, bits.unwrap_or_default()) {
            let at = (first + at) as u32;
            match found.last_mut() {
                Some(Disagreement {
                    field: of,
                    last,
                    class: same,
                    ..
                }) if *of == *field && *same == class && *last + 1 == at => *last = at,
                _ => found.push(Disagreement {
                    field: *field,
                    first: at,
                    last: at,
                    class,
                }),
            }
        }
        first += field.bits as usize;
    }
    found
}

/// The bits of a field that disagree with it.
fn wrong(field: Field, bits: &[Bit]) -> Vec<(usize, Class)> {
    let follows = |bit: &Bit| matches!(bit.class, Class::Clock | Class::Counter);
    let moves = bits.iter().any(|bit| bit.class != Class::Constant);
    let lowest = match field.kind {
        // All of a clock that moves, if no bit follows it.
        FieldKind::Timestamp => bits.iter().rposition(follows).unwrap_or(bits.len()),
        _ => 0,
    };
    let is_wrong = |(at, bit): &(usize, &Bit)| match field.kind {
        FieldKind::Fixed => bit.class != Class::Constant,
        FieldKind::Random => bit.class != Class::Random,
        FieldKind::Node => bit.class == Class::Clock,
        FieldKind::Counter => false,
        FieldKind::Timestamp => {
            moves && *at < lowest && matches!(bit.class, Class::Random | Class::Varied)
        }
    };
    let all = bits.iter().enumerate().filter(is_wrong);
    all.map(|(at, bit)| (at, bit.class)).collect()
}
