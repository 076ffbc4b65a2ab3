//! The head: which run, of what, when, in which state, and its answer.

import { drawn, text, type Link } from "./blocks";
import type { Run } from "./data";
import { h, svg } from "./dom";
import type { Block, PageSection, Text } from "./types_page";

const blocksOf = (sections: PageSection[], id: string): Block[] => sections.find((one) => one.id === id)?.blocks ?? [];
const paragraph = (block: Block | undefined): Text => (block && "paragraph" in block ? block.paragraph : []);

export function head(run: Run): HTMLElement {
  const [name, when] = blocksOf(run.sections, "run");
  const title = name && "headline" in name ? name.headline : `Fathom ${run.version}`;
  return h(
    "header",
    { class: "hero" },
    h(
      "div",
      { class: "inner" },
      h("div", { class: "title" }, emblem(), h("h1", {}, title), state(run)),
      h("p", { class: "when" }, ...text(paragraph(when)), h("code", {}, run.command)),
      h("p", { class: "sentence" }, unbroken(plain(paragraph(blocksOf(run.sections, "answer")[0])))),
    ),
  );
}

/** What is wrong, and what to do next. */
export function answer(run: Run, link: Link): HTMLElement {
  const rest = blocksOf(run.sections, "answer").slice(1);
  return h("section", { id: "answer", "aria-label": "What is wrong, and what to do next" }, ...drawn(rest, link));
}

function state(run: Run): HTMLElement {
  if (run.finished) return h("span", { class: "state" }, "finished");
  const after = run.passes === 1 ? "1 pass" : `${run.passes} passes`;
  const how = run.ending ?? "provisional";
  return h(
    "span",
    { class: "state provisional" },
    run.passes === 0 ? (run.ending ?? "not finished") : `${how}, after ${after}`,
  );
}

/** Three depth lines and the lead. */
const emblem = (): SVGElement =>
  svg(
    "svg",
    { class: "emblem", viewBox: "0 0 40 40", "aria-hidden": "true" },
    svg("path", {
      d: "M4 9q4-4 8 0t8 0 8 0 8 0",
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 2.4,
      "stroke-linecap": "round",
    }),
    svg("path", { d: "M20 11V28", stroke: "currentColor", "stroke-width": 2 }),
    svg("path", { d: "M20 27l5 9H15Z", fill: "currentColor" }),
    svg("path", { d: "M7 19h8M25 19h8M7 27h7M26 27h7", stroke: "currentColor", "stroke-width": 1.4, opacity: 0.55 }),
  );

const plain = (of: Text): string => of.map((span) => span.text).join("");

/** Numbers stay with their units and intervals. */
const unbroken = (text: string): string => text.replace(/ (ms|%|±)/g, "\u00a0$1");
