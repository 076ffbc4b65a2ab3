//! Wrong words on the command line: one clear error that says what is wrong and how to fix it, exit code 2, nothing done.

use crate::common::{Home, tool};

#[test]
fn what_cannot_be_parsed_is_named_with_how_to_write_it() {
    let home = Home::new();
    for (arguments, words) in [
        (vec!["disk", "/dev/null", "--block-size", "4x"], ["4x", "4KiB"]),
        (vec!["disk", "/dev/null", "--working-set=-1"], ["-1", "--working-set"]),
        (vec!["disk", "/dev/null", "--duration", "5"], ["`5`", "30s"]),
        (vec!["run", "--settle", "0%"], ["0%", "5%"]),
        (vec!["run", "--layers", "disk"], ["disk", "device"]),
        (vec!["run", "--patterns", "write"], ["write", "write-latency"]),
        (vec!["osd", "osd.x"], ["osd.x", "osd.2"]),
        (vec!["disk", "/dev/null", "--access", "zipf:99"], ["99", "zipf:1.1"]),
        (vec!["disk", "/dev/null", "--sync", "maybe"], ["maybe", "fdatasync"]),
        (vec!["disk", "/dev/null", "--depth", "0"], ["0", "--depth"]),
        (vec!["run", "--quick", "--duration", "2s"], ["--quick", "--duration"]),
        (vec!["run", "--verdict", "/nowhere/limits.toml"], ["/nowhere/limits.toml", "there is no such file"]),
        (vec!["run", "--verdict", "x", "--settle", "3%"], ["--verdict", "--settle"]),
        (vec!["run", "--expect", "last", "10%"], ["10%", "-10%"]),
        (vec!["compare", "last"], ["AFTER", "required"]),
        (vec!["compare", "--history", "--runs", "1"], ["1", "--runs"]),
        (vec!["frobnicate"], ["frobnicate", "--help"]),
        (vec!["disk"], ["PATHS", "required"]),
    ] {
        home.run(&arguments).ends(2, &words);
        let mut json = arguments.clone();
        json.extend(["--format", "json"]);
        let told = home.run(&json);
        let document = told.ends(2, &words).json();
        assert_eq!(document["schema"], "fathom.run/1", "{arguments:?}");
        assert!(document["errors"][0].as_str().is_some_and(|text| text.contains(words[0])), "{document}");
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "something was left behind");
}

