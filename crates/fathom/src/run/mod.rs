//! One run, from the request to the report: scope, plan, prepare, measure, settle, record, explain. A straight line.

mod addresses;
mod again;
mod apart;
pub mod conductor;
mod efforts;
mod event_sink;
mod filling;
mod guard;
mod interrupt;
mod inventory;
mod live;
mod prepare;
mod sides;
#[cfg(test)]
mod simulated;
mod sustained;
pub mod verifying;

pub use again::{Again, again};
pub use event_sink::EventSink;
pub use filling::Unfilled;
pub use guard::{Rollback, trouble};
pub use interrupt::{Interrupt, ToUndo};
pub use inventory::{Resolved, offer_restore};

use crate::cli::{Common, Format};
use crate::output;
use crate::planner;
use crate::{cli::run_options::RunOptions, dirs};
use agents::fleet::Hosts;
use agents::own_files::Files;
use cluster::journal::{Head, Journal, Process};
use cluster::watch::Watch;
use engines::Context;
use engines::clock::RealClock;
use engines::verify::Verify;
use experiments::Request;
use model::{Clock, Ending, Event, Failure, HostBond, Plan, Record, Report, RunHead};
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
}

pub enum Outcome {
    Planned(Box<Plan>),
    Sounded(Box<Sounded>),
}

/// `warnings` of whoever made the request are told with the run's own.
pub fn sound(common: &Common, args: &RunOptions, request: &Request, warnings: Vec<String>) -> Result<Outcome, Failure> {
    let interrupt = Interrupt::listen()?;
    // A port that is taken is told before anything is done.
    let live = match args.listen.filter(|_| !args.dry_run) {
        Some(address) => Some(live::Live::listen(address)?),
        None => None,
    };
    let resolved = Resolved::prepare(common, args, request)?;
    let plan = planner::plan(&resolved.inventory, request)?;
    let shared = resolved.shared_hosts(&plan);
    let notes = planner::notes(&resolved.inventory, request, &plan);
    let (left_out, unseen) = (resolved.left_out.clone(), resolved.unseen_disks());
    prepare::prove(&resolved, &plan)?;
    let held = [resolved.inventory.held.unseen(), resolved.unseen_by_hosts()].concat();
    let warnings =
        [warnings, sides::prove(&resolved, &plan)?, left_out, Vec::from_iter(shared), unseen, notes, held].concat();
    if args.dry_run {
        warnings.iter().for_each(|warning| eprintln!("warning: {warning}"));
        return Ok(Outcome::Planned(Box::new(plan)));
    }
    warn_of_hours(common, &plan);
    offer_restore(common, &resolved)?;
    let mut sink = EventSink::open(common, resolved.head(), Arc::new(RealClock))?;
    if let Some(live) = live {
        sink.also(Box::new(live));
    }
    sink.tell(Event::RunStarted { head: resolved.head().clone(), scope: resolved.inventory.scope.clone() })?;
    sink.tell(Event::Planned { plan: plan.clone() })?;
    warnings.into_iter().try_for_each(|text| sink.tell(Event::Warned { text }))?;
    let sounded = carry_out(common, &resolved, &plan, sink, &interrupt)?;
    Ok(Outcome::Sounded(Box::new(sounded)))
}

/// From the first change to the report. A failure on the way is recorded, and returned when all is undone.
fn carry_out(
    common: &Common,
    resolved: &Resolved,
    plan: &Plan,
    mut sink: EventSink,
    interrupt: &Interrupt,
) -> Result<Sounded, Failure> {
    // A signal that comes when all is measured stops nothing.
    let mut whole = false;
    let mut body = |ready: &Ready, journal: &mut Rollback, sink: &mut EventSink| {
        let done = conduct(resolved, ready, journal, sink);
        whole = !interrupt.asked();
        done
    };
    let done = changed(resolved, plan, &mut sink, interrupt, &mut body);
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
    let report = judge::explain(&record);
    if let Err(failure) = done {
        return Err(with_document(common, &record, &report, failure));
    }
    Ok(Sounded { record, report, interrupted, insisted: interrupt.insisted(), lasts: resolved.lasts() })
}

/// What was measured and changed until then is told as a document where one is asked for.
fn with_document(common: &Common, record: &Record, report: &Report, failure: Failure) -> Failure {
    if common.format != Format::Json || !matches!(failure, Failure::Failed(_)) {
        return failure;
    }
    match output::say(&format!("{:#}\n", report::json::document(report, record))) {
        Ok(()) => Failure::Told(failure.to_string()),
        Err(unwritten) => unwritten,
    }
}

/// A run lasts minutes; only a sweep can be made so large without noticing.
const LONG_SECONDS: f64 = 3600.0;

fn warn_of_hours(common: &Common, plan: &Plan) {
    let seconds = experiments::duration::seconds_expected(plan);
    if seconds > LONG_SECONDS && plan.sweep.is_some() && !common.quiet {
        eprintln!(
            "fathom: {} steps take about {}; Ctrl-C ends them in order, and what is missing can be measured later",
            plan.steps.len(),
            report::numbers::seconds(seconds)
        );
    }
}

