//! Files of all kinds under the archive's name: old ones are read, wrong ones are named with how to fix it.

mod common;

use archive::{Archive, ArchiveError};
use common::{record, run, slice, started};
use model::{Ending, Event, RunPlace, Sample, Subscriber, WindowSet};
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use std::process::Command;

const RUN: &str = "20261121-093012-ab3f";

/// `UPDATE_FIXTURE=1` writes the fixture of the newest schema, once, when that schema is released; it stays for ever.
#[test]
fn schema_1_is_read_for_ever() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/schema-1.sqlite");
    if std::env::var_os("UPDATE_FIXTURE").is_some() {
        write_run(&path);
    }
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("old.sqlite");
    fs::copy(&path, &copy).unwrap();
    let archive = Archive::open(&copy).unwrap();
    // Round trips had longer answers then, which were not recorded.
    let mut expected = record(&run(RUN));
    expected.head.short_answers = false;
    assert_eq!(archive.load("last").unwrap(), expected);
    let summary = archive.runs().unwrap().remove(0);
    assert_eq!((summary.run.as_str(), summary.slices, summary.steps, summary.finished), (RUN, 3, 1, true));
    assert_eq!(archive.place(RUN).unwrap(), RunPlace::Untold);
    // And it can be written on.
    archive.writer().take(&started("20261122-000000-0000")).unwrap();
}

fn write_run(path: &Path) {
    let mut writer = Archive::open(path).unwrap().writer();
    run(RUN).iter().for_each(|event| writer.take(event).unwrap());
    drop(writer);
}

/// One line that names the file and what to do.
fn says(error: &ArchiveError, path: &Path, words: &str) {
    let text = error.to_string();
    assert!(text.contains(&path.display().to_string()) && text.contains(words), "{text}");
    assert!(!text.contains('\n') && text.len() < 400, "{text}");
}

#[test]
fn what_is_no_archive_is_named_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    says(&Archive::open(folder.path()).unwrap_err(), folder.path(), "is a directory");
    says(&Archive::open_existing(&path).unwrap_err(), &path, "no archive");
    // A device is as long as a new file, which SQLite begins to write at once.
    let device = Path::new("/dev/null");
    for refused in [Archive::open(device), Archive::open_existing(device)] {
        says(&refused.unwrap_err(), device, "would be overwritten");
    }
    for (bytes, words) in [
        (
            &b"a letter to my aunt, which is longer than a header of SQLite is, so that it is read as one"[..],
            "not an SQLite file",
        ),
        (&b""[..], "it is empty"),
    ] {
        fs::write(&path, bytes).unwrap();
        says(&Archive::open_existing(&path).unwrap_err(), &path, words);
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }
    let other = folder.path().join("other.sqlite");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE recipes (name TEXT)").unwrap();
    let before = fs::read(&other).unwrap();
    for opened in [Archive::open(&other), Archive::open_existing(&other)] {
        says(&opened.unwrap_err(), &other, "of another program");
    }
    assert_eq!(fs::read(&other).unwrap(), before);
    let nowhere = Path::new("/proc/nowhere/archive.sqlite");
    says(&Archive::open(nowhere).unwrap_err(), nowhere, "cannot be made");
}

#[test]
fn a_newer_schema_is_refused_and_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.sqlite");
    write_run(&path);
    Connection::open(&path).unwrap().execute_batch("PRAGMA user_version = 99").unwrap();
    let error = Archive::open(&path).unwrap_err();
    says(&error, &path, "newer Fathom");
    assert!(matches!(error, ArchiveError::Newer { found: 99, .. }));
}

#[test]
fn a_damaged_row_names_its_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.sqlite");
    write_run(&path);
    for (body, words) in [("x'ff00'", "unknown format 255"), ("x'01ff'", "slices"), ("x''", "without bytes")] {
        let sql = format!("UPDATE events SET body = {body} WHERE kind = 'slices'");
        Connection::open(&path).unwrap().execute_batch(&sql).unwrap();
        let error = Archive::open_existing(&path).unwrap().load(RUN).unwrap_err();
        says(&error, &path, words);
        assert!(error.to_string().contains(RUN), "{error}");
    }
}

