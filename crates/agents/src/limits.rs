//! What an agent may say: every number and length in its events has a limit, and so has the rate of its events, since an agent may be
//! broken or hostile.

use crate::frame::LARGEST;
use crate::message::{AgentAnswer, AgentEvent};
use model::facts::HostSetup;
use model::{
    Checked, Effort, EmptyPages, HostFacts, HostSecond, Nanos, OsdSecond, PathKind, Sample, ServiceLook, SiteSeen,
    SliceEnd, Sparse, WindowSet,
};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Operations, errors and the like in one window: a thousand times what one host can do.
const COUNT: u64 = 1 << 40;
/// Bytes in one window.
const MOVED: u64 = 1 << 44;
/// Bytes verified in one slice.
const COMPARED: u64 = 1 << 56;
/// Latencies are counted up to 2^44 ns, 4.9 hours; their sum in one window is below this with 500,000 in flight for half a minute.
const LONGEST: Nanos = 1 << 44;
const LONGEST_SUM: Nanos = 1 << 54;
/// Bytes of a device or file: an exbibyte.
const STORED: u64 = 1 << 60;
/// Rates, shares, seconds as floating-point numbers.
const RATE: f64 = 1e18;
/// Bytes of an error message.
const TEXT: usize = 64 << 10;
/// Lines of words in one answer.
const LISTED: u64 = 1024;
/// Targets, disks, lanes.
const THINGS: usize = 1 << 17;
/// Disks, interfaces, OSDs of one host.
const IN_A_SECOND: u64 = 4096;

/// Bytes of a message by its first one, which says its kind (postcard writes the variant's number): in memory a list of what is empty takes
/// some twenty times as much. A thousand disks are described in 100 KiB, and a second of theirs is told in as much; how they are set up, with
/// names and in full, takes 1 MiB, and what was verified of a thousand targets, each with flaws, as much.
pub fn longest(kind: u8) -> usize {
    match kind {
        DESCRIPTION => 1 << 20,
        ANSWER | VERIFIED => 4 << 20,
        WINDOW => LARGEST,
        SECOND => 256 << 10,
        ENDED => 2 << 20,
        _ => 2 * TEXT,
    }
}

const DESCRIPTION: u8 = 3;
const ANSWER: u8 = 5;
const WINDOW: u8 = 9;
const SECOND: u8 = 10;
const ENDED: u8 = 11;
const VERIFIED: u8 = 12;

/// What it takes in memory beyond its bytes on the line.
pub fn more_than_its_bytes(news: &AgentEvent) -> usize {
    match news {
        AgentEvent::Window { set, .. } => size_of_val(set.samples.as_slice()),
        _ => 0,
    }
}

/// # Errors
/// What is beyond which limit, in words.
pub fn check(news: &AgentEvent) -> Result<(), String> {
    match news {
        AgentEvent::Hello { build, .. } => text(build),
        AgentEvent::Beat => Ok(()),
        AgentEvent::Clock { now, wall, .. } => number("a clock's time", (*now).max(*wall), i64::MAX as u64),
        AgentEvent::Description { facts } => of_host(facts),
        AgentEvent::Reached { error } | AgentEvent::Ready { error, .. } => {
            error.iter().try_for_each(|error| text(error))
        }
        AgentEvent::Answer { answer, .. } => of_answer(answer),
        AgentEvent::Filling { bytes, .. } => number("bytes filled", *bytes, STORED),
        AgentEvent::Answers { listener, .. } => listener.as_ref().err().iter().try_for_each(|why| text(why)),
        AgentEvent::Window { set, .. } => of_window(set),
        AgentEvent::Second { at, second, .. } => {
            number("a second's end", *at, i64::MAX as u64)?;
            of_second(second)
        }
        AgentEvent::Ended { end, .. } => of_end(end),
        AgentEvent::Verified { checked, error, .. } => {
            many("targets that were verified", checked.len())?;
            checked.iter().try_for_each(|(_, checked)| of_checked(checked))?;
            error.iter().try_for_each(|error| text(error))
        }
    }
}

fn number(what: &str, found: u64, most: u64) -> Result<(), String> {
    if found > most { Err(format!("{what}: {found}, where {most} is the most")) } else { Ok(()) }
}

fn text(text: &str) -> Result<(), String> {
    number("bytes of a text", text.len() as u64, TEXT as u64)
}