/// An option is there only where it changes something.
#[test]
fn what_would_be_heard_and_change_nothing_is_refused() {
    let home = Home::new();
    let folder = home.path().to_str().unwrap();
    for (arguments, words) in [
        (vec!["disk", folder, "--pgs", "8"], ["--pgs", "unexpected"]),
        (vec!["disk", folder, "--object-size", "4k"], ["--object-size", "unexpected"]),
        (vec!["store", "--object-size", "4k"], ["--object-size", "unexpected"]),
        (vec!["rbd", "--object-size", "4k"], ["--object-size", "unexpected"]),
        (vec!["rbd", "--sync", "dsync"], ["--sync", "unexpected"]),
        (vec!["rados", "--image", "x", "--pool", "p"], ["--image", "unexpected"]),
        (vec!["rados", "--pgs", "8", "--pool", "p"], ["--pgs", "--pool"]),
        (vec!["sweep", "disk", folder, "--axis", "depth=1,2", "--pgs", "8"], ["--pgs", "unexpected"]),
        (vec!["network", "--access", "random"], ["--access", "unexpected"]),
        (vec!["network", "--working-set", "1G"], ["--working-set", "unexpected"]),
        (vec!["network", "--read-share", "50%"], ["--read-share", "unexpected"]),
        (vec!["network", "--clients", "2"], ["--clients", "unexpected"]),
        (vec!["network", "--engine", "tcp"], ["--engine", "unexpected"]),
        (vec!["network", "--option", "a=b"], ["--option", "unexpected"]),
        (vec!["disk", folder, "--guests", "vm1"], ["--guests vm1", "fathom guest DISK"]),
        (vec!["floor", folder, "--guests", "vm1", "--osd-hosts", "n1"], ["--guests vm1", "fathom guest DISK"]),
        (vec!["rados", "--guests", "vm1"], ["--guests vm1", "--hosts vm1"]),
        (vec!["network", "--depth", "8"], ["--depth", "unexpected"]),
        (vec!["disk", folder, "--arrivals", "even"], ["--rate", "required"]),
        (vec!["run", "--pool", "p", "--layers", "osd,device"], ["--pool", "rados and rbd"]),
        (vec!["run", "--pgs", "8", "--layers", "osd"], ["--pgs", "rados and rbd"]),
        (vec!["run", "--sync", "dsync", "--layers", "rbd"], ["--sync", "device and floor"]),
        (vec!["run", "--object-size", "4k", "--layers", "rbd"], ["--object-size", "osd and rados"]),
        (vec!["disk", folder, "--duration", "1s", "--settle", "5%"], ["--settle", "--duration"]),
        (vec!["compare", "a", "b", "--until", "c"], ["--until", "cannot be used"]),
        (vec!["compare", "a", "b", "--runs", "3"], ["--runs", "cannot be used"]),
        (vec!["disk", folder, "--over", "5s"], ["--over 5.0 s", "by themselves"]),
        (vec!["disk", folder, "--quick", "--time-max", "5s"], ["--quick", "--time-max"]),
        (vec!["disk", folder, "--dry-run", "--format", "csv"], ["--dry-run", "json"]),
        (vec!["disk", folder, "--fit", "--sudo"], ["--sudo", "name them (--hosts)"]),
        (vec!["disk", folder, "--identity", "/nowhere/key"], ["--identity", "name them (--hosts)"]),
        (vec!["audit", "--ssh-config", "/nowhere/config"], ["--ssh-config", "name them (--hosts)"]),
        (vec!["restore", "--ssh-option", "Port=1"], ["--ssh-option", "name them (--hosts)"]),
        // No lab is started for what can't be measured with it.
        (vec!["disk", folder, "--fit", "--lab", "none", "--dry-run"], ["--lab", "of this host"]),
        (vec!["run", "--device", "/nowhere/at/all", "--lab", "none", "--dry-run"], ["no such folder", "make it"]),
    ] {
        home.run(&arguments).ends(2, &words);
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "something was left behind");
}

#[test]
fn a_plan_is_a_document_as_well_and_a_pattern_named_twice_is_one() {
    let home = Home::new();
    let patterns = "read-latency,write-parallel,read-latency";
    let disk = ["disk", home.path().to_str().unwrap(), "--patterns", patterns, "--dry-run"];
    let plan = home.run(&[&disk[..], &["--format", "json"]].concat());
    let plan = plan.ends(0, &[]).json();
    assert_eq!(plan["schema"], "fathom.plan/1");
    let steps = plan["steps"].as_array().unwrap();
    let patterns: Vec<&str> = steps.iter().map(|step| step["pattern"].as_str().unwrap()).collect();
    assert_eq!(patterns, ["read-latency", "write-parallel"]);
    assert_eq!(plan["changes"].as_array().unwrap().len(), 1);
    // Spread over a time, a figure that does not settle has as much again.
    let over = |format: &str| home.run(&[&disk[..], &["--over", "20m", "--format", format]].concat());
    let (plan, text) = (over("json").json(), over("text"));
    let seconds = |name: &str| plan[name].as_f64().unwrap();
    assert!(seconds("seconds_expected") > 1200.0 && seconds("seconds_most") == 2400.0, "{plan}");
    assert!(text.out.contains(" to 40 min"), "{}", text.out);
}

