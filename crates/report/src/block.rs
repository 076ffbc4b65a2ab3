//! What a report is made of, whoever draws it: paragraphs, tables, charts, lists.

use crate::numbers::{self, Shown};
use crate::words;
use model::{Estimate, Figure, Metric};
use schemars::JsonSchema;
use serde::Serialize;

pub use crate::chart::Chart;

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Block {
    /// The first line of all.
    Headline(String),
    /// Over what follows it, inside a section.
    Title(String),
    Paragraph(Text),
    Table(Table),
    Chart(Box<Chart>),
    List(Vec<Item>),
    /// What need not be read: shown on demand.
    Fold(Fold),
}

/// How a text stands out. What that looks like is up to who draws it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Emphasis {
    #[default]
    Plain,
    Strong,
    Quiet,
    Good,
    Warn,
    Bad,
    /// A value that must not be used.
    Struck,
    /// A value that differs from its peers' beyond the noise.
    Outlier,
    /// A command.
    Code,
}

impl Emphasis {
    fn is_plain(&self) -> bool {
        *self == Emphasis::Plain
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Span {
    pub text: String,
    #[serde(skip_serializing_if = "Emphasis::is_plain")]
    pub emphasis: Emphasis,
}

/// One paragraph: pieces that follow each other.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Text(pub Vec<Span>);

impl Text {
    pub fn new(text: impl Into<String>, emphasis: Emphasis) -> Text {
        Text(vec![Span { text: text.into(), emphasis }])
    }

    pub fn and(mut self, text: impl Into<String>, emphasis: Emphasis) -> Text {
        self.0.push(Span { text: text.into(), emphasis });
        self
    }

    /// What stands between two backticks is a command.
    pub fn with_commands(text: &str) -> Text {
        let parts: Vec<&str> = text.split('`').collect();
        if parts.len().is_multiple_of(2) {
            return Text::from(text);
        }
        let span = |(place, part): (usize, &&str)| {
            let emphasis = if place % 2 == 1 { Emphasis::Code } else { Emphasis::Plain };
            Span { text: part.to_string(), emphasis }
        };
        Text(parts.iter().enumerate().filter(|(_, part)| !part.is_empty()).map(span).collect())
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Text {
        Text::new(text, Emphasis::Plain)
    }
}

/// One entry of a list, with lines of its own under it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Item {
    /// It is referred to by this number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub number: Option<usize>,
    pub text: Text,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<Text>,
}

impl<T: Into<Text>> From<T> for Item {
    fn from(text: T) -> Item {
        Item { text: text.into(), ..Item::default() }
    }
}

/// A list of texts that stand out in the same way; nothing if there are none.
pub fn list(texts: impl IntoIterator<Item = impl Into<String>>, emphasis: Emphasis) -> Option<Block> {
    let items: Vec<Item> = texts.into_iter().map(|text| Item::from(Text::new(text, emphasis))).collect();
    (!items.is_empty()).then_some(Block::List(items))
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Fold {
    /// What is in it, in a few words.
    pub title: String,
    #[serde(skip_serializing_if = "Emphasis::is_plain")]
    pub emphasis: Emphasis,
    /// It need not be asked for.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub open: bool,
    pub blocks: Vec<Block>,
}

impl Fold {
    pub fn new(title: impl Into<String>, blocks: Vec<Block>) -> Fold {
        Fold { title: title.into(), emphasis: Emphasis::Plain, open: false, blocks }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Table {
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Where there is little room not more rows than this are shown, those that stand out first.
    #[serde(skip)]
    pub rows_most: Option<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Align {
    #[default]
    Left,
    Right,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Column {
    pub title: String,
    /// Of its values; empty: they have none, or each its own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub unit: String,
    pub align: Align,
    /// Left out where there is no room for it.
    pub spare: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    #[schemars(with = "Vec<WrittenCell>")]
    pub cells: Vec<Cell>,
    #[serde(skip_serializing_if = "Emphasis::is_plain")]
    pub emphasis: Emphasis,
}

/// How a cell is written: of a text alone the text.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "it describes what Cell's own Serialize writes")]
enum WrittenCell {
    Text(String),
    Cell(Cell),
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[serde(remote = "Self")]
pub struct Cell {
    pub text: String,
    /// The interval of a value.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub within: String,
    /// What is to be known about a value: the name of its label. Empty: nothing.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    #[serde(skip_serializing_if = "Emphasis::is_plain")]
    pub emphasis: Emphasis,
    /// The number of the item in a list that says why there is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<usize>,
    /// A bar from one share of the whole to another.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bar: Option<[f64; 2]>,
    /// Which figure of the report it shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figure: Option<usize>,
}

impl Serialize for Cell {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let plain = *self == Cell::from(self.text.as_str());
        if plain { to.serialize_str(&self.text) } else { Cell::serialize(self, to) }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }
}

impl Cell {
    pub fn with(self, emphasis: Emphasis) -> Cell {
        Cell { emphasis, ..self }
    }

    /// What one has to know of the value; of a settled one, or where the label says nothing about a value, nothing.
    pub fn labelled(self, label: &str) -> Cell {
        let says = words::mark(label).is_some() || !words::is_usable(label);
        Cell { label: if says { label.to_string() } else { String::new() }, ..self }
    }

    /// In a column that names the unit.
    pub fn value(estimate: &Estimate, metric: Metric) -> Cell {
        Cell::shown(numbers::figure(estimate, metric))
    }

    pub fn shown(shown: Shown) -> Cell {
        Cell { text: shown.value, within: shown.within, ..Cell::default() }
    }

    pub fn nothing() -> Cell {
        Cell::from(numbers::NOTHING)
    }

    /// A figure with its unit and its label; struck out if it may not be used.
    pub fn figure(figure: &Figure) -> Cell {
        let cell = Cell::from(words::value(figure)).labelled(figure.label.name());
        let struck = figure.estimate.is_some() && !words::holds(&figure.label);
        cell.with(if struck { Emphasis::Struck } else { Emphasis::Plain })
    }
}

impl Column {
    pub fn left(title: impl Into<String>) -> Column {
        Column { title: title.into(), ..Column::default() }
    }

    pub fn right(title: impl Into<String>) -> Column {
        Column { align: Align::Right, ..Column::left(title) }
    }

    pub fn of(title: impl Into<String>, unit: impl Into<String>) -> Column {
        Column { unit: unit.into(), ..Column::right(title) }
    }

    /// `write-latency, ms`
    pub fn heading(&self) -> String {
        if self.unit.is_empty() { self.title.clone() } else { format!("{}, {}", self.title, self.unit) }
    }
}

impl Row {
    pub fn new<C: Into<Cell>>(cells: impl IntoIterator<Item = C>) -> Row {
        Row { cells: cells.into_iter().map(Into::into).collect(), emphasis: Emphasis::Plain }
    }

    pub fn with(self, emphasis: Emphasis) -> Row {
        Row { emphasis, ..self }
    }
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Column>, rows: impl IntoIterator<Item = Row>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: rows.into_iter().collect(), rows_most: None }
    }

    /// All columns to the left.
    pub fn plain<'a>(titles: impl IntoIterator<Item = &'a str>, rows: impl IntoIterator<Item = Row>) -> Table {
        Table::new(titles.into_iter().map(Column::left), rows)
    }
}

impl From<Table> for Block {
    fn from(table: Table) -> Block {
        Block::Table(table)
    }
}

impl Block {
    pub fn title(text: impl Into<String>) -> Block {
        Block::Title(text.into())
    }

    pub fn paragraph(text: impl Into<Text>) -> Block {
        Block::Paragraph(text.into())
    }

    pub fn note(text: impl Into<String>) -> Block {
        Block::Paragraph(Text::new(text, Emphasis::Quiet))
    }

    pub fn fold(title: impl Into<String>, blocks: Vec<Block>) -> Block {
        Block::Fold(Fold::new(title, blocks))
    }
}
