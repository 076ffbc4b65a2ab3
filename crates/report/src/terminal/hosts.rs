//! Of runs on several hosts: the network between all of them, and what each did under load.

use super::chart::paragraph;
use super::notes::title;
use super::style::{Paint, Style};
use super::table::{Align, Table};
use crate::{host_loads, matrix};
use model::Report;

pub(crate) fn matrix(report: &Report, style: &Style) -> String {
    let square = |square: matrix::Square| {
        let aligns = (0..).map(|column| if column == 0 { Align::Left } else { Align::Right });
        let heading: Vec<(&str, Align)> = square.heading.iter().map(String::as_str).zip(aligns).collect();
        let mut table = Table::new(&heading);
        square.rows.into_iter().for_each(|cells| table.row(cells, Paint::Plain));
        title(&square.title, style) + &table.text(0, style)
    };
    matrix::squares(report).into_iter().map(square).collect::<Vec<_>>().join("\n")
}

pub(crate) fn host_loads(report: &Report, style: &Style) -> String {
    let rows = host_loads::rows(report);
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new(&host_loads::HEADING.map(|name| (name, Align::Left)));
    rows.into_iter().for_each(|cells| table.row(cells, Paint::Plain));
    title(host_loads::TITLE, style) + &table.text(0, style) + &paragraph(host_loads::NOTE, 0, Paint::Dim, style)
}
