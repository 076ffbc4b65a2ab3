//! A sweep as pictures: throughput and latency as lines over one axis, and two axes as a surface.

use super::points::{named, point_of, setting};
use crate::block::Block;
use crate::chart::{Axis, Caption, Chart, Heat, HeatCell, Lines, Mark, Point, Series, Tick};
use crate::numbers;
use crate::sections::slowest;
use model::{Estimate, Metric, Reading, Report, Setting, SweepAxis, Swept};

/// Values that lie a factor of this apart are drawn on a logarithmic axis.
const WIDE: f64 = 8.0;

/// Points that differ only on the axis along which lines go, and on the one that tells lines apart.
struct Picture<'a> {
    report: &'a Report,
    swept: &'a Swept,
    along: usize,
    across: Option<usize>,
    points: Vec<usize>,
    /// The other axes' values.
    rest: String,
}

pub(super) fn of(report: &Report, swept: &Swept, points: &[usize]) -> Vec<Block> {
    let along = swept.sweep.along();
    if along >= swept.sweep.axes.len() {
        return Vec::new();
    }
    let mut others = (0..swept.sweep.axes.len()).filter(|axis| *axis != along);
    let across = others.next();
    let others: Vec<usize> = others.collect();
    let mut pictures: Vec<Picture<'_>> = Vec::new();
    for point in points {
        let at = &swept.readings[*point].at;
        let rest = others.iter().map(|axis| named(&swept.sweep, at, *axis)).collect::<Vec<_>>().join(", ");
        match pictures.iter_mut().find(|picture| picture.rest == rest) {
            Some(picture) => picture.points.push(*point),
            None => pictures.push(Picture { report, swept, along, across, points: vec![*point], rest }),
        }
    }
    pictures.iter().flat_map(Picture::charts).map(Block::from).collect()
}

impl Picture<'_> {
    fn charts(&self) -> Vec<Chart> {
        let unit = self.points.first().map_or("", |point| self.swept.readings[*point].metric.unit());
        let throughput = self.lines("Throughput", unit, |reading| (reading.throughput, reading.metric));
        let latency = self.lines("Mean latency", "ms", |reading| (reading.latency, Metric::LatencyMean));
        [Some(throughput), Some(latency), self.surface(unit)].into_iter().flatten().collect()
    }

    fn axis(&self, axis: usize) -> &SweepAxis {
        &self.swept.sweep.axes[axis]
    }

    fn place(&self, point: usize, axis: usize) -> usize {
        self.swept.readings[point].at.get(axis).map_or(0, |place| *place as usize)
    }

    /// Values on a logarithmic axis where they double, on a linear one where they don't, side by side where they are words.
    fn x(&self) -> (Axis, Vec<f64>) {
        let axis = self.axis(self.along);
        let numbers: Option<Vec<f64>> =
            axis.values.iter().map(|value| value.number().map(|number| number as f64)).collect();
        let places = numbers.clone().unwrap_or_else(|| (0..axis.values.len()).map(|place| place as f64).collect());
        let (low, high) =
            (places.iter().copied().fold(f64::INFINITY, f64::min), places.iter().copied().fold(0.0, f64::max));
        let tick = |(at, value): (&f64, &Setting)| Tick { at: *at, text: setting(&axis.name, value) };
        let ticks = places.iter().zip(&axis.values).map(tick).collect();
        let log = numbers.is_some() && low > 0.0 && high / low >= WIDE;
        (Axis { title: axis.called().to_string(), log, ticks }, places)
    }

    fn lines(&self, title: &str, unit: &str, of: fn(&Reading) -> (Option<Estimate>, Metric)) -> Chart {
        let (x, places) = self.x();
        let point = |index: &usize| {
            let reading = &self.swept.readings[*index];
            let (estimate, metric) = of(reading);
            let figure = self.report.figures.get(reading.figure);
            let label = figure.map_or("void", |figure| figure.label.name());
            let shown = numbers::figure(&estimate?, metric).with_unit();
            let text = format!("{}: {shown}, {label}", point_of(&self.swept.sweep, reading));
            Some(Point {
                x: *places.get(self.place(*index, self.along))?,
                y: Mark::written(&estimate?, text)?,
                ring: super::marks(self.swept, *index, figure).contains("knee"),
                label: label.to_string(),
                figure: Some(reading.figure),
            })
        };
        let joined = self.axis(self.along).values.iter().all(|value| value.number().is_some());
        let series =
            |name: String, own: Vec<usize>| Series { name, points: own.iter().filter_map(point).collect(), joined };
        let all = match self.across {
            None => vec![series(String::new(), self.points.clone())],
            Some(across) => {
                let at =
                    |place| self.points.iter().copied().filter(|point| self.place(*point, across) == place).collect();
                let line = |(place, value)| series(self.line(across, value), at(place));
                self.axis(across).values.iter().enumerate().map(line).collect()
            }
        };
        let y = if unit == "ms" { Axis::log(unit) } else { Axis::linear(unit) };
        Chart::Lines(Lines { caption: Caption::new(title, &self.rest, unit), x, y, series: all, bounds: Vec::new() })
    }

    /// What one line is called: `osd_max_backfills 4`; of words the word alone.
    fn line(&self, axis: usize, value: &Setting) -> String {
        let axis = self.axis(axis);
        let name = axis.name.rsplit_once('/').map_or(axis.name.as_str(), |(_, name)| name);
        let text = setting(&axis.name, value);
        if value.number().is_some() { format!("{name} {text}") } else { text }
    }

    /// The more throughput, the fuller the cell.
    fn surface(&self, unit: &str) -> Option<Chart> {
        let across = self.across?;
        let (columns, rows) = (self.axis(self.along), self.axis(across));
        if columns.values.len() < 2 || rows.values.len() < 2 {
            return None;
        }
        let value =
            |index: &usize| self.swept.readings[*index].throughput.map(|one| one.value).filter(|one| one.is_finite());
        let most = self.points.iter().filter_map(value).fold(1e-9, f64::max);
        let cell = |index: &usize| {
            let (reading, value) = (&self.swept.readings[*index], value(index));
            let figure = self.report.figures.get(reading.figure);
            let short = value.map_or(numbers::NOTHING.to_string(), numbers::rough);
            let label = figure.map_or("void", |figure| figure.label.name());
            HeatCell {
                column: self.place(*index, self.along),
                row: rows.values.len().saturating_sub(1 + self.place(*index, across)),
                share: value.unwrap_or(0.0) / most,
                text: format!("{}: {short} {unit}, {label}", point_of(&self.swept.sweep, reading)),
                short,
                ring: super::marks(self.swept, *index, figure).contains("knee"),
                figure: Some(reading.figure),
            }
        };
        let names = |axis: &SweepAxis| axis.values.iter().map(|value| setting(&axis.name, value)).collect::<Vec<_>>();
        Some(Chart::Heat(Heat {
            caption: Caption::new(format!("{} × {}", columns.called(), rows.called()), &self.rest, unit),
            columns: names(columns),
            rows: names(rows).into_iter().rev().collect(),
            across: columns.called().to_string(),
            cells: self.points.iter().map(cell).collect(),
            table: slowest::ALL.to_string(),
            ..Heat::default()
        }))
    }
}
