//! What rules that read facts have in common: hints of options, OSDs, pools and hosts.

use super::{Case, Releases, Rule, Suspect, origins};
use model::facts::{
    BlockQueue, ClusterFacts, CrushRule, DaemonProcess, Facts, FileMount, Guest, HostSetup, ImageFacts, NicSetup,
    OsdFacts, PoolFacts, SetOption,
};
use model::{Phrase, Quantity, Standing, Subject, phrase};
use std::collections::{BTreeMap, BTreeSet};

/// What a rule of facts needs.
pub mod prelude {
    pub use super::{
        each, hint, listed, number, of_cluster, of_daemons, of_disks, of_file_mounts, of_guests, of_hosts, of_images,
        of_nics, of_osds, of_pools, of_settings, of_shared_disks, off, omap_on_hard_disks, on, state,
    };
    pub use crate::diagnose::own_rule::{LIKE_ITS_OWN, NO_SSD, ON_SSD, as_its_own, onto_flash};
    pub use crate::diagnose::{Area, Case, FactsPart, Fix, Matters, Releases, Rule, Source, Suspect, Tried};
    pub use model::facts::{DaemonProcess, HostSetup, NicSetup, OsdFacts, PoolFacts, SetOption, Version};
    pub use model::{Phrase, Quantity, Subject, phrase};
}

/// How many things of one kind are named at most.
const NAMED: usize = 6;

/// One of this many slices has to see placement groups in a state.
const SLICES_OF: usize = 4;

/// Does the rule of this pool reach hard disks that keep omap? It lies in the database, which may have flash of its own.
/// OSDs in files, or on devices made of files, are hard disks to Ceph as well, and are left out.
pub fn omap_on_hard_disks(case: &Case, pool: &PoolFacts) -> bool {
    let real = |osd: &OsdFacts| osd.class.as_deref() == Some("hdd") && osd.on_disks();
    let apart = |osd: &OsdFacts| osd.dedicated_db == Some(true) && osd.db_rotational == Some(false);
    let reaches = case.crush_rule(pool).and_then(|rule| rule.reaches.as_ref());
    reaches.is_some_and(|reaches| reaches.contains_key("hdd"))
        && (case.osds().is_empty() || case.osds().iter().any(|osd| real(osd) && !apart(osd)))
}

impl<'c> Case<'c> {
    pub fn facts(&self) -> Option<&'c Facts> {
        self.record.facts()
    }

    /// The facts of the cluster; empty where there are none.
    pub fn cluster(&self) -> &'c ClusterFacts {
        static NONE: std::sync::LazyLock<ClusterFacts> = std::sync::LazyLock::new(ClusterFacts::default);
        self.facts().map_or(&NONE, |facts| &facts.cluster)
    }

    pub fn osds(&self) -> &'c [OsdFacts] {
        self.cluster().osds.as_deref().unwrap_or_default()
    }

    pub fn pools(&self) -> &'c [PoolFacts] {
        self.cluster().pools.as_deref().unwrap_or_default()
    }

    /// Those with OSDs; of others it matters little how they are set up. Of a throwaway cluster none: its host is what it is.
    pub fn hosts(&self) -> impl Iterator<Item = &'c HostSetup> {
        let lab = self.cluster().lab;
        self.facts().into_iter().flat_map(|facts| &facts.hosts).filter(move |host| host.has_osds() && !lab)
    }

    /// Values that somebody set, for whomever.
    pub fn set(&self, name: &str) -> impl Iterator<Item = &'c SetOption> {
        let options = self.cluster().options.as_deref().unwrap_or_default();
        options.iter().filter(move |option| option.name == name)
    }

    /// Somebody chose the older scheduler: options of mClock are not read then.
    pub fn has_wpq(&self) -> bool {
        self.set("osd_op_queue").any(|option| option.value == "wpq")
    }

    pub fn crush_rule(&self, pool: &PoolFacts) -> Option<&'c CrushRule> {
        self.cluster().crush_rules.iter().flatten().find(|rule| Some(rule.id) == pool.crush_rule)
    }

    /// OSDs of the device classes that it reaches.
    pub fn reached_by(&self, rule: &CrushRule) -> impl Iterator<Item = &'c OsdFacts> {
        let reaches = rule.reaches.as_ref();
        let own = move |osd: &&OsdFacts| {
            reaches.is_some_and(|reaches| osd.class.as_ref().is_some_and(|class| reaches.contains_key(class)))
        };
        self.osds().iter().filter(own)
    }

    /// The OSD whose process it is.
    pub fn osd_of(&self, daemon: &DaemonProcess) -> Option<&'c OsdFacts> {
        let id = daemon.name.strip_prefix("osd.")?.parse::<u32>().ok()?;
        self.osds().iter().find(|osd| osd.id == id)
    }

    /// The health check of this name, unless somebody muted it.
    pub fn check(&self, id: &str) -> Option<&'c str> {
        let checks = self.cluster().health.as_deref().unwrap_or_default();
        checks.iter().find(|check| check.id == id && !check.muted).map(|check| check.says.as_str())
    }

    /// Placement groups in whose state one of these words stands: as many as a quarter of the slices saw, since only that is in the figures;
    /// without slices, as it is now.
    pub fn groups_in(&self, words: &[&str]) -> u32 {
        let count = |states: &BTreeMap<String, u32>, words: &[&str]| -> u32 {
            let named = states.iter().filter(|(name, _)| name.split('+').any(|word| words.contains(&word)));
            named.map(|(_, count)| *count).sum()
        };
        let slices: BTreeSet<_> = self.record.slices.iter().map(|slice| (slice.step, slice.pass)).collect();
        if slices.is_empty() {
            return self.cluster().groups.as_ref().map_or(0, |groups| count(groups, words));
        }
        // What goes on in slices alone may be in pools that the run has made itself; what was told before them is without these.
        let before = |word: &&str| self.cluster().groups.as_ref().is_none_or(|groups| count(groups, &[*word]) > 0);
        let words: Vec<&str> =
            words.iter().copied().filter(|word| !OF_NEW_POOLS.contains(word) || before(word)).collect();
        let mut seen: Vec<u32> = self.record.pgs_seen().map(|seen| count(&seen.states, &words)).collect();
        seen.sort_unstable_by(|a, b| b.cmp(a));
        seen.get(slices.len() / SLICES_OF).copied().unwrap_or(0)
    }
}

