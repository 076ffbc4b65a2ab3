//! Another program, run to its end: watched, ended when it is told to, and never left behind.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

const LOOK: Duration = Duration::from_millis(20);
/// How long it may take to end in order.
const GRACE: Duration = Duration::from_secs(3);

pub enum ChildEnd {
    Done {
        out: String,
        err: String,
        status: ExitStatus,
    },
    /// It was ended, for this reason.
    Stopped(String),
}

/// The program in a process group of its own, so that Ctrl-C reaches it through us alone; where util-linux has `setpriv`,
/// the kernel kills it if we are killed.
pub fn tied(program: &str) -> Command {
    let known = Command::new("setpriv").args(["--pdeathsig", "KILL", "true"]).stdin(Stdio::null()).output();
    let mut command = match known {
        Ok(output) if output.status.success() => {
            let mut command = Command::new("setpriv");
            command.args(["--pdeathsig", "KILL", program]);
            command
        }
        _ => Command::new(program),
    };
    command.process_group(0);
    command
}

/// Runs it with `input`; ends it if `watch` says why, or after `limit` seconds.
pub fn run(
    mut command: Command,
    input: &str,
    limit: f64,
    watch: &mut dyn FnMut() -> Option<String>,
) -> Result<ChildEnd, String> {
    let name = "fio";
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().map_err(|error| format!("{name} can't be started: {error}"))?;
    let mut held = Held(child);
    let (out, err) = (collected(held.0.stdout.take()), collected(held.0.stderr.take()));
    if let Some(mut stdin) = held.0.stdin.take() {
        // If it has ended already, its output says why.
        let _ = stdin.write_all(input.as_bytes());
    }
    let begun = Instant::now();
    loop {
        match held.0.try_wait() {
            Ok(Some(status)) => return Ok(ChildEnd::Done { out: text(out), err: text(err), status }),
            Ok(None) => {}
            Err(error) => return Err(format!("{name} can't be waited for: {error}")),
        }
        let late =
            || (begun.elapsed().as_secs_f64() > limit).then(|| format!("{name} did not end within {limit:.0} s"));
        if let Some(why) = watch().or_else(late) {
            held.end();
            return Ok(ChildEnd::Stopped(why));
        }
        std::thread::sleep(LOOK);
    }
}

/// Ends it, whatever happens to us.
struct Held(Child);

impl Held {
    fn end(&mut self) {
        let asked = Pid::from_raw(self.0.id() as i32);
        let running = |child: &mut Child| matches!(child.try_wait(), Ok(None));
        if running(&mut self.0) {
            let _ = kill(asked, Signal::SIGINT);
        }
        let begun = Instant::now();
        while running(&mut self.0) && begun.elapsed() < GRACE {
            std::thread::sleep(LOOK);
        }
        if running(&mut self.0) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.end();
    }
}

/// All that comes out of a pipe: a full one would stop the program.
fn collected(pipe: Option<impl Read + Send + 'static>) -> Option<JoinHandle<Vec<u8>>> {
    let mut pipe = pipe?;
    Some(std::thread::spawn(move || {
        let mut all = Vec::new();
        // What was read until it broke is what there is.
        let _ = pipe.read_to_end(&mut all);
        all
    }))
}

fn text(collected: Option<JoinHandle<Vec<u8>>>) -> String {
    let bytes = collected.and_then(|thread| thread.join().ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = tied("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn what_it_says_comes_back() {
        let ended = run(shell("cat; echo oh >&2; exit 3"), "in", 10.0, &mut || None).unwrap();
        let ChildEnd::Done { out, err, status } = ended else { panic!("it was stopped") };
        assert_eq!((out.as_str(), err.as_str(), status.code()), ("in", "oh\n", Some(3)));
    }

    #[test]
    fn it_is_ended_when_told_to_and_when_late_even_if_it_does_not_listen() {
        let begun = Instant::now();
        let told = run(shell("sleep 60"), "", 60.0, &mut || Some("enough".into())).unwrap();
        assert!(matches!(told, ChildEnd::Stopped(why) if why == "enough"));
        let late = run(shell("trap '' INT; while :; do sleep 0.05; done"), "", 0.1, &mut || None).unwrap();
        assert!(matches!(late, ChildEnd::Stopped(why) if why.contains("did not end")));
        assert!(begun.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_is_not_there_is_an_error_of_its_own() {
        let why = run(Command::new("/nowhere/fio"), "", 1.0, &mut || None).err().unwrap();
        assert!(why.contains("can't be started"), "{why}");
    }
}
