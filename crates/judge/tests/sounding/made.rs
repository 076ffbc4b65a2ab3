//! Records made for tests: a small cluster whose figures are as they are told to be.

use model::testing;
use model::{
    Change, Client, DeviceScope, Durability, Effort, Endpoint, HostScope, Latencies, Layer, Nanos, OpClass, OsdScope,
    Pattern, Place, Plan, Record, Sample, Scope, Slice, Step, StepId, Target, Workload,
};

pub const WINDOW: Nanos = 100_000_000;

/// A record in the making.
pub struct Made {
    pub record: Record,
}

/// SplitMix64, 0..1.
pub fn chance(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

pub fn target(layer: Layer, name: &str, host: Option<&str>, place: Place) -> Target {
    Target { host: host.map(str::to_string), ..Target::new(layer, name, place) }
}

pub fn osd(id: u32) -> Target {
    let place = Place::Osd { osd: id, pool: "fathom.osd".to_string(), replicas: Vec::new() };
    target(Layer::Osd, &format!("osd.{id}"), Some(&format!("host-{id}")), place)
}

pub fn store(id: u32) -> Target {
    target(Layer::Store, &format!("osd.{id}"), Some(&format!("host-{id}")), Place::Store { osd: id })
}

pub fn disk(id: u32) -> Target {
    let place = Place::Path { path: format!("/dev/vd{id}").into(), writable: true };
    target(Layer::Device, &format!("/dev/vd{id}"), Some(&format!("host-{id}")), place)
}

pub fn pair(id: u32) -> Target {
    let end = |host: String| Endpoint::new(host, "10.0.0.1");
    let place = Place::Pair { from: end("here".to_string()), to: end(format!("host-{id}")), listener: None };
    target(Layer::Network, &format!("here→host-{id}"), Some(&format!("host-{id}")), place)
}

pub fn pool() -> Target {
    let place = Place::Pool { pool: "fathom.rados".to_string(), prefix: "fathom.".to_string() };
    target(Layer::Rados, "pool", None, place)
}

/// The pool as each of `hosts` hosts loads it.
pub fn pool_from(hosts: u32) -> Vec<Target> {
    let client = |host: u32| Some(Client { host: format!("client-{host}"), of: "pool".to_string() });
    (0..hosts).map(|host| Target { name: format!("pool from client-{host}"), client: client(host), ..pool() }).collect()
}

pub fn images() -> Target {
    let place = Place::Images { pool: "fathom.rbd".to_string(), data_pool: None, images: vec!["fathom.0".to_string()] };
    target(Layer::Rbd, "images", None, place)
}

/// Windows of operations that take `ms` each at this depth, give or take a tenth, one after the other.
pub fn samples(ms: f64, depth: u32, block: u64, windows: u32, seed: &mut u64) -> Vec<Sample> {
    let mut carry = 0.0;
    (0..windows)
        .map(|window| {
            let mut service = Latencies::default();
            carry += WINDOW as f64 * f64::from(depth) / 1e6;
            while carry > 0.0 {
                let took = ms * (0.9 + 0.2 * chance(seed));
                service.record((took * 1e6) as u64);
                carry -= took;
            }
            let service = service.take();
            Sample {
                window,
                span_ns: WINDOW,
                ops: service.count,
                bytes: service.count * block,
                service,
                ..Sample::default()
            }
        })
        .collect()
}

impl Made {
    /// Three hosts with one OSD on one disk each, and this one.
    pub fn cluster() -> Made {
        let host = |name: &str, here| HostScope { name: name.to_string(), here, ..HostScope::default() };
        let osd = |id: u32| OsdScope {
            id,
            host: format!("host-{id}"),
            device: Some(format!("vd{id}")),
            up: true,
            inside: true,
            ..OsdScope::default()
        };
        let device = |id: u32| DeviceScope {
            path: format!("vd{id}"),
            host: Some(format!("host-{id}")),
            osds: vec![id],
            ..DeviceScope::default()
        };
        let pool = |name: &str, size| Change::Pool {
            name: name.to_string(),
            pg_num: 32,
            size: Some(size),
            on: Vec::new(),
            like: None,
        };
        let scope = Scope {
            hosts: vec![host("here", true), host("host-0", false), host("host-1", false), host("host-2", false)],
            osds: (0..3).map(osd).collect(),
            devices: (0..3).map(device).collect(),
            ..Scope::default()
        };
        let changes = vec![pool("fathom.osd", 1), pool("fathom.rados", 3), pool("fathom.rbd", 3)];
        let plan = Plan { changes, ..Plan::default() };
        Made { record: Record { scope, plan, ..Record::default() } }
    }

    pub fn step(&mut self, pattern: Pattern, targets: Vec<Target>) -> &mut Step {
        let layer = targets[0].layer;
        let durable = layer == Layer::Device && pattern == Pattern::WriteLatency;
        let durability = if durable { Durability::Dsync } else { Durability::None };
        let workload = Workload { durability, ..Workload::canonical(pattern, 1 << 30, 1) };
        let id = StepId(self.record.plan.steps.len() as u32);
        let metric = pattern.metric(layer);
        self.record.plan.steps.push(Step {
            id,
            layer,
            pattern,
            targets,
            workload,
            metric,
            chart: true,
            apart: false,
            in_turns: false,
        });
        self.record.plan.steps.last_mut().unwrap()
    }

    /// A step on one target, measured in two passes; operations take `ms` at the workload's depth.
    pub fn measured(&mut self, pattern: Pattern, target: Target, ms: f64) -> &mut Made {
        let step = self.step(pattern, vec![target]).clone();
        for pass in 1..=2 {
            self.slice(&step, Some(0), pass, ms, step.workload.depth);
        }
        self
    }

    /// The same in several passes, each slower by a factor of `by`.
    pub fn drifting(&mut self, pattern: Pattern, target: Target, ms: f64, by: &[f64]) -> &mut Made {
        let step = self.step(pattern, vec![target]).clone();
        for (pass, by) in (1..).zip(by) {
            self.slice(&step, Some(0), pass, ms * by, step.workload.depth);
        }
        self
    }

    /// The same for a throughput, in operations a second.
    pub fn delivers(&mut self, pattern: Pattern, target: Target, rate: f64) -> &mut Made {
        let depth = model::Workload::canonical(pattern, 1, 1).depth;
        self.measured(pattern, target, f64::from(depth) * 1000.0 / rate)
    }

    /// Several targets at once, each with its own rate, and all together.
    pub fn at_once(&mut self, pattern: Pattern, targets: Vec<Target>, rates: &[f64]) -> &mut Made {
        let step = self.step(pattern, targets).clone();
        let depth = step.workload.depth;
        for pass in 1..=2 {
            for (index, rate) in rates.iter().enumerate() {
                self.slice(&step, Some(index as u32), pass, f64::from(depth) * 1000.0 / rate, depth);
            }
            let all: f64 = rates.iter().sum();
            let depths = depth * rates.len() as u32;
            self.slice(&step, None, pass, f64::from(depths) * 1000.0 / all, depths);
        }
        self
    }

    /// The shares of their time that the threads of the last step were busy, and waited for processors.
    pub fn with_threads(&mut self, busy: f64, queued: f64) -> &mut Made {
        let step = self.record.plan.steps.last().unwrap();
        let (id, seconds) = (step.id, 10.0 * f64::from(step.workload.jobs));
        for slice in self.record.slices.iter_mut().filter(|slice| slice.step == id) {
            let targets = if slice.target.is_none() { step.targets.len() as f64 } else { 1.0 };
            let seconds = seconds * targets;
            let (cpu_seconds, queued_seconds) = (busy * seconds, queued * seconds);
            slice.effort = Some(Effort { seconds, cpu_seconds, queued_seconds, ..Effort::default() });
        }
        self
    }

    pub fn slice(&mut self, step: &Step, target: Option<u32>, pass: u32, ms: f64, depth: u32) -> &mut Slice {
        let mut seed = u64::from(step.id.0) << 32 | u64::from(pass) << 16 | u64::from(target.unwrap_or(99));
        let kind = if step.pattern.writes() { OpClass::Write } else { OpClass::Read };
        self.record.slices.push(Slice {
            target,
            kind,
            started_seconds: f64::from(pass) * 200.0,
            ..testing::slice(step.id, pass, WINDOW, samples(ms, depth, step.workload.block, 80, &mut seed))
        });
        self.record.slices.last_mut().unwrap()
    }
}
