//! Dependencies point down: a module of the library uses only modules of lower layers.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers from below. A module may use anything of an earlier line, nothing beside or after it.
const LAYERS: &[&[&str]] = &[
    &["id", "random", "record", "names", "theory", "duration"],
    &["clock"],
    &["scheme", "engine", "source"],
    &["fleet", "reference", "dump", "store", "shards"],
    &["pool", "layout"],
    &["measure"],
    &["advise", "inspect"],
    &["chart", "gate"],
];
/// A chart knows records alone.
const CHART_MAY_USE: &str = "record";

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

fn layer(module: &str) -> usize {
    let found = LAYERS.iter().position(|layer| layer.contains(&module));
    found.unwrap_or_else(|| panic!("src/{module} has no place in LAYERS"))
}

#[test]
fn modules_use_lower_layers_only() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&source, &mut paths);
    let mut uses = 0;
    for path in paths {
        let inside = path.strip_prefix(&source).unwrap();
        let first = inside
            .components()
            .next()
            .unwrap()
            .as_os_str()
            .to_str()
            .unwrap();
        let module = first.trim_end_matches(".rs");
        if module == "lib" {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        for used in text.split("crate::").skip(1) {
            let used = used
                .split(|c: char| !c.is_ascii_lowercase())
                .next()
                .unwrap();
            if used == module {
                continue;
            }
            uses += 1;
            assert!(
                layer(used) < layer(module),
                "src/{} uses crate::{used}",
                inside.display()
            );
            assert!(
                module != "chart" || used == CHART_MAY_USE,
                "src/{} uses crate::{used}",
                inside.display()
            );
        }
    }
    assert!(uses > 30, "the scan found only {uses} uses");
}
