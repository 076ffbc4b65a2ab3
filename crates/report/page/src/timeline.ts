//! A figure over time: all its slices side by side, warm-up greyed, the settled part marked, the mean with its interval across.

import { dot, lineY, link, pointerX, rect, ruleY, text, tip, type Markish } from "@observablehq/plot";
import type { Figure, Named } from "./data";
import { h } from "./dom";
import { count, rough } from "./numbers";
import { linearY, picture, place } from "./plots";
import { compactionMarks, compactions, sightKey, sightMarks } from "./sight";
import { strips, type Point, type Strip } from "./strips";
import { withUnit } from "./words";

export function timeline(named: Named): HTMLElement {
  const { figure, detail } = named;
  const all = strips(figure, detail.slices).filter((strip) => strip.points.length > 0);
  const voids = detail.slices.filter((slice) => slice.void);
  const errors = [...new Set(detail.slices.flatMap((slice) => slice.error ?? []))];
  const join = Math.max(1, ...detail.slices.map((slice) => slice.join ?? 1));
  const window = detail.slices[0]?.window_ms ?? 100;
  const metric =
    figure.metric === "iops" ? "operations per second" : figure.metric === "bandwidth" ? "MB/s" : "mean latency, ms";
  return h(
    "figure",
    { class: "panel" },
    h(
      "figcaption",
      {},
      h("h3", {}, "Over time"),
      h("span", { class: "unit" }, `${metric}, one point each ${rough(window * join)} ms`),
    ),
    all.length > 0
      ? h(
          "div",
          { class: "scroll" },
          withLeastWidth(
            place("Over time", (width) => side(figure, all, width)),
            110 * all.length + 60,
          ),
        )
      : h("p", { class: "empty" }, "No window was recorded."),
    h(
      "ul",
      { class: "legend" },
      key("warm", "warm-up, not counted"),
      key("settled", "counted"),
      figure.estimate && key("band", `${withUnit(figure)}, 95 % interval`),
      key("slice-mean", "mean of a slice"),
      sightKey(figure) !== null && key("sight", sightKey(figure)!),
      compactions(all).length > 0 && key("compaction", "RocksDB compacted"),
    ),
    ...voids.map((slice) => h("p", { class: "alarm" }, `Pass ${slice.pass} is void: ${slice.void}`)),
    ...errors.map((error) => h("p", { class: "alarm" }, `First error: ${error}`)),
  );
}

function withLeastWidth(element: HTMLElement, least: number): HTMLElement {
  element.style.minWidth = `min(${least}px, 720px)`;
  return element;
}

/** The axis ends a little above what is usual: a lone peak is cut off, and marked as such. */
function ceiling(figure: Figure, some: Point[]): number {
  const sorted = some.flatMap((point) => point.value ?? []).sort((a, b) => a - b);
  const most = sorted[sorted.length - 1] ?? 1;
  const usual = sorted[Math.floor(sorted.length * 0.97)] ?? most;
  return Math.max(Math.min(most, usual * 2.2) * 1.12, (figure.estimate?.high ?? 0) * 1.15) || 1;
}

/** All slices side by side. */
function side(figure: Figure, all: Strip[], width: number): Element {
  const some = all.flatMap((one) => one.points);
  const top = ceiling(figure, some);
  const end = all[all.length - 1]!.to;
  const pixels = (one: Strip) => ((one.to - one.from) / end) * (width - 60);
  const y = (point: Point) => (point.value === null ? NaN : Math.min(point.value, top));
  const title = (point: Point) => told(figure, point);
  const over = some.filter((point) => point.value !== null && point.value > top);
  const failed = some.filter((point) => point.errors > 0);
  const cut = { dy: 7, symbol: "triangle" as const, r: 3.4, fill: "var(--caution)" };
  return picture("Time series of all slices", {
    width,
    height: 250,
    marginLeft: 46,
    marginRight: 10,
    marginTop: 20,
    marginBottom: 34,
    x: { domain: [0, end], axis: null },
    y: { domain: [0, top] },
    marks: [
      ...linearY(5),
      ...grounds(all, top),
      ...band(figure, end),
      ...curves(all, y),
      ...sightMarks(figure, all, top),
      ...compactionMarks(all),
      dot(over, { x: "x", y: top, ...cut, title }),
      dot(failed, { x: "x", y: 0, dy: -5, symbol: "times", r: 3, stroke: "var(--bad)", title }),
      ...captions(all, top, pixels),
      tip(some, pointerX({ x: "x", y, title, fill: "var(--surface)", stroke: "var(--rule)" })),
    ],
  });
}

