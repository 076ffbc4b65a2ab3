//! Where the list of hosts comes from: the command line, a file, a lab, cephadm, or labels of Kubernetes.

use super::HostOptions;
use super::{kube, orch};
use crate::memory_file::MemoryFile;
use crate::{NamesError, Program, SshOptions, Transport};
use cluster::{Cluster, text_file};
use model::Failure;
use std::path::PathBuf;

/// The hosts that a command names, and the programs of which each gets the one that fits it.
pub struct Wanted {
    pub hosts: Vec<(String, Transport)>,
    pub programs: Vec<Program>,
    /// Those that are not to load the cluster.
    pub spared: Vec<String>,
    /// Those of them that are virtual machines.
    pub guests: Vec<String>,
    /// Hosts that are meant and not tried, in words.
    pub left_out: Vec<String>,
    /// Files of ssh that are wanted while hosts are reached.
    pub _kept: Vec<MemoryFile>,
}

/// A cluster, if it is needed.
pub type ClusterOf<'a> = &'a dyn Fn() -> Result<Cluster, Failure>;

/// `lab`: the name of a lab, whose hosts are meant where no others are named. `cluster`: asked for its hosts.
///
/// # Errors
/// No host is named, or a name makes no sense.
fn listed(args: &HostOptions, lab: Option<&str>, cluster: ClusterOf) -> Result<Wanted, Failure> {
    let of_the_lab = lab.filter(|_| args.hosts_file.is_none() && args.number().is_some() == args.hosts.is_some());
    if let Some(lab) = of_the_lab {
        return of_lab(args, lab);
    }
    let names = match (&args.hosts, &args.hosts_file) {
        (Some(number), _) if args.number().is_some() => {
            let text = format!("hosts {number}: a number of hosts needs --lab; others are named: --hosts a,b[1-9]");
            return Err(Failure::Usage(text));
        }
        (Some(list), _) if is_orch(list) => {
            return orch::hosts(&cluster()?, list.strip_prefix("orch:"), args);
        }
        (Some(list), _) => match list.strip_prefix("kube-label:") {
            Some(selector) => kube::pods(selector)?,
            None => {
                hosts_alone(list).map_err(Failure::Usage)?;
                in_lab(crate::expand(list)?, lab)?
            }
        },
        (None, Some(file)) => {
            let wrong = |why: String| Failure::Usage(format!("--hosts-file {}: {why}", file.display()));
            let text = text_file::read_up_to(file, text_file::LARGEST).map_err(|error| wrong(error.to_string()))?;
            hosts_alone(&text).map_err(wrong)?;
            in_lab(crate::of_file(&text).map_err(|error| wrong(error.to_string()))?, lab)?
        }
        (None, None) => {
            let text = "which hosts? Name them with --hosts a,b[1-9], --hosts-file FILE, --lab NAME, --hosts orch (cephadm) or --hosts kube-label:NAME=VALUE";
            return Err(Failure::Usage(text.to_string()));
        }
    };
    reached(args, names, args.ssh_config.clone())
}

/// With a lab a plain name is that of one of its hosts: no other host of that name is meant. Others are named with their user, domain or way.
///
/// # Errors
/// The lab has no such host, or does not run.
fn in_lab(names: Vec<String>, lab: Option<&str>) -> Result<Vec<String>, Failure> {
    let is_plain = |name: &String| !name.contains(['@', '.', ':']);
    let Some(lab) = lab.filter(|_| names.iter().any(is_plain)) else { return Ok(names) };
    let hosts = running_lab(lab)?.hosts;
    let of = |name: String| match hosts.iter().find(|host| host.name == name) {
        Some(lab::Host { namespace: Some(namespace), .. }) => Ok(format!("netns:{namespace}")),
        Some(_) => Ok(format!("here:{name}")),
        None if is_plain(&name) => {
            let known: Vec<&str> = hosts.iter().map(|host| host.name.as_str()).collect();
            Err(Failure::Usage(format!("lab {lab} has no host {name}; it has {}", known.join(", "))))
        }
        None => Ok(name),
    };
    names.into_iter().map(of).collect()
}

fn is_orch(list: &str) -> bool {
    (list == "orch" || list.starts_with("orch:")) && !list.contains(',')
}

/// What stands for hosts that somebody else knows is a whole list: within a longer one it would be taken for a host's name.
fn hosts_alone(text: &str) -> Result<(), String> {
    let lines = text.lines().map(|line| line.split('#').next().unwrap_or_default());
    let mut words = lines.flat_map(|line| line.split([',', ' ', '\t']));
    match words.find(|word| is_orch(word) || word.starts_with("kube-label:")) {
        Some(word) => Err(format!("{word} is a list of its own, and no part of another: --hosts {word}")),
        None => Ok(()),
    }
}

