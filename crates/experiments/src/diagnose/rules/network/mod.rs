//! What slows the network between hosts: links, hosts, uplinks, bonds, packet sizes, losses.

mod again;
pub mod bond_leg;
pub mod cluster_network_narrow;
pub mod folklore_cephx_off;
pub mod folklore_crc_off;
pub mod folklore_msgr_threads;
pub mod host_network_slow;
pub mod host_way_slow;
pub mod link_slow;
mod matrix;
pub mod mtu;
pub mod net_bond_broken;
pub mod net_bond_hash;
pub mod net_cluster_mixed;
pub mod net_gigabit;
pub mod net_half_duplex;
pub mod net_jumbo_off;
pub mod net_link_mixed;
pub mod net_mtu_mixed;
pub mod net_nic_slot;
pub mod net_nodelay;
pub mod net_rdma_dpdk;
pub mod net_secure_mode;
pub mod net_wire_compression;
pub mod segments_sent_again;
pub mod uplink_oversubscribed;
pub mod way_between_slow;
