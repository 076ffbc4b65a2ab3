//! Whole runs of labs and of hosts, each of a kind of its own.

// The longest begins first: tests begin in the order of their names.
mod all_layers;
mod beside;
mod bond;
mod clients;
mod clusters;
mod compaction;
mod cut_link;
mod databases;
mod disks_of_hosts;
mod export;
mod networks;
mod proves;
mod spare_partition;
mod uplink;
