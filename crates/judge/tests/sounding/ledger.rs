//! What each layer adds or delivers, by real figures, and what is said where one is missing.

use crate::made::{Made, disk, images, osd, pair, pool, pool_from, store};
use judge::without_findings;
use model::{Layer, LedgerRow, Pattern};

fn rows(made: &Made, pattern: Pattern) -> Vec<LedgerRow> {
    without_findings(&made.record).ledger.into_iter().filter(|row| row.pattern == pattern).collect()
}

fn near(got: f64, want: f64, by: f64) {
    assert!((got - want).abs() <= by, "{got} instead of {want}");
}

/// Disk 0.5 and 0.2 ms, round trip 0.1 ms, OSD 1.4 and 0.6 ms, pool 2.5 and 0.6, image 2.7 and 0.7.
fn whole() -> Made {
    let mut made = Made::cluster();
    for id in 0..3 {
        made.measured(Pattern::WriteLatency, disk(id), 0.5).measured(Pattern::ReadLatency, disk(id), 0.2);
        made.measured(Pattern::WriteLatency, pair(id), 0.1).measured(Pattern::ReadLatency, pair(id), 0.1);
        made.measured(Pattern::WriteLatency, osd(id), 1.4).measured(Pattern::ReadLatency, osd(id), 0.6);
    }
    made.measured(Pattern::WriteLatency, pool(), 2.5).measured(Pattern::ReadLatency, pool(), 0.6);
    made.measured(Pattern::WriteLatency, images(), 2.7).measured(Pattern::ReadLatency, images(), 0.7);
    made
}

#[test]
fn latencies_of_the_layers_add_up_to_the_topmost() {
    for (pattern, top) in [(Pattern::WriteLatency, 2.7), (Pattern::ReadLatency, 0.7)] {
        let rows = rows(&whole(), pattern);
        let layers: Vec<Layer> = rows.iter().map(|row| row.layer).collect();
        assert_eq!(layers, [Layer::Device, Layer::Network, Layer::Osd, Layer::Rados, Layer::Rbd]);
        near(rows.iter().map(|row| row.adds.value).sum(), top, 0.02);
        near(rows.iter().map(|row| row.share.unwrap()).sum(), 1.0, 0.001);
        for row in &rows {
            assert!(row.adds.low < row.adds.value && row.adds.value < row.adds.high);
            assert_eq!(row.expected.map(|expected| row.adds.value - expected), row.unexplained);
            assert!(row.ceiling.is_none() && !row.because.is_empty());
        }
    }
}

#[test]
fn a_write_is_expected_to_cost_the_osd_its_software_and_a_second_commit() {
    let rows = rows(&whole(), Pattern::WriteLatency);
    let row = &rows[2];
    near(row.adds.value, 0.8, 0.02);
    // Software as on reads: 0.6 − 0.2 − 0.1; a second commit: 0.5.
    near(row.expected.unwrap(), 0.8, 0.02);
    assert!(row.because.contains("second commit") && row.because.contains("as on reads"), "{}", row.because);
}

#[test]
fn replication_is_expected_to_cost_one_more_way_and_the_slowest_commit() {
    let rows = rows(&whole(), Pattern::WriteLatency);
    let row = &rows[3];
    near(row.adds.value, 1.1, 0.03);
    // One more way: 0.6 − 0.2. The larger of two evenly spread over 1.4 ± 10 %: a sixth of 0.28 over the mean.
    near(row.expected.unwrap(), 0.4 + 0.28 / 6.0, 0.03);
    assert!(row.because.contains("3 replicas") && row.because.contains("2 commits"), "{}", row.because);
}

