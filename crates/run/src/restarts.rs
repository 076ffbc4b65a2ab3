//! An option that daemons read when they start is tried by restarting them at every change of side: which, and whether that may be.

use super::resolved::Resolved;
use super::sides::hearers;
use super::{EventSink, HealthMonitor, Rollback};
use agents::restarters::Restarters;
use cluster::restart::Restarter;
use cluster::{Cluster, dirs, option_values, pending, restart};
use experiments::{OsdsOf, Request};
use model::change::who_and_name;
use model::clock::MILLISECOND;
use model::host_setting::host_and_name;
use model::{Change, Clock, Event, Failure, Plan, PlannedExperiment, secrets};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// What a run may do to daemons.
#[derive(Default)]
pub struct Restarts {
    /// What is not taken up is an error.
    pub strict: bool,
    pub osds: Vec<u32>,
    pub restarter: Option<Rc<Restarters>>,
}

/// The flag that keeps the cluster from moving data away while an OSD is down for a moment.
/// The monitors count these as taken up at run time; connections that are there go on as they were.
const READ_BY_NEW_CONNECTIONS: [&str; 2] = ["ms_tcp_nodelay", "ms_tcp_rcvbuf"];
/// At most this many OSDs are asked with which value they work.
const ASKED: usize = 16;
/// The look at the cluster once a second has to see that an OSD is back.
const SEEN_WITHIN: u64 = 10_000 * MILLISECOND;
const LOOKS_APART: u64 = 100 * MILLISECOND;

/// Which OSDs the plan restarts; the plan is told of them, and of the flag that it needs. Nothing is changed yet.
///
/// # Errors
/// The option needs a restart that is not allowed, or can't be had without harm.
pub fn plan(resolved: &Resolved, in_lab: bool, request: &Request, plan: &mut Plan) -> Result<Restarts, Failure> {
    let Some(named) = &request.restarts else { return Ok(Restarts::default()) };
    let keys = plan.steps.iter().flat_map(|step| step.workload.settings.keys());
    let options: BTreeSet<&String> = keys.filter(|key| host_and_name(key).is_none()).collect();
    let (Some(option), Some(cluster)) = (options.first().copied().cloned(), &resolved.cluster) else {
        return match named.is_empty() {
            true => Ok(Restarts { strict: true, ..Restarts::default() }),
            false => Err(Failure::Usage("--restart: is for options of OSDs, and this change is none".into())),
        };
    };
    refuse_no_change(resolved, cluster, plan, &option)?;
    let osds = wanted(resolved, cluster, &option, named, in_lab)?;
    let restarts = Restarts { strict: true, osds, ..Restarts::default() };
    if restarts.osds.is_empty() {
        return Ok(restarts);
    }
    refuse_single_copies(plan)?;
    pending::refuse_restarts(&dirs::journals(), Some(cluster), &resolved.head().run)?;
    let restarter = Restarters::of(cluster.clone(), resolved.fleet.clone());
    for osd in &restarts.osds {
        restarter.prove(*osd).map_err(|why| Failure::Refused(format!("--restart osd.{osd}: {why}")))?;
        restart::prove(cluster, *osd)?;
        refuse_what_is_lost(cluster, *osd)?;
    }
    if let PlannedExperiment::PairedComparison(ab) = &mut plan.experiment {
        ab.restarts = restarts.osds.clone();
        ab.permanent.extend(restarts.osds.iter().map(|osd| restarter.command(*osd)));
    }
    plan.changes.insert(0, Change::Flag { name: restart::NOOUT.to_string() });
    Ok(Restarts { restarter: Some(restarter), ..restarts })
}

/// A against A would be a finding about nothing.
fn refuse_no_change(resolved: &Resolved, cluster: &Cluster, plan: &Plan, option: &str) -> Result<(), Failure> {
    let (who, name) = who_and_name(option);
    let osds = hearers(&resolved.inventory.scope, who, ASKED);
    let value = plan.steps.iter().find_map(|step| step.workload.settings.get(option));
    match value.filter(|value| !osds.is_empty() && others(cluster, &osds, name, value).is_none()) {
        Some(value) => Err(Failure::Usage(format!(
            "option {option}: {} already with {name} = {value}; there is nothing to try",
            if osds.len() == 1 { "that OSD works" } else { "those OSDs work" }
        ))),
        None => Ok(()),
    }
}

