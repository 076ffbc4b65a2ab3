//! Steps that need options of the cluster to have certain values: set before a slice, and undone before one that needs others.

use super::conductor::Sides;
use super::guard::Rollback;
use super::interrupt::Interrupt;
use super::resolved::Resolved;
use super::restarts::Restarting;
use super::untouched::{Untouched, prove_undone};
use super::{EventSink, HealthMonitor, host_sides};
use cluster::dirs;
use cluster::pending;
use experiments::duration::HEARD_SECONDS;
use experiments::{harmful_options, lasting_options};
use model::change::who_and_name;
use model::clock::SECOND;
use model::host_setting::host_and_name;
use model::secrets::{self, is_secret};
use model::{Change, Clock, Event, Failure, Place, Plan, PlannedExperiment, Scope, Step, nearest};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

/// For this many values of an option OSDs are asked whether they work with it: one is not enough, since they may have had it before.
const ASKED_WITH: u32 = 2;
/// At most this many OSDs are asked whether they work with a value.
const ASKED: usize = 3;
/// In a cluster of at most this many OSDs, each is asked after every change, so that no slice waits longer than it must.
const ASKED_EACH_TIME: usize = 16;
const ALLOW: &str = "--restart osd (or osd.N) lets those OSDs be restarted for it, one after the other, with noout and healthy in between";
/// Time between two such questions.
const HEARING: u64 = SECOND / 50;

/// Every value of every option that steps need.
fn needed(plan: &Plan) -> BTreeSet<(&str, &str)> {
    let all = plan.steps.iter().flat_map(|step| &step.workload.settings);
    all.map(|(option, value)| (option.as_str(), value.as_str())).collect()
}

/// Before anything is made: are there such options, and would daemons hear of them while they run? What they may not, as warnings.
pub fn prove(resolved: &Resolved, plan: &Plan) -> Result<Vec<String>, Failure> {
    let (of_hosts, options): (Vec<_>, Vec<_>) =
        needed(plan).into_iter().partition(|(option, _)| host_and_name(option).is_some());
    for (key, value) in of_hosts {
        host_sides::prove(resolved, key, host_and_name(key).unwrap_or_default(), value)?;
    }
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    options.into_iter().for_each(|(option, value)| values.entry(option).or_default().push(value));
    values.keys().try_for_each(|option| refuse_unread(plan, option))?;
    let proven: Result<Vec<Option<String>>, Failure> =
        values.into_iter().map(|(option, values)| prove_option(resolved, option, &values)).collect();
    Ok(proven?.into_iter().flatten().collect())
}

/// librbd's options, where nothing that is measured is an image, or no image reads them.
fn refuse_unread(plan: &Plan, option: &str) -> Result<(), Failure> {
    let (who, name) = who_and_name(option);
    if !who.starts_with("client") || !name.starts_with("rbd_") {
        return Ok(());
    }
    let is_image = |target: &model::Target| matches!(target.place, Place::Images { .. });
    let mut images = plan.steps.iter().filter(|step| step.targets.iter().any(is_image)).peekable();
    if images.peek().is_none() {
        return Err(Failure::Usage(format!(
            "option {option}: only images read it, and none is measured: fathom rbd, or --layers rbd where there are several"
        )));
    }
    if name == "rbd_cache" {
        return Err(Failure::Usage(format!(
            "option {option}: Fathom's images are loaded with the cache that the run chooses, whatever is configured: fathom sweep rbd --axis \
             cache=off,writethrough,writeback puts them beside each other"
        )));
    }
    match name.starts_with("rbd_cache_") && !images.any(|step| step.workload.through_cache()) {
        true => Err(Failure::Usage(format!(
            "option {option}: only images that are loaded through librbd's cache read it: add --option cache=on"
        ))),
        false => Ok(()),
    }
}

