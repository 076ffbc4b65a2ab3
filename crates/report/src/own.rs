//! Is a file a report made by Fathom? Only then may it be replaced without asking.

/// How many bytes of a file's beginning are enough to tell.
pub const BEGINNING: usize = 4096;

/// HTML, Markdown or JSON, by its first [`BEGINNING`] bytes: as a report begins, with the name of a run where it stands in one.
pub fn is_report(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let first = text.lines().next().unwrap_or_default();
    let html = first == "<!doctype html>" && names_run(&text, "<title>Fathom: run ");
    let markdown = first.starts_with("# Fathom ") && names_run(first, ", run ");
    let json = text.starts_with("{\n  \"schema\": \"fathom.run/1\",\n") && names_run(&text, "\n  \"run\": \"");
    html || markdown || json
}

/// Does the name of a run (`20260102-030405-a1b2`) follow the first `before`?
fn names_run(text: &str, before: &str) -> bool {
    let Some((_, rest)) = text.split_once(before) else { return false };
    // Markdown escapes the dashes.
    let mut name = rest.chars().filter(|c| *c != '\\');
    "dddddddd-dddddd-hhhh".chars().all(|form| {
        let is_form = |c: char| match form {
            'd' => c.is_ascii_digit(),
            'h' => matches!(c, '0'..='9' | 'a'..='f'),
            _ => c == form,
        };
        name.next().is_some_and(is_form)
    })
}

#[cfg(test)]
mod tests {
    use super::is_report;

    #[test]
    fn what_only_looks_like_a_report_is_none() {
        let run = "20260102-030405-a1b2";
        let html = |run: &str| format!("<!doctype html>\n<html lang=\"en\">\n<title>Fathom: run {run}</title>");
        let json = |run: &str| format!("{{\n  \"schema\": \"fathom.run/1\",\n  \"run\": \"{run}\",");
        for own in [html(run), json(run), format!("# Fathom 0.1.0, run {}, 2 hosts\n", run.replace('-', "\\-"))] {
            assert!(is_report(own.as_bytes()), "{own}");
        }
        let theirs = [
            html("book"),
            json("mine"),
            format!("{{\"mine\": 1, \"schema\": \"fathom.run/1\", \"run\": \"{run}\"}}"),
            "# Fathom notes, run by hand\n".to_string(),
            String::new(),
        ];
        assert!(theirs.iter().all(|text| !is_report(text.as_bytes())));
    }
}
