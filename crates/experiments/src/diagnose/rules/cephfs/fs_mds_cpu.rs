//! A metadata server that uses up a processor while files are loaded by their names.

use crate::diagnose::facts::each;
use crate::diagnose::rules::osd::threads;
use crate::diagnose::{Area, Case, Rule, Source, Suspect, Tried};
use model::{HostLoad, MdsSecond, Phrase, Place, Quantity, Standing, Subject, Target, phrase};
use std::collections::{BTreeMap, BTreeSet};

pub static RULE: Rule = Rule {
    id: "fs-mds-cpu",
    about: Area::CephFs,
    what: "A metadata server uses up a processor: its rank does no more requests a second, however many clients ask and however many processors are free.",
    why: "A metadata server handles requests one after the other under one lock (mds_lock); only its network runs beside that. A rank ends where one processor is used up.",
    evidence: "While files were loaded by their names in a CephFS, for at least 4 s, all threads of a metadata server together used at least 90 % of a processor, and all processors of its host together worked for less than 70 % of \
               their time. Threads of the network are in it, so that it is a hint only. Seen of metadata servers on hosts with an agent, and on this one.",
    sources: &[
        "Ceph's source: src/mds/MDSRank.h, src/mds/MDSDaemon.cc (mds_lock)",
        "Ceph's documentation, \"Hardware Recommendations\" (metadata servers are best served by processors with a high clock) and \"Configuring multiple active MDS daemons\"",
        "thresholds are our proposal",
    ],
    needs: &[Source::HostLoads],
    suspect,
    fix: "more active ranks, with folders pinned to them (ceph fs set NAME max_mds 2; setfattr -n ceph.dir.pin.distributed -v 1 FOLDER); a processor with a higher clock; debug_mds and debug_ms at their defaults",
    risk: "several ranks are less tried than one, and need as many standbys; what is moved between ranks waits meanwhile",
    confirm: "top -H -p PID of that ceph-mds while files are loaded: do ms_dispatch and the other threads of mds_lock use up a processor together? And fathom sweep file FOLDER --patterns create-delete --axis jobs=1..64: does the rate end where that does?",
    tried: Tried::Facts,
    ..Rule::USUAL
};

/// One suspect for each server.
fn suspect(case: &Case) -> Vec<Suspect> {
    let mut servers: BTreeMap<&str, Vec<(&HostLoad, &MdsSecond)>> = BTreeMap::new();
    for load in case.host_loads.iter().filter(|load| tells(case, load)) {
        let own =
            load.mean.metadata_servers.iter().filter(|mds| mds.processors() >= threads::FULL && of_cluster(case, mds));
        own.for_each(|mds| servers.entry(&mds.name).or_default().push((load, mds)));
    }
    servers.into_iter().map(|(name, found)| suspected(name, found)).collect()
}

fn tells(case: &Case, load: &HostLoad) -> bool {
    let of_cephfs = |target: &Target| match &target.place {
        Place::Tree { .. } => target.on_cephfs,
        Place::Cephfs { .. } => true,
        Place::Nfs { of_cluster, .. } => *of_cluster,
        _ => false,
    };
    let step = case.record.plan.steps.iter().find(|step| step.id == load.step);
    let loaded = step.is_some_and(|step| step.targets.iter().any(of_cephfs));
    loaded && load.pattern.is_metadata() && threads::others_are_free(&load.mean)
}

/// A host may have servers of other clusters. Where the cluster does not say which are its own, all may be.
fn of_cluster(case: &Case, mds: &MdsSecond) -> bool {
    let known = case.cluster().metadata_servers.as_ref();
    known.is_none_or(|known| known.iter().any(|own| own.name == mds.name))
}

fn suspected(name: &str, mut found: Vec<(&HostLoad, &MdsSecond)>) -> Suspect {
    found.sort_by(|(_, a), (_, b)| b.processors().total_cmp(&a.processors()));
    let hosts: BTreeSet<&str> = found.iter().map(|(load, _)| load.host.as_str()).collect();
    let of = each(hosts.into_iter().map(str::to_string));
    let says = phrase!("{} on {} uses up a processor while others are free", name, of);
    let evidence = found.iter().take(threads::TOLD).map(|(load, mds)| evidence(load, mds)).collect();
    let subject = Subject::Daemon(name.to_string());
    Suspect { evidence, ..Suspect::new(subject, Standing::Hint, says, Phrase::default()) }
}

