//! Clients that hold something of very many files.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "fs-caps-many",
    about: Area::CephFs,
    what: "A client of a file system holds something of more than a million files and folders.",
    why: "The metadata server has to keep all of them in memory as long as the client has them, and asks for them one by one when others want them or when it needs room.",
    evidence: "A session has at least 1,000,000 capabilities (a metadata server lets a client have 1,048,576 by default), or as many as mds_max_caps_per_client says where it is set.",
    sources: &[
        "Ceph's documentation, \"MDS Cache Configuration\": mds_max_caps_per_client",
        "clyso/otto: limits of its checks for CephFS",
    ],
    needs: &[Source::Facts(FactsPart::MetadataServers)],
    suspect,
    fix: "on that host: close files, leave out programs that walk the whole tree (updatedb, backups), drop the kernel's caches (vm.drop_caches=2), restart or update the client; mds_max_caps_per_client bounds it",
    risk: "what a client gives back it has to ask for again",
    confirm: "ceph tell mds.NAME session ls: num_caps of each client, before and after",
    ..Rule::OF_FACTS
};

const MOST: u64 = 1_000_000;

fn suspect(case: &Case) -> Vec<Suspect> {
    let most = case.set("mds_max_caps_per_client").filter_map(number).map(|most| most as u64).max().unwrap_or(MOST);
    let clients = case
        .cluster()
        .metadata_servers
        .iter()
        .flatten()
        .flat_map(|server| server.clients.iter().flatten().map(move |client| (server.name.as_str(), client)));
    let many = clients.filter_map(|(server, client)| {
        let caps = client.caps.filter(|caps| *caps >= most.max(1))?;
        let host = client.host.as_deref().map(|host| format!(" on {host}")).unwrap_or_default();
        Some(format!("{}{host}: {caps} at {server}", client.name))
    });
    listed(many).map_or(Vec::new(), |all| of_cluster("clients hold something of very many files", all))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn with(caps: Option<u64>) -> Vec<String> {
        told(&RULE, |facts| {
            metadata_server(facts, |server| server.clients.iter_mut().flatten().for_each(|one| one.caps = caps))
        })
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(with(Some(1_000_000)), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(with(Some(90_000)), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(with(None), NOBODY);
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
