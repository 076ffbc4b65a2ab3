//! Writes without pause end where the cluster beneath is in trouble.

use super::*;
use experiments::{Scheduler, Task};
use model::{Event, Record, SustainedTest, Until};

struct Once(Option<Task>);

impl Scheduler for Once {
    fn next(&mut self, _: &Record, _: f64) -> Option<Task> {
        self.0.take()
    }
}

fn nearly_full(now: u64) -> Seen {
    let full = (now > 5 * SECOND).then(|| "pool vms is nearly full".to_string());
    Seen { full, ..Seen::default() }
}

/// The cluster is nearly full from the fifth second on.
fn written_to(image: Option<&str>) -> Record {
    let disk = Target::new(testing::disks(), "/dev/rbd0", Place::Null);
    let disk = Target { image: image.map(str::to_string), ..disk };
    let pattern = Pattern::WriteParallel;
    let step = Step::new(0, testing::disks(), pattern, vec![disk], Workload::canonical(pattern, 1 << 30, 1));
    let test = SustainedTest { seconds: 20.0, until: Until::Steady, ..SustainedTest::of(step) };
    let clock = Arc::new(SimClock::default());
    let sim = Sim::new(clock.clone(), |_: &Target, _: &Workload| Model::steady(1e6, 0.3, 16));
    let health = Script { clock: clock.clone(), ends: None, seen: nearly_full };
    let clock: Arc<dyn Clock> = clock;
    let (context, files) = Default::default();
    let loader = &LocalHost { context, clock: clock.clone(), engine_of: &|_| Ok(&sim as &dyn Engine), files };
    let mut sink = EventSink::silent(clock.clone());
    let plan = Plan::default();
    sink.tell(Event::Planned { plan }).unwrap();
    let (sides, observer, unfilled) = (&AsItIs, &Probes::default(), &Unfilled::default());
    let conductor = Conductor { clock: &clock, health: &health, loader, sides, observer, unfilled };
    conductor.conduct(&mut Once(Some(Task::WriteWithoutPause(Box::new(test)))), &mut sink).unwrap();
    sink.into_record()
}

#[test]
fn an_image_of_a_cluster_that_runs_full_is_written_to_no_longer() {
    let of_cluster = written_to(Some("vms/disk, by krbd"));
    let seen = &of_cluster.sustained[0];
    assert!(seen.error.as_ref().is_some_and(|why| why.contains("pool vms is nearly full")), "{:?}", seen.error);
    assert!((40..=60).contains(&seen.windows.len()), "{}", seen.windows.len());
    let other = &written_to(None).sustained[0];
    assert!(other.error.is_none() && other.windows.len() > 100, "{:?} {}", other.error, other.windows.len());
}
