//! Pages read and written: what an engine's cache cannot answer.

use super::Rows;
use crate::engine::Model;
use crate::pool::{Cache, Counts, CountsBySpace, Curve, StackDistances};
use crate::record::{Measured, Number};
use crate::store::{Design, Insert, Sink, Space, Split, Touch};

pub(super) const PAGE_READS_PER_INSERT: Measured = Measured {
    name: "page_reads_per_insert",
    unit: "pages/insert",
    about: "pages read into the cache, by what they belong to (param of: index, table, secondary, other, all); PostgreSQL idx_blks_read less new pages, InnoDB index_page reads, SQLite CACHE_MISS",
};
pub(super) const PAGE_READS: Measured = Measured {
    name: "page_reads",
    unit: "pages",
    about: "the same over the whole load",
};
pub(super) const LEAF_PAGE_READS: Measured = Measured {
    name: "leaf_page_reads",
    unit: "pages",
    about: "the same of leaves alone (SQLite: of all pages); InnoDB index_page_read of leaves",
};
pub(super) const PAGE_HITS: Measured = Measured {
    name: "page_hits",
    unit: "accesses",
    about: "requests for a page that was in the cache (param of); PostgreSQL idx_blks_hit, SQLite CACHE_HIT",
};
pub(super) const NEW_PAGES: Measured = Measured {
    name: "new_pages",
    unit: "pages",
    about: "pages made in the cache (param of); PostgreSQL 15 takes them for reads",
};
pub(super) const PAGE_WRITE_BACKS: Measured = Measured {
    name: "page_write_backs",
    unit: "pages",
    about: "changed pages written to make room (param of); SQLite CACHE_SPILL",
};
pub(super) const PAGE_FLUSHES: Measured = Measured {
    name: "page_flushes",
    unit: "pages",
    about: "changed pages written by commits and checkpoints (param of); with write-backs: SQLite CACHE_WRITE",
};
pub(super) const PAGE_WRITES_PER_INSERT: Measured = Measured {
    name: "page_writes_per_insert",
    unit: "pages/insert",
    about: "write-backs and flushes over the rows (param of)",
};
pub(super) const PAGE_WRITE_BYTES_PER_INSERT: Measured = Measured {
    name: "page_write_bytes_per_insert",
    unit: "bytes/insert",
    about: "bytes of all pages written back or flushed over the rows; InnoDB's twice, for its doublewrite buffer; LMDB and redb copy each page that a transaction changes (free lists and meta pages: committed_pages_per_insert)",
};
pub(super) const FILE_PAGES: Measured = Measured {
    name: "file_pages",
    unit: "pages",
    about: "pages of LMDB's file, in the tree or free again; the last page number used plus 1",
};
pub(super) const COMMITTED_PAGES_PER_INSERT: Measured = Measured {
    name: "committed_pages_per_insert",
    unit: "pages/insert",
    about: "pages that LMDB's commits write: copies of changed pages, lists of free pages, a metapage each",
};
pub(super) const HIT_RATIO: Measured = Measured {
    name: "hit_ratio",
    unit: "share",
    about: "hits over hits and reads, all pages together",
};

pub(super) const PAGE_READS_BY_CACHE_PAGES: Measured = Measured {
    name: "page_reads_by_cache_pages",
    unit: "pages/insert",
    about: "pages that an LRU cache of x pages reads for an insert, over the whole load; by level (param level: all, leaf, internal)",
};

const LEAVES: [Space; 4] = [Space::Index, Space::Table, Space::Secondary, Space::Other];
const ALL: [Space; Space::COUNT] = [
    Space::Index,
    Space::IndexInternal,
    Space::Table,
    Space::TableInternal,
    Space::Secondary,
    Space::SecondaryInternal,
    Space::Other,
];

/// A load's page requests as a sink, if they are measured.
pub(super) struct Paged {
    cache: Option<Box<dyn Cache>>,
    distances: Option<StackDistances>,
    inserts: u64,
    /// Bytes that writing a page takes.
    write_bytes: u64,
}

