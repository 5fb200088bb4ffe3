//! How many ids there are in gaps that are not seen, from gaps that are.
//!
//! If each id is seen with the same odds, whatever else there is of it, then the unseen ones from
//! any place on up to the next that is seen are geometrically distributed: all gaps are alike, at
//! steady rates and in bursts, of busy workers and of idle ones. Given the unseen ids of all gaps
//! together, any way to divide them is equally likely, so that those of some gaps have the negative
//! hypergeometric distribution, without any parameter.

use crate::inspect::Estimate;
use crate::inspect::estimate::{is_rare, last_whole};

/// From so many ids on, drawing some makes no difference to the others.
const MANY: f64 = 1e11;

/// The unseen ids in `gaps` further ones, from the `unseen` ids in those that are `known`.
/// Gaps of the same worker that overlap, before and after the only id of it, are one.
///
/// The interval has the numbers that the test of gaps that are alike does not reject (Thatcher
/// 1964; [`is_rare`]). As gaps are known up to a place, not up to an id, the last is known in part:
/// the test is half that without it and half that with it as a whole one.
pub fn further(gaps: u64, known: u64, unseen: u64) -> Estimate {
    if gaps == 0 {
        // None that ends with an id: the odds are not told.
        return Estimate {
            high: f64::INFINITY,
            ..Estimate::exact(0.0)
        };
    }
    // P(fewer than `found`) + ½ P(`found`), if there are `more`: by so many known gaps, and
    // by the mean of those without and with the last.
    let of = |known: u64, more: u64, found: u64| {
        let tail = |up_to| at_most(up_to, gaps, known, unseen.saturating_add(more));
        (tail(Some(found)) + tail(found.checked_sub(1))) / 2.0
    };
    let mid = |more, found| (of(known, more, found) + of(known + 1, more, found)) / 2.0;
    let too_few = |more: u64| {
        let all = of(known + 1, more, unseen.saturating_add(more));
        is_rare(mid(more, more), 1.0 - all)
    };
    let too_many = |more: u64| is_rare(1.0 - mid(more, more), mid(more, 0));
    let low = match too_few(0) {
        true => last_whole(0, too_few).map(|last| last + 1),
        false => Some(0),
    };
    let least_high = low.unwrap_or(0);
    let high = match too_many(least_high) {
        true => low,
        false => last_whole(least_high, |more| !too_many(more)),
    };
    let [low, high] = [low, high].map(|end| end.map_or(f64::INFINITY, |end| end as f64));
    let value = unseen as f64 * gaps as f64 / (known as f64 + 0.5);
    Estimate {
        value: value.clamp(low, high),
        low,
        high,
    }
}

/// P(at most `up_to` in `gaps`) of `all` in these and `known` ones.
///
/// They are as many if the last of these gaps ends with one of the first `up_to` + `gaps` ids:
/// as many of the ends of gaps are among these, of all ids and ends but the last.
fn at_most(up_to: Option<u64>, gaps: u64, known: u64, all: u64) -> f64 {
    let Some(up_to) = up_to.filter(|_| known > 0) else {
        return 0.0;
    };
    let (drawn, ends, all) = ((up_to + gaps) as f64, (gaps + known - 1) as f64, all as f64);
    let places = all + ends;
    let choose =
        |n: f64, k: f64| libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    // Of i ends among those drawn: its probability, and that of i + 1 by it.
    let ln_chance = |i: f64| match places < MANY {
        true => choose(ends, i) + choose(all, drawn - i) - choose(places, drawn),
        false => {
            let share = drawn / places;
            choose(ends, i) + i * libm::log(share) + (ends - i) * libm::log1p(-share)
        }
    };
    let ratio = |i: f64| match places < MANY {
        true => (ends - i) / (i + 1.0) * (drawn - i) / (all - drawn + i + 1.0),
        false => (ends - i) / (i + 1.0) * drawn / (places - drawn),
    };
    let (least, most) = ((drawn - all).max(0.0), drawn.min(ends));
    let gaps = gaps as f64;
    if least >= gaps || most < gaps {
        return if least >= gaps { 1.0 } else { 0.0 };
    }
    // The smaller tail from its end at `gaps` outwards.
    let mode = libm::floor((drawn + 1.0) * (ends + 1.0) / (places + 2.0));
    let mut sum = 0.0;
    if mode < gaps {
        let (mut i, mut chance) = (gaps, libm::exp(ln_chance(gaps)));
        while i <= most && chance > sum * 1e-16 {
            sum += chance;
            chance *= ratio(i);
            i += 1.0;
        }
        return sum;
    }
    let (mut i, mut chance) = (gaps - 1.0, libm::exp(ln_chance(gaps - 1.0)));
    while i >= least && chance > sum * 1e-16 {
        sum += chance;
        chance /= ratio(i - 1.0);
        i -= 1.0;
    }
    1.0 - sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 3 ids in 2 + 2 gaps: 0 to 3 in the first two in 4, 6, 6 and 4 of 20 ways.
    #[test]
    fn ids_are_divided_in_any_way_alike() {
        for (up_to, ways) in [(0, 4.0), (1, 10.0), (2, 16.0), (3, 20.0)] {
            let found = at_most(Some(up_to), 2, 2, 3);
            assert!((found - ways / 20.0).abs() < 1e-12, "{up_to}: {found}");
        }
        assert_eq!(
            (at_most(None, 2, 2, 3), at_most(Some(3), 2, 0, 3)),
            (0.0, 0.0)
        );
    }

    #[test]
    fn tails_are_sums_of_the_distribution() {
        // C(x + a - 1, x) C(t - x + b - 1, t - x) / C(t + a + b - 1, t)
        let ln_choose = |n: f64, k: f64| {
            libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0)
        };
        for (a, b, t) in [
            (1u64, 1u64, 50u64),
            (7, 30, 400),
            (78, 760, 9000),
            (40, 3, 100),
        ] {
            let mut sum = 0.0;
            for x in 0..=t {
                let (af, bf, tf, xf) = (a as f64, b as f64, t as f64, x as f64);
                let ln = ln_choose(xf + af - 1.0, xf) + ln_choose(tf - xf + bf - 1.0, tf - xf)
                    - ln_choose(tf + af + bf - 1.0, tf);
                sum += libm::exp(ln);
                let found = at_most(Some(x), a, b, t);
                assert!(
                    (found - sum).abs() < 1e-8,
                    "{a} {b} {t} {x}: {found}, {sum}"
                );
            }
        }
    }

    /// On both sides of the approximation.
    #[test]
    fn huge_numbers_are_in_proportion() {
        let [small, large] = [9_000_000, 9_000_000_000_000].map(|unseen| {
            let found = further(10, 90, unseen);
            [found.low, found.value, found.high].map(|end| end / unseen as f64)
        });
        for (small, large) in small.into_iter().zip(large) {
            assert!((small / large - 1.0).abs() < 1e-4, "{small} {large}");
        }
    }

    #[test]
    fn without_known_gaps_nothing_is_told() {
        assert_eq!(further(0, 5, 3).high, f64::INFINITY);
        let found = further(3, 0, 0);
        assert_eq!((found.low, found.high), (0.0, f64::INFINITY));
        assert_eq!(further(2, 100, 0).high, 0.0);
    }
}
