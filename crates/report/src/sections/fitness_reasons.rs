//! Why a drive is judged as it is: each reason in words.

use super::fitness::{between, is_known};
use crate::numbers;
use model::fitness::slowest_durable;
use model::shell::word;
use model::{DriveFound, Fitness, FitnessReason, Metric, osds_named};

/// One reason, in words.
pub(crate) fn because(drive: &DriveFound, reason: &FitnessReason) -> String {
    match reason {
        FitnessReason::Rotates => {
            if let Some(turns) = turns_behind_cache(drive) {
                return format!(
                    "its medium turns {} times a minute, so that its reads, which are faster, come from a cache of the controller or of the \
                     drive; what does not fit into that is as slow as a disk, and it is judged as one: WAL and DB of its OSD belong on an SSD",
                    numbers::count(u64::from(turns))
                );
            }
            let read = drive.reads[0].filter(is_known).map(|reads| numbers::rough(1e3 / reads.value));
            let read = read.map_or(String::new(), |ms| format!(" ({ms} ms at random)"));
            format!("its reads are as slow as a disk's{read}, and it is judged as one: WAL and DB of its OSD belong on an SSD")
        }
        FitnessReason::Sleeps { pause_ms, rested_ms, ms } => format!(
            "a read after a pause of {} ms takes {} ms, and {} ms without: it saves power in between (NVMe: nvme_core.default_ps_max_latency_us=0; \
             SATA: link_power_management_policy=max_performance, hdparm -B 255)",
            numbers::rough(*pause_ms),
            numbers::rough(*rested_ms),
            numbers::rough(*ms)
        ),
        FitnessReason::FallsWhenFull { after, from, to } => format!(
            "large writes in order fall from {} to {} MB/s after {} without pause, when its cache is full",
            numbers::rough(*from),
            numbers::rough(*to),
            numbers::bytes(*after)
        ),
        FitnessReason::SlowerWhenSteady { filled, first, steady } => format!(
            "small random writes go on at {} a second once they are steady{}, and began at {}: count on the steady rate",
            numbers::rough(*steady),
            filled_to(*filled),
            numbers::rough(*first)
        ),
        FitnessReason::PartWritten { filled, covered } => format!(
            "small random writes had reached only {} % of the working set{} when they ended, so that it is not known whether they are \
             steady: write all of it before (--fill-levels 100), or give them longer (--for) and more to write (--volume)",
            numbers::rough(covered * 100.0),
            filled_to(*filled)
        ),
        FitnessReason::NotSteady { filled } => {
            format!("small random writes{} were not steady when they ended: give them longer (--for)", filled_to(*filled))
        }
        FitnessReason::SlowReads { ms } => format!(
            "a random read takes {} ms, longer than flash or an idle disk needs: something holds it back, as a limit, a network or a path that fails",
            numbers::rough(*ms)
        ),
        FitnessReason::NothingEmptied => "durable writes are about as fast as others: it is protected against power loss, or its \
                                          writes are not durable at all; no test can tell these two apart without cutting the power"
            .to_string(),
        FitnessReason::FasterThanFlash => "durable writes are faster than flash could keep them one by one: it is protected against power \
                                           loss, or its writes are not durable at all; no test can tell these two apart without \
                                           cutting the power"
            .to_string(),
        FitnessReason::CacheEmptied => "a durable write takes far longer than another one, since a volatile cache is emptied for it: \
                                        it has no protection against power loss, or would do better with its write cache off"
            .to_string(),
        FitnessReason::SoonerThanMedium { per_second } => format!(
            "more than {} durable writes a second are more than a medium can turn for: a cache of the controller or of the drive \
             keeps them; they are safe if that has a battery or flash of its own, and as fast only until it is full",
            numbers::rough(*per_second)
        ),
        FitnessReason::WaysDiffer { factor } => format!(
            "O_DSYNC and fdatasync differ by {} times, though both are to make a write durable: the quicker one may do nothing, so \
             the slower one counts",
            numbers::rough(*factor)
        ),
        FitnessReason::SlowerThanDisks { least } => format!(
            "fewer than {} durable writes a second, which every disk makes that is not shingled (SMR) or broken",
            numbers::count(*least as u64)
        ),
        FitnessReason::SlowerThanJournals { least, protected } => format!(
            "fewer durable writes than the {} a second that journals and metadata are to have ({} do where that is at least a fifth of the \
             writes that need not be durable): put WAL and DB on another drive",
            numbers::rough(*least),
            numbers::rough(*protected)
        ),
        FitnessReason::SlowerThanOsds { least } => format!(
            "fewer durable writes than the {} a second that an OSD's own software does with one operation in flight: the drive would \
             hold it back",
            numbers::rough(*least)
        ),
        FitnessReason::CacheOffHelps { factor, then } => {
            let then = if *then == Fitness::Open { String::new() } else { format!(", and is {} then", then.name()) };
            let times = numbers::rough(*factor);
            format!("with its write cache off it makes {times} times as many durable writes{}{then}", switched(drive))
        }
        FitnessReason::CacheOffSlower { factor } => format!(
            "with its write cache off it makes fewer durable writes, by a factor of {}{}",
            numbers::rough(*factor),
            switched(drive)
        ),
        FitnessReason::CacheOffDoesNotHelp => format!("switching its write cache off does not help{}", switched(drive)),
        FitnessReason::CacheOffUnknown => {
            format!("whether switching its write cache off helps is not known{}", switched(drive))
        }
        FitnessReason::CacheOnHelps { factor, then } => {
            let then = if *then == Fitness::Open { String::new() } else { format!(", and is {} then", then.name()) };
            let times = numbers::rough(*factor);
            format!("its write cache is off; with it on it makes {times} times as many durable writes{}{then}", switched(drive))
        }
        FitnessReason::CacheNotFlushed => "its write cache is on, and the kernel takes it for write through and never flushes it: what is \
                                           said to be durable is lost with the power"
            .to_string(),
        FitnessReason::Failed { operations, of, first } => format!(
            "{operations} of {} failed{}: an OSD ends at the first one that its drive refuses",
            numbers::counted(*of, "operation", "operations"),
            first.as_ref().map_or(String::new(), |first| format!(" ({first})"))
        ),
        FitnessReason::Failing => "the drive itself expects to fail (smartctl -x), whatever its figures are".to_string(),
        FitnessReason::Unreadable { sectors } => {
            format!("{} could not be read and wait to be replaced (pending sectors)", numbers::counted(*sectors, "sector", "sectors"))
        }
        FitnessReason::MediumErrors { errors } => format!("{} of its medium were not mended", numbers::counted(*errors, "error", "errors")),
        FitnessReason::Reallocated { sectors } => {
            format!("{} were replaced; a number that grows is a drive that fails", numbers::counted(*sectors, "sector", "sectors"))
        }
        FitnessReason::Worn { percent } => {
            format!("{} % of the endurance that its maker promises are used up", numbers::rough(*percent))
        }
        FitnessReason::SlowLink { now, most } => format!(
            "its PCIe link runs at {} GT/s with {} lanes and could run at {} GT/s with {}: look at the slot, the riser and their settings",
            numbers::rough(now.0),
            now.1,
            numbers::rough(most.0),
            most.1
        ),
        FitnessReason::SlowerThanTwins { what, slower_by, others } => {
            let slower = numbers::rough(slower_by * 100.0);
            format!("{what}: {slower} % slower than the median of the other {others} of its model; compare firmware, link and health")
        }
        FitnessReason::NotMeasured { what, why } => {
            let why = why.as_ref().map_or(String::new(), |why| format!(" ({why})"));
            format!("{what} have no usable figure{why}, without which nothing is said of it")
        }
        FitnessReason::Undecided { either, or, low, high } => format!(
            "either {}, or {}: it makes {} durable writes a second",
            either.name(),
            or.name(),
            between(*low, high.unwrap_or(f64::INFINITY))
        ),
        FitnessReason::ReadsUndecided { either, or, low_ms, high_ms } => {
            let up_to = high_ms.map_or("more".to_string(), numbers::rough);
            format!(
                "either {}, or {}: a random read takes {} to {up_to} ms, and from 2 ms on it is judged as a disk",
                either.name(),
                or.name(),
                numbers::rough(*low_ms)
            )
        }
        FitnessReason::RanHot { celsius, most } => format!(
            "it was {} °C hot while it was measured, and its maker wants less than {}: it may have slowed itself down; cool it, and \
             measure it again",
            numbers::rough(*celsius),
            numbers::rough(*most)
        ),
        FitnessReason::Beside { osds } => format!(
            "it lies on the disk of {}, which served {} cluster meanwhile: without that load it may do better than this",
            osds_named(osds),
            if osds.len() > 1 { "their" } else { "its" }
        ),
        FitnessReason::CacheNotTried => match trial_without_cache(drive) {
            Some(command) => format!(
                "its write cache is on and was not switched off, since other things are on the drive: `{command}` tries that, with the \
                 OSDs of the drive, and puts it back"
            ),
            None => "its write cache is on and was not switched off, since other disks have the same one (namespaces of one controller, \
                     paths to one drive)"
                .to_string(),
        },
        FitnessReason::HeldBack { loads, of } => format!(
            "{loads} of {of} loads waited for the processors of the host that put them on: stop what else runs there"
        ),
    }
}

