//! One run, from the request to the report: reach, plan, make, fill, measure pass after pass, undo, explain. A straight line.

mod addresses;
pub mod again;
mod apart;
mod client_hosts;
pub mod conductor;
pub mod crosscheck;
mod efforts;
mod event_sink;
mod facts;
mod filling;
mod guard;
mod health;
mod host_sides;
mod image_states;
mod interrupt;
mod prepare;
pub mod probes;
mod prove;
mod resolved;
mod restarts;
mod sides;
#[cfg(test)]
mod simulated;
mod stuck_before;
mod sustained;
mod temperatures;
mod unfilled;
mod untouched;
pub mod verifying;

pub use event_sink::EventSink;
pub use guard::{Rollback, trouble};
pub use health::HealthMonitor;
pub use interrupt::{Interrupt, ToUndo};
pub use resolved::Resolved;
pub use unfilled::Unfilled;

use agents::fleet::{HostOptions, HostsLoader};
use agents::host::LocalHost;
use cluster::dirs;
use cluster::journal::{Head, Journal};
use cluster::watch::Watch;
use engines::Context;
use engines::clock::RealClock;
use engines::verify::Verify;
use experiments::{Request, planner};
use ipnet::IpNet;
use model::{
    Clock, Ending, Event, Failure, Gateway, HostBond, LabLayout, NfsExport, Observation, Plan, PlannedExperiment,
    Record, Report, RunHead, Subscriber,
};
use probes::{Observer, Probes, Sources};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What a run leaves: all that is recorded, and what it says.
pub struct Sounded {
    pub record: Record,
    pub report: Report,
    pub interrupted: bool,
    /// A second Ctrl-C: nothing is wanted any more.
    pub insisted: bool,
    /// Is what it ran on still there?
    pub lasts: bool,
    /// Why it ended before its time. What was measured until then is known all the same.
    pub failure: Option<Failure>,
}

/// Where a run takes place, and how that is reached.
pub struct Setup<'a> {
    /// How the cluster is reached.
    pub access: ceph::ClusterAccess,
    pub lab: Option<SetupLab>,
    pub hosts: HostOptions,
    /// Between which of the hosts' addresses; empty: where clients reach the OSDs.
    pub networks: Vec<IpNet>,
    /// As it was typed, without what is secret.
    pub command: String,
    /// Gets messages for a waiting user, a line each.
    pub tell: &'a (dyn Fn(&str) + Sync),
}

/// The throwaway cluster in which a run takes place.
pub struct SetupLab {
    pub layout: LabLayout,
    pub conf: PathBuf,
    /// Its object gateway, if it has one.
    pub gateway: Option<Gateway>,
    /// The same, asked by Swift.
    pub swift: Option<Gateway>,
    /// Its file system, if it has one.
    pub cephfs: Option<String>,
    /// The same by NFS, if it has a server for that.
    pub export: Option<NfsExport>,
    /// It was started for this run, and is taken down after it.
    pub own: bool,
}

/// What will be measured, on what. Nothing was changed yet.
pub struct Prepared {
    pub resolved: Resolved,
    pub plan: Plan,
    pub warnings: Vec<String>,
}

impl Prepared {
    /// Reaches hosts and cluster, looks at paths, plans, and proves that all of it can be done and undone.
    ///
    /// # Errors
    /// Something can't be reached, or may not be measured.
    pub fn new(setup: &Setup, request: &Request) -> Result<Prepared, Failure> {
        let mut resolved = Resolved::prepare(setup, request)?;
        let mut plan = planner::plan(&resolved.inventory, request)?;
        prove::engines(&plan)?;
        let shared = resolved.shared_hosts(&plan);
        let notes = planner::notes(&resolved.inventory, request, &plan);
        let (left_out, unseen) = (resolved.left_out.clone(), resolved.unseen_disks());
        prove::undoable(&resolved, &plan)?;
        resolved.restarts.strict = request.restarts.is_some();
        let sides = sides::prove(&resolved, &plan)?;
        resolved.restarts = restarts::plan(&resolved, setup.lab.is_some(), request, &mut plan)?;
        let looked = resolved.notes_of_paths(&plan);
        let warnings = [sides, left_out, Vec::from_iter(shared), unseen, notes, looked].concat();
        Ok(Prepared { resolved, plan, warnings })
    }

    /// A run that was stopped or killed, on the same cluster.
    ///
    /// # Errors
    /// The hosts that loaded it are not all reached, or the cluster is another one.
    pub fn again(setup: &Setup, record: &Record) -> Result<Prepared, Failure> {
        let resolved = Resolved::again(setup, record)?;
        Ok(Prepared { resolved, plan: record.plan.clone(), warnings: Vec::new() })
    }

