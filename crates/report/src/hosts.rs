//! Hosts that answered and those that did not: as blocks, and as the document `fathom.hosts/1`.

use crate::block::{self, Block, Emphasis, Row, Table};
use crate::numbers::{self, NOTHING};
use crate::phrase;
use model::{HostFacts, HostSeen, HostSilent, Nic, Offset};
use serde_json::{Value, json};

pub const SCHEMA: &str = "fathom.hosts/1";

const HEADING: [&str; 9] = ["host", "via", "user", "versions", "processors", "memory", "clock", "network", "disks"];

/// Without a host that answered there are only the reasons.
pub fn blocks(seen: &[&HostSeen], silent: &[HostSilent]) -> Vec<Vec<Block>> {
    let rows: Vec<Row> = seen.iter().map(|host| Row::new(cells(host))).collect();
    let table = (!rows.is_empty()).then(|| Table::plain(HEADING, rows).into());
    let notes = block::list(notes(seen, silent), Emphasis::Plain);
    vec![vec![Block::Headline("Hosts".into())], table.into_iter().collect(), notes.into_iter().collect()]
}

pub fn document(seen: &[&HostSeen], silent: &[HostSilent]) -> Value {
    json!({
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "hosts": seen,
        "silent": silent,
    })
}

fn cells(host: &HostSeen) -> Vec<String> {
    let facts = &host.facts;
    let or_nothing = |text: String| if text.is_empty() { NOTHING.to_string() } else { text };
    vec![
        host.name.clone(),
        host.via.clone(),
        facts.user.clone(),
        or_nothing(versions(facts)),
        processors(facts),
        facts.scope.memory.map_or(NOTHING.into(), numbers::bytes),
        host.clock.map_or(NOTHING.into(), clock),
        or_nothing(facts.nics.iter().filter(|nic| sink(nic)).map(nic).collect::<Vec<_>>().join("; ")),
        or_nothing(facts.disks.iter().map(disk).collect::<Vec<_>>().join("; ")),
    ]
}

/// `Linux 6.1.0, Ceph 16.2.15`
fn versions(facts: &HostFacts) -> String {
    let kernel = facts.scope.kernel.as_ref().map(|kernel| format!("Linux {kernel}"));
    let ceph = facts.ceph.as_ref().map(|ceph| format!("Ceph {ceph}"));
    kernel.into_iter().chain(ceph).collect::<Vec<_>>().join(", ")
}

fn processors(facts: &HostFacts) -> String {
    let model = facts.scope.cpu.as_ref().map(|model| format!(" × {model}")).unwrap_or_default();
    facts.scope.cores.map_or(NOTHING.into(), |cores| format!("{cores}{model}"))
}

/// Milliseconds, with no more digits than its error allows.
fn clock(offset: Offset) -> String {
    let (ms, error) = (offset.ns as f64 / 1e6, offset.error_ns as f64 / 1e6);
    let digits = (1.0 - error.max(1e-3).log10().floor()).clamp(0.0, 3.0) as usize;
    format!("{ms:+.digits$} ±{error:.digits$} ms")
}

/// A host of containers has dozens of virtual cables' ends without an address: the containers have it.
fn sink(nic: &Nic) -> bool {
    !nic.addresses.is_empty() || nic.megabits.is_some() || nic.bond.is_some()
}

fn nic(nic: &Nic) -> String {
    let speed = nic.megabits.map(|megabits| match megabits {
        1000.. => format!(" {} Gbit/s", f64::from(megabits) / 1000.0),
        _ => format!(" {megabits} Mbit/s"),
    });
    let legs = nic.bond.as_ref().map(|bond| {
        let names: Vec<&str> = bond.legs.iter().map(|leg| leg.name.as_str()).collect();
        format!(" ({})", names.join(", "))
    });
    let legs = legs.unwrap_or_default();
    let mtu = nic.mtu.map(|mtu| format!(" MTU {mtu}")).unwrap_or_default();
    let address = nic.addresses.first().map(|address| format!(" {address}")).unwrap_or_default();
    format!("{}{legs}{address}{}{mtu}", nic.name, speed.unwrap_or_default())
}

fn disk(disk: &model::DeviceScope) -> String {
    let bytes = disk.bytes.map(|bytes| format!(" {}", numbers::bytes(bytes))).unwrap_or_default();
    let model = disk.model.as_ref().map(|model| format!(" {model}")).unwrap_or_default();
    format!("{}{bytes}{model}", disk.path)
}

/// Offsets beyond which Ceph's monitors complain (`mon_clock_drift_allowed`).
const DRIFT_NS: u64 = 50_000_000;

fn notes(seen: &[&HostSeen], silent: &[HostSilent]) -> Vec<String> {
    let mut notes: Vec<String> =
        silent.iter().map(|host| format!("{} does not answer: {}", host.name, host.why)).collect();
    for host in seen {
        notes.extend(host.facts.missing.iter().map(|missing| format!("{}: {missing}", host.name)));
        let bonds = host.facts.nics.iter().filter_map(|nic| Some((&nic.name, nic.bond.as_ref()?)));
        let faults = bonds.flat_map(|(name, bond)| bond.faults().into_iter().map(move |fault| (name, fault)));
        notes.extend(faults.map(|(name, fault)| format!("{}: of its bond {name} {}", host.name, phrase::text(&fault))));
        if let Some(offset) = host.clock.filter(|offset| offset.ns.unsigned_abs() > DRIFT_NS + offset.error_ns) {
            notes.push(format!(
                "{}: its clock is {} off; Ceph's monitors allow 50 ms: is chrony or ntpd running there?",
                host.name,
                clock(offset)
            ));
        }
    }
    notes
}
