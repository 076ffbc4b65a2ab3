//! A table of a report: values with their intervals and labels, linked to their figures, reasons below their rows.

import type { Link } from "./blocks";
import { emphasised } from "./blocks";
import { h, type Child } from "./dom";
import { leftOut, onPaper } from "./print";
import type { Cell, Column, Emphasis, Row, Table, WrittenCell } from "./types_page";
import { badge } from "./words";

/** At most this many rows are shown until more are asked for. */
const MOST = 200;

export function grid({ columns, rows }: Table, link: Link): HTMLElement {
  // What bars show stands in the picture above.
  const bar = (place: number) => rows.some((row) => Boolean(full(row.cells[place]).bar));
  const shown = columns
    .map((column, place) => ({ column, place }))
    .filter(({ column, place }) => !column.spare && !bar(place));
  const reasons = columns.findIndex((column) => column.spare);
  const row = (one: Row): HTMLElement[] => {
    const cells = shown.map(({ column, place }, at) => cell(one, column, place, at, link));
    const reason = reasons < 0 ? "" : full(one.cells[reasons]).text;
    const kind = one.emphasis ? `is-${one.emphasis}` : null;
    if (reason === "") return [h("tr", { class: kind }, ...cells)];
    const note = h("tr", { class: "note" }, h("td", { colspan: shown.length }, reason));
    return [h("tr", { class: `noted ${kind ?? ""}` }, ...cells), note];
  };
  const body = h("tbody", {}, ...rows.slice(0, MOST).flatMap(row));
  const heads = shown.map(({ column }) => h("th", { scope: "col", class: side(column) }, column.title, unit(column)));
  const titled = columns.some(({ title }) => title !== "");
  const table = h("table", { class: "grid" }, titled && h("thead", {}, h("tr", {}, ...heads)), body);
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": caption(columns) }, table, rest());

  function rest(): Child {
    if (rows.length <= MOST) return null;
    const show = () => {
      body.append(...rows.slice(MOST).flatMap(row));
      more.remove();
    };
    const button = h("button", { type: "button", class: "save", click: show }, `Show all ${rows.length}`);
    const more = h("div", { class: "more" }, button, onPaper(leftOut(MOST, rows.length, "rows")));
    return more;
  }
}

const caption = (columns: Column[]): string =>
  `Table of ${columns
    .map(({ title }) => title)
    .filter(Boolean)
    .join(", ")}`;
const side = ({ align }: Column): string | null => (align === "right" ? "number" : null);
const unit = (column: Column): Child => column.unit && h("small", {}, column.unit);
const full = (cell: WrittenCell | undefined): Cell =>
  typeof cell === "string" ? { text: cell } : (cell ?? { text: "" });

function cell(row: Row, column: Column, place: number, at: number, link: Link): HTMLElement {
  const own = full(row.cells[place]);
  const written = own.within ? `${own.text} ${own.within}` : own.text;
  // Of a row that stands out the value that does so too is told apart; the rest has the row's colour.
  const shown: Child = own.emphasis && !PLAIN.includes(own.emphasis) ? emphasised(written, own.emphasis) : written;
  const linked = typeof own.figure !== "number" ? shown : h("a", { href: link(own.figure) }, shown);
  return h(
    at === 0 ? "th" : "td",
    { scope: at === 0 ? "row" : null, class: side(column) },
    linked,
    (own.label || typeof own.note === "number") && h("small", {}, own.label && badge(own.label), note(own)),
  );
}

const note = ({ note: number }: Cell): Child =>
  typeof number === "number" && h("a", { class: "note", href: `#note-${number}` }, `[${number}]`);

const PLAIN: Emphasis[] = ["plain", "quiet", "warn"];
