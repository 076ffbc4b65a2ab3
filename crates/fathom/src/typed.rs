//! The words of the command line, before they are understood.

/// As it was typed.
pub fn arguments() -> Vec<String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect()
}

/// As it is recorded: without what is secret.
pub fn command_line() -> String {
    model::secrets::cleaned(&arguments().join(" "))
}

/// `--format json` prints one JSON document whatever happens, also when the command line can't be understood.
pub fn wants_json(arguments: &[String]) -> bool {
    arguments.windows(2).any(|pair| pair[0] == "--format" && pair[1] == "json")
        || arguments.iter().any(|word| word == "--format=json")
}
