//! Dates of any year: what a wide timestamp lasts until lies beyond the calendars of most
//! libraries.

use jiff::ToSpan;
use jiff::civil::Date;

const NS_PER_DAY: i128 = 86_400_000_000_000;
/// Days of 400 years, after which the Gregorian calendar repeats itself.
const CYCLE_DAYS: i128 = 146_097;

/// The day in UTC of an instant, in nanoseconds since the Unix epoch: `2080-07-10`; without
/// leap seconds, as Unix time is.
pub fn date(unix_ns: i128) -> String {
    let days = unix_ns.div_euclid(NS_PER_DAY);
    let (cycles, day) = (days.div_euclid(CYCLE_DAYS), days.rem_euclid(CYCLE_DAYS));
    let first = Date::constant(1970, 1, 1);
    // All of the cycle that begins in 1970 is in the library's range.
    let date = first.saturating_add((day as i64).days());
    let year = i128::from(date.year()) + 400 * cycles;
    format!("{year:04}-{:02}-{:02}", date.month(), date.day())
}

/// Day and time in UTC, to the second: `2080-07-10 17:30:30`.
pub fn time(unix_ns: i128) -> String {
    let second = unix_ns.rem_euclid(NS_PER_DAY) / 1_000_000_000;
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{} {hour:02}:{minute:02}:{:02}", date(unix_ns), second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_ends() {
        let ms = |ms: i128| time(ms * 1_000_000);
        assert_eq!(ms(0), "1970-01-01 00:00:00");
        assert_eq!(ms(-1), "1969-12-31 23:59:59");
        assert_eq!(ms((1 << 48) - 1), "10889-08-02 05:31:50");
        assert_eq!(
            ms((1_400_000_000 + (1 << 32) - 1) * 1000),
            "2150-06-19 23:21:35"
        );
        assert_eq!(ms(951_782_400_000), "2000-02-29 00:00:00");
        assert_eq!(date(4_107_542_400 * 1_000_000_000), "2100-03-01");
        // The Gregorian epoch of RFC 9562.
        assert_eq!(ms(-12_219_292_800_000), "1582-10-15 00:00:00");
        assert!(date(i128::MAX).len() > 20);
        assert!(date(i128::MIN).starts_with('-'));
    }

    proptest! {
        #[test]
        fn days_are_the_library_s(seconds in -60_000_000_000i64..250_000_000_000) {
            let expected = jiff::Timestamp::from_second(seconds).unwrap();
            let text = time(i128::from(seconds) * 1_000_000_000);
            prop_assert_eq!(text, expected.strftime("%Y-%m-%d %H:%M:%S").to_string());
        }
    }
}
