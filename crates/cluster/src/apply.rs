//! How each change is made and undone. Called by the journal alone.

use crate::admin::Cluster;
use crate::entry::{JournalEntry, MadeThing, may_be_ours, own_prefix};
use crate::errors::ClusterError;
use crate::{
    buckets, cephfs, host_settings, nfs_folders, own_files, own_folders, pools, proof, setting_locks, settings, spread,
};
use ceph::{Cache, CephError, OpenFor};
pub(crate) use model::shell::word;
use model::{Change, HostChange};
use std::time::{Duration, Instant};

/// A killed client's watch on an image ends after osd_client_watch_timeout, 30 s by default; until then the image counts as
/// in use.
const WATCHERS_GONE: Duration = Duration::from_secs(120);

/// How far a journal is believed when it is undone.
#[derive(Clone, Copy, Debug)]
pub struct Trust {
    /// It was written on this host, and kept here, by this user: nobody else could write it.
    pub here: bool,
    /// The user named its run, after having seen what would be undone.
    pub named: bool,
}

/// What came of undoing a change.
#[derive(Clone, Debug, PartialEq)]
pub enum Unmade {
    /// Nothing is left of it.
    Undone,
    /// It is not, or no more, the run's: why.
    Left(String),
}

impl Unmade {
    pub(crate) fn left(why: &str) -> Result<Unmade, ClusterError> {
        Ok(Unmade::Left(why.to_string()))
    }
}

/// The entry for this change: with the state that undoing it has to bring back, and what is the newest of its kind now.
///
/// # Errors
/// There is such a thing already, which is not ours then.
pub fn entry(cluster: Option<&Cluster>, change: Change) -> Result<JournalEntry, ClusterError> {
    let taken = || failed(&change, "there is one of this name already, which is not this run's");
    let (mut of, mut key, mut in_pool) = (None, None, None);
    let (before, since) = match (&change, cluster) {
        (Change::Pool { name, .. }, Some(cluster)) => match pools::find(cluster, name)? {
            (None, highest) => (None, Some(highest)),
            (Some(_), _) => return Err(taken()),
        },
        (Change::Image { pool, name, .. } | Change::Clone { pool, name, .. }, Some(cluster)) => {
            if proof::image_id(&open_pool(cluster, pool)?, name)?.is_some() {
                return Err(taken());
            }
            in_pool = pool_id(cluster, pool)?;
            (None, None)
        }
        (Change::Objects { pool, .. }, Some(cluster)) => {
            in_pool = pool_id(cluster, pool)?;
            (None, None)
        }
        (Change::Bucket { gateway, name, .. }, _) => {
            key = Some(buckets::key(gateway).map_err(|error| buckets::failed(&change, "made", &error))?);
            if buckets::exists(gateway, name).map_err(|error| buckets::failed(&change, "made", &error))? {
                return Err(taken());
            }
            (None, None)
        }
        (Change::OnHost { host: None, what: HostChange::Setting { name, .. } }, _) => {
            setting_locks::hold(name).map_err(|why| failed(&change, why))?;
            of = Some(host_settings::of(name));
            (Some(host_settings::read(name).map_err(|why| failed(&change, why))?), None)
        }
        (_, Some(cluster)) => settings::before(cluster, &change)?,
        _ => (None, None),
    };
    let written = Some(jiff::Timestamp::now().as_second());
    Ok(JournalEntry { before, since, written, of, key, pool: in_pool, ..JournalEntry::of(change) })
}

