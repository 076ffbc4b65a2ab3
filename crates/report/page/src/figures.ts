//! Every figure in one table; the chosen one is in the address (#figure/…), so that a link leads to it.

import { mixed, type Figure, type Named } from "./data";
import { h, section, type Child } from "./dom";
import { detail } from "./detail";
import { leftOut, onPaper } from "./print";
import { badge, struckOut } from "./words";

interface Column {
  head: string;
  /** What it is sorted by. */
  key: (figure: Figure) => string | number;
  cell: (figure: Figure) => Child;
  number: boolean;
}

export function figures(all: Named[]): HTMLElement {
  if (all.length === 0)
    return section("figures", "Every figure", null, h("p", { class: "empty" }, "No figure has been made."));
  const place = h("div", { id: "detail", tabindex: -1, "aria-live": "polite" });
  const body = h("tbody");
  const list = new Rows(all, body);
  let chosen: Named | null = null;
  const choose = (named: Named) => {
    if (chosen) mark(list.row(chosen), false);
    chosen = named;
    list.reach(named);
    mark(list.row(named), true);
    reveal(list.row(named));
    place.replaceChildren(detail(named));
  };
  body.addEventListener("click", (event) => go(all, (event.target as Element).closest("tr"), choose));
  body.addEventListener("keydown", (event) => {
    list.next();
    step(event, all, choose);
  });
  addEventListener("hashchange", () => arrive(all, choose, place));
  choose(asked(all) ?? all[0]!);
  if (asked(all))
    requestAnimationFrame(() => {
      place.scrollIntoView();
      if (chosen) reveal(list.row(chosen));
    });
  return section(
    "figures",
    "Every figure",
    "Choose one to see its latencies and how it went over time.",
    filter(all, list),
    h(
      "div",
      {
        class: "scroll tall",
        tabindex: 0,
        role: "region",
        "aria-label": "All figures",
        scroll: (event) => list.scrolled(event.currentTarget as HTMLElement),
      },
      h(
        "table",
        { class: "numbers figure-table", role: "grid", "aria-label": "All figures" },
        h("thead", {}, heads(list)),
        body,
      ),
      list.paper,
    ),
    place,
  );
}

/** Rows of a table of any length: made as they are come to, some hundred at a time. */
class Rows {
  /** How many are added at once. */
  private static readonly CHUNK = 300;
  private readonly made = new Map<string, HTMLTableRowElement>();
  private readonly all: Named[];
  private readonly body: HTMLElement;
  private order: Named[];
  private fits: (named: Named) => boolean = () => true;
  private listed: Named[];
  private shown = 0;
  /** How many of them paper shows. */
  readonly paper = onPaper("");

  constructor(all: Named[], body: HTMLElement) {
    this.all = all;
    this.body = body;
    this.order = all;
    this.listed = all;
    this.more(Rows.CHUNK);
  }

  row(named: Named): HTMLTableRowElement {
    const made = this.made.get(named.id) ?? row(named);
    this.made.set(named.id, made);
    return made;
  }

  sort(order: (a: Named, b: Named) => number): void {
    this.order = [...this.all].sort(order);
    this.again();
  }

  /** How many fit. */
  filter(fits: (named: Named) => boolean): number {
    this.fits = fits;
    this.again();
    return this.listed.length;
  }

  /** Its row is there, if it fits. */
  reach(named: Named): void {
    this.more(this.listed.indexOf(named) + 1);
  }

  /** More than a screen before the end. */
  scrolled(box: HTMLElement): void {
    if (box.scrollTop + 2 * box.clientHeight > box.scrollHeight) this.more(this.shown + Rows.CHUNK);
  }

  /** After the last one that is shown comes the next. */
  next(): void {
    this.more(this.shown + 1);
  }

  private again(): void {
    this.listed = this.order.filter(this.fits);
    this.shown = 0;
    this.body.replaceChildren();
    this.more(Rows.CHUNK);
  }

  private more(until: number): void {
    const end = Math.min(Math.max(until, this.shown), this.listed.length);
    this.body.append(...this.listed.slice(this.shown, end).map((named) => this.row(named)));
    this.shown = end;
    this.paper.textContent = leftOut(end, this.listed.length, "figures");
  }
}

const COLUMNS: Column[] = [
  plain("layer", (figure) => figure.layer),
  plain("target", (figure) => figure.target, target),
  plain(
    "pattern",
    (figure) => figure.pattern,
    (figure) =>
      h(
        "span",
        {},
        figure.pattern,
        mixed(figure) && h("small", {}, figure.kind),
        figure.written.which && h("small", {}, figure.written.which),
      ),
  ),
  number("value", (figure) => figure.estimate?.value ?? -1, value),
  plain(
    "label",
    (figure) => figure.label,
    (figure) => badge(figure.label, figure.why),
  ),
  number("slices", (figure) => figure.slices, fact("slices")),
  number("seconds", (figure) => figure.seconds ?? 0, fact("measured for")),
  number("ops", (figure) => figure.operations, fact("operations")),
  number(
    "errors",
    (figure) => figure.errors,
    (figure) => h("span", { class: figure.errors > 0 ? "alarm" : null }, fact("errors")(figure)),
  ),
  ...[50, 95, 99, 99.9, 100].map(quantile),
];

