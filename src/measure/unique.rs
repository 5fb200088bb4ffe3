//! Generators side by side: whether all their ids differ, and each one's ascend.

use super::duplicates::{Repeated, fingerprint, same, suspects};
use crate::fleet::{FleetError, Generator, Pace};
use crate::id::Id;
use crate::scheme::Scheme;
use rand::Rng;
use rayon::prelude::*;

/// Repeated ids that are looked at; more are not chance, and need no exact count.
const MOST_SUSPECTS: usize = 1 << 20;

/// What is to be minted.
#[derive(Debug)]
pub struct Mint<'a, S, F> {
    /// The scheme, which is cloned.
    pub scheme: &'a S,
    /// Ids, at least 1, in equal parts of the generators (the last one may have fewer).
    pub ids: usize,
    /// Generators, at least 1; their worker numbers are 0, 1, ...
    pub generators: u32,
    /// Ids that a generator mints at one reading of its clock, at least 1.
    pub batch: usize,
    /// Whether time is this machine's; if not, each batch comes a millisecond later.
    pub real: bool,
    /// The randomness of each generator: the same each time that it is called.
    pub random: F,
    /// Whether the last id is replaced by the first: what a check must find.
    pub plant: bool,
}

/// Ids by 64 bits each, to be examined.
#[derive(Debug)]
pub struct Minted {
    prints: Vec<u64>,
    paces: Vec<Pace>,
    /// Ids that are not larger than the one before them of the same generator.
    pub steps_back: u64,
}

/// What was found among ids.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unique<K> {
    /// The ids that come more than once, ascending: at least as many as the first million
    /// suspects hold. A place is of all ids, one generator's after the other's.
    pub repeated: Vec<Repeated<K>>,
}

impl<K> Unique<K> {
    /// Ids that another id equals, but for one each.
    pub fn duplicates(&self) -> u64 {
        let more = |one: &Repeated<K>| one.places.len() as u64 - 1;
        self.repeated.iter().map(more).sum()
    }
}

/// Receives the ids of one generator, in order.
trait Take<I>: Send {
    fn take(&mut self, ids: &[I]);
}

/// Keeps 64 bits of each.
struct Print<'a, K> {
    prints: &'a mut [u64],
    last: Option<K>,
    steps_back: u64,
}

impl<I: Id> Take<I> for Print<'_, I::Key> {
    fn take(&mut self, ids: &[I]) {
        let prints = std::mem::take(&mut self.prints);
        let (now, later) = prints.split_at_mut(ids.len().min(prints.len()));
        self.prints = later;
        for (id, print) in ids.iter().zip(now) {
            let key = id.key();
            *print = fingerprint(key);
            self.steps_back += u64::from(self.last >= Some(key));
            self.last = Some(key);
        }
    }
}

/// Keeps those that have one of the fingerprints.
struct Pick<'a, K> {
    suspects: &'a [u64],
    place: u64,
    known: Vec<(K, u64)>,
}

impl<I: Id> Take<I> for Pick<'_, I::Key> {
    fn take(&mut self, ids: &[I]) {
        for id in ids {
            let key = id.key();
            let suspect = self.suspects.binary_search(&fingerprint(key)).is_ok();
            if suspect && self.known.len() < 2 * MOST_SUSPECTS {
                self.known.push((key, self.place));
            }
            self.place += 1;
        }
    }
}

