//! The journal: every change is written down, on disk and in the cluster, before it is made, with what undoes it, and confirmed after it.

mod journal_file;
mod keys;
mod lease;
mod life;
mod nameless;
mod of_agent;
pub mod pending;
mod roll_back;
#[cfg(test)]
pub(crate) mod testing;

pub use journal_file::{AgentOf, Head, JournalFile, Told};
pub use lease::{Lost, take};
pub use life::{Life, Process};
pub use nameless::{OwnFile, nameless};
pub use of_agent::{AgentJournal, restore as restore_agents};

use crate::admin::Cluster;
use crate::apply::{self, Trust, Unmade};
use crate::entry::{JournalEntry, MadeThing};
use crate::errors::ClusterError;
use crate::restart::{self, Restarter};
use crate::{own_files, settings};
use ceph::CephError;
use lease::Lease;
use model::{Change, HostChange, Undo};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Duration;

/// Options that a monitor may want to be set before it obeys; set for that one command only, as changes of their own.
const PERMISSIONS: [&str; 2] = ["mon_allow_pool_size_one", "mon_allow_pool_delete"];

/// Whoever wants to know of a change before it is undone.
pub type Tell = Box<dyn Fn(&Change)>;

pub struct Journal {
    journal_file: JournalFile,
    cluster: Option<Cluster>,
    /// Where other journals of this host are.
    folder: PathBuf,
    trust: Trust,
    /// The lease of a run; `None` for a process that undoes the changes of a dead run.
    lease: Option<Lease>,
    live: bool,
    /// No monitor answers, or the cluster is not reached: nothing of it is undone, nor told there.
    silent: bool,
    /// Who restarts OSDs, where that is known.
    restarter: Option<Rc<dyn Restarter>>,
    tell: Option<Tell>,
}

impl Journal {
    /// Begins the journal of a run: an empty file in `folder`, locked for as long as this process lives.
    pub fn begin(folder: &Path, head: Head, cluster: Option<Cluster>) -> Result<Journal, ClusterError> {
        let (journal_file, trust) = (JournalFile::create(folder, head)?, Trust { here: true, named: false });
        Ok(Journal::of(folder, journal_file, cluster, trust, true))
    }

    /// Takes up what a dead run left. `cluster`: the one that the run worked on; where it is not reached, only what needs none is undone.
    pub fn resume(folder: &Path, journal_file: JournalFile, cluster: Option<Cluster>, trust: Trust) -> Journal {
        Journal::of(folder, journal_file, cluster, trust, false)
    }

    fn of(folder: &Path, journal_file: JournalFile, cluster: Option<Cluster>, trust: Trust, live: bool) -> Journal {
        let folder = folder.to_path_buf();
        let silent = !live && cluster.is_none() && journal_file.head().fsid.is_some();
        Journal { journal_file, cluster, folder, trust, lease: None, live, silent, restarter: None, tell: None }
    }

    /// Who restarts OSDs when that is undone.
    pub fn restarts_by(&mut self, restarter: Rc<dyn Restarter>) {
        self.restarter = Some(restarter);
    }

    /// Who is told what is undone next.
    pub fn tells(&mut self, tell: Tell) {
        self.tell = Some(tell);
    }

    /// Identifies the agents that make changes on other hosts for this run.
    pub fn agents_of(&self) -> AgentOf {
        let Head { run, host, .. } = self.journal_file.head();
        AgentOf { run: run.clone(), host: host.clone() }
    }

    pub fn run(&self) -> &str {
        &self.journal_file.head().run
    }

    /// Tells when another process undoes this run's changes; `None`: it changed nothing of a cluster yet.
    pub fn lost(&self) -> Option<Lost> {
        self.lease.as_ref().map(Lease::lost)
    }

    /// # Errors
    /// Somebody has undone this run's changes meanwhile.
    pub fn prove_lease(&self) -> Result<(), ClusterError> {
        match self.lease.as_ref().and_then(Lease::taken) {
            Some(by) => Err(ClusterError::LeaseLost { run: self.run().to_string(), by }),
            None => Ok(()),
        }
    }

