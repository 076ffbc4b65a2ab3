//! Disks that do less together than one by one share something: a controller, a bus, an IOMMU, processors.

use crate::diagnose::{Area, Case, Explains, Fix, Rule, Source, Suspect};
use judge::Entry;
use model::{Estimate, Label, Phrase, Quantity, Standing, Subject, phrase};

pub static RULE: Rule = Rule {
    id: "disks-share-a-ceiling",
    about: Area::Device,
    what: "Disks do less together than one by one: they share a controller, a bus, an enclosure, or processors.",
    evidence: "A throughput of several disks at once, by the upper end of its interval, is below 80 % of the sum of what each does alone, by the lower end. \
               Not where the load was the limit. Confirmed if all were measured in more than one pass.",
    sources: &["our proposal: some percent of the sum are the processors' and the clock's"],
    needs: &[Source::Figures],
    suspect,
    test: None,
    explains: &[Explains {
        rule: &RULE,
        which: "that of the disks of all hosts, since what one host's disks share is also in their sum",
        follows: |cause, effect, case| of_one_host(cause, case) && !of_one_host(effect, case),
    }],
    fix: "compare the link of their controller with what the disks need (lspci -vv: LnkSta), the expander's lanes, the slots' \
          processor (NUMA), and IOMMU and power settings; spread the disks over more controllers",
    special_fixes: &[&SEVERAL_HOSTS],
    risk: Rule::LOOKING_CHANGES_NOTHING,
    confirm: "measure half of the disks at once (fathom disk): each does more than when all are loaded",
    ..Rule::USUAL
};

static SEVERAL_HOSTS: Fix = Fix {
    when: "disks of several hosts",
    what: "hosts that share a machine, an enclosure or a storage network share its limit: put them, or their disks, apart",
};

/// There is a ceiling if all disks together do less than this share of the sum.
const SHARE: f64 = 0.80;

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for joint in joint(case) {
        let Some((sum, steady)) = ceiling(joint, case.entries) else { continue };
        let (subject, evidence) = (subject(joint), evidence(joint, &sum));
        match found.iter_mut().find(|known| known.subject == subject) {
            Some(known) => known.evidence.push(evidence),
            None => found.push(made(joint, subject, steady, evidence)),
        }
    }
    found
}

/// Figures of several disks at once.
fn joint<'c>(case: &Case<'c>) -> impl Iterator<Item = &'c Entry<'c>> {
    case.entries.iter().filter(|entry| entry.figure.layer.of_disks() && entry.together())
}

fn subject(joint: &Entry) -> Subject {
    Subject::Several { name: joint.figure.target.clone() }
}

fn of_one_host(suspect: &Suspect, case: &Case) -> bool {
    joint(case).any(|entry| subject(entry) == suspect.subject && entry.step.only_host().is_some())
}

/// What they would do together if they shared nothing, and whether that is sure.
fn ceiling(joint: &Entry, entries: &[Entry]) -> Option<(Estimate, bool)> {
    let together = joint.usable()?;
    let mut parts = Vec::new();
    for target in &joint.step.targets {
        let own = entries.iter().find(|other| {
            let it = other.only_target().is_some_and(|only| only.name == target.name);
            it && other.figure.at_once == 1
                && (other.figure.pattern, other.figure.kind) == (joint.figure.pattern, joint.figure.kind)
        })?;
        parts.push((own.usable()?, own.figure.slices));
    }
    let sum = |of: fn(&Estimate) -> f64| parts.iter().map(|(estimate, _)| of(estimate)).sum::<f64>();
    let sum = Estimate { value: sum(|e| e.value), low: sum(|e| e.low), high: sum(|e| e.high) };
    // Where the load was the limit, the disks were not.
    let starved = matches!(joint.figure.label, Label::GeneratorLimited(_));
    let steady = joint.figure.slices > 1 && parts.iter().all(|(_, slices)| *slices > 1);
    let higher_is_better = !joint.figure.metric.lower_is_better();
    (higher_is_better && !starved && together.high < SHARE * sum.low).then_some((sum, steady))
}