fn prove_option(resolved: &Resolved, option: &str, values: &[&str]) -> Result<Option<String>, Failure> {
    let (who, name) = who_and_name(option);
    let Some(cluster) = &resolved.cluster else {
        return Err(Failure::Usage(format!("option {option}: it is one of a cluster, and this run has none")));
    };
    if is_secret(name) {
        return Err(Failure::Refused(format!("option {option}: its value is a secret, which no report may hold")));
    }
    refuse_odd_name(option, who, name)?;
    refuse_kept_by_osds(cluster, option, name, &resolved.inventory.scope)?;
    let osds = &resolved.inventory.scope.osds;
    if let Some(id) = who.strip_prefix("osd.").filter(|id| !osds.iter().any(|osd| osd.id.to_string() == **id)) {
        let known: Vec<String> = osds.iter().map(|osd| format!("osd.{}", osd.id)).collect();
        return Err(Failure::Usage(format!(
            "option {option}: osd.{id} does not exist; there are: {}",
            known.join(", ")
        )));
    }
    let held = pending::refuse_held(&dirs::journals(), Some(cluster), &resolved.head().run, &format!("{who}/{name}"));
    held?;
    let Some(help) = cluster.option_help(name)? else {
        let names = cluster.option_names().unwrap_or_default();
        let near = nearest(name, names.iter().map(String::as_str)).join(", ");
        let near = if near.is_empty() { near } else { format!("; nearest: {near}") };
        return Err(Failure::Usage(format!(
            "option {option}: the cluster has no option {name}{near}; `ceph config ls` names all"
        )));
    };
    for value in values {
        if let Some(instead) = help.values.instead_of(value) {
            return Err(Failure::Usage(format!("option {option}: {name} can't be `{value}`; it may be {instead}")));
        }
    }
    if let Some(why) = harmful_options::why(name, help.of_developers) {
        return Err(Failure::Refused(format!("option {option}: {why}; it is not tried on a cluster")));
    }
    // With `strict` daemons are restarted for it, or it is refused; some hear of it all the same, so else it is no refusal.
    let unheard = (!help.at_runtime && !resolved.restarts.strict).then(|| {
        format!(
            "the monitors do not say that daemons take {name} up while they run: no difference may only mean that they read it \
             when they start"
        )
    });
    let lasts = lasting_options::why(name).map(|why| {
        format!(
            "what {name} does outlasts a slice ({why}): slices beside each other may show no difference, or the other side's; \
             measure before and after the change instead, and compare (fathom compare)"
        )
    });
    let both: Vec<String> = unheard.into_iter().chain(lasts).collect();
    Ok((!both.is_empty()).then(|| both.join("; ")))
}

/// Monitors keep some under another name than the one that was written (`osd max backfills`, `class:ssd/x`): what stood there before would
/// not be known, and not be put back.
fn refuse_odd_name(option: &str, who: &str, name: &str) -> Result<(), Failure> {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c));
    match plain(who) && plain(name) {
        true => Ok(()),
        false => Err(Failure::Usage(format!(
            "option {option}: write it as WHO/NAME, whole and with underscores, as `ceph config dump` does; masks (class:ssd) can't be tried"
        ))),
    }
}

/// With mClock, OSDs take these out of the monitors' database by themselves when they change: what was there would be lost.
const KEPT_BY_MCLOCK: [&str; 4] = ["osd_mclock_", "osd_max_backfills", "osd_recovery_max_active", "osd_recovery_sleep"];

fn refuse_kept_by_osds(cluster: &cluster::Cluster, option: &str, name: &str, scope: &Scope) -> Result<(), Failure> {
    if !KEPT_BY_MCLOCK.iter().any(|own| name.starts_with(own)) {
        return Ok(());
    }
    let first = scope.osds.iter().find(|osd| osd.up).map(|osd| osd.id);
    match first.and_then(|osd| cluster.option_of_osd(osd, "osd_op_queue")).as_deref() {
        Some("wpq") => Ok(()),
        _ => Err(Failure::Refused(format!(
            "option {option}: with mClock OSDs remove it from the monitors' database by themselves, and what was set would be lost; compare \
             two runs instead (fathom compare)"
        ))),
    }
}

