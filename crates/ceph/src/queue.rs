//! How a library's thread tells ours that an operation ended: a lock-free list of slots, and one futex to sleep on.
//!
//! Nothing is allocated and no lock is taken per operation. The list's head is also the futex: a callback enters the
//! kernel only when our thread sleeps, and only the first of several completions wakes it.

use std::sync::atomic::{AtomicI64, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

/// The list is empty.
const EMPTY: u32 = u32::MAX;
/// The list is empty and our thread sleeps on it. Both are no slot's number.
const ASLEEP: u32 = u32::MAX - 1;

/// CLOCK_MONOTONIC, ns.
pub fn now() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: fills the one structure; this clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// What a callback needs of one slot; its address is the callback's argument.
pub struct Node {
    queue: *const CompletionQueue,
    slot: u32,
    next: AtomicU32,
    result: AtomicI64,
    at: AtomicU64,
}

// SAFETY: the pointer is only followed while the queue lives (see `Node::finish`); the rest is atomic.
unsafe impl Send for Node {}
// SAFETY: as above.
unsafe impl Sync for Node {}

/// The completions that were not taken yet. Many threads push, one takes.
pub struct CompletionQueue {
    head: AtomicU32,
    nodes: Box<[Node]>,
}

impl CompletionQueue {
    /// For slots `0..slots`. Boxed: nodes point to it.
    pub fn new(slots: u32) -> Box<CompletionQueue> {
        assert!(slots < ASLEEP, "slots are numbered below the two marks");
        let mut queue = Box::new(CompletionQueue { head: AtomicU32::new(EMPTY), nodes: Box::new([]) });
        let address: *const CompletionQueue = &*queue;
        let node = |slot| Node {
            queue: address,
            slot,
            next: AtomicU32::new(EMPTY),
            result: AtomicI64::new(0),
            at: AtomicU64::new(0),
        };
        queue.nodes = (0..slots).map(node).collect();
        queue
    }

    pub fn node(&self, slot: u32) -> &Node {
        &self.nodes[slot as usize]
    }

    /// Gives every completion so far to `each` (slot, result, time), in the order in which they came. If there is none,
    /// waits for the first one no longer than `timeout`.
    pub fn take(&self, timeout: Duration, each: impl FnMut(u32, i64, u64)) {
        let mut head = self.head.swap(EMPTY, Ordering::Acquire);
        if head >= ASLEEP {
            if timeout.is_zero() {
                return;
            }
            self.sleep(timeout);
            head = self.head.swap(EMPTY, Ordering::Acquire);
        }
        self.drain(head, each);
    }

    /// Until a completion comes, `timeout` is over, or for no reason (the caller asks again).
    fn sleep(&self, timeout: Duration) {
        if self.head.compare_exchange(EMPTY, ASLEEP, Ordering::Relaxed, Ordering::Relaxed).is_err() {
            return;
        }
        let time = libc::timespec {
            tv_sec: timeout.as_secs().min(i64::MAX as u64) as libc::time_t,
            tv_nsec: timeout.subsec_nanos().into(),
        };
        // SAFETY: the futex word and the time live through the call.
        unsafe {
            let wait = libc::FUTEX_WAIT | libc::FUTEX_PRIVATE_FLAG;
            libc::syscall(libc::SYS_futex, self.head.as_ptr(), wait, ASLEEP, &time as *const libc::timespec);
        }
    }

    /// The list has the newest first: turn it round, then hand out.
    fn drain(&self, newest: u32, mut each: impl FnMut(u32, i64, u64)) {
        let (mut at, mut oldest) = (newest, EMPTY);
        while at < ASLEEP {
            let next = self.nodes[at as usize].next.swap(oldest, Ordering::Relaxed);
            (oldest, at) = (at, next);
        }
        while oldest < ASLEEP {
            let node = &self.nodes[oldest as usize];
            let next = node.next.load(Ordering::Relaxed);
            each(oldest, node.result.load(Ordering::Relaxed), node.at.load(Ordering::Relaxed));
            oldest = next;
        }
    }
}

impl Node {
    /// Says that this slot's operation ended with `result`, now.
    ///
    /// # Safety
    /// The queue lives, and this slot has an operation in flight that is finished here, once. From the exchange below
    /// on, the owner may free the queue: after it only the futex's address is used, which the kernel checks by itself.
    pub unsafe fn finish(&self, result: i64) {
        self.result.store(result, Ordering::Relaxed);
        self.at.store(now(), Ordering::Relaxed);
        // SAFETY: the queue lives (see above).
        let head = unsafe { &(*self.queue).head };
        let (word, slot) = (head.as_ptr(), self.slot);
        let mut before = head.load(Ordering::Relaxed);
        loop {
            self.next.store(if before == ASLEEP { EMPTY } else { before }, Ordering::Relaxed);
            match head.compare_exchange_weak(before, slot, Ordering::Release, Ordering::Relaxed) {
                Ok(_) => break,
                Err(now) => before = now,
            }
        }
        if before == ASLEEP {
            // SAFETY: only the address is used; waking nobody or somebody else's sleeper does no harm.
            unsafe { libc::syscall(libc::SYS_futex, word, libc::FUTEX_WAKE | libc::FUTEX_PRIVATE_FLAG, 1) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_come_in_order_with_their_results() {
        let queue = CompletionQueue::new(4);
        for slot in [2, 0, 3] {
            // SAFETY: the queue lives; each slot is finished once.
            unsafe { queue.node(slot).finish(i64::from(slot) * 10) };
        }
        let mut seen = Vec::new();
        queue.take(Duration::ZERO, |slot, result, at| seen.push((slot, result, at)));
        assert_eq!(seen.iter().map(|seen| (seen.0, seen.1)).collect::<Vec<_>>(), [(2, 20), (0, 0), (3, 30)]);
        assert!(seen.is_sorted_by_key(|seen| seen.2));
        queue.take(Duration::from_nanos(1), |slot, _, _| panic!("slot {slot} came twice"));
    }

    #[test]
    fn every_completion_of_many_threads_arrives_once() {
        const SLOTS: u32 = 64;
        const ROUNDS: u32 = 2000;
        let queue = CompletionQueue::new(SLOTS);
        let mut seen = vec![0u32; SLOTS as usize];
        for _ in 0..ROUNDS {
            std::thread::scope(|scope| {
                let queue = &queue;
                for part in 0..2 {
                    scope.spawn(move || {
                        for slot in (part..SLOTS).step_by(2) {
                            // SAFETY: the queue lives; each slot is finished once a round.
                            unsafe { queue.node(slot).finish(0) };
                        }
                    });
                }
                let mut left = SLOTS;
                while left > 0 {
                    queue.take(Duration::from_secs(60), |slot, _, _| {
                        seen[slot as usize] += 1;
                        left -= 1;
                    });
                }
            });
        }
        assert!(seen.iter().all(|n| *n == ROUNDS), "{seen:?}");
    }
}
