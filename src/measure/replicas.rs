//! Several runs of one thing, which differ in their seed, as one.

use crate::record::{Number, Row};

/// The rows of `runs` as one run's: means between the least and the most of all, in the order of
/// the first. What one of the runs lacks, as a quantile of nothing, is left out; one run stays as
/// it is.
pub fn replicas(mut runs: Vec<Vec<Row>>) -> Vec<Row> {
    if runs.len() < 2 {
        return runs.pop().unwrap_or_default();
    }
    let first = runs[0].clone();
    let merged = first.into_iter().filter_map(|row| {
        let same = |other: &&Row| {
            (&other.measure, &other.params, &other.x) == (&row.measure, &row.params, &row.x)
        };
        let found = runs.iter().map(|run| run.iter().find(same));
        let all: Vec<&Row> = found.collect::<Option<_>>()?;
        let values = all.iter().map(|row| row.value.as_f64());
        let mean = values.sum::<f64>() / all.len() as f64;
        let low = all.iter().map(|row| row.low.unwrap_or(row.value).as_f64());
        let high = all.iter().map(|row| row.high.unwrap_or(row.value).as_f64());
        Some(Row {
            value: Number::Real(mean),
            low: low.reduce(f64::min).map(Number::Real),
            high: high.reduce(f64::max).map(Number::Real),
            samples: all.iter().map(|row| row.samples).sum(),
            ..row.clone()
        })
    });
    merged.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Measured, Rows};
    use crate::record::Parameters;

    const COUNT: Measured = Measured {
        name: "count",
        unit: "rows",
        about: "",
    };

    fn run(values: &[u64]) -> Vec<Row> {
        let mut rows = Rows::new("run", "scheme", "", Parameters::new());
        for (x, value) in (0u64..).zip(values) {
            rows.point(&COUNT, x, *value);
        }
        rows.into_rows()
    }

    #[test]
    fn means_stand_between_least_and_most_and_gaps_are_left_out() {
        let merged = replicas(vec![run(&[1, 10, 5]), run(&[3, 20]), run(&[5, 60])]);
        let found = merged.iter().map(|row| {
            let bound = |bound: Option<Number>| bound.map(|number| number.as_f64());
            (
                row.value.as_f64(),
                bound(row.low),
                bound(row.high),
                row.samples,
            )
        });
        let expected = [
            (3.0, Some(1.0), Some(5.0), 3),
            (30.0, Some(10.0), Some(60.0), 3),
        ];
        assert!(found.eq(expected));
        assert_eq!(replicas(vec![run(&[1, 2])]), run(&[1, 2]));
        assert!(replicas(Vec::new()).is_empty());
    }
}
