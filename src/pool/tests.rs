//! Curves against pools of one size.

use super::{Lru, Pool, StackDistances};
use crate::engine::{EngineOptions, Geometry, POSTGRES};
use crate::id::Column;
use crate::reference::Reference;
use crate::source::{AnySource, Stream};
use crate::store::{Access, BTree, Insert, PageId, Sink, Space, Split, Touch, Uniqueness};
use proptest::prelude::*;

fn touch(number: u32, level: u8, access: Access) -> Touch {
    let page = PageId::new(Space::Index, number);
    Touch {
        page,
        level,
        access,
    }
}

fn reads(size: u64, touches: &[Touch]) -> u64 {
    let mut pool = Lru::new(size as u32);
    touches.iter().for_each(|&touch| pool.touch(touch));
    pool.counts().iter().map(|counts| counts.reads).sum()
}

fn measure(exact_pages: u32, touches: &[Touch]) -> StackDistances {
    let mut distances = StackDistances::new(exact_pages);
    touches.iter().for_each(|&touch| distances.touch(touch));
    distances
}

proptest! {
    /// Mattson's stack with holes is the LRU list of every size at once; with
    /// few pages known exactly, it is so up to that number.
    #[test]
    fn a_curve_is_the_misses_of_every_size(
        pages in 1u32..60,
        kinds in prop::collection::vec((any::<u32>(), 0u32..10), 0..600),
        repeats in 1usize..20,
        exact_pages in 5u32..100,
    ) {
        let touches: Vec<_> = kinds
            .iter()
            .map(|&(number, kind)| {
                let access = match kind {
                    0 => Access::Free,
                    1 => Access::New,
                    2..5 => Access::Write,
                    _ => Access::Read,
                };
                touch(number % pages, 0, access)
            })
            .collect();
        let touches = touches.repeat(repeats);
        let curve = measure(exact_pages, &touches).curve(|_, _| true);
        for size in 1..=u64::from(exact_pages.min(pages) + 2) {
            if curve.exact_pages().is_none_or(|exact| size <= exact) {
                prop_assert_eq!(curve.misses_at(size), reads(size, &touches), "size {}", size);
            }
        }
    }
}

/// Leaves in the order of writes.
#[derive(Default)]
struct Leaves(Vec<Touch>);

impl Sink for Leaves {
    fn insert(&mut self, event: &Insert) {
        if !event.split {
            self.0.push(touch(event.leaf, 0, Access::Write));
        }
    }

    fn split(&mut self, event: &Split) {
        let level = event.level as u8;
        if level == 0 {
            self.0.push(touch(event.left, level, Access::Write));
            self.0.push(touch(event.right, level, Access::New));
        } else {
            let page = PageId::new(Space::IndexInternal, event.left);
            let access = Access::Write;
            self.0.push(Touch {
                page,
                level,
                access,
            });
        }
    }
}

/// The leaf accesses of a load into nbtree pages of 1 KiB.
fn trace(stream: &str, rows: usize) -> Vec<Touch> {
    let options = EngineOptions {
        page_bytes: Some(1024),
        ..EngineOptions::default()
    };
    let geometry = Geometry::new(&POSTGRES, Column::Uuid, options).unwrap();
    let mut tree = BTree::new(geometry, Uniqueness::Promised);
    let mut leaves = Leaves::default();
    let AnySource::Bytes16(mut source) = Stream::from(Reference::new(stream, 1).unwrap()).keys
    else {
        panic!("{stream} has not 16 bytes")
    };
    let mut keys = Vec::new();
    source.fill(&mut keys, rows).unwrap();
    tree.insert_all(&keys, &mut leaves);
    leaves.0
}

const STREAMS: [&str; 3] = ["uuid4", "uuid7_w16_s50_r10000", "uuid7c_r1000"];

#[test]
fn curves_of_index_loads_are_exact() {
    for stream in STREAMS {
        let touches = trace(stream, 300_000);
        let distances = measure(1 << 18, &touches);
        let curve = distances.curve(|_, _| true);
        assert_eq!(
            (curve.touches(), curve.exact_pages()),
            (touches.len() as u64, None)
        );
        // Above 4096 pages a size is exact where a bucket of distances ends.
        for size in [1, 2, 3, 10, 56, 320, 1800, 4095, 4097, 7501, 8195, 20_007] {
            assert_eq!(
                curve.misses_at(size),
                reads(size, &touches),
                "{stream}, {size} pages"
            );
        }
        let by_level = [0, 1, 2].map(|level| distances.curve(|_, of| of == level).misses_at(56));
        assert_eq!(
            by_level.iter().sum::<u64>(),
            curve.misses_at(56),
            "{stream}"
        );
        assert!(stream != "uuid4" || by_level.iter().all(|&misses| misses > 0));
        assert_eq!(
            curve.points().last(),
            Some((curve.largest(), reads(1 << 20, &touches)))
        );
    }
}

/// Beyond the exact sizes a distance d that one page in n tells has a standard error of
/// √(d n): the exact curve passes within five of them, to the left or right, of each
/// sampled point.
#[test]
fn sampled_curves_err_as_much_as_stated() {
    for stream in STREAMS {
        let touches = trace(stream, 1_000_000);
        let exact = measure(1 << 18, &touches).curve(|_, _| true);
        for exact_pages in [1000, 4000, 10_000] {
            let sampled = measure(exact_pages, &touches).curve(|_, _| true);
            let pages_per_sampled = exact.largest().div_ceil(exact_pages.into());
            let pages_per_sampled = pages_per_sampled.next_power_of_two() as f64;
            for (size, misses) in exact.points() {
                let found = sampled.misses_at(size);
                let case =
                    format!("{stream}, {exact_pages} exact, {size} pages: {found}, not {misses}");
                if sampled.exact_pages().is_some_and(|exact| size <= exact) {
                    assert_eq!(found, misses, "{case}");
                }
                let error = (5.0 * (size as f64 * pages_per_sampled).sqrt()) as u64;
                let least = exact.misses_at(size + error);
                let most = exact.misses_at(size.saturating_sub(error));
                assert!((least..=most).contains(&found), "{case}");
            }
        }
    }
}
