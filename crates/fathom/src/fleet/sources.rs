//! Where the list of hosts comes from: the command line, a file, or a lab's network namespaces.

use crate::cli::hosts::HostArgs;
use crate::failure::Failure;
use remote::{NamesError, Program, SshOptions, Transport, build};

/// The hosts that a command names, and the program that they get.
pub struct Wanted {
    pub hosts: Vec<(String, Transport)>,
    pub program: Program,
}

impl From<NamesError> for Failure {
    fn from(error: NamesError) -> Failure {
        Failure::Usage(error.to_string())
    }
}

/// `lab`: the name of a lab, whose hosts are meant where no others are named.
///
/// # Errors
/// No host is named, or a name makes no sense.
pub fn wanted(args: &HostArgs, lab: Option<&str>) -> Result<Wanted, Failure> {
    let names = match (&args.hosts, &args.hosts_file, lab) {
        (Some(list), ..) => remote::expand(list)?,
        (None, Some(file), _) => {
            let text = std::fs::read_to_string(file)
                .map_err(|error| Failure::Usage(format!("--hosts-file {}: {error}", file.display())))?;
            remote::of_file(&text)
                .map_err(|error| Failure::Usage(format!("--hosts-file {}: {error}", file.display())))?
        }
        (None, None, Some(lab)) => of_lab(lab)?,
        (None, None, None) => {
            let text = "which hosts? Name them with --hosts a,b[1-9], --hosts-file FILE, or --lab NAME";
            return Err(Failure::Usage(text.to_string()));
        }
    };
    let options = SshOptions {
        config: args.ssh_config.clone(),
        identity: args.identity.clone(),
        options: args.ssh_option.clone(),
    };
    let hosts = names.into_iter().map(|name| Ok((name.clone(), Transport::of(&name, &options)?)));
    let hosts = hosts.collect::<Result<Vec<_>, NamesError>>()?;
    Ok(Wanted { hosts, program: program(args)? })
}

fn program(args: &HostArgs) -> Result<Program, Failure> {
    let Some(path) = &args.agent else { return Ok(Program::own(args.sudo)?) };
    let build = build::id(path).map_err(|error| Failure::Usage(format!("--agent {}: {error}", path.display())))?;
    Ok(Program { path: path.clone(), build, sudo: args.sudo })
}

fn of_lab(name: &str) -> Result<Vec<String>, Failure> {
    let lab = lab::status(name)?.filter(|lab| lab.state == lab::State::Ready);
    let lab = lab.ok_or_else(|| Failure::Failed(format!("lab {name} does not run; start it with: fathom lab up")))?;
    let of = |host: &lab::Host| match &host.namespace {
        Some(namespace) => format!("netns:{namespace}"),
        None => format!("here:{}", host.name),
    };
    Ok(lab.hosts.iter().map(of).collect())
}
