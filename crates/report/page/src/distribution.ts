//! The latencies of a figure: how they are spread (above), and which share is slower than x, with the percentiles on that curve (below).

import {
  areaY,
  axisY,
  dot,
  gridX,
  gridY,
  line,
  pointerX,
  ruleX,
  ruleY,
  text,
  tip,
  type Markish,
} from "@observablehq/plot";
import { binRange, type Bins, type Named, type Percentile } from "./data";
import { h } from "./dom";
import { count, rough, tick } from "./numbers";
import { logAxis, logDomain, logTicks, picture, place } from "./plots";

/** Margins that both pictures share, so that they stand under each other. */
const SIDES = { marginLeft: 52, marginRight: 16 };

interface Tail {
  ms: number;
  share: number;
}

export function distribution({ figure, detail }: Named): HTMLElement {
  const total = detail.latencies.count.reduce((sum, n) => sum + n, 0);
  const caption = h(
    "figcaption",
    {},
    h("h3", {}, "Latencies"),
    h("span", { class: "unit" }, "service time, ms, log axis"),
  );
  if (total === 0)
    return h("figure", { class: "panel" }, caption, h("p", { class: "empty" }, "No latency was counted."));
  const least = (one: Percentile) => one.percent < 100;
  const shown = figure.percentiles.filter((one) => least(one) || total > 1);
  return h(
    "figure",
    { class: "panel" },
    caption,
    place("Latency distribution", (width) => [
      spread(detail.latencies, shown, total, width),
      tail(detail.latencies, shown, total, width),
    ]),
    h(
      "ul",
      { class: "legend" },
      h(
        "li",
        {},
        h("i", { class: "key slice-mean", "aria-hidden": "true" }),
        `mean of all ${count(total)} counted operations`,
      ),
    ),
  );
}

const domainOf = (bins: Bins): [number, number] => {
  const edges = bins.index.flatMap((index) => binRange(index, bins.power)).map((ns) => Math.max(ns, 1) / 1e6);
  return logDomain(
    [edges[0] ?? null, Math.min(edges[edges.length - 1] ?? 1, Math.max(bins.max_ns / 1e6, edges[0] ?? 0))],
    1.12,
  );
};

/** Operations per equal step of the log axis, as a share of the highest: bins are split in proportion. */
function density(bins: Bins, [low, high]: [number, number], steps: number): { ms: number; height: number }[] {
  const heights = new Array<number>(steps).fill(0);
  const at = (ms: number) => (Math.log(ms / low) / Math.log(high / low)) * steps;
  bins.index.forEach((index, i) => {
    const [from, to] = binRange(index, bins.power).map((ns) => at(Math.max(ns, 1) / 1e6)) as [number, number];
    for (let step = Math.max(0, Math.floor(from)); step <= Math.min(steps - 1, Math.floor(to)); step++) {
      const overlap = Math.min(to, step + 1) - Math.max(from, step);
      if (overlap > 0) heights[step]! += (bins.count[i]! * overlap) / (to - from);
    }
  });
  const most = Math.max(...heights, 1e-12);
  return heights.flatMap((height, step) =>
    [step, step + 1].map((edge) => ({ ms: low * (high / low) ** (edge / steps), height: height / most })),
  );
}

function spread(bins: Bins, shown: Percentile[], total: number, width: number): Element {
  const domain = domainOf(bins);
  const steps = Math.max(40, Math.min(140, Math.floor((width - SIDES.marginLeft - SIDES.marginRight) / 4)));
  return picture("How often each latency occurred", {
    width,
    height: 118,
    ...SIDES,
    marginTop: 6,
    marginBottom: 4,
    x: { type: "log", domain, axis: null },
    y: { domain: [0, 1.06], axis: null },
    marks: [
      gridX(logTicks(domain, width - 68), { stroke: "var(--grid)", strokeOpacity: 1 }),
      areaY(density(bins, domain, steps), { x: "ms", y1: 0, y2: "height", fill: "var(--good)", fillOpacity: 0.32 }),
      line(density(bins, domain, steps), { x: "ms", y: "height", stroke: "var(--good)", strokeWidth: 1.2 }),
      ruleX(
        shown.filter((one) => one.percent < 100),
        { x: "value_ms", stroke: "var(--soft)", strokeDasharray: "2,3" },
      ),
      ruleX([bins.sum_ns / total / 1e6], { stroke: "var(--slice-mean)", strokeWidth: 2 }),
      ruleY([0], { stroke: "var(--rule)" }),
      text(["often"], { frameAnchor: "top-left", dx: -46, text: (word) => word, fill: "var(--soft)", fontSize: 11 }),
    ],
  });
}

