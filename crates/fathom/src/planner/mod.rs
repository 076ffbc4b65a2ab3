//! From what is there and what is wished for to a plan: steps and the changes that they need. Reads, never loads.

pub mod ab;
mod device;
mod device_hosts;
mod draft;
mod durability;
mod fio;
mod floor;
mod groups;
mod network;
mod objects;
mod osd;
mod others_pools;
mod rbd;
mod room;
mod store;
mod subset;
mod sustained;
mod sweep;
#[cfg(test)]
pub mod testing;

pub use device_hosts::{Site, wanted as wanted_sites};
pub use draft::{CLUSTER, ClientHost, Inventory, Network};
pub use floor::{files as floor_files, wanted as wanted_replica_hosts};

use draft::Draft;
use engines::verify::refusal;
use experiments::{Experiment, Request, duration};
use model::{Change, Failure, Goal, Layer, OpKind, Pattern, Plan, Step, StepId, Sweep};
use std::collections::BTreeSet;

pub fn plan(inventory: &Inventory, request: &Request) -> Result<Plan, Failure> {
    let plan = match request.experiment.pair() {
        Some(setting) => ab::plan(inventory, request, setting),
        None => one(inventory, request),
    }?;
    refuse_in_pools(inventory, &plan)?;
    Ok(plan)
}

/// What pools that were there before can't or must not hold.
pub fn refuse_in_pools(inventory: &Inventory, plan: &Plan) -> Result<(), Failure> {
    others_pools::refuse(&inventory.scope, plan)
}

/// What is to be known of a plan: what it leaves out, and why.
pub fn notes(inventory: &Inventory, request: &Request, plan: &Plan) -> Vec<String> {
    let draft = &Draft::new(inventory, request);
    let unmeasured = network::unmeasured(draft).or_else(|| network::loopback_alone(draft));
    let (closed, buffered) = (device::closed(inventory, request), device::buffered(inventory, plan));
    [
        Vec::from_iter(unmeasured),
        closed,
        buffered,
        unbound(inventory, plan),
        Vec::from_iter(room::note(inventory, request)),
    ]
    .concat()
}

/// OSDs that get no placement group of the osd layer's pool, or may get none.
fn unbound(inventory: &Inventory, plan: &Plan) -> Vec<String> {
    if !plan.steps.iter().any(|step| step.layer == Layer::Osd) {
        return Vec::new();
    }
    let without = inventory.scope.osds.iter().filter(|osd| osd.up && !osd.takes_data());
    let without: Vec<String> = without.map(|osd| format!("osd.{}", osd.id)).collect();
    let without = (!without.is_empty()).then(|| {
        format!(
            "the cluster puts no data on {} (out, or without weight in the CRUSH map): the osd layer leaves them out",
            without.join(", ")
        )
    });
    let by_chance = (inventory.scope.pg_upmap == Some(false)).then(|| {
        "placement groups can't be bound to OSDs here (`ceph osd set-require-min-compat-client luminous` would allow it, once \
         all clients are that new): the pool of the osd layer has twice as many of them instead, and an OSD that gets none all \
         the same is not measured"
            .to_string()
    });
    without.into_iter().chain(by_chance).collect()
}

fn one(inventory: &Inventory, request: &Request) -> Result<Plan, Failure> {
    refuse_idle_clients(request)?;
    refuse_quiesce_of_nothing(inventory, request)?;
    refuse_useless_hosts(inventory, request)?;
    let mut draft = Draft { halvings: room::halvings(inventory, request)?, ..Draft::new(inventory, request) };
    if request.quiesce {
        quiesce(&mut draft);
    }
    let sweep = match &request.experiment {
        Experiment::Jobs(batches) => {
            fio::add(&mut draft, batches)?;
            None
        }
        Experiment::Sweep { axes } => {
            let left_out = sweep::add_points(&mut draft, axes)?;
            Some(Sweep { axes: axes.clone(), points: std::mem::take(&mut draft.points), left_out })
        }
        _ => {
            add_layers(&mut draft)?;
            None
        }
    };
    refuse_unmatched(&draft)?;
    let goal = with_places(&request.goal, &draft.steps);
    draft.steps.retain(|step| asked_for(&goal, step));
    let goal = duration::with_time(goal, &draft.steps);
    (0..).zip(&mut draft.steps).for_each(|(id, step)| step.id = StepId(id));
    refuse_impossible(&draft)?;
    refuse_other_work(&goal, &draft.steps)?;
    // What is held against a threshold is loaded as it says.
    let may_shrink = goal.thresholds.is_empty()
        && request.experiment.plans_layers()
        && request.workload.working_set.is_none()
        && !request.workload.verify;
    let clients_most = request.experiment.clients_most();
    let (changes, host_files) = (draft.changes, draft.host_files);
    let (steps, sustained) = (draft.steps, draft.sustained);
    Ok(Plan { changes, host_files, steps, may_shrink, goal, sweep, sustained, clients_most, ..Plan::default() })
}

