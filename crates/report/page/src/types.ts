//! The shapes of what this page carries: the document `fathom.run/1`, as it comes and as it is used.

import type { Detail } from "./types_detail";
import type { Section } from "./types_blocks";

export type * from "./types_detail";

export type LayerName = "device" | "network" | "floor" | "store" | "osd" | "rados" | "rbd";
export type PatternName =
  "write-latency" | "read-latency" | "write-parallel" | "read-parallel" | "write-linear" | "read-linear";
export type MetricName = "latency_mean" | "rtt" | "iops" | "bandwidth";

/** 95 % interval; bounds may be null where they were not finite. */
export type Interval = [number | null, number | null];
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

export interface Workload {
  block: number;
  /** In an open loop the most in flight. */
  depth: number;
  rate?: { per_second: number; arrivals: "poisson" | "even" };
  jobs: number;
  /** Connections that share the jobs; absent: one. */
  clients?: number;
  read_percent: number;
  access: "random" | "sequential" | { zipf: number };
  durability: string;
  span: number;
  /** Bytes of the device all over which the working set lies; absent: it lies together. */
  spread?: number;
  object: number | null;
  seed: number | string;
  engine: string | null;
  options: Record<string, string>;
  verify?: boolean;
  /** Options of the cluster that held while it was loaded. */
  settings?: Record<string, string>;
}

export interface RawFigure {
  step: number;
  layer: LayerName;
  target: string;
  host: string | null;
  /** Of a pair of hosts: on which network; null: that of the load. */
  network: string | null;
  pattern: PatternName;
  kind: "read" | "write";
  workload: Workload;
  metric: MetricName;
  unit: string;
  value: number | null;
  ci95: Interval | null;
  label: string;
  why: string | null;
  chart: boolean;
  at_once: number;
  slices: number;
  seconds: number;
  operations: number;
  bytes: number;
  errors: number;
  percentiles: Record<string, number | null>;
  percentiles_ci95: Record<string, Interval>;
  response_percentiles: Record<string, number | null>;
  response_percentiles_ci95: Record<string, Interval>;
  effort: { busy: number; queued: number; overhead: number | null } | null;
  verified: Verified | null;
  /** Of reads: pages that were looked at, and those without data; null: nobody looked. */
  empty_pages: { looked_at: number; empty: number } | null;
  /** Of writes to a device: bytes written without pause up to which the value holds, where that is known. */
  valid_up_to: number | null;
  /** Hosts that went missing while a slice was measured. */
  gaps: string[];
  /** Of a sum of what OSDs' bench commands told: the share of the time in which each of them wrote. */
  overlap: number | null;
  unseen: {
    stretch_seconds: number;
    looks: number;
    rarer_than_seconds: number;
    share: number;
    in_interval: boolean;
  } | null;
  /** What RocksDB did in the OSDs meanwhile; null: nobody looked. */
  background: Background | null;
  sight: Sight | null;
}
export interface Background {
  osds: number;
  of: number;
  seconds: number | null;
  busy: number | null;
  slices: number;
  quiet: number;
  dips: number;
  in_step: number;
  chance: number | null;
  /** Of the level without; null: too little to compare. */
  slowed: { by: number | null; at_least: number | null; stretches: number; chance: number | null } | null;
  says: string | null;
}
/** What made the label visible, in the figure's unit. */
export type Sight =
  | { shape: "two-levels"; low: number | null; high: number | null; share_low: number | null }
  | { shape: "fall"; before: number | null; after: number | null; at: number | null }
  | { shape: "dips"; level: number | null; dips: { pass: number; from: number | null; to: number | null }[] }
  | { shape: "moving"; pass: number; from: number | null; to: number | null }
  | { shape: "slices"; means: (number | null)[] };
export interface Flaw {
  kind: "wrong" | "stale" | "torn" | "misplaced";
  place: string;
  offset: number;
  bytes: number;
  seconds: number | null;
  says: string;
}
/** What was read and compared with what was written. */
export interface Verified {
  bytes: number;
  unknown: number;
  wrong: number;
  stale: number;
  torn: number;
  misplaced: number;
  flaws: Flaw[];
  read_back: { bytes: number; of: number } | null;
}
type Joined =
  "value" | "ci95" | "percentiles" | "percentiles_ci95" | "response_percentiles" | "response_percentiles_ci95";
export interface Figure extends Omit<RawFigure, Joined> {
  estimate: Estimate | null;
  /** Of the service time. */
  percentiles: Percentile[];
  /** Of the response time, in an open loop. */
  response: Percentile[];
  /** Which point of a sweep it is: `depth 4, jobs 2`; empty in other runs. */
  point: string;
}

export interface SweepAxis {
  name: string;
  unit: string | null;
  values: (number | string)[];
}
/** One combination on one target. */
export interface SweepPoint {
  figure: number;
  at: Record<string, number | string | null>;
}
export interface Sweep {
  axes: SweepAxis[];
  points: SweepPoint[];
}

export interface Outlier {
  layer: LayerName;
  pattern: PatternName;
  target: string;
  slower_by: number;
  standing: "confirmed" | "hint";
  says: string;
}
/** Of the document `fathom.run/1` what the page itself reads; the sections say the rest. */
export interface Common {
  run: string;
  version: string;
  command: string;
  passes: number;
  finished: boolean;
  /** null: it goes on, or was killed. */
  ending: "done" | "stopped" | "failed" | null;
  overhead: { operation_ns: number; deep_operation_ns: number; clock_ns: number } | null;
  scope: { osds: { id: number; host: string }[] };
  sweep: Sweep | null;
  outliers: Outlier[];
}
/** The same with each figure's windows beside it. */
export interface Run extends Common {
  figures: Named[];
  sections: Section[];
}

/** A figure with the name under which the page links to it. */
export interface Named {
  id: string;
  figure: Figure;
  detail: Detail;
  index: number;
}
