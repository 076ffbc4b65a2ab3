//! What a host's complaint means, and how to fix it.

use crate::transport::Transport;

/// What is looked for in what was said, and what it means. The first that is found counts.
type Known = (&'static [&'static str], &'static str);

/// What kubectl says of itself, the API server or a pod; tried with kubectl 1.20 to 1.33.
const KUBECTL: [Known; 9] = [
    (
        &["cannot list resource \"pods\""],
        "kubectl's user may not list pods; grant it list on pods, or name the pods: kube:NAMESPACE/POD",
    ),
    (
        &["container not found (", "container is not created or running"],
        "this container does not run: it waits, ends again and again, or is being replaced; see: kubectl get pods; another one of \
         the pod is kube:NAMESPACE/POD/CONTAINER",
    ),
    (&["is not valid for pod"], "there is no such container in this pod; see: kubectl describe pod"),
    (&["completed pod"], "the pod has ended for good; see: kubectl get pods --all-namespaces"),
    (
        &["error dialing backend", "error sending request: Post"],
        "the API server does not reach the kubelet of the pod's host; is that one up? See: kubectl get nodes",
    ),
    (
        &["You must be logged in", "Unauthorized"],
        "the API server does not know kubectl's user; log in again, or take another context (kubectl config get-contexts)",
    ),
    (&["x509:"], "kubectl does not trust the API server's certificate; check the context (kubectl config view)"),
    (&["(NotFound): namespaces \""], "there is no such namespace; see: kubectl get namespaces"),
    (
        &["Unable to connect to the server", "was refused - did you specify", "no such host", "i/o timeout"],
        "kubectl does not reach the API server; see: kubectl cluster-info, kubectl config get-contexts",
    ),
];

/// What podman and docker say of a container.
const CONTAINERS: [Known; 2] = [
    (&["No such container", "no container with name"], "there is no such container; see: podman ps, docker ps"),
    (
        &["can only create exec sessions on running containers", "is not running"],
        "this container does not run; see: podman ps --all, docker ps --all",
    ),
];

const KNOWN: [Known; 18] = [
    (
        &["\"sh\": executable file not found", "exec sh: no such file"],
        "there is no shell (sh) in it; take another container (kube:NAMESPACE/POD/CONTAINER), or an image that has one",
    ),
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
    (&["Cannot open network namespace"], "there is no such network namespace; see: ip netns"),
    (
        &["Permission denied"],
        "a program may not be run there (a file system mounted noexec?); set another XDG_CACHE_HOME there",
    ),
];

/// One line: what is wrong, how to fix it, and the host's own words. `complaints`: what it said on standard error. They come last, since
/// the last words are shown: on standard output there may be a banner.
pub fn why(transport: &Transport, said: &str, complaints: &str, status: Option<i32>) -> String {
    let text = format!("{said}\n{complaints}");
    let own = last_words(&text);
    let program = transport.program();
    let first = match program {
        "kubectl" => &KUBECTL[..],
        "podman" | "docker" => &CONTAINERS,
        _ => &[],
    };
    let known = first.iter().chain(&KNOWN).find(|(words, _)| words.iter().any(|word| text.contains(word)));
    match (known, own.is_empty()) {
        (Some((_, meaning)), _) => format!("{meaning} ({own})"),
        (None, false) => format!("the agent did not start: {own}"),
        (None, true) => {
            let status = status.map_or("by a signal".to_string(), |code| format!("with status {code}"));
            format!("the agent did not start: {program} ended {status} and said nothing")
        }
    }
}

/// The same for kubectl itself, where it is not asked for a host.
pub fn kubectl(complaints: &str) -> String {
    let own = last_words(complaints);
    let known = KUBECTL.iter().find(|(words, _)| words.iter().any(|word| complaints.contains(word)));
    known.map_or_else(|| own.clone(), |(_, meaning)| format!("{meaning} ({own})"))
}

/// The last lines that say something, as one.
fn last_words(text: &str) -> String {
    const LINES: usize = 2;
    // Of a long line both ends: what is wrong may stand at either.
    const LONGEST: usize = 200;
    let lines = sink(text);
    let from = lines.len().saturating_sub(LINES);
    // What a host says goes to a terminal: nothing that moves its cursor. Each line has its own bound: the first may be a banner's.
    let shown = |line: &&str| {
        let plain: Vec<char> = line.chars().filter(|c| !c.is_control()).collect();
        match plain.len() > LONGEST {
            true => [&plain[..LONGEST / 2], &['…'], &plain[plain.len() - LONGEST / 2..]].concat().iter().collect(),
            false => plain.iter().collect::<String>(),
        }
    };
    lines[from..].iter().map(shown).collect::<Vec<_>>().join("; ")
}

