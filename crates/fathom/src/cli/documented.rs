//! Every command that the documents show can be typed.

use super::Cli;
use clap::Parser;

const DOCUMENTS: [(&str, &str); 2] = [
    ("README.md", include_str!("../../../../README.md")),
    ("docs/guide.md", include_str!("../../../../docs/guide.md")),
];

/// The words of a command as a shell takes them, up to a comment, a pipe or a redirection.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for letter in line.chars().chain([' ']) {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty())),
            letter => word.push(letter),
        }
    }
    let ends = |word: &String| word.starts_with('#') || ["|", ">", "2>", "&&", ";"].contains(&word.as_str());
    let end = words.iter().position(ends).unwrap_or(words.len());
    words.truncate(end);
    words
}

/// Indented lines that begin with the program.
fn commands(text: &str) -> impl Iterator<Item = Vec<String>> {
    let indented = text.lines().filter_map(|line| line.strip_prefix("    "));
    let of_program = indented.map(words).filter(|words| {
        words.first().is_some_and(|first| ["fathom", "target/release/fathom"].contains(&first.as_str()))
    });
    // With words in capitals a form is shown, and no command.
    of_program.filter(|words| !words.iter().any(|word| word.chars().all(|letter| letter.is_ascii_uppercase())))
}

#[test]
fn what_the_documents_show_can_be_typed() {
    let mut wrong = Vec::new();
    for (document, text) in DOCUMENTS {
        let all: Vec<Vec<String>> = commands(text).collect();
        assert!(all.len() > 2, "{document} shows {} commands", all.len());
        let refused = all.into_iter().filter_map(|words| {
            let error = Cli::try_parse_from(&words).err().filter(|error| error.use_stderr())?;
            Some(format!("{document}: {}: {}", words.join(" "), error.to_string().lines().next().unwrap_or_default()))
        });
        wrong.extend(refused);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
