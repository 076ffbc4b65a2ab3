//! `fathom restore`: undo what a crashed run left, from any host that reaches the cluster.

use crate::cli::{Common, Format, RestoreArgs};
use crate::output::{say, say_plain};
use crate::still_at::StillAt;
use ::run::ToUndo;
use agents::fleet::{self, Fleet};
use agents::restarters::Restarters;
use archive::{Archive, ArchiveError};
use cluster::dirs;
use cluster::journal::pending::{self, FoundJournals, Pending};
use cluster::journal::{Head, Journal, Life};
use cluster::{Cluster, ClusterError, JournalEntry};
use model::{Change, Event, Failure, Undo, units};
use serde_json::json;
use std::cell::RefCell;
use std::io::{BufRead, IsTerminal};
use std::path::Path;
use std::rc::Rc;

/// Agents on hosts, as whoever restarts OSDs asks them too.
type SharedFleet = Rc<RefCell<Fleet>>;

/// What is reached for undoing: a cluster, and hosts.
pub type Reached<'a> = (Option<&'a Cluster>, Option<&'a SharedFleet>);

pub fn restore(common: &Common, args: &RestoreArgs) -> Result<u8, Failure> {
    args.hosts.refuse_ways_to_none()?;
    let (cluster, unreached) = named_cluster(common, args)?;
    let mut found = pending::find(&dirs::journals(), cluster.as_ref());
    found.errors.extend(unreached);
    for error in &found.errors {
        eprintln!("fathom: {error}");
    }
    pending::remove_blank(&mut found);
    let fleet = hosts(common, args, cluster.as_ref())?;
    if let Some(fleet) = &fleet {
        found.errors.extend(of_agents(common, fleet));
    }
    let wanted = match &args.run {
        Some(run) => vec![named(&found, run)?],
        None => found.left.clone(),
    };
    if wanted.is_empty() {
        return told(common, &[], &[], &found.errors);
    }
    let runs: Vec<String> = wanted.iter().map(|pending| pending.head.run.clone()).collect();
    if !args.yes {
        list(&wanted);
        if !std::io::stdin().is_terminal() {
            return Err(Failure::Refused("nothing was undone: this is no terminal to ask on; say --yes".to_string()));
        }
        if !agreed()? {
            return Ok(0);
        }
    }
    let undone = undo(common, (cluster.as_ref(), fleet.as_ref()), &found, &wanted, args.run.is_some())?;
    told(common, &runs, &undone, &found.errors)
}

/// The one run whose name begins so. Of a journal that only the cluster has, the whole name has to be given: it says that the user has looked.
fn named(found: &FoundJournals, run: &str) -> Result<Pending, Failure> {
    if run.trim().is_empty() {
        return Err(Failure::Usage("--run names no run; `fathom restore` lists what is left".to_string()));
    }
    let begins = |head: &Head| head.run.starts_with(run);
    if let Some(told) = found.live.iter().find(|told| begins(&told.head)) {
        let (run, host, pid) = (&told.head.run, &told.head.host, told.head.pid);
        let text =
            format!("run {run} is still going on (process {pid} on host {host}); it ends with Ctrl-C where it runs");
        return Err(Failure::Refused(text));
    }
    let mut those = found.left.iter().filter(|pending| begins(&pending.head));
    match (those.next(), those.next()) {
        (Some(one), None) if one.path.is_none() && one.head.run != run => Err(Failure::Usage(format!(
            "{run} may be run {own}, whose journal is in the cluster alone, where anybody may have written it; give its whole name: --run {own}",
            own = one.head.run
        ))),
        (Some(one), None) => Ok(one.clone()),
        (Some(one), Some(other)) => {
            Err(Failure::Usage(format!("{run} may be run {} or run {}; name one", one.head.run, other.head.run)))
        }
        (None, _) => {
            Err(Failure::Usage(format!("no journal of a dead run {run}; `fathom restore` lists what is left")))
        }
    }
}

