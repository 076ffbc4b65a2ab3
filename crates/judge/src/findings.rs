//! Causes that the figures themselves prove: so far, a target slower than its peers.

use model::{Finding, Layer, Outlier, Standing};

/// One for each slow target, with every pattern in which it is slow as evidence.
pub fn findings(outliers: &[Outlier]) -> Vec<Finding> {
    let mut found: Vec<Finding> = Vec::new();
    for outlier in outliers {
        let Some((id, fix)) = remedy(outlier.layer) else { continue };
        match found.iter_mut().find(|finding| finding.id == id && finding.target == outlier.target) {
            Some(finding) => {
                finding.evidence.push(evidence(outlier));
                if outlier.standing == Standing::Confirmed {
                    finding.standing = Standing::Confirmed;
                }
            }
            None => found.push(Finding {
                id: id.to_string(),
                standing: outlier.standing,
                target: outlier.target.clone(),
                says: format!("{} is slower than its peers", outlier.target),
                evidence: vec![evidence(outlier)],
                fix: fix.to_string(),
                risk: "none: looking changes nothing".to_string(),
            }),
        }
    }
    found
}

fn evidence(outlier: &Outlier) -> String {
    format!("{}: {}", outlier.pattern.name(), outlier.says)
}

fn remedy(layer: Layer) -> Option<(&'static str, &'static str)> {
    match layer {
        Layer::Device => {
            Some(("device-slow", "compare its SMART data, firmware, link speed and temperature with its peers'"))
        }
        Layer::Network => Some((
            "link-slow",
            "compare cable, port speed, MTU and error counters of its two ends with the other links'",
        )),
        Layer::Store | Layer::Osd => Some((
            "osd-slow",
            "measure its disk alone; if that is fast, compare the OSD's options, memory and host with its peers'",
        )),
        Layer::Rados | Layer::Rbd => None,
    }
}
