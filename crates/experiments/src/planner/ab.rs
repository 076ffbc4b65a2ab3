//! The plan of one setting against another: the plan of each side, step by step beside each other.

use super::draft::nearest;
use super::like;
use crate::ab::{Side, pool_and_name};
use crate::{PairedSetting, Request, Varied, WorkloadOptions};
use model::change::{PoolLike, who_and_name};
use model::host_setting::{HostSetting, host_and_name};
use model::pattern::Family;
use model::shell::word;
use model::{Ab, Change, Failure, Inventory, Layer, Pattern, Plan, PlannedExperiment, Step, StepId};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// What `--ab` takes, as in `pool=fast,slow`.
pub const WAYS: &str = "nothing; pool=A,B (rados, rbd); data-pool=A,B (rbd, file); placement=A,B (object); engine=A,B; block-size=A,B; depth=A,B; jobs=A,B; path=A,B (disk); \
                        osd=A,B (store, osd); option:WHO/NAME=VALUE (as it is against VALUE)";

/// The request with what both sides have in common; before anything is reached or started. Refuses what is the same on both sides
/// whatever there is to measure.
pub fn prepared(request: &Request) -> Result<Request, Failure> {
    let mut request = request.clone();
    if let Some(setting) = request.experiment.pair().cloned() {
        refuse_layers_without(&request, &setting)?;
        refuse_fixed(&request, &setting)?;
        refuse_without_names(&request, &setting.varied)?;
        if request.workload.patterns.is_empty() {
            request.workload.patterns = patterns(&request, &setting.varied);
        }
    }
    Ok(request)
}

/// A setting that a layer does not have.
fn refuse_layers_without(request: &Request, setting: &PairedSetting) -> Result<(), Failure> {
    let has = |layer: &Layer| match setting.varied {
        Varied::Pool(..) | Varied::PoolLike { .. } => layer.of_pools(),
        Varied::DataPool(..) => layer.can().images || layer.of_folders(),
        Varied::Placement(..) => layer.of_buckets(),
        Varied::Osd(..) => layer.of_single_osds(),
        Varied::Path(..) => layer.of_disks() || layer.of_guests(),
        _ => true,
    };
    let Some(without) = request.layers.iter().find(|layer| !has(layer)) else { return Ok(()) };
    let able: Vec<&str> = Layer::ALL.iter().filter(|layer| has(layer)).map(|layer| layer.name()).collect();
    let mend = match request.layers.len() > 1 {
        true => format!("give --layers {}, or another setting", able.join(",")),
        false => "take another setting".to_string(),
    };
    let (what, layer, able) = (setting.varied.name(), without.name(), able.join(" and "));
    Err(Failure::Usage(format!(
        "--ab {what}: the {layer} layer has no such thing, it is of {able}; {mend}; there are: {WAYS}"
    )))
}

