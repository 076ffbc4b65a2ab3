//! Two axes as a surface of coloured cells: the fuller, the better, or the worse.

import { cell, text, tickX, tickY } from "@observablehq/plot";
import type { Link } from "./blocks";
import { h } from "./dom";
import { picture, shortened } from "./plots";
import type { Heat, HeatCell, HeatGroup, HeatMark } from "./types_page";

/** A cell at least so wide has room for its number. */
const ROOM = 36;
const LETTER = 7;

/** How full the emptiest cell of a scale is: it is not to look as what was not measured. */
const PALEST = 8;

type Fill = (share: number) => string;

export function drawHeat(heat: Heat, link: Link, width: number): Element[] {
  const bad = heat.full_is_bad;
  const [colour, least] = bad ? ["var(--bad)", PALEST] : ["var(--good)", 0];
  const percent = (share: number) => Math.round(least + (100 - least) * share);
  const fill: Fill = (share) => `color-mix(in oklab, ${colour} ${percent(share)}%, var(--surface))`;
  return heat.scale.length > 0
    ? [drawn(heat, link, width, fill), keys(heat.scale, fill)]
    : [drawn(heat, link, width, fill)];
}

function keys(scale: HeatMark[], fill: Fill): HTMLElement {
  const key = (colour: string, words: string) =>
    h("li", {}, h("i", { class: "key cell", style: `background: ${colour}`, "aria-hidden": "true" }), words);
  const marks = scale.map(({ share, text }) => key(fill(share), text));
  return h("ul", { class: "legend", "aria-label": "Colours" }, ...marks, key("var(--surface)", "not measured"));
}

function drawn(heat: Heat, link: Link, width: number, fill: Fill): Element {
  const { caption, columns, rows, across, groups, cells } = heat;
  const names = Math.min(140, 24 + LETTER * Math.max(...rows.map((name) => name.length)));
  const group = groups.length > 0 ? Math.min(110, 16 + LETTER * Math.max(...groups.map(({ name }) => name.length))) : 0;
  const left = names + group;
  const column = (width - left - 12) / columns.length;
  const letters = Math.max(3, Math.floor(column / LETTER));
  // Names that do not fit at all stand at some of the columns only.
  const every = across === "" ? 1 : Math.ceil((Math.max(...columns.map((name) => name.length)) + 1) / letters);
  const places = columns.map((_, place) => place).filter((place) => place % every === 0);
  const soft = { fill: "var(--soft)" };
  const row = Math.max(8, Math.min(34, 400 / rows.length));
  const [top, bottom] = [4, (across === "" ? 28 : 40) + (group > 0 ? 16 : 0)];
  const [middles, firsts] = [groups.map(middle), groups.slice(1).map(({ first }) => first)];
  const line = { stroke: "var(--soft)", strokeOpacity: 0.6 };
  return picture(`${caption.title}; ${heat.table}`, {
    width,
    height: top + bottom + row * rows.length,
    marginLeft: left,
    marginRight: 12,
    marginTop: top,
    marginBottom: bottom,
    x: { type: "band", domain: columns.map((_, place) => place), padding: 0.04, axis: null },
    y: { type: "band", domain: rows.map((_, place) => place), padding: 0.06, axis: null },
    marks: [
      cell(cells, {
        x: "column",
        y: "row",
        fill: ({ share }: HeatCell) => fill(share),
        stroke: (one: HeatCell) => (one.ring ? "var(--ink)" : "var(--rule)"),
        strokeWidth: (one: HeatCell) => (one.ring ? 2.2 : 0.8),
        rx: 3,
        href: (one: HeatCell) => (one.figure === null ? null : link(one.figure)),
        title: "text",
      }),
      text(column > ROOM ? cells : [], {
        x: "column",
        y: "row",
        text: "short",
        fill: (one: HeatCell) => (one.share > 0.55 ? "var(--surface)" : "var(--ink)"),
        pointerEvents: "none",
      }),
      text(places, {
        x: (place: number) => place,
        frameAnchor: "bottom",
        dy: 14,
        text: (place: number) => shortened(columns[place]!, every > 1 ? 14 : letters),
        ...soft,
      }),
      text(across === "" ? [] : [across], {
        frameAnchor: "bottom",
        dy: bottom - 9,
        text: (name: string) => name,
        ...soft,
      }),
      tickX(firsts, { x: (place: number) => place, dx: -column / 2, ...line }),
      tickY(firsts, { y: (place: number) => place, dy: -row / 2, ...line }),
      middles.map(({ name, at, half }) => [
        text([name], { x: () => at, frameAnchor: "bottom", dx: half * column, dy: 30, text: () => name, ...soft }),
        text([name], {
          y: () => at,
          frameAnchor: "left",
          dx: -left,
          dy: half * row,
          textAnchor: "start",
          text: () => shortened(name, 14),
          ...soft,
        }),
      ]),
      text(
        rows.map((_, place) => place),
        {
          y: (place: number) => place,
          frameAnchor: "left",
          dx: -8,
          textAnchor: "end",
          text: (place: number) => shortened(rows[place]!, 17),
          ...soft,
        },
      ),
    ],
  });
}

/** The row or column in the middle of a group, and by how much of one its middle lies beyond. */
function middle({ name, first, count }: HeatGroup): { name: string; at: number; half: number } {
  const at = first + Math.floor((count - 1) / 2);
  return { name, at, half: count % 2 === 0 ? 0.5 : 0 };
}
