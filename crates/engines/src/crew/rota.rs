//! Real lanes one at a time in one thread, in an order that is shuffled anew in every round: one operation is in flight over all of
//! them, and what comes and goes meets all alike.

use super::effort::of_this_thread;
use super::overseer::{LaneEnd, Overseer};
use super::{DRAIN, Seat};
use model::{Clock, Effort, Nanos, SliceEnd};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand::seq::SliceRandom;

pub fn run(mut seats: Vec<Seat>, clock: &dyn Clock, start: Nanos, seed: u64, mut overseer: Overseer) -> SliceEnd {
    let mut chance = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut order: Vec<usize> = (0..seats.len()).collect();
    clock.wait_until(start);
    let began = of_this_thread();
    while !overseer.stop() {
        order.shuffle(&mut chance);
        for index in &order {
            if overseer.stop() {
                break;
            }
            one_operation(&mut seats[*index], *index, clock, &mut overseer);
        }
    }
    let now = of_this_thread();
    let deadline = clock.now() + DRAIN;
    for (index, seat) in seats.iter_mut().enumerate() {
        while seat.lane.drain(clock, deadline) {}
        overseer.take(index, Vec::new(), seat.lane.unanswered(clock.now()));
    }
    let each = 1.0 / seats.len() as f64;
    let effort = Effort {
        seconds: clock.now().saturating_sub(start) as f64 / 1e9 * each,
        cpu_seconds: (now.cpu_seconds - began.cpu_seconds) * each,
        queued_seconds: (now.queued_seconds - began.queued_seconds) * each,
        ..Effort::default()
    };
    for (index, seat) in seats.iter().enumerate() {
        let (longest, pages) = (seat.lane.longest(), seat.lane.empty_pages());
        overseer.lane_ended(index, LaneEnd { broken: None, longest, effort, pages });
    }
    overseer.end()
}

/// Until it has ended, or the slice has to.
fn one_operation(seat: &mut Seat, index: usize, clock: &dyn Clock, overseer: &mut Overseer) {
    let began = clock.now();
    loop {
        if let Err(error) = seat.lane.turn(clock) {
            overseer.lane_ended(index, LaneEnd { broken: Some(error), ..LaneEnd::default() });
            return;
        }
        if !seat.lane.cuts.is_empty() {
            let (cuts, first_error) = (std::mem::take(&mut seat.lane.cuts), seat.lane.first_error.take());
            overseer.take(index, cuts, first_error);
        }
        if overseer.stop() || seat.lane.is_empty() {
            return;
        }
        // Only of this lane is anything to be expected: the others wait for their turns.
        overseer.stalled(index, clock.now().saturating_sub(began));
        overseer.ask(clock.now());
    }
}
