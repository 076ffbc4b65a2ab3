//! Killed between making a change and writing down that it was made: undone if the cluster's own records show that the run made it then.

use super::journals::{RUN, head, host_name, write_journal};
use crate::common::Lab;
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds: longer than `restore` waits for a change to be carried out, and so long that somebody else must have made the change.
const JUST: i64 = 6;
const LONG_AGO: i64 = 600;

struct Case {
    change: Value,
    before: Option<&'static str>,
    since: u64,
    /// What the run did, or somebody else.
    done: Vec<Vec<String>>,
    /// What the cluster says then, and when it is undone.
    look: Vec<&'static str>,
    stands: &'static str,
}

pub fn undone_only_with_proof(lab: &Lab) {
    let dump = || -> Value { serde_json::from_str(&lab.ceph(&["osd", "dump", "--format", "json"])).unwrap() };
    let version = || {
        let log: Value = serde_json::from_str(&lab.ceph(&["config", "log", "1", "--format", "json"])).unwrap();
        log[0]["version"].as_u64().unwrap()
    };
    let own = format!("fathom.{RUN}.x");
    lab.ceph(&["osd", "pool", "create", "scaled", "32"]);
    lab.ceph(&["osd", "pool", "set", "scaled", "pg_autoscale_mode", "warn"]);
    let words = |text: &str| text.split(' ').map(str::to_string).collect::<Vec<_>>();
    let cases: [&dyn Fn() -> Case; 5] = [
        &|| Case {
            change: json!({"change": "option", "who": "osd", "name": "osd_max_backfills", "value": "7"}),
            before: None,
            since: version(),
            done: vec![words("config set osd osd_max_backfills 7")],
            look: vec!["config", "dump"],
            stands: "osd_max_backfills",
        },
        &|| Case {
            change: json!({"change": "flag", "name": "noscrub"}),
            before: None,
            since: dump()["epoch"].as_u64().unwrap(),
            done: vec![words("osd set noscrub")],
            look: vec!["osd", "dump"],
            stands: "noscrub",
        },
        &|| Case {
            change: json!({"change": "pool-setting", "pool": "scaled", "name": "pg_autoscale_mode", "value": "off"}),
            before: Some("warn"),
            since: dump()["epoch"].as_u64().unwrap(),
            done: vec![words("osd pool set scaled pg_autoscale_mode off")],
            look: vec!["osd", "pool", "get", "scaled", "pg_autoscale_mode"],
            stands: "off",
        },
        &|| Case {
            change: json!({"change": "balancer-off"}),
            before: Some("on by default"),
            since: version(),
            done: vec![words("balancer off")],
            look: vec!["balancer", "status"],
            stands: "\"active\": false",
        },
        &|| Case {
            change: json!({"change": "pool", "name": own, "pg_num": 8, "size": null}),
            before: None,
            since: dump()["pool_max"].as_u64().unwrap(),
            done: vec![words(&format!("osd pool create {own} 8"))],
            look: vec!["osd", "pool", "ls"],
            stands: "fathom.",
        },
    ];
    let (before, fsid) = (lab.snapshot(), lab.ceph(&["fsid"]).trim().to_string());
    for case in cases {
        for age in [JUST, LONG_AGO] {
            let made = case();
            journal(lab, &fsid, &made, age);
            made.done.iter().for_each(|words| drop(lab.ceph(&words.iter().map(String::as_str).collect::<Vec<_>>())));
            let (what, stands) = (made.change.clone(), || lab.ceph(&made.look).contains(made.stands));
            assert!(stands(), "{what}: the test did not change it");
            // A pool's id is newer than the entry, whenever it was made.
            if age == LONG_AGO && made.change["change"] != "pool" {
                lab.run(&["restore", "--yes"]).ends(3, &["was not undone", "ceph "]);
                assert!(stands(), "{what}: somebody else's was undone");
            }
            lab.run(&["restore", "--yes", "--run", RUN]).ends(0, &["undone: "]);
            assert!(!stands(), "{what} after {age} s");
        }
        // It was never made.
        let made = case();
        journal(lab, &fsid, &made, JUST);
        let told = if made.change["change"] == "pool" { "undone: pool" } else { "left as it is: " };
        let ran = lab.run(&["restore", "--yes"]);
        assert!(ran.ends(0, &[]).err.contains(told) || ran.out.contains(told), "{told}: {}\n{}", ran.out, ran.err);
    }
    assert_eq!(lab.snapshot(), before);
    a_pool_that_somebody_uses_stays(lab, &fsid, &own, dump()["pool_max"].as_u64().unwrap());
    lab.ceph(&["osd", "pool", "delete", "scaled", "scaled", "--yes-i-really-really-mean-it"]);
}

fn journal(lab: &Lab, fsid: &str, case: &Case, age: i64) {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs() as i64;
    let entry = json!({"change": case.change, "before": case.before, "undone": false, "written": now - age, "since": case.since});
    write_journal(&lab.home, &head(&host_name(), Some(fsid)), &[entry]);
}

/// Without a label, with the run's name, newer than the entry: but not empty.
fn a_pool_that_somebody_uses_stays(lab: &Lab, fsid: &str, own: &str, since: u64) {
    let change = json!({"change": "pool", "name": own, "pg_num": 8, "size": null});
    let case = Case { change, before: None, since, done: Vec::new(), look: Vec::new(), stands: "" };
    lab.ceph(&["osd", "pool", "create", own, "8"]);
    crate::common::tool("rados", &["--conf", lab.conf(), "-p", own, "put", "theirs", "/etc/hostname"]);
    journal(lab, fsid, &case, JUST);
    lab.run(&["restore", "--yes"]).ends(3, &[own, "application", "ceph osd pool delete"]);
    assert!(lab.ceph(&["osd", "pool", "ls"]).contains(own));
    // Made before the entry was written, so not by its run.
    crate::common::tool("rados", &["--conf", lab.conf(), "-p", own, "rm", "theirs"]);
    journal(lab, fsid, &Case { since: since + 1, ..case }, JUST);
    lab.run(&["restore", "--yes"]).ends(3, &[own]);
    lab.ceph(&["osd", "pool", "delete", own, own, "--yes-i-really-really-mean-it"]);
    lab.run(&["restore", "--yes"]).ends(0, &[]);
}