/// Makes the change, and says by what the thing is known again.
pub fn make(cluster: Option<&Cluster>, change: &Change) -> Result<MadeThing, ClusterError> {
    if let Change::OnHost { what, .. } = change {
        return match what {
            HostChange::File { .. } => Err(failed(change, "files have no name, and are not made with the journal")),
            HostChange::Folder { path } => own_folders::make(path, change),
            HostChange::Setting { name, value } => {
                host_settings::write(name, value).map(|()| MadeThing::Set).map_err(|why| failed(change, why))
            }
        };
    }
    if let Change::Bucket { gateway, name, placement } = change {
        return buckets::make(gateway, (name, placement.as_deref()), change).map(|()| MadeThing::Set);
    }
    if let Change::NfsFolder { export, path } = change {
        return nfs_folders::make(export, path, change).map(|()| MadeThing::Set);
    }
    let cluster = cluster.ok_or_else(|| failed(change, "there is no connection to its cluster"))?;
    match change {
        Change::Pool { name, pg_num, size, on, like } => {
            pools::make(cluster, name, *pg_num, *size, on, like.as_ref())?;
            let pool = pools::find(cluster, name)?.0.ok_or_else(|| failed(change, "it was deleted at once"))?;
            Ok(MadeThing::Pool(pool.id))
        }
        Change::Image { pool, data_pool, name, bytes } => {
            let open = open_pool(cluster, pool).map_err(|error| failed(change, error))?;
            open.create_image(name, *bytes, data_pool.as_deref()).map_err(|error| match error {
                CephError::Exists { .. } => ClusterError::Ceph(error),
                error => failed(change, error),
            })?;
            let id = proof::image_id(&open, name)?.ok_or_else(|| failed(change, "it was deleted at once"))?;
            // Whatever is set for the pool; a clone takes it over from its parent.
            let image = open.open_image(name, OpenFor::Writing, Cache::Off);
            match image.and_then(|image| image.set_option("rbd_cache", "false")) {
                Ok(()) => Ok(MadeThing::Image(id)),
                Err(error) => {
                    open.remove_image(name).map_err(|error| failed(change, error))?;
                    Err(failed(change, error))
                }
            }
        }
        Change::Clone { pool, data_pool, name, parent } => {
            let open = open_pool(cluster, pool).map_err(|error| failed(change, error))?;
            open.clone_image((parent, Change::BASE), name, data_pool.as_deref()).map_err(|error| match error {
                CephError::Exists { .. } => ClusterError::Ceph(error),
                error => failed(change, error),
            })?;
            let id = proof::image_id(&open, name)?.ok_or_else(|| failed(change, "it was deleted at once"))?;
            Ok(MadeThing::Image(id))
        }
        // It goes with the pool, and is nowhere else: nothing undoes it.
        Change::Spread { pool } => spread::make(cluster, pool).map(|()| MadeThing::Set),
        Change::CephfsFolder { file_system, path, data_pool } => {
            cephfs::make(cluster, (file_system, path), data_pool.as_deref(), change).map(|()| MadeThing::Set)
        }
        // The objects come with the load; the entry is there so that they go.
        Change::Objects { .. } => Ok(MadeThing::Set),
        Change::PoolSetting { pool, .. } => {
            let id = pools::find(cluster, pool)?.0.ok_or_else(|| failed(change, "there is no such pool any more"))?.id;
            settings::make(cluster, change).map(|()| MadeThing::Pool(id))
        }
        _ => settings::make(cluster, change).map(|()| MadeThing::Set),
    }
}

/// Undoes what this run made, and only that. What was never made, or is gone already, is done at once. `own_pool`: the id of the run's
/// own pool in which it lies; `None`: it lies in none, or that is not known.
///
/// # Errors
/// It can't be undone; or it is not proven that it is this run's: then it is left as it is, and the text says what to do.
pub fn unmake(
    cluster: Option<&Cluster>,
    run: &str,
    entry: &JournalEntry,
    own_pool: Option<u64>,
    trust: Trust,
) -> Result<Unmade, ClusterError> {
    let change = &entry.change;
    if !trust.here && !may_be_ours(run, change) {
        return Err(not_ours(change, "no run makes that; look who wrote it into the journal".to_string()));
    }
    match change {
        // Every name begins with an empty prefix: whoever wrote the journal, only names that can be the run's are deleted.
        Change::Objects { prefix, .. } if !prefix.starts_with(&own_prefix(run)) => {
            return Err(not_ours(change, "names of a run's own objects begin with its own".to_string()));
        }
        Change::OnHost { host: Some(_), .. } => {
            return Err(not_ours(change, "the journal of that host undoes it: fathom restore there".to_string()));
        }
        Change::OnHost { host: None, what: HostChange::File { path, .. } } => {
            return own_files::unmake(path, run, entry, trust);
        }
        Change::OnHost { host: None, what: HostChange::Folder { path } } => {
            return own_folders::unmake(path, run, entry, trust);
        }
        Change::NfsFolder { .. } if !trust.here => {
            return Err(not_ours(change, "its server is known where the run was: fathom restore there".to_string()));
        }
        Change::CephfsFolder { .. } | Change::NfsFolder { .. } if !may_be_ours(run, change) => {
            return Err(not_ours(change, "a run's own folder bears its name".to_string()));
        }
        Change::NfsFolder { export, path } => return nfs_folders::unmake(export, path, entry),
        Change::Bucket { .. } if !trust.here => {
            return Err(not_ours(
                change,
                "the keys to it are known where the run was: fathom restore there".to_string(),
            ));
        }
        Change::Bucket { .. } if !may_be_ours(run, change) => {
            return Err(not_ours(change, "a run's own bucket bears its name".to_string()));
        }
        Change::Bucket { gateway, name, .. } => {
            let undone = buckets::unmake(gateway, name, &own_prefix(run), entry);
            return undone.map_err(|error| buckets::failed(change, "undone", &error));
        }
        Change::OnHost { host: None, what: HostChange::Setting { name, value } } => {
            return host_settings::unmake((name, value), entry, trust);
        }
        _ => {}
    }
    let cluster = cluster.ok_or_else(|| failed(change, "there is no connection to its cluster"))?;
    match change {
        Change::Pool { name, .. } => unmake_pool(cluster, name, entry, trust),
        Change::Image { pool, .. } | Change::Clone { pool, .. } | Change::Objects { pool, .. } => {
            unmake_in_pool(cluster, pool, entry, own_pool)
        }
        Change::CephfsFolder { file_system, path, .. } => cephfs::unmake(cluster, file_system, path, entry),
        _ => settings::unmake(cluster, entry, trust),
    }
}

