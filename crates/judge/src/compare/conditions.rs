//! What else differs between two sides: the cluster, the release of Ceph, the hosts that load.

use model::{Condition, OtherCondition, Record};
use std::collections::BTreeSet;

type Told = fn(&Record) -> BTreeSet<String>;

const CONDITIONS: [(Condition, Told); 4] = [
    (Condition::Cluster, |record| record.scope.fsid.iter().cloned().collect()),
    (Condition::CephRelease, |record| record.scope.versions.values().flatten().cloned().collect()),
    (Condition::ClientLibrary, |record| record.scope.client_version.iter().cloned().collect()),
    (Condition::ClientHosts, client_hosts),
];

/// Where a side tells nothing, as of runs that another tool measured, nothing is known to differ.
pub(super) fn conditions(before: &[Record], after: &[Record]) -> Vec<OtherCondition> {
    let other = |(what, told): &(Condition, Told)| {
        let [before, after] = [before, after].map(|side| side.iter().flat_map(told).collect::<BTreeSet<String>>());
        let differs = !before.is_empty() && !after.is_empty() && before != after;
        let [before, after] = [before, after].map(Vec::from_iter);
        differs.then_some(OtherCondition { what: *what, before, after })
    };
    CONDITIONS.iter().filter_map(other).collect()
}

/// The host on which Fathom ran loads what no other host does.
fn client_hosts(record: &Record) -> BTreeSet<String> {
    let here = || record.scope.here().map(|host| host.name.clone());
    let targets = record.plan.steps.iter().flat_map(|step| &step.targets);
    let hosts: BTreeSet<Option<String>> =
        targets.map(|target| target.client.as_ref().map(|client| client.host.clone())).collect();
    hosts.into_iter().filter_map(|host| host.or_else(here)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing;
    use model::{Client, HostScope, Pattern, Place, Scope, Step, Target, Workload};

    fn record(fsid: &str, release: &str, client: Option<&str>) -> Record {
        let place = Place::Pool { pool: "p".into(), prefix: String::new() };
        let client = client.map(|host| Client { host: host.to_string(), of: "pool".to_string() });
        let target = Target { client, ..Target::new(testing::pools(), "pool", place) };
        let load = Workload::canonical(Pattern::ReadLatency, 1 << 30, 1);
        let mut record = Record::default();
        record.plan.steps = vec![Step::new(0, testing::pools(), Pattern::ReadLatency, vec![target], load)];
        let here = HostScope { name: "alpha".into(), here: true, ..HostScope::default() };
        let versions = [("osd".to_string(), vec![release.to_string()])].into();
        record.scope = Scope { fsid: Some(fsid.into()), hosts: vec![here], versions, ..Scope::default() };
        record
    }

    #[test]
    fn what_differs_is_told_with_both_sides() {
        let found = conditions(
            &[record("one", "17.2.7", None), record("one", "17.2.8", None)],
            &[record("two", "18.2.4", Some("beta"))],
        );
        let list = |names: &[&str]| names.iter().map(|name| name.to_string()).collect::<Vec<String>>();
        let other =
            |what, before: &[&str], after: &[&str]| OtherCondition { what, before: list(before), after: list(after) };
        let wanted = [
            other(Condition::Cluster, &["one"], &["two"]),
            other(Condition::CephRelease, &["17.2.7", "17.2.8"], &["18.2.4"]),
            other(Condition::ClientHosts, &["alpha"], &["beta"]),
        ];
        assert_eq!(found, wanted);
    }

    #[test]
    fn what_is_the_same_or_not_told_is_no_difference() {
        let one = || record("one", "17.2.7", None);
        assert_eq!(conditions(&[one()], &[one(), one()]), []);
        let untold = Record { scope: Scope::default(), ..one() };
        assert_eq!(conditions(&[one()], &[untold]), []);
    }
}
