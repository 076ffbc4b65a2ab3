//! Other clients' load beside the measured one.

use crate::diagnose::facts::prelude::*;
use model::facts::PoolLoad;
use model::{Metric, Pattern};

pub static RULE: Rule = Rule {
    id: "pool-others-load",
    about: Area::Pool,
    what: "Other clients load the cluster: what they take is missing in every figure.",
    why: "Clients share disks, processors and network, and the last tenth of what a cluster can do costs the most latency.",
    evidence: "When the facts were read, clients of a pool did at least a tenth of what the largest figure of a pool with many in flight and their load together make, in operations or in bytes.",
    sources: &["docs/method.md, \"Load of others\""],
    needs: &[Source::Facts(FactsPart::Pools), Source::Figures],
    suspect,
    fix: "find the client (rbd perf image iostat POOL; ceph daemonperf or ceph tell osd.N dump_ops_in_flight name it), then limit it: rbd config pool set POOL rbd_qos_iops_limit NUMBER, or move its pool to other \
          OSDs by its CRUSH rule",
    risk: "the limited client is slower",
    confirm: "measure once while that client pauses, and compare (fathom compare)",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::USUAL
};

const SHARE_LEAST: f64 = 0.1;
/// What monitors and managers themselves write.
const IDLE: f64 = 1.0;

fn suspect(case: &Case) -> Vec<Suspect> {
    let operations = share(case, [Pattern::WriteParallel, Pattern::ReadParallel], |load| load.operations_per_second);
    let bytes = share(case, [Pattern::WriteLinear, Pattern::ReadLinear], |load| load.bytes_per_second / 1e6);
    let one = |pool: &PoolFacts| {
        let load = pool.load.filter(|load| load.operations_per_second > IDLE && pool.of_users())?;
        let share = operations(&load).max(bytes(&load));
        let of = |value: f64, metric: Metric| Quantity::Value { value, metric };
        let says = phrase!("clients of pool {} load the cluster beside what is measured", pool.name.as_str());
        let evidence = phrase!(
            "{} and {}, {} of what the cluster does with it and the measured load",
            of(load.operations_per_second, Metric::Iops),
            of(load.bytes_per_second / 1e6, Metric::Bandwidth),
            Quantity::Share(share)
        );
        (share >= SHARE_LEAST).then(|| hint(Subject::Pool(pool.name.clone()), says, evidence))
    };
    case.pools().iter().filter(|pool| !is_own(pool)).filter_map(one).collect()
}

/// Of this and the largest figure of these patterns together; nothing where there is no such figure.
fn share(case: &Case, patterns: [Pattern; 2], of: fn(&PoolLoad) -> f64) -> impl Fn(&PoolLoad) -> f64 {
    let own = case.entries.iter().filter(|entry| entry.step.layer.of_pools());
    let own = own.filter(|entry| patterns.iter().any(|pattern| entry.is_of(*pattern)));
    let most = own.filter_map(|entry| Some(entry.usable()?.value)).fold(0.0, f64::max);
    move |load| if most > 0.0 { of(load) / (of(load) + most) } else { 0.0 }
}

fn is_own(pool: &PoolFacts) -> bool {
    pool.has("fathom")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing_facts::{healthy, the_pool};
    use judge::assess;
    use model::facts::Facts;
    use model::{Observation, Place, Target, testing};

    /// With 3,000 IOPS of its own.
    fn told(change: impl Fn(&mut Facts)) -> Vec<String> {
        let mut made = Made::cluster();
        made.delivers(Pattern::WriteParallel, Target::new(testing::pools(), "p", Place::Null), 3000.0);
        let mut facts = healthy();
        change(&mut facts);
        let record = made.record.with(Observation::Facts(Box::new(facts)));
        suspect(&Case::of(&assess(&record))).iter().map(|one| one.subject.to_string()).collect()
    }

    fn loaded(facts: &mut Facts, operations_per_second: f64) {
        let load = PoolLoad { operations_per_second, bytes_per_second: operations_per_second * 65_536.0 };
        the_pool(facts, |pool| pool.load = Some(load));
    }

    #[test]
    fn a_pool_whose_clients_take_a_part_is_told() {
        assert_eq!(told(|facts| loaded(facts, 500.0)), ["pool vms"]);
    }

    #[test]
    fn little_load_and_that_of_our_own_pools_are_no_hint() {
        assert!(told(|facts| loaded(facts, 100.0)).is_empty());
        assert!(told(|_| ()).is_empty());
        let own = |facts: &mut Facts| {
            loaded(facts, 500.0);
            the_pool(facts, |pool| pool.applications = vec!["fathom".into()]);
        };
        assert!(told(own).is_empty());
    }

    #[test]
    fn nobody_is_suspected_where_no_figure_or_no_load_is_known() {
        let mut facts = healthy();
        loaded(&mut facts, 500.0);
        let record = Made::cluster().record.with(Observation::Facts(Box::new(facts)));
        assert!(suspect(&Case::of(&assess(&record))).is_empty());
        assert!(told(|facts| facts.cluster.pools = None).is_empty());
    }
}
