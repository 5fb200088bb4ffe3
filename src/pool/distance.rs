//! Reuse distances: one pass over touches for the misses of every cache size.

use super::curve::{Curve, Histogram, bucket_end};
use super::stack::Stack;
use crate::store::{Access, PageId, Space, Touch};

/// Pages up to which distances are exact unless another number is asked for: 2 GiB of 8 KiB pages.
const EXACT_PAGES: u32 = 1 << 18;
/// The smallest sample is one page in 2²⁰.
const MOST_SHIFT: u32 = 20;
/// Levels told apart; higher ones count as the highest.
const LEVELS: usize = 8;

/// What happened to the pages of one level of one space.
#[derive(Clone, Debug, Default)]
struct Class {
    touches: u64,
    new_pages: u64,
    /// Reads of a page never touched before, as long as all pages are known.
    first_reads: u64,
    near: Histogram,
    /// Reads of a page that is not among the newest; of those sampled, distances and
    /// pages not touched before, each counted for all it stands for.
    far_touches: u64,
    far: Histogram,
    far_first_reads: u64,
}

/// The pages with certain hashes: one in 2^`shift`.
#[derive(Clone, Debug)]
struct Sample {
    shift: u32,
    stack: Stack,
}

/// The misses of an LRU cache for all sizes, from the number of distinct pages
/// between two touches of a page (Mattson et al. 1970).
///
/// Exact for caches up to a number of pages; if there are more, the misses of
/// larger ones come from a sample of the pages, those whose hash is below a
/// threshold (SHARDS: Waldspurger, Park, Garthwaite, Ahmad, Efficient MRC construction with
/// SHARDS, FAST 2015). The threshold halves whenever the sample outgrows the same number,
/// so memory is bounded but for 4 bytes a page number. A distance d estimated from one
/// page in n has a standard error of √(d n).
///
/// A page that is made needs no read; a page given up leaves a free frame.
///
/// ```
/// use idlab::pool::StackDistances;
/// use idlab::store::{Access, PageId, Space, Touch};
/// let mut distances = StackDistances::default();
/// for number in [1, 2, 3, 1, 2, 3, 3] {
///     let page = PageId::new(Space::Index, number);
///     distances.touch(Touch { page, level: 0, access: Access::Read });
/// }
/// let curve = distances.curve(|_, _| true);
/// assert_eq!([1, 2, 3].map(|pages| curve.misses_at(pages)), [6, 6, 3]);
/// ```
#[derive(Clone, Debug)]
pub struct StackDistances {
    exact_pages: u32,
    /// All pages, or at least the newest `exact_pages`.
    near: Stack,
    far: Option<Sample>,
    classes: Vec<Class>,
}

impl Default for StackDistances {
    fn default() -> Self {
        Self::new(EXACT_PAGES)
    }
}

/// A hash that takes each value once (the finalizer of MurmurHash3, Appleby 2011).
fn hash(page: PageId) -> u32 {
    let mut hash = (page.space() as u32) << 29 ^ page.number();
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

fn sampled(page: PageId, shift: u32) -> bool {
    hash(page) <= u32::MAX >> shift
}

impl StackDistances {
    /// Distances that are exact up to `exact_pages` pages, or the next lower number
    /// that ends a bucket (at most 0.05 % lower).
    pub fn new(exact_pages: u32) -> Self {
        Self {
            exact_pages: bucket_end(exact_pages.into()) as u32,
            near: Stack::default(),
            far: None,
            classes: vec![Class::default(); Space::COUNT * LEVELS],
        }
    }

    /// A page is asked for.
    #[inline]
    pub fn touch(&mut self, touch: Touch) {
        let Touch {
            page,
            level,
            access,
        } = touch;
        if access == Access::Free {
            self.near.free(page);
            if let Some(far) = &mut self.far {
                far.stack.free(page);
            }
            return;
        }
        if self.near.is_full() {
            self.compact();
        }
        let above = self.near.touch(page);
        let class = &mut self.classes[page.space() * LEVELS + usize::from(level).min(LEVELS - 1)];
        class.touches += 1;
        let read = access != Access::New;
        class.new_pages += u64::from(!read);
        let Some(far) = &mut self.far else {
            match above {
                Some(above) if read => class.near.add(u64::from(above) + 1, 1),
                None if read => class.first_reads += 1,
                _ => {}
            }
            return;
        };
        if far.stack.is_full() {
            far.compact(self.exact_pages);
        }
        let above_sampled = sampled(page, far.shift).then(|| far.stack.touch(page));
        let near = above.filter(|&above| above < self.exact_pages);
        match (near, above_sampled) {
            _ if !read => {}
            (Some(above), _) => class.near.add(u64::from(above) + 1, 1),
            (None, None) => class.far_touches += 1,
            (None, Some(above)) => {
                let weight = 1 << far.shift;
                class.far_touches += 1;
                match above {
                    Some(above) => {
                        // It is known to be beyond the exact ones.
                        let above = (u64::from(above) << far.shift).max(self.exact_pages.into());
                        class.far.add(above + 1, weight);
                    }
                    None => class.far_first_reads += weight,
                }
            }
        }
    }

    /// Makes room for touches; begins to sample when there are too many pages.
    #[cold]
    fn compact(&mut self) {
        if self.far.is_none() && self.near.live() > self.exact_pages {
            let stack = self.near.clone();
            let mut far = Sample { shift: 0, stack };
            far.compact(self.exact_pages);
            self.far = Some(far);
        }
        self.near.compact(self.exact_pages, |_| true);
    }

    /// The curve of the pages that `wanted` is true of, given their space (as
    /// [`PageId::space`]) and level, in a cache that all pages share.
    pub fn curve(&self, wanted: impl Fn(usize, usize) -> bool) -> Curve {
        let mut curve = Curve {
            exact_pages: self.exact_pages.into(),
            largest: match &self.far {
                Some(far) => u64::from(far.stack.live()) << far.shift,
                None => self.near.live().into(),
            },
            ..Curve::default()
        };
        for (at, class) in self.classes.iter().enumerate() {
            if wanted(at / LEVELS, at % LEVELS) {
                curve.touches += class.touches;
                curve.new_pages += class.new_pages;
                curve.first_reads += class.first_reads;
                curve.near.add_all(&class.near);
                curve.far_touches += class.far_touches;
                curve.far.add_all(&class.far);
                curve.far_first_reads += class.far_first_reads;
            }
        }
        curve
    }
}

impl Sample {
    /// Makes room for touches, with smaller samples until at most `most` pages are kept.
    #[cold]
    fn compact(&mut self, most: u32) {
        loop {
            self.stack
                .compact(u32::MAX, |page| sampled(page, self.shift));
            if self.stack.live() <= most || self.shift == MOST_SHIFT {
                break;
            }
            self.shift += 1;
        }
    }
}
