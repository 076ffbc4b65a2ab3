//! `kill -9` at random instants, then `fathom restore`: pools, images, flags, options, keys and files are as before.

mod common;
use common::Lab;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::process::Stdio;
use std::time::Duration;

const TRIES: u32 = 8;

#[test]
fn killed_at_any_instant_then_restored_leaves_the_cluster_as_it_was() {
    let lab = Lab::up(&[]);
    lab.ceph(&["osd", "pool", "create", "named", "8"]);
    lab.ceph(&["osd", "pool", "application", "enable", "named", "rbd"]);
    lab.ceph(&["osd", "pool", "set", "named", "pg_autoscale_mode", "on"]);
    // A cautious cluster: pools of one replica and the deletion of pools have to be allowed first, and forbidden again.
    for option in ["mon_allow_pool_size_one", "mon_allow_pool_delete"] {
        lab.ceph(&["config", "set", "mon", option, "false"]);
    }
    let before = lab.snapshot();
    let seed: u64 = rand::random();
    println!("seed {seed}");
    let mut chance = rand::rngs::StdRng::seed_from_u64(seed);
    let files = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for number in 0..TRIES {
        let folder = files.path().display().to_string();
        let plans: [&[&str]; 3] = [
            &["run", "--layers", "device,osd,rados,rbd", "--quick", "--quiesce", "--device", &folder],
            &["rbd", "--pool", "named", "--quick", "--working-set", "16M"],
            &["rados", "--pool", "named", "--quick", "--quiesce", "--working-set", "16M"],
        ];
        let plan = plans[number as usize % plans.len()];
        let mut run = lab.fathom(plan).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let lived = Duration::from_millis(chance.random_range(50..9_000));
        std::thread::sleep(lived);
        run.kill().unwrap();
        run.wait().unwrap();
        lab.run(&["restore", "--yes"]).ends(0, &[]);
        assert_eq!(lab.snapshot(), before, "{plan:?} killed after {lived:?} (seed {seed})");
        assert_eq!(
            fs::read_dir(files.path()).unwrap().count(),
            0,
            "a file was left: {plan:?} after {lived:?} (seed {seed})"
        );
        let objects = common::tool("rados", &["--conf", lab.conf(), "-p", "named", "ls"]);
        assert!(!objects.contains("fathom"), "objects were left: {objects} (seed {seed})");
    }
    lab.run(&["restore", "--yes"]).ends(0, &[]);
    let journals = lab.home.path().join("fathom/journal");
    assert_eq!(fs::read_dir(journals).map_or(0, Iterator::count), 0, "a journal was left");
}

/// The disk of the host that crashed is gone: the cluster's copy of the journal is enough.
#[test]
fn another_host_restores_from_the_cluster_alone() {
    let lab = Lab::up(&[]);
    let before = lab.snapshot();
    let mut run = lab.fathom(&["rados", "--quick"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    common::eventually("a temporary pool", 60, || lab.ceph(&["osd", "pool", "ls"]).contains("fathom."));
    run.kill().unwrap();
    run.wait().unwrap();
    fs::remove_dir_all(lab.home.path().join("fathom/journal")).unwrap();
    let told = lab.run(&["restore"]);
    told.ends(3, &["pool fathom.", "--yes"]);
    lab.run(&["restore", "--yes"]).ends(0, &["undone: pool fathom."]);
    assert_eq!(lab.snapshot(), before);
}

/// Killed while B's setting stands: what was not set is not set, and what was set is as it was.
#[test]
fn an_option_that_stands_for_b_comes_back_exactly() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory"]);
    let option = "osd_max_backfills";
    for set in [None, Some("2")] {
        if let Some(value) = set {
            lab.ceph(&["config", "set", "osd", option, value]);
        }
        let before = lab.snapshot();
        let setting = format!("option:osd/{option}=7");
        let load = ["rados", "--ab", &setting, "--patterns", "read-latency", "--working-set", "8M", "--duration", "3s"];
        let mut run = lab.fathom(&load).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let stands = || lab.ceph(&["config", "get", "osd", option]).trim() == "7";
        common::eventually("B's setting", 120, stands);
        run.kill().unwrap();
        run.wait().unwrap();
        assert!(stands(), "it was put back before the run was killed");
        lab.run(&["restore", "--yes"]).ends(0, &[&format!("undone: option osd/{option} = 7")]);
        assert_eq!(lab.snapshot(), before, "{set:?}");
    }
}
