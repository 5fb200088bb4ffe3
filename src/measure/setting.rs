//! Settings of a load that only some engines and caches take notice of.

use super::Plan;
use crate::engine::Model;
use crate::pool::{CachePlan, Policy, Writes};

/// A setting that may change nothing that is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Setting {
    /// [`Plan::transaction_rows`].
    TransactionRows,
    /// [`Plan::checkpoint_rows`].
    CheckpointRows,
    /// [`Plan::secondaries`].
    Secondaries,
    /// [`EngineOptions::page_bytes`](crate::engine::EngineOptions::page_bytes).
    PageBytes,
    /// [`EngineOptions::payload_bytes`](crate::engine::EngineOptions::payload_bytes).
    PayloadBytes,
}

impl Plan {
    /// Whether what is measured depends on `setting`.
    pub fn depends_on(&self, setting: Setting) -> bool {
        let model = self.design.profile.engine.model;
        let nbtree = self.design.nbtree().is_some();
        let writes = self.cache.map(|cache| cache.writes(model));
        // Each transaction copies the pages that it changes, which its file shows.
        let lmdb = matches!(model, Model::Lmdb);
        match setting {
            Setting::TransactionRows => lmdb || writes == Some(Writes::AtCommits),
            // The log has images of pages after a checkpoint.
            Setting::CheckpointRows => nbtree || writes == Some(Writes::AtCheckpoints),
            Setting::Secondaries => lmdb || self.cache.is_some() || self.miss_curve,
            Setting::PageBytes => self.design.takes_page_bytes(),
            Setting::PayloadBytes => {
                // The heap is seen by the engine's own cache alone.
                let own = |cache: CachePlan| cache.policy == Policy::OfEngine;
                self.design.holds_rows() || nbtree && self.cache.is_some_and(own)
            }
        }
    }
}
