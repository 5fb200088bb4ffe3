//! `Plan::depends_on` says which settings change what is measured.

use idlab::engine::EngineOptions;
use idlab::measure::{Plan, Rows, Secondaries, Setting, measure_any};
use idlab::pool::{CachePlan, Policy};
use idlab::record::Parameters;
use idlab::reference::Reference;
use idlab::source::Stream;
use idlab::store::{Design, Uniqueness};

const ROWS: u64 = 20_000;
const PROFILES: &[&str] = &[
    "postgres",
    "innodb",
    "innodb:secondary",
    "sqlite",
    "sqlite:without_rowid",
    "lmdb",
    "redb",
    "wiredtiger",
    "oracle_like",
    "sql_server_like",
    "textbook",
    "textbook:4",
    "b_star",
];
const SETTINGS: [Setting; 5] = [
    Setting::TransactionRows,
    Setting::CheckpointRows,
    Setting::Secondaries,
    Setting::PageBytes,
    Setting::PayloadBytes,
];

fn stream() -> Stream {
    Reference::new("uuid4", 1).unwrap().into()
}

/// A load with a setting that is not as it comes; `None` if the engine cannot have it.
fn changed(plan: Plan, setting: Setting) -> Option<Plan> {
    let Design {
        profile,
        column,
        options,
        ..
    } = plan.design;
    let with = |options| Design::new(profile, column, options).ok();
    Some(match setting {
        Setting::TransactionRows => Plan {
            transaction_rows: 37,
            ..plan
        },
        Setting::CheckpointRows => Plan {
            checkpoint_rows: Some(370),
            ..plan
        },
        Setting::Secondaries => Plan {
            secondaries: Secondaries { count: 1, seed: 1 },
            ..plan
        },
        Setting::PageBytes => Plan {
            design: with(EngineOptions {
                page_bytes: Some(plan.design.page_bytes().next_power_of_two() * 2),
                ..options
            })?,
            ..plan
        },
        Setting::PayloadBytes => Plan {
            design: with(EngineOptions {
                payload_bytes: 100,
                ..options
            })?,
            ..plan
        },
    })
}

/// All rows of a load, as text; `None` if the engine cannot have the further index.
fn measured(plan: Plan) -> Option<String> {
    let mut rows = Rows::new("", "", "", Parameters::new());
    measure_any(stream().keys, plan, &mut rows, &|_| {}).ok()?;
    Some(format!("{:?}", rows.into_rows()))
}

#[test]
fn a_setting_changes_rows_if_and_only_if_the_plan_says_so() {
    let policies = [Policy::OfEngine, Policy::Lru, Policy::TwoList];
    let caches = policies.map(|policy| {
        Some(CachePlan {
            policy,
            ..CachePlan::new(8 << 20)
        })
    });
    let loads = caches.into_iter().map(|cache| (cache, false));
    let loads: Vec<_> = loads.chain([(None, false), (None, true)]).collect();
    let mut compared = 0;
    for profile in PROFILES {
        for &(cache, miss_curve) in &loads {
            let column = stream().column;
            let profile = profile.parse::<idlab::engine::Profile>().unwrap();
            let design = Design::new(profile, column, EngineOptions::default()).unwrap();
            let plan = Plan {
                rows: Some(ROWS),
                cache,
                miss_curve,
                ..Plan::new(design, Uniqueness::Promised)
            };
            let before = measured(plan).unwrap();
            for setting in SETTINGS {
                let Some(after) = changed(plan, setting).and_then(measured) else {
                    continue;
                };
                compared += 1;
                assert_eq!(
                    before != after,
                    plan.depends_on(setting),
                    "{setting:?} of {profile}, {cache:?}, miss_curve {miss_curve}"
                );
            }
        }
    }
    assert!(compared > 300, "only {compared} loads");
}
