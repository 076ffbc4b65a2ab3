//! A real cluster is audited: as it is made it gives no hint, what is set badly is told by name, and put back it is well again.

use crate::common::Lab;
use serde_json::Value;
use std::collections::BTreeSet;

/// Ids of the hints, and the document.
fn audited(lab: &Lab, code: i32) -> (BTreeSet<String>, Value) {
    let document = lab.run(&["audit", "--format", "json", "--quiet"]).ends(code, &[]).json();
    assert_eq!(document["schema"], "fathom.audit/1");
    let hints = document["hints"].as_array().unwrap().iter();
    (hints.map(|hint| hint["id"].as_str().unwrap().to_string()).collect(), document)
}

#[test]
fn a_clean_lab_gives_no_hint_and_bad_settings_are_told_by_name() {
    let lab = Lab::up(&["--osds", "3", "--backing", "memory"]);
    let (clean, document) = audited(&lab, 0);
    assert_eq!(clean, BTreeSet::new(), "{document:#}");
    assert!(document["looked"].as_u64().unwrap() > 80, "{document:#}");
    assert_eq!(document["left_out"].as_array().unwrap().len(), 0, "{document:#}");

    lab.ceph(&["config", "set", "osd", "debug_osd", "20/20"]);
    lab.ceph(&["config", "set", "global", "ms_tcp_nodelay", "false"]);
    lab.ceph(&["config", "set", "osd", "ms_crc_data", "false"]);
    lab.ceph(&["osd", "set", "noscrub"]);
    let (bad, document) = audited(&lab, 4);
    let wanted = ["kern-debug-logging", "net-nodelay", "folklore-crc-off", "st-flags"].map(String::from);
    assert_eq!(bad, BTreeSet::from(wanted), "{document:#}");
    let hints = document["hints"].as_array().unwrap();
    assert_eq!(hints[0]["id"], "st-flags", "what goes on comes first");
    for hint in hints {
        assert_eq!(hint["standing"], "hint");
        for field in ["confirm", "fix", "risk", "says"] {
            assert!(hint[field].as_str().is_some_and(|text| !text.is_empty()), "{field} of {hint:#}");
        }
    }
    let logging = hints.iter().find(|hint| hint["id"] == "kern-debug-logging").unwrap();
    assert_eq!(logging["fix"], "ceph config rm osd debug_osd");
    let text = lab.run(&["audit"]).ends(4, &[]).out.clone();
    assert!(text.contains("3 hints") && text.contains("osd/debug_osd"), "{text}");

    lab.ceph(&["config", "rm", "osd", "debug_osd"]);
    lab.ceph(&["config", "rm", "global", "ms_tcp_nodelay"]);
    lab.ceph(&["config", "rm", "osd", "ms_crc_data"]);
    lab.ceph(&["osd", "unset", "noscrub"]);
    assert_eq!(audited(&lab, 0).0, BTreeSet::new());

    // A host that was named and did not answer is no host without hints.
    let ran = lab.run(&["audit", "--format", "json", "--quiet", "--hosts", "nowhere.invalid"]);
    let document = ran.ends(4, &[]).json();
    let left_out = document["left_out"].to_string();
    assert!(document["hints"].as_array().unwrap().is_empty() && left_out.contains("nowhere.invalid"), "{document:#}");

    // A lost OSD is told as the cluster's state.
    lab.daemon("stop", "osd.1");
    lab.ceph(&["osd", "down", "1"]);
    let (told, document) = audited(&lab, 4);
    assert!(told.contains("st-osds-down"), "{document:#}");
    assert!(document["says"][0].as_str().unwrap().contains("under background work"), "{document:#}");
}

#[test]
fn a_user_with_few_rights_gets_what_it_may_see_and_is_told_the_rest() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory"]);
    let keyring = lab.ceph(&["auth", "get-or-create", "client.few", "mon", "allow r"]);
    let file = lab.home.path().join("few.keyring");
    std::fs::write(&file, keyring).unwrap();
    let ran = lab.run(&["audit", "--format", "json", "--id", "few", "--keyring", file.to_str().unwrap()]);
    let document = ran.json();
    assert!(document["looked"].as_u64().unwrap() > 50, "{document:#}");
    let lacking: Vec<&str> =
        document["not_looked"].as_array().unwrap().iter().map(|one| one["lacks"].as_str().unwrap()).collect();
    assert!(lacking.contains(&"the balancer's state"), "{document:#}");
    assert!(!document["left_out"].as_array().unwrap().is_empty(), "{document:#}");
}

#[test]
fn a_rule_is_explained_and_an_unknown_one_gets_the_nearest_names() {
    let home = crate::common::Home::new();
    let page = home.run(&["explain", "net-nodelay"]).ends(0, &[]).out.clone();
    for part in ["net-nodelay (network)", "why: ", "confirm: ", "fix: ", "risk: ", "releases: ", "tried: "] {
        assert!(page.contains(part), "{part} is not in\n{page}");
    }
    // Rules that measure have pages as well.
    assert!(home.run(&["explain", "osd-slow"]).ends(0, &[]).out.contains("fathom diagnose"));
    home.run(&["explain", "net-nodlay"]).ends(2, &["the nearest rules: net-nodelay"]);
    // What stands beside a figure.
    let label = home.run(&["explain", "few-events"]).ends(0, &[]).out.clone();
    assert!(label.contains("few events") && label.contains("longer slices"), "{label}");
    let all = home.run(&["explain", "--format", "json"]).ends(0, &[]).json();
    assert!(all["rules"].as_array().unwrap().len() > 100);
}
