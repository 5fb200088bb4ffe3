use super::*;
use crate::engine::{EngineOptions, Profile};
use crate::pool::{Lru, Pool};
use crate::reference::Reference;
use crate::source::Stream;
use crate::store::{BTree, Sizes};

fn plan(profile: &str, stream: &str, rows: u64) -> (AnySource, CliffPlan) {
    let stream: Stream = Reference::new(stream, 1).unwrap().into();
    let profile: Profile = profile.parse().unwrap();
    let options = EngineOptions {
        payload_bytes: 84,
        ..EngineOptions::default()
    };
    let plan = CliffPlan {
        rows,
        design: Design::new(profile, stream.column, options).unwrap(),
        secondaries: 0,
        seed: 1,
    };
    (stream.keys, plan)
}

fn found(profile: &str, stream: &str, rows: u64) -> Cliff {
    let (keys, plan) = plan(profile, stream, rows);
    cliff(keys, plan, &|_| {}).unwrap()
}

/// An LRU pool, and its reads at each stop.
struct Reads(Lru);

impl Sink for Reads {
    const TOUCHES: bool = true;

    fn touch(&mut self, touch: Touch) {
        self.0.touch(touch);
    }

    fn insert(&mut self, _: &Insert) {}
    fn split(&mut self, _: &Split) {}
}

/// A load of 200,000 rows tells what a pool of 2,000 pages reads of a table of up to
/// 1.6 million: from 3 to 85 % of the inserts. The fill goes up and down by 5 %, and so
/// do rows at equal reads.
#[test]
fn a_small_load_tells_the_reads_of_a_large_one() {
    let cliff = found("oracle_like", "uuid4", 200_000);
    let (keys, plan) = plan("oracle_like", "uuid4", 0);
    let (AnySource::Bytes16(mut keys), Sizes::Pages(geometry)) = (keys, plan.design.sizes) else {
        unreachable!("uuids in a tree of equal entries");
    };
    let mut tree = BTree::new(geometry, Uniqueness::Promised);
    let mut pool = Reads(Lru::new(2000));
    let mut batch = Vec::new();
    let (mut rows, mut before, mut compared) = (0.0, 0, 0);
    while rows < 1.6e6 {
        batch.clear();
        keys.fill(&mut batch, 20_000).unwrap();
        tree.insert_all(&batch, &mut pool);
        let reads: u64 = pool.0.counts().iter().map(|counts| counts.reads).sum();
        let now = (reads - std::mem::replace(&mut before, reads)) as f64 / 20_000.0;
        let [low, high] =
            [0.88, 1.12].map(|part| cliff.reads_per_insert((rows + 10_000.0) * part, 2000.0));
        rows += 20_000.0;
        if now > 0.03 {
            compared += 1;
            assert!(
                (low..=high).contains(&now),
                "{rows}: {now}, expected {low} to {high}"
            );
        }
    }
    assert!(compared > 40, "{compared}");
}

/// What the simulation tells of a milliard of random ids is what the closed form says,
/// within the ups and downs of the fill.
#[test]
fn the_closed_form_agrees() {
    for (profile, error) in [("oracle_like", 0.08), ("postgres", 0.08), ("innodb", 0.08)] {
        let cliff = found(profile, "uuid4", 400_000);
        for reads in [0.1, 0.5] {
            let [simulated, closed] = [
                cliff.rows_at(reads, 1e6).unwrap_or_default(),
                cliff.random_rows_at(reads, 1e6),
            ];
            assert!(
                (simulated / closed - 1.0).abs() < error,
                "{profile}, {reads}: {simulated}, closed form {closed}"
            );
        }
    }
}

#[test]
fn ids_in_order_of_time_have_no_cliff() {
    for (profile, stream) in [
        ("postgres", "uuid7_w16_s50_r10000"),
        ("innodb", "snow8_w16_s2_r10000"),
        ("sqlite", "seq8"),
        ("sqlite:without_rowid", "uuid7_r10000"),
    ] {
        let cliff = found(profile, stream, 100_000);
        assert_eq!(cliff.rows_at(0.01, 1000.0), None, "{profile} {stream}");
        assert!(cliff.working_set_pages() < 300, "{profile} {stream}");
        assert_eq!(cliff.reads_per_insert(1e9, 1000.0), cliff.window(1, 1000.0));
    }
}

#[test]
fn too_many_indexes_are_refused() {
    let (_, mut plan) = plan("postgres", "uuid4", 1000);
    plan.secondaries = 17;
    assert!(
        check_cliff(&plan)
            .unwrap_err()
            .message
            .contains("at most 16")
    );
    let (_, mut plan) = self::plan("wiredtiger", "uuid4", 1000);
    plan.secondaries = 1;
    assert!(check_cliff(&plan).is_err());
}
