//! What an agent leaves that is killed where a file of its own keeps its name: nothing that `fathom restore` on its host does not undo.

use crate::common::{Home, LoopDevice, Mount, tool};
use agents::frame::{find_magic, read, write};
use agents::{AgentAnswer, AgentCommand, AgentEvent, Question};
use cluster::journal::AgentOf;
use model::HostChange;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

struct Agent {
    process: Child,
    orders: ChildStdin,
    news: ChildStdout,
}

impl Agent {
    fn start(home: &Home) -> Agent {
        let mut fathom = home.fathom(&["agent"]);
        let mut process = fathom.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (orders, mut news) = (process.stdin.take().unwrap(), process.stdout.take().unwrap());
        find_magic(&mut news).unwrap();
        Agent { process, orders, news }
    }

    /// `None`: it is gone.
    fn make(&mut self, path: PathBuf) -> Option<Result<(), String>> {
        let of = AgentOf { run: "20260102-030405-a1b2".into(), host: "elsewhere".into() };
        let question = Question::Make { of, change: HostChange::File { path, bytes: 1 << 20 } };
        write(&mut self.orders, &AgentCommand::Question { id: 1, question }).unwrap();
        loop {
            match read(&mut self.news).ok()? {
                AgentEvent::Answer { answer: AgentAnswer::Made(made), .. } => return Some(made),
                _ => continue,
            }
        }
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// A file system on which a file that is open would get another name if it were deleted (`.fuse_hidden…`).
fn without_nameless_files() -> (LoopDevice, Mount) {
    let device = LoopDevice::of(16 << 20);
    tool("mkntfs", &["-F", "-q", "-Q", &device.path]);
    let mount = Mount::of_type("ntfs-3g", &device.path);
    (device, mount)
}

#[test]
fn an_agent_killed_while_its_file_has_a_name_leaves_what_restore_undoes() {
    let (home, (_device, mount)) = (Home::new(), without_nameless_files());
    let journals = home.path().join("fathom/journal");
    let mut agent = Agent::start(&home);
    assert_eq!(agent.make(mount.folder.join("own")), Some(Ok(())));
    agent.process.kill().unwrap();
    agent.process.wait().unwrap();
    let left = names(&mount.folder);
    assert!(matches!(&left[..], [only] if only.starts_with(".fathom.")), "{left:?}");
    assert_eq!(names(&journals).len(), 1);
    home.run(&["restore"]).ends(3, &["the agent of run 20260102-030405-a1b2 of host elsewhere", "file "]);
    home.run(&["restore", "--yes"]).ends(0, &["undone: file "]);
    assert_eq!((names(&mount.folder), names(&journals)), (vec![], vec![]));
}

/// Its journal is no dead one's, and stands in nobody's way.
#[test]
fn the_journal_of_a_live_agent_is_left_alone_and_goes_with_it() {
    let (home, (_device, mount)) = (Home::new(), without_nameless_files());
    let journals = home.path().join("fathom/journal");
    let mut agents = [0; 2].map(|_| Agent::start(&home));
    for agent in &mut agents {
        assert_eq!(agent.make(mount.folder.join("own")), Some(Ok(())));
    }
    assert_eq!((names(&mount.folder).len(), names(&journals).len()), (2, 2));
    assert_eq!(home.run(&["restore", "--yes"]).ends(0, &[]).out, "nothing to undo\n");
    assert_eq!(names(&journals).len(), 2);
    for Agent { mut process, orders, .. } in agents {
        drop(orders);
        process.wait().unwrap();
    }
    assert_eq!((names(&mount.folder), names(&journals)), (vec![], vec![]));
}