/// Sets each value once and undoes it, before minutes are spent on points that the monitors refuse. What OSDs do not take up is
/// noted, since the points are not what they are called then. The plan as it can be carried out: what the fitness of a drive can be told
/// without is left out of it, and the warnings say so.
pub fn try_out(
    plan: &Plan,
    resolved: &Resolved,
    clock: &Arc<dyn Clock>,
    journal: &mut Rollback,
    sink: &mut EventSink,
    interrupt: &Interrupt,
) -> Result<Plan, Failure> {
    let all = needed(plan);
    let (mut left_out, spares) = (BTreeSet::new(), matches!(plan.experiment, PlannedExperiment::Fitness { .. }));
    let mut asked: BTreeMap<&str, u32> = BTreeMap::new();
    for (number, (option, value)) in all.iter().enumerate() {
        let change = host_sides::change(&resolved.inventory, option, value);
        if journal.holds(&change)? && resolved.restarts.strict {
            return Err(Failure::Usage(format!("option {option} is set to {value} already: there is nothing to try")));
        }
        if interrupt.asked() || journal.holds(&change)? {
            continue;
        }
        let what = "trying whether the options take their values".to_string();
        sink.tell(Event::Progress { what, share: number as f64 / all.len() as f64 })?;
        let mut deaf = None;
        let then = || {
            let times = asked.entry(option).or_default();
            *times += 1;
            if *times <= ASKED_WITH && resolved.restarts.osds.is_empty() && host_and_name(option).is_none() {
                clock.wait_until(clock.now() + heard());
                deaf = deaf_to(resolved, option, value);
            }
        };
        let tried = journal.attempt(&change, then).map_err(|error| match error.refused() {
            true => Failure::Usage(format!("{option} can't be `{value}`: {error}")),
            false => error.into(),
        });
        // As it was before, and so that it could be tried.
        let stands = || host_sides::prove(resolved, option, host_and_name(option).unwrap_or_default(), value).is_ok();
        match tried {
            Err(failure) if spares && stands() => {
                sink.tell(Event::Warned { text: format!("its writes with that were left out: {failure}") })?;
                left_out.insert(option.to_string());
            }
            tried => tried?,
        }
        if let Some(text) = deaf.as_ref().filter(|_| resolved.restarts.strict) {
            return Err(Failure::Refused(format!("{text}; it was put back, and nothing else was changed: {ALLOW}")));
        }
        if let Some(text) = deaf {
            sink.tell(Event::Warned { text })?;
        }
    }
    Ok(without(plan, &left_out))
}

/// The plan without what needs one of these options: of a step on several drives that one alone.
fn without(plan: &Plan, options: &BTreeSet<String>) -> Plan {
    let left = |step: &Step| {
        let needed = step.workload.settings.keys().filter(|option| options.contains(*option));
        let needed: Vec<&String> = needed.collect();
        if needed.is_empty() {
            return Some(step.clone());
        }
        let mut step = step.clone();
        step.targets.retain(|target| !needed.iter().any(|option| is_of(plan, target, option)));
        step.workload.settings.retain(|option, _| !options.contains(option));
        step.apart &= step.targets.len() > 1;
        (!step.targets.is_empty() && !step.workload.settings.is_empty()).then_some(step)
    };
    Plan { steps: plan.steps.iter().filter_map(left).collect(), ..plan.clone() }
}

/// Is that the cache of this drive?
fn is_of(plan: &Plan, target: &model::Target, option: &str) -> bool {
    let Some((host, name)) = host_and_name(option) else { return true };
    let drive = plan.experiment.judged_drives().iter().find(|drive| drive.target == target.name);
    let disk = drive.and_then(|drive| Some(&drive.cache.as_ref()?.disk));
    let here = target.client.as_ref().is_none_or(|client| client.host == host);
    here && disk.is_none_or(|disk| name.strip_prefix("drive-cache.") == Some(disk))
}

