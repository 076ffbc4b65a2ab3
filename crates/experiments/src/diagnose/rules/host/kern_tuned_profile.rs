//! A profile that saves power.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "kern-tuned-profile",
    about: Area::Host,
    what: "The profile of tuned on a host with OSDs is one that saves power, or for a desk.",
    why: "The profile carries governor, idle states and more.",
    evidence: "tuned's profile is balanced, powersave, desktop or laptop-…, balanced-battery.",
    sources: &["tuned, \"Profiles\""],
    needs: &[Source::Facts(FactsPart::Hosts)],
    suspect,
    fix: "tuned-adm profile network-latency, or throughput-performance for hard disks",
    risk: "power and heat",
    confirm: "measure small writes one at a time before and after (fathom osd, then fathom compare)",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "the profile saves power", |host| {
        host.tuned
            .as_deref()
            .filter(|profile| {
                ["balanced", "powersave", "desktop", "balanced-battery"].contains(profile)
                    || profile.starts_with("laptop")
            })
            .map(Phrase::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.tuned = Some("balanced".into()))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.tuned = None)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
