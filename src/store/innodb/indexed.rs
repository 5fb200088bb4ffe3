//! A table clustered by a counter, with an index of the ids: [`InnoDbIndexed`].

use super::{InnoDb, InnoDbFormat, InnoDbIndex};
use crate::engine::EngineError;
use crate::id::{Column, Key};
use crate::store::{Insert, PageId, Sink, Space, Split, Touch};

/// Bytes of the counter, a `BIGINT`.
const COUNTER_BYTES: u32 = 8;

/// A table `(pk BIGINT AUTO_INCREMENT PRIMARY KEY, id, payload, KEY (id))`.
///
/// Two trees: rows under the counter 1, 2, 3, … in the order of insertion, and an
/// index of id and counter. A row goes to the table first. Whether the index is
/// unique does not matter to its pages.
#[derive(Clone, Debug)]
pub struct InnoDbIndexed<K> {
    table: InnoDb<u64>,
    index: InnoDb<K>,
    /// The counter's last value.
    last: u64,
}

impl<K: Key> InnoDbIndexed<K> {
    /// An empty table and its index, for ids in `column`.
    ///
    /// # Errors
    /// As [`InnoDbFormat::new`].
    pub fn new(column: Column, payload_bytes: u32, page_bytes: u32) -> Result<Self, EngineError> {
        let table = InnoDbIndex::Clustered {
            payload_bytes: payload_bytes.saturating_add(column.value_bytes()),
        };
        let index = InnoDbIndex::Secondary {
            primary_key_bytes: COUNTER_BYTES,
        };
        Ok(Self {
            table: InnoDb::new(InnoDbFormat::new(table, Column::Bigint, page_bytes)?),
            index: InnoDb::new(InnoDbFormat::new(index, column, page_bytes)?),
            last: 0,
        })
    }

    /// Inserts a row with `key`; `false` if the index has it already. Then, too, the
    /// table has one more row: take it for one that is rolled back.
    ///
    /// `sink` sees the events of the index and the touches of both trees; pages of the
    /// table are in [`Space::Table`] and [`Space::TableInternal`].
    pub fn insert<S: Sink>(&mut self, key: K, sink: &mut S) -> bool {
        if S::TOUCHES {
            sink.begin();
        }
        self.last += 1;
        self.table.insert_entry(self.last, &mut TableTouches(sink));
        self.index.insert_entry(key, sink)
    }

    /// Inserts rows with `keys` in their order.
    pub fn insert_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        keys.iter().for_each(|&key| {
            self.insert(key, sink);
        });
    }

    /// Removes the row with `key` under `counter`; `false` if they are not there. The
    /// purge takes the entry from the index first.
    pub fn remove<S: Sink>(&mut self, key: K, counter: u64, sink: &mut S) -> bool {
        sink.begin();
        self.index.remove_entry(key, sink)
            && (self.table).remove_entry(counter, &mut TableTouches(sink))
    }

    /// Removes the rows that were inserted first; `keys` are theirs, in that order.
    pub fn remove_all(&mut self, keys: &[K], sink: &mut impl Sink) {
        for &key in keys {
            match self.table.lowest() {
                Some(counter) => self.remove(key, counter, sink),
                None => return,
            };
        }
    }

    /// Pages that were given up and not taken again. The file keeps them.
    pub fn free_pages(&self) -> u64 {
        self.table.free_pages() + self.index.free_pages()
    }

    /// The engine's counter of that name, of both trees.
    pub fn index_page_splits(&self) -> u64 {
        self.table.index_page_splits() + self.index.index_page_splits()
    }

    /// The rows, under the counter.
    pub fn table(&self) -> &InnoDb<u64> {
        &self.table
    }

    /// The index of the ids.
    pub fn index(&self) -> &InnoDb<K> {
        &self.index
    }
}

/// Passes on touches alone, as touches of the table's tree.
struct TableTouches<'a, S>(&'a mut S);

impl<S: Sink> Sink for TableTouches<'_, S> {
    const TOUCHES: bool = S::TOUCHES;

    #[inline]
    fn touch(&mut self, touch: Touch) {
        let space = match touch.level {
            0 => Space::Table,
            _ => Space::TableInternal,
        };
        self.0.touch(Touch {
            page: PageId::new(space, touch.page.number()),
            ..touch
        });
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}
