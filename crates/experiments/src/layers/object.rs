//! Steps of the object layer: objects of a bucket of our own, at a gateway: whole, and by their names.

use super::file::refuse_sizes;
use crate::Varied;
use crate::planner::draft::{Draft, OPEN_BYTES};
use model::pattern::Family;
use model::units::bytes;
use model::workload::{MIB, OBJECT_MOST, OBJECTS_MOST, PART_LEAST};
use model::{Bytes, Change, Failure, Gateway, Layer, OpClass, Pattern, Place, Target, Workload};

/// Objects of a working set: enough that all shards of an index and all placement groups take part, and few enough to be put in seconds.
const SMALL: Bytes = 4096;
const SMALL_OF_LAB: Bytes = 1024;
/// Of those that are large.
const LARGE: Bytes = 256;
const LARGE_OF_LAB: Bytes = 32;

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let buckets = buckets(draft);
    if buckets.is_empty() {
        // A run of all layers measures what there is; one that names this layer wants it.
        return if draft.request.all_layers { Ok(()) } else { Err(Failure::Usage(nameless())) };
    }
    let loads = draft.workloads(Layer::Object, 0);
    // Where their sizes differ, or their number is given, none are the large ones, unless these are named.
    let fixed = draft.options.sizes.is_some() || draft.options.objects.is_some();
    let small = fixed && draft.options.patterns.is_empty();
    let loads = loads.into_iter().filter(|(pattern, _)| !small || pattern.family() != Family::Linear);
    let sized = |(pattern, load): (Pattern, Workload)| Ok((pattern, sized(draft, load)?));
    let loads: Vec<(Pattern, Workload)> = loads.map(sized).collect::<Result<_, Failure>>()?;
    refuse_one_part(draft, &loads)?;
    if draft.options.delete_at_once.is_some_and(|number| number > 1)
        && loads.iter().all(|(_, load)| load.delete_at_once.is_none())
    {
        let text = "--delete-at-once: nothing is deleted; take --patterns create-delete, or a mix with delete";
        return Err(Failure::Usage(text.to_string()));
    }
    for (pattern, workload) in loads {
        for own in &buckets {
            for number in 0..workload.buckets {
                let name = model::working_set::bucket(&own.bucket(draft, &workload), number);
                let (gateway, placement) = (own.gateway.clone(), draft.options.placement.clone());
                draft.change(Change::Bucket { gateway, name, placement });
            }
        }
        let each: Vec<Vec<Target>> = buckets.iter().map(|own| own.targets(draft, &workload)).collect();
        let all = each.concat();
        for targets in each {
            draft.step(pattern, targets, workload.clone(), !pattern.is_metadata());
        }
        // One request at a time fills no gateway; a point of a sweep, and what is compared with a bucket of the cluster, is each alone.
        let together = draft.request.thorough && !draft.request.experiment.is_sweep();
        if buckets.len() > 1 && together && pattern.family() != Family::Latency {
            draft.step(pattern, all, workload, false);
        }
    }
    Ok(())
}

/// What is smaller than a part is put as one: where all is, parts were asked for in vain.
fn refuse_one_part(draft: &Draft, loads: &[(Pattern, Workload)]) -> Result<(), Failure> {
    let Some(part) = draft.options.part.filter(|_| loads.iter().all(|(_, load)| load.part.is_none())) else {
        return Ok(());
    };
    // Other points of a sweep may have larger ones.
    if draft.request.experiment.is_sweep() {
        return Ok(());
    }
    let larger =
        if draft.options.sizes.is_some() { "smaller --part-size, or larger --sizes" } else { "larger --block-size" };
    let largest = loads.iter().filter_map(|(_, load)| load.object).max().unwrap_or(0);
    Err(Failure::Usage(format!(
        "--part-size {}: no object of this run is larger (the largest has {}); choose a {larger} (from {} on, and objects below {})",
        bytes(part),
        bytes(largest),
        bytes(PART_LEAST),
        bytes(OBJECT_MOST)
    )))
}

/// The run's own bucket at a gateway.
struct OwnBucket {
    gateway: Gateway,
    name: String,
    /// What its target is called.
    target: String,
}

