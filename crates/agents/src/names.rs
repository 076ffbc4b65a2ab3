//! Lists of hosts as people write them: `a,b[1-9]`, `ceph[01-12,20].rack3`, with a user before an @ and a port after a colon.

use std::net::Ipv6Addr;

/// Hosts of a list: more than this is a mistake in a range, not a cluster.
const MOST: usize = 10_000;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no list of hosts: {why}")]
pub struct NamesError {
    pub text: String,
    pub why: String,
}

/// The hosts of a list, in its order, each once.
///
/// # Errors
/// The part that makes no sense, and why.
pub fn expand(list: &str) -> Result<Vec<String>, NamesError> {
    let mut hosts: Vec<String> = Vec::new();
    for part in split(list)? {
        for host in expand_one(part).map_err(|why| NamesError { text: part.to_string(), why })? {
            if !hosts.contains(&host) {
                hosts.push(host);
            }
            if hosts.len() > MOST {
                let why = format!("more than {MOST} hosts");
                return Err(NamesError { text: list.to_string(), why });
            }
        }
    }
    if hosts.is_empty() {
        return Err(NamesError { text: list.to_string(), why: "it names no host".into() });
    }
    Ok(hosts)
}

/// A file with one list a line; what follows a # is a comment.
///
/// # Errors
/// As [`expand`], with the line's number.
pub fn of_file(text: &str) -> Result<Vec<String>, NamesError> {
    let mut hosts = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        let found = expand(line)
            .map_err(|error| NamesError { why: format!("{} (line {})", error.why, number + 1), ..error })?;
        hosts.extend(found.into_iter().filter(|host| !hosts.contains(host)).collect::<Vec<_>>());
    }
    match hosts.is_empty() {
        true => Err(NamesError { text: text.chars().take(40).collect(), why: "it names no host".into() }),
        false => Ok(hosts),
    }
}

/// At commas and white space that are not inside brackets.
fn split(list: &str) -> Result<Vec<&str>, NamesError> {
    let wrong = |why: &str| NamesError { text: list.to_string(), why: why.to_string() };
    let (mut parts, mut begin, mut inside) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices() {
        match c {
            '[' if inside => return Err(wrong("a [ inside of another")),
            '[' => inside = true,
            ']' if !inside => return Err(wrong("a ] without its [")),
            ']' => inside = false,
            _ if !inside && (c == ',' || c.is_whitespace()) => {
                parts.push(&list[begin..at]);
                begin = at + c.len_utf8();
            }
            _ => {}
        }
    }
    if inside {
        return Err(wrong("a [ without its ]"));
    }
    parts.push(&list[begin..]);
    Ok(parts.into_iter().filter(|part| !part.is_empty()).collect())
}

fn expand_one(part: &str) -> Result<Vec<String>, String> {
    let Some((before, rest)) = part.split_once('[') else {
        check(part)?;
        return Ok(vec![part.to_string()]);
    };
    let (inside, after) = rest.split_once(']').ok_or("a [ without its ]")?;
    if is_address(inside) {
        [before, inside, after].into_iter().try_for_each(check)?;
        return Ok(vec![part.to_string()]);
    }
    let tails = if after.is_empty() { vec![String::new()] } else { expand_tail(after)? };
    let mut hosts = Vec::new();
    for number in numbers(inside)? {
        for tail in &tails {
            let host = format!("{before}{number}{tail}");
            check(&host)?;
            hosts.push(host);
            if hosts.len() > MOST {
                return Err(format!("more than {MOST} hosts"));
            }
        }
    }
    Ok(hosts)
}

/// An IPv6 address, with a zone or without, stands in brackets for the sake of the port behind it.
fn is_address(inside: &str) -> bool {
    inside.split('%').next().is_some_and(|address| address.parse::<Ipv6Addr>().is_ok())
}

/// As [`expand_one`], for what stands behind a bracket: it need not be a whole name.
fn expand_tail(after: &str) -> Result<Vec<String>, String> {
    // A letter in front makes a name of it.
    let whole = expand_one(&format!("x{after}"))?;
    Ok(whole.into_iter().map(|name| name[1..].to_string()).collect())
}

