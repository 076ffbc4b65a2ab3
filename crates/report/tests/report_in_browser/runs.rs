//! The runs that are looked at: a usual one, an empty one, one OSD alone, a hundred OSDs, one full of hostile text.

use crate::sample::{HOSTS, RunSampler};
use model::*;
use std::collections::BTreeMap;

pub type Run = (Report, Record);

const OSDS: [&str; 3] = ["osd.0", "osd.1", "osd.2"];
const DISKS: [&str; 3] = ["/dev/sda", "/dev/sdb", "/dev/sdc"];

/// Three OSDs, six layers, all labels.
pub fn usual() -> Run {
    let mut run = RunSampler::new(80, 3);
    for pattern in Pattern::canonical() {
        for (i, host) in HOSTS.into_iter().enumerate() {
            let slow = if i == 2 && pattern.writes() { 1.28 } else { 1.0 };
            run.step(Layer::Device, pattern, &[(DISKS[i], Some(host))], slow, true);
        }
        if matches!(pattern, Pattern::WriteLatency | Pattern::WriteLinear | Pattern::ReadLinear) {
            run.step(Layer::Network, pattern, &[("ceph-a→ceph-b", None)], 1.0, true);
            run.step(Layer::Network, pattern, &[("ceph-a→ceph-c", None)], 1.02, true);
        }
        for (layer, has) in [(Layer::Store, pattern.writes()), (Layer::Osd, true)] {
            for i in (0..3).filter(|_| has) {
                let slow = if i == 2 && pattern.writes() { 1.24 } else { 1.0 };
                run.step(layer, pattern, &[(OSDS[i], Some(HOSTS[i]))], slow, true);
            }
        }
        let all: Vec<_> = OSDS.into_iter().zip(HOSTS.map(Some)).collect();
        run.step(Layer::Osd, pattern, &all, 1.35, false);
        run.step(Layer::Rados, pattern, &[("fathom.ab3f", None)], 1.0, true);
        run.step(Layer::Rbd, pattern, &[("fathom.ab3f", None)], 1.0, true);
    }
    let mut run = run.explained();
    run.report.ledger = ledger(&run.report.chart);
    run.report.outliers = [Layer::Osd, Layer::Store].map(slow_one).to_vec();
    told(&mut run);
    run.record.scope = scope();
    (run.report, run.record)
}

fn slow_one(layer: Layer) -> Outlier {
    let says = "24 % slower than the median of the other two, beyond the noise (p = 0.004)".to_owned();
    Outlier {
        layer,
        pattern: Pattern::WriteLatency,
        subject: Subject::Osd(2),
        target: "osd.2".into(),
        slower_by: 0.24,
        standing: Standing::Confirmed,
        says: says.into(),
    }
}

fn told(run: &mut RunSampler) {
    run.report.errors = vec!["osd.1 went down during rados read-linear; the run went on without that figure".into()];
    run.report.changes = vec![
        Undo {
            change: Change::Pool { name: "fathom.ab3f".into(), pg_num: 32, size: None, on: Vec::new(), like: None },
            before: None,
            undone: true,
            left: None,
        },
        Undo {
            change: Change::Image {
                pool: "fathom.ab3f".into(),
                data_pool: None,
                name: "fathom.0".into(),
                bytes: 8 << 30,
            },
            before: None,
            undone: true,
            left: None,
        },
        Undo { change: Change::Flag { name: "noscrub".into() }, before: None, undone: true, left: None },
    ];
    run.report.findings = vec![Finding {
        id: "disk-volatile-cache".into(),
        standing: Standing::Hint,
        subject: Subject::Disk { host: None, name: "/dev/sdc".into() },
        says: "writes that are made durable take 28 % longer than on its peers".into(),
        evidence: vec!["write-latency 0.51 ms against 0.40 ms".into()],
        explains: vec![],
        cost: None,
        slows_nothing: false,
        confirm: "measure it again, on a spare partition".into(),
        fix: "compare the drive's firmware and write cache with its peers".into(),
        risk: String::new(),
    }];
    run.record.changes = run.report.changes.clone();
    run.record.errors = run.report.errors.clone();
}

fn row(pattern: Pattern, layer: Layer, adds: f64, half: f64, share: f64, because: &str) -> LedgerRow {
    LedgerRow {
        pattern,
        layer,
        adds: Estimate::new(adds, half),
        expected: None,
        unexplained: None,
        share: Some(share),
        ceiling: None,
        at_least: false,
        because: because.into(),
    }
}

