//! The ledger: for latency what each layer adds, as a waterfall; for throughput which share of its ceiling each layer delivers.

import {
  PATTERNS,
  type ChartCell,
  type Distance,
  type Estimate,
  type Interval,
  type LedgerRow,
  type PatternName,
  type Run,
} from "./data";
import { h, section, table } from "./dom";
import { adds, beside, estimate, share, withUnit } from "./numbers";
import { place } from "./plots";
import { bars, delivered, shareText } from "./shares";
import { falling, stages } from "./waterfall";
import { fine, isLatency, PATTERN_WORDS } from "./words";

export function ledger({ ledger: rows, chart, floor }: Run): HTMLElement {
  if (rows.length === 0) {
    return section(
      "ledger",
      "Ledger",
      null,
      h("p", { class: "empty" }, "There is no ledger: it needs settled figures of at least two layers of one pattern."),
    );
  }
  const of = (pattern: PatternName) => rows.filter((row) => row.pattern === pattern);
  const some = PATTERNS.filter((pattern) => of(pattern).length > 0);
  const latency = some.filter(isLatency);
  const throughput = some.filter((pattern) => !isLatency(pattern));
  return section(
    "ledger",
    "Ledger",
    "The same as losses. Latencies are a sum of stages; a throughput is as high as the lowest ceiling above it allows.",
    latency.length > 0 &&
      h(
        "ul",
        { class: "legend" },
        key("explained", "adds, as expected or without an expectation"),
        key("unexplained", "beyond what is expected"),
        key("expected", "expected"),
        key("interval", "95 % interval"),
      ),
    latency.length > 0 &&
      h("div", { class: "panels two" }, ...latency.map((pattern) => waterfall(pattern, of(pattern), chart))),
    throughput.length > 0 &&
      h("div", { class: "panels two" }, ...throughput.map((pattern) => shares(pattern, of(pattern), chart))),
    floor.length > 0 && distances(floor),
  );
}

/** Over a floor that may be next to nothing there is no upper bound. */
const range = ([low, high]: Interval): string =>
  `${(low ?? 0).toFixed(1)}${high === null ? " and more" : `–${high.toFixed(1)}`}`;

/** The price of Ceph's software apart from that of disks and network. */
function distances(floor: Distance[]): HTMLElement {
  const heads = ["pattern", "against", "floor", "rados", "Ceph is slower by"];
  const body = floor.map((one) => [
    one.pattern,
    one.on,
    valued(joined(one.floor, one.floor_ci95), one.unit, one.floor_label),
    valued(joined(one.ceph, one.ceph_ci95), one.unit, one.ceph_label),
    `×${one.times.toFixed(1)} (${range(one.times_ci95)})`,
  ]);
  return h(
    "figure",
    { class: "panel" },
    h(
      "figcaption",
      {},
      h("h3", {}, "Distance from the floor"),
      h("span", { class: "what" }, "what any replicated store could do at best on these disks and this network"),
    ),
    table("Distance from the floor", heads, body, "numbers ledger-table"),
  );
}

const valued = (value: Estimate, unit: string, label: string): string =>
  withUnit(value, unit) + (fine(label) ? "" : ` (${label})`);

const joined = (value: number, ci95: Interval): Estimate => ({ value, low: ci95[0], high: ci95[1] });

function cellOf(chart: ChartCell[], row: LedgerRow): ChartCell | undefined {
  return chart.find((cell) => cell.layer === row.layer && cell.pattern === row.pattern);
}

function waterfall(pattern: PatternName, rows: LedgerRow[], chart: ChartCell[]): HTMLElement {
  const all = stages(rows);
  const last = rows[rows.length - 1]!;
  const total = cellOf(chart, last)?.estimate ?? null;
  const heads = ["layer", "adds, ms", "share", "expected", "unexplained"];
  const body = rows.map((row) => ({
    note: row.because,
    cells: [
      row.layer,
      adds(row, "+"),
      (row.at_least && row.share !== null ? "≤" : "") + share(row.share),
      beside(row.expected, row.adds),
      beside(row.unexplained, row.adds),
    ],
  }));
  return h(
    "figure",
    { class: "panel" },
    h(
      "figcaption",
      {},
      h("h3", {}, pattern),
      h("span", { class: "what" }, PATTERN_WORDS[pattern]),
      h("span", { class: "unit" }, total ? `${last.layer}: ${withUnit(total, "ms")}` : "ms"),
    ),
    place(`What each layer adds to ${pattern}`, (width) => falling(pattern, all, total, width)),
    table(`What each layer adds to ${pattern}`, heads, body, "numbers ledger-table"),
  );
}

function shares(pattern: PatternName, rows: LedgerRow[], chart: ChartCell[]): HTMLElement {
  const all = rows.map(delivered);
  const heads = ["layer", `delivers, ${rows[0]?.unit ?? ""}`, "ceiling", "share"];
  const body = all.map((one) => {
    const value = cellOf(chart, one.row)?.estimate;
    return {
      note: one.row.because,
      cells: [
        one.row.layer,
        value ? estimate(value, one.row.unit) : "–",
        (one.row.at_least && one.known ? "≥" : "") + beside(one.row.ceiling, one.row.adds),
        shareText(one),
      ],
    };
  });
  return h(
    "figure",
    { class: "panel" },
    h(
      "figcaption",
      {},
      h("h3", {}, pattern),
      h("span", { class: "what" }, PATTERN_WORDS[pattern]),
      h("span", { class: "unit" }, "share of its ceiling delivered"),
    ),
    place(`Share of its ceiling that each layer delivers, ${pattern}`, (width) => bars(pattern, all, width)),
    table(`Share of its ceiling that each layer delivers, ${pattern}`, heads, body, "numbers ledger-table"),
  );
}

const key = (kind: string, words: string): HTMLElement =>
  h("li", {}, h("i", { class: `key ${kind}`, "aria-hidden": "true" }), words);
