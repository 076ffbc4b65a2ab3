//! Operations that slow down while RocksDB writes its tables. One for all figures: the cause is the same.

use crate::diagnose::{Area, Case, Rule, Source, Suspect};
use judge::Entry;
use model::{Phrase, Standing, Subject, phrase};

pub static RULE: Rule = Rule {
    id: "compaction-dips",
    about: Area::Osd,
    what: "Operations slow down while RocksDB compacts, or writes tables before that.",
    evidence: "At least two of a figure's dips lie in seconds in which tables were written, more than chance allows; or its level is lower in such seconds by 10 % and \
               more, by the lower end of the interval. Chance: 1 % for all figures of the run together.",
    sources: &["docs/method.md, \"Compactions\""],
    needs: &[Source::Compactions],
    suspect,
    test: None,
    explains: &[],
    fix: "put block.db on a faster device, give it room for the next level, or spread the omap load over more OSDs; what is in step \
          need not be the cause: measure before and after (fathom run, then fathom compare)",
    special_fixes: &[],
    risk: "an OSD whose block.db is moved is down meanwhile",
    confirm: "let the OSD compact when nothing else goes on (ceph tell osd.N compact), and measure again (fathom run, then fathom compare)",
    ..Rule::USUAL
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let evidence: Vec<Phrase> = case.entries.iter().filter_map(evidence).collect();
    let Some(first) = evidence.first().cloned() else { return Vec::new() };
    let subject = Subject::Several { name: "osd.*".to_string() };
    let says = "operations slow down while RocksDB compacts".into();
    vec![Suspect { evidence, ..Suspect::new(subject, Standing::Hint, says, first) }]
}

fn evidence(entry: &Entry) -> Option<Phrase> {
    let blamed = entry.figure.background.as_ref()?.blamed()?;
    Some(phrase!("{} {}: {}", entry.figure.target.as_str(), entry.figure.pattern.name(), blamed))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing::made::{Made, WINDOW, pool};
    use crate::diagnose::testing::{findings, one, text, told};
    use model::testing;
    use model::{Compaction, OpClass, OsdLooks, Pattern, Record, Sample, Slice, StepId, StoreActivity};

    /// Two slices of 12 s: in these seconds it is slow, and in those OSD 1 wrote tables.
    fn record(slow: [&[u32]; 2], busy: [&[u32]; 2], rate: f64) -> Record {
        let mut made = Made::cluster();
        made.step(Pattern::WriteParallel, vec![pool()]);
        let ops = |window: u32, slow: &[u32]| {
            if slow.contains(&(window / 10)) { rate } else { 1000.0 + f64::from(window % 7) }
        };
        let slice = |pass: u32, slow: &[u32]| Slice {
            target: Some(0),
            kind: OpClass::Write,
            started_seconds: f64::from(pass) * 60.0,
            ..testing::slice(
                StepId(0),
                pass,
                WINDOW,
                (0..120)
                    .map(|window| {
                        let ops = ops(window, slow) as u64;
                        Sample { window, span_ns: WINDOW, ops, bytes: ops * 4096, ..Sample::default() }
                    })
                    .collect(),
            )
        };
        let look = |second: u32, busy: &[u32]| {
            let bytes = if busy.contains(&second) { 20_000_000 } else { 0 };
            StoreActivity { from: f64::from(second), to: f64::from(second + 1), bytes }
        };
        let looks = |pass: u32, busy: &[u32]| {
            let looks = (0..12).map(|second| look(second, busy)).collect();
            Compaction {
                step: StepId(0),
                pass,
                osds: vec![OsdLooks { osd: 1, looks, reads: None, database: None }],
                of: 2,
            }
        };
        let slices = vec![slice(1, slow[0]), slice(2, slow[1])];
        let compactions = vec![looks(1, busy[0]), looks(2, busy[1])];
        let observations = compactions.into_iter().map(model::Observation::Compaction).collect();
        Record { slices, observations, finished: true, ..made.record }
    }

    #[test]
    fn what_slows_down_beyond_chance_is_told_with_how_much() {
        let seconds: [&[u32]; 2] = [&[2, 3, 4, 5, 6], &[5, 6, 7, 8]];
        let record = record(seconds, seconds, 300.0);
        assert_eq!(told(&record), [one("compaction-dips", "osd.*")]);
        let found = &findings(&record)[0];
        let evidence = text(&found.evidence[0]);
        let begins = "pool write-parallel: slower while RocksDB wrote tables: by at least ";
        assert!(evidence.starts_with(begins), "{evidence}");
        assert!(evidence.ends_with(", in 2 stretches (of 2 OSDs, 1 were looked at)"), "{evidence}");
        assert_eq!(found.standing, Standing::Hint);
    }

    #[test]
    fn at_other_times_or_where_nobody_looked_nothing_is_said() {
        let slow: [&[u32]; 2] = [&[2, 3, 4, 5, 6], &[5, 6, 7, 8]];
        assert_eq!(told(&record(slow, [&[8, 9, 10], &[1, 2, 3]], 300.0)), []);
        let nobody = Record { observations: vec![], ..record(slow, slow, 300.0) };
        assert_eq!(told(&nobody), []);
    }
}