/// What four clients wait for each other is no part of a single client's way through the layers.
#[test]
fn a_pool_under_several_hosts_is_not_compared_with_an_osd_under_one() {
    let of = |hosts: u32| {
        let mut made = Made::cluster();
        for id in 0..3 {
            made.measured(Pattern::WriteLatency, pair(id), 0.1).measured(Pattern::ReadLatency, pair(id), 0.1);
            made.measured(Pattern::WriteLatency, osd(id), 1.4).measured(Pattern::ReadLatency, osd(id), 0.6);
        }
        match hosts {
            1 => made.measured(Pattern::WriteLatency, pool(), 2.6),
            hosts => made.at_once(Pattern::WriteLatency, pool_from(hosts), &vec![1000.0 / 2.6; hosts as usize]),
        };
        rows(&made, Pattern::WriteLatency).into_iter().find(|row| row.layer == Layer::Rados).unwrap()
    };
    let (alone, crowded) = (of(1), of(4));
    assert!(alone.expected.is_some() && !alone.at_least, "{alone:?}");
    assert!(crowded.expected.is_none() && crowded.at_least, "{crowded:?}");
    assert!(crowded.because.contains("4 hosts loaded it at once, and one what lies below"), "{}", crowded.because);
}

#[test]
fn one_replica_adds_nothing_and_an_erasure_coded_pool_has_no_model() {
    let mut made = whole();
    made.record.plan.changes.clear();
    made.record.scope.pools = vec![model::PoolScope { name: "fathom.rados".into(), size: 1, ..Default::default() }];
    assert_eq!(rows(&made, Pattern::WriteLatency)[3].expected, Some(0.0));
    made.record.scope.pools[0].size = 6;
    made.record.scope.pools[0].erasure_k = Some(4);
    let row = rows(&made, Pattern::WriteLatency)[3].clone();
    assert_eq!((row.expected, row.unexplained), (None, None));
    assert!(row.because.contains("(4+2)/4 chunks"), "{}", row.because);
}

#[test]
fn a_read_of_an_erasure_coded_pool_gathers_chunks_and_has_no_model() {
    let mut made = whole();
    assert_eq!(rows(&made, Pattern::ReadLatency)[3].expected, Some(0.0));
    made.record.plan.changes.clear();
    let pool = model::PoolScope { name: "fathom.rados".into(), size: 6, erasure_k: Some(4), ..Default::default() };
    made.record.scope.pools = vec![pool];
    let row = rows(&made, Pattern::ReadLatency)[3].clone();
    assert_eq!((row.expected, row.unexplained), (None, None));
    assert!(row.because.contains("4 chunks, 3 of them from other OSDs"), "{}", row.because);
}

#[test]
fn nobody_knows_what_librbd_adds_to_one_operation() {
    for pattern in [Pattern::WriteLatency, Pattern::ReadLatency] {
        let row = rows(&whole(), pattern).into_iter().find(|row| row.layer == Layer::Rbd).unwrap();
        assert_eq!((row.expected, row.unexplained), (None, None));
        assert!(row.because.contains("no model"), "{}", row.because);
    }
}

#[test]
fn a_missing_layer_is_named_where_its_part_went() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, disk(0), 0.5).measured(Pattern::WriteLatency, pool(), 2.5);
    let rows = rows(&made, Pattern::WriteLatency);
    assert_eq!(rows.len(), 2);
    near(rows[1].adds.value, 2.0, 0.02);
    for missing in ["network", "store", "osd"] {
        assert!(rows[1].because.contains(&format!("{missing} not measured")), "{}", rows[1].because);
    }
    assert_eq!(rows[1].expected, None);
}

/// As [`whole`], but that the OSDs are on other hosts to which nothing was measured: their latencies have 5 ms of a real round trip in them.
fn without_network() -> Made {
    let mut made = Made::cluster();
    for id in 0..3 {
        made.measured(Pattern::WriteLatency, disk(id), 0.5).measured(Pattern::ReadLatency, disk(id), 0.2);
        made.measured(Pattern::WriteLatency, osd(id), 6.4).measured(Pattern::ReadLatency, osd(id), 5.6);
    }
    made.measured(Pattern::WriteLatency, pool(), 12.4).measured(Pattern::ReadLatency, pool(), 5.6);
    made
}

