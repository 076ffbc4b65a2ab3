//! A latency on its way up through the layers: what was met so far, and the row of the one that comes next.

use super::{Books, less, not_known};
use model::{Estimate, Layer, LedgerRow, Pattern};
use std::collections::BTreeMap;

const TRIP_IN_HERE: &str =
    "network not measured: the round trip is in here, and how long it takes is not known, so there is no model";

/// What lies below the layer that comes next.
pub(crate) struct Path<'p, 'b, 'a> {
    pub books: &'p Books<'b, 'a>,
    pub pattern: Pattern,
    pub top: (Layer, Estimate),
    /// What happens on the OSD's host: its disk, or its store.
    pub local: Option<(Layer, Estimate)>,
    pub trip: Option<(Layer, Estimate)>,
    /// The topmost layer so far that holds all below it.
    pub whole: Option<(Layer, Estimate)>,
    /// What is missing below and therefore inside the next row.
    pub notes: Vec<String>,
}

/// What a stage should take, ms, and of what that is made.
pub(crate) struct Model {
    pub expected: f64,
    pub because: String,
}

impl<'p, 'b, 'a> Path<'p, 'b, 'a> {
    /// At the bottom.
    pub fn of(books: &'p Books<'b, 'a>, pattern: Pattern, top: (Layer, Estimate)) -> Self {
        Path { books, pattern, top, local: None, trip: None, whole: None, notes: Vec::new() }
    }

    /// The depth chart's value of the layer; without one, its part is in the next row, and that is noted there.
    pub fn measured(&mut self, layer: Layer) -> Option<Estimate> {
        let value = self.books.cell(layer, self.pattern);
        if value.is_none() {
            self.missing(layer, "measured only where the pool does not lie");
        }
        value
    }

    /// `only_others`: what is said where the layer was measured, and nothing of it below the pool.
    pub fn missing(&mut self, layer: Layer, only_others: &str) {
        let what = if self.books.only_others(layer, self.pattern) { only_others } else { "not measured" };
        self.notes.push(format!("{} {what}: its part is in here", layer.name()));
    }

    /// A layer that is reached over the network, and holds all below it.
    pub fn over_network(&mut self, layer: Layer, model: impl FnOnce(&mut Self) -> Option<Model>) -> Option<LedgerRow> {
        let value = self.measured(layer)?;
        let below = self.below();
        // Of the layers that are reached over the network the lowest one holds its round trip.
        let holds_trip = self.whole.is_none() && self.trip.is_none();
        let clients = |layer: Layer| self.books.clients(layer, self.pattern);
        let (own, theirs) = (clients(layer), self.whole.map_or(1, |(below, _)| clients(below)));
        // What several clients wait for each other is no part of a single one's way.
        let crowded = own > theirs;
        if crowded {
            let below = if theirs == 1 { "one".to_string() } else { theirs.to_string() };
            self.notes.push(format!(
                "{own} hosts loaded it at once, and {below} what lies below: what they waited for each other is in here"
            ));
        }
        let model = if holds_trip || crowded { None } else { model(self) };
        self.notes.extend(holds_trip.then(|| TRIP_IN_HERE.to_string()));
        self.notes.extend(self.books.unlike_below(layer, self.pattern).filter(|_| !self.pattern.writes()));
        self.whole = Some((layer, value));
        Some(LedgerRow { at_least: holds_trip || crowded, ..self.modelled((layer, value), &below, model) })
    }

    /// Everything below, as one or more parts.
    fn below(&self) -> Vec<(Layer, Estimate)> {
        match self.whole {
            Some(whole) => vec![whole],
            None => self.local.into_iter().chain(self.trip).collect(),
        }
    }

    /// The row of a layer that has no layer below it.
    pub fn bottom(&self, layer: Layer, value: Estimate, because: String) -> LedgerRow {
        self.row((layer, value), &[], None, vec![because])
    }

    pub fn modelled(&mut self, own: (Layer, Estimate), below: &[(Layer, Estimate)], model: Option<Model>) -> LedgerRow {
        let notes = self.notes.drain(..).collect();
        self.row(own, below, model, notes)
    }

    fn row(
        &self,
        (layer, value): (Layer, Estimate),
        below: &[(Layer, Estimate)],
        model: Option<Model>,
        notes: Vec<String>,
    ) -> LedgerRow {
        let parts: Vec<Estimate> = below.iter().map(|(_, part)| *part).collect();
        let adds = if parts.is_empty() { value } else { less(value, &parts) };
        let made_of: BTreeMap<Layer, Estimate> = below.iter().copied().chain([(layer, value), self.top]).collect();
        let unsure = made_of.into_iter().filter(|(_, part)| !part.is_known());
        let mut because: Vec<String> =
            unsure.map(|(layer, _)| not_known(&format!("{} {}", layer.name(), self.pattern.name()))).collect();
        let known = because.is_empty();
        let model = model.filter(|_| known);
        let expected = model.as_ref().map(|model| model.expected);
        because.extend(model.map(|model| model.because));
        because.extend(notes);
        because.extend(self.books.only_below(layer, self.pattern));
        LedgerRow {
            pattern: self.pattern,
            layer,
            adds,
            expected,
            unexplained: expected.map(|expected| adds.value - expected),
            share: known.then_some(adds.value / self.top.1.value),
            ceiling: None,
            at_least: false,
            because: because.join("; "),
        }
    }
}
