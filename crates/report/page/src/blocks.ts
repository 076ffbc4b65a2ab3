//! Sections and what they are made of. Nothing here knows one section from another.

import { panels } from "./charts";
import { h, type Child } from "./dom";
import { grid } from "./grid";
import { leftOut, onPaper } from "./print";
import type { Block, Chart, Emphasis, Fold, Item, PageSection, Span, Text } from "./types_page";

/** The address of a figure, by its place in the report. */
export type Link = (figure: number) => string;

/** At most this many items of a list are shown until more are asked for; a large cluster has hundreds. */
const MOST = 40;

export function section({ id, title, lead, blocks }: PageSection, link: Link): HTMLElement {
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h2", { id: `${id}-title` }, title),
    lead !== "" && h("p", { class: "lead" }, lead),
    ...body(blocks, link),
  );
}

/** What stands between two titles belongs together; parts that are a picture with its numbers stand side by side. */
function body(blocks: Block[], link: Link): HTMLElement[] {
  const parts: { title: string; blocks: Block[] }[] = [{ title: "", blocks: [] }];
  for (const block of blocks) {
    if ("title" in block) parts.push({ title: block.title, blocks: [] });
    else parts[parts.length - 1]!.blocks.push(block);
  }
  const [first, ...more] = parts as [(typeof parts)[0], ...typeof parts];
  const pictured =
    more.length > 1 && more.every((part) => part.blocks.filter((block) => "chart" in block).length === 1);
  const titled = more.map((part) =>
    h("div", { class: pictured ? "panel part" : "part" }, h("h3", {}, part.title), ...drawn(part.blocks, link)),
  );
  const beside = pictured ? [h("div", { class: "panels two" }, ...titled)] : titled;
  return [...drawn(first.blocks, link), ...beside];
}

export function drawn(blocks: Block[], link: Link): HTMLElement[] {
  const all: HTMLElement[] = [];
  let charts: Chart[] = [];
  const end = () => {
    if (charts.length > 0) all.push(...panels(charts, link));
    charts = [];
  };
  for (const block of blocks) {
    if ("chart" in block) {
      charts.push(block.chart);
      continue;
    }
    end();
    all.push(one(block, link));
  }
  end();
  return all;
}

function one(block: Exclude<Block, { chart: Chart }>, link: Link): HTMLElement {
  if ("headline" in block) return h("h2", {}, block.headline);
  if ("title" in block) return h("h3", {}, block.title);
  if ("paragraph" in block) return h("p", { class: "paragraph" }, ...text(block.paragraph));
  if ("table" in block) return grid(block.table, link);
  if ("list" in block) return list(block.list);
  return fold(block.fold, link);
}

function fold({ title, emphasis, open, blocks }: Fold, link: Link): HTMLElement {
  return h(
    "details",
    { open: open === true },
    h("summary", { class: emphasis ? `is-${emphasis}` : null }, title),
    h("div", { class: "folded" }, ...body(blocks, link)),
  );
}

function list(items: Item[]): HTMLElement {
  const made = (some: Item[]) => some.map(item);
  const numbered = items.some(({ number }) => typeof number === "number");
  const all = h(numbered ? "ol" : "ul", { class: numbered ? "notes" : "list" }, ...made(items.slice(0, MOST)));
  const hidden = items.slice(MOST);
  if (hidden.length > 0) {
    const rest = h("li", { class: "rest" });
    const show = () => rest.replaceWith(...made(hidden));
    rest.append(
      h("button", { type: "button", class: "save", click: show }, `Show all ${items.length}`),
      onPaper(leftOut(MOST, items.length, "entries")),
    );
    all.append(rest);
    whenAsked(hidden, () => rest.parentNode && show());
  }
  return all;
}

/** A link to an item that is not shown yet shows it. */
function whenAsked(hidden: Item[], show: () => void): void {
  const asked = () => hidden.some(({ number }) => typeof number === "number" && location.hash === `#${note(number)}`);
  if (asked()) show();
  addEventListener("hashchange", () => {
    if (!asked()) return;
    show();
    // The browser looked for it before it was there.
    location.replace(location.hash);
  });
}

const note = (number: number): string => `note-${number}`;

function item({ number, text: own, more }: Item): HTMLElement {
  const id = typeof number !== "number" ? null : note(number);
  return h("li", { id }, ...text(own), ...(more ?? []).map((line) => h("small", {}, ...text(line))));
}

export const text = (spans: Text): Child[] => spans.flatMap(span);

export function span({ text, emphasis }: Span): Child[] {
  return emphasis ? [emphasised(text, emphasis)] : typed(text);
}

/** What stands between two backticks is what one types. */
function typed(text: string): Child[] {
  const parts = text.split("`");
  return parts.length % 2 === 0 ? [text] : parts.map((part, at) => (at % 2 ? h("code", {}, part) : part));
}

const TAGS: Partial<Record<Emphasis, "b" | "s" | "code">> = { strong: "b", outlier: "b", struck: "s", code: "code" };

export function emphasised(text: string, emphasis: Emphasis): HTMLElement {
  return h(TAGS[emphasis] ?? "span", { class: `is-${emphasis}` }, ...typed(text));
}
