//! Sources: where the keys of a load come from, in the order of their insertion.

use crate::id::{Column, Key, Key20};
use std::any::Any;
use thiserror::Error;

/// Why a source ended early.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct SourceError(pub String);

/// Keys in insertion order. Called once a batch, so that a load may take its
/// source by name without paying for it on every key.
pub trait Source<K: Key>: Send {
    /// Appends up to `rows` keys to `keys`; fewer only when the source has ended.
    ///
    /// # Errors
    /// Input that cannot be read, or a scheme that can issue no more ids.
    fn fill(&mut self, keys: &mut Vec<K>, rows: usize) -> Result<(), SourceError>;
}

/// A source of any of the three key widths.
pub enum AnySource {
    /// 8-byte keys.
    Bytes8(Box<dyn Source<u64>>),
    /// 16-byte keys (and 9- to 15-byte ones, right-aligned).
    Bytes16(Box<dyn Source<u128>>),
    /// 20-byte keys (and 17- to 19-byte ones, right-aligned).
    Bytes20(Box<dyn Source<Key20>>),
}

impl AnySource {
    /// Draws `rows` keys and drops them.
    ///
    /// # Errors
    /// Those of the source.
    pub fn skip(&mut self, rows: usize) -> Result<(), SourceError> {
        match self {
            Self::Bytes8(source) => source.fill(&mut Vec::new(), rows),
            Self::Bytes16(source) => source.fill(&mut Vec::new(), rows),
            Self::Bytes20(source) => source.fill(&mut Vec::new(), rows),
        }
    }

    /// The same keys, every `rows` of them in order: batches that are sorted before insert.
    pub fn sorted(self, rows: usize) -> Self {
        match self {
            Self::Bytes8(source) => Self::Bytes8(Box::new(Sorted::new(source, rows))),
            Self::Bytes16(source) => Self::Bytes16(Box::new(Sorted::new(source, rows))),
            Self::Bytes20(source) => Self::Bytes20(Box::new(Sorted::new(source, rows))),
        }
    }

    /// The source as one of keys of this width; `None` if its keys have another.
    pub fn of<K: Key>(self) -> Option<Box<dyn Source<K>>> {
        let source: Box<dyn Any> = match self {
            Self::Bytes8(source) => Box::new(source),
            Self::Bytes16(source) => Box::new(source),
            Self::Bytes20(source) => Box::new(source),
        };
        source.downcast().ok().map(|source| *source)
    }

    /// `source` with its key's type forgotten.
    pub fn new<K: Key>(source: Box<dyn Source<K>>) -> Self {
        let source: Box<dyn Any> = Box::new(source);
        let source = match source.downcast() {
            Ok(source) => return Self::Bytes8(*source),
            Err(source) => source,
        };
        let source = match source.downcast() {
            Ok(source) => return Self::Bytes16(*source),
            Err(source) => source,
        };
        match source.downcast() {
            Ok(source) => Self::Bytes20(*source),
            Err(_) => unreachable!("Key is sealed: it has three types"),
        }
    }
}

/// A source and what a table needs to know of its keys.
pub struct Stream {
    /// The column the ids are stored in.
    pub column: Column,
    /// Characters of the ids' text, if they may live in a text column.
    pub text_chars: Option<u32>,
    /// The keys.
    pub keys: AnySource,
}

/// Sources one after another, each for its number of rows: a table whose id
/// scheme is switched while it is live.
pub struct Phases<K> {
    phases: std::vec::IntoIter<(Box<dyn Source<K>>, u64)>,
    current: Option<(Box<dyn Source<K>>, u64)>,
}

impl<K: Key> Phases<K> {
    /// The phases with the rows each lasts.
    pub fn new(phases: Vec<(Box<dyn Source<K>>, u64)>) -> Self {
        let mut phases = phases.into_iter();
        let current = phases.next();
        Self { phases, current }
    }
}

impl<K: Key> Source<K> for Phases<K> {
    fn fill(&mut self, keys: &mut Vec<K>, rows: usize) -> Result<(), SourceError> {
        let mut wanted = rows;
        while let Some((source, left)) = &mut self.current {
            let take = wanted.min(usize::try_from(*left).unwrap_or(usize::MAX));
            source.fill(keys, take)?;
            *left -= take as u64;
            wanted -= take;
            if wanted == 0 {
                break;
            }
            self.current = self.phases.next();
        }
        Ok(())
    }
}

/// A source whose keys are put in order by batches.
struct Sorted<K> {
    source: Box<dyn Source<K>>,
    rows: usize,
    /// The rest of a batch, the next key last.
    batch: Vec<K>,
}

impl<K: Key> Sorted<K> {
    fn new(source: Box<dyn Source<K>>, rows: usize) -> Self {
        Self {
            source,
            rows: rows.max(1),
            batch: Vec::new(),
        }
    }
}

impl<K: Key> Source<K> for Sorted<K> {
    fn fill(&mut self, keys: &mut Vec<K>, rows: usize) -> Result<(), SourceError> {
        for _ in 0..rows {
            if self.batch.is_empty() {
                self.source.fill(&mut self.batch, self.rows)?;
                self.batch.sort_unstable_by(|a, b| b.cmp(a));
            }
            match self.batch.pop() {
                Some(key) => keys.push(key),
                None => break,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count(u64);

    impl Source<u64> for Count {
        fn fill(&mut self, keys: &mut Vec<u64>, rows: usize) -> Result<(), SourceError> {
            keys.extend((self.0..).take(rows));
            self.0 += rows as u64;
            Ok(())
        }
    }

    #[test]
    fn phases_follow_one_another_across_batches_and_end() {
        let phase = |from, rows| -> (Box<dyn Source<u64>>, u64) { (Box::new(Count(from)), rows) };
        let mut phases = Phases::new(vec![phase(0, 3), phase(100, 5), phase(200, 2)]);
        let mut batches = Vec::new();
        for _ in 0..4 {
            let mut keys = Vec::new();
            phases.fill(&mut keys, 4).unwrap();
            batches.push(keys);
        }
        assert_eq!(
            batches,
            [
                vec![0, 1, 2, 100],
                vec![101, 102, 103, 104],
                vec![200, 201],
                vec![]
            ]
        );
    }

    #[test]
    fn batches_are_sorted_and_the_last_may_be_short() {
        struct Few(Vec<u64>);
        impl Source<u64> for Few {
            fn fill(&mut self, keys: &mut Vec<u64>, rows: usize) -> Result<(), SourceError> {
                keys.extend(self.0.drain(..rows.min(self.0.len())));
                Ok(())
            }
        }
        let source = AnySource::new::<u64>(Box::new(Few(vec![5, 3, 9, 8, 1, 2, 7])));
        let AnySource::Bytes8(mut sorted) = source.sorted(3) else {
            unreachable!("the width stays");
        };
        let mut keys = Vec::new();
        for rows in [2, 4, 4] {
            sorted.fill(&mut keys, rows).unwrap();
        }
        assert_eq!(keys, [3, 5, 9, 1, 2, 8, 7]);
    }

    #[test]
    fn a_source_keeps_its_width() {
        assert!(matches!(
            AnySource::new::<u64>(Box::new(Count(0))),
            AnySource::Bytes8(_)
        ));
    }
}
