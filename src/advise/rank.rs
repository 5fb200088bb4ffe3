//! Places of options that fit: those that differ by no more than a run can tell share one.

use super::Verdict;

/// A figure by which options are ranked, the smaller the better, and what is no difference in it.
#[derive(Clone, Copy, Debug)]
pub struct Criterion {
    figure: fn(&Verdict) -> f64,
    /// Figures are equal that are above the least by no more than this share of it, in per cent,
    pub percent: u32,
    /// or by no more than so many hundredths.
    pub hundredths: u32,
}

/// Pages that an insert reads.
pub const READS: Criterion = Criterion {
    figure: |verdict| (verdict.cost.as_ref()).map_or(0.0, |cost| cost.reads_per_insert),
    percent: 10,
    hundredths: 2,
};

/// Visits to a centre that an id costs.
pub const VISITS: Criterion = Criterion {
    figure: |verdict| verdict.visits_per_id,
    percent: 10,
    hundredths: 2,
};

/// Bytes of index a row: a load of another length, seed or rate moves them by a tenth and more.
pub const BYTES: Criterion = Criterion {
    figure: |verdict| (verdict.cost.as_ref()).map_or(0.0, |cost| cost.index_bytes_per_row),
    percent: 25,
    hundredths: 0,
};

/// What an option needs beside its ids.
const PARTS: Criterion = Criterion {
    figure: |verdict| verdict.parts.into(),
    percent: 0,
    hundredths: 0,
};

impl Criterion {
    /// The largest figure that equals `least`.
    fn equal_to(&self, least: f64) -> f64 {
        let share = least * f64::from(self.percent) / 100.0;
        least + share.max(f64::from(self.hundredths) / 100.0)
    }
}

/// Puts the best first, equals in the order of the candidates, and sets all places: one more
/// than there are better options.
pub fn rank(options: &mut [Verdict]) {
    let mut better = 0;
    arrange(options, &[READS, VISITS, BYTES, PARTS], &mut |equals| {
        equals.sort_by_key(|verdict| verdict.candidate);
        for verdict in equals.iter_mut() {
            verdict.rank = Some(better + 1);
        }
        better += equals.len() as u64;
    });
}

/// Sorts by the first criterion, then what is equal in it by the next; hands on what is equal
/// in all of them.
fn arrange(
    mut options: &mut [Verdict],
    criteria: &[Criterion],
    each: &mut dyn FnMut(&mut [Verdict]),
) {
    let Some((criterion, further)) = criteria.split_first() else {
        return each(options);
    };
    let figure = criterion.figure;
    options.sort_by(|a, b| figure(a).total_cmp(&figure(b)));
    while let Some(least) = options.first().map(figure) {
        let most = criterion.equal_to(least);
        let equals = options.partition_point(|verdict| figure(verdict) <= most);
        let (equals, rest) = options.split_at_mut(equals.max(1));
        arrange(equals, further, each);
        options = rest;
    }
}