/// What loads stand on, once everything is made and filled.
pub struct Ready<'a> {
    /// With what the cluster made of it.
    pub plan: &'a Plan,
    pub context: &'a Context,
    pub clock: &'a Arc<dyn Clock>,
    pub health: &'a dyn conductor::HealthMonitor,
    /// Targets whose data could not be written, and why.
    pub unfilled: &'a Unfilled,
    /// Own files of this host, which have no name to be opened by.
    pub files: &'a Files,
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
    let watch = resolved.cluster.as_ref().map(Watch::start);
    let _last_resort = watch.as_ref().map(|watch| guard::Lookout::last_resort(watch.silence().clone()));
    let journal = Journal::begin(&dirs::journals(), journal_head(resolved), resolved.cluster.clone());
    let mut journal = Rollback::of(journal?);
    let measured = measured(resolved, plan, sink, (interrupt, watch.as_ref()), &mut journal, body);
    let _lookout = guard::Lookout::over_undoing();
    let left = journal.roll_back(sink);
    measured.and(left)
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
    let clients = plan.steps.iter().map(|step| step.workload.clients).max().unwrap_or(1);
    let further = resolved.cluster.iter().flat_map(|cluster| (1..clients).map(|_| cluster.for_load()));
    let more_clients = further.collect::<Result<Vec<_>, _>>()?;
    let verify = Arc::new(Verify::new(rand::random(), sink.started()));
    let context =
        Context { rados, more_clients, verify, holds: resolved.inventory.held.holds.clone(), ..Context::default() };
    let clock: Arc<dyn Clock> = Arc::new(RealClock);
    if let Ok(overhead) = engines::overhead::overhead(&clock) {
        sink.tell(Event::Overhead { overhead })?;
    }
    sides::try_out(plan, resolved, &clock, journal, sink, interrupt)?;
    prepare::make_changes(plan, resolved, journal, sink, interrupt)?;
    if interrupt.asked() {
        // Not all is made.
        return Ok(());
    }
    let mut sized = prepare::with_pool_sizes(plan, resolved)?;
    let health = guard::Watching::over(watch, interrupt).and_lease(journal.lost());
    let health = match &resolved.cluster {
        Some(cluster) => health.and_stores(cluster, &resolved.inventory.scope),
        None => health,
    };
    let files = &journal.files().clone();
    let filler = filling::Filler { files, context: &context, fleet: resolved.fleet.as_ref(), health: &health };
    let unfilled = filler.fill(&mut sized, sink)?;
    let ready = Ready { plan: &sized, context: &context, clock: &clock, health: &health, unfilled: &unfilled, files };
    let done = body(&ready, journal, sink);
    health.prove_monitors()?;
    journal.prove_lease()?;
    done
}

/// What the plan's experiment asks for, slice after slice.
fn conduct(resolved: &Resolved, ready: &Ready, journal: &mut Rollback, sink: &mut EventSink) -> Result<(), Failure> {
    let Ready { plan, context, clock, health, unfilled, files } = *ready;
    if sink.record().plan != *plan {
        sink.tell(Event::Planned { plan: plan.clone() })?;
    }
    tell_bonds(resolved, sink)?;
    prove_packet_sizes(resolved, ready, sink)?;
    let here = &agents::loader::Engines { context, clock, engine_of: &|step| engines::engine_for(step), files };
    let hosts = resolved.fleet.as_ref().map(|fleet| Hosts::new(here, fleet));
    let loader: &dyn agents::loader::Loader = match &hosts {
        Some(hosts) => hosts,
        None => here,
    };
    let sides = &sides::Switch::of(plan, resolved, clock, journal);
    let scheduler = &mut *experiments::scheduler(plan);
    conductor::Conductor { clock, health, loader, sides, unfilled }.conduct(scheduler, sink)
}

/// A leg of a bond that carries nothing explains what looks like a slow host.
fn tell_bonds(resolved: &Resolved, sink: &mut EventSink) -> Result<(), Failure> {
    let bonds: Vec<HostBond> = resolved.fleet.iter().flat_map(|fleet| fleet.borrow().bonds()).collect();
    if bonds.is_empty() { Ok(()) } else { sink.tell(Event::Bonds { bonds }) }
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
        false => sink.tell(Event::PathMtus { paths }),
    }
}

fn journal_head(resolved: &Resolved) -> Head {
    let head = resolved.head();
    let access = resolved.cluster.as_ref().map(|cluster| cluster.access.clone());
    let access = access.unwrap_or_default();
    Head {
        run: head.run.clone(),
        host: cluster::here::host_name(),
        pid: std::process::id(),
        process: Some(Process::this()),
        started: head.started.clone(),
        fsid: resolved.inventory.scope.fsid.clone(),
        conf: access.conf,
        keyring: access.keyring,
        id: access.id,
        cluster: access.cluster,
    }
}

/// A run's name and its beginning, in UTC: sortable, and unique enough for hosts that start at the same second.
pub fn new_head() -> RunHead {
    let now = jiff::Timestamp::now();
    let tail: u16 = rand::random();
    RunHead {
        run: format!("{}-{tail:04x}", now.strftime("%Y%m%d-%H%M%S")),
        started: now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        version: env!("CARGO_PKG_VERSION").to_string(),
        command: crate::command_line(),
        imported: None,
        short_answers: true,
        own_lab: false,
    }
}
