//! Files of different sizes, as they lie in their folder while they are loaded.

use super::*;
use crate::common::eventually;
use std::path::PathBuf;
use std::process::Stdio;

const KIB: u64 = 1024;
const SIZES: &str = "2048-131072.1x4x50.fathom";

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let inside = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.map(|entry| entry.path()).flat_map(inside).collect()
}

/// Those of the tree: what is made and deleted beside them is called new….
fn of_tree(folder: &Path) -> Vec<u64> {
    let own = files(folder).into_iter().filter(|path| path.to_str().unwrap().contains(SIZES));
    let lasting = own.filter(|path| !path.file_name().unwrap().to_str().unwrap().starts_with("new"));
    lasting.filter_map(|path| Some(fs::metadata(path).ok()?.len())).collect()
}

#[test]
fn files_of_different_sizes_keep_them_in_whatever_mix() {
    let (home, folder) = (Home::new(), tempfile::tempdir().unwrap());
    theirs(folder.path());
    let path = folder.path().to_str().unwrap();
    let words = ["file", path, "--sizes", "2K-128K", "--tree", "1x4x50", "--jobs", "4", "--patterns", "mixed"];
    let more = ["--passes", "1", "--duration", "3s", "--format", "json"];
    let mut run = home.fathom(&[&words[..], &more].concat());
    let child = run.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    eventually("the tree to be there", 60, || of_tree(folder.path()).len() == 4 * 200);
    let sizes = of_tree(folder.path());
    // One that is just written anew may be shorter for a moment.
    let whole = sizes.iter().filter(|size| (2 * KIB..=128 * KIB).contains(size)).count();
    assert!(whole >= sizes.len() - 4, "{sizes:?}");
    // Each doubling has as many, of 200 in each of four trees that are alike: five standard deviations.
    let doublings =
        (0..6).map(|power| sizes.iter().filter(|size| (**size / (2 * KIB)).max(1).ilog2() == power).count());
    let doublings: Vec<usize> = doublings.collect();
    assert!(doublings.iter().all(|count| count.abs_diff(800 / 6) < 4 * 26), "{doublings:?}");
    let ended = child.wait_with_output().unwrap();
    let report: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert_eq!(report["errors"], serde_json::json!([]));
    // What is read is looked at whether it is whole, and what is asked about whether it is as large as it was written.
    let done = operations(&report);
    assert!(done.len() == 7 && done.values().all(|(operations, errors)| *operations > 0 && *errors == 0), "{done:?}");
    let opened = report["figures"].as_array().unwrap().iter().find(|figure| figure["kind"] == "open").unwrap();
    let mean = opened["bytes"].as_f64().unwrap() / opened["operations"].as_f64().unwrap();
    assert!((2.0 * KIB as f64..128.0 * KIB as f64).contains(&mean), "{mean}");
    only_theirs_is_left(folder.path());
    let shown = home.run(&["show"]);
    assert!(shown.out.contains("files of 2 KiB to 128 KiB"), "{}", shown.out);

    for (words, why) in [
        (["--sizes", "4K-1M", "--block-size", "4K"], "leave --block-size out"),
        (["--sizes", "1M-4K", "--jobs", "1"], "not smaller than the second one"),
        (["--sizes", "4K-1M", "--patterns", "write-linear"], "only blocks are loaded"),
    ] {
        home.run(&[&["file", path, "--dry-run"], &words[..]].concat()).ends(2, &[why]);
    }
}
