//! One pattern of the depth chart as a picture: layers downwards, each value a mark with its interval, numbers at the right.

import { barX, dot, line, ruleY, text, type Markish } from "@observablehq/plot";
import type { ChartCell, Estimate, LayerName, PatternName } from "./data";
import { estimate, withUnit } from "./numbers";
import { caps, logAxis, logDomain, picture } from "./plots";
import { colour, look, patternUnit } from "./words";

/** One row of one picture. */
export interface Row {
  layer: LayerName;
  depth: number;
  cell: ChartCell | null;
  label: string;
  /** What is drawn: the cell's value, or the struck ones of its figures. */
  shown: Estimate | null;
  struck: boolean;
  ghosts: Estimate[];
  href: string | null;
  note: number | null;
}
type Drawn = Row & { shown: Estimate };

const [LEFT, RIGHT] = [74, 134];

/** The row's number in words. */
export function said(row: Row): string {
  if (row.cell === null) return "not measured";
  if (row.shown) return estimate(row.shown, row.cell.unit);
  return row.ghosts.length > 1 ? `${row.ghosts.length} struck out` : "no value";
}

export function sounding(pattern: PatternName, rows: Row[], width: number): Element {
  const drawn = rows.filter((row): row is Drawn => row.shown !== null);
  const sure = drawn.filter((row) => !row.struck);
  const ghosts = rows.flatMap((row) => (row.struck ? row.ghosts.map((ghost) => ({ ...row, shown: ghost })) : []));
  const edges = [...drawn, ...ghosts].flatMap(({ shown }) => [shown.value, shown.low, shown.high]);
  const domain = logDomain(edges, 1.25);
  return picture(`${pattern} by layer; the table below holds the same numbers`, {
    width,
    height: rows.length * 40 + 26,
    marginLeft: LEFT,
    marginRight: RIGHT,
    marginTop: 0,
    marginBottom: 26,
    x: { type: "log", domain, axis: null },
    y: { type: "band", domain: rows.map((row) => row.layer), padding: 0, axis: null },
    symbol: { type: "identity" },
    marks: [
      ...water(rows, domain),
      ...logAxis(domain, width - LEFT - RIGHT),
      // Side branches (the network) and struck values are not part of the line down.
      line(
        sure.filter((row) => row.layer !== "network"),
        { x: (row) => row.shown.value, y: "layer", stroke: "var(--line-down)", strokeWidth: 1.5 },
      ),
      ...intervals(sure),
      marks(pattern, sure, true),
      marks(pattern, sure, false),
      marks(pattern, ghosts, false),
      ...values(rows, domain[1]),
    ],
  });
}

/** The layers as water that gets deeper, with their names. */
function water(rows: Row[], [low, high]: [number, number]): Markish[] {
  const fill = (row: Row) => `var(--depth-${row.depth})`;
  const dx = 8 - LEFT;
  return [
    barX(rows, { y: "layer", x1: low, x2: high, fill, insetLeft: -LEFT, insetRight: -RIGHT, insetBottom: 1 }),
    text(rows, { y: "layer", x: low, text: "layer", dx, textAnchor: "start", fontWeight: 600, fill: "var(--ink)" }),
  ];
}

function intervals(sure: Drawn[]): Markish[] {
  const low = ({ shown }: Drawn) => positive(shown.low ?? shown.value, shown.value);
  const high = ({ shown }: Drawn) => shown.high ?? shown.value;
  const stroke = (row: Drawn) => colour(row.label);
  return [
    ruleY(sure, { y: "layer", x1: low, x2: high, stroke, strokeWidth: 1.3 }),
    caps(sure, low, high, (row) => row.layer, stroke, 11),
  ];
}

/** An interval that reaches to zero or below has no left end on a logarithmic axis: it is drawn to a tenth. */
const positive = (low: number, value: number): number => (low > 0 ? low : value / 10);

function marks(pattern: PatternName, some: Drawn[], filled: boolean): Markish {
  const fill = (row: Drawn) => (filled ? colour(row.label) : "var(--surface)");
  const title = (row: Drawn) => {
    const why = row.cell?.why ? `: ${row.cell.why}` : "";
    return `${row.layer} ${pattern}: ${withUnit(row.shown, patternUnit(pattern))}, ${row.label}${why}`;
  };
  return dot(
    some.filter((row) => look(row.label).hollow !== filled && row.shown.value > 0),
    {
      x: (row) => row.shown.value,
      y: "layer",
      r: 4,
      symbol: (row: Drawn) => look(row.label).symbol,
      href: "href",
      stroke: (row) => colour(row.label),
      strokeWidth: filled ? 1 : 2,
      fill,
      title,
    },
  );
}

/** The numbers stand in a column of their own at the right: they never cover a mark. */
function values(rows: Row[], edge: number): Markish[] {
  const common = { y: "layer", x: edge, dx: 10, textAnchor: "start" as const };
  const plain = (row: Row) => row.label === "settled" || row.cell === null;
  const labelled = rows.filter((row) => !plain(row));
  const ink = (row: Row) => (row.cell ? "var(--ink)" : "var(--soft)");
  const label = (row: Row) => `${row.label} [${row.note}]`;
  return [
    text(rows.filter(plain), { ...common, text: said, fill: ink }),
    text(
      labelled.filter((row) => !row.struck),
      { ...common, dy: -7, text: said, fill: "var(--ink)" },
    ),
    text(
      labelled.filter((row) => row.struck),
      { ...common, dy: -7, text: said, fill: "var(--soft)", className: "struck" },
    ),
    text(labelled, { ...common, dy: 8, fontSize: 11, text: label, fill: (row) => colour(row.label) }),
  ];
}
