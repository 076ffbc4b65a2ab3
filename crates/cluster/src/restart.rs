//! An OSD is restarted only where no placement group loses its service by that, and is waited for until all are active and clean again.

use crate::admin::Cluster;
use crate::apply::{Trust, Unmade, not_ours};
use crate::entry::JournalEntry;
use crate::errors::ClusterError;
use crate::pg_states;
use serde_json::{Value, json};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Who ends an OSD's process and starts it again: cephadm, a lab's supervisor, systemd of its host.
pub trait Restarter {
    /// Is there anybody who restarts this OSD?
    fn knows(&self, osd: u32) -> bool;

    /// Returns when it is asked for, which may be before the OSD serves again.
    ///
    /// # Errors
    /// It can't be, and why.
    fn restart(&self, osd: u32) -> Result<(), String>;

    /// What does the same by hand: `ceph orch daemon restart osd.3`.
    fn command(&self, osd: u32) -> String;
}

const LOOK_AGAIN: Duration = Duration::from_millis(200);
/// An OSD is up again after some seconds; one with a large store that was killed reads its log first.
const UP_SECONDS: u64 = 180;
/// Seconds that placement groups have to come to rest before an OSD is ended.
const CALM_SECONDS: u64 = 60;
/// What was written meanwhile comes from the placement groups' logs, in seconds.
const CLEAN_SECONDS: u64 = 300;

/// The process that serves as an OSD.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    /// Its address with the number that each start draws or takes from its process: `10.0.0.1:6800/1234`.
    pub name: String,
    /// The map of OSDs since which it is up.
    pub since: u64,
}

/// `None`: the OSD is down.
pub fn process(cluster: &Cluster, osd: u32) -> Result<Option<Process>, ClusterError> {
    let dump = cluster.ask(json!({"prefix": "osd dump"}))?;
    let all = dump.get("osds").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let own = all.iter().find(|one| one.get("osd").and_then(Value::as_u64) == Some(u64::from(osd)));
    own.map_or(Ok(None), read).map_err(|what| ClusterError::answer("osd dump", format!("osd.{osd}: {what}")))
}

fn read(osd: &Value) -> Result<Option<Process>, String> {
    let number = |key: &str| osd.get(key).and_then(Value::as_u64);
    match number("up") {
        Some(0) => Ok(None),
        Some(_) => {
            let name = osd.get("public_addr").and_then(Value::as_str).ok_or("no address")?;
            Ok(Some(Process { name: name.to_string(), since: number("up_from").ok_or("no up_from")? }))
        }
        None => Err("neither up nor down".to_string()),
    }
}

/// Would all placement groups go on serving without it?
///
/// # Errors
/// They would not, or not all of them are active and clean now.
pub fn prove(cluster: &Cluster, osd: u32) -> Result<(), ClusterError> {
    let refused = |why: String| ClusterError::NoRestart { osd, why };
    if process(cluster, osd)?.is_none() {
        return Err(refused("it is down".to_string()));
    }
    let (states, _) = pg_states::look(cluster)?;
    if let Some((state, groups)) = states.iter().find(|(state, _)| !is_clean(state)) {
        return Err(refused(format!(
            "{groups} placement groups are {state}; OSDs are restarted only while all are active+clean"
        )));
    }
    may_stop(cluster, osd)
}

fn is_clean(state: &str) -> bool {
    state.starts_with("active+clean")
}

/// Placement groups that peer because of another restart may be done in a moment.
fn may_stop_soon(cluster: &Cluster, osd: u32, go_on: &dyn Fn() -> bool) -> Result<(), ClusterError> {
    let deadline = Instant::now() + Duration::from_secs(CALM_SECONDS);
    loop {
        match may_stop(cluster, osd) {
            Err(ClusterError::NoRestart { .. }) if go_on() && Instant::now() < deadline => sleep(LOOK_AGAIN),
            other => return other,
        }
    }
}

