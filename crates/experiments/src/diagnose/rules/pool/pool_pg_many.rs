//! OSDs with very many placement groups.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "pool-pg-many",
    about: Area::Pool,
    what: "OSDs keep more placement groups than the monitors allow.",
    why: "They take memory, and peering after a failure takes longer.",
    evidence: "OSDs keep more copies than mon_max_pg_per_osd (250, unless it is set).",
    sources: &["Ceph's documentation, \"Health checks\"", "Ceph's documentation, \"Placement Groups\""],
    needs: &[Source::Facts(FactsPart::Osds), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "fewer in pools that need them least: ceph osd pool set POOL pg_num NUMBER; or more OSDs",
    risk: "data move: do it when the cluster is calm",
    confirm: "ceph osd df: PGS; memory of the OSDs (ceph tell osd.N heap stats)",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let most = case.set("mon_max_pg_per_osd").filter_map(number).fold(250.0, f64::max);
    of_osds(
        case,
        |osd| osd.groups.is_some_and(|groups| f64::from(groups) > most),
        "very many placement groups",
        |osd| phrase!("{} copies", Quantity::Count(u64::from(osd.groups.unwrap_or(0)))),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.groups = Some(400))), ["osd.1"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_osd(facts, |osd| osd.groups = Some(250))), NOBODY);
        assert_eq!(
            told(&RULE, |facts| {
                set(facts, "global", "mon_max_pg_per_osd", "500");
                one_osd(facts, |osd| osd.groups = Some(400))
            }),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
