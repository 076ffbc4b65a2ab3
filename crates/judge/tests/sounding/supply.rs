//! What OSDs supply, where the truth is known: one client's link as the limit of all, several clients, a void OSD, erasure coding.

use crate::made::{Made, osd, pair, pool, pool_from};
use judge::without_findings;
use model::{Change, Label, Layer, LedgerRow, Pattern, PoolScope, Report};

const MIB4: f64 = 4.194304;

fn label(report: &Report, target: &str) -> String {
    let of_pool = |figure: &&model::Figure| figure.layer == Layer::Rados && figure.target == target;
    report.figures.iter().find(of_pool).unwrap().label.name().to_string()
}

fn row(report: &Report, pattern: Pattern, layer: Layer) -> Option<LedgerRow> {
    report.ledger.iter().find(|row| (row.pattern, row.layer) == (pattern, layer)).cloned()
}

fn rados(report: &Report, pattern: Pattern) -> LedgerRow {
    row(report, pattern, Layer::Rados).unwrap_or_else(|| panic!("no row of rados: {:?}", report.ledger))
}

fn osds() -> Vec<model::Target> {
    (0..3).map(osd).collect()
}

fn near(got: f64, want: f64, by: f64) {
    assert!((got - want).abs() <= by, "{got} instead of {want}");
}

/// A link of 28 blocks a second: the OSDs at once get 9 each through it, and the pool 27.
fn limited_by_its_link() -> Made {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteLinear, osds(), &[9.0, 9.0, 9.0]).with_threads(0.01, 0.0);
    made.delivers(Pattern::WriteLinear, pool(), 27.0);
    made
}

#[test]
fn a_pool_that_fills_the_clients_link_as_the_osds_did_stands() {
    let mut made = limited_by_its_link();
    let report = without_findings(&made.record);
    assert_ne!(label(&report, "pool"), "implausible", "27 × 3 is more than 27, and the link was not measured");
    let found = rados(&report, Pattern::WriteLinear);
    assert!(found.at_least && found.because.contains("may have been the limit"), "{found:?}");
    near(found.share.unwrap(), 1.0, 0.02);
    for id in 0..3 {
        made.delivers(Pattern::WriteLinear, pair(id), 28.0);
    }
    let report = without_findings(&made.record);
    assert_ne!(label(&report, "pool"), "implausible");
    let found = rados(&report, Pattern::WriteLinear);
    assert!(!found.at_least && found.because.starts_with("network"), "{found:?}");
    near(found.ceiling.unwrap(), 28.0 * MIB4, 2.0);
    near(found.share.unwrap(), 27.0 / 28.0, 0.03);
    // All of them got no more than a third of the link each.
    let found = row(&report, Pattern::WriteLinear, Layer::Osd);
    assert!(found.is_none(), "no disk was measured: {found:?}");
}

/// The OSDs at once were held back by the client's threads, and the pool did more: that says nothing of a link with fifty times the room.
#[test]
fn a_link_that_is_far_from_full_is_not_the_ceiling() {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteLinear, osds(), &[9.0, 9.0, 9.0]).with_threads(0.95, 0.0);
    made.delivers(Pattern::WriteLinear, pool(), 27.0);
    for id in 0..3 {
        made.delivers(Pattern::WriteLinear, pair(id), 1400.0);
    }
    let found = rados(&without_findings(&made.record), Pattern::WriteLinear);
    assert!(found.at_least && !found.because.starts_with("network"), "{found:?}");
    near(found.share.unwrap(), 1.0, 0.02);
}

#[test]
fn osds_at_once_judge_where_the_client_had_room() {
    let told = |busy: f64, queued: f64, link: Option<f64>| {
        let mut made = Made::cluster();
        made.at_once(Pattern::WriteParallel, osds(), &[1000.0, 1000.0, 1000.0]).with_threads(busy, queued);
        if let Some(link) = link {
            for id in 0..3 {
                made.delivers(Pattern::WriteLinear, pair(id), link);
            }
        }
        made.delivers(Pattern::WriteParallel, pool(), 1400.0);
        let report = without_findings(&made.record);
        let least = row(&report, Pattern::WriteParallel, Layer::Rados).is_some_and(|row| row.at_least);
        (label(&report, "pool") == "implausible", least)
    };
    assert_eq!(told(0.05, 0.01, None), (true, false), "12 MB/s fit through any link");
    assert_eq!(told(0.05, 0.01, Some(28.0)), (true, false));
    // 12.3 MB/s are nearly all of 12.6.
    assert!(!told(0.05, 0.01, Some(3.0)).0);
    // Three threads of which each takes a third of a processor keep the one of librados busy.
    assert_eq!(told(0.33, 0.01, None), (false, true));
    assert_eq!(told(0.05, 0.30, None), (false, true));
}

