//! `sim worker`: does the work that `sim gate` asks for, and tells how long it took.

use anyhow::Result;
use idlab::gate::protocol::{Request, VERSION};
use idlab::gate::{self, CaseError};
use std::io::{self, BufRead, Write};
use std::time::Instant;

/// Do the work that sim gate asks for, on stdin and stdout
#[derive(clap::Args)]
#[command(after_help = idlab::gate::protocol::ABOUT)]
pub struct Args {
    /// Do so many per cent more than is asked for: a slowdown that a gate should see
    #[arg(long, value_name = "P", default_value = "0", value_parser = clap::value_parser!(u64).range(..=1000))]
    extra_percent: u64,
}

/// Repeats of which the least time is told.
const REPEATS: u32 = 3;

pub fn run(args: &Args) -> Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "gate {VERSION}")?;
    for case in gate::names() {
        writeln!(stdout, "case {case}")?;
    }
    for (name, value) in facts() {
        writeln!(stdout, "note {name} {value}")?;
    }
    writeln!(stdout, "ready")?;
    stdout.flush()?;
    for line in io::stdin().lock().lines() {
        let line = line?;
        let answer = match Request::parse(&line) {
            None => "error expected run CASE SEED N or count CASE SEED N".to_owned(),
            Some(request) => {
                answer(request, args.extra_percent).unwrap_or_else(|error| format!("error {error}"))
            }
        };
        writeln!(stdout, "{answer}")?;
        stdout.flush()?;
    }
    Ok(())
}

/// What counts of instructions depend on beside the source.
fn facts() -> [(&'static str, String); 5] {
    let target = format!("{}-{}", std::env::consts::ARCH, std::env::consts::OS);
    let dirty = env!("IDLAB_DIRTY") == "true";
    let commit = env!("IDLAB_COMMIT");
    let lockfile = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"));
    [
        ("rustc", env!("IDLAB_RUSTC").to_owned()),
        ("target", target),
        ("profile", env!("IDLAB_PROFILE").to_owned()),
        (
            "lockfile",
            format!("{:016x}", idlab::record::fnv1a(lockfile.as_bytes())),
        ),
        (
            "commit",
            format!("{commit}{}", if dirty { "+changes" } else { "" }),
        ),
    ]
}

fn answer(request: Request, extra_percent: u64) -> Result<String, CaseError> {
    let Request {
        timed,
        case,
        seed,
        ids,
    } = request;
    let mut work = gate::work(case, seed, ids, ids.saturating_mul(extra_percent) / 100)?;
    if !timed {
        return Ok(format!("{:016x}", work()?));
    }
    let mut first = None;
    let mut least_ns = u128::MAX;
    for _ in 0..REPEATS {
        let start = Instant::now();
        let sum = work()?;
        least_ns = least_ns.min(start.elapsed().as_nanos());
        if *first.get_or_insert(sum) != sum {
            return Ok("error the same work gave another checksum".to_owned());
        }
    }
    Ok(format!(
        "{:016x} {}",
        first.unwrap_or_default(),
        least_ns.max(1)
    ))
}
