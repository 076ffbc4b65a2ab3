//! Whole objects at a real gateway: what was loaded by its own log, and that nothing is left or touched, however a run ends.

mod buckets;
mod fake;
mod index;
mod parts;
mod several;
mod sizes;
mod swift;

use crate::common::gateway::Gateway;
use crate::common::{Home, Lab, eventually, tool};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Somebody else's bucket with an object in it.
const THEIRS: &str = "theirs";

fn with_gateway() -> (Lab, Gateway) {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--with", "rgw"]);
    let gateway = Gateway::of(&lab);
    gateway.put(THEIRS, &[]);
    gateway.put("theirs/fathom.run", &["--data-binary", "theirs"]);
    (lab, gateway)
}

#[track_caller]
fn only_theirs_is_left(gateway: &Gateway) {
    assert_eq!(gateway.buckets(), [THEIRS]);
    assert_eq!(gateway.get("theirs/fathom.run"), "theirs");
}

fn journals(lab: &Lab) -> usize {
    fs::read_dir(lab.home.path().join("fathom/journal")).map_or(0, Iterator::count)
}

const SHORT: [&str; 6] = ["--passes", "1", "--duration", "1s", "--format", "json"];

/// The document of a short run without an error: it ends with 0 if each figure is precise enough, which the machine decides, and else with 4.
#[track_caller]
fn measured(ran: &crate::common::Ran) -> Value {
    let report = ran.json();
    assert_eq!(report["errors"], serde_json::json!([]), "{}", ran.err);
    let good = ["settled", "brief", "burst"];
    let precise = |figure: &Value| {
        good.contains(&figure["label"].as_str().unwrap()) && figure["errors"] == 0 && figure["ci95"].is_array()
    };
    let all = report["figures"].as_array().unwrap().iter().all(precise);
    ran.ends(if all { 0 } else { 4 }, &[]);
    report
}

