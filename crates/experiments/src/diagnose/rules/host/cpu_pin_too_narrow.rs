//! OSDs that are bound to few processors.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cpu-pin-too-narrow",
    about: Area::Host,
    what: "OSDs on flash may run on few processors only.",
    why: "At least four threads take part in each write, up to sixteen in bursts.",
    evidence: "An OSD may run on fewer than four processors (its affinity or cpuset), and the host has more.",
    sources: &["Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)", "ceph.io blog, 2022: ceph-osd-cpu-scaling"],
    needs: &[Source::Facts(FactsPart::Hosts), Source::Facts(FactsPart::Osds)],
    suspect,
    fix: "widen the cpuset, or take the pinning away",
    risk: "others on the host get less",
    confirm: "fathom osd on that OSD before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_daemons(case, "OSDs are bound to few processors", |daemon| {
        daemon.processors.filter(|few| *few < 4 && narrow(case, *few)).map(|few| few.to_string())
    })
}

/// Fewer than every host has, and there is flash.
fn narrow(case: &Case, few: u32) -> bool {
    case.hosts().all(|host| host.cores.is_some_and(|cores| cores > few)) && case.osds().iter().any(OsdFacts::on_flash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| each_daemon(facts, |daemon| daemon.processors = Some(2))), ["a", "b", "c"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| each_daemon(facts, |daemon| daemon.processors = Some(6))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
