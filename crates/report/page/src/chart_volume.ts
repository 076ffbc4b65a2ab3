//! A rate over the volume that was written, with the place where it falls.

import { areaY, lineY, link, rect, ruleX, text } from "@observablehq/plot";
import { linearX, linearY, picture } from "./plots";
import type { Volume } from "./types_page";

const GIB = 2 ** 30;

/** A second of it: from which volume to which, at what rate. */
interface Second {
  from: number;
  to: number;
  middle: number;
  rate: number;
}

/** The last second may be cut short: then it has no rate. */
function overVolume({ each_second, seconds }: Volume): Second[] {
  let from = 0;
  return each_second.slice(0, Math.floor(seconds + 0.01)).map((written) => {
    const second = { from, to: from + written, middle: from + written / 2, rate: written / 1e6 };
    from = second.to;
    return second;
  });
}

export function drawVolume(found: Volume, width: number): Element {
  const seconds = overVolume(found);
  const top = Math.max(0, ...seconds.map((one) => one.rate)) * 1.15 || 1;
  const end = (seconds[seconds.length - 1]?.to ?? 0) / GIB || 1;
  const { cliff } = found;
  const some = cliff ? [cliff] : [];
  const [low, high] = [(cliff?.low ?? 0) / GIB, Math.min((cliff?.high ?? 0) / GIB, end)];
  // A volume that took several seconds shows their mean: in a picture of hundreds of seconds the line is a curve.
  const curve = { x: (one: Second) => one.middle / GIB, y: "rate" };
  const levels = [
    { mark: cliff?.from, from: 0, to: low, name: "before" },
    { mark: cliff?.to, from: high, to: end, name: "after" },
  ].flatMap((one) => (one.mark ? [{ ...one, rate: one.mark.value, text: one.mark.text }] : []));
  const named = (name: string, textAnchor: "start" | "end", dx: number) => [
    text(
      levels.filter((one) => one.name === name),
      {
        x: name === "before" ? "from" : "to",
        y: "rate",
        dx,
        dy: -12,
        textAnchor,
        text: (one) => one.text,
        fill: "var(--ink)",
        stroke: "var(--surface)",
        strokeWidth: 4,
        paintOrder: "stroke",
      },
    ),
  ];
  const anchor = low / end > 0.7 ? "end" : low / end > 0.3 ? "middle" : "start";
  return picture(`Rate over the volume written to ${found.caption.title}`, {
    width,
    height: 230,
    marginLeft: 46,
    marginRight: 14,
    marginTop: 22,
    marginBottom: 26,
    x: { domain: [0, end] },
    y: { domain: [0, top] },
    marks: [
      ...linearX(Math.min(8, width / 70)),
      ...linearY(5),
      rect(some, { x1: low, x2: Math.max(high, low + end / 400), y1: 0, y2: top, fill: "var(--band)" }),
      areaY(seconds, { ...curve, fill: "var(--settled)" }),
      lineY(seconds, { ...curve, stroke: "var(--good)", strokeWidth: 1.4 }),
      link(levels, { x1: "from", x2: "to", y1: "rate", y2: "rate", stroke: "var(--slice-mean)", strokeWidth: 1.8 }),
      ruleX(some, { x: ({ at }) => at / GIB, stroke: "var(--caution)", strokeWidth: 1.6 }),
      text(some, {
        x: ({ at }) => at / GIB,
        y: top,
        dy: -10,
        textAnchor: anchor,
        text: (one) => one.text,
        fontWeight: 600,
        fill: "var(--caution)",
      }),
      ...named("before", "start", 4),
      ...named("after", "end", -4),
    ],
  });
}
