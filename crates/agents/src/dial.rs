//! Reaches a host: starts the agent there, sends it first if it is not there yet, and says what is wrong in the user's words.

use crate::build;
use crate::explain;
use crate::frame::{self, FrameError};
use crate::link::Pipes;
use crate::message::AgentEvent;
use crate::room::{self, Narrow};
use crate::scripts;
use crate::transport::Transport;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// From the command's start to the agent's first message; a slow login takes seconds.
const TIMEOUT: Duration = Duration::from_secs(30);
/// How long sending the program over a slow connection may take.
const SENDING: Duration = Duration::from_secs(300);
/// How long the program that leads to the host (such as ssh) may take to end; then it is killed.
const FAREWELL: Duration = Duration::from_secs(2);
/// At most this many bytes of a host's output are looked at: its end, since a banner comes first.
const SHOWN: usize = 64 << 10;

/// Bytes. No build of fathom is larger, and a device must not be sent without end.
const PROGRAM_MOST: u64 = 1 << 30;

#[derive(Debug, Clone, thiserror::Error)]
#[error("{host}: {what}")]
pub struct DialError {
    pub host: String,
    /// What is wrong, and how to fix it.
    pub what: String,
}

/// What is sent, and how it is started.
#[derive(Clone, Debug)]
pub struct Program {
    pub path: PathBuf,
    pub build: String,
    /// The kind of machine that it is for.
    pub machine: String,
    /// Its length: a file of another length is no copy of it.
    pub bytes: u64,
    pub sudo: bool,
}

impl Program {
    /// # Errors
    /// It can't be read, or is no program.
    pub fn of(path: &Path, sudo: bool) -> io::Result<Program> {
        let metadata = std::fs::metadata(path)?;
        if !metadata.is_file() || metadata.len() > PROGRAM_MOST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it is no program for Linux"));
        }
        Ok(Program {
            build: build::id(path)?,
            machine: build::machine(path)?,
            bytes: metadata.len(),
            path: path.to_path_buf(),
            sudo,
        })
    }

    /// The running one.
    ///
    /// # Errors
    /// It can't be read.
    pub fn own(sudo: bool) -> io::Result<Program> {
        Program::of(Path::new(build::OWN), sudo)
    }
}

/// An agent that said its first word.
pub struct Dialled {
    pub pipes: Pipes,
    /// It was sent, for it was not there.
    pub sent: bool,
}

/// `programs`: of several, the first that is for that kind of machine is sent.
///
/// # Errors
/// What is wrong with the host, and how to fix it.
pub fn dial(transport: &Transport, programs: &[Program]) -> Result<Dialled, DialError> {
    let first = programs.first().ok_or_else(|| wrong(transport, "there is no program for it".into()))?;
    let host = match attempt(transport, first)? {
        Attempt::Started(dialled) => return Ok(*dialled),
        Attempt::Absent(host) => host,
    };
    // Which kind of machine it is, is not known before.
    let program = fitting(programs, &host).map_err(|what| wrong(transport, what))?;
    if program.build != first.build
        && let Attempt::Started(dialled) = attempt(transport, program)?
    {
        return Ok(*dialled);
    }
    send(transport, program)?;
    match attempt(transport, program)? {
        Attempt::Started(dialled) => Ok(Dialled { sent: true, ..*dialled }),
        Attempt::Absent(_) => Err(wrong(transport, "the agent was sent, and then was not there".into())),
    }
}

/// Removes what was ever sent there. The folders that were removed.
///
/// # Errors
/// The host can't be reached, or something can't be removed there.
pub fn clean(transport: &Transport) -> Result<Vec<String>, DialError> {
    let output = finished(transport, transport.shell(&scripts::clean()), None, TIMEOUT, &[])?;
    if !output.status.success() {
        return Err(unexplained(transport, &output));
    }
    removed(&String::from_utf8_lossy(&output.stdout)).map_err(|what| wrong(transport, what))
}

