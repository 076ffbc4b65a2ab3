//! What keeps a run from doing harm: changes are always undone, and trouble of the cluster ends a step.

use super::EventSink;
use super::health::HealthMonitor;
use super::interrupt::{Interrupt, say};
use super::stuck_before::StuckBefore;
use agents::fleet::Fleet;
use agents::own_files::Files;
use cluster::ClusterError;
use cluster::journal::{Journal, Lost};
use cluster::watch::{Seen, Silence, Watch};
use model::host_setting::HostSetting;
use model::{Change, Event, Failure, HostChange, Place, Step, Target, Undo};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A journal that is rolled back even if the run panics.
pub struct Rollback {
    journal: Option<Journal>,
    /// Files of our own on this host: they have no name, so that nothing of them is left, and no journal knows them.
    files: Files,
    fleet: Option<Rc<RefCell<Fleet>>>,
    /// What was made on hosts.
    on_hosts: Vec<Change>,
}

impl Rollback {
    /// `fleet`: makes and undoes changes on other hosts.
    pub fn of(journal: Journal, fleet: Option<Rc<RefCell<Fleet>>>) -> Rollback {
        Rollback { journal: Some(journal), files: Files::default(), fleet, on_hosts: Vec::new() }
    }

    /// # Errors
    /// Somebody has undone the run's changes meanwhile: what was measured since is of nothing.
    pub fn prove_lease(&self) -> Result<(), Failure> {
        self.journal.as_ref().map_or(Ok(()), |journal| Ok(journal.prove_lease()?))
    }

    /// `None`: nothing of a cluster is changed.
    pub fn lost(&self) -> Option<Lost> {
        self.journal.as_ref().and_then(Journal::lost)
    }

    pub fn files(&self) -> &Files {
        &self.files
    }

    /// `None`: it is not known what was there before.
    pub fn make(&mut self, change: Change, sink: &mut EventSink) -> Result<Option<Undo>, Failure> {
        let Some(journal) = &mut self.journal else { return Ok(None) };
        let undo = match &change {
            Change::OnHost { host, what } => {
                match (host, &self.fleet) {
                    (None, _) if journalled(what) => {
                        let undo = journal.make(change)?;
                        sink.tell(Event::Changed { undo: undo.clone() })?;
                        return Ok(Some(undo));
                    }
                    (None, _) => {
                        self.files.change(what, || Ok(journal))?;
                        self.on_hosts.push(change.clone());
                    }
                    (Some(host), Some(fleet)) => {
                        // What fails there may be half made: it is undone as well.
                        self.on_hosts.push(change.clone());
                        let made = fleet.borrow_mut().make(host, journal.agents_of(), what);
                        made.map_err(|why| Failure::Failed(format!("{host}: {why}")))?;
                    }
                    (Some(host), None) => return Err(Failure::Failed(format!("{host}: no agent runs there"))),
                }
                let undo = Undo { change, before: None, undone: false, left: None };
                sink.tell(Event::Changed { undo })?;
                return Ok(None);
            }
            _ => journal.make(change)?,
        };
        sink.tell(Event::Changed { undo: undo.clone() })?;
        Ok(Some(undo))
    }

    /// Is it made and not undone?
    pub fn stands(&self, change: &Change) -> bool {
        self.journal.as_ref().is_some_and(|journal| journal.stands(change))
    }

    /// Is the option that this would set so already, whoever set it?
    pub fn holds(&self, change: &Change) -> Result<bool, Failure> {
        self.journal.as_ref().map_or(Ok(false), |journal| Ok(journal.holds(change)?))
    }

    /// Makes the change, does `then`, and undoes it: can it be made at all?
    pub fn attempt(&mut self, change: &Change, then: impl FnOnce()) -> Result<(), ClusterError> {
        if let (Change::OnHost { host: Some(host), what }, Some(fleet), Some(journal)) =
            (change, &self.fleet, &self.journal)
        {
            let failed = |why| ClusterError::Make { what: change.what(), why };
            let made = fleet.borrow_mut().make(host, journal.agents_of(), what);
            let undone = fleet.borrow_mut().undo(host, what);
            if undone.is_err() {
                self.on_hosts.push(change.clone());
            }
            return made.and(undone).map_err(failed);
        }
        if let Change::OnHost { host: None, what } = change
            && !journalled(what)
        {
            let Some(journal) = &mut self.journal else { return Ok(()) };
            self.files.change(what, || Ok(journal))?;
            return self.files.undo(what, None).map(drop);
        }
        let Some(journal) = &mut self.journal else { return Ok(()) };
        let made = journal.make(change.clone()).map(|_| then());
        journal.undo_one(change)?;
        made
    }