/// What placement groups of a pool do for a while after it was made, under load.
const OF_NEW_POOLS: [&str; 10] = [
    "activating",
    "backfill_wait",
    "backfilling",
    "creating",
    "degraded",
    "forced_recovery",
    "peering",
    "recovering",
    "recovery_wait",
    "unknown",
];

/// Does it hold for the release of some OSD? Where it is bound to releases and none is known: no.
pub fn holds(rule: &Rule, case: &Case) -> bool {
    let mut versions = case.osds().iter().filter_map(|osd| osd.version);
    rule.releases == Releases::ALL || versions.any(|version| rule.releases.hold(version))
}

/// A fact whose cost was not measured.
pub fn hint(subject: Subject, says: Phrase, evidence: Phrase) -> Suspect {
    Suspect::new(subject, Standing::Hint, says, evidence)
}

/// Something that goes on, by the cluster's own count; it is in all figures.
pub fn state(says: Phrase, evidence: Phrase) -> Vec<Suspect> {
    let says = phrase!("the cluster is under background work: {}", says);
    vec![Suspect::new(Subject::Cluster, Standing::Confirmed, says, evidence)]
}

pub fn of_cluster(says: impl Into<Phrase>, evidence: impl Into<Phrase>) -> Vec<Suspect> {
    vec![hint(Subject::Cluster, says.into(), evidence.into())]
}

/// One for each place in which the option has such a value.
pub fn of_settings(case: &Case, name: &str, bad: impl Fn(&SetOption) -> bool, says: &str) -> Vec<Suspect> {
    let one = |option: &SetOption| {
        let subject = Subject::Setting { who: option.who.clone(), name: option.name.clone() };
        let (value, place) = (quoted(&option.value), origins::place(option));
        let evidence = phrase!("{} = {} for {}, {}", name, value, option.who.as_str(), place);
        Suspect { fix: origins::mend(option).map(String::from), ..hint(subject, says.into(), evidence) }
    };
    case.set(name).filter(|option| bad(option)).map(one).collect()
}

/// One for all OSDs that are so.
pub fn of_osds(
    case: &Case,
    bad: impl Fn(&OsdFacts) -> bool,
    says: &str,
    why: impl Fn(&OsdFacts) -> Phrase,
) -> Vec<Suspect> {
    let found: Vec<&OsdFacts> = case.osds().iter().filter(|osd| bad(osd)).collect();
    let Some(first) = found.first() else { return Vec::new() };
    let subject = match found.as_slice() {
        [only] => Subject::Osd(only.id),
        _ => Subject::Several { name: "osd.*".to_string() },
    };
    let names = each(found.iter().map(|osd| format!("osd.{}", osd.id)));
    vec![hint(
        subject,
        says.into(),
        phrase!(
            "{} of {} OSDs ({}); osd.{}: {}",
            found.len(),
            case.osds().len(),
            names,
            first.id.to_string(),
            why(first)
        ),
    )]
}

