//! Settings of hosts as sides: which host is meant, whether it has the setting, and how it is now.

use super::resolved::Resolved;
use cluster::host_settings;
use model::host_setting::{HostSetting, host_and_name, same_value};
use model::{Change, Failure, Inventory};

/// The host as agents are asked for it; `None`: this one.
fn named<'k>(inventory: &Inventory, host: &'k str) -> Option<&'k str> {
    let agent = inventory.hosts.iter().any(|known| known.end.host == host);
    Some(host).filter(|_| agent)
}

/// What brings a step's setting about.
pub fn change(inventory: &Inventory, key: &str, value: &str) -> Change {
    match host_and_name(key) {
        Some((host, name)) => Change::host_setting(named(inventory, host), name, value),
        None => Change::option(key, value),
    }
}

/// Before anything is changed: is there such a host, has it the setting, and is that another value?
///
/// # Errors
/// What is missing, and the mend.
pub fn prove(resolved: &Resolved, key: &str, (host, name): (&str, &str), value: &str) -> Result<(), Failure> {
    let wrong = |why: String| Failure::Usage(format!("{key}={value}: {why}"));
    let setting = HostSetting::parse(name).map_err(wrong)?;
    setting.prove_value(value).map_err(wrong)?;
    let agent = named(&resolved.inventory, host);
    let here = &resolved.inventory.here.name;
    if agent.is_none() && ![here.as_str(), "localhost"].contains(&host) {
        return Err(wrong(format!(
            "{host} is neither this host ({here}) nor one on which an agent runs; name it: --osd-hosts {host}, and --sudo where \
             root's rights need that"
        )));
    }
    let value_of = |name: &str| {
        let now = match (agent, &resolved.fleet) {
            (Some(host), Some(fleet)) => fleet.borrow_mut().value(host, name),
            _ => host_settings::read(name),
        };
        now.map_err(|why| wrong(format!("{host}: {why}")))
    };
    let now = value_of(name)?;
    if let HostSetting::Sysctl(_) = setting
        && now.split_whitespace().count() != value.split_whitespace().count()
    {
        return Err(wrong(format!("{host} has `{now}`; name as many values")));
    }
    if let Some(chosen) = chosen_by_driver(&setting)
        && value_of(&chosen)? == "on"
    {
        return Err(wrong(format!(
            "{host}: {chosen} is on, so that its driver chooses this value itself; try host:{host}/{chosen}=off"
        )));
    }
    let same = match setting {
        // What is held counts only where nobody holds a lower one.
        HostSetting::CpuDmaLatency => {
            matches!((now.parse::<i32>(), value.parse()), (Ok(now), Ok(value)) if now <= value)
        }
        _ => same_value(&now, value),
    };
    match same {
        true => Err(wrong(format!("{host} has {now} already; there is nothing to try"))),
        false => Ok(()),
    }
}

/// The setting by which the driver chooses this one itself.
fn chosen_by_driver(setting: &HostSetting) -> Option<String> {
    let HostSetting::Coalescing { nic, what } = setting else { return None };
    let (way, _) = what.split_once('-').filter(|(way, _)| ["rx", "tx"].contains(way))?;
    Some(format!("coalescing.{nic}.adaptive-{way}"))
}
