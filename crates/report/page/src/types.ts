//! The shapes of what this page carries: the document `fathom.run/1`, as it comes and as it is used.

import type { Detail } from "./types_detail";
import type { Scope } from "./types_scope";

export type * from "./types_detail";
export type * from "./types_scope";

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

export interface RawCell {
  layer: LayerName;
  pattern: PatternName;
  metric: MetricName;
  unit: string;
  value: number | null;
  ci95: Interval | null;
  targets: number;
  worst: string | null;
  label: string;
  why: string | null;
}
export interface ChartCell extends Omit<RawCell, "value" | "ci95"> {
  estimate: Estimate | null;
}

export interface RawRow {
  pattern: PatternName;
  layer: LayerName;
  unit: string;
  adds: number | null;
  ci95: Interval | null;
  expected: number | null;
  unexplained: number | null;
  share: number | null;
  ceiling: number | null;
  /** The share may be lower; and the ceiling, where there is one, higher. */
  at_least: boolean;
  because: string;
}
export interface LedgerRow extends Omit<RawRow, "adds" | "ci95"> {
  adds: Estimate;
}

export interface Distance {
  pattern: PatternName;
  replicas: number;
  on: string;
  unit: string;
  floor: number;
  floor_ci95: Interval;
  ceph: number;
  ceph_ci95: Interval;
  floor_label: string;
  ceph_label: string;
  times: number;
  times_ci95: Interval;
}

/** One load by more and more clients. */
export interface Doubled {
  layer: LayerName;
  target: string;
  pattern: PatternName;
  unit: string;
  full: number | null;
  says: string;
  tried: { clients: number; hosts: number; value: number | null; ci95: Interval | null; label: string }[];
}

interface VerdictCommon {
  layer: LayerName;
  pattern: PatternName;
  target: string;
  unit: string;
  bound: "at most" | "at least";
  threshold: number | null;
  outcome: "pass" | "fail" | "open";
  why: string | null;
}
export interface RawVerdict extends VerdictCommon {
  value: number | null;
  ci95: Interval | null;
}
export interface Verdict extends VerdictCommon {
  estimate: Estimate | null;
}

export interface SweepAxis {
  name: string;
  unit: string | null;
  values: (number | string)[];
}
/** One combination on one target; null where the figure is void, implausible or unwritten. */
export interface SweepPoint {
  figure: number;
  at: Record<string, number | string | null>;
  throughput: number | null;
  throughput_ci95: Interval | null;
  throughput_unit: string;
  latency: number | null;
  latency_ci95: Interval | null;
}
export interface SweepKnee {
  points: number[];
  depth: number;
  between: [number, number];
  reaches: number;
  best: number;
  balance: number;
  balance_between: [number, number];
  beyond: "rises" | "flat" | "falls";
  says: string;
}
export interface Sweep {
  axes: SweepAxis[];
  left_out: number;
  points: SweepPoint[];
  knees: SweepKnee[];
}

/** Of one step on one host: what its kernel counted. */
export interface HostLoad {
  host: string;
  step: number;
  layer: LayerName;
  target: string;
  pattern: PatternName;
  seconds: number;
  cpu: number;
  steal: number;
  pressure: { cpu: number; io: number; memory: number } | null;
  disks: {
    name: string;
    reads: number;
    writes: number;
    read_bytes: number;
    written_bytes: number;
    read_ms: number | null;
    write_ms: number | null;
    queue: number;
  }[];
  nics: { name: string; sent: number; received: number; lost: number }[];
  segments: number;
  retransmitted: number;
  osds: { osd: number; threads: Record<string, number> }[];
}

export interface Outlier {
  layer: LayerName;
  pattern: PatternName;
  target: string;
  slower_by: number;
  standing: "confirmed" | "hint";
  says: string;
}
export interface Finding {
  id: string;
  standing: "confirmed" | "hint";
  target: string;
  says: string;
  evidence: string[];
  fix: string;
  risk: string;
}
export interface Change {
  what: string;
  undone: boolean;
}

/** One setting against another; widths are of logarithms. */
export interface Ab {
  what: string;
  a: string;
  b: string;
  pairs: number;
  half_width: number | null;
  half_width_apart: number | null;
  differences: Beside[];
}
export interface Beside {
  layer: LayerName;
  target: string;
  pattern: PatternName;
  kind: "read" | "write";
  unit: string;
  finds: "worse" | "better" | "same" | "undecided";
  before: number | null;
  after: number | null;
  change: number | null;
  ci95: Interval;
}

/** The highest rate that keeps a bound on response times. */
export interface Limit {
  layer: LayerName;
  target: string;
  pattern: PatternName;
  percent: number;
  below_ms: number;
  rate: number | null;
  confirmed_seconds: number;
  closed_loop: number | null;
  tried: Tried[];
  why: string | null;
}
export interface Tried {
  rate: number;
  confirms: boolean;
  kept: boolean;
  seconds: number;
  slower: number;
  slower_ci90: [number, number];
  /** Value, low, high. */
  p50_ms: [number, number | null, number | null] | null;
  percentile_ms: [number, number | null, number | null] | null;
}

/** How much a device took before its rate fell. */
export interface Endurance {
  target: string;
  model: string | null;
  also: string[];
  ended: "fell" | "volume" | "time" | "stopped" | "broken";
  error: string | null;
  written: number;
  seconds: number | null;
  written_before: number;
  held: number;
  rate: number | null;
  rate_ci95: Interval | null;
  cliff: Cliff | null;
  each_second: number[];
  says: string;
}
export interface Cliff {
  written: number;
  between: [number, number];
  from: number | null;
  from_ci95: Interval | null;
  to: number | null;
  to_ci95: Interval | null;
  fall: number | null;
}

export interface Common {
  schema: string;
  run: string;
  started: string;
  seconds: number;
  version: string;
  command: string;
  passes: number;
  finished: boolean;
  /** null: it goes on, or was killed. */
  ending: "done" | "stopped" | "failed" | null;
  overhead: { operation_ns: number; deep_operation_ns: number; clock_ns: number } | null;
  goal: { settle: number; seconds_max: number; passes_max: number } | null;
  imported: { tool: string; file: string } | null;
  scope: Scope;
  sweep: Sweep | null;
  sustained: Endurance[];
  bonds: unknown[];
  path_mtus: {
    from: string;
    to: string;
    network: string | null;
    sender: number;
    receiver: number;
    carries: number | null;
  }[];
  host_loads: HostLoad[];
  outliers: Outlier[];
  findings: Finding[];
  floor: Distance[];
  clients: Doubled[];
  limits: Limit[];
  ab: Ab | null;
  changes: Change[];
  warnings: string[];
  errors: string[];
}
/** The document `fathom.run/1`, as crates/report/src/json.rs writes it. */
export interface RawRun extends Common {
  figures: RawFigure[];
  chart: RawCell[];
  ledger: RawRow[];
  verdicts: RawVerdict[];
}
/** The same with values and intervals joined, and each figure's windows beside it. */
export interface Run extends Common {
  figures: Named[];
  chart: ChartCell[];
  ledger: LedgerRow[];
  verdicts: Verdict[];
}

/** A figure with the name under which the page links to it. */
export interface Named {
  id: string;
  figure: Figure;
  detail: Detail;
  index: number;
}
