//! Where operations wait, as soon as OSDs complain of slow ones: a step that they end would else tell only that there were some.

use super::{Probe, SliceDone, Sources};
use cluster::Cluster;
use cluster::ops_in_flight::held;
use cluster::watch::Watch;
use model::{HeldOperations, Observation, Step};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

/// Each answer lists all that an OSD has in flight; in larger clusters this many are asked, whichever they are.
const OSDS_MOST: usize = 256;
/// What has not answered by then is one that hangs.
const LONGEST: Duration = Duration::from_secs(5);

struct Held<'a> {
    cluster: &'a Cluster,
    watch: &'a Watch,
    up: Vec<u32>,
    seen: bool,
    /// One complaint is looked into once: it stands for minutes.
    done: bool,
}

pub fn start<'a>(sources: &Sources<'a>) -> Option<Box<dyn Probe + 'a>> {
    Some(Box::new(Held::of(sources)?))
}

impl Probe for Held<'_> {
    fn begin(&mut self, _: &Step) {
        self.seen = false;
        self.done &= self.watch.seen().slow.is_some();
    }

    fn look(&mut self) {
        self.seen |= self.watch.seen().slow.is_some();
    }

    fn end(&mut self, _: &SliceDone) -> Vec<Observation> {
        if self.done || !(self.seen || self.watch.seen().slow.is_some()) {
            return Vec::new();
        }
        self.done = true;
        vec![self.answers()]
    }
}

/// The same without a slice, as after data were written that steps stand on; `None`: no OSD complains.
pub fn now(sources: &Sources) -> Option<Observation> {
    let held = Held::of(sources)?;
    held.watch.seen().slow.is_some().then(|| held.answers())
}

impl<'a> Held<'a> {
    fn of(sources: &Sources<'a>) -> Option<Held<'a>> {
        let watch = sources.watch?;
        let up = sources.scope.osds.iter().filter(|osd| osd.up).map(|osd| osd.id).take(OSDS_MOST).collect();
        Some(Held { cluster: sources.cluster, watch, up, seen: false, done: false })
    }

    /// Each is asked in a thread of its own, which lasts as long as the command.
    fn answers(&self) -> Observation {
        let (send, answers) = channel();
        for osd in self.up.iter().copied() {
            let (cluster, send) = (self.cluster.clone(), send.clone());
            thread::spawn(move || drop(send.send((osd, held(&cluster, osd)))));
        }
        drop(send);
        let (deadline, mut silent, mut found) = (Instant::now() + LONGEST, self.up.clone(), Vec::new());
        while let Ok((osd, answer)) = answers.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            silent.retain(|waited| *waited != osd);
            found.extend(answer);
        }
        Observation::HeldOperations(HeldOperations { osds: found, silent })
    }
}
