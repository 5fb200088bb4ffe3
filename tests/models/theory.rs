//! The tree against closed forms. Every tolerance is at least five standard
//! errors of the statistic, so a right program would fail less than once in
//! 10⁶ seeds; the seeds are fixed besides.

use idlab::engine::{EngineOptions, Geometry, POSTGRES, TEXTBOOK};
use idlab::fleet::{Fleet, FleetSpec};
use idlab::id::{Column, Key};
use idlab::measure::{Edge, FullPageImages, WorkingSet};
use idlab::pool::{Lru, Pool};
use idlab::random;
use idlab::scheme::{Listed, Params, Spec, UuidV4};
use idlab::source::Source;
use idlab::store::{Access, BTree, Insert, PageId, Sink, Space, Split, Touch, Uniqueness, load};
use idlab::theory;
use idlab::theory::access::{
    Popularity, che_miss_ratio, distinct, distinct_pages, insert_cliff, random_leaves,
};
use idlab::theory::fringe::{self, Fringe};
use rand::Rng;
use rayon::prelude::*;

/// A textbook tree whose pages hold `capacity` entries, after `rows` uniform keys.
fn uniform(capacity: u32, rows: u64, seed: u64) -> BTree<u64> {
    let options = EngineOptions {
        page_bytes: Some(capacity * 16),
        ..EngineOptions::default()
    };
    let geometry = Geometry::new(&TEXTBOOK, Column::Bigint, options).unwrap();
    assert_eq!(geometry.leaf[0].capacity, capacity);
    let mut tree = BTree::new(geometry, Uniqueness::Promised);
    let mut random = random::stream(seed, "uniform", u64::from(capacity));
    let keys: Vec<u64> = (0..rows).map(|_| random.next_u64()).collect();
    tree.insert_all(&keys, &mut ());
    tree
}

fn fill(tree: &BTree<u64>) -> f64 {
    let capacity = tree.geometry().leaf[0].capacity;
    tree.rows() as f64 / (tree.leaf_pages() as f64 * f64::from(capacity))
}

/// Even splits of uniform keys: Yao (1978); Eisenbarth et al. (1982). With C = 2b - 1
/// entries a page, f = 2b / (2b - 1) * (H_2b - H_b), which tends to ln 2.
#[test]
fn uniform_keys_fill_small_pages_as_fringe_analysis_says() {
    for capacity in [7, 10, 31] {
        let expected = fringe::fill(capacity);
        let found = fill(&uniform(capacity, 2_000_000, 1));
        assert!(
            (found / expected - 1.0).abs() < 0.003,
            "C = {capacity}: {found}, expected {expected}"
        );
    }
}

/// The share of leaves with j keys is 2 s b / (j (j + 1)) keys⁻¹, b <= j < 2b.
#[test]
fn leaf_sizes_are_distributed_as_fringe_analysis_says() {
    for capacity in [7u32, 31] {
        let tree = uniform(capacity, 2_000_000, 2);
        for j in capacity.div_ceil(2)..=capacity {
            let found = tree.leaves().filter(|leaf| leaf.1 == j).count() as f64;
            let expected = fringe::leaves_per_key(capacity, j) * tree.rows() as f64;
            // Counts of a fringe vary less than Poisson's.
            assert!(
                (found - expected).abs() < 5.0 * expected.sqrt(),
                "C = {capacity}, j = {j}: {found}, expected {expected}"
            );
        }
    }
}

/// At real page sizes the fill does not settle: it oscillates with log N. The
/// expected value is that of the exact recurrence (Chauvin et al. 2016 on why);
/// one run's standard deviation is 2.8 %, the mean of 200 has 0.2 %.
#[test]
fn the_oscillation_of_large_pages_has_the_phase_of_the_recurrence() {
    let mut fringe = Fringe::new(471);
    for rows in [50_000, 100_000] {
        fringe.grow(rows);
        let expected = fringe.fill();
        let runs = 200;
        let fills: Vec<f64> = (0..runs)
            .into_par_iter()
            .map(|seed| fill(&uniform(471, rows, seed)))
            .collect();
        let mean = fills.iter().sum::<f64>() / runs as f64;
        assert!(
            (mean / expected - 1.0).abs() < 0.01,
            "N = {rows}: {mean}, expected {expected}"
        );
    }
}

/// The i-th of random ids is a maximum with probability 1/i, independently: the
/// number of maxima among n has mean H_n and variance H_n - H_n⁽²⁾.
#[test]
fn random_ids_hit_the_right_edge_as_records_do() {
    let (runs, rows) = (400, 10_000u64);
    let spec: Spec = "uuid_v4".parse().unwrap();
    let share = |seed| {
        let scheme = UuidV4::new(&Params::new(&spec, UuidV4::PARAMS).unwrap()).unwrap();
        let mut fleet = Fleet::new(scheme, FleetSpec::single(10_000, seed)).unwrap();
        let geometry = Geometry::new(&TEXTBOOK, Column::Uuid, EngineOptions::default()).unwrap();
        let mut tree = BTree::new(geometry, Uniqueness::Promised);
        let mut edge = Edge::default();
        load(
            &mut fleet,
            Some(rows),
            None,
            &mut tree,
            &mut edge,
            |_, _| {},
            |_| {},
        )
        .unwrap();
        edge.right_edge_share().as_f64()
    };
    let mean = (0..runs).map(share).sum::<f64>() / runs as f64 * rows as f64;
    let harmonic = theory::harmonic(rows);
    let second: f64 = (1..=rows).map(|i| 1.0 / (i * i) as f64).sum();
    let standard_error = ((harmonic - second) / runs as f64).sqrt();
    assert!(
        (mean - harmonic).abs() < 5.0 * standard_error,
        "{mean}, expected {harmonic} ± {standard_error}"
    );
}

