//! A text beside the file that says what it was when somebody last looked at it.

use std::fs;
use std::path::Path;

pub fn compare(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::write(&path, text).unwrap();
    }
    let golden = fs::read_to_string(&path).unwrap_or_default();
    let differ = golden.lines().zip(text.lines()).enumerate().find(|(_, (a, b))| a != b);
    if let Some((line, (before, now))) = differ {
        panic!("{}:{}: was\n{before}\nis\n{now}", path.display(), line + 1);
    }
    assert_eq!(golden.lines().count(), text.lines().count(), "{}: not as long as it was", path.display());
}

/// No line is wider than that, and none ends with spaces.
pub fn fits(text: &str, width: usize) {
    for line in text.lines() {
        assert!(line.chars().count() <= width, "{} columns of {width}: {line}", line.chars().count());
        assert!(!line.ends_with(' '), "spaces at the end: {line:?}");
    }
}