#[test]
fn without_an_account_of_the_threads_osds_at_once_judge_nothing() {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteParallel, osds(), &[1000.0, 1000.0, 1000.0]);
    made.delivers(Pattern::WriteParallel, pool(), 1400.0);
    let report = without_findings(&made.record);
    assert_ne!(label(&report, "pool"), "implausible");
    assert!(rados(&report, Pattern::WriteParallel).at_least);
}

#[test]
fn what_is_less_than_the_osds_at_once_has_a_share_of_at_most_that() {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteParallel, osds(), &[1000.0, 1000.0, 1000.0]);
    made.delivers(Pattern::WriteParallel, pool(), 800.0);
    let found = rados(&without_findings(&made.record), Pattern::WriteParallel);
    assert!(found.at_least);
    near(found.ceiling.unwrap(), 1000.0, 20.0);
    near(found.share.unwrap(), 0.8, 0.02);
}

#[test]
fn a_void_osd_leaves_no_sum_that_bounds() {
    let void = |alone: bool| {
        let mut made = Made::cluster();
        for id in (0..3).filter(|_| alone) {
            made.delivers(Pattern::WriteParallel, osd(id), 1000.0).with_threads(0.05, 0.0);
        }
        if !alone {
            made.at_once(Pattern::WriteParallel, osds(), &[1000.0, 1000.0, 1000.0]).with_threads(0.05, 0.0);
        }
        // The third OSD of both: the others' sum is not what all supply.
        let (id, target) = if alone { (2, Some(0)) } else { (0, Some(2)) };
        let dead = |slice: &&mut model::Slice| slice.step.0 == id && slice.target == target;
        made.record.slices.iter_mut().filter(dead).for_each(|slice| slice.void = Some("osd.2 went down".into()));
        made.delivers(Pattern::WriteParallel, pool(), 1400.0);
        label(&without_findings(&made.record), "pool")
    };
    assert_ne!(void(true), "implausible");
    assert_ne!(void(false), "implausible");
}

#[test]
fn a_pool_that_several_hosts_load_keeps_its_row_and_its_gate() {
    let made = |rate: f64| {
        let mut made = Made::cluster();
        for id in 0..3 {
            made.delivers(Pattern::WriteParallel, osd(id), 1000.0).with_threads(0.05, 0.0);
        }
        made.at_once(Pattern::WriteParallel, pool_from(2), &[rate / 2.0, rate / 2.0]);
        without_findings(&made.record)
    };
    let report = made(800.0);
    assert_ne!(label(&report, "pool"), "implausible");
    let found = rados(&report, Pattern::WriteParallel);
    near(found.ceiling.unwrap(), 1000.0, 20.0);
    near(found.share.unwrap(), 0.8, 0.02);
    assert!(found.because.contains("of one osd / 3 replicas"), "{}", found.because);
    // Two clients put twice as much in flight on each OSD as it had alone: they may do up to twice as much with that.
    assert!(found.at_least && found.because.contains("fewer operations in flight"), "{}", found.because);
    assert_ne!(label(&made(1400.0), "pool"), "implausible");
    assert_eq!(label(&made(2400.0), "pool"), "implausible");
}

#[test]
fn what_one_client_could_not_get_out_of_an_osd_does_not_bound_several() {
    let told = |threads: (f64, f64), block_rate: f64, pools: Vec<model::Target>| {
        let mut made = Made::cluster();
        for id in 0..3 {
            made.delivers(Pattern::WriteLinear, osd(id), block_rate).with_threads(threads.0, threads.1);
        }
        // Two clients put twice as much in flight on each OSD, which may do twice as much with that.
        let rates = vec![1.4 * block_rate; pools.len()];
        if let [only] = pools.as_slice() {
            made.delivers(Pattern::WriteLinear, only.clone(), 1.4 * block_rate);
        } else {
            made.at_once(Pattern::WriteLinear, pools, &rates);
        }
        label(&without_findings(&made.record), "pool")
    };
    assert_eq!(told((0.05, 0.0), 10.0, pool_from(2)), "implausible");
    // 126 MB/s: as much as a link of 1 Gbit/s carries.
    assert_ne!(told((0.05, 0.0), 30.0, pool_from(2)), "implausible");
    assert_ne!(told((0.95, 0.0), 10.0, pool_from(2)), "implausible");
    // The same client cannot do more for the pool than for one OSD, of which each gets a part.
    assert_eq!(told((0.95, 0.0), 30.0, vec![pool()]), "implausible");
}

