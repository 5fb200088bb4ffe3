//! Miss-ratio curves: misses of an LRU cache by its size.

/// Distances below this have a bucket each; above, a bucket spans 2⁻¹¹ of its distances.
const EXACT: u64 = 1 << (HALF_BITS + 1);
const HALF_BITS: u32 = 11;

/// Counts of distances, which are 1 or more.
#[derive(Clone, Debug, Default)]
pub(super) struct Histogram {
    buckets: Vec<u64>,
}

fn bucket(distance: u64) -> usize {
    let octave = (distance | EXACT >> 1).ilog2() - HALF_BITS;
    ((octave << HALF_BITS) as u64 + (distance >> octave)) as usize
}

/// The least distance of a bucket.
fn least(bucket: usize) -> u64 {
    let octave = (bucket as u64 >> HALF_BITS).saturating_sub(1);
    (bucket as u64 - (octave << HALF_BITS)) << octave
}

/// The largest distance up to this one that ends a bucket, 0 if none.
pub(super) fn bucket_end(distance: u64) -> u64 {
    least(bucket(distance + 1)) - 1
}

impl Histogram {
    #[inline]
    pub(super) fn add(&mut self, distance: u64, weight: u64) {
        let at = bucket(distance);
        if at >= self.buckets.len() {
            self.buckets.resize(at + 1, 0);
        }
        self.buckets[at] += weight;
    }

    pub(super) fn add_all(&mut self, other: &Self) {
        if self.buckets.len() < other.buckets.len() {
            self.buckets.resize(other.buckets.len(), 0);
        }
        for (count, other) in self.buckets.iter_mut().zip(&other.buckets) {
            *count += other;
        }
    }

    pub(super) fn total(&self) -> u64 {
        self.buckets.iter().sum()
    }

    /// How many distances exceed `distance`. Within a bucket they count as evenly spread.
    fn above(&self, distance: u64) -> u64 {
        let at = bucket(distance);
        let Some((&count, later)) = self.buckets.get(at..).and_then(<[u64]>::split_first) else {
            return 0;
        };
        let (least, end) = (least(at), least(at + 1));
        let share = u128::from(count) * u128::from(end - 1 - distance) / u128::from(end - least);
        later.iter().sum::<u64>() + share as u64
    }
}

/// What touches miss in an LRU cache of any size.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    pub(super) touches: u64,
    pub(super) new_pages: u64,
    pub(super) first_reads: u64,
    pub(super) near: Histogram,
    pub(super) far_touches: u64,
    pub(super) far: Histogram,
    pub(super) far_first_reads: u64,
    pub(super) exact_pages: u64,
    pub(super) largest: u64,
}

/// Eight sizes a decade, in per cent of its start.
const DECADE: [u64; 8] = [100, 130, 180, 240, 320, 420, 560, 750];

impl Curve {
    /// Requests for a page.
    pub fn touches(&self) -> u64 {
        self.touches
    }

    /// Requests that made a page: these need no read.
    pub fn new_pages(&self) -> u64 {
        self.new_pages
    }

    /// Cache size from which nothing is missed but what was never touched before, in pages.
    pub fn largest(&self) -> u64 {
        self.largest
    }

    /// Sizes up to this have no sampling error, in pages; all if `None`.
    pub fn exact_pages(&self) -> Option<u64> {
        (self.far_touches > 0).then_some(self.exact_pages)
    }

    /// Pages that an LRU cache of `pages` pages reads.
    ///
    /// Exact below 4096 pages and at every size that ends a bucket of distances;
    /// between, off by less than the touches of one bucket (0.05 % of the size).
    pub fn misses_at(&self, pages: u64) -> u64 {
        let near = self.first_reads + self.near.above(pages);
        // SHARDS-adj, with the count known at the far end of the exact distances:
        // the sample tells only how it divides.
        let sampled = u128::from(self.far_first_reads + self.far.total());
        let beyond = u128::from(self.far_first_reads + self.far.above(pages));
        let far = (u128::from(self.far_touches) * beyond)
            .checked_div(sampled)
            .unwrap_or(u128::from(self.far_touches));
        near + far as u64
    }

    /// Misses a touch at this size; 0 without touches.
    pub fn miss_ratio_at(&self, pages: u64) -> f64 {
        self.misses_at(pages) as f64 / self.touches.max(1) as f64
    }

    /// Cache sizes, eight a decade from 10 pages to [`Curve::largest`], each with its
    /// misses: over inserts, the reads an insert.
    pub fn points(&self) -> impl Iterator<Item = (u64, u64)> {
        let decades =
            (1..17).flat_map(|decade| DECADE.map(|point| point * 10u64.pow(decade) / 100));
        let sizes = decades.take_while(|&pages| pages < self.largest);
        sizes
            .chain([self.largest])
            .map(|pages| (pages, self.misses_at(pages)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_follow_one_another() {
        for distance in (0..20_000).chain((1 << 20) - 3000..(1 << 20) + 3000) {
            let at = bucket(distance);
            assert!(
                least(at) <= distance && distance < least(at + 1),
                "{distance}"
            );
            assert!(
                least(at + 1) - least(at) <= 1 + distance / 2048,
                "{distance}"
            );
            let end = bucket_end(distance);
            assert!(end <= distance && bucket(end) < bucket(distance + 1));
            assert!(distance >= EXACT || (at as u64, least(at)) == (distance, distance));
        }
    }

    #[test]
    fn half_a_bucket_counts_half() {
        let mut histogram = Histogram::default();
        // 1 << 20 has buckets of 512 distances.
        histogram.add(1 << 20, 1000);
        assert_eq!(histogram.above((1 << 20) - 1), 1000);
        assert_eq!(histogram.above((1 << 20) + 255), 500);
        assert_eq!(histogram.above((1 << 20) + 511), 0);
        assert_eq!(histogram.above(u64::MAX), 0);
    }
}
