//! Whole runs of labs, each of a kind of its own. One program, since they wait more than they work: two go on at any time.

// The longest begins first: tests begin in the order of their names.
mod all_layers;
mod beside;
mod bond;
mod clients;
mod clusters;
#[path = "../common/mod.rs"]
mod common;
mod compaction;
mod cut_link;
mod disks_of_hosts;
mod export;
mod networks;
mod proves;
mod uplink;