/// What it was given as it runs no journal could put back as it was: that it is forgotten with the next start is a part of it.
fn refuse_what_is_lost(cluster: &Cluster, osd: u32) -> Result<(), Failure> {
    let given = cluster.given_as_it_runs(osd)?;
    let Some((first, value)) = given.first() else { return Ok(()) };
    let all: Vec<String> =
        given.iter().map(|(name, value)| format!("{name} = {}", secrets::value(name, value))).collect();
    Err(Failure::Refused(format!(
        "--restart osd.{osd}: it works with what it was given as it runs (`ceph tell osd.{osd} config set`), and would forget that: {}; keep it \
         first (`ceph config set osd.{osd} {first} {}`), or take it back (`ceph tell osd.{osd} config unset {first}`)",
        all.join(", "),
        secrets::value(first, value)
    )))
}

fn wanted(
    resolved: &Resolved,
    cluster: &Cluster,
    option: &str,
    named: &[OsdsOf],
    in_lab: bool,
) -> Result<Vec<u32>, Failure> {
    let (who, name) = who_and_name(option);
    let all = hearers(&resolved.inventory.scope, who, usize::MAX);
    let needed =
        cluster.option_help(name)?.is_none_or(|help| !help.at_runtime) || READ_BY_NEW_CONNECTIONS.contains(&name);
    if all.is_empty() && (needed || !named.is_empty()) {
        return Err(Failure::Refused(format!(
            "option {option}: daemons read it when they start, and only OSDs are restarted, neither monitors nor managers nor clients; set it \
             by hand and compare two runs (fathom compare)"
        )));
    }
    if !named.is_empty() {
        return chosen(option, &all, named);
    }
    match (needed, in_lab) {
        (false, _) => Ok(Vec::new()),
        (true, true) => Ok(all),
        (true, false) => Err(not_allowed(option, &all)),
    }
}

/// All that the option is for, and no others.
fn chosen(option: &str, all: &[u32], named: &[OsdsOf]) -> Result<Vec<u32>, Failure> {
    let one = |of: &OsdsOf| match of {
        OsdsOf::TheOption => all.to_vec(),
        OsdsOf::One(osd) => vec![*osd],
    };
    let named: BTreeSet<u32> = named.iter().flat_map(one).collect();
    if let Some(other) = named.iter().find(|osd| !all.contains(osd)) {
        return Err(Failure::Usage(format!(
            "--restart osd.{other}: option {option} is not for that OSD; it is for {}",
            list(all)
        )));
    }
    match all.iter().find(|osd| !named.contains(osd)) {
        Some(other) => Err(Failure::Usage(format!(
            "--restart: option {option} is for osd.{other} as well, which would go on without it; allow all that it is for (--restart osd), or try \
             it on one alone ({})",
            of_one(option, named.first().copied().unwrap_or(*other))
        ))),
        None => Ok(all.to_vec()),
    }
}

fn not_allowed(option: &str, all: &[u32]) -> Failure {
    let first = all.first().copied().unwrap_or(0);
    Failure::Refused(format!(
        "option {option}: daemons take it up only when they start, so that trying it means restarting {}, again and again; nothing was changed. \
         --restart osd allows that: one OSD after the other, with noout, the next one only when all placement groups are active+clean again, \
         and at the end each is as it was. On one alone: fathom prove {}=VALUE --restart osd.{first}",
        list(all),
        of_one(option, first)
    ))
}

fn of_one(option: &str, osd: u32) -> String {
    format!("osd.{osd}/{}", who_and_name(option).1)
}

fn list(osds: &[u32]) -> String {
    const NAMED: usize = 6;
    let names: Vec<String> = osds.iter().take(NAMED).map(|osd| format!("osd.{osd}")).collect();
    let more = osds.len().saturating_sub(NAMED);
    if more > 0 { format!("{} and {more} more", names.join(", ")) } else { names.join(", ") }
}

/// Nobody serves them while their OSD is down.
fn refuse_single_copies(plan: &Plan) -> Result<(), Failure> {
    let single = |change: &Change| matches!(change, Change::Pool { size: Some(1), .. });
    match plan.changes.iter().any(single) {
        true => Err(Failure::Usage(
            "--restart: the osd layer is measured on a pool of one copy, which no OSD serves while its own is restarted; take --layers rados or rbd"
                .to_string(),
        )),
        false => Ok(()),
    }
}

