//! What a host's complaint means, and the mend.

use crate::transport::Transport;

/// What is looked for in what the host said, and what it means. The first that is found counts.
const KNOWN: [(&[&str], &str); 18] = [
    (
        &["GLIBC_"],
        "its C library is older than this build of fathom needs; use a release build (`make dist`: glibc 2.28 and newer)",
    ),
    (
        &["Exec format error", "cannot execute binary file"],
        "the program is not for this kind of machine; name a build for it with --agent FILE",
    ),
    (
        &[
            "sudo: a password is required",
            "sudo: a terminal is required",
            "sudo: no tty",
            "sudo: sorry, you must have a tty",
        ],
        "sudo wants a password there; allow it without one for this user (NOPASSWD), log in as root, or leave --sudo out",
    ),
    (
        &["is not in the sudoers file", "is not allowed to execute", "may not run sudo"],
        "this user may not use sudo there; allow it (NOPASSWD), log in as root, or leave --sudo out",
    ),
    (
        &["sudo: not found", "sudo: command not found"],
        "sudo is not installed there; log in as root, or leave --sudo out",
    ),
    (
        &["Permission denied (", "Too many authentication failures"],
        "ssh may not log in without a password; put your key there (ssh-copy-id), or name one with --identity",
    ),
    (
        // On standard output, as nologin says it.
        &["account is currently not available"],
        "this user has no shell there (nologin); take another: USER@HOST",
    ),
    (
        &["Host key verification failed", "REMOTE HOST IDENTIFICATION HAS CHANGED"],
        "its host key is not known here, or has changed; log in once by hand with ssh and check it",
    ),
    (
        &["Could not resolve hostname", "Name or service not known", "no such host"],
        "there is no host of this name; check the name, or ~/.ssh/config",
    ),
    (
        &["Connection refused"],
        "nothing listens on its ssh port; is sshd running there, and is it this port (HOST:PORT)?",
    ),
    (
        &["Connection timed out", "Operation timed out", "No route to host", "Network is unreachable"],
        "it can't be reached over the network; is it up, and is there a way to it?",
    ),
    (&["No space left on device"], "its disk is full; make room, or set another XDG_CACHE_HOME there"),
    (&["Read-only file system"], "its file system is read-only; set another XDG_CACHE_HOME there"),
    (
        &["is forbidden"],
        "kubectl's user may not exec into this pod; grant it get on pods and create on pods/exec in the pod's namespace",
    ),
    (&["pods \"", "NotFound"], "there is no such pod; see: kubectl get pods --all-namespaces"),
    (&["No such container", "no container with name"], "there is no such container; see: podman ps, docker ps"),
    (&["Cannot open network namespace"], "there is no such network namespace; see: ip netns"),
    (
        &["Permission denied"],
        "a program may not be run there (a file system mounted noexec?); set another XDG_CACHE_HOME there",
    ),
];

/// One line: what is wrong, the mend, and the host's own words. `complaints`: what it said on standard error. They come last, since
/// the last words are shown: on standard output there may be a banner.
pub fn why(transport: &Transport, said: &str, complaints: &str, status: Option<i32>) -> String {
    let text = format!("{said}\n{complaints}");
    let own = last_words(&text);
    let known = KNOWN.iter().find(|(words, _)| words.iter().any(|word| text.contains(word)));
    let program = transport.program();
    match (known, own.is_empty()) {
        (Some((_, meaning)), _) => format!("{meaning} ({own})"),
        (None, false) => format!("the agent did not start: {own}"),
        (None, true) => {
            let status = status.map_or("by a signal".to_string(), |code| format!("with status {code}"));
            format!("the agent did not start: {program} ended {status} and said nothing")
        }
    }
}

/// The last lines that say something, as one.
fn last_words(text: &str) -> String {
    const LINES: usize = 2;
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let from = lines.len().saturating_sub(LINES);
    // What a host says goes to a terminal: nothing that moves its cursor. Each line has its own bound: the first may be a banner's.
    let shown = |line: &&str| line.chars().filter(|c| !c.is_control()).take(200).collect::<String>();
    lines[from..].iter().map(shown).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::SshOptions;

    #[test]
    fn complaints_become_mends() {
        let host = Transport::of("a", &SshOptions::default()).unwrap();
        for (text, word) in [
            ("a@b: Permission denied (publickey).", "ssh-copy-id"),
            ("sh: 1: /x/fathom: Permission denied", "noexec"),
            ("/x/fathom: /lib/libc.so.6: version `GLIBC_2.34' not found", "make dist"),
            ("sudo: a password is required", "NOPASSWD"),
            (
                "Error from server (Forbidden): pods \"osd-0\" is forbidden: User \"a\" cannot create resource \"pods/exec\"",
                "create on pods/exec",
            ),
            ("Error from server (NotFound): pods \"osd-0\" not found", "no such pod"),
            ("ssh: connect to host a port 22: Connection refused", "sshd"),
            ("\x1b[31mwhat\x07ever", "did not start: [31mwhatever"),
        ] {
            let said = why(&host, "", text, Some(1));
            assert!(said.contains(word) && !said.contains('\x1b'), "{text}: {said}");
        }
        assert!(why(&host, "\n", "", Some(127)).contains("ssh ended with status 127"));
    }

    #[test]
    fn a_banner_does_not_stand_for_what_is_wrong() {
        let host = Transport::of("a", &SshOptions::default()).unwrap();
        let said = why(&host, "Welcome!\nHave a nice day.\n", "sh: 1: cannot fork\nlogged out\n", Some(2));
        assert_eq!(said, "the agent did not start: sh: 1: cannot fork; logged out");
        let long = why(&host, &"=".repeat(500), "sh: 1: cannot fork", Some(2));
        assert!(long.ends_with("sh: 1: cannot fork"), "{long}");
        let no_shell = why(&host, "This account is currently not available.\n", "Authorized use only.\n", Some(1));
        assert!(no_shell.starts_with("this user has no shell there"), "{no_shell}");
    }
}