/// What a layer adds: its own latency less those of the layers that it stands on.
fn stage(
    chart: &[ChartCell],
    (pattern, layer, below): (Pattern, Layer, &[Layer]),
    expected: Option<f64>,
    because: &str,
) -> LedgerRow {
    let of = |layer: Layer| {
        let cell = chart.iter().find(|cell| cell.layer == layer && cell.pattern == pattern);
        cell.and_then(|cell| cell.estimate).map_or(0.0, |estimate| estimate.value)
    };
    let adds = of(layer) - below.iter().map(|layer| of(*layer)).sum::<f64>();
    let top = if pattern.writes() { Layer::Rbd } else { Layer::Rados };
    let unexplained = expected.map(|expected| adds - expected);
    LedgerRow { expected, unexplained, ..row(pattern, layer, adds, 0.004 + adds * 0.06, adds / of(top), because) }
}

fn limit(pattern: Pattern, layer: Layer, value: f64, ceiling: f64, because: &str) -> LedgerRow {
    let lost = row(pattern, layer, ceiling - value, ceiling * 0.03, value / ceiling, because);
    LedgerRow { ceiling: Some(ceiling), ..lost }
}

fn ledger(chart: &[ChartCell]) -> Vec<LedgerRow> {
    use Layer::*;
    use Pattern::*;
    let add =
        |pattern, layer, below: &[Layer], expected, because| stage(chart, (pattern, layer, below), expected, because);
    vec![
        add(WriteLatency, Device, &[], None, "the bare disk: 4 KiB O_DSYNC at depth 1"),
        add(WriteLatency, Network, &[], Some(0.030), "one 4 KiB round trip, client to primary"),
        add(WriteLatency, Store, &[Device], Some(0.12), "one more write of the log, at the device's own pace"),
        add(WriteLatency, Osd, &[Store, Network], Some(0.25), "messenger and queues: 0.25 ms of CPU at 2.4 GHz"),
        add(WriteLatency, Rados, &[Osd], Some(0.44), "slowest of 2 replicas in parallel, and one more round trip"),
        add(WriteLatency, Rbd, &[Rados], Some(0.06), "object map and client library"),
        add(ReadLatency, Device, &[], None, "the bare disk: 4 KiB O_DIRECT at depth 1"),
        // No round trip of reads was measured: the ledger has no stage for it.
        add(ReadLatency, Osd, &[Device], Some(0.18), "messenger and queues"),
        add(ReadLatency, Rados, &[Osd], None, "no model"),
        limit(WriteParallel, Store, 24_000.0, 60_000.0, "device 60,000 IOPS / 1 write each"),
        limit(WriteParallel, Osd, 9_500.0, 24_000.0, "store 24,000 IOPS"),
        limit(WriteParallel, Rados, 2_900.0, 9_500.0, "osd.* 28,500 IOPS / 3 replicas"),
        limit(WriteParallel, Rbd, 2_400.0, 2_900.0, "rados 2,900 IOPS"),
        limit(ReadParallel, Osd, 21_000.0, 95_000.0, "device 95,000 IOPS"),
        limit(ReadParallel, Rados, 38_000.0, 63_000.0, "osd.* 63,000 IOPS: 3 × 21,000"),
        limit(WriteLinear, Store, 320.0, 480.0, "device 480 MB/s"),
        limit(WriteLinear, Osd, 260.0, 320.0, "store 320 MB/s"),
        limit(WriteLinear, Rados, 190.0, 260.0, "osd.* 780 MB/s / 3 replicas; network 1,170 MB/s is higher"),
        limit(WriteLinear, Rbd, 175.0, 190.0, "rados 190 MB/s"),
        limit(ReadLinear, Osd, 410.0, 520.0, "device 520 MB/s"),
    ]
}

