//! Target against target: one dot with its interval for each OSD, disk or link, grouped by host, the outliers named.

import { axisY, dot, gridY, ruleX, ruleY, text } from "@observablehq/plot";
import { LAYERS, PATTERNS, type Estimate, type LayerName, type Named, type Outlier, type PatternName, type Run } from "./data";
import { h, section } from "./dom";
import { tick, withUnit } from "./numbers";
import { picture, place, shortened } from "./plots";
import { colour, look, lowerIsBetter } from "./words";

interface Group { name: string; layer: LayerName; members: Named[] }
interface Peer { named: Named; value: Estimate; outlier: Outlier | null; host: string; slot: string }

export function peers({ figures, outliers }: Run): HTMLElement {
  const groups = group(figures);
  const most = (one: Group) => new Set(one.members.map(({ figure }) => figure.target)).size;
  const first = [...groups].sort((a, b) => Number(b.layer === "osd") - Number(a.layer === "osd") || most(b) - most(a))[0];
  if (!first) return section("peers", "Each OSD", null, h("p", { class: "empty" }, "No single OSD or disk has been measured."));
  const body = h("div", { class: "panels three" });
  const show = (one: Group) => body.replaceChildren(...panels(one, outliers));
  const choices = groups.map((one) => h("label", {},
    h("input", { type: "radio", name: "peers", value: one.name, checked: one === first, change: () => show(one) }), h("span", {}, one.name)));
  show(first);
  return section("peers", "Each OSD", "Peers should be alike. One dot for each target with its 95 % interval, sorted within its host; the dashed line is their median.",
    groups.length > 1 && h("div", { class: "choice", role: "radiogroup", "aria-label": "Which targets" }, ...choices), body);
}

function group(figures: Named[]): Group[] {
  const single = figures.filter(({ figure }) => !figure.target.endsWith(".*"));
  return LAYERS.flatMap((layer) => [false, true].flatMap((together) => {
    const members = single.filter(({ figure }) => figure.layer === layer && figure.at_once > 1 === together);
    const several = PATTERNS.some((pattern) => members.filter(({ figure }) => figure.pattern === pattern).length > 1);
    const worth = several || ((layer === "osd" || layer === "store" || layer === "device") && members.length > 0);
    return worth ? [{ name: `${layer}, ${together ? "all at once" : "each alone"}`, layer, members }] : [];
  }));
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
  const all = arranged(members, outliers.filter((outlier) => outlier.layer === one.layer && outlier.pattern === pattern));
  const marked = all.filter((peer) => peer.outlier);
  const better = lowerIsBetter(members[0]!.figure) ? "lower is better" : "higher is better";
  return h("figure", { class: "panel" },
    h("figcaption", {}, h("h3", {}, pattern), h("span", { class: "unit" }, `${unit} · ${better}`)),
    all.length > 0 && place(`${one.name}, ${pattern}`, (width) => dots(`${one.name}, ${pattern}`, all, width)),
    ...marked.map((peer) => h("p", { class: "outlier" }, h("b", {}, peer.named.figure.target), ` ${peer.outlier!.says}`)),
    void_.length > 0 && h("p", { class: "soft" }, `No value: ${void_.map(({ figure }) => `${figure.target} (${figure.why ?? "void"})`).join("; ")}`));
}

/** By host, the best first within each. */
function arranged(members: Named[], outliers: Outlier[]): Peer[] {
  const host = (named: Named) => named.figure.host ?? "";
  const better = (a: Named, b: Named) => (a.figure.estimate!.value - b.figure.estimate!.value) * (lowerIsBetter(a.figure) ? 1 : -1);
  const some = members.filter(({ figure }) => figure.estimate !== null);
  some.sort((a, b) => host(a).localeCompare(host(b), "en", { numeric: true }) || better(a, b));
  return some.map((named) => ({
    named, value: named.figure.estimate!, host: host(named), slot: `${named.index}`,
    outlier: outliers.find((outlier) => outlier.target === named.figure.target) ?? null,
  }));
}

