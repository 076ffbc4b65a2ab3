//! An NFS server that gives little more to many operations in flight than to one.

use crate::diagnose::facts::prelude::*;
use crate::diagnose::{Suspect, Tried};
use judge::Entry;
use model::{Estimate, Pattern, Place, Standing};

pub static RULE: Rule = Rule {
    id: "fs-nfs-depth",
    about: Area::CephFs,
    what: "An NFS server gives far less to many operations in flight, beside one at a time, than the file system behind it does.",
    why: "What many jobs do at once queues in the server (its threads, its one client of the file system), while the metadata server and the OSDs would do it side by side. In a \
          published comparison NFS fell behind from 16 to 32 operations in flight on.",
    evidence: "Operations a second with many in flight, times what one takes alone, is how many of them go on side by side (Little's law). By NFS that is, beyond both intervals, less than half \
               of what it is by libcephfs, for writes or for reads of the same run with as many in flight.",
    sources: &[
        "\"Ceph性能测试\" (performance tests of Ceph Octopus, 2020): NFS below CephFS and RBD, and not faster with more OSDs",
        "J. Little, 1961, \"A proof for the queuing formula L = λW\"",
    ],
    needs: &[Source::Figures],
    suspect,
    fix: "mount the file system by CephFS's own client where hosts can; else give the NFS server more threads (nfs-ganesha: NFS_CORE_PARAM, RPC_Ioq_ThrdMax) and processors, or have more \
          servers, each with a part of the clients",
    risk: "more threads take more memory; another server has clients mount anew",
    confirm: "fathom sweep file nfs://HOST/FOLDER --patterns write-parallel --axis jobs=1..128, and the same with --cephfs NAME",
    matters: Matters::Some,
    tried: Tried::Facts,
    ..Rule::USUAL
};

/// One at a time, and many.
const PAIRS: [(Pattern, Pattern); 2] =
    [(Pattern::WriteLatency, Pattern::WriteParallel), (Pattern::ReadLatency, Pattern::ReadParallel)];
/// Beside the file system behind it.
const CLEARLY: f64 = 0.5;

fn suspect(case: &Case) -> Vec<Suspect> {
    let found = PAIRS.into_iter().flat_map(|pair| {
        let behind = entry(case, pair.1, |place| matches!(place, Place::Cephfs { .. }))
            .and_then(|many| Some((many.step.workload.depth, side_by_side(case, pair, many)?)));
        let served = case.entries.iter().filter(move |entry| {
            entry.is_of(pair.1) && matches!(entry.loads(), Some(Place::Nfs { of_cluster: true, .. }))
        });
        served.filter_map(move |many| {
            let (depth, behind) = behind?;
            let own = side_by_side(case, pair, many).filter(|_| many.step.workload.depth == depth)?;
            (own.high < CLEARLY * behind.low).then(|| suspected(many, (depth, own, behind)))
        })
    });
    let mut all: Vec<Suspect> = Vec::new();
    for one in found {
        if !all.iter().any(|known| known.subject == one.subject) {
            all.push(one);
        }
    }
    all
}

fn suspected(many: &Entry, (depth, own, behind): (u32, Estimate, Estimate)) -> Suspect {
    let subject = Subject::Thing { layer: many.figure.layer, name: many.door().to_string() };
    let says = phrase!("{} does far less side by side than the file system behind it", subject.clone());
    let evidence = phrase!(
        "{}, {} in flight: {} as much as one at a time, and {} by libcephfs",
        many.figure.pattern.name(),
        Quantity::Count(depth.into()),
        Quantity::Times(own.value),
        Quantity::Times(behind.value)
    );
    Suspect::new(subject, Standing::Hint, says, evidence)
}

fn entry<'c>(case: &'c Case<'c>, pattern: Pattern, of: impl Fn(&Place) -> bool) -> Option<&'c Entry<'c>> {
    case.entries.iter().find(|entry| entry.is_of(pattern) && entry.loads().is_some_and(&of))
}

/// How many operations go on side by side: a rate of many in flight, times what one takes alone through the same door.
fn side_by_side(case: &Case, (one, _): (Pattern, Pattern), many: &Entry) -> Option<Estimate> {
    let alone = case.entries.iter().find(|entry| entry.is_of(one) && entry.door() == many.door())?;
    let (rate, ms) = (many.usable()?, alone.usable()?);
    let times = |rate: f64, ms: f64| rate * ms / 1000.0;
    Some(Estimate { value: times(rate.value, ms.value), low: times(rate.low, ms.low), high: times(rate.high, ms.high) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::{Made, target};
    use crate::diagnose::testing::{suspects, text};
    use model::{Target, testing};

    fn by_nfs() -> Target {
        let export = "nfs://server/cephfs".parse().unwrap();
        let place = Place::Nfs { export, path: "/fathom.x.nfs1".into(), of_cluster: true };
        target(testing::folders(), "nfs://server/cephfs", None, place)
    }

    fn by_libcephfs() -> Target {
        let place = Place::Cephfs { file_system: "cephfs".into(), path: "/fathom.x.files".into(), data_pool: None };
        target(testing::folders(), "cephfs (libcephfs)", None, place)
    }

    /// Writes of 2 ms one at a time through both; this many a second by NFS, and 20,000 by libcephfs.
    fn writes(by_server: f64) -> Made {
        let mut made = Made::cluster();
        made.measured(Pattern::WriteLatency, by_nfs(), 2.0).measured(Pattern::WriteLatency, by_libcephfs(), 2.0);
        made.delivers(Pattern::WriteParallel, by_nfs(), by_server);
        made.delivers(Pattern::WriteParallel, by_libcephfs(), 20_000.0);
        made
    }

    #[test]
    fn a_server_that_does_less_side_by_side_is_suspected() {
        let found = suspects(&RULE, &writes(4_000.0).record);
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.standing, one.subject.to_string().as_str()), (Standing::Hint, "nfs://server/cephfs"));
        let told = text(&one.evidence[0]);
        assert!(told.contains("write-parallel, 128 in flight") && told.contains("by libcephfs"), "{told}");
    }

    #[test]
    fn a_server_that_is_slower_alike_or_as_good_is_not() {
        assert!(suspects(&RULE, &writes(15_000.0).record).is_empty());
        let mut slow = Made::cluster();
        slow.measured(Pattern::WriteLatency, by_nfs(), 10.0).measured(Pattern::WriteLatency, by_libcephfs(), 2.0);
        slow.delivers(Pattern::WriteParallel, by_nfs(), 4_000.0);
        slow.delivers(Pattern::WriteParallel, by_libcephfs(), 20_000.0);
        assert!(suspects(&RULE, &slow.record).is_empty());
    }

    #[test]
    fn nothing_is_suspected_where_one_of_both_is_missing() {
        let mut alone = Made::cluster();
        alone.measured(Pattern::WriteLatency, by_nfs(), 2.0).delivers(Pattern::WriteParallel, by_nfs(), 4_000.0);
        assert!(suspects(&RULE, &alone.record).is_empty());
        let mut many = Made::cluster();
        many.delivers(Pattern::WriteParallel, by_nfs(), 4_000.0);
        many.delivers(Pattern::WriteParallel, by_libcephfs(), 20_000.0);
        assert!(suspects(&RULE, &many.record).is_empty());
    }
}