#[test]
fn several_clients_are_held_against_the_links_of_each() {
    let made = |rate: f64| {
        let mut made = Made::cluster();
        for (id, client) in (0..3).flat_map(|id| (0..2).map(move |client| (id, client))) {
            let mut target = pair(id);
            if let model::Place::Pair { from, .. } = &mut target.place {
                from.host = format!("client-{client}");
            }
            target.name = format!("client-{client}→host-{id}");
            made.delivers(Pattern::ReadLinear, target, 25.0);
        }
        made.at_once(Pattern::ReadLinear, pool_from(2), &[rate / 2.0, rate / 2.0]);
        without_findings(&made.record)
    };
    // Six ways of 25 each; three of them are one client's.
    assert_ne!(label(&made(100.0), "pool"), "implausible");
    assert_eq!(label(&made(170.0), "pool"), "implausible");
}

/// Four OSD hosts' worth of links in an erasure-coded pool: three chunks of four cross between OSDs, and the whole goes to the client.
fn erasure_coded(pattern: Pattern, rate: f64) -> Report {
    let mut made = Made::cluster();
    made.record.plan.changes.retain(|change| !matches!(change, Change::Pool { name, .. } if name == "fathom.rados"));
    let pool_of = PoolScope { name: "fathom.rados".into(), size: 6, erasure_k: Some(4), ..PoolScope::default() };
    made.record.scope.pools = vec![pool_of];
    for id in 0..3 {
        made.delivers(pattern, pair(id), 28.0).delivers(pattern, osd(id), 27.0).with_threads(0.01, 0.0);
    }
    made.delivers(pattern, pool(), rate);
    without_findings(&made.record)
}

#[test]
fn chunks_of_an_erasure_coded_pool_cross_between_osds() {
    // More than the client's one link came through: the hosts' links are the ceiling.
    let found = rados(&erasure_coded(Pattern::ReadLinear, 40.0), Pattern::ReadLinear);
    near(found.ceiling.unwrap(), 3.0 * 28.0 * MIB4 / 1.75, 4.0);
    assert!(found.because.contains("× 3 hosts / 1.75 times the data"), "{}", found.because);
    let found = rados(&erasure_coded(Pattern::WriteLinear, 34.0), Pattern::WriteLinear);
    near(found.ceiling.unwrap(), 3.0 * 28.0 * MIB4 / 2.25, 4.0);
    assert!(found.because.contains("/ 2.25 times the data"), "{}", found.because);
}

#[test]
fn writes_of_an_erasure_coded_pool_make_their_chunks() {
    // 27 × 3 OSDs / 1.5 = 54.
    assert_ne!(label(&erasure_coded(Pattern::WriteLinear, 50.0), "pool"), "implausible");
    let mut made = Made::cluster();
    made.record.scope.pools =
        vec![PoolScope { name: "fathom.rados".into(), size: 6, erasure_k: Some(4), ..PoolScope::default() }];
    for id in 0..3 {
        made.delivers(Pattern::WriteLinear, osd(id), 9.0);
    }
    made.delivers(Pattern::WriteLinear, pool(), 20.0);
    let report = without_findings(&made.record);
    let found = report.figures.iter().find(|figure| figure.layer == Layer::Rados).unwrap();
    assert!(matches!(&found.label, Label::Implausible(why) if why.contains("(4+2)/4 chunks")), "{:?}", found.label);
}

/// A pool whose rule takes class ssd, which is osd.0 alone, beside two slow OSDs of class hdd.
fn on_one_class() -> Made {
    let mut made = Made::cluster();
    made.record.scope.pools =
        vec![PoolScope { name: "fathom.rados".into(), size: 1, osds: vec![0], ..PoolScope::default() }];
    made
}

#[test]
fn a_pool_is_held_against_the_osds_alone_on_which_it_lies() {
    let mut made = on_one_class();
    for (id, rate) in [(0, 1000.0), (1, 100.0), (2, 100.0)] {
        made.delivers(Pattern::WriteParallel, osd(id), rate);
    }
    made.delivers(Pattern::WriteParallel, pool(), 900.0);
    let report = without_findings(&made.record);
    assert_ne!(label(&report, "pool"), "implausible");
    let found = rados(&report, Pattern::WriteParallel);
    near(found.ceiling.unwrap(), 1000.0, 20.0);
    assert!(found.because.starts_with("1 × "), "{}", found.because);
    // 1,150 is less than the three together supply, and more than the one on which it lies.
    let mut made = on_one_class();
    for (id, rate) in [(0, 1000.0), (1, 100.0), (2, 100.0)] {
        made.delivers(Pattern::WriteParallel, osd(id), rate);
    }
    made.delivers(Pattern::WriteParallel, pool(), 1150.0);
    assert_eq!(label(&without_findings(&made.record), "pool"), "implausible");
}

