//! The journal's copy in the cluster's config-key store: any host with the rights can undo from there.
//!
//! Whoever may write those keys writes what an administrator's program reads: it is believed only as far as names prove it.

use super::journal_file::{Head, Told};
use crate::admin::Cluster;
use crate::apply::word;
use crate::entry::{JournalEntry, is_run, may_be_ours};
use crate::errors::ClusterError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const FOLDER: &str = "fathom/journal/";

#[derive(Serialize, Deserialize)]
struct Copy {
    head: Head,
    changes: Vec<JournalEntry>,
}

/// A value of the store has a limit of 64 KiB (`mon_config_key_max_entry_size`), which the settings of some 300 pools reach. So a
/// journal has as many values as it needs, and each is written only when one of its changes moves.
const PART: usize = 40 << 10;
/// What is added to a change when it has been made.
const CONFIRMED: usize = 256;

/// In which value the next change goes. What was undone keeps its room, so that a change never moves to another value.
pub fn part_of(before: &[JournalEntry], next: &JournalEntry) -> u32 {
    let room = |entry: &JournalEntry| {
        let bare = JournalEntry { made: None, undone: false, ..entry.clone() };
        serde_json::to_string(&bare).map_or(PART, |text| text.len()) + CONFIRMED
    };
    let Some(part) = before.last().map(|entry| entry.part) else { return 0 };
    let taken: usize = before.iter().rev().take_while(|entry| entry.part == part).map(room).sum();
    if taken + room(next) > PART { part + 1 } else { part }
}

/// `None`: nothing of this part is left.
fn text(told: &Told, part: u32) -> Result<Option<String>, ClusterError> {
    let changes: Vec<JournalEntry> = told.left().filter(|entry| entry.part == part).cloned().collect();
    if part > 0 && changes.is_empty() {
        return Ok(None);
    }
    let copy = Copy { head: told.head.clone(), changes };
    serde_json::to_string(&copy).map(Some).map_err(|error| ClusterError::answer("config-key set", error.to_string()))
}

pub fn write(cluster: &Cluster, told: &Told, part: u32) -> Result<(), ClusterError> {
    let key = key(&told.head.run, part);
    let command = match text(told, part)? {
        Some(text) => json!({"prefix": "config-key set", "key": key, "val": text}),
        None => json!({"prefix": "config-key rm", "key": key}),
    };
    cluster.tell(command).map(drop)
}

/// All parts, the first one last: without it nothing is left.
pub fn remove(cluster: &Cluster, told: &Told) -> Result<(), ClusterError> {
    let last = told.entries.iter().map(|entry| entry.part).max().unwrap_or(0);
    (0..=last).rev().try_for_each(|part| {
        cluster.tell(json!({"prefix": "config-key rm", "key": key(&told.head.run, part)})).map(drop)
    })
}

/// All journals that the cluster holds; and what is wrong with those that are not believed, which must not hide the others.
pub fn all(cluster: &Cluster) -> Result<(Vec<Told>, Vec<ClusterError>), ClusterError> {
    let fsid = cluster.rados.fsid()?;
    let names = cluster.ask(json!({"prefix": "config-key ls"}))?;
    let names = names.as_array().cloned().unwrap_or_default();
    let (mut found, mut wrong) = (Vec::new(), Vec::new());
    for name in names.iter().filter_map(Value::as_str).filter(|name| name.starts_with(FOLDER)) {
        let refused = |why: String| ClusterError::Copy { key: word(&name.escape_debug().to_string()), why };
        match cluster.tell(json!({"prefix": "config-key get", "key": name})) {
            Ok(text) => match believed(name, &text, &fsid) {
                Ok(one) => found.push((one, name.to_string())),
                Err(why) => wrong.push(refused(why)),
            },
            // Its run has just ended.
            Err(ClusterError::Ceph(ceph::CephError::NotFound { .. })) => {}
            Err(error) => wrong.push(refused(error.to_string())),
        }
    }
    Ok((whole(found, &mut wrong), wrong))
}

