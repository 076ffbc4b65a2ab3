//! An OSD whose database and log lie on a device of their own that is slow.

use super::by_position::every;
use super::devices::WaitsOn;
use super::{osd_holds_operations, osd_slow, osd_store_slow};
use crate::diagnose::{Area, Case, Explains, Rule, Source, Suspect, Tried};
use model::{Standing, phrase};

pub static RULE: Rule = Rule {
    id: "osd-db-slow",
    about: Area::Osd,
    what: "The device of an OSD's database and log (block.db, block.wal) is slow, and that of its data is not.",
    why: "Every write waits until RocksDB's log is durable on that device.",
    evidence: "The OSD's store takes long to make writes durable, by the same bounds as of osd-store-slow; its database or log has a device of its own; and of the time by which its commits take \
               longer than the median of the others, at least eight tenths are in writes of RocksDB's log (kv_commit_lat), which lies there, and not on the device of its data \
               (state_aio_wait_lat, kv_flush_lat). Of an OSD whose database has spilled over this is not told: its log may lie there as well.",
    sources: &[
        "docs/method.md, \"By position\"",
        "BlueStore.cc, _kv_sync_thread: what kv_flush_lat and kv_commit_lat time",
    ],
    needs: &[Source::Positions],
    suspect,
    test: None,
    explains: &[
        Explains {
            rule: &osd_slow::RULE,
            which: "that of the same OSD, where this one is certain",
            follows: |cause, slow, _| cause.standing == Standing::Confirmed && cause.subject == slow.subject,
        },
        osd_holds_operations::FOLLOWS,
    ],
    fix: "look at the device of its database, not at its disk: who else uses it (other OSDs' databases: iostat -x 1 on its host), its wear, firmware, link and write cache (fathom disk DEVICE --fit on a \
          free part of it), limits of block I/O in the OSD's cgroup; then move the database to a device that is fit (ceph-volume lvm migrate)",
    special_fixes: &[],
    risk: "the OSD is down while its database moves",
    confirm: "fathom store OSD --details shows both devices apart, beside its peers'",
    tried: Tried::Machines,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let of_one = |slow: &super::by_position::Slow| {
        let waits = slow.waits(case).filter(|waits| waits.on == WaitsOn::Log)?;
        let says = |how: model::Phrase| phrase!("{}: {}", how, waits.says());
        let mut suspect = osd_store_slow::of_store(slow, case, says)?;
        suspect.evidence.push(waits.evidence());
        Some(suspect)
    };
    every(case).iter().filter_map(of_one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::by_position_cases::*;
    use model::CommitParts;

    fn told(own: CommitParts, apart: bool) -> [Vec<String>; 2] {
        let all = with_parts(positions(|osd| if osd == 1 { SLOW_DISK } else { NOTHING }), own);
        let devices = |id: u32| if apart && id == 1 { Some(("loop4", "loop5")) } else { None };
        [&RULE, &osd_store_slow::RULE].map(|rule| {
            let told = told_of_devices(rule, &all, devices);
            told.into_iter().map(|(_, says)| says).collect()
        })
    }

    const NOBODY: Vec<String> = Vec::new();

    #[test]
    fn a_slow_database_device_is_told_from_a_slow_disk() {
        let says = "osd.1's store commits slowly in bursts: the device of its database and log (loop5), not that of its data (loop4)";
        assert_eq!(told(CommitParts { data: 0.3, log: 21.0 }, true), [vec![says.to_string()], NOBODY]);
        let says = "osd.1's store commits slowly in bursts: the device of its data (loop4), not that of its database and log (loop5)";
        assert_eq!(told(CommitParts { data: 21.0, log: 0.3 }, true), [NOBODY, vec![says.to_string()]]);
    }

    #[test]
    fn where_both_wait_or_there_is_one_device_only_the_store_is_told() {
        let store = vec!["osd.1's store commits slowly in bursts: its disk, or what limits it".to_string()];
        assert_eq!(told(CommitParts { data: 9.0, log: 12.0 }, true), [NOBODY, store.clone()]);
        assert_eq!(told(CommitParts { data: 0.3, log: 21.0 }, false), [NOBODY, store]);
    }

    #[test]
    fn nobody_is_suspected_where_nothing_is_slow() {
        let all = with_parts(positions(|_| NOTHING), CommitParts { data: 0.3, log: 21.0 });
        assert!(told_of_devices(&RULE, &all, |_| Some(("loop4", "loop5"))).is_empty());
    }
}
