//! A run keeps its time: no further pass begins, or is told of, when it is up.

use super::*;
use model::{Event, Subscriber};
use std::io;
use std::sync::Mutex;

/// The passes that were said to be done.
#[derive(Clone, Default)]
pub struct PassNumbers(Arc<Mutex<Vec<u32>>>);

impl PassNumbers {
    pub fn seen(&self) -> Vec<u32> {
        self.0.lock().unwrap().clone()
    }
}

impl Subscriber for PassNumbers {
    fn take(&mut self, event: &Event) -> io::Result<()> {
        if let Event::PassFinished { pass, .. } = event {
            self.0.lock().unwrap().push(*pass);
        }
        Ok(())
    }

    fn finish(&mut self, _: &Report) -> io::Result<()> {
        Ok(())
    }
}

/// `steps` figures, none of which is ever precise enough. Operations take long, so that there are not many.
fn never_enough(steps: u32) -> Simulated {
    let steps = (0..steps).map(|id| step(id, Pattern::ReadParallel, &["osd.0"])).collect();
    simulate(steps, Goal { settle: 0.0, ..Goal::default() }, |_| Model::steady(1e7, 0.3, 16), None, well)
}

#[test]
fn a_pass_that_finds_the_time_used_up_is_not_begun() {
    // Two passes of 60 slices take more than 13 minutes and are due; of 30, the fourth is cut short.
    let many = never_enough(60);
    assert_eq!((many.announced.as_slice(), many.order.len()), (&[1, 2][..], 120));
    let fewer = never_enough(30);
    assert_eq!(fewer.announced, [1, 2, 3, 4]);
    assert!((91..120).contains(&fewer.order.len()), "{:?}", fewer.order.len());
    assert!((780.0..800.0).contains(&fewer.seconds), "{}", fewer.seconds);
    assert_eq!(never_enough(2).announced, [1, 2, 3, 4, 5, 6]);
}