function plain(head: string, key: (figure: Figure) => string, cell: (figure: Figure) => Child = key): Column {
  return { head, key, cell, number: false };
}

function number(head: string, key: (figure: Figure) => number, cell: (figure: Figure) => Child): Column {
  return { head, key, cell, number: true };
}

function fact(name: string): (figure: Figure) => Child {
  return ({ written }) => written.facts[name];
}

function quantile(percent: number): Column {
  const of = (figure: Figure) => figure.percentiles.find((one) => one.percent === percent);
  const cell = (figure: Figure) => {
    const found = of(figure);
    if (!found) return "–";
    const [value, range] = found.text;
    return h("span", {}, value, h("small", {}, range || (percent === 100 ? "" : "no interval")));
  };
  return number(percent === 100 ? "max" : `p${percent}`, (figure) => of(figure)?.value_ms ?? -1, cell);
}

function target(figure: Figure): Child {
  const title = figure.host ? `${figure.target} on ${figure.host}` : figure.target;
  const beside = figure.at_once > 1 && h("small", {}, `${figure.at_once} at once`);
  return h("span", { class: "target", title }, figure.target, beside);
}

function value(figure: Figure): Child {
  if (figure.estimate === null) return h("span", { class: "soft" }, "no value");
  const { value: known, within } = figure.written;
  const text = within ? `${known} ${within}` : known;
  const shown = struckOut(figure.label) ? h("s", {}, text) : text;
  return h("span", {}, shown, within !== "" && h("small", {}, figure.unit));
}

function row(named: Named): HTMLTableRowElement {
  return h(
    "tr",
    { "data-id": named.id, tabindex: -1, "aria-selected": "false" },
    ...COLUMNS.map((column) => h("td", { class: column.number ? "number" : null }, column.cell(named.figure))),
  );
}

function mark(row: HTMLTableRowElement, chosen: boolean): void {
  row.setAttribute("aria-selected", String(chosen));
  row.tabIndex = chosen ? 0 : -1;
}

/** Scrolls the table, not the page. */
function reveal(row: HTMLElement): void {
  const box = row.closest(".tall");
  if (!box) return;
  const [seen, at] = [box.getBoundingClientRect(), row.getBoundingClientRect()];
  const head = box.querySelector("thead")?.clientHeight ?? 0;
  if (at.top < seen.top + head) box.scrollTop -= seen.top + head - at.top;
  else if (at.bottom > seen.bottom) box.scrollTop += at.bottom - seen.bottom;
}

function heads(list: Rows): HTMLElement {
  let sorted = { head: "", down: false };
  const made = COLUMNS.map((column) => {
    const head = h("th", { scope: "col", class: column.number ? "number" : null });
    const sort = () => {
      sorted = { head: column.head, down: sorted.head === column.head && !sorted.down };
      list.sort(
        (a, b) => compare(column.key(a.figure), column.key(b.figure)) * (sorted.down ? -1 : 1) || a.index - b.index,
      );
      for (const other of made) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
    };
    head.append(
      h("button", { type: "button", click: sort }, column.head, /^(p\d|max)/.test(column.head) && h("small", {}, "ms")),
    );
    return head;
  });
  return h("tr", {}, ...made);
}

const WORDS = new Intl.Collator("en", { numeric: true });
const compare = (a: string | number, b: string | number): number =>
  typeof a === "number" && typeof b === "number" ? a - b : WORDS.compare(String(a), String(b));

const counted = (figures: number): string => (figures === 1 ? "1 figure" : `${figures} figures`);

function filter(all: Named[], list: Rows): HTMLElement {
  const shown = h("output", {}, counted(all.length));
  const input = h("input", {
    type: "search",
    placeholder: "osd.2 write, unsettled …",
    "aria-label": "Show only figures with these words",
    input: () => {
      const words = input.value.toLowerCase().split(/\s+/);
      const fitting = list.filter(({ figure }) => {
        const text =
          `${figure.layer} ${figure.target} ${figure.host ?? ""} ${figure.pattern} ${figure.written.which} ${figure.label}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
      shown.value = fitting === all.length ? counted(fitting) : `${fitting} of ${counted(all.length)}`;
    },
  });
  return h("div", { class: "filter" }, input, shown);
}

/** The figure in the address; some programs decode the links that they pass on. */
function asked(all: Named[]): Named | undefined {
  const hash = location.hash.slice(1);
  if (hash === "") return undefined;
  return all.find(({ id }) => id === hash) ?? all.find(({ id }) => decodeURIComponent(id) === hash);
}

/** From a row of the table: the address follows, the view stays. */
function go(all: Named[], row: Element | null, choose: (named: Named) => void): void {
  const named = all.find(({ id }) => id === row?.getAttribute("data-id"));
  if (!named) return;
  history.replaceState(null, "", `#${named.id}`);
  choose(named);
}

function step(event: KeyboardEvent, all: Named[], choose: (named: Named) => void): void {
  const row = (event.target as Element).closest("tr");
  const visible = [...(row?.parentElement?.children ?? [])].filter(
    (one) => !(one as HTMLElement).hidden,
  ) as HTMLElement[];
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