/// The parts of each run as one.
fn whole(mut parts: Vec<((u32, Told), String)>, wrong: &mut Vec<ClusterError>) -> Vec<Told> {
    parts.sort_by(|((a, one), _), ((b, other), _)| (&one.head.run, a).cmp(&(&other.head.run, b)));
    let mut found: Vec<Told> = Vec::new();
    for ((_, told), key) in parts {
        match found.last_mut().filter(|last| last.head.run == told.head.run) {
            None => found.push(told),
            Some(last) if last.head == told.head => last.entries.extend(told.entries),
            Some(_) => {
                let why = "it says something else of its run than the part before it".to_string();
                wrong.push(ClusterError::Copy { key: key.escape_debug().to_string(), why });
            }
        }
    }
    found
}

/// What a key says, if it may be a run's of this cluster and names nothing but what such a run makes.
fn believed(key: &str, text: &[u8], fsid: &str) -> Result<(u32, Told), String> {
    let (run, part) = run_of(key).ok_or("its key is no name of a run")?;
    let unknown = |error: serde_json::Error| format!("is not a journal of this release: {error}");
    let value: Value = serde_json::from_slice(text).map_err(unknown)?;
    if has_control(&value) {
        return Err("it has control characters".to_string());
    }
    let copy: Copy = serde_json::from_value(value).map_err(unknown)?;
    if copy.head.run != run {
        return Err(format!("it says that it is of run {:?}", copy.head.run));
    }
    if copy.head.fsid.as_deref() != Some(fsid) {
        return Err("it is of another cluster".to_string());
    }
    match copy.changes.iter().find(|entry| !may_be_ours(run, &entry.change)) {
        Some(entry) => Err(format!("it names {:?}, which no run makes", entry.change.what())),
        None => {
            let entries = copy.changes.into_iter().map(|entry| JournalEntry { part, ..entry }).collect();
            Ok((part, Told { head: copy.head, entries }))
        }
    }
}

/// Would a terminal obey it?
fn has_control(value: &Value) -> bool {
    match value {
        Value::String(text) => text.chars().any(char::is_control),
        Value::Array(all) => all.iter().any(has_control),
        Value::Object(fields) => {
            fields.iter().any(|(key, value)| key.chars().any(char::is_control) || has_control(value))
        }
        _ => false,
    }
}

/// `fathom/journal/RUN`, and for further parts `fathom/journal/RUN.1`.
fn key(run: &str, part: u32) -> String {
    if part == 0 { format!("{FOLDER}{run}") } else { format!("{FOLDER}{run}.{part}") }
}

