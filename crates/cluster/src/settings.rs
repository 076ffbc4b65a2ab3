//! Changes of what is there already: options, flags, settings of pools, the balancer. None of them bears a name, so each is put back only if it is
//! known that the run made it, and that nobody has changed it since.

use crate::admin::Cluster;
use crate::apply::{Trust, Unmade, not_ours, word};
use crate::entry::{FLAGS, JournalEntry, MadeThing};
use crate::errors::ClusterError;
use crate::proof::{self, Became, Fence};
use crate::{option_values, pools, quiet, restart};
use model::{Change, secrets};
use serde_json::{Value, json};

/// What undoing has to bring back, and what is the newest of its kind now.
pub fn before(cluster: &Cluster, change: &Change) -> Result<(Option<String>, Option<u64>), ClusterError> {
    match change {
        Change::Option { who, name, .. } => {
            let version = proof::config_version(cluster)?;
            Ok((option_value(cluster, who, name)?, Some(version)))
        }
        Change::BalancerOff => {
            let version = proof::config_version(cluster)?;
            Ok((quiet::balancer(cluster)?, Some(version)))
        }
        Change::Flag { name } => {
            let map = osd_map(cluster)?;
            Ok((proof::flags(&map).any(|flag| flag == name).then(|| "set".to_string()), Some(proof::epoch(&map)?)))
        }
        Change::Restart { osd } => Ok((restart::process(cluster, *osd)?.map(|process| process.name), None)),
        Change::PoolSetting { pool, name, .. } => {
            let epoch = proof::epoch(&osd_map(cluster)?)?;
            Ok((quiet::pool_setting(cluster, pool, name)?, Some(epoch)))
        }
        _ => Ok((None, None)),
    }
}

fn osd_map(cluster: &Cluster) -> Result<Value, ClusterError> {
    cluster.ask(json!({"prefix": "osd dump"}))
}

pub fn make(cluster: &Cluster, change: &Change) -> Result<(), ClusterError> {
    match change {
        Change::Option { who, name, value } => make_option(cluster, who, name, value, change),
        Change::Flag { name } => cluster.tell(json!({"prefix": "osd set", "key": name})).map(drop),
        Change::PoolSetting { pool, name, value } => quiet::set_pool_setting(cluster, pool, name, value),
        Change::BalancerOff => quiet::balancer_off(cluster),
        _ => Ok(()),
    }
}

/// A value that is stored in another form than it was set in could not be told from another program's value when it is undone.
fn make_option(cluster: &Cluster, who: &str, name: &str, value: &str, change: &Change) -> Result<(), ClusterError> {
    let before = option_value(cluster, who, name)?;
    set_option(cluster, who, name, Some(value))?;
    match option_value(cluster, who, name)? {
        Some(now) if !option_values::same(&now, value) => {
            set_option(cluster, who, name, before.as_deref())?;
            let why = format!("the monitors keep `{value}` as `{now}`; write it like that");
            Err(ClusterError::Make { what: change.what(), why })
        }
        Some(_) => Ok(()),
        // Under another name or for others than was asked: what stood there is not known, and could not be put back.
        None => {
            set_option(cluster, who, name, None)?;
            let why = "the monitors do not keep it under this name; write it as `ceph config dump` does".to_string();
            Err(ClusterError::Make { what: change.what(), why })
        }
    }
}

/// Is the option set to this value already?
pub fn holds(cluster: Option<&Cluster>, change: &Change) -> Result<bool, ClusterError> {
    let (Change::Option { who, name, value }, Some(cluster)) = (change, cluster) else { return Ok(false) };
    Ok(option_value(cluster, who, name)?.is_some_and(|now| option_values::same(&now, value)))
}

/// Puts back what was there.
pub fn unmake(cluster: &Cluster, entry: &JournalEntry, trust: Trust) -> Result<Unmade, ClusterError> {
    match &entry.change {
        Change::Option { who, name, value } => unmake_option(cluster, (who, name), value, entry, trust),
        Change::Flag { name } => unmake_flag(cluster, name, entry, trust),
        Change::PoolSetting { pool, name, value } => unmake_pool_setting(cluster, (pool, name), value, entry, trust),
        Change::BalancerOff => unmake_balancer(cluster, entry, trust),
        _ => Ok(Unmade::Undone),
    }
}