/** Share of operations slower than each bin's upper edge. */
function slower(bins: Bins, total: number): Tail[] {
  let rest = total;
  const first = binRange(bins.index[0] ?? 0, bins.power)[0];
  const curve = [{ ms: Math.max(first, 1) / 1e6, share: 1 }];
  bins.index.forEach((index, i) => {
    rest -= bins.count[i]!;
    if (rest > 0) curve.push({ ms: binRange(index, bins.power)[1] / 1e6, share: rest / total });
  });
  curve.push({ ms: Math.max(bins.max_ns, 1) / 1e6, share: 1 / total });
  return curve;
}

function tail(bins: Bins, shown: Percentile[], total: number, width: number): Element {
  const domain = domainOf(bins);
  const least = Math.min(0.5, 0.6 / total);
  const share = (one: Percentile) => (one.percent >= 100 ? 1 / total : 1 - one.percent / 100);
  const shares = logTicks([least, 1], 182, 26);
  const inside = shown.filter((one) => share(one) >= least && one.value_ms > 0);
  const curve = slower(bins, total);
  const asShare = (value: number) => `${tick(value * 100)} %`;
  const title = (one: Tail) => `${rough(one.share * 100)} % slower than ${rough(one.ms)} ms`;
  const corner = { frameAnchor: "bottom-left" as const, dx: -46, dy: 18, fill: "var(--soft)", fontSize: 11 };
  return picture("Share of operations slower than x, with percentiles", {
    width,
    height: 216,
    ...SIDES,
    marginTop: 8,
    marginBottom: 26,
    x: { type: "log", domain, axis: null },
    y: { type: "log", domain: [least, 1.15] },
    marks: [
      ...logAxis(domain, width - 68),
      gridY(shares, { stroke: "var(--grid)", strokeOpacity: 1 }),
      axisY(shares, { tickFormat: asShare, tickSize: 0, fill: "var(--soft)", label: null }),
      line(curve, { x: "ms", y: "share", stroke: "var(--good)", strokeWidth: 1.6 }),
      ...percentileMarks(inside, share, domain),
      text(["slower"], { ...corner, text: String }),
      tip(curve, pointerX({ x: "ms", y: "share", title, fill: "var(--surface)", stroke: "var(--rule)" })),
    ],
  });
}

function percentileMarks(
  inside: Percentile[],
  share: (one: Percentile) => number,
  domain: [number, number],
): Markish[] {
  const clip = (ms: number) => Math.min(Math.max(ms, domain[0]), domain[1]);
  const late = (one: Percentile) => Math.log(one.value_ms / domain[0]) / Math.log(domain[1] / domain[0]) > 0.55;
  const bounded = inside.filter((one) => one.low_ms !== null);
  const bar = { stroke: "var(--ink)", strokeWidth: 3, strokeOpacity: 0.45, strokeLinecap: "round" as const };
  // Left of their points where these are far right; there the last stands below, one close to it above.
  const lowest = inside[inside.length - 1];
  const near = (one: Percentile) => one !== lowest && lowest !== undefined && share(one) < share(lowest) * 1.9;
  return [
    ruleY(bounded, {
      y: share,
      x1: (one) => clip(one.low_ms ?? one.value_ms),
      x2: (one) => clip(one.high_ms ?? domain[1]),
      ...bar,
    }),
    dot(inside, { x: "value_ms", y: share, r: 4, fill: "var(--ink)", stroke: "var(--surface)" }),
    names(
      inside.filter((one) => !late(one)),
      share,
      { dx: 10, dy: -8, textAnchor: "start" },
    ),
    names(
      inside.filter((one) => late(one) && !near(one)),
      share,
      { dx: -10, dy: 10, textAnchor: "end" },
    ),
    names(
      inside.filter((one) => late(one) && near(one)),
      share,
      { dx: -10, dy: -9, textAnchor: "end" },
    ),
  ];
}

type Beside = { dx: number; dy: number; textAnchor: "start" | "end" };

function names(some: Percentile[], share: (one: Percentile) => number, beside: Beside): Markish {
  const name = (one: Percentile) => {
    const [value, range] = one.text;
    return `${one.percent >= 100 ? "max" : `p${one.percent}`}  ${value}${range ? ` (${range})` : ""}`;
  };
  const halo = { stroke: "var(--surface)", strokeWidth: 4, fill: "var(--ink)", fontSize: 11.5 };
  return text(some, { x: "value_ms", y: share, ...beside, text: name, ...halo });
}
