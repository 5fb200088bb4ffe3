//! `cargo bench --bench fleet`: ids a second that a simulated fleet mints, commits and hands to a
//! reader, on one core.
//!
//! 16 writers on `lan_chrony` clocks, Poisson arrivals at 10,000 ids a second, a reader with
//! `id > last_seen` that polls each second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use idlab::clock;
use idlab::fleet::{Arrivals, Clocks, Conduct, FleetSpec, Latency};
use idlab::id::Id;
use idlab::measure::{AnyReader, FleetPlan, Polls, Read, Reader, ReaderKind};
use idlab::scheme::{self, Scheme, Visitor};
use std::hint::black_box;

const IDS: u64 = 1_000_000;
const IDS_PER_S: u64 = 10_000;
const NS_PER_S: u64 = 1_000_000_000;

/// Runs a plan with a polling reader on.
struct Polled<'a>(&'a FleetPlan);

impl Visitor for Polled<'_> {
    type Output = Read;

    fn visit<S: Scheme>(self, scheme: S) -> Read {
        let plan = self.0;
        let polls = Polls::new(plan.spec.start.later(NS_PER_S / 2), plan.poll_ns);
        let cursor = ReaderKind::Cursor { lag_ns: 0 };
        let mut reader = AnyReader::<<S::Id as Id>::Key>::new(cursor, polls, None, Read::default());
        plan.stream(scheme, |row| reader.see(&row))
            .expect("a fleet that runs");
        reader.finish()
    }
}

fn plan(clock: &str, latency: Latency) -> FleetPlan {
    FleetPlan {
        spec: FleetSpec {
            writers: 16,
            arrivals: Arrivals::Poisson,
            clocks: Clocks::Model(clock::clock(clock).expect("a clock")),
            latency,
            conduct: Conduct {
                refuse: true,
                ..Conduct::default()
            },
            ..FleetSpec::single(IDS_PER_S, 1)
        },
        length_ns: IDS * NS_PER_S / IDS_PER_S,
        poll_ns: NS_PER_S,
        lags_ns: Vec::new(),
        readers: Vec::new(),
        page_rows: None,
    }
}

fn fleet(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("fleet");
    // About IDS: arrivals are at random.
    group.sample_size(10).throughput(Throughput::Elements(IDS));
    for (name, latency) in [
        ("none", Latency::None),
        ("exponential", Latency::Exponential { mean_ns: 5_000_000 }),
        ("light", Latency::Light),
    ] {
        let plan = plan("lan_chrony", latency);
        for scheme in ["snowflake", "uuid_v7", "ksuid"] {
            let spec = scheme.parse().expect("a scheme");
            group.bench_function(format!("{scheme}, commits {name}"), |bench| {
                bench.iter(|| {
                    let read = scheme::visit_keys(&spec, Polled(&plan)).expect("a scheme");
                    black_box(read.skipped_rows)
                });
            });
        }
    }
    group.finish();
}

criterion_group!(benches, fleet);
criterion_main!(benches);
