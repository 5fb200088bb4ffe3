//! The worker of `sim gate` by itself: it is built in a fraction of the time of `sim`.

#[path = "../sims/worker.rs"]
mod worker;

use clap::Parser;

#[derive(Parser)]
struct Cli {
    #[command(flatten)]
    worker: worker::Args,
}

fn main() -> anyhow::Result<()> {
    worker::run(&Cli::parse().worker)
}
