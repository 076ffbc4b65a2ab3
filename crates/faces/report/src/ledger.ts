//! The ledger: for latency what each layer adds, as a waterfall; for throughput which share of its ceiling each layer delivers.

import { axisX, barX, dot, gridX, ruleX, ruleY, text, tickX } from "@observablehq/plot";
import { PATTERNS, type ChartCell, type LedgerRow, type PatternName, type Run } from "./data";
import { h, section, table } from "./dom";
import { beside, estimate, halfWidth, share, tick, withUnit } from "./numbers";
import { picture, place } from "./plots";
import { isLatency, PATTERN_WORDS } from "./words";

export function ledger({ ledger: rows, chart }: Run): HTMLElement {
  if (rows.length === 0) {
    return section("ledger", "Ledger", null,
      h("p", { class: "empty" }, "There is no ledger: it needs settled figures of at least two layers of one pattern."));
  }
  const of = (pattern: PatternName) => rows.filter((row) => row.pattern === pattern);
  const some = PATTERNS.filter((pattern) => of(pattern).length > 0);
  const latency = some.filter(isLatency);
  const throughput = some.filter((pattern) => !isLatency(pattern));
  return section("ledger", "Ledger", "The same as losses. Latencies are a sum of stages; a throughput is as high as the lowest ceiling above it allows.",
    latency.length > 0 && h("div", { class: "panels two" }, ...latency.map((pattern) => waterfall(pattern, of(pattern), chart))),
    throughput.length > 0 && h("div", { class: "panels two" }, ...throughput.map((pattern) => shares(pattern, of(pattern), chart))));
}

interface Stage { row: LedgerRow; from: number; to: number; low: number; high: number; expected: number | null }

function stages(rows: LedgerRow[]): Stage[] {
  let sum = 0;
  return rows.map((row) => {
    const from = sum;
    sum += row.adds.value;
    const bound = (edge: number | null) => from + (edge ?? row.adds.value);
    return { row, from, to: sum, low: bound(row.adds.low), high: bound(row.adds.high), expected: row.expected === null ? null : from + row.expected };
  });
}

function cellOf(chart: ChartCell[], row: LedgerRow): ChartCell | undefined {
  return chart.find((cell) => cell.layer === row.layer && cell.pattern === row.pattern);
}

function waterfall(pattern: PatternName, rows: LedgerRow[], chart: ChartCell[]): HTMLElement {
  const all = stages(rows);
  const last = rows[rows.length - 1]!;
  const total = cellOf(chart, last)?.estimate ?? null;
  const heads = ["layer", "adds, ms", "share", "expected, ms", "unexplained, ms", "because"];
  const body = rows.map((row) => [
    row.layer, estimate(row.adds, "ms", "+"), share(row.share), beside(row.expected, row.adds), beside(row.unexplained, row.adds),
    h("span", { class: "because" }, row.because),
  ]);
  return h("figure", { class: "panel" },
    h("figcaption", {}, h("h3", {}, pattern), h("span", { class: "what" }, PATTERN_WORDS[pattern]),
      h("span", { class: "unit" }, total ? `${last.layer}: ${withUnit(total, "ms")}` : "ms")),
    place(`What each layer adds to ${pattern}`, (width) => falling(pattern, all, total?.value ?? null, last.layer, width)),
    h("ul", { class: "legend" }, key("explained", "adds, as expected"), key("unexplained", "beyond what is expected"),
      key("expected", "expected"), key("interval", "95 % interval")),
    table(`What each layer adds to ${pattern}`, heads, body, "numbers"));
}

function falling(pattern: PatternName, all: Stage[], total: number | null, top: string, width: number): Element {
  const names = [...all.map((stage) => stage.row.layer as string), "total"];
  const [left, right] = [60, 104];
  const edges = all.flatMap((stage) => [stage.from, stage.to, stage.low, stage.high, stage.expected ?? 0]);
  const domain: [number, number] = [Math.min(0, ...edges), Math.max(...edges, total ?? 0) * 1.02 || 1];
  const layer = (stage: Stage) => stage.row.layer;
  const solid = (stage: Stage) => Math.min(stage.to, Math.max(stage.from, stage.expected ?? stage.to));
  return picture(`Waterfall of ${pattern}; the table below holds the same numbers`, {
    width, height: names.length * 34 + 28, marginLeft: left, marginRight: right, marginTop: 2, marginBottom: 26,
    x: { domain }, y: { type: "band", domain: names, padding: 0.34, axis: null },
    marks: [
      gridX({ ticks: Math.max(3, Math.floor((width - left - right) / 70)), stroke: "var(--grid)", strokeOpacity: 1 }),
      axisX({ ticks: Math.max(3, Math.floor((width - left - right) / 70)), tickFormat: tick, tickSize: 0, fill: "var(--soft)", label: null }),
      ruleX([0], { stroke: "var(--soft)" }),
      text(names, { y: (name) => name, x: domain[0], text: (name) => name, dx: -left, textAnchor: "start", fontWeight: 600 }),
      barX(all, { y: layer, x1: "from", x2: solid, fill: "var(--good)", rx: 1.5 }),
      barX(all, { y: layer, x1: solid, x2: "to", fill: "var(--unexplained)", rx: 1.5 }),
      tickX(all.slice(0, -1), { x: "to", y: layer, stroke: "var(--soft)", strokeDasharray: "2,2", insetTop: 0, insetBottom: -16 }),
      ruleY(all, { y: layer, x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 1.4 }),
      tickX(all.flatMap((stage) => [{ stage, at: stage.low }, { stage, at: stage.high }]),
        { x: "at", y: ({ stage }) => stage.row.layer, stroke: "var(--ink)", strokeWidth: 1.4, inset: 7 }),
      dot(all.filter((stage) => stage.expected !== null), { x: "expected", y: layer, symbol: "diamond", r: 5, stroke: "var(--ink)", strokeWidth: 1.6, fill: "var(--surface)",
        title: (stage) => `expected ${beside(stage.row.expected, stage.row.adds)} ms: ${stage.row.because}` }),
      total === null ? null : barX([total], { y: () => "total", x1: 0, x2: (value) => value, fill: "none", stroke: "var(--good)", strokeWidth: 1.5, rx: 1.5, title: () => `all of ${top}` }),
      text(all, { y: layer, x: domain[1], dx: 8, textAnchor: "start", text: (stage) => estimate(stage.row.adds, "ms", "+") }),
      text(["total"], { y: () => "total", x: domain[1], dx: 8, textAnchor: "start", fontWeight: 600, text: () => (total === null ? "–" : `${tick(total)} ms`) }),
    ],
  });
}

