//! Objects that are put in parts.

use super::*;

const MIB: u64 = 1 << 20;

#[test]
fn what_is_put_in_parts_is_whole_and_an_upload_that_was_killed_goes_with_its_bucket() {
    let (lab, gateway) = with_gateway();
    let patterns = ["--patterns", "write-linear,read-linear", "--block-size", "12M", "--depth", "2"];
    let words = ["object", "--lab", &lab.name, "--part-size", "5M", "--working-set", "48M"];
    let report = measured(&lab.home.run(&[&words[..], &patterns, &SHORT].concat()));
    let figures = report["figures"].as_array().unwrap();
    assert_eq!((figures.len(), &report["errors"]), (2, &serde_json::json!([])));
    for figure in figures {
        // Whatever is read is looked at whether it is whole.
        assert_eq!((&figure["errors"], &figure["workload"]["part"]), (&0.into(), &(5 * MIB).into()), "{figure}");
        assert!(figure["operations"].as_u64().unwrap() > 2, "{figure}");
    }
    // By the gateway's own log: as many objects were begun as were put together, each of three parts.
    let log = std::fs::read_to_string(&gateway.log).unwrap();
    let run = report["run"].as_str().unwrap();
    let own: Vec<&str> = log.lines().filter(|line| line.contains(&format!("/fathom-{run}/fathom.{run}."))).collect();
    let count = |words: [&str; 2]| own.iter().filter(|line| words.iter().all(|word| line.contains(word))).count();
    let put = count(["\"POST ", "uploadId="]);
    assert!(put >= 4 + 2 && count(["\"POST ", "uploads"]) >= put, "{put} of {}", own.len());
    for part in ["partNumber=1&", "partNumber=2&", "partNumber=3&"] {
        assert!(count(["\"PUT ", part]) >= put, "{part}: {} of {put}", count(["\"PUT ", part]));
    }
    assert_eq!(count(["\"PUT ", "partNumber=4"]), 0);
    assert!(own.iter().filter(|line| line.contains("\"PUT ")).all(|line| line.contains("uploadId=")));
    only_theirs_is_left(&gateway);

    let long = ["object", "--lab", &lab.name, "--patterns", "write-linear", "--depth", "2", "--working-set", "120M"];
    let more = ["--part-size", "5M", "--block-size", "30M", "--duration", "20s", "--passes", "1"];
    let mut child =
        lab.home.fathom(&[&long[..], &more].concat()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let in_parts = || std::fs::read_to_string(&gateway.log).unwrap().matches("partNumber=2&").count();
    let before = in_parts();
    eventually("the run to put parts", 60, || in_parts() > before + 2);
    child.kill().unwrap();
    child.wait().unwrap();
    let given_up = || {
        let log = std::fs::read_to_string(&gateway.log).unwrap();
        let one =
            |line: &&str| line.contains("\"DELETE /fathom-") && line.contains("uploadId=") && line.contains("\" 204 ");
        log.lines().filter(one).count()
    };
    let before = given_up();
    gateway.run(&lab, &["restore", "--yes"]).ends(0, &[]);
    assert!(given_up() > before, "parts were under way when it was killed");
    only_theirs_is_left(&gateway);

    many_are_deleted_at_once(&lab, &gateway);

    let refused = |words: &[&str], why: &str| {
        let all = ["object", "--lab", &lab.name, "--patterns", "write-linear", "--block-size", "12M"];
        lab.home.run(&[&all[..], words].concat()).ends(2, &[why]);
    };
    refused(&["--part-size", "1M"], "at least 5 MiB");
    refused(&["--part-size", "12M"], "no object of this run is larger");
    refused(&["--part-size", "5M", "--swift"], "Swift has none");
    refused(&["--delete-at-once", "20"], "nothing is deleted");
    // Of a sweep only some points have parts.
    let swept = ["sweep", "object", "--lab", &lab.name, "--axis", "block-size=4M,16M", "--part-size", "8M"];
    lab.home.run(&[&swept[..], &["--patterns", "write-linear", "--dry-run"]].concat()).ends(0, &[]);
    let patterns = ["--patterns", "create-delete", "--delete-at-once", "20"];
    for (more, why) in [
        (&["--buckets", "2"][..], "objects of one bucket"),
        (&["--swift"], "no request deletes several"),
        (&["--rate", "50"], "how many requests are due"),
    ] {
        lab.home.run(&[&["object", "--lab", &lab.name], &patterns[..], more].concat()).ends(2, &[why]);
    }
}

/// By one request each, and they are gone: what is there at any time is little beside what was put.
fn many_are_deleted_at_once(lab: &Lab, gateway: &Gateway) {
    let words = ["object", "--lab", &lab.name, "--patterns", "create-delete", "--delete-at-once", "20", "--depth", "8"];
    let more = ["--passes", "1", "--duration", "4s", "--format", "json"];
    let child = lab.home.fathom(&[&words[..], &more].concat()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let own = || {
        let log = std::fs::read_to_string(&gateway.log).unwrap();
        let bucket = gateway.buckets().into_iter().find(|name| name.starts_with("fathom-"))?;
        let lines: Vec<String> = log.lines().filter(|line| line.contains(&bucket)).map(str::to_string).collect();
        let count = |word: &str| lines.iter().filter(|line| line.contains(word)).count();
        Some((bucket.clone(), count("\"PUT /"), count("\"POST /"), count("\"DELETE /")))
    };
    eventually("objects to be deleted", 60, || own().is_some_and(|(_, _, deletes, _)| deletes > 5));
    let (bucket, put, deletes, one_by_one) = own().unwrap();
    let there = gateway.get(&format!("{bucket}/?list-type=2&prefix={}.new.", bucket.replacen('-', ".", 1)));
    let there = there.matches("<Key>").count();
    assert!(put > 20 * deletes && one_by_one == 0, "{put} {deletes} {one_by_one}");
    // Twice twenty of them at first, at most as many again, and those in flight.
    assert!(there <= 4 * 20 + 3 * 8 && put > 120, "{there} of {put}");
    let report: serde_json::Value = serde_json::from_slice(&child.unwrap().wait_with_output().unwrap().stdout).unwrap();
    let figures = report["figures"].as_array().unwrap();
    assert_eq!((figures.len(), &report["errors"]), (2, &serde_json::json!([])));
    assert!(
        figures.iter().all(|figure| figure["errors"] == 0 && figure["workload"]["delete_at_once"] == 20),
        "{figures:?}"
    );
    let told = gateway.run(lab, &["show", report["run"].as_str().unwrap()]);
    assert!(told.out.contains("DELETE of 20 at once"), "{}", told.out);
    only_theirs_is_left(gateway);
}
