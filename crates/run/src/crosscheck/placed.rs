//! Both loads of a pair on the same processor: a disk's interrupts come to one of them, and where a load runs is its luck.

use nix::sched::{CpuSet, sched_getaffinity, sched_setaffinity};
use nix::unistd::Pid;

/// Until it is dropped, threads and programs that this thread begins stay where it was put.
pub struct Placed {
    before: Option<CpuSet>,
}

const THIS_THREAD: Pid = Pid::from_raw(0);

impl Placed {
    /// On the `turn`th of the processors that this thread may use, counted round and round. Where the kernel does not
    /// allow it, it goes without.
    pub fn on(turn: u32) -> Placed {
        let before = sched_getaffinity(THIS_THREAD).ok();
        let put = before.as_ref().and_then(|before| {
            let usable =
                (0..CpuSet::count()).filter(|cpu| before.is_set(*cpu).unwrap_or(false)).collect::<Vec<usize>>();
            let mut one = CpuSet::new();
            one.set(*usable.get(turn as usize % usable.len().max(1))?).ok()?;
            sched_setaffinity(THIS_THREAD, &one).ok()
        });
        Placed { before: before.filter(|_| put.is_some()) }
    }
}

impl Drop for Placed {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // It was its own before.
            let _ = sched_setaffinity(THIS_THREAD, before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_put_on_one_after_the_other_and_set_free_again() {
        let allowed = || {
            let of = sched_getaffinity(THIS_THREAD).unwrap();
            (0..CpuSet::count()).filter(|cpu| of.is_set(*cpu).unwrap()).collect::<Vec<usize>>()
        };
        let all = allowed();
        for turn in 0..5 {
            let placed = Placed::on(turn);
            let begun = std::thread::spawn(allowed).join().unwrap();
            assert_eq!(begun, [all[turn as usize % all.len()]]);
            drop(placed);
            assert_eq!(allowed(), all);
        }
    }
}