/// What a cluster does by itself, and can be told not to: scrub, resize placement groups, move them.
fn quiesce(draft: &mut Draft) {
    for name in ["noscrub", "nodeep-scrub"] {
        draft.change(Change::Flag { name: name.to_string() });
    }
    draft.change(Change::BalancerOff);
    // Pool by pool: the command for all of them forgets, in some releases, which were on before (16.2: `osd pool unset
    // noautoscale` switches every pool on).
    let pools = draft.inventory.scope.pools.iter();
    for pool in pools.filter(|pool| pool.pg_autoscale_mode.as_deref() == Some("on")) {
        let (name, value) = ("pg_autoscale_mode".to_string(), "off".to_string());
        draft.change(Change::PoolSetting { pool: pool.name.clone(), name, value });
    }
}

fn add_layers(draft: &mut Draft) -> Result<(), Failure> {
    let goal = &draft.request.goal;
    for layer in draft.request.layers.iter().filter(|layer| Pattern::ALL.iter().any(|p| goal.wants(**layer, *p))) {
        match layer {
            Layer::Device => device::add(draft)?,
            Layer::Network => network::add(draft),
            Layer::Floor => floor::add(draft)?,
            Layer::Store => store::add(draft)?,
            Layer::Osd => osd::add(draft)?,
            Layer::Rados => objects::add(draft)?,
            Layer::Rbd => rbd::add(draft)?,
        }
    }
    Ok(())
}

/// A target may be measured in several ways, of which one counts for the depth chart: a threshold is about that one. Only where
/// somebody names what the chart has not, it is about what lies beside.
fn with_places(goal: &Goal, steps: &[Step]) -> Goal {
    let mut goal = goal.clone();
    for threshold in goal.thresholds.iter_mut().filter(|threshold| threshold.workload.is_none()) {
        let of_cell = |step: &&Step| (step.layer, step.pattern) == (threshold.layer, threshold.pattern);
        let own = |(name, chart): (String, bool)| chart && threshold.target.as_ref() == Some(&name);
        let in_chart = steps.iter().filter(of_cell).flat_map(figures_of).any(own);
        threshold.beside = threshold.target.is_some() && !in_chart;
    }
    goal
}

/// In a run for verdicts: has any of its figures a threshold?
fn asked_for(goal: &Goal, step: &Step) -> bool {
    let of =
        |(name, chart): &(String, bool), kind| goal.threshold(step.layer, step.pattern, kind, name, *chart).is_some();
    goal.thresholds.is_empty()
        || figures_of(step).iter().any(|figure| of(figure, OpKind::Read) || of(figure, OpKind::Write))
}

/// What an earlier run had is a threshold for the same workload alone.
fn refuse_other_work(goal: &Goal, steps: &[Step]) -> Result<(), Failure> {
    let figures = steps.iter().flat_map(|step| figures_of(step).into_iter().map(move |figure| (step, figure)));
    for (step, (name, chart)) in figures {
        for kind in [OpKind::Read, OpKind::Write] {
            let threshold = goal.threshold(step.layer, step.pattern, kind, &name, chart);
            let Some(other) = threshold.and_then(|threshold| threshold.workload.as_ref()) else { continue };
            let differs = judge::differs(other, &step.workload);
            // It is judged by the way in which that run made its writes durable.
            let in_another_way =
                |of: &&Step| (of.layer, of.pattern, &of.targets) == (step.layer, step.pattern, &step.targets);
            let way = |of: &Step| judge::differs(other, &of.workload).is_empty();
            let other_way = differs == ["sync"] && steps.iter().filter(in_another_way).any(way);
            if !differs.is_empty() && !other_way {
                return Err(Failure::Usage(format!(
                    "--expect: {} {} {} had another {} in that run; give this one what that one was given, or leave it out by --layers or \
                     --patterns",
                    step.layer.name(),
                    name,
                    step.pattern.name(),
                    differs.join(", ")
                )));
            }
        }
    }
    Ok(())
}

/// Flags and options of a cluster that is not there could neither be set nor undone.
fn refuse_quiesce_of_nothing(inventory: &Inventory, request: &Request) -> Result<(), Failure> {
    match request.quiesce && inventory.scope.fsid.is_none() {
        true => {
            Err(Failure::Usage("--quiesce: this run has no cluster that could be kept quiet; leave it out".to_string()))
        }
        false => Ok(()),
    }
}