/// `undone`: what was done about each change of these runs.
fn told(common: &Common, runs: &[String], undone: &[Undo], errors: &[ClusterError]) -> Result<u8, Failure> {
    let left: Vec<&Undo> = undone.iter().filter(|undo| undo.left.is_some()).collect();
    match common.format {
        Format::Json => {
            let left: Vec<_> = left.iter().map(|undo| json!({"what": undo.what(), "why": undo.left})).collect();
            say(&format!("{:#}\n", json!({"schema": "fathom.restore/1", "restored": runs, "left_as_it_is": left})))?;
        }
        _ if runs.is_empty() => say("nothing to undo\n")?,
        _ => {
            let lines: String = left.iter().map(|undo| undo.done() + "\n").collect();
            let but = if left.is_empty() { "" } else { ", but for what is left as it is" };
            say_plain(&format!("undone: {}{but}\n{lines}", runs.join(", ")))?;
        }
    }
    match errors.is_empty() {
        true => Ok(0),
        false => Err(Failure::Told(errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))),
    }
}

/// The cluster that is named; without one, that of the default configuration, if there is any. If it can't be reached, which is told,
/// the journals of this host can still be undone, and those of other clusters.
fn named_cluster(common: &Common, args: &RestoreArgs) -> Result<(Option<Cluster>, Option<ClusterError>), Failure> {
    let mut access = common.cluster.access();
    if let Some(name) = &args.lab {
        let lab = lab::status(name)?;
        let lab = lab.ok_or_else(|| Failure::Usage(format!("there is no lab {name}; see fathom lab list")))?;
        access.conf = Some(lab.conf);
    }
    let named = access.conf.is_some() || access.cluster.is_some();
    match (named, access.conf_file()) {
        (_, Ok(conf)) => Ok(match Cluster::connect(&access) {
            Ok(cluster) => (Some(cluster), None),
            Err(error) => (None, Some(ClusterError::Unreached { conf, why: error.to_string() })),
        }),
        (true, Err(error)) => Err(error.into()),
        (false, Err(_)) => Ok((None, None)),
    }
}

fn list(left: &[Pending]) {
    for pending in left {
        let head = &pending.head;
        let whose = head
            .agent_of
            .as_ref()
            .map_or(String::new(), |of| format!(", the agent of run {} of host {},", of.run, of.host));
        eprintln!("run {}{whose} of {} on host {} (process {}) left:", head.run, head.started, head.host, head.pid);
        for entry in &pending.left {
            eprintln!("  {}", entry.undo().what());
        }
        if pending.left.is_empty() {
            eprintln!("  nothing but its journal");
        }
        if pending.life == Life::Unknown {
            eprintln!(
                "  (it may still be going on where this host can't see it: its lease in the cluster is looked at first)"
            );
        }
    }
}

/// Every run begins by offering to undo what dead runs left.
pub fn offer(common: &Common, cluster: Option<&Cluster>) -> Result<(), Failure> {
    let mut found = pending::find(&dirs::journals(), cluster);
    found.left.retain(|pending| !pending.left.is_empty());
    for error in found.errors.iter().filter(|_| !common.quiet) {
        eprintln!("fathom: {error}");
    }
    let dead: Vec<Pending> = found.left.iter().filter(|pending| pending.life == Life::Dead).cloned().collect();
    let Some(first) = dead.first().or(found.left.first()) else { return Ok(()) };
    let (run, changes) = (&first.head.run, first.left.len());
    let text = match first.life {
        Life::Unknown => format!(
            "run {run} of host {} is still going on, or ended without undoing {changes} changes",
            first.head.host
        ),
        _ => format!("run {run} ended without undoing {changes} changes"),
    };
    // A run that may still go on is not asked about: that takes long, and is no matter of this run.
    if dead.is_empty() || !std::io::stdin().is_terminal() || !std::io::stderr().is_terminal() {
        eprintln!("fathom: {text}; undo them with: fathom restore");
        return Ok(());
    }
    eprintln!("{text}");
    list(&dead);
    if agreed()? {
        undo(common, (cluster, None), &found, &dead, false)?;
    }
    Ok(())
}

