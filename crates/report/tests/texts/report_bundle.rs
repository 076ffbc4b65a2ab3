//! The committed bundle of the report is the one that its sources make: seen by their sums, without Node.

use std::fs;
use std::path::{Path, PathBuf};

/// Types are made from it.
const SCHEMA: &str = "../../../docs/fathom.run-1.schema.json";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("page")
}

/// FNV-1a, 64 bits, over name, NUL, content, NUL, as `build.mjs` makes it.
fn sum(folder: &Path, names: &[String]) -> String {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for name in names {
        let content = fs::read(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        for byte in [name.as_bytes(), &[0], &content, &[0]].concat() {
            sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{sum:016x}")
}

fn names(folder: &Path, prefix: &str) -> Vec<String> {
    let files = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    files.map(|file| format!("{prefix}{}", file.expect("an entry").file_name().to_string_lossy())).collect()
}

#[test]
fn the_bundle_is_the_one_that_its_sources_make() {
    let report = folder();
    let mut sources = names(&report.join("src"), "src/");
    sources.extend(
        ["build.mjs", "package-lock.json", "package.json", "tsconfig.json", "page.schema.json", SCHEMA]
            .map(String::from),
    );
    sources.sort();
    let mut bundle = names(&report.join("dist"), "");
    bundle.retain(|name| name != "report.fresh");
    bundle.sort();
    let now = format!("sources {}\nbundle {}\n", sum(&report, &sources), sum(&report.join("dist"), &bundle));
    let noted = fs::read_to_string(report.join("dist/report.fresh")).expect("dist/report.fresh");
    assert_eq!(now, noted, "the report's bundle is stale: run `npm ci && npm run build` in crates/report/page");
}

#[test]
fn the_bundle_is_small_enough_to_be_in_every_report() {
    let bytes = fs::metadata(folder().join("dist/report.js")).expect("dist/report.js").len();
    assert!(bytes < 400 << 10, "{bytes} bytes");
}