fn fence(entry: &JournalEntry) -> Option<Fence> {
    entry.written.zip(entry.since).map(|(written, since)| Fence { written, since })
}

/// Is it known without a look at the cluster's own records? Of a journal that is in the cluster alone never: anybody may have written it, also
/// that the change was made.
fn sure(entry: &JournalEntry, trust: Trust) -> bool {
    trust.here && (entry.made.is_some() || trust.named)
}

/// Do the cluster's own records count? Of a journal that is in the cluster alone the user has to name the run besides.
fn by_records(trust: Trust) -> bool {
    trust.here || trust.named
}

/// May the option's earlier value be put back? Any option can stand in a journal that is in the cluster alone, with any value as the earlier
/// one: there also the cluster's own log has to tell that it was so.
fn is_ours(
    entry: &JournalEntry,
    trust: Trust,
    became: impl FnOnce() -> Result<Became, ClusterError>,
) -> Result<bool, ClusterError> {
    match trust.here {
        true if sure(entry, trust) => Ok(true),
        _ if !by_records(trust) => Ok(false),
        _ => Ok(became()? == Became::AsIntended),
    }
}

/// As [`refused`], but of a journal that is in the cluster alone no command is told: anybody may have written it, with any option and any value as the
/// earlier one (`auth_client_required none`).
fn refused_option(entry: &JournalEntry, trust: Trust, command: &str) -> Result<Unmade, ClusterError> {
    if trust.here {
        return refused(entry, trust, command);
    }
    let look = "look at it (ceph config dump, ceph config log), and set it by hand to what you want";
    Err(not_ours(&entry.change, format!("{}; {look}{}", why_refused(trust).0, or_name(trust))))
}

/// The text says how to put it back by hand.
fn refused(entry: &JournalEntry, trust: Trust, command: &str) -> Result<Unmade, ClusterError> {
    let (why, condition) = why_refused(trust);
    Err(not_ours(&entry.change, format!("{why}; {condition}, put it back with: {command}{}", or_name(trust))))
}

fn or_name(trust: Trust) -> &'static str {
    if trust.named { "" } else { "; or name the run: --run" }
}

/// And on which condition it may be put back.
fn why_refused(trust: Trust) -> (&'static str, &'static str) {
    match trust.here {
        true => (
            "it is not known whether the run made this change before it was killed, or somebody else later",
            "if it was the run",
        ),
        false if trust.named => (
            "the cluster's own log does not show that a run changed it so when the journal says, and anybody may have written this journal",
            "if it was so before",
        ),
        false => (
            "it bears no run's name, and anybody may have written this journal in the cluster",
            "if a run made the change",
        ),
    }
}

/// Somebody else may have set it since: then it is theirs.
fn unmake_option(
    cluster: &Cluster,
    (who, name): (&str, &str),
    value: &str,
    entry: &JournalEntry,
    trust: Trust,
) -> Result<Unmade, ClusterError> {
    let now = option_value(cluster, who, name)?;
    let became = || match fence(entry) {
        Some(fence) => proof::option_became(cluster, &format!("{who}/{name}"), entry.before.as_deref(), value, fence),
        None => Ok(Became::Unknown),
    };
    let put_back = || set_option(cluster, who, name, entry.before.as_deref()).map(|()| Unmade::Undone);
    if now.as_ref().is_some_and(|now| option_values::same(now, value)) {
        let ours = is_ours(entry, trust, became)?;
        let command = match &entry.before {
            Some(before) => format!("ceph config set {} {} {}", word(who), word(name), word(before)),
            None => format!("ceph config rm {} {}", word(who), word(name)),
        };
        return if ours { put_back() } else { refused_option(entry, trust, &command) };
    }
    let unconfirmed = trust.here && !sure(entry, trust) && now != entry.before;
    if unconfirmed && became()? == Became::Other {
        let why = "it was changed to another value just when the run set it; put it as you want it, then: fathom restore --run RUN";
        return Err(not_ours(&entry.change, why.to_string()));
    }
    Unmade::left(&other_value(name, now.as_deref(), entry.before.as_deref()))
}

