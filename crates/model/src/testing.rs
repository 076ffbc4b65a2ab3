//! Layers by what they are, for tests of what is the same for all of them.

use crate::clock::Nanos;
use crate::gateway::Gateway;
use crate::layer::Layer;
use crate::operation::OpClass;
use crate::pattern::Pattern;
use crate::plan::Step;
use crate::sample::{Sample, Slice};
use crate::step_id::StepId;
use crate::target::{Place, Target};
use crate::workload::Workload;

fn first(is: impl Fn(Layer) -> bool) -> Layer {
    Layer::ALL.into_iter().find(|layer| is(*layer)).unwrap_or(Layer::ALL[0])
}

/// Its targets are disks.
pub fn disks() -> Layer {
    first(Layer::of_disks)
}

/// Its targets are ways between hosts.
pub fn links() -> Layer {
    first(Layer::of_links)
}

/// Its targets are paths on several hosts.
pub fn replicas() -> Layer {
    first(Layer::of_replicas)
}

/// OSDs that load their own store.
pub fn stores() -> Layer {
    first(|layer| layer.of_single_osds() && !layer.can().clients)
}

/// OSDs that clients load.
pub fn osds() -> Layer {
    first(|layer| layer.of_single_osds() && layer.can().clients)
}

/// Objects in pools.
pub fn pools() -> Layer {
    first(|layer| layer.of_pools() && layer.can().objects)
}

/// Images in pools.
pub fn images() -> Layer {
    first(|layer| layer.can().images)
}

/// Folders of mounted file systems.
pub fn folders() -> Layer {
    first(Layer::of_folders)
}

/// Objects in buckets.
pub fn buckets() -> Layer {
    first(Layer::of_buckets)
}

/// One that speaks S3, with the keys of the environment.
pub fn gateway(url: &str) -> Gateway {
    let (url, region) = (url.to_string(), "us-east-1".to_string());
    Gateway { url, region, virtual_host: false, swift: false, credentials: None, profile: None, authorities: None }
}

/// The usual load of 1 GiB on targets of these names, which are nowhere.
pub fn step(id: u32, layer: Layer, pattern: Pattern, targets: &[&str]) -> Step {
    let targets = targets.iter().map(|name| Target::new(layer, *name, Place::Null)).collect();
    Step::new(id, layer, pattern, targets, Workload::canonical(pattern, 1 << 30, 1))
}

/// All of a step's samples of one pass, of reads, settled from the first on.
pub fn slice(step: StepId, pass: u32, window_ns: Nanos, samples: Vec<Sample>) -> Slice {
    Slice {
        step,
        target: None,
        kind: OpClass::Read,
        pass,
        started_seconds: 0.0,
        window_ns,
        samples,
        warmup: 0,
        settled: true,
        void: None,
        error: None,
        effort: None,
    }
}
