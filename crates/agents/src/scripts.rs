//! The three shell scripts that run on a host: start the agent, receive it, remove it. Any POSIX shell; no quotes of the single kind.

use crate::room::Narrow;

/// Where an agent may be kept, the best first: the user's cache, else a folder of the user's own beside temporary files.
/// A folder that somebody else made there is passed over (`-O`), and a link, too: anybody may have made one that leads to a folder of ours.
const PLACES: &str = r##"
    u=$(id -u);
    for d in "${XDG_CACHE_HOME:-$HOME/.cache}/fathom" "/var/tmp/fathom-$u" "/tmp/fathom-$u" "/dev/shm/fathom-$u"; do
"##;

/// If the file at `$p` is the program, as long as it was sent: what a loss of power cut off is sent again.
const WHOLE: &str = r##"whole() { [ -x "$p" ] && [ "$(wc -c < "$p")" -eq BYTES ]; };
"##;

/// Hosts of several kinds may share a home: a program for another kind is as good as absent, so that the one for this kind is taken.
const START: &str = r##"
    p="$d/agents/BUILD/fathom";
    if [ -L "$d" ]; then :; elif [ -O "$d" ] && whole && [ "$(uname -m)" = "MACHINE" ]; then exec SUDO"$p" agent; fi;
    done;
    echo "ABSENT $(uname -m) $(getconf GNU_LIBC_VERSION 2>/dev/null)"
"##;

/// A file that only exits shows whether programs may be run there at all; `#\041` is `#` and an exclamation mark. It is on the disk
/// before it has its name, where `sync` and the file system can do that: a name without its content would outlive a loss of power.
/// Hosts that share a home may all receive at once: whoever is first gives it the name (`ln` replaces nothing), and the others take
/// that one, for another host may run it already, and would lose the file under its feet. `mv` is for file systems without links,
/// and for what is there and not whole.
const RECEIVE: &str = r##"
    a="$d/agents/BUILD"; p="$a/fathom"; t="$a/new.$(uname -n).$$"; n=;
    NARROW
    if [ -n "$n" ]; then
      why="$why; $d: $n";
    elif [ -L "$d" ]; then
      why="$why; $d: it is a link";
    elif mkdir -p "$a" 2>/dev/null && [ -O "$d" ]; then
      free=$(df -Pk "$a" | awk "END { print \$4 }");
      if [ "${free:-0}" -lt KIB ]; then
        why="$why; $d: full, ${free:-0} KiB free";
      elif printf "#\041/bin/sh\n" > "$t" && chmod 700 "$t" && "$t" 2>/dev/null; then
        if cat > "$t" && [ "$(wc -c < "$t")" -eq BYTES ]; then
          sync "$t" 2>/dev/null;
          whole || ln "$t" "$p" 2>/dev/null || whole || mv -f "$t" "$p";
        fi;
        rm -f "$t";
        if whole; then echo "KEPT $p"; exit 0; fi;
        echo "NOWHERE $d: it could not be written whole"; exit 1;
      else
        rm -f "$t"; why="$why; $d: no program may be run there";
      fi;
      rmdir "$a" "$d/agents" "$d" 2>/dev/null;
    else
      why="$why; $d: it can not be written to";
    fi;
    done;
    echo "NOWHERE${why#;}"; exit 1
"##;

/// The words of `rm` come with the folder: on standard error they would be among those of the program that leads there.
const CLEAN: &str = r##"
    if [ -L "$d" ]; then :; elif [ -O "$d" ] && [ -d "$d/agents" ]; then
      if why=$(rm -rf "$d/agents" 2>&1); then
        echo "REMOVED $d/agents"; rmdir "$d" 2>/dev/null;
      else
        echo "LEFT $d/agents: $why";
      fi;
    fi;
    done;
    exit 0
"##;

