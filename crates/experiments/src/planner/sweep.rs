//! A sweep is the plan of its layer once for each combination of values, with the options of that combination.

use super::draft::Draft;
use super::subset;
use crate::{Request, WorkloadOptions};
use model::pattern::Family;
use model::workload::{IMAGE_CACHE, MIB};
use model::{Failure, OpClass, OpMix, Pattern, Setting, Step, SweepAxis};

/// At most this many points: more would take longer than a working day, and nobody would look at them.
const POINTS_MOST: usize = 1000;

/// Adds the steps of every combination that can be; returns how many can't.
pub fn add_points(draft: &mut Draft, axes: &[SweepAxis]) -> Result<u32, Failure> {
    let request = draft.request;
    refuse_senseless(request, axes)?;
    subset::refuse(draft)?;
    let mut left_out = 0;
    for at in combinations(axes) {
        draft.options = options_at(&request.workload, axes, &at);
        draft.at = at;
        let before = draft.steps.len();
        super::add_layers(draft)?;
        left_out += u32::from(draft.steps.len() == before);
        refuse_repeated(&draft.steps, before)?;
    }
    Ok(left_out)
}

/// Two points that come to the same load would be one curve's points under two names.
fn refuse_repeated(steps: &[Step], before: usize) -> Result<(), Failure> {
    let (earlier, new) = steps.split_at(before);
    let load = |step: &Step| (step.pattern, step.targets.clone(), step.workload.clone());
    match new.iter().find(|step| earlier.iter().any(|other| load(other) == load(step))) {
        Some(step) => Err(Failure::Usage(format!(
            "--axis: two of its points are the same load ({} {}, {} bytes of working set): images are whole multiples of 4 MiB, all else \
             of 1 MiB; take values that lie further apart",
            step.layer.name(),
            step.together(),
            step.workload.span
        ))),
        None => Ok(()),
    }
}

/// Axes that name the same thing twice, or that the layer does not have.
fn refuse_senseless(request: &Request, axes: &[SweepAxis]) -> Result<(), Failure> {
    let Some(layer) = request.layers.first().copied() else { return Ok(()) };
    for (place, axis) in axes.iter().enumerate() {
        let name = axis.name.as_str();
        if axes[..place].iter().any(|other| other.name == name) {
            return Err(Failure::Usage(format!("--axis {name}: is given twice; write all its values into one list")));
        }
        if fixed(&request.workload, name) {
            return Err(Failure::Usage(format!(
                "{name} is an axis and has a fixed value as well; leave one of them out"
            )));
        }
        let belongs = match name {
            "images" | IMAGE_CACHE => layer.can().images,
            "pgs" | "osds" => layer.of_pools(),
            "object-size" => layer.can().objects,
            "objects" => layer.of_buckets(),
            "clients" => layer.can().clients,
            _ => axis.option().is_none() || layer.of_ceph(),
        };
        if !belongs {
            return Err(Failure::Usage(format!("--axis {name}: the {} layer has no such thing", layer.name())));
        }
    }
    let named = |name: &str| axes.iter().any(|axis| axis.name == name);
    if named("images") && (named("jobs") || request.workload.jobs.is_some()) {
        return Err(Failure::Usage(
            "each job of the rbd layer has an image of its own: give images or jobs".to_string(),
        ));
    }
    if request.fixes_objects() && (named("working-set") || request.workload.working_set.is_some()) {
        let text = "objects and working-set both say how many objects there are; leave one of them out";
        return Err(Failure::Usage(text.to_string()));
    }
    if request.targets.image.is_some() && named("images") {
        return Err(Failure::Usage(
            "--axis images: one image is named with --image; leave one of them out".to_string(),
        ));
    }
    let points = axes.iter().map(|axis| axis.values.len()).product::<usize>();
    if points > POINTS_MOST {
        let text =
            format!("{points} combinations are too many (at most {POINTS_MOST}); take larger steps or fewer axes");
        return Err(Failure::Usage(text));
    }
    Ok(())
}

fn fixed(options: &WorkloadOptions, name: &str) -> bool {
    match name {
        "block-size" => options.block_size.is_some(),
        "depth" => options.depth.is_some(),
        "jobs" | "images" => options.jobs.is_some(),
        "read-share" => options.read_share.is_some(),
        "working-set" => options.working_set.is_some(),
        "object-size" => options.object_size.is_some(),
        "objects" => options.objects.is_some(),
        "pgs" => options.pgs.is_some(),
        "clients" => options.clients.is_some(),
        IMAGE_CACHE => options.engine_options.contains_key(IMAGE_CACHE),
        _ => false,
    }
}