#[test]
fn an_osd_is_not_blamed_for_a_round_trip_that_nobody_measured() {
    let mut with_store = without_network();
    for id in 0..3 {
        with_store.measured(Pattern::WriteLatency, store(id), 1.0);
    }
    for (made, pattern, disk) in [
        (without_network(), Pattern::WriteLatency, 0.5),
        (without_network(), Pattern::ReadLatency, 0.2),
        (with_store, Pattern::WriteLatency, 1.0),
    ] {
        let rows = rows(&made, pattern);
        assert!(rows.iter().all(|row| row.layer != Layer::Network));
        let of = |layer: Layer| rows.iter().find(|row| row.layer == layer).unwrap();
        let row = of(Layer::Osd);
        near(row.adds.value, if pattern.writes() { 6.4 - disk } else { 5.4 }, 0.1);
        assert_eq!((row.expected, row.unexplained, row.at_least), (None, None, true), "{row:?}");
        let words = ["network not measured: the round trip is in here", "is not known", "no model"];
        words.iter().for_each(|words| assert!(row.because.contains(words), "{}", row.because));
        let others = rows.iter().filter(|row| row.layer != Layer::Osd);
        others.for_each(|row| assert!(!row.at_least && !row.because.contains("network not measured"), "{row:?}"));
        // What replication costs is known without it: one more way, as on reads.
        assert!(of(Layer::Rados).expected.is_some(), "{:?}", of(Layer::Rados));
        near(rows.iter().map(|row| row.share.unwrap()).sum(), 1.0, 0.001);
    }
    for pattern in [Pattern::WriteLatency, Pattern::ReadLatency] {
        assert!(rows(&whole(), pattern).iter().all(|row| !row.at_least && !row.because.contains("not known")));
    }
}

#[test]
fn a_pool_is_not_blamed_for_what_its_osds_and_the_network_take() {
    for pattern in [Pattern::WriteLatency, Pattern::ReadLatency] {
        let mut made = Made::cluster();
        made.measured(pattern, disk(0), 0.5).measured(pattern, pool(), 5.0).measured(pattern, images(), 5.1);
        let rows = rows(&made, pattern);
        assert_eq!(rows.iter().map(|row| row.at_least).collect::<Vec<_>>(), [false, true, false]);
        assert!(rows.iter().all(|row| row.expected.is_none() && row.unexplained.is_none()), "{rows:?}");
        // With the network and without the OSDs a pool's row still holds all that an OSD takes.
        made.measured(pattern, pair(0), 0.1);
        let found = self::rows(&made, pattern);
        let row = found.iter().find(|row| row.layer == Layer::Rados).unwrap();
        assert_eq!((row.expected, row.at_least), (None, false), "{row:?}");
        assert!(row.because.contains("osd not measured"), "{}", row.because);
    }
}

#[test]
fn a_link_that_nobody_measured_may_be_the_limit() {
    let says = "network not measured: it may be the limit";
    for pattern in [Pattern::WriteLinear, Pattern::ReadLinear, Pattern::WriteParallel, Pattern::ReadParallel] {
        let mut made = Made::cluster();
        for id in 0..3 {
            made.delivers(pattern, disk(id), 400.0).delivers(pattern, store(id), 300.0).delivers(
                pattern,
                osd(id),
                28.0,
            );
        }
        made.delivers(pattern, pool(), 10.0).delivers(pattern, images(), 9.0);
        let told = |made: &Made| {
            let rows = rows(made, pattern);
            rows.iter().map(|row| (row.layer, row.because.contains(says))).collect::<Vec<_>>()
        };
        let layers = [Layer::Store, Layer::Osd, Layer::Rados, Layer::Rbd];
        assert_eq!(told(&made), layers.map(|layer| (layer, matches!(layer, Layer::Osd | Layer::Rados))).to_vec());
        let linear = if pattern.writes() { Pattern::WriteLinear } else { Pattern::ReadLinear };
        made.delivers(linear, pair(0), 30.0);
        assert_eq!(told(&made), layers.map(|layer| (layer, false)).to_vec());
    }
}

#[test]
fn reads_from_a_cache_leave_the_disk_out_of_the_sum() {
    let mut made = Made::cluster();
    made.measured(Pattern::ReadLatency, disk(0), 5.0).measured(Pattern::ReadLatency, pair(0), 0.1);
    made.measured(Pattern::ReadLatency, osd(0), 0.6);
    let rows = rows(&made, Pattern::ReadLatency);
    assert_eq!(rows.iter().map(|row| row.layer).collect::<Vec<_>>(), [Layer::Network, Layer::Osd]);
    near(rows[1].adds.value, 0.5, 0.01);
    assert!(rows[1].because.contains("cache") && rows[1].because.contains("5.0"), "{}", rows[1].because);
}