fn scope() -> Scope {
    let host = |(i, name): (usize, &str)| HostScope {
        name: name.into(),
        address: Some(format!("10.77.0.{}", i + 1)),
        kernel: Some("6.1.0-41-amd64".into()),
        cpu: Some("AMD EPYC 9354P 32-Core Processor".into()),
        cores: Some(2),
        memory: Some(8 << 30),
        here: i == 0,
        ..HostScope::default()
    };
    let osd = |i: u32| OsdScope {
        within: BTreeMap::from([("rack".into(), format!("r{i}"))]),
        id: i,
        host: HOSTS[i as usize].into(),
        class: Some("ssd".into()),
        device: Some(DISKS[i as usize].into()),
        up: i != 1,
        inside: true,
        primary_affinity: Some(1.0),
        crush_weight: Some(1.0),
        address: Some(format!("10.77.0.{}:6800", i + 1)),
        cluster_address: None,
        version: Some("16.2.15".into()),
        store: Some("bluestore".into()),
        bytes: Some(100 << 30),
        bytes_used: Some(3 << 30),
    };
    let device = |i: usize| DeviceScope {
        path: DISKS[i].into(),
        host: Some(HOSTS[i].into()),
        model: Some("SAMSUNG MZQL2960HCJR".into()),
        bytes: Some(894 << 30),
        rotational: Some(false),
        osds: vec![i as u32],
    };
    Scope {
        fsid: Some("5f4a0b0e-7f0c-4c1e-9c55-2d0b6a3c1e77".into()),
        cluster: Some("lab:default".into()),
        health: Some("HEALTH_WARN".into()),
        health_checks: vec!["OSD_DOWN: 1 osds down".into()],
        versions: BTreeMap::from(["mon", "mgr", "osd"].map(|daemon| (daemon.into(), vec!["16.2.15".into()]))),
        client_version: Some("16.2.15".into()),
        hosts: HOSTS.into_iter().enumerate().map(host).collect(),
        devices: (0..3).map(device).collect(),
        osds: (0..3).map(osd).collect(),
        pgs_per_osd_most: Some(250),
        nearfull: Some(0.85),
        pg_upmap: Some(true),
        new_pool_osds: vec![0, 1, 2],
        new_pool_apart: Some("host".into()),
        new_pool_takes: Vec::new(),
        pools: vec![PoolScope {
            id: 2,
            name: "rbd".into(),
            size: 3,
            min_size: 2,
            erasure_k: None,
            overwrites: Some(true),
            pg_num: 32,
            pg_autoscale_mode: Some("on".into()),
            applications: vec!["rbd".into()],
            osds: Vec::new(),
            apart: Some("host".into()),
            takes: Vec::new(),
            quota_bytes: None,
            quota_objects: None,
            full: false,
        }],
        options: BTreeMap::from([
            ("global/osd_pool_default_pg_num".into(), "32".into()),
            ("mgr/mgr/dashboard/jwt_token_secret".into(), "fathom-must-not-show-this".into()),
        ]),
    }
}

pub fn empty() -> Run {
    let run = RunSampler::new(0, 0);
    (Report { ending: None, ..run.report }, Record::default())
}

/// A provisional report of one OSD: two layers, two patterns.
pub fn one_osd() -> Run {
    let mut run = RunSampler::new(64, 1);
    for pattern in [Pattern::WriteLatency, Pattern::ReadParallel] {
        run.step(Layer::Osd, pattern, &[("osd.0", Some("ceph-a"))], 1.0, true);
        run.step(Layer::Rados, pattern, &[("rbd", None)], 1.0, true);
    }
    let run = run.explained();
    (Report { ending: None, ..run.report }, run.record)
}

pub fn hundred_osds() -> Run {
    let mut run = RunSampler::new(120, 2);
    for pattern in [Pattern::WriteLatency, Pattern::ReadParallel] {
        for osd in 0..100 {
            let (name, host) = (format!("osd.{osd}"), format!("ceph-{:02}", osd % 10));
            let slow = if osd == 57 { 1.5 } else { 1.0 };
            run.step(Layer::Osd, pattern, &[(&name, Some(&host))], slow, true);
        }
    }
    let mut run = run.explained();
    let slow = slow_one(Layer::Osd);
    run.report.outliers = vec![Outlier { subject: Subject::Osd(57), target: "osd.57".into(), slower_by: 0.5, ..slow }];
    (run.report, run.record)
}

/// As large as a full run gets: 60 figures, 6 slices each, 120 windows each.
pub fn large() -> Run {
    let mut run = RunSampler::new(120, 6);
    for pattern in Pattern::canonical() {
        for n in 0..10 {
            run.step(Layer::Osd, pattern, &[(&format!("osd.{n}"), Some("ceph-a"))], 1.0, true);
        }
    }
    let run = run.explained();
    (run.report, run.record)
}

