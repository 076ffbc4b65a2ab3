//! `fathom explain`: the page of a rule, what a figure's label means, or all rules.

use crate::cli::audit::ExplainArgs;
use crate::cli::{Common, Format};
use experiments::diagnose::{RULES, page};
use model::{Failure, RulePage, nearest};
use report::{audit, json};

pub fn run(common: &Common, args: &ExplainArgs) -> Result<u8, Failure> {
    let pages: Vec<RulePage> = RULES.iter().map(|rule| page(rule)).collect();
    let Some(name) = &args.rule else {
        super::show(common, &audit::list(&pages), || json::rules(&pages))?;
        return Ok(0);
    };
    if let Some(blocks) = report::audit::label(name).filter(|_| common.format != Format::Json) {
        return crate::output::say(&report::terminal::text(&[blocks], &super::style())).map(|()| 0);
    }
    let Some(found) = pages.iter().find(|page| page.id == *name) else {
        let names = nearest(name, pages.iter().map(|page| page.id.as_str()));
        let text = format!(
            "`{name}` is no rule, and no label of a figure; the nearest rules: {}. All of them: fathom explain",
            names.join(", ")
        );
        return Err(Failure::Usage(text));
    };
    super::show(common, &audit::page(found), || json::rules(std::slice::from_ref(found)))?;
    Ok(0)
}
