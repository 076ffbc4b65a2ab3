//! OSDs that do not run.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "st-osds-down",
    about: Area::State,
    what: "OSDs are down, or out of the cluster though they run.",
    why: "What they held is read from others and made again there; figures are those of a smaller cluster.",
    evidence: "The OSD map has OSDs that are in and not up, or up and not in.",
    sources: &["Ceph's documentation, \"Monitoring OSDs and PGs\""],
    needs: &[Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "start them (ceph orch daemon start osd.N, or systemctl start ceph-osd@N), or take them out for good (ceph osd purge)",
    risk: "purging moves data",
    confirm: "measure again with all of them up and in (fathom compare)",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let odd = |osd: &OsdFacts| osd.up.is_some() && osd.inside.is_some() && osd.up != osd.inside;
    let found = case
        .osds()
        .iter()
        .filter(|osd| odd(osd))
        .map(|osd| format!("osd.{}: {}", osd.id, if osd.up == Some(true) { "up and out" } else { "in and down" }));
    match listed(found) {
        Some(all) => state("not all OSDs are up and in".into(), all),
        None => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.up = Some(false))), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_osd(facts, |osd| (osd.up, osd.inside) = (Some(false), Some(false)))),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