/// Those of `--hosts`, and those of `--osd-hosts` and `--guests` that are not among them.
///
/// # Errors
/// No host is named, a name makes no sense, or a guest is meant for something else as well.
pub fn wanted(args: &HostOptions, lab: Option<&str>, cluster: ClusterOf) -> Result<Wanted, Failure> {
    let others = args.osd_hosts.is_some() || args.guests.is_some();
    let mut all = match args.hosts.is_some() || args.hosts_file.is_some() || !others {
        true => listed(args, lab, cluster)?,
        false => none(programs(args)?),
    };
    if let Some(list) = &args.osd_hosts {
        let mut more = listed(&only(args, list), lab, cluster)?;
        more.hosts.retain(|(name, _)| all.hosts.iter().all(|(known, _)| known != name));
        all.spared = names(&more);
        all.add(more);
    }
    if let Some(list) = &args.guests {
        let guests = guests(args, list, lab, cluster)?;
        let twice = |name: &&String| all.hosts.iter().any(|(known, _)| known == *name);
        if let Some(name) = names(&guests).iter().find(twice) {
            return Err(Failure::Usage(format!(
                "--guests {name}: it is among --hosts or --osd-hosts as well; a guest loads its own disks and nothing else, leave it out there"
            )));
        }
        all.guests = names(&guests);
        all.spared.extend(names(&guests));
        all.add(guests);
    }
    Ok(all)
}

fn guests(args: &HostOptions, list: &str, lab: Option<&str>, cluster: ClusterOf) -> Result<Wanted, Failure> {
    match lab.filter(|_| list == lab::GUEST) {
        // Only the lab's own configuration knows where it is.
        Some(lab) => reached(args, vec![lab::GUEST.to_string()], running_lab(lab)?.ssh_config),
        None => listed(&only(args, list), None, cluster),
    }
}

/// These hosts and no others, reached in the same way.
fn only(args: &HostOptions, list: &str) -> HostOptions {
    HostOptions { hosts: Some(list.to_string()), hosts_file: None, osd_hosts: None, guests: None, ..args.clone() }
}

fn names(of: &Wanted) -> Vec<String> {
    of.hosts.iter().map(|(name, _)| name.clone()).collect()
}

fn none(programs: Vec<Program>) -> Wanted {
    let (spared, guests) = (Vec::new(), Vec::new());
    Wanted { hosts: Vec::new(), programs, spared, guests, left_out: Vec::new(), _kept: Vec::new() }
}

impl Wanted {
    fn add(&mut self, mut more: Wanted) {
        self.hosts.append(&mut more.hosts);
        self.left_out.append(&mut more.left_out);
        self._kept.append(&mut more._kept);
    }
}

fn reached(args: &HostOptions, names: Vec<String>, config: Option<PathBuf>) -> Result<Wanted, Failure> {
    for file in config.iter().chain(&args.identity) {
        text_file::prove_end(file).map_err(|error| Failure::Usage(format!("{}: {error}", file.display())))?;
    }
    let options = SshOptions { config, identity: args.identity.clone(), options: args.ssh_option.clone() };
    let hosts = names.into_iter().map(|name| Ok((name.clone(), Transport::of(&name, &options)?)));
    let hosts = hosts.collect::<Result<Vec<_>, NamesError>>()?;
    Ok(Wanted { hosts, ..none(programs(args)?) })
}

/// Those of `--agent`, else the running one.
pub fn programs(args: &HostOptions) -> Result<Vec<Program>, Failure> {
    if args.agent.is_empty() {
        return Ok(vec![Program::own(args.sudo)?]);
    }
    let program = |path: &PathBuf| {
        Program::of(path, args.sudo).map_err(|error| Failure::Usage(format!("--agent {}: {error}", path.display())))
    };
    args.agent.iter().map(program).collect()
}

/// # Errors
/// It does not run.
pub fn running_lab(name: &str) -> Result<lab::LabCluster, Failure> {
    let lab = lab::status(name)?.filter(|lab| lab.state == lab::State::Ready);
    lab.ok_or_else(|| Failure::from(lab::LabError::NotRunning { name: name.to_string() }))
}

