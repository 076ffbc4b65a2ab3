//! Buckets of our own at a gateway: made, marked, emptied of what is ours, deleted.

use crate::apply::Unmade;
use crate::entry::JournalEntry;
use crate::errors::ClusterError;
use model::{Change, Gateway};
use s3::{Bucket, S3Error, access_to};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub(crate) fn failed(change: &Change, done: &'static str, error: &S3Error) -> ClusterError {
    // Of several gateways each may have its own.
    let profile = match change {
        Change::Bucket { gateway: Gateway { profile: Some(profile), .. }, .. } => {
            format!(" (its keys are those of profile {profile})")
        }
        _ => String::new(),
    };
    ClusterError::Gateway { what: change.what(), done, why: format!("{error}{profile}") }
}

fn open(gateway: &Gateway, name: &str) -> Result<Bucket, S3Error> {
    Bucket::of(gateway, name, &access_to(gateway)?)
}

/// For the first answer: whoever waits for a run to begin knows nothing yet.
const FIRST_ANSWER: Duration = Duration::from_secs(10);

/// Can this bucket be made? Asked before anything is changed. Other changes are not looked at.
///
/// # Errors
/// There are no keys, the gateway does not answer or does not take them, or there is one of this name.
pub fn prove(change: &Change) -> Result<(), ClusterError> {
    let Change::Bucket { gateway, name, .. } = change else { return Ok(()) };
    let there = "there is one of this name already, which is not this run's".to_string();
    match open(gateway, name).and_then(|bucket| bucket.within(FIRST_ANSWER).exists()) {
        Ok(false) => Ok(()),
        Ok(true) => Err(ClusterError::NotMade { what: change.what(), why: there }),
        Err(error) => Err(failed(change, "looked for", &error)),
    }
}

pub(crate) fn exists(gateway: &Gateway, name: &str) -> Result<bool, S3Error> {
    open(gateway, name)?.exists()
}

/// Its mark is its own name, which has the run's in it. `placement`: in which pools.
///
/// # Errors
/// [`ClusterError::NotMade`]: the gateway refused. Else it may be there.
pub(crate) fn make(
    gateway: &Gateway,
    (name, placement): (&str, Option<&str>),
    change: &Change,
) -> Result<(), ClusterError> {
    let unsure = |error: S3Error| failed(change, "made", &error);
    let mut bucket = open(gateway, name).map_err(unsure)?;
    bucket.create(placement).map_err(|error| match error.status() {
        // Of a time-out (408), or an operation under way (409), nobody knows what comes of it; nor of what is wrong within (5xx).
        // By Swift 202 says that somebody else has made one of this name.
        Some(status @ (202 | 400..500)) if !matches!(status, 408 | 409) => {
            ClusterError::NotMade { what: change.what(), why: error.to_string() }
        }
        _ => unsure(error),
    })?;
    bucket.put_mark(name).map_err(unsure)?;
    if bucket.lists_its_mark().map_err(unsure)? {
        return Ok(());
    }
    bucket.delete(&[s3::MARK.to_string()], true).map_err(unsure)?;
    bucket.remove().map_err(unsure)?;
    Err(ClusterError::NotMade { what: change.what(), why: UNLISTED.to_string() })
}

const UNLISTED: &str = "it does not list what is in it (by Ceph's gateway: its placement has no index, index_type indexless), so that a run's \
     objects could not be found again to delete them; take a placement with an index (--placement), or make that one the user's default";

/// The id of the key with which it is asked.
pub(crate) fn key(gateway: &Gateway) -> Result<String, S3Error> {
    Ok(access_to(gateway)?.keys.key().to_string())
}

/// A bucket whose making was not confirmed may still come: a gateway that is slow carries it out all the same.
const SETTLED_SECONDS: i64 = 60;
const LOOK_AGAIN: Duration = Duration::from_millis(500);
/// More lists than a run can have filled.
const LISTS_MOST: u32 = 100_000;
/// How often a gateway that says one thing and lists another is asked again.
const ROUNDS: u32 = 10;