/// After a kill the run's pools, images and files are still there; they are made anew, so that the plan's names are free.
pub fn undo_left_by(common: &Common, cluster: Option<&Cluster>, run: &str) -> Result<(), Failure> {
    let folder = dirs::journals();
    let found = pending::find(&folder, cluster);
    let left: Vec<Pending> = found.left.iter().filter(|pending| pending.head.run == run).cloned().collect();
    undo(common, (cluster, None), &found, &left, false)?;
    match folder.join(format!("{run}.journal")).exists() {
        true => Err(Failure::Usage(format!("run {run} is still going on; it ends with Ctrl-C where it runs"))),
        false => Ok(()),
    }
}

fn agreed() -> Result<bool, Failure> {
    eprintln!("undo this now? [y/N]");
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    let yes = matches!(answer.trim().to_ascii_lowercase().as_str(), "y" | "yes");
    if !yes {
        eprintln!("nothing was undone");
    }
    Ok(yes)
}

/// The hosts that are named, with their agents.
fn hosts(common: &Common, args: &RestoreArgs, cluster: Option<&Cluster>) -> Result<Option<SharedFleet>, Failure> {
    if !args.hosts.named() {
        return Ok(None);
    }
    if !args.yes {
        let text = "what agents left on hosts is not listed before it is undone; say --yes";
        return Err(Failure::Usage(text.to_string()));
    }
    let of = || cluster.cloned().ok_or_else(|| Failure::Usage("--hosts orch: no cluster is reached".to_string()));
    let wanted = fleet::wanted(&args.hosts.options(), args.lab.as_deref(), &of)?;
    let tell = |text: &str| {
        if !common.quiet {
            eprintln!("{text}");
        }
    };
    let (fleet, silent) = fleet::connect_all(&wanted.hosts, &wanted.programs, &tell);
    fleet::refuse_silent(&silent)?;
    Ok(Some(Rc::new(RefCell::new(fleet))))
}

/// Undoes what killed agents left on these hosts; what could not be undone.
fn of_agents(common: &Common, fleet: &SharedFleet) -> Vec<ClusterError> {
    let (undone, wrong) = fleet.borrow_mut().restore();
    undone.iter().filter(|_| !common.quiet).for_each(|line| eprintln!("{line}"));
    wrong.iter().for_each(|line| eprintln!("fathom: {line}"));
    let error = |why| ClusterError::Undo { what: "what an agent left".to_string(), why };
    wrong.into_iter().map(error).collect()
}

/// Undoes these of all that was found, the newest first. `by_name`: the user named the run.
pub fn undo(
    common: &Common,
    reached: Reached,
    found: &FoundJournals,
    wanted: &[Pending],
    by_name: bool,
) -> Result<Vec<Undo>, Failure> {
    let _to_undo = ToUndo::begins();
    let (mut errors, mut refused, mut done, mut all) = (Vec::new(), true, Vec::new(), Vec::new());
    for pending in wanted {
        let newer = found.left.iter().take_while(|other| other.head.run != pending.head.run);
        let undone =
            match newer.filter(|other| !done.contains(&other.head.run)).find(|other| share_an_option(other, pending)) {
                Some(newer) => Err(vec![Failure::Refused(format!(
                    "run {} changed the same option later and comes first: fathom restore --run {}",
                    newer.head.run, newer.head.run
                ))]),
                None => undo_one(common, reached, pending, by_name),
            };
        match undone {
            Ok(changes) => {
                done.push(pending.head.run.clone());
                all.extend(changes);
            }
            Err(why) => {
                refused &= why.iter().all(|why| matches!(why, Failure::Refused(_)));
                errors.extend(why.iter().map(|why| format!("run {}: {why}", pending.head.run)));
            }
        }
    }
    match (errors.is_empty(), refused) {
        (true, _) => Ok(all),
        (false, true) => Err(Failure::Refused(errors.join("\n"))),
        (false, false) => Err(Failure::Failed(errors.join("\n"))),
    }
}

