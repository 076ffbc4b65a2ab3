//! The shapes of what this page carries: the document `fathom.run/1`, as it comes and as it is used.

import type { Detail, PageSection, Written } from "./types_page";
import type { FigureDocument, OutlierDocument, RunDocument } from "./types_document";

export type { Bins, Detail, SliceSeries, Written } from "./types_page";

export type LayerName = FigureDocument["layer"];
export type PatternName = FigureDocument["pattern"];
export type Interval = NonNullable<FigureDocument["ci95"]>;
export type RawFigure = FigureDocument;
export type Outlier = OutlierDocument;

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
  /** Value and interval as they are written. */
  text: [string, string];
}

type Joined =
  "value" | "ci95" | "percentiles" | "percentiles_ci95" | "response_percentiles" | "response_percentiles_ci95";
export interface Figure extends Omit<RawFigure, Joined> {
  estimate: Estimate | null;
  /** Of the service time. */
  percentiles: Percentile[];
  /** Of the response time, in an open loop. */
  response: Percentile[];
  /** All that is shown of it (crates/report/src/html/payload.rs). */
  written: Written;
}

/** Of the document `fathom.run/1` what the page itself reads; the sections say the rest. */
export type Common = Pick<
  RunDocument,
  "run" | "version" | "command" | "passes" | "finished" | "ending" | "overhead" | "scope" | "outliers"
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
