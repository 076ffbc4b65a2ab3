//! Limits of the kernel that a dense host reaches.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "kern-limits",
    about: Area::Host,
    what: "A limit of the kernel is close, on a host with many OSDs.",
    why: "OSDs then fail to start, or to open their disk.",
    evidence: "Of fs.aio-max-nr 90 % and more are in use; or kernel.pid_max is below 4194303 on a host with more than 20 OSDs.",
    sources: &["Ceph's documentation, \"Hardware Recommendations\""],
    needs: &[Source::Facts(FactsPart::Hosts)],
    suspect,
    fix: "sysctl -w fs.aio-max-nr=1048576 kernel.pid_max=4194303, and in /etc/sysctl.d",
    risk: "none that is known",
    confirm: "sysctl fs.aio-nr while all OSDs run",
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    of_hosts(case, "a limit of the kernel is close", close)
}

fn close(host: &HostSetup) -> Option<Phrase> {
    let requests =
        host.sysctl("fs.aio-nr").zip(host.sysctl("fs.aio-max-nr")).filter(|(used, most)| used * 10 >= most * 9);
    let requests = requests.map(|(used, most)| format!("fs.aio-nr {used} of {most}"));
    let threads = host.sysctl("kernel.pid_max").filter(|most| *most < 4_194_303 && host.osds().count() > 20);
    listed(requests.into_iter().chain(threads.map(|most| format!("kernel.pid_max {most}"))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| {
                host.sysctls.insert("fs.aio-nr".into(), "1000000".into());
            })),
            ["b"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(
            told(&RULE, |facts| one_host(facts, |host| {
                host.sysctls.insert("kernel.pid_max".into(), "32768".into());
            })),
            NOBODY
        );
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, no_hosts), NOBODY);
    }
}