/// What of the daemons does not work with this value, by their own word.
pub fn others(cluster: &Cluster, osds: &[u32], name: &str, value: &str) -> Option<(u32, String)> {
    let other = |osd: &u32| {
        let now = cluster.option_of_osd(*osd, name).unwrap_or_else(|| "a value that it does not tell".to_string());
        (!option_values::same(&now, value)).then_some((*osd, now))
    };
    osds.iter().find_map(other)
}

/// Restarts OSDs, one after the other, for a side.
pub struct Restarting<'a> {
    pub resolved: &'a Resolved,
    pub clock: &'a Arc<dyn Clock>,
    pub health: &'a dyn HealthMonitor,
}

impl Restarting<'_> {
    pub fn osds(&self) -> &[u32] {
        &self.resolved.restarts.osds
    }

    /// Before the option is set: from now on whoever undoes the run restarts them again.
    pub fn announce(&self, journal: &mut Rollback, sink: &mut EventSink) -> Result<(), Failure> {
        self.osds().iter().try_for_each(|osd| journal.make(Change::Restart { osd: *osd }, sink).map(drop))
    }

    /// After it was set.
    pub fn to_new(&self, (name, value): (&str, &str), sink: &mut EventSink) -> Result<(), Failure> {
        let (Some(cluster), Some(restarter)) = (&self.resolved.cluster, &self.resolved.restarts.restarter) else {
            return Ok(());
        };
        for (number, osd) in self.osds().iter().enumerate() {
            self.tell(*osd, number, sink)?;
            restart::restart(cluster, &**restarter, *osd, &|| !self.health.asked_to_end())?;
            if let Some((osd, now)) = others(cluster, &[*osd], name, value) {
                return Err(Failure::Failed(format!(
                    "osd.{osd} was restarted and works with {name} = {now}, not {value}: a ceph.conf, its command line or a value of its own \
                     stands against it"
                )));
            }
        }
        self.wait_until_seen();
        Ok(())
    }

    /// After it was put back; undoing does it.
    pub fn to_old(&self, journal: &mut Rollback, sink: &mut EventSink) -> Result<(), Failure> {
        for (number, osd) in self.osds().iter().enumerate() {
            self.tell(*osd, number, sink)?;
            journal.undo(&Change::Restart { osd: *osd }, sink)?;
        }
        self.wait_until_seen();
        Ok(())
    }

    fn tell(&self, osd: u32, number: usize, sink: &mut EventSink) -> Result<(), Failure> {
        let share = number as f64 / self.osds().len() as f64;
        sink.tell(Event::Progress { what: format!("restarting osd.{osd}"), share })
    }

    /// A look from while an OSD was down would void the slice.
    fn wait_until_seen(&self) {
        let until = self.clock.now() + SEEN_WITHIN;
        let down = || self.osds().iter().any(|osd| self.health.seen().down.contains(osd));
        // One look may be under way since before.
        self.clock.wait_until(self.clock.now() + 2_000 * MILLISECOND);
        while down() && self.clock.now() < until && !self.health.asked_to_end() {
            self.clock.wait_until(self.clock.now() + LOOKS_APART);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_that_the_option_is_for_are_restarted_and_no_others() {
        use OsdsOf::{One, TheOption};
        let (osds, one) =
            (|named: &[OsdsOf]| chosen("osd/x", &[0, 1, 2], named), |named: &[OsdsOf]| chosen("osd.1/x", &[1], named));
        assert_eq!(osds(&[TheOption]).unwrap(), [0, 1, 2]);
        assert_eq!(osds(&[One(2), One(0), One(1)]).unwrap(), [0, 1, 2]);
        assert_eq!(one(&[One(1)]).unwrap(), [1]);
        let why = osds(&[One(0)]).unwrap_err().to_string();
        assert!(why.contains("osd.1 as well") && why.contains("osd.0/x"), "{why}");
        let why = one(&[One(2)]).unwrap_err().to_string();
        assert!(why.contains("--restart osd.2") && why.contains("it is for osd.1"), "{why}");
    }

    #[test]
    fn a_restart_that_is_not_allowed_is_refused_with_the_option_that_allows_it() {
        let why = not_allowed("osd/osd_op_num_shards", &[0, 1, 2, 3, 4, 5, 6, 7]);
        assert!(matches!(why, Failure::Refused(_)));
        let why = why.to_string();
        assert!(why.contains("osd.5 and 2 more") && why.contains("--restart osd allows"), "{why}");
        assert!(why.contains("osd.0/osd_op_num_shards=VALUE --restart osd.0"), "{why}");
    }
}