fn run_of(name: &str) -> Option<(&str, u32)> {
    let own = name.strip_prefix(FOLDER)?;
    let (run, part) = match own.split_once('.') {
        Some((run, part)) => (run, part.parse().ok()?),
        None => (own, 0),
    };
    (is_run(run) && key(run, part) == name).then_some((run, part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::testing::{RUN, head};
    use model::Change;

    const FSID: &str = "20b7637f-1c98-4b98-9a6c-f33d93263fa5";

    fn copy(changes: Vec<Change>) -> Copy {
        let head = Head { fsid: Some(FSID.into()), ..head() };
        Copy { head, changes: changes.into_iter().map(JournalEntry::of).collect() }
    }

    fn said(key: &str, copy: &Copy) -> Result<Told, String> {
        believed(key, &serde_json::to_vec(copy).unwrap(), FSID).map(|(_, told)| told)
    }

    /// `--quiesce` on 400 pools whose names are as long as names may be.
    #[test]
    fn a_long_journal_has_parts_that_the_store_takes_and_forgets_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let head = Head { fsid: Some(FSID.into()), ..head() };
        let mut journal_file = crate::journal::JournalFile::create(folder.path(), head).unwrap();
        for number in 0..400 {
            let (pool, name, value) = (format!("{number:0>120}"), "pg_autoscale_mode".into(), "off".into());
            let entry = JournalEntry::of(Change::PoolSetting { pool, name, value });
            let index =
                journal_file.add(JournalEntry { before: Some("on".into()), written: Some(1 << 40), ..entry }).unwrap();
            journal_file.mark_made(index, crate::entry::MadeThing::Set).unwrap();
        }
        let parts = |told: &Told| -> Vec<((u32, Told), String)> {
            let last = told.entries.last().unwrap().part;
            let texts = (0..=last).filter_map(|part| Some((part, text(told, part).unwrap()?)));
            let all = texts.map(|(part, text)| {
                assert!(text.len() < 64 << 10, "{} bytes", text.len());
                let key = key(RUN, part);
                (believed(&key, text.as_bytes(), FSID).unwrap(), key)
            });
            all.collect()
        };
        let mut wrong = Vec::new();
        let found = whole(parts(journal_file.told()), &mut wrong);
        assert_eq!(found[0].entries, journal_file.entries());
        assert!(found.len() == 1 && wrong.is_empty() && parts(journal_file.told()).len() > 3);
        // A change stays in its value, whatever is undone before it, and however the journal is read.
        (0..200).for_each(|index| journal_file.mark_undone(index).unwrap());
        let left: Vec<JournalEntry> = journal_file.told().left().cloned().collect();
        assert_eq!(whole(parts(journal_file.told()), &mut wrong)[0].entries, left);
        let path = folder.path().join(format!("{RUN}.journal"));
        drop(journal_file);
        let again = crate::journal::JournalFile::open(&path).unwrap();
        assert_eq!(again.told().left().cloned().collect::<Vec<_>>(), left);
    }

    #[test]
    fn parts_of_one_run_that_differ_are_not_put_together() {
        let part = |host: &str, part| {
            let copy = Copy { head: Head { host: host.into(), ..copy(Vec::new()).head }, changes: Vec::new() };
            let name = key(RUN, part);
            (believed(&name, &serde_json::to_vec(&copy).unwrap(), FSID).unwrap(), name)
        };
        let mut wrong = Vec::new();
        let found = whole(vec![part("b", 1), part("a", 0)], &mut wrong);
        assert_eq!((found.len(), found[0].head.host.as_str(), wrong.len()), (1, "a", 1));
        for name in [format!("{FOLDER}{RUN}.0"), format!("{FOLDER}{RUN}.01"), format!("{FOLDER}{RUN}.x")] {
            assert_eq!(run_of(&name), None, "{name}");
        }
    }

    fn pool(name: &str) -> Change {
        Change::Pool { name: name.into(), pg_num: 8, size: None, on: Vec::new(), like: None }
    }

    #[test]
    fn a_copy_is_believed_only_about_what_bears_its_run() {
        let own = key(RUN, 0);
        let mine = || copy(vec![pool(&format!("fathom.{RUN}.rados")), Change::Flag { name: "noscrub".into() }]);
        assert_eq!(said(&own, &mine()).unwrap().entries.len(), 2);
        let image = |name: &str| Change::Image { pool: "rbd".into(), data_pool: None, name: name.into(), bytes: 1 };
        let objects = |prefix: &str| Change::Objects { pool: "rbd".into(), prefix: prefix.into() };
        let (other, longer) = ("fathom.20260102-030405-ffff.x", format!("fathom.{RUN}x"));
        for foreign in [
            pool("rbd"),
            pool(other),
            pool(&longer),
            image("vm-1"),
            image(other),
            objects(""),
            objects("fathom."),
            objects(other),
            Change::Flag { name: "pause".into() },
            Change::file(None, "own.img".into(), 1),
        ] {
            let why = said(&own, &copy(vec![foreign])).unwrap_err();
            assert!(why.contains("no run makes"), "{why}");
        }
        for key in ["fathom/journal/../../../x", "fathom/journal/", "fathom/journal/20260102-030405-ffff"] {
            assert!(said(key, &mine()).is_err(), "{key}");
        }
        let mut elsewhere = mine();
        elsewhere.head.fsid = Some("another".into());
        assert!(said(&own, &elsewhere).unwrap_err().contains("another cluster"));
        let escape = copy(vec![pool(&format!("fathom.{RUN}.\u{1b}[2J"))]);
        assert!(said(&own, &escape).unwrap_err().contains("control characters"));
        assert!(believed(&own, b"\xff{", FSID).unwrap_err().contains("not a journal"));
    }
}