/// One for all disks on which more OSDs than that have their data.
pub fn of_shared_disks(case: &Case, meant: impl Fn(&OsdFacts) -> bool, most: usize, says: &str) -> Vec<Suspect> {
    let mut disks: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for osd in case.osds().iter().filter(|osd| meant(osd)) {
        osd.data_devices.iter().for_each(|disk| *disks.entry((&osd.host, disk)).or_default() += 1);
    }
    let many = disks.into_iter().filter(|(_, count)| *count > most);
    listed(many.map(|((host, disk), count)| format!("{disk} of {host}: {count}")))
        .map_or(Vec::new(), |all| of_cluster(says, all))
}

/// One for each pool that is so.
pub fn of_pools(
    case: &Case,
    bad: impl Fn(&PoolFacts) -> bool,
    says: &str,
    why: impl Fn(&PoolFacts) -> Phrase,
) -> Vec<Suspect> {
    let one = |pool: &PoolFacts| hint(Subject::Pool(pool.name.clone()), says.into(), why(pool));
    case.pools().iter().filter(|pool| bad(pool)).map(one).collect()
}

/// One for each image that is so.
pub fn of_images(case: &Case, says: &str, bad: impl Fn(&ImageFacts) -> Option<Phrase>) -> Vec<Suspect> {
    let subject = |image: &ImageFacts| Subject::Image { pool: image.pool.clone(), name: image.name.clone() };
    let one = |image: &ImageFacts| Some(hint(subject(image), says.into(), bad(image)?));
    case.cluster().images.iter().flatten().filter_map(one).collect()
}

/// One for each host with OSDs that is so.
pub fn of_hosts(case: &Case, says: &str, bad: impl Fn(&HostSetup) -> Option<Phrase>) -> Vec<Suspect> {
    let one = |host: &HostSetup| Some(hint(Subject::Host(host.name.clone()), says.into(), bad(host)?));
    case.hosts().filter_map(one).collect()
}

/// One for each host on which some disks that OSDs may use are so, with what is said of each.
pub fn of_disks(case: &Case, says: &str, bad: impl Fn(&BlockQueue) -> Option<String>) -> Vec<Suspect> {
    of_hosts(case, says, |host| {
        let own = osds_on(case, host);
        let used = |disk: &&BlockQueue| {
            own.iter().any(|osd| osd.devices.contains(&disk.name) || osd.data_devices.contains(&disk.name))
        };
        let found = host.disks.iter().filter(used);
        listed(found.filter_map(|disk| Some(format!("{}: {}", disk.name, bad(disk)?))))
    })
}

/// Those whose processes were found on it.
fn osds_on<'c>(case: &Case<'c>, host: &HostSetup) -> Vec<&'c OsdFacts> {
    host.osds().filter_map(|daemon| case.osd_of(daemon)).collect()
}

/// The same of interfaces that carry the cluster's traffic: those with an address of one of the host's OSDs, and what they are made of.
pub fn of_nics(case: &Case, says: &str, bad: impl Fn(&NicSetup) -> Option<String>) -> Vec<Suspect> {
    of_hosts(case, says, |host| {
        listed(serving(case, host).filter_map(|nic| Some(format!("{}: {}", nic.name, bad(nic)?))))
    })
}

fn serving<'h>(case: &Case, host: &'h HostSetup) -> impl Iterator<Item = &'h NicSetup> {
    let osds = osds_on(case, host);
    let addresses: Vec<&String> =
        osds.iter().flat_map(|osd| osd.public_address.iter().chain(&osd.cluster_address)).collect();
    let has = move |nic: &NicSetup| nic.addresses.iter().any(|address| addresses.contains(&address));
    let carry: Vec<&String> = host.nics.iter().filter(|nic| has(nic)).map(|nic| &nic.name).collect();
    // `eth0.100` is on eth0.
    let parent = move |nic: &NicSetup| {
        carry.iter().any(|name| {
            **name == nic.name || name.split('.').next() == Some(&nic.name) || nic.part_of.as_ref() == Some(name)
        })
    };
    host.nics.iter().filter(move |nic| parent(nic))
}

/// The same of the daemons of hosts.
pub fn of_daemons(case: &Case, says: &str, bad: impl Fn(&DaemonProcess) -> Option<String>) -> Vec<Suspect> {
    of_hosts(case, says, |host| {
        listed(host.daemons.iter().filter_map(|daemon| Some(format!("{}: {}", daemon.name, bad(daemon)?))))
    })
}

/// One for each host on which some virtual machines with images are so, with what is said of each; hosts without OSDs count as well.
pub fn of_guests(case: &Case, says: &str, bad: impl Fn(&Guest) -> Option<String>) -> Vec<Suspect> {
    let named =
        |guest: &Guest| if guest.name.is_empty() { "one without a name".to_string() } else { guest.name.clone() };
    of_all_hosts(case, says, |host| {
        listed(host.guests.iter().flatten().filter_map(|guest| Some(format!("{}: {}", named(guest), bad(guest)?))))
    })
}

