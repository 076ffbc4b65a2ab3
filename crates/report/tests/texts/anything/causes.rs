//! Any finding, and what a diagnosis says beside it.

use super::{phrase, text};
use model::*;
use proptest::collection::vec;
use proptest::prelude::*;

pub fn finding() -> impl Strategy<Value = Finding> {
    (text(), phrase(), vec(phrase(), 0..3), text()).prop_map(|(id, says, evidence, fix)| Finding {
        standing: if id.len() % 2 == 0 { Standing::Confirmed } else { Standing::Hint },
        id,
        subject: Subject::Osd(1),
        cost: (evidence.len() == 2).then(|| cost(says.clone())),
        slows_nothing: evidence.len() == 1,
        explains: vec![Explained {
            id: fix.clone(),
            subject: Subject::Osd(2),
            says: says.clone(),
            evidence: evidence.clone(),
        }],
        says,
        evidence,
        confirm: fix.clone(),
        risk: fix.clone(),
        fix,
    })
}

fn cost(of: Phrase) -> Cost {
    let values = [Estimate::new(1.8, 0.1), Estimate::new(1.2, f64::NAN), Estimate::new(f64::INFINITY, 0.1)];
    let gain = |value: Estimate| Gain {
        of: of.clone(),
        layer: Layer::Osd,
        pattern: Pattern::WriteLatency,
        target: String::new(),
        metric: Metric::LatencyMean,
        from: value,
        to: value,
        change: value,
        whole: value.value > 1.5,
    };
    Cost { gains: values.map(gain).to_vec(), until: of.clone() }
}

pub fn diagnosed(found: &[Finding]) -> Diagnosed {
    let untested = |one: &Finding| Untested {
        id: one.id.clone(),
        subject: one.subject.clone(),
        says: one.says.clone(),
        left_out: LeftOut { why: one.fix.clone(), needs: one.risk.clone() },
    };
    Diagnosed { refuted: found.iter().map(refuted).collect(), untested: found.iter().map(untested).collect() }
}

fn refuted(finding: &Finding) -> Refuted {
    let Finding { id, subject, says, .. } = finding.clone();
    Refuted { id, subject, because: says.clone(), says }
}
