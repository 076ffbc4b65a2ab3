//! Whatever ends the program, all that was stored before is there, and the file opens.

mod common;

use archive::Archive;
use common::{record, run, slice, started};
use model::{Event, Record, Subscriber};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

const RUN: &str = "20261121-093012-ab3f";

#[test]
fn a_writer_that_is_killed_loses_nothing_that_it_had_stored() {
    if let Some(path) = std::env::var_os("ARCHIVE_OF_THE_VICTIM") {
        write_until_killed(Path::new(&path));
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.sqlite");
    let mut victim = Command::new(std::env::current_exe().unwrap())
        .args(["a_writer_that_is_killed_loses_nothing_that_it_had_stored", "--exact", "--nocapture"])
        .env("ARCHIVE_OF_THE_VICTIM", &path)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(victim.stdout.take().unwrap()).lines();
    let told = lines.map_while(Result::ok).filter(|line| line.contains("stored")).take(25).count();
    victim.kill().unwrap();
    victim.wait().unwrap();
    assert_eq!(told, 25);
    let kept = Archive::open_existing(&path).unwrap().load(RUN).unwrap();
    assert!(kept.slices.len() >= told, "{} slices are left of {told}", kept.slices.len());
    assert!(kept.slices.iter().all(|kept| *kept == slice(kept.pass)));
    assert!(!kept.finished);
}

fn write_until_killed(path: &Path) -> ! {
    let mut writer = Archive::open(path).unwrap().writer();
    writer.take(&started(RUN)).unwrap();
    for pass in 1.. {
        writer.take(&Event::StepFinished { pass, slices: vec![slice(pass)] }).unwrap();
        println!("\nstored {pass}");
        std::io::stdout().flush().unwrap();
    }
    unreachable!("there is always a next pass");
}

/// What a power cut may leave: the log cut off anywhere. What is left is the run up to some event.
#[test]
fn a_log_that_is_cut_off_gives_the_run_up_to_some_event() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.sqlite");
    let mut writer = Archive::open(&whole).unwrap().writer();
    let events = run(RUN);
    events.iter().for_each(|event| writer.take(event).unwrap());
    let log = fs::read(whole.with_extension("sqlite-wal")).unwrap();
    let beginnings: Vec<Record> = (1..=events.len()).map(|n| record(&events[..n])).collect();
    let mut seen = 0;
    for part in 0..=64 {
        let cut = folder.path().join(format!("cut-{part}.sqlite"));
        fs::copy(&whole, &cut).unwrap();
        fs::write(cut.with_extension("sqlite-wal"), &log[..log.len() * part / 64]).unwrap();
        match Archive::open(&cut).unwrap().load(RUN) {
            Ok(kept) => {
                let at = beginnings.iter().position(|beginning| *beginning == kept);
                assert!(at.unwrap() >= seen, "part {part}");
                seen = at.unwrap();
            }
            Err(error) => assert!(seen == 0, "part {part}: {error}"),
        }
    }
    assert_eq!(beginnings[seen], record(&events));
}

#[test]
fn two_writers_at_once_do_not_mix() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive.sqlite");
    let names = ["20261121-093012-aaaa", "20261121-093012-bbbb"];
    let write = |name: &'static str| {
        let path = path.clone();
        std::thread::spawn(move || {
            // Opened at the same time: both may find a new file.
            let mut writer = Archive::open(&path).unwrap().writer();
            run(name).iter().for_each(|event| writer.take(event).unwrap());
            (0..40).for_each(|pass| writer.take(&Event::StepFinished { pass, slices: vec![slice(pass)] }).unwrap());
        })
    };
    for thread in names.map(write) {
        thread.join().unwrap();
    }
    let archive = Archive::open_existing(&path).unwrap();
    for name in names {
        let mut expected = record(&run(name));
        (0..40).for_each(|pass| expected.apply(&Event::StepFinished { pass, slices: vec![slice(pass)] }));
        assert_eq!(archive.load(name).unwrap(), expected);
    }
}