/** A layer's share of its ceiling, with the bounds that the loss's own interval gives it. */
function delivered(row: LedgerRow): { row: LedgerRow; share: number; low: number; high: number } {
  const ceiling = row.ceiling ?? NaN;
  const at = (lost: number | null) => (lost === null || !(ceiling > 0) ? row.share ?? 0 : 1 - lost / ceiling);
  return { row, share: row.share ?? 0, low: at(row.adds.high), high: at(row.adds.low) };
}

const shareText = (one: ReturnType<typeof delivered>): string =>
  `${estimate({ value: one.share * 100, low: one.low * 100, high: one.high * 100 }, "%")} %`;

function shares(pattern: PatternName, rows: LedgerRow[], chart: ChartCell[]): HTMLElement {
  const all = rows.map(delivered);
  const heads = ["layer", "delivers", "ceiling", "share", "because"];
  const body = all.map((one) => {
    const value = cellOf(chart, one.row)?.estimate;
    return [one.row.layer, value ? withUnit(value, one.row.unit) : "–", one.row.ceiling === null ? "–" : beside(one.row.ceiling, one.row.adds),
      shareText(one), h("span", { class: "because" }, one.row.because)];
  });
  return h("figure", { class: "panel" },
    h("figcaption", {}, h("h3", {}, pattern), h("span", { class: "what" }, PATTERN_WORDS[pattern]), h("span", { class: "unit" }, "share of its ceiling delivered")),
    place(`Share of its ceiling that each layer delivers, ${pattern}`, (width) => bars(pattern, all, width)),
    table(`Share of its ceiling that each layer delivers, ${pattern}`, heads, body, "numbers"));
}

function bars(pattern: PatternName, all: ReturnType<typeof delivered>[], width: number): Element {
  const [left, right] = [60, 104];
  const domain: [number, number] = [0, Math.max(1, ...all.map((one) => Math.max(one.share, one.high)))];
  const layer = (one: ReturnType<typeof delivered>) => one.row.layer;
  return picture(`Shares of ${pattern}; the table below holds the same numbers`, {
    width, height: all.length * 32 + 28, marginLeft: left, marginRight: right, marginTop: 2, marginBottom: 26,
    x: { domain }, y: { type: "band", domain: all.map(layer), padding: 0.34, axis: null },
    marks: [
      gridX([0, 0.25, 0.5, 0.75, 1], { stroke: "var(--grid)", strokeOpacity: 1 }),
      axisX([0, 0.25, 0.5, 0.75, 1], { tickFormat: share, tickSize: 0, fill: "var(--soft)", label: null }),
      text(all, { y: layer, x: 0, text: layer, dx: -left, textAnchor: "start", fontWeight: 600 }),
      barX(all, { y: layer, x1: 0, x2: 1, fill: "var(--track)", stroke: "var(--rule)", rx: 1.5 }),
      barX(all, { y: layer, x1: 0, x2: "share", fill: "var(--good)", rx: 1.5, title: (one) => one.row.because }),
      ruleY(all, { y: layer, x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 1.4 }),
      tickX(all.flatMap((one) => [{ one, at: one.low }, { one, at: one.high }]).filter(({ one }) => !Number.isNaN(halfWidth(one.row.adds))),
        { x: "at", y: ({ one }) => one.row.layer, stroke: "var(--ink)", strokeWidth: 1.4, inset: 6 }),
      text(all, { y: layer, x: domain[1], dx: 8, textAnchor: "start", text: shareText }),
    ],
  });
}

const key = (kind: string, words: string): HTMLElement => h("li", {}, h("i", { class: `key ${kind}`, "aria-hidden": "true" }), words);
