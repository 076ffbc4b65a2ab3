//! Processors that save power.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "cpu-governor",
    about: Area::Host,
    what: "Processors of hosts with OSDs are run so that they save power.",
    why: "At one operation at a time a processor is mostly idle, and a governor that saves power then runs it slowly: part of the two- to threefold difference that one guide measured together with idle states.",
    evidence: "The governor of a processor is powersave, ondemand or conservative with a driver other than intel_pstate and amd-pstate; or with these the preference is power or balance_power.",
    sources: &["Vitaliy Filippov, \"Ceph performance\" (yourcmc wiki)", "Linux, \"CPU Performance Scaling\""],
    needs: &[Source::Facts(FactsPart::Hosts)],
    suspect,
    fix: "cpupower frequency-set -g performance, or tuned-adm profile network-latency",
    risk: "power and heat",
    confirm: "measure small writes one at a time before and after (fathom osd, then fathom compare)",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "processors save power", |host| slow(host).map(Phrase::from))
}

fn slow(host: &HostSetup) -> Option<String> {
    let driver = host.frequency_driver.as_deref()?;
    if driver.starts_with("intel_pstate") || driver.starts_with("amd-pstate") {
        let saves = host.energy_preferences.iter().find(|word| ["power", "balance_power"].contains(&word.as_str()))?;
        return Some(format!("{driver} with the preference {saves}"));
    }
    let saves =
        host.governors.iter().find(|word| ["powersave", "ondemand", "conservative"].contains(&word.as_str()))?;
    Some(format!("governor {saves}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.governors = vec!["ondemand".into()])), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| (host.governors, host.frequency_driver) =
                (vec!["powersave".into()], Some("intel_pstate".into())))),
            NOBODY
        );
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.governors = vec![])), NOBODY);
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.governors = vec!["schedutil".into()])), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
