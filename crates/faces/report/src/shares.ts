//! A throughput as shares: how much of its ceiling each layer delivers.

import { axisX, barX, gridX, ruleY, text } from "@observablehq/plot";
import type { LedgerRow } from "./data";
import { estimate, halfWidth, share } from "./numbers";
import { caps, picture } from "./plots";

export interface Delivered {
  row: LedgerRow;
  share: number;
  low: number;
  high: number;
}

/** A layer's share of its ceiling, with the bounds that the loss's own interval gives it. */
export function delivered(row: LedgerRow): Delivered {
  const ceiling = row.ceiling ?? NaN;
  const at = (lost: number | null) => (lost === null || !(ceiling > 0) ? (row.share ?? 0) : 1 - lost / ceiling);
  return { row, share: row.share ?? 0, low: at(row.adds.high), high: at(row.adds.low) };
}

export const shareText = (one: Delivered): string =>
  `${estimate({ value: one.share * 100, low: one.low * 100, high: one.high * 100 }, "%")} %`;

const [LEFT, RIGHT] = [64, 108];
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const layer = (one: Delivered): string => one.row.layer;

export function bars(pattern: string, all: Delivered[], width: number): Element {
  const edge = Math.max(1, ...all.map((one) => Math.max(one.share, one.high)));
  const bounded = all.filter((one) => Number.isFinite(halfWidth(one.row.adds)));
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
      gridX(TICKS, { stroke: "var(--grid)", strokeOpacity: 1 }),
      axisX(TICKS, { tickFormat: share, tickSize: 0, fill: "var(--soft)", label: null }),
      text(all, { y: layer, x: 0, text: layer, dx: -LEFT, textAnchor: "start", fontWeight: 600 }),
      barX(all, { y: layer, x1: 0, x2: 1, ...track, rx: 1.5 }),
      barX(all, { y: layer, x1: 0, x2: "share", fill: "var(--bar)", rx: 1.5, title: (one) => one.row.because }),
      ruleY(bounded, { y: layer, x1: "low", x2: "high", stroke: "var(--ink)", strokeWidth: 1.4 }),
      caps(
        bounded,
        (one) => one.low,
        (one) => one.high,
        layer,
        () => "var(--ink)",
        5,
      ),
      text(all, { y: layer, x: edge, dx: 8, textAnchor: "start", text: shareText }),
    ],
  });
}
