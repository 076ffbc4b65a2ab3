//! Creates and deletes by the kernel's client that wait for the metadata server, since doing them in the background is switched off.

use crate::diagnose::facts::prelude::*;
use judge::Entry;
use model::facts::FileMount;
use model::{OpClass, Pattern, Place};

pub static RULE: Rule = Rule {
    id: "fs-async-dirops-off",
    about: Area::CephFs,
    what: "The kernel's client does not create or delete files in the background (asynchronous directory operations): each of them waits for the metadata server's answer.",
    why: "One program that makes files one by one makes no more of them than there are round trips to the metadata server. In the background it would not wait for them: a create took 5.9 ms with wsync and 1.9 ms without in a guest of this project. But metadata servers crashed with that (Ceph's \
          trackers 58489 and 61009): in 2023 Ceph's developers advised to mount with wsync, Linux took it back as its default, and Squid's release notes tell it as off.",
    evidence: "Files were created and deleted in a CephFS that the kernel has mounted, and it tells the option wsync; or it tells nowsync, and mds_client_delegate_inos_pct is set to 0, so that clients get no numbers for \
               new files in advance (this holds for creates alone). Where the kernel tells neither, its default is not known, and nothing is told.",
    sources: &[
        "Ceph's documentation, mount.ceph(8): wsync, nowsync",
        "Linux: \"Revert 'ceph: enable async dirops by default'\" (ceph-devel, 2023-10-03), which names the crashes",
        "Ceph's release notes, v19.2.0 Squid: mds_client_delegate_inos_pct",
    ],
    needs: &[Source::Figures],
    suspect,
    fix: "leave it as it is unless this limits you: more jobs, or hosts, create side by side. Else ask Ceph's developers whether your release has these crashes mended; then mount with nowsync, with mds_client_delegate_inos_pct at 50",
    risk: "crashes of the metadata server; and an error of a create or delete is told only when the file or folder is synced or closed",
    confirm: "mount the file system once more with nowsync, at another place, on a cluster that may fail; fathom file FOLDER --patterns create-delete --jobs 1 in both, and fathom compare",
    matters: Matters::Little,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for entry in case.entries.iter().filter(|entry| entry.figure.pattern == Pattern::CreateDelete) {
        let one = one(case, entry);
        found.extend(one.filter(|one| !found.iter().any(|known| known.subject == one.subject)));
    }
    found
}

fn one(case: &Case, entry: &Entry) -> Option<Suspect> {
    let estimate = entry.usable()?;
    let (host, mount) = mount_of(case, entry)?;
    let creates = entry.figure.kind == OpClass::Create;
    let no_numbers = || case.set("mds_client_delegate_inos_pct").any(|option| number(option) == Some(0.0));
    let why = match () {
        () if mount.has("wsync") => "it is mounted with wsync",
        () if mount.has("nowsync") && creates && no_numbers() => "mds_client_delegate_inos_pct is 0",
        () => return None,
    };
    let figure = &entry.figure;
    let subject = Subject::Thing { layer: figure.layer, name: entry.door().to_string() };
    let says = phrase!("{}: creates and deletes wait for the metadata server", subject.clone());
    let evidence = phrase!(
        "{}, {} in flight: {}; of {} on {}: {}",
        figure.kind.name(),
        Quantity::Count(entry.step.workload.depth.into()),
        Quantity::Measured { estimate, metric: figure.metric },
        mount.at.as_str(),
        Subject::Host(host.name.clone()),
        why
    );
    Some(hint(subject, says, evidence))
}

