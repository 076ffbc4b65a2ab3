//! Virtual machines whose hypervisor gives their time to others.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "vm-steal",
    about: Area::Client,
    what: "A host is a virtual machine, and its hypervisor gave part of its time to others.",
    why: "What runs on it stands still meanwhile: the slowest operations become slower, of a client as of a daemon.",
    evidence: "More than 2 % of all time of its processors since it started was stolen, as its kernel counts it (threshold ours). An average over long: it may be over, or far more at times.",
    sources: &["Linux, proc_stat(5): steal"],
    needs: &[Source::Facts(FactsPart::Hosts)],
    suspect,
    fix: "have the hypervisor promise its processors (pinning, a smaller ratio of virtual to real ones), or move it to one with less to do",
    risk: "fewer virtual machines on that hypervisor",
    confirm: "vmstat 1 on it while you measure: the column st",
    ..Rule::OF_FACTS
};

const MOST: f64 = 0.02;

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "its hypervisor gives its time to others", |host| {
        let stolen = host.stolen.filter(|stolen| *stolen > MOST)?;
        Some(phrase!("{} of all time was stolen", Quantity::Share(stolen)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn with(stolen: Option<f64>) -> Vec<String> {
        told(&RULE, |facts| one_host(facts, |host| host.stolen = stolen))
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(with(Some(0.05)), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(with(Some(0.01)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(with(None), NOBODY);
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
