//! Requests that wait for what another client holds.

use crate::diagnose::facts::prelude::*;
use model::facts::WaitingRequest;

pub static RULE: Rule = Rule {
    id: "fs-caps-held",
    about: Area::CephFs,
    what: "Requests of clients wait for what another client holds of the same file or folder.",
    why: "A client that writes to a file, or has it cached, holds capabilities of it; whoever else opens it or asks for its size waits until that client has written what it has and given them back. One that hangs, \
          or reaches the OSDs slowly, holds up all others that want that file.",
    evidence: "A metadata server has a request that has waited for a lock for at least a second when it is asked (its flag point: failed to rdlock, wrlock or xlock, waiting). A client that is well \
               gives back within milliseconds. It may as well be another request that has the lock for long; those that wait for the journal or for other servers don't count.",
    sources: &[
        "Ceph's documentation, \"Capabilities in CephFS\"",
        "Ceph's documentation, \"CephFS: Troubleshooting, slow requests (MDS)\"",
    ],
    needs: &[Source::Facts(FactsPart::MetadataServers)],
    suspect,
    fix: "ceph tell mds.NAME ops names the inode (#0x…), ceph tell mds.NAME dump inode NUMBER, with that number in decimal, who holds what of it (client_caps; not the client that waits): look after that client's host, and after the OSDs that it writes to; \
          ceph tell mds.NAME session evict id=N of the holder, if it does not come back",
    risk: "a client that is evicted loses what it has not written yet, and has to mount anew",
    confirm: "ceph tell mds.NAME ops, several times: the same file, and by dump inode the same holder",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

/// Ours. In a lab on one machine, asking for the size of a file that a client writes to all the time took 4 ms, one of ten times more than
/// 11 ms; health checks begin at 30 s (MDS_SLOW_REQUEST).
const SECONDS_LEAST: f64 = 1.0;

fn suspect(case: &Case) -> Vec<Suspect> {
    let long = |request: &&WaitingRequest| request.seconds >= SECONDS_LEAST;
    let of_one = |server: &model::facts::MetadataServer| {
        let waiting: Vec<&WaitingRequest> = server.waiting.iter().flatten().filter(long).collect();
        let first = waiting.first()?;
        let evidence = phrase!(
            "{}: waiting for a lock: {}; the longest is {} by {}, which waits for another client, since {} ({})",
            server.name.as_str(),
            Quantity::Count(waiting.len() as u64),
            first.operation.as_str(),
            first.client.as_str(),
            model::units::seconds(first.seconds),
            first.waits.as_str()
        );
        Some(of_cluster("requests wait for what another client of the file system holds", evidence))
    };
    case.cluster().metadata_servers.iter().flatten().find_map(of_one).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn waits(seconds: f64) -> Vec<String> {
        told(&RULE, |facts| {
            metadata_server(facts, |server| {
                let waits = "failed to rdlock, waiting".to_string();
                let request = WaitingRequest { client: "client.5".into(), operation: "getattr".into(), seconds, waits };
                server.waiting = Some(vec![request]);
            });
        })
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(waits(4.0), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(waits(0.05), NOBODY);
        assert_eq!(told(&RULE, |facts| metadata_server(facts, |_| ())), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| metadata_server(facts, |server| server.waiting = None)), NOBODY);
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
