//! `coverage`: prints, kind by kind, how often the intervals hold the truth, how often verdicts are wrong, and what both cost.

use bench::coverage::held_out::HELD_OUT;
use bench::coverage::kinds::{KINDS, Kind};
use bench::coverage::rare::RARE;
use bench::coverage::replay::Pause;
use bench::coverage::table::{HEADING, Line};
use bench::coverage::trial::{self, TrialOutcome};
use bench::coverage::verdicts::{self, RATIOS, VerdictTally};
use bench::coverage::{behind, comparisons, decisions, gaps, open_loop, recorded, runs};
use clap::Parser;
use model::{Failure, Pattern};
use rand::SeedableRng;
use rand::rngs::StdRng;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Parser)]
#[command(about = "How often the intervals hold the truth, and the verdicts")]
struct Arguments {
    /// Series of each kind
    #[arg(long, default_value_t = 300)]
    series: u64,
    /// Series of each kind for each distance of a threshold
    #[arg(long, default_value_t = 40)]
    verdicts: u64,
    /// Comparisons of each kind
    #[arg(long, default_value_t = 25)]
    comparisons: u64,
    /// Tries of each other decision: the slow one, a change in a history, the knee, agreement
    #[arg(long, default_value_t = 400)]
    decisions: u64,
    /// Figures of each kind beside compactions that have no part in them, and that have
    #[arg(long, default_value_t = 100)]
    compactions: u64,
    /// A folder of recorded series
    #[arg(long, value_name = "FOLDER")]
    recorded: Option<PathBuf>,
    /// Only kinds of series and of comparisons with this in their name
    #[arg(long, default_value = "")]
    kind: String,
}

const PATTERNS: [(Pattern, &str); 2] =
    [(Pattern::WriteParallel, "Writes through a store"), (Pattern::ReadParallel, "Reads")];

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let chosen: Vec<&'static Kind> = KINDS.iter().filter(|kind| kind.name.contains(&arguments.kind)).collect();
    if arguments.series > 0 {
        for (pattern, title) in PATTERNS {
            intervals(&chosen, pattern, title, arguments.series);
        }
    }
    if arguments.series > 0 {
        at_gaps(&arguments.kind, arguments.series);
        in_an_open_loop(arguments.series);
    }
    if let Some(folder) = &arguments.recorded
        && let Err(error) = real(folder)
    {
        eprintln!("coverage: {error}");
        return ExitCode::FAILURE;
    }
    if arguments.verdicts > 0 {
        told(&chosen, arguments.verdicts);
    }
    if let Some(folder) = arguments.recorded.as_ref().filter(|_| arguments.verdicts > 0)
        && let Err(error) = told_of_real(folder)
    {
        eprintln!("coverage: {error}");
        return ExitCode::FAILURE;
    }
    if arguments.comparisons > 0 {
        compared(arguments.comparisons, &arguments.kind);
        runs_compared(arguments.comparisons, &arguments.kind);
    }
    if arguments.compactions > 0 {
        blamed(&chosen, arguments.compactions);
    }
    if arguments.decisions > 0 {
        for decided in [decisions::peers, decisions::histories, decisions::curves, decisions::contests] {
            println!("\n{}", decided(arguments.decisions).trim_end());
        }
    }
    ExitCode::SUCCESS
}

/// Where less than 95 % hold, this many times as many series are tried: with 300 series, 95 % are known to ±2.5 points only.
const FURTHER: u64 = 4;

