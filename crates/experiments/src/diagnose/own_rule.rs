//! Mends that give a pool a CRUSH rule for other OSDs: one that keeps copies apart as the pool's own rule does.

use super::facts::is_plain;
use super::{Case, Fix, Suspect};
use model::Subject;
use model::facts::PoolFacts;

/// A pool onto OSDs of the class ssd.
pub const ON_SSD: &str = "with root and failure domain of the pool's own rule: ceph osd crush rule create-replicated fast ROOT DOMAIN ssd; ceph osd pool set POOL crush_rule fast";

pub static NO_SSD: Fix = Fix {
    when: "no OSD has the class ssd",
    what: "put the pool on flash OSDs, if there are any, with root and failure domain of its own rule: ceph osd crush rule create-replicated fast ROOT DOMAIN CLASS; ceph osd pool set POOL crush_rule fast",
};

/// A command that names a root and a failure domain would lose what else such a rule does: copies in two datacenters, say.
pub static LIKE_ITS_OWN: Fix = Fix {
    when: "the pool's own rule takes or chooses several times, as those of stretched clusters do, or is not known",
    what: "make a rule like the pool's own, limited to one device class (class ssd, where there is one), with all that it takes and chooses (ceph osd crush rule dump); then ceph osd pool set POOL crush_rule RULE",
};

/// [`ON_SSD`], if some OSD has that class.
pub fn onto_flash(case: &Case, found: Vec<Suspect>) -> Vec<Suspect> {
    let rules = case.cluster().crush_rules.iter().flatten();
    let reached = rules.filter_map(|rule| rule.reaches.as_ref()).any(|reaches| reaches.contains_key("ssd"));
    let there = reached || case.osds().iter().any(|osd| osd.class.as_deref() == Some("ssd"));
    as_its_own(case, found, |_| if there { ON_SSD } else { NO_SSD.what }, &LIKE_ITS_OWN)
}

/// `fix` of each pool with its root and failure domain in place of ROOT and DOMAIN; `words`: where these are not all that its rule says.
pub fn as_its_own(
    case: &Case,
    found: Vec<Suspect>,
    fix: impl Fn(&PoolFacts) -> &'static str,
    words: &Fix,
) -> Vec<Suspect> {
    let of = |pool: &PoolFacts| {
        let rule = case.crush_rule(pool)?;
        let (root, domain) = (rule.root.as_deref()?, rule.domain.as_deref()?);
        let fits = is_plain(root) && is_plain(domain);
        fits.then(|| fix(pool).replace("ROOT", root).replace("DOMAIN", domain))
    };
    let mended = |one: Suspect| {
        let pool = case.pools().iter().find(|pool| one.subject == Subject::Pool(pool.name.clone()));
        Suspect { fix: Some(pool.and_then(of).unwrap_or_else(|| words.what.to_string())), ..one }
    };
    found.into_iter().map(mended).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::facts::hint;
    use crate::diagnose::testing_facts::{healthy, the_rule};
    use judge::assess;
    use model::facts::{CrushRule, Facts};
    use model::{Observation, Record};

    fn fix(change: impl FnOnce(&mut Facts)) -> String {
        let mut facts = healthy();
        change(&mut facts);
        let record = Record::default().with(Observation::Facts(Box::new(facts)));
        let assessed = assess(&record);
        let found = vec![hint(Subject::Pool("vms".into()), "".into(), "".into())];
        onto_flash(&Case::of(&assessed), found).remove(0).fix.unwrap()
    }

    #[test]
    fn root_and_failure_domain_are_those_of_the_pools_own_rule() {
        let own = |root: &'static str, domain: &'static str| {
            fix(|facts| the_rule(facts, |rule| (rule.root, rule.domain) = (Some(root.into()), Some(domain.into()))))
        };
        assert!(own("default", "host").contains("create-replicated fast default host ssd;"));
        assert!(own("default", "rack").contains("create-replicated fast default rack ssd;"));
        assert!(own("cold", "datacenter").contains("create-replicated fast cold datacenter ssd;"));
        assert!(!own("x; rm -rf /", "host").contains("create-replicated"));
    }

    #[test]
    fn a_rule_that_does_more_or_is_not_known_gets_words_and_no_command() {
        let stretched = fix(|facts| the_rule(facts, |rule| (rule.root, rule.domain) = (None, Some("host".into()))));
        assert_eq!(stretched, LIKE_ITS_OWN.what);
        assert!(!stretched.contains("create-replicated") && stretched.contains("class ssd"));
        assert_eq!(fix(|facts| the_rule(facts, |rule| *rule = CrushRule::default())), LIKE_ITS_OWN.what);
        assert_eq!(fix(|facts| facts.cluster.crush_rules = None), LIKE_ITS_OWN.what);
    }

    #[test]
    fn a_class_that_is_not_there_is_not_named() {
        let of_class = |class: &'static str| {
            fix(|facts| {
                the_rule(facts, |rule| rule.reaches = Some([(class.to_string(), 6)].into()));
                facts.cluster.osds.iter_mut().flatten().for_each(|osd| osd.class = Some(class.into()))
            })
        };
        assert!(of_class("ssd").contains("fast default host ssd;"));
        assert!(of_class("hdd").contains("fast default host CLASS;"));
    }
}
