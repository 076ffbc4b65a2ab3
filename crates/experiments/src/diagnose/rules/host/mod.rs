//! How hosts with OSDs are set up: processors, memory, clock, kernel.

pub mod cpu_cgroup_throttle;
pub mod cpu_cores_per_nvme;
pub mod cpu_cstate_wakeup;
pub mod cpu_governor;
pub mod cpu_irq_one_core;
pub mod cpu_numa_split;
pub mod cpu_pin_too_narrow;
pub mod cpu_smt_off;
pub mod folklore_debug_zero;
pub mod host_memory_short;
pub mod host_process_slow;
pub mod host_store_slow;
pub mod kern_clocksource;
pub mod kern_conntrack;
pub mod kern_debug_logging;
pub mod kern_io_scheduler;
pub mod kern_iommu;
pub mod kern_limits;
pub mod kern_mixed;
pub mod kern_swap;
pub mod kern_tuned_profile;
pub mod mem_cgroup_limit;