fn intervals(kinds: &[&'static Kind], pattern: Pattern, title: &str, series: u64) {
    if kinds.is_empty() {
        return;
    }
    let goal = trial::usual();
    println!(
        "{title}, ±{:.0} %, {series} series of each kind, {} where less than 95 % hold\n{HEADING}",
        goal.settle * 100.0,
        FURTHER * series
    );
    for (title, belongs) in groups(pattern) {
        let chosen: Vec<_> = kinds.iter().filter(|kind| belongs(kind)).collect();
        if chosen.is_empty() {
            continue;
        }
        println!("{title}");
        for kind in chosen {
            let line = Mutex::new(Line::default());
            let more = |first: u64, count: u64| {
                on_all_processors(count, |n| {
                    let outcome = trial::made(kind, first + n, pattern, trial::FORTY, |_| trial::survey(goal.clone()));
                    add(outcome, &line, |line, outcome| line.add(&outcome));
                });
            };
            more(0, series);
            if line.lock().is_ok_and(|line| line.least() < 0.95) {
                more(series, (FURTHER - 1) * series);
            }
            println!("{}", line.into_inner().unwrap_or_default().text(kind.name));
        }
        println!();
    }
}

/// What is rare, lasts long or comes with a period, with as much between two slices of a figure as runs of one, of a few and of many
/// figures have; and apart from it the kinds that nothing was chosen by.
fn at_gaps(chosen: &str, series: u64) {
    println!(
        "Reads, by what lies between slices, {series} series: held % / settled % / held of those settled % / s / mean of its own stretch held %"
    );
    let heads = gaps::GAPS.map(|gap| format!("{:>22}", gaps::name(gap))).concat();
    let known: Vec<&'static Kind> = KINDS.iter().filter(|kind| !kind.plain).chain(&RARE).collect();
    for (title, kinds) in [("kind", known), ("held out", HELD_OUT.iter().collect())] {
        println!("{title:<26}{heads}");
        for kind in kinds.into_iter().filter(|kind| kind.name.contains(chosen)) {
            println!("{:<26}{}", kind.name, gaps::GAPS.map(|gap| at_gap(kind, gap, series)).concat());
        }
    }
    println!();
}

fn at_gap(kind: &'static Kind, gap: Pause, series: u64) -> String {
    let tally = Mutex::new(gaps::GapTally::default());
    on_all_processors(series, |seed| {
        let outcome = trial::made(kind, seed, Pattern::ReadParallel, gap, |_| trial::survey(trial::usual()));
        add(outcome, &tally, |tally, outcome| tally.add(&outcome));
    });
    format!("{:>22}", tally.into_inner().unwrap_or_default().text_with_stretch())
}

fn in_an_open_loop(series: u64) {
    println!(
        "Open loop, one server that is busy for 70 % of the time (M/D/1), {series} runs: held % / settled % / held of those settled % / s"
    );
    let tally = Mutex::new(gaps::GapTally::default());
    on_all_processors(series, |seed| {
        add(open_loop::made(seed), &tally, |tally, (held, figure)| tally.note(held, &figure));
    });
    println!("{:<26}{:>22}\n", "mean response time", tally.into_inner().unwrap_or_default().text());
}

type Belongs = fn(&Kind) -> bool;

fn groups(pattern: Pattern) -> Vec<(&'static str, Belongs)> {
    match pattern.writes() {
        true => vec![("plain", |kind| kind.plain), ("adversarial", |kind| !kind.plain)],
        false => vec![
            ("plain", |kind| kind.plain && !kind.of_writes),
            ("adversarial", |kind| !kind.plain && !kind.of_writes),
            ("what comes with writes only", |kind| kind.of_writes),
        ],
    }
}

/// Recordings of real disks, from every place at which a minute is left.
fn real(folder: &Path) -> Result<(), Failure> {
    let goal = trial::usual();
    println!("Recorded series, ±{:.0} %, taken up every 5 s\n{HEADING}", goal.settle * 100.0);
    let all = Mutex::new(Line::default());
    for recording in recorded::all(folder)? {
        let truth = recording.truth(&mut StdRng::seed_from_u64(1));
        let (line, starts) = (Mutex::new(Line::default()), recording.starts().collect::<Vec<usize>>());
        on_all_processors(starts.len() as u64, |n| {
            let outcome = trial::recorded(&recording, starts[n as usize], &truth, &trial::survey(goal.clone()));
            add(outcome, &line, |line, outcome| {
                line.add(&outcome);
                if let Ok(mut all) = all.lock() {
                    all.add(&outcome);
                }
            });
        });
        println!("{}", line.into_inner().unwrap_or_default().text(&recording.name));
    }
    println!("{}\n", all.into_inner().unwrap_or_default().text("all"));
    Ok(())
}

fn told(kinds: &[&'static Kind], series: u64) {
    let heads: String = RATIOS.iter().map(|ratio| format!("{:>14}", format!("x{ratio:.2}"))).collect();
    for (pattern, title) in PATTERNS {
        println!(
            "Verdicts, {title}, {series} series of each kind: wrong % / open % / mean s, by the truth over the threshold"
        );
        println!("{:<19}{heads}", "kind");
        for plain in [true, false] {
            let mut all = [VerdictTally::default(); RATIOS.len()];
            let met = |kind: &&&Kind| kind.plain == plain && (pattern.writes() || !kind.of_writes);
            for kind in kinds.iter().filter(met) {
                let tallies =
                    RATIOS.map(|ratio| tallied(series, ratio, |seed| verdicts::made(kind, seed, pattern, ratio)));
                all.iter_mut().zip(tallies).for_each(|(all, tally)| *all = all.joined(tally));
                println!("{:<19}{}", kind.name, row(&tallies));
            }
            println!("{:<19}{}\n", if plain { "all plain" } else { "all adversarial" }, row(&all));
        }
    }
}

/// Verdicts on recordings: what the made-up kinds leave out is in there.
fn told_of_real(folder: &Path) -> Result<(), Failure> {
    let heads: String = RATIOS.iter().map(|ratio| format!("{:>14}", format!("x{ratio:.2}"))).collect();
    println!("Verdicts on recorded series, taken up every 5 s: wrong % / open % / mean s\n{:<19}{heads}", "");
    let mut all = [VerdictTally::default(); RATIOS.len()];
    for recording in recorded::all(folder)? {
        let truth = recording.truth(&mut StdRng::seed_from_u64(1));
        let starts: Vec<usize> = recording.starts().collect();
        let count = starts.len() as u64;
        let tallies = RATIOS
            .map(|ratio| tallied(count, ratio, |n| verdicts::recorded(&recording, starts[n as usize], &truth, ratio)));
        all.iter_mut().zip(tallies).for_each(|(all, tally)| *all = all.joined(tally));
        println!("{:<19}{}", recording.name, row(&tallies));
    }
    println!("{:<19}{}\n", "all", row(&all));
    Ok(())
}

fn tallied(count: u64, ratio: f64, verdict: impl Fn(u64) -> Result<TrialOutcome, Failure> + Sync) -> VerdictTally {
    let tally = Mutex::new(VerdictTally::default());
    on_all_processors(count, |n| add(verdict(n), &tally, |tally, outcome| tally.add(ratio, &outcome)));
    tally.into_inner().unwrap_or_default()
}

fn compared(times: u64, kind: &str) {
    println!(
        "Comparisons, {times} of each kind, in which some figures lost a tenth\n{}",
        comparisons::ComparisonTally::HEADING
    );
    for setting in comparisons::SETTINGS.iter().filter(|setting| setting.name.contains(kind)) {
        let tally = Mutex::new(comparisons::ComparisonTally::default());
        on_all_processors(times, |seed| {
            let found = comparisons::made(setting, seed);
            if let Ok(mut tally) = tally.lock() {
                tally.add(&found);
            }
        });
        println!("{}", tally.into_inner().unwrap_or_default().text(setting.name));
    }
}

/// Whole runs of every kind, one against another.
fn runs_compared(times: u64, chosen: &str) {
    println!(
        "Two runs by the product's own loop, {times} pairs of each kind: any false alarm % / -10 % found % / settled figures / of these held %, by the figures of a run"
    );
    println!("{:<26}{}", "kind", runs::SIZES.map(|size| format!("{:>18}", size.name)).concat());
    for kind in KINDS.iter().chain(&RARE).chain(&HELD_OUT).filter(|kind| kind.name.contains(chosen)) {
        let told = runs::SIZES.map(|size| {
            let tally = Mutex::new(runs::PairTally::default());
            on_all_processors(times, |seed| {
                add(runs::made(kind, seed, &size), &tally, |tally, found| tally.add(found))
            });
            format!("{:>18}", tally.into_inner().unwrap_or_default().text())
        });
        println!("{:<26}{}", kind.name, told.concat());
    }
    println!();
}

/// What they take of the level while tables are written.
const TAKEN: [f64; 3] = [0.0, 0.3, 0.6];

fn blamed(kinds: &[&'static Kind], times: u64) {
    for habit in &behind::HABITS {
        println!(
            "Compactions, {}, {times} figures of writes of each kind: in step % / slower %, by what they take; \"at least\" held, of how many",
            habit.name
        );
        println!("{:<19}{}", "kind", TAKEN.map(|by| format!("{:>15}", format!("{:.0} %", 100.0 * by))).concat());
        let mut all = [behind::CompactionTally::default(); TAKEN.len()];
        for kind in kinds {
            let tallies = TAKEN.map(|by| {
                let tally = Mutex::new(behind::CompactionTally::default());
                let tell = |seed| add(behind::made(kind, seed, habit, by), &tally, |tally, seen| tally.add(by, &seen));
                on_all_processors(times, tell);
                tally.into_inner().unwrap_or_default()
            });
            all.iter_mut().zip(&tallies).for_each(|(all, tally)| *all = all.joined(tally));
            println!("{}", behind_row(kind.name, &tallies));
        }
        println!("{}\n", behind_row("all", &all));
    }
}

fn behind_row(name: &str, tallies: &[behind::CompactionTally]) -> String {
    let told = tallies.iter().map(|tally| format!("{:>15}", tally.text())).collect::<String>();
    let held = tallies.iter().map(|tally| format!("{:>17}", tally.coverage())).collect::<String>();
    format!("{name:<19}{told}{held}")
}

fn row(tallies: &[VerdictTally]) -> String {
    tallies.iter().map(|tally| format!("{:>14}", tally.text())).collect()
}

fn add<T, O>(outcome: Result<O, Failure>, into: &Mutex<T>, how: impl Fn(&mut T, O)) {
    match (outcome, into.lock()) {
        (Ok(outcome), Ok(mut into)) => how(&mut into, outcome),
        (Err(error), _) => eprintln!("{error}"),
        (_, Err(_)) => {}
    }
}

fn on_all_processors(series: u64, work: impl Fn(u64) + Sync) {
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    match next.fetch_add(1, Ordering::Relaxed) {
                        seed if seed < series => work(seed),
                        _ => return,
                    }
                }
            });
        }
    });
}