#[test]
fn devices_that_are_not_there_or_no_devices() {
    let home = Home::new();
    home.run(&["disk", "/dev/null"]).ends(2, &["/dev/null", "neither a block device"]);
    home.run(&["disk", "/nowhere/at/all"]).ends(2, &["/nowhere/at/all", "no such folder as /nowhere/at", "make it"]);
    home.run(&["disk", "/dev/nowhere"]).ends(2, &["/dev/nowhere", "no such device"]);
    home.run(&["disk", ".", "--destroy-data-on", "/dev/sdx"]).ends(2, &["/dev/sdx", "same path"]);
    home.run(&["disk", ".", "--engine", "warp"]).ends(2, &["warp", "io_uring"]);
    // It left a journal that nothing could undo.
    home.run(&["disk", ".", "--quiesce", "--dry-run"]).ends(2, &["--quiesce", "no cluster"]);
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "a run was begun");
}

/// As another user, what may not be opened is told with what to do, before anything is done.
#[test]
fn what_this_user_may_not_open_is_told_with_the_mend() {
    use std::os::unix::fs::PermissionsExt;
    if !nix::unistd::Uid::effective().is_root() {
        return;
    }
    let home = Home::new();
    let folder = home.path().join("closed");
    std::fs::create_dir(&folder).unwrap();
    let file = folder.join("data");
    std::fs::write(&file, [1; 4096]).unwrap();
    let mode = |path: &std::path::Path, mode| std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    mode(home.path(), 0o755);
    mode(&folder, 0o755);
    mode(&file, 0o600);
    // Where anybody may start it.
    let program = home.path().join("fathom");
    // By another process: what this one has open for writing, a test beside it may hand on, and then nobody can start it.
    tool("cp", &[env!("CARGO_BIN_EXE_fathom"), program.to_str().unwrap()]);
    let disk = |path: &std::path::Path| {
        use std::os::unix::process::CommandExt;
        let mut command = std::process::Command::new(&program);
        command.args(["disk", path.to_str().unwrap(), "--patterns", "read-latency", "--dry-run"]);
        crate::common::Ran::of(command.uid(65_534).gid(65_534))
    };
    disk(&file).ends(2, &["data: Permission denied", "run as root"]);
    disk(&folder).ends(2, &["no file can be made in", "Permission denied", "run as root"]);
    if let Some(device) = std::fs::read_dir("/dev").unwrap().flatten().find(|entry| {
        use std::os::unix::fs::{FileTypeExt, MetadataExt};
        entry.metadata().is_ok_and(|found| found.file_type().is_block_device() && found.mode() & 0o004 == 0)
    }) {
        disk(&device.path()).ends(2, &["Permission denied", "run as root", "group"]);
    }
}

/// A against A under another name would be a finding about nothing.
#[test]
fn one_setting_against_another_that_is_none_here() {
    let home = Home::new();
    let folder = home.path().to_str().unwrap();
    home.run(&["disk", folder, "--ab", "pool=fast,slow"]).ends(2, &["--ab pool", "device layer", "rados and rbd"]);
    home.run(&["osd", "--ab", "pool=a,b"]).ends(2, &["--ab pool", "osd layer", "osd=A,B"]);
    home.run(&["rados", "--ab", "path=/a,/b"]).ends(2, &["--ab path", "rados layer", "device"]);
    home.run(&["rbd", "--ab", "osd=0,1"]).ends(2, &["--ab osd", "rbd layer", "store and osd"]);
    home.run(&["disk", folder, "--ab", "depth=8,16", "--depth", "4"]).ends(2, &["depth", "fixed value", "--depth"]);
    home.run(&["disk", folder, "--ab", "depth=8,8"]).ends(2, &["same on both sides", "--ab nothing"]);
    for numbers in ["depth=1,32", "block-size=4k,1M"] {
        let planned = home.run(&["disk", folder, "--ab", numbers, "--working-set", "4M", "--dry-run"]);
        planned.ends(0, &[]);
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "something was left behind");
}

/// A link to what is not there is not its own folder.
#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let home = Home::new();
    let link = home.path().join("link");
    std::os::unix::fs::symlink("/mnt/gone/disk", &link).unwrap();
    home.run(&["disk", link.to_str().unwrap()])
        .ends(2, &["is a link to /mnt/gone/disk", "name what shall be measured"]);
}

