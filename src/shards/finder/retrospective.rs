//! TiKV's finder: ten seconds of samples, judged afterwards.

use super::{Counts, Refusal, below, best};
use rand::Rng;

const SECONDS: usize = 10;
const SAMPLES: usize = 20;
/// Of TiKV's source, not of its documentation.
const MIN_POOL: usize = 100;
const BELOW_BALANCE: f64 = 0.8;

/// The last ten seconds, 20 spans of each.
///
/// Some spans of the pool are drawn as candidates, and all of the pool judge their start and
/// end keys: a key is judged by what came before it too.
#[derive(Clone, Debug, Default)]
pub struct Retrospective {
    pool: Vec<(u128, u128)>,
    seconds: usize,
    /// Where the current second's spans begin in the pool.
    second: usize,
    seen: u64,
}

impl Retrospective {
    /// Nothing seen.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sees one request of the current second.
    #[inline]
    pub fn record(&mut self, start: u128, end: u128, random: &mut impl Rng) {
        let seen = self.seen;
        self.seen += 1;
        if seen < SAMPLES as u64 {
            self.pool.push((start, end));
        } else {
            let slot = below(random, seen);
            if slot < SAMPLES as u64 {
                self.pool[self.second + slot as usize] = (start, end);
            }
        }
    }

    /// The current second is over.
    pub fn end_of_second(&mut self) {
        self.seconds += 1;
        self.second = self.pool.len();
        self.seen = 0;
    }

    /// Ten seconds are over: decide, then begin anew.
    pub fn is_ready(&self) -> bool {
        self.seconds >= SECONDS
    }

    /// The key to cut at.
    ///
    /// # Errors
    /// Not ready, fewer than 100 spans, one key alone, or no candidate has a balance below 0.8 and a
    /// contained share below 0.5.
    pub fn decide(&self, random: &mut impl Rng) -> Result<u128, Refusal> {
        let pool = &self.pool[..self.second];
        if !self.is_ready() || pool.len() < MIN_POOL {
            return Err(Refusal::TooFewSamples);
        }
        let mut spans = pool.to_vec();
        for place in 0..SAMPLES {
            let left = (spans.len() - place) as u64;
            spans.swap(place, place + below(random, left) as usize);
        }
        let mut keys: Vec<u128> = Vec::with_capacity(2 * SAMPLES);
        for (start, end) in &spans[..SAMPLES] {
            keys.extend([*start, *end]);
        }
        keys.sort_unstable();
        keys.dedup();
        if keys.len() == 1 {
            return Err(Refusal::SingleKey);
        }
        best(
            keys.into_iter().map(|key| (key, judge(key, pool))),
            BELOW_BALANCE,
        )
    }
}