/// A login shell may be any, and not all of them know line breaks inside quotes.
fn one_line(parts: &[&str]) -> String {
    parts.concat().lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// What the first script says instead of the agent's first word where there is no such build: then machine and C library.
pub const ABSENT: &str = "fathom-agent-absent";
/// What the second one says: where the agent is now, or why each place is none.
pub const KEPT: &str = "fathom-agent-kept";
pub const NOWHERE: &str = "fathom-agent-nowhere";
/// And the third, of each folder; after one that is left, why.
pub const REMOVED: &str = "fathom-agent-removed";
pub const LEFT: &str = "fathom-agent-left";

/// Becomes the agent of this build, `bytes` long and for this kind of machine, or says that there is none.
pub fn start(build: &str, machine: &str, bytes: u64, sudo: bool) -> String {
    let script = one_line(&[WHOLE, PLACES, START]);
    let script = script.replace("BUILD", build).replace("MACHINE", machine).replace("BYTES", &bytes.to_string());
    script.replace("SUDO", if sudo { "sudo -n " } else { "" }).replace("ABSENT", ABSENT)
}

/// Keeps what comes on standard input, `bytes` long, in the first place that has room, and from which programs may be run. `narrow`:
/// folders that are passed over.
pub fn receive(build: &str, bytes: u64, narrow: &[Narrow]) -> String {
    let room = bytes.div_ceil(1024) + 64;
    let cases = narrow.iter().map(|one| format!("case \"$a\" in {}/*) n=\"{}\";; esac;", one.folder, one.why));
    let script = one_line(&["umask 077; why=;\n", WHOLE, PLACES, RECEIVE]);
    let script = script.replace("BUILD", build).replace("KIB ]", &format!("{room} ]"));
    let script = script.replace("BYTES", &bytes.to_string()).replace("KEPT", KEPT).replace("NOWHERE", NOWHERE);
    script.replace("NARROW ", &cases.collect::<String>())
}

/// Removes the agents of all builds, and what was made for them alone.
pub fn clean() -> String {
    one_line(&[PLACES, CLEAN]).replace("REMOVED", REMOVED).replace("LEFT", LEFT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;
    use std::process::{Child, Command, Output, Stdio};

    fn shell(home: &Path, script: &str, input: &[u8]) -> Output {
        ended(begun(home, script), input)
    }

    fn begun(home: &Path, script: &str) -> Child {
        Command::new("sh")
            .args(["-c", script])
            .env("HOME", home)
            .env_remove("XDG_CACHE_HOME")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn ended(mut child: Child, input: &[u8]) -> Output {
        let _ = child.stdin.take().unwrap().write_all(input);
        child.wait_with_output().unwrap()
    }

    const PROGRAM: &[u8] = b"#!/bin/sh\necho \"I am $1\"\n";

    fn started() -> String {
        start("b1", std::env::consts::ARCH, PROGRAM.len() as u64, false)
    }

    fn received() -> String {
        receive("b1", PROGRAM.len() as u64, &[])
    }

    #[test]
    fn what_is_received_is_started_and_removed() {
        let home = tempfile::tempdir().unwrap();
        let absent = shell(home.path(), &started(), b"");
        assert!(String::from_utf8_lossy(&absent.stdout).starts_with(ABSENT), "{absent:?}");
        let kept = shell(home.path(), &received(), PROGRAM);
        let path = home.path().join(".cache/fathom/agents/b1/fathom");
        assert_eq!(String::from_utf8_lossy(&kept.stdout).trim(), format!("{KEPT} {}", path.display()), "{kept:?}");
        assert_eq!(shell(home.path(), &started(), b"").stdout, b"I am agent\n");
        let cleaned = shell(home.path(), &clean(), b"");
        assert!(String::from_utf8_lossy(&cleaned.stdout).contains(REMOVED), "{cleaned:?}");
        assert!(!home.path().join(".cache/fathom").exists());
    }

    #[test]
    fn what_can_not_run_counts_as_absent_and_is_replaced() {
        let home = tempfile::tempdir().unwrap();
        let absent = |script: &str| {
            let said = shell(home.path(), script, b"");
            assert!(String::from_utf8_lossy(&said.stdout).starts_with(ABSENT), "{said:?}");
        };
        shell(home.path(), &received(), PROGRAM);
        absent(&start("b1", "a kind of its own", PROGRAM.len() as u64, false));
        let path = home.path().join(".cache/fathom/agents/b1/fathom");
        for left in [&PROGRAM[..0], &PROGRAM[..10]] {
            fs::write(&path, left).unwrap();
            absent(&started());
            shell(home.path(), &received(), PROGRAM);
            assert_eq!(shell(home.path(), &started(), b"").stdout, b"I am agent\n");
        }
    }

    #[test]
    fn a_program_that_another_host_put_there_is_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".cache/fathom/agents/b1");
        let inode = || fs::metadata(folder.join("fathom")).unwrap().ino();
        shell(home.path(), &received(), PROGRAM);
        let first = inode();
        let kept = shell(home.path(), &received(), PROGRAM);
        assert!(String::from_utf8_lossy(&kept.stdout).starts_with(KEPT), "{kept:?}");
        assert_eq!((inode(), fs::read_dir(&folder).unwrap().count()), (first, 1));
        // All of them begin before one is done.
        fs::remove_file(folder.join("fathom")).unwrap();
        let receivers: Vec<_> = (0..4).map(|_| begun(home.path(), &received())).collect();
        let mut inodes = BTreeSet::new();
        for receiver in receivers {
            let kept = ended(receiver, PROGRAM);
            assert!(String::from_utf8_lossy(&kept.stdout).starts_with(KEPT), "{kept:?}");
            inodes.insert(inode());
        }
        assert_eq!((inodes.len(), fs::read_dir(&folder).unwrap().count()), (1, 1));
    }

    #[test]
    fn what_was_cut_off_is_not_kept() {
        let home = tempfile::tempdir().unwrap();
        let kept = shell(home.path(), &receive("b1", 1000, &[]), b"#!/bin/sh\n");
        assert!(String::from_utf8_lossy(&kept.stdout).starts_with(NOWHERE), "{kept:?}");
        let left = fs::read_dir(home.path().join(".cache/fathom/agents/b1")).unwrap().count();
        assert_eq!(left, 0);
    }

    #[test]
    fn a_narrow_folder_is_passed_over() {
        let home = tempfile::tempdir().unwrap();
        let narrow = |folder: &str| [Narrow { folder: folder.into(), why: "it may hold 5Mi".into() }];
        // Not to be taken for a place of this machine's own.
        let mine = |script: String| script.replace("/THERE", &home.path().to_string_lossy());
        let elsewhere = mine(receive("b1", PROGRAM.len() as u64, &narrow("/THEREABOUTS")));
        let kept = shell(home.path(), &elsewhere, PROGRAM);
        assert!(String::from_utf8_lossy(&kept.stdout).starts_with(KEPT), "{kept:?}");
        shell(home.path(), &only(clean()), b"");
        let here = mine(only(receive("b1", PROGRAM.len() as u64, &narrow("/THERE"))));
        let kept = shell(home.path(), &here, PROGRAM);
        let said = String::from_utf8_lossy(&kept.stdout).into_owned();
        assert!(said.starts_with(NOWHERE) && said.contains("fathom: it may hold 5Mi;"), "{kept:?}");
        assert!(!home.path().join(".cache/fathom").exists());
    }

    /// Only the first place: the others are this machine's own.
    fn only(script: String) -> String {
        script
            .replace("/var/tmp/", "/proc/nowhere/")
            .replace("/tmp/", "/proc/nowhere/")
            .replace("/dev/shm/", "/proc/nowhere/")
    }

    #[test]
    fn what_can_not_be_removed_is_told() {
        let home = tempfile::tempdir().unwrap();
        let agents = home.path().join(".cache/fathom/agents");
        fs::create_dir_all(&agents).unwrap();
        // Root may remove nearly everything.
        let rm = "rm() { echo \"rm: not today\" >&2; return 1; };";
        let left = shell(home.path(), &format!("{rm} {}", only(clean())), b"");
        let told = format!("{LEFT} {}: rm: not today\n", agents.display());
        assert_eq!((String::from_utf8_lossy(&left.stdout), agents.exists()), (told.into(), true));
    }

    #[test]
    fn a_link_is_nothing_to_write_through() {
        let home = tempfile::tempdir().unwrap();
        let elsewhere = home.path().join("elsewhere");
        fs::create_dir_all(elsewhere.join("agents/mine")).unwrap();
        fs::create_dir(home.path().join(".cache")).unwrap();
        std::os::unix::fs::symlink(&elsewhere, home.path().join(".cache/fathom")).unwrap();
        shell(home.path(), &only(receive("b1", 3, &[])), b"abc");
        shell(home.path(), &only(clean()), b"");
        let left: Vec<_> =
            fs::read_dir(elsewhere.join("agents")).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert_eq!(left, ["mine"]);
    }

    #[test]
    fn no_login_shell_trips_over_a_script() {
        for script in [start("x", "y", 1, true), receive("x", 1, &[]), clean()] {
            assert!(!script.contains(['\'', '!', '\n']), "{script}");
        }
    }
}