/// The command that tries a drive without its write cache where other things are on it; `None`: other disks have the same cache, and no run
/// switches it.
pub(crate) fn trial_without_cache(drive: &DriveFound) -> Option<String> {
    let cache = drive.cache.as_ref().filter(|cache| !cache.shared)?;
    Some(match drive.other_host() {
        // On this host the same name would be another drive.
        Some(host) => {
            let change = word(&format!("host:{host}/drive-cache.{}=off", cache.disk));
            format!("fathom prove {change} --osd-hosts {}", word(host))
        }
        None => {
            format!("fathom prove drive-cache=off --device {}", word(&format!("/dev/{}", cache.disk.replace('!', "/"))))
        }
    })
}

/// How fast it turns, where reads are faster than that.
fn turns_behind_cache(drive: &DriveFound) -> Option<u16> {
    let turns = drive.about.as_ref()?.queue.turns_a_minute?;
    // Half a turn, at random.
    let half_ms = 60e3 / f64::from(turns) / 2.0;
    let known = drive.reads[0].filter(is_known)?;
    (1e3 / known.value < half_ms).then_some(turns)
}

/// ` with 90 % of it full`
fn filled_to(percent: Option<u8>) -> String {
    percent.map_or(String::new(), |percent| format!(" with {percent} % of it full"))
}

