//! A client of NFS version 4.2 (of 4.1, where a server has no other) within this program (RFC 7530, 8881, 7862): no kernel and no mount between it and the server. Each client has
//! a connection and a session of its own and asks one thing at a time.

mod client;
mod errors;
mod file;
mod folder;
mod names;
mod rpc;
mod session;
#[cfg(test)]
mod tests;

pub use client::{Client, Room};
pub use errors::NfsError;
pub use file::{File, Stable, Written};
pub use folder::{Folder, Kind};
