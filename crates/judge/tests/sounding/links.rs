//! What links bound a pool where the truth is known: those of its clients, of its OSDs' hosts, and of the network that OSDs have for themselves.

use crate::made::{Made, disk, osd, pair, pool, pool_from, target};
use judge::without_findings;
use model::{Endpoint, HostScope, Layer, LedgerRow, OsdScope, Pattern, Place, Target};

const BLOCK_MB: f64 = 4.194304;

fn way(from: &str, to: &str, network: Option<&str>) -> Target {
    let end = |host: &str| Endpoint::new(host, "10.0.0.1");
    let place = Place::Pair { from: end(from), to: end(to), listener: None };
    Target { network: network.map(Into::into), ..target(Layer::Network, &format!("{from}→{to}"), Some(to), place) }
}

/// Every way between these hosts.
fn links(made: &mut Made, hosts: &[String], network: Option<&str>, pattern: Pattern, mbs: impl Fn(&str, &str) -> f64) {
    for (from, to) in hosts.iter().flat_map(|from| hosts.iter().map(move |to| (from, to))).filter(|(a, b)| a != b) {
        made.delivers(pattern, way(from, to, network), mbs(from, to) / BLOCK_MB);
        made.record.plan.steps.last_mut().unwrap().chart = network.is_none();
    }
}

/// Clients, and hosts with `osds_each` OSDs each.
fn hosts(clients: u32, servers: u32, osds_each: u32) -> (Made, Vec<String>, Vec<String>) {
    let mut made = Made::cluster();
    let clients: Vec<String> = (0..clients).map(|id| format!("client-{id}")).collect();
    let servers: Vec<String> = (0..servers).map(|id| format!("host-{id}")).collect();
    let scope = |(at, name): (usize, &String)| HostScope { name: name.clone(), here: at == 0, ..HostScope::default() };
    made.record.scope.hosts = clients.iter().chain(&servers).enumerate().map(scope).collect();
    let osd = |id: u32| OsdScope {
        id,
        host: servers[(id % servers.len() as u32) as usize].clone(),
        device: Some(format!("vd{id}")),
        up: true,
        inside: true,
        ..OsdScope::default()
    };
    made.record.scope.osds = (0..osds_each * servers.len() as u32).map(osd).collect();
    made.record.scope.devices.clear();
    (made, clients, servers)
}

fn rados(made: &Made, pattern: Pattern) -> LedgerRow {
    let report = without_findings(&made.record);
    let mut own = report.ledger.into_iter().filter(|row| row.layer == Layer::Rados && row.pattern == pattern);
    own.next().expect("a row of rados")
}

fn near(got: f64, want: f64) {
    assert!((got / want - 1.0).abs() < 0.03, "{got} instead of {want}");
}

#[test]
fn a_slow_link_of_the_client_is_the_ceiling_of_a_pool_on_quick_hosts() {
    let (mut made, clients, servers) = hosts(1, 4, 1);
    let all = [clients, servers].concat();
    for pattern in [Pattern::ReadLinear, Pattern::WriteLinear] {
        let of_client = |host: &str| host.starts_with("client");
        links(&mut made, &all, None, pattern, |a, b| if of_client(a) || of_client(b) { 117.0 } else { 2900.0 });
    }
    // Each OSD alone comes through the same link.
    for id in 0..4 {
        made.delivers(Pattern::ReadLinear, osd(id), 115.0 / BLOCK_MB);
    }
    made.delivers(Pattern::ReadLinear, pool(), 115.0 / BLOCK_MB);
    let found = rados(&made, Pattern::ReadLinear);
    near(found.ceiling.unwrap(), 117.0);
    near(found.share.unwrap(), 115.0 / 117.0);
}

