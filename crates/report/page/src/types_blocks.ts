//! Made by build.mjs from sections.schema.json: change nothing here.

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
      lines: Lines;
    }
  | {
      heat: Heat;
    }
  | {
      volume: Volume;
    };

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
 * Two axes as a surface of coloured cells.
 */
export interface Heat {
  caption: Caption;
  columns: string[];
  rows: string[];
  /**
   * What the columns are; empty: they say it.
   */
  across: string;
  cells: HeatCell[];
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
  blocks: Block[];
}