fn many(what: &str, found: usize) -> Result<(), String> {
    number(what, found as u64, THINGS as u64)
}

fn rates(all: impl IntoIterator<Item = f64>) -> Result<(), String> {
    match all.into_iter().find(|rate| !(0.0..=RATE).contains(rate)) {
        Some(rate) => Err(format!("a rate of {rate}")),
        None => Ok(()),
    }
}

fn of_host(facts: &HostFacts) -> Result<(), String> {
    many("interfaces", facts.nics.len())?;
    many("disks", facts.disks.len())?;
    many("things that are missing", facts.missing.len())?;
    facts.disks.iter().try_for_each(|disk| number("bytes of a disk", disk.bytes.unwrap_or(0), STORED))
}

fn of_answer(answer: &AgentAnswer) -> Result<(), String> {
    match answer {
        AgentAnswer::Looked { seen, unseen } => {
            number("things that could not be looked at", unseen.len() as u64, LISTED)?;
            unseen.iter().try_for_each(|what| text(what))?;
            match seen {
                Ok(seen) => of_site(seen),
                Err(not) => text(&not.says),
            }
        }
        AgentAnswer::Made(Ok(())) | AgentAnswer::Echoes(Ok(_)) | AgentAnswer::Probed(Ok(None)) => Ok(()),
        // The largest packet of IPv6 with its header (RFC 2675 apart, which Linux does not send over TCP paths like these).
        AgentAnswer::Probed(Ok(Some(bytes))) => number("bytes of a packet", u64::from(*bytes), 1 << 17),
        AgentAnswer::Setup(setup) => of_setup(setup),
        AgentAnswer::Services(looks) => {
            many("gateways and metadata servers", looks.len())?;
            looks.iter().try_for_each(of_service)
        }
        AgentAnswer::RolledBack(left) => {
            number("changes that are left", left.len() as u64, LISTED)?;
            left.iter().try_for_each(|why| text(why))
        }
        AgentAnswer::Value(Ok(value)) => text(value),
        AgentAnswer::Temperature(celsius) => rates(*celsius),
        AgentAnswer::Restored(undone, left) => {
            number("changes that were undone or are left", (undone.len() + left.len()) as u64, LISTED)?;
            undone.iter().chain(left).try_for_each(|line| text(line))
        }
        AgentAnswer::Value(Err(why)) => text(why),
        AgentAnswer::Made(Err(why)) | AgentAnswer::Echoes(Err(why)) | AgentAnswer::Probed(Err(why)) => text(why),
    }
}

fn of_setup(setup: &HostSetup) -> Result<(), String> {
    text(&setup.name)?;
    setup.command_line.iter().try_for_each(|line| text(line))?;
    many("disks", setup.disks.len())?;
    many("interfaces", setup.nics.len())?;
    many("daemons", setup.daemons.len())?;
    let mounts = setup.file_mounts.as_deref().unwrap_or_default();
    number("mounted file systems", mounts.len() as u64, IN_A_SECOND)?;
    mounts.iter().flat_map(|mount| mount.options.iter().chain([&mount.at])).try_for_each(|what| text(what))
}

fn of_service(look: &ServiceLook) -> Result<(), String> {
    text(&look.daemon)?;
    text(&look.process)?;
    look.spent.values().try_for_each(|spent| number("requests", spent.times, COUNT))?;
    rates(look.spent.values().map(|spent| spent.seconds))
}

fn of_checked(checked: &Checked) -> Result<(), String> {
    let Checked { bytes, unknown, wrong, stale, torn, misplaced, flaws, read_back } = checked;
    [bytes, unknown].into_iter().try_for_each(|bytes| number("bytes that were verified", *bytes, COMPARED))?;
    [wrong, stale, torn, misplaced].into_iter().try_for_each(|blocks| number("flawed blocks", *blocks, COUNT))?;
    read_back.iter().try_for_each(|read| number("bytes that were read back", read.bytes.max(read.of), STORED))?;
    many("flaws", flaws.len())?;
    flaws.iter().try_for_each(|flaw| text(&flaw.place).and_then(|()| text(&flaw.says)))
}

