use super::*;
use crate::random::stream;
use crate::scheme::{
    SCHEMES, Snowflake, Stride, TicketBlock, UniqueRowid, UuidV4, UuidV7, Visitor, visit,
};
use rand_chacha::ChaCha8Rng;

type Random = fn(u32) -> ChaCha8Rng;

fn mint(spec: &Spec, generators: u32) -> Mint<'_, Random> {
    Mint {
        spec,
        ids: 20_000,
        generators,
        batch: 4_000,
        real: false,
        random: |number| stream(1, "unique", number.into()),
        plant: false,
    }
}

/// Duplicates and steps back.
fn found<S: Scheme>(mint: &Mint<'_, Random>) -> (u64, u64) {
    let minted = mint.mint::<S>(&|_| {}).unwrap();
    let steps_back = minted.steps_back;
    (
        mint.examine::<S>(minted, &|_| {}).unwrap().duplicates(),
        steps_back,
    )
}

struct Check<'a>(&'a Spec);

impl Visitor for Check<'_> {
    type Output = ();

    fn visit<S: Scheme>(self, scheme: S) {
        for generators in [1, 3] {
            let (duplicates, steps_back) = found::<S>(&mint(self.0, generators));
            assert_eq!(duplicates, 0, "{}", self.0);
            let seldom_back = ["uuid_v1", "object_id", "xid"].contains(&S::NAME);
            assert!(
                (steps_back == 0) == scheme.ascends() || seldom_back,
                "{}: {steps_back}",
                self.0
            );
        }
    }
}

#[test]
fn ids_of_all_schemes_differ_and_ascend_where_that_is_promised() {
    let tails = [
        "uuid_v7:tail=counter",
        "uuid_v7:tail=counter42",
        "uuid_v7:tail=fraction",
        "uuid_v7:tail=monotonic",
    ];
    let more = [
        "ulid:tail=monotonic",
        "ticket_block:size=7:rtt_us=300",
        "odd_even:lag=7",
    ];
    let names = SCHEMES.iter().map(|scheme| scheme.name);
    for name in names
        .filter(|name| *name != "odd_even")
        .chain(tails)
        .chain(more)
    {
        let spec = name.parse().unwrap();
        visit(&spec, Check(&spec)).unwrap();
    }
}

#[test]
fn a_planted_id_is_found_with_its_places() {
    for spec in ["uuid_v4", "snowflake", "ticket_block"] {
        let spec: Spec = spec.parse().unwrap();
        let plan = Mint {
            plant: true,
            ..mint(&spec, 2)
        };
        let places = vec![0, 19_999];
        match spec.name.as_str() {
            "uuid_v4" => {
                let minted = plan.mint::<UuidV4>(&|_| {}).unwrap();
                let unique = plan.examine::<UuidV4>(minted, &|_| {}).unwrap();
                assert_eq!(unique.repeated.len(), 1);
                assert_eq!(unique.repeated[0].places, places);
            }
            "snowflake" => assert_eq!(found::<Snowflake>(&plan), (1, 1)),
            _ => assert_eq!(found::<TicketBlock>(&plan), (1, 1)),
        }
    }
}

#[test]
fn generators_of_one_number_repeat_everything() {
    let spec = "stride:step=1:wrap=yes".parse().unwrap();
    assert_eq!(found::<Stride>(&mint(&spec, 2)), (10_000, 0));
}

/// 4 ids a millisecond, as its ticks are, and no more.
#[test]
fn used_up_ticks_are_waited_for_on_both_clocks() {
    let spec = "snowflake:worker=20:sequence=2".parse().unwrap();
    let steps = Mint {
        ids: 100,
        ..mint(&spec, 2)
    };
    assert_eq!(found::<Snowflake>(&steps), (0, 0));
    let real = Mint {
        real: true,
        ..steps
    };
    assert_eq!(found::<Snowflake>(&real), (0, 0));
}

#[test]
fn ids_of_a_real_clock_are_minted_again() {
    let spec = "uuid_v7:tail=fraction".parse().unwrap();
    let plan = Mint {
        real: true,
        ..mint(&spec, 1)
    };
    let minted = plan.mint::<UuidV7>(&|_| {}).unwrap();
    let mut again = vec![0; plan.ids];
    let mut takers = [Print {
        prints: &mut again,
        last: None,
        steps_back: 0,
    }];
    let paces = minted.paces.into_iter().map(Pace::again).collect();
    plan.pass::<UuidV7, _>(&mut takers, paces, &|_| {}).unwrap();
    assert_eq!(again, minted.prints);
}

#[test]
fn worker_numbers_that_do_not_fit_and_ends_of_schemes_are_errors() {
    let refused = |spec: &str, generators| {
        let spec: Spec = spec.parse().unwrap();
        let error = match spec.name.as_str() {
            "stride" => mint(&spec, generators).mint::<Stride>(&|_| {}),
            "snowflake" => mint(&spec, generators).mint::<Snowflake>(&|_| {}),
            _ => mint(&spec, generators).mint::<UniqueRowid>(&|_| {}),
        };
        error.unwrap_err().to_string()
    };
    assert!(refused("stride:step=2", 3).contains("workers 0 to 1"));
    assert!(refused("unique_rowid:x=1", 1).contains("unknown parameter"));
    let end = refused("snowflake:timestamp=31:worker=20:sequence=12", 1);
    assert!(end.contains("can issue no id"), "{end}");
}
