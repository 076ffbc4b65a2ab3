//! Replicas over real sockets: what the client is told is there, is there on each of them.

use engines::disk::Holds;
use engines::floor::keep;
use engines::network::Listener;
use engines::{Context, Done, ENGINES, Engine, EngineError, Op, Session};
use model::{Durability, Endpoint, Layer, OpClass, OpMix, Pattern, Place, Replica, Target, Workload};
use std::fs::{read, write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const BLOCK: u64 = 4096;
const SPAN: u64 = 64 * BLOCK;

fn floor() -> &'static dyn Engine {
    ENGINES.iter().find(|(layer, _)| *layer == Layer::Floor).unwrap().1
}

fn end() -> Endpoint {
    Endpoint::new("here", "127.0.0.1")
}

fn workload(jobs: u32) -> Workload {
    let base = Workload::canonical(Pattern::WriteLatency, SPAN, 1);
    Workload { jobs, depth: jobs, durability: Durability::Dsync, ..base }
}

fn target(paths: &[PathBuf]) -> Target {
    let replica = |path: &PathBuf| Replica { end: end(), among: None, path: path.clone(), listener: None };
    let replicas = paths.iter().map(replica).collect();
    Target::new(Layer::Floor, "a+b+c", Place::Replicas { from: end(), replicas })
}

fn files(folder: &Path, count: usize) -> Vec<PathBuf> {
    let paths: Vec<PathBuf> = (0..count).map(|n| folder.join(format!("replica{n}"))).collect();
    paths.iter().for_each(|path| write(path, vec![0; SPAN as usize]).unwrap());
    paths
}

/// Kept from the last to the first, as the coordinator has it done.
fn kept(target: &mut Target, load: &Workload) -> Result<Vec<Listener>, EngineError> {
    let count = match &target.place {
        Place::Replicas { replicas, .. } => replicas.len(),
        _ => 0,
    };
    let mut listeners = Vec::new();
    for number in (0..count).rev() {
        let listener = keep(target, number, load, &Holds::default())?;
        if let Place::Replicas { replicas, .. } = &mut target.place {
            replicas[number].listener = Some(listener.key.clone());
        }
        listeners.push(listener);
    }
    Ok(listeners)
}

fn op(offset: u64) -> Op {
    Op { slot: 0, kind: OpClass::Write, offset, len: BLOCK as u32, due: 0 }
}

fn answer(session: &mut dyn Session) -> Result<Done, EngineError> {
    let (mut done, deadline) = (Vec::new(), Instant::now() + Duration::from_secs(20));
    while done.is_empty() && Instant::now() < deadline {
        session.reap(Duration::from_millis(20), &mut done)?;
    }
    Ok(*done.first().expect("no answer came"))
}

#[test]
fn replicas_reach_each_other_on_a_network_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, load) = (files(folder.path(), 3), workload(1));
    let mut target = target(&paths);
    if let Place::Replicas { replicas, .. } = &mut target.place {
        for (number, replica) in replicas.iter_mut().enumerate() {
            replica.among = Some(Endpoint { address: format!("127.0.1.{}", number + 1), ..end() });
        }
        // No address of this host: nobody comes to the others there.
        replicas[1..].iter_mut().for_each(|replica| replica.end.address = "203.0.113.9".into());
    }
    let _doors = kept(&mut target, &load).unwrap();
    let mut session = floor().open(&Context::default(), &target, &load, 0).unwrap();
    assert_eq!(session.submit(&[op(BLOCK)]).unwrap(), 1);
    assert_eq!(answer(&mut *session).unwrap().result, Ok(BLOCK as u32));
    assert!(
        paths.iter().all(|path| read(path).unwrap()[BLOCK as usize..2 * BLOCK as usize].iter().any(|byte| *byte != 0))
    );
}

#[test]
fn a_write_that_is_acknowledged_is_on_every_replica() {
    for (count, durability) in [(1, Durability::Fdatasync), (2, Durability::Fsync), (3, Durability::Dsync)] {
        let folder = tempfile::tempdir().unwrap();
        let (paths, load) = (files(folder.path(), count), Workload { durability, ..workload(4) });
        let mut target = target(&paths);
        let _doors = kept(&mut target, &load).unwrap();
        for lane in 0..4u32 {
            let mut session = floor().open(&Context::default(), &target, &load, lane).unwrap();
            for block in [0, 3, 15] {
                assert_eq!(session.submit(&[op(block * BLOCK)]).unwrap(), 1);
                assert_eq!(answer(&mut *session).unwrap().result, Ok(BLOCK as u32));
                let at = ((u64::from(lane) * 16 + block) * BLOCK) as usize;
                let there: Vec<Vec<u8>> =
                    paths.iter().map(|path| read(path).unwrap()[at..at + BLOCK as usize].to_vec()).collect();
                assert!(there[0].iter().any(|byte| *byte != 0), "lane {lane} block {block} was not written");
                assert!(there.iter().all(|one| *one == there[0]), "lane {lane} block {block} differs");
            }
        }
        // Three blocks of each of four lanes, and not a byte elsewhere.
        let all = read(&paths[count - 1]).unwrap();
        let written = all.chunks(BLOCK as usize).filter(|block| block.iter().any(|byte| *byte != 0)).count();
        assert_eq!((all.len() as u64, written), (SPAN, 12));
    }
}

