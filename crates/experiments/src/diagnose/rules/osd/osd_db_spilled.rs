//! Databases that lay on the device of the data in part while figures were measured.

use super::osd_spillover;
use crate::diagnose::facts::each;
use crate::diagnose::{Area, Case, Explains, Matters, Rule, Source, Suspect, Tried};
use model::{DatabaseLook, Phrase, Standing, Subject, phrase};
use std::collections::BTreeMap;

pub static RULE: Rule = Rule {
    id: "osd-db-spilled",
    about: Area::Osd,
    what: "While figures were measured, the database of an OSD lay on the device of its data in part (spillover), though it has a device of its own.",
    why: "Lookups of metadata and compactions then wait for the slower device, and load it.",
    evidence: "slow_used_bytes of bluefs is above 0 at the end of a slice, of an OSD that was looked at. What it costs is what RocksDB read there meanwhile (read_disk_bytes_slow, \
               read_random_disk_bytes_slow), which 16.2 does not count; bytes_written_slow reads 0 in many releases, and is not used.",
    sources: &[
        "Ceph's documentation, \"BlueStore Configuration Reference\"",
        "Ceph's documentation, \"Health checks\"",
    ],
    needs: &[Source::Compactions],
    suspect,
    test: None,
    explains: &[Explains { rule: &osd_spillover::RULE, which: "that of the cluster", follows: |_, _, _| true }],
    fix: osd_spillover::FIX,
    special_fixes: &[],
    risk: osd_spillover::RISK,
    confirm: "measure reads that miss the caches, and writes, once more after the database was compacted or its device has grown, and compare (fathom compare)",
    matters: Matters::Much,
    tried: Tried::Machines,
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let mut looks: BTreeMap<u32, DatabaseLook> = BTreeMap::new();
    let all = case.record.compactions().flat_map(|seen| &seen.osds);
    for (osd, database) in all.filter_map(|looks| Some((looks.osd, looks.database?))) {
        let before = looks.remove(&osd);
        looks.insert(osd, before.map_or(database, |before| before.then(database)));
    }
    let spilled: Vec<(u32, Phrase)> =
        looks.iter().filter_map(|(osd, database)| Some((*osd, database.spillover()?))).collect();
    let subject = match spilled.as_slice() {
        [] => return Vec::new(),
        [(only, _)] => Subject::Osd(*only),
        _ => Subject::Several { name: "osd.*".to_string() },
    };
    let names = each(spilled.iter().map(|(osd, _)| format!("osd.{osd}")));
    let says = phrase!(
        "{} of {} databases with a device of their own lie on that of the data in part",
        spilled.len(),
        looks.len()
    );
    let evidence = spilled.into_iter().map(|(osd, says)| phrase!("{}: {}", Subject::Osd(osd), says)).collect();
    let suspect = Suspect::new(subject, Standing::Hint, phrase!("{}: {}", says, names), Phrase::default());
    vec![Suspect { evidence, ..suspect }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::Made;
    use crate::diagnose::testing::{suspects, text};
    use model::{Compaction, Observation, OsdLooks, Record, StepId};

    fn record(spilled: [Option<u64>; 3]) -> Record {
        let mut record = Made::cluster().record;
        for pass in 1..=2 {
            let looks = |osd: usize| OsdLooks {
                osd: osd as u32,
                looks: Vec::new(),
                reads: None,
                database: spilled[osd].map(|spilled| DatabaseLook {
                    size: 2 << 30,
                    used: 1 << 30,
                    spilled: spilled * u64::from(pass),
                    grown: spilled,
                    read: Some(4 << 20),
                    read_spilled: Some(1 << 20),
                }),
            };
            let osds = (0..3).map(looks).collect();
            record.observations.push(Observation::Compaction(Compaction { step: StepId(0), pass, osds, of: 3 }));
        }
        record
    }

    #[test]
    fn it_is_told_of_which_osds_how_much_and_at_what_price() {
        let found = suspects(&RULE, &record([Some(0), Some(3 << 20), None]));
        assert_eq!((found.len(), found[0].subject.clone(), found[0].standing), (1, Subject::Osd(1), Standing::Hint));
        assert_eq!(
            text(&found[0].says),
            "1 of 2 databases with a device of their own lie on that of the data in part: osd.1"
        );
        let evidence: Vec<String> = found[0].evidence.iter().map(text).collect();
        assert_eq!(
            evidence,
            [
                "osd.1: 6 MiB of its database lie on the device of its data, 6 MiB of it since the slices began (of its own device 1 GiB of 2 GiB are in use); \
              25 % of the 8 MiB that RocksDB read meanwhile came from there"
            ]
        );
        let several = suspects(&RULE, &record([Some(1), Some(3 << 20), None]));
        assert_eq!((several[0].subject.to_string(), several[0].evidence.len()), ("osd.*".to_string(), 2));
    }

    #[test]
    fn databases_on_their_own_devices_and_those_with_their_data_are_not() {
        assert!(suspects(&RULE, &record([Some(0), Some(0), None])).is_empty());
        assert!(suspects(&RULE, &record([None, None, None])).is_empty());
    }
}