#[test]
fn a_ledger_needs_a_layer_above_the_hardware() {
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, disk(0), 0.5).measured(Pattern::WriteLatency, pair(0), 0.1);
    made.delivers(Pattern::WriteParallel, disk(0), 1000.0);
    assert_eq!(without_findings(&made.record).ledger, []);
}

#[test]
fn parallel_writes_are_held_against_all_osds_at_once_and_their_copies() {
    let mut made = Made::cluster();
    made.at_once(Pattern::WriteParallel, (0..3).map(osd).collect(), &[2000.0, 2000.0, 1420.0]);
    made.delivers(Pattern::WriteParallel, pool(), 1500.0).delivers(Pattern::WriteParallel, images(), 1200.0);
    let rows = rows(&made, Pattern::WriteParallel);
    assert_eq!(rows.iter().map(|row| row.layer).collect::<Vec<_>>(), [Layer::Rados, Layer::Rbd]);
    near(rows[0].ceiling.unwrap(), 5420.0 / 3.0, 30.0);
    near(rows[0].share.unwrap(), 1500.0 * 3.0 / 5420.0, 0.02);
    near(rows[0].adds.value, 5420.0 / 3.0 - 1500.0, 40.0);
    assert!(
        rows[0].because.starts_with("osd.* 5,4") && rows[0].because.contains("IOPS / 3 replicas"),
        "{}",
        rows[0].because
    );
    near(rows[1].share.unwrap(), 0.8, 0.02);
    assert!(rows[1].because.starts_with("rados 1,"), "{}", rows[1].because);
}

#[test]
fn reads_have_no_copies() {
    let mut made = Made::cluster();
    for id in 0..2 {
        made.delivers(Pattern::ReadParallel, osd(id), 3000.0);
    }
    made.delivers(Pattern::ReadParallel, pool(), 6000.0);
    let rows = rows(&made, Pattern::ReadParallel);
    near(rows[0].ceiling.unwrap(), 9000.0, 60.0);
    assert!(rows[0].because.contains("3 × ") && rows[0].because.contains("2 of them measured"), "{}", rows[0].because);
}

#[test]
fn the_network_is_the_ceiling_where_it_is_lower() {
    let mut made = Made::cluster();
    for id in 0..3 {
        made.delivers(Pattern::WriteLinear, pair(id), 30.0).delivers(Pattern::WriteLinear, osd(id), 29.0);
        let twin = made.record.scope.osds[id as usize].clone();
        made.record.scope.osds.push(model::OsdScope { id: id + 3, ..twin });
    }
    made.delivers(Pattern::WriteLinear, pool(), 12.0);
    // 4 MiB × 30/s = 126 MB/s for one link; 3 links carry 3 copies.
    let found = rows(&made, Pattern::WriteLinear);
    let row = found.iter().find(|row| row.layer == Layer::Rados).unwrap();
    near(row.ceiling.unwrap(), 125.8, 2.0);
    assert!(row.because.starts_with("network 126 MB/s"), "{}", row.because);
    made.record.plan.changes[1] =
        model::Change::Pool { name: "fathom.rados".into(), pg_num: 1, size: Some(6), on: Vec::new(), like: None };
    let found = rows(&made, Pattern::WriteLinear);
    let row = found.iter().find(|row| row.layer == Layer::Rados).unwrap();
    near(row.ceiling.unwrap(), 62.9, 2.0);
    assert!(row.because.contains("× 3 hosts / 6.00 copies"), "{}", row.because);
}

