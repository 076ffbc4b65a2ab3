//! OSDs by position, for the tests of rules: the signatures that faults of a lab left (docs/method.md, "By position").

use super::testing::made::Made;
use super::testing::text;
use super::{Case, Rule, precedence, suspects};
use judge::assess;
use model::facts::OsdFacts;
use model::{
    CommitParts, Estimate, LongWrites, OsdStages, PairTime, Pattern, PositionOfOsd, Positions, Standing, TookPart,
    WriteTimes,
};

/// What one OSD adds: as primary, as replica (median, mean, p90), and its own software and commit.
#[derive(Clone, Copy)]
pub struct Adds {
    pub primary: [f64; 3],
    pub replica: [f64; 3],
    pub own: Option<[f64; 2]>,
    /// Of what it adds: half of its interval, beside what all have.
    pub unsure: f64,
}

pub const NOTHING: Adds =
    Adds { primary: [0.01, -0.02, 0.03], replica: [-0.01, 0.02, 0.02], own: Some([0.45, 0.35]), unsure: 0.1 };
pub const DEBUG_LOGGING: Adds =
    Adds { primary: [0.54, 0.55, 0.5], replica: [0.24, 0.25, 0.3], own: Some([1.01, 0.46]), ..NOTHING };
pub const STOPPED_AT_TIMES: Adds =
    Adds { primary: [0.12, 2.9, 11.4], replica: [0.08, 3.0, 11.3], own: Some([0.67, 0.73]), ..NOTHING };
pub const SLOW_DISK: Adds =
    Adds { primary: [0.15, 24.0, 79.0], replica: [0.18, 25.0, 77.0], own: Some([0.5, 22.0]), ..NOTHING };
/// The disk takes few writes a second: writes wait before they are prepared, too.
pub const SLOWER_DISK: Adds =
    Adds { primary: [0.9, 21.3, 75.7], replica: [0.9, 20.0, 66.1], own: Some([23.2, 22.5]), ..NOTHING };
pub const CPU_QUOTA: Adds =
    Adds { primary: [0.0, 3.6, 1.2], replica: [0.0, 3.0, 0.6], own: Some([2.12, 2.07]), ..NOTHING };
pub const SENDS_SLOWLY: Adds =
    Adds { primary: [1.2, 1.9, 4.3], replica: [0.0, 0.02, 0.0], own: Some([0.45, 0.35]), ..NOTHING };
pub const RECEIVES_SLOWLY: Adds =
    Adds { primary: [2.3, 1.9, 2.7], replica: [3.2, 2.6, 3.5], own: Some([0.45, 0.35]), ..NOTHING };

/// Few stops within the time of the measurement: each write that meets one is long, and which pair it was is chance.
pub const STOPPED_SELDOM: Adds =
    Adds { primary: [-0.02, 1.1, 0.04], replica: [-0.02, 0.5, 0.02], unsure: 0.7, ..NOTHING };
/// The same of packets that are lost and sent again.
pub const LOSES_PACKETS: Adds = Adds { primary: [0.0, 3.8, 0.2], replica: [0.03, 0.2, 0.05], unsure: 0.55, ..NOTHING };

/// Six OSDs on three hosts (osd.1 and osd.4 on host2), as a lab has them, of which some add something.
pub fn positions(adds: impl Fn(u32) -> Adds) -> Positions {
    let times = |[median, mean, p90]: [f64; 3], unsure: f64| {
        let known = |value: f64| Estimate::new(value, 0.04 + unsure * value.abs());
        WriteTimes { median: known(median), mean: known(mean), p90: known(p90) }
    };
    let osd = |osd: u32| {
        let Adds { primary, replica, own, unsure } = adds(osd);
        let timers = own.map(|[software, commit]| OsdStages { software, commit, parts: None });
        let host = format!("host{}", osd % 3 + 1);
        let took_part = TookPart { writes: 3_333, ..TookPart::default() };
        PositionOfOsd { osd, host, primary: times(primary, unsure), replica: times(replica, unsure), timers, took_part }
    };
    let usual = WriteTimes { median: 1.16, mean: 1.24, p90: 1.6 }.map(|ms| Estimate::new(*ms, 0.02));
    let osds: Vec<PositionOfOsd> = (0..6).map(osd).collect();
    let added: f64 = osds.iter().map(|osd| osd.primary.mean.value + osd.replica.mean.value).sum();
    let mean = Estimate::new(usual.mean.value + added / 6.0, 0.03 * usual.mean.value);
    let (layer, pattern, long) = (model::testing::osds(), Pattern::WriteLatency, LongWrites::default());
    let ordered = osds.iter().flat_map(|one| osds.iter().map(move |other| (one, other)));
    let pair = |(primary, replica): (&PositionOfOsd, &PositionOfOsd)| PairTime {
        primary: primary.osd,
        replica: replica.osd,
        mean: usual.mean.value + primary.primary.mean.value + replica.replica.mean.value,
        beyond: 0.0,
    };
    let pairs = ordered.filter(|(one, other)| one.host != other.host).map(pair).collect();
    Positions { layer, pattern, usual, mean, osds, pairs, operations: 10_000, long }
}

