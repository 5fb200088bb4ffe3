use super::*;
use crate::id::{Cuid2, Key20, ObjectId, Tsid, Xid};
use proptest::prelude::*;
use std::cmp::Ordering;

fn uuid(text: &str) -> u128 {
    text.parse::<Uuid>().unwrap().0
}

fn cmp(order: Comparator, a: u128, b: u128) -> Ordering {
    order.place::<Uuid>(a).cmp(&order.place::<Uuid>(b))
}

/// JDK-7025832 was closed unfixed: "the sort order of UUIDs must remain stable". The pair is
/// from a report of Java 21; version 7 of before 10889 and any RFC variant are not concerned.
#[test]
fn java_compares_with_signs() {
    let old = uuid("00000000-0000-7dda-8cc3-13f289aa2814");
    let new = uuid("e677d1fe-e676-7224-be39-f88d1cd436d8");
    assert_eq!(cmp(Comparator::Bytes, new, old), Ordering::Greater);
    assert_eq!(cmp(Comparator::JavaUuid, new, old), Ordering::Less);
    let (a, b) = (
        uuid("b533260f-6479-4014-a007-818481bd98c6"),
        uuid("131f0ada-6b6a-4e75-a6a0-4149958664e3"),
    );
    assert_eq!(cmp(Comparator::JavaUuid, a, b), Ordering::Less);
    // The second half has a sign, too.
    let (a, b) = (
        uuid("018cc122-1a9d-7478-06e8-7a96ab18fea0"),
        uuid("018cc122-1a9d-7478-86e8-7a96ab18fea0"),
    );
    assert_eq!(cmp(Comparator::JavaUuid, a, b), Ordering::Greater);
}

/// The example of `Guid.CompareTo` in the .NET reference.
#[test]
fn dotnet_compares_as_the_text_reads() {
    let main = uuid("01e75c83-c6f5-4192-b57e-7427cec5560d");
    let less = uuid("01e75c83-c6f5-4192-b57e-7427cec5560c");
    let more = uuid("01e75c84-c6f5-4192-b57e-7427cec5560d");
    assert_eq!(cmp(Comparator::DotNetGuid, main, less), Ordering::Greater);
    assert_eq!(cmp(Comparator::DotNetGuid, main, more), Ordering::Less);
    // 00112233-4455-6677-8899-aabbccddeeff is 33 22 11 00 55 44 77 66 88 99 ...
    assert_eq!(
        dotnet_bytes(uuid("00112233-4455-6677-8899-aabbccddeeff")),
        uuid("33221100-5544-7766-8899-aabbccddeeff")
    );
}

/// "Comparing GUID and uniqueidentifier values", ADO.NET documentation.
#[test]
fn sql_server_and_dotnet_sort_the_documented_guids_differently() {
    let a = uuid("3AAAAAAA-BBBB-CCCC-DDDD-2EEEEEEEEEEE");
    let b = uuid("2AAAAAAA-BBBB-CCCC-DDDD-1EEEEEEEEEEE");
    let c = uuid("1AAAAAAA-BBBB-CCCC-DDDD-3EEEEEEEEEEE");
    let sorted = |order: Comparator| {
        let mut uuids = [a, b, c];
        uuids.sort_by(|&a, &b| cmp(order, a, b));
        uuids
    };
    assert_eq!(sorted(Comparator::DotNetGuid), [c, b, a]);
    assert_eq!(sorted(Comparator::SqlServer), [b, a, c]);
}

/// MySQL reference manual, `UUID_TO_BIN`.
#[test]
fn mysql_swaps_the_groups_of_the_time() {
    assert_eq!(
        mysql_swapped(uuid("6ccd780c-baba-1026-9564-5b8c656024db")),
        uuid("1026baba-6ccd-780c-9564-5b8c656024db")
    );
}

#[test]
fn a_guid_of_sql_server_is_compared_by_its_own_order() {
    let key = SqlGuid::from(Uuid(uuid("63DD0AD3-A111-DD11-B2EB-005056AE063C"))).key();
    assert_eq!(Comparator::SqlServer.place::<SqlGuid>(key), Place(key, 0));
    let bytes = Place(uuid("63DD0AD3-A111-DD11-B2EB-005056AE063C"), 0);
    assert_eq!(Comparator::Bytes.place::<SqlGuid>(key), bytes);
    assert_eq!(Comparator::Text.place::<SqlGuid>(key), bytes);
}

#[test]
fn kinds_have_the_orders_that_concern_them() {
    let names =
        |orders: Vec<Comparator>| orders.into_iter().map(Comparator::name).collect::<Vec<_>>();
    assert_eq!(
        names(Comparator::of::<Number>()),
        ["bytes", "signed_64", "text"]
    );
    assert_eq!(
        names(Comparator::of::<Ksuid>()),
        ["bytes", "text", "text_en_us"]
    );
    assert_eq!(Comparator::of::<Uuid>().len(), 7);
    assert_eq!(Comparator::of::<Ulid>().len(), 6);
    assert_eq!(names(Comparator::of::<Cuid2>()), ["bytes", "text"]);
}

