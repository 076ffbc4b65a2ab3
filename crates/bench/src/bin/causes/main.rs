//! `causes`: does the program find what was made wrong with a lab? Every fault, and what is told of it.

mod cost;
mod document;
mod expected;
mod program;
mod table;
mod told;

use clap::Parser;
use cost::{Check, Level};
use expected::{EXPECTED, Expected};
use program::{Lab, NAME, Program, Ran, SHORT};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use table::Row;
use told::{Outcome, Told};

#[derive(Parser)]
#[command(about = "Does an audit, and a diagnosis, find what was made wrong with a lab? (docs/causes.md)")]
struct Arguments {
    /// The program, as built by cargo
    fathom: PathBuf,
    /// Runs of each fault, each on another target
    #[arg(long, default_value_t = 5)]
    repeats: u32,
    /// Only these faults (default: all)
    #[arg(long, value_delimiter = ',')]
    faults: Vec<String>,
    /// Runs without a fault, first of all
    #[arg(long, default_value_t = 5)]
    clean: u32,
    /// Seconds after which a diagnosis begins no further test
    #[arg(long, default_value_t = 300)]
    time_limit: u64,
    /// Of what chooses targets, and of the runs
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Where the OSDs' data lie in every lab (default: in memory, or loop devices for faults of disks)
    #[arg(long)]
    backing: Option<String>,
    /// Write what became of it to this Markdown file
    #[arg(long)]
    write: Option<PathBuf>,
    /// Keep every document of every run in this folder
    #[arg(long)]
    keep: Option<PathBuf>,
    /// Go on with what an earlier call left in the folder of --keep: what is there is not run again
    #[arg(long, requires = "keep")]
    more: bool,
}

/// A diagnosis that has been told its time may still finish what it began.
const FINISHING: Duration = Duration::from_secs(240);
const HEALTHY: Duration = Duration::from_secs(180);
/// OSDs that were started again for a fault have joined by then, as they have long before somebody asks.
const JOINED: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("causes: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether no clean run had anything confirmed, nor one after a fault.
fn run(arguments: &Arguments) -> Result<bool, Box<dyn Error>> {
    let program = Program::new(&arguments.fathom)?;
    let list = program.must(&["lab", "fault", "list"])?;
    let kinds = kinds(&list)?;
    let chosen = chosen(&arguments.faults)?;
    if let Some(folder) = &arguments.keep {
        fs::create_dir_all(folder)?;
    }
    let before = document::load();
    let mut bench = Bench { arguments, program: &program, kinds, rows: BTreeMap::new(), clean: Vec::new() };
    let ended = bench.all(&chosen);
    let rows: Vec<Row> = chosen.iter().map(|row| (*row, bench.rows.remove(row.fault).unwrap_or_default())).collect();
    table::lines(&rows, &bench.clean).iter().for_each(|line| println!("{line}"));
    document::open(&rows).iter().for_each(|row| println!("{}: {}", row.fault, row.open));
    ended?;
    if let Some(path) = &arguments.write {
        let backing = arguments.backing.clone().map_or_else(
            || "their data in memory, or on loop devices for faults of disks".to_string(),
            |backing| format!("backing {backing}"),
        );
        let head = document::Head {
            repeats: arguments.repeats,
            seed: arguments.seed,
            backing,
            version: env!("CARGO_PKG_VERSION").to_string(),
            load: [before, document::load()],
        };
        fs::write(path, document::written(&head, &rows, &bench.clean))?;
    }
    let after = rows.iter().flat_map(|(_, outcomes)| outcomes);
    let clean = bench.clean.iter().all(|outcome| outcome.failed.is_none() && outcome.wrong(None).is_empty());
    Ok(clean && { after }.all(|outcome| outcome.wrong_after().is_empty()))
}

/// What each fault of the program takes as its target. Those and the rows of the table are the same.
fn kinds(list: &Value) -> Result<BTreeMap<String, String>, Box<dyn Error>> {
    let faults = list["faults"].as_array().ok_or("the program lists no faults")?;
    let text = |fault: &Value, field: &str| fault[field].as_str().unwrap_or_default().to_string();
    let kinds: BTreeMap<String, String> =
        faults.iter().map(|fault| (text(fault, "name"), text(fault, "target"))).collect();
    let (there, rows): (BTreeSet<&str>, BTreeSet<&str>) =
        (kinds.keys().map(String::as_str).collect(), EXPECTED.iter().map(|row| row.fault).collect());
    match there.symmetric_difference(&rows).next() {
        Some(odd) => Err(format!("{odd}: a fault without a row in expected.rs, or a row without a fault").into()),
        None => Ok(kinds),
    }
}

fn chosen(names: &[String]) -> Result<Vec<&'static Expected>, Box<dyn Error>> {
    if let Some(unknown) = names.iter().find(|name| Expected::of(name).is_none()) {
        return Err(format!("there is no fault {unknown}; `fathom lab fault list` has them").into());
    }
    Ok(EXPECTED.iter().filter(|row| names.is_empty() || names.iter().any(|name| name == row.fault)).collect())
}

