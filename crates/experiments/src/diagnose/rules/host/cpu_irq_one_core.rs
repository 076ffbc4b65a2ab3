//! One processor of a host does the work of all interrupts.

use crate::diagnose::{Area, Case, Rule, Source, Suspect, Tried};
use model::pattern::Family;
use model::{HostLoad, Interrupts, Phrase, Quantity, Standing, Subject, phrase};
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "cpu-irq-one-core",
    about: Area::Host,
    what: "Interrupts of the network, or of drives, are all handled by one processor of a host, which has no time left.",
    why: "What one processor can handle ends at about 10 to 25 Gbit/s, however many there are, and what waits for it has long latencies.",
    evidence: "While much was moved at once (every pattern but those of latency), for at least 4 s, one processor spent at least 90 % of its time in interrupts and softirqs, and the others on average less \
               than 30 %. On a host of one or two processors it can't be told apart from a host that is busy: nothing is told of those.",
    sources: &["SUSE Enterprise Storage 6, \"Tuning Guide\"", "thresholds are our proposal"],
    needs: &[Source::HostLoads],
    suspect,
    fix: "spread them: irqbalance, as many queues of the interface as processors of its socket (ethtool -L DEV combined N), or receive packet steering (/sys/class/net/DEV/queues/rx-*/rps_cpus)",
    risk: "low; the link may be down for a moment as the number of queues changes",
    confirm: "mpstat -P ALL 1 and the columns of /proc/interrupts during the load: one processor's grow, the others' do not; spread them, and measure again",
    tried: Tried::Facts,
    ..Rule::USUAL
};

/// One processor is full of them, and the others have next to none.
const FULL: f64 = 0.9;
const OTHERS_MOST: f64 = 0.3;
/// With fewer, it cannot be told from a host that is busy.
const PROCESSORS_LEAST: u32 = 3;
/// Fewer seconds tell of a moment.
const SECONDS_LEAST: f64 = 4.0;
/// At most this many steps of a host are named, the worst first.
const TOLD: usize = 3;

type Seen<'c> = (&'c HostLoad, Interrupts);

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut hosts: BTreeMap<&str, Vec<Seen>> = BTreeMap::new();
    let loaded = |load: &&HostLoad| load.pattern.family() != Family::Latency && load.mean.seconds >= SECONDS_LEAST;
    for load in case.host_loads.iter().filter(loaded) {
        let found = load.mean.interrupts.filter(on_one);
        found.into_iter().for_each(|of| hosts.entry(&load.host).or_default().push((load, of)));
    }
    hosts.into_iter().map(|(host, found)| made(host, found)).collect()
}

fn on_one(of: &Interrupts) -> bool {
    of.processors >= PROCESSORS_LEAST && of.share >= FULL && of.others_share < OTHERS_MOST
}

fn made(host: &str, mut found: Vec<Seen>) -> Suspect {
    found.sort_by(|(_, a), (_, b)| b.share.total_cmp(&a.share));
    let host = Subject::Host(host.to_string());
    let says =
        phrase!("one processor of {} handles interrupts all the time, and the others next to none", host.clone());
    let evidence = found.iter().take(TOLD).map(evidence).collect();
    Suspect { evidence, ..Suspect::new(host, Standing::Hint, says, Phrase::default()) }
}

fn evidence((load, of): &Seen) -> Phrase {
    phrase!(
        "{} {} {}: in each second the busiest processor, mostly {}, in interrupts and softirqs for {} of its time, {} others for {} and idle for {}",
        load.layer.name(),
        load.target.as_str(),
        load.pattern.name(),
        of.processor.to_string(),
        Quantity::Share(of.share),
        Quantity::Count(u64::from(of.processors - 1)),
        Quantity::Share(of.others_share),
        Quantity::Share(of.others_idle)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::text;
    use model::{HostSecond, Pattern, Record, StepId, testing};

    fn told(change: fn(&mut HostLoad, &mut Interrupts)) -> Vec<[String; 2]> {
        let (processor, processors) = (5, 8);
        let mut of = Interrupts { processor, processors, share: 0.95, idle: 0.0, others_share: 0.04, others_idle: 0.7 };
        let mut load = HostLoad {
            host: "a".into(),
            step: StepId(0),
            layer: testing::links(),
            target: "a→b".into(),
            pattern: Pattern::WriteLinear,
            mean: HostSecond { seconds: 8.0, cpu: 0.4, ..HostSecond::default() },
        };
        change(&mut load, &mut of);
        // Where `processors` is 0, nothing is known of them.
        load.mean.interrupts = Some(of).filter(|of| of.processors > 0);
        let (record, host_loads) = (Record::default(), [load]);
        let case =
            Case { record: &record, entries: &[], tests: &[], outliers: &[], host_loads: &host_loads, positions: None };
        suspect(&case).iter().map(|one| [one.subject.to_string(), text(&one.evidence[0])]).collect()
    }

    #[test]
    fn one_processor_with_all_interrupts_is_told() {
        let seen = "in each second the busiest processor, mostly 5, in interrupts and softirqs for 95 % of its time, 7 others for 4 % and idle for 70 %";
        assert_eq!(told(|_, _| {}), [["a".to_string(), format!("network a→b write-linear: {seen}")]]);
        let of_ceph = |load: &mut HostLoad, _: &mut Interrupts| {
            (load.layer, load.pattern) = (testing::pools(), Pattern::ReadParallel);
        };
        assert_eq!(told(of_ceph).len(), 1);
    }

    #[test]
    fn interrupts_that_are_spread_or_few_are_not() {
        assert!(told(|_, of| of.share = 0.8).is_empty());
        assert!(told(|_, of| of.others_share = 0.4).is_empty());
        assert!(told(|load, _| load.pattern = Pattern::WriteLatency).is_empty());
        assert!(told(|load, _| load.mean.seconds = 1.0).is_empty());
    }

    #[test]
    fn nobody_is_suspected_where_it_cannot_be_told_or_is_not_known() {
        assert!(told(|_, of| of.processors = 2).is_empty());
        assert!(told(|_, of| of.processors = 1).is_empty());
        assert!(told(|_, of| of.processors = 0).is_empty());
    }
}