#[test]
fn copies_pass_the_network_that_osds_have_for_themselves() {
    let found = |cluster: Option<f64>, all: f64| {
        let (mut made, clients, servers) = hosts(4, 4, 8);
        links(&mut made, &[clients, servers.clone()].concat(), None, Pattern::WriteLinear, |_, _| 1250.0);
        if let Some(cluster) = cluster {
            links(&mut made, &servers, Some("cluster"), Pattern::WriteLinear, |_, _| cluster);
        }
        for id in 0..32 {
            let target = Target { host: Some(format!("host-{}", id % 4)), ..osd(id) };
            made.delivers(Pattern::WriteLinear, target, 500.0 / BLOCK_MB).with_threads(0.05, 0.0);
        }
        made.at_once(Pattern::WriteLinear, pool_from(4), &[all / 4.0 / BLOCK_MB; 4]).with_threads(0.05, 0.0);
        rados(&made, Pattern::WriteLinear)
    };
    // 4 hosts × 1,250 / 3 copies.
    near(found(None, 1500.0).ceiling.unwrap(), 1667.0);
    // The clients' links are the lowest: 4 × 1,250.
    let quick = found(Some(12_500.0), 1500.0);
    near(quick.ceiling.unwrap(), 5000.0);
    near(quick.share.unwrap(), 0.3);
    // 4 hosts × 117 / 2 further copies.
    let slow = found(Some(117.0), 225.0);
    near(slow.ceiling.unwrap(), 234.0);
    // 450 MB/s cannot pass 4 links of 117 with two copies each: there are more links than were measured, and the next ceiling holds.
    near(found(Some(117.0), 450.0).ceiling.unwrap(), 5000.0);
    let words = ["cluster network 11", "× 4 hosts / 2.00 times the data between OSDs"];
    assert!(words.iter().all(|word| slow.because.contains(word)), "{}", slow.because);
}

/// Hosts are listed with a user, and the network is named by its addresses.
#[test]
fn ends_are_known_by_their_addresses_and_by_how_the_cluster_calls_them() {
    for network in ["cluster", "10.1.0.0/24"] {
        let (mut made, clients, servers) = hosts(4, 4, 8);
        for osd in &mut made.record.scope.osds {
            (osd.address, osd.cluster_address) =
                (Some(format!("public {}", osd.host)), Some(format!("own {}", osd.host)));
        }
        let listed = |hosts: &[String]| hosts.iter().map(|host| format!("root@{host}")).collect::<Vec<_>>();
        let (all, servers) = (listed(&[clients, servers.clone()].concat()), listed(&servers));
        links(&mut made, &all, None, Pattern::WriteLinear, |_, _| 1250.0);
        links(&mut made, &servers, Some(network), Pattern::WriteLinear, |_, _| 117.0);
        for step in &mut made.record.plan.steps {
            let kind = if step.network().is_some() { "own" } else { "public" };
            for target in &mut step.targets {
                let Place::Pair { from, to, .. } = &mut target.place else { panic!() };
                for end in [from, to] {
                    let name = end.host.trim_start_matches("root@").to_string();
                    end.address = format!("{kind} {name}");
                    end.known_as = (network == "cluster").then_some(name);
                }
            }
        }
        for id in 0..32 {
            let target = Target { host: Some(format!("host-{}", id % 4)), ..osd(id) };
            made.delivers(Pattern::WriteLinear, target, 500.0 / BLOCK_MB).with_threads(0.05, 0.0);
        }
        let mut clients = pool_from(4);
        clients
            .iter_mut()
            .flat_map(|target| &mut target.client)
            .for_each(|one| one.host = format!("root@{}", one.host));
        made.at_once(Pattern::WriteLinear, clients, &[225.0 / 4.0 / BLOCK_MB; 4]).with_threads(0.05, 0.0);
        let found = rados(&made, Pattern::WriteLinear);
        near(found.ceiling.unwrap(), 234.0);
        assert!(!found.at_least && !found.because.contains("not measured"), "{}", found.because);
    }
}

