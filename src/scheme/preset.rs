//! Presets: published layouts and settings of the schemes, by the names they are known by.
//!
//! A preset is a scheme with other defaults, so all its parameters may still be given:
//! `sonyflake:tick_ms=1`. Limits and lifetimes follow from the numbers (`sim list schemes`).

use super::Rollback;

/// A scheme's name with other defaults.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    /// Name on the command line, `snake_case`.
    pub name: &'static str,
    /// The scheme that it is.
    pub scheme: &'static str,
    /// Defaults that differ from the scheme's.
    pub params: &'static [(&'static str, &'static str)],
    /// What its writers do when their clocks go back, unless told otherwise.
    pub rollback: Rollback,
    /// One line on what it is, with its source.
    pub about: &'static str,
}

/// Every preset, in the order of `sim list`.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "hi_lo",
        scheme: "ticket_block",
        params: &[("size", "50")],
        rollback: Rollback::Refuse,
        about: "a sequence of blocks, numbers within a block by the application (Hibernate's hilo optimizer, allocation size 50)",
    },
    // Not modelled: the very first block is one id long, and all later ones end with the
    // sequence's value.
    Preset {
        name: "pooled",
        scheme: "ticket_block",
        params: &[("size", "50")],
        rollback: Rollback::Refuse,
        about: "a sequence with the step of a block; blocks are those of hi_lo, but for the very first (Hibernate's pooled and pooled-lo optimizers, allocation size 50)",
    },
    Preset {
        name: "leaf_segment",
        scheme: "ticket_block",
        params: &[("size", "2000"), ("prefetch", "10")],
        rollback: Rollback::Refuse,
        about: "two segments, the next one asked for when a tenth of this one is used (Meituan Leaf 1.0, step 2000)",
    },
    Preset {
        name: "twitter",
        scheme: "snowflake",
        params: &[("datacenter", "5"), ("worker", "5")],
        rollback: Rollback::Refuse,
        about: "5 bits of data centre, 5 of worker, 12 of sequence (Twitter's IdWorker, 2010)",
    },
    // 2014-09-01T00:00:00Z.
    Preset {
        name: "sonyflake",
        scheme: "snowflake",
        params: &[
            ("timestamp", "39"),
            ("worker", "16"),
            ("sequence", "8"),
            ("tick_ms", "10"),
            ("epoch_ms", "1409529600000"),
            ("last", "worker"),
        ],
        rollback: Rollback::Consume,
        about: "39 bits of 10 ms, 8 of sequence, 16 of machine, which are the lowest (Sonyflake 1)",
    },
    // Midnight of 2016-05-20 in its authors' time zone, UTC+8.
    Preset {
        name: "baidu",
        scheme: "snowflake",
        params: BAIDU,
        rollback: Rollback::Refuse,
        about: "28 bits of seconds since 2016-05-19T16:00Z, 22 of worker, 13 of sequence: used up, give it another epoch_ms (Baidu UidGenerator's DefaultUidGenerator)",
    },
    Preset {
        name: "baidu_cached",
        scheme: "snowflake",
        params: BAIDU,
        rollback: Rollback::Logical,
        about: "baidu that fills a ring ahead: seconds go on as sequences are used up, whatever the clock; seconds that a full ring loses are not modelled (CachedUidGenerator)",
    },
    Preset {
        name: "discord",
        scheme: "running_sequence",
        params: &[],
        rollback: Rollback::Refuse,
        about: "42 bits of ms, unsigned, 5 of worker, 5 of process, an increment of 12 that runs on (Discord API reference)",
    },
    // The epoch of its SQL; the text beside it says 2011-01-01.
    Preset {
        name: "instagram",
        scheme: "running_sequence",
        params: &[
            ("timestamp", "41"),
            ("datacenter", "0"),
            ("worker", "13"),
            ("sequence", "10"),
            ("epoch_ms", "1314220021721"),
        ],
        rollback: Rollback::Refuse,
        about: "41 bits of ms, 13 of shard, 10 of the shard's table sequence (Instagram engineering, 2011)",
    },
    Preset {
        name: "mastodon",
        scheme: "running_sequence",
        params: &[
            ("timestamp", "48"),
            ("datacenter", "0"),
            ("worker", "0"),
            ("sequence", "16"),
            ("epoch_ms", "unix"),
            ("start", "hashed"),
        ],
        rollback: Rollback::Refuse,
        about: "48 bits of Unix ms, 16 of a hash of the ms plus the table's sequence (Mastodon 2.0, timestamp_id)",
    },
];

const BAIDU: &[(&str, &str)] = &[
    ("timestamp", "28"),
    ("worker", "22"),
    ("sequence", "13"),
    ("tick_ms", "1000"),
    ("epoch_ms", "1463673600000"),
];

/// The preset of this name.
pub(super) fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|preset| preset.name == name)
}

#[cfg(test)]
mod tests;
