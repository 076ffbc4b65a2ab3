//! Simulated lanes take turns in the caller's thread, so that a run is the same every time.

use super::overseer::{LaneEnd, Overseer};
use super::{DRAIN, Seat};
use model::{Clock, SliceEnd};

pub fn run(mut seats: Vec<Seat>, clock: &dyn Clock, mut overseer: Overseer) -> SliceEnd {
    while !overseer.stop() {
        for (index, seat) in seats.iter_mut().enumerate() {
            match seat.lane.turn(clock) {
                Ok(()) if seat.lane.cuts.is_empty() => {}
                Ok(()) => {
                    let cuts = std::mem::take(&mut seat.lane.cuts);
                    overseer.take(index, cuts, seat.lane.first_error.take());
                }
                Err(error) => overseer.lane_ended(index, LaneEnd { broken: Some(error), ..LaneEnd::default() }),
            }
        }
        overseer.look_for_stall(clock.now());
    }
    let deadline = clock.now() + DRAIN;
    while seats.iter_mut().map(|seat| u32::from(seat.lane.drain(clock, deadline))).sum::<u32>() > 0 {}
    overseer.end()
}