/// A slow link to a host on which the pool has no OSD is neither its ceiling nor in its round trip.
#[test]
fn only_the_links_to_the_hosts_of_a_pool_are_held_against_it() {
    let mut made = Made::cluster();
    for (id, link) in [(0, 30.0), (1, 30.0), (2, 3.0)] {
        made.delivers(Pattern::WriteLinear, pair(id), link).delivers(Pattern::WriteLinear, osd(id), link - 0.1);
        let twin = made.record.scope.osds[id as usize].clone();
        made.record.scope.osds.push(model::OsdScope { id: id + 3, ..twin });
        let trip = 3.0 / link;
        made.measured(Pattern::WriteLatency, pair(id), trip).measured(Pattern::WriteLatency, disk(id), 0.5);
    }
    made.delivers(Pattern::WriteLinear, pool(), 2.9).measured(Pattern::WriteLatency, pool(), 2.0);
    let network = |made: &Made| {
        let linear = rows(made, Pattern::WriteLinear).into_iter().find(|row| row.layer == Layer::Rados).unwrap();
        let latency = rows(made, Pattern::WriteLatency).into_iter().find(|row| row.layer == Layer::Network).unwrap();
        (linear, latency)
    };
    let (all, all_trips) = network(&made);
    assert!(all.because.contains("MB/s of host-2 for its 33 % of the data / 3.00 copies"), "{}", all.because);
    near(all_trips.adds.value, 0.4, 0.02);
    made.record.scope.new_pool_osds = vec![0, 1, 3, 4];
    let (own, own_trips) = network(&made);
    assert!(own.because.starts_with("network 126 MB/s × 2 hosts"), "{}", own.because);
    near(own_trips.adds.value, 0.1, 0.01);
    assert!(own_trips.because.contains("the mean of the 2 of 3 links"), "{}", own_trips.because);
}

#[test]
fn osds_on_one_disk_share_it_when_loaded_at_once() {
    // A file that stands for the disk is as good.
    let file = model::Target {
        name: "file on /dev/vd0".into(),
        on: Some("/dev/vd0".into()),
        place: model::Place::Path { path: "/labs/x/probe".into(), writable: true },
        ..disk(0)
    };
    for disk in [disk(0), file] {
        let mut made = Made::cluster();
        for osd in &mut made.record.scope.osds {
            (osd.device, osd.host) = (Some("vd0".to_string()), "host-0".to_string());
        }
        made.delivers(Pattern::WriteLinear, disk, 90.0);
        let targets = (0..3).map(|id| model::Target { host: Some("host-0".into()), ..store(id) }).collect();
        made.at_once(Pattern::WriteLinear, targets, &[20.0, 20.0, 20.0]);
        let rows = rows(&made, Pattern::WriteLinear);
        near(rows[0].ceiling.unwrap(), 30.0 * 4.194304, 3.0);
        near(rows[0].share.unwrap(), 20.0 / 30.0, 0.02);
        assert!(rows[0].because.contains("3 OSDs on it at once"), "{}", rows[0].because);
    }
}

#[test]
fn more_than_the_ceiling_is_said_in_words() {
    let mut made = Made::cluster();
    made.delivers(Pattern::ReadParallel, disk(0), 1000.0).delivers(Pattern::ReadParallel, osd(0), 5000.0);
    let rows = rows(&made, Pattern::ReadParallel);
    near(rows[0].share.unwrap(), 5.0, 0.1);
    assert!(rows[0].because.contains("read from a cache"), "{}", rows[0].because);
}

#[test]
fn a_store_whose_bench_keeps_writes_in_flight_tells_no_latency() {
    let mut made = whole();
    for id in 0..3 {
        made.measured(Pattern::WriteLatency, store(id), 0.05);
    }
    let found = rows(&made, Pattern::WriteLatency);
    assert!(found.iter().all(|row| row.layer != Layer::Store));
    let row = found.iter().find(|row| row.layer == Layer::Osd).unwrap();
    assert!(row.because.contains("keeps writes in flight"), "{}", row.because);
}

/// A pool on osd.0 alone, beside two slow ones.
fn on_the_quick_osd() -> Made {
    let mut made = Made::cluster();
    made.record.scope.pools =
        vec![model::PoolScope { name: "fathom.rados".into(), size: 1, osds: vec![0], ..Default::default() }];
    for (id, by) in [(0, 1.0), (1, 4.0), (2, 4.0)] {
        made.measured(Pattern::WriteLatency, disk(id), 0.5 * by).measured(Pattern::ReadLatency, disk(id), 0.2 * by);
        made.measured(Pattern::WriteLatency, pair(id), 0.1).measured(Pattern::ReadLatency, pair(id), 0.1);
        made.measured(Pattern::WriteLatency, osd(id), 1.4 * by).measured(Pattern::ReadLatency, osd(id), 0.6 * by);
    }
    made.measured(Pattern::WriteLatency, pool(), 1.5).measured(Pattern::ReadLatency, pool(), 0.7);
    made
}

