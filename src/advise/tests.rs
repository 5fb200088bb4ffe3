use super::*;
use crate::clock::clock;
use crate::engine::POSTGRES;
use crate::record::Row;
use serde_json::Value;

const SMALL: Effort = Effort {
    fleet_rows: 1000,
    clock_s: 6,
    shard_rate: 200,
    shard_s: 70,
    tree_rows: 5000,
};

fn asked() -> Asked {
    Asked {
        bytes: None,
        order: Order::None,
        registry: false,
        public: false,
        shards: Sharding::None,
        rate: 10_000,
        rows: 100_000_000,
        memory_bytes: 8 << 30,
        nodes: 16,
        capacity_per_s: 10_000,
        clock: clock("lan_chrony").unwrap(),
        engine: (&POSTGRES).into(),
        seed: 1,
        effort: SMALL,
    }
}

fn advice(asked: &Asked) -> Advice {
    advise(asked, "run", &|_| {}).unwrap()
}

fn best(asked: &Asked) -> String {
    advice(asked)
        .best()
        .map_or("none".to_owned(), |best| best.choice.to_string())
}

/// Rows of an option: same scheme and parameters, requirements only.
fn requirements<'a>(advice: &'a Advice, verdict: &Verdict) -> Vec<&'a Row> {
    let text = |name: &str| match name {
        "key" => verdict.choice.key.map(|key| key.to_string()),
        "beside" => verdict
            .choice
            .public
            .as_ref()
            .map(|public| public.spec.to_string()),
        _ => verdict.choice.rollback.map(|rule| rule.to_string()),
    };
    let of = |row: &&Row| {
        row.scheme == verdict.choice.facts.spec.to_string()
            && row.params.contains_key("asked")
            && ["key", "beside", "rollback"]
                .iter()
                .all(|name| row.params.get(*name).and_then(Value::as_str) == text(name).as_deref())
    };
    advice.rows.iter().filter(of).collect()
}

/// What a row says of its own bound.
fn keeps_its_bound(row: &Row) -> bool {
    let bound = |name: &str| row.params.get(name).and_then(Value::as_f64);
    let value = row.value.as_f64();
    match (bound("at_most"), bound("at_least")) {
        (Some(most), None) => value <= most,
        (None, Some(least)) => value >= least,
        _ => false,
    }
}

/// The largest value of a measure in the scheme's runs under a rollback.
fn run_max(advice: &Advice, verdict: &Verdict, measure: &str) -> f64 {
    let rollback = verdict.choice.rollback.map(|rule| rule.to_string());
    let of = advice.rows.iter().filter(|row| {
        let param = |name: &str| row.params.get(name).and_then(Value::as_str);
        row.scheme == verdict.choice.facts.spec.to_string()
            && row.measure == measure
            && row.x.is_none()
            && matches!(param("run"), Some("rate" | "clock"))
            && param("rollback") == rollback.as_deref()
    });
    of.map(|row| row.value.as_f64()).fold(0.0, f64::max)
}

