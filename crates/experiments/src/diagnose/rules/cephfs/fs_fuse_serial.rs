//! Clients that mount by ceph-fuse.

use crate::diagnose::facts::prelude::*;
use model::facts::FileClientKind;

pub static RULE: Rule = Rule {
    id: "fs-fuse-serial",
    about: Area::CephFs,
    what: "Clients mount a file system by ceph-fuse.",
    why: "It does little more with many operations in flight than with one, by one account 128 writes at once as slowly as one, while the kernel's client does them side by side; each operation goes through the kernel twice.",
    evidence: "A session tells a mount point and no version of a kernel, as ceph-fuse does.",
    sources: &["yourcmc.ru wiki, \"Производительность Ceph\""],
    needs: &[Source::Facts(FactsPart::MetadataServers)],
    suspect,
    fix: "mount by the kernel there (mount -t ceph), with a kernel of 5.4 or later",
    risk: "the kernel's client lacks what its kernel is too old for (quotas, snapshots of newer releases); programs there have to be stopped for it",
    confirm: "fathom sweep file FOLDER --patterns write-parallel --axis jobs=1..128, in a folder by ceph-fuse and in one by the kernel",
    matters: Matters::Little,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let clients = case.cluster().metadata_servers.iter().flatten().flat_map(|server| server.clients.iter().flatten());
    let by_fuse = clients.filter(|client| client.kind == FileClientKind::Fuse).map(|client| {
        let host = client.host.as_deref().unwrap_or("a host that is not told");
        format!("{} on {host}", client.name)
    });
    listed(by_fuse).map_or(Vec::new(), |all| of_cluster("clients mount a file system by ceph-fuse", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn with(kind: FileClientKind) -> Vec<String> {
        told(&RULE, |facts| {
            metadata_server(facts, |server| server.clients.iter_mut().flatten().for_each(|one| one.kind = kind))
        })
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(with(FileClientKind::Fuse), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!((with(FileClientKind::Kernel), with(FileClientKind::Library)), (vec![], vec![]));
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(with(FileClientKind::Unknown), NOBODY);
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
