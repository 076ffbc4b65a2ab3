//! The promises of ARCHITECTURE.md that a compiler can't keep: who may know whom, circles, sizes, first lines, where time comes from.

mod imports;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn sources() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![crates()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let name = entry.file_name();
            if path.is_dir() && name != "target" && name != "node_modules" {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    assert!(found.len() > 50, "only {} source files were found", found.len());
    found
}

/// The part of a file that is not its tests.
fn product(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

fn is_test(path: &Path) -> bool {
    path.components().any(|part| {
        matches!(
            part.as_os_str().to_str(),
            Some("tests" | "examples" | "benches" | "testing.rs" | "tests.rs" | "simulated.rs" | "simulated")
        )
    })
}

#[test]
fn crates_know_only_whom_they_may() {
    let allowed: BTreeMap<&str, &[&str]> = BTreeMap::from([
        ("latencies", &[] as &[&str]),
        ("model", &["latencies"]),
        ("ceph", &["model"]),
        ("judge", &["model"]),
        ("archive", &["model"]),
        ("report", &["model"]),
        ("s3", &["model"]),
        ("nfs4", &["model"]),
        ("engines", &["model", "ceph", "s3", "nfs4"]),
        ("cluster", &["model", "ceph", "s3", "nfs4"]),
        ("lab", &["model", "ceph"]),
        ("languages", &["model"]),
        ("agents", &["model", "ceph", "s3", "engines", "cluster", "lab"]),
        ("experiments", &["model", "judge", "languages"]),
        ("run", &["model", "ceph", "s3", "judge", "archive", "engines", "cluster", "agents", "experiments"]),
        (
            "fathom",
            &[
                "run",
                "model",
                "ceph",
                "s3",
                "judge",
                "archive",
                "report",
                "engines",
                "cluster",
                "lab",
                "languages",
                "agents",
                "experiments",
            ],
        ),
        ("bench", &["model", "engines", "judge", "report", "agents", "cluster", "experiments", "run"]),
    ]);
    let folders = fs::read_dir(crates()).unwrap().flatten().map(|entry| entry.file_name().into_string().unwrap());
    let folders: BTreeSet<String> = folders.collect();
    assert!(folders.iter().eq(allowed.keys()), "a crate is not in the list of who may know whom: {folders:?}");
    for (name, may) in &allowed {
        let manifest = fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let product = manifest.split("[dev-dependencies]").next().unwrap();
        let known = allowed.keys().filter(|other| product.lines().any(|line| line.starts_with(&format!("{other}."))));
        for other in known {
            assert!(may.contains(other), "crate {name} must not know crate {other} (ARCHITECTURE.md)");
        }
    }
}

/// Files of one folder may know each other; a folder that another one knows may not know that one.
#[test]
fn no_import_circle_between_files_of_different_folders() {
    let all: BTreeMap<PathBuf, String> = sources().into_iter().collect();
    let roots = all.keys().filter(|path| imports::is_root(path));
    let circles: Vec<String> = roots.flat_map(|root| imports::Crate::read(root, &all).circles()).collect();
    assert!(circles.is_empty(), "move what both need to a file that knows neither:\n{}", circles.join("\n"));
}

#[test]
fn every_file_begins_with_its_idea() {
    for (path, text) in sources() {
        let first = text.lines().next().unwrap_or("");
        assert!(first.starts_with("//! ") && first.len() > 20, "{}: the first line says no idea", path.display());
    }
}

#[test]
fn files_stay_small() {
    for (path, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= 500, "{}: {lines} lines; split it", path.display());
    }
}

#[test]
fn the_product_does_not_unwrap() {
    for (path, text) in sources().iter().filter(|(path, _)| !is_test(path)) {
        for (number, line) in product(text).lines().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            let found = [".unwrap()", ".expect(", "panic!(", "todo!(", "unimplemented!("]
                .iter()
                .find(|word| code.contains(**word));
            assert!(found.is_none(), "{}:{}: {}", path.display(), number + 1, line.trim());
        }
    }
}