    /// Writes the change down, makes it, and confirms it.
    pub fn make(&mut self, change: Change) -> Result<Undo, ClusterError> {
        if let Some(by) = self.lost().and_then(|lost| lost.by()) {
            return Err(ClusterError::LeaseLost { run: self.run().to_string(), by });
        }
        let index = self.write_down(change.clone())?;
        self.refuse_held(index)?;
        let made = match apply::make(self.cluster.as_ref(), &change) {
            Err(error) if permission_wanted(&error).is_some() => {
                self.with_permission(&error, |cluster| apply::make(cluster, &change))?
            }
            // It was not there when it was looked for, so something else made it.
            Err(error @ (ClusterError::Ceph(CephError::Exists { .. }) | ClusterError::NotMade { .. })) => {
                self.withdraw(index)?;
                return Err(error);
            }
            other => other?,
        };
        self.confirm(index, made)
    }

    /// As [`Journal::make`], for what is not of a cluster.
    pub(crate) fn make_with(
        &mut self,
        change: Change,
        how: impl FnOnce(&Change) -> Result<MadeThing, ClusterError>,
    ) -> Result<Undo, ClusterError> {
        let index = self.write_down(change.clone())?;
        let made = how(&change)?;
        self.confirm(index, made)
    }

    fn confirm(&mut self, index: usize, made: MadeThing) -> Result<Undo, ClusterError> {
        self.journal_file.mark_made(index, made)?;
        self.write_key(index)?;
        Ok(self.journal_file.entries()[index].undo())
    }

    /// Is this change made, or about to be, and not undone?
    pub fn stands(&self, change: &Change) -> bool {
        self.standing(change).is_some()
    }

    /// Is the option that this would set so already, whoever set it?
    pub fn holds(&self, change: &Change) -> Result<bool, ClusterError> {
        settings::holds(self.cluster.as_ref(), change)
    }

    /// Undoes the latest such change; `None`: there is none that stands.
    pub fn undo_one(&mut self, change: &Change) -> Result<Option<Undo>, ClusterError> {
        self.standing(change).map_or(Ok(None), |index| self.undo(index))
    }

    fn standing(&self, change: &Change) -> Option<usize> {
        self.journal_file.entries().iter().rposition(|entry| entry.change == *change && !entry.undone)
    }

    /// What is not undone.
    pub fn left(&self) -> impl Iterator<Item = &JournalEntry> {
        self.journal_file.told().left()
    }

    fn undo(&mut self, index: usize) -> Result<Option<Undo>, ClusterError> {
        let (entry, run) = (self.journal_file.entries()[index].clone(), self.run().to_string());
        let own_pool = self.own_pool(&entry.change);
        if entry.undone {
            return Ok(None);
        }
        if let Some(tell) = &self.tell {
            tell(&entry.change);
        }
        if !self.live && entry.made.is_none() {
            wait_until_settled(entry.written);
        }
        let unmade = match (&entry.change, &self.cluster) {
            (Change::Restart { osd }, Some(cluster)) => {
                restart::unmake(cluster, self.restarter.as_deref(), *osd, &entry, self.trust)?
            }
            _ => self.unmade(&entry, &run, own_pool)?,
        };
        let left = match unmade {
            Unmade::Left(why) => Some(why),
            Unmade::Undone => None,
        };
        self.journal_file.mark_undone(index)?;
        self.write_key(index)?;
        Ok(Some(Undo { undone: true, left, ..entry.undo() }))
    }

    fn unmade(&mut self, entry: &JournalEntry, run: &str, own_pool: Option<u64>) -> Result<Unmade, ClusterError> {
        let trust = self.trust;
        match apply::unmake(self.cluster.as_ref(), run, entry, own_pool, trust) {
            Err(error) if permission_wanted(&error).is_some() => {
                self.with_permission(&error, |cluster| apply::unmake(cluster, run, entry, own_pool, trust))
            }
            other => other,
        }
    }