    /// A run that begins: told to the archive and to these. `warnings` of whoever made the request are told with the run's own.
    ///
    /// # Errors
    /// The archive can't be written.
    pub fn begin(
        &self,
        archive: &Path,
        others: Vec<Box<dyn Subscriber>>,
        warnings: Vec<String>,
    ) -> Result<EventSink, Failure> {
        let mut sink = EventSink::open(archive, self.resolved.head(), Arc::new(RealClock), others)?;
        let (head, scope) = (self.resolved.head().clone(), self.resolved.inventory.scope.clone());
        sink.tell(Event::RunStarted { head, scope })?;
        sink.tell(Event::Planned { plan: self.plan.clone() })?;
        let warnings = warnings.into_iter().chain(self.warnings.iter().cloned());
        warnings.into_iter().try_for_each(|text| sink.tell(Event::Warned { text }))?;
        Ok(sink)
    }

    /// From the first change to the report. A failure on the way is recorded, and told when all is undone.
    ///
    /// # Errors
    /// The archive can't be written.
    pub fn measure(&self, mut sink: EventSink, interrupt: &Interrupt) -> Result<Sounded, Failure> {
        let resolved = &self.resolved;
        // A signal that comes when all is measured stops nothing.
        let mut whole = false;
        let mut body = |ready: &Ready, journal: &mut Rollback, sink: &mut EventSink| {
            let done = conduct(resolved, ready, journal, sink);
            whole = !interrupt.asked();
            done
        };
        let done = changed(resolved, &self.plan, &mut sink, interrupt, &mut body);
        let interrupted = interrupt.asked() && !whole;
        let seconds = sink.seconds();
        if let Err(failure) = &done {
            sink.tell(Event::Failed { text: failure.to_string() })?;
        }
        let ending = match &done {
            _ if interrupted => Ending::Stopped,
            Err(_) => Ending::Failed,
            Ok(()) => Ending::Done,
        };
        sink.tell(Event::RunFinished { seconds, ending })?;
        let record = sink.into_record();
        let report = experiments::explain(&record);
        let (failure, insisted) = (done.err(), interrupt.insisted());
        Ok(Sounded { record, report, interrupted, insisted, lasts: resolved.lasts(), failure })
    }
}

/// What loads stand on, once everything is made and filled.
pub struct Ready<'a> {
    /// With what the cluster made of it.
    pub plan: &'a Plan,
    pub host: &'a LocalHost<'static>,
    pub health: &'a dyn HealthMonitor,
    pub observer: &'a dyn Observer,
    /// Targets whose data could not be written, and why.
    pub unfilled: &'a Unfilled,
}

/// What is done between making and undoing.
pub type Body<'a> = &'a mut dyn FnMut(&Ready, &mut Rollback, &mut EventSink) -> Result<(), Failure>;

/// Everything between the first change and the last undoing. Whatever happens in between, the undoing is done.
pub fn changed(
    resolved: &Resolved,
    plan: &Plan,
    sink: &mut EventSink,
    interrupt: &Interrupt,
    body: Body,
) -> Result<(), Failure> {
    let _to_undo = ToUndo::begins();
    let watch = resolved.cluster.as_ref().map(Watch::start).transpose()?;
    let _last_resort = watch.as_ref().map(|watch| guard::Lookout::last_resort(watch.silence().clone()));
    let journal = Journal::begin(&dirs::journals(), journal_head(resolved), resolved.cluster.clone());
    let mut journal = Rollback::of(with_restarter(journal?, resolved), resolved.fleet.clone());
    let measured = measured(resolved, plan, sink, (interrupt, watch.as_ref()), &mut journal, body);
    let _lookout = guard::Lookout::over_undoing();
    let left = journal.roll_back(sink);
    measured.and(left)
}

fn with_restarter(mut journal: Journal, resolved: &Resolved) -> Journal {
    if let Some(restarter) = resolved.restarts.restarter.clone() {
        journal.restarts_by(restarter);
    }
    journal
}

