//! One pattern of the depth chart as a picture: layers downwards, each value a mark with its interval, numbers at the right.

import { barX, dot, line, ruleY, text, type Markish } from "@observablehq/plot";
import type { ChartCell, Estimate, LayerName, PatternName } from "./data";
import { estimate, UNKNOWN, withUnit } from "./numbers";
import { caps, logAxis, logDomain, picture } from "./plots";
import { colour, look, patternUnit } from "./words";

/** One row of one picture. */
export interface Row {
  layer: LayerName;
  /** The colour of the water at its depth. */
  fill: string;
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

const LEFT = 74;
/** Room for the numbers at the right, and for the longest label under them. */
const RIGHT_LEAST = 134;
const RIGHT_WORDS = 162;
const PER_LETTER = 6.2;

const note = (row: Row): string => `${row.label} [${row.note}]`;
const room = (rows: Row[]): number =>
  Math.max(
    rows.some((row) => said(row) === UNKNOWN) ? RIGHT_WORDS : RIGHT_LEAST,
    ...rows.filter(labelled).map((row) => 22 + PER_LETTER * note(row).length),
  );
const labelled = (row: Row): boolean => row.label !== "settled" && row.cell !== null;

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
  const right = room(rows);
  return picture(`${pattern} by layer; the table below holds the same numbers`, {
    width,
    height: rows.length * 40 + 26,
    marginLeft: LEFT,
    marginRight: right,
    marginTop: 0,
    marginBottom: 26,
    x: { type: "log", domain, axis: null },
    y: { type: "band", domain: rows.map((row) => row.layer), padding: 0, axis: null },
    symbol: { type: "identity" },
    marks: [
      ...water(rows, domain, right),
      ...logAxis(domain, width - LEFT - right),
      // Side branches (the network) and struck values are not part of the line down.
      line(
        sure.filter((row) => row.layer !== "network"),
        { x: (row) => row.shown.value, y: "layer", stroke: "var(--line-down)", strokeWidth: 1.5 },
      ),
      ...intervals(sure, domain[0]),
      marks(pattern, sure, true),
      marks(pattern, sure, false),
      marks(pattern, ghosts, false),
      ...values(rows, domain[1]),
    ],
  });
}

/** The layers as water that gets deeper, with their names. */
function water(rows: Row[], [low, high]: [number, number], right: number): Markish[] {
  const dx = 8 - LEFT;
  return [
    barX(rows, {
      y: "layer",
      x1: low,
      x2: high,
      fill: (row: Row) => row.fill,
      insetLeft: -LEFT,
      insetRight: -right,
      insetBottom: 1,
    }),
    text(rows, { y: "layer", x: low, text: "layer", dx, textAnchor: "start", fontWeight: 600, fill: "var(--ink)" }),
  ];
}

/** An interval that reaches beyond the left edge (to zero, or below) is cut off there, and says so with an arrow: it neither
 *  has an end on a logarithmic axis nor may it run over the layer's name. */
function intervals(sure: Drawn[], edge: number): Markish[] {
  const open = ({ shown }: Drawn) => (shown.low ?? shown.value) < edge;
  const low = (row: Drawn) => (open(row) ? edge : (row.shown.low ?? row.shown.value));
  const high = ({ shown }: Drawn) => shown.high ?? shown.value;
  const stroke = (row: Drawn) => colour(row.label);
  const left = (row: Drawn) => (open(row) ? NaN : low(row));
  const arrow = { x: edge, y: "layer", text: () => "◂", dx: 2, fill: stroke, className: "open-end" };
  return [
    ruleY(sure, { y: "layer", x1: low, x2: high, stroke, strokeWidth: 1.3 }),
    caps(sure, left, high, (row) => row.layer, stroke, 11),
    text(sure.filter(open), arrow),
  ];
}

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
  const some = rows.filter(labelled);
  const ink = (row: Row) => (row.cell ? "var(--ink)" : "var(--soft)");
  return [
    text(
      rows.filter((row) => !labelled(row)),
      { ...common, text: said, fill: ink },
    ),
    text(
      some.filter((row) => !row.struck),
      { ...common, dy: -7, text: said, fill: "var(--ink)" },
    ),
    text(
      some.filter((row) => row.struck),
      { ...common, dy: -7, text: said, fill: "var(--soft)", className: "struck" },
    ),
    text(some, { ...common, dy: 8, fontSize: 11, text: note, fill: (row) => colour(row.label) }),
  ];
}
