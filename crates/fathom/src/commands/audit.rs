//! `fathom audit`: what settings and states hint at. Nothing is loaded, nothing is changed.

use crate::cli::Common;
use crate::cli::audit::AuditArgs;
use crate::exit_codes::{HINTS, INCOMPLETE};
use agents::fleet;
use cluster::Cluster;
use model::Failure;
use report::{audit, json};

pub fn run(common: &Common, args: &AuditArgs) -> Result<u8, Failure> {
    args.hosts.refuse_ways_to_none()?;
    let mut access = common.cluster.access();
    if let Some(name) = &args.lab {
        access.conf.get_or_insert(fleet::running_lab(name)?.conf);
    }
    let cluster = Cluster::connect(&access)?;
    let options = args.hosts.options();
    let (mut fleet, mut left_out) = (None, Vec::new());
    let mut all_answered = true;
    if options.named() {
        let again = || Ok(Cluster::connect(&access)?);
        let wanted = fleet::wanted(&options, args.lab.as_deref(), &again)?;
        let tell = |text: &str| {
            if !common.quiet {
                eprintln!("{text}");
            }
        };
        let (reached, silent) = fleet::connect_all(&wanted.hosts, &wanted.programs, &tell);
        all_answered = silent.is_empty() && wanted.left_out.is_empty();
        left_out.extend(wanted.left_out.iter().cloned());
        left_out.extend(silent.into_iter().map(|one| format!("{}: {}", one.name, one.why)));
        fleet = Some(reached);
    }
    let mut facts = agents::facts::look(&cluster, fleet.as_mut());
    facts.left_out.extend(left_out);
    let fsid = facts.cluster.fsid.clone();
    let found = experiments::diagnose::audit(facts);
    super::show(common, &audit::blocks(&found), || json::audit(&found, fsid.as_deref()))?;
    // A host that was named and not looked at is no host without hints.
    Ok(match (found.hints.is_empty(), all_answered) {
        (true, true) => 0,
        (true, false) => INCOMPLETE,
        (false, _) => HINTS,
    })
}
