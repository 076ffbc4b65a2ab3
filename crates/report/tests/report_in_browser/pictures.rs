//! Pictures of the report for eyes: `REPORT_PICTURES=FOLDER cargo test -p report --test report_in_browser -- --ignored`.

use crate::browser::Browser;
use crate::{labels, runs};
use report::html;
use std::path::PathBuf;

#[test]
#[ignore = "makes pictures for eyes, in the folder named by REPORT_PICTURES"]
fn pictures() {
    let folder = PathBuf::from(std::env::var("REPORT_PICTURES").expect("REPORT_PICTURES names a folder"));
    let mut browser = Browser::start();
    let save = |browser: &mut Browser, name: &str| {
        std::fs::write(folder.join(format!("{name}.png")), browser.screenshot()).expect("the picture is written");
    };
    for (name, (report, record)) in runs::all() {
        let page = html::page(&report, &record);
        for (width, scheme) in [(1280, "light"), (1280, "dark"), (400, "light")] {
            browser.size(width, 900);
            browser.prefer(scheme);
            browser.open(&page, "");
            save(&mut browser, &format!("{name}-{width}-{scheme}"));
        }
    }
    let (report, record) = labels::seen();
    browser.size(1280, 700);
    browser.prefer("light");
    for (label, hash) in labels::hashes(&report) {
        browser.open(&html::page(&report, &record), &hash);
        save(&mut browser, &format!("label-{label}").replace(' ', "-"));
    }
    browser.open(&html::page(&report, &record), "#sustained");
    save(&mut browser, "sustained");
    let (report, record) = runs::usual();
    browser.print();
    browser.open(&html::page(&report, &record), "");
    save(&mut browser, "print");
}
