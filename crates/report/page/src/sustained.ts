//! Devices that were written to without pause until they fell: the rate over the volume, with the cliff.

import { areaY, lineY, link, rect, ruleX, text } from "@observablehq/plot";
import type { Endurance, Run } from "./data";
import { h, section } from "./dom";
import { bytes, duration, rough } from "./numbers";
import { linearX, linearY, picture, place } from "./plots";

const GIB = 2 ** 30;

/** A second of it: from which volume to which, at what rate. */
interface Second {
  from: number;
  to: number;
  middle: number;
  rate: number;
}

export function sustained({ sustained: all }: Run): HTMLElement | null {
  if (all.length === 0) return null;
  const lead =
    "Large blocks, one after the other, until the rate had fallen by a fifth and stayed there for 10 s, or the time or the volume was used up. " +
    "What is faster before the cliff is a cache; how far figures of writes hold is told by its place.";
  return section("sustained", "Sustained writes", lead, h("div", { class: "panels" }, ...all.map(panel)));
}

function panel(found: Endurance): HTMLElement {
  const seconds = overVolume(found);
  return h(
    "figure",
    { class: "panel" },
    h(
      "figcaption",
      {},
      h("h3", {}, found.model ? `${found.target} (${found.model})` : found.target),
      h("span", { class: "unit" }, "MB/s over GiB written, one step each second"),
    ),
    seconds.length > 1
      ? place(`Rate over volume of ${found.target}`, (width) => drawn(found, seconds, width))
      : h("p", { class: "empty" }, "Too little was written for a picture."),
    h("p", { class: found.error ? "alarm" : "why" }, `${found.says.charAt(0).toUpperCase()}${found.says.slice(1)}.`),
    found.also.length > 0 &&
      h("p", { class: "why" }, `It stands for ${found.also.join(", ")} as well: the same model, or the same device.`),
    h("p", { class: "unit" }, `${bytes(found.written)} in ${duration(found.seconds ?? 0)}`),
  );
}

/** The last second may be cut short: then it has no rate. */
function overVolume({ each_second, seconds }: Endurance): Second[] {
  let from = 0;
  return each_second.slice(0, Math.floor((seconds ?? 0) + 0.01)).map((written) => {
    const second = { from, to: from + written, middle: from + written / 2, rate: written / 1e6 };
    from = second.to;
    return second;
  });
}

function drawn(found: Endurance, seconds: Second[], width: number): Element {
  const top = Math.max(...seconds.map((one) => one.rate)) * 1.15 || 1;
  const end = seconds[seconds.length - 1]!.to / GIB || 1;
  const { cliff } = found;
  const some = cliff ? [cliff] : [];
  const [low, high] = [(cliff?.between[0] ?? 0) / GIB, Math.min((cliff?.between[1] ?? 0) / GIB, end)];
  // A volume that took several seconds shows their mean: in a picture of hundreds of seconds the line is a curve.
  const curve = { x: (one: Second) => one.middle / GIB, y: "rate" };
  const levels = [
    { rate: cliff?.from, from: 0, to: low, name: "before" },
    { rate: cliff?.to, from: high, to: end, name: "after" },
  ].flatMap((one) => (one.rate === null || one.rate === undefined ? [] : [{ ...one, rate: one.rate }]));
  const named = (name: string, textAnchor: "start" | "end", dx: number) => [
    text(
      levels.filter((one) => one.name === name),
      {
        x: name === "before" ? "from" : "to",
        y: "rate",
        dx,
        dy: -12,
        textAnchor,
        text: (one) => `${name} ${rough(one.rate)} MB/s`,
        fill: "var(--ink)",
        stroke: "var(--surface)",
        strokeWidth: 4,
        paintOrder: "stroke",
      },
    ),
  ];
  const anchor = low / end > 0.7 ? "end" : low / end > 0.3 ? "middle" : "start";
  return picture(`Rate over the volume written to ${found.target}`, {
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
      ruleX(some, { x: ({ written }) => written / GIB, stroke: "var(--caution)", strokeWidth: 1.6 }),
      text(some, {
        x: ({ written }) => written / GIB,
        y: top,
        dy: -10,
        textAnchor: anchor,
        text: ({ written }) => `cliff after ${bytes(written)}`,
        fontWeight: 600,
        fill: "var(--caution)",
      }),
      ...named("before", "start", 4),
      ...named("after", "end", -4),
    ],
  });
}
