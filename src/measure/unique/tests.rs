use super::*;
use crate::random::stream;
use crate::scheme::{
    Listed, Params, SCHEMES, Snowflake, Spec, Stride, TicketBlock, UuidV4, UuidV7, Visitor, visit,
};
use rand_chacha::ChaCha8Rng;

type Random = fn(u32) -> ChaCha8Rng;

fn scheme<S: Listed>(text: &str) -> S {
    let spec = text.parse().unwrap();
    S::new(&Params::new(&spec, S::PARAMS).unwrap()).unwrap()
}

fn mint<S: Scheme>(scheme: &S, generators: u32) -> Mint<'_, S, Random> {
    Mint {
        scheme,
        ids: 20_000,
        generators,
        batch: 4_000,
        real: false,
        random: |number| stream(1, "unique", number.into()),
        plant: false,
    }
}

/// Duplicates and steps back.
fn found<S: Scheme>(mint: &Mint<'_, S, Random>) -> (u64, u64) {
    let minted = mint.mint(&|_| {}).unwrap();
    let steps_back = minted.steps_back;
    let unique = mint.examine(minted, &|_| {}).unwrap();
    (unique.duplicates(), steps_back)
}

struct Check<'a>(&'a Spec);

impl Visitor for Check<'_> {
    type Output = ();

    fn visit<S: Scheme>(self, scheme: S) {
        for generators in [1, 3] {
            let (duplicates, steps_back) = found(&mint(&scheme, generators));
            assert_eq!(duplicates, 0, "{}", self.0);
            let seldom_back = ["uuid_v1", "object_id", "xid"].contains(&scheme.name());
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
    let plan = Mint {
        plant: true,
        ..mint(&UuidV4, 2)
    };
    let unique = plan.examine(plan.mint(&|_| {}).unwrap(), &|_| {}).unwrap();
    assert_eq!(unique.repeated.len(), 1);
    assert_eq!(unique.repeated[0].places, [0, 19_999]);

    fn planted<S: Scheme>(scheme: S) {
        let plan = Mint {
            plant: true,
            ..mint(&scheme, 2)
        };
        assert_eq!(found(&plan), (1, 1));
    }
    planted(scheme::<Snowflake>("snowflake"));
    planted(scheme::<TicketBlock>("ticket_block"));
}

#[test]
fn generators_of_one_number_repeat_everything() {
    let stride: Stride = scheme("stride:step=1:wrap=yes");
    assert_eq!(found(&mint(&stride, 2)), (10_000, 0));
}

/// 4 ids a millisecond, as its ticks are, and no more.
#[test]
fn used_up_ticks_are_waited_for_on_both_clocks() {
    let snowflake: Snowflake = scheme("snowflake:worker=20:sequence=2");
    let steps = Mint {
        ids: 100,
        ..mint(&snowflake, 2)
    };
    assert_eq!(found(&steps), (0, 0));
    let real = Mint {
        real: true,
        ..steps
    };
    assert_eq!(found(&real), (0, 0));
}

#[test]
fn ids_of_a_real_clock_are_minted_again() {
    let uuid_v7: UuidV7 = scheme("uuid_v7:tail=fraction");
    let plan = Mint {
        real: true,
        ..mint(&uuid_v7, 1)
    };
    let minted = plan.mint(&|_| {}).unwrap();
    let mut again = vec![0; plan.ids];
    let mut takers = [Print {
        prints: &mut again,
        last: None,
        steps_back: 0,
    }];
    let paces = minted.paces.into_iter().map(Pace::again).collect();
    plan.pass(&mut takers, paces, &|_| {}).unwrap();
    assert_eq!(again, minted.prints);
}

#[test]
fn worker_numbers_that_do_not_fit_and_ends_of_schemes_are_errors() {
    fn refused<S: Scheme>(scheme: S, generators: u32) -> String {
        let minted = mint(&scheme, generators).mint(&|_| {});
        minted.unwrap_err().to_string()
    }
    let few = refused(scheme::<Stride>("stride:step=2"), 3);
    assert!(few.contains("workers 0 to 1"), "{few}");
    let ended = "snowflake:timestamp=31:worker=20:sequence=12";
    let end = refused(scheme::<Snowflake>(ended), 1);
    assert!(end.contains("can issue no id"), "{end}");
}
