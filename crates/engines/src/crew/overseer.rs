//! Watches over the lanes of a slice: passes complete windows on, and knows when and why the slice has to end.

use super::board::OpenWindows;
use super::held_up::held_up;
use super::{ASK_EVERY, Flow, no_window};
use crate::api::EngineError;
use crate::worker::Cut;
use model::clock::SECOND;
use model::{Effort, EmptyPages, Nanos, SliceEnd, WindowSet};

/// What is known of a lane when it has ended.
#[derive(Default)]
pub struct LaneEnd {
    /// Why it ended before it was to.
    pub broken: Option<EngineError>,
    /// Its longest operation, also of those that ended after the slice.
    pub longest: Nanos,
    pub effort: Effort,
    pub pages: EmptyPages,
}

pub struct Overseer<'a> {
    board: OpenWindows,
    /// By lane: whose it is.
    targets: Vec<u32>,
    /// By lane: the end of the last window that it told of.
    heard: Vec<Nanos>,
    /// By lane: operations that ended.
    done: Vec<u64>,
    /// By target: the longest operation of the windows that were passed on.
    counted: Vec<Nanos>,
    /// By target: the longest operation of all.
    longest: Vec<Nanos>,
    /// By target: the end of the last window in which an operation ended.
    progressed: Vec<Nanos>,
    start: Nanos,
    window_ns: Nanos,
    stall: Nanos,
    /// When it last passed a window on, or asked whether to go on.
    asked: Nanos,
    stop: bool,
    end: SliceEnd,
    on_window: &'a mut dyn FnMut(&WindowSet) -> Flow,
}

impl<'a> Overseer<'a> {
    pub fn new(
        targets: Vec<u32>,
        start: Nanos,
        window_ns: Nanos,
        stall: Nanos,
        on_window: &'a mut dyn FnMut(&WindowSet) -> Flow,
    ) -> Overseer<'a> {
        let highest = targets.iter().copied().max().unwrap_or(0) as usize;
        Overseer {
            board: OpenWindows::new(targets.len()),
            heard: vec![start; targets.len()],
            done: vec![0; targets.len()],
            counted: vec![0; highest + 1],
            longest: vec![0; highest + 1],
            progressed: vec![start; highest + 1],
            targets,
            start,
            window_ns,
            stall,
            asked: start,
            stop: false,
            end: SliceEnd::default(),
            on_window,
        }
    }

    /// Has the slice to end?
    pub fn stop(&self) -> bool {
        self.stop
    }

    pub fn take(&mut self, lane: usize, cuts: Vec<Cut>, first_error: Option<String>) {
        let target = self.targets[lane];
        if let Some(text) = first_error {
            self.end.first_error.get_or_insert((target, text));
        }
        for cut in cuts {
            self.done[lane] += cut.samples.iter().map(|(_, sample)| sample.ops).sum::<u64>();
            let window_end = self.start + (Nanos::from(cut.window) + 1) * self.window_ns;
            self.heard[lane] = window_end;
            if cut.samples.iter().any(|(_, sample)| sample.ops + sample.errors > 0) {
                let progressed = &mut self.progressed[target as usize];
                *progressed = window_end.max(*progressed);
            }
            self.board.put(target, cut);
        }
        while !self.stop {
            let Some(set) = self.board.complete() else { break };
            self.asked = self.start + (Nanos::from(set.window) + 1) * self.window_ns;
            for (target, _, sample) in &set.samples {
                let longest = &mut self.counted[*target as usize];
                *longest = sample.service.max_ns.max(*longest);
            }
            self.stop = (self.on_window)(&set) == Flow::Stop;
        }
    }

    /// No window has come for a while: is the slice still wanted?
    pub fn ask(&mut self, now: Nanos) {
        if self.stop || now < self.asked + self.window_ns + ASK_EVERY {
            return;
        }
        self.asked = now;
        self.stop = (self.on_window)(&no_window(self.start, self.window_ns, now)) == Flow::Stop;
    }

    pub fn lane_ended(&mut self, lane: usize, end: LaneEnd) {
        let target = self.targets[lane];
        let longest = &mut self.longest[target as usize];
        *longest = end.longest.max(*longest);
        if end.pages.looked_at > 0 {
            *self.end.empty_pages.entry(target).or_default() += end.pages;
        }
        if end.effort.cpu_seconds > 0.0 {
            *self.end.efforts.entry(target).or_default() += end.effort;
        }
        if let Some(error) = end.broken {
            self.broke(target, error.to_string());
        }
    }

    /// Ends the slice if nothing is to be expected any more.
    pub fn look_for_stall(&mut self, now: Nanos) {
        let late = |since: Nanos| now.saturating_sub(since) >= self.stall;
        let silent = self.targets.iter().copied().find(|target| late(self.progressed[*target as usize]));
        // A lane that does not even cut windows is stuck in a system call.
        let stuck = (0..self.heard.len()).find(|lane| late(self.heard[*lane] + self.window_ns));
        if let Some(target) = silent {
            self.broke(target, silent_for(self.stall));
        } else if let Some(lane) = stuck {
            let seconds = self.stall / SECOND;
            self.broke(self.targets[lane], format!("an operation did not return for {seconds} s"));
        }
    }

    /// A lane's operation has been under way for so long, and no other lane's is: ends the slice if that is too long.
    pub fn stalled(&mut self, lane: usize, under_way: Nanos) {
        if under_way >= self.stall {
            self.broke(self.targets[lane], silent_for(self.stall));
        }
    }

    /// The first reason stands.
    fn broke(&mut self, target: u32, why: String) {
        if self.end.broken.is_none() && !self.stop {
            self.end.broken = Some(why);
            self.end.target = Some(target);
        }
        self.stop = true;
    }

    pub fn end(mut self) -> SliceEnd {
        self.end.windows = self.board.windows();
        // While a lane waits in a call no window of its target is passed on: the slice may have ended before that call did.
        for (target, (counted, longest)) in self.counted.iter().zip(&self.longest).enumerate() {
            if let (None, Some(text)) = (&self.end.broken, held_up(*counted, *longest)) {
                self.end.first_error.get_or_insert((target as u32, text));
            }
        }
        for (target, done) in self.targets.iter().zip(self.done) {
            self.end.lanes.entry(*target).or_default().push(done);
        }
        self.end
    }
}

fn silent_for(stall: Nanos) -> String {
    format!("no operation completed for {} s", stall / SECOND)
}
