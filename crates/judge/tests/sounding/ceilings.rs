//! Disks that do less together than one by one: of one host, of several, and not where the load or nothing was the limit.

use crate::made::{Made, target};
use judge::explain;
use model::{Client, Layer, Pattern, Place, Report, Target};

const PATTERN: Pattern = Pattern::ReadParallel;

fn disk(host: u32, number: u32) -> Target {
    let path = format!("/dev/sd{number}");
    let name = format!("h{host}:{path}");
    let place = Place::Path { path: path.into(), writable: false };
    let client = Some(Client { host: format!("h{host}"), of: name.clone() });
    Target { client, ..target(Layer::Device, &name, Some(&format!("h{host}")), place) }
}

/// Two hosts of two disks that do 1000 alone; each host's together, and all.
fn report(of_a_host: [f64; 2], of_all: f64) -> Report {
    let mut made = Made::cluster();
    let disks = |host: u32| [disk(host, 0), disk(host, 1)];
    for disk in [1, 2].into_iter().flat_map(disks) {
        made.delivers(PATTERN, disk, 1000.0);
    }
    for (host, rate) in (1..).zip(of_a_host) {
        made.at_once(PATTERN, disks(host).to_vec(), &[rate / 2.0; 2]);
    }
    made.at_once(PATTERN, [disks(1), disks(2)].concat(), &[of_all / 4.0; 4]);
    explain(&made.record)
}

fn told(report: &Report) -> Vec<String> {
    let own = report.findings.iter().filter(|finding| finding.id == "disks-share-a-ceiling");
    own.map(model::Finding::target).collect()
}

#[test]
fn disks_that_add_up_share_nothing() {
    assert!(told(&report([2000.0, 1900.0], 3700.0)).is_empty());
}

#[test]
fn the_host_whose_disks_do_not_add_up_is_named() {
    let report = report([1200.0, 2000.0], 3200.0);
    assert_eq!(told(&report), ["h1.*"]);
    let finding = report.findings.iter().find(|finding| finding.id == "disks-share-a-ceiling").unwrap();
    assert!(finding.evidence[0].contains("1,200 IOPS at once, 2,000 IOPS"), "{:?}", finding.evidence);
    assert!(finding.says.contains("2 disks of h1"), "{}", finding.says);
}

#[test]
fn hosts_that_share_something_are_told_as_all() {
    assert_eq!(told(&report([2000.0, 2000.0], 2500.0)), ["device.*"]);
}
