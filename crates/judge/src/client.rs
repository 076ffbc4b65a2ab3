//! Could the client that loaded several OSDs have been the limit? Its threads, and its link.

use crate::effort::QUEUED_MOST_DEEP;
use crate::entry::Entry;
use model::{Estimate, Label, Metric, Place, Record, Step};

/// What is known of the host that loaded a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadingHost {
    /// Its threads were mostly idle, and its link had room: what was measured is the OSDs'.
    Free,
    /// Nobody kept account, or its link was not measured: what was measured is the least that the OSDs supply.
    Unknown,
    /// Its threads or its link were full, or nearly.
    Limit,
}

/// All threads of a load together may take this much of one processor: librados gets the answers of a connection through one
/// thread of its own, which costs about as much.
const BUSY_MOST: f64 = 0.8;
/// Beyond this share of a link's measured rate the link may be the limit.
pub const LINK_MOST: f64 = 0.8;
/// TCP's payload on the slowest link that clusters have, 1 Gbit/s, MB/s: a link that was not measured carries that at least.
const SLOWEST_LINK: f64 = 117.0;

/// Whether the loading host was the limit of a figure that this host's threads loaded.
pub fn client(entry: &Entry, entries: &[Entry], record: &Record) -> LoadingHost {
    match (threads(entry, entries), link(entry, entries, record)) {
        (LoadingHost::Limit, _) | (_, LoadingHost::Limit) => LoadingHost::Limit,
        (LoadingHost::Free, LoadingHost::Free) => LoadingHost::Free,
        _ => LoadingHost::Unknown,
    }
}

/// The whole step's threads, of which the figure may be a part.
fn threads(entry: &Entry, entries: &[Entry]) -> LoadingHost {
    let of_step = || entries.iter().filter(|other| other.step.id == entry.step.id);
    if of_step().any(|other| matches!(other.figure.label, Label::GeneratorLimited(_))) {
        return LoadingHost::Limit;
    }
    let whole = of_step().find(|other| other.target.is_none()).unwrap_or(entry);
    let Some(effort) = &whole.figure.effort else { return LoadingHost::Unknown };
    let busy = effort.busy * threads_of(whole.step);
    if effort.queued > QUEUED_MOST_DEEP || busy > BUSY_MOST { LoadingHost::Limit } else { LoadingHost::Free }
}

fn threads_of(step: &Step) -> f64 {
    (step.targets.len() * step.workload.jobs.max(1) as usize) as f64
}

pub fn link(entry: &Entry, entries: &[Entry], record: &Record) -> LoadingHost {
    let here = record.scope.hosts.iter().find(|host| host.here).map(|host| host.name.as_str());
    let near = |host: Option<&str>| here.is_some() && host == here;
    if !entry.step.targets.is_empty() && entry.step.targets.iter().all(|target| near(target.host.as_deref())) {
        return LoadingHost::Free;
    }
    let Some(sent) = traffic(entry) else { return LoadingHost::Unknown };
    match measured_link(entries, here) {
        Some(link) if sent.high > LINK_MOST * link.low => LoadingHost::Limit,
        None if sent.high > LINK_MOST * SLOWEST_LINK => LoadingHost::Unknown,
        _ => LoadingHost::Free,
    }
}

/// MB/s of data.
fn traffic(entry: &Entry) -> Option<Estimate> {
    let own = entry.usable()?;
    let factor = match entry.figure.metric {
        Metric::Bandwidth => 1.0,
        Metric::Iops => entry.step.workload.mean_bytes() / 1e6,
        Metric::LatencyMean | Metric::Rtt => return None,
    };
    Some(Estimate { value: own.value * factor, low: own.low * factor, high: own.high * factor })
}

/// The quickest of the links of the host on which Fathom runs to other hosts, measured with several streams.
fn measured_link(entries: &[Entry], here: Option<&str>) -> Option<Estimate> {
    let here = here?;
    let links = entries.iter().filter(|entry| {
        let Some(Place::Pair { from, to, .. }) = entry.place() else { return false };
        let of_here = (from.host == here) != (to.host == here);
        entry.figure.layer.of_links() && of_here && several_streams(entry) && entry.figure.at_once == 1
    });
    links.filter_map(Entry::usable).max_by(|a, b| a.low.total_cmp(&b.low))
}

/// One stream says little on what several connections can do.
pub fn several_streams(entry: &Entry) -> bool {
    let workload = &entry.step.workload;
    entry.figure.metric == Metric::Bandwidth && workload.depth.max(workload.jobs) > 1
}
