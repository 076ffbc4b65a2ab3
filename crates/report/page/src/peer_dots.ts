//! The picture of peers: one dot with its interval for each, hosts side by side, outliers ringed.

import { dot, ruleX, ruleY, text, type Markish } from "@observablehq/plot";
import type { Estimate, Named, Outlier } from "./data";
import { linearY, picture, shortened } from "./plots";
import { colour, look, withUnit } from "./words";

export interface Peer {
  named: Named;
  value: Estimate;
  outlier: Outlier | null;
  host: string;
  slot: string;
  /** Else its value is struck out: it says nothing of its peers. */
  used: boolean;
}

/** Where the peers stand: a slot for each, an empty one between hosts; `step` is the pixels from slot to slot. */
interface Layout {
  /** What is drawn. */
  all: Peer[];
  slots: string[];
  step: number;
  domain: [number, number];
}

/** Pixels that a letter of the small labels takes at most. */
const LETTER = 7.5;

const hosts = (all: Peer[]): Peer[][] =>
  [...new Set(all.map((peer) => peer.host))].map((host) => all.filter((peer) => peer.host === host));

/** Struck values are drawn where they lie among the others, and move no axis. */
function layout(peers: Peer[], middle: number | null, width: number): Layout {
  const used = peers.filter((peer) => peer.used);
  const some = used.length > 0 ? used : peers;
  const edges = some.flatMap(({ value }) => [value.value, value.low ?? value.value, value.high ?? value.value]);
  const [low, high] = [Math.min(...edges, middle ?? Infinity), Math.max(...edges, middle ?? -Infinity)];
  const room = (high - low) * 0.12 || Math.abs(high) * 0.1 || 1;
  const domain: [number, number] = [low >= 0 ? Math.max(0, low - room) : low - room, high + room];
  const all = peers.filter(({ value: { value }, used }) => used || (value >= domain[0] && value <= domain[1]));
  const slots = hosts(all).flatMap((some, n) => [...(n > 0 ? [`gap${n}`] : []), ...some.map((peer) => peer.slot)]);
  return { all, slots, step: (width - 60) / (slots.length + 1), domain };
}

/** `middle`: the median of all peers, also of those that are not drawn. */
export function dots(label: string, peers: Peer[], middle: number | null, width: number): Element {
  const { all, slots, step, domain } = layout(peers, middle, width);
  const r = Math.max(2, Math.min(4.6, step / 3));
  const used = all.filter((peer) => peer.used);
  const gaps = slots.filter((slot) => slot.startsWith("gap"));
  return picture(label, {
    width,
    height: 210,
    marginLeft: 48,
    marginRight: 12,
    marginTop: 12,
    marginBottom: 40,
    x: { type: "point", domain: slots, axis: null, padding: 0.8 },
    y: { domain },
    symbol: { type: "identity" },
    marks: [
      ...linearY(4),
      ruleX(gaps, { stroke: "var(--rule)", strokeDasharray: "2,3" }),
      ruleY(middle !== null && used.length > 2 ? [middle] : [], { stroke: "var(--soft)", strokeDasharray: "4,3" }),
      ruleX(used, {
        x: "slot",
        y1: (peer) => peer.value.low ?? peer.value.value,
        y2: (peer) => peer.value.high ?? peer.value.value,
        stroke: tone,
        strokeWidth: Math.min(3, r),
        strokeOpacity: 0.5,
      }),
      rings(all, r),
      marks(all, r, true),
      marks(all, r, false),
      names(all, step, domain[0]),
      hostNames(all, step, domain[0]),
    ],
  });
}

function marks(all: Peer[], r: number, filled: boolean): Markish {
  const title = ({ named: { figure }, host }: Peer) => {
    const way = figure.written.which;
    return `${figure.target}${host ? ` on ${host}` : ""}${way ? `, ${way}` : ""}: ${withUnit(figure)}, ${figure.label}`;
  };
  return dot(
    all.filter((peer) => look(peer.named.figure.label).hollow !== filled),
    {
      x: "slot",
      y: (peer) => peer.value.value,
      r,
      symbol: (peer: Peer) => look(peer.named.figure.label).symbol,
      href: (peer) => `#${peer.named.id}`,
      stroke: tone,
      strokeWidth: filled ? 1 : 2,
      fill: (peer: Peer) => (filled ? tone(peer) : "var(--surface)"),
      title,
    },
  );
}

function rings(all: Peer[], r: number): Markish {
  const around = { r: r + 4.5, stroke: "var(--bad)", strokeWidth: 1.6, fill: "none", className: "ring" };
  return dot(
    all.filter((peer) => peer.outlier),
    { x: "slot", y: (peer) => peer.value.value, ...around },
  );
}

/** Every target's name where there is room; else those of the outliers. */
function names(all: Peer[], step: number, y: number): Markish {
  const letters = Math.max(6, Math.floor(Math.max(step, 60) / (LETTER + 0.5)));
  return text(step > 34 ? all : all.filter((peer) => peer.outlier), {
    x: "slot",
    y,
    dy: 12,
    text: (peer) => shortened(peer.named.figure.target, letters),
    fill: (peer) => (peer.outlier ? "var(--bad)" : "var(--ink)"),
    fontSize: 11,
  });
}

/** The hosts' names in the middle of their dots, if all of them fit. */
function hostNames(all: Peer[], step: number, y: number): Markish {
  const groups = hosts(all).map((some) => ({
    host: some[0]!.host,
    slot: some[Math.floor((some.length - 1) / 2)]!.slot,
    letters: Math.floor(((some.length + 0.6) * step) / LETTER),
  }));
  const fit = groups.every(({ host, letters }) => letters >= Math.min(6, host.length));
  const name = (one: { host: string; letters: number }) => shortened(one.host, one.letters);
  return text(fit ? groups : [], { x: "slot", y, dy: 28, text: name, fill: "var(--soft)", fontSize: 11 });
}

export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

const tone = (peer: Peer): string => (peer.outlier ? "var(--bad)" : colour(peer.named.figure.label));