/// Deletes the objects whose names begin with `prefix`, the mark, and the bucket, if nothing else is in it.
///
/// # Errors
/// It can't be undone now: the gateway is not reached, or with other keys.
pub(crate) fn unmake(gateway: &Gateway, name: &str, prefix: &str, entry: &JournalEntry) -> Result<Unmade, S3Error> {
    let left = |why: String| Ok(Unmade::Left(why));
    if gateway.credentials.as_ref().is_some_and(|file| !file.exists()) {
        return left("the lab whose gateway it is at is gone, with all that was in it".to_string());
    }
    let access = access_to(gateway)?;
    let own = access.keys.key().to_string();
    let mut bucket = Bucket::of(gateway, name, &access)?;
    if let Some(made_with) = entry.key.as_ref().filter(|made_with| **made_with != own) {
        // Keys of a session end with it, and those that the same user is given next have another id. Its mark proves a bucket ours; one that
        // is not seen, or bears none, may be another user's of the same name: then the right one is still there, for the keys that made it.
        if !is_marked(&mut bucket, name)? {
            let why = format!("it was made with access key {made_with}, and these keys are those of {own}");
            return Err(S3Error::NoKeys { url: gateway.url.clone(), why });
        }
        return empty(&mut bucket, prefix);
    }
    let since = entry.written.map_or(SETTLED_SECONDS, |written| jiff::Timestamp::now().as_second() - written);
    let left_seconds = (SETTLED_SECONDS - since).clamp(0, SETTLED_SECONDS).unsigned_abs();
    let until = Instant::now() + Duration::from_secs(left_seconds);
    while !bucket.exists()? {
        if entry.made.is_some() {
            return left(format!(
                "no bucket of this name is there any more for access key {own}: somebody deleted it, or another gateway has the address now"
            ));
        }
        if Instant::now() >= until {
            return Ok(Unmade::Undone);
        }
        sleep(LOOK_AGAIN);
    }
    let marked = bucket.mark()?;
    // Killed before it was marked, or after the mark was deleted: then there is nothing in it, or what came late, which is ours.
    let ours = |names: Vec<String>| names.iter().all(|name| is_ours(name, prefix));
    if marked.as_deref() != Some(name) && !(marked.is_none() && ours(bucket.names("")?)) {
        return left("it does not bear the mark of this run".to_string());
    }
    empty(&mut bucket, prefix)
}

/// Is it there for these keys, with exactly its own name as its mark? Where the gateway refuses to say, it is not.
///
/// # Errors
/// The gateway is not reached.
fn is_marked(bucket: &mut Bucket, name: &str) -> Result<bool, S3Error> {
    let looked = match bucket.exists() {
        Ok(true) => bucket.mark().map(|mark| mark.as_deref() == Some(name)),
        other => other,
    };
    // Where it is refused, it is not seen.
    looked.or_else(|error| if error.status().is_some() { Ok(false) } else { Err(error) })
}

fn is_ours(name: &str, prefix: &str) -> bool {
    name.starts_with(prefix) && s3::is_plain(name)
}

const OTHERS: &str = "it holds objects whose names begin as Fathom's do and are none of its; delete these where nobody needs them, and then the bucket";

/// Until nothing of ours is found: what a killed run had under way may have come after the first look.
fn empty(bucket: &mut Bucket, prefix: &str) -> Result<Unmade, S3Error> {
    let (mut last, mut rounds): (Vec<String>, u32) = (Vec::new(), 0);
    for _ in 0..LISTS_MOST {
        if rounds >= ROUNDS {
            break;
        }
        let mut names = bucket.names(prefix)?;
        // Odd ones that begin as ours do are somebody's all the same.
        let odd = names.iter().any(|name| !is_ours(name, prefix));
        names.retain(|name| is_ours(name, prefix));
        if odd && names.is_empty() {
            return Ok(Unmade::Left(OTHERS.to_string()));
        }
        if !names.is_empty() {
            // It said that they are deleted.
            let again = names.iter().any(|name| last.contains(name));
            if again {
                rounds += 1;
                sleep(LOOK_AGAIN);
            }
            bucket.delete(&names, again)?;
            last = names;
            continue;
        }
        last.clear();
        give_up_uploads(bucket, prefix)?;
        bucket.delete(&[s3::MARK.to_string()], false)?;
        if bucket.remove()? {
            return Ok(Unmade::Undone);
        }
        let others = bucket.names("")?;
        if let Some(first) = others.iter().find(|other| !is_ours(other, prefix)) {
            return Ok(Unmade::Left(format!(
                "it holds objects that are not Fathom's ({first} and maybe others); delete these where nobody needs them, and then the bucket"
            )));
        }
        rounds += 1;
        sleep(LOOK_AGAIN);
    }
    Ok(Unmade::Left(match last.first() {
        Some(first) => format!("its gateway says that its objects are deleted, and lists them again ({first} and others)"),
        None => "its gateway does not delete it, and lists nothing in it: it may hold earlier versions of objects, or parts of some".to_string(),
    }))
}

