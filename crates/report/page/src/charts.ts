//! Charts beside each other: each kind with who draws it, what their marks mean, and why they carry them.

import type { Link } from "./blocks";
import { drawBars } from "./chart_bars";
import { drawHeat } from "./chart_heat";
import { drawLines } from "./chart_lines";
import { drawPoints } from "./chart_points";
import { drawVolume } from "./chart_volume";
import { drawStacks } from "./chart_stacks";
import { drawWaterfall } from "./chart_waterfall";
import { h } from "./dom";
import { place } from "./plots";
import type { Caption, Chart, PointRow } from "./types_page";
import { badge, mark } from "./words";

type Draw = (width: number) => Element | Element[];

function of(chart: Chart, link: Link): { caption: Caption; draw: Draw; rows?: PointRow[] } {
  if ("points" in chart)
    return {
      caption: chart.points.caption,
      draw: (width) => drawPoints(chart.points, link, width),
      rows: chart.points.rows,
    };
  if ("waterfall" in chart)
    return { caption: chart.waterfall.caption, draw: (width) => drawWaterfall(chart.waterfall, width) };
  if ("bars" in chart) return { caption: chart.bars.caption, draw: (width) => drawBars(chart.bars, width) };
  if ("stacks" in chart) return { caption: chart.stacks.caption, draw: (width) => drawStacks(chart.stacks, width) };
  if ("lines" in chart) return { caption: chart.lines.caption, draw: (width) => drawLines(chart.lines, link, width) };
  if ("heat" in chart) return { caption: chart.heat.caption, draw: (width) => drawHeat(chart.heat, link, width) };
  return { caption: chart.volume.caption, draw: (width) => drawVolume(chart.volume, width) };
}

/** How many stand in a row, where there is room. */
function columns(charts: Chart[]): string {
  if (charts.length === 1 || charts.some((chart) => "volume" in chart || "stacks" in chart)) return "panels";
  return charts.every((chart) => "points" in chart) ? "panels three" : "panels two";
}

export function panels(charts: Chart[], link: Link): HTMLElement[] {
  const all = charts.map((chart) => of(chart, link));
  const labels = [...new Set(all.flatMap(({ rows = [] }) => rows.map(({ label }) => label)))].filter(Boolean);
  const waterfall = charts.some((chart) => "waterfall" in chart);
  return [
    ...(labels.length > 0 ? [legend(labels)] : []),
    h("div", { class: columns(charts) }, ...charts.map((chart, at) => panel(chart, all[at]!))),
    ...(waterfall ? [keys()] : []),
    ...reasons(all),
  ];
}

function panel(chart: Chart, { caption: { title, what, unit }, draw }: { caption: Caption; draw: Draw }): HTMLElement {
  return h(
    "figure",
    { class: `panel ${Object.keys(chart)[0]}` },
    h(
      "figcaption",
      {},
      title !== "" && h("h3", {}, title),
      what !== "" && h("span", { class: "what" }, what),
      h("span", { class: "unit" }, unit),
    ),
    place([title, what, unit].filter(Boolean).join(", "), draw),
  );
}

function legend(labels: string[]): HTMLElement {
  labels.sort((a, b) => Number(b === "settled") - Number(a === "settled") || a.localeCompare(b));
  return h("ul", { class: "legend", "aria-label": "Marks" }, ...labels.map((label) => h("li", {}, mark(label), label)));
}

/** Why values carry a mark, unless a list that follows says it. */
function reasons(all: { caption: Caption; rows?: PointRow[] }[]): HTMLElement[] {
  const marked = all.flatMap(({ caption, rows = [] }) =>
    rows
      .filter(({ label, note, why }) => label !== "" && label !== "settled" && note === null && why !== "")
      .map(({ name, label, why }) => h("li", {}, h("b", {}, `${name} ${caption.title}`), " ", badge(label), " ", why)),
  );
  return marked.length > 0 ? [h("ul", { class: "reasons", "aria-label": "Reasons" }, ...marked)] : [];
}

const keys = (): HTMLElement =>
  h(
    "ul",
    { class: "legend" },
    key("explained", "adds, as expected or without an expectation"),
    key("unexplained", "beyond what is expected"),
    key("expected", "expected"),
    key("interval", "95 % interval"),
  );

const key = (kind: string, words: string): HTMLElement =>
  h("li", {}, h("i", { class: `key ${kind}`, "aria-hidden": "true" }), words);