impl Paged {
    pub fn new(cache: Option<Box<dyn Cache>>, miss_curve: bool, design: &Design) -> Self {
        // InnoDB writes a page to the doublewrite buffer first.
        let times = match design.profile.engine.model {
            Model::InnoDb => 2,
            _ => 1,
        };
        Self {
            write_bytes: times * u64::from(design.page_bytes()),
            cache,
            distances: miss_curve.then(StackDistances::default),
            inserts: 0,
        }
    }

    /// Whether there is anything to measure.
    pub fn is_wanted(&self) -> bool {
        self.cache.is_some() || self.distances.is_some()
    }

    /// Ends the load and writes the totals.
    pub fn totals(&mut self, rows: &mut Rows) {
        if let Some(counts) = self.cache.as_mut().map(|cache| cache.finish()) {
            self.counts(&counts, rows);
        }
        if let Some(distances) = &self.distances {
            let curves: [(&str, Curve); 3] = [
                ("all", distances.curve(|_, _| true)),
                ("leaf", distances.curve(|_, level| level == 0)),
                ("internal", distances.curve(|_, level| level > 0)),
            ];
            for (level, curve) in curves {
                for (pages, misses) in curve.points() {
                    rows.push(
                        &PAGE_READS_BY_CACHE_PAGES,
                        Some(pages.into()),
                        Number::ratio(misses, self.inserts),
                        &[("level", level.into())],
                    );
                }
            }
        }
    }

    fn counts(&self, counts: &CountsBySpace, rows: &mut Rows) {
        let groups: [(&str, &[Space]); 5] = [
            ("index", &[Space::Index, Space::IndexInternal]),
            ("table", &[Space::Table, Space::TableInternal]),
            ("secondary", &[Space::Secondary, Space::SecondaryInternal]),
            ("other", &[Space::Other]),
            ("all", &ALL),
        ];
        for (of, spaces) in groups {
            let leaves = match of {
                "all" => sum(counts, &LEAVES),
                _ => sum(counts, &spaces[..1]),
            };
            let counts = sum(counts, spaces);
            if counts == Counts::default() {
                continue;
            }
            let mut total = |measured, value: Number| {
                rows.push(measured, None, value, &[("of", of.into())]);
            };
            let writes = counts.write_backs + counts.flushes;
            total(&PAGE_READS, counts.reads.into());
            total(&LEAF_PAGE_READS, leaves.reads.into());
            total(&PAGE_HITS, counts.hits.into());
            total(&NEW_PAGES, counts.new_pages.into());
            total(&PAGE_WRITE_BACKS, counts.write_backs.into());
            total(&PAGE_FLUSHES, counts.flushes.into());
            let per_insert = |pages| Number::ratio(pages, self.inserts);
            total(&PAGE_READS_PER_INSERT, per_insert(counts.reads));
            total(&PAGE_WRITES_PER_INSERT, per_insert(writes));
        }
        let all = sum(counts, &ALL);
        let written = (all.write_backs + all.flushes) * self.write_bytes;
        rows.total(
            &PAGE_WRITE_BYTES_PER_INSERT,
            Number::ratio(written, self.inserts),
        );
        rows.total(&HIT_RATIO, Number::ratio(all.hits, all.hits + all.reads));
    }
}

/// What happened to the pages of `spaces`.
fn sum(counts: &CountsBySpace, spaces: &[Space]) -> Counts {
    let counts = spaces.iter().map(|&space| counts[space as usize]);
    counts.fold(Counts::default(), |sum, counts| sum + counts)
}

impl Sink for Paged {
    const TOUCHES: bool = true;

    #[inline]
    fn begin(&mut self) {
        self.inserts += 1;
        if let Some(cache) = &mut self.cache {
            cache.begin();
        }
    }

    #[inline]
    fn touch(&mut self, touch: Touch) {
        if let Some(cache) = &mut self.cache {
            cache.touch(touch);
        }
        if let Some(distances) = &mut self.distances {
            distances.touch(touch);
        }
    }

    #[inline]
    fn descend(&mut self, path: &[Touch]) {
        if let Some(cache) = &mut self.cache {
            cache.descend(path);
        }
        if let Some(distances) = &mut self.distances {
            path.iter().for_each(|&touch| distances.touch(touch));
        }
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}
