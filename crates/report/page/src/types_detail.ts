//! What lies behind one figure: its slices over time and its latencies (crates/report/src/html/payload.rs).

/** One slice over time; every array has one entry per point. */
export interface SliceSeries {
  pass: number;
  started_seconds: number;
  window_ms: number;
  join: number;
  warmup: number;
  settled: boolean;
  void?: string;
  error?: string;
  ops: number[];
  mean_ns: (number | null)[];
  bytes?: number[];
  span_ms?: number[];
  errors?: number[];
  /** Seconds from the slice's start between which RocksDB wrote tables; absent: nobody looked. */
  compaction?: [number, number][];
}
export interface Bins {
  power: number;
  index: number[];
  count: number[];
  sum_ns: number;
  max_ns: number;
}
export interface Detail {
  slices: SliceSeries[];
  latencies: Bins;
}
