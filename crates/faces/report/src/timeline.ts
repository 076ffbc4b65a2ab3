//! A figure over time: all its slices side by side, warm-up greyed, the settled part marked, the mean with its interval across.

import { axisY, gridY, lineY, pointerX, rect, ruleY, text, tip, dot, link } from "@observablehq/plot";
import type { Figure, Named, SliceSeries } from "./data";
import { h } from "./dom";
import { count, duration, rough, tick, withUnit } from "./numbers";
import { picture, place } from "./plots";

/** A point of a slice: `x` in seconds of measuring, the gaps between slices left out. */
export interface Point { x: number; seconds: number; value: number | null; warm: boolean; ops: number; errors: number; slice: SliceSeries; span: number }
interface Strip { slice: SliceSeries; from: number; settledFrom: number; to: number; mean: number | null; points: Point[] }

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
    const span = (slice.span_ms?.[i] ?? slice.window_ms) / 1000;
    const point = { x: from + at + span / 2, seconds: at, value: valueOf(figure, slice, i, span), warm: i < slice.warmup, ops, errors: slice.errors?.[i] ?? 0, slice, span };
    at += span;
    return point;
  });
}

function strips(figure: Figure, slices: SliceSeries[]): Strip[] {
  const lengths = slices.map((slice) => points(figure, slice).reduce((sum, point) => sum + point.span, 0));
  const gap = Math.max(...lengths, 1) * 0.07;
  let from = 0;
  return slices.map((slice, i) => {
    const some = points(figure, slice, from);
    const warm = some.filter((point) => point.warm).reduce((sum, point) => sum + point.span, 0);
    const strip = { slice, from, settledFrom: from + warm, to: from + lengths[i]!, mean: mean(figure, some), points: some };
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

export function timeline(named: Named): HTMLElement {
  const { figure, detail } = named;
  const all = strips(figure, detail.slices).filter((strip) => strip.points.length > 0);
  const voids = detail.slices.filter((slice) => slice.void);
  const errors = [...new Set(detail.slices.flatMap((slice) => slice.error ?? []))];
  const join = Math.max(1, ...detail.slices.map((slice) => slice.join));
  const window = detail.slices[0]?.window_ms ?? 100;
  const metric = figure.metric === "iops" ? "operations per second" : figure.metric === "bandwidth" ? "MB/s" : "mean latency, ms";
  return h("figure", { class: "panel" },
    h("figcaption", {}, h("h3", {}, "Over time"), h("span", { class: "unit" }, `${metric}, one point each ${rough(window * join)} ms`)),
    all.length > 0
      ? h("div", { class: "scroll" }, withLeastWidth(place("Over time", (width) => strip(figure, all, width)), 110 * all.length + 60))
      : h("p", { class: "empty" }, "No window was recorded."),
    h("ul", { class: "legend" }, key("warm", "warm-up, not counted"), key("settled", "counted"),
      figure.estimate && key("band", `${withUnit(figure.estimate, figure.unit)}, 95 % interval`), key("slice-mean", "mean of a slice")),
    ...voids.map((slice) => h("p", { class: "alarm" }, `Pass ${slice.pass} is void: ${slice.void}`)),
    ...errors.map((error) => h("p", { class: "alarm" }, `First error: ${error}`)));
}

function withLeastWidth(element: HTMLElement, least: number): HTMLElement {
  element.style.minWidth = `min(${least}px, 720px)`;
  return element;
}

function ceiling(figure: Figure, values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const most = sorted[sorted.length - 1] ?? 1;
  const usual = sorted[Math.floor(sorted.length * 0.97)] ?? most;
  return Math.max(Math.min(most, usual * 2.2) * 1.12, (figure.estimate?.high ?? 0) * 1.15) || 1;
}

function strip(figure: Figure, all: Strip[], width: number): Element {
  const some = all.flatMap((one) => one.points);
  const values = some.flatMap((point) => point.value ?? []);
  const top = ceiling(figure, values);
  const end = all[all.length - 1]!.to;
  const est = figure.estimate;
  const y = (point: Point) => (point.value === null ? NaN : Math.min(point.value, top));
  const wide = (one: Strip) => ((one.to - one.from) / end) * (width - 60) > 92;
  const part = (warm: boolean) => ({ x: "x", y, z: (point: Point) => `${point.slice.pass}/${point.slice.started_seconds}`, strokeWidth: 1.3, stroke: warm ? "var(--soft)" : "var(--good)", strokeLinejoin: "round" as const });
  // The first settled point also ends the warm-up's line, so that the two meet.
  const warm = all.flatMap((one) => one.points.filter((point, i) => point.warm || (i > 0 && one.points[i - 1]!.warm)));
  const over = some.filter((point) => point.value !== null && point.value > top);
  const said = (point: Point) => [
    `pass ${point.slice.pass}, ${rough(point.seconds)} s after the slice began${point.warm ? " (warm-up)" : ""}`,
    point.value === null ? "no operation ended" : `${rough(point.value)} ${figure.unit}`,
    `${count(point.ops)} operations${point.errors > 0 ? `, ${count(point.errors)} errors` : ""}`].join("\n");
  return picture("Time series of all slices", {
    width, height: 250, marginLeft: 46, marginRight: 10, marginTop: 20, marginBottom: 34,
    x: { domain: [0, end], axis: null }, y: { domain: [0, top] },
    marks: [
      gridY({ ticks: 5, stroke: "var(--grid)", strokeOpacity: 1 }),
      axisY({ ticks: 5, tickFormat: tick, tickSize: 0, label: null, fill: "var(--soft)" }),
      rect(all.filter((one) => one.settledFrom > one.from), { x1: "from", x2: "settledFrom", y1: 0, y2: top, fill: "var(--warm)" }),
      rect(all, { x1: "settledFrom", x2: "to", y1: 0, y2: top, fill: (one) => (one.slice.void ? "var(--void)" : "var(--settled)") }),
      est ? rect([est], { x1: 0, x2: end, y1: (e) => e.low ?? e.value, y2: (e) => e.high ?? e.value, fill: "var(--band)" }) : null,
      est ? ruleY([est.value], { stroke: "var(--ink)", strokeDasharray: "5,3", strokeWidth: 1 }) : null,
      lineY(warm, part(true)),
      lineY(some.filter((point) => !point.warm), part(false)),
      link(all.filter((one) => one.mean !== null), { x1: "settledFrom", x2: "to", y1: "mean", y2: "mean", stroke: "var(--slice-mean)", strokeWidth: 2 }),
      link(all, { x1: "settledFrom", x2: "to", y1: top, y2: top, strokeWidth: 3, stroke: (one) => (one.slice.void ? "var(--bad)" : one.slice.settled ? "var(--good)" : "var(--caution)") }),
      dot(over, { x: "x", y: top, dy: 7, symbol: "triangle", r: 3.4, fill: "var(--caution)", title: said }),
      dot(some.filter((point) => point.errors > 0), { x: "x", y: 0, dy: -5, symbol: "times", r: 3, stroke: "var(--bad)", title: said }),
      text(all, { x: "from", y: top, dy: -10, textAnchor: "start", fontWeight: 600, text: (one) => `pass ${one.slice.pass}${one.slice.void ? ", void" : one.slice.settled ? "" : wide(one) ? ", still moving" : " ~"}` }),
      text(all, { x: "from", y: 0, dy: 12, textAnchor: "start", fill: "var(--soft)", fontSize: 11, text: (one) => `at ${duration(one.slice.started_seconds)}` }),
      text(all.filter(wide), { x: "to", y: 0, dy: 12, textAnchor: "end", fill: "var(--soft)", fontSize: 11, text: (one) => `${rough(one.to - one.from)} s` }),
      tip(some, pointerX({ x: "x", y, title: said, fill: "var(--surface)", stroke: "var(--rule)" })),
    ],
  });
}

const key = (kind: string, words: string): HTMLElement => h("li", {}, h("i", { class: `key ${kind}`, "aria-hidden": "true" }), words);
