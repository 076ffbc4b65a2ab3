//! The words of the command line, before they are understood.

/// As it was typed.
pub fn arguments() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// As it is recorded: so that it can be typed again, but for what is secret.
pub fn command_line() -> String {
    recorded(&arguments())
}

fn recorded(arguments: &[String]) -> String {
    let plain = arguments.join(" ");
    let cleaned = model::secrets::cleaned(&plain);
    // Secrets are looked for in the words themselves; a command that lacks one can't be typed again anyway.
    match cleaned == plain {
        true => arguments.iter().map(|word| model::shell::word(word)).collect::<Vec<_>>().join(" "),
        false => cleaned,
    }
}

/// `--format json` prints one JSON document whatever happens, also when the command line can't be understood.
pub fn wants_json(arguments: &[String]) -> bool {
    arguments.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
        || arguments.iter().any(|word| word == "--format=json")
}

#[cfg(test)]
mod tests {
    use super::recorded;

    #[test]
    fn what_is_recorded_can_be_typed_again_and_holds_no_secret() {
        let of = |words: &[&str]| recorded(&words.iter().map(|word| word.to_string()).collect::<Vec<_>>());
        let plain = ["fathom", "rbd", "--rate-max-where", "p99<10ms", "--archive", "/a b"];
        assert_eq!(of(&plain), "fathom rbd --rate-max-where 'p99<10ms' --archive '/a b'");
        assert_eq!(model::shell::words(&of(&plain)), plain);
        let secret = of(&["fathom", "disk", "--report", "http://me:S3cret99@x/y z"]);
        assert!(!secret.contains("S3cret99"), "{secret}");
    }
}
