//! Engines turn workloads into I/O. One worker loop for all of them; one folder for each.

pub mod api;
pub mod bounded;
pub mod buffers;
pub mod clock;
mod content;
pub mod crew;
pub mod disk;
pub mod files;
pub mod floor;
pub mod gateway;
mod mounts;
pub mod network;
pub mod null;
pub mod offsets;
pub mod one_by_one;
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

pub use api::{Context, Done, Engine, EngineError, Op, OpError, ReportedCounts, Session};

use model::{Layer, Place, Step};

/// All engines with the layer that they load, in the order of the documents. The first one of a layer is that layer's default.
pub const ENGINES: &[(Layer, &dyn Engine)] = &[
    (Layer::Device, &disk::IO_URING),
    (Layer::Device, &disk::PSYNC),
    (Layer::Network, &network::Tcp),
    (Layer::Floor, &floor::FloorEngine),
    (Layer::Store, &store::StoreEngine),
    (Layer::Osd, &osd::OsdEngine),
    (Layer::Rados, &rados::RadosEngine),
    (Layer::Rbd, &rbd::RbdEngine),
    (Layer::File, &files::POSIX),
    (Layer::File, &files::LIBCEPHFS),
    (Layer::File, &files::NFS),
    (Layer::File, &disk::IO_URING),
    (Layer::File, &disk::PSYNC),
    (Layer::Object, &gateway::GatewayEngine),
    (Layer::Guest, &disk::IO_URING),
    (Layer::Guest, &disk::PSYNC),
    (Layer::Device, &null::Null),
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
    let on_paths = step.targets.iter().all(|target| matches!(target.place, Place::Path { .. }));
    if step.layer.of_disks() || ((step.layer.of_folders() || step.layer.of_guests()) && on_paths) {
        return Ok(disk::chosen(step));
    }
    if step.targets.iter().any(|target| matches!(target.place, Place::Cephfs { .. })) {
        return Ok(&files::LIBCEPHFS);
    }
    if step.targets.iter().any(|target| matches!(target.place, Place::Nfs { .. })) {
        return Ok(&files::NFS);
    }
    let first = ENGINES.iter().find(|(layer, _)| *layer == step.layer).map(|(_, engine)| *engine);
    first.ok_or_else(|| EngineError::Refused(format!("no engine loads layer {} yet", step.layer.name())))
}

fn named(layer: Layer, name: &str) -> Result<&'static dyn Engine, EngineError> {
    let able = |(of, engine): &&(Layer, &'static dyn Engine)| *of == layer || engine.name() == "null";
    let mut able = ENGINES.iter().filter(able).map(|(_, engine)| *engine);
    able.clone().find(|engine| engine.name() == name).ok_or_else(|| {
        let known: Vec<&str> = able.by_ref().map(|engine| engine.name()).filter(|name| *name != "null").collect();
        EngineError::Refused(format!("layer {} has no engine {name:?}; there are: {}", layer.name(), known.join(", ")))
    })
}

/// The engine of this name.
pub fn engine_called(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().map(|(_, engine)| *engine).find(|engine| engine.name() == name)
}
