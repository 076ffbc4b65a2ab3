//! The only way to Ceph's client libraries: librados, librbd and libcephfs, loaded when first needed, behind a safe interface.
//!
//! The libraries are opened at run time, so that a program that has this crate starts on hosts without them and works
//! with whichever release the host has. This crate knows nothing of workloads or measuring; it connects, sends commands,
//! reads and writes objects, images and files.

mod access;
mod alone;
mod conf_file;
mod connect;
mod error;
mod file_system;
mod flight;
mod image;
mod image_io;
mod image_snapshots;
mod image_state;
mod leave;
mod libcephfs;
mod librados;
mod library;
mod librbd;
mod manager;
mod mds;
mod pool;
mod pool_io;
mod queue;
mod rados;
mod results;
mod slab;

pub use access::{CAPS_LEAST, ClusterAccess};
pub use error::CephError;
pub use file_system::{File, FileSystem, Folder, Kind};
pub use flight::Finished;
pub use image::{Cache, Image, OpenFor};
pub use image_io::ImageIo;
pub use leave::leave;
pub use library::{missing, release};
pub use mds::ask_mds;
pub use pool::Pool;
pub use pool_io::PoolIo;
pub use rados::{Rados, Reply};
pub use results::{keep_results_apart, results};
