//! Every figure in one table; the chosen one is in the address (#figure/…), so that a link leads to it.

import { mixed, type Named } from "./data";
import { h, section, type Child } from "./dom";
import { count, duration, estimate, percentile } from "./numbers";
import { detail } from "./detail";
import { badge } from "./words";

type Key = (named: Named) => string | number;
interface Column { head: string; key: Key; cell: (named: Named) => Child; number: boolean }

export function figures(all: Named[]): HTMLElement {
  if (all.length === 0) return section("figures", "Every figure", null, h("p", { class: "empty" }, "No figure has been made."));
  const place = h("div", { id: "detail", tabindex: -1, "aria-live": "polite" });
  const body = h("tbody");
  const rows = new Map(all.map((named) => [named.id, row(named)]));
  body.append(...rows.values());
  let chosen: Named | null = null;
  const choose = (named: Named) => {
    if (chosen) mark(rows.get(chosen.id)!, false);
    chosen = named;
    mark(rows.get(named.id)!, true);
    place.replaceChildren(detail(named));
  };
  body.addEventListener("click", (event) => go(all, (event.target as Element).closest("tr"), choose));
  body.addEventListener("keydown", (event) => step(event, all, choose));
  addEventListener("hashchange", () => arrive(all, choose, place));
  choose(asked(all) ?? all[0]!);
  if (asked(all)) requestAnimationFrame(() => place.scrollIntoView());
  return section("figures", "Every figure", "Choose one to see its latencies and how it went over time.", filter(all, rows),
    h("div", { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "All figures" },
      h("table", { class: "numbers figure-table", role: "grid", "aria-label": "All figures" }, h("thead", {}, heads(all, rows, body)), body)),
    place);
}

function columns(): Column[] {
  const at = (percent: number): Column => ({
    head: percent === 100 ? "max" : `p${percent}`, number: true,
    key: ({ figure }) => figure.percentiles.find((one) => one.percent === percent)?.value_ms ?? -1,
    cell: ({ figure }) => {
      const found = figure.percentiles.find((one) => one.percent === percent);
      if (!found) return "–";
      const { value, range } = percentile(found);
      return h("span", {}, value, h("small", {}, range || "largest seen"));
    },
  });
  const plain = (head: string, key: Key, cell: (named: Named) => Child = (named) => String(key(named)), number = false): Column => ({ head, key, cell, number });
  return [
    plain("layer", ({ figure }) => figure.layer),
    plain("target", ({ figure }) => figure.target, ({ figure }) => h("span", { class: "target", title: figure.host ? `${figure.target} on ${figure.host}` : figure.target },
      figure.target, figure.at_once > 1 && h("small", {}, `${figure.at_once} at once`))),
    plain("pattern", ({ figure }) => figure.pattern, ({ figure }) => h("span", {}, figure.pattern, mixed(figure) && h("small", {}, figure.kind))),
    plain("value", ({ figure }) => figure.estimate?.value ?? -1, ({ figure }) => value(figure), true),
    plain("label", ({ figure }) => figure.label, ({ figure }) => badge(figure.label, figure.why)),
    plain("slices", ({ figure }) => figure.slices, ({ figure }) => count(figure.slices), true),
    plain("seconds", ({ figure }) => figure.seconds, ({ figure }) => duration(figure.seconds), true),
    plain("operations", ({ figure }) => figure.operations, ({ figure }) => count(figure.operations), true),
    plain("errors", ({ figure }) => figure.errors, ({ figure }) => h("span", { class: figure.errors > 0 ? "alarm" : null }, count(figure.errors)), true),
    ...[50, 95, 99, 99.9, 100].map(at),
  ];
}

function value(figure: Named["figure"]): Child {
  if (figure.estimate === null) return h("span", { class: "soft" }, "no value");
  const text = estimate(figure.estimate, figure.unit);
  return h("span", {}, figure.label === "implausible" ? h("s", {}, text) : text, h("small", {}, figure.unit));
}

function row(named: Named): HTMLTableRowElement {
  return h("tr", { "data-id": named.id, tabindex: -1, "aria-selected": "false" },
    ...columns().map((column) => h("td", { class: column.number ? "number" : null }, column.cell(named))));
}

function mark(row: HTMLTableRowElement, chosen: boolean): void {
  row.setAttribute("aria-selected", String(chosen));
  row.tabIndex = chosen ? 0 : -1;
}

function heads(all: Named[], rows: Map<string, HTMLTableRowElement>, body: HTMLElement): HTMLElement {
  let sorted = { head: "", down: false };
  const made = columns().map((column) => {
    const head = h("th", { scope: "col", class: column.number ? "number" : null });
    const sort = () => {
      sorted = { head: column.head, down: sorted.head === column.head && !sorted.down };
      const order = [...all].sort((a, b) => compare(column.key(a), column.key(b)) * (sorted.down ? -1 : 1) || a.index - b.index);
      body.replaceChildren(...order.map((named) => rows.get(named.id)!));
      for (const other of made) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
    };
    head.append(h("button", { type: "button", click: sort }, column.head, /^(p\d|max)/.test(column.head) && h("small", {}, "ms")));
    return head;
  });
  return h("tr", {}, ...made);
}

const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), "en", { numeric: true });

function filter(all: Named[], rows: Map<string, HTMLTableRowElement>): HTMLElement {
  const shown = h("output", {}, `${all.length} figures`);
  const input = h("input", { type: "search", placeholder: "osd.2 write, unsettled …", "aria-label": "Show only figures with these words", input: () => {
    const words = input.value.toLowerCase().split(/\s+/);
    let fitting = 0;
    for (const { id, figure } of all) {
      const text = `${figure.layer} ${figure.target} ${figure.host ?? ""} ${figure.pattern} ${figure.label}`.toLowerCase();
      const fits = words.every((word) => text.includes(word));
      rows.get(id)!.hidden = !fits;
      fitting += Number(fits);
    }
    shown.value = fitting === all.length ? `${fitting} figures` : `${fitting} of ${all.length} figures`;
  } });
  return h("div", { class: "filter" }, input, shown);
}

const asked = (all: Named[]): Named | undefined => all.find(({ id }) => id === location.hash.slice(1));

/** From a row of the table: the address follows, the view stays. */
function go(all: Named[], row: Element | null, choose: (named: Named) => void): void {
  const named = all.find(({ id }) => id === row?.getAttribute("data-id"));
  if (!named) return;
  history.replaceState(null, "", `#${named.id}`);
  choose(named);
}

function step(event: KeyboardEvent, all: Named[], choose: (named: Named) => void): void {
  const row = (event.target as Element).closest("tr");
  const visible = [...(row?.parentElement?.children ?? [])].filter((one) => !(one as HTMLElement).hidden) as HTMLElement[];
  const at = visible.indexOf(row as HTMLElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: visible.length - 1 }[event.key];
  const next = to === undefined ? undefined : visible[to];
  if (!next) return;
  event.preventDefault();
  go(all, next, choose);
  next.focus();
}

/** From a link or the address bar: the view goes there. */
function arrive(all: Named[], choose: (named: Named) => void, place: HTMLElement): void {
  const named = asked(all);
  if (!named) return;
  choose(named);
  place.scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  place.focus({ preventScroll: true });
}