/// The older one's value would be put back onto the newer one's.
fn share_an_option(a: &Pending, b: &Pending) -> bool {
    let options = |pending: &Pending| -> Vec<(String, String)> {
        let option = |change: &Change| match change {
            Change::Option { who, name, .. } => Some((who.clone(), name.clone())),
            _ => None,
        };
        pending.left.iter().filter_map(|entry| option(&entry.change)).collect()
    };
    let of_b = options(b);
    a.head.fsid == b.head.fsid && options(a).iter().any(|option| of_b.contains(option))
}

fn undo_one(
    common: &Common,
    (named, fleet): Reached,
    pending: &Pending,
    by_name: bool,
) -> Result<Vec<Undo>, Vec<Failure>> {
    let (cluster, unreached) = match &pending.head.fsid {
        None => (None, None),
        Some(fsid) => match cluster_of(named, fsid, &pending.head) {
            Ok(cluster) => (Some(cluster), None),
            Err(why) => (None, Some(why)),
        },
    };
    // Without the cluster it is not known whether a run of elsewhere is dead.
    if let Some(why) = unreached.as_ref().filter(|_| pending.life != Life::Dead || !pending.here()) {
        return Err(vec![not_reached(why, pending.left.iter(), pending.path.as_deref())]);
    }
    let mut tell = |seconds: u64| {
        if !common.quiet {
            let head = &pending.head;
            eprintln!("run {} of host {}: watching for {seconds} s whether it still goes on", head.run, head.host);
        }
    };
    let opened = pending.open(cluster.as_ref(), by_name, &mut tell);
    let (journal_file, trust) = opened.map_err(|error| vec![error.into()])?;
    let restarter = cluster.clone().map(|cluster| Restarters::of(cluster, fleet.cloned()));
    let mut journal = Journal::resume(&dirs::journals(), journal_file, cluster, trust);
    if let Some(restarter) = restarter {
        journal.restarts_by(restarter);
    }
    let slow = StillAt::new(common.quiet);
    journal.tells(Box::new(move |change| slow.begins(format!("undoing {}", change.what()))));
    let (undone, errors) = journal.roll_back();
    let unreached = unreached.map(|why| not_reached(&why, journal.left(), pending.path.as_deref()));
    let errors: Vec<Failure> = unreached.into_iter().chain(errors.into_iter().map(Failure::from)).collect();
    // Nothing is told of being done by what has ended.
    drop(journal);
    // What is left as it is stands in the result, which there is none of where something else failed.
    let told = |undo: &&Undo| if undo.left.is_some() { !errors.is_empty() } else { !common.quiet };
    undone.iter().filter(told).for_each(|undo| eprintln!("{}", undo.done()));
    note(common, &pending.head.run, &undone);
    if errors.is_empty() { Ok(undone) } else { Err(errors) }
}

/// So many changes are named.
const NAMED_MOST: usize = 10;

/// A journal may be deleted where all that is left in it is of a cluster that is gone.
fn not_reached<'a>(why: &str, left: impl Iterator<Item = &'a JournalEntry>, path: Option<&Path>) -> Failure {
    let (of_cluster, others): (Vec<_>, Vec<_>) = left.partition(|entry| entry.needs_cluster());
    let deleted = path.filter(|_| others.is_empty()).map(|path| {
        let named = of_cluster.iter().take(NAMED_MOST).map(|entry| entry.undo().what());
        let more = of_cluster.len().saturating_sub(NAMED_MOST);
        let more = (more > 0).then(|| units::counted(more as u64, "other change", "other changes"));
        let all: Vec<String> = named.chain(more).collect();
        let what = if all.is_empty() { "nothing".to_string() } else { all.join(", ") };
        format!("; if it is gone for good, delete the journal {}; what is forgotten then: {what}", path.display())
    });
    Failure::Failed(format!("{why}; name it with --conf{}", deleted.unwrap_or_default()))
}

