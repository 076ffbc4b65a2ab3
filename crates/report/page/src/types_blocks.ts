//! What a report is made of (crates/report/src/block.rs and chart.rs): text is written already, numbers say where it lies.

export type Emphasis = "strong" | "quiet" | "good" | "warn" | "bad" | "struck" | "outlier" | "code";

export interface Span {
  text: string;
  emphasis?: Emphasis;
}
export type Text = Span[];

export interface Item {
  number?: number;
  text: Text;
  more?: Text[];
}

export interface Column {
  title: string;
  unit?: string;
  align: "left" | "right";
  spare: boolean;
}
export interface FullCell {
  text: string;
  within?: string;
  label?: string;
  emphasis?: Emphasis;
  note?: number;
  bar?: [number, number];
  figure?: number;
}
/** Of a text alone the text. */
export type Cell = string | FullCell;
export interface Row {
  cells: Cell[];
  emphasis?: Emphasis;
}
export interface Table {
  columns: Column[];
  rows: Row[];
}

export type Block =
  | { headline: string }
  | { title: string }
  | { paragraph: Text }
  | { table: Table }
  | { chart: Chart }
  | { list: Item[] }
  | { fold: { title: string; blocks: Block[] } };

export interface Section {
  id: string;
  title: string;
  lead: string;
  blocks: Block[];
}

export type Chart =
  | { points: Points }
  | { waterfall: Waterfall }
  | { bars: Bars }
  | { lines: Lines }
  | { heat: Heat }
  | { volume: Volume };

export interface Caption {
  title: string;
  what: string;
  unit: string;
}
export interface Mark {
  value: number;
  low: number | null;
  high: number | null;
  text: string;
}

export interface PointRow {
  name: string;
  aside: boolean;
  mark: Mark | null;
  struck: Mark[];
  text: string;
  label: string;
  why: string;
  note: number | null;
  figure: number | null;
}
export interface Points {
  caption: Caption;
  rows: PointRow[];
}

export interface Stage {
  name: string;
  adds: Mark;
  expected: number | null;
  why: string;
}
export interface Waterfall {
  caption: Caption;
  stages: Stage[];
  total: Mark | null;
}

export interface Bar {
  name: string;
  share: Mark | null;
  text: string;
  why: string;
}
export interface Bars {
  caption: Caption;
  rows: Bar[];
}

export interface Axis {
  title: string;
  log: boolean;
  ticks: [number, string][];
}
export interface Point {
  x: number;
  y: Mark;
  ring: boolean;
  label: string;
  figure: number | null;
}
export interface Series {
  name: string;
  points: Point[];
  joined: boolean;
}
export interface Lines {
  caption: Caption;
  x: Axis;
  y: Axis;
  series: Series[];
  bounds: { x: number | null; y: number | null; text: string }[];
}

export interface HeatCell {
  column: number;
  row: number;
  share: number;
  short: string;
  text: string;
  ring: boolean;
  figure: number | null;
}
export interface Heat {
  caption: Caption;
  columns: string[];
  rows: string[];
  across: string;
  cells: HeatCell[];
}

export interface Volume {
  caption: Caption;
  each_second: number[];
  seconds: number;
  cliff: { at: number; low: number; high: number; text: string; from: Mark | null; to: Mark | null } | null;
}
