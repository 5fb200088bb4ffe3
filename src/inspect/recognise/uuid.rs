//! UUIDs: by version and variant where they are in place, by instants where they are not.

use super::{Fit, IMPLAUSIBLE_BITS, span_of};
use crate::dump::Kind;
use crate::id::{Id, Key, SqlGuid, Uuid, low_bits};
use std::collections::{BTreeMap, BTreeSet};

/// Odds against what is taken as impossible by chance: one in 2 to the power of this.
const CHANCE_BITS: f64 = 30.0;
/// The least share of ids that a counter explains: rows of others are still on their way.
const MOST_COUNTED: f64 = 0.75;
/// The least share of neighbours that ascend where one writer's fractions do.
const MOST_ASCEND: f64 = 0.9;

/// The schemes that the UUIDs may be of.
pub fn fits(ids: &[u128]) -> Vec<Fit> {
    let mut found = Vec::new();
    let all = |test: &dyn Fn(Uuid) -> bool| ids.iter().all(|id| test(Uuid(*id)));
    let variant = all(&|id| id.variant() == 2);
    let version = |version| variant && all(&|id| id.version() == version);
    if version(4) {
        let combs = combs(ids);
        // Of random bits each is an instant of these decades with odds of 1 in 180 at most.
        if combs.is_empty() || 7.5 * (ids.len() as f64) < CHANCE_BITS {
            found.extend(fit(
                ids,
                "uuid_v4",
                Kind::Uuid,
                "version 4, variant of RFC 9562",
            ));
        }
        found.extend(combs);
    }
    if version(1) {
        found.extend(fit(
            ids,
            "uuid_v1",
            Kind::Uuid,
            "version 1, variant of RFC 9562",
        ));
    }
    if version(6) {
        found.extend(fit(
            ids,
            "uuid_v6",
            Kind::Uuid,
            "version 6, variant of RFC 9562",
        ));
    }
    if version(7) {
        for (tail, why) in tails(ids) {
            let spec = if tail == "random" {
                "uuid_v7".to_owned()
            } else {
                format!("uuid_v7:tail={tail}")
            };
            found.extend(fit(ids, &spec, Kind::Uuid, &format!("version 7, {why}")));
        }
    }
    let mut unmarked = Vec::new();
    if variant && all(&|id| id.0 >> 124 == 1) {
        let why = "version 1 in the first four bits: its time is in order";
        unmarked.extend(fit(ids, "uuid_v1_swapped", Kind::Uuid, why));
    }
    if variant && all(&|id| SqlGuid::from(id).key().field(60, 4) == 1) {
        let why = "version 1 with the bytes of its first groups turned round";
        unmarked.extend(fit(ids, "newsequentialid", Kind::SqlGuid, why));
    }
    unmarked.retain(Fit::plausible);
    found.extend(unmarked);
    if found.is_empty() {
        let why = "no version and variant, but the first 48 bits are instants";
        let ulids = fit(ids, "ulid", Kind::Uuid, why).filter(Fit::plausible);
        found.extend(ulids.map(|fit| Fit {
            also: vec!["scru128"],
            ..fit
        }));
    }
    found
}

/// The COMBs that version 4 UUIDs may be.
fn combs(ids: &[u128]) -> Vec<Fit> {
    const TICKS_OF_A_DAY: u128 = 86_400 * 300;
    let ticks = |id: &u128| SqlGuid::from(Uuid(*id)).key().field(80, 32);
    let of_day = ids.iter().all(|id| ticks(id) < TICKS_OF_A_DAY);
    let specs = [("comb", of_day), ("comb:time=unix_ms", true)];
    let why = "version 4, and the last 6 bytes are instants";
    let combs = specs.iter().filter(|(_, may_be)| *may_be);
    let combs = combs.filter_map(|(spec, _)| fit(ids, spec, Kind::SqlGuid, why));
    combs.filter(Fit::plausible).collect()
}

/// A fit with its instants; if they are not plausible, it counts for little.
fn fit(ids: &[u128], spec: &str, kind: Kind, why: &str) -> Option<Fit> {
    let turned = ids.iter().map(|id| match kind {
        Kind::SqlGuid => SqlGuid::from(Uuid(*id)).key(),
        _ => *id,
    });
    let keys: Vec<u128> = turned.collect();
    let (span, plausible) = span_of(spec, &keys)?;
    let but = if plausible {
        ""
    } else {
        "; its instants are not plausible"
    };
    Some(Fit {
        spec: spec.to_owned(),
        also: Vec::new(),
        kind,
        bits: if plausible { 0.0 } else { IMPLAUSIBLE_BITS },
        span,
        is_future: false,
        why: format!("{why}{but}"),
    })
}

