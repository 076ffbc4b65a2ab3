//! Values below each other on a logarithmic axis: each a mark with its interval, numbers at the right.

import { barX, dot, line, ruleY, text, type Markish } from "@observablehq/plot";
import type { Link } from "./blocks";
import { UNKNOWN } from "./numbers";
import { caps, logAxis, logDomain, picture } from "./plots";
import type { Mark, PointRow, Points } from "./types_page";
import { colour, look } from "./words";

/** One row of a picture, in the colour of the water at its depth. */
interface Row extends PointRow {
  fill: string;
}
type Drawn = Row & { shown: Mark };

/** Room for the names at the left: as much as the longest takes, up to this share of the picture. */
const LEFT = 74;
const LEFT_MOST = 0.4;
const PER_LETTER_BOLD = 7.4;
const EM = 13;
/** Room for the numbers at the right, and for the longest label under them. */
const RIGHT_LEAST = 134;
const RIGHT_WORDS = 162;
const PER_LETTER = 6.2;

const note = (row: Row): string => (row.note === null ? row.label : `${row.label} [${row.note}]`);
const room = (rows: Row[]): number =>
  Math.max(
    rows.some((row) => row.text === UNKNOWN) ? RIGHT_WORDS : RIGHT_LEAST,
    ...rows.filter(labelled).map((row) => 22 + PER_LETTER * note(row).length),
  );
const labelled = (row: Row): boolean => row.label !== "settled" && row.label !== "";

export function drawPoints({ caption, rows: all }: Points, link: Link, width: number): Element {
  const rows = all.map((row, at) => ({ ...row, fill: water(at, all.length) }));
  const sure = rows.flatMap((row): Drawn[] => (row.mark === null ? [] : [{ ...row, shown: row.mark }]));
  const struck = rows.flatMap((row): Drawn[] =>
    row.mark === null ? row.struck.map((shown) => ({ ...row, shown })) : [],
  );
  const edges = [...sure, ...struck].flatMap(({ shown }) => [shown.value, shown.low, shown.high]);
  const domain = logDomain(edges, 1.25);
  const right = room(rows);
  const longest = Math.max(...rows.map((row) => row.name.length));
  const left = Math.max(LEFT, Math.min(16 + PER_LETTER_BOLD * longest, LEFT_MOST * width));
  return picture(`${caption.title}; the table below holds the same numbers`, {
    width,
    height: rows.length * 40 + 26,
    marginLeft: left,
    marginRight: right,
    marginTop: 0,
    marginBottom: 26,
    x: { type: "log", domain, axis: null },
    y: { type: "band", domain: rows.map((row) => row.name), padding: 0, axis: null },
    symbol: { type: "identity" },
    marks: [
      ...layers(rows, domain, [left, right]),
      ...logAxis(domain, width - left - right),
      // What stands aside and struck values are not part of the line down.
      line(
        sure.filter((row) => !row.aside),
        { x: (row) => row.shown.value, y: "name", stroke: "var(--line-down)", strokeWidth: 1.5 },
      ),
      ...intervals(sure, domain[0]),
      marks(caption.title, link, sure, true),
      marks(caption.title, link, sure, false),
      marks(caption.title, link, struck, false),
      ...values(rows, domain[1]),
    ],
  });
}

/** The colour of a row: darker water from the first of `rows` rows to the last. */
function water(place: number, rows: number): string {
  const share = rows > 1 ? (100 * place) / (rows - 1) : 0;
  return `color-mix(in srgb, var(--depth-lowest) ${share.toFixed(1)}%, var(--depth-top))`;
}

/** The rows as water that gets deeper, with their names. */
function layers(rows: Row[], [low, high]: [number, number], [left, right]: [number, number]): Markish[] {
  const dx = 8 - left;
  return [
    barX(rows, {
      y: "name",
      x1: low,
      x2: high,
      fill: (row: Row) => row.fill,
      insetLeft: -left,
      insetRight: -right,
      insetBottom: 1,
    }),
    text(rows, {
      y: "name",
      x: low,
      text: "name",
      dx,
      textAnchor: "start",
      fontWeight: 600,
      fill: "var(--ink)",
      lineWidth: (left - 12) / EM,
      textOverflow: "ellipsis-middle",
      title: "name",
    }),
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
  const arrow = { x: edge, y: "name", text: () => "◂", dx: 2, fill: stroke, className: "open-end" };
  return [
    ruleY(sure, { y: "name", x1: low, x2: high, stroke, strokeWidth: 1.3 }),
    caps(sure, left, high, (row) => row.name, stroke, 11),
    text(sure.filter(open), arrow),
  ];
}

function marks(of: string, link: Link, some: Drawn[], filled: boolean): Markish {
  const fill = (row: Drawn) => (filled ? colour(row.label) : "var(--surface)");
  const title = (row: Drawn) => `${row.name} ${of}: ${row.shown.text}, ${row.label}${row.why ? `: ${row.why}` : ""}`;
  return dot(
    some.filter((row) => look(row.label).hollow !== filled && row.shown.value > 0),
    {
      x: (row) => row.shown.value,
      y: "name",
      r: 4,
      symbol: (row: Drawn) => look(row.label).symbol,
      href: (row: Drawn) => (row.figure === null ? null : link(row.figure)),
      stroke: (row) => colour(row.label),
      strokeWidth: filled ? 1 : 2,
      fill,
      title,
    },
  );
}

/** The numbers stand in a column of their own at the right: they never cover a mark. */
function values(rows: Row[], edge: number): Markish[] {
  const common = { y: "name", x: edge, dx: 10, textAnchor: "start" as const };
  const some = rows.filter(labelled);
  const ink = (row: Row) => (row.label ? "var(--ink)" : "var(--soft)");
  return [
    text(
      rows.filter((row) => !labelled(row)),
      { ...common, text: (row: Row) => row.text, fill: ink },
    ),
    text(
      some.filter((row) => row.mark !== null || row.struck.length === 0),
      { ...common, dy: -7, text: (row: Row) => row.text, fill: "var(--ink)" },
    ),
    text(
      some.filter((row) => row.mark === null && row.struck.length > 0),
      { ...common, dy: -7, text: (row: Row) => row.text, fill: "var(--soft)", className: "struck" },
    ),
    text(some, { ...common, dy: 8, fontSize: 11, text: note, fill: (row) => colour(row.label) }),
  ];
}
