//! Further indexes on a table: [`WithSecondaries`].

use super::any::{AnySink, Methods};
use super::{
    BTree, CowTree, Design, InnoDb, InnoDbFormat, InnoDbIndex, Insert, Leaf, PageId, Sink, Size,
    Sizes, Space, Split, SqliteLayout, SqliteTree, Touch, Tree, Uniqueness,
};
use crate::engine::{EngineError, EngineOptions, Geometry};
use crate::id::{Column, Key};
use crate::random;
use rand::Rng;
use rand_chacha::ChaCha8Rng;

/// A table with further indexes, each on a column of random 8-byte values.
///
/// They are of the engine's kind: entries are the value and a pointer to the row, or its
/// primary key in InnoDB, tables without rowids and stores of keys and values. Their pages are in
/// [`Space::Secondary`] and [`Space::SecondaryInternal`], numbered by turns. A row goes to
/// its own tree first, then to these.
///
/// Not modelled: columns whose values repeat or come in order.
pub struct WithSecondaries<T> {
    tree: T,
    secondaries: Vec<Box<dyn Secondary>>,
    random: ChaCha8Rng,
}

/// Most further indexes.
pub const MOST_SECONDARIES: u32 = 16;

/// An index of random values.
trait Secondary: Send {
    fn insert(&mut self, value: u64, sink: &mut AnySink<'_>);
    fn size(&self) -> Size;
}

impl<T: Tree<u64> + Send> Secondary for T {
    fn insert(&mut self, value: u64, sink: &mut AnySink<'_>) {
        Tree::insert(self, value, sink);
    }

    fn size(&self) -> Size {
        Tree::size(self)
    }
}

impl<T> WithSecondaries<T> {
    /// `tree`, which is of `design`, and `count` further indexes.
    ///
    /// # Errors
    /// An engine whose indexes are not modelled; more than [`MOST_SECONDARIES`].
    pub fn new(tree: T, design: &Design, count: u32, seed: u64) -> Result<Self, EngineError> {
        if count > MOST_SECONDARIES {
            let message =
                format!("{count} indexes are too many, expected at most {MOST_SECONDARIES}");
            return Err(EngineError::new("secondary", message));
        }
        let secondaries = (0..count).map(|_| secondary(design));
        Ok(Self {
            tree,
            secondaries: secondaries.collect::<Result<_, _>>()?,
            random: random::stream(seed, "secondary", 0),
        })
    }

    /// Pages of the further indexes.
    fn secondary_pages(&self) -> u64 {
        let pages = |size: Size| size.leaf_pages + size.internal_pages;
        self.secondaries
            .iter()
            .map(|index| pages(index.size()))
            .sum()
    }
}

/// An index of the engine of `design` on an 8-byte column of its table.
fn secondary(design: &Design) -> Result<Box<dyn Secondary>, EngineError> {
    let name = design.profile.engine.name;
    let promised = Uniqueness::Promised;
    let page_bytes = design.options.page_bytes;
    let options = |payload_bytes| EngineOptions {
        page_bytes,
        payload_bytes,
        ..EngineOptions::default()
    };
    let key_bytes = design.column.value_bytes();
    Ok(match design.sizes {
        Sizes::Pages(_) | Sizes::BStar(..) => {
            let geometry = Geometry::new(design.profile, Column::Bigint, design.options)?;
            Box::new(BTree::<u64>::new(geometry, promised))
        }
        Sizes::InnoDb(_) | Sizes::InnoDbIndexed => {
            let clustered = matches!(design.sizes, Sizes::InnoDb(_));
            let primary_key_bytes = if clustered { key_bytes } else { 8 };
            let index = InnoDbIndex::Secondary { primary_key_bytes };
            let format = InnoDbFormat::new(index, Column::Bigint, design.page_bytes())?;
            Box::new(InnoDb::<u64>::new(format))
        }
        Sizes::Sqlite(layout) => {
            let (layout, payload_bytes) = match layout {
                SqliteLayout::WithoutRowid => (SqliteLayout::WithoutRowid, key_bytes),
                _ => (SqliteLayout::UniqueIndex, 0),
            };
            let options = options(payload_bytes);
            Box::new(SqliteTree::<u64>::new(
                layout,
                Column::Bigint,
                options,
                promised,
            )?)
        }
        Sizes::Cow(engine) => {
            let options = options(key_bytes);
            Box::new(CowTree::<u64>::new(
                engine,
                Column::Bigint,
                options,
                promised,
            )?)
        }
        Sizes::WiredTiger => {
            let message = format!("{name}: further indexes are not modelled");
            return Err(EngineError::new("secondary", message));
        }
    })
}

impl<T> WithSecondaries<T> {
    fn insert_values(&mut self, sink: &mut dyn Methods) {
        let count = self.secondaries.len() as u32;
        for (turn, index) in (0..).zip(&mut self.secondaries) {
            let value = self.random.next_u64() >> 1;
            index.insert(value, &mut AnySink(&mut ByTurns { sink, turn, count }));
        }
    }
}

impl<K: Key, T: Tree<K>> Tree<K> for WithSecondaries<T> {
    fn insert(&mut self, key: K, sink: &mut impl Sink) -> bool {
        let new = self.tree.insert(key, sink);
        if new {
            self.insert_values(sink);
        }
        new
    }

    fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        if self.secondaries.is_empty() {
            return self.tree.insert_all(keys, sink);
        }
        for &key in keys {
            self.insert(key, sink);
        }
    }

    /// Of the tree alone: the further indexes keep their entries.
    fn remove_all(&mut self, keys: &[K], sink: &mut impl Sink) -> bool {
        self.tree.remove_all(keys, sink)
    }

    fn free_pages(&self) -> u64 {
        self.tree.free_pages()
    }

    fn uniqueness(&self) -> Uniqueness {
        self.tree.uniqueness()
    }

    fn first_duplicate(&self) -> Option<K> {
        self.tree.first_duplicate()
    }

    fn size(&self) -> Size {
        self.tree.size()
    }

    fn leaves(&self) -> impl Iterator<Item = Leaf> {
        self.tree.leaves()
    }

    fn leaf_of(&self, key: K) -> u32 {
        self.tree.leaf_of(key)
    }

    fn table(&self) -> Option<(Size, Vec<Leaf>)> {
        self.tree.table()
    }

    fn counted_splits(&self) -> Option<u64> {
        self.tree.counted_splits()
    }

    fn other_pages(&self) -> u64 {
        self.tree.other_pages() + self.secondary_pages()
    }
}

/// Passes on touches alone, of the pages of one of `count` indexes.
struct ByTurns<'a> {
    sink: &'a mut dyn Methods,
    turn: u32,
    count: u32,
}

impl Sink for ByTurns<'_> {
    const TOUCHES: bool = true;

    fn touch(&mut self, touch: Touch) {
        let internal = touch.page.space() == Space::IndexInternal as usize;
        let space = match internal {
            true => Space::SecondaryInternal,
            false => Space::Secondary,
        };
        let number = touch.page.number() * self.count + self.turn;
        self.sink.touch(Touch {
            page: PageId::new(space, number),
            ..touch
        });
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}
