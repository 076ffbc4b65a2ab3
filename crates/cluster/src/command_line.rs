//! What a daemon was started with.

/// Its program, without the folder.
pub fn program(words: &[String]) -> Option<&str> {
    words.first()?.rsplit('/').next()
}

/// The first of these options that stands there, with its value: `-i 3`, `--id=3`. `None`: there is none, or it has no value.
pub fn option<'n>(words: &[String], names: &[&'n str]) -> Option<(&'n str, String)> {
    let known = |word: &str| names.iter().copied().find(|name| *name == word);
    let mut rest = words.iter().skip(1);
    while let Some(word) = rest.next() {
        let (name, value) = word.split_once('=').map_or((word.as_str(), None), |(name, value)| (name, Some(value)));
        if let Some(name) = known(name) {
            return Some((name, value.or_else(|| rest.next().map(String::as_str))?.to_string()));
        }
    }
    None
}
