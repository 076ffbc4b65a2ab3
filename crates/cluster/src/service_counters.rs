//! What object gateways and metadata servers count of the requests that they serve: those on this host asked over their admin sockets,
//! metadata servers anywhere by the cluster's library, which needs the right to ask them.

use crate::admin::Cluster;
use crate::admin_socket;
use crate::command_line::{option, program};
use crate::facts::metadata_servers::active;
use model::{ServiceLook, ServiceTimer, Spent, TimesOfService};
use procfs::process::{Process, all_processes};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::time::Duration;

/// How long metadata servers may take to answer, all together: a slice waits for it.
const LIMIT: Duration = Duration::from_secs(2);

/// Section and name of each: the first one that a daemon has is the timer. Gateways of Ceph 19 and later have their operations in a section of
/// its own (ceph/ceph#53003), those before it among all others.
const NAMES: [(ServiceTimer, &[(&str, &str)]); 3] = [
    (ServiceTimer::Request, &[("mds", "reply_latency")]),
    (ServiceTimer::Get, &[("rgw_op", "get_obj_lat"), ("rgw", "get_initial_lat")]),
    (ServiceTimer::Put, &[("rgw_op", "put_obj_lat"), ("rgw", "put_initial_lat")]),
];

/// The programs that serve requests of clients, and what their `--id` leaves out of a name.
const PROGRAMS: [(&str, &str); 2] = [("ceph-mds", "mds"), ("radosgw", "client")];

/// Of all that run on this host and belong to the cluster of this `fsid`. Daemons that we may not ask are left out.
pub fn look(fsid: &str) -> Vec<ServiceLook> {
    let processes = all_processes().into_iter().flatten().flatten();
    processes.filter_map(|process| look_at(&process, fsid)).collect()
}

/// Of all active metadata servers, asked themselves. Empty: there is none, or this user may not ask them, or none has answered in time.
pub fn metadata_servers(cluster: &Cluster) -> Vec<ServiceLook> {
    let servers = cluster.ask(json!({"prefix": "fs dump"})).map(|dump| active(&dump)).unwrap_or_default();
    let questions = servers.iter().map(|(gid, _)| (gid.clone(), json!({"prefix": "perf dump", "format": "json"})));
    let answers = ceph::ask_mds(&cluster.rados, questions.collect(), LIMIT);
    let one = |((gid, name), answer): (&(String, String), Result<ceph::Reply, ceph::CephError>)| {
        let dump = answer.ok()?.json().ok()?;
        Some(ServiceLook { daemon: format!("{MDS}{name}"), process: format!("{MDS}{gid}"), spent: so_far(&dump) })
    };
    servers.iter().zip(answers).filter_map(one).collect()
}

/// How names of metadata servers begin.
pub const MDS: &str = "mds.";

fn look_at(process: &Process, fsid: &str) -> Option<ServiceLook> {
    let daemon = name_of(&process.cmdline().ok()?)?;
    let socket = admin_socket::of(process)?;
    let told = admin_socket::ask(&socket, &json!({"prefix": "config get", "var": "fsid"}))?;
    if told.get("fsid")?.as_str()? != fsid {
        return None;
    }
    let dump = admin_socket::ask(&socket, &json!({"prefix": "perf dump"}))?;
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let process = format!("{}/{}/{}", boot.trim(), process.pid(), process.stat().ok()?.starttime);
    Some(ServiceLook { daemon, process, spent: so_far(&dump) })
}

/// `radosgw -n client.rgw.a`, `ceph-mds --id=a`.
fn name_of(words: &[String]) -> Option<String> {
    let program = program(words)?;
    let (_, kind) = PROGRAMS.iter().find(|(name, _)| *name == program)?;
    let (name, value) = option(words, &["-i", "--id", "-n", "--name"])?;
    Some(if ["-i", "--id"].contains(&name) { format!("{kind}.{value}") } else { value })
}

fn so_far(dump: &Value) -> BTreeMap<ServiceTimer, Spent> {
    let spent = |(section, name): &(&str, &str)| {
        let counter = dump.get(section)?.get(name)?;
        let (times, seconds) = (counter.get("avgcount")?.as_u64()?, counter.get("sum")?.as_f64()?);
        Some(Spent { times, seconds })
    };
    NAMES.iter().filter_map(|(timer, places)| Some((*timer, places.iter().find_map(spent)?))).collect()
}

