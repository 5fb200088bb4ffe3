//! Lines of chrony's logs (`log` directive of chrony.conf): local less true time is the
//! offset of `tracking` and `statistics`, and less the offset of `measurements`.

use super::{Entry, LogFormat, Update, field, offset_ns, sd_ns};
use crate::clock::NS_PER_S;

pub(super) fn format(fields: &[&str]) -> Option<LogFormat> {
    date_time(fields)?;
    let formats = [
        LogFormat::Tracking,
        LogFormat::Statistics,
        LogFormat::Measurements,
    ];
    formats.into_iter().find(|format| {
        let (least, most) = format.fields();
        (least..=most).contains(&fields.len())
    })
}

pub(super) fn entry<'a>(
    format: LogFormat,
    fields: &[&'a str],
) -> Result<Option<Entry<'a>>, String> {
    let seconds = date_time(fields).ok_or_else(|| {
        let (date, time) = (field(fields, 0), field(fields, 1));
        format!(
            "{:?}, expected a date and a time such as 2026-01-31 23:59:59; remove the line",
            format!("{date} {time}")
        )
    })?;
    let at_ns = seconds.saturating_mul(NS_PER_S);
    let update = |error_ns, sd_ns| Update {
        at_ns,
        error_ns,
        sd_ns,
    };
    let name = "offset";
    let (source, leap, update) = match format {
        LogFormat::Tracking => {
            let error_ns = offset_ns(name, field(fields, 6))?;
            let sd_ns = sd_ns("standard deviation", field(fields, 9))?;
            ("", Some(field(fields, 7)), update(error_ns, sd_ns))
        }
        LogFormat::Statistics => {
            let error_ns = offset_ns(name, field(fields, 4))?;
            let sd_ns = sd_ns("standard deviation", field(fields, 5))?;
            (field(fields, 2), None, update(error_ns, sd_ns))
        }
        _ => {
            let error_ns = -offset_ns(name, field(fields, 11))?;
            let source = field(fields, 2);
            (source, Some(field(fields, 3)), update(error_ns, 0))
        }
    };
    match leap {
        Some("?") => Ok(None),
        None | Some("N" | "+" | "-") => Ok(Some(Entry { source, update })),
        Some(leap) => Err(format!(
            "leap status {leap:?}, expected N, +, - or ?; remove the line"
        )),
    }
}

/// Seconds since the Unix epoch.
fn date_time(fields: &[&str]) -> Option<u64> {
    let text = format!("{}T{}", fields.first()?, fields.get(1)?);
    let time: jiff::civil::DateTime = text.parse().ok()?;
    let instant = jiff::tz::TimeZone::UTC.to_timestamp(time).ok()?;
    u64::try_from(instant.as_second()).ok()
}
