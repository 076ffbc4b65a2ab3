//! Windows that are stored while their slice goes on come back in it, as if it had been stored as one.

mod common;

use archive::{Archive, ArchiveError};
use common::{record, run, slice};
use model::{Event, OpClass, Slice, WindowSet};
use proptest::collection::vec;
use proptest::prelude::*;
use std::path::Path;

const RUN: &str = "20261121-093012-ab3f";

/// A run before its first slice.
fn begun() -> Vec<Event> {
    run(RUN)[..3].to_vec()
}

/// A slice of several targets: for each how many of the windows it has samples in, and for all together every one.
fn slices(started_seconds: f64, targets: &[(bool, usize)]) -> Vec<Slice> {
    let like = Slice { started_seconds, ..slice(1) };
    let own = (0..).zip(targets).map(|(target, (write, windows))| Slice {
        target: Some(target),
        kind: if *write { OpClass::Write } else { OpClass::Read },
        samples: like.samples[..*windows].to_vec(),
        ..like.clone()
    });
    std::iter::once(Slice { target: None, ..like.clone() }).chain(own).collect()
}

/// What was told while these went on.
fn windows(slices: &[Slice]) -> Vec<Event> {
    let longest = slices.iter().map(|slice| slice.samples.len()).max().unwrap_or(0);
    let set = |window: usize| {
        let sample = |slice: &Slice| Some((slice.target?, slice.kind, slice.samples.get(window)?.clone()));
        WindowSet { window: window as u32, samples: slices.iter().filter_map(sample).collect() }
    };
    let started_seconds = slices[0].started_seconds;
    (0..longest).map(|window| Event::Window { started_seconds, set: set(window) }).collect()
}

fn done(slices: &[Slice]) -> Event {
    Event::StepFinished { pass: 1, slices: slices.to_vec() }
}

fn store(path: &Path, events: &[Event]) {
    let mut writer = Archive::open(path).unwrap().writer();
    events.iter().for_each(|event| writer.store(event).unwrap());
}

/// Rows of a kind, and their bytes.
fn rows(path: &Path, kind: &str) -> (i64, i64) {
    let file = rusqlite::Connection::open(path).unwrap();
    let sql = "SELECT count(*), coalesce(sum(length(body)), 0) FROM events WHERE kind = ?1";
    file.query_row(sql, [kind], |row| Ok((row.get(0)?, row.get(1)?))).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn the_record_is_the_same(parts in vec(vec((any::<bool>(), 0..30usize), 1..5), 1..4), told in vec(any::<bool>(), 4)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("archive.sqlite");
        let mut events = begun();
        for ((number, targets), told) in (1..).zip(&parts).zip(told) {
            let slices = slices(f64::from(number), targets);
            events.extend(told.then(|| windows(&slices)).into_iter().flatten());
            events.push(Event::Warned { text: "in the middle".into() });
            events.push(done(&slices));
        }
        store(&path, &events);
        prop_assert_eq!(Archive::open_existing(&path).unwrap().load(RUN).unwrap(), record(&events));
    }
}

#[test]
fn samples_are_stored_once() {
    let folder = tempfile::tempdir().unwrap();
    let (streamed, whole) = (folder.path().join("streamed"), folder.path().join("whole"));
    let slices = slices(1.0, &[(false, 90); 70]);
    let told = windows(&slices);
    store(&streamed, &[begun(), told.clone(), vec![done(&slices)]].concat());
    store(&whole, &[begun(), vec![done(&slices)]].concat());
    let (count, bytes) = rows(&streamed, "windows");
    assert_eq!(count as usize, told.len());
    assert!(rows(&streamed, "slices").1 * 20 < rows(&whole, "slices").1);
    assert!(bytes < rows(&whole, "slices").1 * 11 / 10);
    // A copy of the run has all of it.
    let copy = folder.path().join("copy");
    Archive::open_existing(&streamed).unwrap().export(RUN, &copy).unwrap();
    assert_eq!(Archive::open_existing(&copy).unwrap().load(RUN).unwrap().slices, slices);
}

#[test]
fn what_was_told_of_a_slice_that_was_begun_anew_counts_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    let (first, second) = (slices(1.0, &[(false, 20); 3]), slices(9.0, &[(false, 30); 3]));
    let events = [begun(), windows(&first), windows(&second), vec![done(&second)]].concat();
    store(&path, &events);
    assert_eq!(Archive::open_existing(&path).unwrap().load(RUN).unwrap(), record(&events));
    // And of one that never ended: the run is what it was before.
    let mut writer = Archive::open(&path).unwrap().writer_of(RUN).unwrap();
    windows(&first).iter().for_each(|event| writer.store(event).unwrap());
    drop(writer);
    assert_eq!(Archive::open_existing(&path).unwrap().load(RUN).unwrap(), record(&events));
}

#[test]
fn a_slice_that_is_not_what_was_told_is_stored_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    let slices = slices(1.0, &[(false, 20); 3]);
    let mut told = windows(&slices);
    told.pop();
    let events = [begun(), told, vec![done(&slices)]].concat();
    store(&path, &events);
    assert_eq!(Archive::open_existing(&path).unwrap().load(RUN).unwrap().slices, slices);
}

#[test]
fn a_window_that_is_missing_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    let slices = slices(1.0, &[(false, 20); 3]);
    store(&path, &[begun(), windows(&slices), vec![done(&slices)]].concat());
    let file = rusqlite::Connection::open(&path).unwrap();
    let one = "DELETE FROM events WHERE id = (SELECT min(id) FROM events WHERE kind = 'windows')";
    assert_eq!(file.execute(one, []).unwrap(), 1);
    let damaged = Archive::open_existing(&path).unwrap().load(RUN).err().map(|error| error.to_string());
    assert!(
        damaged.as_ref().is_some_and(|text| text.contains("a slice has 20 windows, 19 of them are there")),
        "{damaged:?}"
    );
}

#[test]
fn a_run_that_is_removed_meanwhile_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("archive");
    let mut writer = Archive::open(&path).unwrap().writer();
    begun().iter().for_each(|event| writer.store(event).unwrap());
    Archive::open_existing(&path).unwrap().remove(RUN).unwrap();
    let slices = slices(1.0, &[(false, 20); 3]);
    let mut events = windows(&slices);
    events.push(done(&slices));
    let refused = events.iter().find_map(|event| writer.store(event).err());
    assert!(matches!(refused, Some(ArchiveError::Removed { .. })), "{refused:?}");
}
