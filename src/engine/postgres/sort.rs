//! The engine's quicksort, for what it does with equals.
//!
//! Split points are sorted by imbalance and the first is taken. Where two are
//! equally good, the outcome is whatever the sort leaves first, so the sort
//! itself is part of the rule: Bentley and McIlroy, Engineering a Sort Function,
//! Software: Practice and Experience 23 (1993), as PostgreSQL runs it, with a
//! check for sorted input before each partition and no sampling below 8 items.

/// Sorts by `key` with the engine's order among equals.
pub(super) fn sort<T: Copy>(items: &mut [T], key: impl Fn(&T) -> i32 + Copy) {
    let len = items.len();
    if items.is_sorted_by_key(key) {
        return;
    }
    if len < 7 {
        for end in 1..len {
            let mut at = end;
            while at > 0 && key(&items[at - 1]) > key(&items[at]) {
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    items.swap(0, pivot(items, key));
    // Equal items gather at both ends, less ones before `low`, greater ones after `high`.
    let bound = key(&items[0]);
    let (mut equal_low, mut low) = (1, 1);
    let (mut high, mut equal_high) = (len, len);
    loop {
        while low < high && key(&items[low]) <= bound {
            if key(&items[low]) == bound {
                items.swap(equal_low, low);
                equal_low += 1;
            }
            low += 1;
        }
        while low < high && key(&items[high - 1]) >= bound {
            if key(&items[high - 1]) == bound {
                equal_high -= 1;
                items.swap(high - 1, equal_high);
            }
            high -= 1;
        }
        if low == high {
            break;
        }
        items.swap(low, high - 1);
        low += 1;
        high -= 1;
    }
    let (less, greater) = (low - equal_low, equal_high - high);
    let moved = equal_low.min(less);
    (0..moved).for_each(|i| items.swap(i, low - moved + i));
    let moved = (len - equal_high).min(greater);
    (0..moved).for_each(|i| items.swap(low + i, len - moved + i));
    sort(&mut items[..less], key);
    sort(&mut items[len - greater..], key);
}

/// The middle item, the median of three, or that of three such medians.
fn pivot<T>(items: &[T], key: impl Fn(&T) -> i32) -> usize {
    let median = |a: usize, b: usize, c: usize| {
        let [ka, kb, kc] = [a, b, c].map(|at| key(&items[at]));
        match ka < kb {
            true if kb < kc => b,
            true => if ka < kc { c } else { a },
            false if kb > kc => b,
            false => if ka > kc { c } else { a },
        }
    };
    let (first, middle, last) = (0, items.len() / 2, items.len() - 1);
    match items.len() {
        ..8 => middle,
        8..=40 => median(first, middle, last),
        len => {
            let step = len / 8;
            median(
                median(first, first + step, first + 2 * step),
                median(middle - step, middle, middle + step),
                median(last - 2 * step, last - step, last),
            )
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_sorts(items in prop::collection::vec(-20i32..20, 0..300)) {
            let mut sorted = items.clone();
            sort(&mut sorted, |item| *item);
            let mut expected = items;
            expected.sort_unstable();
            prop_assert_eq!(sorted, expected);
        }
    }
}