/// The leaves of a tree as uniform accesses to its keys find them.
fn popularity<K: Key>(tree: &BTree<K>) -> Vec<Popularity> {
    let class = |(_, entries, _): (u32, u32, u32)| Popularity {
        pages: 1.0,
        probability: f64::from(entries) / tree.rows() as f64,
    };
    tree.leaves().map(class).collect()
}

#[track_caller]
fn within(found: f64, expected: f64, error: f64, case: &str) {
    assert!(
        (found - expected).abs() < error,
        "{case}: {found}, expected {expected}"
    );
}

fn touch(number: u32, access: Access) -> Touch {
    Touch {
        page: PageId::new(Space::Index, number),
        level: 0,
        access,
    }
}

fn reads(pool: &Lru) -> u64 {
    pool.counts()[Space::Index as usize].reads
}

/// The leaves that windows of lookups of random keys find in a frozen tree: by
/// Cardenas (1975) if all are equally full, else by their sizes. A window's count has a
/// variance of at most 0.1 P, so the means of 20 windows have standard errors below 0.1 %.
#[test]
fn a_window_finds_as_many_leaves_as_their_sizes_say() {
    let lookups = |tree: &BTree<u64>| {
        let keys: Vec<u64> = tree.keys().collect();
        let mut random = random::stream(5, "lookups", 0);
        let mut working_set = WorkingSet::default();
        for _ in 0..2_000_000 {
            let at = random::below(&mut random, keys.len() as u32);
            working_set.insert(&Insert {
                leaf: tree.leaf_of(keys[at as usize]),
                edge_distance_leaves: 0,
                new_maximum: false,
                split: false,
                entries: 1,
            });
        }
        [2, 3].map(|window| working_set.mean(window).unwrap())
    };
    let mut even = BTree::new(*uniform(31, 0, 0).geometry(), Uniqueness::Promised);
    (1..=1_000_000).for_each(|key| {
        even.insert(key, &mut ());
    });
    let uneven = uniform(31, 2_000_000, 5);
    let found = lookups(&even).into_iter().zip(lookups(&uneven));
    for ((found_even, found_uneven), window) in found.zip([1e4, 1e5]) {
        let case = format!("w = {window}");
        let leaves = even.leaf_pages() as f64;
        let cardenas = distinct_pages(leaves, window);
        within(found_even, cardenas, 0.005 * cardenas, &case);
        for leaves in [
            popularity(&uneven),
            random_leaves(uneven.leaf_pages() as f64),
        ] {
            let expected = distinct(&leaves, window);
            within(found_uneven, expected, 0.005 * expected, &case);
        }
    }
}

/// Independent accesses to pages alike, or to 1000 pages half of the time, in an LRU
/// cache. The standard error of a ratio is below √(1/4 / 3·10⁶) = 0.0003.
#[test]
fn lru_misses_what_che_says() {
    let cold = 100_000;
    let class = |pages: u32, share: f64| Popularity {
        pages: f64::from(pages),
        probability: share / f64::from(pages),
    };
    for (hot, classes) in [
        (0, vec![class(cold, 1.0)]),
        (1000, vec![class(1000, 0.5), class(cold, 0.5)]),
    ] {
        let mut random = random::stream(6, "lru", hot.into());
        let mut pools = [10_000, 20_000, 50_000, 90_000].map(|size| (size, Lru::new(size), 0));
        let (warm, accesses) = (1_000_000, 3_000_000);
        for i in 0..warm + accesses {
            let number = if hot > 0 && random.next_u64() >> 63 == 0 {
                random::below(&mut random, hot)
            } else {
                hot + random::below(&mut random, cold)
            };
            for (_, pool, before) in &mut pools {
                if i == warm {
                    *before = reads(pool);
                }
                pool.touch(touch(number, Access::Read));
            }
        }
        for (size, pool, before) in pools {
            let found = (reads(&pool) - before) as f64 / f64::from(accesses);
            let case = format!("{hot} hot pages, {size} in the cache");
            within(found, che_miss_ratio(&classes, size.into()), 0.002, &case);
            if hot == 0 {
                within(found, insert_cliff(size.into(), cold.into()), 0.002, &case);
            }
        }
    }
}

/// Caches of leaves only.
struct LeafCaches(Vec<Lru>);