/// The folders that were removed, or which were not, and why.
fn removed(said: &str) -> Result<Vec<String>, String> {
    // A banner may end without a line break.
    let told = |word: &str| -> Vec<String> {
        let after = said.lines().filter_map(|line| Some(line.split_once(word)?.1.trim()));
        after.map(|text| text.chars().filter(|c| !c.is_control()).collect()).collect()
    };
    match told(scripts::LEFT) {
        left if left.is_empty() => Ok(told(scripts::REMOVED)),
        left => Err(format!("it could not be cleaned; remove by hand there what is left: {}", left.join("; "))),
    }
}

enum Attempt {
    Started(Box<Dialled>),
    Absent(Absent),
}

/// A host without this agent: what kind of machine it is, and its C library; empty: it is not glibc.
#[derive(Debug, PartialEq)]
struct Absent {
    machine: String,
    libc: String,
}

fn attempt(transport: &Transport, program: &Program) -> Result<Attempt, DialError> {
    let script = scripts::start(&program.build, &program.machine, program.bytes, program.sudo);
    let mut command = transport.shell(&script);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(transport, &mut command)?;
    let (Some(input), Some(mut output), Some(errors)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Err(wrong(transport, "its standard streams can't be had".into()));
    };
    let complaints = gather(errors);
    let (tell, first) = sync_channel(1);
    let listen = move || {
        let heard = match frame::find_magic(&mut output) {
            Ok(_banner) => frame::read::<AgentEvent>(&mut output).map(|news| (news, output)).map_err(Silent::Frame),
            Err(text) => Err(Silent::Text(text)),
        };
        let _ = tell.send(heard);
    };
    std::thread::Builder::new()
        .name("fathom-dial".into())
        .spawn(listen)
        .map_err(|error| wrong(transport, format!("no thread can be started: {error}")))?;
    match first.recv_timeout(TIMEOUT) {
        Ok(Ok((AgentEvent::Hello { build, .. }, output))) if build == program.build => {
            let pipes = Pipes { far: Box::new(child), input: Box::new(input), output: Box::new(output), complaints };
            Ok(Attempt::Started(Box::new(Dialled { pipes, sent: false })))
        }
        Ok(Ok(_)) => {
            end(child);
            Err(wrong(transport, "another build of fathom answered; remove it with: fathom hosts clean".into()))
        }
        Ok(Err(Silent::Frame(error))) => {
            end(child);
            Err(wrong(transport, error.to_string()))
        }
        Ok(Err(Silent::Text(text))) => {
            // What closed its output may go on for ever.
            let status = left(child).ok().and_then(|status| status.code());
            let text = String::from_utf8_lossy(&text).into_owned();
            match absent(&text) {
                Some(host) => Ok(Attempt::Absent(host)),
                None => {
                    let complaints = complaints.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
                    Err(wrong(transport, explain::why(transport, &text, &complaints, status)))
                }
            }
        }
        Err(_) => {
            end(child);
            Err(wrong(transport, format!("no answer within {} s", TIMEOUT.as_secs())))
        }
    }
}

/// Why an agent did not say its first word.
enum Silent {
    Text(Vec<u8>),
    Frame(FrameError),
}

/// If the script said that there is no agent. A banner may stand before it.
fn absent(text: &str) -> Option<Absent> {
    let (_, after) = text.rsplit_once(scripts::ABSENT)?;
    let mut words = after.split_whitespace();
    let machine = words.next().unwrap_or_default().to_string();
    Some(Absent { machine, libc: words.collect::<Vec<_>>().join(" ") })
}

/// Before ten megabytes are sent: which program can run there at all?
fn fitting<'p>(programs: &'p [Program], host: &Absent) -> Result<&'p Program, String> {
    if host.libc.is_empty() {
        let what = "its C library is not glibc, which fathom needs; run fathom in a container there \
                    (podman:NAME, docker:NAME, kube:POD)";
        return Err(what.into());
    }
    programs.iter().find(|program| program.machine == host.machine).ok_or_else(|| {
        let others: Vec<&str> = programs.iter().map(|program| program.machine.as_str()).collect();
        format!(
            "the program is not for this kind of machine ({}), but for {}; name a build for it with --agent FILE, once for \
             each kind (`make dist` makes both)",
            host.machine,
            others.join(", ")
        )
    })
}