#[test]
fn a_run_is_found_by_its_beginning_and_others_are_listed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.sqlite");
    let mut writer = Archive::open(&path).unwrap().writer();
    says(&writer.archive().find("last").unwrap_err(), &path, "no runs yet");
    for run in ["20261120-080000-aaaa", "20261121-080000-bbbb", "20261121-080000-bbcc"] {
        writer.take(&started(run)).unwrap();
    }
    let archive = writer.archive();
    says(&archive.find("last").unwrap_err(), &path, "nothing was measured in any run");
    assert_eq!(archive.find_any("last").unwrap(), "20261121-080000-bbcc");
    writer.take(&Event::StepFinished { pass: 1, slices: vec![slice(1)] }).unwrap();
    // Nothing of the slice of the third pass may be used.
    writer.take(&started("20261121-080000-cccc")).unwrap();
    writer.take(&Event::StepFinished { pass: 3, slices: vec![slice(3)] }).unwrap();
    let archive = writer.archive();
    assert_eq!(archive.find("20261120").unwrap(), "20261120-080000-aaaa");
    assert_eq!(archive.find("20261121-080000-bbbb").unwrap(), "20261121-080000-bbbb");
    assert_eq!(archive.find("last").unwrap(), "20261121-080000-bbcc");
    says(
        &archive.find("20261121").unwrap_err(),
        &path,
        "20261121-080000-cccc, 20261121-080000-bbcc, 20261121-080000-bbbb",
    );
    says(&archive.find("20261120-09").unwrap_err(), &path, "nearest are 20261120-080000-aaaa");
    says(&archive.find("").unwrap_err(), &path, "fathom runs");
    writer.take(&started("20261122-080000-dddd")).unwrap();
    writer.take(&Event::Failed { text: "no such OSD".into() }).unwrap();
    writer.take(&Event::RunFinished { seconds: 1.0, ending: Ending::Failed }).unwrap();
    let archive = writer.archive();
    assert_eq!(archive.find("last").unwrap(), "20261121-080000-bbcc");
    assert_eq!(archive.find_any("last").unwrap(), "20261122-080000-dddd");
    let newer = archive.newer_than_last().unwrap();
    assert_eq!(newer.iter().map(|run| run.ending).collect::<Vec<_>>(), [Some(Ending::Failed), None]);
}

#[test]
fn removing_gives_the_space_back_and_export_keeps_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let (path, other) = (folder.path().join("archive.sqlite"), folder.path().join("it's one.sqlite"));
    write_run(&path);
    let archive = Archive::open(&path).unwrap();
    let pages =
        || -> i64 { Connection::open(&path).unwrap().query_row("PRAGMA page_count", [], |row| row.get(0)).unwrap() };
    let full = pages();
    assert_eq!(archive.export("last", &other).unwrap(), RUN);
    assert!(matches!(archive.export("last", &other), Err(ArchiveError::RunExists { .. })));
    assert_eq!(archive.remove("2026").unwrap(), RUN);
    assert!(matches!(archive.load(RUN), Err(ArchiveError::Empty { .. })));
    assert!(pages() < full / 2, "{} of {full} pages are left", pages());
    assert_eq!(Archive::open_existing(&other).unwrap().load(RUN).unwrap(), record(&run(RUN)));
}

#[test]
fn a_run_that_is_removed_while_it_goes_on_ends_with_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.sqlite");
    let mut writer = Archive::open(&path).unwrap().writer();
    writer.store(&started(RUN)).unwrap();
    Archive::open_existing(&path).unwrap().remove(RUN).unwrap();
    let error = writer.store(&Event::Failed { text: "x".into() }).unwrap_err();
    says(&error, &path, "no longer in the archive");
}

#[test]
fn a_full_disk_and_a_read_only_one_are_named() {
    on_an_own_disk("a_full_disk_and_a_read_only_one_are_named", "600k", on_a_small_disk);
}