impl LeafCaches {
    fn touch(&mut self, leaf: u32, access: Access) {
        self.0
            .iter_mut()
            .for_each(|pool| pool.touch(touch(leaf, access)));
    }
}

impl Sink for LeafCaches {
    fn insert(&mut self, event: &Insert) {
        self.touch(event.leaf, Access::Write);
    }

    fn split(&mut self, event: &Split) {
        if event.level == 0 {
            self.touch(event.left, Access::Write);
            self.touch(event.right, Access::New);
        }
    }
}

/// Random inserts into a tree that grows by a tenth meanwhile, against the formulas
/// for its size in the middle. The standard error of a ratio is below √(1/4 / 2·10⁵) = 0.0011.
#[test]
fn random_inserts_miss_what_the_sizes_of_leaves_say() {
    let mut tree = uniform(101, 1_500_000, 7);
    let sizes = [0.1, 0.25, 0.5, 0.75, 0.9].map(|part| (part * tree.leaf_pages() as f64) as u32);
    let mut caches = LeafCaches(sizes.map(Lru::new).into());
    let mut random = random::stream(7, "inserts", 0);
    let mut grow = |tree: &mut BTree<u64>, caches: &mut LeafCaches, rows: u64| -> Vec<u64> {
        let keys: Vec<u64> = (0..rows).map(|_| random.next_u64()).collect();
        tree.insert_all(&keys, caches);
        caches.0.iter().map(reads).collect()
    };
    let before = grow(&mut tree, &mut caches, 400_000);
    grow(&mut tree, &mut caches, 100_000);
    let (leaves, as_predicted) = (popularity(&tree), random_leaves(tree.leaf_pages() as f64));
    let after = grow(&mut tree, &mut caches, 100_000);
    for ((size, before), after) in sizes.into_iter().zip(before).zip(after) {
        let found = (after - before) as f64 / 200_000.0;
        for leaves in [&leaves, &as_predicted] {
            let case = format!("{size} of {} leaves", leaves.len());
            within(found, che_miss_ratio(leaves, size.into()), 0.006, &case);
        }
    }
}

/// Full-page images of PostgreSQL's index on random ids: the leaves first changed in each
/// interval between checkpoints, and few others. The standard error of the sum is
/// below 0.06 %, as a window's count has a variance of at most 0.1 P.
#[test]
fn full_page_images_are_the_pages_first_changed() {
    let spec: Spec = "uuid_v4".parse().unwrap();
    let geometry = Geometry::new(&POSTGRES, Column::Uuid, EngineOptions::default()).unwrap();
    for window in [1000, 10_000] {
        let scheme = UuidV4::new(&Params::new(&spec, UuidV4::PARAMS).unwrap()).unwrap();
        let mut fleet = Fleet::new(scheme, FleetSpec::single(10_000, 8)).unwrap();
        let mut tree = BTree::new(geometry, Uniqueness::Promised);
        let mut images = FullPageImages::new(geometry, Some(window));
        let (mut found, mut by_sizes, mut by_formula) = (0.0, 0.0, 0.0);
        while tree.rows() < 1_000_000 {
            let (rows, pages) = (tree.rows() as f64, tree.leaf_pages() as f64);
            let before = images.images();
            let sizes = popularity(&tree);
            let mut keys = Vec::new();
            fleet.fill(&mut keys, window as usize).unwrap();
            tree.insert_all(&keys, &mut images);
            if rows < 500_000.0 {
                continue;
            }
            found += (images.images() - before) as f64;
            // As the tree grows, a leaf of k keys is spared with probability (N / (N + w))^k.
            let inserts = rows * libm::log1p(window as f64 / rows);
            // A split changes the page above, and its right neighbour if no insert does.
            let splits = tree.leaf_pages() as f64 - pages;
            let above = distinct_pages(tree.internal_pages() as f64, splits);
            for (sum, leaves) in [
                (&mut by_sizes, sizes),
                (&mut by_formula, random_leaves(pages)),
            ] {
                let changed = distinct(&leaves, inserts);
                *sum += changed + above + splits * (1.0 - changed / pages);
            }
        }
        for expected in [by_sizes, by_formula] {
            let case = format!("checkpoints every {window} rows");
            within(found, expected, 0.005 * expected, &case);
        }
    }
}

/// 4096 buckets on random ones of 16 nodes, 2000 times. The closed form is of leading order and
/// comes from above; the mean of 2000 hot shares is known to 1 %.
#[test]
fn buckets_on_random_nodes() {
    let (buckets, nodes, trials) = (4096, 16, 2000);
    let mut random = random::stream(1, "placement", 0);
    let mut sum = 0.0;
    for _ in 0..trials {
        let mut counts = [0; 16];
        for _ in 0..buckets {
            counts[random::below(&mut random, nodes) as usize] += 1;
        }
        sum += theory::shards::hot_share(&counts);
    }
    let found = sum / f64::from(trials) * f64::from(nodes) - 1.0;
    let expected = theory::shards::random_bucket_hot_share(buckets, nodes) * f64::from(nodes) - 1.0;
    assert!(
        (0.7..1.0).contains(&(found / expected)),
        "{found}, expected {expected}"
    );
}
