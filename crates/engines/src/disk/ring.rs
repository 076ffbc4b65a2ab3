//! Rings as cheap as the kernel makes them.

use io_uring::IoUring;

/// Why there can be no ring on this host.
pub fn unavailable() -> Option<String> {
    build(1).err().map(|error| {
        format!("the kernel gives no io_uring ({error}); use engine psync, with as many jobs as the depth shall be")
    })
}

/// With everything that makes it cheap: one thread submits, and completions are handled when that thread asks for them.
/// Older kernels know less of it.
pub fn build(entries: u32) -> std::io::Result<IoUring> {
    let best = IoUring::builder().setup_r_disabled().setup_single_issuer().setup_defer_taskrun().build(entries);
    best.or_else(|_| IoUring::builder().setup_r_disabled().setup_coop_taskrun().build(entries))
        .or_else(|_| IoUring::builder().setup_r_disabled().build(entries))
}
