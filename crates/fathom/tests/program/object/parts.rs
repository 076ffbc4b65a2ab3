//! Objects that are put in parts.

use super::*;

const MIB: u64 = 1 << 20;

#[test]
fn what_is_put_in_parts_is_whole_and_an_upload_that_was_killed_goes_with_its_bucket() {
    let (lab, gateway) = with_gateway();
    let patterns = ["--patterns", "write-linear,read-linear", "--block-size", "12M", "--depth", "2"];
    let words = ["object", "--lab", &lab.name, "--part-size", "5M", "--working-set", "48M"];
    let report = lab.home.run(&[&words[..], &patterns, &SHORT].concat()).ends(4, &[]).json();
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
    gateway.run(&lab, &["restore", "--yes"]).ends(0, &[]);
    only_theirs_is_left(&gateway);

    let refused = |words: &[&str], why: &str| {
        let all = ["object", "--lab", &lab.name, "--patterns", "write-linear", "--block-size", "12M"];
        lab.home.run(&[&all[..], words].concat()).ends(2, &[why]);
    };
    refused(&["--part-size", "1M"], "at least 5 MiB");
    refused(&["--part-size", "12M"], "no object of this run is larger");
    refused(&["--part-size", "5M", "--swift"], "Swift has none");
}
