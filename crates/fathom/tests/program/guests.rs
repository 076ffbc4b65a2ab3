//! Several guests at once. Hosts of their own networks stand for them: what is told of a guest's disk inside is a matter of its own.

use crate::common::hosts::{Hosts, Odd};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn folder(hosts: &Hosts, name: &str) -> PathBuf {
    let folder = hosts.folder.path().join(name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("theirs"), "theirs").unwrap();
    folder
}

fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn each_folder_has_a_row_that_is_of_all_guests_and_nothing_is_left_in_it() {
    let hosts = Hosts::new(&[Odd::default(), Odd::default()]);
    let (list, config) = (hosts.list(), hosts.config());
    let folders = ["one", "two"].map(|name| folder(&hosts, name));
    let [one, two] = [0, 1].map(|at: usize| folders[at].to_str().unwrap());
    let there = ["guest", one, two, "--guests", &list, "--ssh-config", &config, "--working-set", "8M"];
    let run = |more: &[&str]| hosts.home.run(&[&there[..], more].concat());

    let ran = run(&["--patterns", "write-parallel", "--duration", "1s", "--passes", "1", "--format", "json"]);
    assert!([0, 4].contains(&ran.code), "{}", ran.err);
    let report = ran.json();
    let doors: Vec<&Value> = report["chart"].as_array().unwrap().iter().map(|cell| &cell["door"]).collect();
    assert_eq!(doors, [one, two]);
    let figures = report["figures"].as_array().unwrap();
    for path in [one, two] {
        let of = |target: &str| {
            let own = figures.iter().find(|figure| figure["target"] == target);
            own.and_then(|figure| figure["operations"].as_u64()).unwrap_or_else(|| panic!("{target}: {figures:?}"))
        };
        let each = [0, 1].map(|guest| of(&format!("{}:{path}", hosts.name(guest))));
        assert!(each.iter().all(|operations| *operations > 0));
        assert_eq!(of(path), each.iter().sum::<u64>());
    }
    folders.iter().for_each(|folder| assert_eq!(files(folder), ["theirs"]));

    // Killed in the middle.
    let words = [&there[..], &["--patterns", "write-latency", "--duration", "1m"]].concat();
    let told = hosts.folder.path().join("told");
    let mut killed = hosts.home.fathom(&words).stderr(fs::File::create(&told).unwrap()).spawn().unwrap();
    let made = || fs::read_to_string(&told).unwrap().matches("made: file").count();
    crate::common::eventually("files of both guests", 60, || made() == 4);
    killed.kill().unwrap();
    killed.wait().unwrap();
    hosts.home.run(&["restore", "--yes", "--hosts", &list, "--ssh-config", &config]).ends(0, &[]);
    folders.iter().for_each(|folder| assert_eq!(files(folder), ["theirs"]));
    assert_eq!(fs::read_to_string(folders[0].join("theirs")).unwrap(), "theirs");

    // This host has a folder of that name as well, and loads nothing of it.
    let disk = ["disk", one, "--guests", &list, "--ssh-config", &config, "--quick"];
    hosts.home.run(&disk).ends(2, &["--guests", "fathom guest DISK"]);
    run(&["--hosts", hosts.name(0)]).ends(2, &["is among --hosts"]);
}