fn of_site(seen: &SiteSeen) -> Result<(), String> {
    let device = seen.device.iter();
    let texts = device.clone().flat_map(|device| [Some(&device.path), device.host.as_ref(), device.model.as_ref()]);
    let cache = seen.write_cache.as_ref().map(|cache| &cache.disk);
    let holes = seen.holes.as_ref();
    texts
        .chain([seen.leads_to.as_ref(), cache, holes.map(|holes| &holes.file)])
        .flatten()
        .chain(&seen.images)
        .try_for_each(|what| text(what))?;
    many("images", seen.images.len())?;
    let found = match seen.found {
        PathKind::Device(bytes) | PathKind::File(bytes) => Some(bytes),
        PathKind::Folder | PathKind::Nothing => None,
    };
    let sizes =
        device.map(|device| device.bytes).chain([found, seen.free, holes.and_then(|holes| holes.free)]).flatten();
    sizes.into_iter().try_for_each(|bytes| number("bytes of a path", bytes, STORED))
}

fn of_window(set: &WindowSet) -> Result<(), String> {
    many("samples of a window", set.samples.len())?;
    let of = |sample: &Sample| match sample.window == set.window {
        true => of_sample(sample),
        false => Err(format!("a sample of window {} in window {}", sample.window, set.window)),
    };
    set.samples.iter().try_for_each(|(_, _, sample)| of(sample))
}

fn of_sample(sample: &Sample) -> Result<(), String> {
    number("operations", sample.ops, COUNT)?;
    number("errors", sample.errors, COUNT)?;
    number("bytes", sample.bytes, MOVED)?;
    number("ns of a sample", sample.span_ns, LONGEST)?;
    [Some(&sample.service), sample.response.as_ref(), sample.late.as_ref(), sample.first_byte.as_ref()]
        .into_iter()
        .flatten()
        .try_for_each(latencies)
}

fn latencies(all: &Sparse) -> Result<(), String> {
    number("latencies", all.count, COUNT)?;
    number("ns of all latencies", all.sum_ns, LONGEST_SUM)?;
    number("ns of the longest latency", all.max_ns, LONGEST)?;
    let mut counted = 0u64;
    for (index, count) in &all.buckets {
        number("a histogram's bucket", u64::from(index), u64::from(Sparse::buckets_most()) - 1)?;
        counted = counted.saturating_add(count);
    }
    if counted != all.count {
        return Err(format!("a histogram of {counted} latencies that says it has {}", all.count));
    }
    Ok(())
}

fn of_second(second: &HostSecond) -> Result<(), String> {
    // A slice has many of them.
    let things = [
        ("disks", second.disks.len()),
        ("interfaces", second.nics.len()),
        ("OSDs", second.osds.len()),
        ("metadata servers", second.metadata_servers.len()),
    ];
    things.into_iter().try_for_each(|(what, found)| number(what, found as u64, IN_A_SECOND))?;
    number("TCP segments", second.segments.max(second.retransmitted), COUNT)?;
    let pressure = second.pressure.unwrap_or_default();
    rates([second.at, second.seconds, second.cpu, second.steal, pressure.cpu, pressure.io, pressure.memory])?;
    for disk in &second.disks {
        rates([disk.reads, disk.writes, disk.read_bytes, disk.written_bytes, disk.queue])?;
        rates([disk.read_ms, disk.write_ms].into_iter().flatten())?;
    }
    for nic in &second.nics {
        number("packets lost", nic.lost, COUNT)?;
        rates([nic.sent, nic.received])?;
    }
    let of = second.interrupts.unwrap_or_default();
    rates([of.share, of.idle, of.others_share, of.others_idle])?;
    second.metadata_servers.iter().try_for_each(|mds| {
        text(&mds.name)?;
        rates(mds.threads.values().copied())
    })?;
    second.osds.iter().try_for_each(of_osd)
}

fn of_osd(osd: &OsdSecond) -> Result<(), String> {
    rates(osd.threads.values().chain(osd.busiest.values()).copied())?;
    let Some(all) = &osd.connections else { return Ok(()) };
    let counts = |segments: u64, retransmitted: u64, needless: Option<u64>| {
        number("TCP segments", segments.max(retransmitted).max(needless.unwrap_or(0)), COUNT)
    };
    counts(all.segments, all.retransmitted, all.needless)?;
    all.worst.iter().try_for_each(|worst| {
        text(&worst.peer)?;
        rates([worst.rtt_ms].into_iter().chain(worst.rtt_min_ms))?;
        counts(worst.segments, worst.retransmitted, worst.needless)
    })
}

