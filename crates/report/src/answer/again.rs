//! The run's own command: what of it the next command needs as well.

use model::{Change, Report, shell};

/// Options that name a cluster and its user, long and short: without them a command would load another one.
const CLUSTER: [&[&str]; 5] = [&["--lab"], &["--conf", "-c"], &["--cluster"], &["--id"], &["--keyring", "-k"]];
/// Options that name the hosts which load, and how they are reached.
const HOSTS: [&[&str]; 9] = [
    &["--hosts"],
    &["--hosts-file"],
    &["--osd-hosts"],
    &["--guests"],
    &["--sudo"],
    &["--identity"],
    &["--ssh-config"],
    &["--ssh-option"],
    &["--agent"],
];
/// Of the above, what has no value.
const ALONE: &str = "--sudo";
/// What a sweep chooses by itself, or another experiment has otherwise.
const OF_SWEEPS: [&str; 7] = ["--axis", "--duration", "--passes", "--settle", "--report", "--depth", "-d"];

/// As it was typed.
pub(super) fn words(report: &Report) -> Vec<String> {
    shell::words(&report.head.command)
}

/// The cluster that the run was on, as options. A lab that is gone has no name any more, and another is started.
pub(super) fn on_cluster(report: &Report) -> String {
    if report.head.own_lab {
        let gateway = report.changes.iter().any(|undo| matches!(undo.change, Change::Bucket { .. }));
        return if gateway { " --lab --with rgw" } else { " --lab" }.to_string();
    }
    CLUSTER.iter().map(|names| first(report, names)).collect()
}

/// The cluster, and the hosts that load it.
pub(super) fn on(report: &Report) -> String {
    let hosts: String = HOSTS.iter().map(|names| first(report, names)).collect();
    on_cluster(report) + &hosts
}

fn first(report: &Report, names: &[&str]) -> String {
    names.iter().map(|name| option(report, name)).find(|option| !option.is_empty()).unwrap_or_default()
}

/// An option of the run's command, each time with its value, to be typed behind another command; empty: it has none.
pub(crate) fn option(report: &Report, name: &str) -> String {
    let all = words(report);
    let own = all.iter().enumerate().filter_map(|(place, word)| {
        let joined = word.strip_prefix(name).is_some_and(|rest| rest.starts_with('='));
        let value = all.get(place + 1).filter(|value| name != ALONE && !value.starts_with('-'));
        match (joined, word == name, value) {
            (true, ..) => Some(format!(" {}", shell::word(word))),
            (_, true, Some(value)) => Some(format!(" {name} {}", shell::word(value))),
            (_, true, None) => Some(format!(" {name}")),
            _ => None,
        }
    });
    own.collect()
}

/// The run's command without these options and their values.
pub(super) fn without(report: &Report, names: &[&str]) -> String {
    typed(&left(&words(report), names))
}

/// The same, of an option without a value.
pub(super) fn without_flag(report: &Report, name: &str) -> String {
    typed(&words(report).into_iter().filter(|word| word != name).collect::<Vec<_>>())
}

fn left(words: &[String], names: &[&str]) -> Vec<String> {
    let (mut left, mut value) = (Vec::new(), false);
    for word in words {
        let joined = names.iter().any(|name| word.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')));
        let own = joined || names.contains(&word.as_str());
        let is_value = value && !word.starts_with('-');
        if !own && !is_value {
            left.push(word.clone());
        }
        value = own && !joined;
    }
    left
}

fn typed(words: &[String]) -> String {
    words.iter().map(|word| shell::word(word)).collect::<Vec<_>>().join(" ")
}

/// The load of a sweep by depth alone with this one; `None`: it had other axes as well, of which this says nothing.
pub(super) fn at_depth(report: &Report, depth: u32) -> Option<String> {
    let words = words(report);
    let axes = words.iter().filter(|word| *word == "--axis" || word.starts_with("--axis=")).count();
    let at = words.iter().position(|word| word == "sweep").filter(|_| axes == 1)?;
    let mut words = left(&words, &OF_SWEEPS);
    words.remove(at);
    Some(format!("{} --depth {depth}", typed(&words)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> Report {
        let mut report = Report::default();
        report.head.command = command.to_string();
        report
    }

    #[test]
    fn the_next_command_has_the_cluster_and_the_hosts_of_this_one() {
        let report =
            of("fathom run -c '/a b/ceph.conf' --hosts a,b --sudo --ssh-option X=1 --ssh-option Y=2 --pool vms");
        assert_eq!(on(&report), " -c '/a b/ceph.conf' --hosts a,b --sudo --ssh-option X=1 --ssh-option Y=2");
        assert_eq!(on_cluster(&report), " -c '/a b/ceph.conf'");
        assert_eq!(option(&of("fathom disk --sudo /dev/sdb"), "--sudo"), " --sudo");
    }

    #[test]
    fn a_knee_is_measured_with_the_load_of_its_sweep() {
        let sweep =
            of("fathom sweep rbd --pool vms --patterns write-parallel --axis depth=1,4,16 --passes 6 --hosts a,b");
        let told = at_depth(&sweep, 16);
        assert_eq!(told.as_deref(), Some("fathom rbd --pool vms --patterns write-parallel --hosts a,b --depth 16"));
        assert_eq!(at_depth(&of("fathom sweep rbd --axis depth=1,4 --axis=block-size=4k,64k"), 4), None);
    }

    #[test]
    fn what_a_shell_would_take_apart_stays_in_quotes() {
        let report = of("fathom rbd --duration 5s --rate-max-where 'p99<10ms'");
        assert_eq!(without(&report, &["--duration"]), "fathom rbd --rate-max-where 'p99<10ms'");
    }
}