    /// Undoes the one change. `None`: it does not stand, or how it was left is not known.
    pub fn undo(&mut self, change: &Change, sink: &mut EventSink) -> Result<Option<Undo>, Failure> {
        if self.on_hosts.contains(change) {
            return self.undo_on_host(change, sink).map(|()| None);
        }
        let Some(journal) = &mut self.journal else { return Ok(None) };
        let Some(undo) = journal.undo_one(change)? else { return Ok(None) };
        sink.tell(Event::Changed { undo: undo.clone() })?;
        Ok(Some(undo))
    }

    fn undo_on_host(&mut self, change: &Change, sink: &mut EventSink) -> Result<(), Failure> {
        if let Change::OnHost { host, what } = change {
            match (host, &self.fleet) {
                (Some(host), Some(fleet)) => {
                    let undone = fleet.borrow_mut().undo(host, what);
                    undone.map_err(|why| Failure::Failed(format!("{host}: {why}")))?;
                }
                _ => drop(self.files.undo(what, None)?),
            }
        }
        self.on_hosts.retain(|made| made != change);
        sink.tell(Event::Changed { undo: Undo { change: change.clone(), before: None, undone: true, left: None } })
    }

    /// Undoes all; what can't be undone is told, and stays in the journal for `fathom restore`.
    pub fn roll_back(&mut self, sink: &mut EventSink) -> Result<(), Failure> {
        let Some(mut journal) = self.journal.take() else { return Ok(()) };
        self.files = Files::default();
        let others = self.on_hosts.iter().filter_map(Change::other_host).collect();
        // The cluster first: a host that hangs shall not keep its flags as they are. Agents are free meanwhile: they restart OSDs for it.
        let (undone, errors) = journal.roll_back();
        let fleet = self.fleet.as_ref().and_then(|fleet| fleet.try_borrow_mut().ok());
        let (left_there, gone) = fleet.map_or_else(Default::default, |mut fleet| fleet.roll_back(&others));
        let files = self.on_hosts.drain(..).map(|change| {
            let left = unseen(&change, &gone);
            Undo { change, before: None, undone: true, left }
        });
        for undo in files.chain(undone) {
            sink.tell(Event::Changed { undo })?;
        }
        let mut left = Vec::new();
        for error in left_there.into_iter().chain(errors.iter().map(ToString::to_string)) {
            sink.tell(Event::Failed { text: error.clone() })?;
            left.push(error);
        }
        let Some(first) = left.first() else { return Ok(()) };
        let others = match left.len() - 1 {
            0 => String::new(),
            more => format!("; and so {}", model::units::counted(more as u64, "other change", "other changes")),
        };
        Err(Failure::Failed(format!("{first}{others}; `fathom restore` tries again")))
    }
}

/// Why it is not known whether what was made on a host that is gone is undone; `None`: it is.
fn unseen(change: &Change, gone: &BTreeSet<String>) -> Option<String> {
    let Change::OnHost { host: Some(host), .. } = change else { return None };
    gone.contains(host).then(|| {
        format!("{host} is gone; its agent undoes it by itself if it lives, and else `fathom restore` does, there")
    })
}

/// What of this host would stay if this process were killed.
fn journalled(what: &HostChange) -> bool {
    match what {
        HostChange::File { .. } => false,
        HostChange::Folder { .. } => true,
        HostChange::Setting { name, .. } => HostSetting::parse(name) != Ok(HostSetting::CpuDmaLatency),
    }
}

impl Drop for Rollback {
    fn drop(&mut self) {
        if let Some(mut journal) = self.journal.take() {
            let _ = journal.roll_back();
        }
    }
}

/// After the monitors were silent too long, a run has this time to end in order: slices end within 20 s, commands within 40 s each.
const END_WITHIN: Duration = Duration::from_secs(3 * 60);
/// Undoing takes a second or two.
const UNDONE_WITHIN: Duration = Duration::from_secs(8);

/// Looks once a second until it is dropped.
pub struct Lookout {
    done: Arc<AtomicBool>,
    thread: std::thread::Thread,
}

impl Lookout {
    fn keep(mut look: impl FnMut() + Send + 'static) -> Lookout {
        let done = Arc::new(AtomicBool::new(false));
        let over = done.clone();
        let until_done = move || {
            while !over.load(Ordering::Relaxed) {
                look();
                std::thread::park_timeout(Duration::from_secs(1));
            }
        };
        Lookout { done, thread: std::thread::spawn(until_done).thread().clone() }
    }

    /// Ends the process where no order is possible any more: opening an image waits for ever for OSDs that are gone.
    pub fn last_resort(silence: Silence) -> Lookout {
        Lookout::keep(move || {
            if let Some(silent) = silence.lasts(END_WITHIN) {
                say(&format!("fathom: {silent}"));
                ceph::leave(Failure::from(silent).exit_code());
            }
        })
    }