/// In every option that takes a file: a device without an end is read no further than such a file can be.
#[test]
fn files_without_an_end_are_refused() {
    let home = Home::new();
    for words in [
        &["fio", "/dev/zero"][..],
        &["hosts", "--hosts-file", "/dev/zero"],
        &["hosts", "--hosts", "a", "--ssh-config", "/dev/zero"],
        &["hosts", "--hosts", "a", "--identity", "/dev/zero"],
        &["hosts", "--hosts", "a", "--agent", "/dev/zero"],
        &["run", "--verdict", "/dev/zero"],
        &["import", "/dev/zero"],
    ] {
        home.run(words).ends(2, &["/dev/zero"]);
    }
    home.run(&["osd", "--conf", "/dev/zero"]).ends(2, &["/dev/zero"]);
    let conf = home.path().join("ceph.conf");
    std::fs::write(&conf, "[global]\nmon host = 127.0.0.1:1\n").unwrap();
    home.run(&["osd", "--conf", conf.to_str().unwrap(), "--keyring", "/dev/zero"])
        .ends(2, &["/dev/zero", "regular file"]);
    home.run(&["runs", "--archive", "/dev/zero"]).ends(2, &["/dev/zero", "character device"]);
}

/// Recorded as text, a run can't have them: each is refused before anything is done.
#[test]
fn paths_that_are_no_text_are_refused() {
    use std::os::unix::ffi::OsStringExt;
    let home = Home::new();
    let path = std::ffi::OsString::from_vec([home.path().as_os_str().as_encoded_bytes(), b"/x\xff"].concat());
    std::fs::write(&path, "x").unwrap();
    for words in [
        &["disk"][..],
        &["run", "--devices"],
        &["disk", "/tmp", "--destroy-data-on"],
        &["disk", "/tmp", "--report"],
        &["disk", "/tmp", "--archive"],
        &["run", "--verdict"],
        &["run", "--conf"],
        &["run", "--keyring"],
        &["hosts", "--hosts-file"],
        &["hosts", "--hosts", "a", "--identity"],
        &["hosts", "--hosts", "a", "--ssh-config"],
        &["hosts", "--hosts", "a", "--agent"],
        &["report", "--output"],
        &["import"],
        &["fio"],
        &["crosscheck", "disk"],
    ] {
        let ended = home.fathom(words).arg(&path).output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr);
        assert!(ended.status.code() == Some(2) && err.contains("not UTF-8"), "{words:?}: {:?} {err}", ended.status);
    }
    // The folder in which it runs may have such a name.
    let folder = std::ffi::OsString::from_vec([home.path().as_os_str().as_encoded_bytes(), b"/in\xff"].concat());
    std::fs::create_dir(&folder).unwrap();
    let words =
        ["disk", "own", "--patterns", "read-latency", "--working-set", "4M", "--passes", "1", "--duration", "300ms"];
    let ended = home.fathom(&words).current_dir(&folder).output().unwrap();
    let err = String::from_utf8_lossy(&ended.stderr);
    assert!(matches!(ended.status.code(), Some(0 | 2 | 4)) && !err.contains("panicked"), "{:?} {err}", ended.status);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "something was left behind");
}

#[test]
fn hosts_that_would_be_options_are_refused() {
    let home = Home::new();
    for host in ["docker:--privileged", "kube:-x/y", "kube:x/--as-root", "netns:-n", "podman:-it"] {
        home.run(&["hosts", "--hosts", host]).ends(2, &["dash"]);
    }
    let file = home.path().join("hosts");
    std::fs::write(&file, "a\x1b[31m\n").unwrap();
    let ended = home.run(&["hosts", "--hosts-file", file.to_str().unwrap()]);
    ended.ends(2, &["hosts"]);
    assert!(!ended.err.contains('\x1b'), "{:?}", ended.err);
    let ended = home.run(&["run", "--layers", "a\x1b[31mb"]);
    assert!(!ended.err.contains('\x1b') && ended.err.contains("layer"), "{:?}", ended.err);
}

