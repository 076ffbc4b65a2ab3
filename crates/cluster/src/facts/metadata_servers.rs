//! What active metadata servers say of their clients, of what waits, and of their caches: asked themselves, by commands that read only.

use super::values::{count, list, number, text};
use crate::admin::Cluster;
use model::facts::{FileClient, FileClientKind, MetadataServer, WaitingRequest};
use serde_json::{Value, json};
use std::time::Duration;

/// For all of them: one that does not answer holds nobody up for longer.
const LIMIT: Duration = Duration::from_secs(10);
/// At most this many servers are asked.
const SERVERS_MOST: usize = 8;
/// At most this much is kept of each list.
const KEPT: usize = 50;

/// `None`, with the reason: none of them was asked, or none answered.
pub fn read(cluster: &Cluster, dump: &Value, left_out: &mut Vec<String>) -> Option<Vec<MetadataServer>> {
    let active = active(dump);
    if active.is_empty() {
        return None;
    }
    let questions = [
        json!({"prefix": "session ls", "format": "json"}),
        json!({"prefix": "ops", "format": "json"}),
        json!({"prefix": "cache status", "format": "json"}),
        json!({"prefix": "config get", "var": "mds_cache_memory_limit", "format": "json"}),
    ];
    let each = active.iter().flat_map(|(gid, _)| questions.iter().map(move |question| (gid.clone(), question.clone())));
    let mut answers = ceph::ask_mds(&cluster.rados, each.collect(), LIMIT).into_iter();
    let mut servers = Vec::new();
    for (_, name) in active {
        let mut why = None;
        let mut next = || {
            let answer = answers.next().map(|answer| answer.map_err(|error| error.to_string()));
            let answer = answer.unwrap_or_else(|| Err(format!("no answer within {} s", LIMIT.as_secs())));
            answer.map_err(|error| why = why.take().or(Some(error))).ok()?.json().ok()
        };
        let [sessions, operations, cache, limit] = [next(), next(), next(), next()];
        if sessions.is_some() || operations.is_some() || cache.is_some() {
            servers.push(MetadataServer {
                name: format!("mds.{name}"),
                cache: cache.and_then(|cache| count(cache.get("pool")?, "bytes")),
                cache_limit: limit.and_then(|limit| count(&limit, "mds_cache_memory_limit")),
                clients: sessions.map(|sessions| clients(&sessions)),
                waiting: operations.map(|operations| waiting(&operations)),
            });
        }
        // What is told of one question is told of all.
        left_out.extend(why.map(|why| format!("mds.{name}: {why}")));
    }
    (!servers.is_empty()).then_some(servers)
}

/// Those of all file systems: the id by which each is asked, and its name.
pub(crate) fn active(dump: &Value) -> Vec<(String, String)> {
    let maps = list(dump, "filesystems").iter().filter_map(|system| system.get("mdsmap")?.get("info")?.as_object());
    let active = maps.flatten().filter(|(_, one)| text(one, "state").as_deref() == Some("up:active"));
    active
        .filter_map(|(_, one)| Some((count(one, "gid")?.to_string(), text(one, "name")?)))
        .take(SERVERS_MOST)
        .collect()
}

/// The largest first.
fn clients(sessions: &Value) -> Vec<FileClient> {
    let one = |session: &Value| {
        let about = session.get("client_metadata").unwrap_or(&Value::Null);
        let kind = match () {
            () if about.get("kernel_version").is_some() => FileClientKind::Kernel,
            () if text(about, "mount_point").is_some() => FileClientKind::Fuse,
            () if about.get("pid").is_some() => FileClientKind::Library,
            () => FileClientKind::Unknown,
        };
        Some(FileClient {
            name: format!("client.{}", count(session, "id")?),
            host: text(about, "hostname"),
            caps: count(session, "num_caps"),
            kind,
        })
    };
    let mut all: Vec<FileClient> = sessions.as_array().into_iter().flatten().filter_map(one).collect();
    all.sort_by_key(|client| std::cmp::Reverse(client.caps));
    all.truncate(KEPT);
    all
}

/// Requests of clients that stand before a lock. What waits for the disk, or is only just there, is none of them.
fn waiting(operations: &Value) -> Vec<WaitingRequest> {
    let one = |operation: &Value| {
        let waits = text(operation.get("type_data")?, "flag_point").filter(|waits| waits.contains("lock, waiting"))?;
        // `client_request(client.4179:4780 getattr pAsLsXsFs #0x1000…)`
        let words = text(operation, "description")?;
        let (client, rest) = words.strip_prefix("client_request(")?.split_once(':')?;
        Some(WaitingRequest {
            client: client.to_string(),
            operation: rest.split_whitespace().nth(1)?.to_string(),
            seconds: number(operation, "age")?,
            waits,
        })
    };
    let mut all: Vec<WaitingRequest> = list(operations, "ops").iter().filter_map(one).collect();
    all.sort_by(|one, other| other.seconds.total_cmp(&one.seconds));
    all.truncate(KEPT);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_are_active_are_asked() {
        let server = |gid: u32, state: &str| json!({"gid": gid, "name": format!("n{gid}"), "state": state});
        let info = json!({"gid_5": server(5, "up:active"), "gid_6": server(6, "up:standby-replay")});
        let dump = json!({"filesystems": [{"mdsmap": {"info": info}}]});
        assert_eq!(active(&dump), [("5".to_string(), "n5".to_string())]);
        assert!(active(&json!({})).is_empty());
    }

    #[test]
    fn clients_are_told_by_what_they_say_of_themselves() {
        let session = |id: u32, caps: u32, about: Value| json!({"id": id, "num_caps": caps, "client_metadata": about});
        let told = clients(&json!([
            session(1, 5, json!({"kernel_version": "6.8", "hostname": "a"})),
            session(2, 9, json!({"mount_point": "/mnt", "pid": "7"})),
            session(3, 1, json!({"pid": "7", "root": "/"})),
            session(4, 0, json!({})),
        ]));
        let short: Vec<_> = told.iter().map(|one| (one.name.as_str(), one.caps, one.kind)).collect();
        let kinds = [FileClientKind::Fuse, FileClientKind::Kernel, FileClientKind::Library, FileClientKind::Unknown];
        let wanted = [("client.2", 9), ("client.1", 5), ("client.3", 1), ("client.4", 0)];
        assert_eq!(
            short,
            wanted.into_iter().zip(kinds).map(|((name, caps), kind)| (name, Some(caps), kind)).collect::<Vec<_>>()
        );
    }

    #[test]
    fn requests_before_a_lock_are_told_with_how_long() {
        let operation = |point: &str, age: f64| json!({"description": "client_request(client.41:9 getattr pAsLsXsFs #0x1 2026 caller_uid=0)", "age": age, "type_data": {"flag_point": point}});
        let told = waiting(&json!({"ops": [
            operation("failed to rdlock, waiting", 0.5),
            operation("submit entry: journal_and_reply", 9.0),
            operation("failed to xlock, waiting", 4.0),
            json!({"description": "rejoin", "age": 70.0, "type_data": {"flag_point": "failed to xlock, waiting"}}),
        ]}));
        let short: Vec<_> = told.iter().map(|one| (one.client.as_str(), one.operation.as_str(), one.seconds)).collect();
        assert_eq!(short, [("client.41", "getattr", 4.0), ("client.41", "getattr", 0.5)]);
    }
}
