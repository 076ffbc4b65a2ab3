//! Cases for the tests of rules: made records, and what rules say of them.

use super::{Case, Rule, Suspect};
use judge::assess;
use made::Made;
use model::testing;
use model::{Bond, Endpoint, Finding, HostBond, Leg, Pattern, Place, Record, Target};

#[allow(dead_code)]
#[path = "../../../judge/tests/sounding/made.rs"]
pub mod made;

pub use report::phrase::text;

pub fn suspects(rule: &Rule, record: &Record) -> Vec<Suspect> {
    (rule.suspect)(&Case::of(&assess(record)))
}

pub fn findings(record: &Record) -> Vec<Finding> {
    crate::explain(record).findings
}

/// Each finding's id and subject.
pub fn told(record: &Record) -> Vec<(String, String)> {
    findings(record).into_iter().map(|finding| (finding.target(), finding.id)).map(|(on, id)| (id, on)).collect()
}

/// Id and subject, as [`told`] has them.
pub fn one(id: &str, subject: &str) -> (String, String) {
    (id.to_string(), subject.to_string())
}

/// A host's bond of two legs, of which the second is down.
pub fn dead_leg(host: &str, mode: &str, addresses: &[&str]) -> HostBond {
    let leg = |name: &str, up| Leg { name: name.into(), up, ..Leg::default() };
    let bond = Bond { mode: mode.into(), spread: None, legs: vec![leg("eth0", true), leg("eth1", false)] };
    let addresses = addresses.iter().map(|address| address.to_string()).collect();
    HostBond { host: host.into(), nic: "bond0".into(), addresses, bond }
}

/// The way from one of the hosts h0, h1, … to another.
pub fn way(from: usize, to: usize, network: Option<&str>) -> Target {
    let end = |host: usize| Endpoint::new(format!("h{host}"), "10.0.0.1");
    let place = Place::Pair { from: end(from), to: end(to), listener: None };
    let target = Target::new(testing::links(), format!("h{from}→h{to}"), place);
    Target { network: network.map(String::from), ..target }
}

/// Every way between `hosts` hosts, in two passes, each alone: streams of `mbs` MB/s; `None`: not measured.
pub fn ways(made: &mut Made, hosts: usize, network: Option<&str>, mbs: impl Fn(usize, usize) -> Option<f64>) {
    for (from, to) in (0..hosts).flat_map(|from| (0..hosts).map(move |to| (from, to))).filter(|(a, b)| a != b) {
        if let Some(mbs) = mbs(from, to) {
            made.delivers(Pattern::WriteLinear, way(from, to, network), mbs / 4.194304);
            made.record.plan.steps.last_mut().unwrap().chart = network.is_none();
        }
    }
}

/// The same for round trips, in ms.
pub fn round_trips(made: &mut Made, hosts: usize, ms: impl Fn(usize, usize) -> f64) {
    for (from, to) in (0..hosts).flat_map(|from| (from + 1..hosts).map(move |to| (from, to))) {
        made.measured(Pattern::WriteLatency, way(from, to, None), ms(from, to));
    }
}
