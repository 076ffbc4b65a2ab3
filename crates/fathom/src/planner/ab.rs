//! The plan of one setting against another: the plan of each side, step by step beside each other.

use super::draft::{nearest, own_numbers};
use super::{Ground, Wishes};
use crate::cli::knobs::Knobs;
use crate::cli::words;
use crate::failure::Failure;
use model::pattern::Family;
use model::{Ab, Change, HostFile, Layer, Pattern, Plan, Step, StepId};
use std::path::{Path, PathBuf};

/// What `--ab` takes, as in `pool=fast,slow`.
pub const WAYS: &str = "nothing; pool=A,B (rados, rbd); engine=A,B; block-size=A,B; depth=A,B; jobs=A,B; path=A,B (disk); \
                        osd=A,B (store, osd); option:WHO/NAME=VALUE (as it is against VALUE)";

/// What differs, and how it is called on both sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    pub what: String,
    pub a: String,
    pub b: String,
}

/// `nothing`, `pool=fast,slow`, `option:osd/osd_max_backfills=1`.
pub fn parse(text: &str) -> Result<Wish, String> {
    let wrong = || format!("`{text}` does not say what differs; there are: {WAYS}");
    if text == "nothing" {
        return Ok(Wish { what: "nothing".into(), a: "A".into(), b: "B".into() });
    }
    let (what, values) = text.split_once('=').ok_or_else(wrong)?;
    if let Some(option) = what.strip_prefix("option:") {
        return match option.split_once('/') {
            Some((who, name)) if !who.is_empty() && !name.is_empty() && !values.is_empty() => {
                Ok(Wish { what: option.into(), a: "as it is".into(), b: values.into() })
            }
            _ => Err(wrong()),
        };
    }
    // An option is set on one side only: two values of it would be one, and the other a wrong name.
    if what.contains('/') {
        return Err(wrong());
    }
    match values.split_once(',') {
        Some((a, b)) if !a.is_empty() && !b.is_empty() && !b.contains(',') => {
            Ok(Wish { what: what.into(), a: a.into(), b: b.into() })
        }
        _ => Err(format!("`{text}` has not two values; write it as {what}=A,B")),
    }
}

impl Wish {
    fn is_option(&self) -> bool {
        self.what.contains('/')
    }

    fn shown(&self) -> String {
        format!("--ab {}={},{}", self.what, self.a, self.b)
    }
}

/// The wishes with what both sides have in common; before anything is reached or started. Refuses what is the same on both sides
/// whatever there is to measure.
pub fn prepared(wishes: &Wishes) -> Result<Wishes, Failure> {
    let mut wishes = wishes.clone();
    if let Some(wish) = wishes.knobs.ab.clone().filter(|_| wishes.axes.is_empty()) {
        refuse_senseless(&wishes, &wish)?;
        if wishes.knobs.patterns.is_empty() {
            wishes.knobs.patterns = patterns(&wishes, &wish)?;
        }
    }
    Ok(wishes)
}

