//! In a lab the load and the cluster share this machine's processors, and a client that takes less of them leaves more to the OSDs and gets
//! more done: that says nothing of how the two programs measure. So both load from one processor, and the lab's daemons have the others.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Holds the processors apart until it is dropped.
pub struct Apart {
    /// Each process with the processors that it had.
    before: Vec<(i32, CpuSet)>,
}

/// `None`: there is no lab, or only one processor, or the kernel does not let us.
pub fn keep_apart(lab: Option<&lab::Lab>) -> Option<Apart> {
    let own = std::process::id() as i32;
    let all = sched_getaffinity(Pid::from_raw(0)).ok()?;
    let (client, cluster) = split(&all)?;
    let daemons = lab?.daemons.iter().map(|daemon| (daemon.pid, cluster));
    let mut apart = Apart { before: Vec::new() };
    for (process, processors) in daemons.chain([(own, client)]) {
        let before = sched_getaffinity(Pid::from_raw(process)).ok()?;
        apart.before.push((process, before));
        confine(process, &processors)?;
    }
    Some(apart)
}

/// The last processor, and the others; `None`: there is but one.
fn split(all: &CpuSet) -> Option<(CpuSet, CpuSet)> {
    let known: Vec<usize> = (0..CpuSet::count()).filter(|cpu| all.is_set(*cpu).unwrap_or(false)).collect();
    let (last, others) = known.split_last().filter(|(_, others)| !others.is_empty())?;
    let set = |cpus: &[usize]| {
        let mut set = CpuSet::new();
        cpus.iter().try_for_each(|cpu| set.set(*cpu)).ok().map(|()| set)
    };
    Some((set(&[*last])?, set(others)?))
}

/// All threads of a process; those that it starts later have the processors of the thread that starts them.
fn confine(process: i32, processors: &CpuSet) -> Option<()> {
    for thread in std::fs::read_dir(format!("/proc/{process}/task")).ok()?.flatten() {
        let thread = thread.file_name().to_string_lossy().parse().ok()?;
        // One that has ended meanwhile needs no processors.
        let _ = sched_setaffinity(Pid::from_raw(thread), processors);
    }
    Some(())
}

impl Drop for Apart {
    fn drop(&mut self) {
        for (process, processors) in &self.before {
            confine(*process, processors);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cpus: &[usize]) -> CpuSet {
        let mut set = CpuSet::new();
        cpus.iter().for_each(|cpu| set.set(*cpu).unwrap());
        set
    }

    #[test]
    fn the_load_has_one_processor_and_the_cluster_the_others() {
        assert_eq!(split(&set(&[0, 2, 5])), Some((set(&[5]), set(&[0, 2]))));
        assert_eq!(split(&set(&[3])), None);
        assert_eq!(split(&CpuSet::new()), None);
    }
}
