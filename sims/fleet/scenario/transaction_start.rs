//! Ids whose time is the start of their transaction.

use super::scene::*;
use idlab::theory::cursor::skipped_of_exponential;

pub const HAPPENED: &str = "ids took the time at which their transaction began, as those of Mastodon do: all of the transaction lies between an id and its appearance, and readers of `id > last_seen` lost most rows.";
pub const REMEDY: &str = "mint as late as the transaction allows; read with a lag above the longest transaction, and set a timeout for that.";

/// 200 transactions a second of 50 ms on average; the last statement takes 2 ms of them.
pub fn play(scene: &mut Scene) -> Result<()> {
    for (case, mean_ms) in [("minted at the start", 50), ("minted at the end", 2)] {
        let setting = Setting {
            rate: 200,
            length_ns: 1000 * S,
            latency: Latency::Exponential {
                mean_ns: mean_ms * MS,
            },
            lags_ns: vec![0, 2 * S],
            ..Setting::default()
        };
        let found = scene.run(case, &setting)?;
        let in_flight = 0.2 * mean_ms as f64;
        let share = skipped_of_exponential(in_flight);
        // Losses of a time in flight come together.
        let together = 1.0 + 4.0 * in_flight;
        let deviation = (share * (1.0 - share) * together / 200_000.0).sqrt();
        scene.expect(&found, at(&SKIPPED_SHARE, 0), about(share, deviation));
        // e^-40 of the longer ones take that long.
        scene.expect(&found, at(&SKIPPED_SHARE, 2 * S), exactly(0.0));
    }
    Ok(())
}