/// Why an option stays that has not the value which the run set.
fn other_value(name: &str, now: Option<&str>, before: Option<&str>) -> String {
    match now {
        _ if now == before => "it is as it was before the run already".to_string(),
        Some(now) => format!("it is {} now, which the run did not set", secrets::value(name, now)),
        None => match before {
            Some(before) => format!("it is not set any more; before the run it was {}", secrets::value(name, before)),
            None => "it is not set any more".to_string(),
        },
    }
}

fn unmake_flag(cluster: &Cluster, name: &str, entry: &JournalEntry, trust: Trust) -> Result<Unmade, ClusterError> {
    let is_set = |map: &Value| proof::flags(map).any(|flag| flag == name);
    if entry.before.is_some() {
        return Unmade::left("it was set before the run");
    }
    if !is_set(&osd_map(cluster)?) {
        return Unmade::left("it is not set any more");
    }
    if !FLAGS.contains(&name) {
        return Err(not_ours(&entry.change, "no run sets that flag".to_string()));
    }
    match sure(entry, trust) || set_since(cluster, entry, trust, is_set)? {
        true => cluster.tell(json!({"prefix": "osd unset", "key": name})).map(|_| Unmade::Undone),
        false => refused(entry, trust, &format!("ceph osd unset {name}")),
    }
}

fn set_since(
    cluster: &Cluster,
    entry: &JournalEntry,
    trust: Trust,
    is_set: impl Fn(&Value) -> bool,
) -> Result<bool, ClusterError> {
    match fence(entry).filter(|_| by_records(trust)) {
        Some(fence) => proof::set_after(cluster, fence, is_set),
        None => Ok(false),
    }
}

fn unmake_pool_setting(
    cluster: &Cluster,
    (pool, name): (&str, &str),
    value: &str,
    entry: &JournalEntry,
    trust: Trust,
) -> Result<Unmade, ClusterError> {
    let Some(before) = entry.before.as_deref() else { return Unmade::left("what it was before is not known") };
    if before == value {
        return Unmade::left("it was so before the run");
    }
    // It may have got another name since.
    let renamed = match &entry.made {
        Some(MadeThing::Pool(id)) => match pools::name_of(cluster, *id)? {
            None => return Unmade::left("the pool is not there any more"),
            other => other,
        },
        _ => None,
    };
    let pool = renamed.as_deref().unwrap_or(pool);
    let now = quiet::pool_setting(cluster, pool, name)?;
    if now.as_deref() != Some(value) {
        return Unmade::left(&other_value(name, now.as_deref(), Some(before)));
    }
    let text = |pool: &Value, key: &str| pool.get(key).and_then(Value::as_str).map(str::to_string);
    let is_set = |map: &Value| {
        let pools = map.get("pools").and_then(Value::as_array);
        let own = pools.and_then(|pools| pools.iter().find(|one| text(one, "pool_name").as_deref() == Some(pool)));
        own.and_then(|own| text(own, name)).as_deref() == Some(value)
    };
    match sure(entry, trust) || set_since(cluster, entry, trust, is_set)? {
        true => quiet::set_pool_setting(cluster, pool, name, before).map(|()| Unmade::Undone),
        false => refused(entry, trust, &format!("ceph osd pool set {} {} {}", word(pool), word(name), word(before))),
    }
}