#[test]
fn what_a_replica_can_not_write_is_an_error_of_the_operation() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, load) = (files(folder.path(), 3), workload(1));
    let mut target = target(&paths);
    let _doors = kept(&mut target, &load).unwrap();
    let mut session = floor().open(&Context::default(), &target, &load, 0).unwrap();
    session.submit(&[op(SPAN)]).unwrap();
    assert_eq!(answer(&mut *session).unwrap().result.unwrap_err().errno, libc::EFBIG);
    assert!(paths.iter().all(|path| read(path).unwrap().len() as u64 == SPAN));
    session.submit(&[op(0)]).unwrap();
    assert!(answer(&mut *session).unwrap().result.is_ok());
}

#[test]
fn a_replica_that_goes_away_breaks_the_load_and_does_not_hold_it() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, load) = (files(folder.path(), 3), workload(1));
    let mut target = target(&paths);
    let mut listeners = kept(&mut target, &load).unwrap();
    let mut session = floor().open(&Context::default(), &target, &load, 0).unwrap();
    session.submit(&[op(0)]).unwrap();
    assert!(answer(&mut *session).unwrap().result.is_ok());
    // The last replica; the first one learns of it when it passes the next write on.
    drop(listeners.remove(0));
    let broken = (0..5).find_map(|_| session.submit(&[op(0)]).and_then(|_| answer(&mut *session)).err());
    assert!(broken.is_some_and(|error| error.to_string().contains("127.0.0.1 → 127.0.0.1")));
}

#[test]
fn two_replicas_that_do_not_reach_each_other_are_named_before_a_client_comes() {
    let folder = tempfile::tempdir().unwrap();
    let (paths, load) = (files(folder.path(), 3), workload(2));
    let mut target = target(&paths);
    if let Place::Replicas { replicas, .. } = &mut target.place {
        for (number, replica) in replicas.iter_mut().enumerate() {
            replica.among =
                Some(Endpoint { host: format!("h{number}"), address: format!("127.0.1.{}", number + 1), ..end() });
        }
    }
    // All but the first; then nobody answers any more at the last one's port.
    let mut listeners = Vec::new();
    for number in [2, 1] {
        listeners.push(keep(&target, number, &load, &Holds::default()).unwrap());
        if let Place::Replicas { replicas, .. } = &mut target.place {
            replicas[number].listener = listeners.last().map(|listener| listener.key.clone());
        }
    }
    drop(listeners.remove(0));
    let why = keep(&target, 0, &load, &Holds::default()).err().unwrap().to_string();
    assert!(why.starts_with("host h0 can't pass writes on to host h2: 127.0.1.1 → 127.0.1.3"), "{why}");
    assert!(why.contains("open TCP from 127.0.1.1 to 127.0.1.3"), "{why}");
}

#[test]
fn what_cannot_be_done_is_refused_in_words() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path(), 2);
    let says = |target: &Target, load: &Workload, what: &str| {
        let why = floor().refuse(target, load).unwrap_or_default();
        assert!(why.contains(what), "{what:?}: {why:?}");
    };
    assert_eq!(floor().refuse(&target(&paths), &workload(1)), None);
    says(&target(&[]), &workload(1), "no replicas");
    says(&target(&paths), &Workload { mix: OpMix::reads(100), ..workload(1) }, "random writes");
    says(&target(&paths), &Workload { span: 0, ..workload(1) }, "fit into the working set");
    let unkept = floor().open(&Context::default(), &target(&paths), &workload(1), 0).err().unwrap();
    assert!(unkept.to_string().contains("nobody keeps"), "{unkept}");
    // The first one before the others: it would pass nothing on.
    let early = keep(&target(&paths), 0, &workload(1), &Holds::default()).err().unwrap().to_string();
    assert!(early.contains("keeps no replica yet"), "{early}");
    let mut missing = target(&[folder.path().join("none")]);
    let why = kept(&mut missing, &workload(1)).err().unwrap().to_string();
    assert!(why.contains("none: No such file"), "{why}");
}