/// Its lines without empty ones, and without what kubectl notes for itself, unless there is nothing else.
pub(crate) fn sink(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let sink: Vec<&str> = lines.iter().filter(|line| !noted(line)).copied().collect();
    if sink.is_empty() { lines } else { sink }
}

/// Which container kubectl took, how the command in it ended, and a line of its log: `E1123 18:13:55.049839   17414 memcache.go:265] …`.
fn noted(line: &str) -> bool {
    const NOTES: [&str; 4] = [
        "Defaulted container ",
        "Defaulting container name to ",
        "Use 'kubectl describe ",
        "command terminated with exit code ",
    ];
    let log = |line: &str| {
        let mut words = line.split_whitespace();
        let first = words.next().filter(|word| word.len() == 5 && word.starts_with(['I', 'W', 'E', 'F']));
        first.is_some_and(|word| word[1..].bytes().all(|byte| byte.is_ascii_digit()))
            && words.next().is_some_and(|time| time.split(':').count() == 3)
    };
    NOTES.iter().any(|note| line.starts_with(note)) || log(line)
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
    fn what_kubectl_says_is_understood() {
        let pod = Transport::of("kube:a/b", &SshOptions::default()).unwrap();
        let start = "error: Internal error occurred: error executing command in container: failed to exec in container: failed to start exec";
        let no_shell = format!(
            "{start} \"{}\": OCI runtime exec failed: exec failed: unable to start container process: exec: \"sh\": executable file \
             not found in $PATH: unknown",
            "a5".repeat(32)
        );
        let log = "E1123 18:13:55.049839   17414 memcache.go:265] couldn't get current server API group list: connection refused";
        let refused =
            "The connection to the server 127.0.0.1:16444 was refused - did you specify the right host or port?";
        for (text, word, own) in [
            (no_shell.as_str(), "no shell (sh)", "executable file not found in $PATH: unknown)"),
            (&format!("{log}\n{log}\n{refused}"), "does not reach the API server", "(The connection to the server 127"),
            (
                "Unable to connect to the server: dial tcp: lookup nohost.invalid on 10.0.0.1:53: no such host",
                "does not reach the API server",
                "nohost.invalid",
            ),
            (
                "Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority",
                "certificate",
                "x509",
            ),
            (
                "Defaulted container \"crash\" out of: crash, good\nerror: unable to upgrade connection: container not found (\"crash\")",
                "does not run",
                "(error: unable",
            ),
            ("Error from server (BadRequest): container nope is not valid for pod multi", "no such container", "nope"),
            ("Error from server (NotFound): namespaces \"x\" not found", "no such namespace", "x"),
            ("Error from server (NotFound): pods \"x\" not found", "no such pod", "x"),
            ("error: cannot exec into a container in a completed pod; current phase is Failed", "has ended", "Failed"),
            (
                "Error from server: error dialing backend: dial tcp 192.0.2.2:10250: connect: connection refused",
                "the kubelet",
                "10250",
            ),
            ("error: You must be logged in to the server (Unauthorized)", "log in again", "Unauthorized"),
            ("command terminated with exit code 3", "did not start: command terminated", "code 3"),
        ] {
            let said = why(&pod, "", text, Some(1));
            assert!(said.contains(word) && said.contains(own) && !said.contains("E1123"), "{text}: {said}");
        }
        let forbidden = kubectl(
            "Error from server (Forbidden): pods is forbidden: User \"a\" cannot list resource \"pods\" in API group \"\"",
        );
        assert!(forbidden.starts_with("kubectl's user may not list pods"), "{forbidden}");
        assert_eq!(kubectl(&format!("{log}\nsomething else")), "something else");
    }

    #[test]
    fn a_container_that_does_not_run_is_none_that_is_missing() {
        let of = |host: &str, text: &str| why(&Transport::of(host, &SshOptions::default()).unwrap(), "", text, Some(1));
        let stopped = "Error response from daemon: container 20e59064dd41 is not running";
        assert!(of("docker:x", stopped).starts_with("this container does not run"));
        let missing = "Error: no container with name or ID \"x\" found: no such container";
        assert!(of("podman:x", missing).starts_with("there is no such container"));
        // A host may say that of anything.
        assert!(of("x", "the backup is not running").starts_with("the agent did not start"));
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
