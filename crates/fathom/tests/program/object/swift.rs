//! A real gateway that is asked by Swift.

use super::*;

/// The same objects by Swift, whose log-in says where they are.
#[test]
fn a_gateway_is_asked_by_swift_as_well_and_what_a_killed_run_left_is_undone() {
    let (lab, gateway) = with_gateway();
    let patterns = "write-parallel,read-parallel,create-delete,stat,list";
    let words = ["object", "--lab", &lab.name, "--swift", "--patterns", patterns, "--depth", "8"];
    let report = measured(&lab.home.run(&[&words[..], &SHORT].concat()));
    let figures = report["figures"].as_array().unwrap();
    assert_eq!((figures.len(), &report["errors"]), (6, &serde_json::json!([])));
    let asked = asked_of(&gateway, &format!("fathom-{}", report["run"].as_str().unwrap()));
    for (kind, method, status) in
        [("write", "PUT", 201), ("read", "GET", 200), ("stat", "HEAD", 200), ("delete", "DELETE", 204)]
    {
        let told = figures.iter().find(|figure| figure["kind"] == kind).unwrap()["operations"].as_u64().unwrap();
        let seen = asked.iter().filter(|one| (one.0.as_str(), one.2) == (method, status)).count() as u64;
        assert!(told > 20 && seen >= told, "{kind}: {told} of {seen}");
    }
    only_theirs_is_left(&gateway);

    let log_in = format!("{}/auth/v1.0", gateway.url);
    let environment = [("ST_AUTH", log_in.as_str()), ("ST_USER", "fathom:swift"), ("ST_KEY", &gateway.swift_key)];
    let (mut child, bucket) = under_way_with(&lab, &gateway, &["--swift"], &environment);
    gateway.put(&format!("{bucket}/notes"), &["--data-binary", "mine"]);
    child.kill().unwrap();
    child.wait().unwrap();
    lab.home.run(&["restore", "--yes"]).ends(1, &["there is no user, or no key, for", "ST_USER"]);
    let told = lab.home.run_with(&["restore", "--yes"], &environment);
    told.ends(0, &[]);
    assert!(told.out.contains("left as it is: bucket"), "{}\n{}", told.out, told.err);
    assert_eq!(gateway.get(&format!("{bucket}/notes")), "mine");
    assert!(!gateway.get(&bucket).contains("<Key>fathom."));
    gateway.remove(&format!("{bucket}/notes"));
    gateway.remove(&bucket);
    only_theirs_is_left(&gateway);
    // A key that is wrong.
    let wrong = [("ST_AUTH", log_in.as_str()), ("ST_USER", "fathom:swift"), ("ST_KEY", "wrong")];
    let words = ["object", "--swift", "--patterns", "stat"];
    lab.home.run_with(&words, &wrong).ends(1, &["it answered 401", "does not know this user"]);
    lab.home.run(&words).ends(2, &["set ST_AUTH"]);
    assert_eq!(journals(&lab), 0);
}
