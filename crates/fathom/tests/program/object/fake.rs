//! A gateway that is none: it does what real ones do seldom.

mod server;

use super::*;
use server::{Manner, Server};

const KEYS: [(&str, &str); 2] = [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "hush")];

fn read_parallel(home: &Home, server: &Server) -> crate::common::Ran {
    let words = ["object", "--s3-url", &server.url, "--patterns", "read-parallel"];
    home.run_with(&[&words[..], &["--working-set", "256k", "--depth", "4"], &SHORT].concat(), &KEYS)
}

fn journals_of(home: &Home) -> usize {
    fs::read_dir(home.path().join("fathom/journal")).map_or(0, Iterator::count)
}

#[track_caller]
fn nothing_is_left(home: &Home, server: &Server) {
    let kept = server.kept();
    assert_eq!((kept.objects.keys().next(), kept.uploads.len(), journals_of(home)), (None, 0, 0));
}

/// A gateway that has too much to do: what it did not do is told with the figure, and is in none.
#[test]
fn answers_that_are_errors_are_told_with_their_share_and_status() {
    let home = Home::new();
    let server = Server::start(Manner { busy: true, ..Manner::default() });
    let report = read_parallel(&home, &server).ends(4, &[]).json();
    let figure = &report["figures"][0];
    let (good, bad) = (figure["operations"].as_u64().unwrap(), figure["errors"].as_u64().unwrap());
    assert!(good > 100 && bad > 20, "{figure}");
    assert!(figure["first_error"].as_str().unwrap().contains("the gateway answered 503"), "{figure}");
    let shown = home.run(&["show", "last"]);
    assert!(shown.out.contains("of the operations failed") && shown.out.contains("503"), "{}", shown.out);
    nothing_is_left(&home, &server);
}

/// What can't be listed can't be found again to be deleted: then nothing is put.
#[test]
fn a_bucket_that_lists_nothing_is_not_filled() {
    let home = Home::new();
    let server = Server::start(Manner { lists_nothing: true, ..Manner::default() });
    let told = read_parallel(&home, &server);
    told.ends(1, &["bucket fathom-", "it does not list what is in it", "--placement"]);
    nothing_is_left(&home, &server);
}

/// Nothing tries DeleteObjects before a run has filled its bucket.
#[test]
fn objects_are_deleted_one_by_one_where_none_deletes_several_at_once() {
    let refused = "<Error><Code>MethodNotAllowed</Code></Error>";
    let answers = [(405, refused), (501, ""), (403, refused), (411, ""), (400, refused), (200, "gone"), (200, refused)];
    for answer in answers {
        let home = Home::new();
        let server = Server::start(Manner { refuses_to_delete_many: Some(answer), ..Manner::default() });
        measured(&read_parallel(&home, &server));
        nothing_is_left(&home, &server);
        // It asks once for several, and each of the others by itself.
        assert_eq!(server.count(|method, _, _| method == "POST"), 1, "{answer:?}");
        assert!(server.count(|method, _, _| method == "DELETE") > 64, "{answer:?}");
    }
}

/// Some services do not delete a bucket while an object in it is being put in parts, and list nothing in it.
#[test]
fn uploads_that_failed_or_were_cut_off_are_given_up_with_the_bucket() {
    let home = Home::new();
    let server = Server::start(Manner { keeps_uploads: true, ..Manner::default() });
    let words = ["object", "--s3-url", &server.url, "--patterns", "write-linear", "--block-size", "12M", "--part-size"];
    let all = [&words[..], &["5M", "--depth", "2", "--working-set", "24M"]].concat();
    measured(&home.run_with(&[&all[..], &SHORT].concat(), &KEYS));
    nothing_is_left(&home, &server);
    let aborted = |method: &str, query: &str| method == "DELETE" && query.contains("uploadId=");
    assert!(server.count(|method, _, query| aborted(method, query)) > 0);

    let mut killed = home.fathom(&[&all[..], &["--passes", "1", "--duration", "20s"]].concat());
    let killed = killed.envs(KEYS).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let mut killed = killed.unwrap();
    let begun = || server.kept().uploads.values().any(|(_, parts)| !parts.is_empty());
    let before = server.kept().asked.len();
    eventually("the run to put parts", 60, || server.kept().asked.len() > before + 40 && begun());
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(journals_of(&home), 1);
    home.run_with(&["restore", "--yes"], &KEYS).ends(0, &["undone: bucket fathom-"]);
    nothing_is_left(&home, &server);
}

/// As AWS has it in all regions but the first.
#[test]
fn the_region_is_named_to_who_makes_a_bucket_only_so() {
    let run = |server: &Server, region: &str, more: &[&str]| {
        let words = ["object", "--s3-url", &server.url, "--s3-region", region, "--patterns", "read-latency"];
        let home = Home::new();
        let ran = home.run_with(&[&words[..], &["--working-set", "64k"], more, &SHORT].concat(), &KEYS);
        let made = |method: &str, path: &str| method == "PUT" && path.ends_with('/');
        (ran, server.count(|method, path, _| made(method, path)))
    };
    let there = || Server::start(Manner { region: Some("eu-central-1"), ..Manner::default() });
    let (ran, puts) = run(&there(), "eu-central-1", &[]);
    measured(&ran);
    assert_eq!(puts, 2);
    let (ran, puts) = run(&there(), "us-east-1", &[]);
    ran.ends(1, &["IllegalLocationConstraintException"]);
    assert_eq!(puts, 1);
    // A placement is a place as well: none is put in its stead.
    let (ran, puts) = run(&there(), "eu-central-1", &["--ab", "placement=fast,slow"]);
    ran.ends(1, &["IllegalLocationConstraintException"]);
    assert_eq!(puts, 1);
    // Whoever takes any bucket is told of no region: Ceph's gateways would look for a zone group of this name.
    let (ran, puts) = run(&Server::start(Manner::default()), "eu-central-1", &[]);
    measured(&ran);
    assert_eq!(puts, 1);
}
