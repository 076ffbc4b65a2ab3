//! `coverage`: prints, kind by kind, how often the intervals hold the truth, and what they cost.

use clap::Parser;
use coverage::kinds::{KINDS, Kind};
use coverage::table::{HEADING, Line};
use coverage::trial;
use model::{Goal, Pattern};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Parser)]
#[command(about = "How often the intervals hold the truth")]
struct Arguments {
    /// Series of each kind
    #[arg(long, default_value_t = 300)]
    series: u64,
    /// Only kinds with this in their name
    #[arg(long, default_value = "")]
    kind: String,
}

fn main() {
    let arguments = Arguments::parse();
    let goal = Goal::default();
    for (pattern, title) in [
        (Pattern::WriteParallel, "Writes through a store: slices of 12 s"),
        (Pattern::ReadParallel, "Reads: slices of 8 s"),
    ] {
        println!("{title}; ±{:.0} %, {} series of each kind\n{HEADING}", goal.settle * 100.0, arguments.series);
        for plain in [true, false] {
            for kind in KINDS.iter().filter(|kind| kind.plain == plain && kind.name.contains(&arguments.kind)) {
                println!("{}", line(kind, pattern, &goal, arguments.series).text(kind.name));
            }
            println!();
        }
    }
}

/// All series of one kind, on all processors.
fn line(kind: &'static Kind, pattern: Pattern, goal: &Goal, series: u64) -> Line {
    let (next, line) = (AtomicU64::new(0), Mutex::new(Line::default()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= series {
                return;
            }
            match (trial::made(kind, seed, pattern, goal), line.lock()) {
                (Ok(outcome), Ok(mut line)) => line.add(&outcome),
                (Err(error), _) => eprintln!("{} {seed}: {error}", kind.name),
                _ => return,
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(work);
        }
    });
    line.into_inner().unwrap_or_default()
}