/// A setting that has a fixed value as well.
fn refuse_fixed(request: &Request, setting: &PairedSetting) -> Result<(), Failure> {
    let options = &request.workload;
    let fixed = match &setting.varied {
        Varied::Pool(..) | Varied::PoolLike { .. } => request.targets.pool.is_some().then_some("--pool"),
        Varied::DataPool(..) => request.targets.data_pool.is_some().then_some("--data-pool"),
        Varied::Placement(..) => options.placement.is_some().then_some("--placement"),
        Varied::Engine(..) => options.engine.is_some().then_some("--engine"),
        Varied::BlockSize(..) => options.block_size.is_some().then_some("--block-size"),
        Varied::Depth(..) => options.depth.is_some().then_some("--depth"),
        Varied::Jobs(..) => options.jobs.is_some().then_some("--jobs"),
        Varied::Osd(..) => (!request.targets.osds.is_empty()).then_some("a list of OSDs"),
        _ => None,
    };
    if let Some(given) = fixed {
        let what = setting.varied.name();
        let text = format!("{what} differs by --ab and has a fixed value as well, by {given}; leave one of them out");
        return Err(Failure::Usage(text));
    }
    if request.targets.swift && matches!(setting.varied, Varied::Placement(..)) {
        let text = "--ab placement: buckets are placed by S3 alone; leave --swift out";
        return Err(Failure::Usage(text.to_string()));
    }
    let Varied::Path(a, b) = &setting.varied else { return Ok(()) };
    let named = request.targets.paths.iter().chain(&request.targets.guest_paths);
    match named.into_iter().find(|path| ![a, b].contains(path)) {
        Some(path) => Err(Failure::Usage(format!(
            "{}: {} is neither of the two and would not be measured; name one of them instead",
            setting.shown(),
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Images whose data lie elsewhere have their names in a pool that stays: with one that goes, nobody would know their data any more.
fn refuse_without_names(request: &Request, varied: &Varied) -> Result<(), Failure> {
    let images = request.layers.iter().any(|layer| layer.can().images);
    match varied {
        Varied::DataPool(..) if images && request.targets.pool.is_none() => Err(Failure::Usage(
            "--ab data-pool: the names of the images lie in a replicated pool that is there; name it by --pool"
                .to_string(),
        )),
        _ => Ok(()),
    }
}

/// Patterns of both sides where none is named. Numbers have the pattern that they are nearest to; where each side has numbers of
/// its own that must be one pattern all the same, so it is the one of the smaller block and of the greater depth. Jobs share a
/// depth: one operation in flight has but one.
fn patterns(request: &Request, varied: &Varied) -> Vec<Pattern> {
    let options = request.workload.clone();
    match *varied {
        Varied::BlockSize(a, b) => vec![nearest(&WorkloadOptions { block_size: Some(a.min(b)), ..options })],
        Varied::Depth(a, b) => vec![nearest(&WorkloadOptions { depth: Some(a.max(b)), ..options })],
        Varied::Jobs(..) if !options.has_own_numbers() && !request.open_loop() => {
            let known = |pattern: &Pattern| request.layers.iter().any(|layer| layer.has(*pattern));
            Pattern::usual().filter(known).filter(|pattern| pattern.family() != Family::Latency).collect()
        }
        _ => Vec::new(),
    }
}

pub fn plan(inventory: &Inventory, request: &Request, setting: &PairedSetting) -> Result<Plan, Failure> {
    let a = super::one(inventory, &on_side(request, &setting.varied, Side::A))?;
    let mut b = super::one(inventory, &on_side(request, &setting.varied, Side::B))?;
    let first = a.steps.iter().map(|step| step.id.0 + 1).max().unwrap_or(0);
    b.steps.iter_mut().for_each(|step| step.id = StepId(step.id.0 + first));
    let alike = |(a, b): (&Step, &Step)| (a.layer, a.pattern, a.targets.len()) == (b.layer, b.pattern, b.targets.len());
    if a.steps.len() != b.steps.len() || !a.steps.iter().zip(&b.steps).all(alike) {
        let mend = "name one pattern for both, as in --patterns read-parallel";
        return Err(Failure::Usage(format!("{}: the two sides are not measured alike; {mend}", setting.shown())));
    }
    refuse_same(&a.steps, &b.steps, setting)?;
    let pairs = a.steps.iter().zip(&b.steps).map(|(a, b)| (a.id, b.id)).collect();
    let ab = Ab {
        what: setting.varied.name().to_string(),
        a: setting.a.clone(),
        b: setting.b.clone(),
        pairs,
        restarts: Vec::new(),
        permanent: permanent(&setting.varied),
    };
    let (goal, changes) = (a.goal, both(a.changes, b.changes)?);
    // Two figures for each cell: no depth chart.
    let steps = a.steps.into_iter().chain(b.steps).map(|step| Step { chart: false, ..step }).collect();
    let experiment = PlannedExperiment::PairedComparison(ab);
    Ok(Plan { changes, steps, goal, experiment, ..Plan::default() })
}

/// The commands that make B permanent.
fn permanent(varied: &Varied) -> Vec<String> {
    match varied {
        Varied::ClusterOption { option, value } => {
            if let Some((host, name)) = host_and_name(option) {
                let setting = HostSetting::parse(name).ok();
                return setting
                    .map(|setting| format!("{} # on {host}", setting.permanent(value, None)))
                    .into_iter()
                    .collect();
            }
            let (who, name) = who_and_name(option);
            vec![format!("ceph config set {} {} {}", word(who), word(name), word(value))]
        }
        Varied::PoolLike { setting, value } => {
            pool_and_name(setting).map(|(pool, name)| like::permanent(pool, name, value)).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// A against A under the names of A and B would be a finding about nothing.
fn refuse_same(a: &[Step], b: &[Step], setting: &PairedSetting) -> Result<(), Failure> {
    if matches!(setting.varied, Varied::Nothing | Varied::ClusterOption { .. }) {
        return Ok(());
    }
    let same = |(a, b): &(&Step, &Step)| a.targets == b.targets && a.workload == b.workload;
    match a.iter().zip(b).find(same) {
        Some((step, _)) => Err(Failure::Usage(format!(
            "{}: {} {} {} is the same on both sides; leave it out by --patterns, or take --ab nothing, which shows what chance \
             alone does",
            setting.shown(),
            step.layer.name(),
            step.together(),
            step.pattern.name()
        ))),
        None => Ok(()),
    }
}

/// What both sides need is made once.
fn both(mut all: Vec<Change>, others: Vec<Change>) -> Result<Vec<Change>, Failure> {
    for change in others {
        if all.contains(&change) {
            continue;
        }
        if all.iter().any(|known| name(known) == name(&change)) {
            let text = format!(
                "--ab: the two sides need `{}` in different sizes; give both the same --working-set",
                change.what()
            );
            return Err(Failure::Usage(text));
        }
        all.push(change);
    }
    Ok(all)
}

/// What a change makes, whatever its size.
fn name(change: &Change) -> (String, String) {
    match change {
        Change::Pool { name, .. } => ("pool".into(), name.clone()),
        Change::Image { pool, name, .. } => (pool.clone(), name.clone()),
        other => (String::new(), other.what()),
    }
}

/// The request with the value of one side.
pub(super) fn on_side(request: &Request, varied: &Varied, side: Side) -> Request {
    let mut request = request.clone();
    let (options, targets) = (&mut request.workload, &mut request.targets);
    match varied {
        Varied::Nothing => {}
        Varied::Pool(a, b) => targets.pool = Some(side.of(a, b).clone()),
        Varied::DataPool(a, b) => targets.data_pool = Some(side.of(a, b).clone()),
        Varied::Placement(a, b) => options.placement = Some(side.of(a, b).clone()),
        Varied::Engine(a, b) => options.engine = Some(side.of(a, b).clone()),
        Varied::BlockSize(a, b) => options.block_size = Some(side.of(*a, *b)),
        Varied::Depth(a, b) => options.depth = Some(side.of(*a, *b)),
        Varied::Jobs(a, b) => options.jobs = Some(side.of(*a, *b)),
        Varied::Path(a, b) => {
            let in_guests = request.layers.iter().any(|layer| layer.of_guests());
            let paths = if in_guests { &mut targets.guest_paths } else { &mut targets.paths };
            *paths = vec![PathBuf::from(side.of(a, b))];
        }
        Varied::Osd(a, b) => (targets.osds, targets.each_alone) = (vec![side.of(*a, *b)], true),
        Varied::ClusterOption { option, value } if side == Side::B => {
            options.settings.insert(option.clone(), value.clone());
        }
        Varied::ClusterOption { .. } => {}
        Varied::PoolLike { setting, value } => {
            let (pool, name) = pool_and_name(setting).unwrap_or_default();
            let but = BTreeMap::from([(name.to_string(), value.clone())]);
            options.like = Some(PoolLike { pool: pool.to_string(), but: side.of(BTreeMap::new(), but) });
        }
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planner::testing::{self, axis};
    use crate::{Experiment, Targets};
    use model::Goal;

    fn setting(text: &str) -> PairedSetting {
        let (what, values) = text.split_once('=').unwrap_or((text, ","));
        let (a, b) = values.split_once(',').unwrap();
        let numbers: Vec<u64> = axis(text).values.iter().filter_map(|value| value.number()).collect();
        let (first, second) = (numbers[0], numbers[numbers.len() - 1]);
        let varied = match what {
            "pool" => Varied::Pool(a.into(), b.into()),
            "data-pool" => Varied::DataPool(a.into(), b.into()),
            "placement" => Varied::Placement(a.into(), b.into()),
            "path" => Varied::Path(a.into(), b.into()),
            "engine" => Varied::Engine(a.into(), b.into()),
            "osd" => Varied::Osd(first as u32, second as u32),
            "depth" => Varied::Depth(first as u32, second as u32),
            "jobs" => Varied::Jobs(first as u32, second as u32),
            "block-size" => Varied::BlockSize(first, second),
            _ => Varied::Nothing,
        };
        PairedSetting { a: a.into(), b: b.into(), varied }
    }

    fn request(layer: Layer, ab: &str, options: WorkloadOptions) -> Request {
        Request {
            layers: vec![layer],
            workload: WorkloadOptions { seed: 1, ..options },
            goal: Goal::beside(1),
            experiment: Experiment::PairedComparison(setting(ab)),
            targets: Targets { paths: vec![PathBuf::from("/")], ..Targets::default() },
            thorough: true,
            ..Request::default()
        }
    }

    fn planned(request: &Request) -> Result<Plan, String> {
        let inventory = Inventory { run: "r".to_string(), sites: vec![testing::folder("/")], ..Inventory::default() };
        let request = prepared(request).map_err(|failure| failure.to_string())?;
        crate::planner::plan(&inventory, &request).map_err(|failure| failure.to_string())
    }

    #[test]
    fn both_sides_have_one_pattern_where_only_numbers_differ() {
        let of = |ab: &str, options: WorkloadOptions| {
            let plan = planned(&request(testing::disks(), ab, options)).unwrap();
            let pair = |(a, b): &(StepId, StepId)| {
                let step = |id: StepId| plan.steps.iter().find(|step| step.id == id).unwrap();
                assert_eq!(step(*a).pattern, step(*b).pattern);
                assert_ne!(step(*a).workload, step(*b).workload);
                step(*a).pattern
            };
            plan.experiment.pair().iter().flat_map(|ab| ab.pairs.iter().map(pair)).collect::<Vec<_>>()
        };
        let (plain, reads) =
            (WorkloadOptions::default(), WorkloadOptions { read_share: Some(100), ..WorkloadOptions::default() });
        assert_eq!(of("depth=1,32", plain.clone()), [Pattern::WriteParallel]);
        assert_eq!(of("depth=32,1", reads.clone()), [Pattern::ReadParallel]);
        assert_eq!(of("block-size=1M,4k", plain.clone()), [Pattern::WriteLatency]);
        assert_eq!(of("block-size=1M,4M", reads), [Pattern::ReadLinear]);
        assert_eq!(of("jobs=1,4", plain.clone()).len(), 4);
        assert_eq!(
            of("engine=io_uring,psync", WorkloadOptions { patterns: vec![Pattern::ReadLatency], ..plain }).len(),
            1
        );
    }

    #[test]
    fn what_is_the_same_on_both_sides_is_refused() {
        let why = |layer: Layer, ab: &str, options: WorkloadOptions| planned(&request(layer, ab, options)).unwrap_err();
        let plain = WorkloadOptions::default;
        for (layer, ab) in [
            (testing::disks(), "pool=fast,slow"),
            (testing::osds(), "pool=a,b"),
            (testing::pools(), "path=/a,/b"),
            (testing::images(), "osd=0,1"),
        ] {
            let why = why(layer, ab, plain());
            let what = ab.split('=').next().unwrap();
            assert!(why.contains(&format!("--ab {what}: the {} layer", layer.name())) && why.contains(WAYS), "{why}");
        }
        for (ab, options, given) in [
            ("depth=8,16", WorkloadOptions { depth: Some(4), ..plain() }, "--depth"),
            ("jobs=1,2", WorkloadOptions { jobs: Some(4), ..plain() }, "--jobs"),
            ("block-size=4k,8k", WorkloadOptions { block_size: Some(4096), ..plain() }, "--block-size"),
            ("engine=io_uring,psync", WorkloadOptions { engine: Some("psync".into()), ..plain() }, "--engine"),
            ("path=/a,/b", plain(), "/ is neither"),
            ("path=/,/", plain(), "is the same on both sides"),
            ("depth=8,8", plain(), "is the same on both sides"),
            (
                "jobs=1,4",
                WorkloadOptions { patterns: vec![Pattern::ReadLatency], ..plain() },
                "read-latency is the same",
            ),
        ] {
            let why = why(testing::disks(), ab, options);
            assert!(why.contains(given), "{ab}: {why}");
        }
        let all = Request {
            layers: Layer::ALL.to_vec(),
            all_layers: true,
            ..request(testing::images(), "pool=a,b", plain())
        };
        let why = prepared(&all).unwrap_err().to_string();
        assert!(why.contains("device layer") && why.contains("--layers rados,rbd"), "{why}");
        assert!(planned(&request(testing::disks(), "nothing", plain())).is_ok());
    }
}