/// The cluster's own word for it.
fn may_stop(cluster: &Cluster, osd: u32) -> Result<(), ClusterError> {
    let command = json!({"prefix": "osd ok-to-stop", "ids": [osd.to_string()]});
    match cluster.ask_manager(command) {
        Ok(_) => Ok(()),
        Err(error) if error.timed_out() => Err(error),
        Err(error) => {
            let why = format!("placement groups would lose their service meanwhile ({error})");
            Err(ClusterError::NoRestart { osd, why })
        }
    }
}

/// Restarts it and waits until it serves again. `go_on`: is that still wanted? Where it is not, an OSD that is down is waited for no longer.
///
/// # Errors
/// It may not be ended now, can't be, or is not back in time.
pub fn restart(
    cluster: &Cluster,
    restarter: &dyn Restarter,
    osd: u32,
    go_on: &dyn Fn() -> bool,
) -> Result<(), ClusterError> {
    may_stop_soon(cluster, osd, go_on)?;
    let up = restarted(cluster, restarter, osd, go_on)?;
    match clean_again(cluster, osd, &up, go_on)? {
        true => Ok(()),
        // What comes now is undoing.
        false if !go_on() => Ok(()),
        false => Err(ClusterError::TooSlow {
            what: format!("after a restart of osd.{osd} all placement groups active+clean"),
            seconds: CLEAN_SECONDS,
        }),
    }
}

/// The new process, once the cluster counts it as up.
fn restarted(
    cluster: &Cluster,
    restarter: &dyn Restarter,
    osd: u32,
    go_on: &dyn Fn() -> bool,
) -> Result<Process, ClusterError> {
    let before = process(cluster, osd)?;
    restarter.restart(osd).map_err(|why| ClusterError::NoRestart { osd, why })?;
    let deadline = Instant::now() + Duration::from_secs(UP_SECONDS);
    loop {
        match process(cluster, osd)? {
            Some(now) if before.as_ref().is_none_or(|before| before.name != now.name) => return Ok(now),
            // What comes now is undoing, which restarts it as it was.
            None if !go_on() => return Err(ClusterError::NoRestart { osd, why: "it is not up again yet".to_string() }),
            _ if Instant::now() > deadline => {
                let what = format!("osd.{osd} up again after its restart (`{}`)", restarter.command(osd));
                return Err(ClusterError::TooSlow { what, seconds: UP_SECONDS });
            }
            _ => sleep(LOOK_AGAIN),
        }
    }
}

/// Are all placement groups active and clean, by what they told since the OSD came back? False: not in time, or it is not wanted any more.
fn clean_again(cluster: &Cluster, osd: u32, up: &Process, go_on: &dyn Fn() -> bool) -> Result<bool, ClusterError> {
    let deadline = Instant::now() + Duration::from_secs(CLEAN_SECONDS);
    while go_on() && Instant::now() < deadline {
        let asked = Instant::now();
        if let Some(groups) = groups(cluster, osd)?
            && told_clean(&groups, osd, up.since)
            && pg_states::look(cluster)?.0.keys().all(|state| is_clean(state))
        {
            return Ok(true);
        }
        crate::pools::pause(asked);
    }
    Ok(false)
}

/// The placement groups that the OSD has; none in the moment after it came back, when they count as undersized. `None`: the manager has
/// not heard yet what the monitors know, that it is up.
fn groups(cluster: &Cluster, osd: u32) -> Result<Option<Vec<Value>>, ClusterError> {
    let answer = match cluster.ask_manager(json!({"prefix": "pg ls-by-osd", "osd": osd})) {
        Err(ClusterError::Ceph(error)) if error.errno() == libc::EAGAIN => return Ok(None),
        other => other?,
    };
    Ok(Some(answer.get("pg_stats").unwrap_or(&answer).as_array().cloned().unwrap_or_default()))
}

/// What placement groups told before this map is of the time before the restart.
fn told_clean(groups: &[Value], osd: u32, since: u64) -> bool {
    let epoch = |group: &Value| match group.get("reported_epoch") {
        Some(Value::String(text)) => text.parse().ok(),
        other => other.and_then(Value::as_u64),
    };
    groups.iter().all(|group| {
        let state = group.get("state").and_then(Value::as_str).is_some_and(is_clean);
        let acting = group.get("acting").and_then(Value::as_array);
        let own = acting.is_some_and(|acting| acting.iter().any(|one| one.as_u64() == Some(u64::from(osd))));
        state && own && epoch(group).is_some_and(|epoch| epoch >= since)
    })
}