/// A setting that a layer does not have, or that has a fixed value as well.
fn refuse_senseless(wishes: &Wishes, wish: &Wish) -> Result<(), Failure> {
    let what = wish.what.as_str();
    let has = |layer: &Layer| match what {
        "pool" => matches!(layer, Layer::Rados | Layer::Rbd),
        "osd" => matches!(layer, Layer::Store | Layer::Osd),
        "path" => *layer == Layer::Device,
        _ => true,
    };
    if let Some(without) = wishes.layers.iter().find(|layer| !has(layer)) {
        let able: Vec<&str> = Layer::ALL.iter().filter(|layer| has(layer)).map(|layer| layer.name()).collect();
        let mend = match wishes.layers.len() > 1 {
            true => format!("give --layers {}, or another setting", able.join(",")),
            false => "take another setting".to_string(),
        };
        let (layer, able) = (without.name(), able.join(" and "));
        let text =
            format!("--ab {what}: the {layer} layer has no such thing, it is of {able}; {mend}; there are: {WAYS}");
        return Err(Failure::Usage(text));
    }
    let knobs = &wishes.knobs;
    let fixed = match what {
        "pool" => wishes.pool.is_some().then_some("--pool"),
        "engine" => knobs.engine.is_some().then_some("--engine"),
        "block-size" => knobs.block_size.is_some().then_some("--block-size"),
        "depth" => knobs.depth.is_some().then_some("--depth"),
        "jobs" => knobs.jobs.is_some().then_some("--jobs"),
        "osd" => (!wishes.osds.is_empty()).then_some("a list of OSDs"),
        _ => None,
    };
    if let Some(given) = fixed {
        let text = format!("{what} differs by --ab and has a fixed value as well, by {given}; leave one of them out");
        return Err(Failure::Usage(text));
    }
    let neither = |path: &&PathBuf| what == "path" && *path != Path::new(&wish.a) && *path != Path::new(&wish.b);
    match wishes.paths.iter().find(neither) {
        Some(path) => Err(Failure::Usage(format!(
            "{}: {} is neither of the two and would not be measured; name one of them instead",
            wish.shown(),
            path.display()
        ))),
        None => Ok(()),
    }
}

/// Patterns of both sides where none is named. Numbers have the pattern that they are nearest to; where each side has numbers of
/// its own that must be one pattern all the same, so it is the one of the smaller block and of the greater depth. Jobs share a
/// depth: one operation in flight has but one.
fn patterns(wishes: &Wishes, wish: &Wish) -> Result<Vec<Pattern>, Failure> {
    let knobs = &wishes.knobs;
    match wish.what.as_str() {
        "depth" | "block-size" => {
            let (a, b) = (side(wishes, wish, &wish.a)?.knobs, side(wishes, wish, &wish.b)?.knobs);
            let both =
                Knobs { block_size: a.block_size.min(b.block_size), depth: a.depth.max(b.depth), ..knobs.clone() };
            Ok(vec![nearest(&both)])
        }
        "jobs" if !own_numbers(knobs) && !knobs.open() => {
            Ok(Pattern::ALL.into_iter().filter(|pattern| pattern.family() != Family::Latency).collect())
        }
        _ => Ok(Vec::new()),
    }
}

pub fn plan(ground: &Ground, wishes: &Wishes, wish: &Wish) -> Result<Plan, Failure> {
    let a = super::one(ground, &side(wishes, wish, &wish.a)?)?;
    let mut other = side(wishes, wish, &wish.b)?;
    if wish.is_option() {
        other.knobs.settings.insert(wish.what.clone(), wish.b.clone());
    }
    let mut b = super::one(ground, &other)?;
    let first = a.steps.iter().map(|step| step.id.0 + 1).max().unwrap_or(0);
    b.steps.iter_mut().for_each(|step| step.id = StepId(step.id.0 + first));
    let alike = |(a, b): (&Step, &Step)| (a.layer, a.pattern, a.targets.len()) == (b.layer, b.pattern, b.targets.len());
    if a.steps.len() != b.steps.len() || !a.steps.iter().zip(&b.steps).all(alike) {
        let mend = "name one pattern for both, as in --patterns read-parallel";
        return Err(Failure::Usage(format!("{}: the two sides are not measured alike; {mend}", wish.shown())));
    }
    refuse_same(&a.steps, &b.steps, wish)?;
    let pairs = a.steps.iter().zip(&b.steps).map(|(a, b)| (a.id, b.id)).collect();
    let ab = Ab { what: wish.what.clone(), a: wish.a.clone(), b: wish.b.clone(), pairs };
    let (goal, changes) = (a.goal, both(a.changes, b.changes)?);
    let host_files = both_hosts(a.host_files, b.host_files)?;
    // Two figures for each cell: no depth chart.
    let steps = a.steps.into_iter().chain(b.steps).map(|step| Step { chart: false, ..step }).collect();
    Ok(Plan { changes, host_files, steps, goal, ab: Some(ab), ..Plan::default() })
}

