//! Random accesses to pages: how many different ones, and how many a cache misses.

use std::f64::consts::LN_2;

/// Distinct pages among `accesses` uniform accesses to `pages` pages: P (1 - (1 - 1/P)^w).
/// Source: Cardenas, Analysis and performance of inverted data base structures, CACM 18 (1975).
pub fn distinct_pages(pages: f64, accesses: f64) -> f64 {
    // Through log1p, because 1 - 1/P has few digits of P.
    -pages * libm::expm1(accesses * libm::log1p(-1.0 / pages))
}

/// Distinct pages among `chosen` different entries, where `pages` pages hold
/// `entries` each: n (1 - C(nc - c, k) / C(nc, k)).
/// Source: Yao, Approximating block accesses in database organizations, CACM 20 (1977).
pub fn distinct_pages_of_entries(pages: u64, entries: u64, chosen: u64) -> f64 {
    let all = pages * entries;
    let missed = |i: u64| all.saturating_sub(chosen + i) as f64 / (all - i) as f64;
    let untouched: f64 = (0..entries).map(missed).product();
    pages as f64 * (1.0 - untouched)
}

/// Pages that are accessed alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Popularity {
    /// How many.
    pub pages: f64,
    /// The probability that an access goes to a given one of them.
    pub probability: f64,
}

/// Leaves after uniformly random keys and even splits: the size y of a leaf, in parts
/// of a full one, has the density 1/y² on [1/2, 1], and the next key
/// goes to it with probability y / (P ln 2). In 1000 classes of equal width (midpoints).
pub fn random_leaves(leaves: f64) -> Vec<Popularity> {
    const CLASSES: u32 = 1000;
    let width = 0.5 / f64::from(CLASSES);
    let class = |i| {
        let y = 0.5 + width * (f64::from(i) + 0.5);
        // The integrals of y⁻² and y⁻¹ over the class.
        let (low, high) = (y - width / 2.0, y + width / 2.0);
        let share = width / (low * high);
        Popularity {
            pages: leaves * share,
            probability: libm::log(high / low) / share / (leaves * LN_2),
        }
    };
    (0..CLASSES).map(class).collect()
}

/// Distinct pages among `accesses` independent accesses: Σ n (1 - e^(-q w)).
pub fn distinct(pages: &[Popularity], accesses: f64) -> f64 {
    let class = |class: &Popularity| -class.pages * libm::expm1(-class.probability * accesses);
    pages.iter().map(class).sum()
}

/// Misses an access of an LRU cache of `cache_pages` pages under independent accesses:
/// Σ n q e^(-q t) at the t for which Σ n (1 - e^(-q t)) fills the cache. 0 if all fits.
/// Source: Che, Tung, Wang, Hierarchical Web caching systems, IEEE JSAC 20 (2002);
/// why it holds: Fricker, Robert, Roberts, arXiv 1202.3974 (2012).
pub fn che_miss_ratio(pages: &[Popularity], cache_pages: f64) -> f64 {
    characteristic_time(pages, cache_pages).map_or(0.0, |time| {
        let class = |class: &Popularity| {
            class.pages * class.probability * libm::exp(-class.probability * time)
        };
        pages.iter().map(class).sum()
    })
}

/// Accesses from a page's last touch until LRU drops it; `None` if the cache never fills.
pub fn characteristic_time(pages: &[Popularity], cache_pages: f64) -> Option<f64> {
    let touched: f64 = pages
        .iter()
        .filter(|class| class.probability > 0.0)
        .map(|class| class.pages)
        .sum();
    if touched <= cache_pages {
        return None;
    }
    let full = |time: &f64| distinct(pages, *time) >= cache_pages;
    let mut high = std::iter::successors(Some(1.0), |time| Some(time * 2.0))
        .take(1000)
        .find(full)?;
    let mut low = 0.0;
    // Each step is a bit of the result.
    for _ in 0..64 {
        let middle = (low + high) / 2.0;
        *(if full(&middle) { &mut high } else { &mut low }) = middle;
    }
    Some(high)
}

/// Reads an insert of uniformly accessed leaves, for any policy without foresight:
/// max(0, 1 - M / P).
pub fn insert_cliff(cache_pages: f64, leaves: f64) -> f64 {
    (1.0 - cache_pages / leaves).max(0.0)
}

/// Rows at which random inserts outgrow a cache: N* = M C f.
pub fn rows_at_cliff(cache_pages: f64, capacity: f64, fill: f64) -> f64 {
    cache_pages * capacity * fill
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn near(found: f64, expected: f64, error: f64) {
        assert!(
            (found - expected).abs() <= error,
            "{found}, expected {expected}"
        );
    }

    #[test]
    fn windows_of_uniform_accesses() {
        for (accesses, expected) in [
            (1e3, 995.02),
            (1e4, 9516.30),
            (1e5, 63_212.24),
            (1e6, 99_995.46),
        ] {
            near(distinct_pages(1e5, accesses), expected, 0.005);
        }
        near(distinct_pages(4865.0, 1e4), 4242.0, 0.5);
        near(distinct_pages(1e6, 1e6), 632_121.0, 0.6);
        near(distinct_pages_of_entries(1000, 100, 2000), 867.51, 0.005);
        near(distinct_pages(1000.0, 2000.0), 864.80, 0.005);
        assert_eq!(distinct_pages_of_entries(10, 5, 50), 10.0);
    }

    #[test]
    fn windows_of_inserts() {
        let leaves = random_leaves(1.0);
        near(leaves.iter().map(|class| class.pages).sum(), 1.0, 1e-12);
        near(
            leaves
                .iter()
                .map(|class| class.pages * class.probability)
                .sum(),
            1.0,
            1e-12,
        );
        for (accesses, expected, error) in [
            (0.1, 0.09498, 6e-6),
            (0.5, 0.3904, 6e-5),
            (1.0, 0.6248, 6e-5),
            (2.0, 0.8541, 6e-5),
            (5.0, 0.98987, 6e-6),
        ] {
            near(distinct(&leaves, accesses), expected, error);
        }
    }

    #[test]
    fn misses_of_independent_accesses() {
        let class = |pages: f64, share: f64| Popularity {
            pages,
            probability: share / pages,
        };
        let uniform = [class(1e5, 1.0)];
        near(
            characteristic_time(&uniform, 25_000.0).unwrap(),
            28_768.2,
            0.06,
        );
        near(che_miss_ratio(&uniform, 25_000.0), 0.75, 1e-9);
        let two = [class(1e3, 0.5), class(1e5, 0.5)];
        near(characteristic_time(&two, 20_000.0).unwrap(), 42_144.2, 0.06);
        near(che_miss_ratio(&two, 20_000.0), 0.4050, 6e-5);
        assert_eq!(che_miss_ratio(&two, 101_000.0), 0.0);
    }

    #[test]
    fn the_cliff_of_random_inserts() {
        near(insert_cliff(25_000.0, 1e5), 0.75, 1e-12);
        assert_eq!(insert_cliff(2.0, 1.0), 0.0);
        for (part, expected) in [
            (0.10, 0.8962),
            (0.25, 0.7413),
            (0.50, 0.4862),
            (0.75, 0.2367),
            (0.90, 0.0916),
        ] {
            near(
                che_miss_ratio(&random_leaves(1e5), part * 1e5),
                expected,
                6e-5,
            );
        }
        near(rows_at_cliff(16_384.0, 291.0, 0.69), 3.3e6, 2e4);
    }
}