/// The tails that version 7 UUIDs may have, each with its reason.
///
/// - `counter` puts small numbers into rand_a, where the others have 12 random bits (at first).
/// - Those that count from a random start leave the highest bit of rand_a free.
/// - A counter of 42 bits goes on by 1 within a millisecond; random steps move it by 0 or 1.
/// - Fractions of a millisecond ascend as one writer's ids do; those of several cannot be told
///   from random bits.
fn tails(ids: &[u128]) -> Vec<(&'static str, &'static str)> {
    let count = ids.len() as f64;
    let few = count <= CHANCE_BITS;
    let rand_a = |id: &u128| id.field(64, 12);
    let mut ticks: BTreeMap<u128, BTreeSet<u128>> = BTreeMap::new();
    let mut counts: BTreeSet<(u128, u128)> = BTreeSet::new();
    for id in ids {
        ticks
            .entry(id >> 80)
            .or_default()
            .insert(rand_a(id) << 62 | low_bits(*id, 62));
        counts.insert((id >> 80, rand_a(id)));
    }
    let mut found = Vec::new();
    let counted = |id: &&u128| {
        let before = rand_a(id).checked_sub(1);
        before.is_none_or(|before| counts.contains(&(**id >> 80, before)))
    };
    if ids.iter().filter(counted).count() as f64 > MOST_COUNTED * count {
        found.push(("counter", "rand_a counts from 0"));
        // Each is so with odds of less than 1 in 1,000.
        if 10.0 * count > CHANCE_BITS {
            return found;
        }
    }
    // Neighbours within a millisecond that one counter may have made.
    let (mut by_one, mut by_none) = (0, 0);
    for tails in ticks.values() {
        let sorted: Vec<_> = tails.iter().collect();
        for pair in sorted.windows(2) {
            match (pair[1] >> 32) - (pair[0] >> 32) {
                0 => by_none += 1,
                1 => by_one += 1,
                _ => {}
            }
        }
    }
    let free = ids.iter().all(|id| rand_a(id) < 2048);
    let pairs = by_none + by_one > 0;
    if pairs || free {
        if by_none == 0 {
            found.push((
                "counter42",
                "a counter from a random start: one bit is free, and steps are 1",
            ));
        }
        if by_none > 0 || f64::from(by_one) < CHANCE_BITS {
            found.push((
                "monotonic",
                "a random start and random steps: one bit is free",
            ));
        }
        if pairs || !few {
            return found;
        }
    }
    let (up, down) = within_ticks(ids);
    if f64::from(up + down) < CHANCE_BITS || f64::from(up) < MOST_ASCEND * f64::from(up + down) {
        found.insert(0, ("random", "rand_a and rand_b look random"));
        found.push((
            "fraction",
            "fractions of a millisecond by several writers look random",
        ));
    } else {
        found.push(("fraction", "rand_a ascends within a millisecond"));
    }
    found
}

/// Neighbours in arrival of one millisecond, by whether rand_a ascends or descends.
fn within_ticks(ids: &[u128]) -> (u32, u32) {
    let (mut up, mut down) = (0, 0);
    for pair in ids.windows(2).filter(|pair| pair[0] >> 80 == pair[1] >> 80) {
        match pair[0].field(64, 12).cmp(&pair[1].field(64, 12)) {
            std::cmp::Ordering::Less => up += 1,
            std::cmp::Ordering::Greater => down += 1,
            std::cmp::Ordering::Equal => {}
        }
    }
    (up, down)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn specs(ids: &[&str]) -> Vec<String> {
        let ids: Vec<u128> = ids.iter().map(|id| id.parse::<Uuid>().unwrap().0).collect();
        fits(&ids).into_iter().map(|fit| fit.spec).collect()
    }

    #[test]
    fn published_uuids_are_told_by_their_bits() {
        assert_eq!(
            specs(&["C232AB00-9414-11EC-B3C8-9F6BDECED846"]),
            ["uuid_v1"]
        );
        assert_eq!(
            specs(&["1EC9414C-232A-6B00-B3C8-9F6BDECED846"]),
            ["uuid_v6"]
        );
        assert_eq!(
            specs(&["919108F7-52D1-4320-9BAC-F847DB4148A8"]),
            ["uuid_v4"]
        );
        assert_eq!(
            specs(&["11EC9414C232AB00B3C89F6BDECED846"]),
            ["uuid_v1_swapped"]
        );
        assert_eq!(
            specs(&["63DD0AD3-A111-DD11-B2EB-005056AE063C"]),
            ["newsequentialid"]
        );
        let v7 = specs(&["017F22E2-79B0-7CC3-98C4-DC0C0C07398F"]);
        assert_eq!(v7, ["uuid_v7", "uuid_v7:tail=fraction"]);
    }

    #[test]
    fn versions_that_differ_are_no_scheme() {
        let mixed = [
            "C232AB00-9414-11EC-B3C8-9F6BDECED846",
            "919108F7-52D1-4320-9BAC-F847DB4148A8",
        ];
        assert_eq!(specs(&mixed), [""; 0]);
    }
}