/// Depth × jobs on one OSD, with a knee for each number of jobs.
pub fn swept() -> Run {
    const DEPTHS: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
    const JOBS: [u64; 3] = [1, 2, 4];
    let mut run = RunSampler::new(40, 3);
    let (mut readings, mut points) = (Vec::new(), Vec::new());
    for (y, jobs) in JOBS.into_iter().enumerate() {
        for (x, depth) in DEPTHS.into_iter().enumerate().filter(|(_, depth)| *depth >= jobs) {
            run.step(Layer::Osd, Pattern::ReadParallel, &[("osd.0", None)], 1.0, false);
            let Some(figure) = run.report.figures.last_mut() else { continue };
            (figure.workload.depth, figure.workload.jobs) = (depth as u32, jobs as u32);
            let most = 16.0 * jobs as f64;
            let value = 1500.0 * (depth as f64).min(most) / (1.0 + depth as f64 / 900.0);
            let throughput = Estimate::new(value, 0.04 * value);
            figure.estimate = Some(throughput);
            let latency = depth as f64 / value * 1000.0;
            let at = vec![x as u32, y as u32];
            points.push(sweep::SweepPoint { step: figure.step, at: at.clone() });
            let latency = Some(Estimate::new(latency, 0.05 * latency));
            let figure = readings.len();
            readings.push(Reading { figure, at, throughput: Some(throughput), metric: Metric::Iops, latency });
        }
    }
    let axis = |name: &str, values: &[u64]| SweepAxis {
        name: name.into(),
        values: values.iter().map(|value| Setting::Number(*value)).collect(),
    };
    let axes = vec![axis("depth", &DEPTHS), axis("jobs", &JOBS)];
    let knee = |(y, depth): (u32, u32)| {
        let curve = (0..readings.len()).filter(|index| readings[*index].at[1] == y).collect();
        let knee = Choice { depth, from: depth, to: depth };
        let says = format!("depth {depth} reaches 97 % of the best throughput, 23,500 IOPS at depth {}", 2 * depth);
        Knee { curve, knee, reaches: 0.97, best: 2 * depth, balance: knee, beyond: Beyond::Flat, says }
    };
    let knees = [(0, 16), (1, 32), (2, 64)].into_iter().map(knee).collect();
    let mut run = run.explained();
    run.report.answer = Answer::Sweep(Box::new(Swept { sweep: Sweep { axes, points, left_out: 4 }, readings, knees }));
    (run.report.chart, run.report.ledger) = (vec![], vec![]);
    run.record.scope = scope();
    (run.report, run.record)
}

/// Numbers that no measurement should give, and that no picture may fall over: zero, negative, endless, not a number.
pub fn nonsense() -> Run {
    let (mut report, record) = usual();
    const ODD: [f64; 7] = [0.0, -3.0, f64::NAN, f64::INFINITY, 1e300, 1e-300, f64::NEG_INFINITY];
    let mut odd = ODD.into_iter().cycle();
    let mut estimate = || {
        let mut next = || odd.next().unwrap_or(0.0);
        Estimate { value: next(), low: next(), high: next() }
    };
    for figure in &mut report.figures {
        figure.estimate = Some(estimate());
        for percentile in &mut figure.percentiles {
            let Estimate { value, low, high } = estimate();
            *percentile = Percentile { value_ms: value, low_ms: Some(low), high_ms: Some(high), ..percentile.clone() };
        }
    }
    report.chart.iter_mut().for_each(|cell| cell.estimate = Some(estimate()));
    for row in &mut report.ledger {
        let Estimate { value, low, high } = estimate();
        *row =
            LedgerRow { adds: estimate(), expected: Some(value), share: Some(low), ceiling: Some(high), ..row.clone() };
    }
    (report, record)
}

pub fn all() -> [(&'static str, Run); 6] {
    [
        ("usual", usual()),
        ("empty", empty()),
        ("one", one_osd()),
        ("hundred", hundred_osds()),
        ("hostile", hostile()),
        ("swept", swept()),
    ]
}

pub const ATTACK: &str =
    "</script><!--<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">";

/// Text from outside (names, reasons, errors) that tries to be more than text, and very long names.
pub fn hostile() -> Run {
    let (mut report, mut record) = usual();
    let long = format!("{ATTACK}{}", "very-long-name-".repeat(20));
    for step in &mut record.plan.steps {
        step.targets.iter_mut().for_each(|target| target.name = format!("{long}{}", target.name));
    }
    for figure in &mut report.figures {
        figure.target = format!("{long}{}", figure.target);
        figure.host = figure.host.as_ref().map(|host| format!("{host}{long}"));
        if let Label::Imprecise(why) | Label::Void(why) | Label::Implausible(why) = &mut figure.label {
            *why = long.clone();
        }
    }
    report.chart.iter_mut().for_each(|cell| cell.why = Some(long.clone()));
    report.ledger.iter_mut().for_each(|row| row.because = long.clone());
    report.outliers.iter_mut().for_each(|outlier| outlier.says = long.as_str().into());
    report.errors = vec![long.clone()];
    report.head.run = long.clone();
    report.head.command = long.clone();
    report.head.version = ATTACK.into();
    record.scope.options.insert(long.clone(), long.clone());
    record.scope.hosts.iter_mut().for_each(|host| host.name = long.clone());
    record.scope.cluster = Some(long);
    (report, record)
}
