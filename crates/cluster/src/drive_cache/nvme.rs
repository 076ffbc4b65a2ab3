//! The volatile write cache of an NVMe controller: whether it has one, feature 6, and the commands for both.

use super::{NO_CACHE, SWITCH_TIMEOUT_MS, TIMEOUT_MS, said};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

const NVME_SET_FEATURES: u8 = 0x09;
const NVME_GET_FEATURES: u8 = 0x0a;
const NVME_IDENTIFY: u8 = 0x06;
const IDENTIFY_CONTROLLER: u32 = 1;
const IDENTIFY_BYTES: usize = 4096;
/// In what a controller tells of itself (NVMe 1.4, figure 247): whether it has a volatile write cache.
const VWC: usize = 525;
const VWC_PRESENT: u8 = 1;
const VOLATILE_WRITE_CACHE: u32 = 6;

/// Some drives without a volatile cache have the feature all the same, and say that it is on.
pub(super) fn is_on(controller: &File, disk: &str) -> Result<bool, String> {
    let mut told = [0; IDENTIFY_BYTES];
    identify(controller, &mut told).map_err(|error| said(disk, &error))?;
    if !has_cache(&told) {
        return Err(format!("{disk}: {NO_CACHE}"));
    }
    let mut command = AdminCommand::of(NVME_GET_FEATURES);
    send(controller, &mut command).map_err(|error| said(disk, &error))?;
    Ok(command.result & 1 != 0)
}

pub(super) fn switch(controller: &File, on: bool) -> io::Result<()> {
    let (cdw11, timeout_ms) = (u32::from(on), SWITCH_TIMEOUT_MS);
    send(controller, &mut AdminCommand { cdw11, timeout_ms, ..AdminCommand::of(NVME_SET_FEATURES) })
}

/// `struct nvme_admin_cmd` of linux/nvme_ioctl.h.
#[repr(C)]
#[derive(Default)]
struct AdminCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    nsid: u32,
    cdw2: u32,
    cdw3: u32,
    metadata: u64,
    address: u64,
    metadata_bytes: u32,
    data_bytes: u32,
    cdw10: u32,
    cdw11: u32,
    cdw12: u32,
    cdw13: u32,
    cdw14: u32,
    cdw15: u32,
    timeout_ms: u32,
    result: u32,
}

impl AdminCommand {
    /// About the write cache of the whole controller.
    fn of(opcode: u8) -> AdminCommand {
        AdminCommand { opcode, cdw10: VOLATILE_WRITE_CACHE, timeout_ms: TIMEOUT_MS, ..AdminCommand::default() }
    }
}

fn has_cache(told: &[u8; IDENTIFY_BYTES]) -> bool {
    told[VWC] & VWC_PRESENT != 0
}

fn identify(controller: &File, told: &mut [u8; IDENTIFY_BYTES]) -> io::Result<()> {
    let mut command = AdminCommand {
        address: told.as_mut_ptr() as u64,
        data_bytes: told.len() as u32,
        cdw10: IDENTIFY_CONTROLLER,
        ..AdminCommand::of(NVME_IDENTIFY)
    };
    send(controller, &mut command)
}

#[allow(unsafe_code)]
fn send(controller: &File, command: &mut AdminCommand) -> io::Result<()> {
    // SAFETY: the command lives through the call, and what data it has is its caller's for as long.
    match unsafe { ioctl::nvme_admin(controller.as_raw_fd(), command) }? {
        0 => Ok(()),
        status => Err(io::Error::other(format!("NVMe status {status:#x}"))),
    }
}

mod ioctl {
    nix::ioctl_readwrite!(nvme_admin, b'N', 0x41, super::AdminCommand);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_there_only_where_the_controller_says_so() {
        let mut told = [0; IDENTIFY_BYTES];
        told[VWC] = 0b110;
        assert!(!has_cache(&told), "how it flushes is not whether there is something to flush");
        told[VWC] |= 1;
        assert!(has_cache(&told));
    }

    #[test]
    fn a_command_is_laid_out_as_the_kernel_has_it() {
        assert_eq!(size_of::<AdminCommand>(), 72);
        assert_eq!(AdminCommand::of(NVME_GET_FEATURES).cdw10, VOLATILE_WRITE_CACHE);
    }
}