/// Each comparison as its source says it, step by step.
fn naive<I: Id>(order: Comparator, a: I, b: I) -> Ordering {
    let bytes = |id: I| {
        let low = id.key().field(0, 128);
        let uuid = match is::<I, SqlGuid>() {
            true => id.to_string().parse::<Uuid>().unwrap().0,
            false => low,
        };
        uuid.to_be_bytes()
    };
    let (x, y) = (bytes(a), bytes(b));
    let big = |bytes: &[u8]| i64::from_be_bytes(bytes.try_into().unwrap());
    let mixed = |b: [u8; 16]| [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map(|i| b[i]);
    match order {
        Comparator::Bytes if is::<I, SqlGuid>() => x.cmp(&y),
        Comparator::Bytes => a.key().cmp(&b.key()),
        Comparator::Signed64 => big(&x[8..]).cmp(&big(&y[8..])),
        Comparator::Text => a.to_string().cmp(&b.to_string()),
        Comparator::TextEnUs => {
            let (a, b) = (a.to_string(), b.to_string());
            let weight = |char: char| "_-0123456789abcdefghijklmnopqrstuvwxyz".find(char);
            let folded =
                |text: &str| -> Vec<_> { text.to_lowercase().chars().map(weight).collect() };
            let upper = |text: &str| -> Vec<_> { text.chars().map(|c| c.is_uppercase()).collect() };
            (folded(&a), upper(&a)).cmp(&(folded(&b), upper(&b)))
        }
        Comparator::JavaUuid => {
            let halves = |b: [u8; 16]| (big(&b[..8]), big(&b[8..]));
            halves(x).cmp(&halves(y))
        }
        Comparator::DotNetGuid => {
            // a, b and c as int and short, compared as uint; then bytes.
            let groups = |b: [u8; 16]| {
                let a = i32::from_be_bytes([b[0], b[1], b[2], b[3]]) as u32;
                let short = |i: usize| i16::from_be_bytes([b[i], b[i + 1]]) as u32;
                (a, short(4), short(6), b[8..].to_vec())
            };
            groups(x).cmp(&groups(y))
        }
        Comparator::DotNetBytes => mixed(x).cmp(&mixed(y)),
        Comparator::SqlServer => {
            // Stored bytes, in the order of their weight.
            let weighed = |b: [u8; 16]| {
                [10, 11, 12, 13, 14, 15, 8, 9, 6, 7, 4, 5, 0, 1, 2, 3].map(|i| mixed(b)[i])
            };
            weighed(x).cmp(&weighed(y))
        }
        Comparator::MySqlSwapped => {
            let swapped =
                |b: [u8; 16]| [6, 7, 4, 5, 0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15].map(|i| b[i]);
            swapped(x).cmp(&swapped(y))
        }
    }
}

fn check<I: Id>(a: I::Key, b: I::Key) {
    let (x, y) = (I::from_key(a), I::from_key(b));
    for order in Comparator::of::<I>() {
        let (a, b) = (order.place::<I>(x.key()), order.place::<I>(y.key()));
        assert_eq!(a.cmp(&b), naive(order, x, y), "{order:?}: {x}, {y}");
        if order.is_bytes::<I>() {
            assert_eq!(
                a.cmp(&b),
                naive(Comparator::Bytes, x, y),
                "{order:?}: {x}, {y}"
            );
        }
    }
}

proptest! {
    /// Keys that differ everywhere, or only below or above some bit.
    #[test]
    fn places_compare_as_their_ids_do(a: u128, b: u128, shift in 0u32..128, up: bool) {
        let near = if up { a ^ (b << shift) } else { a ^ (b >> shift) };
        for b in [b, near, a] {
            check::<Uuid>(a, b);
            check::<SqlGuid>(a, b);
            check::<Ulid>(a, b);
            check::<Scru128>(a, b);
            check::<PublicId>(a, b);
            check::<NanoId>(a, b);
            check::<PushId>(a, b);
            check::<Cuid2>(a, b);
            check::<ObjectId>(a, b);
            check::<Xid>(a, b);
            check::<Tsid>(a as u64, b as u64);
            check::<Ksuid>(Key20::new(a as u32 % 0xff, b), Key20::new(b as u32 % 0xff, a));
            check::<Ksuid>(Key20::new(7, a), Key20::new(7, b));
            let number = |key: u128| (key >> 64) as u64 >> (key as u64 % 64);
            check::<Number>(number(a), number(b));
        }
    }

    #[test]
    fn ranks_are_ordered_as_places_are(keys in prop::collection::vec(0u64..200, 0..50)) {
        let ranks = ranks::<Number>(&keys, Comparator::Text);
        for (&a, &x) in keys.iter().zip(&ranks) {
            for (&b, &y) in keys.iter().zip(&ranks) {
                prop_assert_eq!(a.to_string().cmp(&b.to_string()), x.cmp(&y));
            }
        }
    }
}