/// Images and objects, in the pool in which they were made, whatever it is called now.
fn unmake_in_pool(
    cluster: &Cluster,
    pool: &str,
    entry: &JournalEntry,
    own_pool: Option<u64>,
) -> Result<Unmade, ClusterError> {
    let known = own_pool.or(entry.pool);
    let now = known.map(|id| pools::name_of(cluster, id)).transpose()?;
    let names = match (own_pool, now.clone()) {
        (Some(_), Some(None)) => return Ok(Unmade::Undone),
        (Some(_), Some(Some(now))) if now != *pool => {
            return Ok(Unmade::Left(format!("it is in the run's own pool, which was renamed to {now}")));
        }
        (None, Some(now)) => names_to_look_in(&entry.change, pool, now),
        _ => vec![pool.to_string()],
    };
    for name in names {
        let open = match open_pool(cluster, &name) {
            Ok(open) => open.although_full(),
            Err(CephError::NotFound { .. }) if known.is_none() => return Ok(Unmade::Left(no_pool(pool))),
            // No other pool has got the name.
            Err(CephError::NotFound { .. }) if now.as_ref().and_then(Option::as_ref) != Some(&name) => continue,
            Err(error) => return Err(error.into()),
        };
        let unmade = match &entry.change {
            Change::Objects { prefix, .. } => unmake_objects(&open, prefix, &entry.change)?,
            Change::Image { name, .. } | Change::Clone { name, .. } => unmake_image(&open, name, entry)?,
            _ => Unmade::Undone,
        };
        if unmade != Unmade::Undone {
            return Ok(unmade);
        }
    }
    Ok(Unmade::Undone)
}

/// `now`: what the pool in which it was made is called now. Objects are written by the pool's name, slice after slice: some may be in another
/// pool that has got the name since.
fn names_to_look_in(change: &Change, pool: &str, now: Option<String>) -> Vec<String> {
    let by_name = matches!(change, Change::Objects { .. }).then(|| pool.to_string());
    let mut names: Vec<String> = now.into_iter().chain(by_name).collect();
    names.dedup();
    names
}

fn no_pool(pool: &str) -> String {
    format!(
        "there is no pool {pool} any more, and this journal does not tell its id; if it was renamed, delete what is left in it by hand"
    )
}

pub(crate) fn not_ours(change: &Change, why: String) -> ClusterError {
    ClusterError::NotOurs { what: change.what(), why }
}

