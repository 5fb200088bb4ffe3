use super::*;
use crate::pool::Cache;
use crate::pool::{Counts, SqliteLoad};

const LEAF: u8 = 0;

fn page(number: u32) -> PageId {
    PageId::new(Space::Index, number)
}

/// A cache with the first page and the root of one tree, page 0.
fn cache(cache_size: u32) -> Pcache {
    Pcache::new(cache_size, &[page(0)])
}

fn touch(number: u32, level: u8, access: Access) -> Touch {
    let page = page(number);
    Touch {
        page,
        level,
        access,
    }
}

/// A statement that touches one page.
fn statement(cache: &mut Pcache, number: u32, access: Access) {
    cache.begin();
    cache.touch(touch(number, LEAF, access));
}

/// Whether asking for a page is a hit.
fn hits(cache: &mut Pcache, number: u32) -> bool {
    let reads = cache.counts()[0].reads;
    statement(cache, number, Access::Read);
    cache.counts()[0].reads == reads
}

#[test]
fn a_change_of_a_held_page_is_no_request() {
    let mut cache = cache(10);
    for _ in 0..2 {
        cache.begin();
        cache.touch(touch(0, LEAF, Access::Read));
        cache.touch(touch(0, LEAF, Access::Write));
    }
    cache.commit();
    let root = Counts {
        hits: 2,
        flushes: 1,
        ..Counts::default()
    };
    let first = Counts {
        hits: 1,
        ..Counts::default()
    };
    assert_eq!(cache.counts()[Space::Index as usize], root);
    assert_eq!(cache.counts()[Space::Other as usize], first);
}

#[test]
fn changed_pages_are_spilled_from_nine_tenths_on() {
    // The first page is held too: 17 new pages make 18 of 20.
    let mut cache = cache(20);
    (1..=17).for_each(|number| statement(&mut cache, number, Access::New));
    assert_eq!(cache.counts()[0].write_backs, 0);
    (18..=20).for_each(|number| statement(&mut cache, number, Access::New));
    let counts = cache.counts()[0];
    assert_eq!((counts.write_backs, counts.new_pages), (3, 20));
    // The pages spilled take the place of the root and of one another.
    assert!(hits(&mut cache, 3));
    assert!(!hits(&mut cache, 2));
    assert!(!hits(&mut cache, 0));
    // The first of the two pages read in cost another spill.
    cache.commit();
    let counts = cache.counts()[0];
    assert_eq!((counts.write_backs, counts.flushes), (4, 16));
}

#[test]
fn of_changed_pages_the_last_given_back_leaves_first_after_a_commit() {
    let mut cache = cache(6);
    (1..=3).for_each(|number| statement(&mut cache, number, Access::New));
    cache.commit();
    assert!(hits(&mut cache, 0));
    statement(&mut cache, 4, Access::New);
    assert!(hits(&mut cache, 1));
    assert!(!hits(&mut cache, 3));
    assert!(!hits(&mut cache, 2));
}

#[test]
fn a_change_above_gives_back_the_latest_first() {
    let mut cache = cache(6);
    (1..=2).for_each(|number| statement(&mut cache, number, Access::New));
    cache.commit();
    // A statement that looks at two leaves and changes the page above them.
    cache.begin();
    cache.touch(touch(0, 1, Access::Read));
    cache.touch(touch(1, LEAF, Access::Read));
    cache.touch(touch(2, LEAF, Access::Read));
    cache.touch(touch(0, 1, Access::Write));
    (3..=4).for_each(|number| statement(&mut cache, number, Access::New));
    assert!(hits(&mut cache, 1));
    assert!(!hits(&mut cache, 2));
}

#[test]
fn a_load_commits_after_its_rows() {
    let mut load = SqliteLoad::new(cache(10), 2);
    for _ in 0..3 {
        load.begin();
        load.touch(touch(0, LEAF, Access::Read));
        load.touch(touch(0, LEAF, Access::Write));
    }
    let counts = load.finish();
    assert_eq!(counts[Space::Other as usize].hits, 2);
    assert_eq!((counts[0].hits, counts[0].flushes), (3, 2));
}