/// The process that stood in the journal before was ended: the one that is there now may have begun with options that are put back by now.
pub(crate) fn unmake(
    cluster: &Cluster,
    restarter: Option<&dyn Restarter>,
    osd: u32,
    entry: &JournalEntry,
    trust: Trust,
) -> Result<Unmade, ClusterError> {
    let now = process(cluster, osd)?;
    if now.is_some() && now.as_ref().map(|now| &now.name) == entry.before.as_ref() {
        return Ok(Unmade::Undone);
    }
    let Some(restarter) = restarter.filter(|restarter| restarter.knows(osd)) else { return by_nobody(osd, trust) };
    // Anybody may have written a journal that is in the cluster alone: nothing is restarted that nobody has looked at.
    if !trust.here && !trust.named {
        let why = format!("it bears no run's name; if a run restarted it, do it again: {}", restarter.command(osd));
        return Err(not_ours(&entry.change, format!("{why}; or name the run: --run")));
    }
    // What is down can't become worse.
    if now.is_some() {
        may_stop_soon(cluster, osd, &|| true)?;
    }
    let up = restarted(cluster, restarter, osd, &|| true)?;
    // It runs as it did. Whether its placement groups are clean is asked before the next one is restarted.
    clean_again(cluster, osd, &up, &|| true)?;
    Ok(Unmade::Undone)
}

/// With this flag an OSD that is down keeps its place: nothing is copied elsewhere.
pub const NOOUT: &str = "noout";

/// Why that flag stays.
pub(crate) fn kept_in(osd: u32) -> ClusterError {
    let why = format!("osd.{osd} is down, and its data would be copied to others; once it is up: fathom restore");
    ClusterError::Undo { what: format!("flag {NOOUT}"), why }
}

pub(crate) fn too_early(osd: u32) -> ClusterError {
    ClusterError::NoRestart { osd, why: "an option that it had before the run is not back yet".to_string() }
}

fn by_nobody(osd: u32, trust: Trust) -> Result<Unmade, ClusterError> {
    if trust.named {
        return Unmade::left(
            "who restarts it is not known; if that was not done by hand, it runs with what the run set",
        );
    }
    let why = "it may run with an option that is put back by now, and who restarts it is not known: name the hosts of OSDs (fathom restore \
               --osd-hosts LIST --sudo), or restart it by hand and then say: fathom restore --run RUN";
    Err(ClusterError::NoRestart { osd, why: why.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_known_by_its_address_and_number() {
        let osd = |up: u64| json!({"osd": 3, "up": up, "up_from": 21, "public_addr": "10.0.0.1:6801/10981"});
        let process = Process { name: "10.0.0.1:6801/10981".into(), since: 21 };
        assert_eq!(read(&osd(1)), Ok(Some(process)));
        assert_eq!(read(&osd(0)), Ok(None));
        assert!(read(&json!({"osd": 3})).is_err() && read(&json!({"osd": 3, "up": 1})).is_err());
    }

    #[test]
    fn what_groups_told_before_the_restart_does_not_count() {
        let group = |state: &str, epoch: Value| json!({"state": state, "acting": [3, 1], "reported_epoch": epoch});
        let clean = |epoch: Value| [group("active+clean", epoch), group("active+clean+scrubbing", json!(31))];
        assert!(told_clean(&clean(json!(30)), 3, 30) && told_clean(&clean(json!("30")), 3, 30));
        assert!(!told_clean(&clean(json!(29)), 3, 30), "it told before");
        assert!(!told_clean(&clean(json!(30)), 2, 30), "the OSD is not back in it");
        assert!(!told_clean(&[group("active+undersized+degraded", json!(40))], 3, 30));
        assert!(told_clean(&[], 3, 30), "an OSD without placement groups");
    }
}