impl<S: Scheme, R: Rng + Send, F: Fn(u32) -> R + Sync> Mint<'_, S, F> {
    /// Mints all, in parallel, keeping 8 bytes an id. `progress` is told how many came.
    ///
    /// # Errors
    /// A worker number that does not fit, or an end of the scheme's ids.
    pub fn mint(&self, progress: &(impl Fn(u64) + Sync)) -> Result<Minted, FleetError> {
        let mut prints = vec![0; self.ids];
        let print = |prints| Print {
            prints,
            last: None,
            steps_back: 0,
        };
        let mut takers: Vec<_> = prints.chunks_mut(self.part()).map(print).collect();
        let paces = takers.iter().map(|_| self.pace()).collect();
        let paces = self.pass(&mut takers, paces, progress)?;
        let steps_back = takers.iter().map(|print| print.steps_back).sum();
        Ok(Minted {
            prints,
            paces,
            steps_back,
        })
    }

    /// The ids of `minted` that come more than once: they are minted again if 64 bits of any
    /// two are equal, and compared, so none is said to repeat that does not.
    ///
    /// # Errors
    /// As [`Mint::mint`].
    pub fn examine(
        &self,
        minted: Minted,
        progress: &(impl Fn(u64) + Sync),
    ) -> Result<Unique<<S::Id as Id>::Key>, FleetError> {
        let suspects = suspects(minted.prints, MOST_SUSPECTS);
        let mut known = Vec::new();
        if !suspects.is_empty() {
            let pick = |place| Pick {
                suspects: &suspects,
                place: place as u64,
                known: Vec::new(),
            };
            let places = (0..self.ids).step_by(self.part());
            let mut takers: Vec<_> = places.map(pick).collect();
            let paces = minted.paces.into_iter().map(Pace::again).collect();
            self.pass(&mut takers, paces, progress)?;
            known = takers.into_iter().flat_map(|pick| pick.known).collect();
        }
        Ok(Unique {
            repeated: same(known),
        })
    }

    /// Ids of one generator.
    fn part(&self) -> usize {
        self.ids.div_ceil(self.generators.max(1) as usize).max(1)
    }

    fn pace(&self) -> Pace {
        if self.real {
            Pace::real()
        } else {
            Pace::steps()
        }
    }

    /// Mints all once; `takers` and `paces` are of the generators.
    fn pass<T: Take<S::Id>>(
        &self,
        takers: &mut [T],
        paces: Vec<Pace>,
        progress: &(impl Fn(u64) + Sync),
    ) -> Result<Vec<Pace>, FleetError> {
        let first = match self.plant {
            true => Some(self.first()?),
            false => None,
        };
        let last = takers.len().saturating_sub(1);
        let works = (0..).zip(takers).zip(paces).map(|((number, taker), pace)| {
            let place = number as usize * self.part();
            Work {
                left: self.part().min(self.ids - place),
                ids: vec![S::Id::from_key(Default::default()); self.batch.max(1)],
                replace_last: first.filter(|_| number as usize == last),
                number,
                taker,
                pace,
            }
        });
        let works: Vec<_> = works.collect();
        if self.scheme.visits().is_some() {
            return self.in_turn(self.scheme.clone(), works, progress);
        }
        let alone = |work| self.in_turn(self.scheme.clone(), vec![work], progress);
        let done: Result<Vec<Vec<Pace>>, FleetError> = works.into_par_iter().map(alone).collect();
        Ok(done?.into_iter().flatten().collect())
    }

    /// The first id of the first generator.
    fn first(&self) -> Result<S::Id, FleetError> {
        let mut scheme = self.scheme.clone();
        let mut generator = Generator::new(&mut scheme, 0, (self.random)(0), Pace::steps())?;
        let mut first = [S::Id::from_key(Default::default())];
        generator.fill(&mut scheme, &mut first)?;
        Ok(first[0])
    }

    /// Generators that share a scheme mint a batch each in turn.
    fn in_turn<T: Take<S::Id>>(
        &self,
        mut scheme: S,
        works: Vec<Work<S::Id, &mut T>>,
        progress: &impl Fn(u64),
    ) -> Result<Vec<Pace>, FleetError> {
        let mut all = Vec::new();
        for mut work in works {
            let pace = std::mem::replace(&mut work.pace, Pace::steps());
            let random = (self.random)(work.number);
            let generator = Generator::new(&mut scheme, work.number, random, pace)?;
            all.push((generator, work));
        }
        while all.iter().any(|(_, work)| work.left > 0) {
            for (generator, work) in all.iter_mut().filter(|(_, work)| work.left > 0) {
                let count = work.left.min(work.ids.len());
                let ids = &mut work.ids[..count];
                generator.fill(&mut scheme, ids)?;
                work.left -= count;
                if let (0, Some(first), Some(id)) = (work.left, work.replace_last, ids.last_mut()) {
                    *id = first;
                }
                work.taker.take(ids);
                progress(count as u64);
            }
        }
        Ok(all
            .into_iter()
            .map(|(generator, _)| generator.into_pace())
            .collect())
    }
}

/// What one generator has to do.
struct Work<I, T> {
    number: u32,
    /// Ids to come.
    left: usize,
    /// A batch.
    ids: Vec<I>,
    /// What stands in place of its last id.
    replace_last: Option<I>,
    taker: T,
    pace: Pace,
}

#[cfg(test)]
mod tests;