    /// The id of the pool of this run's making in which an image or objects lie.
    fn own_pool(&self, change: &Change) -> Option<u64> {
        let (Change::Image { pool, .. } | Change::Clone { pool, .. } | Change::Objects { pool, .. }) = change else {
            return None;
        };
        self.journal_file.entries().iter().find_map(|entry| match (&entry.change, &entry.made) {
            (Change::Pool { name, .. }, Some(MadeThing::Pool(id))) if name == pool => Some(*id),
            _ => None,
        })
    }

    fn write_down(&mut self, change: Change) -> Result<usize, ClusterError> {
        let index = self.journal_file.add(apply::entry(self.cluster.as_ref(), change)?)?;
        self.write_key(index)?;
        Ok(index)
    }

    /// The value in the cluster in which this change is.
    fn write_key(&mut self, index: usize) -> Result<(), ClusterError> {
        let Some(cluster) = self.cluster.as_ref().filter(|_| !self.silent) else { return Ok(()) };
        keys::write(cluster, self.journal_file.told(), self.journal_file.entries()[index].part)?;
        // After the journal, so that there is never a lease without one.
        if self.live && self.lease.is_none() {
            self.lease = Some(Lease::keep(cluster, &self.journal_file.head().run)?);
        }
        Ok(())
    }

    /// Two runs that set one option would put back each other's values. Each writes down first what it wants, and looks then: of two at
    /// the same time at least one sees the other.
    fn refuse_held(&mut self, index: usize) -> Result<(), ClusterError> {
        let (option, held) = match &self.journal_file.entries()[index].change {
            Change::Option { who, name, .. } => {
                let option = format!("{who}/{name}");
                let held = pending::refuse_held(&self.folder, self.cluster.as_ref(), self.run(), &option);
                (option, held)
            }
            Change::OnHost { what: HostChange::Setting { name, .. }, .. } => {
                (name.clone(), pending::refuse_held_here(&self.folder, self.run(), name))
            }
            // Two runs that restart OSDs would each think that all others are up.
            Change::Flag { name } if name == restart::NOOUT => {
                (name.clone(), pending::refuse_restarts(&self.folder, self.cluster.as_ref(), self.run()))
            }
            _ => return Ok(()),
        };
        match held {
            Ok(()) if self.before_stands(index)? => Ok(()),
            held => {
                self.withdraw(index)?;
                let why = "somebody changed it at this moment; start again".to_string();
                held.and(Err(ClusterError::Held { option, why }))
            }
        }
    }

    /// Is what was written down as the state before still the state?
    fn before_stands(&self, index: usize) -> Result<bool, ClusterError> {
        let entry = &self.journal_file.entries()[index];
        Ok(apply::entry(self.cluster.as_ref(), entry.change.clone())?.before == entry.before)
    }

    /// It was written down and not made.
    fn withdraw(&mut self, index: usize) -> Result<(), ClusterError> {
        self.journal_file.mark_undone(index)?;
        self.write_key(index)
    }

    /// Sets the option that the monitor named, does the thing, and puts the option back. While another run has it set, and will put it
    /// back, the thing is only tried again.
    fn with_permission<T>(
        &mut self,
        refused: &ClusterError,
        thing: impl Fn(Option<&Cluster>) -> Result<T, ClusterError>,
    ) -> Result<T, ClusterError> {
        let name = permission_wanted(refused).unwrap_or_default();
        let option = Change::Option { who: "mon".to_string(), name: name.to_string(), value: "true".to_string() };
        if self.journal_file.without_file() {
            // The cluster's copy is not believed about options: killed now, this host's own journal puts it back.
            let mut own = Journal::begin(&self.folder, self.own_head(), self.cluster.clone())?;
            let done = own.permitted(&option, thing);
            return own.roll_back().1.into_iter().next().map_or(done, Err);
        }
        self.permitted(&option, thing)
    }

    fn permitted<T>(
        &mut self,
        option: &Change,
        thing: impl Fn(Option<&Cluster>) -> Result<T, ClusterError>,
    ) -> Result<T, ClusterError> {
        for attempt in 0..ATTEMPTS {
            if let Some(index) = self.permit(option, attempt + 1 == ATTEMPTS)? {
                let done = patiently(|| thing(self.cluster.as_ref()));
                self.undo(index)?;
                return done;
            }
            match thing(self.cluster.as_ref()) {
                Err(error) if permission_wanted(&error).is_some() => {
                    // Not in step with the other run.
                    std::thread::sleep(Duration::from_millis(100 + own_files::random() % 200));
                }
                other => return other,
            }
        }
        thing(self.cluster.as_ref())
    }

