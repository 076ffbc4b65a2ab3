//! Commands that are shown to be copied.

/// A text that becomes one word of a command which the user may copy to a shell.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-' | ':' | '+' | '=' | ',' | '@');
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn a_command_to_copy_holds_no_other_command() {
        assert_eq!([word("osd.1"), word("a/b-c_d"), word("")], ["osd.1", "a/b-c_d", "''"]);
        assert_eq!(word("x; rm -rf ~ #"), "'x; rm -rf ~ #'");
        assert_eq!(word("x'$(id)"), r"'x'\''$(id)'");
    }
}