fn judge(key: u128, spans: &[(u128, u128)]) -> Counts {
    let mut counts = Counts::default();
    for &(start, end) in spans {
        if key <= start {
            counts.right += 1;
        } else if key < end {
            counts.contained += 1;
        } else {
            counts.left += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{below as below_u32, stream};
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// Ten seconds of these requests each.
    fn after_ten(requests: u64, span: impl Fn(u64) -> (u128, u128)) -> Result<u128, Refusal> {
        let (mut finder, mut random) = (Retrospective::new(), stream(1, "retrospective", 0));
        for request in 0..10 * requests {
            let (start, end) = span(request);
            finder.record(start, end, &mut random);
            if (request + 1) % requests == 0 {
                assert!(!finder.is_ready());
                assert_eq!(finder.decide(&mut random), Err(Refusal::TooFewSamples));
                finder.end_of_second();
            }
        }
        assert!(finder.is_ready() && finder.pool.len() <= 200);
        finder.decide(&mut random)
    }

    #[test]
    fn an_ascending_stream_is_cut_behind_its_end() {
        let cut = after_ten(3000, |request| (request.into(), request.into())).unwrap();
        assert!((10_000..20_000).contains(&cut), "{cut}");
    }

    #[test]
    fn a_hundred_spans_are_the_least() {
        let point = |request: u64| (u128::from(request), u128::from(request));
        assert_eq!(after_ten(9, point), Err(Refusal::TooFewSamples));
        assert!(after_ten(10, point).is_ok());
    }

    #[test]
    fn what_is_not_cut() {
        assert_eq!(after_ten(100, |_| (5, 5)), Err(Refusal::SingleKey));
        // Nine tenths of the requests are of the key 5: 0.8 of them more than of the others.
        let skewed = |request: u64| match request % 40 {
            39 => (9, 9),
            _ => (5, 5),
        };
        assert_eq!(after_ten(3000, skewed), Err(Refusal::Unbalanced));
        // Six tenths span all keys that are not at the ends.
        let spanning = |request: u64| match request % 10 {
            0..6 => (0, 1000),
            _ => (
                400 + u128::from(request % 100),
                400 + u128::from(request % 100),
            ),
        };
        assert_eq!(after_ten(3000, spanning), Err(Refusal::Spanning));
        let less = |request: u64| match request % 10 {
            0..3 => (0, 1000),
            _ => (
                400 + u128::from(request * 7 % 100),
                400 + u128::from(request * 7 % 100),
            ),
        };
        assert!((401..500).contains(&after_ten(3000, less).unwrap()));
    }

    /// The draw is from the requests before: the i-th (from 0) enters with 20 / i.
    #[test]
    fn a_second_is_sampled() {
        let mut random = stream(3, "second", 0);
        let mut kept = [0u32; 60];
        for _ in 0..20_000 {
            let mut finder = Retrospective::new();
            for key in 0..60 {
                finder.record(key, key, &mut random);
            }
            assert_eq!(finder.pool.len(), 20);
            for (key, _) in finder.pool {
                kept[key as usize] += 1;
            }
        }
        for (key, kept) in (0..).zip(kept) {
            // Kept at first, and not replaced by any later one.
            let enters = |i: u32| 20.0 / f64::from(i.max(20));
            let later = 20.max(key + 1)..60;
            let p = enters(key) * later.map(|i| 1.0 - enters(i) / 20.0).product::<f64>();
            let error = (f64::from(kept) / 20_000.0 - p).abs();
            assert!(
                error < 5.0 * (p * (1.0 - p) / 20_000.0).sqrt(),
                "{key}: {error}, {p}"
            );
        }
    }

    proptest! {
        #[test]
        fn it_is_the_literal_rule(
            seed: u64,
            keys in prop_oneof![1u32..5, 1u32..100, Just(u32::MAX)],
            width in prop_oneof![Just(0u32), 0u32..3, 0u32..100],
            requests in 8u64..50,
        ) {
            let mut requested = stream(seed, "requests", 0);
            let (mut fast, mut literal) = (stream(seed, "finder", 0), stream(seed, "finder", 0));
            let mut finder = Retrospective::new();
            let mut seconds = Vec::new();
            for _ in 0..10 {
                let mut second: Vec<(u128, u128)> = Vec::new();
                for n in 0..requests {
                    let start = u128::from(below_u32(&mut requested, keys));
                    let span = (start, start + u128::from(below_u32(&mut requested, width + 1)));
                    finder.record(span.0, span.1, &mut fast);
                    if n < 20 {
                        second.push(span);
                    } else {
                        let j = below_u32(&mut literal, n as u32) as usize;
                        if j < 20 {
                            second[j] = span;
                        }
                    }
                }
                finder.end_of_second();
                seconds.push(second);
            }
            let pooled: Vec<(u128, u128)> = seconds.concat();
            let mut drawn = pooled.clone();
            let mut candidates = BTreeSet::new();
            for i in 0..20usize {
                if pooled.len() < 100 {
                    break;
                }
                drawn.swap(i, i + below_u32(&mut literal, (pooled.len() - i) as u32) as usize);
                candidates.extend([drawn[i].0, drawn[i].1]);
            }
            let mut best: Option<(f64, u128)> = None;
            for key in candidates {
                let right = pooled.iter().filter(|&&(start, _)| key <= start).count() as f64;
                let inside = |&&(start, end): &&(u128, u128)| start < key && key < end;
                let contained = pooled.iter().filter(inside).count() as f64;
                let all = pooled.len() as f64;
                let left = all - right - contained;
                let (balance, contained) = ((left - right).abs() / (left + right), contained / all);
                let sum = balance + contained;
                if balance < 0.8 && contained < 0.5 && best.is_none_or(|(smallest, _)| sum < smallest) {
                    best = Some((sum, key));
                }
            }
            prop_assert_eq!(finder.decide(&mut fast).ok(), best.map(|(_, key)| key));
        }
    }
}