fn heard() -> u64 {
    (HEARD_SECONDS * SECOND as f64) as u64
}

/// Some OSDs' answers to what value they work with: those that differ from this.
fn deaf_to(resolved: &Resolved, option: &str, value: &str) -> Option<String> {
    if host_and_name(option).is_some() {
        return None;
    }
    let (who, name) = who_and_name(option);
    let cluster = resolved.cluster.as_ref()?;
    let deaf = hearers(&resolved.inventory.scope, who, ASKED).into_iter().find_map(|osd| {
        let now = cluster.option_of_osd(osd, name)?;
        (!cluster::option_values::same(&now, value)).then_some((osd, now))
    });
    deaf.map(|(osd, now)| {
        format!(
            "osd.{osd} goes on with {name} = {now} while {who} is set to {value}: it reads the option only when it starts, or a \
             ceph.conf or a value of its own stands against it"
        )
    })
}

/// The OSDs that are up among those that the option is for.
pub(super) fn hearers(scope: &Scope, who: &str, most: usize) -> Vec<u32> {
    let up = scope.osds.iter().filter(|osd| osd.up).map(|osd| osd.id);
    match who {
        "osd" | "global" => up.take(most).collect(),
        _ => up.filter(|id| who == format!("osd.{id}")).collect(),
    }
}

pub struct Switch<'a> {
    resolved: &'a Resolved,
    clock: &'a Arc<dyn Clock>,
    /// Journalled as every change: killed in between, `fathom restore` undoes it.
    journal: RefCell<&'a mut Rollback>,
    /// What was made and not undone, by option.
    made: RefCell<BTreeMap<String, Change>>,
    restarting: Restarting<'a>,
    untouched: Untouched,
    /// A side that could not be reached, or that somebody else changed: from then on it is not known on which side which daemon is, and nothing
    /// more is measured.
    failed: RefCell<Option<String>>,
}

