//! Target against target: one dot with its interval for each OSD, disk or link, grouped by host, the outliers named.

import { LAYERS, PATTERNS, type Figure, type LayerName, type Named } from "./data";
import type { Outlier, PatternName, Run } from "./data";
import { h, section, type Child } from "./dom";
import { dots, median, type Peer } from "./peer_dots";
import { place } from "./plots";
import { lowerIsBetter, struckOut, withUnit } from "./words";

interface Group {
  name: string;
  layer: LayerName;
  members: Named[];
}
/** More targets than this get the whole width. */
const MANY = 24;
/** More dots than this make no picture: then those that are furthest from the median of all are drawn. */
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
      const members = once(single.filter(({ figure }) => figure.layer === layer && figure.at_once > 1 === together));
      const several = PATTERNS.some((pattern) => members.filter(({ figure }) => figure.pattern === pattern).length > 1);
      const worth = several || ((layer === "osd" || layer === "store" || layer === "device") && members.length > 0);
      return worth ? [{ name: `${layer}, ${together ? "all at once" : "each alone"}`, layer, members }] : [];
    }),
  );
}

/** Where figures of a pattern count for the depth chart, only those: a disk whose writes were made durable in two ways, or that was
 *  measured again, is one peer. */
function once(members: Named[]): Named[] {
  const charted = new Set(members.filter(({ figure }) => figure.chart).map(({ figure }) => figure.pattern));
  return members.filter(({ figure }) => figure.chart || !charted.has(figure.pattern));
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
  const known = peersOf(
    members.filter(({ figure }) => figure.estimate !== null),
    outliers.filter((outlier) => outlier.layer === one.layer && outlier.pattern === pattern),
  );
  const [used, struck] = [known.filter((peer) => peer.used), known.filter((peer) => !peer.used)];
  const middle = used.length > 0 ? median(used.map(({ value }) => value.value)) : null;
  const drawn = arranged([...furthest(used, middle), ...struck.slice(0, NAMED)]);
  const slow = used
    .filter((peer) => peer.outlier)
    .sort((a, b) => (b.outlier!.slower_by ?? 0) - (a.outlier!.slower_by ?? 0));
  const better = lowerIsBetter(members[0]!.figure) ? "lower is better" : "higher is better";
  const words = `${one.name}, ${pattern}`;
  return h(
    "figure",
    { class: "panel" },
    h("figcaption", {}, h("h3", {}, pattern), h("span", { class: "unit" }, `${unit} · ${better}`)),
    known.length > 0 && place(words, (width) => dots(words, drawn, middle, width)),
    used.length > MOST &&
      h("p", { class: "soft" }, `Of ${used.length} targets the ${MOST} that are furthest from their median.`),
    ...slow
      .slice(0, NAMED)
      .map((peer) => h("p", { class: "outlier" }, h("b", {}, peer.named.figure.target), ` ${peer.outlier!.says}`)),
    slow.length > NAMED && h("p", { class: "outlier" }, `And ${slow.length - NAMED} more.`),
    struck.length > 0 && h("p", { class: "soft" }, "Not used: ", ...listed(struck, struckWords)),
    void_.length > 0 && h("p", { class: "soft" }, "No value: ", ...listed(void_, voidWords)),
  );
}

/** At most so many are named in words, slow ones those that are slowest; all are in the list of figures and in the documents. */
const NAMED = 40;

/** In one line, and how many more there are. */
function listed<T>(all: T[], words: (one: T) => Child[]): Child[] {
  const named = all.slice(0, NAMED).flatMap((one, at) => (at > 0 ? ["; ", ...words(one)] : words(one)));
  return all.length > NAMED ? [...named, `; and ${all.length - NAMED} more`] : named;
}

const reason = (figure: Figure): string => (figure.why ? `${figure.label}: ${figure.why}` : figure.label);
const voidWords = ({ figure }: Named): Child[] => [`${figure.target} (${figure.why ?? "void"})`];
const struckWords = ({ named: { figure } }: Peer): Child[] => [
  `${figure.target} `,
  h("s", {}, withUnit(figure)),
  ` (${reason(figure)})`,
];

/** By how many times they differ from the median; all, if they are few. */
function furthest(peers: Peer[], middle: number | null): Peer[] {
  if (peers.length <= MOST || middle === null) return peers;
  const off = ({ value }: Peer) => (value.value > 0 && middle > 0 ? Math.abs(Math.log(value.value / middle)) : 0);
  return [...peers].sort((a, b) => off(b) - off(a)).slice(0, MOST);
}

function peersOf(members: Named[], outliers: Outlier[]): Peer[] {
  const slow = new Map(outliers.map((outlier) => [outlier.target, outlier]));
  return members.map((named) => ({
    named,
    value: named.figure.estimate!,
    host: named.figure.host ?? "",
    slot: `${named.index}`,
    used: !struckOut(named.figure.label),
    outlier: (named.figure.chart && slow.get(named.figure.target)) || null,
  }));
}

/** By host, the best first within each. */
function arranged(peers: Peer[]): Peer[] {
  const better = (a: Peer, b: Peer) => (a.value.value - b.value.value) * (lowerIsBetter(a.named.figure) ? 1 : -1);
  return peers.sort((a, b) => a.host.localeCompare(b.host, "en", { numeric: true }) || better(a, b));
}