fn of_end(end: &SliceEnd) -> Result<(), String> {
    let texts = [&end.broken, &end.gap].into_iter().flatten().chain(end.first_error.as_ref().map(|(_, text)| text));
    texts.into_iter().try_for_each(|one| text(one))?;
    many(
        "lanes",
        end.lanes.values().map(Vec::len).sum::<usize>() + end.lanes.len() + end.efforts.len() + end.empty_pages.len(),
    )?;
    end.lanes.values().flatten().try_for_each(|ops| number("operations of a lane", *ops, 1 << 44))?;
    let of = |effort: &Effort| {
        number("operations of lanes", effort.operations, 1 << 44)?;
        rates([effort.seconds, effort.cpu_seconds, effort.queued_seconds, effort.operation_ns])
    };
    end.efforts.values().try_for_each(of)?;
    let pages = |pages: &EmptyPages| {
        number("pages looked at", pages.looked_at, 1 << 44)?;
        number("empty pages", pages.empty, pages.looked_at)
    };
    end.empty_pages.values().try_for_each(pages)
}

/// Events per second, averaged over a longer time: an agent sends ten windows a second, one event of its kernel, and answers.
const A_SECOND: f64 = 512.0;
/// Events that may come at once: after a connection was interrupted, or as answers for many targets.
const AT_ONCE: f64 = 8192.0;

/// Limits how often an agent sends: more than a working one could send is a flood, which would keep the coordinator from the others.
pub struct Pace {
    left: f64,
    at: Instant,
}

impl Pace {
    pub fn new(now: Instant) -> Pace {
        Pace { left: AT_ONCE, at: now }
    }

    /// # Errors
    /// It sends too often.
    pub fn another(&mut self, now: Instant) -> Result<(), String> {
        self.left = (self.left + now.duration_since(self.at).as_secs_f64() * A_SECOND).min(AT_ONCE) - 1.0;
        self.at = now;
        if self.left < 0.0 { Err(format!("more than {A_SECOND} messages a second")) } else { Ok(()) }
    }
}

/// At most this many frames of one agent, and this many bytes, wait for the coordinator. Beyond that the connection is not read, and
/// the agent has to wait.
const WAITING: usize = 4096;
const WAITING_BYTES: usize = 64 << 20;
/// How often a message that waits for room calls `waits`.
const LOOK: Duration = Duration::from_millis(200);

/// What waits of one agent: messages and bytes.
#[derive(Clone, Default)]
pub struct Queue(Arc<(Mutex<(usize, usize)>, Condvar)>);

/// The place of one message in it, free again when that is taken.
pub struct QueuePlace {
    queue: Queue,
    bytes: usize,
}

impl std::fmt::Debug for QueuePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("bytes", &self.bytes).finish()
    }
}