fn measured(
    resolved: &Resolved,
    plan: &Plan,
    sink: &mut EventSink,
    (interrupt, watch): (&Interrupt, Option<&Watch>),
    journal: &mut Rollback,
    body: Body,
) -> Result<(), Failure> {
    let rados = resolved.cluster.as_ref().map(|cluster| cluster.for_load()).transpose()?;
    let further = resolved.cluster.iter().flat_map(|cluster| (1..again::connections(plan)).map(|_| cluster.for_load()));
    let more_clients = further.collect::<Result<Vec<_>, _>>()?;
    let verify = Arc::new(Verify::of_this_run(sink.started()));
    let s3 = resolved.s3.clone();
    let context =
        Context { rados, more_clients, s3, verify, holds: resolved.looks.held.holds.clone(), ..Context::default() };
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    if let Ok(overhead) = engines::overhead::overhead(&clock) {
        sink.tell(Event::Overhead { overhead })?;
    }
    let plan = &sides::try_out(plan, resolved, &clock, journal, sink, interrupt)?;
    prepare::make_changes(plan, resolved, journal, sink, interrupt)?;
    if interrupt.asked() {
        // Not all is made.
        return Ok(());
    }
    // Before anything is filled: what that load does is not the cluster's state.
    facts::tell(resolved, sink)?;
    let mut sized = prepare::with_pool_sizes(plan, resolved)?;
    let health = guard::Watching::over(watch, interrupt).and_lease(journal.lost());
    let scope = &resolved.inventory.scope;
    let sources =
        resolved.cluster.as_ref().map(|cluster| Sources { cluster, scope, watch, fleet: resolved.fleet.as_deref() });
    let probes = sources.as_ref().map(Probes::start).unwrap_or_default();
    let host = &LocalHost::new(context, journal.files().clone());
    let filler = filling::Filler { host, fleet: resolved.fleet.as_deref(), health: &health };
    let unfilled = filler.fill(&mut sized, sink)?;
    if let Some(observation) = sources.as_ref().and_then(probes::held_operations::now) {
        sink.tell(Event::Observed { observation })?;
    }
    let ready = Ready { plan: &sized, host, health: &health, observer: &probes, unfilled: &unfilled };
    let done = body(&ready, journal, sink);
    health.prove_watched()?;
    journal.prove_lease()?;
    done
}

/// What the plan's experiment asks for, slice after slice.
fn conduct(resolved: &Resolved, ready: &Ready, journal: &mut Rollback, sink: &mut EventSink) -> Result<(), Failure> {
    let Ready { plan, host, health, observer, unfilled } = *ready;
    if sink.record().plan != *plan {
        sink.tell(Event::Planned { plan: plan.clone() })?;
    }
    tell_bonds(resolved, sink)?;
    prove_packet_sizes(resolved, ready, sink)?;
    if let PlannedExperiment::ImageStates(states) = &plan.experiment {
        return image_states::of(states, ready, resolved.cluster.as_ref())?.conduct(journal, sink);
    }
    let hosts = resolved.fleet.as_ref().map(|fleet| HostsLoader::new(host, fleet, sink.started()));
    let loader: &dyn agents::loader::Loader = match &hosts {
        Some(hosts) => hosts,
        None => host,
    };
    let clock = &host.clock;
    let sides = &sides::Switch::of(resolved, clock, health, journal);
    let scheduler = &mut *experiments::scheduler(plan);
    conductor::Conductor { clock, health, loader, sides, observer, unfilled }.conduct(scheduler, sink)
}

/// A leg of a bond that carries nothing explains what looks like a slow host.
fn tell_bonds(resolved: &Resolved, sink: &mut EventSink) -> Result<(), Failure> {
    let bonds: Vec<HostBond> = resolved.fleet.iter().flat_map(|fleet| fleet.borrow().bonds()).collect();
    if bonds.is_empty() { Ok(()) } else { sink.tell(Event::Observed { observation: Observation::Bonds(bonds) }) }
}

/// Where hosts measure the network between them: a link that loses large packets explains what no figure can.
fn prove_packet_sizes(resolved: &Resolved, ready: &Ready, sink: &mut EventSink) -> Result<(), Failure> {
    let wanted = ready.plan.steps.iter().any(|step| step.layer.of_links());
    let Some(fleet) = resolved.fleet.as_ref().filter(|_| wanted) else { return Ok(()) };
    let mut go_on = |share: f64| {
        let told = sink.tell(Event::Progress { what: "packet sizes between hosts".to_string(), share });
        told.is_ok() && !ready.health.asked_to_end()
    };
    let (mut paths, mut wrong) = (Vec::new(), Vec::new());
    for network in resolved.inventory.networks() {
        let (found, unknown) = fleet.borrow_mut().path_mtus(&network.ends, network.name.as_ref(), &mut go_on);
        paths.extend(found);
        wrong.extend(unknown);
    }
    wrong.into_iter().try_for_each(|text| sink.tell(Event::Warned { text }))?;
    match paths.is_empty() {
        true => Ok(()),
        false => sink.tell(Event::Observed { observation: Observation::PathMtus(paths) }),
    }
}

fn journal_head(resolved: &Resolved) -> Head {
    let head = resolved.head();
    let access = resolved.cluster.as_ref().map(|cluster| cluster.access.clone()).unwrap_or_default();
    Head::on_cluster(head.run.clone(), head.started.clone(), resolved.inventory.scope.fsid.clone(), access)
}

/// A run's name and its beginning, in UTC: sortable, and unique enough for hosts that start at the same second.
fn new_head(command: &str, own_lab: bool) -> RunHead {
    let now = jiff::Timestamp::now();
    let tail: u16 = rand::random();
    RunHead {
        run: format!("{}-{tail:04x}", now.strftime("%Y%m%d-%H%M%S")),
        started: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: command.to_string(),
        imported: None,
        short_answers: true,
        own_lab,
    }
}
