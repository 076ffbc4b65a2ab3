//! Watching a cluster while it is loaded: which OSDs are up, whether pools get full, whether operations get stuck.

use crate::admin::Cluster;
use crate::errors::ClusterError;
use crate::pg_states;
use model::PgStates;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const LOOK_EVERY: Duration = Duration::from_secs(1);

/// What the last look showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    pub down: BTreeSet<u32>,
    /// An OSD, and with it a pool, is nearly full: nothing more may be written.
    pub full: Option<String>,
    /// Pools that have reached their quota: that concerns only those that write to them.
    pub at_quota: BTreeSet<String>,
    /// OSDs complain that operations, anybody's, take longer than `osd_op_complaint_time`: in their words.
    pub slow: Option<String>,
    /// Placement groups that are anything but `active+clean`.
    pub pgs: PgStates,
    /// OSDs whose placement groups are scrubbed, recovered, moved or trimmed, with the words of their states.
    pub at_work: BTreeMap<u32, BTreeSet<String>>,
    /// Placement groups that serve nothing are more than at the least since the watch began: in which states all of them are.
    pub inactive: Option<String>,
    /// Of each OSD the epoch of the map in which it last came up.
    pub up_from: BTreeMap<u32, u64>,
    /// How often each OSD came up again since the watch began.
    pub came_back: BTreeMap<u32, u32>,
}

/// The longest time in which no monitor may answer. An election takes seconds, a restart of a host with the only monitor a minute or two.
/// Beyond that it is not known what the load does to the cluster; and if all of it is gone, every step would wait in vain.
const SILENT_MOST: Duration = Duration::from_secs(3 * 60);

struct Known {
    seen: Seen,
    /// When a monitor last answered, whatever it said.
    answered: Instant,
    /// When it was last seen which OSDs are up and how full pools are; and why it was not since.
    looked: Instant,
    unseen: String,
    /// OSDs that were up when the watch began.
    up_at_first: BTreeSet<u32>,
    /// Two or more of them were down at the same time.
    lost: Option<BTreeSet<u32>>,
    /// The fewest placement groups that served nothing, since the watch began.
    inactive_least: Option<u32>,
}

impl Known {
    fn of(first: Seen, now: Instant) -> Known {
        let up_at_first = first.up_from.keys().filter(|osd| !first.down.contains(osd)).copied().collect();
        let (unseen, lost, inactive_least) = (String::new(), None, None);
        Known { seen: first, answered: now, looked: now, unseen, up_at_first, lost, inactive_least }
    }

    fn put(&mut self, found: Result<Seen, ClusterError>, at: Instant) {
        if found.as_ref().err().is_none_or(|error| !error.timed_out()) {
            self.answered = at;
        }
        match found {
            Ok(now) => {
                self.looked = at;
                let gone: BTreeSet<u32> = now.down.intersection(&self.up_at_first).copied().collect();
                self.lost = self.lost.take().or((gone.len() > 1).then_some(gone));
                let before = std::mem::take(&mut self.seen);
                let came_back = came_back(before.came_back, &before.up_from, &now);
                let (pgs, at_work, inactive) = (before.pgs, before.at_work, before.inactive);
                self.seen = Seen { pgs, at_work, inactive, came_back, ..now };
            }
            Err(error) => self.unseen = error.to_string(),
        }
    }

    fn put_groups(&mut self, states: PgStates) {
        let inactive = pg_states::inactive(&states);
        let number: u32 = inactive.values().sum();
        let least = self.inactive_least.map_or(number, |least| least.min(number));
        let all: Vec<String> = inactive.iter().map(|(state, number)| format!("{number} {state}")).collect();
        self.inactive_least = Some(least);
        self.seen.inactive = (number > least).then(|| all.join(", "));
        self.seen.pgs = states;
    }

    /// Some: it is too long ago that anything was seen.
    fn blind(&self, now: Instant) -> Option<ClusterError> {
        let since = now.saturating_duration_since(self.looked);
        (since > SILENT_MOST).then(|| ClusterError::Unseen { minutes: since.as_secs() / 60, why: self.unseen.clone() })
    }

