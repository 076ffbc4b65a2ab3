//! From what is there and what is wished for to a plan: steps and the changes that they need. Reads, never loads.

pub mod ab;
pub mod draft;
mod durability;
mod fio;
pub mod groups;
mod holes;
mod image_states;
pub mod like;
mod nothing;
mod numbers;
pub mod osd_room;
mod others_pools;
mod placement;
mod read_share;
pub mod redundancy;
mod room;
pub mod subset;
pub mod sustained;
mod sweep;
#[doc(hidden)]
pub mod testing;

pub use crate::layers::floor::{files as floor_files, wanted as wanted_replica_hosts};

use crate::ab::Side;
use crate::layers::{self, beside, device, file, guest, network, osd, rbd, throttle};
use crate::{Experiment, Request, duration};
use draft::Draft;
use model::{
    Change, ClientHost, Diagnosis, Durability, Failure, Inventory, Layer, LeftOut, OpClass, Pattern, Plan,
    PlannedExperiment, SiteWish, Step, StepId, Sweep, Threshold,
};
use std::collections::BTreeSet;

/// The paths that are to be looked at before a plan is made, and on which hosts (`None`: this one).
pub fn wanted_sites(inventory: &Inventory, request: &Request) -> Vec<(Option<ClientHost>, SiteWish)> {
    let of = |request: &Request| match request.experiment.batches().is_empty() {
        true => device::wanted(inventory, request),
        false => fio::wanted(inventory, request),
    };
    let all = match request.experiment.pair() {
        Some(setting) => {
            [Side::A, Side::B].iter().flat_map(|side| of(&ab::on_side(request, &setting.varied, *side))).collect()
        }
        None => of(request),
    };
    let name = |host: &Option<ClientHost>| host.as_ref().map(|host| host.end.host.clone());
    let mut once: Vec<(Option<ClientHost>, SiteWish)> = Vec::new();
    for (host, wish) in all {
        match once.iter_mut().find(|(other, known)| name(other) == name(&host) && known.path == wish.path) {
            Some((_, known)) => {
                known.writes |= wish.writes;
                known.given_up |= wish.given_up;
            }
            None => once.push((host, wish)),
        }
    }
    once
}

/// The folders of mounted file systems that are to be looked at, and on which hosts (`None`: this one).
pub fn wanted_folders(inventory: &Inventory, request: &Request) -> Vec<(Option<ClientHost>, SiteWish)> {
    file::wanted(inventory, request)
}

/// The disks and folders of guests that are to be looked at.
pub fn wanted_guest_sites(inventory: &Inventory, request: &Request) -> Vec<(Option<ClientHost>, SiteWish)> {
    guest::wanted(inventory, request)
}

pub fn plan(inventory: &Inventory, request: &Request) -> Result<Plan, Failure> {
    let plan = match request.experiment.pair() {
        Some(setting) => ab::plan(inventory, request, setting),
        None => one(inventory, request),
    }?;
    refuse_in_pools(inventory, &plan)?;
    room::refuse_objects(inventory, request, &plan)?;
    room::refuse_too_much(inventory, request, &plan)?;
    holes::refuse_too_much(inventory, &plan)?;
    Ok(plan)
}

/// What pools that were there before can't or must not hold.
pub fn refuse_in_pools(inventory: &Inventory, plan: &Plan) -> Result<(), Failure> {
    others_pools::refuse(&inventory.scope, plan)
}

/// What a plan of an earlier run has too little room for by now.
///
/// # Errors
/// The quota of a pool has no room for it.
pub fn look_again(inventory: &Inventory, plan: &Plan) -> Result<Option<String>, Failure> {
    room::look_again(inventory, plan)
}

/// What can be said of paths alone.
///
/// # Errors
/// One of them can't be measured.
pub fn refuse_sites(inventory: &Inventory, request: &Request) -> Result<(), Failure> {
    device::refuse(&Draft::new(inventory, request))
}

/// What is to be known of a plan: what it leaves out, and why.
pub fn notes(inventory: &Inventory, request: &Request, plan: &Plan) -> Vec<String> {
    let draft = &Draft::new(inventory, request);
    let unmeasured = network::unmeasured(draft).or_else(|| network::loopback_alone(draft));
    [
        Vec::from_iter(unmeasured),
        osd::without_groups(inventory, plan),
        Vec::from_iter(room::note(inventory, request)),
        Vec::from_iter(like::note(request)),
        Vec::from_iter(numbers::note(request)),
        beside::notes(plan),
        file::notes(inventory, plan),
        rbd::notes(plan),
        throttle::notes(inventory, plan),
    ]
    .concat()
}

