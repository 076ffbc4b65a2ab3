//! Objects spread over several buckets of one gateway.

use super::*;

#[test]
fn objects_are_spread_over_buckets_by_their_numbers() {
    let (lab, gateway) = with_gateway();
    super::index::each_number_of_objects_has_a_bucket_of_its_own(&lab, &gateway);
    super::sizes::objects_of_different_sizes_are_put_and_got_whole(&lab, &gateway);
    let patterns = "read-parallel,create-delete,stat,list";
    let words =
        ["object", "--lab", &lab.name, "--buckets", "3", "--patterns", patterns, "--depth", "8", "--working-set", "4M"];
    let report = measured(&lab.home.run(&[&words[..], &SHORT].concat()));
    let figures = report["figures"].as_array().unwrap();
    assert_eq!((figures.len(), &report["errors"]), (5, &serde_json::json!([])));
    for figure in figures {
        assert_eq!((&figure["errors"], &figure["workload"]["buckets"]), (&0.into(), &3.into()), "{figure}");
        assert!(figure["operations"].as_u64().unwrap() > 20, "{figure}");
    }
    // By the gateway's own log: each object was only ever asked for in the bucket of its number, and each bucket has its part.
    let run = report["run"].as_str().unwrap();
    for (remainder, name) in
        [(0, format!("fathom-{run}")), (1, format!("fathom-{run}-b2")), (2, format!("fathom-{run}-b3"))]
    {
        let asked = asked_of(&gateway, &name);
        let number = |object: &str| object.rsplit('.').next().unwrap().parse::<u64>().ok();
        let own = asked.iter().filter(|one| one.1.starts_with("fathom."));
        let numbers: Vec<u64> = own.filter_map(|one| number(&one.1)).collect();
        assert!(numbers.len() > 300 && numbers.iter().all(|number| number % 3 == remainder), "{name}: {numbers:?}");
        let puts: BTreeSet<&String> =
            asked.iter().filter(|one| one.0 == "PUT" && !one.1.contains(".new.")).map(|one| &one.1).collect();
        assert!(puts.len() >= 1024 / 3, "{name}: {}", puts.len());
    }
    only_theirs_is_left(&gateway);
    let told = gateway.run(&lab, &["show", run]);
    assert!(told.out.contains("LIST of 170 names on average"), "{}", told.out);
    assert!(!told.out.contains("gateways"), "there is one: {}", told.out);

    let (mut child, _) = under_way_with(&lab, &gateway, &["--buckets", "3"], &gateway.environment());
    assert_eq!(gateway.buckets().len(), 4);
    child.kill().unwrap();
    child.wait().unwrap();
    let told = gateway.run(&lab, &["restore", "--yes"]);
    assert_eq!(told.ends(0, &[]).err.matches("undone: bucket").count(), 3);
    only_theirs_is_left(&gateway);
    assert_eq!(journals(&lab), 0);
}