#[test]
fn an_archive_that_is_none() {
    let home = Home::new();
    let text = home.path().join("notes.txt");
    std::fs::write(&text, "these are notes, not a database; they have to survive").unwrap();
    let path = text.to_str().unwrap();
    home.run(&["runs", "--archive", path]).ends(2, &[path]);
    home.run(&["show", "last", "--archive", "/nowhere/archive.sqlite"]).ends(2, &["/nowhere/archive.sqlite"]);
    home.run(&["runs", "--archive", "/tmp"]).ends(2, &["/tmp"]);
    assert!(std::fs::read_to_string(text).unwrap().starts_with("these are notes"));
    home.run(&["runs"]).ends(0, &[]);
    home.run(&["show", "last"]).ends(2, &[]);
}

#[test]
fn standard_output_that_is_full_is_a_clear_error_and_a_reader_that_left_is_none() {
    let home = Home::new();
    for words in [&["runs"][..], &["runs", "--format", "json"], &["lab", "list"], &["show", "nope", "--format", "json"]]
    {
        let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let ended = home.fathom(words).stdout(full).output().unwrap();
        let err = String::from_utf8_lossy(&ended.stderr);
        let code = if words[0] == "show" { 2 } else { 1 };
        assert!(ended.status.code() == Some(code) && !err.contains("panicked"), "{words:?}: {err}");
        assert!(words[0] == "show" || err.contains("standard output can't be written"), "{words:?}: {err}");
    }
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = home.fathom(&["lab", "list"]).stdout(writer).output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

/// The run ends in order, says what it found by its exit code, and leaves nothing behind.
#[test]
fn a_run_that_can_tell_nobody_goes_on_and_undoes_its_changes() {
    let home = Home::new();
    let folder = home.path().join("load");
    std::fs::create_dir(&folder).unwrap();
    let load = ["disk", folder.to_str().unwrap(), "--patterns", "write-latency,read-latency", "--working-set", "4M"];
    let load = [&load[..], &["--duration", "300ms"]].concat();
    let ended = |redirected: &str, arguments: &[&str]| {
        let script = format!("\"$0\" \"$@\" {redirected}");
        let mut command = std::process::Command::new("bash");
        // Of a pipeline, how the program itself ended.
        command.args(["-c", &format!("set -o pipefail; {script}"), env!("CARGO_BIN_EXE_fathom")]).args(arguments);
        let output = command.env("XDG_DATA_HOME", home.path()).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        assert!(!said.contains("panicked"), "{redirected}: {said}");
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0, "{redirected} left something");
        output.status.code()
    };
    let runs = || home.run(&["runs", "--format", "json"]).json()["runs"].as_array().unwrap().len();
    for (redirected, code) in [
        ("2>/dev/full", None),
        ("2>&-", None),
        ("2> >(head -c 1 >/dev/null)", None),
        ("| head -c 1", None),
        (">&-", None),
        (">/dev/full", Some(1)),
        (">/dev/full 2>/dev/full", Some(1)),
    ] {
        let (before, found) = (runs(), ended(redirected, &load));
        match code {
            Some(_) => assert_eq!(found, code, "{redirected}"),
            None => assert!(matches!(found, Some(0 | 4)), "{redirected}: {found:?}"),
        }
        assert_eq!(runs(), before + 1, "{redirected}: the run is in the archive");
    }
    assert_eq!(ended("2>/dev/full", &["disk", "/dev/null"]), Some(2));
    assert_eq!(ended("2>&-", &["show", "nope"]), Some(2));
    assert_eq!(ended(">/dev/full", &["--help"]), Some(1));
    assert_eq!(ended("| head -c 1", &["--help"]), Some(0));
    assert!(
        !home.path().join("fathom/journal").exists()
            || std::fs::read_dir(home.path().join("fathom/journal")).unwrap().count() == 0
    );
}