/// Holds what is recommended to the requirements, by the rows alone.
fn judge(asked: &Asked) -> bool {
    let advice = advice(asked);
    let context = format!("{asked:?}");
    let Some(best) = advice.best() else {
        assert!(
            advice.verdicts.iter().all(|verdict| !verdict.fits()),
            "{context}"
        );
        let nearest = advice.verdicts.first().unwrap();
        assert!(
            nearest.unmet().count() > 0 || !nearest.is_complete,
            "{context}"
        );
        assert!(
            advice.rows.iter().all(|row| row.measure != "advice_rank"),
            "{context}"
        );
        return false;
    };
    let rows = requirements(&advice, best);
    assert!(
        rows.iter().all(|row| keeps_its_bound(row)),
        "{context}: {}",
        best.choice
    );
    let measured = |name: &str| {
        let row = rows.iter().find(|row| row.measure == name);
        row.map(|row| row.value.as_f64())
    };
    // Each requirement has a row, and none of them is weaker than what is asked.
    if let Some(bytes) = asked.bytes {
        assert!(
            measured("id_bytes").unwrap() <= f64::from(bytes),
            "{context}"
        );
    }
    let late_ms = run_max(&advice, best, "lateness_ms");
    let late = run_max(&advice, best, "late_rows_share");
    match asked.order {
        Order::None => {}
        Order::Second => assert!(measured("order_resolution_ms").is_some() && late_ms <= 2000.0),
        Order::Ms => assert!(measured("order_resolution_ms").is_some() && late_ms <= 10.0),
        Order::Strict => assert!(measured("late_rows_share").is_some() && late == 0.0),
    }
    assert_eq!(
        run_max(&advice, best, "fleet_duplicate_ids"),
        0.0,
        "{context}"
    );
    let facts = &best.choice.facts;
    if asked.public {
        let shown = best.choice.public.as_ref().unwrap_or(facts);
        assert_eq!(shown.telling_bits, 0, "{context}");
        assert!(measured("guess_odds").unwrap() <= 1e-6, "{context}");
    }
    if !asked.registry && asked.nodes > 1 {
        assert_eq!(facts.limits.writers, None, "{context}");
        assert!(
            asked.shards == Sharding::None || !facts.has_centre,
            "{context}"
        );
    }
    if asked.shards != Sharding::None {
        let nodes = f64::from(asked.store_nodes());
        let least = (asked.rate as f64).min(nodes * asked.capacity_per_s as f64 / 2.0);
        assert!(
            measured("ceiling_writes_per_s").unwrap() >= least,
            "{context}"
        );
    }
    // Ranks are 1, 1, 3, … of those that fit: one more than there are better ones.
    let ranks: Vec<f64> = (advice.rows.iter())
        .filter(|row| row.measure == "advice_rank")
        .map(|row| row.value.as_f64())
        .collect();
    let fitting = (advice.verdicts.iter()).filter(|verdict| verdict.fits());
    assert_eq!(ranks.len(), fitting.count());
    for (at, rank) in ranks.iter().enumerate() {
        let better = ranks.iter().filter(|other| *other < rank).count();
        assert!(*rank == better as f64 + 1.0 && better <= at, "{ranks:?}");
    }
    true
}

/// What is recommended meets all that was asked, by its own rows; or none fits.
#[test]
fn nothing_is_recommended_that_its_own_rows_contradict() {
    let clocks = [
        "lan_chrony",
        "wan_pool",
        "ideal",
        "unsynced",
        "lan_chrony,at=3s:-1s",
    ];
    let (mut cases, mut fit) = (0, 0);
    for bytes in [Some(8), Some(16), None] {
        for order in [Order::None, Order::Second, Order::Ms, Order::Strict] {
            for shards in [Sharding::None, Sharding::Hash, Sharding::Range] {
                for (registry, public) in
                    [(false, false), (true, false), (false, true), (true, true)]
                {
                    // The other numbers go round beside them.
                    let asked = Asked {
                        bytes,
                        order,
                        shards,
                        registry,
                        public,
                        nodes: if cases % 24 == 7 {
                            1100
                        } else {
                            [16, 1, 4, 8][cases % 4]
                        },
                        rate: [1000, 200_000, 30_000][cases % 3],
                        rows: [1_000_000, 1_000_000_000_000][cases % 2],
                        clock: crate::clock::ClockModel::parse(clocks[cases % clocks.len()])
                            .unwrap(),
                        seed: cases as u64,
                        effort: Effort {
                            fleet_rows: 300,
                            clock_s: 5,
                            shard_rate: 50,
                            shard_s: 10,
                            tree_rows: 2000,
                        },
                        ..asked()
                    };
                    cases += 1;
                    fit += usize::from(judge(&asked));
                }
            }
        }
    }
    // Both ends are seen.
    assert_eq!(cases, 144);
    assert!((20..140).contains(&fit), "{fit} of {cases} have an answer");
}

#[test]
fn the_field_s_own_answers_come_out() {
    // One database numbers its rows best by itself.
    assert_eq!(best(&asked()), "auto_increment");
    // Without worker numbers, 8 bytes and no centre are not to be had.
    let sharded = Asked {
        shards: Sharding::Hash,
        ..asked()
    };
    let eight = Asked {
        bytes: Some(8),
        ..sharded.clone()
    };
    assert_eq!(best(&eight), "none");
    let with_registry = Asked {
        registry: true,
        order: Order::Ms,
        ..eight
    };
    assert_eq!(best(&with_registry), "snowflake");
    let sixteen = Asked {
        order: Order::Ms,
        ..sharded
    };
    assert!(best(&sixteen).starts_with("uuid_v7"), "{}", best(&sixteen));
    // Only one writer's ids are in strict order, or a centre's.
    let strict = Asked {
        order: Order::Strict,
        ..sixteen
    };
    assert_eq!(best(&strict), "none");
    // What outsiders see says nothing.
    let public = Asked {
        public: true,
        ..asked()
    };
    let found = advice(&public);
    let shown = found.best().unwrap();
    assert_eq!(
        shown
            .choice
            .public
            .as_ref()
            .unwrap_or(&shown.choice.facts)
            .telling_bits,
        0
    );
}

