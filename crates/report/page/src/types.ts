//! The shapes of what this page carries: the document `fathom.run/1`, as it comes and as it is used.

import type { Detail } from "./types_detail";
import type { PageSection } from "./types_blocks";
import type { AxisDocument, FigureDocument, OutlierDocument, RunDocument, SweepDocument } from "./types_document";

export type * from "./types_detail";

export type LayerName = FigureDocument["layer"];
export type PatternName = FigureDocument["pattern"];
export type Workload = FigureDocument["workload"];
export type Interval = NonNullable<FigureDocument["ci95"]>;
export type Sight = NonNullable<FigureDocument["sight"]>;
export type Verified = NonNullable<FigureDocument["verified"]>;
export type RawFigure = FigureDocument;
export type Outlier = OutlierDocument;
export type Sweep = SweepDocument;
export type SweepAxis = AxisDocument;

export interface Estimate {
  value: number;
  low: number | null;
  high: number | null;
}
export interface Percentile {
  percent: number;
  value_ms: number;
  low_ms: number | null;
  high_ms: number | null;
}

type Joined =
  "value" | "ci95" | "percentiles" | "percentiles_ci95" | "response_percentiles" | "response_percentiles_ci95";
export interface Figure extends Omit<RawFigure, Joined> {
  estimate: Estimate | null;
  /** Of the service time. */
  percentiles: Percentile[];
  /** Of the response time, in an open loop. */
  response: Percentile[];
  /** As it is shown. */
  written: Written;
  /** Which point of a sweep it is: `depth 4, jobs 2`; empty in other runs. */
  point: string;
}

/** A figure as it is shown: value and interval, percentiles with theirs (crates/report/src/html/payload.rs). */
export interface Written {
  value: string;
  /** Absent: the value is not known, or says it itself. */
  within?: string;
  percentiles?: WrittenPercentiles;
  response?: WrittenPercentiles;
}
/** By the percent: value, and its interval. */
export type WrittenPercentiles = Record<string, [string, string]>;

/** Of the document `fathom.run/1` what the page itself reads; the sections say the rest. */
export type Common = Pick<
  RunDocument,
  "run" | "version" | "command" | "passes" | "finished" | "ending" | "overhead" | "scope" | "sweep" | "outliers"
>;
/** The same with each figure's windows beside it. */
export interface Run extends Common {
  figures: Named[];
  sections: PageSection[];
}

/** A figure with the name under which the page links to it. */
export interface Named {
  id: string;
  figure: Figure;
  detail: Detail;
  index: number;
}