#[test]
fn a_pipe_that_nobody_writes_to_is_refused_and_not_waited_for() {
    let home = Home::new();
    let path = |name: &str| home.path().join(name).display().to_string();
    let (pipe, conf) = (path("pipe"), path("lab.conf"));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    std::fs::write(&conf, "[global]\nmon_host = 127.0.0.1:1\n").unwrap();
    for arguments in [
        &["run", "--dry-run", "-c", &conf, "--keyring", &pipe][..],
        &["fio", &pipe],
        &["network", "--hosts-file", &pipe],
        &["disk", &conf, "--verdict", &pipe],
    ] {
        let ran = home.run(arguments);
        assert!(matches!(ran.code, 1 | 2) && ran.err.contains("no regular file"), "{arguments:?}: {}", ran.err);
    }
    std::fs::write(&conf, format!("[global]\nmon_host = 127.0.0.1:1\nkeyring = {pipe}\n")).unwrap();
    home.run(&["run", "--dry-run", "-c", &conf]).ends(2, &["no regular file"]);
}

/// It waits for whoever writes the list, who never does.
#[test]
fn the_second_signal_ends_at_once_what_has_changed_nothing() {
    use nix::sys::signal::Signal;
    let signals = [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT, Signal::SIGUSR1, Signal::SIGUSR2];
    for signal in signals.into_iter().chain([Signal::SIGALRM, Signal::SIGXCPU]) {
        assert_eq!(ended_by(signal), Some(130), "{signal}");
    }
}

fn ended_by(signal: nix::sys::signal::Signal) -> Option<i32> {
    let home = Home::new();
    let mut command = home.fathom(&["network", "--hosts-file", "/dev/stdin"]);
    let mut child = command.stdin(std::process::Stdio::piped()).stderr(std::process::Stdio::null()).spawn().unwrap();
    // SIGXCPU is the last of those that are caught.
    let caught = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap().trim().to_string();
        u64::from_str_radix(&mask, 16).unwrap() >> (nix::sys::signal::Signal::SIGXCPU as i32 - 1) & 1 == 1
    };
    while !caught() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let pid = nix::unistd::Pid::from_raw(child.id() as i32);
    loop {
        if let Some(ended) = child.try_wait().unwrap() {
            return ended.code();
        }
        let _ = nix::sys::signal::kill(pid, signal);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
}

/// Ceph's libraries say on standard output what they think of a name; a result there is that alone.
#[test]
fn what_is_wrong_with_a_cluster_named_is_told_at_once_and_beside_the_result() {
    let home = Home::new();
    let path = |name: &str| home.path().join(name).display().to_string();
    let conf = |name: &str, text: &[u8]| {
        std::fs::write(path(name), text).unwrap();
        path(name)
    };
    let wrong = [
        (conf("nohost", b"[global]\nmon_host = not.a.host.invalid\n"), ["nohost", "mon_host = not.a.host.invalid"]),
        (conf("empty", b""), ["empty", "mon_host"]),
        (conf("binary", b"\xff\xfe\x00garbage"), ["binary", "line 1 is no text"]),
        (conf("prose", b"[global]\nthis is prose\n"), ["prose", "line 2"]),
        (home.path().display().to_string(), ["is a folder", "ceph.conf"]),
    ];
    for (conf, words) in wrong {
        let ran = home.run(&["audit", "-c", &conf, "--format", "json"]);
        assert!(ran.ends(2, &words).json()["errors"][0].is_string(), "{}", ran.out);
    }
    let good = conf("good", b"[global]\nmon_host = 127.0.0.1:1\n");
    home.run(&["audit", "-c", &good, "--keyring", "/nowhere/key"]).ends(2, &["--keyring /nowhere/key", "No such file"]);
    home.run(&["audit", "-c", &good, "--id", ""]).ends(2, &["the user \"\"", "--id admin"]);
}