    /// Says, once, that undoing waits for a cluster that does not answer.
    pub fn over_undoing() -> Lookout {
        let (since, mut told) = (Instant::now(), false);
        Lookout::keep(move || {
            if !told && since.elapsed() > UNDONE_WITHIN {
                told = true;
                say(
                    "fathom: undoing the changes takes long: many files or objects are deleted, or OSDs, monitors or a file system do not answer; what can't be undone within a minute or \
                     so for each change is left to `fathom restore`",
                );
            }
        })
    }
}

impl Drop for Lookout {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        self.thread.unpark();
    }
}

/// What goes on in a real cluster while a step runs.
pub struct Watching<'a> {
    watch: Option<&'a Watch>,
    interrupt: &'a Interrupt,
    stuck_before: StuckBefore,
    /// Somebody undoes the run's changes, having taken it for dead.
    lost: Option<Lost>,
}

impl<'a> Watching<'a> {
    pub fn over(watch: Option<&'a Watch>, interrupt: &'a Interrupt) -> Watching<'a> {
        let stuck_before = StuckBefore::of(watch.and_then(|watch| watch.seen().slow));
        Watching { watch, interrupt, stuck_before, lost: None }
    }

    /// Ends the run when its lease is lost.
    pub fn and_lease(self, lost: Option<Lost>) -> Watching<'a> {
        Watching { lost, ..self }
    }

    /// # Errors
    /// Nothing was learned of the cluster for minutes, or several of its OSDs are down: that is why the run ends.
    pub fn prove_watched(&self) -> Result<(), Failure> {
        self.watch.and_then(Watch::ends).map_or(Ok(()), |why| Err(why.into()))
    }
}

impl HealthMonitor for Watching<'_> {
    fn asked_to_end(&self) -> bool {
        self.interrupt.asked()
            || self.lost.as_ref().is_some_and(|lost| lost.by().is_some())
            || self.watch.is_some_and(|watch| watch.ends().is_some())
    }

    fn seen(&self) -> Seen {
        let seen = self.watch.map(Watch::seen).unwrap_or_default();
        Seen { slow: self.stuck_before.news(seen.slow), ..seen }
    }
}

/// Why a step can't be measured now. An OSD that was down before is no trouble for a pool, whose other OSDs serve; one
/// that goes down during the step is, and so is a target's own OSD in any case.
pub fn trouble(step: &Step, before: &Seen, now: &Seen) -> Option<String> {
    let writes = step.workload.mix.classes().any(|class| class.changes() && class.moves_bytes());
    let full = now.full.clone().filter(|_| writes);
    if !step.loads_ceph() {
        // The gateway may be one of this cluster, a guest's disk or a mapped device an image of it, a mounted file system one of its own.
        let may_be = |target: &Target| target.image.is_some() || target.on_cephfs;
        return full.filter(|_| step.layer.of_buckets() || step.layer.of_guests() || step.targets.iter().any(may_be));
    }
    let own: BTreeSet<u32> = step.targets.iter().filter_map(osd_of).collect();
    let concerned = |osd: &&u32| if own.is_empty() { !before.down.contains(osd) } else { own.contains(osd) };
    let down: Vec<String> = now.down.iter().filter(concerned).map(|osd| format!("osd.{osd}")).collect();
    if !down.is_empty() {
        return Some(format!("{} went down", down.join(", ")));
    }
    if let Some(states) = &now.inactive {
        return Some(format!(
            "placement groups became inactive since the run began ({states}); see `ceph health detail`"
        ));
    }
    let mut pools = step.targets.iter().flat_map(|target| target.place.pools());
    if let Some(pool) = pools.find(|pool| writes && now.at_quota.contains(*pool)) {
        return Some(format!("pool {pool} has reached its quota (ceph osd pool set-quota raises it)"));
    }
    full.or_else(|| now.slow.as_ref().map(|says| format!("operations got stuck: {says}")))
}

