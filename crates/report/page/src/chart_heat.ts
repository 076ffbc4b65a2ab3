//! Two axes as a surface of coloured cells: the fuller, the better.

import { cell, text } from "@observablehq/plot";
import type { Link } from "./blocks";
import { picture, shortened } from "./plots";
import type { Heat, HeatCell } from "./types_page";

/** A cell at least so wide has room for its number. */
const ROOM = 36;
const LETTER = 7;

export function drawHeat({ caption, columns, rows, across, cells }: Heat, link: Link, width: number): Element {
  const left = Math.min(140, 24 + LETTER * Math.max(...rows.map((name) => name.length)));
  const column = (width - left - 12) / columns.length;
  const letters = Math.max(3, Math.floor(column / LETTER));
  // Names that do not fit at all stand at some of the columns only.
  const every = across === "" ? 1 : Math.ceil((Math.max(...columns.map((name) => name.length)) + 1) / letters);
  const places = columns.map((_, place) => place).filter((place) => place % every === 0);
  const fill = ({ share }: HeatCell) => `color-mix(in oklab, var(--good) ${Math.round(share * 100)}%, var(--surface))`;
  const soft = { fill: "var(--soft)" };
  return picture(`${caption.title}; the tables below hold the same numbers`, {
    width,
    height: 46 + Math.max(8, Math.min(34, 400 / rows.length)) * rows.length,
    marginLeft: left,
    marginRight: 12,
    marginTop: 4,
    marginBottom: across === "" ? 28 : 40,
    x: { type: "band", domain: columns.map((_, place) => place), padding: 0.04, axis: null },
    y: { type: "band", domain: rows.map((_, place) => place), padding: 0.06, axis: null },
    marks: [
      cell(cells, {
        x: "column",
        y: "row",
        fill,
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
      text(across === "" ? [] : [across], { frameAnchor: "bottom", dy: 31, text: (name: string) => name, ...soft }),
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
