//! Target against target: one dot with its interval for each OSD, disk or link, grouped by host, the outliers named.

import { LAYERS, PATTERNS, type LayerName, type Named, type Outlier, type PatternName, type Run } from "./data";
import { h, section } from "./dom";
import { dots, type Peer } from "./peer_dots";
import { place } from "./plots";
import { lowerIsBetter } from "./words";

interface Group {
  name: string;
  layer: LayerName;
  members: Named[];
}
/** More targets than this get the whole width. */
const MANY = 24;
/** More dots than this make no picture: then those that are furthest from the median stand for all. */
const MOST = 240;

/** What one target of these layers is called, in this order. */
const NOUNS: [string, LayerName[]][] = [
  ["OSD", ["osd", "store"]],
  ["disk", ["device"]],
  ["link", ["network"]],
];

/** `Each OSD, disk and link`, by what is there. */
function titled(groups: Group[]): string {
  const some = (layers: LayerName[]) => groups.some(({ layer }) => layers.includes(layer));
  const nouns = NOUNS.filter(([, layers]) => some(layers)).map(([noun]) => noun);
  if (nouns.length === 0) return "Each target";
  const last = nouns.pop()!;
  return `Each ${nouns.length > 0 ? `${nouns.join(", ")} and ` : ""}${last}`;
}

/** The section, and how it is called. */
export function peers({ figures, outliers }: Run): { words: string; part: HTMLElement } {
  const groups = group(figures);
  const words = titled(groups);
  const most = (one: Group) => new Set(one.members.map(({ figure }) => figure.target)).size;
  const first = [...groups].sort(
    (a, b) => Number(b.layer === "osd") - Number(a.layer === "osd") || most(b) - most(a),
  )[0];
  if (!first) {
    const none = h("p", { class: "empty" }, "No single OSD or disk has been measured.");
    return { words, part: section("peers", words, null, none) };
  }
  const body = h("div");
  const show = (one: Group) => {
    body.className = most(one) > MANY ? "panels" : "panels three";
    body.replaceChildren(...panels(one, outliers));
  };
  const choices = groups.map((one) =>
    h(
      "label",
      {},
      h("input", { type: "radio", name: "peers", value: one.name, checked: one === first, change: () => show(one) }),
      h("span", {}, one.name),
    ),
  );
  show(first);
  const part = section(
    "peers",
    words,
    "Peers should be alike. One dot for each target with its 95 % interval, sorted within its host; the dashed line is their median.",
    groups.length > 1 && h("div", { class: "choice", role: "radiogroup", "aria-label": "Which targets" }, ...choices),
    body,
  );
  return { words, part };
}

function group(figures: Named[]): Group[] {
  const own = (kind: string, pattern: string) => pattern.startsWith(kind);
  const single = figures.filter(({ figure: f }) => !f.target.endsWith(".*") && own(f.kind, f.pattern));
  return LAYERS.flatMap((layer) =>
    [false, true].flatMap((together) => {
      const members = single.filter(({ figure }) => figure.layer === layer && figure.at_once > 1 === together);
      const several = PATTERNS.some((pattern) => members.filter(({ figure }) => figure.pattern === pattern).length > 1);
      const worth = several || ((layer === "osd" || layer === "store" || layer === "device") && members.length > 0);
      return worth ? [{ name: `${layer}, ${together ? "all at once" : "each alone"}`, layer, members }] : [];
    }),
  );
}

function panels(one: Group, outliers: Outlier[]): HTMLElement[] {
  return PATTERNS.flatMap((pattern) => {
    const members = one.members.filter(({ figure }) => figure.pattern === pattern);
    return members.length > 0 ? [panel(one, pattern, members, outliers)] : [];
  });
}

function panel(one: Group, pattern: PatternName, members: Named[], outliers: Outlier[]): HTMLElement {
  const { unit } = members[0]!.figure;
  const void_ = members.filter(({ figure }) => figure.estimate === null);
  const all = arranged(
    furthest(members),
    outliers.filter((outlier) => outlier.layer === one.layer && outlier.pattern === pattern),
  );
  const marked = all.filter((peer) => peer.outlier).slice(0, NAMED);
  const better = lowerIsBetter(members[0]!.figure) ? "lower is better" : "higher is better";
  return h(
    "figure",
    { class: "panel" },
    h("figcaption", {}, h("h3", {}, pattern), h("span", { class: "unit" }, `${unit} · ${better}`)),
    all.length > 0 && place(`${one.name}, ${pattern}`, (width) => dots(`${one.name}, ${pattern}`, all, width)),
    members.length > MOST &&
      h("p", { class: "soft" }, `Of ${members.length} targets the ${MOST} that are furthest from their median.`),
    ...marked.map((peer) =>
      h("p", { class: "outlier" }, h("b", {}, peer.named.figure.target), ` ${peer.outlier!.says}`),
    ),
    void_.length > 0 &&
      h(
        "p",
        { class: "soft" },
        `No value: ${void_
          .slice(0, MOST)
          .map(({ figure }) => `${figure.target} (${figure.why ?? "void"})`)
          .join("; ")}`,
      ),
  );
}

/** At most this many outliers are named in words; all are in the head's list and in the documents. */
const NAMED = 40;

/** By how many times they differ from the median; all, if they are few. */
function furthest(members: Named[]): Named[] {
  if (members.length <= MOST) return members;
  const some = members.filter(({ figure }) => figure.estimate !== null && figure.estimate.value > 0);
  const values = some.map(({ figure }) => Math.log(figure.estimate!.value)).sort((a, b) => a - b);
  const median = values[Math.floor(values.length / 2)] ?? 0;
  const off = ({ figure }: Named) => Math.abs(Math.log(figure.estimate!.value) - median);
  return some.sort((a, b) => off(b) - off(a)).slice(0, MOST);
}

/** By host, the best first within each. */
function arranged(members: Named[], outliers: Outlier[]): Peer[] {
  const host = (named: Named) => named.figure.host ?? "";
  const better = (a: Named, b: Named) =>
    (a.figure.estimate!.value - b.figure.estimate!.value) * (lowerIsBetter(a.figure) ? 1 : -1);
  const some = members.filter(({ figure }) => figure.estimate !== null);
  some.sort((a, b) => host(a).localeCompare(host(b), "en", { numeric: true }) || better(a, b));
  return some.map((named) => ({
    named,
    value: named.figure.estimate!,
    host: host(named),
    slot: `${named.index}`,
    outlier: (named.figure.chart && outliers.find((outlier) => outlier.target === named.figure.target)) || null,
  }));
}
