use super::*;

const COSTS: InnoDbCosts = InnoDbCosts {
    insert_ns: 1000,
    read_ns: 1000,
    write_ns: 1,
    turn_ns: 0,
};

fn ask(pool: &mut InnoDbPool, number: u32, access: Access) {
    pool.row();
    pool.touch(Touch {
        page: PageId::new(Space::Index, number),
        level: 0,
        access,
    });
}

#[test]
fn descriptors_take_a_part_of_the_pool() {
    // As INNODB_BUFFER_POOL_STATS of MariaDB 10.11 has it.
    assert_eq!([24, 128].map(InnoDbPool::pages), [1521, 8112]);
}

#[test]
fn a_fast_cleaner_starts_below_768_free_pages_and_nearly_empties_a_small_pool() {
    let mut pool = InnoDbPool::new(24, COSTS);
    let mut lengths = Vec::new();
    for number in 0..10_000 {
        ask(&mut pool, number, Access::New);
        lengths.push(pool.len());
    }
    assert_eq!(lengths.iter().max(), Some(&(1521 - 767)));
    let least = lengths[1000..].iter().min();
    assert!(
        least.is_some_and(|&least| (75..80).contains(&least)),
        "{least:?}"
    );
    let counts = pool.counts()[Space::Index as usize];
    assert_eq!((counts.new_pages, counts.reads), (10_000, 0));
    assert!(counts.write_backs > 9_000);
}

#[test]
fn a_large_pool_is_cleaned_up_to_1536_free_pages() {
    let mut pool = InnoDbPool::new(128, COSTS);
    let lengths: Vec<_> = (0..20_000)
        .map(|number| {
            ask(&mut pool, number, Access::New);
            pool.len()
        })
        .collect();
    assert_eq!(lengths.iter().max(), Some(&(8112 - 766)));
    let least = lengths[8000..].iter().min();
    assert!(least.is_some_and(|&least| (8112 - 1536..8112 - 1530).contains(&least)));
}

#[test]
fn inserts_wait_for_a_slow_cleaner() {
    let mut pool = InnoDbPool::new(
        24,
        InnoDbCosts {
            write_ns: 1_000_000,
            ..COSTS
        },
    );
    for number in 0..5000 {
        ask(&mut pool, number, Access::New);
    }
    assert!(pool.len() <= 1521);
    // Each page that left was written first, one a millisecond.
    let written = pool.counts()[Space::Index as usize].write_backs;
    assert!(written >= 5000 - 1521);
    assert!(pool.now_ns >= (5000 - 1521) * 1_000_000);
}

#[test]
fn clean_pages_are_not_written() {
    let mut pool = InnoDbPool::new(24, COSTS);
    for number in 0..5000 {
        ask(&mut pool, number, Access::Read);
        ask(&mut pool, number, Access::Read);
    }
    let counts = pool.counts()[Space::Index as usize];
    assert_eq!(
        (counts.write_backs, counts.hits + counts.reads),
        (0, 10_000)
    );
    assert!(counts.reads >= 5000);
}

#[test]
fn a_page_that_is_given_up_is_not_written() {
    let mut pool = InnoDbPool::new(24, COSTS);
    ask(&mut pool, 0, Access::New);
    ask(&mut pool, 1, Access::New);
    ask(&mut pool, 0, Access::Free);
    ask(&mut pool, 7, Access::Free);
    pool.checkpoint();
    pool.checkpoint();
    assert_eq!(pool.counts()[Space::Index as usize].flushes, 1);
    assert_eq!(pool.len(), 2);
}