/// An option that fits and has these figures.
fn option(candidate: usize, reads: f64, visits: f64, bytes: f64, parts: u32) -> Verdict {
    Verdict {
        choice: Choice {
            facts: Facts::of("uuid_v4").unwrap(),
            rollback: None,
            key: None,
            public: None,
        },
        checks: Vec::new(),
        is_complete: true,
        cost: Some(Cost {
            reads_per_insert: reads,
            index_bytes_per_row: bytes,
            ..Cost::default()
        }),
        visits_per_id: visits,
        parts,
        rank: None,
        candidate,
    }
}

fn ranked(mut options: Vec<Verdict>) -> Vec<(usize, u64)> {
    rank::rank(&mut options);
    let of = |verdict: &Verdict| (verdict.candidate, verdict.rank.unwrap());
    options.iter().map(of).collect()
}

#[test]
fn near_equals_share_a_rank() {
    // A quarter more bytes is no difference, more is; the last is above the least of all.
    let options = vec![
        option(2, 0.0, 0.0, 24.0, 1),
        option(0, 0.0, 0.0, 30.0, 1),
        option(3, 0.0, 0.0, 30.1, 1),
        option(1, 0.0, 0.0, 27.0, 1),
    ];
    assert_eq!(ranked(options), [(0, 1), (1, 1), (2, 1), (3, 4)]);
    // Reads go before visits, visits before bytes, bytes before parts.
    let options = vec![
        option(0, 0.5, 0.0, 20.0, 0),
        option(1, 0.02, 0.5, 20.0, 0),
        option(2, 0.0, 0.02, 40.0, 0),
        option(3, 0.01, 0.0, 20.0, 1),
        option(4, 0.0, 0.0, 22.0, 0),
        option(5, 0.54, 0.0, 20.0, 0),
    ];
    let expected = [(4, 1), (3, 2), (2, 3), (1, 4), (0, 5), (5, 5)];
    assert_eq!(ranked(options), expected);
    assert!(ranked(Vec::new()).is_empty());
}

/// Random ids are spread over the nodes by nothing but splits and moves, which take their time.
#[test]
fn a_range_sharded_store_has_the_time_to_spread_random_ids() {
    let asked = Asked {
        shards: Sharding::Range,
        rate: 100_000,
        nodes: 4,
        effort: Effort {
            shard_rate: 2000,
            shard_s: 40,
            ..SMALL
        },
        ..asked()
    };
    let key = crate::shards::ShardingKey::Range;
    let ceiling = |rows: &[Row]| {
        let mut rows = rows.iter();
        let row = rows.find(|row| row.measure == crate::measure::CEILING.name);
        row.unwrap().value.as_f64()
    };
    let short = |facts: &Facts| {
        let rows = runs::sharded(&asked, facts, &[key], runs::StoreRun::Short, "run").unwrap();
        ceiling(&rows[0])
    };
    let tried = |facts: &Facts| {
        let trial = trial::Trial::of(&asked, facts, "run").unwrap();
        assert_eq!(trial.stores[0].0, Some(key));
        (trial.stores[0].1.unwrap(), ceiling(&trial.rows))
    };
    let [random, ordered] = ["uuid_v4", "uuid_v7"].map(|name| Facts::of(name).unwrap());
    assert!(short(&random) < 20_000.0);
    let (check, in_rows) = tried(&random);
    assert!(check.is_met() && check.value == in_rows, "{check:?}");
    assert!(!tried(&ordered).0.is_met());
}

/// The store draws its own numbers as rows arrive: no network puts them out of order.
#[test]
fn the_store_s_own_numbers_fill_its_pages() {
    let asked = Asked {
        engine: "innodb".parse().unwrap(),
        ..asked()
    };
    let bytes = |scheme: &str| {
        let facts = Facts::of(scheme).unwrap();
        let (cost, _) = Cost::of(&asked, &facts, None, "run", Default::default()).unwrap();
        cost.index_bytes_per_row
    };
    let (own, afar) = (bytes("auto_increment"), bytes("auto_increment:rtt_us=500"));
    assert!(own < 140.0 && own * 1.25 < afar, "{own}, {afar}");
    assert!(own < bytes("object_id"));
}

