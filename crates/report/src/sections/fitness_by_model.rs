//! Drives of one model beside each other, over all hosts: how many are what, and how far apart they are.

use super::fitness::is_known;
use crate::block::{Block, Cell, Column, Row, Table};
use crate::numbers;
use model::{DriveFound, Estimate, Fitness, Metric};

/// With one drive of a model there is nothing beside it.
const FEWEST: usize = 2;

/// A line for each model of which there are several drives.
pub(super) fn table(drives: &[DriveFound]) -> Option<Block> {
    let mut models: Vec<(&str, Vec<&DriveFound>)> = Vec::new();
    for drive in drives {
        let Some(model) = drive.model.as_deref() else { continue };
        match models.iter_mut().find(|(known, _)| *known == model) {
            Some((_, drives)) => drives.push(drive),
            None => models.push((model, vec![drive])),
        }
    }
    let several = models.iter().filter(|(_, drives)| drives.len() >= FEWEST);
    let rows: Vec<Row> = several.map(|(model, drives)| row(model, drives)).collect();
    let columns = [
        Column::left("model"),
        Column::left("drives"),
        Column::left("fitness"),
        Column::of("durable writes, slowest", Metric::Iops.unit()),
        Column::of("fastest", Metric::Iops.unit()),
    ];
    (!rows.is_empty()).then(|| Table::new(columns, rows).into())
}

fn row(model: &str, drives: &[&DriveFound]) -> Row {
    let count = |fitness: &Fitness| drives.iter().filter(|drive| drive.fitness == *fitness).count();
    let each = Fitness::BY_GRAVITY.iter().map(|fitness| (count(fitness), fitness)).filter(|(number, _)| *number > 0);
    let each: Vec<String> = each.map(|(number, fitness)| format!("{number} {}", fitness.name())).collect();
    let durable = drives.iter().filter_map(|drive| drive.slowest_durable()).map(|(_, rate)| rate);
    let mut durable: Vec<Estimate> = durable.filter(is_known).collect();
    durable.sort_by(|a, b| a.value.total_cmp(&b.value));
    let iops = |rate: Option<&Estimate>| rate.map_or_else(Cell::nothing, |rate| Cell::value(rate, Metric::Iops));
    Row::new([
        Cell::from(model),
        Cell::from(numbers::count(drives.len() as u64)),
        Cell::from(each.join(", ")),
        iops(durable.first()),
        iops(durable.last()),
    ])
}
