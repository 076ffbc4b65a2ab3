//! The depth chart: six small pictures, the layers from the disk downwards, each value a mark with its interval; and the same as a table.

import { axisX, barX, dot, gridX, line, ruleY, text } from "@observablehq/plot";
import { LAYERS, PATTERNS, type ChartCell, type Estimate, type LayerName, type Named, type PatternName, type Run } from "./data";
import { h, section, table, type Child } from "./dom";
import { estimate, tick, unit, withUnit } from "./numbers";
import { logDomain, logTicks, picture, place } from "./plots";
import { badge, colour, isLatency, LAYER_WORDS, look, mark, PATTERN_WORDS } from "./words";

/** One row of one picture. */
interface Row {
  layer: LayerName; depth: number; cell: ChartCell | null; label: string;
  /** What is drawn: the cell's value, or the struck ones of its figures. */
  shown: Estimate | null; struck: boolean; ghosts: Estimate[]; href: string | null; note: number | null;
}
type Drawn = Row & { shown: Estimate };
interface Note { number: number; layer: LayerName; pattern: PatternName; label: string; why: string }

export function chart({ chart: cells, figures }: Run): HTMLElement {
  const layers = LAYERS.filter((layer) => cells.some((cell) => cell.layer === layer));
  const patterns = PATTERNS.filter((pattern) => cells.some((cell) => cell.pattern === pattern));
  const lead = "How deep each layer lies: one picture for each pattern, from the bare disk at the top down to the layer that users see. "
    + "A mark is the mean over the layer's targets, the bar its 95 % interval.";
  if (layers.length === 0) return section("chart", "Depth chart", null, h("p", { class: "empty" }, "No cell has been measured."));
  const notes: Note[] = [];
  const rows = new Map(patterns.map((pattern) => [pattern, layers.map((layer, depth) => row(cells, figures, layer, pattern, depth, notes))]));
  return section("chart", "Depth chart", lead, legend(cells),
    h("div", { class: "panels three" }, ...patterns.map((pattern) => panel(pattern, rows.get(pattern) ?? []))),
    asTable(layers, patterns, rows),
    notes.length > 0 && footnotes(notes));
}

function row(cells: ChartCell[], figures: Named[], layer: LayerName, pattern: PatternName, depth: number, notes: Note[]): Row {
  const cell = cells.find((one) => one.layer === layer && one.pattern === pattern) ?? null;
  const own = figures.filter(({ figure }) => figure.chart && figure.layer === layer && figure.pattern === pattern);
  const best = own.find(({ figure }) => figure.target === cell?.worst) ?? own[0];
  const label = cell?.label ?? "void";
  const struck = label === "implausible";
  const ghosts = own.filter(({ figure }) => figure.label === "implausible").flatMap(({ figure }) => figure.estimate ?? []);
  const shown = cell?.estimate ?? (struck && ghosts.length === 1 ? ghosts[0]! : null);
  let note: number | null = null;
  if (cell && label !== "settled") {
    note = notes.length + 1;
    notes.push({ number: note, layer, pattern, label, why: cell.why ?? "no reason was recorded" });
  }
  return { layer, depth, cell, label, shown, struck, ghosts, href: best ? `#${best.id}` : null, note };
}

function legend(cells: ChartCell[]): HTMLElement {
  const labels = [...new Set(cells.map((cell) => cell.label))];
  labels.sort((a, b) => Number(b === "settled") - Number(a === "settled") || a.localeCompare(b));
  return h("ul", { class: "legend", "aria-label": "Marks" }, ...labels.map((label) => h("li", {}, mark(label), label)));
}

const patternUnit = (pattern: PatternName): string => unit(isLatency(pattern) ? "latency_mean" : pattern.endsWith("linear") ? "bandwidth" : "iops");

function panel(pattern: PatternName, rows: Row[]): HTMLElement {
  const better = isLatency(pattern) ? "← lower is better" : "higher is better →";
  return h("figure", { class: "panel" },
    h("figcaption", {}, h("h3", {}, pattern), h("span", { class: "what" }, PATTERN_WORDS[pattern]),
      h("span", { class: "unit" }, `${patternUnit(pattern)} · ${better}`)),
    place(`Depth chart of ${pattern}`, (width) => sounding(pattern, rows, width)));
}

