//! What a diagnosis is about: a layer, or one of its patterns, and what lies below it.

use model::{Layer, LedgerRow, Pattern, Report};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct About {
    pub layer: Layer,
    /// `None`: all of its patterns.
    pub pattern: Option<Pattern>,
}

impl About {
    /// It, and what its operations pass through: of what lies beside each other only its own.
    pub fn layers(self) -> Vec<Layer> {
        let own = self.layer;
        let on_others = own.of_ceph() || own.is_door() || own.of_replicas();
        let of_images = own.can().images || own.of_guests();
        let passed =
            |below: &Layer| on_others && *below < own && below.in_stack() && (of_images || !below.can().images);
        Layer::ALL.into_iter().filter(|layer| *layer == own || passed(layer)).collect()
    }

    /// `rbd/write-latency`, as it is named on the command line.
    pub fn name(self) -> String {
        let pattern = self.pattern.map_or(String::new(), |pattern| format!("/{}", pattern.name()));
        format!("{}{pattern}", self.layer.name())
    }

    /// Of a run that was made before: the row by which most is lost, of latency before throughput, as that is what a run tells first; and what
    /// shows it: the topmost layer of the same stack with this pattern. `None`: no layer of it adds anything that is known.
    pub fn largest_loss(report: &Report) -> Option<(About, &LedgerRow)> {
        let lost = report.ledger.iter().filter_map(|row| Some((row, loss(row).filter(|loss| *loss > 0.0)?)));
        let rank = |row: &LedgerRow| row.pattern.metric(row.layer).lower_is_better();
        let (row, _) =
            lost.max_by(|(one, own), (other, theirs)| rank(one).cmp(&rank(other)).then(own.total_cmp(theirs)))?;
        let above = report.ledger.iter().filter(|other| other.pattern == row.pattern && other.layer.in_stack());
        let top = above.map(|other| other.layer).max().filter(|top| row.layer.in_stack() && *top > row.layer);
        Some((About { layer: top.unwrap_or(row.layer), pattern: Some(row.pattern) }, row))
    }
}

/// Share of the whole operation, or of the ceiling, that is lost in the row's layer beyond what its model expects; without a model, all that it
/// adds. `None`: not known.
fn loss(row: &LedgerRow) -> Option<f64> {
    let share = row.share?;
    if !row.pattern.metric(row.layer).lower_is_better() {
        return Some(1.0 - share);
    }
    let adds = row.adds.value;
    (adds > 0.0).then(|| share * row.unexplained.unwrap_or(adds) / adds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Estimate;

    #[test]
    fn what_an_operation_passes_through_is_measured_and_nothing_beside() {
        let names = |layer| {
            let about = About { layer, pattern: None };
            about.layers().into_iter().map(Layer::name).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(names(Layer::from_name("rbd").unwrap()), "device network store osd rados rbd");
        assert_eq!(names(Layer::from_name("object").unwrap()), "device network store osd rados object");
        assert_eq!(names(Layer::from_name("guest").unwrap()), "device network store osd rados rbd guest");
        assert_eq!(names(Layer::from_name("osd").unwrap()), "device network store osd");
        assert_eq!(names(Layer::from_name("floor").unwrap()), "device network floor");
        assert_eq!(names(Layer::from_name("network").unwrap()), "network");
    }

    #[test]
    fn the_largest_loss_is_what_no_model_expects() {
        let row = |layer: &str, pattern: Pattern, adds: f64, unexplained: Option<f64>, share: Option<f64>| LedgerRow {
            pattern,
            layer: Layer::from_name(layer).unwrap(),
            adds: Estimate::new(adds, 0.0),
            expected: None,
            unexplained,
            share,
            ceiling: None,
            at_least: false,
            because: String::new(),
        };
        let largest = |rows: Vec<LedgerRow>| {
            let report = Report { ledger: rows, ..Report::default() };
            About::largest_loss(&report).map(|(about, row)| format!("{} by {}", about.name(), row.layer.name()))
        };
        let (latency, parallel) = (Pattern::WriteLatency, Pattern::WriteParallel);
        // Most of it is as expected.
        let rows = [row("store", latency, 8.0, Some(0.8), Some(0.8)), row("osd", latency, 2.0, Some(2.0), Some(0.2))];
        let told = |text: &str| Some(text.to_string());
        assert_eq!(largest(rows.to_vec()), told("osd/write-latency by osd"));
        // Of latency before throughput, and in what shows all of it.
        let delivers = row("rados", parallel, 700.0, None, Some(0.1));
        let above = row("rbd", latency, 0.1, Some(0.0), Some(0.01));
        let door = row("object", latency, 0.1, None, Some(0.05));
        let all = [rows.to_vec(), vec![delivers.clone(), above, door]].concat();
        assert_eq!(largest(all), told("rbd/write-latency by osd"));
        assert_eq!(largest(vec![delivers]), told("rados/write-parallel by rados"));
        let door = row("object", latency, 9.0, None, Some(0.9));
        assert_eq!(largest([rows.to_vec(), vec![door]].concat()), told("object/write-latency by object"));
        // Less than expected is no loss, nor is what isn't known.
        assert_eq!(
            largest(vec![row("rbd", latency, 1.0, Some(-0.5), Some(0.5)), row("osd", latency, 1.0, None, None)]),
            None
        );
    }
}
