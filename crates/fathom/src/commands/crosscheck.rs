//! `fathom crosscheck`: the same load with Fathom and with fio, in turns; do they agree?

use crate::cli::crosscheck::{CrosscheckArgs, On};
use crate::cli::{Common, Format};
use crate::crosscheck::{Check, Done, run as crosscheck};
use crate::exit_codes::{INCOMPLETE, REGRESSION};
use crate::output::say;
use model::{Agrees, Crosscheck, Failure};
use report::crosscheck::{document, overall, page, summary};

pub fn run(common: &Common, args: &CrosscheckArgs) -> Result<u8, Failure> {
    let check = match &args.on {
        On::Disk(disk) => Check::disk(disk)?,
        On::Rados(pool) => Check::pool(model::Layer::Rados, pool),
        On::Rbd(pool) => Check::pool(model::Layer::Rbd, pool),
    };
    super::refuse_figures_of_a_plan(common, check.dry_run)?;
    match crosscheck(common, &check)? {
        Done::Planned(plan, seconds) => {
            super::print_plan(common, &plan, seconds)?;
            Ok(0)
        }
        Done::Insisted => Ok(INCOMPLETE),
        Done::Checked(found) => {
            say(&shown(common.format, &found))?;
            Ok(code(&found))
        }
    }
}

fn shown(format: Format, found: &Crosscheck) -> String {
    match format {
        Format::Json => format!("{:#}\n", document(found)),
        Format::Markdown => page(found),
        _ => summary(found, &super::style()),
    }
}

fn code(found: &Crosscheck) -> u8 {
    match overall(found) {
        Agrees::Differs => REGRESSION,
        Agrees::Agrees if !found.interrupted => 0,
        _ => INCOMPLETE,
    }
}
