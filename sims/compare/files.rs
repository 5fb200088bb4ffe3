//! The files of records that are put side by side.

use crate::args::usage;
use anyhow::{Context, Error, Result};
use idlab::record::{RecordError, Records};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// A file of records.
pub struct Source {
    /// Its path, without folder and ending where these say nothing.
    pub name: String,
    pub records: Records,
}

/// The files that `paths` name, each once. Of a folder, those that cannot be read are passed over, with a
/// line on why; JSON Lines that are no records, without one.
pub fn sources(paths: &[PathBuf]) -> Result<(Vec<Source>, Vec<String>)> {
    let (mut sources, mut passed_over) = (Vec::new(), Vec::new());
    let mut seen = BTreeSet::new();
    let mut is_new = |path: &Path| path.canonicalize().map_or(true, |path| seen.insert(path));
    for path in paths {
        if !path.is_dir() {
            let name = path.with_extension("").display().to_string();
            if is_new(path) {
                let records = read(path).with_context(|| format!("--records {}", shown(path)))?;
                sources.push(Source { name, records });
            }
            continue;
        }
        let files = jsonl_files(path).with_context(|| format!("--records {}", shown(path)))?;
        if files.is_empty() {
            return Err(usage(format!(
                "--records {}: no .jsonl file in it or one folder below",
                shown(path)
            )));
        }
        for file in files.into_iter().filter(|file| is_new(file)) {
            let inside = file.strip_prefix(path).unwrap_or(&file);
            let name = inside.with_extension("").display().to_string();
            match read(&file) {
                Ok(records) => sources.push(Source { name, records }),
                Err(error) if is_other(&error) => {}
                Err(error) => passed_over.push(format!("{}: {error:#}", shown(&file))),
            }
        }
    }
    Ok((sources, passed_over))
}

fn shown(path: &Path) -> String {
    path.display().to_string().escape_debug().to_string()
}

fn read(path: &Path) -> Result<Records> {
    let file = File::open(path).context("cannot be opened")?;
    Ok(Records::read_jsonl(BufReader::new(file))?)
}

/// Whether a file is of another kind.
fn is_other(error: &Error) -> bool {
    matches!(error.downcast_ref(), Some(RecordError::Other))
}

/// `*.jsonl` and `*/*.jsonl`, in order.
fn jsonl_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = |folder: &Path| -> std::io::Result<Vec<PathBuf>> {
        let found = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
        let mut found = found.collect::<std::io::Result<Vec<_>>>()?;
        found.sort();
        Ok(found)
    };
    let is_jsonl = |path: &PathBuf| path.extension().is_some_and(|end| end == "jsonl");
    let (folders, files): (Vec<_>, Vec<_>) =
        entries(folder)?.into_iter().partition(|path| path.is_dir());
    let mut found: Vec<_> = files.into_iter().filter(is_jsonl).collect();
    for folder in folders {
        found.extend(entries(&folder)?.into_iter().filter(is_jsonl));
    }
    Ok(found)
}
