//! Engines turn workloads into I/O. One worker loop for all of them; one folder for each.

pub mod api;
pub mod bounded;
pub mod buffers;
pub mod clock;
pub mod crew;
pub mod disk;
pub mod floor;
pub mod network;
pub mod null;
pub mod offsets;
pub mod osd;
pub mod overhead;
mod pages;
pub mod rados;
pub mod rbd;
mod schedule;
pub mod sim;
pub mod store;
mod tally;
pub mod verify;
mod worker;

pub use api::{Context, Done, Engine, EngineError, Op, OpError, Session, Told};

use model::{Layer, Place, Step};

/// All engines, in the order of the documents. The first one of a layer is that layer's default.
pub const ENGINES: &[&dyn Engine] = &[
    &disk::IO_URING,
    &disk::PSYNC,
    &network::Tcp,
    &floor::Floor,
    &store::Store,
    &osd::Osd,
    &rados::Rados,
    &rbd::Rbd,
    &null::Null,
];

/// The engine that loads this step: the one that the workload names, else the one that its layer chooses.
///
/// # Errors
/// There is none of that name on that layer.
pub fn engine_for(step: &Step) -> Result<&'static dyn Engine, EngineError> {
    if let Some(name) = step.workload.engine.as_deref() {
        return named(step.layer, name);
    }
    if step.targets.iter().all(|target| target.place == Place::Null) {
        return Ok(&null::Null);
    }
    if step.layer == Layer::Device {
        return Ok(disk::chosen(step));
    }
    let first = ENGINES.iter().copied().find(|engine| engine.layer() == step.layer);
    first.ok_or_else(|| EngineError::Refused(format!("no engine loads layer {} yet", step.layer.name())))
}

fn named(layer: Layer, name: &str) -> Result<&'static dyn Engine, EngineError> {
    let able = |engine: &&&dyn Engine| engine.layer() == layer || engine.name() == "null";
    let found = ENGINES.iter().filter(able).find(|engine| engine.name() == name);
    found.copied().ok_or_else(|| {
        let known: Vec<&str> = ENGINES.iter().filter(able).map(|engine| engine.name()).collect();
        EngineError::Refused(format!("layer {} has no engine {name:?}; there are: {}", layer.name(), known.join(", ")))
    })
}
