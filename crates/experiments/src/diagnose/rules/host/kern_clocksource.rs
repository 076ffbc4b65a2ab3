//! A clock that is slow to read.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "kern-clocksource",
    about: Area::Host,
    what: "The kernel reads its time from a slow clock.",
    why: "Every operation reads the time several times; hpet and acpi_pm take a microsecond and more, the processor's own counter some nanoseconds.",
    evidence: "The clock source is hpet, acpi_pm, jiffies or refined-jiffies.",
    sources: &["Linux, \"Timekeeping\""],
    needs: &[Source::Facts(FactsPart::Hosts)],
    suspect,
    fix: "look in the kernel's log why tsc was refused, mend that (firmware), start with clocksource=tsc",
    risk: "where the counter is in fact unstable, time runs wrong",
    confirm: "perf top on a loaded host: read_hpet or acpi_pm_read; fathom osd before and after",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "the clock is slow to read", |host| {
        host.clock_source
            .as_deref()
            .filter(|source| ["hpet", "acpi_pm", "jiffies", "refined-jiffies"].contains(source))
            .map(Phrase::from)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.clock_source = Some("hpet".into()))), ["b"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| one_host(facts, |host| host.clock_source = Some("kvm-clock".into()))), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