/// A against A under the names of A and B would be a finding about nothing.
fn refuse_same(a: &[Step], b: &[Step], wish: &Wish) -> Result<(), Failure> {
    let same = |(a, b): &(&Step, &Step)| a.targets == b.targets && a.workload == b.workload;
    let mut pairs = a.iter().zip(b);
    match pairs.find(same).filter(|_| wish.what != "nothing" && !wish.is_option()) {
        Some((step, _)) => Err(Failure::Usage(format!(
            "{}: {} {} {} is the same on both sides; leave it out by --patterns, or take --ab nothing, which shows what chance \
             alone does",
            wish.shown(),
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

/// A file on another host that both sides need is made once.
fn both_hosts(mut all: Vec<HostFile>, others: Vec<HostFile>) -> Result<Vec<HostFile>, Failure> {
    for file in others.into_iter().filter(|file| !all.contains(file)).collect::<Vec<_>>() {
        if all.iter().any(|known| (&known.host, &known.path) == (&file.host, &file.path)) {
            let (host, path) = (&file.host, file.path.display());
            let text = format!(
                "--ab: the two sides need {path} on {host} in different sizes; give both the same --working-set"
            );
            return Err(Failure::Usage(text));
        }
        all.push(file);
    }
    Ok(all)
}

/// What a change makes, whatever its size.
fn name(change: &Change) -> (String, String) {
    match change {
        Change::Pool { name, .. } => ("pool".into(), name.clone()),
        Change::Image { pool, name, .. } => (pool.clone(), name.clone()),
        Change::File { path, .. } => ("file".into(), path.display().to_string()),
        other => (String::new(), other.what()),
    }
}

fn side(wishes: &Wishes, wish: &Wish, value: &str) -> Result<Wishes, Failure> {
    let mut side = wishes.clone();
    let knobs = &mut side.knobs;
    let wrong = |why: String| Failure::Usage(format!("--ab {}: {why}", wish.what));
    match wish.what.as_str() {
        "nothing" => {}
        "pool" => side.pool = Some(value.to_string()),
        "engine" => knobs.engine = Some(value.to_string()),
        "block-size" => knobs.block_size = Some(words::size(value).map_err(wrong)?),
        "depth" => knobs.depth = Some(positive(value).map_err(wrong)?),
        "jobs" => knobs.jobs = Some(positive(value).map_err(wrong)?),
        "path" => side.paths = vec![PathBuf::from(value)],
        "osd" => (side.osds, side.alone) = (vec![words::osd(value).map_err(wrong)?], true),
        _ if wish.is_option() => {}
        other => return Err(Failure::Usage(format!("--ab: `{other}` is nothing that can differ; there are: {WAYS}"))),
    }
    Ok(side)
}

fn positive(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|n| (1..=65_536).contains(n))
        .ok_or_else(|| format!("`{text}` is not a number from 1 to 65536"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{Goal, Scope};

    #[test]
    fn what_differs_is_said_in_a_few_ways() {
        let wish = |what: &str, a: &str, b: &str| Ok(Wish { what: what.into(), a: a.into(), b: b.into() });
        assert_eq!(parse("pool=fast,slow"), wish("pool", "fast", "slow"));
        assert_eq!(parse("nothing"), wish("nothing", "A", "B"));
        assert_eq!(parse("option:osd/osd_max_backfills=1"), wish("osd/osd_max_backfills", "as it is", "1"));
        for wrong in ["", "pool", "pool=a", "pool=a,", "pool=a,b,c", "option:osd=1", "option:/x=1", "option:osd/x="] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse("osd/osd_max_backfills=1,2").is_err());
    }

    fn wishes(layer: Layer, ab: &str, knobs: Knobs) -> Wishes {
        Wishes {
            layers: vec![layer],
            knobs: Knobs { ab: Some(parse(ab).unwrap()), seed: 1, ..knobs },
            goal: Goal::beside(1),
            pool: None,
            image: None,
            osds: Vec::new(),
            paths: vec![PathBuf::from("/")],
            destroy: None,
            quiesce: false,
            thorough: true,
            alone: false,
            strict: false,
            batches: Vec::new(),
            axes: Vec::new(),
            sustained: None,
        }
    }

    fn planned(wishes: &Wishes) -> Result<Plan, String> {
        let (scope, run) = (Scope::default(), "r".to_string());
        let (hosts, sites, keepers) = (Vec::new(), Vec::new(), Vec::new());
        let ground =
            Ground { run, scope, lab: None, image_bytes: None, hosts, sites, keepers, held: Default::default() };
        let wishes = prepared(wishes).map_err(|failure| failure.to_string())?;
        crate::planner::plan(&ground, &wishes).map_err(|failure| failure.to_string())
    }

    #[test]
    fn both_sides_have_one_pattern_where_only_numbers_differ() {
        let of = |ab: &str, knobs: Knobs| {
            let plan = planned(&wishes(Layer::Device, ab, knobs)).unwrap();
            let pair = |(a, b): &(StepId, StepId)| {
                let step = |id: StepId| plan.steps.iter().find(|step| step.id == id).unwrap();
                assert_eq!(step(*a).pattern, step(*b).pattern);
                assert_ne!(step(*a).workload, step(*b).workload);
                step(*a).pattern
            };
            plan.ab.iter().flat_map(|ab| ab.pairs.iter().map(pair)).collect::<Vec<_>>()
        };
        let (plain, reads) = (Knobs::default(), Knobs { read_share: Some(100), ..Knobs::default() });
        assert_eq!(of("depth=1,32", plain.clone()), [Pattern::WriteParallel]);
        assert_eq!(of("depth=32,1", reads.clone()), [Pattern::ReadParallel]);
        assert_eq!(of("block-size=1M,4k", plain.clone()), [Pattern::WriteLatency]);
        assert_eq!(of("block-size=1M,4M", reads), [Pattern::ReadLinear]);
        assert_eq!(of("jobs=1,4", plain.clone()).len(), 4);
        assert_eq!(of("engine=io_uring,psync", Knobs { patterns: vec![Pattern::ReadLatency], ..plain }).len(), 1);
    }

    #[test]
    fn what_is_the_same_on_both_sides_is_refused() {
        let why = |layer: Layer, ab: &str, knobs: Knobs| planned(&wishes(layer, ab, knobs)).unwrap_err();
        let plain = Knobs::default;
        for (layer, ab) in [
            (Layer::Device, "pool=fast,slow"),
            (Layer::Osd, "pool=a,b"),
            (Layer::Rados, "path=/a,/b"),
            (Layer::Rbd, "osd=0,1"),
        ] {
            let why = why(layer, ab, plain());
            let what = ab.split('=').next().unwrap();
            assert!(why.contains(&format!("--ab {what}: the {} layer", layer.name())) && why.contains(WAYS), "{why}");
        }
        for (ab, knobs, given) in [
            ("depth=8,16", Knobs { depth: Some(4), ..plain() }, "--depth"),
            ("jobs=1,2", Knobs { jobs: Some(4), ..plain() }, "--jobs"),
            ("block-size=4k,8k", Knobs { block_size: Some(4096), ..plain() }, "--block-size"),
            ("engine=io_uring,psync", Knobs { engine: Some("psync".into()), ..plain() }, "--engine"),
            ("path=/a,/b", plain(), "/ is neither"),
            ("path=/,/", plain(), "is the same on both sides"),
            ("depth=8,8", plain(), "is the same on both sides"),
            ("jobs=1,4", Knobs { patterns: vec![Pattern::ReadLatency], ..plain() }, "read-latency is the same"),
        ] {
            let why = why(Layer::Device, ab, knobs);
            assert!(why.contains(given), "{ab}: {why}");
        }
        let all = Wishes { layers: Layer::ALL.to_vec(), ..wishes(Layer::Rbd, "pool=a,b", plain()) };
        let why = prepared(&all).unwrap_err().to_string();
        assert!(why.contains("device layer") && why.contains("--layers rados,rbd"), "{why}");
        assert!(planned(&wishes(Layer::Device, "nothing", plain())).is_ok());
    }
}
