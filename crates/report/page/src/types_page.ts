//! Made by build.mjs from page.schema.json: change nothing here.

export type Block =
  | {
      headline: string;
    }
  | {
      title: string;
    }
  | {
      paragraph: Text;
    }
  | {
      table: Table;
    }
  | {
      chart: Chart;
    }
  | {
      list: Item[];
    }
  | {
      fold: Fold;
    };
/**
 * How a text stands out. What that looks like is up to who draws it.
 */
export type Emphasis = ("plain" | "strong" | "quiet" | "good" | "warn" | "bad") | "struck" | "outlier" | "code";
/**
 * One paragraph: pieces that follow each other.
 */
export type Text = Span[];
export type Align = "left" | "right";
/**
 * How a cell is written: of a text alone the text.
 */
export type WrittenCell = string | Cell;
export type Chart =
  | {
      points: Points;
    }
  | {
      waterfall: Waterfall;
    }
  | {
      bars: Bars;
    }
  | {
      stacks: Stacks;
    }
  | {
      lines: Lines;
    }
  | {
      heat: Heat;
    }
  | {
      volume: Volume;
    };

/**
 * The types of what the page carries besides the run's document, for its own types.
 */
export interface PageData {
  sections: PageSection[];
  /**
   * As columns.
   */
  written: Written[];
  /**
   * A line for each figure.
   */
  details: Detail[];
  numbers: NumberFormat;
}
/**
 * One section as the page draws it.
 */
export interface PageSection {
  id: string;
  title: string;
  lead: string;
  blocks: Block[];
}
export interface Span {
  text: string;
  emphasis?: Emphasis;
}
export interface Table {
  columns: Column[];
  rows: Row[];
}
export interface Column {
  title: string;
  /**
   * Of its values; empty: they have none, or each its own.
   */
  unit?: string;
  align: Align;
  /**
   * Left out where there is no room for it.
   */
  spare: boolean;
}
export interface Row {
  cells: WrittenCell[];
  emphasis?: Emphasis;
}
export interface Cell {
  text: string;
  /**
   * The interval of a value.
   */
  within?: string;
  /**
   * What is to be known about a value: the name of its label. Empty: nothing.
   */
  label?: string;
  emphasis?: Emphasis;
  /**
   * The number of the item in a list that says why there is no value.
   */
  note?: number | null;
  /**
   * A bar from one share of the whole to another.
   *
   * @minItems 2
   * @maxItems 2
   */
  bar?: [number, number] | null;
  /**
   * Which figure of the report it shows.
   */
  figure?: number | null;
}
/**
 * Values below each other on a logarithmic axis, joined by a line.
 */
export interface Points {
  caption: Caption;
  rows: PointRow[];
}
export interface Caption {
  title: string;
  /**
   * Of what it is, in small letters.
   */
  what: string;
  unit: string;
}
export interface PointRow {
  name: string;
  /**
   * The line passes by it.
   */
  aside: boolean;
  mark: Mark | null;
  /**
   * Values that must not be used.
   */
  struck: Mark[];
  /**
   * Written at the side.
   */
  text: string;
  label: string;
  why: string;
  /**
   * The number of the item that says why there is no value.
   */
  note: number | null;
  figure: number | null;
}
/**
 * A value where it lies, and as it is written. All numbers are finite.
 */
export interface Mark {
  value: number;
  low: number | null;
  high: number | null;
  text: string;
}
/**
 * A sum of stages: each begins where the one before it ended.
 */
export interface Waterfall {
  caption: Caption;
  stages: Stage[];
  total: Mark | null;
}
export interface Stage {
  name: string;
  adds: Mark;
  expected: number | null;
  /**
   * What is expected, and why.
   */
  why: string;
}
/**
 * Shares of a whole, each with its interval.
 */
export interface Bars {
  caption: Caption;
  rows: Bar[];
}
export interface Bar {
  name: string;
  /**
   * `None`: it is not known.
   */
  share: Mark | null;
  text: string;
  why: string;
}
/**
 * Wholes in parts, each a bar of segments from zero.
 */
export interface Stacks {
  caption: Caption;
  /**
   * Every name that a segment of such a chart may have, in their order: those in use get a colour each.
   */
  names: string[];
  rows: StackedBar[];
}
export interface StackedBar {
  name: string;
  segments: Segment[];
  /**
   * Where the whole ends, as it was measured.
   */
  whole: number;
  /**
   * The whole, as it is written.
   */
  text: string;
  /**
   * Why segments reach beyond the whole; empty: they do not, but for rounding.
   */
  beyond: string;
}
export interface Segment {
  name: string;
  value: number;
  text: string;
}
/**
 * Series of points with their intervals.
 */
export interface Lines {
  caption: Caption;
  x: Axis;
  y: Axis;
  series: Series[];
  bounds: Bound[];
}
export interface Axis {
  title: string;
  log: boolean;
  /**
   * Where something stands on it, and how it is written; none: as it fits.
   */
  ticks: Tick[];
}
export interface Tick {
  at: number;
  text: string;
}
export interface Series {
  name: string;
  points: Point[];
  /**
   * Between its points there are others.
   */
  joined: boolean;
}
export interface Point {
  x: number;
  y: Mark;
  /**
   * A ring around it.
   */
  ring: boolean;
  /**
   * The label of its figure.
   */
  label: string;
  figure: number | null;
}
/**
 * A line that is to be kept, across the picture.
 */
