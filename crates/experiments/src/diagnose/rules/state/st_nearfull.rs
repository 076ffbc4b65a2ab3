//! OSDs or pools with little room left.

use crate::diagnose::facts::prelude::*;
use model::Standing;

pub static RULE: Rule = Rule {
    id: "st-nearfull",
    about: Area::State,
    what: "OSDs or pools are nearly full or full.",
    why: "A drive that is fuller than about 80 % has less room to collect what was overwritten, and from 85 % on the cluster warns, from 90 % on nothing is backfilled to it, from 95 % on it takes no writes.",
    evidence: "One of the health checks OSD_NEARFULL, OSD_BACKFILLFULL, OSD_FULL, POOL_NEARFULL, POOL_BACKFILLFULL, POOL_FULL stands, and nobody muted it.",
    sources: &["Ceph's documentation, \"Health checks\""],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: "add OSDs, delete what is not needed, or move data from the fullest OSDs (ceph osd df; ceph balancer status)",
    risk: "data move: do it when the cluster is calm",
    confirm: "measure again with more room: fathom compare",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = ["OSD_NEARFULL", "OSD_BACKFILLFULL", "OSD_FULL", "POOL_NEARFULL", "POOL_BACKFILLFULL", "POOL_FULL"]
        .iter()
        .filter_map(|id| Some(format!("{id}: {}", case.check(id)?)));
    match listed(found) {
        Some(all) => {
            vec![Suspect {
                slows_nothing: true,
                ..Suspect::new(Subject::Cluster, Standing::Confirmed, "OSDs or pools have little room left".into(), all)
            }]
        }
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "OSD_NEARFULL")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| check(facts, "AUTH_INSECURE_GLOBAL_ID_RECLAIM")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
