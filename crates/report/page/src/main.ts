//! Puts the page together: head, sections, peers, figures, downloads.

import "./style.css";
import { section, type Link } from "./blocks";
import { load } from "./data";
import { h } from "./dom";
import { downloads } from "./download";
import { figures } from "./figures";
import { answer, head } from "./head";
import { peers } from "./peers";
import { spare } from "./plots";
import { foldsOnPaper } from "./print";

/** Kept only while the page is open: a report leaves nothing in the browser. */
function theme(): HTMLElement {
  const root = document.documentElement;
  const dark = () =>
    (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const button = h("button", {
    type: "button",
    id: "theme",
    click: () => {
      root.dataset.theme = dark() ? "light" : "dark";
      say();
    },
  });
  const say = () => {
    button.textContent = dark() ? "Light" : "Dark";
    button.setAttribute("aria-label", dark() ? "Show in light colours" : "Show in dark colours");
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", say);
  say();
  return button;
}

function navigation(parts: [string, string][]): HTMLElement {
  return h(
    "nav",
    { "aria-label": "Parts of the report" },
    h(
      "div",
      { class: "inner" },
      h("ul", {}, ...parts.map(([id, words]) => h("li", {}, h("a", { href: `#${id}` }, words)))),
      theme(),
    ),
  );
}

const run = load();
/** More figures than this: the page is drawn as it is read. */
const LARGE = 2000;
if (run.figures.length > LARGE) spare();
const link: Link = (figure) => `#${run.figures[figure]?.id ?? ""}`;
const sections = run.sections
  .filter(({ title }) => title !== "")
  .map((one) => ({ id: one.id, words: one.title, part: section(one, link) }));
const charted = sections.some(({ id }) => id === "chart");
const own = [
  ...(charted ? [{ id: "peers", ...peers(run) }] : []),
  ...(run.figures.length > 0 ? [{ id: "figures", words: "Figures", part: figures(run.figures) }] : []),
];
// What was there stands after what was measured.
const last = sections.findIndex(({ id }) => id === "scope");
const parts = [
  ...sections.slice(0, last),
  ...own,
  ...sections.slice(last),
  { id: "raw", words: "Raw numbers", part: downloads(run) },
];
document.body.append(
  head(run),
  navigation(parts.map(({ id, words }) => [id, words])),
  h("main", { class: "inner" }, answer(run, link), ...parts.map(({ part }) => part)),
  h(
    "footer",
    { class: "inner" },
    `Fathom ${run.version}, run ${run.run}. Intervals are 95 %. This file is complete: it loads nothing.`,
  ),
);
foldsOnPaper();
document.documentElement.dataset.ready = "true";