/// `: 25,100 ±2 % a second`
fn switched(drive: &DriveFound) -> String {
    let known = slowest_durable(&drive.switched).filter(|(_, rate)| is_known(rate));
    known.map_or(String::new(), |(_, rate)| format!(": {} a second", numbers::figure(&rate, Metric::Iops).plain()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::WriteCache;

    fn with_cache(target: &str, shared: bool) -> DriveFound {
        let cache = WriteCache {
            disk: "sdb".into(),
            on: true,
            flushed: true,
            alone: false,
            shared,
            identity: Some("naa.5".into()),
        };
        DriveFound {
            target: target.to_string(),
            host: None,
            model: None,
            about: None,
            through_file: false,
            beside: Vec::new(),
            fitness: Fitness::Unfit,
            reasons: vec![FitnessReason::CacheNotTried],
            cache: Some(cache),
            writes: Vec::new(),
            switched: Vec::new(),
            reads: [None; 2],
            mixed: [None; 2],
            rested: Vec::new(),
            temperatures: Vec::new(),
            linear: [None; 2],
            one_osd: None,
            serves: None,
        }
    }

    #[test]
    fn a_cache_is_tried_on_the_drives_own_host_and_not_where_it_is_shared() {
        let command = |target: &str, shared: bool| trial_without_cache(&with_cache(target, shared));
        assert_eq!(command("/dev/sdb4", false).as_deref(), Some("fathom prove drive-cache=off --device /dev/sdb"));
        let other = command("b7:/dev/sdb4", false);
        assert_eq!(other.as_deref(), Some("fathom prove host:b7/drive-cache.sdb=off --osd-hosts b7"));
        let by_path = command("/dev/disk/by-path/pci-0000:00:1f.2", false);
        assert_eq!(by_path.as_deref(), Some("fathom prove drive-cache=off --device /dev/sdb"));
        assert_eq!(command("b7:/dev/sdb4", true), None);
        let said = because(&with_cache("b7:/dev/sdb4", true), &FitnessReason::CacheNotTried);
        assert!(said.contains("other disks have the same one") && !said.contains("fathom prove"), "{said}");
    }
}
