use super::*;

const START: Timestamp = Timestamp::from_ms(1_767_225_600_000);
const ALL: &str = "partitions,pauses,restarts,steps,suspends,outages";

fn plan(text: &str) -> FaultPlan {
    text.parse().unwrap()
}

#[test]
fn plans_survive_writing() {
    for text in [
        "none",
        ALL,
        "pauses=10min:pareto:50ms:1.2,steps=1h:1s",
        "outages=90s:exponential:1.5s,restarts=1d:uniform:1s:2s",
    ] {
        assert_eq!(plan(&plan(text).to_string()), plan(text), "{text}");
    }
    let known: Vec<_> = FaultPlan::known()
        .into_iter()
        .map(|(text, _)| text)
        .collect();
    assert_eq!(plan(&known.join(",")), plan(ALL));
    assert_eq!(known[1], "pauses=10min:lognormal:100ms:1.8");
}

#[test]
fn bad_plans_are_refused_by_name() {
    for (text, part) in [
        ("pause", "did you mean \"pauses\""),
        ("pauses,pauses", "pauses is given twice"),
        ("pauses=10", "pauses=10: expected a number with its unit"),
        ("pauses=-10s", "pauses=-10s: expected"),
        ("pauses=0", "at least 1ms"),
        ("pauses=1s:2", "expected a number with its unit"),
        ("pauses=1s:normal:1s", "expected TIME, exponential:MEAN"),
        ("pauses=1s:lognormal:1s", "expected TIME, exponential:MEAN"),
        ("pauses=1s:lognormal:1s:-1", "SIGMA from 0 to 10"),
        ("pauses=1s:lognormal:1s:100", "SIGMA from 0 to 10"),
        ("pauses=1s:lognormal:1s:nan", "SIGMA from 0 to 10"),
        ("pauses=1s:pareto:1s:0.1", "ALPHA from 0.5 to 100"),
        ("pauses=1s:31d", "at most 30d"),
        ("pauses=1s:pareto:31d:1", "at most 30d"),
        ("steps=1s:0s", "above 0"),
        ("steps=1s:uniform:0:0", "above 0"),
        ("steps=1min:-5s", "expected no sign: steps go either way"),
        ("steps=1min:uniform:-5s:5s", "expected no sign"),
        ("pauses=1min:-5s", "expected a number with its unit"),
        ("pauses=1s:uniform:2s:1s", "smaller size first"),
        ("pauses=1s:", "expected TIME"),
        ("", "unknown key"),
    ] {
        let error = text.parse::<FaultPlan>().unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error}");
        let mentions = error.matches(text).count();
        assert!(!text.contains('=') || mentions <= 1, "{text}: {error}");
    }
    let error = plan("pauses=1ms")
        .schedule(1, 1000, START, HOUR_NS)
        .unwrap_err();
    assert!(
        error.to_string().contains("expected at most 10000000"),
        "{error}"
    );
}

#[test]
fn schedules_are_in_order_and_a_kind_or_writer_more_disturbs_no_other() {
    let day_ns = 24 * HOUR_NS;
    let all = plan(ALL).schedule(1, 10, START, 30 * day_ns).unwrap();
    assert!(all.is_sorted());
    assert!(
        all.iter()
            .all(|fault| fault.at >= START && fault.at < START.later(30 * day_ns))
    );
    assert_eq!(all, plan(ALL).schedule(1, 10, START, 30 * day_ns).unwrap());
    let few = plan("pauses").schedule(1, 5, START, 30 * day_ns).unwrap();
    let same = all
        .iter()
        .filter(|fault| fault.writer < 5 && matches!(fault.trouble, Trouble::Pause { .. }));
    assert_eq!(few, same.copied().collect::<Vec<_>>());
    let outages = all
        .iter()
        .filter(|fault| matches!(fault.trouble, Trouble::Outage { .. }));
    assert!(outages.clone().count() > 60 && outages.clone().all(|fault| fault.writer == 0));
}

#[test]
fn no_size_is_beyond_the_largest() {
    for size in ["pareto:1d:0.5", "lognormal:30d:10"] {
        let plan = plan(&format!("pauses=1s:{size}"));
        let faults = plan.schedule(1, 1, START, 10_000 * NS_PER_S).unwrap();
        let sizes = faults.iter().map(|fault| match fault.trouble {
            Trouble::Pause { for_ns } => for_ns,
            _ => 0,
        });
        assert_eq!(sizes.max(), Some(30 * 24 * HOUR_NS), "{size}");
    }
}

/// Counts within 5.5 Poisson, shares within 5.5 binomial standard deviations.
#[test]
fn faults_come_as_often_and_are_as_large_as_planned() {
    for (size, above_ns, share) in [
        // Q(ln(65.67) / 1.8), (0.05 / 6.567)^1.2, 1/4, e^-2.
        ("lognormal:100ms:1.8", 6_567_000_000, 0.010_041),
        ("pareto:50ms:1.2", 6_567_000_000, 0.002_870),
        ("uniform:1s:5s", 4_000_000_000, 0.25),
        ("exponential:1s", 2_000_000_000, 0.135_335),
    ] {
        let plan = plan(&format!("pauses=10s:{size}"));
        let faults = plan.schedule(3, 100, START, 10_000 * NS_PER_S).unwrap();
        let count = faults.len() as f64;
        assert!((count - 1e5).abs() < 5.5 * 1e5_f64.sqrt(), "{count}");
        let above = faults.iter().filter(|fault| match fault.trouble {
            Trouble::Pause { for_ns } => for_ns > above_ns,
            _ => false,
        });
        let found = above.count() as f64 / count;
        let tolerance = 5.5 * (share * (1.0 - share) / count).sqrt() + 1e-4;
        assert!(
            (found - share).abs() < tolerance,
            "{size}: {found} for {share}"
        );
    }
    let steps = plan("steps=10s")
        .schedule(3, 100, START, 10_000 * NS_PER_S)
        .unwrap();
    let back = steps
        .iter()
        .filter(|fault| matches!(fault.trouble, Trouble::Step { by_ns } if by_ns < 0));
    let error = back.count() as f64 / steps.len() as f64 - 0.5;
    assert!(
        error.abs() < 5.5 * 0.5 / (steps.len() as f64).sqrt(),
        "{error}"
    );
}
