//! A plan in the making: what is known, what is wished for, and the steps so far.

use crate::{Request, WorkloadOptions};
use model::sweep::SweepPoint;
use model::workload::MIB;
use model::{
    Bytes, Change, Client, ClientHost, DeviceScope, HostChange, Inventory, JudgedDrive, Layer, Metric, OpMix, Pattern,
    Place, Step, StepId, SustainedTest, Target, Workload,
};
use std::path::{Path, PathBuf};

/// The most operations of an open loop in flight, unless said otherwise: more than a target takes at once, and no more
/// memory than this.
const OPEN_DEPTH: u64 = 256;
pub(crate) const OPEN_BYTES: Bytes = 64 * MIB;

pub struct Draft<'a> {
    pub inventory: &'a Inventory,
    pub request: &'a Request,
    /// Those of the request, or of one point of a sweep.
    pub options: WorkloadOptions,
    /// How often the usual working sets are halved, since OSDs have no room for them.
    pub halvings: u32,
    /// In a sweep: which value of each axis is planned for now.
    pub at: Vec<u32>,
    pub changes: Vec<Change>,
    pub steps: Vec<Step>,
    /// In a sweep: one for each step.
    pub points: Vec<SweepPoint>,
    pub sustained: Vec<SustainedTest>,
    /// The device of each of these tests.
    pub sustained_on: Vec<Option<DeviceScope>>,
    /// Drives whose fitness is asked for.
    pub judged: Vec<JudgedDrive>,
}