/// A client without a job would be one that is counted and does nothing.
fn refuse_idle_clients(request: &Request) -> Result<(), Failure> {
    let Some(clients) = request.workload.clients else { return Ok(()) };
    if let Some(layer) = request.layers.iter().find(|layer| request.layers.len() == 1 && !layer.can().clients) {
        let text = format!("--clients: the {} layer has no clients of a cluster; osd, rados and rbd do", layer.name());
        return Err(Failure::Usage(text));
    }
    let fewer = |of: Option<u32>| of.filter(|number| *number < clients && !request.experiment.is_sweep());
    match (fewer(request.workload.jobs), fewer(request.workload.depth)) {
        (Some(jobs), _) => Err(Failure::Usage(format!("--clients {clients}: {jobs} jobs are too few for a job each"))),
        (_, Some(depth)) => {
            Err(Failure::Usage(format!("--clients {clients}: a depth of {depth} is too little for an operation each")))
        }
        _ => Ok(()),
    }
}

/// Hosts that would stand by, or could not do what is asked.
fn refuse_useless_hosts(inventory: &Inventory, request: &Request) -> Result<(), Failure> {
    if inventory.hosts.is_empty() {
        return Ok(());
    }
    if request.experiment.is_sweep() || !request.experiment.batches().is_empty() {
        let text = "--hosts: sweeps and job files of fio are loaded from here; run `fathom rados` or `fathom rbd` with --hosts instead";
        return Err(Failure::Usage(text.to_string()));
    }
    if request.workload.verify {
        let text = "--verify: what several hosts write is not checked; leave --hosts out, or --verify";
        return Err(Failure::Usage(text.to_string()));
    }
    if request.experiment.sustained().is_some() {
        let text = "--sustained: one device at a time is written to until it falls, on the host where Fathom runs; leave --hosts out";
        return Err(Failure::Usage(text.to_string()));
    }
    // What is only looked at is of use whatever is loaded.
    if inventory.clients().next().is_none() {
        return Ok(());
    }
    match request.layers.iter().any(|layer| layer.can().hosts) {
        true => Ok(()),
        false => {
            let text = "--hosts: other hosts load the device, network, rados and rbd layers, and none of these";
            Err(Failure::Usage(text.to_string()))
        }
    }
}

/// What its figures are named after: its targets, and all of them together.
/// Names, and which of them count for the depth chart: of clients what they do together, else what each target does.
fn figures_of(step: &Step) -> Vec<(String, bool)> {
    let of_clients = step.of_clients();
    let own = step.targets.iter().map(|target| (target.name.clone(), step.chart && !of_clients));
    own.chain(step.has_whole().then(|| (step.together(), step.chart && of_clients))).collect()
}

/// A threshold that nothing is measured for would be open in the end, minutes later.
fn refuse_unmatched(draft: &Draft) -> Result<(), Failure> {
    for threshold in draft
        .request
        .goal
        .thresholds
        .iter()
        .filter(|_| matches!(draft.request.experiment, Experiment::Verdict { complete: true }))
    {
        let cell = |step: &&Step| (step.layer, step.pattern) == (threshold.layer, threshold.pattern);
        let targets: BTreeSet<String> =
            draft.steps.iter().filter(cell).flat_map(figures_of).map(|figure| figure.0).collect();
        let what = format!("a threshold is set for {} {}", threshold.layer.name(), threshold.pattern.name());
        match &threshold.target {
            _ if targets.is_empty() => {
                return Err(Failure::Usage(format!("{what}, of which nothing is measured here")));
            }
            Some(name) if !targets.contains(name) => {
                let there = targets.into_iter().collect::<Vec<_>>().join(", ");
                return Err(Failure::Usage(format!("{what} of {name}, which is none of its targets: {there}")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Everything that an engine can't do is told before anything is changed.
fn refuse_impossible(draft: &Draft) -> Result<(), Failure> {
    if draft.steps.is_empty() && draft.sustained.is_empty() {
        let layers: Vec<&str> = draft.request.layers.iter().map(|layer| layer.name()).collect();
        let why = network::unmeasured(draft).map_or(String::new(), |why| format!("; {why}"));
        return Err(Failure::Usage(format!(
            "there is nothing to measure: no target for {} with these patterns{why}",
            layers.join(", ")
        )));
    }
    for step in draft.steps.iter().chain(draft.sustained.iter().map(|test| &test.step)) {
        let engine = engines::engine_for(step)?;
        for target in &step.targets {
            // A file that the run makes itself is not there yet.
            // Another host's is looked at by its agent.
            let ours = matches!(&target.place, model::Place::Path { path, .. } if draft.makes(path) || target.client.is_some());
            let why = if ours { refusal(engine, &step.workload, true) } else { engine.refuse(target, &step.workload) };
            if let Some(why) = why {
                let point = report::terminal::workload(step);
                return Err(Failure::Usage(format!(
                    "{} {} {}, {point}: {why}",
                    step.layer.name(),
                    target.name,
                    step.pattern.name()
                )));
            }
        }
    }
    Ok(())
}
