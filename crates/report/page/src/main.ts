//! Puts the page together: head, depth chart, ledger, peers, figures, scope, downloads.

import "./style.css";
import { ab } from "./ab";
import { alerts, head } from "./head";
import { chart } from "./chart";
import { clients } from "./clients";
import { load } from "./data";
import { downloads } from "./download";
import { figures } from "./figures";
import { limits } from "./limits";
import { ledger } from "./ledger";
import { peers } from "./peers";
import { spare } from "./plots";
import { scope } from "./scope";
import { sustained } from "./sustained";
import { sweep } from "./sweep";
import { verdicts } from "./verdicts";
import { hostLoads } from "./host_loads";
import { matrix } from "./matrix";
import { verified } from "./verified";
import { h } from "./dom";

const PARTS: [string, string][] = [
  ["chart", "Depth chart"],
  ["ledger", "Ledger"],
  ["peers", "Each OSD"],
  ["figures", "Figures"],
  ["scope", "Scope"],
  ["raw", "Raw numbers"],
];

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
const stands = alerts(run);
/** What a run of a certain kind has besides: id, words, section. */
const own: [string, string, HTMLElement | null][] = [
  ["verdicts", "Verdicts", verdicts(run)],
  ["limits", "Highest rate", limits(run)],
  ["clients", "Enough clients?", clients(run)],
  ["ab", "A against B", ab(run)],
  ["verified", "Verified", verified(run)],
  ["sustained", "Sustained writes", sustained(run)],
  ["sweep", "Sweep", sweep(run)],
  ["matrix", "Between hosts", matrix(run)],
  ["host-loads", "Hosts under load", hostLoads(run)],
];
const shown = own.flatMap(([id, words, part]) => (part ? [{ id, words, part }] : []));
/** Nothing else was asked for. */
const alone = run.figures.length === 0 && run.sustained.length > 0;
/** Many figures of one cell have neither chart nor ledger nor peers. */
const CELLS = ["chart", "ledger", "peers"];
const cells = !alone && !shown.some(({ id }) => ["limits", "clients", "ab", "sweep"].includes(id));
const main = h(
  "main",
  { class: "inner" },
  ...(stands ? [stands] : []),
  ...shown.map(({ part }) => part),
  ...(cells ? [chart(run), ledger(run), peers(run)] : []),
  ...(alone ? [] : [figures(run.figures)]),
  scope(run),
  downloads(run),
);
document.body.append(
  head(run),
  navigation([
    ...shown.map(({ id, words }): [string, string] => [id, words]),
    ...PARTS.filter(([id]) => (cells || !CELLS.includes(id)) && !(alone && id === "figures")),
  ]),
  main,
  h(
    "footer",
    { class: "inner" },
    `Fathom ${run.version}, run ${run.run}. Intervals are 95 %. This file is complete: it loads nothing.`,
  ),
);
document.documentElement.dataset.ready = "true";