fn unmake_pool(cluster: &Cluster, name: &str, entry: &JournalEntry, trust: Trust) -> Result<Unmade, ClusterError> {
    let found = pools::find(cluster, name)?.0;
    // By its id: somebody may have given it another name, and has a use for it then.
    if let Some(MadeThing::Pool(id)) = &entry.made
        && found.as_ref().is_none_or(|pool| pool.id != *id)
        && let Some(renamed) = pools::name_of(cluster, *id)?
    {
        let own = word(&renamed);
        return Ok(Unmade::Left(format!(
            "it was renamed to {renamed}; if nobody uses it: ceph osd pool delete {own} {own} --yes-i-really-really-mean-it"
        )));
    }
    let Some(pool) = found else { return Ok(Unmade::Undone) };
    let labelled = pool.applications == [pools::APPLICATION];
    match &entry.made {
        Some(MadeThing::Pool(id)) if *id != pool.id => {
            Unmade::left("the run's own is gone, and this pool of the same name, with another id, was made since")
        }
        _ if labelled => deleted(cluster, name),
        None if proof::unlabelled_pool(cluster, name, &pool, entry.since)? => deleted(cluster, name),
        // The first release did not write down what was before; its user has looked.
        None if trust.named && entry.written.is_none() && pool.applications.is_empty() => deleted(cluster, name),
        _ => Err(not_ours(
            &entry.change,
            format!(
                "it does not bear the application {} alone, as Fathom's pools do (it has: {}); if nobody uses it: ceph osd pool delete \
                 {own} {own} --yes-i-really-really-mean-it",
                pools::APPLICATION,
                if pool.applications.is_empty() { "none".to_string() } else { pool.applications.join(", ") },
                own = word(name)
            ),
        )),
    }
}

fn deleted(cluster: &Cluster, name: &str) -> Result<Unmade, ClusterError> {
    pools::delete(cluster, name).map(|()| Unmade::Undone)
}

/// The client may not have heard of a pool that was just made, nor of the end of one.
fn open_pool(cluster: &Cluster, pool: &str) -> Result<ceph::Pool, CephError> {
    cluster.rados.refresh()?;
    cluster.rados.open_pool(pool)
}

fn pool_id(cluster: &Cluster, pool: &str) -> Result<Option<u64>, CephError> {
    cluster.rados.refresh()?;
    Ok(u64::try_from(cluster.rados.pool_id(pool)?).ok())
}

fn failed(change: &Change, error: impl std::fmt::Display) -> ClusterError {
    ClusterError::Make { what: change.what(), why: error.to_string() }
}

fn unmake_image(open: &ceph::Pool, name: &str, entry: &JournalEntry) -> Result<Unmade, ClusterError> {
    let change = &entry.change;
    let found = proof::image_id(open, name)?;
    let own = match &entry.made {
        Some(MadeThing::Image(own)) => Some(own.clone()),
        _ => found.clone(),
    };
    if found.is_some() && found != own {
        return Unmade::left("the run's own is gone, and this image of the same name, with another id, was made since");
    }
    let failed = |why: String| ClusterError::Undo { what: change.what(), why };
    let undo_failed = |error: CephError| match error {
        CephError::Errno { errno: libc::ENOTEMPTY, .. } => failed(of_others(open, name)),
        error => failed(error.to_string()),
    };
    // Where images are moved to a trash first, nothing else would keep it from going there with what others took of it.
    if !remove_own_snapshots(open, name).map_err(undo_failed)?.is_empty() {
        return Err(failed(of_others(open, name)));
    }
    let deadline = Instant::now() + WATCHERS_GONE;
    loop {
        match open.remove_image(name) {
            // Of a pool that is full librbd says that there is no such image.
            Ok(()) | Err(CephError::NotFound { .. }) => return gone(open, name, own.as_deref(), change),
            Err(CephError::Busy { .. }) if Instant::now() < deadline => std::thread::sleep(Duration::from_secs(1)),
            Err(error) => return Err(undo_failed(error)),
        }
    }
}

fn of_others(pool: &ceph::Pool, name: &str) -> String {
    let image = word(&format!("{}/{name}", pool.name()));
    format!(
        "it has snapshots or clones that are not this run's (`rbd snap ls --all {image}`, `rbd children --all {image}`): remove or flatten them, \
         then: fathom restore"
    )
}

