//! The HTML report: one file that works offline, with its data, its looks and its program inside.

mod bins;
mod columns;
mod facts;
mod payload;
mod series;

use model::{Record, Report};

const SCRIPT: &str = include_str!("../../page/dist/report.js");
const STYLE: &str = include_str!("../../page/dist/report.css");
/// The script's own hash: the page may run this and nothing else, whatever text a run carries.
const SCRIPT_SHA256: &str = include_str!("../../page/dist/report.js.sha256");

/// The page of a run. `report` says what is shown, `record` gives the windows and the scope behind it.
pub fn page(report: &Report, record: &Record) -> String {
    let mut page = String::with_capacity(1 << 20);
    page.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    page.push_str("<meta name=\"color-scheme\" content=\"light dark\">\n");
    page.push_str(&policy());
    page.push_str(&format!("<title>Fathom: run {}</title>\n", text(&report.head.run)));
    page.push_str("<link rel=\"icon\" href=\"data:,\">\n<style>\n");
    page.push_str(STYLE);
    page.push_str("</style>\n</head>\n<body>\n<noscript>This report draws itself with the script inside this file; ");
    page.push_str("please allow it. It loads nothing from anywhere.</noscript>\n");
    let (document, figures) = payload::document(report, record);
    page.push_str(&block("document", &document));
    page.push_str(&block("columns", &figures));
    page.push_str(&block("sections", &payload::sections(report, record)));
    page.push_str(&block("written", &payload::written(report, record)));
    page.push_str(&block("details", &payload::details(report, record)));
    page.push_str(&block("meanings", &payload::meanings()));
    page.push_str(&block("numbers", &payload::numbers()));
    page.push_str("<script>");
    page.push_str(SCRIPT);
    page.push_str("</script>\n</body>\n</html>\n");
    page
}

/// JSON Schema of what the page gets besides the run's document, for the page's own types.
pub fn schema() -> serde_json::Value {
    crate::json::schema_of::<payload::PageData>()
}

/// Nothing is fetched, nothing but the bundle runs. Style attributes are how SVG charts are drawn.
fn policy() -> String {
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
         style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n",
        SCRIPT_SHA256.trim()
    )
}

fn block(id: &str, json: &str) -> String {
    format!("<script type=\"application/json\" id=\"{id}\">{}</script>\n", inert(json))
}

/// JSON that cannot end its script element: `<` only ever occurs inside strings, where an escape means the same.
fn inert(json: &str) -> String {
    // What stands unescaped in JSON and is wild stands in a string.
    json.split('<').map(crate::words::tame_lines).collect::<Vec<_>>().join("\\u003c")
}

fn text(raw: &str) -> String {
    crate::words::tame(raw).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_of_a_run_can_leave_its_element() {
        let hostile = "</script><!--<script>alert(1)</script>";
        assert!(!inert(hostile).contains('<'));
        let back: String = serde_json::from_str(&inert(&format!("\"{hostile}\""))).expect("still JSON");
        assert_eq!(back, hostile);
        assert!(!text("</title><script>").contains('<'));
    }

    #[test]
    fn the_bundle_cannot_end_its_element_and_fetches_nothing() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</style") && !STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
