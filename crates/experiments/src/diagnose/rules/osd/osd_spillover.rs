//! Databases that spill over to the slow device.

use crate::diagnose::facts::prelude::*;

pub const FIX: &str = "ceph tell osd.N compact; if it comes back: a larger block.db (lvextend, then ceph-bluestore-tool bluefs-bdev-expand)";
pub const RISK: &str = "an OSD is slow while it compacts, and down while its device grows";

pub static RULE: Rule = Rule {
    id: "osd-spillover",
    about: Area::Osd,
    what: "The database of an OSD has outgrown its fast device, and lies on the slow one in part.",
    why: "Lookups and compactions then wait for a hard disk.",
    evidence: "The health check BLUEFS_SPILLOVER stands.",
    sources: &[
        "Ceph's documentation, \"Health checks\"",
        "Ceph's documentation, \"BlueStore Configuration Reference\"",
    ],
    needs: &[Source::Facts(FactsPart::Health)],
    suspect,
    fix: FIX,
    risk: RISK,
    confirm: "ceph daemon osd.N perf dump: slow_used_bytes of bluefs is above 0 (bytes_written_slow reads 0 in many releases)",
    matters: Matters::Much,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    case.check("BLUEFS_SPILLOVER")
        .map_or(Vec::new(), |says| of_cluster("databases of OSDs lie on slow devices in part", says))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| check(facts, "BLUEFS_SPILLOVER")), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| check(facts, "BLUESTORE_NO_COMPRESSION")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