    fn two_lost(&self) -> Option<ClusterError> {
        self.lost.as_ref().map(|lost| {
            let osds: Vec<String> = lost.iter().map(|osd| format!("osd.{osd}")).collect();
            ClusterError::OsdsLost { osds: osds.join(", ") }
        })
    }
}

/// How long no monitor has answered.
#[derive(Clone)]
pub struct Silence {
    known: Arc<Mutex<Known>>,
    monitors: String,
}

impl Silence {
    /// Some: no monitor has answered for as long as one may be silent, and `longer`.
    pub fn lasts(&self, longer: Duration) -> Option<ClusterError> {
        let since = self.known.lock().map(|known| known.answered).ok()?;
        self.at(Instant::now(), since, longer)
    }

    fn at(&self, now: Instant, since: Instant, longer: Duration) -> Option<ClusterError> {
        let silent = now.saturating_duration_since(since);
        (silent > SILENT_MOST + longer)
            .then(|| ClusterError::Silent { minutes: silent.as_secs() / 60, monitors: self.monitors.clone() })
    }
}

/// Looks every second in threads of its own, since a command blocks while monitors, or the manager, are away.
pub struct Watch {
    silence: Silence,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Watch {
    /// # Errors
    /// It can't be seen which OSDs are up and how full pools are: nothing may be loaded then.
    pub fn start(cluster: &Cluster) -> Result<Watch, ClusterError> {
        let first = look(cluster)?;
        let mut known = Known::of(first, Instant::now());
        // The manager, which is asked here, may be away; that alone is no reason to load nothing.
        if let Ok((states, _)) = pg_states::look(cluster) {
            known.put_groups(states);
        }
        let silence = Silence { known: Arc::new(Mutex::new(known)), monitors: cluster.rados.option("mon_host") };
        let mut watch = Watch { silence, stop: Arc::default(), threads: Vec::new() };
        watch.look_every_second(cluster, look, |known, found| known.put(found, Instant::now()));
        let groups = |cluster: &Cluster| {
            let (states, _) = pg_states::look(cluster)?;
            let at_work = pg_states::osds_at_work(cluster, &states);
            Ok((states, at_work))
        };
        watch.look_every_second(cluster, groups, |known, found| {
            if let Ok((states, at_work)) = found {
                known.put_groups(states);
                known.seen.at_work = at_work.unwrap_or_default();
            }
        });
        Ok(watch)
    }

    /// What can't be known now, stays as it was: monitors that do not answer for a moment are no reason to stop a load that goes on.
    fn look_every_second<T>(
        &mut self,
        cluster: &Cluster,
        look: impl Fn(&Cluster) -> Result<T, ClusterError> + Send + 'static,
        put: impl Fn(&mut Known, Result<T, ClusterError>) + Send + 'static,
    ) {
        let (cluster, known, stop) = (cluster.clone(), self.silence.known.clone(), self.stop.clone());
        let take = move || {
            let found = look(&cluster);
            if let Ok(mut known) = known.lock() {
                put(&mut known, found);
            }
        };
        self.threads.push(std::thread::spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                std::thread::park_timeout(LOOK_EVERY);
                take();
            }
        }));
    }

    pub fn seen(&self) -> Seen {
        self.silence.known.lock().map(|known| known.seen.clone()).unwrap_or_default()
    }

    pub fn silence(&self) -> &Silence {
        &self.silence
    }

    /// Some: no load may go on, and why. Once two OSDs were lost, that stays so.
    pub fn ends(&self) -> Option<ClusterError> {
        let known = |known: &Known| known.two_lost().or_else(|| known.blind(Instant::now()));
        let of_known = self.silence.known.lock().ok().and_then(|all| known(&all));
        self.silence.lasts(Duration::ZERO).or(of_known)
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.iter().for_each(|thread| thread.thread().unpark());
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Counts on those that came up in a later map than the last time.
fn came_back(mut known: BTreeMap<u32, u32>, before: &BTreeMap<u32, u64>, now: &Seen) -> BTreeMap<u32, u32> {
    for (osd, epoch) in &now.up_from {
        if before.get(osd).is_some_and(|earlier| earlier < epoch) {
            *known.entry(*osd).or_default() += 1;
        }
    }
    known
}

fn look(cluster: &Cluster) -> Result<Seen, ClusterError> {
    let dump = cluster.ask(json!({"prefix": "osd dump"}))?;
    let health = cluster.ask(json!({"prefix": "health"}))?;
    read(&dump, &health).ok_or_else(|| ClusterError::answer("osd dump", "it names no OSDs or no pools"))
}

fn read(dump: &Value, health: &Value) -> Option<Seen> {
    let osds = dump.get("osds")?.as_array()?;
    let number = |osd: &Value, name: &str| osd.get(name)?.as_u64();
    let id = |osd: &Value| number(osd, "osd").map(|id| id as u32);
    let down = osds.iter().filter(|osd| osd.get("up") == Some(&json!(0))).filter_map(id).collect();
    let up_from = osds.iter().filter_map(|osd| Some((id(osd)?, number(osd, "up_from")?))).collect();
    let pools = dump.get("pools")?.as_array()?;
    let (full, at_quota) = (pools.iter().find_map(full_pool), pools.iter().filter_map(pool_at_quota).collect());
    Some(Seen { down, full, at_quota, slow: slow_operations(health), up_from, ..Seen::default() })
}

/// Monitors may have slow operations, too: they serve no I/O.
fn slow_operations(health: &Value) -> Option<String> {
    let says = health.get("checks")?.get("SLOW_OPS")?.get("summary")?.get("message")?.as_str()?;
    says.contains("osd.").then(|| says.to_owned())
}

fn full_pool(pool: &Value) -> Option<String> {
    let (name, flags) = name_and_flags(pool)?;
    // A quota that is reached sets `full` as well.
    let full = flags.contains("full") && !flags.contains("full_quota");
    let nearly = flags.contains("nearfull") || flags.contains("backfillfull");
    let how = if full { "full" } else { "nearly full" };
    (full || nearly).then(|| format!("pool {name} is {how}, since an OSD is (`ceph osd df` shows which)"))
}

fn pool_at_quota(pool: &Value) -> Option<String> {
    let (name, flags) = name_and_flags(pool)?;
    flags.contains("full_quota").then(|| name.to_string())
}

fn name_and_flags(pool: &Value) -> Option<(&str, BTreeSet<&str>)> {
    Some((pool.get("pool_name")?.as_str()?, pool.get("flags_names")?.as_str()?.split(',').collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ceph::CephError;

    #[test]
    fn silence_counts_from_the_last_answer_and_is_told_with_its_mend() {
        let since = Instant::now();
        let known = Arc::new(Mutex::new(Known::of(Seen::default(), since)));
        let silence = Silence { known, monitors: "10.0.0.1".to_string() };
        let after = |seconds: u64, longer: u64| {
            let now = since + Duration::from_secs(seconds);
            silence.at(now, since, Duration::from_secs(longer)).map(|error| error.to_string())
        };
        assert_eq!((after(0, 0), after(180, 0), after(240, 120)), (None, None, None));
        let text = after(301, 120).unwrap();
        for word in ["for 5 min", "mon_host = 10.0.0.1", "fathom restore"] {
            assert!(text.contains(word), "{text}");
        }
        assert!(after(181, 0).is_some());
    }

    fn up_and_down(up: &[u32], down: &[u32]) -> Seen {
        let all = up.iter().chain(down).map(|osd| (*osd, 1)).collect();
        Seen { down: down.iter().copied().collect(), up_from: all, ..Seen::default() }
    }

    #[test]
    fn answers_that_tell_nothing_end_a_run_as_silence_does() {
        let begin = Instant::now();
        let after = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut known = Known::of(Seen::default(), begin);
        known.put(Err(ClusterError::NotPermitted("osd dump: no rights".to_string())), after(170));
        assert!(known.answered == after(170) && known.looked == begin && known.blind(after(180)).is_none());
        let text = known.blind(after(181)).map(|error| error.to_string()).unwrap_or_default();
        assert!(text.contains("for 3 min") && text.contains("osd dump: no rights"), "{text}");
        known.put(Ok(Seen::default()), after(182));
        assert!(known.blind(after(362)).is_none());
    }

    #[test]
    fn two_osds_that_are_down_at_the_same_time_end_a_run() {
        let begin = Instant::now();
        let lost = |looks: &[&[u32]]| {
            let mut known = Known::of(up_and_down(&[0, 1, 2, 3], &[4, 5]), begin);
            let all = |down: &&[u32]| up_and_down(&[], down);
            looks.iter().for_each(|down| known.put(Ok(all(down)), begin));
            known.two_lost().map(|error| error.to_string())
        };
        assert_eq!(
            lost(&[&[4, 5], &[1, 4, 5], &[4, 5], &[2, 4, 5, 6]]),
            None,
            "one after the other, or not of the first"
        );
        let text = lost(&[&[1], &[1, 3], &[]]).unwrap_or_default();
        assert!(text.contains("osd.1, osd.3"), "{text}");
    }

    #[test]
    fn groups_that_serve_nothing_count_from_the_fewest_that_there_were() {
        let mut known = Known::of(Seen::default(), Instant::now());
        let mut told = |states: &[(&str, u32)]| {
            known.put_groups(states.iter().map(|(name, number)| (name.to_string(), *number)).collect());
            known.seen.inactive.clone()
        };
        assert_eq!(told(&[("down", 2), ("active+undersized", 9)]), None, "as it was before");
        assert_eq!(told(&[("down", 2), ("peering", 30)]), None, "for a moment");
        assert_eq!(told(&[("down", 2), ("incomplete", 1)]), Some("2 down, 1 incomplete".to_string()));
        assert_eq!(told(&[]), None);
        assert_eq!(told(&[("down", 1)]), Some("1 down".to_string()));
    }

    #[test]
    fn osds_that_come_up_in_a_later_map_are_counted() {
        let at = |up_from: &[(u32, u64)]| Seen { up_from: up_from.iter().copied().collect(), ..Seen::default() };
        let mut known = BTreeMap::new();
        let looks =
            [&[(0, 5), (1, 7)][..], &[(0, 5), (1, 9), (2, 9)], &[(0, 5)], &[(0, 5), (1, 12)], &[(0, 5), (1, 14)]];
        for two in looks.windows(2) {
            known = came_back(known, &at(two[0]).up_from, &at(two[1]));
        }
        assert_eq!(known, BTreeMap::from([(1, 2)]));
    }

    #[test]
    fn a_quota_is_no_full_osd() {
        let seen = |flags: &str| {
            let pool = json!({"pool_name": "p", "flags_names": flags});
            (full_pool(&pool).is_some(), pool_at_quota(&pool).is_some())
        };
        assert_eq!(seen("hashpspool"), (false, false));
        assert_eq!(seen("hashpspool,full,full_quota"), (false, true));
        assert_eq!(
            (seen("full"), seen("nearfull"), seen("backfillfull")),
            ((true, false), (true, false), (true, false))
        );
        assert_eq!(seen("nearfull,full,full_quota"), (true, true));
    }

    #[test]
    fn only_what_came_in_time_is_an_answer() {
        let what = || "osd dump".to_string();
        let timed_out = |error: CephError| ClusterError::Ceph(error).timed_out();
        assert!(timed_out(CephError::TimedOut { what: what(), status: String::new() }));
        assert!(!timed_out(CephError::NotFound { what: what(), status: String::new() }));
        assert!(!ClusterError::answer("osd dump", "it names no OSDs").timed_out());
    }
}