/** What lies behind the curves: warm-up grey, the counted part tinted, a bar above it that says whether it settled. */
function grounds(all: Strip[], top: number): Markish[] {
  const tint = (one: Strip) => (one.slice.void ? "var(--void)" : "var(--settled)");
  const verdict = (one: Strip) => (one.slice.void ? "var(--bad)" : one.slice.moving ? "var(--caution)" : "var(--good)");
  const warm = all.filter((one) => one.settledFrom > one.from);
  return [
    rect(warm, { x1: "from", x2: "settledFrom", y1: 0, y2: top, fill: "var(--warm)" }),
    rect(all, { x1: "settledFrom", x2: "to", y1: 0, y2: top, fill: tint }),
    link(all, { x1: "settledFrom", x2: "to", y1: top, y2: top, strokeWidth: 3, stroke: verdict }),
  ];
}

/** The figure's value with its interval, across all slices. */
function band({ estimate }: Figure, end: number): Markish[] {
  const some = estimate ? [estimate] : [];
  return [
    rect(some, { x1: 0, x2: end, y1: (e) => e.low ?? e.value, y2: (e) => e.high ?? e.value, fill: "var(--band)" }),
    ruleY(some, { y: "value", stroke: "var(--ink)", strokeDasharray: "5,3", strokeWidth: 1 }),
  ];
}

function curves(all: Strip[], y: (point: Point) => number): Markish[] {
  const z = (point: Point) => `${point.slice.pass}/${point.slice.started_seconds}`;
  const common = { x: "x", y, z, strokeWidth: 1.3, strokeLinejoin: "round" as const };
  // The first counted point also ends the warm-up's line, so that the two meet.
  const meets = (points: Point[], i: number) => points[i]!.warm || (i > 0 && points[i - 1]!.warm);
  const warm = all.flatMap((one) => one.points.filter((_, i) => meets(one.points, i)));
  const counted = all.flatMap((one) => one.points.filter((point) => !point.warm));
  const means = all.filter((one) => one.mean !== null);
  return [
    lineY(warm, { ...common, stroke: "var(--soft)" }),
    lineY(counted, { ...common, stroke: "var(--good)" }),
    link(means, { x1: "settledFrom", x2: "to", y1: "mean", y2: "mean", stroke: "var(--slice-mean)", strokeWidth: 1.8 }),
  ];
}

function captions(all: Strip[], top: number, pixels: (one: Strip) => number): Markish[] {
  const moving = (one: Strip) => (pixels(one) > 92 ? ", still moving" : " ~");
  const name = (one: Strip) =>
    `pass ${one.slice.pass}${one.slice.void ? ", void" : one.slice.moving ? moving(one) : ""}`;
  const small = { y: 0, dy: 12, fill: "var(--soft)", fontSize: 11 };
  const roomy = all.filter((one) => pixels(one) > 150);
  return [
    text(all, { x: "from", y: top, dy: -10, textAnchor: "start", fontWeight: 600, text: name }),
    text(all, { ...small, x: "from", textAnchor: "start", text: (one) => `at ${one.moment[0]}` }),
    text(roomy, { ...small, x: "to", textAnchor: "end", text: (one) => one.moment[1] }),
  ];
}

function told(figure: Figure, point: Point): string {
  const when = `pass ${point.slice.pass}, ${rough(point.seconds)} s after the slice began`;
  const value = point.value === null ? "no operation ended" : `${rough(point.value)} ${figure.unit}`;
  const errors = point.errors > 0 ? `, ${count(point.errors)} errors` : "";
  return `${when}${point.warm ? " (warm-up)" : ""}\n${value}\n${count(point.ops)} operations${errors}`;
}

const key = (kind: string, words: string): HTMLElement =>
  h("li", {}, h("i", { class: `key ${kind}`, "aria-hidden": "true" }), words);