impl<'a> Draft<'a> {
    pub fn new(inventory: &'a Inventory, request: &'a Request) -> Draft<'a> {
        let options = request.workload.clone();
        let (at, changes) = (Vec::new(), Vec::new());
        let (steps, points, sustained, sustained_on) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let judged = Vec::new();
        Draft { inventory, request, options, halvings: 0, at, changes, steps, points, sustained, sustained_on, judged }
    }

    /// A name that nobody else uses: `fathom.RUN.what`.
    pub fn name(&self, what: &str) -> String {
        format!("fathom.{}.{what}", self.inventory.run)
    }

    /// Points of a sweep share what they need: it is made once, as large as the largest of them wants it.
    pub fn change(&mut self, mut change: Change) {
        let same = |known: &&mut Change| known.what() == change.what();
        match self.changes.iter_mut().find(same) {
            None => self.changes.push(change),
            Some(known) => {
                if let (Some(bytes), Some(other)) = (bytes_of(known), bytes_of(&mut change)) {
                    *bytes = (*other).max(*bytes);
                }
            }
        }
    }

    /// The thing itself, or as each of several hosts loads it; `place` gets what sets that host's data apart from the others'
    /// (empty without hosts).
    pub fn by_clients(&self, layer: Layer, name: &str, place: impl Fn(&str) -> Place) -> Vec<Target> {
        let parts = self.clients_parts();
        if self.inventory.clients().next().is_none() {
            return vec![Target::new(layer, name, place(&parts[0]))];
        }
        let client = |(host, part): (&ClientHost, &String)| Target {
            client: Some(Client { host: host.end.host.clone(), of: name.to_string() }),
            ..Target::new(layer, format!("{name} from {}", host.end.host), place(part))
        };
        self.inventory.clients().zip(&parts).map(client).collect()
    }

    /// A part of a name for each host that loads: hosts' own names may hold characters that Ceph's names may not.
    pub fn clients_parts(&self) -> Vec<String> {
        match self.inventory.clients().count() {
            0 => vec![String::new()],
            hosts => (1..=hosts).map(|number| format!("host{number}.")).collect(),
        }
    }

    /// Is a file of our own planned there? `host`: `None` is this one.
    pub fn makes_on(&self, host: Option<&ClientHost>, path: &Path) -> bool {
        let host = host.map(|host| host.end.host.as_str());
        self.changes.iter().any(|change| change.is_file(host, path))
    }

    /// Plans a file of our own. Several steps may load the same one: it is as large as the largest of them wants it.
    pub fn own_file(&mut self, host: Option<&ClientHost>, path: PathBuf, bytes: Bytes) {
        self.change(Change::file(host.map(|host| host.end.host.as_str()), path, bytes));
    }

    /// The patterns to measure, each with its workload over `span` bytes by default. Numbers of a workload without a
    /// pattern make one workload of its own, under the pattern that it is nearest to.
    pub fn workloads(&self, layer: Layer, span: Bytes) -> Vec<(Pattern, Workload)> {
        let options = &self.options;
        let patterns: Vec<Pattern> = match (options.patterns.is_empty(), options.has_own_numbers()) {
            (false, _) => options.patterns.clone(),
            (true, true) => vec![nearest(options)],
            (true, false) if self.request.open_loop() => vec![Pattern::WriteLatency, Pattern::ReadLatency],
            // What one client does alone, one operation at a time, fills nothing.
            (true, false) if self.request.experiment.clients_most().is_some() => {
                vec![Pattern::WriteParallel, Pattern::ReadParallel]
            }
            (true, false) => Pattern::usual().collect(),
        };
        let has = |pattern: &Pattern| options.mix.map_or(layer.has(*pattern), |mix| layer.has_all_of(mix));
        let wanted = |pattern: &Pattern| has(pattern) && self.request.experiment.wants(layer, *pattern);
        let wanted = patterns.into_iter().filter(wanted);
        let all = wanted.flat_map(|pattern| self.both_ways(layer, pattern, self.workload(layer, pattern, span)));
        // Of a depth of 4, 8 jobs can't have a part each: in a sweep that would be the point of 4 jobs once more. Nor can 8
        // clients of 4 jobs.
        let apart = |(_, workload): &(Pattern, Workload)| {
            let jobs = options.jobs.is_none_or(|jobs| jobs <= workload.depth);
            !self.request.experiment.is_sweep() || (jobs && options.clients_on(layer) <= workload.jobs)
        };
        all.filter(apart).collect()
    }

    fn workload(&self, layer: Layer, pattern: Pattern, span: Bytes) -> Workload {
        let options = &self.options;
        let mut workload = Workload::canonical(pattern, options.working_set.unwrap_or(span), options.seed);
        workload.block = options.block_size.unwrap_or(workload.block);
        workload.rate = options.rate_on(layer);
        // Of files by their names there is nothing to share.
        let share = options.read_share.filter(|_| !workload.of_files());
        workload.mix = options.mix.or(share.map(OpMix::reads)).unwrap_or(layer.mix_of(pattern));
        // These have one in flight for each job, and a job of files by their names has a tree of its own.
        let one_each = options.engine.as_deref() == Some("psync") || (layer.of_folders() && workload.of_files());
        let most = match self.request.open_loop() && layer.can().rate && !one_each {
            true => OPEN_DEPTH.min(OPEN_BYTES / workload.block.max(1)) as u32,
            false => workload.depth,
        };
        workload.depth = options.depth.unwrap_or(most.max(workload.depth));
        let clients = options.clients_on(layer);
        workload.jobs = options.jobs.unwrap_or(workload.jobs.max(clients)).min(workload.depth);
        workload.clients = clients.min(workload.jobs);
        // The largest there may be: each client with the whole workload.
        if let Some(most) = self.request.experiment.clients_most() {
            workload.jobs = options.jobs.unwrap_or(1).min(workload.depth) * most;
            (workload.depth, workload.clients) = (workload.depth * most, most);
        }
        workload.access = options.access.unwrap_or(workload.access);
        workload.object = options.object_size;
        workload.engine = options.engine.clone();
        let own = |name: &str| layer.spec().options.iter().any(|option| option.name == name);
        let given = options.engine_options.iter().filter(|(name, _)| own(name));
        workload.options = given.map(|(name, value)| (name.clone(), value.clone())).collect();
        workload.verify = options.verify;
        workload.settings = options.settings.clone();
        workload.durability = self.durability(layer, &workload);
        workload
    }

    /// Targets that share nothing: each as if alone.
    pub fn step_apart(&mut self, pattern: Pattern, targets: Vec<Target>, workload: Workload) {
        let several = targets.len() > 1;
        // The chart is of the way that the load takes.
        let chart = targets.iter().all(|target| target.network.is_none());
        self.step(pattern, targets, workload, chart);
        self.steps.last_mut().into_iter().for_each(|step| step.apart = several);
    }

    pub fn step(&mut self, pattern: Pattern, targets: Vec<Target>, workload: Workload, chart: bool) {
        let Some(layer) = targets.first().map(|target| target.layer) else { return };
        let id = StepId(self.steps.len() as u32);
        // How much an open loop does is given; how long it takes is not. That is no cell of the chart.
        let open = workload.rate.is_some();
        let metric = if open { Metric::LatencyMean } else { pattern.metric(layer) };
        if self.request.experiment.is_sweep() {
            self.points.push(SweepPoint { step: id, at: self.at.clone() });
        }
        // Nor has what compares steps one: they are many figures of the same cell.
        let chart = chart && !open && !self.request.experiment.compares_steps();
        self.steps.push(Step { id, layer, pattern, targets, workload, metric, chart, apart: false, in_turns: false });
    }

    /// The OSDs to load: those that are up, and wished for.
    pub fn osds(&self) -> Vec<&'a model::OsdScope> {
        let wanted = |osd: &&model::OsdScope| {
            self.request.targets.osds.is_empty() || self.request.targets.osds.contains(&osd.id)
        };
        self.inventory.scope.osds.iter().filter(|osd| osd.up).filter(wanted).collect()
    }

    /// How much of a cluster a working set may take: a lab is small, and its disk often as well.
    pub fn small(&self) -> bool {
        self.inventory.lab.is_some()
    }
}

/// How large it is made.
fn bytes_of(change: &mut Change) -> Option<&mut Bytes> {
    match change {
        Change::Image { bytes, .. } | Change::OnHost { what: HostChange::File { bytes, .. }, .. } => Some(bytes),
        _ => None,
    }
}

pub fn nearest(options: &WorkloadOptions) -> Pattern {
    let plain = Workload::canonical(Pattern::WriteLatency, 0, 0);
    Pattern::nearest(&Workload {
        block: options.block_size.unwrap_or(plain.block),
        depth: options.depth.unwrap_or(plain.depth),
        mix: options.mix.or(options.read_share.map(OpMix::reads)).unwrap_or(plain.mix),
        ..plain
    })
}