/// One for each host whose kernel has some CephFS mounted that way, with what is said of each; hosts without OSDs count as well.
pub fn of_file_mounts(case: &Case, says: &str, bad: impl Fn(&FileMount) -> Option<String>) -> Vec<Suspect> {
    of_all_hosts(case, says, |host| {
        listed(host.file_mounts.iter().flatten().filter_map(|own| Some(format!("{}: {}", own.at, bad(own)?))))
    })
}

fn of_all_hosts(case: &Case, says: &str, bad: impl Fn(&HostSetup) -> Option<Phrase>) -> Vec<Suspect> {
    let one = |host: &HostSetup| Some(hint(Subject::Host(host.name.clone()), says.into(), bad(host)?));
    case.facts().into_iter().flat_map(|facts| &facts.hosts).filter_map(one).collect()
}

/// `a, b and 3 more`; `None`: nothing.
pub fn listed(all: impl IntoIterator<Item = String>) -> Option<Phrase> {
    let all: Vec<String> = all.into_iter().collect();
    (!all.is_empty()).then(|| each(all))
}

pub fn each(all: impl IntoIterator<Item = String>) -> Phrase {
    let mut all: Vec<String> = all.into_iter().collect();
    let more = all.len().saturating_sub(NAMED);
    all.truncate(NAMED);
    let names = all.join(", ");
    if more == 0 { names.into() } else { phrase!("{} and {} more", names, Quantity::Count(more as u64)) }
}

/// A value as it was set.
pub fn quoted(value: &str) -> String {
    if value.is_empty() { "(empty)".to_string() } else { value.to_string() }
}

/// `4294967296`, `8G`, `20/20`: the first number.
pub fn number(option: &SetOption) -> Option<f64> {
    let text = option.value.split('/').next()?.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != '-').unwrap_or(text.len());
    let scale = match text[split..].trim().trim_end_matches(['B', 'i']) {
        "" => 1.0,
        "K" | "k" => 1024.0,
        "M" => 1_048_576.0,
        "G" => 1_073_741_824.0,
        "T" => 1_099_511_627_776.0,
        _ => return None,
    };
    Some(text[..split].parse::<f64>().ok()? * scale)
}

pub fn on(option: &SetOption) -> bool {
    ["true", "1", "yes", "on"].contains(&option.value.to_ascii_lowercase().as_str())
}

pub fn off(option: &SetOption) -> bool {
    ["false", "0", "no", "off"].contains(&option.value.to_ascii_lowercase().as_str())
}

/// Commands with the names of what was found. A name that a shell could take for more than a name is not put into a command.
pub fn filled_in(fix: &str, subject: &Subject) -> String {
    let places: BTreeMap<&str, String> = match subject {
        Subject::Setting { who, name } if is_plain(who) && is_plain(name) => {
            BTreeMap::from([("WHO", who.clone()), ("OPTION", name.clone())])
        }
        Subject::Image { pool, name } if is_plain(pool) && is_plain(name) => {
            BTreeMap::from([("POOL", pool.clone()), ("IMAGE", name.clone())])
        }
        Subject::Pool(name) if is_plain(name) => BTreeMap::from([("POOL", name.clone())]),
        Subject::Osd(id) => BTreeMap::from([("osd.N", format!("osd.{id}"))]),
        _ => BTreeMap::new(),
    };
    places.into_iter().fold(fix.to_string(), |fix, (place, name)| fix.replace(place, &name))
}

/// No shell takes it for more than a name.
pub fn is_plain(name: &str) -> bool {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-/:".contains(c);
    !name.is_empty() && !name.starts_with('-') && name.chars().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_options_have_them() {
        let of = |value: &str| number(&SetOption { value: value.into(), ..SetOption::default() });
        assert_eq!(
            (of("20/20"), of("4294967296"), of("8G"), of("4Ki")),
            (Some(20.0), Some(4294967296.0), Some(8589934592.0), Some(4096.0))
        );
        assert_eq!((of("high"), of("")), (None, None));
    }

    #[test]
    fn commands_get_names_but_no_commands_of_others() {
        let pool = |name: &str| filled_in("ceph osd pool set POOL bulk true", &Subject::Pool(name.into()));
        assert_eq!(pool("vms"), "ceph osd pool set vms bulk true");
        assert_eq!(pool("x; rm -rf /"), "ceph osd pool set POOL bulk true");
        let setting = Subject::Setting { who: "osd/class:ssd".into(), name: "debug_osd".into() };
        assert_eq!(filled_in("ceph config rm WHO OPTION", &setting), "ceph config rm osd/class:ssd debug_osd");
    }

    #[test]
    fn many_names_are_cut_short() {
        let names = |count: usize| report::phrase::text(&each((0..count).map(|n| n.to_string())));
        assert_eq!((names(2), names(8)), ("0, 1".to_string(), "0, 1, 2, 3, 4, 5 and 2 more".to_string()));
    }
}
