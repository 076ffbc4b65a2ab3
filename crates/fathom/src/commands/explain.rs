//! `fathom explain`: the page of a rule, what a figure's label means, or all rules.

use crate::cli::Common;
use crate::cli::audit::ExplainArgs;
use experiments::diagnose::{RULES, page};
use model::{Failure, RulePage, near};
use report::{MEANINGS, Meaning, audit, json};

pub fn run(common: &Common, args: &ExplainArgs) -> Result<u8, Failure> {
    let pages: Vec<RulePage> = RULES.iter().map(|rule| page(rule)).collect();
    let Some(name) = &args.rule else {
        let labels: Vec<&Meaning> = MEANINGS.iter().collect();
        super::show(common, &audit::list(&pages), || json::rules(&pages, &labels))?;
        return Ok(0);
    };
    if let Some(label) = audit::label(name) {
        return super::show(common, &[audit::meaning(label)], || json::rules(&[], &[label])).map(|()| 0);
    }
    let Some(found) = pages.iter().find(|page| page.id == *name) else {
        let names = near(name, pages.iter().map(|page| page.id.as_str()));
        let near = match names.is_empty() {
            true => String::new(),
            false => format!("; the nearest rules: {}", names.join(", ")),
        };
        let text = format!("`{name}` is no rule, and no label of a figure{near}. All of them: fathom explain");
        return Err(Failure::Usage(text));
    };
    super::show(common, &audit::page(found), || json::rules(std::slice::from_ref(found), &[]))?;
    Ok(0)
}