impl<'a> Switch<'a> {
    pub fn of(
        resolved: &'a Resolved,
        clock: &'a Arc<dyn Clock>,
        health: &'a dyn HealthMonitor,
        journal: &'a mut Rollback,
    ) -> Switch<'a> {
        let restarting = Restarting { resolved, clock, health };
        Switch {
            resolved,
            clock,
            journal: RefCell::new(journal),
            made: RefCell::default(),
            restarting,
            untouched: Untouched::default(),
            failed: RefCell::default(),
        }
    }

    /// The values with which OSDs work now; `None`: they are too many to be asked before every slice, or it is not an option of theirs.
    fn values(&self, option: &str) -> Option<Vec<String>> {
        let (who, name) = who_and_name(option);
        let scope = &self.resolved.inventory.scope;
        if scope.osds.len() > ASKED_EACH_TIME || !who.starts_with("osd") {
            return None;
        }
        let cluster = self.resolved.cluster.clone()?;
        let (osds, name) = (hearers(scope, who, ASKED_EACH_TIME), name.to_string());
        let ask =
            move || osds.into_iter().map(|osd| cluster.option_of_osd(osd, &name)).collect::<Option<Vec<String>>>();
        // An OSD that hangs answers when the client library times out, which is long after the slice should have begun.
        let (tell, told) = channel();
        std::thread::spawn(move || drop(tell.send(ask())));
        told.recv_timeout(Duration::from_nanos(heard())).ok().flatten()
    }

    /// Until every OSD works with another value than before, where they can be asked; never longer than they take to hear of it.
    fn wait_until_heard(&self, before: &[(&str, Option<Vec<String>>)]) {
        let until = self.clock.now() + heard();
        let deaf = |(option, before): &(&str, Option<Vec<String>>)| match (before, self.values(option)) {
            (Some(before), Some(now)) => before.iter().zip(&now).any(|(before, now)| before == now),
            _ => true,
        };
        while self.clock.now() < until && before.iter().any(deaf) {
            self.clock.wait_until(until.min(self.clock.now() + HEARING));
        }
    }

    /// Whoever undoes the run finds the restarts in the journal before the option: last in, first out.
    fn give_and_restart(&self, option: &str, value: Option<&String>, sink: &mut EventSink) -> Result<(), Failure> {
        let Some(value) = value else {
            self.give(option, None, sink)?;
            return self.restarting.to_old(&mut self.journal.borrow_mut(), sink);
        };
        self.restarting.announce(&mut self.journal.borrow_mut(), sink)?;
        self.give(option, Some(value), sink)?;
        self.restarting.to_new((who_and_name(option).1, value), sink)
    }

    fn fail(&self, error: &Failure) -> String {
        let why = error.to_string();
        self.failed.replace(Some(why.clone()));
        why
    }

    /// Whether anything was changed. What is so already is not touched.
    fn give(&self, option: &str, value: Option<&String>, sink: &mut EventSink) -> Result<bool, Failure> {
        let (mut journal, mut made) = (self.journal.borrow_mut(), self.made.borrow_mut());
        let wanted = value.map(|value| host_sides::change(&self.resolved.inventory, option, value));
        let mut changed = false;
        if let Some(other) = made.get(option) {
            let undone = journal.undo(other, sink).inspect_err(|why| {
                // How a host that can't put it back stands is not known, or somebody else has changed it there.
                if host_and_name(option).is_some() {
                    self.fail(why);
                }
            })?;
            made.remove(option);
            prove_undone(option, undone.as_ref()).inspect_err(|why| drop(self.fail(why)))?;
            changed = true;
        }
        let Some(change) = wanted else { return Ok(changed) };
        let name = who_and_name(option).1;
        if value.is_some_and(|value| secrets::value(name, value) != *value) || is_secret(name) {
            return Err(Failure::Refused(format!("option {option}: its value is a secret, which no report may hold")));
        }
        let prove = |before: Option<&str>| self.untouched.prove(option, before).inspect_err(|why| drop(self.fail(why)));
        if journal.holds(&change)? {
            return prove(value.map(String::as_str)).map(|()| changed);
        }
        match journal.make(change.clone(), sink) {
            Ok(undo) => {
                made.insert(option.to_string(), change);
                undo.map_or(Ok(()), |undo| prove(undo.before.as_deref()))?;
                Ok(true)
            }
            Err(why) => {
                // Half made is not made: the next slice tries again. Why it failed says more than why it can't be undone, which the end tells.
                drop(journal.undo(&change, sink));
                Err(why)
            }
        }
    }
}

impl Sides for Switch<'_> {
    fn ends(&self) -> bool {
        self.failed.borrow().is_some()
    }

    fn take(&self, step: &Step, sink: &mut EventSink) -> Result<(), String> {
        if let Some(why) = &*self.failed.borrow() {
            return Err(why.clone());
        }
        let mut changed = Vec::new();
        let settings = &step.workload.settings;
        // What is made already is undone first, if this step does not need it.
        let options: BTreeSet<String> = self.made.borrow().keys().chain(settings.keys()).cloned().collect();
        for option in &options {
            let value = settings.get(option);
            let wanted = value.map(|value| host_sides::change(&self.resolved.inventory, option, value));
            if self.made.borrow().get(option) == wanted.as_ref() {
                continue;
            }
            if !self.restarting.osds().is_empty() && host_and_name(option).is_none() {
                self.give_and_restart(option, value, sink).map_err(|error| self.fail(&error))?;
                continue;
            }
            let before = self.values(option);
            let changed_now = self.give(option, value, sink).map_err(|error| error.to_string())?;
            // A setting of a host is read back at once.
            if changed_now && host_and_name(option).is_none() {
                changed.push((option.as_str(), before));
            }
        }
        self.wait_until_heard(&changed);
        Ok(())
    }
}
