//! Suspects among peers: targets that are slower than others of their kind.

use super::{Case, RuleTest, Suspect, TestResult};
use judge::{Entry, Retest, retested, to_retest};
use model::{Cost, FromTo, Gain, Label, Layer, Outlier, Phrase, Quantity, Standing, Step, TargetKind, phrase};

/// The suspect once more, in turns with some of its peers, each alone, in the patterns in which it was slowest.
pub const MEASURE_AGAIN: RuleTest = RuleTest {
    asks: "is it slower than its peers when all of them are measured again, each alone and in turns?",
    steps: again,
    answer: |suspect, entries| in_all(entries, suspect.evidence.len()),
    cost: |_, entries, _| cost(cells(entries), "it is as fast as its peers"),
};

/// At most this many patterns are measured again, those with the largest losses: each takes time.
const CELLS: usize = 3;

fn again(suspect: &Suspect, case: &Case) -> Vec<Step> {
    let mut own: Vec<&Outlier> = case.outliers.iter().filter(|outlier| outlier.subject == suspect.subject).collect();
    own.sort_by(|a, b| b.slower_by.total_cmp(&a.slower_by));
    let found = own.into_iter().take(CELLS).filter_map(|one| to_retest(case.entries, one, &case.record.scope));
    found.flat_map(|(own, others)| in_turns(own, &others)).collect()
}

/// The targets of these figures, each alone; the suspect's first.
pub fn in_turns(own: &Entry, others: &[&Entry]) -> Vec<Step> {
    std::iter::once(own).chain(others.iter().copied()).filter_map(alone).collect()
}

/// The step of a figure with its target alone; of the chart is the survey's.
fn alone(entry: &Entry) -> Option<Step> {
    let targets = vec![entry.only_target()?.clone()];
    Some(Step { targets, chart: false, apart: false, ..entry.step.clone() })
}

/// The result over several patterns, in each of which the suspect's figure is the first. A suspect is slow if it is slow in one of them, and
/// well if it is well in all in which it was suspected.
fn in_all(entries: &[&Entry], suspected: usize) -> TestResult {
    let cells: Vec<TestResult> = cells(entries).map(|(own, others)| answer(own, others)).collect();
    let slow = cells.iter().find(|one| matches!(one, TestResult::Confirmed(_)));
    let open = cells.iter().find(|one| matches!(one, TestResult::Open(_)));
    match (slow.or(open), cells.first()) {
        (Some(one), _) => one.clone(),
        (None, Some(TestResult::Refuted(because))) if cells.len() < suspected => TestResult::Open(because.clone()),
        (None, Some(first)) => first.clone(),
        (None, None) => nothing(),
    }
}

/// Of what was measured again of layers like this, was anything slower? `None`: nothing was.
pub fn again_slower(entries: &[&Entry], like: impl Fn(Layer) -> bool) -> Option<bool> {
    let mut alike = cells(entries).filter(|(own, _)| like(own.figure.layer)).peekable();
    alike.peek()?;
    Some(alike.any(|(own, others)| retested(own, others).is_some_and(|found| found.is_slower())))
}

/// Of each pattern the suspect's figure, and its peers'.
fn cells<'e, 'a>(entries: &'e [&'a Entry<'a>]) -> impl Iterator<Item = (&'a Entry<'a>, &'e [&'a Entry<'a>])> {
    let alike = |a: &&Entry, b: &&Entry| (a.figure.layer, a.figure.pattern) == (b.figure.layer, b.figure.pattern);
    entries.chunk_by(alike).filter_map(|cell| cell.split_first().map(|(own, others)| (*own, others)))
}

/// What each figure that is slower than its peers' would gain as one of them.
pub fn cost<'e, 'a: 'e>(
    cells: impl Iterator<Item = (&'a Entry<'a>, &'e [&'a Entry<'a>])>,
    until: &str,
) -> Option<Cost> {
    let slower = cells.filter_map(|(own, others)| Some((own, retested(own, others)?)));
    let gains: Vec<Gain> =
        slower.filter(|(_, found)| found.is_slower()).filter_map(|(own, found)| gain(own, &found)).collect();
    (!gains.is_empty()).then(|| Cost { gains, until: until.into() })
}

pub fn gain(own: &Entry, found: &Retest) -> Option<Gain> {
    let (figure, FromTo { from, to, change }) = (&own.figure, found.from_to()?);
    Some(Gain {
        of: phrase!("{} of {}", figure.pattern.name(), figure.target.as_str()),
        layer: figure.layer,
        pattern: figure.pattern,
        target: figure.target.clone(),
        metric: found.metric,
        from,
        to,
        change,
        whole: false,
    })
}

pub fn nothing() -> TestResult {
    TestResult::Open("nothing was measured".into())
}

/// Is this one slower than those, measured in turns with it? A figure that the load generator limited says little of its target, and what
/// was read before may come from a cache now.
pub fn answer(own: &Entry, others: &[&Entry]) -> TestResult {
    let Some(found) = retested(own, others) else {
        return TestResult::Open("measured again, one of the figures has no value".into());
    };
    let held_back = |entry: &&Entry| matches!(entry.figure.label, Label::GeneratorLimited(_));
    let cached = own.figure.layer.of_ceph() && !own.figure.kind.changes();
    let said = said(&found, others.len());
    if held_back(&own) || (!found.is_slower() && others.iter().any(held_back)) {
        TestResult::Open(phrase!("{}; the load generator was the limit", said))
    } else if found.is_slower() {
        TestResult::Confirmed(said)
    } else if found.is_alike() && !cached {
        TestResult::Refuted(said)
    } else {
        TestResult::Open(said)
    }
}

/// `measured again, each alone and in turns, it has 1.45 ms, the median of 3 peers 1.01 ms; that is 30 % slower (26 % to 34 %)`
fn said(found: &Retest, peers: usize) -> Phrase {
    let Retest { slower_by, own, others, metric } = *found;
    let share = |by: f64| match by {
        by if by < 0.0 => phrase!("{} faster", Quantity::Share(-by)),
        // 1/10 of the speed and less: as a share it would be all but everything.
        by if (0.9..1.0).contains(&by) => phrase!("{} slower", Quantity::Times(1.0 / (1.0 - by))),
        by => phrase!("{} slower", Quantity::Share(by)),
    };
    phrase!(
        "measured again, each alone and in turns, it has {}, the median of {} peers {}; that is {}, and between {} and {}",
        Quantity::Measured { estimate: own, metric },
        Quantity::Count(peers as u64),
        Quantity::Value { value: others.value, metric },
        share(slower_by.value),
        share(slower_by.low),
        share(slower_by.high)
    )
}

/// One for each slow target of this kind, with every pattern in which it is slow as evidence.
pub fn slow_targets(case: &Case, kind: TargetKind) -> Vec<Suspect> {
    let mut found: Vec<Suspect> = Vec::new();
    for outlier in case.outliers.iter().filter(|outlier| outlier.layer.spec().target == kind) {
        match found.iter_mut().find(|suspect| suspect.subject == outlier.subject) {
            Some(suspect) => {
                suspect.evidence.push(evidence(outlier));
                if outlier.standing == Standing::Confirmed {
                    suspect.standing = Standing::Confirmed;
                }
            }
            None => {
                let says = phrase!("{} is slower than its peers", outlier.subject.clone());
                found.push(Suspect::new(outlier.subject.clone(), outlier.standing, says, evidence(outlier)));
            }
        }
    }
    found
}

fn evidence(outlier: &Outlier) -> Phrase {
    phrase!("{}: {}", outlier.pattern.name(), outlier.says.clone())
}
