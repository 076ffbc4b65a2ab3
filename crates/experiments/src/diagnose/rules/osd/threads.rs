//! Single threads of OSDs that use up a processor while others of their host are free.

use crate::diagnose::facts::each;
use crate::diagnose::{Case, Explains, Rule, Suspect};
use model::pattern::Family;
use model::{HostLoad, HostSecond, Phrase, Quantity, Standing, Subject, phrase};
use std::collections::{BTreeMap, BTreeSet};

/// A thread, or a process that does most things one after the other, is full if it uses at least this much of a processor, on average over a
/// step,
pub const FULL: f64 = 0.9;
/// while all processors together work, or are taken by the hypervisor, for less than this share of their time: else all are what is short.
const OF_ALL: f64 = 0.7;
/// Fewer seconds tell of a moment.
const SECONDS_LEAST: f64 = 4.0;
/// At most this many steps are told, the fullest first.
pub const TOLD: usize = 3;

/// Of a cause whose subject is one OSD.
pub const fn of_the_same_osd(rule: &'static Rule) -> Explains {
    Explains { rule, which: "that of the same OSD alone", follows: |cause, full, _| cause.subject == full.subject }
}

/// One OSD in one step.
struct Full<'c> {
    osd: u32,
    used: f64,
    load: &'c HostLoad,
}

/// One suspect for all OSDs with a full thread of a kind. `names`: what such a thread is, if it is of interest.
pub fn full(case: &Case, names: fn(&str) -> Option<&'static str>) -> Vec<Suspect> {
    let mut kinds: BTreeMap<&str, Vec<Full>> = BTreeMap::new();
    for load in case.host_loads.iter().filter(|load| tells(load)) {
        for osd in &load.mean.osds {
            for (kind, used) in osd.busiest.iter().filter(|(_, used)| **used >= FULL) {
                kinds.entry(kind).or_default().push(Full { osd: osd.osd, used: *used, load });
            }
        }
    }
    kinds.into_iter().filter_map(|(kind, found)| Some(suspect(kind, names(kind)?, found))).collect()
}

fn tells(load: &HostLoad) -> bool {
    load.layer.of_ceph() && load.pattern.family() != Family::Latency && others_are_free(&load.mean)
}

/// It was watched for long enough, and processors of its host had nothing to do.
pub fn others_are_free(mean: &HostSecond) -> bool {
    mean.seconds >= SECONDS_LEAST && mean.cpu + mean.steal < OF_ALL
}

fn suspect(kind: &str, name: &str, mut found: Vec<Full>) -> Suspect {
    found.sort_by(|a, b| b.used.total_cmp(&a.used));
    let osds: BTreeSet<u32> = found.iter().map(|full| full.osd).collect();
    let subject = match osds.first() {
        Some(only) if osds.len() == 1 => Subject::Osd(*only),
        _ => Subject::Several { name: "osd.*".to_string() },
    };
    let of = each(osds.iter().map(|osd| format!("osd.{osd}")));
    let says = phrase!("{} of {} ({}) uses up a processor while others are free", name, of, kind);
    let evidence = found.iter().take(TOLD).map(|full| evidence(kind, full)).collect();
    Suspect { evidence, ..Suspect::new(subject, Standing::Hint, says, Phrase::default()) }
}

fn evidence(kind: &str, Full { osd, used, load }: &Full) -> Phrase {
    phrase!(
        "{} {} {}: in each second the busiest {} of {}, {} of a processor in the mean; all processors of {} at {}",
        load.layer.name(),
        load.target.as_str(),
        load.pattern.name(),
        kind,
        Subject::Osd(*osd),
        Quantity::Share(*used),
        Subject::Host(load.host.clone()),
        Quantity::Share(load.mean.cpu)
    )
}

/// Made loads for the tests of rules of threads.
#[cfg(test)]
pub mod testing {
    use crate::diagnose::testing::text;
    use crate::diagnose::{Case, Rule};
    use model::{HostLoad, HostSecond, OsdSecond, Pattern, Record, StepId, testing};

    /// A step of 8 s on a host whose processors work for 40 % of their time: OSDs, and what the busiest thread of this kind uses.
    pub fn load(kind: &str, osds: &[(u32, f64)]) -> HostLoad {
        let osd = |(osd, used): &(u32, f64)| {
            let threads = [(kind.to_string(), *used)];
            OsdSecond { osd: *osd, threads: threads.clone().into(), busiest: threads.into(), connections: None }
        };
        HostLoad {
            host: "a".into(),
            step: StepId(0),
            layer: testing::pools(),
            target: "pool".into(),
            pattern: Pattern::WriteParallel,
            mean: HostSecond { seconds: 8.0, cpu: 0.4, osds: osds.iter().map(osd).collect(), ..HostSecond::default() },
        }
    }

    /// Subject, words and first evidence of each suspect.
    pub fn told(rule: &Rule, loads: &[HostLoad]) -> Vec<[String; 3]> {
        let record = Record::default();
        let case =
            Case { record: &record, entries: &[], tests: &[], outliers: &[], host_loads: loads, positions: None };
        let words = |one: &crate::diagnose::Suspect| [one.subject.to_string(), text(&one.says), text(&one.evidence[0])];
        (rule.suspect)(&case).iter().map(words).collect()
    }

    /// Nothing is told where it is not so, or not known.
    pub fn nothing_else_is_told(rule: &Rule, kind: &str) {
        let changed = |change: fn(&mut HostLoad)| {
            let mut load = load(kind, &[(3, 0.95)]);
            change(&mut load);
            told(rule, &[load]).len()
        };
        assert_eq!(changed(|_| {}), 1);
        assert_eq!(changed(|load| load.mean.osds[0].busiest.values_mut().for_each(|used| *used = 0.85)), 0);
        // All processors are busy, or the hypervisor takes them: no thread is the limit by itself.
        assert_eq!(changed(|load| load.mean.cpu = 0.97), 0);
        assert_eq!(changed(|load| load.mean.steal = 0.4), 0);
        // A moment; one operation at a time; a layer without OSDs.
        assert_eq!(changed(|load| load.mean.seconds = 2.0), 0);
        assert_eq!(changed(|load| load.pattern = Pattern::WriteLatency), 0);
        assert_eq!(changed(|load| load.layer = testing::links()), 0);
        // Several threads of a kind together are none of them; an older run does not know single ones.
        assert_eq!(changed(|load| load.mean.osds[0].busiest.clear()), 0);
        assert_eq!(changed(|load| load.mean.osds.clear()), 0);
        assert_eq!(told(rule, &[load("other", &[(3, 0.95)])]).iter().filter(|one| one[1].contains(kind)).count(), 0);
    }
}