/// Objects that were being put in parts when a run, or a slice, ended. Some services delete no bucket in which there are any; others keep
/// their parts.
fn give_up_uploads(bucket: &mut Bucket, prefix: &str) -> Result<(), S3Error> {
    let mut last = Vec::new();
    for _ in 0..LISTS_MOST {
        let mut uploads = bucket.uploads(prefix)?;
        uploads.retain(|upload| is_ours(&upload.key, prefix));
        // What is listed again after it was given up is seen when the bucket is deleted.
        if uploads.is_empty() || uploads.iter().any(|upload| last.contains(upload)) {
            break;
        }
        uploads.iter().try_for_each(|upload| bucket.abort(upload))?;
        last = uploads;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::{self, Trust};
    use std::io::{BufRead, BufReader, Read, Write};
    use std::net::TcpListener;
    use std::sync::{Arc, Mutex};

    const RUN: &str = "20260102-030405-a1b2";

    fn at(credentials: std::path::PathBuf) -> (Gateway, JournalEntry) {
        let gateway = Gateway { credentials: Some(credentials), ..model::testing::gateway("http://127.0.0.1:9") };
        let change = Change::Bucket { gateway: gateway.clone(), name: format!("fathom-{RUN}"), placement: None };
        (gateway, JournalEntry { key: Some("OURS".to_string()), ..JournalEntry::of(change) })
    }

    #[test]
    fn nothing_is_asked_where_the_lab_is_gone() {
        let (gateway, entry) = at("/nonexistent".into());
        let unmade = unmake(&gateway, "fathom-x", "fathom.x.", &entry);
        assert!(matches!(unmade, Ok(Unmade::Left(why)) if why.contains("is gone")));
    }

    /// A gateway with one bucket, `fathom-x`, that has this mark, or none; or it refuses everything with this status. What it was asked to
    /// change.
    fn serves(mark: Result<Option<&'static str>, u16>) -> (String, Arc<Mutex<Vec<String>>>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (url, changes) = (format!("http://{}", listener.local_addr().unwrap()), Arc::new(Mutex::new(Vec::new())));
        let seen = changes.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut input = BufReader::new(stream.try_clone().unwrap());
                let (mut line, mut header, mut bytes) = (String::new(), String::new(), 0);
                input.read_line(&mut line).unwrap();
                while input.read_line(&mut header).unwrap_or(0) > 2 {
                    let length = header.to_ascii_lowercase();
                    bytes = length.strip_prefix("content-length:").map_or(bytes, |text| text.trim().parse().unwrap());
                    header.clear();
                }
                input.read_exact(&mut vec![0; bytes]).unwrap();
                let mut changes = seen.lock().unwrap();
                if !line.starts_with("GET ") {
                    changes.push(line.split('?').next().unwrap().to_string());
                }
                let namespace = "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"";
                let gone = changes.iter().any(|change| change == "DELETE /fathom-x/");
                let (status, body) = match (&line, mark) {
                    (_, Err(404)) => (404, "<Error><Code>NoSuchBucket</Code></Error>".to_string()),
                    (_, Err(status)) => (status, "<Error><Code>AccessDenied</Code></Error>".to_string()),
                    (line, _) if line.starts_with("POST ") => {
                        (200, format!("<DeleteResult {namespace}></DeleteResult>"))
                    }
                    (line, _) if line.starts_with("DELETE ") => (204, String::new()),
                    _ if gone => (404, "<Error><Code>NoSuchBucket</Code></Error>".to_string()),
                    (line, Ok(mark)) if line.contains("/fathom.run?") => match mark {
                        Some(mark) => (200, mark.to_string()),
                        None => (404, "<Error><Code>NoSuchKey</Code></Error>".to_string()),
                    },
                    _ => (200, format!("<ListBucketResult {namespace}></ListBucketResult>")),
                };
                let head =
                    format!("HTTP/1.1 {status} X\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
                stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
            }
        });
        (url, changes)
    }

    #[test]
    fn with_another_key_only_a_bucket_goes_whose_mark_is_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("credentials");
        std::fs::write(&file, "[default]\naws_access_key_id = NEXT\naws_secret_access_key = s\n").unwrap();
        let unmade = |mark: Result<Option<&'static str>, u16>| {
            let (url, changes) = serves(mark);
            let (gateway, entry) = at(file.clone());
            let gateway = Gateway { url, ..gateway };
            let unmade = unmake(&gateway, "fathom-x", "fathom.x.", &entry);
            let changes = changes.lock().unwrap().clone();
            (unmade, changes)
        };
        let (ours, changes) = unmade(Ok(Some("fathom-x")));
        assert!(matches!(ours, Ok(Unmade::Undone)));
        assert!(changes.contains(&"DELETE /fathom-x/".to_string()), "{changes:?}");
        for other in [Ok(Some("fathom-y")), Ok(Some("fathom-x ")), Ok(None), Err(403), Err(404)] {
            let (left, changes) = unmade(other);
            let why = left.err().unwrap().to_string();
            assert!(why.contains("made with access key OURS, and these keys are those of NEXT"), "{other:?}: {why}");
            assert!(changes.is_empty(), "{other:?}: {changes:?}");
        }
    }

    #[test]
    fn a_journal_that_others_could_have_written_leads_to_no_gateway() {
        let (_, entry) = at("/nonexistent".into());
        let unmade = |run: &str, here: bool| apply::unmake(None, run, &entry, None, Trust { here, named: true });
        for (run, here) in [(RUN, false), ("20260102-030405-ffff", true), ("20260102-030405-ffff", false)] {
            assert!(matches!(unmade(run, here), Err(ClusterError::NotOurs { .. })), "{run} {here}");
        }
        assert!(matches!(unmade(RUN, true), Ok(Unmade::Left(_))));
    }
}