fn one(inventory: &Inventory, request: &Request) -> Result<Plan, Failure> {
    refuse_idle_clients(request)?;
    refuse_quiesce_of_nothing(inventory, request)?;
    refuse_useless_hosts(inventory, request)?;
    refuse_unknown_options(request)?;
    let mut draft = Draft { halvings: room::halvings(inventory, request)?, ..Draft::new(inventory, request) };
    if request.quiesce {
        quiesce(&mut draft);
    }
    let experiment = planned(&mut draft)?;
    nothing::refuse_unmatched(&draft)?;
    let experiment = with_places(experiment, &draft.steps);
    let all = draft.steps.len();
    draft.steps.retain(|step| asked_for(&experiment, step));
    let goal = match experiment {
        PlannedExperiment::Fitness { .. } => duration::of_fitness(request.goal.clone(), &draft.steps),
        _ => duration::with_time(request.goal.clone(), &draft.steps),
    };
    (0..).zip(&mut draft.steps).for_each(|(id, step)| step.id = StepId(id));
    refuse_sync_of_nothing(request, &draft.steps)?;
    read_share::refuse_another(request, &draft.steps)?;
    nothing::refuse(&draft, &experiment, all)?;
    numbers::refuse_unreachable(request)?;
    refuse_other_work(experiment.thresholds(), &draft.steps)?;
    // What is held against a threshold is loaded as it says.
    let may_shrink = experiment.thresholds().is_empty()
        && request.experiment.plans_layers()
        && !request.fixes_working_sets()
        && request.workload.tree.is_none()
        && !request.workload.verify;
    let Draft { changes, steps, .. } = draft;
    Ok(Plan { changes, steps, may_shrink, cut: Vec::new(), goal, experiment })
}

/// Adds the steps of the experiment that is asked for.
fn planned(draft: &mut Draft) -> Result<PlannedExperiment, Failure> {
    let experiment = &draft.request.experiment;
    match experiment {
        Experiment::Jobs(batches) => fio::add(draft, batches)?,
        Experiment::Sweep { axes } => {
            let left_out = sweep::add_points(draft, axes)?;
            let points = std::mem::take(&mut draft.points);
            return Ok(PlannedExperiment::Sweep(Sweep { axes: axes.clone(), points, left_out }));
        }
        Experiment::ImageStates => return Ok(PlannedExperiment::ImageStates(image_states::add(draft)?)),
        _ => add_layers(draft)?,
    }
    Ok(match experiment {
        Experiment::Verdict { thresholds, .. } => PlannedExperiment::Verdict(thresholds.clone()),
        Experiment::HighestRate(bound) => PlannedExperiment::HighestRate { bound: *bound, searches: Vec::new() },
        Experiment::ScaleOut { clients_most } => {
            PlannedExperiment::ScaleOut { clients_most: *clients_most, doublings: Vec::new() }
        }
        Experiment::Diagnosis { seconds_max } => {
            // Other hosts' loads know no pairs, and a pool that is named is the only one to write to.
            let (seconds_max, tests) = (*seconds_max, Vec::new());
            let left_out = |why: &str, needs: &str| Some(LeftOut { why: why.to_string(), needs: needs.to_string() });
            let no_pairs = if !draft.request.layers.iter().any(|layer| layer.of_pools()) {
                left_out("no layer of pools was to be measured", "a layer that writes to pools (--layers)")
            } else if draft.request.targets.pool.is_some() {
                left_out("a pool was named, which is the only one to write to", "a pool of Fathom's own (no --pool)")
            } else {
                layers::pairs::add(draft)
            };
            PlannedExperiment::Diagnosis(Diagnosis { seconds_max, tests, no_pairs })
        }
        Experiment::SustainedWrites(_) => PlannedExperiment::SustainedWrites(std::mem::take(&mut draft.sustained)),
        Experiment::Fitness(_) => {
            let (drives, sustained) = (std::mem::take(&mut draft.judged), std::mem::take(&mut draft.sustained));
            PlannedExperiment::Fitness { drives, sustained }
        }
        _ => PlannedExperiment::Survey,
    })
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
    refuse_unknown_patterns(draft.request)?;
    let experiment = &draft.request.experiment;
    let wanted = |layer: &&Layer| Pattern::ALL.iter().any(|pattern| experiment.wants(**layer, *pattern));
    draft.request.layers.iter().filter(wanted).try_for_each(|layer| layers::add(*layer, draft))
}

/// A pattern that is named is of one of the layers at least.
fn refuse_unknown_patterns(request: &Request) -> Result<(), Failure> {
    let known = |pattern: Pattern| request.layers.iter().any(|layer| layer.has(pattern));
    let Some(pattern) = request.workload.patterns.iter().find(|pattern| !known(**pattern)) else { return Ok(()) };
    let names = |all: Vec<&'static str>| all.join(", ");
    Err(Failure::Usage(format!(
        "{}: is no pattern of {}; there are: {}",
        pattern.name(),
        names(request.layers.iter().map(|layer| layer.name()).collect()),
        names(Pattern::ALL.into_iter().filter(|pattern| known(*pattern)).map(Pattern::name).collect())
    )))
}

