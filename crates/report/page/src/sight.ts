//! What made a figure's label visible, drawn into its series: levels, the fall, dips, and when RocksDB compacted.

import { link, rect, ruleX, text, type Markish } from "@observablehq/plot";
import { meaningOf, type Figure } from "./data";
import { h } from "./dom";
import type { Strip } from "./strips";

/** A level that is named: from where to where it reaches. */
interface Level {
  x1: number;
  x2: number;
  y: number;
  name: string;
}
interface Stretch {
  x1: number;
  x2: number;
}

const secondsOf = (strip: Strip): number => strip.to - strip.from;
const ofPass = (all: Strip[], pass: number): Strip | undefined => all.find((one) => one.slice.pass === pass);

/** A place in the picture of a time in a slice. */
const within = (strip: Strip, seconds: number): number => strip.from + Math.min(Math.max(seconds, 0), secondsOf(strip));

/** When tables were written, as far as it lies in the slices. */
export function compactions(all: Strip[]): Stretch[] {
  const some = all.flatMap((one) =>
    (one.slice.compaction ?? []).map(([from, to]) => ({ x1: within(one, from), x2: within(one, to) })),
  );
  return some.filter(({ x1, x2 }) => x2 > x1);
}

/** Marks beneath the series. */
export const compactionMarks = (all: Strip[]): Markish[] => [
  link(compactions(all), {
    x1: "x1",
    x2: "x2",
    y1: 0,
    y2: 0,
    dy: 4,
    strokeWidth: 5,
    stroke: "var(--compaction)",
    strokeLinecap: "butt",
    className: "compactions",
  }),
];

/** Does the figure have a shape that is drawn? Then this is how the legend calls it. */
export function sightKey({ sight }: Figure): string | null {
  switch (sight?.shape) {
    case "two-levels":
      return "its two levels";
    case "fall":
      return "before and after the fall";
    case "dips":
      return "dips";
    case "moving":
      return "where the level was, and where it went";
    case "slices":
      return "how far the slices lie apart";
    default:
      return null;
  }
}

export function sightMarks(figure: Figure, all: Strip[], top: number): Markish[] {
  const end = all[all.length - 1]!.to;
  const [first = "", second = ""] = figure.written.sight;
  switch (figure.sight?.shape) {
    case "two-levels": {
      const { low, high } = figure.sight;
      return levels([level(0, end, low, first), level(0, end, high, second)]);
    }
    case "fall": {
      const { before, after, at } = figure.sight;
      const strip = all.filter((one) => one.slice.started_seconds <= (at ?? 0)).pop() ?? all[0]!;
      const x = within(strip, (at ?? 0) - strip.slice.started_seconds);
      return [
        ruleX([x], { stroke: "var(--caution)", strokeWidth: 1.4, strokeDasharray: "2,3" }),
        ...levels([level(0, x, before, first), level(x, end, after, second)]),
      ];
    }
    case "moving": {
      const { pass, from, to } = figure.sight;
      const strip = ofPass(all, pass) ?? all[0]!;
      const counted = strip.to - strip.settledFrom;
      return levels([
        level(strip.settledFrom, strip.settledFrom + 0.3 * counted, from, first),
        level(strip.settledFrom + 0.5 * counted, strip.to, to, second),
      ]);
    }
    case "dips":
      return dips(figure.sight.dips, all, top);
    case "slices":
      return spread(first, figure.sight.means, end);
    default:
      return [];
  }
}

const level = (x1: number, x2: number, y: number | null, name: string): Level[] =>
  y === null ? [] : [{ x1, x2, y, name }];

/** Named at their right ends, where the series has gone by. */
function levels(parts: Level[][]): Markish[] {
  const some = parts.flat();
  return [
    link(some, { x1: "x1", x2: "x2", y1: "y", y2: "y", stroke: "var(--caution)", strokeWidth: 2, className: "sight" }),
    text(some, {
      x: "x2",
      y: "y",
      dy: -8,
      dx: -3,
      textAnchor: "end",
      text: "name",
      fontWeight: 600,
      fill: "var(--caution)",
      stroke: "var(--surface)",
      strokeWidth: 4,
      paintOrder: "stroke",
    }),
  ];
}

function dips(found: { pass: number; from: number | null; to: number | null }[], all: Strip[], top: number): Markish[] {
  const some = found.flatMap((dip) => {
    const strip = ofPass(all, dip.pass);
    return strip ? [{ x1: within(strip, dip.from ?? 0), x2: within(strip, dip.to ?? 0) }] : [];
  });
  return [
    rect(some, { x1: "x1", x2: "x2", y1: 0, y2: top, fill: "var(--caution)", fillOpacity: 0.22, className: "sight" }),
    text(some, { x: (one: Stretch) => (one.x1 + one.x2) / 2, y: 0, dy: -7, text: () => "dip", fill: "var(--caution)" }),
  ];
}

function spread(name: string, means: (number | null)[], end: number): Markish[] {
  const known = means.filter((mean): mean is number => mean !== null);
  if (known.length === 0) return [];
  const [low, high] = [Math.min(...known), Math.max(...known)];
  const edges = { stroke: "var(--caution)", strokeWidth: 1.4, strokeDasharray: "6,3", className: "sight" };
  return [
    rect([0], { x1: 0, x2: end, y1: low, y2: high, fill: "var(--caution)", fillOpacity: 0.14 }),
    link([low, high], { x1: 0, x2: end, y1: (y: number) => y, y2: (y: number) => y, ...edges }),
    text([high], {
      x: end,
      y: (y: number) => y,
      dy: -8,
      dx: -3,
      textAnchor: "end",
      text: () => name,
      fontWeight: 600,
      fill: "var(--caution)",
      stroke: "var(--surface)",
      strokeWidth: 4,
      paintOrder: "stroke",
    }),
  ];
}

/** One sentence of what the label means and one of what to do; and what the stores did meanwhile. */
export function explained(figure: Figure): HTMLElement | null {
  const known = meaningOf(figure.label);
  const says = figure.background?.says;
  if (!known && !says) return null;
  return h(
    "p",
    { class: "means" },
    known && h("span", {}, h("b", {}, "What it means: "), known[0], " ", h("b", {}, "What to do: "), known[1]),
    says && h("span", { class: "says" }, `${says.charAt(0).toUpperCase()}${says.slice(1)}.`),
  );
}