#[test]
fn a_pool_adds_to_the_osds_on_which_it_lies() {
    for (pattern, below, adds) in [(Pattern::WriteLatency, 0.8, 0.1), (Pattern::ReadLatency, 0.3, 0.1)] {
        let rows = rows(&on_the_quick_osd(), pattern);
        let of = |layer: Layer| rows.iter().find(|row| row.layer == layer).unwrap();
        near(of(Layer::Rados).adds.value, adds, 0.03);
        near(of(Layer::Osd).adds.value, below, 0.03);
        let says = "of the 1 of 3 on which the pool lies";
        assert!([Layer::Device, Layer::Osd].iter().all(|layer| of(*layer).because.contains(says)), "{rows:?}");
        assert!(!of(Layer::Rados).because.contains(says));
    }
}

/// Two passes so unlike that the interval is wider than the value.
const WILD: [f64; 2] = [0.05, 2.0];

#[test]
fn what_is_held_against_something_unknown_has_neither_share_nor_ceiling() {
    let mut made = Made::cluster();
    for id in 0..3 {
        made.drifting(Pattern::ReadParallel, osd(id), 40.0, &WILD);
    }
    made.delivers(Pattern::ReadParallel, pool(), 6000.0).delivers(Pattern::ReadParallel, images(), 5000.0);
    let found = rows(&made, Pattern::ReadParallel);
    assert_eq!(found.iter().map(|row| row.layer).collect::<Vec<_>>(), [Layer::Rados, Layer::Rbd]);
    assert_eq!((found[0].share, found[0].ceiling, found[0].at_least), (None, None, false));
    assert_eq!(found[0].because, "osd read-parallel is not known");
    assert!(found[1].share.is_some(), "rados is known: {:?}", found[1]);
    let mut made = Made::cluster();
    for id in 0..3 {
        made.delivers(Pattern::ReadParallel, osd(id), 3000.0);
    }
    made.drifting(Pattern::ReadParallel, pool(), 40.0, &WILD).delivers(Pattern::ReadParallel, images(), 5000.0);
    for row in rows(&made, Pattern::ReadParallel) {
        assert_eq!((row.share, row.ceiling), (None, None), "{row:?}");
        assert_eq!(row.because, "rados read-parallel is not known");
    }
}

#[test]
fn a_link_that_is_not_known_is_no_ceiling() {
    let mut made = Made::cluster();
    for id in 0..3 {
        made.delivers(Pattern::ReadLinear, osd(id), 28.0);
    }
    made.drifting(Pattern::ReadLinear, pair(0), 400.0, &WILD).delivers(Pattern::ReadLinear, pool(), 20.0);
    let found = rows(&made, Pattern::ReadLinear);
    let row = found.iter().find(|row| row.layer == Layer::Rados).unwrap();
    assert!(row.share.is_some() && row.because.contains("network read-linear is not known: it may be"), "{row:?}");
}

#[test]
fn a_part_of_a_latency_that_is_not_known_has_no_share() {
    let mut made = Made::cluster();
    made.drifting(Pattern::WriteLatency, disk(0), 0.5, &WILD).measured(Pattern::WriteLatency, pair(0), 0.1);
    made.measured(Pattern::WriteLatency, osd(0), 3.0).measured(Pattern::WriteLatency, pool(), 4.0);
    let found = rows(&made, Pattern::WriteLatency);
    let shares: Vec<(Layer, bool)> = found.iter().map(|row| (row.layer, row.share.is_some())).collect();
    let known = [(Layer::Device, false), (Layer::Network, true), (Layer::Osd, false), (Layer::Rados, true)];
    assert_eq!(shares, known);
    for row in found.iter().filter(|row| row.share.is_none()) {
        assert_eq!((row.expected, row.unexplained), (None, None));
        assert!(row.because.starts_with("device write-latency is not known"), "{}", row.because);
    }
    let mut made = Made::cluster();
    made.measured(Pattern::WriteLatency, disk(0), 0.5).drifting(Pattern::WriteLatency, pool(), 4.0, &WILD);
    assert!(rows(&made, Pattern::WriteLatency).iter().all(|row| row.share.is_none()));
}