/// The mount in which the loaded folder lies, on the host that loads it; of several the innermost one. Which of the hosts this one is, is
/// not told: there it is the only one that has such a mount.
fn mount_of<'c>(case: &Case<'c>, entry: &Entry) -> Option<(&'c HostSetup, &'c FileMount)> {
    let target = entry.only_target().filter(|target| target.on_cephfs)?;
    let Place::Tree { path } = &target.place else { return None };
    let client = target.client.as_ref().map(|client| &client.host);
    let hosts = case.facts()?.hosts.iter().filter(|host| client.is_none_or(|client| *client == host.name));
    let innermost = |host: &'c HostSetup| {
        let above = host.file_mounts.iter().flatten().filter(|mount| path.starts_with(&mount.at));
        Some((host, above.max_by_key(|mount| mount.at.len())?))
    };
    let found: Vec<_> = hosts.filter_map(innermost).collect();
    let [only] = found.as_slice() else { return None };
    Some(*only)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::{Made, target};
    use crate::diagnose::testing::{suspects, text};
    use crate::diagnose::testing_facts::{file_mount, healthy, set};
    use model::facts::Facts;
    use model::{Observation, Target, testing};

    fn told(on_cephfs: bool, change: impl FnOnce(&mut Facts)) -> Vec<Suspect> {
        told_of(OpClass::Create, on_cephfs, change)
    }

    /// Files made or deleted in a folder of the kernel's CephFS at /mnt/home, by a cluster of which this was changed.
    fn told_of(kind: OpClass, on_cephfs: bool, change: impl FnOnce(&mut Facts)) -> Vec<Suspect> {
        let place = Place::Tree { path: "/mnt/home/fathom.x.files".into() };
        let mut made = Made::cluster();
        made.delivers(
            Pattern::CreateDelete,
            Target { on_cephfs, ..target(testing::folders(), "/mnt/home (ceph)", None, place) },
            700.0,
        );
        made.record.slices.iter_mut().for_each(|slice| slice.kind = kind);
        let mut facts = healthy();
        change(&mut facts);
        made.record.observations.push(Observation::Facts(Box::new(facts)));
        suspects(&RULE, &made.record)
    }

    #[test]
    fn creates_through_a_mount_with_wsync_are_told() {
        let found = told(true, |facts| file_mount(facts, "/mnt/home", &["wsync"]));
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.standing, one.subject.to_string().as_str()), (model::Standing::Hint, "/mnt/home (ceph)"));
        let evidence = text(&one.evidence[0]);
        assert!(evidence.contains("of /mnt/home on b: it is mounted with wsync"), "{evidence}");
    }

    #[test]
    fn clients_without_numbers_for_new_files_are_told() {
        let of = |kind: OpClass, option: &'static str, share: &'static str| {
            told_of(kind, true, move |facts| {
                file_mount(facts, "/mnt/home", &[option]);
                set(facts, "mds", "mds_client_delegate_inos_pct", share);
            })
            .len()
        };
        let with = |option, share| of(OpClass::Create, option, share);
        assert_eq!((with("nowsync", "0"), of(OpClass::Delete, "nowsync", "0")), (1, 0));
        assert_eq!((with("nowsync", "50"), with("rasize=1", "0")), (0, 0));
    }

    #[test]
    fn nothing_is_told_of_other_folders_and_where_the_mount_is_not_known() {
        assert!(told(false, |facts| file_mount(facts, "/mnt/home", &["wsync"])).is_empty());
        assert!(told(true, |facts| file_mount(facts, "/mnt/homes", &["wsync"])).is_empty());
        assert!(told(true, |facts| file_mount(facts, "/mnt/home", &[])).is_empty());
        assert!(told(true, |_| ()).is_empty());
        let inner = |facts: &mut Facts| {
            file_mount(facts, "/mnt", &["wsync"]);
            file_mount(facts, "/mnt/home", &["nowsync"]);
        };
        assert!(told(true, inner).is_empty());
        // Two hosts have it, and which of them loads is not told.
        let several = |facts: &mut Facts| {
            file_mount(facts, "/mnt/home", &["wsync"]);
            let own = facts.hosts.iter().find(|host| host.name == "b").and_then(|host| host.file_mounts.clone());
            facts.hosts.iter_mut().for_each(|host| host.file_mounts = own.clone());
        };
        assert!(told(true, several).is_empty());
    }
}