fn send(transport: &Transport, program: &Program) -> Result<(), DialError> {
    let file =
        File::open(&program.path).map_err(|error| wrong(transport, format!("{}: {error}", program.path.display())))?;
    let command = transport.shell(&scripts::receive(&program.build, program.bytes, &narrow(transport, program)?));
    let output = finished(transport, command, Some(file), SENDING, &[scripts::KEPT, scripts::NOWHERE])?;
    let text = String::from_utf8_lossy(&output.stdout);
    if text.contains(scripts::KEPT) {
        return Ok(());
    }
    if let Some((_, why)) = text.rsplit_once(scripts::NOWHERE) {
        let what = format!(
            "there is no place for the agent ({}); it needs {} MB in one of them, from which programs may be run (a volume), or another \
             XDG_CACHE_HOME there",
            why.trim(),
            program.bytes.div_ceil(1_000_000)
        );
        return Err(wrong(transport, what));
    }
    Err(unexplained(transport, &output))
}

/// Where in a pod nothing is to be kept.
fn narrow(transport: &Transport, program: &Program) -> Result<Vec<Narrow>, DialError> {
    let Transport::Kubectl(pod) = transport else { return Ok(Vec::new()) };
    let output = finished(transport, pod.described(), None, TIMEOUT, &[])?;
    if !output.status.success() {
        return Err(unexplained(transport, &Output { stdout: Vec::new(), ..output }));
    }
    let described = serde_json::from_slice(&output.stdout)
        .map_err(|error| wrong(transport, format!("kubectl get pod does not describe it: {error}")))?;
    room::narrow(&described, pod.container(), program.bytes).map_err(|what| wrong(transport, what))
}

/// Runs a command to its end, `input` on its standard input, or until one of these last words was said: whoever has said it reads no
/// more, and kubectl may wait for ever until its input is taken.
fn finished(
    transport: &Transport,
    mut command: Command,
    input: Option<File>,
    timeout: Duration,
    last: &'static [&'static str],
) -> Result<Output, DialError> {
    command.stdin(input.map_or_else(Stdio::null, Stdio::from)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = spawn(transport, &mut command)?;
    let (Some(output), Some(errors)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(wrong(transport, "its standard streams can't be had".into()));
    };
    let (output, errors) = (gather_until(output, last), gather(errors));
    let stdout = match output.recv_timeout(timeout) {
        Ok(text) => text,
        Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
            end(child);
            return Err(wrong(transport, format!("no answer within {} s", timeout.as_secs())));
        }
    };
    let status = left(child).map_err(|error| wrong(transport, error.to_string()))?;
    let stderr = errors.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
    Ok(Output { status, stdout: stdout.into_bytes(), stderr: stderr.into_bytes() })
}

/// The script did not come to say what is wrong.
fn unexplained(transport: &Transport, output: &Output) -> DialError {
    let (said, complaints) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    wrong(transport, explain::why(transport, &said, &complaints, output.status.code()))
}

fn spawn(transport: &Transport, command: &mut Command) -> Result<Child, DialError> {
    // A Ctrl-C on the terminal is for the coordinator: it ends its agents in order.
    std::os::unix::process::CommandExt::process_group(command, 0);
    command.spawn().map_err(|error| {
        let program = transport.program();
        let what = match error.kind() {
            io::ErrorKind::NotFound => format!("{program} is not installed on this host"),
            _ => format!("{program} can't be started: {error}"),
        };
        wrong(transport, what)
    })
}

/// How it ended; after [`FAREWELL`] it is killed.
fn left(mut child: Child) -> io::Result<ExitStatus> {
    let deadline = Instant::now() + FAREWELL;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill()?;
    child.wait()
}

/// The last part of what a stream says, once it has ended.
pub(crate) fn gather(stream: impl Read + Send + 'static) -> Receiver<String> {
    gather_until(stream, &[])
}