impl OwnBucket {
    /// Where it counts how many objects a bucket holds, each set of them has one of its own.
    fn bucket(&self, draft: &Draft, workload: &Workload) -> String {
        let varied = draft.request.experiment.axes().iter().any(|axis| axis.name == "working-set");
        match draft.options.objects.is_some() || varied {
            true => model::working_set::bucket_of_set(&self.name, workload),
            false => self.name.clone(),
        }
    }

    /// As this host, or each that loads, loads it.
    fn targets(&self, draft: &Draft, workload: &Workload) -> Vec<Target> {
        let (prefix, bucket) = (draft.name(""), self.bucket(draft, workload));
        let place = |part: &str| Place::Bucket {
            gateway: self.gateway.clone(),
            bucket: bucket.clone(),
            prefix: format!("{prefix}{part}"),
        };
        draft.by_clients(Layer::Object, &self.target, place)
    }
}

/// One at each gateway, of a name of its own: several gateways may be of one service, which has all buckets of a name once.
fn buckets(draft: &Draft) -> Vec<OwnBucket> {
    let inventory = draft.inventory;
    let host = |gateway: &Gateway| {
        let rest = gateway.url.split_once("://").map_or(gateway.url.as_str(), |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest).to_string()
    };
    let second = match draft.request.experiment.pair().map(|pair| &pair.varied) {
        Some(Varied::Placement(_, b)) => draft.options.placement.as_ref() == Some(b),
        _ => false,
    };
    // Of a comparison of placements both sides have theirs at the same gateways.
    let before = if second { inventory.gateways.len() } else { 0 };
    let own = |(number, gateway): (usize, &Gateway)| {
        // One host may answer with TLS and without.
        let alike = inventory.gateways.iter().filter(|other| host(other) == host(gateway)).count() > 1;
        let shown = if alike { gateway.url.clone() } else { host(gateway) };
        let name = match before + number {
            0 => format!("fathom-{}", inventory.run),
            more => format!("fathom-{}-{}", inventory.run, more + 1),
        };
        let placement = draft.options.placement.as_ref().map(|id| format!(" (placement {id})"));
        let swift = gateway.swift.then(|| " (Swift)".to_string());
        let target = format!("gateway {shown}{}", swift.or(placement).unwrap_or_default());
        OwnBucket { gateway: gateway.clone(), name, target }
    };
    inventory.gateways.iter().enumerate().map(own).collect()
}

/// With the size of its objects, and as many as there are to be.
fn sized(draft: &Draft, mut workload: Workload) -> Result<Workload, Failure> {
    let options = &draft.options;
    if let Some(sizes) = &options.sizes {
        if options.block_size.is_some() || options.object_size.is_some() {
            let text = "--sizes: objects of different sizes have no one size; leave --block-size and --object-size out";
            return Err(Failure::Usage(text.to_string()));
        }
        refuse_sizes(sizes)?;
        workload.block = sizes.most();
        workload.sizes = Some(sizes.clone());
        if workload.rate.is_some() && options.depth.is_none() {
            workload.depth = workload.depth.min((OPEN_BYTES / workload.block).max(1) as u32);
        }
    }
    let size = workload.object.unwrap_or(workload.block).max(1);
    // What is put is whole; a part of an object can be read.
    if !workload.mix.has(OpClass::Read) {
        workload.block = size;
    }
    if size < workload.block {
        return Err(Failure::Usage(format!(
            "--object-size {}: it has no part of {} to be read; choose a smaller --block-size",
            bytes(size),
            bytes(workload.block)
        )));
    }
    workload.object = Some(size);
    workload.buckets = draft.options.buckets.unwrap_or(1);
    workload.delete_at_once = options.delete_at_once.filter(|number| *number > 1 && workload.mix.has(OpClass::Delete));
    workload.part = draft.options.part.filter(|part| *part < size);
    let mean = workload.sizes.as_ref().map_or(size, |sizes| (sizes.mean() as Bytes).max(1));
    let objects = match (mean >= MIB, draft.small()) {
        (true, false) => LARGE,
        (true, true) => LARGE_OF_LAB,
        (false, false) => SMALL,
        (false, true) => SMALL_OF_LAB,
    };
    let least = Bytes::from(workload.depth.max(workload.jobs));
    let usual = (draft.fitting(objects.saturating_mul(mean)) / mean).max(least);
    let of_bytes = || draft.options.working_set.map_or(usual, |bytes| bytes / mean);
    let all = options.objects.unwrap_or_else(of_bytes);
    if all < workload.jobs.into() && options.objects.is_some() {
        return Err(Failure::Usage(format!(
            "--objects {all}: {} jobs need an object each; choose more objects or fewer --jobs",
            workload.jobs
        )));
    }
    // Of objects that are alike what does not make a whole one is left as it was asked for.
    let asked = draft.options.working_set.filter(|_| workload.sizes.is_none());
    workload.span = asked.unwrap_or(all.saturating_mul(size));
    if all > OBJECTS_MOST {
        return Err(Failure::Usage(format!(
            "--working-set: {} of {} are {all} objects, which have to be put one by one first (at most {OBJECTS_MOST}); choose a smaller one",
            bytes(all.saturating_mul(mean)),
            bytes(mean)
        )));
    }
    Ok(workload)
}