fn evidence(joint: &Entry, sum: &Estimate) -> Phrase {
    let figure = &joint.figure;
    let measured = |estimate| Phrase::from(Quantity::Measured { estimate, metric: figure.metric });
    phrase!(
        "{}: {} at once, {} as the sum of each alone: {} less",
        figure.pattern.name(),
        figure.estimate.map(measured).unwrap_or_default(),
        measured(*sum),
        Quantity::Share(figure.estimate.map_or(f64::NAN, |together| 1.0 - together.value / sum.value))
    )
}

fn made(joint: &Entry, subject: Subject, steady: bool, evidence: Phrase) -> Suspect {
    let disks = joint.step.targets.len();
    let less = " share a ceiling: together they do less than one by one";
    let (says, fix) = match joint.step.only_host() {
        Some(host) => (phrase!("the {} disks of {}{}", disks, Subject::Host(host.to_string()), less), None),
        None => (phrase!("{} disks of several hosts{}", disks, less), Some(SEVERAL_HOSTS.what)),
    };
    let standing = if steady { Standing::Confirmed } else { Standing::Hint };
    Suspect { fix: fix.map(String::from), ..Suspect::new(subject, standing, says, evidence) }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::diagnose::testing::made::{Made, target};
    use crate::diagnose::testing::{findings, one, suspects, text, told};
    use model::testing;
    use model::{Client, Pattern, Place, Record, Target};

    const PATTERN: Pattern = Pattern::ReadParallel;

    fn disk(host: u32, number: u32) -> Target {
        let path = format!("/dev/sd{number}");
        let name = format!("h{host}:{path}");
        let place = Place::Path { path: path.into(), writable: false };
        let client = Some(Client { host: format!("h{host}"), of: name.clone() });
        Target { client, ..target(testing::disks(), &name, Some(&format!("h{host}")), place) }
    }

    /// Two hosts of two disks that do 1000 alone; each host's together, and all.
    fn record(of_a_host: [f64; 2], of_all: f64) -> Record {
        let mut made = Made::cluster();
        let disks = |host: u32| [disk(host, 0), disk(host, 1)];
        for disk in [1, 2].into_iter().flat_map(disks) {
            made.delivers(PATTERN, disk, 1000.0);
        }
        for (host, rate) in (1..).zip(of_a_host) {
            made.at_once(PATTERN, disks(host).to_vec(), &[rate / 2.0; 2]);
        }
        made.at_once(PATTERN, [disks(1), disks(2)].concat(), &[of_all / 4.0; 4]);
        made.record
    }

    #[test]
    fn disks_that_add_up_share_nothing() {
        assert_eq!(told(&record([2000.0, 1900.0], 3700.0)), []);
    }

    /// Nor does anybody know it whose disks were not each measured alone.
    #[test]
    fn without_the_disks_one_by_one_nothing_is_said() {
        let mut record = record([1200.0, 2000.0], 3200.0);
        record.slices.retain(|slice| slice.step != record.plan.steps[0].id);
        let found = suspects(&RULE, &record);
        assert!(found.iter().all(|found| found.subject.to_string() != "h1.*"), "{found:?}");
    }

    #[test]
    fn the_host_whose_disks_do_not_add_up_is_named_and_explains_the_sum_of_all() {
        let record = record([1200.0, 2000.0], 2500.0);
        assert_eq!(told(&record), [one("disks-share-a-ceiling", "h1.*")]);
        let found = &findings(&record)[0];
        let evidence = text(&found.evidence[0]);
        assert!(
            evidence.starts_with("read-parallel: 1,200 IOPS ±") && evidence.contains(" at once, 2,000 IOPS ±"),
            "{evidence}"
        );
        assert!(evidence.ends_with("as the sum of each alone: 40 % less"), "{evidence}");
        assert_eq!(text(&found.says), "the 2 disks of h1 share a ceiling: together they do less than one by one");
        assert!(found.fix.starts_with("compare the link of their controller"), "{}", found.fix);
        let explained = text(found.all_evidence().nth(1).unwrap());
        assert!(explained.contains("4 disks of several hosts share a ceiling"), "{explained}");
    }

    #[test]
    fn hosts_that_share_something_are_told_as_all() {
        let record = record([2000.0, 2000.0], 2500.0);
        assert_eq!(told(&record), [one("disks-share-a-ceiling", "device.*")]);
        assert!(findings(&record)[0].fix.starts_with("hosts that share a machine"));
    }
}
