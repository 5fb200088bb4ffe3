//! Provenance: what a run was made by, from and on.

use super::{Host, Parameters, Run, SCHEMA, run_digest};
use std::time::Duration;

impl Run {
    /// The run line of an experiment that begins now, on this machine; `command` as typed.
    pub fn start(experiment: &str, command: String, seed: u64, params: Parameters) -> Self {
        Self {
            schema: SCHEMA,
            run: run_digest(experiment, seed, &params),
            experiment: experiment.to_owned(),
            command,
            seed,
            params,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: env!("IDLAB_COMMIT").to_owned(),
            dirty: env!("IDLAB_DIRTY") == "true",
            rustc: env!("IDLAB_RUSTC").to_owned(),
            profile: env!("IDLAB_PROFILE").to_owned(),
            host: Host::this(),
            started: jiff::Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
            wall_s: 0.0,
            charts: Vec::new(),
            peak_memory_bytes: None,
        }
    }

    /// Notes how long it took, in milliseconds' steps, and the memory it held.
    pub fn finish(&mut self, took: Duration) {
        self.wall_s = (took.as_secs_f64() * 1000.0).round() / 1000.0;
        self.peak_memory_bytes = peak_memory_bytes();
    }
}

impl Host {
    /// The machine that the program runs on.
    pub fn this() -> Self {
        let mut system = sysinfo::System::new();
        system.refresh_cpu_list(sysinfo::CpuRefreshKind::nothing());
        let cpu = system
            .cpus()
            .first()
            .map(|cpu| cpu.brand().trim().to_owned())
            .unwrap_or_default();
        let name = std::env::consts::OS;
        let version = sysinfo::System::kernel_version().unwrap_or_default();
        Self {
            cpu,
            cores: std::thread::available_parallelism().map_or(1, usize::from) as u32,
            os: format!("{name} {version}").trim().to_owned(),
        }
    }
}

/// Words as a shell takes them.
pub fn shell_words(words: impl Iterator<Item = String>) -> String {
    let quote = |word: String| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.,:=+/".contains(c);
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    words.map(quote).collect::<Vec<_>>().join(" ")
}

/// The high-water mark of resident memory, as Linux tells it.
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_change_them() {
        let words = ["sim", "--scheme=a,b", "", "two words", "it's", "$x"];
        let text = shell_words(words.map(str::to_owned).into_iter());
        assert_eq!(text, r"sim --scheme=a,b '' 'two words' 'it'\''s' '$x'");
    }

    #[test]
    fn a_run_begins_with_its_digest_and_ends_with_its_length() {
        let params = Parameters::from([("rows".to_owned(), 5.into())]);
        let mut run = Run::start("btree", "sim btree".to_owned(), 7, params.clone());
        assert_eq!(run.run, run_digest("btree", 7, &params));
        assert_eq!(
            (run.schema, run.seed, run.params.clone()),
            (SCHEMA, 7, params)
        );
        assert!(run.host.cores > 0);
        run.finish(Duration::from_micros(1_234_567));
        assert_eq!(run.wall_s, 1.235);
    }
}