/// A target may be measured in several ways, of which one counts for the depth chart: a threshold is about that one. Only where
/// somebody names what the chart has not, it is about what lies beside.
fn with_places(mut experiment: PlannedExperiment, steps: &[Step]) -> PlannedExperiment {
    let PlannedExperiment::Verdict(thresholds) = &mut experiment else { return experiment };
    for threshold in thresholds.iter_mut().filter(|threshold| threshold.workload.is_none()) {
        let of_cell = |step: &&Step| (step.layer, step.pattern) == (threshold.layer, threshold.pattern);
        let own = |(name, chart): (String, bool)| chart && threshold.target.as_ref() == Some(&name);
        let in_chart = steps.iter().filter(of_cell).flat_map(figures_of).any(own);
        threshold.beside = threshold.target.is_some() && !in_chart;
    }
    experiment
}

/// In a run for verdicts: has any of its figures a threshold?
fn asked_for(experiment: &PlannedExperiment, step: &Step) -> bool {
    let PlannedExperiment::Verdict(thresholds) = experiment else { return true };
    let has = |(name, chart): &(String, bool)| {
        let of = |kind| Threshold::find(thresholds, (step.layer, step.pattern), kind, name, *chart);
        OpClass::all().any(|kind| of(kind).is_some())
    };
    figures_of(step).iter().any(has)
}

/// What an earlier run had is a threshold for the same workload alone.
fn refuse_other_work(thresholds: &[Threshold], steps: &[Step]) -> Result<(), Failure> {
    let figures = steps.iter().flat_map(|step| figures_of(step).into_iter().map(move |figure| (step, figure)));
    for (step, (name, chart)) in figures {
        for kind in OpClass::all() {
            let threshold = Threshold::find(thresholds, (step.layer, step.pattern), kind, &name, chart);
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

/// An option that none of the layers has, or another value than it takes.
fn refuse_unknown_options(request: &Request) -> Result<(), Failure> {
    let known = |layer: &Layer, name: &str| layer.spec().options.iter().find(|option| option.name == name);
    for (name, value) in &request.workload.engine_options {
        let Some(option) = request.layers.iter().find_map(|layer| known(layer, name)) else {
            return Err(Failure::Usage(no_such_option(name, &request.layers)));
        };
        if !option.values.contains(&value.as_str()) {
            let text = format!("--option {name}={value}: choose {}", one_of(option.values));
            return Err(Failure::Usage(text));
        }
    }
    Ok(())
}

/// `on or off`, `a, b or c`.
fn one_of(values: &[&str]) -> String {
    match values {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => values.join(", "),
    }
}

/// With what there is: the layer that has it, or the options of these layers.
fn no_such_option(name: &str, layers: &[Layer]) -> String {
    let has = |layer: &&Layer| layer.spec().options.iter().any(|option| option.name == name);
    let what = match layers {
        [layer] => format!("--option {name}: is no option of {}", layer.name()),
        _ => format!("--option {name}: no layer of this run has it"),
    };
    if let Some(other) = Layer::ALL.iter().find(has) {
        return format!("{what}; `fathom {}` has it", other.spec().command);
    }
    let of = |layer: &Layer| {
        let name = layer.name();
        layer.spec().options.iter().map(move |option| format!("{}={} ({name})", option.name, option.values.join("|")))
    };
    let own: Vec<String> = layers.iter().flat_map(of).collect();
    if own.is_empty() {
        format!("{what}, which has none; leave it out")
    } else {
        format!("{what}; there is {}", own.join(", "))
    }
}

/// A way to make writes durable says nothing where nobody writes.
fn refuse_sync_of_nothing(request: &Request, steps: &[Step]) -> Result<(), Failure> {
    let writes = |step: &Step| step.workload.mix.classes().any(|class| class.changes() && class.moves_bytes());
    let asked = request.workload.durability.is_some_and(|asked| asked != Durability::None);
    if !asked || steps.is_empty() || steps.iter().any(writes) {
        return Ok(());
    }
    let names: BTreeSet<&str> = steps.iter().map(|step| step.pattern.name()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    Err(Failure::Usage(format!(
        "--sync: nothing is written by {}; leave it out, or name a pattern that writes",
        names.join(", ")
    )))
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
    // What is only looked at is of use whatever is loaded.
    if inventory.clients().next().is_none() {
        return Ok(());
    }
    match request.layers.iter().any(|layer| layer.can().hosts) {
        true => Ok(()),
        false => {
            let can = Layer::ALL.into_iter().filter(|layer| layer.can().hosts).map(Layer::name).collect::<Vec<_>>();
            Err(Failure::Usage(format!("--hosts: other hosts load the layers {}, and none of these", can.join(", "))))
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
