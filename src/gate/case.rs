//! Cases: what the project's own worker can be asked to do.
//!
//! Each scheme mints ids one at a time (`uuid_v7/one`) and in bulk (`uuid_v7/bulk`), and a
//! B-tree takes keys in ascending and in random order. All randomness follows from the seed,
//! and clocks go on by the same step with every reading.

use crate::clock::{ManualClock, Timestamp};
use crate::engine::{EngineOptions, POSTGRES};
use crate::id::{Column, Id, Key};
use crate::random::{bits128, stream};
use crate::scheme::{self, SCHEMES, Scheme, Spec, SpecError, Stall, Visitor};
use crate::store::{BTree, Design, Insert, Sink, Split, Uniqueness};
use std::hint::black_box;
use thiserror::Error;

/// Ids that one call of [`Scheme::fill`] is asked for.
pub const BULK_IDS: usize = 1024;

/// Schemes beside those with their default parameters.
const VARIANTS: [&str; 2] = ["uuid_v7:tail=monotonic", "ulid:tail=monotonic"];

/// From one reading to the next, an id each: 4,000 ids a millisecond, of which no scheme's
/// tick is ever used up.
const STEP_NS: u64 = 250;
/// 2025-01-01, after every scheme's epoch.
const START: Timestamp = Timestamp::from_ms(1_735_689_600_000);

/// Rows after which a B-tree starts anew, so that it fits the processor's cache.
const TREE_ROWS: u64 = 16_384;

/// Work that is ready to be done: each call does all of it from the same start and returns
/// the checksum.
pub type Work = Box<dyn FnMut() -> Result<u64, CaseError> + Send>;

/// Why a case cannot be done.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum CaseError {
    /// No case has this name.
    #[error("no case {0}")]
    Unknown(String),
    /// Its scheme is not accepted.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Its scheme cannot issue so many ids.
    #[error(transparent)]
    Stall(#[from] Stall),
    /// Its writer or its tree cannot be made.
    #[error("{0}")]
    Other(String),
}

/// Every case, in order.
pub fn names() -> Vec<String> {
    let schemes = SCHEMES.iter().map(|scheme| scheme.name).chain(VARIANTS);
    let of_schemes =
        schemes.flat_map(|scheme| ["one", "bulk"].map(|way| format!("{scheme}/{way}")));
    let of_trees = ["ascending", "random"].map(|order| format!("btree/{order}"));
    of_schemes.chain(of_trees).collect()
}

/// The work of `ids` ids (rows) of case `name`. `extra` more are made after the checksum is
/// taken: a slowdown that is planted.
///
/// # Errors
/// No such case.
pub fn work(name: &str, seed: u64, ids: u64, extra: u64) -> Result<Work, CaseError> {
    let task = Task { seed, ids, extra };
    let unknown = || CaseError::Unknown(name.to_owned());
    let (subject, way) = name.rsplit_once('/').ok_or_else(unknown)?;
    match (subject, way) {
        ("btree", "ascending") => task.of_tree(|row, _| row),
        ("btree", "random") => task.of_tree(|_, random| random),
        (_, "one") => visit(subject, Mint { task, bulk: false }),
        (_, "bulk") => visit(subject, Mint { task, bulk: true }),
        _ => Err(unknown()),
    }
}

fn visit(subject: &str, mint: Mint) -> Result<Work, CaseError> {
    let spec: Spec = subject.parse()?;
    Ok(scheme::visit_inlined(&spec, mint)?)
}

#[derive(Clone, Copy)]
struct Task {
    seed: u64,
    ids: u64,
    extra: u64,
}

#[derive(Clone, Copy)]
struct Mint {
    task: Task,
    bulk: bool,
}

impl Visitor for Mint {
    type Output = Work;

    fn visit<S: Scheme>(self, scheme: S) -> Work {
        Box::new(move || match self.bulk {
            false => one_by_one(scheme.clone(), self.task),
            true => in_bulk(scheme.clone(), self.task),
        })
    }
}

fn one_by_one<S: Scheme>(mut scheme: S, task: Task) -> Result<u64, CaseError> {
    let clock = ManualClock::new(START, STEP_NS);
    let mut random = stream(task.seed, "gate", 0);
    let mut writer = writer(&mut scheme)?;
    let mut mint = |ids: u64| {
        let mut sum = Checksum::default();
        for _ in 0..ids {
            sum.add_key(scheme.mint(&mut writer, &clock, &mut random)?.key());
        }
        Ok::<_, Stall>(sum.0)
    };
    let sum = mint(task.ids)?;
    black_box(mint(task.extra)?);
    Ok(sum)
}

fn in_bulk<S: Scheme>(mut scheme: S, task: Task) -> Result<u64, CaseError> {
    let clock = ManualClock::new(START, STEP_NS * BULK_IDS as u64);
    let mut random = stream(task.seed, "gate", 0);
    let mut writer = writer(&mut scheme)?;
    let mut buffer = [S::Id::from_key(Default::default()); BULK_IDS];
    let mut mint = |ids: u64| {
        let mut sum = Checksum::default();
        let mut left = ids;
        while left > 0 {
            let wanted = left.min(BULK_IDS as u64) as usize;
            let filled = scheme.fill(&mut writer, &clock, &mut random, &mut buffer[..wanted])?;
            buffer[..filled].iter().for_each(|id| sum.add_key(id.key()));
            left -= filled as u64;
        }
        Ok::<_, Stall>(sum.0)
    };
    let sum = mint(task.ids)?;
    black_box(mint(task.extra)?);
    Ok(sum)
}

