//! Shares of a whole, each with its interval.

import { axisX, barX, gridX, ruleY, text } from "@observablehq/plot";
import { tick } from "./numbers";
import { caps, picture } from "./plots";
import type { Bar, Bars, Mark } from "./types_page";

type Known = Bar & { share: Mark };

const [LEFT, RIGHT] = [64, 108];
/** An interval may be far wider than the picture: it is cut off at half as much again as the largest share, or as 100 %. */
const BEYOND = 1.5;
const name = (one: Bar): string => one.name;

export function drawBars({ caption, rows }: Bars, width: number): Element {
  const known = rows.filter((one): one is Known => one.share !== null);
  const most = BEYOND * Math.max(1, ...known.map((one) => one.share.value));
  const edge = Math.min(most, Math.max(1, ...known.map(({ share }) => Math.max(share.value, share.high ?? 0))));
  const clip = (at: number) => Math.min(Math.max(at, 0), edge);
  const ticks = edge > BEYOND ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
  const bounded = known.filter((one) => one.share.low !== null && one.share.high !== null);
  const track = { fill: "var(--track)", stroke: "var(--rule)" };
  return picture(`${caption.title}: ${caption.what}; the table below holds the same numbers`, {
    width,
    height: rows.length * 32 + 28,
    marginLeft: LEFT,
    marginRight: RIGHT,
    marginTop: 2,
    marginBottom: 26,
    x: { domain: [0, edge] },
    y: { type: "band", domain: rows.map(name), padding: 0.34, axis: null },
    marks: [
      gridX(ticks, { stroke: "var(--grid)", strokeOpacity: 1 }),
      axisX(ticks, {
        tickFormat: (share: number) => `${tick(100 * share)} %`,
        tickSize: 0,
        fill: "var(--soft)",
        label: null,
      }),
      text(rows, { y: name, x: 0, text: name, dx: -LEFT, textAnchor: "start", fontWeight: 600 }),
      barX(rows, { y: name, x1: 0, x2: 1, ...track, rx: 1.5 }),
      barX(known, {
        y: name,
        x1: 0,
        x2: (one) => one.share.value,
        fill: "var(--bar)",
        rx: 1.5,
        title: (one) => one.why,
      }),
      ruleY(bounded, {
        y: name,
        x1: (one) => clip(one.share.low!),
        x2: (one) => clip(one.share.high!),
        stroke: "var(--ink)",
        strokeWidth: 1.4,
      }),
      caps(
        bounded,
        (one) => Math.max(one.share.low!, 0),
        (one) => (one.share.high! > edge ? NaN : one.share.high!),
        name,
        () => "var(--ink)",
        5,
      ),
      text(rows, { y: name, x: edge, dx: 8, textAnchor: "start", text: (one) => one.text }),
    ],
  });
}