impl Queue {
    /// Waits until there is room; calls `waits` meanwhile.
    pub fn place(&self, bytes: usize, waits: &dyn Fn()) -> QueuePlace {
        let (lock, freed) = &*self.0;
        let mut taken = lock.lock().unwrap_or_else(PoisonError::into_inner);
        while taken.0 > 0 && (taken.0 >= WAITING || taken.1 + bytes > WAITING_BYTES) {
            waits();
            taken = freed.wait_timeout(taken, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        *taken = (taken.0 + 1, taken.1 + bytes);
        QueuePlace { queue: self.clone(), bytes }
    }
}

impl Drop for QueuePlace {
    fn drop(&mut self) {
        let (lock, freed) = &*self.queue.0;
        let mut taken = lock.lock().unwrap_or_else(PoisonError::into_inner);
        *taken = (taken.0.saturating_sub(1), taken.1.saturating_sub(self.bytes));
        freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame;
    use model::facts::{BlockQueue, DaemonProcess, NicSetup};
    use model::{Connection, Connections, DriveHealth, Flaw, FlawKind};

    /// One operation in flight that takes 15 s: then its windows of 50 ms come at once, beside what the kernel counted.
    #[test]
    fn windows_that_an_operation_held_up_are_no_flood() {
        let mut now = Instant::now();
        let mut pace = Pace::new(now);
        for _ in 0..100 {
            for _ in 0..60 * 21 {
                now += Duration::from_millis(1000 / 21);
                pace.another(now).unwrap();
            }
            now += Duration::from_secs(15);
            for _ in 0..15 * 21 {
                pace.another(now).unwrap();
            }
        }
    }

    #[test]
    fn a_kind_is_known_by_its_first_byte() {
        let ended = AgentEvent::Ended { slice: 1, end: SliceEnd::default() };
        let window = AgentEvent::Window { slice: 1, set: WindowSet { window: 0, samples: Vec::new() } };
        for (news, kind) in [
            (AgentEvent::Description { facts: Box::default() }, DESCRIPTION),
            (window, WINDOW),
            (AgentEvent::Second { slice: 1, at: 1, second: Box::default() }, SECOND),
            (ended, ENDED),
            (AgentEvent::Answer { id: 1, answer: AgentAnswer::Made(Ok(())) }, ANSWER),
            (AgentEvent::Verified { slice: 1, checked: Vec::new(), error: None }, VERIFIED),
        ] {
            assert_eq!(postcard::to_stdvec(&news).unwrap()[0], kind, "{news:?}");
        }
    }

    #[test]
    fn what_a_large_host_tells_in_order_breaks_no_limit() {
        let word = || "sixteen letters!".to_string();
        let disk = BlockQueue {
            name: word(),
            model: Some(word()),
            firmware: Some(word()),
            partitions: vec![(word(), 2048), (word(), 1 << 30)],
            health: Some(DriveHealth::default()),
            ..BlockQueue::default()
        };
        let nic = NicSetup { name: word(), addresses: vec![word(); 3], ..NicSetup::default() };
        let daemon = DaemonProcess { name: word(), allocator_file: Some(word()), ..DaemonProcess::default() };
        let (disks, nics, daemons) = (vec![disk; 1000], vec![nic; 1000], vec![daemon; 1000]);
        let setup = HostSetup { disks, nics, daemons, ..HostSetup::default() };
        let (kind, place, says) = (FlawKind::Torn, word().repeat(4), word().repeat(8));
        let flaw = Flaw { kind, place, offset: 1 << 40, bytes: 4096, seconds: 1.0, says };
        let checked = Checked { flaws: vec![flaw; 10], ..Checked::default() };
        for news in [
            AgentEvent::Answer { id: 1, answer: AgentAnswer::Setup(Box::new(setup)) },
            AgentEvent::Verified { slice: 1, checked: vec![(0, checked); 1000], error: None },
        ] {
            let mut line = Vec::new();
            frame::write(&mut line, &news).unwrap();
            assert!(line.len() > 512 << 10, "{} bytes", line.len());
            let (told, _) = frame::read_counted::<AgentEvent>(&mut line.as_slice(), longest).unwrap();
            assert_eq!((check(&told), told == news), (Ok(()), true));
        }
    }

    #[test]
    fn what_an_osds_connections_did_has_limits() {
        let told = |rtt_ms: f64, retransmitted: u64| {
            let worst = Some(Connection { rtt_ms, retransmitted, ..Connection::default() });
            let connections = Some(Connections { worst, ..Connections::default() });
            let osds = vec![OsdSecond { connections, ..OsdSecond::default() }];
            check(&AgentEvent::Second {
                slice: 1,
                at: 1,
                second: Box::new(HostSecond { osds, ..HostSecond::default() }),
            })
        };
        assert_eq!(told(0.5, 7), Ok(()));
        assert!(told(f64::NAN, 7).is_err() && told(0.5, u64::MAX).is_err());
    }

    #[test]
    fn what_a_metadata_server_used_has_limits() {
        let told = |used: f64, name: usize| {
            let threads = [("ms_dispatch".to_string(), used)].into();
            let metadata_servers = vec![model::MdsSecond { name: "x".repeat(name), threads }];
            let second = Box::new(HostSecond { metadata_servers, ..HostSecond::default() });
            check(&AgentEvent::Second { slice: 1, at: 1, second })
        };
        assert_eq!(told(0.9, 5), Ok(()));
        assert!(told(f64::INFINITY, 5).is_err() && told(0.9, TEXT + 1).is_err());
    }

    #[test]
    fn no_more_pages_are_empty_than_were_looked_at() {
        let told = |looked_at, empty| {
            let end = SliceEnd { empty_pages: [(0, EmptyPages { looked_at, empty })].into(), ..SliceEnd::default() };
            check(&AgentEvent::Ended { slice: 1, end })
        };
        assert_eq!(told(9, 9), Ok(()));
        assert!(told(9, 10).unwrap_err().contains("empty pages"));
        assert!(told(u64::MAX, 1).is_err());
    }
}