pub fn osd_of(target: &model::Target) -> Option<u32> {
    match target.place {
        Place::Store { osd } | Place::Osd { osd, .. } => Some(osd),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cluster::journal::Head;
    use model::{Layer, Pattern, Workload};
    use std::cell::Cell;
    use std::path::Path;

    const RUN: &str = "20260102-030405-a1b2";

    fn sink() -> EventSink {
        EventSink::silent(Arc::new(engines::clock::RealClock))
    }

    /// With a fleet in which no agent lives.
    fn rollback(journals: &Path) -> (Journal, Rc<RefCell<Fleet>>) {
        let head = Head::of_this_process(RUN.into(), "2026-01-02T03:04:05Z".into());
        (Journal::begin(journals, head, None).unwrap(), Rc::new(RefCell::new(Fleet::gather(Vec::new()).0)))
    }

    #[test]
    fn while_the_cluster_is_put_back_agents_can_be_asked_to_restart_osds() {
        let (journals, loaded) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (mut journal, fleet) = rollback(journals.path());
        let (free, asked) = (Rc::new(Cell::new(None)), fleet.clone());
        let seen = free.clone();
        journal.tells(Box::new(move |_| seen.set(Some(asked.try_borrow_mut().is_ok()))));
        let mut rollback = Rollback::of(journal, Some(fleet));
        let folder = Change::folder(None, loaded.path().join(format!("fathom.{RUN}.x")));
        rollback.make(folder, &mut sink()).unwrap();
        rollback.roll_back(&mut sink()).unwrap();
        assert_eq!(free.get(), Some(true));
    }

    /// It may be half made there, or made by an agent whose answer did not come.
    #[test]
    fn a_host_on_which_a_change_failed_is_asked_to_undo_it() {
        let (tried, made) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let change = Change::file(Some("h1"), "/x".into(), 1);
        let left = |mut rollback: Rollback| {
            let mut sink = sink();
            rollback.roll_back(&mut sink).unwrap();
            sink.into_record().changes.into_iter().map(|undo| (undo.change, undo.left)).collect::<Vec<_>>()
        };
        let gone = unseen(&change, &["h1".to_string()].into());
        for folder in [&tried, &made] {
            let (journal, fleet) = rollback(folder.path());
            let mut rollback = Rollback::of(journal, Some(fleet));
            match folder.path() == tried.path() {
                true => assert!(rollback.attempt(&change, || ()).is_err()),
                false => assert!(rollback.make(change.clone(), &mut sink()).is_err()),
            }
            assert_eq!(left(rollback), [(change.clone(), gone.clone())]);
        }
    }

    #[test]
    fn nothing_is_written_where_a_cluster_is_nearly_full() {
        let now = Seen { full: Some("pool x is nearly full".to_string()), ..Seen::default() };
        let told = |layer: Layer, pattern: Pattern| {
            let step = Step::new(0, layer, pattern, Vec::new(), Workload::canonical(pattern, 1 << 20, 1));
            trouble(&step, &Seen::default(), &now).is_some()
        };
        let of_clusters = |layer: &Layer| layer.of_pools() || layer.of_buckets() || layer.of_guests();
        for layer in Layer::ALL.into_iter().filter(of_clusters) {
            assert!(told(layer, Pattern::WriteLatency) && !told(layer, Pattern::ReadLatency), "{layer:?}");
        }
        for layer in Layer::ALL.into_iter().filter(|layer| layer.of_buckets()) {
            assert!(told(layer, Pattern::CreateDelete) && !told(layer, Pattern::List));
        }
        assert!(!told(model::testing::disks(), Pattern::WriteLatency));
    }

    #[test]
    fn nothing_is_written_to_what_may_be_an_image_or_a_file_system_of_a_cluster_that_is_nearly_full() {
        let now = Seen { full: Some("pool x is nearly full".to_string()), ..Seen::default() };
        let told = |target: Target, pattern: Pattern| {
            let step = Step::new(0, target.layer, pattern, vec![target], Workload::canonical(pattern, 1 << 20, 1));
            trouble(&step, &Seen::default(), &now).is_some()
        };
        let disk = |image: Option<&str>| {
            let place = Place::Path { path: "/dev/rbd0".into(), writable: true };
            Target { image: image.map(str::to_string), ..Target::new(model::testing::disks(), "/dev/rbd0", place) }
        };
        let tree = |on_cephfs| {
            let place = Place::Tree { path: "/mnt/x".into() };
            Target { on_cephfs, ..Target::new(model::testing::folders(), "/mnt", place) }
        };
        let image = || disk(Some("vms/disk, by krbd"));
        assert!(told(image(), Pattern::WriteLatency) && !told(image(), Pattern::ReadLatency));
        assert!(told(tree(true), Pattern::WriteLatency) && told(tree(true), Pattern::CreateDelete));
        assert!(!told(disk(None), Pattern::WriteLatency) && !told(tree(false), Pattern::WriteLatency));
    }

    #[test]
    fn nothing_is_loaded_where_placement_groups_became_inactive() {
        let now = Seen { inactive: Some("2 down".to_string()), ..Seen::default() };
        let pattern = Pattern::ReadLatency;
        let told = |layer: Layer| {
            let step = Step::new(0, layer, pattern, Vec::new(), Workload::canonical(pattern, 1 << 20, 1));
            trouble(&step, &now, &now).unwrap_or_default()
        };
        assert!(told(model::testing::pools()).contains("inactive since the run began (2 down)"));
        assert!(told(model::testing::osds()).contains("2 down") && told(model::testing::disks()).is_empty());
    }
}
