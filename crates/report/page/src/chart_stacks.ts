//! Wholes in parts: each a bar of segments, the same part in the same colour in all bars of a chart.

import { barX, ruleX, text, tickX, type Markish } from "@observablehq/plot";
import { h, svg } from "./dom";
import { linearX, picture } from "./plots";
import type { Segment, StackedBar, Stacks } from "./types_page";

type Piece = Segment & { row: string; from: number; to: number };

const [LEFT, RIGHT] = [150, 92];
/** As many as there are names of parts. Each is the one that differs most from all before it (distance in OKLab, for eyes that lack a
 *  colour receptor too), among those that stand out on both colour schemes' surface: any two differ by 0.1 at least. */
const COLOURS = [
  "#3388bb",
  "#ffbb11",
  "#aa3300",
  "#ee99ff",
  "#779900",
  "#773399",
  "#66ddbb",
  "#ee7777",
  "#006655",
  "#aaaabb",
  "#996688",
  "#9988ee",
  "#997744",
  "#bbaa44",
  "#11aa88",
  "#3355bb",
  "#eeaa88",
  "#aa3366",
];

/** The names that the bars have, in their order: each has a colour of its own. */
const used = (order: string[], rows: StackedBar[]): string[] =>
  order.filter((name) => rows.some(({ segments }) => segments.some((one) => one.name === name)));

function pieces(rows: StackedBar[]): Piece[] {
  return rows.flatMap((row) => {
    let sum = 0;
    return row.segments.map((segment) => {
      const from = sum;
      sum += segment.value;
      return { ...segment, row: row.name, from, to: sum };
    });
  });
}

export function drawStacks({ caption, names: order, rows }: Stacks, width: number): Element[] {
  const [all, parts] = [pieces(rows), used(order, rows)];
  const colour = (name: string): string => COLOURS[parts.indexOf(name) % COLOURS.length]!;
  const name = (row: StackedBar): string => row.name;
  const sum = (row: StackedBar): number => row.segments.reduce((sum, { value }) => sum + value, 0);
  const end = (row: StackedBar): number => Math.max(sum(row), row.whole);
  const most = Math.max(...rows.map(end)) || 1;
  const over = rows.filter((row) => row.beyond !== "");
  const drawn = picture(`${caption.title}: ${caption.what}; the table below holds the same numbers`, {
    width,
    height: rows.length * 30 + 28,
    marginLeft: LEFT,
    marginRight: RIGHT,
    marginTop: 2,
    marginBottom: 26,
    x: { domain: [0, most] },
    y: { type: "band", domain: rows.map(name), padding: 0.3, axis: null },
    marks: [
      ...linearX((width - LEFT - RIGHT) / 70),
      ruleX([0], { stroke: "var(--soft)" }),
      text(rows, { y: name, x: 0, text: name, dx: -LEFT, textAnchor: "start", fontWeight: 600 }),
      barX(all, { y: "row", x1: "from", x2: "to", fill: (one: Piece) => colour(one.name), title: "text" }),
      ...hatched(over, sum),
      tickX(rows, { x: "whole", y: name, stroke: "var(--ink)", strokeWidth: 2, inset: -3, className: "whole" }),
      text(rows, { y: name, x: end, dx: 8, textAnchor: "start", text: "text" }),
    ],
  });
  return [drawn, keys(parts, colour, over.length > 0)];
}

/** What the segments are more than the whole: that is no time of its own. */
function hatched(rows: StackedBar[], sum: (row: StackedBar) => number): Markish[] {
  if (rows.length === 0) return [];
  const id = `beyond-${++patterns}`;
  const stripe = svg("path", { d: "M0 0V6", stroke: "var(--surface)", "stroke-width": 7 });
  const size = { width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  const pattern = () => svg("defs", {}, svg("pattern", { id, ...size }, stripe)) as SVGElement;
  const bar = { y: "name", x1: "whole", x2: sum, fill: `url(#${id})`, title: "beyond", className: "beyond" };
  return [pattern, barX(rows, bar)];
}
/** Each pattern has a name of its own in the page. */
let patterns = 0;

function keys(parts: string[], colour: (name: string) => string, over: boolean): HTMLElement {
  const key = (kind: string, style: string | null, words: string) =>
    h("li", {}, h("i", { class: `key ${kind}`, style, "aria-hidden": "true" }), words);
  return h(
    "ul",
    { class: "legend" },
    ...parts.map((part) => key("segment", `background: ${colour(part)}`, part)),
    key("whole", null, "the whole, as measured"),
    over && key("beyond", null, "beyond the whole: counted twice"),
  );
}
