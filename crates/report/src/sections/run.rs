//! Which run it is: its name, how long it took, when, and on which cluster.

use crate::block::Block;
use crate::numbers;
use model::{Change, Report, Scope};

pub(super) fn blocks(report: &Report, scope: &Scope) -> Vec<Block> {
    let took = numbers::seconds(report.seconds);
    let passes = match report.passes {
        0 => took,
        n => format!("{} in {took}", numbers::counted(u64::from(n), "pass", "passes")),
    };
    let when = std::iter::once(numbers::minute(&report.head.started)).chain(cluster(scope)).chain(gateways(report));
    vec![
        Block::Headline(format!("Fathom {}, run {}, {passes}", report.head.version, report.head.run)),
        Block::paragraph(when.collect::<Vec<_>>().join(", ")),
    ]
}

/// Those at which its buckets were.
fn gateways(report: &Report) -> Option<String> {
    let urls = report.changes.iter().filter_map(|undo| match &undo.change {
        Change::Bucket { gateway, .. } => Some(gateway.url.as_str()),
        _ => None,
    });
    let mut urls: Vec<&str> = urls.collect();
    // Of several buckets at one.
    urls.dedup();
    let word = if urls.len() == 1 { "gateway" } else { "gateways" };
    (!urls.is_empty()).then(|| format!("{word} {}", urls.join(" and ")))
}

fn cluster(scope: &Scope) -> Option<String> {
    scope.fsid.as_ref()?;
    let mut parts: Vec<String> = scope.cluster.iter().cloned().collect();
    if let Some(versions) = scope.versions.get("osd") {
        parts.push(format!("Ceph {}", versions.join(" and ")));
    }
    if !scope.osds.is_empty() {
        let mut hosts: Vec<&str> = scope.osds.iter().map(|osd| osd.host.as_str()).collect();
        hosts.sort_unstable();
        hosts.dedup();
        let hosts = numbers::counted(hosts.len() as u64, "host", "hosts");
        parts.push(format!("{} on {hosts}", numbers::counted(scope.osds.len() as u64, "OSD", "OSDs")));
    }
    parts.extend(scope.health.clone());
    Some(parts.join(", "))
}