/// What a lab has while no fault is on.
struct Without {
    /// What goes on in it.
    usual: BTreeSet<String>,
    /// What all its writes took when that was measured last.
    writes: Option<Level>,
}

struct Bench<'a> {
    arguments: &'a Arguments,
    program: &'a Program,
    kinds: BTreeMap<String, String>,
    rows: BTreeMap<&'static str, Vec<Outcome>>,
    clean: Vec<Outcome>,
}

impl Bench<'_> {
    /// A lab for all runs without a fault, and one for those of each fault: what was written to it fills it.
    fn all(&mut self, chosen: &[&'static Expected]) -> Result<(), Box<dyn Error>> {
        let backing = |row: Option<&Expected>| {
            let own = if row.is_some_and(|row| row.on_disks) { "loop" } else { "memory" };
            self.arguments.backing.clone().unwrap_or_else(|| own.to_string())
        };
        let first = backing(chosen.first().copied());
        let mut wanted: Vec<(String, u32, Option<&'static Expected>)> = Vec::new();
        wanted.extend((0..self.arguments.clean).map(|number| (first.clone(), number, None)));
        for row in chosen {
            wanted.extend((0..self.arguments.repeats).map(|repeat| (backing(Some(row)), repeat, Some(*row))));
        }
        let mut lab: Option<(&str, Lab, Without)> = None;
        for (backing, number, row) in wanted {
            if let Some(earlier) = self.earlier(row, number)? {
                self.take(row, earlier);
                continue;
            }
            if self.program.stopped() {
                return Err("stopped".into());
            }
            // The one before is gone before the next comes up.
            let of = row.map_or("", |row| row.fault);
            if lab.as_ref().is_some_and(|(own, ..)| *own != of) {
                lab = None;
            }
            let (_, on, without) = match &mut lab {
                Some(lab) => lab,
                None => {
                    let made = Lab::up(self.program, &backing, row.map_or(&[], |row| row.with))?;
                    let usual = states(&made.audit()?.document);
                    lab.insert((of, made, Without { usual, writes: None }))
                }
            };
            let outcome = self.one(on, without, row, number)?;
            let again = row.is_some_and(|row| row.stains) || !settles(on, &without.usual, HEALTHY)?;
            self.take(row, outcome);
            if again {
                lab = None;
            }
        }
        Ok(())
    }

    fn take(&mut self, row: Option<&'static Expected>, outcome: Outcome) {
        match row {
            Some(row) => self.rows.entry(row.fault).or_default().push(outcome),
            None => self.clean.push(outcome),
        }
    }

    /// Where a run's documents are kept.
    fn kept(&self, row: Option<&Expected>, number: u32, what: &str) -> Option<PathBuf> {
        let fault = row.map_or("no-fault", |row| row.fault);
        Some(self.arguments.keep.as_ref()?.join(format!("{fault}-{number}-{what}.json")))
    }

    fn earlier(&self, row: Option<&Expected>, number: u32) -> Result<Option<Outcome>, Box<dyn Error>> {
        let path = self.kept(row, number, "outcome").filter(|path| self.arguments.more && path.exists());
        path.map(|path| serde_json::from_slice(&fs::read(path)?).map_err(Box::<dyn Error>::from)).transpose()
    }

    /// A fault is made, asked for, and taken off.
    fn one(
        &self,
        lab: &Lab,
        without: &mut Without,
        row: Option<&Expected>,
        repeat: u32,
    ) -> Result<Outcome, Box<dyn Error>> {
        let fault = row.map_or("no fault", |row| row.fault);
        let mut chance = StdRng::seed_from_u64(self.seed(fault, repeat));
        let kind = row.and_then(|row| self.kinds.get(row.fault)).map_or("none", String::as_str);
        let target = target(kind, lab, &mut chance);
        let mut outcome = Outcome { target: target.clone(), ..Outcome::default() };
        if let Some(row) = row {
            // What costs all writes is one OSD, one host, or a pair of them.
            if without.writes.is_none() && !target.is_empty() && row.what.iter().any(|word| word.contains("rados")) {
                without.writes = Level::of_all_writes(&self.diagnosis(Some(row), chance.random())?.document);
            }
            let mut words = vec!["lab", "fault", "on", "--name", NAME, fault];
            words.extend(target.iter().map(String::as_str));
            let made = self.program.run(&words, SHORT)?;
            if made.code != Some(0) {
                outcome.failed = Some(made.complaint.trim_start_matches("fathom: ").to_string());
                self.say(fault, &outcome, Some(row));
                return Ok(outcome);
            }
            let own = row.causes.iter().map(|cause| cause.rule).chain(row.beside.iter().copied());
            settles(lab, &without.usual.iter().cloned().chain(own.map(String::from)).collect(), JOINED)?;
        }
        let audit = lab.audit()?;
        let diagnosis = self.diagnosis(row, chance.random())?;
        if row.is_some() {
            self.program.must(&["lab", "fault", "off", "--name", NAME])?;
        }
        if self.program.stopped() {
            return Err("stopped".into());
        }
        outcome.found = Told::all(&diagnosis.document, "findings");
        outcome.hints = Told::all(&audit.document, "hints");
        (outcome.audit_seconds, outcome.diagnosis_seconds) = (audit.seconds, diagnosis.seconds);
        outcome.positions = told::positions(&diagnosis.document);
        if diagnosis.document["ending"] == "stopped" {
            outcome.failed = Some("somebody stopped the diagnosis".to_string());
        }
        if diagnosis.document["figures"].as_array().is_none_or(Vec::is_empty) {
            outcome.failed = Some(format!("the diagnosis measured nothing: {}", diagnosis.complaint));
        }
        if let Some(row) = row {
            self.mended(lab, without, row, &diagnosis.document, chance.random(), &mut outcome)?;
        }
        let documents = [
            ("audit", audit.document),
            ("diagnosis", diagnosis.document),
            ("outcome", serde_json::to_value(&outcome)?),
        ];
        for (what, document) in documents {
            if let Some(path) = self.kept(row, repeat, what) {
                fs::write(path, document.to_string())?;
            }
        }
        self.say(fault, &outcome, row);
        Ok(outcome)
    }

    fn diagnosis(&self, row: Option<&Expected>, seed: u32) -> Result<Ran, Box<dyn Error>> {
        let (limit, seed) = (format!("{}s", self.arguments.time_limit), seed.to_string());
        let mut words = vec!["diagnose", "--lab", NAME, "--time-max", &limit, "--seed", &seed];
        words.extend(row.map_or(&["--layers", "rados"][..], |row| row.what));
        self.program.run(&words, Duration::from_secs(self.arguments.time_limit) + FINISHING)
    }

    /// The fault is off: does the diagnosis find nothing, and do all writes take what was told that they would?
    fn mended(
        &self,
        lab: &Lab,
        without: &mut Without,
        row: &Expected,
        diagnosis: &Value,
        seed: u32,
        outcome: &mut Outcome,
    ) -> Result<(), Box<dyn Error>> {
        let before = without.writes.take();
        let Some((with_fault, told)) = cost::told(diagnosis, row, &outcome.target) else { return Ok(()) };
        if !settles(lab, &without.usual, HEALTHY)? {
            return Ok(());
        }
        let document = self.diagnosis(Some(row), seed)?.document;
        without.writes = Level::of_all_writes(&document);
        if let (Some(before), Some(after)) = (before, without.writes) {
            outcome.cost = Some(Check { with_fault, told, before, after });
            outcome.after = Some(Told::all(&document, "findings"));
        }
        Ok(())
    }

    /// Another for each fault and repeat, whichever are chosen.
    fn seed(&self, fault: &str, repeat: u32) -> u64 {
        let name = fault.bytes().fold(0_u64, |sum, byte| sum.wrapping_mul(31).wrapping_add(u64::from(byte)));
        self.arguments.seed.wrapping_mul(1_000_003).wrapping_add(name).wrapping_add(u64::from(repeat) << 40)
    }

    fn say(&self, fault: &str, outcome: &Outcome, row: Option<&Expected>) {
        let names = |all: &[Told]| all.iter().map(Told::name).collect::<Vec<_>>().join(", ");
        let target = outcome.target.join(" ");
        match &outcome.failed {
            Some(why) => eprintln!("{fault} {target}: {why}"),
            None => eprintln!(
                "{fault} {target}: {}; diagnosis ({:.0} s): {}; audit ({:.1} s): {}{}",
                match row {
                    Some(row) if outcome.first_is_right(row) => "right",
                    Some(row) if row.causes.is_empty() => "no rule yet",
                    Some(_) => "NOT told first",
                    None => "clean",
                },
                outcome.diagnosis_seconds,
                names(&outcome.found),
                outcome.audit_seconds,
                names(&outcome.hints),
                outcome.cost.as_ref().map_or(String::new(), |cost| format!("; all writes {}", cost.words()))
            ),
        }
    }
}

/// What goes on in a cluster, as an audit sees it.
fn states(audit: &Value) -> BTreeSet<String> {
    let hints = audit["hints"].as_array().into_iter().flatten().filter(|hint| hint["of_state"] == true);
    hints.filter_map(|hint| hint["id"].as_str().map(str::to_string)).collect()
}

/// Until an audit sees nothing go on but this; `false`: it does not come to that in time.
fn settles(lab: &Lab, usual: &BTreeSet<String>, within: Duration) -> Result<bool, Box<dyn Error>> {
    let began = Instant::now();
    loop {
        let audit = lab.audit()?.document;
        // Without an answer nothing is seen either.
        let answers = audit["looked"].as_u64().is_some_and(|looked| looked > 0);
        if answers && states(&audit).is_subset(usual) {
            return Ok(true);
        }
        if began.elapsed() > within || lab.program.stopped() {
            return Ok(false);
        }
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn target(kind: &str, lab: &Lab, chance: &mut StdRng) -> Vec<String> {
    match kind {
        "osd.N" => lab.osds.choose(chance).cloned().into_iter().collect(),
        "HOST" => lab.hosts.choose(chance).cloned().into_iter().collect(),
        "HOST HOST" => lab.hosts.sample(chance, 2).cloned().collect(),
        _ => Vec::new(),
    }
}