/// What the gateway was asked of a bucket by Fathom: method, object, status, bytes; in the order of its answers.
fn asked_of(gateway: &Gateway, bucket: &str) -> Vec<(String, String, u32, u64)> {
    let log = fs::read_to_string(&gateway.log).unwrap();
    let lines = log.lines().filter(|line| line.contains(" beast: ") && line.contains(&format!("/{bucket}/")));
    let parsed = lines.filter_map(|line| {
        let (_, request) = line.split_once(" +0000] \"").or_else(|| line.split_once("] \""))?;
        let (request, rest) = request.split_once('"')?;
        let mut words = request.split_whitespace();
        let (method, path) = (words.next()?, words.next()?);
        let object = path.split('?').next()?.rsplit('/').next()?;
        let mut numbers = rest.split_whitespace();
        Some((method.to_string(), object.to_string(), numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
    });
    parsed.collect()
}

#[test]
fn whole_objects_are_put_and_got_in_random_order_by_the_gateways_own_log() {
    let (lab, gateway) = with_gateway();
    let report = lab.home.run(&[&["object", "--lab", &lab.name][..], &SHORT].concat());
    let report = measured(&report);
    let figures = report["figures"].as_array().unwrap();
    let patterns: BTreeSet<&str> = figures.iter().map(|figure| figure["pattern"].as_str().unwrap()).collect();
    assert_eq!(patterns.len(), 9, "{patterns:?}");
    assert!(figures.iter().all(|figure| figure["value"].as_f64().unwrap() > 0.0), "{figures:?}");
    assert_eq!(report["errors"], serde_json::json!([]));
    // The first byte comes before the last one, and only of what is read. Of few operations there are no percentiles.
    let p50 = |figure: &Value, of: &str| figure[of]["50"].as_f64();
    let of_first = |figure: &Value| p50(figure, "first_byte_percentiles");
    assert!(figures.iter().any(|figure| of_first(figure).is_some()), "{figures:?}");
    for figure in figures {
        let (first, last) = (of_first(figure), p50(figure, "percentiles"));
        assert_eq!(first.is_some(), figure["kind"] == "read" && last.is_some(), "{figure}");
        assert!(first.is_none_or(|first| 0.0 < first && first <= last.unwrap()), "{figure}");
    }
    let bucket = format!("fathom-{}", report["run"].as_str().unwrap());
    let asked = asked_of(&gateway, &bucket);
    for (family, bytes) in [("4096.", 4096), ("linear.4194304.", 4 << 20)] {
        let of = |method: &str| -> Vec<(u64, u32, u64)> {
            let own = |object: &str| object.strip_prefix(&format!("fathom.{}.{family}", &bucket[7..]))?.parse().ok();
            asked.iter().filter(|one| one.0 == method).filter_map(|one| Some((own(&one.1)?, one.2, one.3))).collect()
        };
        let (gets, puts) = (of("GET"), of("PUT"));
        assert!(gets.len() > 1 && puts.len() > 1, "{family}: {} {}", gets.len(), puts.len());
        assert!(puts.iter().all(|(_, status, _)| *status == 200), "{puts:?}");
        // Whole, but for those that the end of a slice cut off: as many as were under way.
        let whole = gets.iter().filter(|(_, status, told)| (*status, *told) == (200, bytes)).count() as u64;
        let read =
            figures.iter().filter(|figure| figure["kind"] == "read" && figure["workload"]["block_bytes"] == bytes);
        let under_way = read.map(|figure| figure["workload"]["depth"].as_u64().unwrap()).sum::<u64>();
        assert!(whole > 0 && whole + under_way >= gets.len() as u64, "{family}: {whole} and {under_way} of {gets:?}");
        if family == "4096." {
            // Of numbers in random order every second one is larger than the one before it; six standard deviations of that share.
            let steps: Vec<bool> =
                gets.windows(2).filter(|two| two[0].0 != two[1].0).map(|two| two[0].0 < two[1].0).collect();
            let pairs = steps.len() as f64;
            let up = steps.iter().filter(|up| **up).count() as f64 / pairs;
            assert!((up - 0.5).abs() < 6.0 / (12.0 * pairs).sqrt(), "{up} of {pairs}");
            let different: BTreeSet<u64> = gets.iter().map(|get| get.0).collect();
            assert!(different.len() * 3 > gets.len().min(1024), "{} of {}", different.len(), gets.len());
        }
    }
    // By their names: as the gateway has it, with as many answers as were counted, and some that a slice's end cut off.
    let counted = |kind: &str| {
        let own = figures.iter().filter(|figure| figure["kind"] == kind);
        own.map(|figure| figure["operations"].as_u64().unwrap()).sum::<u64>()
    };
    let answered = |method: &str, status: u32, of: &str| {
        asked.iter().filter(|one| one.0 == method && one.2 == status && one.1.contains(of)).count() as u64
    };
    for (kind, method, status, of) in
        [("stat", "HEAD", 200, ".4096."), ("create", "PUT", 200, ".new."), ("delete", "DELETE", 204, ".new.")]
    {
        let (told, seen) = (counted(kind), answered(method, status, of));
        assert!(told > 0 && seen >= told, "{kind}: {told} of {seen}");
    }
    assert!(counted("list") > 0);
    only_theirs_is_left(&gateway);
    assert_eq!(journals(&lab), 0);
    let shown = lab.home.run(&["show", "last"]);
    shown.ends(0, &[]);
    let table = shown.out.split("Time to the first byte of an object").nth(1).unwrap_or_default();
    let told = table.lines().skip(2).take_while(|line| !line.starts_with("From when"));
    let told = told.filter(|line| line.starts_with("object ")).count();
    assert_eq!(told, figures.iter().filter(|figure| of_first(figure).is_some()).count(), "{}", shown.out);
    // A mix, and parts of larger objects.
    let mix = ["object", "--lab", &lab.name, "--mix", "read=40,write=10,create=15,delete=15,stat=20", "--depth", "8"];
    let report = measured(&lab.home.run(&[&mix[..], &SHORT].concat()));
    let figures = report["figures"].as_array().unwrap();
    let kinds: BTreeSet<&str> = figures.iter().map(|figure| figure["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, BTreeSet::from(["read", "write", "create", "delete", "stat"]));
    assert!(figures.iter().all(|figure| figure["errors"] == 0 && figure["pattern"] == "mixed"), "{figures:?}");
    let parts = ["object", "--lab", &lab.name, "--patterns", "read-parallel", "--object-size", "1M"];
    let report = measured(&lab.home.run(&[&parts[..], &["--block-size", "64k"], &SHORT].concat()));
    let asked = asked_of(&gateway, &format!("fathom-{}", report["run"].as_str().unwrap()));
    let parts = asked.iter().filter(|one| (one.0.as_str(), one.2, one.3) == ("GET", 206, 65_536)).count() as u64;
    assert!(parts >= report["figures"][0]["operations"].as_u64().unwrap() && parts > 0, "{parts}");
    only_theirs_is_left(&gateway);
    // The plan says what would be made, and nothing is.
    let dry = lab.home.run(&["object", "--lab", &lab.name, "--dry-run"]);
    dry.ends(0, &[]);
    assert!(dry.out.contains("bucket fathom-") && dry.out.contains(&gateway.url), "{}", dry.out);
    only_theirs_is_left(&gateway);
}

/// A run that is far from its end, and has more than filled its 1,024 objects.
fn under_way(lab: &Lab, gateway: &Gateway) -> (Child, String) {
    under_way_with(lab, gateway, &[], &gateway.environment())
}

fn under_way_with(lab: &Lab, gateway: &Gateway, more: &[&str], environment: &[(&str, &str)]) -> (Child, String) {
    let words = ["object", "--patterns", "write-parallel,read-parallel", "--working-set", "4M", "--depth", "8"];
    let mut command = lab.home.fathom(&[&words[..], more, &["--duration", "20s", "--passes", "3"]].concat());
    let child =
        command.envs(environment.iter().copied()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let own = |bucket: &String| bucket.starts_with("fathom-");
    let mut bucket = None;
    eventually("the run to make its bucket", 60, || {
        bucket = gateway.buckets().into_iter().find(own);
        bucket.as_ref().is_some_and(|bucket| asked_of(gateway, bucket).len() > 1200)
    });
    (child, bucket.unwrap())
}

#[test]
fn what_a_killed_run_left_is_undone_and_what_others_put_there_stays() {
    let (lab, gateway) = with_gateway();
    let (mut child, bucket) = under_way(&lab, &gateway);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(gateway.has(&bucket));
    // Without keys nothing is undone, and nothing forgotten.
    lab.home.run(&["restore", "--yes"]).ends(1, &["there are no keys for", "AWS_ACCESS_KEY_ID"]);
    assert_eq!(journals(&lab), 1);
    // Nor with those of somebody else, who does not see it.
    let others = [("AWS_ACCESS_KEY_ID", "OTHER"), ("AWS_SECRET_ACCESS_KEY", "hush")];
    let told = lab.home.run_with(&["restore", "--yes"], &others);
    told.ends(1, &["it was made with access key", "these keys are those of OTHER"]);
    assert_eq!(journals(&lab), 1);
    gateway.run(&lab, &["restore", "--yes"]).ends(0, &["undone: bucket fathom-"]);
    only_theirs_is_left(&gateway);
    assert_eq!(journals(&lab), 0);

    let (mut child, bucket) = under_way(&lab, &gateway);
    gateway.put(&format!("{bucket}/notes"), &["--data-binary", "mine"]);
    child.kill().unwrap();
    child.wait().unwrap();
    let told = gateway.run(&lab, &["restore", "--yes"]);
    told.ends(0, &[]);
    assert!(
        told.out.contains("left as it is: bucket") && told.out.contains("(notes and maybe others)"),
        "{}\n{}",
        told.out,
        told.err
    );
    assert_eq!(gateway.get(&format!("{bucket}/notes")), "mine");
    let listed = gateway.get(&bucket);
    assert!(!listed.contains("<Key>fathom."), "{listed}");
    assert_eq!(journals(&lab), 0);

    gateway.remove(&format!("{bucket}/notes"));
    gateway.remove(&bucket);

    // Somebody has the run's bucket keep what is deleted: then it can't be emptied, which is told, and does not go on for ever.
    let (mut child, bucket) = under_way(&lab, &gateway);
    let versions = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    gateway.put(&format!("{bucket}?versioning="), &["--data-binary", versions]);
    let puts = asked_of(&gateway, &bucket).len();
    eventually("more objects to be put", 60, || asked_of(&gateway, &bucket).len() > puts + 100);
    child.kill().unwrap();
    child.wait().unwrap();
    let told = gateway.run(&lab, &["restore", "--yes"]);
    told.ends(0, &[]);
    assert!(told.out.contains("left as it is: bucket") && told.out.contains("earlier versions"), "{}", told.out);
    assert_eq!(journals(&lab), 0);
}

#[test]
fn a_gateway_that_dies_ends_the_run_and_one_that_is_back_is_cleared() {
    let (lab, gateway) = with_gateway();
    let (child, bucket) = under_way(&lab, &gateway);
    lab.daemon("kill", "rgw.a");
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    assert!(told.contains("is not reached: nothing listens there"), "{told}");
    assert!(told.contains("fathom restore"), "{told}");
    lab.daemon("start", "rgw.a");
    eventually("the gateway to serve again", 60, || gateway.has(&bucket));
    gateway.run(&lab, &["restore", "--yes"]).ends(0, &["undone: bucket fathom-"]);
    only_theirs_is_left(&gateway);
}

/// What answers each request so, once its head is there.
fn answers(text: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let answer = move |mut stream: TcpStream| {
        let mut head = [0; 4096];
        while stream.read(&mut head).is_ok_and(|bytes| bytes > 0) {
            let _ = stream.write_all(text.as_bytes());
        }
    };
    std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
    url
}

#[test]
fn a_gateway_that_cannot_be_used_is_told_with_the_mend_before_anything_is_made() {
    let home = Home::new();
    let keys = [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "hush")];
    let no_home = ("HOME", "/nonexistent");
    let run = |url: &str, environment: &[(&str, &str)]| {
        home.run_with(&["object", "--s3-url", url, "--passes", "1"], &[&[no_home], environment].concat())
    };
    home.run_with(&["object"], &[no_home]).ends(2, &["no gateway is named", "--s3-url"]);
    run("http://127.0.0.1:9", &[])
        .ends(2, &["there are no keys for http://127.0.0.1:9", "AWS_ACCESS_KEY_ID", "/nonexistent/.aws/credentials"]);
    run("http://127.0.0.1:9", &keys).ends(1, &["nothing listens there (connection refused)"]);
    run("gateway", &keys).ends(2, &["gateway: ", "http://HOST:PORT"]);
    // What would lead into somebody else's bucket, or into a report.
    run("http://127.0.0.1:9/theirs", &keys).ends(2, &["it has a path"]);
    let secret = run("http://user:hush@127.0.0.1:9", &keys);
    secret.ends(2, &["…@127.0.0.1:9", "keys do not belong into the address"]);
    assert!(!secret.err.contains("hush") && !secret.out.contains("hush"));
    run("http://127.0.0.1:9", &keys[..1]).ends(2, &["AWS_ACCESS_KEY_ID is set without AWS_SECRET_ACCESS_KEY"]);
    home.run_with(&["object", "--lab", "none", "--s3-profile", "x"], &[no_home]).ends(2, &["--s3-profile"]);
    let elsewhere = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
    run(&answers(elsewhere), &keys).ends(1, &["does not speak S3"]);
    run("http://no.such.host.invalid:80", &keys).ends(1, &["http://no.such.host.invalid:80 is not reached"]);
    let wrong =
        "HTTP/1.1 403 Forbidden\r\nContent-Length: 52\r\n\r\n<Error><Code>SignatureDoesNotMatch</Code></Error>   ";
    let told = run(&answers(wrong), &keys);
    told.ends(1, &["SignatureDoesNotMatch", "the secret key is not that of this access key"]);
    assert!(!told.err.contains("hush") && !told.out.contains("hush"));
    let away = "HTTP/1.1 301 Moved\r\nLocation: http://elsewhere/\r\nContent-Length: 0\r\n\r\n";
    run(&answers(away), &keys).ends(1, &["it sends to http://elsewhere/, and redirects are not followed"]);
    let late = "HTTP/1.1 403 Forbidden\r\nDate: Fri, 27 Nov 2020 14:00:00 GMT\r\nContent-Length: 0\r\n\r\n";
    run(&answers(late), &keys).ends(1, &["this host's clock is", "ahead of the gateway's: set it right"]);
    run(&answers("SSH-2.0-OpenSSH_9.2\r\n"), &keys).ends(1, &["is no HTTP"]);
    let busy = "HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\n\r\n";
    run(&answers(busy), &keys).ends(1, &["503", "it is overloaded, or not ready"]);
    assert_eq!(fs::read_dir(home.path().join("fathom/journal")).map_or(0, Iterator::count), 0);
}

#[test]
fn a_whole_run_has_the_gateways_row_and_what_the_door_costs() {
    let lab = Lab::up(&["--osds", "1", "--backing", "memory", "--with", "rgw"]);
    let words = ["run", "--lab", &lab.name, "--layers", "rados,rbd,object", "--patterns", "write-latency,read-latency"];
    let report = lab.home.run(&[&words[..], &SHORT].concat());
    let report: Value = measured(&report);
    let doors = report["doors"].as_array().unwrap();
    let told: BTreeSet<(&str, &str)> =
        doors.iter().map(|one| (one["layer"].as_str().unwrap(), one["pattern"].as_str().unwrap())).collect();
    assert!(told.contains(&("object", "write-latency")) && told.contains(&("rbd", "write-latency")), "{doors:?}");
    // Of a request's time the gateway's and the OSDs', by their own counters.
    for pattern in ["read-latency", "write-latency"] {
        let mut all = report["latency_parts"].as_array().unwrap().iter();
        let own = all.find(|one| one["layer"] == "object" && one["pattern"] == pattern).unwrap();
        let parts: BTreeSet<&str> =
            own["parts"].as_array().unwrap().iter().filter_map(|one| one["part"].as_str()).collect();
        assert!(parts.contains("gateway") && parts.contains("osds"), "{own}");
        assert!((0.9..1.2).contains(&own["requests"].as_f64().unwrap()), "{own}");
    }
    let shown = lab.home.run(&["show", "last"]);
    assert!(shown.out.contains("Price of each door"), "{}", shown.out);
    let without = lab.home.run(&["run", "--lab", &lab.name, "--with", "cephfs", "--dry-run"]);
    without.ends(2, &["runs without cephfs"]);
    // Of a mix both kinds are told.
    let words = ["object", "--lab", &lab.name, "--read-share", "50", "--depth", "8"];
    measured(&lab.home.run(&[&words[..], &SHORT].concat()));
    let mixed = lab.home.run(&["show", "last"]);
    let words: Vec<&str> = mixed.out.split_whitespace().collect();
    assert!(words.join(" ").contains(" meanwhile: "), "{}", mixed.out);
    let axes = ["--axis", "block-size=4k,64k", "--axis", "depth=1,4", "--passes", "1", "--duration", "1s"];
    let swept = lab.home.run(&[&["sweep", "object", "--lab", &lab.name][..], &axes, &["--format", "json"]].concat());
    assert!(matches!(swept.code, 0 | 4), "{}", swept.err);
    let points = swept.json();
    assert_eq!(points["figures"].as_array().unwrap().len(), 4, "{}", points["figures"]);
}

#[test]
fn hosts_load_a_gateway_together_with_keys_that_only_this_host_has() {
    let lab = Lab::up(&["--osds", "2", "--hosts", "2", "--backing", "memory", "--with", "rgw"]);
    let gateway = Gateway::of(&lab);
    let words = ["object", "--lab", &lab.name, "--hosts", "2", "--patterns", "write-parallel,read-parallel"];
    let report = lab.home.run(&[&words[..], &["--working-set", "4M", "--depth", "8"], &SHORT].concat());
    let report = measured(&report);
    assert_eq!(report["errors"], serde_json::json!([]));
    let figures = report["figures"].as_array().unwrap();
    let of = |pattern: &str, target: &str| {
        let own =
            |figure: &&Value| figure["pattern"] == pattern && figure["target"].as_str().unwrap().ends_with(target);
        figures.iter().find(own).unwrap_or_else(|| panic!("{pattern} {target}: {figures:?}"))["value"].as_f64().unwrap()
    };
    for pattern in ["write-parallel", "read-parallel"] {
        assert!(["from host1", "from host2", ":8080"].iter().all(|target| of(pattern, target) > 0.0), "{figures:?}");
    }
    // From the addresses of both, on objects of their own.
    let log = fs::read_to_string(&gateway.log).unwrap();
    for host in ["host1", "host2"] {
        let own = |line: &&str| line.contains(&format!(".{host}.4096.")) && line.contains("\"GET ");
        let line = log.lines().find(own).unwrap_or_else(|| panic!("{host} got nothing"));
        let words: Vec<&str> = line.split_whitespace().collect();
        let from = words.iter().position(|word| *word == "beast:").map(|at| words[at + 2]).unwrap();
        assert_ne!(from, "127.0.0.1", "{line}");
    }
    assert_eq!(gateway.buckets(), Vec::<String>::new());
}

/// A key and a certificate for 127.0.0.1 that it signed itself.
fn signs_itself(folder: &Path) -> (String, String) {
    let [key, certificate] = ["key.pem", "certificate.pem"].map(|name| folder.join(name).to_str().unwrap().to_string());
    let words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
    let names =
        ["-subj", "/CN=gateway", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", &key, "-out", &certificate];
    tool("openssl", &[&words[..], &names].concat());
    (key, certificate)
}

/// What speaks TLS in front of a gateway; it ends when this is dropped.
struct Terminator(Child);

impl Terminator {
    fn before(gateway: &Gateway, port: u16, folder: &Path) -> Terminator {
        let (key, certificate) = signs_itself(folder);
        let listen = format!("OPENSSL-LISTEN:{port},reuseaddr,fork,verify=0,cert={certificate},key={key}");
        let to = format!("TCP:{}", gateway.url.strip_prefix("http://").unwrap());
        let child = Command::new("socat").args([&listen, &to]).stderr(Stdio::null()).spawn().unwrap();
        eventually("the port to be open", 20, || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Terminator(child)
    }
}

impl Drop for Terminator {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn over_tls_a_gateway_is_taken_only_from_an_authority_that_is_trusted() {
    let (lab, gateway) = with_gateway();
    let folder = tempfile::tempdir().unwrap();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let _terminator = Terminator::before(&gateway, free, folder.path());
    let url = format!("https://127.0.0.1:{free}");
    let words = ["object", "--s3-url", &url, "--patterns", "read-parallel,read-linear", "--working-set", "16M"];
    let words = [&words[..], &["--depth", "8"], &SHORT].concat();
    let keys = gateway.environment();
    let untrusted = lab.home.run_with(&words, &keys);
    untrusted.ends(1, &[&url, "its certificate is not trusted", "--s3-ca"]);
    // Another one of the same name, and the right one under a name that it is not for.
    let other = tempfile::tempdir().unwrap();
    let (_, other) = signs_itself(other.path());
    lab.home.run_with(&[&words[..], &["--s3-ca", &other]].concat(), &keys).ends(1, &["its certificate is not trusted"]);
    let elsewhere = url.replace("127.0.0.1", "localhost");
    let renamed: Vec<&str> = words.iter().map(|word| if *word == url { elsewhere.as_str() } else { *word }).collect();
    let own = folder.path().join("certificate.pem");
    let renamed = lab.home.run_with(&[&renamed[..], &["--s3-ca", own.to_str().unwrap()]].concat(), &keys);
    renamed.ends(1, &["its certificate is not trusted"]);
    only_theirs_is_left(&gateway);
    let authority = folder.path().join("certificate.pem");
    let authority = authority.to_str().unwrap();
    let report = measured(&lab.home.run_with(&[&words[..], &["--s3-ca", authority]].concat(), &keys));
    assert_eq!(report["errors"], serde_json::json!([]));
    assert!(report["figures"].as_array().unwrap().iter().all(|figure| figure["errors"] == 0), "{}", report["figures"]);
    // The same from the environment; and what was made over TLS is undone over TLS.
    let plan = lab
        .home
        .run_with(&[&words[..], &["--dry-run"]].concat(), &[&keys[..], &[("AWS_CA_BUNDLE", authority)]].concat());
    plan.ends(0, &[]);
    lab.home.run_with(&[&words[..], &["--s3-ca", "/no/such/file"]].concat(), &keys).ends(2, &["/no/such/file"]);
    only_theirs_is_left(&gateway);
}