/// OSD hosts have quicker links, and no agents or only one: nothing of these is known, and the clients' own bound the pool.
#[test]
fn links_between_clients_are_not_those_of_the_osds_hosts() {
    for measured in [0, 1] {
        let (mut made, clients, servers) = hosts(8, 3, 8);
        let all = [clients, servers[..measured].to_vec()].concat();
        links(&mut made, &all, None, Pattern::ReadLinear, |_, _| 117.0);
        for id in 0..24 {
            let target = Target { host: Some(format!("host-{}", id % 3)), ..osd(id) };
            made.delivers(Pattern::ReadLinear, target, 110.0 / BLOCK_MB).with_threads(0.05, 0.0);
        }
        made.at_once(Pattern::ReadLinear, pool_from(8), &[112.0 / BLOCK_MB; 8]).with_threads(0.05, 0.0);
        near(rados(&made, Pattern::ReadLinear).ceiling.unwrap(), 8.0 * 117.0);
    }
    // Nor do two hosts for three copies make a ceiling if but one of them was measured.
    let (mut made, clients, servers) = hosts(1, 2, 8);
    links(&mut made, &[clients, servers[..1].to_vec()].concat(), None, Pattern::WriteLinear, |_, _| 117.0);
    for id in 0..16 {
        let target = Target { host: Some(format!("host-{}", id % 2)), ..osd(id) };
        made.delivers(Pattern::WriteLinear, target, 110.0 / BLOCK_MB).with_threads(0.05, 0.0);
    }
    made.delivers(Pattern::WriteLinear, pool(), 112.0 / BLOCK_MB).with_threads(0.05, 0.0);
    near(rados(&made, Pattern::WriteLinear).ceiling.unwrap(), 117.0);
}

/// Data lie evenly: the slowest of the OSDs' hosts is full first. Pods of one machine share its link.
#[test]
fn the_slowest_host_bounds_all_and_pods_share_a_link() {
    let (mut made, clients, servers) = hosts(4, 3, 8);
    let slow = |a: &str, b: &str| a == "host-2" || b == "host-2";
    links(
        &mut made,
        &[clients, servers].concat(),
        None,
        Pattern::ReadLinear,
        |a, b| if slow(a, b) { 117.0 } else { 1250.0 },
    );
    let osds = |made: &mut Made, hosts: u32| {
        for id in 0..8 * hosts {
            let target = Target { host: Some(format!("host-{}", id % hosts)), ..osd(id) };
            made.delivers(Pattern::ReadLinear, target, 110.0 / BLOCK_MB).with_threads(0.05, 0.0);
        }
    };
    osds(&mut made, 3);
    made.at_once(Pattern::ReadLinear, pool_from(4), &[86.0 / BLOCK_MB; 4]).with_threads(0.05, 0.0);
    let found = rados(&made, Pattern::ReadLinear);
    near(found.ceiling.unwrap(), 3.0 * 117.0);
    assert!(found.because.contains("of host-2 for its 33 % of the data"), "{}", found.because);

    let (mut made, clients, servers) = hosts(4, 6, 8);
    let of_machines = [vec![clients[0].clone(), clients[2].clone()], servers].concat();
    links(&mut made, &of_machines, None, Pattern::ReadLinear, |_, _| 1250.0);
    osds(&mut made, 6);
    made.at_once(Pattern::ReadLinear, pool_from(4), &[612.0 / BLOCK_MB; 4]).with_threads(0.05, 0.0);
    let found = rados(&made, Pattern::ReadLinear);
    near(found.ceiling.unwrap(), 2500.0);
    assert!(found.at_least && found.because.contains("not the link of every client"), "{}", found.because);
}

