//! Is a file a report of ours? Only such a one may be replaced without asking.

/// So much of a file's beginning is enough to tell.
pub const BEGINNING: usize = 4096;

/// HTML, Markdown or JSON, by its first [`BEGINNING`] bytes.
pub fn is_report(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let html = text.starts_with("<!doctype html>") && text.contains("<title>Fathom: run ");
    let markdown = text.starts_with("# Fathom ") && text.lines().next().is_some_and(|line| line.contains(", run "));
    let json = text.trim_start().starts_with('{') && text.contains("\"schema\": \"fathom.run/1\"");
    html || markdown || json
}