export interface Bound {
  x: number | null;
  y: number | null;
  text: string;
}
/**
 * Two axes as a surface of coloured cells. Where there is none, nothing is known.
 */
export interface Heat {
  caption: Caption;
  columns: string[];
  rows: string[];
  /**
   * What the columns are; empty: they say it.
   */
  across: string;
  /**
   * Neighbouring rows, and columns, that belong together.
   */
  groups: HeatGroup[];
  /**
   * A full cell is a bad one.
   */
  full_is_bad: boolean;
  /**
   * What some colours mean; empty: the caption says it.
   */
  scale: HeatMark[];
  cells: HeatCell[];
  /**
   * Which of these numbers stand in a table below, for those who hear the page.
   */
  table: string;
}
export interface HeatGroup {
  name: string;
  first: number;
  count: number;
}
export interface HeatMark {
  share: number;
  text: string;
}
export interface HeatCell {
  column: number;
  row: number;
  /**
   * How full its colour is.
   */
  share: number;
  /**
   * In the cell, if there is room.
   */
  short: string;
  text: string;
  ring: boolean;
  figure: number | null;
}
/**
 * A rate over the volume that was written.
 */
export interface Volume {
  caption: Caption;
  each_second: number[];
  seconds: number;
  cliff: CliffAt | null;
}
/**
 * Where the rate fell, and the levels in MB/s before and after.
 */
export interface CliffAt {
  at: number;
  low: number;
  high: number;
  text: string;
  from: Mark | null;
  to: Mark | null;
}
/**
 * One entry of a list, with lines of its own under it.
 */
export interface Item {
  /**
   * It is referred to by this number.
   */
  number?: number | null;
  text: Text;
  more?: Text[];
}
export interface Fold {
  /**
   * What is in it, in a few words.
   */
  title: string;
  emphasis?: Emphasis;
  /**
   * It need not be asked for.
   */
  open?: boolean;
  blocks: Block[];
}
/**
 * A figure as it is written, all but its name.
 */
export interface Written {
  value: string;
  /**
   * Empty: the value is not known, or says it itself.
   */
  within: string;
  /**
   * By the percent: value, and its interval; null: it has no such percentile.
   */
  percentiles: {
    /**
     * @minItems 2
     * @maxItems 2
     */
    [k: string]: [string, string] | null;
  };
  response: {
    /**
     * @minItems 2
     * @maxItems 2
     */
    [k: string]: [string, string] | null;
  };
  /**
   * Which of its pattern it is: of a sweep the point (`depth 4, jobs 2`), else the way of making a write durable, where it has several;
   * empty: the only one.
   */
  which: string;
  facts: {
    [k: string]: string | null;
  };
  workload: [string, string][];
  /**
   * What the parts of its shape are called in the picture.
   */
  sight: string[];
  /**
   * When each slice began, and how long it was.
   */
  slices: [string, string][];
}
/**
 * What lies behind one figure: its slices over time and its latencies.
 */
export interface Detail {
  slices: SliceSeries[];
  latencies: Bins;
}
/**
 * One slice. All arrays have one entry per point; a point is `join` windows.
 */
export interface SliceSeries {
  pass: number;
  started_seconds: number;
  window_ms: number;
  /**
   * Windows pooled into one point: left out where each is a point, unless the run is so large that the page would be.
   */
  join?: number | null;
  /**
   * Points at the front that are warm-up; left out where there are none.
   */
  warmup?: number | null;
  /**
   * It did not settle; left out where it did.
   */
  moving?: boolean;
  void?: string | null;
  error?: string | null;
  ops: number[];
  /**
   * Mean service time, four significant digits; null where no operation ended.
   */
  mean_ns: (number | null)[];
  /**
   * Left out where every operation moved exactly one block.
   */
  bytes?: number[] | null;
  /**
   * Over which time a point's operations count; left out where it is the length of its windows, and they are as many for each.
   */
  span_ms?: number[] | null;
  /**
   * Left out where there were none.
   */
  errors?: number[] | null;
  /**
   * Stretches in which RocksDB wrote tables; left out where that was not looked at.
   */
  compaction?: [number, number][] | null;
}
/**
 * `index[i]` counted `count[i]`; bucket edges follow from `power` as in the recorder, with 2^power buckets a doubling.
 */
export interface Bins {
  power: number;
  index: number[];
  count: number[];
  sum_ns: number;
  max_ns: number;
}
/**
 * How the page writes what only it knows: ticks of an axis, and what is under the pointer.
 */
export interface NumberFormat {
  /**
   * Whose thousands and decimals.
   */
  locale: string;
  /**
   * Of a number without an interval, as `rough` has it.
   */
  digits: number;
  /**
   * Of ticks, from the largest.
   *
   * @minItems 3
   * @maxItems 3
   */
  units: [TickUnit, TickUnit, TickUnit];
  unknown: string;
}
/**
 * What a tick of at least this size is divided by, and the letter that says so.
 */
export interface TickUnit {
  size: number;
  letter: string;
}
