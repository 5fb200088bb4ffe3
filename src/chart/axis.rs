//! Axes: where a value lies between 0 and 1, and the ticks beside it.

/// A number to three digits with its magnitude: `1.5k`, `100k`, `2M`.
pub(super) fn short(value: f64) -> String {
    let (unit, suffix) = match value.abs() {
        size if size >= 1e12 => (1e12, "T"),
        size if size >= 1e9 => (1e9, "G"),
        size if size >= 1e6 => (1e6, "M"),
        size if size >= 1e3 => (1e3, "k"),
        _ => (1.0, ""),
    };
    format!("{}{suffix}", plain(value / unit))
}

/// A number to three digits: `0.25`, `1500`; with an exponent if long otherwise.
pub(super) fn plain(value: f64) -> String {
    let value: f64 = format!("{value:.2e}").parse().unwrap_or(value);
    match value.abs() {
        size if size == 0.0 || (1e-3..1e6).contains(&size) => format!("{value}"),
        _ => format!("{value:e}"),
    }
}

/// A line across a panel, labelled or (between labels) not.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Tick {
    /// Place between 0 and 1.
    pub place: f64,
    /// Text beside it.
    pub label: Option<String>,
}

/// A titled scale.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    /// Name and unit.
    pub title: String,
    /// Lines across, by ascending value.
    pub ticks: Vec<Tick>,
    log: bool,
    low: f64,
    high: f64,
}

impl Axis {
    /// Linear from 0 to a round number no less than `top`.
    pub fn linear(title: &str, top: f64, label: fn(f64) -> String) -> Self {
        let top = if top > 0.0 { top } else { 1.0 };
        let power = ten_to(libm::floor(libm::log10(top / 5.0)));
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .map(|digit| digit * power)
            .into_iter()
            .find(|step| step * 5.0 >= top);
        let step = step.unwrap_or(top);
        let steps = libm::ceil(top / step * (1.0 - 1e-9)).clamp(1.0, 10.0);
        let ticks = (0..=steps as u32).map(f64::from);
        let ticks = ticks
            .map(|i| Tick {
                place: i / steps,
                label: Some(label(i * step)),
            })
            .collect();
        Self {
            title: title.to_owned(),
            ticks,
            log: false,
            low: 0.0,
            high: steps * step,
        }
    }

    /// Linear between round numbers around `low` and `high`, which are finite, and 0.
    pub fn around(title: &str, low: f64, high: f64, label: fn(f64) -> String) -> Self {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let unit = Self::linear(title, high - low, label);
        let steps = (unit.ticks.len() - 1) as f64;
        let step = unit.high / steps;
        let first = libm::floor(low / step * (1.0 - 1e-9));
        let last = libm::ceil(high / step * (1.0 - 1e-9)).max(first + 1.0);
        let ticks = (first as i64..=last as i64).map(|i| Tick {
            place: (i as f64 - first) / (last - first),
            label: Some(label(i as f64 * step)),
        });
        Self {
            title: title.to_owned(),
            ticks: ticks.collect(),
            log: false,
            low: first * step,
            high: last * step,
        }
    }

    /// Linear from `low` to `high`, `low` being the smaller, with ticks at multiples of a round number.
    pub fn between(title: &str, low: f64, high: f64, label: fn(f64) -> String) -> Self {
        let unit = Self::linear(title, (high - low) / 2.0, label);
        let step = unit.high / (unit.ticks.len() - 1) as f64;
        let first = libm::ceil(low / step * (1.0 - 1e-9));
        let ticks = (0..20).map(|i| (first + f64::from(i)) * step);
        let ticks = ticks.take_while(|value| *value <= high * (1.0 + 1e-9));
        Self {
            title: title.to_owned(),
            ticks: ticks
                .map(|value| Tick {
                    place: (value - low) / (high - low),
                    label: Some(label(value)),
                })
                .collect(),
            log: false,
            low,
            high,
        }
    }

