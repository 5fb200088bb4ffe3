//! What was read of a dump, and what was skipped for what reason.

use super::{Kind, Lines};
use std::collections::BTreeMap;

/// What was read so far.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Lines.
    pub lines: u64,
    /// Ids among them.
    pub ids: u64,
    /// The lines that these are on.
    pub lines_of_ids: Lines,
    /// Lines skipped, by reason.
    pub skipped: BTreeMap<&'static str, u64>,
    /// The first line skipped that is neither empty nor a comment: number, reason and how it begins.
    pub first_skipped: Option<(u64, &'static str, String)>,
    /// Versions met, as bits, if the ids are UUIDs.
    pub(super) uuid_versions: u16,
}

impl Report {
    pub(super) fn skip(&mut self, line: u64, reason: &'static str, text: &[u8]) {
        *self.skipped.entry(reason).or_default() += 1;
        let earlier = self
            .first_skipped
            .as_ref()
            .is_some_and(|(first, ..)| *first <= line);
        if !earlier && !matches!(reason, EMPTY | COMMENT) {
            let begins: String = String::from_utf8_lossy(&text[..text.len().min(40)])
                .chars()
                .take(32)
                .collect();
            self.first_skipped = Some((line, reason, begins.escape_debug().to_string()));
        }
    }

    /// Lines skipped that are neither empty nor comments.
    pub(super) fn junk(&self) -> u64 {
        let none = |reason| self.skipped.get(reason).copied().unwrap_or(0);
        self.skipped.values().sum::<u64>() - none(EMPTY) - none(COMMENT)
    }

    /// Versions of the UUIDs met, ascending.
    pub fn uuid_versions(&self) -> Vec<u32> {
        (0..16)
            .filter(|version| self.uuid_versions >> version & 1 == 1)
            .collect()
    }
}

pub(super) const EMPTY: &str = "empty";
pub(super) const COMMENT: &str = "comment";
pub(super) const TOO_LONG: &str = "too_long";
pub(super) const NOT_UTF8: &str = "not_utf8";
pub(super) const NOT_AN_ID: &str = "not_an_id";
pub(super) const HEADING: &str = "heading";
pub(super) const FRAME: &str = "frame";
pub(super) const OTHER_KIND: &str = "other_kind";

/// A reason for skipping a line, in words.
pub fn words(reason: &str) -> String {
    match reason {
        NOT_UTF8 => "not UTF-8 text".to_owned(),
        OTHER_KIND => "of another kind".to_owned(),
        _ => reason.replace('_', " "),
    }
}

/// What a dump's ids are, in words: "UUIDs (version 4)", or "UUID (version 4)" if it is one.
pub fn describe(kind: Kind, report: &Report) -> String {
    let noun = match report.ids {
        1 => kind.singular(),
        _ => kind.to_string(),
    };
    match (kind, report.uuid_versions().as_slice()) {
        (Kind::Uuid, [version]) => format!("{noun} (version {version})"),
        (Kind::Uuid, versions @ [_, ..]) => {
            let versions: Vec<_> = versions.iter().map(u32::to_string).collect();
            format!("{noun} (versions {})", versions.join(", "))
        }
        _ => noun,
    }
}
