//! Devices that were written to without pause until their rate fell.

use crate::block::{Block, Emphasis, Text};
use crate::chart::{Caption, Chart, CliffAt, Mark, Volume};
use crate::{numbers, words};
use model::{Endurance, Estimate, Report, Scope, Until};

pub(super) fn blocks(report: &Report, _: &Scope) -> Vec<Block> {
    report.answer.endurance().iter().flat_map(one).collect()
}

fn one(found: &Endurance) -> [Block; 2] {
    let emphasis = if found.error.is_some() { Emphasis::Bad } else { Emphasis::Plain };
    let cliff = found.cliff.as_ref().map(|cliff| CliffAt {
        at: cliff.written,
        low: cliff.low,
        high: cliff.high,
        text: format!("cliff after {}", numbers::bytes(cliff.written)),
        from: cliff.from.and_then(|rate| level("before", &rate)),
        to: cliff.to.and_then(|rate| level("after", &rate)),
    });
    let title = match (found.until, found.filled) {
        (Until::Falls, _) => found.target.clone(),
        (Until::Steady, None) => format!("{}, at random", found.target),
        (Until::Steady, Some(level)) => format!("{}, at random, {level} % full", found.target),
    };
    let unit = format!("{} in {}", numbers::bytes(found.written), numbers::seconds(found.seconds));
    let volume = Volume {
        caption: Caption::new(title, "MB/s over GiB written, one step each second", unit),
        each_second: found.each_second.clone(),
        seconds: found.seconds,
        written: found.written,
        worth_drawing: found.held > 0 || found.rounds.is_some(),
        cliff,
    };
    [Block::Paragraph(Text::new(sentence(found), emphasis)), Chart::Volume(volume).into()]
}

/// `before 480 MB/s`
fn level(name: &str, rate: &Estimate) -> Option<Mark> {
    Mark::written(rate, format!("{name} {} MB/s", numbers::rough(rate.value)))
}

/// `/dev/sdx (model): fell by …`
pub(crate) fn sentence(found: &Endurance) -> String {
    let model = found.model.as_ref().map_or(String::new(), |model| format!(" ({model})"));
    let also = match found.also.as_slice() {
        [] => String::new(),
        also => format!(" It stands for {} as well: the same model, or the same device.", also.join(", ")),
    };
    let rate = found.rate.map_or(String::new(), |rate| format!(" {}.", words::rate(&rate)));
    format!("{}{model}: {}.{rate}{also}", found.target, found.says)
}