/// What is asked for knows no command line: a run can be asked for by a program as well.
#[test]
fn only_the_command_line_knows_clap() {
    for (path, text) in sources().iter().filter(|(path, _)| !is_test(path)) {
        let name = path.to_string_lossy().replace("fathom/../", "");
        let may = ["fathom/src/cli", "fathom/src/commands", "fathom/src/lib.rs", "bench/src/bin"];
        assert!(may.iter().any(|part| name.contains(part)) || !text.contains("use clap"), "{name} uses clap");
    }
}

/// Statistics and the worker get their time from a `Clock`, so that whole runs are tested without time passing.
#[test]
fn time_comes_from_the_clock_where_it_is_measured() {
    let measuring =
        ["crates/judge/src", "crates/model/src", "engines/src/worker", "engines/src/sim", "engines/src/crew"];
    for (path, text) in sources() {
        let name = path.to_string_lossy().replace("fathom/../", "");
        if measuring.iter().any(|part| name.contains(part)) {
            for word in ["Instant::now", "SystemTime::now", "thread::sleep"] {
                assert!(!product(&text).contains(word), "{}: uses {word}", path.display());
            }
        }
    }
}

/// Whoever reads a document finds its format described.
#[test]
fn every_format_is_described() {
    let described = fs::read_to_string(crates().join("../docs/json.md")).unwrap();
    let mut formats = BTreeSet::new();
    for (_, text) in sources().iter().filter(|(path, _)| !is_test(path)) {
        let words = product(text).split('"').skip(1).step_by(2);
        formats.extend(words.filter(|word| is_format(word)).map(str::to_string));
    }
    assert!(formats.len() >= 10, "{formats:?}");
    let missing: Vec<&String> = formats.iter().filter(|format| !described.contains(&format!("`{format}`"))).collect();
    assert_eq!(missing, Vec::<&String>::new(), "not in docs/json.md");
}

/// `fathom.run/1`
fn is_format(word: &str) -> bool {
    let parts = word.strip_prefix("fathom.").and_then(|rest| rest.split_once('/'));
    parts.is_some_and(|(name, number)| {
        name.chars().all(|c| c.is_ascii_lowercase() || c == '-') && number.parse::<u32>().is_ok()
    })
}

/// The table, files of one layer, and those that know the layers of other tools.
const OF_LAYERS: [&str; 7] = [
    "model/src/layer.rs",
    "engines/src/lib.rs",
    "judge/src/expect/",
    "experiments/src/layers/",
    "experiments/src/diagnose/rules/",
    "languages/src/",
    "fathom/src/commands/layers.rs",
];

/// A new layer is a row of the table and files of its own; who names a layer elsewhere would have to be found and changed for it. Unit
/// tests ask for a layer by what it is (`model::testing`).
#[test]
fn layers_are_named_in_their_own_files() {
    let names = model::Layer::ALL.map(|layer| format!("Layer::{layer:?}"));
    let in_tests = |path: &Path| path.components().any(|part| part.as_os_str() == "tests");
    let mut found: Vec<String> = Vec::new();
    for (path, text) in sources().iter().filter(|(path, _)| !in_tests(path)) {
        let name = path.to_string_lossy().replace("fathom/../", "");
        let own = OF_LAYERS.iter().any(|part| name.contains(part));
        let is_layer = |at: usize| !text[..at].ends_with(char::is_alphanumeric);
        let word = |name: &String| {
            text.match_indices(name.as_str())
                .any(|(at, _)| is_layer(at) && !text[at + name.len()..].starts_with(char::is_alphanumeric))
        };
        if !own && names.iter().any(word) {
            found.push(name);
        }
    }
    assert_eq!(found, [""; 0], "name no layer here: ask the layer table (model/src/layer.rs)");
}
