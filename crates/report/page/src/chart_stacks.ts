//! Wholes in parts: each a bar of segments, the same part in the same colour in all bars of a chart.

import { barX, ruleX, text } from "@observablehq/plot";
import { h } from "./dom";
import { linearX, picture } from "./plots";
import type { Segment, StackedBar, Stacks } from "./types_page";

type Piece = Segment & { row: string; from: number; to: number };

const [LEFT, RIGHT] = [150, 72];
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
  const end = (row: StackedBar): number => row.segments.reduce((sum, { value }) => sum + value, 0);
  const most = Math.max(...rows.map(end)) || 1;
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
      text(rows, { y: name, x: end, dx: 8, textAnchor: "start", text: "text" }),
    ],
  });
  return [drawn, keys(parts, colour)];
}

function keys(parts: string[], colour: (name: string) => string): HTMLElement {
  const swatch = (part: string) =>
    h("i", { class: "key segment", style: `background: ${colour(part)}`, "aria-hidden": "true" });
  return h("ul", { class: "legend" }, ...parts.map((part) => h("li", {}, swatch(part), part)));
}