fn evidence(load: &HostLoad, mds: &MdsSecond) -> Phrase {
    let (kind, used) = mds.busiest_kind().unwrap_or_default();
    phrase!(
        "{} {} {}: all threads together {} of a processor in the mean, most of them {} with {}; all processors of {} at {}",
        load.layer.name(),
        load.target.as_str(),
        load.pattern.name(),
        Quantity::Share(mds.processors()),
        kind,
        Quantity::Share(used),
        Subject::Host(load.host.clone()),
        Quantity::Share(load.mean.cpu)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::target;
    use crate::diagnose::testing::text;
    use model::facts::{ClusterFacts, Facts, MetadataServer};
    use model::{HostSecond, Observation, Pattern, Record, Step, StepId, testing};

    /// Files made and deleted for 8 s on a host whose processors work for 20 % of their time, with a metadata server that uses this much
    /// of one.
    fn load(used: f64) -> HostLoad {
        let threads = [("ms_dispatch".to_string(), used - 0.2), ("msgr-worker".to_string(), 0.2)].into();
        let metadata_servers = vec![MdsSecond { name: "mds.a".into(), threads }];
        HostLoad {
            host: "a".into(),
            step: StepId(0),
            layer: testing::folders(),
            target: "home".into(),
            pattern: Pattern::CreateDelete,
            mean: HostSecond { seconds: 8.0, cpu: 0.2, metadata_servers, ..HostSecond::default() },
        }
    }

    fn place() -> Place {
        Place::Cephfs { file_system: "home".into(), path: "/fathom.x.files".into(), data_pool: None }
    }

    fn suspects(loads: &[HostLoad], place: Place, servers: Option<&[&str]>) -> Vec<Suspect> {
        suspects_of(loads, target(testing::folders(), "home", None, place), servers)
    }

    fn suspects_of(loads: &[HostLoad], target: Target, servers: Option<&[&str]>) -> Vec<Suspect> {
        let step = testing::step(0, testing::folders(), Pattern::CreateDelete, &[]);
        let mut record = Record::default();
        record.plan.steps = vec![Step { targets: vec![target], ..step }];
        let known = |name: &&str| MetadataServer { name: name.to_string(), ..MetadataServer::default() };
        let metadata_servers = servers.map(|names| names.iter().map(known).collect());
        let cluster = ClusterFacts { metadata_servers, ..ClusterFacts::default() };
        let record = record.with(Observation::Facts(Box::new(Facts { cluster, ..Facts::default() })));
        let case =
            Case { record: &record, entries: &[], tests: &[], outliers: &[], host_loads: loads, positions: None };
        suspect(&case)
    }

    #[test]
    fn a_server_that_uses_up_a_processor_is_told() {
        let found = suspects(&[load(0.95), load(1.1)], place(), Some(&["mds.a"]));
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.standing, one.subject.to_string().as_str()), (Standing::Hint, "mds.a"));
        assert_eq!(text(&one.says), "mds.a on a uses up a processor while others are free");
        assert_eq!(one.evidence.len(), 2);
        let evidence = text(&one.evidence[0]);
        assert!(evidence.contains("110 % of a processor") && evidence.contains("ms_dispatch with 90 %"), "{evidence}");
        let kernel = target(testing::folders(), "home", None, Place::Tree { path: "/mnt/x".into() });
        let kernel = Target { on_cephfs: true, ..kernel };
        assert_eq!(suspects_of(&[load(0.95)], kernel, None).len(), 1);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_so() {
        let changed = |change: fn(&mut HostLoad)| {
            let mut load = load(0.95);
            change(&mut load);
            suspects(&[load], place(), None).len()
        };
        assert_eq!((changed(|_| ()), suspects(&[load(0.8)], place(), None).len()), (1, 0));
        // All processors are busy, or the hypervisor takes them; a moment; blocks of a file, which the OSDs serve.
        assert_eq!(changed(|load| load.mean.cpu = 0.97), 0);
        assert_eq!(changed(|load| load.mean.steal = 0.6), 0);
        assert_eq!(changed(|load| load.mean.seconds = 2.0), 0);
        assert_eq!(changed(|load| load.pattern = Pattern::WriteParallel), 0);
        // Files of another file system, and a server of another cluster.
        let local = Place::Tree { path: "/tmp/x".into() };
        assert!(suspects(&[load(0.95)], local, None).is_empty());
        assert!(suspects(&[load(0.95)], place(), Some(&["mds.b"])).is_empty());
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        let mut unseen = load(0.95);
        unseen.mean.metadata_servers.clear();
        assert!(suspects(&[unseen], place(), None).is_empty());
        let mut lost = load(0.95);
        lost.step = StepId(7);
        assert!(suspects(&[lost], place(), None).is_empty());
    }
}