/// Every combination of one value of each axis, the last axis fastest.
fn combinations(axes: &[SweepAxis]) -> Vec<Vec<u32>> {
    axes.iter().fold(vec![Vec::new()], |front, axis| {
        let with = |at: &Vec<u32>| {
            let at = at.clone();
            (0..axis.values.len() as u32).map(move |value| at.iter().copied().chain([value]).collect())
        };
        front.iter().flat_map(with).collect()
    })
}

fn options_at(base: &WorkloadOptions, axes: &[SweepAxis], at: &[u32]) -> WorkloadOptions {
    let mut options = base.clone();
    // One image, one thread: several are an axis, or said; or what each of the clients needs, at all points alike.
    let clients = axes.iter().find(|axis| axis.name == "clients").and_then(|axis| axis.values.last()?.number());
    options.jobs.get_or_insert(clients.map_or(base.clients.unwrap_or(1), |clients| clients as u32));
    for (axis, value) in axes.iter().zip(at) {
        let Some(value) = axis.values.get(*value as usize) else { continue };
        if let Some(option) = axis.option() {
            options.settings.insert(option.to_string(), value.to_string());
        }
        if axis.name == IMAGE_CACHE {
            options.engine_options.insert(IMAGE_CACHE.to_string(), value.to_string());
        }
        let Some(value) = value.number() else { continue };
        match axis.name.as_str() {
            "block-size" => options.block_size = Some(value),
            "depth" => options.depth = Some(value as u32),
            "jobs" | "images" => options.jobs = Some(value as u32),
            "read-share" => options.read_share = Some(value as u8),
            "working-set" => options.working_set = Some(value),
            "object-size" => options.object_size = Some(value),
            "objects" => options.objects = Some(value),
            "pgs" => options.pgs = Some(value as u32),
            "clients" => options.clients = Some(value as u32),
            "osds" => options.osds = Some(value as u32),
            _ => {}
        }
    }
    if options.patterns.is_empty() {
        options.patterns = patterns(base, axes);
    }
    options
}

/// What more objects in a bucket change is asked of their names, in its index: new ones, looked for, listed, deleted.
const OF_INDEX: [Pattern; 3] = [Pattern::CreateDelete, Pattern::Stat, Pattern::List];

fn patterns(options: &WorkloadOptions, axes: &[SweepAxis]) -> Vec<Pattern> {
    let named = |name: &str| axes.iter().any(|axis| axis.name == name);
    let shares = options.mix.is_some() || options.read_share.is_some() || named("read-share");
    if named("objects") && !shares { OF_INDEX.to_vec() } else { vec![pattern(options, axes)] }
}

/// One pattern for all points, so that they make one curve: reads, which harm nothing, unless a share of less than half
/// was asked for; large blocks one after the other, if all are large.
fn pattern(options: &WorkloadOptions, axes: &[SweepAxis]) -> Pattern {
    if options.mix.is_some_and(|mix| mix.classes().any(|class| !class.of_bytes())) {
        return super::draft::nearest(options);
    }
    let blocks = axes.iter().find(|axis| axis.name == "block-size");
    let smallest = blocks.and_then(|axis| axis.values.first()).and_then(Setting::number).or(options.block_size);
    let linear = smallest.is_some_and(|block| block >= MIB);
    let family = if linear { Family::Linear } else { Family::Parallel };
    Pattern::of(family, options.read_share.map_or(OpClass::Read, |percent| OpMix::reads(percent).main()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn axis(text: &str) -> SweepAxis {
        crate::planner::testing::axis(text)
    }

    #[test]
    fn combinations_are_all_of_them_once() {
        let axes = [axis("depth=1,2,4"), axis("jobs=1,2")];
        assert_eq!(combinations(&axes), [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [2, 1]]);
        let options = options_at(&WorkloadOptions::default(), &axes, &[2, 1]);
        assert_eq!((options.depth, options.jobs, options.patterns), (Some(4), Some(2), vec![Pattern::ReadParallel]));
    }

    #[test]
    fn one_pattern_for_all_points() {
        let writes = WorkloadOptions { read_share: Some(0), ..WorkloadOptions::default() };
        assert_eq!(pattern(&writes, &[axis("depth=1,2")]), Pattern::WriteParallel);
        assert_eq!(pattern(&writes, &[axis("block-size=1M,4M")]), Pattern::WriteLinear);
        let mix = WorkloadOptions { mix: Some(OpMix::halves(OpClass::Open, OpClass::List)), ..writes };
        assert_eq!(pattern(&mix, &[axis("depth=1,2")]), Pattern::Mixed);
        assert_eq!(pattern(&WorkloadOptions::default(), &[axis("block-size=4k,4M")]), Pattern::ReadParallel);
        assert_eq!(pattern(&WorkloadOptions::default(), &[axis("read-share=0,100")]), Pattern::ReadParallel);
    }
}