fn unmake_balancer(cluster: &Cluster, entry: &JournalEntry, trust: Trust) -> Result<Unmade, ClusterError> {
    let Some(before) = entry.before.as_deref() else { return Unmade::left("it was off before the run") };
    let stored = quiet::stored(before);
    let became = || match fence(entry).filter(|_| by_records(trust)) {
        Some(fence) => proof::option_became(cluster, quiet::LOGGED, stored, "false", fence),
        None => Ok(Became::Unknown),
    };
    if sure(entry, trust) || became()? == Became::AsIntended {
        return quiet::balancer_back(cluster, Some(before)).map(|()| Unmade::Undone);
    }
    match quiet::balancer(cluster)? {
        Some(_) => Unmade::left("it is on already"),
        None => refused(entry, trust, "ceph balancer on"),
    }
}

/// The value in the configuration database for exactly this section; `None`: not set there.
fn option_value(cluster: &Cluster, who: &str, name: &str) -> Result<Option<String>, ClusterError> {
    let all = cluster.ask(json!({"prefix": "config dump"}))?;
    let entries = all.as_array().ok_or_else(|| ClusterError::answer("config dump", "not a list"))?;
    let text = |entry: &Value, key: &str| entry.get(key).and_then(Value::as_str).unwrap_or("").to_string();
    let found = entries
        .iter()
        .find(|entry| text(entry, "section") == who && text(entry, "name") == name && text(entry, "mask").is_empty());
    Ok(found.map(|entry| text(entry, "value")))
}

pub fn set_option(cluster: &Cluster, who: &str, name: &str, value: Option<&str>) -> Result<(), ClusterError> {
    let command = match value {
        Some(value) => json!({"prefix": "config set", "who": who, "name": name, "value": value}),
        None => json!({"prefix": "config rm", "who": who, "name": name}),
    };
    cluster.tell(command).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::MadeThing;

    #[test]
    fn an_option_of_a_journal_in_the_cluster_alone_needs_the_clusters_own_log() {
        let confirmed = |made: bool| JournalEntry {
            made: made.then_some(MadeThing::Set),
            ..JournalEntry::of(Change::option("mon/x", "1"))
        };
        let ours = |here: bool, named: bool, made: bool, became: Became| {
            is_ours(&confirmed(made), Trust { here, named }, || Ok(became)).unwrap()
        };
        for became in [Became::AsIntended, Became::Other, Became::Unknown] {
            let proven = became == Became::AsIntended;
            // This host's own: what is confirmed, and what the user named after a look at it.
            assert!(ours(true, false, true, became) && ours(true, true, false, became));
            assert_eq!(ours(true, false, false, became), proven);
            // Anybody may have written it, also that it is confirmed.
            assert!(!ours(false, false, true, became));
            assert_eq!(ours(false, true, true, became), proven);
            assert_eq!(ours(false, true, false, became), proven);
        }
    }

    /// Flags, settings of pools and the balancer, as options.
    #[test]
    fn what_a_journal_in_the_cluster_alone_says_is_never_enough() {
        for change in [Change::Flag { name: "noscrub".into() }, Change::BalancerOff] {
            let entry = JournalEntry { made: Some(MadeThing::Set), ..JournalEntry::of(change) };
            for (here, named, is_sure, records) in [
                (false, false, false, false),
                (false, true, false, true),
                (true, false, true, true),
                (true, true, true, true),
            ] {
                let trust = Trust { here, named };
                assert_eq!((sure(&entry, trust), by_records(trust)), (is_sure, records), "{trust:?}");
            }
            let text =
                refused(&entry, Trust { here: false, named: true }, "ceph osd unset noscrub").unwrap_err().to_string();
            assert!(text.contains("own log does not show") && text.contains("ceph osd unset noscrub"), "{text}");
        }
    }

    #[test]
    fn of_a_journal_in_the_cluster_alone_no_command_for_an_option_is_told() {
        let entry = JournalEntry::of(Change::option("global/auth_client_required", "cephx"));
        let command = "ceph config set global auth_client_required none";
        let told =
            |here: bool, named: bool| refused_option(&entry, Trust { here, named }, command).unwrap_err().to_string();
        for named in [false, true] {
            let text = told(false, named);
            assert!(!text.contains("config set") && text.contains("ceph config log"), "{text}");
            assert_eq!(text.contains("--run"), !named, "{text}");
        }
        assert!(told(true, false).contains(command));
    }
}