    /// Logarithmic over the positive of `values`, out to digits 1, 2 or 5; none
    /// if none is positive.
    pub fn log(title: &str, values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let positive = values
            .into_iter()
            .filter(|value| *value > 0.0 && value.is_finite());
        let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        if high == 0.0 {
            return None;
        }
        let (first, last) = (
            libm::floor(libm::log10(low)),
            libm::floor(libm::log10(high)) + 1.0,
        );
        let decades = (first as i32..=last as i32).map(f64::from);
        let round: Vec<f64> = decades
            .clone()
            .flat_map(|power| [1.0, 2.0, 5.0].map(|d| d * ten_to(power)))
            .collect();
        let mut below = round
            .iter()
            .copied()
            .rfind(|v| *v <= low * (1.0 + 1e-9))
            .unwrap_or(low);
        let mut above = round
            .iter()
            .copied()
            .find(|v| *v >= high * (1.0 - 1e-9))
            .unwrap_or(high);
        if below == above {
            (below, above) = (below / 2.0, above * 2.0);
        }
        let mut axis = Self {
            title: title.to_owned(),
            ticks: Vec::new(),
            log: true,
            low: below,
            high: above,
        };
        let span = libm::log10(above / below);
        let every = libm::ceil(span / 8.0).max(1.0);
        for power in decades {
            for digit in 1..=9_u8 {
                let value = f64::from(digit) * ten_to(power);
                let labelled = (digit == 1 && power % every == 0.0)
                    || (span < 2.0 && [1, 2, 5].contains(&digit));
                if (below * (1.0 - 1e-9)..=above * (1.0 + 1e-9)).contains(&value)
                    && (labelled || span < 4.5)
                {
                    axis.ticks.push(Tick {
                        place: axis.place(value),
                        label: labelled.then(|| short(value)),
                    });
                }
            }
        }
        Some(axis)
    }

    /// Place of `value` between 0 and 1.
    pub fn place(&self, value: f64) -> f64 {
        let place = if self.log {
            libm::log10(value.max(self.low) / self.low) / libm::log10(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        place.clamp(0.0, 1.0)
    }
}

fn ten_to(power: f64) -> f64 {
    libm::pow(10.0, power)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> Vec<&str> {
        axis.ticks
            .iter()
            .filter_map(|tick| tick.label.as_deref())
            .collect()
    }

    #[test]
    fn numbers_are_short() {
        let texts = [
            0.0, 0.5, 10.0, 999.0, 1e3, 1500.0, 1e5, 1e6, 2.5e6, 15_625.0,
        ]
        .map(short);
        assert_eq!(
            texts,
            [
                "0", "0.5", "10", "999", "1k", "1.5k", "100k", "1M", "2.5M", "15.6k"
            ]
        );
        assert_eq!(
            [1500.0, 0.1 + 0.2, 1.5e-4, 2e7].map(plain),
            ["1500", "0.3", "1.5e-4", "2e7"]
        );
    }

    #[test]
    fn linear_axes_end_on_round_numbers() {
        assert_eq!(
            labels(&Axis::linear("", 1e6, short)),
            ["0", "200k", "400k", "600k", "800k", "1M"]
        );
        assert_eq!(
            labels(&Axis::linear("", 100.0, plain)),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(
            labels(&Axis::linear("", 0.0, plain)),
            ["0", "0.2", "0.4", "0.6", "0.8", "1"]
        );
        assert_eq!(Axis::linear("", 10.0, plain).place(5.0), 0.5);
    }

    #[test]
    fn axes_around_0_and_between_numbers_have_round_ticks() {
        let around = |low, high| Axis::around("", low, high, plain);
        assert_eq!(
            labels(&around(-1000.0, 3.0)),
            ["-1000", "-750", "-500", "-250", "0", "250"]
        );
        assert_eq!(
            labels(&around(0.0, 100.0)),
            ["0", "20", "40", "60", "80", "100"]
        );
        assert_eq!(
            labels(&around(-0.4, -0.2)),
            ["-0.4", "-0.3", "-0.2", "-0.1", "0"]
        );
        assert!((around(-100.0, 100.0).place(0.0) - 0.5).abs() < 1e-9);
        assert!(labels(&around(0.0, 0.0)).len() > 1);
        let minute = Axis::between("", 45.0, 105.0, plain);
        assert_eq!(labels(&minute), ["50", "60", "70", "80", "90", "100"]);
        assert!((minute.place(60.0) - 0.25).abs() < 1e-9);
        for extreme in [f64::MIN_POSITIVE, 1e-320, 1e300] {
            assert!(!around(-extreme, extreme).ticks.is_empty());
        }
    }

    #[test]
    fn log_axes_label_decades_or_digits() {
        let axis = |values: &[f64]| Axis::log("", values.iter().copied());
        assert_eq!(
            labels(&axis(&[1.0, 1e4]).unwrap()),
            ["1", "10", "100", "1k", "10k"]
        );
        assert_eq!(
            labels(&axis(&[12.0, 180.0]).unwrap()),
            ["10", "20", "50", "100", "200"]
        );
        assert_eq!(axis(&[0.0, -1.0, f64::NAN]).map(|axis| axis.title), None);
        let one = axis(&[1000.0]).unwrap();
        assert!((one.place(1000.0) - 0.5).abs() < 1e-9);
        for extreme in [f64::MIN_POSITIVE, 1e-320, f64::MAX] {
            assert!(axis(&[extreme, 1.0]).is_some());
            assert!(!Axis::linear("", extreme, short).ticks.is_empty());
        }
    }
}