/// Of each process that was seen at both ends of a slice. Several agents may see the same one.
pub fn between(before: &[ServiceLook], after: &[ServiceLook]) -> Vec<TimesOfService> {
    let by_process = |looks: &[ServiceLook]| -> BTreeMap<String, ServiceLook> {
        looks.iter().map(|look| (look.process.clone(), look.clone())).collect()
    };
    let before = by_process(before);
    let since = |(process, now): (String, ServiceLook)| {
        let was = before.get(&process)?;
        let spent = now.spent.iter().filter_map(|(timer, now)| {
            let was = was.spent.get(timer)?;
            let (times, seconds) = (now.times.checked_sub(was.times)?, (now.seconds - was.seconds).max(0.0));
            Some((*timer, Spent { times, seconds }))
        });
        Some(TimesOfService { daemon: now.daemon, spent: spent.collect() })
    };
    by_process(after).into_iter().filter_map(since).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split(' ').map(str::to_string).collect()
    }

    #[test]
    fn a_daemon_is_called_as_its_command_line_says() {
        let named = |line: &str| name_of(&words(line));
        assert_eq!(named("/usr/bin/radosgw -n client.rgw.a -c /x -f").as_deref(), Some("client.rgw.a"));
        assert_eq!(named("radosgw --cluster ceph --name=client.rgw.b").as_deref(), Some("client.rgw.b"));
        assert_eq!(named("radosgw --id rgw.c").as_deref(), Some("client.rgw.c"));
        assert_eq!(named("ceph-mds -f --id a").as_deref(), Some("mds.a"));
        for line in ["ceph-osd -i 3", "grep radosgw -n x", "ceph-mds -f", "radosgw -n", "radosgw-admin -n client.x"] {
            assert_eq!(named(line), None, "{line}");
        }
    }

    #[test]
    fn counters_are_read_by_their_names_and_others_left_out() {
        let average = json!({"avgcount": 4, "sum": 0.5, "avgtime": 0.125});
        let dump = json!({"rgw": {"get_initial_lat": average, "req": 9}, "mds": {"reply_latency": 7}});
        assert_eq!(so_far(&dump), BTreeMap::from([(ServiceTimer::Get, Spent { times: 4, seconds: 0.5 })]));
        assert!(so_far(&json!([])).is_empty());
    }

    #[test]
    fn gateways_of_ceph_19_count_in_another_place_and_nothing_twice() {
        let average = |times: u64| json!({"avgcount": times, "sum": times as f64 / 8.0, "avgtime": 0.125});
        let spent = |times: u64| Spent { times, seconds: times as f64 / 8.0 };
        let now = json!({"rgw_op": {"get_obj_lat": average(4), "put_obj_lat": average(8)}, "rgw": {"req": 9}});
        assert_eq!(so_far(&now), BTreeMap::from([(ServiceTimer::Get, spent(4)), (ServiceTimer::Put, spent(8))]));
        let both = json!({"rgw_op": {"get_obj_lat": average(4)}, "rgw": {"get_initial_lat": average(5), "put_initial_lat": average(6)}});
        assert_eq!(so_far(&both), BTreeMap::from([(ServiceTimer::Get, spent(4)), (ServiceTimer::Put, spent(6))]));
    }

    #[test]
    fn what_lies_between_two_looks_is_of_one_process_and_counted_once() {
        let look = |process: &str, times, seconds| ServiceLook {
            daemon: "mds.a".to_string(),
            process: process.to_string(),
            spent: BTreeMap::from([(ServiceTimer::Request, Spent { times, seconds })]),
        };
        let (before, after) =
            ([look("x", 5, 0.25), look("y", 90, 9.0)], [look("x", 9, 0.75), look("x", 9, 0.75), look("z", 1, 0.1)]);
        let found = between(&before, &after);
        let [only] = found.as_slice() else { panic!("{found:?}") };
        assert_eq!(only.spent[&ServiceTimer::Request], Spent { times: 4, seconds: 0.5 });
        assert_eq!(
            between(&after, &[look("x", 1, 0.1)])[0].spent,
            BTreeMap::new(),
            "it counts from the beginning again"
        );
    }
}
