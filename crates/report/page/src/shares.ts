//! A throughput as shares: how much of its ceiling each layer delivers.

import { axisX, barX, gridX, ruleY, text } from "@observablehq/plot";
import type { LedgerRow } from "./data";
import { difference, halfWidth, NOTHING, share } from "./numbers";
import { caps, picture } from "./plots";

export interface Delivered {
  row: LedgerRow;
  /** Is its share known? Else it has no bar. */
  known: boolean;
  share: number;
  low: number;
  high: number;
}

/** A layer's share of its ceiling, with the bounds that the loss's own interval gives it. */
export function delivered(row: LedgerRow): Delivered {
  const ceiling = row.ceiling ?? NaN;
  const at = (lost: number | null) => (lost === null || !(ceiling > 0) ? (row.share ?? 0) : 1 - lost / ceiling);
  return { row, known: row.share !== null, share: row.share ?? 0, low: at(row.adds.high), high: at(row.adds.low) };
}

export const shareText = (one: Delivered): string => (one.known ? shown(one) : NOTHING);

const shown = (one: Delivered): string =>
  `${one.row.at_least ? "≤" : ""}${difference({ value: one.share * 100, low: one.low * 100, high: one.high * 100 })} %`;

const [LEFT, RIGHT] = [64, 108];
/** An interval may be far wider than the picture: it is cut off at half as much again as the largest share, or as 100 %. */
const BEYOND = 1.5;
const layer = (one: Delivered): string => one.row.layer;

export function bars(pattern: string, all: Delivered[], width: number): Element {
  const known = all.filter((one) => one.known);
  const most = BEYOND * Math.max(1, ...all.map((one) => one.share));
  const edge = Math.min(most, Math.max(1, ...all.map((one) => Math.max(one.share, one.known ? one.high : 0))));
  const clip = (at: number) => Math.min(Math.max(at, 0), edge);
  const ticks = edge > BEYOND ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
  const bounded = all.filter((one) => one.known && Number.isFinite(halfWidth(one.row.adds)));
  const track = { fill: "var(--track)", stroke: "var(--rule)" };
  return picture(`Shares of ${pattern}; the table below holds the same numbers`, {
    width,
    height: all.length * 32 + 28,
    marginLeft: LEFT,
    marginRight: RIGHT,
    marginTop: 2,
    marginBottom: 26,
    x: { domain: [0, edge] },
    y: { type: "band", domain: all.map(layer), padding: 0.34, axis: null },
    marks: [
      gridX(ticks, { stroke: "var(--grid)", strokeOpacity: 1 }),
      axisX(ticks, { tickFormat: share, tickSize: 0, fill: "var(--soft)", label: null }),
      text(all, { y: layer, x: 0, text: layer, dx: -LEFT, textAnchor: "start", fontWeight: 600 }),
      barX(all, { y: layer, x1: 0, x2: 1, ...track, rx: 1.5 }),
      barX(known, { y: layer, x1: 0, x2: "share", fill: "var(--bar)", rx: 1.5, title: (one) => one.row.because }),
      ruleY(bounded, {
        y: layer,
        x1: (one) => clip(one.low),
        x2: (one) => clip(one.high),
        stroke: "var(--ink)",
        strokeWidth: 1.4,
      }),
      caps(
        bounded,
        (one) => Math.max(one.low, 0),
        (one) => (one.high > edge ? NaN : one.high),
        layer,
        () => "var(--ink)",
        5,
      ),
      text(all, { y: layer, x: edge, dx: 8, textAnchor: "start", text: shareText }),
    ],
  });
}
