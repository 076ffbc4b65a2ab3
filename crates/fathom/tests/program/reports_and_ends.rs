//! Reports as files, and how runs end: nothing of others is replaced, and every signal ends a run in order.

use crate::common::Home;
use std::process::Stdio;

#[test]
fn a_report_that_cannot_be_written_is_told_before_anything_is_done() {
    let home = Home::new();
    let folder = home.path().join("load");
    std::fs::create_dir(&folder).unwrap();
    let load = ["disk", folder.to_str().unwrap(), "--patterns", "read-latency", "--working-set", "4M"];
    let load = [&load[..], &["--duration", "300ms", "--report"]].concat();
    let to = |path: &str| home.run(&[&load[..], &[path]].concat());
    to("report.docx").ends(2, &["report.docx", ".html, .md or .json"]);
    to("/nowhere/report.html").ends(2, &["/nowhere", "no such folder"]);
    let taken = home.path().join("taken.html");
    std::fs::create_dir(&taken).unwrap();
    to(taken.to_str().unwrap()).ends(2, &["taken.html", "is a folder"]);
    to("/proc/report.html").ends(2, &["/proc/report.html", "can't be written"]);
    home.run(&["sweep", "--resume", "last", "--report", "report.docx"]).ends(2, &["report.docx"]);
    assert!(!home.path().join("fathom").exists(), "something was measured");
    let report = home.path().join("report.html");
    // Somebody's own page stays; an empty file, as mktemp makes it, holds nothing.
    std::fs::write(&report, "<!doctype html><title>mine</title>").unwrap();
    to(report.to_str().unwrap()).ends(2, &["report.html", "no report of Fathom's", "name another"]);
    assert!(!home.path().join("fathom").exists(), "something was measured");
    std::fs::write(&report, "").unwrap();
    let ended = to(report.to_str().unwrap());
    assert!(matches!(ended.code, 0 | 4) && report.exists(), "{}", ended.err);
    for ending in ["html", "md", "json"] {
        let again = home.path().join(format!("again.{ending}")).to_string_lossy().into_owned();
        home.run(&["report", "-o", &again]).ends(0, &[]);
        let told = home.run(&["report", "-o", &again, "--format", "json"]).ends(0, &[]).json();
        assert_eq!([&told["schema"], &told["file"]], ["fathom.report/1", again.as_str()], "{told}");
        assert!(told["run"].is_string(), "{told}");
        std::fs::write(&again, "# notes of mine\n").unwrap();
        home.run(&["report", "-o", &again]).ends(2, &[&again, "no report of Fathom's"]);
        assert_eq!(std::fs::read_to_string(&again).unwrap(), "# notes of mine\n");
    }
    let parts = std::fs::read_dir(home.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().ends_with(".part"));
    assert_eq!(parts.count(), 0);
    what_is_no_file_is_not_replaced_and_who_may_read_stays(&home, &load);
}

fn what_is_no_file_is_not_replaced_and_who_may_read_stays(home: &Home, load: &[&str]) {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};
    let pipe = home.path().join("pipe.html");
    crate::common::tool("mkfifo", &[pipe.to_str().unwrap()]);
    // Before the run, not when a reader comes.
    home.run(&[load, &[pipe.to_str().unwrap()]].concat()).ends(2, &["pipe.html", "no report of Fathom's"]);
    home.run(&["report", "-o", pipe.to_str().unwrap()]).ends(2, &["pipe.html", "no report of Fathom's"]);
    assert!(std::fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());
    let own = home.path().join("report.html");
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o600)).unwrap();
    home.run(&["report", "-o", own.to_str().unwrap()]).ends(0, &[]);
    assert_eq!(std::fs::metadata(&own).unwrap().permissions().mode() & 0o777, 0o600);
}