#[test]
fn hosts_that_differ_only_by_their_domain_are_not_mistaken() {
    let (mut made, ..) = hosts(2, 2, 4);
    let names = [("client-0", "a.rack2"), ("client-1", "b.rack2"), ("host-0", "a.rack1"), ("host-1", "b.rack1")];
    let called =
        |name: &str| names.iter().find(|(old, _)| *old == name).map_or(name.to_string(), |(_, new)| new.to_string());
    made.record.scope.osds.iter_mut().for_each(|osd| osd.host = called(&osd.host));
    let all: Vec<String> = names.iter().map(|(_, name)| name.to_string()).collect();
    links(&mut made, &all, None, Pattern::ReadLinear, |a, b| {
        if [a, b].iter().any(|host| host.ends_with("rack1")) { 117.0 } else { 1250.0 }
    });
    for id in 0..8 {
        let target = Target { host: Some(called(&format!("host-{}", id % 2))), ..osd(id) };
        made.delivers(Pattern::ReadLinear, target, 110.0 / BLOCK_MB).with_threads(0.05, 0.0);
    }
    let mut clients = pool_from(2);
    clients.iter_mut().flat_map(|target| &mut target.client).for_each(|one| one.host = called(&one.host));
    made.at_once(Pattern::ReadLinear, clients, &[115.0 / BLOCK_MB; 2]).with_threads(0.05, 0.0);
    near(rados(&made, Pattern::ReadLinear).ceiling.unwrap(), 234.0);
}

#[test]
fn a_cluster_network_that_was_not_measured_may_be_the_limit() {
    let (mut made, clients, servers) = hosts(1, 3, 1);
    links(&mut made, &[clients, servers].concat(), None, Pattern::WriteLinear, |_, _| 117.0);
    for osd in &mut made.record.scope.osds {
        osd.cluster_address = Some("10.1.0.1".into());
    }
    for id in 0..3 {
        made.delivers(Pattern::WriteLinear, osd(id), 27.0);
    }
    made.delivers(Pattern::WriteLinear, pool(), 20.0);
    let found = rados(&made, Pattern::WriteLinear);
    near(found.ceiling.unwrap(), 27.0 * BLOCK_MB);
    assert!(found.because.contains("the OSDs' cluster network was not measured"), "{}", found.because);
}

/// A spare disk that is quick says nothing of slow ones below the OSDs.
#[test]
fn a_disk_on_which_no_osd_lies_is_in_no_sum() {
    let mut made = Made::cluster();
    let spare = Place::Path { path: "/dev/nvme9n1".into(), writable: true };
    made.measured(Pattern::WriteLatency, target(Layer::Device, "/dev/nvme9n1", Some("here"), spare), 0.02);
    for id in 0..3 {
        made.measured(Pattern::WriteLatency, pair(id), 0.05).measured(Pattern::WriteLatency, osd(id), 16.0);
    }
    made.measured(Pattern::WriteLatency, pool(), 25.0);
    let disks = |made: &Made| {
        let rows = without_findings(&made.record).ledger;
        let osd = rows.iter().find(|row| row.layer == Layer::Osd).unwrap().because.clone();
        (rows.iter().any(|row| row.layer == Layer::Device), osd)
    };
    let (counted, because) = disks(&made);
    assert!(!counted && because.contains("no disk of the pool's OSDs measured"), "{because}");
    made.measured(Pattern::WriteLatency, disk(0), 12.0);
    assert!(disks(&made).0);
    // By the name of a link in /dev/disk it is the same one.
    for step in made.record.plan.steps.iter_mut().filter(|step| step.layer == Layer::Device) {
        for target in step.targets.iter_mut().filter(|target| target.name == "/dev/vd0") {
            target.place = Place::Path { path: "/dev/disk/by-id/x".into(), writable: true };
            (target.name, target.on) = ("/dev/disk/by-id/x".into(), Some("/dev/vd0".into()));
        }
    }
    assert!(disks(&made).0);
    // One of several on which an OSD lies is below the pool as well.
    made.record.scope.osds[0].device = Some("vd7,vd0".into());
    assert!(disks(&made).0);
}