fn nameless() -> String {
    "no gateway is named: --s3-url http://HOST:PORT or AWS_ENDPOINT_URL, --swift, or a lab with one (--lab --with rgw)"
        .to_string()
}

#[cfg(test)]
mod tests {
    use crate::planner::{self, testing};
    use crate::{Experiment, PairedSetting, Request, Varied};
    use model::{Change, Inventory, Layer, ObjectsNeeded, Pattern, Place, Step, working_set};
    use std::collections::BTreeSet;

    fn at(urls: &[&str]) -> Inventory {
        Inventory { gateways: urls.iter().map(|url| model::testing::gateway(url)).collect(), ..testing::inventory(3) }
    }

    fn at_gateway() -> Inventory {
        at(&["http://10.1.0.1:8080"])
    }

    #[test]
    fn of_several_gateways_each_is_loaded_alone_and_then_all_at_once() {
        let inventory = at(&["http://10.1.0.1:8080", "https://10.1.0.2", "http://10.1.0.2"]);
        let request = Request { thorough: true, ..testing::request(&[Layer::Object]) };
        let plan = planner::plan(&inventory, &request).unwrap();
        let buckets: BTreeSet<String> = plan.changes.iter().map(Change::what).collect();
        assert_eq!(buckets.len(), 3, "{buckets:?}");
        let of = |pattern: Pattern| {
            let steps = plan.steps.iter().filter(move |step| step.pattern == pattern);
            let names = |step: &Step| step.targets.iter().map(|target| target.name.clone()).collect::<Vec<_>>();
            steps.map(|step| (names(step), step.chart)).collect::<Vec<_>>()
        };
        let names = ["gateway 10.1.0.1:8080", "gateway https://10.1.0.2", "gateway http://10.1.0.2"].map(String::from);
        let alone: Vec<_> = names.iter().map(|name| (vec![name.clone()], true)).collect();
        assert_eq!(of(Pattern::WriteLatency), alone);
        let both: Vec<_> = alone.iter().cloned().chain([(names.to_vec(), false)]).collect();
        assert_eq!(of(Pattern::ReadParallel), both);
        let usual = planner::plan(&inventory, &testing::request(&[Layer::Object])).unwrap();
        assert!(usual.steps.iter().all(|step| step.targets.len() == 1));
    }

    #[test]
    fn both_placements_of_a_comparison_have_buckets_of_their_own_at_each_gateway() {
        let inventory = at(&["http://10.1.0.1:8080", "http://10.1.0.2:8080"]);
        let mut request = testing::request(&[Layer::Object]);
        request.workload.patterns = vec![Pattern::WriteLatency];
        let varied = Varied::Placement("ssd".into(), "ec".into());
        request.experiment = Experiment::PairedComparison(PairedSetting { a: "ssd".into(), b: "ec".into(), varied });
        request.goal = model::Goal::beside(1);
        let plan = planner::plan(&inventory, &request).unwrap();
        let made = plan.changes.iter().map(|change| match change {
            Change::Bucket { name, placement, gateway } => {
                let number = name.trim_start_matches(&format!("fathom-{}", inventory.run));
                (gateway.url.as_str(), number, placement.as_deref().unwrap())
            }
            other => panic!("{other:?}"),
        });
        let (first, second) = ("http://10.1.0.1:8080", "http://10.1.0.2:8080");
        let all = [(first, "", "ssd"), (second, "-2", "ssd"), (first, "-3", "ec"), (second, "-4", "ec")];
        assert_eq!(made.collect::<Vec<_>>(), all);
        request.targets.swift = true;
        let swift = planner::ab::prepared(&request).unwrap_err().to_string();
        assert!(swift.contains("--ab placement") && swift.contains("--swift"), "{swift}");
    }

