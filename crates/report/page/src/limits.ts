//! The highest rate that keeps a bound: what was tried, as a table and as a picture of response time over rate.

import { axisY, dot, gridY, line, ruleX, ruleY, text } from "@observablehq/plot";
import type { Limit, Run, Tried } from "./data";
import { h, section, table } from "./dom";
import { NOTHING, count, duration, percentile, rough, tick } from "./numbers";
import { logDomain, logTicks, linearX, picture, place } from "./plots";
import { place as placeName } from "./words";

type Times = [number, number | null, number | null] | null;

export function limits({ limits: all }: Run): HTMLElement | null {
  const first = all[0];
  if (!first) return null;
  const lead = `p${first.percent} of the response time, from when operations were due, below ${first.below_ms} ms`;
  return section("limits", "Highest rate", lead, ...all.flatMap(one));
}

function one(limit: Limit): HTMLElement[] {
  const said =
    limit.rate === null
      ? (limit.why ?? NOTHING)
      : `${count(limit.rate)} operations a second, confirmed over ${duration(limit.confirmed_seconds)}; ` +
        `what happens less often than every ${duration(limit.confirmed_seconds / 3)} is not excluded`;
  const title = `${placeName(limit.layer, limit.target)}, ${limit.pattern}`;
  const heads = ["a second", "", "seconds", "slower, %", "p50, ms", `p${limit.percent}, ms`];
  return [
    h("h3", {}, title),
    h("p", {}, said),
    h(
      "figure",
      { class: "panel" },
      h("figcaption", {}, h("span", { class: "unit" }, "response time, ms (log axis), over operations a second")),
      place(`Response time over the rate, ${title}`, (width) => curve(limit, width)),
    ),
    table(
      `Rates that were tried, ${title}`,
      heads,
      byRate(limit).map((tried) => row(tried, limit)),
      "numbers small",
    ),
  ];
}

const byRate = (limit: Limit): Tried[] =>
  [...limit.tried].sort((a, b) => a.rate - b.rate || Number(a.confirms) - Number(b.confirms));

function row(tried: Tried, { percent }: Limit): string[] {
  const outcome = tried.kept ? "keeps it" : tried.confirms ? "does not keep it for long" : "breaks it";
  const [low, high] = tried.slower_ci90.map((share) => rough(share * 100));
  return [
    count(tried.rate),
    tried.kept && tried.confirms ? "keeps it, confirmed" : outcome,
    rough(tried.seconds),
    `${rough(tried.slower * 100)} (${low}–${high})`,
    said(tried.p50_ms, 50),
    said(tried.percentile_ms, percent),
  ];
}

function said(times: Times, percent: number): string {
  if (times === null) return NOTHING;
  const { value, range } = percentile({ percent, value_ms: times[0], low_ms: times[1], high_ms: times[2] });
  return range ? `${value} (${range})` : value;
}

interface Point {
  rate: number;
  ms: number;
  low: number;
  high: number;
  confirms: boolean;
}

/** Points that have a value; an interval without an end goes to the top. */
function points(limit: Limit, of: (tried: Tried) => Times, top: number): Point[] {
  return byRate(limit).flatMap((tried) => {
    const times = of(tried);
    return times === null || times[0] <= 0
      ? []
      : [
          {
            rate: tried.rate,
            ms: times[0],
            low: times[1] ?? times[0],
            high: times[2] ?? (times[1] === null ? times[0] : top),
            confirms: tried.confirms,
          },
        ];
  });
}

function curve(limit: Limit, width: number): Element {
  const values = limit.tried.flatMap((tried) => [tried.p50_ms?.[0] ?? null, tried.percentile_ms?.[0] ?? null]);
  const domain = logDomain([...values, limit.below_ms], 1.6);
  const clip = (ms: number) => Math.min(Math.max(ms, domain[0]), domain[1]);
  const ticks = logTicks(domain, 220, 26);
  const series = (of: (tried: Tried) => Times, colour: string, name: string) => {
    const all = points(limit, of, domain[1]);
    return [
      ruleX(all, {
        x: "rate",
        y1: ({ low }) => clip(low),
        y2: ({ high }) => clip(high),
        stroke: colour,
        strokeOpacity: 0.35,
        strokeWidth: 3,
      }),
      line(all, { x: "rate", y: "ms", stroke: colour, strokeWidth: 1.4 }),
      dot(all, {
        x: "rate",
        y: "ms",
        r: ({ confirms }) => (confirms ? 5 : 3.2),
        fill: ({ confirms }) => (confirms ? colour : "var(--surface)"),
        stroke: colour,
        title: ({ rate, ms }) => `${name} at ${count(rate)} a second: ${rough(ms)} ms`,
      }),
      text(all.slice(-1), { x: "rate", y: "ms", text: () => name, dx: 12, textAnchor: "start", fill: colour }),
    ];
  };
  return picture("Response time over the rate: the median, and the percentile of the bound", {
    width,
    height: 270,
    marginLeft: 52,
    marginRight: 60,
    marginTop: 14,
    marginBottom: 30,
    x: { type: "linear", zero: true, nice: true },
    y: { type: "log", domain },
    marks: [
      ...linearX(width / 110),
      gridY(ticks, { stroke: "var(--grid)", strokeOpacity: 1 }),
      axisY(ticks, { tickFormat: tick, tickSize: 0, fill: "var(--soft)", label: null }),
      ruleY([limit.below_ms], { stroke: "var(--bad)", strokeDasharray: "4,3" }),
      text([limit.below_ms], {
        y: (ms) => ms,
        frameAnchor: "left",
        dx: 6,
        dy: -7,
        textAnchor: "start",
        text: () => `bound: ${limit.below_ms} ms`,
        fill: "var(--bad)",
      }),
      ...(limit.rate === null ? [] : [ruleX([limit.rate], { stroke: "var(--soft)", strokeDasharray: "2,3" })]),
      ...series(({ p50_ms }) => p50_ms, "var(--good)", "p50"),
      ...series(({ percentile_ms }) => percentile_ms, "var(--ink)", `p${limit.percent}`),
    ],
  });
}
