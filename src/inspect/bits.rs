//! What each bit position of a list does: how often it is set, how often it changes from
//! one id to the next, and what that makes it.
//!
//! Bit 0 is the most significant of an id.

mod class;
mod layout;
mod tally;
#[cfg(test)]
mod tests;

pub use class::Class;
pub use layout::{Disagreement, disagreements};
pub use tally::Tally;

pub(super) use class::Odds;

use super::columns::Columns;
use super::heat::Heat;
use crate::id::Key;
use crate::measure::Rows;
use crate::record::{Grid, Measured, Number};
use crate::scheme::Field;
use tally::Tallies;

/// Share of ones of a bit.
pub const BIT_ONES_SHARE: Measured = Measured {
    name: "bit_ones_share",
    unit: "share",
    about: "ids whose bit x, from the most significant, is set; its distance from 1/2 in standard deviations is param z, its class param class",
};
/// Changes of a bit.
pub const BIT_CHANGE_RATE: Measured = Measured {
    name: "bit_change_rate",
    unit: "share",
    about: "ids whose bit x differs from the id before; its distance from that of a random order in standard deviations is param z",
};
/// Entropy of a bit.
pub const BIT_ENTROPY: Measured = Measured {
    name: "bit_entropy_bits",
    unit: "bits",
    about: "entropy of bit x by its share of ones",
};
/// Bits of a class.
pub const BITS_BY_CLASS: Measured = Measured {
    name: "bits_by_class",
    unit: "bits",
    about: "bits that are constant, clock, counter, random or varied (param class)",
};
/// The bound of z.
pub const BIT_Z_BOUND: Measured = Measured {
    name: "bit_z_bound",
    unit: "standard deviations",
    about: "distance from chance that some bit of a random list exceeds in fewer than one list of 1,000",
};

/// One bit position.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Bit {
    /// Share of ids in which it is set.
    pub ones_share: f64,
    /// Standard deviations between that and 1/2.
    pub ones_z: f64,
    /// Bits of entropy, by the share of ones.
    pub entropy_bits: f64,
    /// Share of ids that differ in it from the id before.
    pub change_rate: f64,
    /// Standard deviations between that and the rate of the same bits in a random order.
    pub change_z: f64,
    /// What it looks like.
    pub class: Class,
}

/// Neighbouring bits of one class (and of one field, if the layout is known).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BitRun {
    /// The most significant one.
    pub first: u32,
    /// The least significant one.
    pub last: u32,
    /// Their class.
    pub class: Class,
    /// The field they are in.
    pub field: Option<Field>,
}

/// Counts the bits of the ids of a list.
#[derive(Clone, Debug)]
pub struct Bits<K> {
    columns: Columns<K>,
    tallies: Tallies,
    heat: Heat,
}

impl<K: Key> Bits<K> {
    /// Of ids that are the lowest `bits` bits of their keys.
    pub fn new(bits: u32) -> Self {
        let columns = Columns::new(bits);
        Self {
            tallies: Tallies::new(columns.bits()),
            heat: Heat::new(columns.bits()),
            columns,
        }
    }

    /// The next ids, in the order of arrival.
    pub fn see(&mut self, keys: &[K]) {
        let (tallies, heat) = (&mut self.tallies, &mut self.heat);
        self.columns.see(keys, |words| {
            tallies.add(words, 64);
            heat.add(words, 64);
        });
    }

    /// Counts of each bit so far, and of how many ids.
    fn tallies(&self) -> Tallies {
        let mut tallies = self.tallies.clone();
        let (words, count) = self.columns.rest();
        if count > 0 {
            tallies.add(&words, count);
        }
        tallies
    }

    /// Ids seen.
    pub fn ids(&self) -> u64 {
        self.tallies.ids + u64::from(self.columns.rest().1)
    }

    /// What was counted of each bit.
    pub fn counts(&self) -> Vec<Tally> {
        self.tallies().bits
    }

    /// Each bit, most significant first.
    pub fn bits(&self) -> Vec<Bit> {
        let Tallies { ids, bits, .. } = self.tallies();
        let classes = class::classes(ids, &bits);
        let pairs = ids.saturating_sub(1).max(1) as f64;
        let bit = |(tally, class): (&Tally, Class)| {
            let ones_share = tally.ones as f64 / ids.max(1) as f64;
            Bit {
                ones_share,
                ones_z: Odds::coin(ids).z(tally.ones),
                entropy_bits: entropy(ones_share),
                change_rate: tally.changes as f64 / pairs,
                change_z: class::changes(ids, tally).z(tally.changes),
                class,
            }
        };
        bits.iter().zip(classes).map(bit).collect()
    }

    /// What |z| exceeds by chance in some bit of fewer than one random list of 1,000
    /// (Bonferroni's bound over all tests of all bits that vary).
    pub fn bound(&self) -> f64 {
        let bits = self.tallies().bits;
        class::bound(bits.iter().filter(|tally| tally.changes > 0).count())
    }

    /// Shares of ones by bit position, in up to 128 equal parts of the list.
    pub fn heat(&self, run: &str, scheme: &str) -> Grid {
        let mut heat = self.heat.clone();
        let (words, count) = self.columns.rest();
        if count > 0 {
            heat.add(&words, count);
        }
        heat.grid(run, scheme)
    }

    /// Writes a row a bit and measure, and the totals.
    pub fn rows(&self, rows: &mut Rows) {
        let bits = self.bits();
        for (x, bit) in (0u32..).zip(&bits) {
            let x = Some(x.into());
            let mut push = |measured, value, z: f64| {
                let class = ("class", bit.class.name().into());
                let params = [class, ("z", number(z))];
                rows.push(measured, x, Number::Real(value), &params);
            };
            push(&BIT_ONES_SHARE, bit.ones_share, bit.ones_z);
            push(&BIT_CHANGE_RATE, bit.change_rate, bit.change_z);
            rows.push(&BIT_ENTROPY, x, Number::Real(bit.entropy_bits), &[]);
        }
        for class in Class::ALL {
            let count = bits.iter().filter(|bit| bit.class == class).count() as u64;
            let class = [("class", class.name().into())];
            rows.push(&BITS_BY_CLASS, None, count.into(), &class);
        }
        rows.total(&BIT_Z_BOUND, Number::Real(self.bound()));
    }
}

/// A finite number to three decimals.
fn number(z: f64) -> serde_json::Value {
    (libm::round(z * 1000.0) / 1000.0).into()
}

/// Entropy in bits of a coin that shows one side so often.
fn entropy(share: f64) -> f64 {
    let part = |share: f64| match share > 0.0 {
        true => -share * libm::log2(share),
        false => 0.0,
    };
    part(share) + part(1.0 - share)
}

/// Neighbouring bits of one class, and of one field of `layout`, as one.
pub fn bit_runs(bits: &[Bit], layout: &[Field]) -> Vec<BitRun> {
    let fields = layout.iter().enumerate();
    let fields: Vec<usize> = fields
        .flat_map(|(i, field)| std::iter::repeat_n(i, field.bits as usize))
        .collect();
    let mut runs: Vec<(BitRun, Option<usize>)> = Vec::new();
    for (at, bit) in (0..).zip(bits) {
        let field = fields.get(at as usize).copied();
        match runs.last_mut() {
            Some((run, of)) if run.class == bit.class && *of == field => run.last = at,
            _ => {
                let run = BitRun {
                    first: at,
                    last: at,
                    class: bit.class,
                    field: field.and_then(|i| layout.get(i)).copied(),
                };
                runs.push((run, field));
            }
        }
    }
    runs.into_iter().map(|(run, _)| run).collect()
}