/// Those that somebody else took of it stay: which.
fn remove_own_snapshots(pool: &ceph::Pool, name: &str) -> Result<Vec<String>, CephError> {
    // What is wrong with an image that can't be looked at, its removal finds out.
    let Ok(looked) = pool.open_image(name, OpenFor::Reading, Cache::Off).and_then(|image| image.snapshots()) else {
        return Ok(Vec::new());
    };
    let (own, others): (Vec<String>, Vec<String>) = looked.into_iter().partition(|name| is_own_snapshot(name));
    if !own.is_empty() {
        let image = pool.open_image(name, OpenFor::Writing, Cache::Off)?;
        // One that can't be removed keeps none of the others.
        let removed: Vec<Result<(), CephError>> = own.iter().map(|snapshot| image.remove_snapshot(snapshot)).collect();
        removed.into_iter().collect::<Result<(), CephError>>()?;
    }
    Ok(others)
}

/// `fathom.base`, `fathom.base.7`
fn is_own_snapshot(name: &str) -> bool {
    let numbered = |rest: &str| {
        let number = rest.strip_prefix('.').unwrap_or_default();
        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
    };
    name.strip_prefix(Change::BASE).is_some_and(|rest| rest.is_empty() || numbered(rest))
}

/// It is gone by its name: also from the trash, and under any other name?
///
/// # Errors
/// It is there still.
fn gone(open: &ceph::Pool, name: &str, id: Option<&str>, change: &Change) -> Result<Unmade, ClusterError> {
    if proof::image_id(open, name)?.is_none() {
        let Some(id) = id else { return Ok(Unmade::Undone) };
        let why = |error: CephError| ClusterError::Undo { what: change.what(), why: error.to_string() };
        return match open.remove_from_trash(id).map_err(why)? || !proof::image_exists(open, id)? {
            true => Ok(Unmade::Undone),
            false => Ok(Unmade::Left(format!(
                "somebody gave it another name; its id is {id} (`rbd info {} --image-id {id}`)",
                word(open.name())
            ))),
        };
    }
    let data_pool = match change {
        Change::Image { data_pool, .. } | Change::Clone { data_pool, .. } => data_pool.as_deref(),
        _ => None,
    };
    let pool = word(data_pool.unwrap_or(open.name()));
    let why = format!(
        "librbd deletes no image where there is no room for its notes, so its pool may be full: raise the quota for as long as it takes \
         (ceph osd pool set-quota {pool} max_bytes 0, and max_objects 0), or make room, then: fathom restore"
    );
    Err(ClusterError::Undo { what: change.what(), why })
}

fn unmake_objects(open: &ceph::Pool, prefix: &str, change: &Change) -> Result<Unmade, ClusterError> {
    let undo_failed = |error: CephError| ClusterError::Undo { what: change.what(), why: error.to_string() };
    // Until none is found: writes of a killed run that were under way may have come after the first look.
    loop {
        let names = open.objects(prefix).map_err(undo_failed)?;
        if names.is_empty() {
            return Ok(Unmade::Undone);
        }
        for name in names {
            match open.remove(&name) {
                Ok(()) | Err(CephError::NotFound { .. }) => {}
                Err(error) => return Err(undo_failed(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_of_others_are_not_taken_for_a_runs_own() {
        assert!(is_own_snapshot("fathom.base") && is_own_snapshot("fathom.base.12"));
        for theirs in ["fathom.baseline", "fathom.base.", "fathom.base.x", "fathom.base.1x", "daily", ""] {
            assert!(!is_own_snapshot(theirs), "{theirs}");
        }
    }

    #[test]
    fn what_is_in_a_pool_is_looked_for_under_the_name_that_the_pool_has_now() {
        let (pool, prefix) = ("vms".to_string(), "fathom.20260102-030405-a1b2.".to_string());
        let image = Change::Image { pool: pool.clone(), data_pool: None, name: format!("{prefix}x"), bytes: 1 };
        let objects = Change::Objects { pool, prefix };
        let names = |change: &Change, now: Option<&str>| names_to_look_in(change, "vms", now.map(str::to_string));
        assert_eq!(
            (names(&image, Some("vms")), names(&objects, Some("vms"))),
            (vec!["vms".into()], vec!["vms".into()])
        );
        assert_eq!(names(&image, Some("moved")), ["moved"]);
        assert_eq!(names(&objects, Some("moved")), ["moved", "vms"]);
        assert!(names(&image, None).is_empty(), "it is gone with its pool, whatever has the name now");
        assert_eq!(names(&objects, None), ["vms"]);
    }
}
