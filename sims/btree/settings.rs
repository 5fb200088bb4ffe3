//! Flags that no chosen engine takes notice of.

use super::{Args, Task};
use crate::args::usage;
use anyhow::Result;
use idlab::measure::Setting;

/// A flag of one setting.
struct Flag {
    name: &'static str,
    setting: Setting,
    is_given: fn(&Args) -> bool,
    /// What to do if it changes nothing.
    advice: &'static str,
}

const FLAGS: &[Flag] = &[
    Flag {
        name: "--transaction-rows",
        setting: Setting::TransactionRows,
        is_given: |args| args.transaction_rows.is_some(),
        advice: "leave it out, or take lmdb, or a --cache that writes at commits (innodb and sqlite by their own rules, lmdb, redb)",
    },
    Flag {
        name: "--checkpoint-rows",
        setting: Setting::CheckpointRows,
        is_given: |args| args.checkpoint_rows.is_some(),
        advice: "leave it out, or take postgres, or a --cache that writes at checkpoints (all but lmdb and redb, innodb and sqlite with --cache-policy lru or two-list)",
    },
    Flag {
        name: "--secondary",
        setting: Setting::Secondaries,
        is_given: |args| args.secondary > 0,
        advice: "give --cache or --miss-curve, which see the pages of further indexes",
    },
    Flag {
        name: "--page-bytes",
        setting: Setting::PageBytes,
        is_given: |args| args.page_bytes.is_some(),
        advice: "leave it out, or take textbook without a number of entries",
    },
    Flag {
        name: "--payload-bytes",
        setting: Setting::PayloadBytes,
        is_given: |args| args.payload_bytes > 0,
        advice: "leave it out, or give postgres a --cache by its own rules, or take an engine that keeps rows in the tree",
    },
];

/// Refuses a flag on which nothing depends that is measured of any tree.
pub fn refuse_unused(args: &Args, tasks: &[Task]) -> Result<()> {
    let unused = FLAGS.iter().find(|flag| {
        (flag.is_given)(args) && !tasks.iter().any(|task| task.plan.depends_on(flag.setting))
    });
    match unused {
        Some(Flag { name, advice, .. }) => Err(usage(format!(
            "{name}: has no effect on {}: {advice}",
            args.engine.join(", ")
        ))),
        None => Ok(()),
    }
}