    /// Sets it; `None`: another run has it set, or is about to. Dead runs do not count. Runs of which that can't be
    /// told count only for a time: a live one has the option set for a moment.
    fn permit(&mut self, option: &Change, last: bool) -> Result<Option<usize>, ClusterError> {
        let Change::Option { who, name, .. } = option else { return Ok(None) };
        if settings::holds(self.cluster.as_ref(), option)? {
            return Ok(None);
        }
        let index = self.write_down(option.clone())?;
        let holder = pending::holder(&self.folder, self.cluster.as_ref(), self.run(), &format!("{who}/{name}"))?;
        let counts = |life| life == Life::Alive || (life == Life::Unknown && !last);
        if holder.is_some_and(|holder| counts(holder.life)) || !self.before_stands(index)? {
            self.withdraw(index)?;
            return Ok(None);
        }
        let made = apply::make(self.cluster.as_ref(), option)?;
        self.confirm(index, made)?;
        Ok(Some(index))
    }

    /// Of this process, on the same cluster.
    fn own_head(&self) -> Head {
        let now = jiff::Timestamp::now();
        let access = self.cluster.as_ref().map(|cluster| cluster.access.clone()).unwrap_or_default();
        let run = format!("{}-{:04x}", now.strftime("%Y%m%d-%H%M%S"), own_files::random() as u16);
        let started = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        Head::on_cluster(run, started, self.journal_file.head().fsid.clone(), access)
    }

    /// Nothing is left to undo: the journal goes, from the cluster first.
    fn close(&mut self) -> Result<(), ClusterError> {
        if let Some(cluster) = &self.cluster {
            match &mut self.lease {
                Some(lease) => lease.remove()?,
                None => lease::remove(cluster, &self.journal_file.head().run)?,
            }
            keys::remove(cluster, self.journal_file.told())?;
        }
        self.journal_file.remove()
    }
}

/// A command that a killed run had sent may still be carried out: monitors gather changes for a second before they agree on them
/// (paxos_propose_interval), and then have to write them.
const SETTLED_SECONDS: i64 = 5;

fn wait_until_settled(written: Option<i64>) {
    let since = written.map_or(SETTLED_SECONDS, |written| jiff::Timestamp::now().as_second() - written);
    let left = (SETTLED_SECONDS - since).clamp(0, SETTLED_SECONDS);
    std::thread::sleep(Duration::from_secs(left.unsigned_abs()));
}

fn permission_wanted(error: &ClusterError) -> Option<&'static str> {
    // What a gateway says is no monitor's word.
    if matches!(error, ClusterError::Gateway { .. } | ClusterError::NotMade { .. }) {
        return None;
    }
    let text = error.to_string();
    PERMISSIONS.into_iter().find(|name| text.contains(name))
}

/// Attempts of about a fifth of a second each.
const ATTEMPTS: u32 = 75;

/// A monitor takes a moment to see a new option.
fn patiently<T>(thing: impl Fn() -> Result<T, ClusterError>) -> Result<T, ClusterError> {
    const TRIES: u32 = 25;
    for _ in 1..TRIES {
        match thing() {
            Err(error) if permission_wanted(&error).is_some() => {
                std::thread::sleep(Duration::from_millis(200));
            }
            other => return other,
        }
    }
    thing()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_gateway_says_sets_no_option_of_a_monitor() {
        let (what, why) = ("x".to_string(), "set mon_allow_pool_delete to true".to_string());
        let monitor = ClusterError::Make { what: what.clone(), why: why.clone() };
        assert_eq!(permission_wanted(&monitor), Some("mon_allow_pool_delete"));
        let gateway = ClusterError::Gateway { what: what.clone(), done: "made", why: why.clone() };
        let refused = ClusterError::NotMade { what, why };
        assert_eq!([&gateway, &refused].map(permission_wanted), [None, None]);
    }
}
