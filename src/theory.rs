//! Closed forms that simulations are tested against and charts are drawn with.
//!
//! Each is a pure function. Logarithms and exponentials are `libm`'s, so the same bits
//! come out on every machine. [`fringe`] has what random keys do to a B-tree that splits
//! evenly, [`access`] what random accesses to pages do to a cache, [`cursor`] what a
//! reader who pages by id loses, [`disorder`] how far ids are out of order, [`clash`] which
//! come twice, [`birthday`] how likely random ones do, [`tails`] how odd a finding is.

pub mod access;
pub mod birthday;
pub mod clash;
pub mod cursor;
pub mod disorder;
pub mod fringe;
mod numeric;
pub mod shards;
pub mod tails;

/// The harmonic number H_n = 1 + 1/2 + … + 1/n: expected maxima among n random keys.
pub fn harmonic(n: u64) -> f64 {
    // From the small end, for precision.
    (1..=n).rev().map(|i| 1.0 / i as f64).sum()
}

/// Pages of each level of a tree from the leaves up to the root, none rounded:
/// P = N / (C f), and each level the one below over children a page.
///
/// `leaf_entries` and `children` are means (capacity × fill); the tree ends at
/// the level that fits one page. Empty unless both exceed 1.
pub fn level_pages(rows: f64, leaf_entries: f64, children: f64) -> Vec<f64> {
    if !(leaf_entries > 1.0 && children > 1.0 && rows.is_finite()) {
        return Vec::new();
    }
    let level = |&below: &f64| (below > 1.0).then(|| (below / children).max(1.0));
    std::iter::successors(Some((rows / leaf_entries).max(1.0)), level).collect()
}

/// WAL bytes an insert with full-page images: r + (D(w) / w) × image.
///
/// `record_bytes` is r, the records of an insert; `pages` is D(w), the pages first
/// changed between two checkpoints; `inserts` is w, the inserts between them; an image
/// holds the page without its hole, and a header.
pub fn wal_bytes_per_insert(record_bytes: f64, pages: f64, inserts: f64, image_bytes: f64) -> f64 {
    record_bytes + pages / inserts * image_bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmonic_numbers() {
        assert_eq!(format!("{:.4}", harmonic(1000)), "7.4855");
        assert_eq!(format!("{:.4}", harmonic(1_000_000)), "14.3927");
    }

    #[test]
    fn trees_of_a_million_and_a_milliard() {
        // PostgreSQL, uuid: ascending (leaves 90 % full, internal pages 70 %), random.
        let ascending = level_pages(1e6, 261.0, 204.0);
        assert_eq!(ascending.len(), 3);
        assert_eq!([ascending[0].ceil(), ascending[1].ceil()], [3832.0, 19.0]);
        let random = level_pages(1e9, 291.0 * 0.6915, 290.0 * 0.69);
        assert_eq!(random.len(), 4);
        assert!((random[0] / 4.97e6 - 1.0).abs() < 1e-3 && (random[2] / 124.0 - 1.0).abs() < 1e-2);
        assert!(level_pages(1e6, 0.5, 0.5).is_empty());
    }

    #[test]
    fn the_log_of_random_and_ascending_ids() {
        // PostgreSQL, uuid: an image of a page 71 % full.
        let per_insert = |pages: f64, inserts| {
            let changed = access::distinct_pages(pages, inserts);
            wal_bytes_per_insert(64.0, changed, inserts, 0.71 * 8192.0)
        };
        for (pages, inserts, expected) in
            [(4865.0, 1e4, 2531.0), (1e5, 1e6, 646.0), (1e6, 1e6, 3741.0)]
        {
            let found = per_insert(pages, inserts);
            assert!(
                (found / expected - 1.0).abs() < 2e-3,
                "{found}, expected {expected}"
            );
        }
    }
}
