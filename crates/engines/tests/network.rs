//! Pairs of hosts: what is refused, what breaks, and that nothing listens once a connection stands.

use engines::{Context, Engine, EngineError, Op, Session, engine_called};
use model::{Endpoint, Layer, OpClass, OpMix, Pattern, Place, Target, Workload};
use std::sync::Mutex;
use std::time::Duration;

fn tcp() -> &'static dyn Engine {
    engine_called("tcp").unwrap()
}

fn end(address: &str, namespace: Option<&str>) -> Endpoint {
    Endpoint { namespace: namespace.map(String::from), ..Endpoint::new("b", address) }
}

fn target(to: Endpoint) -> Target {
    let place = Place::Pair { from: end("127.0.0.1", None), to, listener: None };
    Target::new(Layer::Network, "a→b", place)
}

/// Tests run side by side, and one of them looks at which ports the process listens on.
static OPENING: Mutex<()> = Mutex::new(());

fn open(to: &str, workload: &Workload) -> Result<Box<dyn Session>, EngineError> {
    let _alone = OPENING.lock().unwrap_or_else(|lock| lock.into_inner());
    tcp().open(&Context::default(), &target(end(to, None)), workload, 0)
}

fn workload(pattern: Pattern) -> Workload {
    Workload::canonical(pattern, 0, 1)
}

#[test]
fn what_cannot_be_done_is_refused_in_words() {
    let says = |target: &Target, workload: &Workload, what: &str| {
        let why = tcp().refuse(target, workload).unwrap_or_default();
        assert!(why.contains(what), "{what:?}: {why:?}");
    };
    let here = target(end("127.0.0.1", None));
    let reads = workload(Pattern::ReadLatency);
    assert_eq!(tcp().refuse(&here, &reads), None);
    says(&target(end("ceph-3", None)), &reads, "\"ceph-3\" of host b is not an IP address");
    says(&target(end("127.0.0.1", Some("no-such"))), &reads, "host b has no network namespace /run/netns/no-such");
    says(&here, &Workload { block: 0, ..reads.clone() }, "a message of 0 bytes");
    says(&here, &Workload { mix: OpMix::reads(50), ..workload(Pattern::ReadLinear) }, "one way");
    says(&Target { place: Place::Null, ..here }, &reads, "no pair of hosts");
}

#[test]
fn an_address_that_is_not_there_is_named() {
    let error = open("192.0.2.1", &workload(Pattern::ReadLatency)).err().unwrap();
    let EngineError::Broken(why) = error else { panic!("{error}") };
    assert!(why.contains("127.0.0.1 → 192.0.2.1") && why.contains("Cannot assign requested address"), "{why}");
}

/// Ports in state LISTEN that belong to this process.
fn listening() -> usize {
    let _alone = OPENING.lock().unwrap_or_else(|lock| lock.into_inner());
    let mine: Vec<String> = std::fs::read_dir("/proc/self/fd")
        .unwrap()
        .flatten()
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_string()))
        .collect();
    let table = std::fs::read_to_string("/proc/self/net/tcp").unwrap();
    let fields = table.lines().skip(1).map(|line| line.split_ascii_whitespace().collect::<Vec<_>>());
    fields.filter(|line| line[3] == "0A" && mine.iter().any(|inode| inode == line[9])).count()
}

#[test]
fn no_port_listens_once_the_connection_stands_and_dropping_ends_both_ends() {
    for pattern in [Pattern::ReadLatency, Pattern::ReadLinear, Pattern::WriteLinear] {
        let workload = workload(pattern);
        let mut session = open("127.0.0.1", &workload).unwrap();
        assert_eq!(listening(), 0);
        let len = workload.block as u32;
        session.submit(&[Op { slot: 0, kind: OpClass::Read, offset: 0, len, due: 0 }]).unwrap();
        let mut done = Vec::new();
        while done.is_empty() {
            session.reap(Duration::from_millis(100), &mut done).unwrap();
        }
        assert_eq!((done.len(), done[0].result), (1, Ok(len)));
    }
}

#[test]
fn a_question_deeper_than_the_socket_s_buffers_is_answered() {
    let workload = Workload { block: 1 << 20, depth: 64, ..workload(Pattern::ReadLatency) };
    let mut session = open("127.0.0.1", &workload).unwrap();
    let op = |slot| Op { slot, kind: OpClass::Read, offset: 0, len: 1 << 20, due: 0 };
    let ops: Vec<Op> = (0..64).map(op).collect();
    assert_eq!(session.submit(&ops).unwrap(), 64);
    let mut done = Vec::new();
    while done.len() < 64 {
        session.reap(Duration::from_millis(100), &mut done).unwrap();
    }
    let order: Vec<u32> = done.iter().map(|done| done.slot).collect();
    assert_eq!(order, (0..64).collect::<Vec<_>>());
}