    #[test]
    fn what_is_larger_is_put_in_parts_and_parts_of_nothing_are_refused() {
        let mut request = testing::request(&[Layer::Object]);
        request.workload.part = Some(8 << 20);
        let why = planner::plan(&at_gateway(), &request).unwrap_err().to_string();
        assert!(why.contains("--part-size 8 MiB") && why.contains("the largest has 4 MiB"), "{why}");
        request.workload.patterns = vec![Pattern::WriteLinear, Pattern::ReadLinear];
        request.workload.block_size = Some(64 << 20);
        let plan = planner::plan(&at_gateway(), &request).unwrap();
        assert!(plan.steps.iter().all(|step| step.workload.part == Some(8 << 20)), "{:?}", plan.steps);
    }

    #[test]
    fn objects_of_different_sizes_are_as_many_as_make_the_working_set() {
        let mut request = testing::request(&[Layer::Object]);
        let sizes =
            model::Sizes::shares([4096, 12_288].map(|bytes| model::SizeShare { bytes, percent: 50 }).to_vec()).unwrap();
        request.workload.sizes = Some(sizes.clone());
        request.workload.working_set = Some(8 << 20);
        let plan = planner::plan(&at_gateway(), &request).unwrap();
        assert!(
            !plan.steps.is_empty()
                && plan.steps.iter().all(|step| step.pattern.family() != model::pattern::Family::Linear)
        );
        for step in &plan.steps {
            let load = &step.workload;
            assert_eq!((load.block, load.lane_items() * u64::from(load.jobs)), (12_288, 1024), "{step:?}");
            assert!(load.sizes == Some(sizes.clone()) && (load.bytes() as f64 / (8 << 20) as f64 - 1.0).abs() < 0.1);
        }
        request.workload.object_size = Some(4096);
        let why = planner::plan(&at_gateway(), &request).unwrap_err().to_string();
        assert!(why.contains("leave --block-size and --object-size out"), "{why}");
    }

    fn sweep(axes: &[&str]) -> Request {
        let axes = axes.iter().map(|axis| testing::axis(axis)).collect();
        Request { experiment: Experiment::Sweep { axes }, ..testing::request(&[Layer::Object]) }
    }

    fn bucket(step: &Step) -> &str {
        let Place::Bucket { bucket, .. } = &step.targets[0].place else { panic!("{step:?}") };
        bucket
    }

    #[test]
    fn each_number_of_objects_has_a_bucket_of_its_own_that_holds_no_others() {
        let plan = planner::plan(&at_gateway(), &sweep(&["objects=1000,30000", "depth=1,8"])).unwrap();
        assert_eq!((plan.changes.len(), plan.steps.len(), plan.may_shrink), (2, 12, false));
        for step in &plan.steps {
            let ObjectsNeeded { count, size, .. } = ObjectsNeeded::by(&step.workload);
            assert!(
                bucket(step).ends_with(&format!("-o{count}x{size}")) && [1000, 30_000].contains(&count),
                "{step:?}"
            );
            assert!(plan.changes.iter().any(|change| change.what().contains(bucket(step))));
            assert!([Pattern::CreateDelete, Pattern::Stat, Pattern::List].contains(&step.pattern));
        }
        let put: Vec<u64> = working_set::put_before(&plan.steps).iter().map(|set| set.count).collect();
        assert_eq!(put, [1000, 30_000]);
        // The same of bytes; and where objects differ in size, or are others for large blocks, none are with others.
        for (axes, patterns, buckets) in [
            (&["working-set=4M,16M"][..], &[Pattern::List][..], 2),
            (&["objects=10,20", "block-size=4k,64k"], &[Pattern::Stat], 4),
            (&["objects=10,20", "block-size=1M"], &[Pattern::ReadParallel, Pattern::ReadLinear], 4),
            (&["depth=1,8", "block-size=4k,64k"], &[Pattern::Stat], 1),
        ] {
            let mut request = sweep(axes);
            request.workload.patterns = patterns.to_vec();
            let plan = planner::plan(&at_gateway(), &request).unwrap();
            let names: BTreeSet<&str> = plan.steps.iter().map(bucket).collect();
            assert_eq!((names.len(), plan.changes.len()), (buckets, buckets), "{axes:?}");
        }
    }