/// `1-3,7` as the words 1, 2, 3, 7; leading zeros say how wide all are.
fn numbers(inside: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    for part in inside.split(',').map(str::trim) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |word: &str| word.parse::<u32>().map_err(|_| format!("{word:?} is no number"));
        let (from, to) = (number(first)?, number(last)?);
        if from > to {
            return Err(format!("{part} goes backwards"));
        }
        if (to - from) as usize >= MOST {
            return Err(format!("{part} has more than {MOST} numbers"));
        }
        let width = if first.starts_with('0') { first.len() } else { 0 };
        words.extend((from..=to).map(|number| format!("{number:0width$}")));
    }
    Ok(words)
}

/// Names end up on command lines of other programs: they begin with no dash and hold nothing that a shell reads.
fn check(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '@' | ':' | '%' | '/');
    if let Some(odd) = name.chars().find(|c| !plain(*c)) {
        return Err(format!("no host's name has a {odd:?}"));
    }
    match name.starts_with('-') || name.contains("@-") {
        true => Err("no host's name begins with a dash".into()),
        false => Ok(()),
    }
}

impl From<NamesError> for model::Failure {
    fn from(error: NamesError) -> model::Failure {
        model::Failure::Usage(error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_are_expanded_in_their_order() {
        let cases: [(&str, &[&str]); 9] = [
            ("a,b[1-3]", &["a", "b1", "b2", "b3"]),
            ("a a, a", &["a"]),
            ("n[08-11]", &["n08", "n09", "n10", "n11"]),
            ("r[1-2]n[1,3].x", &["r1n1.x", "r1n3.x", "r2n1.x", "r2n3.x"]),
            ("root@10.0.0.1:2222", &["root@10.0.0.1:2222"]),
            ("h[5]", &["h5"]),
            ("h[1-2,7-8]", &["h1", "h2", "h7", "h8"]),
            ("[2001:db8::1]:22,a", &["[2001:db8::1]:22", "a"]),
            ("root@[::1]:2222,[fe80::1%eth0]", &["root@[::1]:2222", "[fe80::1%eth0]"]),
        ];
        for (list, hosts) in cases {
            assert_eq!(expand(list).unwrap(), hosts, "{list}");
        }
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (list, word) in [
            ("", "no host"),
            (" , ", "no host"),
            ("a[1-", "without its ]"),
            ("a]1", "without its ["),
            ("a[[1]]", "inside of another"),
            ("a[x]", "no number"),
            ("a[3-1]", "backwards"),
            ("a[1-99999]", "more than"),
            ("a[1-999]b[1-999]", "more than"),
            ("-oProxyCommand", "dash"),
            ("-o=x", "'='"),
            ("root@-x", "dash"),
            ("a;rm", "';'"),
            ("$(x)", "'$'"),
            ("[::1];rm", "';'"),
            ("[2001:db8::1]x[1-2]", "'['"),
        ] {
            let error = expand(list).unwrap_err().to_string();
            assert!(error.contains(word), "{list}: {error}");
        }
    }

    #[test]
    fn files_have_comments_and_lines() {
        assert_eq!(of_file("# mine\nceph[1-2] # rack 1\n\nx, y\nx\n").unwrap(), ["ceph1", "ceph2", "x", "y"]);
        assert!(of_file("a\nb[").unwrap_err().to_string().contains("line 2"));
        assert!(of_file("# nothing\n").is_err());
    }

    proptest! {
        #[test]
        fn anything_is_expanded_or_refused(list in ".{0,60}") {
            if let Ok(hosts) = expand(&list) {
                prop_assert!(!hosts.is_empty() && hosts.len() <= MOST);
                prop_assert!(hosts.iter().all(|host| !host.starts_with('-') && !host.contains(' ')));
            }
        }

        #[test]
        fn a_range_has_all_its_numbers(from in 0u32..500, more in 0u32..300) {
            let hosts = expand(&format!("h[{from}-{}]", from + more)).unwrap();
            prop_assert_eq!(hosts.len() as u32, more + 1);
        }
    }
}
