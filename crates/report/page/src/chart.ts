//! The depth chart: six small pictures, the same as a table, and the reason of every label that is not `settled`.

import { LAYERS, PATTERNS, type ChartCell, type LayerName, type Named, type PatternName, type Run } from "./data";
import { h, section, table, type Child } from "./dom";
import { place } from "./plots";
import { said, sounding, type Row } from "./sounding";
import { badge, isLatency, LAYER_WORDS, mark, PATTERN_WORDS, patternUnit, struckOut } from "./words";

interface Note {
  number: number;
  layer: LayerName;
  pattern: PatternName;
  label: string;
  why: string;
}

export function chart({ chart: cells, figures }: Run): HTMLElement {
  const layers = LAYERS.filter((layer) => cells.some((cell) => cell.layer === layer));
  const patterns = PATTERNS.filter((pattern) => cells.some((cell) => cell.pattern === pattern));
  const lead =
    "How deep each layer lies: one picture for each pattern, from the bare disk at the top down to the layer that users see. " +
    "A mark is the mean over the layer's targets, the bar its 95 % interval.";
  if (layers.length === 0)
    return section("chart", "Depth chart", null, h("p", { class: "empty" }, "No cell has been measured."));
  const notes: Note[] = [];
  const rows = new Map(
    patterns.map((pattern) => [
      pattern,
      layers.map((layer, place) => row(cells, figures, layer, pattern, water(place, layers.length), notes)),
    ]),
  );
  return section(
    "chart",
    "Depth chart",
    lead,
    legend(cells),
    h("div", { class: "panels three" }, ...patterns.map((pattern) => panel(pattern, rows.get(pattern) ?? []))),
    asTable(layers, patterns, rows),
    notes.length > 0 && footnotes(notes),
  );
}

/** Water gets deeper from the first of so many layers to the last. */
function water(place: number, layers: number): string {
  const share = layers > 1 ? (100 * place) / (layers - 1) : 0;
  return `color-mix(in srgb, var(--depth-lowest) ${share.toFixed(1)}%, var(--depth-top))`;
}

function row(
  cells: ChartCell[],
  figures: Named[],
  layer: LayerName,
  pattern: PatternName,
  fill: string,
  notes: Note[],
): Row {
  const cell = cells.find((one) => one.layer === layer && one.pattern === pattern) ?? null;
  const own = figures.filter(({ figure }) => figure.chart && figure.layer === layer && figure.pattern === pattern);
  const best = own.find(({ figure }) => figure.target === cell?.worst) ?? own[0];
  const label = cell?.label ?? "void";
  const struck = struckOut(label);
  const ghosts = own.filter(({ figure }) => struckOut(figure.label)).flatMap(({ figure }) => figure.estimate ?? []);
  const shown = cell?.estimate ?? (struck && ghosts.length === 1 ? ghosts[0]! : null);
  let note: number | null = null;
  if (cell && label !== "settled") {
    note = notes.length + 1;
    notes.push({ number: note, layer, pattern, label, why: cell.why ?? "no reason was recorded" });
  }
  return { layer, fill, cell, label, shown, struck, ghosts, href: best ? `#${best.id}` : null, note };
}

function legend(cells: ChartCell[]): HTMLElement {
  const labels = [...new Set(cells.map((cell) => cell.label))];
  labels.sort((a, b) => Number(b === "settled") - Number(a === "settled") || a.localeCompare(b));
  return h("ul", { class: "legend", "aria-label": "Marks" }, ...labels.map((label) => h("li", {}, mark(label), label)));
}

function panel(pattern: PatternName, rows: Row[]): HTMLElement {
  const better = isLatency(pattern) ? "← lower is better" : "higher is better →";
  return h(
    "figure",
    { class: "panel" },
    h(
      "figcaption",
      {},
      h("h3", {}, pattern),
      h("span", { class: "what" }, PATTERN_WORDS[pattern]),
      h("span", { class: "unit" }, `${patternUnit(pattern)} · ${better}`),
    ),
    place(`Depth chart of ${pattern}`, (width) => sounding(pattern, rows, width)),
  );
}

function asTable(layers: LayerName[], patterns: PatternName[], rows: Map<PatternName, Row[]>): HTMLElement {
  const cell = (row: Row | undefined): Child => {
    if (!row || row.cell === null) return h("span", { class: "soft" }, "–");
    const shown = row.struck ? h("s", {}, said(row)) : said(row);
    const linked = row.href ? h("a", { href: row.href }, shown) : shown;
    if (row.label === "settled") return linked;
    return h(
      "span",
      {},
      linked,
      h("br"),
      badge(row.label, row.cell.why),
      h("a", { class: "note", href: `#note-${row.note}` }, `[${row.note}]`),
    );
  };
  const heads = ["layer", ...patterns.map((pattern) => h("span", {}, pattern, h("small", {}, patternUnit(pattern))))];
  return table(
    "Depth chart as a table: mean over the targets with its 95 % interval",
    heads,
    layers.map((layer, place) => [
      h(
        "span",
        { class: "depth-key", style: `background:${water(place, layers.length)}`, title: LAYER_WORDS[layer] },
        layer,
      ),
      ...patterns.map((pattern) => cell(rows.get(pattern)?.[place])),
    ]),
    "numbers chart-table",
  );
}

function footnotes(notes: Note[]): HTMLElement {
  return h(
    "ol",
    { class: "notes", "aria-label": "Reasons" },
    ...notes.map((note) =>
      h(
        "li",
        { id: `note-${note.number}` },
        h("b", {}, `${note.layer} ${note.pattern}`),
        " ",
        badge(note.label),
        " ",
        note.why,
      ),
    ),
  );
}