#[test]
fn osds_of_a_pool_that_were_loaded_beside_others_bound_nothing() {
    let mut made = on_one_class();
    made.at_once(Pattern::WriteParallel, osds(), &[1000.0, 100.0, 100.0]).with_threads(0.05, 0.0);
    made.delivers(Pattern::WriteParallel, pool(), 1150.0);
    let report = without_findings(&made.record);
    assert_ne!(label(&report, "pool"), "implausible");
    let found = rados(&report, Pattern::WriteParallel);
    assert!(found.at_least && found.because.contains("beside others"), "{found:?}");
    made.record.plan.steps.pop();
    made.record.slices.retain(|slice| slice.step.0 == 0);
    made.delivers(Pattern::WriteParallel, pool(), 500.0);
    let found = rados(&without_findings(&made.record), Pattern::WriteParallel);
    near(found.ceiling.unwrap(), 1000.0, 30.0);
    assert!(found.because.starts_with("1 of the 3 OSDs in osd.* "), "{}", found.because);
}

#[test]
fn where_an_osd_of_the_pool_was_not_measured_no_sum_bounds() {
    let told = |measured: &[u32]| {
        let mut made = on_one_class();
        made.record.scope.pools[0].osds = vec![0, 1];
        for id in measured {
            made.delivers(Pattern::WriteParallel, osd(*id), 1000.0);
        }
        made.delivers(Pattern::WriteParallel, pool(), 2500.0);
        label(&without_findings(&made.record), "pool")
    };
    assert_eq!(told(&[0, 1]), "implausible");
    assert_ne!(told(&[0, 2]), "implausible");
}

#[test]
fn a_pool_of_the_runs_own_lies_where_the_default_rule_or_the_run_put_it() {
    let told = |change: fn(&mut Made)| {
        let mut made = Made::cluster();
        change(&mut made);
        for (id, rate) in [(0, 1000.0), (1, 100.0), (2, 100.0)] {
            made.delivers(Pattern::ReadParallel, osd(id), rate);
        }
        made.delivers(Pattern::ReadParallel, pool(), 900.0);
        rados(&without_findings(&made.record), Pattern::ReadParallel).ceiling.unwrap()
    };
    near(told(|made| made.record.scope.new_pool_osds = vec![0]), 1000.0, 20.0);
    let bound = |made: &mut Made| {
        let own = &mut made.record.plan.changes[1];
        *own = Change::Pool { name: "fathom.rados".into(), pg_num: 1, size: Some(2), on: vec![vec![0, 1]], like: None };
    };
    near(told(bound), 1100.0, 20.0);
    near(told(|_| ()), 1200.0, 20.0);
}

/// OSDs that could send more than the links carry, of which each fills one.
fn two_osds_a_host() -> Made {
    let mut made = Made::cluster();
    for id in 0..3 {
        let twin = made.record.scope.osds[id as usize].clone();
        made.record.scope.osds.push(model::OsdScope { id: id + 3, ..twin });
        made.delivers(Pattern::ReadLinear, osd(id), 24.0).delivers(Pattern::ReadLinear, pair(id), 25.0);
    }
    made
}

#[test]
fn only_the_links_of_the_pools_hosts_carry_its_data() {
    let told = |change: fn(&mut Made)| {
        let mut made = two_osds_a_host();
        change(&mut made);
        // Four clients, of which each could take as much as one host sends.
        made.at_once(Pattern::ReadLinear, pool_from(4), &[12.0, 12.0, 12.0, 12.0]);
        rados(&without_findings(&made.record), Pattern::ReadLinear)
    };
    near(told(|_| ()).ceiling.unwrap(), 75.0 * MIB4, 4.0);
    for change in [
        |made: &mut Made| [2, 5].into_iter().for_each(|osd| made.record.scope.osds[osd].inside = false),
        |made: &mut Made| [2, 5].into_iter().for_each(|osd| made.record.scope.osds[osd].up = false),
        |made: &mut Made| made.record.scope.new_pool_osds = vec![0, 1, 3, 4],
    ] {
        let found = told(change);
        near(found.ceiling.unwrap(), 50.0 * MIB4, 3.0);
        assert!(
            found.because.contains("× 2 hosts") && found.because.contains("from one host alone"),
            "{}",
            found.because
        );
    }
}

#[test]
fn a_client_on_an_osds_host_has_more_than_the_link() {
    let mut made = two_osds_a_host();
    let mut clients = pool_from(2);
    if let Some(client) = &mut clients[1].client {
        client.host = "host-1".to_string();
    }
    made.at_once(Pattern::ReadLinear, clients, &[20.0, 20.0]);
    let found = rados(&without_findings(&made.record), Pattern::ReadLinear);
    // What its own host's OSDs send it passes no link; and those of the others were measured by one host alone.
    near(found.ceiling.unwrap(), 75.0 * MIB4, 4.0);
    assert!(found.at_least && found.because.contains("; or more: "), "{found:?}");
}
