//! The slices of a figure as points over time, laid side by side with gaps between them.

import type { Figure, SliceSeries } from "./data";

/** A point of a slice: `x` in seconds of measuring, the gaps between slices left out. */
export interface Point {
  x: number;
  seconds: number;
  value: number | null;
  warm: boolean;
  ops: number;
  errors: number;
  slice: SliceSeries;
  span: number;
}
export interface Strip {
  slice: SliceSeries;
  /** When the slice began, and how long it was. */
  moment: [string, string];
  from: number;
  settledFrom: number;
  to: number;
  mean: number | null;
  points: Point[];
}

/** The figure's own metric, in one point. */
function valueOf(figure: Figure, slice: SliceSeries, i: number, span: number): number | null {
  const ops = slice.ops[i] ?? 0;
  if (figure.metric === "latency_mean" || figure.metric === "rtt") {
    const ns = slice.mean_ns[i];
    return ns === null || ns === undefined ? null : ns / 1e6;
  }
  if (span <= 0) return null;
  return figure.metric === "iops" ? ops / span : (slice.bytes?.[i] ?? ops * figure.workload.block) / span / 1e6;
}

export function points(figure: Figure, slice: SliceSeries, from = 0): Point[] {
  let at = 0;
  return slice.ops.map((ops, i) => {
    const span = (slice.span_ms?.[i] ?? slice.window_ms * (slice.join ?? 1)) / 1000;
    const point = {
      x: from + at + span / 2,
      seconds: at,
      value: valueOf(figure, slice, i, span),
      warm: i < (slice.warmup ?? 0),
      ops,
      errors: slice.errors?.[i] ?? 0,
      slice,
      span,
    };
    at += span;
    return point;
  });
}

export function strips(figure: Figure, slices: SliceSeries[]): Strip[] {
  const lengths = slices.map((slice) => points(figure, slice).reduce((sum, point) => sum + point.span, 0));
  const gap = Math.max(...lengths, 1) * 0.07;
  let from = 0;
  return slices.map((slice, i) => {
    const some = points(figure, slice, from);
    const warm = some.filter((point) => point.warm).reduce((sum, point) => sum + point.span, 0);
    const strip = {
      slice,
      moment: figure.written.slices[i]!,
      from,
      settledFrom: from + warm,
      to: from + lengths[i]!,
      mean: mean(figure, some),
      points: some,
    };
    from = strip.to + gap;
    return strip;
  });
}

/** Of the settled part: latencies weighted by operations, rates by time. */
function mean(figure: Figure, some: Point[]): number | null {
  const latency = figure.metric === "latency_mean" || figure.metric === "rtt";
  let [sum, weight] = [0, 0];
  for (const point of some) {
    if (point.warm || point.value === null) continue;
    const w = latency ? point.ops : point.span;
    sum += point.value * w;
    weight += w;
  }
  return weight > 0 ? sum / weight : null;
}
