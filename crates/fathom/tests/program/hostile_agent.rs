//! A host whose agent is hostile or broken: the run goes on or ends without it, names it with the reason, and takes no memory for it.

use crate::common::{Home, LoopDevice, Ran};
use agents::AgentEvent;
use agents::frame::{self, MAGIC};
use model::{DiskSecond, Nic};
use std::fs;
use std::io::{Read, Write, stdin, stdout};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Between the coordinator and an agent that works: what it says is passed on until it is time to do harm.
#[test]
#[ignore = "is the agent that the other tests start"]
fn be_the_agent() {
    let how = std::env::var("HOSTILE").unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_fathom"));
    let mut agent = command.arg("agent").stdin(Stdio::inherit()).stdout(Stdio::piped()).spawn().unwrap();
    let mut from = agent.stdout.take().unwrap();
    frame::find_magic(&mut from).unwrap();
    stdout().write_all(MAGIC).unwrap();
    while let Ok(news) = frame::read::<AgentEvent>(&mut from) {
        pass_on(&how, news);
    }
    let _ = agent.wait();
    std::process::exit(0);
}

fn say(news: &AgentEvent) {
    if frame::write(&mut stdout().lock(), news).is_err() {
        std::process::exit(0);
    }
}

/// Until the coordinator ends it.
fn stay() -> ! {
    let _ = stdin().read_to_end(&mut Vec::new());
    std::process::exit(0);
}

fn pass_on(how: &str, mut news: AgentEvent) {
    match (how, &mut news) {
        ("floods", AgentEvent::Window { .. }) => loop {
            say(&AgentEvent::Filling { slice: 1, bytes: 1 });
        },
        ("window 2^32-2", AgentEvent::Window { set, .. }) => {
            set.samples.iter_mut().for_each(|(_, _, sample)| sample.window = u32::MAX - 1);
            set.window = u32::MAX - 1;
        }
        ("sample 2^32-1", AgentEvent::Window { set, .. }) => {
            set.samples.iter_mut().for_each(|(_, _, sample)| sample.window = u32::MAX);
        }
        ("a huge frame", AgentEvent::Window { .. }) => {
            stdout().write_all(&[0xff; 64]).unwrap();
            stdout().flush().unwrap();
            stay();
        }
        ("many disks", AgentEvent::Second { second, .. }) => {
            second.disks = vec![DiskSecond { name: "x".repeat(60), ..DiskSecond::default() }; 100_000];
        }
        ("many addresses", AgentEvent::Description { facts }) => {
            // One of many bytes: a vector of as many takes a slow machine longer than an agent may be silent.
            facts.nics.push(Nic { addresses: vec!["x".repeat(15_000_000)], ..Nic::default() });
        }
        _ => {}
    }
    say(&news);
}

/// Two hosts on this one: `good`, and `evil`, whose agent is as said.
struct Hosts {
    home: Home,
}

impl Hosts {
    /// `evil`: how it is reached, as a shell has it.
    fn reached(evil: &str) -> Hosts {
        let home = Home::new();
        let (ssh, fathom) = (home.path().join("ssh"), env!("CARGO_BIN_EXE_fathom"));
        let script = format!("#!/bin/sh\ncase \" $* \" in *\" evil \"*) {evil};; *) exec {fathom} agent;; esac\n");
        fs::write(&ssh, script).unwrap();
        fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).unwrap();
        fs::create_dir(home.path().join("disk")).unwrap();
        Hosts { home }
    }

    fn hostile(how: &str) -> Hosts {
        let own = std::env::current_exe().unwrap();
        let agent = "--ignored --exact --nocapture --test-threads=1 hostile_agent::be_the_agent";
        Hosts::reached(&format!("HOSTILE='{how}' exec {} {agent}", own.display()))
    }

    fn run(&self, words: &[&str]) -> Ran {
        let path = format!("{}:{}", self.home.path().display(), std::env::var("PATH").unwrap());
        self.home.run_with(words, &[("PATH", &path)])
    }

    fn disk(&self, path: &str, more: &[&str]) -> Ran {
        let path = self.home.path().join(path).display().to_string();
        let words = ["disk", &path, "--hosts", "good,evil", "--duration", "1s", "--passes", "1", "--working-set", "1M"];
        self.run(&[&words[..], more].concat())
    }
}

/// What is left is the other host's figure.
#[test]
fn the_run_goes_on_without_a_hostile_agent_and_says_why() {
    let all = [
        ("floods", "messages a second"),
        ("window 2^32-2", "it tells of window 4294967294"),
        ("sample 2^32-1", "a sample of window 4294967295"),
        ("a huge frame", "a frame of 4294967295 bytes"),
        ("many disks", "too long for its kind"),
    ];
    std::thread::scope(|scope| {
        for (how, why) in all {
            scope.spawn(move || {
                let hosts = Hosts::hostile(how);
                let more = ["--patterns", "read-latency", "--format", "json"];
                let ran = hosts.disk("disk", &more);
                let document = ran.ends(4, &["device evil:", why]).json();
                let chart = document["chart"].as_array().unwrap();
                assert!(!chart.is_empty(), "{how}: {document:#}");
                assert_eq!(fs::read_dir(hosts.home.path().join("disk")).unwrap().count(), 0, "{how}");
            });
        }
    });
}

#[test]
fn a_host_that_describes_itself_without_end_is_refused() {
    let ran = Hosts::hostile("many addresses").disk("disk", &["--patterns", "read-latency"]);
    ran.ends(1, &["evil does not answer: it broke a limit", "too long for its kind"]);
}

#[test]
fn a_host_that_closes_its_output_and_stays_is_not_waited_for() {
    let hosts = Hosts::reached("echo hello; exec 1>&-; exec sleep 60");
    let began = std::time::Instant::now();
    let ran = hosts.run(&["hosts", "--hosts", "evil"]);
    assert_eq!(ran.code, 4, "{}\n{}", ran.out, ran.err);
    assert!(ran.out.contains("hello") && began.elapsed() < Duration::from_secs(30), "{}", ran.out);
}

#[test]
fn what_an_agent_can_not_see_is_told_here() {
    if !nix::unistd::geteuid().is_root() {
        return eprintln!("skipped: a namespace of processes needs root");
    }
    let contained = format!("exec unshare --pid --fork --mount-proc {} agent", env!("CARGO_BIN_EXE_fathom"));
    let (hosts, device) = (Hosts::reached(&contained), LoopDevice::of(16 << 20));
    let ran = hosts.run(&["disk", &device.path, "--hosts", "evil", "--patterns", "write-latency", "--dry-run"]);
    let unseen = "processes outside of this container are not seen";
    ran.ends(0, &[&format!("warning: evil: {}: {unseen}", device.path)]);
}
