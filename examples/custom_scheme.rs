//! A scheme from outside the crate: seconds and random bits, and what such ids
//! cost an index.
//!
//! `cargo run --example custom_scheme`

use idlab::clock::{Clock, NS_PER_S, Timestamp};
use idlab::engine::{EngineOptions, POSTGRES};
use idlab::fleet::{Fleet, FleetSpec};
use idlab::id::{Id, Key, Number};
use idlab::measure::{Plan, Rows, measure_tree};
use idlab::record::Parameters;
use idlab::scheme::{Field, FieldKind, Limits, Scheme, Stall, WriterError};
use idlab::store::{Design, Uniqueness};
use rand::Rng;

/// 32 bits of seconds, then 31 random bits: a short id that some systems use.
#[derive(Clone)]
struct Seconds;

impl Scheme for Seconds {
    type Id = Number;
    type Writer = ();

    fn name(&self) -> &'static str {
        "seconds"
    }

    fn fields(&self) -> Vec<Field> {
        vec![
            Field::new("sign", 1, FieldKind::Fixed),
            Field::new("seconds", 32, FieldKind::Timestamp),
            Field::new("random", 31, FieldKind::Random),
        ]
    }

    fn limits(&self) -> Limits {
        Limits {
            tick_ns: Some(NS_PER_S),
            exhausted_unix_ms: Some((1 << 32) * 1000 - 1),
            ..Limits::default()
        }
    }

    fn writer(&mut self, _: u32) -> Result<(), WriterError> {
        Ok(())
    }

    fn mint(
        &mut self,
        (): &mut (),
        clock: &impl Clock,
        random: &mut impl Rng,
    ) -> Result<Number, Stall> {
        let seconds = u32::try_from(clock.now().seconds()).map_err(|_| Stall::OutOfRange)?;
        Ok(Number(u64::from(seconds) << 31 | random.next_u64() >> 33))
    }

    fn timestamp(&self, id: Number) -> Option<Timestamp> {
        Some(Timestamp(id.key().field(31, 32) as u64 * NS_PER_S))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut fleet = Fleet::new(Seconds, FleetSpec::single(10_000, 1))?;
    let design = Design::new(&POSTGRES, Number::COLUMN, EngineOptions::default())?;
    let mut rows = Rows::new("example", Seconds.name(), POSTGRES.name, Parameters::new());
    let plan = Plan {
        rows: Some(100_000),
        ..Plan::new(design, Uniqueness::Checked)
    };
    measure_tree(&mut fleet, plan, &mut rows, &|_| {})?;
    for row in rows.into_rows().iter().filter(|row| row.x.is_none()) {
        let params = serde_json::to_string(&row.params)?;
        println!(
            "{:26} {:16} {} {}",
            row.measure, params, row.value, row.unit
        );
    }
    Ok(())
}