/// Writes that took 200 ms, each at a moment of its own, and with how many of them osd.1 had a part; the other OSDs had their part by chance.
pub fn with_long_writes(mut all: Positions, writes: u64, of_osd_1: u64) -> Positions {
    all.long = LongWrites { above_ms: 14.0, writes, moments: writes };
    all.osds.iter_mut().for_each(|osd| {
        let long = if osd.osd == 1 { of_osd_1 } else { writes / 5 };
        osd.took_part = TookPart { long, long_ms: 200.0 * long as f64, moments: long, ..osd.took_part };
    });
    all
}

/// What the commits of osd.1 wait for; those of others as usual.
pub fn with_parts(mut all: Positions, own: CommitParts) -> Positions {
    for osd in &mut all.osds {
        let parts = if osd.osd == 1 { own } else { CommitParts { data: 0.12, log: 0.2 } };
        osd.timers.iter_mut().for_each(|timers| timers.parts = Some(parts));
    }
    all
}

/// What the rule says of these; nothing: it suspects nobody.
pub fn says(rule: &'static Rule, adds: impl Fn(u32) -> Adds) -> Vec<String> {
    let told = told_of(rule, &positions(adds));
    assert!(told.iter().all(|(standing, _)| *standing == Standing::Confirmed));
    told.into_iter().map(|(_, says)| says).collect()
}

/// What the rule says of any positions, and how sure it is.
pub fn told_of(rule: &'static Rule, positions: &Positions) -> Vec<(Standing, String)> {
    told_of_devices(rule, positions, |_| None)
}

/// The same of OSDs some of which have a device for their data and one for their database and log.
pub fn told_of_devices(
    rule: &'static Rule,
    positions: &Positions,
    devices: impl Fn(u32) -> Option<(&'static str, &'static str)>,
) -> Vec<(Standing, String)> {
    let one = |id: u32| {
        let known = devices(id);
        OsdFacts {
            id,
            dedicated_db: Some(known.is_some()),
            dedicated_wal: Some(false),
            data_devices: vec![known.map_or_else(|| format!("loop{}", id + 10), |(data, _)| data.to_string())],
            db_devices: known.iter().map(|(_, db)| db.to_string()).collect(),
            ..OsdFacts::default()
        }
    };
    told_of_facts(rule, positions, (0..6).map(one).collect())
}

/// The same of OSDs that say this of themselves.
pub fn told_of_facts(rule: &'static Rule, positions: &Positions, osds: Vec<OsdFacts>) -> Vec<(Standing, String)> {
    let mut facts = model::facts::Facts::default();
    facts.cluster.osds = Some(osds);
    let record = Made::cluster().record.with(model::Observation::Facts(Box::new(facts)));
    let assessed = assess(&record);
    let suspects = (rule.suspect)(&Case { positions: Some(positions), ..Case::of(&assessed) });
    assert!((rule.suspect)(&Case::of(&assessed)).is_empty(), "nobody measured positions");
    suspects.iter().map(|one| (one.standing, text(&one.says))).collect()
}

/// The same, of osd.1 alone.
pub fn says_of_one(rule: &'static Rule, adds: Adds) -> Vec<String> {
    says(rule, |osd| if osd == 1 { adds } else { NOTHING })
}

/// The same, of both OSDs of host2.
pub fn says_of_host(rule: &'static Rule, adds: Adds) -> Vec<String> {
    says(rule, |osd| if osd % 3 == 1 { adds } else { NOTHING })
}

/// Its two OSDs that add this are one cause, of a rule about hosts, and evidence of it.
pub fn explains_its_osds(rule: &'static Rule, adds: Adds) {
    let (record, all) = (Made::cluster().record, positions(|osd| if osd % 3 == 1 { adds } else { NOTHING }));
    let assessed = assess(&record);
    let case = Case { positions: Some(&all), ..Case::of(&assessed) };
    let causes = precedence::causes(suspects(&case), &case);
    let told: Vec<(&str, String)> = causes.iter().map(|(rule, one)| (rule.id, one.subject.to_string())).collect();
    assert_eq!(told, [(rule.id, "host2".to_string())], "its OSDs are explained by it");
    assert_eq!((causes[0].1.explains.len(), causes[0].1.evidence.len()), (2, 2));
    assert!(causes[0].1.cost.is_some());
}

/// A rule about hosts tells none of one OSD that adds this, of hosts whose OSDs add something else, or of such without timers.
pub fn tells_hosts_alone(rule: &'static Rule, adds: Adds, another: Adds) {
    assert!(says_of_one(rule, adds).is_empty());
    for other in [NOTHING, another, SENDS_SLOWLY, Adds { own: None, ..adds }] {
        assert!(says_of_host(rule, other).is_empty());
    }
    let mut all = positions(|osd| if osd == 1 { adds } else { NOTHING });
    assert!(told_of(rule, &all).is_empty());
    all.osds.retain(|osd| osd.osd < 3);
    assert!(told_of(rule, &all).is_empty(), "a host of one OSD");
    let four_times = |of: [f64; 3]| of.map(|ms| 4.0 * ms);
    let far = |osd: u32| match osd {
        1 => Adds { primary: four_times(adds.primary), replica: four_times(adds.replica), ..adds },
        4 => adds,
        _ => NOTHING,
    };
    assert!(says(rule, far).is_empty(), "one of them is the slow one");
}
