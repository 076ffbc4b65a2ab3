//! OSDs that run an older program than is installed.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "osd-replaced",
    about: Area::Osd,
    what: "The program of running OSDs was replaced on disk since they started.",
    why: "They run what was installed before: an upgrade has not reached them.",
    evidence: "The kernel says of an OSD's program that its file is deleted.",
    sources: &["Linux, proc(5): /proc/PID/exe"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "restart them, one host at a time",
    risk: "OSDs restart",
    confirm: "ceph versions after the restart",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_daemons(case, "OSDs run an older program than is installed", |daemon| {
        daemon.replaced.filter(|replaced| *replaced).map(|_| "its file is gone".to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| each_daemon(facts, |daemon| daemon.replaced = Some(true))), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_daemon(facts, |daemon| daemon.replaced = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