/// The same, or once it has said a whole line with one of these words.
fn gather_until(mut stream: impl Read + Send + 'static, last: &'static [&'static str]) -> Receiver<String> {
    let (tell, text) = sync_channel(1);
    std::thread::spawn(move || {
        let (mut kept, mut buffer) = (Vec::new(), [0; 4096]);
        while let Ok(n @ 1..) = stream.read(&mut buffer) {
            kept.extend_from_slice(&buffer[..n]);
            kept.drain(..kept.len().saturating_sub(SHOWN));
            let said = String::from_utf8_lossy(&kept);
            let whole = |word: &&str| said.rsplit_once(word).is_some_and(|(_, after)| after.contains('\n'));
            if last.iter().any(whole) {
                break;
            }
        }
        let _ = tell.send(String::from_utf8_lossy(&kept).into_owned());
    });
    text
}

fn end(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn wrong(transport: &Transport, what: String) -> DialError {
    DialError { host: transport.host().to_string(), what }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::SshOptions;

    #[test]
    fn an_absent_agent_is_known_behind_a_banner() {
        let text = "Welcome!\nfathom-agent-absent x86_64 glibc 2.36\n";
        assert_eq!(absent(text), Some(host("x86_64", "glibc 2.36")));
        assert_eq!(absent("fathom-agent-absent x86_64 \n"), Some(host("x86_64", "")));
        assert_eq!(absent("Permission denied"), None);
    }

    fn host(machine: &str, libc: &str) -> Absent {
        Absent { machine: machine.into(), libc: libc.into() }
    }

    #[test]
    fn each_kind_of_machine_gets_its_own_program() {
        let program = |machine: &str| Program {
            path: PathBuf::from(machine),
            build: machine.into(),
            machine: machine.into(),
            bytes: 1,
            sudo: false,
        };
        let programs = [program("aarch64"), program("x86_64")];
        for machine in ["x86_64", "aarch64"] {
            assert_eq!(fitting(&programs, &host(machine, "glibc 2.36")).unwrap().machine, machine);
        }
        let other = fitting(&programs, &host("riscv64", "glibc 2.36")).unwrap_err();
        assert!(other.contains("riscv64") && other.contains("aarch64, x86_64") && other.contains("--agent"), "{other}");
        assert!(fitting(&programs, &host("x86_64", "")).unwrap_err().contains("glibc"));
    }

    #[test]
    fn what_is_left_on_a_host_is_an_error() {
        let gone = format!("Welcome{} /a/agents\n{} /b/agents\n", scripts::REMOVED, scripts::REMOVED);
        assert_eq!(removed(&gone).unwrap(), ["/a/agents", "/b/agents"]);
        assert_eq!(removed("Welcome\n").unwrap(), [""; 0]);
        let what = removed(&format!("{gone}{} /c/agents: rm: it is busy\nrm: and that\n", scripts::LEFT)).unwrap_err();
        assert!(what.ends_with("remove by hand there what is left: /c/agents: rm: it is busy"), "{what}");
    }

    #[test]
    fn a_way_that_hangs_after_the_last_word_is_not_waited_for() {
        let here = Transport::of("here:x", &SshOptions::default()).unwrap();
        let words = &[scripts::KEPT, scripts::NOWHERE];
        let long = Duration::from_secs(300);
        let said = format!("echo Welcome; echo {} /x: full; exec sleep 300", scripts::NOWHERE);
        let begun = Instant::now();
        let output = finished(&here, here.shell(&said), None, long, words).unwrap();
        assert!(String::from_utf8_lossy(&output.stdout).ends_with("/x: full\n"), "{output:?}");
        assert!(begun.elapsed() < long / 2);
        // A word is not the last one before its line is whole.
        let halves = format!("printf {}; sleep 0.2; echo \" /x\"", scripts::KEPT);
        let output = finished(&here, here.shell(&halves), None, long, words).unwrap();
        assert!(output.status.success() && output.stdout.ends_with(b"kept /x\n"), "{output:?}");
    }

    #[test]
    fn of_what_a_host_says_the_end_is_kept() {
        let banner = "welcome\n".repeat(2 * SHOWN);
        let text = gather(std::io::Cursor::new(format!("{banner}fathom-agent-kept /x"))).recv().unwrap();
        assert!(text.ends_with("fathom-agent-kept /x") && text.len() <= SHOWN, "{}", text.len());
        assert_eq!(gather(&b"short"[..]).recv().unwrap(), "short");
    }
}