    #[test]
    fn a_number_of_objects_is_as_it_was_asked_for_or_refused() {
        let mut inventory = at_gateway();
        inventory.scope.osds.iter_mut().for_each(|osd| (osd.bytes, osd.bytes_used) = (Some(1 << 30), Some(0)));
        let mut request = testing::request(&[Layer::Object]);
        request.workload.objects = Some(20_000);
        let plan = planner::plan(&inventory, &request).unwrap();
        assert_eq!((plan.changes.len(), plan.steps.len(), plan.may_shrink), (1, 7, false));
        assert!(plan.steps.iter().all(|step| ObjectsNeeded::by(&step.workload).count == 20_000), "{plan:?}");
        assert!(planner::notes(&inventory, &request, &plan).is_empty());
        request.workload.objects = Some(200_000);
        let why = planner::plan(&inventory, &request).unwrap_err().to_string();
        assert!(
            why.contains("200000 objects in 3 copies take about 1.1") && why.contains("on osd.0, which has room for"),
            "{why}"
        );
        request.workload.objects = Some(3);
        request.workload.jobs = Some(4);
        let why = planner::plan(&inventory, &request).unwrap_err().to_string();
        assert!(why.contains("--objects 3: 4 jobs need an object each"), "{why}");
        let mut request = sweep(&["objects=10,20"]);
        request.workload.working_set = Some(1 << 20);
        let why = planner::plan(&inventory, &request).unwrap_err().to_string();
        assert!(why.contains("leave one of them out"), "{why}");
        let mut request = sweep(&["objects=10,20"]);
        request.layers = vec![testing::pools()];
        let why = planner::plan(&inventory, &request).unwrap_err().to_string();
        assert!(why.contains("--axis objects: the rados layer has no such thing"), "{why}");
    }

    #[test]
    fn whole_objects_of_one_bucket_of_the_runs_own() {
        let plan = planner::plan(&at_gateway(), &testing::request(&[Layer::Object])).unwrap();
        let [Change::Bucket { name, .. }] = &plan.changes[..] else { panic!("{:?}", plan.changes) };
        assert!(name.starts_with("fathom-2026"), "{name}");
        assert_eq!(plan.steps.len(), 9);
        for step in &plan.steps {
            assert_eq!(step.workload.object, Some(step.workload.block));
            assert_eq!(step.targets[0].name, "gateway 10.1.0.1:8080");
            let Place::Bucket { bucket, prefix, .. } = &step.targets[0].place else { panic!() };
            assert!(bucket == name && prefix.starts_with("fathom.2026"), "{bucket} {prefix}");
        }
        assert_eq!(plan.steps.iter().map(|step| step.workload.span).max(), Some(1 << 30));
    }

    #[test]
    fn without_a_gateway_it_is_asked_for_where_the_layer_is_named() {
        let inventory = testing::inventory(3);
        let why = planner::plan(&inventory, &testing::request(&[Layer::Object])).unwrap_err().to_string();
        assert!(why.contains("--s3-url http://HOST:PORT"), "{why}");
        let request = testing::request(&[Layer::Rados, Layer::Object]);
        assert!(planner::plan(&inventory, &request).is_err());
        let plan = planner::plan(&inventory, &testing::request(&[Layer::Rados])).unwrap();
        assert!(plan.steps.iter().all(|step| step.layer == Layer::Rados));
    }
}
