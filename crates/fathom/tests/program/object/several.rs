//! Several gateways of one cluster, each with its figures.

use super::*;

/// A second gateway of a lab, with a log of its own, that waits with small packets (without TCP_NODELAY); it ends when this is dropped.
struct Second {
    process: Child,
    url: String,
    log: std::path::PathBuf,
    _folder: tempfile::TempDir,
}

impl Second {
    fn of(lab: &Lab) -> Second {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let process = Command::new("radosgw")
            .args(["-f", "-n", "client.rgw.a", "-c", lab.conf()])
            .arg(format!("--rgw-frontends=beast endpoint=127.0.0.1:{port} tcp_nodelay=0"))
            .arg(format!("--admin-socket={}", at("socket").display()))
            .arg(format!("--log-file={}", at("log").display()))
            .arg(format!("--rgw-data={}", folder.path().display()))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let second = Second { process, url: format!("http://127.0.0.1:{port}"), log: at("log"), _folder: folder };
        eventually("the second gateway", 60, || TcpStream::connect(("127.0.0.1", port)).is_ok());
        second
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn each_of_several_gateways_has_its_figures_and_a_bucket_of_its_own() {
    let (lab, gateway) = with_gateway();
    let second = Second::of(&lab);
    let urls = format!("{}, {}", gateway.url, second.url);
    let name = |url: &str| format!("gateway {}", url.strip_prefix("http://").unwrap());
    let (one, other) = (name(&gateway.url), name(&second.url));
    let conf = lab.conf();
    let words = ["object", "--conf", conf, "--s3-url", &urls, "--patterns", "read-latency,read-parallel"];
    let words = [&words[..], &["--depth", "4", "--working-set", "1M", "--passes", "1", "--duration", "1s"]].concat();
    let document = measured(&gateway.run(&lab, &[&words[..], &["--format", "json"]].concat()));
    let figures = document["figures"].as_array().unwrap();
    let of = |pattern: &str| {
        let own = figures.iter().filter(|figure| figure["pattern"] == pattern);
        own.map(|figure| figure["target"].as_str().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(of("read-parallel").len(), 5, "{figures:?}");
    assert!(of("read-parallel").contains(&"object.*"), "{figures:?}");
    let pairs = document["gateways"].as_array().unwrap();
    assert_eq!(pairs.len(), 2, "{pairs:?}");
    for pair in pairs {
        let names = [&pair["slow"], &pair["quick"]].map(|name| name.as_str().unwrap());
        assert!(names.contains(&one.as_str()) && names.contains(&other.as_str()), "{pair}");
    }
    // Each has loaded its own bucket alone, and nobody else's.
    let run = document["run"].as_str().unwrap();
    let asked = |log: &Path, bucket: &str| {
        let text = fs::read_to_string(log).unwrap();
        text.lines().filter(|line| line.contains(&format!("GET /{bucket}/"))).count()
    };
    let buckets = [format!("fathom-{run}"), format!("fathom-{run}-2")];
    for (log, own, others) in [(&gateway.log, 0, 1), (&second.log, 1, 0)] {
        assert!(asked(log, &buckets[own]) > 20, "{own}");
        assert_eq!(asked(log, &buckets[others]), 0);
    }
    only_theirs_is_left(&gateway);
    let text = gateway.run(&lab, &["show", run]).ends(0, &[]).out.clone();
    assert!(
        text.contains("Gateways beside each other") && text.contains("All at once, each with the same work"),
        "{text}"
    );
    assert!(text.contains(&format!("gateways {} and {}", gateway.url, second.url)), "{text}");

    let (mut child, _) = under_way_with(&lab, &gateway, &["--s3-url", &urls], &gateway.environment());
    assert_eq!(gateway.buckets().len(), 3);
    child.kill().unwrap();
    child.wait().unwrap();
    let told = gateway.run(&lab, &["restore", "--yes"]);
    assert_eq!(told.ends(0, &["undone: bucket fathom-"]).err.matches("undone: bucket").count(), 2);
    only_theirs_is_left(&gateway);
    assert_eq!(journals(&lab), 0);

    // Each with keys of its own: the one that is not let in is named, before anything is made.
    let keys = lab.home.path().join("keys");
    let profile = |name: &str, secret: &str| {
        format!("[{name}]\naws_access_key_id = {}\naws_secret_access_key = {secret}\n", gateway.access)
    };
    fs::write(&keys, profile("good", &gateway.secret) + &profile("bad", "nonsense")).unwrap();
    let with = [("AWS_SHARED_CREDENTIALS_FILE", keys.to_str().unwrap())];
    let told = lab.home.run_with(&[&words[..], &["--s3-profile", "good,bad"]].concat(), &with);
    told.ends(1, &[&second.url, "its keys are those of profile bad"]);
    only_theirs_is_left(&gateway);

    let refused = |more: &[&str], why: &str| {
        let words = [&["object", "--conf", conf][..], more].concat();
        gateway.run(&lab, &words).ends(2, &[why]);
    };
    refused(&["--s3-url", &format!("{urls},{}/", gateway.url)], "is named twice; name each gateway once");
    refused(&["--s3-url", &format!("{urls},")], "--s3-url: there is nothing between two commas, or after the last one");
    let profiles = "name one for all of them, or one for each in their order";
    refused(&["--s3-url", &urls, "--s3-profile", "a,b,c"], profiles);
    refused(&["--s3-url", &format!("{urls},http://127.0.0.1:9/x"), "--s3-profile", "a"], "http://127.0.0.1:9/x");
}

/// It is seen in the time to the first byte, told by the option that tells it from other causes, and gone with the fault.
#[test]
fn a_gateway_that_waits_for_acknowledgements_is_suspected_while_it_does() {
    let (lab, gateway) = with_gateway();
    let fault = |what: &str| lab.home.run(&["lab", "fault", what, "rgw-nagle", "--name", &lab.name]);
    fault("on").ends(0, &[]);
    assert_eq!(lab.run(&["lab", "status", "--name", &lab.name]).out.matches("rgw-nagle").count(), 1);
    let words = ["object", "--lab", &lab.name, "--patterns", "read-latency", "--working-set", "256k", "--passes", "1"];
    let words = [&words[..], &["--duration", "3s"]].concat();
    let told = |more: &[&str]| {
        let document = lab.home.run(&[&words[..], more, &["--format", "json"]].concat()).json();
        let findings = document["findings"].as_array().unwrap();
        let ids: Vec<String> = findings.iter().map(|one| one["id"].as_str().unwrap().to_string()).collect();
        (document["figures"][0]["value"].as_f64().unwrap(), ids.contains(&"rgw-nagle".to_string()))
    };
    // Linux delays an acknowledgement by 40 ms.
    let (held_back, suspected) = told(&[]);
    assert!(held_back > 35.0 && suspected, "{held_back} {suspected}");
    let (at_once, suspected) = told(&["--option", "quickack=on"]);
    assert!(at_once < held_back / 2.0 && !suspected, "{at_once} {suspected}");
    fault("off").ends(0, &[]);
    let (usual, suspected) = told(&[]);
    assert!(usual < held_back / 2.0 && !suspected, "{usual} {suspected}");
    let option = lab.json(&["config", "get", "client.rgw.a"]);
    assert!(option["rgw_frontends"]["value"].as_str().unwrap().ends_with("tcp_nodelay=1"), "{option}");
    only_theirs_is_left(&gateway);
    let refused = [
        ("quickack=fast", "choose on or off"),
        ("cache=on", "--option cache: is no option of object; `fathom rbd` has it"),
    ];
    for (option, why) in refused {
        lab.home.run(&[&words[..], &["--option", option]].concat()).ends(2, &[why]);
    }
}
