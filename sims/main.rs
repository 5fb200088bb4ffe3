//! `sim`: the experiments of idlab on the command line, one file each.

mod advise;
mod args;
mod btree;
mod cliff;
mod compare;
mod fleet;
mod gate;
mod ids;
mod input;
mod latency;
mod layout;
mod list;
mod live;
mod recorder;
mod report;
mod shards;
mod tail;
mod tolerance;
mod unique;
mod verify;
mod worker;
mod writers;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

fn main() -> ExitCode {
    recorder::finish_writing_before_an_interrupt(gate::kill_workers);
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return args::report_usage(&error),
    };
    let result = match cli.command {
        Command::Btree(args) => btree::run(*args),
        Command::Cliff(args) => cliff::run(args),
        Command::Tail(args) => tail::run(args),
        Command::Shards(args) => shards::run(*args),
        Command::Fleet(args) => fleet::run(args),
        Command::Ids(args) => ids::run(&args),
        Command::Advise(args) => advise::run(args),
        Command::Compare(args) => compare::run(&args),
        Command::Latency(args) => latency::run(args),
        Command::Layout(args) => layout::run(args),
        Command::Unique(args) => unique::run(args),
        Command::Verify(args) => verify::run(args),
        Command::Gate(args) => gate::run(args),
        Command::Worker(args) => worker::run(&args),
        Command::List(args) => list::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if args::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) if error.is::<args::Undecided>() => {
            args::say(&format!("undecided: {error}"));
            ExitCode::from(3)
        }
        Err(error) => {
            args::say(&format!("error: {error:#}"));
            ExitCode::from(if error.is::<args::Usage>() { 2 } else { 1 })
        }
    }
}

/// What a unique-id scheme costs the database that stores its ids.
///
/// Every run is seeded: the same command gives the same rows on every machine.
#[derive(Parser)]
#[command(name = "sim", version, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "Examples:
  sim btree
  sim btree --scheme uuid_v4,uuid_v7 -n 10M
  psql -Atc 'select id from orders order by created_at' | sim btree --ids -";

#[derive(Subcommand)]
enum Command {
    Btree(Box<btree::Args>),
    Cliff(cliff::Args),
    Tail(tail::Args),
    Shards(Box<shards::Args>),
    Fleet(fleet::Args),
    Unique(unique::Args),
    Verify(verify::Args),
    Ids(ids::Args),
    Advise(advise::Args),
    Compare(compare::Args),
    Latency(latency::Args),
    Layout(layout::Args),
    Gate(gate::Args),
    #[command(hide = true)]
    Worker(worker::Args),
    List(list::Args),
}