function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

function dots(label: string, all: Peer[], width: number): Element {
  const hosts = [...new Set(all.map((peer) => peer.host))];
  const slots = hosts.flatMap((host, n) => [...(n > 0 ? [`gap${n}`] : []), ...all.filter((peer) => peer.host === host).map((peer) => peer.slot)]);
  const step = (width - 60) / (slots.length + 1);
  const edges = all.flatMap(({ value }) => [value.value, value.low ?? value.value, value.high ?? value.value]);
  const [low, high] = [Math.min(...edges), Math.max(...edges)];
  const room = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
  const domain: [number, number] = [Math.max(0, low - room), high + room];
  const target = (peer: Peer) => peer.named.figure.target;
  const named = step > 34 ? all : all.filter((peer) => peer.outlier);
  const middles = hosts.map((host) => all.filter((peer) => peer.host === host)).map((some) => ({ host: some[0]!.host, slot: some[Math.floor((some.length - 1) / 2)]!.slot, room: some.length * step }));
  const r = Math.max(2, Math.min(4.6, step / 3));
  const style = (filled: boolean) => dot(all.filter((peer) => look(peer.named.figure.label).hollow !== filled), {
    x: "slot", y: (peer) => peer.value.value, r, symbol: (peer: Peer) => look(peer.named.figure.label).symbol, href: (peer) => `#${peer.named.id}`,
    stroke: (peer) => tone(peer), strokeWidth: filled ? 1 : 2, fill: filled ? (peer: Peer) => tone(peer) : "var(--surface)",
    title: (peer: Peer) => `${target(peer)}${peer.host ? ` on ${peer.host}` : ""}: ${withUnit(peer.value, peer.named.figure.unit)}, ${peer.named.figure.label}`,
  });
  return picture(label, {
    width, height: 210, marginLeft: 48, marginRight: 12, marginTop: 12, marginBottom: 40,
    x: { type: "point", domain: slots, axis: null, padding: 0.8 }, y: { domain }, symbol: { type: "identity" },
    marks: [
      gridY({ ticks: 4, stroke: "var(--grid)", strokeOpacity: 1 }),
      axisY({ ticks: 4, tickFormat: tick, tickSize: 0, label: null, fill: "var(--soft)" }),
      ruleX(slots.filter((slot) => slot.startsWith("gap")), { stroke: "var(--rule)", strokeDasharray: "2,3" }),
      ruleY(all.length > 2 ? [median(all.map((peer) => peer.value.value))] : [], { stroke: "var(--soft)", strokeDasharray: "4,3" }),
      ruleX(all, { x: "slot", y1: (peer) => peer.value.low ?? peer.value.value, y2: (peer) => peer.value.high ?? peer.value.value, stroke: tone, strokeWidth: Math.min(3, r), strokeOpacity: 0.5 }),
      dot(all.filter((peer) => peer.outlier), { x: "slot", y: (peer) => peer.value.value, r: r + 4.5, stroke: "var(--bad)", strokeWidth: 1.6, fill: "none", className: "ring" }),
      style(true), style(false),
      text(named, { x: "slot", y: domain[0], dy: 12, text: (peer) => shortened(target(peer), Math.max(6, Math.floor(Math.max(step, 60) / 8))), fill: (peer) => (peer.outlier ? "var(--bad)" : "var(--ink)"), fontSize: 11 }),
      text(middles.filter((one) => one.host && one.room > 18), { x: "slot", y: domain[0], dy: 28, text: (one) => shortened(one.host, Math.max(3, Math.floor(Math.max(one.room, step * 1.6) / 7.5))), fill: "var(--soft)", fontSize: 11 }),
    ],
  });
}

const tone = (peer: Peer): string => (peer.outlier ? "var(--bad)" : colour(peer.named.figure.label));