fn writer<S: Scheme>(scheme: &mut S) -> Result<S::Writer, CaseError> {
    let writer = scheme.writer(0);
    writer.map_err(|error| CaseError::Other(error.to_string()))
}

impl Task {
    /// Rows whose keys `key` makes from their number and 128 random bits.
    fn of_tree(self, key: impl Fn(u128, u128) -> u128) -> Result<Work, CaseError> {
        let other = |error: &dyn std::fmt::Display| CaseError::Other(error.to_string());
        let design = Design::new(&POSTGRES, Column::Uuid, EngineOptions::default());
        let design = design.map_err(|error| other(&error))?;
        let geometry = design.nbtree().ok_or_else(|| other(&"no B-tree"))?;
        let mut random = stream(self.seed, "gate", 0);
        // As many whatever the rows, so that making them is no part of the difference of counts.
        let keys: Vec<_> = (0..u128::from(TREE_ROWS))
            .map(|row| key(row, bits128(&mut random)))
            .collect();
        Ok(Box::new(move || {
            let mut tree = BTree::new(geometry, Uniqueness::Promised);
            let mut later = &keys[..];
            let mut load = |rows: u64| {
                let mut sum = Checksum::default();
                let mut left = rows;
                while left > 0 {
                    if later.is_empty() {
                        tree = BTree::new(geometry, Uniqueness::Promised);
                        later = &keys[..];
                    }
                    let (now, rest) = later.split_at(later.len().min(left as usize));
                    tree.insert_all(now, &mut sum);
                    sum.add(tree.index_bytes());
                    later = rest;
                    left -= now.len() as u64;
                }
                sum.0
            };
            let sum = load(self.ids);
            black_box(load(self.extra));
            Ok(sum)
        }))
    }
}

/// Depends on all that was added, and on its order.
#[derive(Default)]
struct Checksum(u64);

impl Checksum {
    #[inline]
    fn add(&mut self, value: u64) {
        self.0 = self.0.rotate_left(7).wrapping_add(value);
    }

    /// Both ends of a key: all its bits but for the middle ones of the widest.
    #[inline]
    fn add_key(&mut self, key: impl Key) {
        self.add(key.prefix() ^ (key.field(0, 64) as u64).rotate_left(23));
    }
}

impl Sink for Checksum {
    #[inline]
    fn insert(&mut self, event: &Insert) {
        self.add(u64::from(event.leaf) << 32 | u64::from(event.entries));
    }

    fn split(&mut self, event: &Split) {
        self.add(u64::from(event.right) << 32 | u64::from(event.left_entries));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(name: &str, seed: u64, ids: u64, extra: u64) -> u64 {
        work(name, seed, ids, extra).unwrap()().unwrap()
    }

    #[test]
    fn every_case_is_the_same_again_and_depends_on_its_last_id() {
        for name in names() {
            let mut work = work(&name, 7, 5000, 0).unwrap();
            let first = work().unwrap();
            assert_eq!(work(), Ok(first), "{name}");
            assert_eq!(
                sum(&name, 7, 5000, 250),
                first,
                "{name}: extra ids are not in it"
            );
            assert_ne!(sum(&name, 7, 5001, 0), first, "{name}");
            assert_ne!(sum(&name, 7, 4999, 0), first, "{name}");
        }
    }

    #[test]
    fn random_cases_depend_on_the_seed() {
        for name in [
            "uuid_v4/one",
            "ksuid/bulk",
            "ulid:tail=monotonic/one",
            "btree/random",
        ] {
            assert_ne!(sum(name, 1, 2000, 0), sum(name, 2, 2000, 0), "{name}");
        }
    }

    /// A second of ids: 4,000 a millisecond, and no scheme stalls.
    #[test]
    fn no_case_runs_out_of_ids() {
        for name in names().iter().filter(|name| !name.starts_with("btree")) {
            assert!(work(name, 1, 400_000, 0).unwrap()().is_ok(), "{name}");
        }
        assert_ne!(sum("btree/ascending", 1, 3 * TREE_ROWS, 0), 0);
    }

    #[test]
    fn every_scheme_has_its_cases_and_others_are_refused() {
        let names = names();
        let schemes = SCHEMES.iter().map(|scheme| format!("{}/one", scheme.name));
        assert!(schemes.into_iter().all(|name| names.contains(&name)));
        for bad in ["", "uuid_v4", "uuid_v9/one", "uuid_v4/two", "btree/one"] {
            assert!(work(bad, 1, 1, 0).is_err(), "{bad}");
        }
    }

    /// The middle bits of the widest key are left out: 20 bytes have 32 that neither end holds.
    #[test]
    fn a_checksum_tells_keys_and_their_order_apart() {
        let of = |keys: &[u128]| {
            let mut sum = Checksum::default();
            keys.iter().for_each(|&key| sum.add_key(key));
            sum.0
        };
        for bit in 0..128 {
            assert_ne!(of(&[1, 1 << bit, 9]), of(&[1, 0, 9]), "{bit}");
        }
        assert_ne!(of(&[1, 2]), of(&[2, 1]));
    }
}
