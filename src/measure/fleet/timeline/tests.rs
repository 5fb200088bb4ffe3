use super::*;
use proptest::prelude::*;

proptest! {
    /// Thinning keeps every writer and kind that was there and the extremes of all, to the eye; it adds nothing.
    #[test]
    fn thinning_keeps_extremes(
        seeds in prop::collection::vec((0u64..LENGTH_NS, -2_000_000_000i64..2_000_000_000), 1..6000),
        writers in 1u32..=16,
    ) {
        let points = seeds.iter().zip(0u32..).map(|(&(at_ns, lead_ns), i)| Point {
            kind: [Kind::Row, Kind::Row, Kind::Row, Kind::Waited, Kind::Duplicate][i as usize % 5],
            writer: i % writers,
            at_ns: at_ns + 7,
            lead_ns,
        });
        let points: Vec<Point> = points.collect();
        let kept = thinned(points.clone(), 7);
        prop_assert!(kept.len() <= MOST_POINTS);
        prop_assert!(kept.iter().all(|point| points.contains(point)));
        let groups = |points: &[Point]| {
            let mut groups = BTreeMap::new();
            for point in points {
                let (least, most) = groups
                    .entry((point.kind, point.writer))
                    .or_insert((point.lead_ns, point.lead_ns));
                *least = point.lead_ns.min(*least);
                *most = point.lead_ns.max(*most);
            }
            groups
        };
        let (kept, all) = (groups(&kept), groups(&points));
        prop_assert!(kept.keys().eq(all.keys()));
        for (kept, all) in kept.values().zip(all.values()) {
            let near = |a: i64, b: i64| a.abs_diff(b) <= 4_000_000_000 / FLAT;
            prop_assert!(near(kept.0, all.0) && near(kept.1, all.1));
        }
    }
}

#[test]
fn many_points_of_many_writers_are_few() {
    let points = (0..200_000u64).map(|i| Point {
        kind: [Kind::Row, Kind::Waited, Kind::Duplicate][(i / 16 % 3) as usize],
        writer: (i % 16) as u32,
        at_ns: i * (LENGTH_NS / 200_000),
        lead_ns: (i * 7919 % 1000) as i64,
    });
    let kept = thinned(points.collect(), 0);
    assert!((500..=MOST_POINTS).contains(&kept.len()), "{}", kept.len());
}

mod run {
    use super::super::super::tests::plan;
    use super::*;
    use crate::fleet::Fault;
    use crate::record::Parameters;
    use crate::scheme;

    /// One step of a second back at 30 s, of writer 3 alone.
    fn stepped(rollback: &str) -> FleetPlan {
        let mut plan = plan("ideal", crate::fleet::Latency::None);
        plan.length_ns = 60 * NS_PER_S;
        plan.spec.conduct.rollback = Some(rollback.parse().unwrap());
        plan.spec.conduct.refuse = true;
        plan.spec.conduct.faults = vec![Fault {
            at: plan.spec.start.later(30 * NS_PER_S),
            writer: 3,
            trouble: Trouble::Step {
                by_ns: -1_000_000_000,
            },
        }];
        plan
    }

    fn rows(rollback: &str) -> Vec<crate::record::Row> {
        let plan = stepped(rollback);
        let spec = "snowflake".parse().unwrap();
        let mut rows = Rows::new("", "snowflake", "", Parameters::new());
        let found = scheme::visit_keys(&spec, FirstTrouble(&plan))
            .unwrap()
            .unwrap();
        assert_eq!(found, Some(30 * NS_PER_S));
        let timeline = MeasureTimeline {
            plan: &plan,
            from_ns: 0,
            rows: &mut rows,
        };
        scheme::visit_keys(&spec, timeline).unwrap().unwrap();
        rows.into_rows()
    }

    #[test]
    fn a_step_shows_as_what_the_rollback_makes_of_it() {
        let lead = |rows: &[crate::record::Row], writer: u32| {
            let rows = rows.iter().filter(|row| {
                row.measure == TIMELINE_LEAD_MS.name && row.params["writer"] == writer
            });
            let leads = rows.map(|row| row.value.as_f64());
            leads.fold(f64::INFINITY, f64::min)
        };
        let refused = |rows: &[crate::record::Row]| {
            let rows = rows
                .iter()
                .filter(|row| row.measure == TIMELINE_REFUSED.name);
            rows.map(|row| (row.x.unwrap().as_f64() / 1e9, row.params["writer"].clone()))
                .collect::<Vec<_>>()
        };
        let kinds = |rows: &[crate::record::Row], kind: &str| {
            rows.iter()
                .any(|row| row.params.get("kind") == Some(&kind.into()))
        };
        for rollback in ["refuse", "wait", "hold", "ignore"] {
            let rows = rows(rollback);
            assert!(rows.len() < MOST_POINTS + 240 * 16);
            assert!(
                lead(&rows, 3) < -999.0 && lead(&rows, 4) > -1.1,
                "{rollback}"
            );
            let refused = refused(&rows);
            assert_eq!(!refused.is_empty(), rollback == "refuse");
            assert!(
                refused
                    .iter()
                    .all(|(s, writer)| (30.0..=31.0).contains(s) && *writer == 3)
            );
            assert_eq!(kinds(&rows, "waited"), rollback == "wait");
            assert_eq!(kinds(&rows, "duplicate"), rollback == "ignore");
        }
    }

    /// A clock that steps by itself is found although no call is refused, and good clocks have no trouble.
    #[test]
    fn the_first_trouble_is_a_step_too() {
        let mut plan = stepped("ignore");
        plan.spec.conduct.faults.clear();
        let first = |plan: &FleetPlan| {
            let spec = "snowflake".parse().unwrap();
            scheme::visit_keys(&spec, FirstTrouble(plan))
                .unwrap()
                .unwrap()
        };
        assert_eq!(first(&plan), None);
        let model = crate::clock::ClockModel::parse("ideal,at=40s:-1s").unwrap();
        plan.spec.clocks = crate::fleet::Clocks::Model(model);
        let at_ns = first(&plan).unwrap();
        // A writer's rows come each 16 ms on average: e^-62 of gaps are as long as a second.
        assert!((39 * NS_PER_S..41 * NS_PER_S).contains(&at_ns), "{at_ns}");
        plan.length_ns = 40 * NS_PER_S;
        assert_eq!(first(&plan), None);
    }
}