function sounding(pattern: PatternName, rows: Row[], width: number): Element {
  const drawn = rows.filter((row) => row.shown !== null) as Drawn[];
  const ghosts = rows.filter((row) => row.struck).flatMap((row) => row.ghosts.map((ghost) => ({ ...row, shown: ghost })));
  const domain = logDomain([...drawn, ...ghosts].flatMap(({ shown }) => [shown.value, shown.low, shown.high]));
  const [left, right] = [60, 124];
  // Side branches (the network) and struck values are not part of the line down.
  const descent = drawn.filter((row) => row.layer !== "network" && !row.struck);
  const sure = drawn.filter((row) => !row.struck);
  const hollow = (row: Row) => look(row.label).hollow;
  const marks = (some: Drawn[], filled: boolean) => dot(some.filter((row) => hollow(row) !== filled), {
    x: (row) => row.shown.value, y: "layer", r: 4.6, symbol: (row: Drawn) => look(row.label).symbol, href: "href",
    stroke: (row) => colour(row.label), strokeWidth: filled ? 1 : 2, fill: filled ? (row: Drawn) => colour(row.label) : "var(--surface)",
    title: (row: Drawn) => `${row.layer} ${pattern}: ${withUnit(row.shown, patternUnit(pattern))}, ${row.label}${row.cell?.why ? `: ${row.cell.why}` : ""}`,
  });
  return picture(`${pattern} by layer; the table below holds the same numbers`, {
    width, height: rows.length * 40 + 26, marginLeft: left, marginRight: right, marginTop: 0, marginBottom: 26,
    x: { type: "log", domain }, y: { type: "band", domain: rows.map((row) => row.layer), padding: 0, axis: null }, symbol: { type: "identity" },
    marks: [
      barX(rows, { y: "layer", x1: domain[0], x2: domain[1], fill: (row) => `var(--depth-${row.depth})`, insetLeft: -left, insetRight: -right, insetBottom: 1 }),
      gridX(logTicks(domain, Math.max(2, (width - left - right) / 44)), { stroke: "var(--grid)", strokeOpacity: 1 }),
      axisX(logTicks(domain, Math.max(2, (width - left - right) / 44)), { tickFormat: tick, tickSize: 0, fill: "var(--soft)", label: null }),
      text(rows, { y: "layer", x: domain[0], text: "layer", dx: -left + 8, textAnchor: "start", fontWeight: 600, fill: "var(--ink)" }),
      line(descent, { x: (row) => row.shown.value, y: "layer", stroke: "var(--line-down)", strokeWidth: 1.5 }),
      ruleY(sure, { y: "layer", x1: (row) => row.shown.low ?? row.shown.value, x2: (row) => row.shown.high ?? row.shown.value,
        stroke: (row) => colour(row.label), strokeWidth: 3, strokeOpacity: 0.45, strokeLinecap: "round" }),
      marks(sure, true), marks(sure, false), marks(ghosts, false),
      ...values(rows, domain[1], patternUnit(pattern)),
    ],
  });
}

/** The numbers stand in a column of their own at the right: they never cover a mark. */
function values(rows: Row[], edge: number, unit: string) {
  const said = (row: Row) => (row.cell === null ? "not measured" : row.shown ? estimate(row.shown, unit) : row.ghosts.length > 1 ? `${row.ghosts.length} struck out` : "no value");
  const common = { y: "layer", x: edge, dx: 10, textAnchor: "start" as const };
  const plain = (row: Row) => row.label === "settled" || row.cell === null;
  return [
    text(rows.filter((row) => plain(row)), { ...common, text: said, fill: (row) => (row.cell ? "var(--ink)" : "var(--soft)") }),
    text(rows.filter((row) => !plain(row) && !row.struck), { ...common, dy: -7, text: said, fill: "var(--ink)" }),
    text(rows.filter((row) => row.struck), { ...common, dy: -7, text: said, fill: "var(--soft)", className: "struck" }),
    text(rows.filter((row) => !plain(row)), { ...common, dy: 8, fontSize: 11, text: (row) => `${row.label} [${row.note}]`, fill: (row) => colour(row.label) }),
  ];
}

function asTable(layers: LayerName[], patterns: PatternName[], rows: Map<PatternName, Row[]>): HTMLElement {
  const cell = (row: Row | undefined): Child => {
    if (!row || row.cell === null) return h("span", { class: "soft" }, "–");
    const value = row.shown ? estimate(row.shown, row.cell.unit) : row.ghosts.length > 1 ? `${row.ghosts.length} struck out` : "no value";
    const shown = row.struck ? h("s", {}, value) : value;
    const linked = row.href ? h("a", { href: row.href }, shown) : shown;
    if (row.label === "settled") return linked;
    return h("span", {}, linked, h("br"), badge(row.label, row.cell.why), h("a", { class: "note", href: `#note-${row.note}` }, `[${row.note}]`));
  };
  const heads = ["layer", ...patterns.map((pattern) => h("span", {}, pattern, h("small", {}, patternUnit(pattern))))];
  return table("Depth chart as a table: mean over the targets with its 95 % interval", heads,
    layers.map((layer, depth) => [
      h("span", { class: `depth-key depth-${depth}`, title: LAYER_WORDS[layer] }, layer),
      ...patterns.map((pattern) => cell(rows.get(pattern)?.[depth])),
    ]), "numbers chart-table");
}

function footnotes(notes: Note[]): HTMLElement {
  return h("ol", { class: "notes", "aria-label": "Reasons" }, ...notes.map((note) =>
    h("li", { id: `note-${note.number}` }, h("b", {}, `${note.layer} ${note.pattern}`), " ", badge(note.label), " ", note.why)));
}