/// In a mount namespace of its own, the test of this name again, on a file system of this size at the folder `ARCHIVE_ON_OWN_DISK`.
fn on_an_own_disk(test: &str, size: &str, there: fn(&Path)) {
    if let Some(folder) = std::env::var_os("ARCHIVE_ON_OWN_DISK") {
        there(Path::new(&folder));
        return println!("seen on a disk of its own");
    }
    let folder = tempfile::tempdir().unwrap();
    let script =
        "mount -t tmpfs -o size=\"$SIZE\" none \"$ARCHIVE_ON_OWN_DISK\" && exec \"$0\" \"$1\" --exact --nocapture";
    let inside = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script])
        .args([std::env::current_exe().unwrap().as_os_str(), test.as_ref()])
        .env("ARCHIVE_ON_OWN_DISK", folder.path())
        .env("SIZE", size)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&inside.stdout) + String::from_utf8_lossy(&inside.stderr);
    assert!(inside.status.success(), "{text}");
    assert!(text.contains("seen on a disk of its own"), "{text}");
}

fn make_read_only(folder: &Path) {
    let remount = ["-o", "remount,ro", "none", folder.to_str().unwrap()];
    assert!(Command::new("mount").args(remount).status().unwrap().success());
}

fn on_a_small_disk(folder: &Path) {
    let path = folder.join("archive.sqlite");
    let mut writer = Archive::open(&path).unwrap().writer();
    writer.store(&started(RUN)).unwrap();
    let mut stored = 0;
    let error = (1..10_000)
        .find_map(|pass| {
            let result = writer.store(&Event::StepFinished { pass, slices: vec![slice(pass)] });
            stored += u32::from(result.is_ok());
            result.err()
        })
        .unwrap();
    says(&error, &path, "full");
    // Windows that a thread stores as well, at the latest with their slice.
    let of_one = slice(1);
    let window = |sample: &Sample| Event::Window {
        started_seconds: of_one.started_seconds,
        set: WindowSet { window: sample.window, samples: vec![(0, of_one.kind, sample.clone())] },
    };
    let events = of_one.samples.iter().cycle().take(1000).map(window);
    let events = events.chain([Event::StepFinished { pass: 1, slices: vec![of_one.clone()] }]);
    let error = events.map(|event| writer.store(&event)).find_map(Result::err).unwrap();
    says(&error, &path, "full");
    assert_eq!(writer.archive().load(RUN).unwrap().slices.len() as u32, stored);
    drop(writer);
    make_read_only(folder);
    says(&Archive::open(&path).unwrap_err(), &path, "writable");
    let archive = Archive::open_existing(&path).unwrap();
    assert_eq!(archive.load(RUN).unwrap().slices.len() as u32, stored);
    says(&archive.remove(RUN).unwrap_err(), &path, "writable");
}

/// As a copy of an archive whose run goes on, or was killed.
#[test]
fn a_log_that_can_not_be_read_is_named() {
    on_an_own_disk("a_log_that_can_not_be_read_is_named", "8m", with_a_log);
}

fn with_a_log(folder: &Path) {
    let elsewhere = tempfile::tempdir().unwrap();
    let path = elsewhere.path().join("archive.sqlite");
    let mut writer = Archive::open(&path).unwrap().writer();
    writer.store(&started(RUN)).unwrap();
    let log = |path: &Path| path.with_extension("sqlite-wal");
    let [copy, link, folded] = ["copy.sqlite", "link.sqlite", "folded.sqlite"].map(|name| folder.join(name));
    fs::copy(&path, &copy).unwrap();
    fs::copy(log(&path), log(&copy)).unwrap();
    std::os::unix::fs::symlink(&copy, &link).unwrap();
    drop(writer);
    fs::copy(&path, &folded).unwrap();
    fs::write(log(&folded), "").unwrap();
    make_read_only(folder);
    for named in [&copy, &link] {
        let error = Archive::open_existing(named).unwrap_err();
        says(&error, named, "copy both files");
        assert!(error.to_string().contains(&log(&copy).display().to_string()), "{error}");
    }
    assert_eq!(Archive::open_existing(&folded).unwrap().runs().unwrap().len(), 1);
}