/// What whoever started the program has it ignore stays ignored; what is not ends it in order.
#[test]
fn signals_end_a_run_in_order_unless_they_were_ignored() {
    let home = Home::new();
    let load = home.path().join("load");
    let words = ["disk", load.to_str().unwrap(), "--patterns", "read-latency", "--working-set", "4M", "--passes", "1"];
    let words = [&words[..], &["--duration", "4s", "--format", "json"]].concat();
    for (signal, ends) in [("HUP", false), ("50", true), ("IO", true)] {
        let program = home.fathom(&words);
        let mut under_nohup = std::process::Command::new("nohup");
        // Without what gives it all signals back.
        under_nohup.args(program.get_args().skip(1)).env("XDG_DATA_HOME", home.path());
        let run = under_nohup.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        crate::common::eventually("the run is in the archive and has a journal", 20, || {
            let runs = home.run(&["runs", "--format", "json"]);
            let journals = std::fs::read_dir(home.path().join("fathom/journal")).into_iter().flatten().count();
            runs.code == 0 && runs.json()["runs"][0]["state"] == "no end" && journals > 0
        });
        home.run(&["rm", "last"]).ends(3, &["still going on", &run.id().to_string()]);
        crate::common::tool("kill", &["-s", signal, &run.id().to_string()]);
        let output = run.wait_with_output().unwrap();
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!(err.contains("ending the run in order"), ends, "{signal}: {err}");
        assert!(output.status.code().is_some(), "{signal} killed it: {err}");
        let document: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let told = (document["finished"].as_bool(), document["ending"].as_str());
        assert_eq!(told, (Some(!ends), Some(if ends { "stopped" } else { "done" })), "{signal}");
        let state = home.run(&["runs", "--format", "json"]).json()["runs"][0]["state"].clone();
        assert_eq!(state, if ends { "stopped" } else { "done" }, "{signal}: {err}");
        home.run(&["rm", "last"]).ends(0, &["removed run"]);
    }
}

/// What has a similar name beside the report, and what a link there leads to, is not Fathom's.
#[test]
fn a_report_touches_no_other_file() {
    let home = Home::new();
    let at = |name: &str| home.path().join(name);
    for name in ["x.html.part", "elsewhere", "target.html"] {
        std::fs::write(at(name), name).unwrap();
    }
    std::os::unix::fs::symlink(at("elsewhere"), at("y.html.part")).unwrap();
    std::os::unix::fs::symlink(at("target.html"), at("y.html")).unwrap();
    let disk = at("load");
    let load = ["disk", disk.to_str().unwrap(), "--patterns", "read-latency", "--working-set", "4M", "--passes", "1"];
    for name in ["x.html", "y.html"] {
        let report = at(name);
        let ended = home.run(&[&load[..], &["--duration", "300ms", "--report", report.to_str().unwrap()]].concat());
        assert!(matches!(ended.code, 0 | 4), "{}", ended.err);
        let written = std::fs::symlink_metadata(&report).unwrap();
        assert!(written.is_file() && written.len() > 10_000, "{name}");
    }
    for name in ["x.html.part", "elsewhere", "target.html"] {
        assert_eq!(std::fs::read_to_string(at(name)).unwrap(), name);
    }
    assert!(std::fs::symlink_metadata(at("y.html.part")).unwrap().is_symlink());
    let left = std::fs::read_dir(home.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".fathom"));
    assert_eq!(left.count(), 0);
}

/// The folder is there at the start and gone at the end: the run's own word stays.
#[test]
fn a_report_that_fails_at_the_end_does_not_hide_how_the_run_ended() {
    let home = Home::new();
    let folder = home.path().join("reports");
    std::fs::create_dir(&folder).unwrap();
    let load = home.path().join("load");
    let limits = home.path().join("limits.toml");
    std::fs::write(&limits, "[device]\nread-latency = \"<= 0.1 us\"\n").unwrap();
    let (load, limits, report) = (load.to_str().unwrap(), limits.to_str().unwrap(), folder.join("report.html"));
    let words = ["disk", load, "--working-set", "4M", "--verdict", limits, "--passes", "1", "--report"];
    let words = [&words[..], &[report.to_str().unwrap()]].concat();
    let child = home.fathom(&words).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let child = child.unwrap();
    crate::common::eventually("the run's beginning", 20, || home.path().join("fathom/archive.sqlite").exists());
    std::fs::remove_dir_all(&folder).unwrap();
    let ended = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    // A starved generator leaves the verdict open.
    assert!(matches!(ended.status.code(), Some(4 | 5)), "{:?} {err}", ended.status);
    assert!(err.contains("report.html: the report can't be written"), "{err}");
}
