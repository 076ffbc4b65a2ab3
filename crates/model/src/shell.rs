//! Commands that are shown to be copied.

/// A text that becomes one word of a command which the user may copy to a shell.
pub fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '/' | '-' | ':' | '+' | '=' | ',' | '@');
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

/// The words of a command as a shell takes them; one whose quotes have no end is taken apart at its blanks.
pub fn words(command: &str) -> Vec<String> {
    shlex::split(command).unwrap_or_else(|| command.split_whitespace().map(str::to_string).collect())
}

#[cfg(test)]
mod tests {
    use super::{word, words};

    #[test]
    fn a_command_to_copy_holds_no_other_command() {
        assert_eq!([word("osd.1"), word("a/b-c_d"), word("")], ["osd.1", "a/b-c_d", "''"]);
        assert_eq!(word("x; rm -rf ~ #"), "'x; rm -rf ~ #'");
        assert_eq!(word("x'$(id)"), r"'x'\''$(id)'");
    }

    #[test]
    fn what_was_quoted_is_one_word_again() {
        let typed = ["rbd", "p99<10ms", "4096 131072 6291456", "/a b", "", "it's", "100 %"];
        assert_eq!(words(&typed.map(word).join(" ")), typed);
        assert_eq!(words("an 'open end"), ["an", "'open", "end"]);
    }
}
