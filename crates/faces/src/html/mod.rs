//! The HTML report: one file that works offline, with its data, its looks and its program inside.

mod bins;
mod payload;
mod series;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use miniz_oxide::deflate::compress_to_vec;
use model::{Record, Report};

const SCRIPT: &str = include_str!("../../report/dist/report.js");
const STYLE: &str = include_str!("../../report/dist/report.css");
/// The script's own hash: the page may run this and nothing else, whatever text a run carries.
const SCRIPT_SHA256: &str = include_str!("../../report/dist/report.js.sha256");

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
    page.push_str(&block("document", &crate::json::document(report, record).to_string()));
    page.push_str(&block("details", &payload::details(report, record)));
    page.push_str(&block("meanings", &payload::meanings()));
    page.push_str("<script>");
    page.push_str(SCRIPT);
    page.push_str("</script>\n</body>\n</html>\n");
    page
}

/// Nothing is fetched, nothing but the bundle runs. Style attributes are how SVG charts are drawn.
fn policy() -> String {
    format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; \
         style-src 'unsafe-inline'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'\">\n",
        SCRIPT_SHA256.trim()
    )
}

/// Longer than this, a block is packed: reading text is half of what a browser does with a large page.
const PACKED_FROM: usize = 4 << 20;
/// More takes longer to write than it saves to read.
const LEVEL: u8 = 3;

fn block(id: &str, json: &str) -> String {
    if json.len() > PACKED_FROM {
        let packed = BASE64_STANDARD.encode(compress_to_vec(json.as_bytes(), LEVEL));
        return format!(
            "<script type=\"application/octet-stream\" data-packed=\"deflate\" id=\"{id}\">{packed}</script>\n"
        );
    }
    format!("<script type=\"application/json\" id=\"{id}\">{}</script>\n", inert(json))
}

/// JSON that cannot end its script element: `<` only ever occurs inside strings, where an escape means the same.
fn inert(json: &str) -> String {
    json.replace('<', "\\u003c")
}

fn text(raw: &str) -> String {
    raw.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
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
    fn what_is_long_is_packed() {
        let long = format!("[{}1]", "1,".repeat(PACKED_FROM));
        let packed = block("document", &long);
        assert!(packed.len() < long.len() / 20 && packed.contains("data-packed"));
        let text = packed.split_once('>').and_then(|(_, rest)| rest.split_once('<')).expect("an element").0;
        let bytes = BASE64_STANDARD.decode(text).expect("base64");
        assert_eq!(miniz_oxide::inflate::decompress_to_vec(&bytes).expect("deflate"), long.as_bytes());
        assert!(block("document", "[1]").contains(">[1]<"));
    }

    #[test]
    fn the_bundle_cannot_end_its_element_and_fetches_nothing() {
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.contains("</style") && !STYLE.contains("url(") && !STYLE.contains("@import"));
    }
}