/// The archive of this host, if it has the run, tells from now on what became of its changes.
fn note(common: &Common, run: &str, undone: &[Undo]) {
    let path = super::archive(common);
    if !path.exists() {
        return;
    }
    let mut writer = match Archive::open_existing(&path).and_then(|archive| archive.writer_of(run)) {
        Ok(writer) => writer,
        Err(ArchiveError::UnknownRun { .. } | ArchiveError::Empty { .. }) => return,
        Err(error) => return eprintln!("fathom: {error}"),
    };
    let told = undone.iter().try_for_each(|undo| writer.store(&Event::Changed { undo: undo.clone() }));
    if let Err(error) = told {
        eprintln!("fathom: {error}");
    }
}

/// The cluster that the run worked on, and no other: the one named, or the one that the journal names.
fn cluster_of(named: Option<&Cluster>, fsid: &str, head: &Head) -> Result<Cluster, String> {
    if let Some(cluster) = named.filter(|cluster| cluster.rados.fsid().is_ok_and(|own| own == fsid)) {
        return Ok(cluster.clone());
    }
    let access = ceph::ClusterAccess {
        conf: head.conf.clone(),
        cluster: head.cluster.clone(),
        id: head.id.clone(),
        keyring: head.keyring.clone(),
        ..ceph::ClusterAccess::default()
    };
    let not_reached = |error: &dyn std::fmt::Display| format!("its cluster {fsid} is not reached: {error}");
    let cluster = Cluster::connect(&access).map_err(|error| not_reached(&error))?;
    match cluster.rados.fsid().map_err(|error| not_reached(&error))? == fsid {
        true => Ok(cluster),
        false => {
            let conf = head.conf.as_ref().map_or("its configuration".to_string(), |conf| conf.display().to_string());
            Err(format!("its cluster {fsid} is not the one that {conf} leads to"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    const RUN: &str = "20260102-030405-a1b2";

    fn left(path: Option<&str>) -> FoundJournals {
        let head = json!({"run": RUN, "started": "2026-01-02T03:04:05Z", "host": "h", "pid": 1, "fsid": null, "conf": null,
                           "keyring": null, "id": null, "cluster": null});
        let head: Head = serde_json::from_value(head).unwrap();
        let pending = Pending { head, left: Vec::new(), path: path.map(PathBuf::from), life: Life::Dead };
        FoundJournals { left: vec![pending], ..FoundJournals::default() }
    }

    #[test]
    fn a_run_is_named_only_by_its_name() {
        let begin = &RUN[..15];
        for run in ["", " "] {
            let why = named(&left(Some("/x")), run).unwrap_err().to_string();
            assert!(why.contains("names no run"), "{why}");
        }
        assert!(named(&left(Some("/x")), begin).is_ok() && named(&left(None), RUN).is_ok());
        let why = named(&left(None), begin).unwrap_err();
        assert!(matches!(&why, Failure::Usage(text) if text.contains(&format!("--run {RUN}"))), "{why}");
    }

    #[test]
    fn a_journal_is_said_to_be_deletable_only_where_all_that_is_left_is_of_the_cluster() {
        let entry = |change: serde_json::Value| -> JournalEntry {
            serde_json::from_value(json!({"change": change, "before": null, "undone": false})).unwrap()
        };
        let said = |left: &[JournalEntry]| not_reached("no answer", left.iter(), Some(Path::new("/j"))).to_string();
        let flags: Vec<JournalEntry> =
            (0..12).map(|n| entry(json!({"change": "flag", "name": format!("flag{n}")}))).collect();
        let text = said(&flags);
        for word in ["no answer; name it with --conf", "delete the journal /j", "flag0", "2 other changes"] {
            assert!(text.contains(word), "{text}");
        }
        assert!(!text.contains("flag10") && said(&[]).ends_with("nothing"), "{text}");
        let folder = entry(json!({"change": "folder", "path": "/mnt/x"}));
        let text = said(&[flags[0].clone(), folder]);
        assert!(!text.contains("delete"), "{text}");
    }
}