/// By ssh, as real hosts are; else through their network namespaces.
fn of_lab(args: &HostOptions, name: &str) -> Result<Wanted, Failure> {
    // Only the lab's own configuration knows where its hosts are. One that is named may be for other hosts of OSDs, or guests.
    let others = args.osd_hosts.is_some() || args.guests.as_ref().is_some_and(|list| list != lab::GUEST);
    if let Some(config) = args.ssh_config.as_ref().filter(|_| !others) {
        return Err(Failure::Usage(format!(
            "--ssh-config {}: lab {name} has a configuration of ssh of its own; leave this one out",
            config.display()
        )));
    }
    let lab = running_lab(name)?;
    let of = |host: &lab::Host| match (&lab.ssh_config, &host.namespace) {
        (Some(_), Some(_)) => host.name.clone(),
        (None, Some(namespace)) => format!("netns:{namespace}"),
        (_, None) => format!("here:{}", host.name),
    };
    if let Some(wanted) = args.number().filter(|number| *number as usize != lab.hosts.len()) {
        let there = lab.hosts.iter().filter(|host| host.namespace.is_some()).count();
        let text = format!("--hosts {wanted}: lab {name} runs with {there}; take it down, or name another one");
        return Err(Failure::Usage(text));
    }
    reached(args, lab.hosts.iter().map(of).collect(), lab.ssh_config.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(args: HostOptions) -> String {
        let no_cluster = || -> Result<Cluster, Failure> { Err(Failure::Failed("asked for a cluster".into())) };
        wanted(&args, None, &no_cluster).map(|wanted| wanted.hosts).unwrap_err().to_string()
    }

    #[test]
    fn a_number_of_hosts_is_of_a_lab() {
        assert!(
            refused(HostOptions { hosts: Some("3".into()), ..HostOptions::default() })
                .contains("hosts 3: a number of hosts needs --lab")
        );
        assert!(refused(HostOptions { osd_hosts: Some("3".into()), ..HostOptions::default() }).contains("needs --lab"));
    }

    #[test]
    fn a_labs_hosts_are_reached_by_its_own_configuration_alone() {
        let no_cluster = || -> Result<Cluster, Failure> { Err(Failure::Failed("asked for a cluster".into())) };
        let of = |hosts: Option<&str>, osd_hosts: Option<&str>, guests: Option<&str>| {
            let [hosts, osd_hosts, guests] = [hosts, osd_hosts, guests].map(|list| list.map(str::to_string));
            let args = HostOptions { hosts, osd_hosts, guests, ssh_config: Some("c".into()), ..HostOptions::default() };
            wanted(&args, Some("none-of-this-name"), &no_cluster).map(|wanted| wanted.hosts).unwrap_err().to_string()
        };
        let own = "a configuration of ssh of its own";
        assert!(of(Some("3"), None, None).contains(own));
        assert!(of(None, Some("3"), None).contains(own));
        assert!(of(Some("3"), None, Some(lab::GUEST)).contains(own));
    }

    #[test]
    fn a_guest_is_nothing_else() {
        let of = |guests: &str| HostOptions {
            hosts: Some("netns:a,netns:b".into()),
            guests: Some(guests.into()),
            ..HostOptions::default()
        };
        assert!(refused(of("netns:b")).contains("--guests netns:b: it is among --hosts"));
        let no_cluster = || -> Result<Cluster, Failure> { Err(Failure::Failed("asked for a cluster".into())) };
        let found = wanted(&of("netns:c"), None, &no_cluster).unwrap();
        assert_eq!(
            (names(&found).len(), found.spared, found.guests),
            (3, vec!["netns:c".into()], vec!["netns:c".into()])
        );
    }

    #[test]
    fn a_lab_is_not_reached_by_another_configuration() {
        let no_cluster = || -> Result<Cluster, Failure> { Err(Failure::Failed("asked for a cluster".into())) };
        let args = HostOptions { ssh_config: Some("/c".into()), ..HostOptions::default() };
        let said = wanted(&args, Some("x"), &no_cluster).map(|wanted| wanted.hosts).unwrap_err().to_string();
        assert!(said.contains("--ssh-config /c: lab x has"), "{said}");
    }

    #[test]
    fn lists_of_others_are_no_part_of_a_list() {
        for (list, word) in [
            ("a,orch", "orch is a list of its own"),
            ("orch,a", "orch is a list of its own"),
            ("orch:osd,a", "orch:osd is"),
            ("a kube-label:app=x", "kube-label:app=x is"),
        ] {
            let said = refused(HostOptions { hosts: Some(list.into()), ..HostOptions::default() });
            assert!(said.contains(word), "{list}: {said}");
        }
        assert!(
            refused(HostOptions { hosts: Some("orch:osd".into()), ..HostOptions::default() }).contains("a cluster")
        );
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(&file, "a # not orch\nb, orch\n").unwrap();
        let said = refused(HostOptions { hosts_file: Some(file.path().into()), ..HostOptions::default() });
        assert!(said.contains("--hosts-file") && said.contains("orch is a list"), "{said}");
    }
}