/// A clock that steps back by a second: the scheme's own rule refuses a sixth of the calls.
#[test]
fn another_rollback_is_tried_where_the_scheme_s_own_refuses() {
    let asked = Asked {
        bytes: Some(8),
        registry: true,
        shards: Sharding::Hash,
        order: Order::Second,
        clock: crate::clock::ClockModel::parse("lan_chrony,at=3s:-1s").unwrap(),
        ..asked()
    };
    let advice = advice(&asked);
    let of = |rollback: bool| {
        let mut verdicts = advice.verdicts.iter();
        verdicts.find(|verdict| {
            verdict.choice.facts.spec.name == "snowflake"
                && verdict.choice.rollback.is_some() == rollback
        })
    };
    let refused = of(false).unwrap().unmet().next().unwrap();
    assert_eq!(refused.measured, &REFUSED_SHARE);
    assert!(refused.value > 0.05, "{refused:?}");
    assert!(of(true).unwrap().fits());
}

#[test]
fn the_tree_of_random_ids_outgrows_a_cache_and_that_of_ordered_ones_does_not() {
    let asked = Asked {
        memory_bytes: 8 << 30,
        rows: 1_000_000_000,
        effort: Effort {
            tree_rows: 100_000,
            ..SMALL
        },
        ..asked()
    };
    let reads = |scheme: &str| {
        let facts = Facts::of(scheme).unwrap();
        let (cost, rows) = Cost::of(&asked, &facts, None, "run", Default::default()).unwrap();
        let closed = rows
            .iter()
            .find(|row| row.params.get("by").and_then(Value::as_str) == Some("closed form"));
        (cost.reads_per_insert, closed.map(|row| row.value.as_f64()))
    };
    let (random, closed) = reads("uuid_v4");
    let closed = closed.unwrap();
    // The scaled load and the closed form agree within 10 %: fills go up and down by 5 %, and
    // internal pages are not all resident in so small a load.
    assert!(
        random > 0.7 && (random / closed - 1.0).abs() < 0.1,
        "{random}, {closed}"
    );
    let (ordered, closed) = reads("snowflake");
    assert!(ordered < 0.01 && closed.is_none(), "{ordered}");
}

#[test]
fn facts_are_read_from_the_scheme() {
    let facts = |text: &str| Facts::of(text).unwrap();
    let snowflake = facts("snowflake");
    assert_eq!(
        (
            snowflake.random_bits,
            snowflake.node_bits,
            snowflake.telling_bits
        ),
        (0, 10, 63)
    );
    assert!(!snowflake.has_centre && !snowflake.is_unsigned && snowflake.ascends);
    assert_eq!(facts("uuid_v4").random_bits, 122);
    assert!(facts("ticket_block").has_centre && facts("discord").is_unsigned);
    // 10⁹ of 2¹²² and 10¹² of 2⁷⁴, a hundred in each millisecond: n²/2/2^b and n m/2/2^b.
    let odds = |scheme: &str, rows| {
        let asked = Asked {
            rows,
            rate: 100_000,
            ..asked()
        };
        let facts = facts(scheme);
        let checks = facts.checks(&asked, &facts);
        checks
            .iter()
            .find(|check| check.measured == &COLLISION)
            .unwrap()
            .value
    };
    for (scheme, rows, expected) in [
        ("uuid_v4", 1_000_000_000, 9.404e-20),
        ("uuid_v7", 1_000_000_000_000, 2.647e-9),
    ] {
        let found = odds(scheme, rows);
        assert!((found / expected - 1.0).abs() < 1e-3, "{scheme}: {found}");
    }
}

#[test]
fn no_number_keeps_no_bound() {
    let check = |value, bound| Check {
        asked: "--order",
        measured: &ORDER_MS,
        value,
        bound,
    };
    assert!(check(1.0, Bound::AtMost(1.0)).is_met() && check(1.0, Bound::AtLeast(1.0)).is_met());
    assert!(!check(1.1, Bound::AtMost(1.0)).is_met() && !check(0.9, Bound::AtLeast(1.0)).is_met());
    for bound in [Bound::AtMost(f64::MAX), Bound::AtLeast(f64::MIN)] {
        assert!(!check(f64::NAN, bound).is_met());
    }
}

#[test]
fn every_candidate_is_known_and_suits_any_number_of_writers() {
    for nodes in [1, 2, 16, 1024, 1025, 100_000] {
        for shards in [Sharding::None, Sharding::Range] {
            let asked = Asked {
                nodes,
                shards,
                ..asked()
            };
            for candidate in CANDIDATES {
                let spec = (candidate.spec)(&asked);
                Facts::of(&spec).unwrap_or_else(|error| panic!("{spec}: {error}"));
            }
        }
    }
}
