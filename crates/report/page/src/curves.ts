//! The pictures of a sweep: lines over one axis, and two axes as a surface of coloured cells.

import { cell, dot, gridX, gridY, line, ruleX, text, type Markish, type PlotOptions } from "@observablehq/plot";
import { rough, tick, withUnit } from "./numbers";
import { linearY, logDomain, logTicks, picture, shortened } from "./plots";
import type { Picture, Spot } from "./sweep";
import { called, lineOf, look, numeric, valueOf } from "./words";

type Side = "throughput" | "latency";
interface Drawn extends Spot {
  value: number;
  low: number;
  high: number;
  at: number;
}

/** Values that lie a factor of this apart are drawn on a logarithmic axis. */
const WIDE = 8;
const RIGHT = 92;

/** Values on a logarithmic axis where they double, on a linear one where they don't, side by side where they are words. */
function across({ along }: Picture): { at: (place: number) => number; options: PlotOptions["x"]; places: number[] } {
  const numbers = numeric(along);
  const value = (place: number) => (numbers ? (along.values[place] as number) : place);
  const places = along.values.map((_, place) => value(place));
  const [low, high] = [Math.min(...places), Math.max(...places)];
  if (numbers && low > 0 && high / low >= WIDE)
    return { at: value, places, options: { type: "log", domain: logDomain(places, 1.12) } };
  const room = numbers ? (high - low) * 0.05 || 1 : 0.5;
  return { at: value, places, options: { domain: [low - room, high + room] } };
}

export function curves(side: Side, of: Picture, width: number): Element {
  const { at, options, places } = across(of);
  const drawn = of.spots.flatMap((spot): Drawn[] => {
    const value = spot.point[side];
    const ci95 = spot.point[`${side}_ci95`];
    if (value === null) return [];
    return [{ ...spot, value, low: ci95?.[0] ?? value, high: ci95?.[1] ?? value, at: at(spot.x) }];
  });
  const edges = drawn.flatMap(({ value, low, high }) => [value, low, high]);
  const latency = side === "latency";
  const domain = latency ? logDomain(edges, 1.3) : ([0, Math.max(...edges, 1e-9) * 1.06] as [number, number]);
  const height = 280;
  const series = of.across?.values ?? [""];
  const bottom = (one: Drawn) => (latency && one.low <= 0 ? domain[0] : Math.max(one.low, domain[0]));
  const tone = (one: Drawn) => shade(one.y, series.length);
  return picture(`${side} over ${of.along.name}; the table below holds the same numbers`, {
    width,
    height,
    marginLeft: 52,
    marginRight: of.across ? RIGHT : 20,
    marginTop: 12,
    marginBottom: 44,
    x: { ...options, axis: null },
    y: latency ? { type: "log", domain, axis: null } : { domain },
    symbol: { type: "identity" },
    marks: [
      ...(latency ? logY(domain, height - 56) : linearY(5)),
      ...ticks(of, places, width),
      line(drawn, {
        x: "at",
        y: "value",
        z: "y",
        stroke: tone,
        ...(numeric(of.along) ? { strokeWidth: 1.8 } : { strokeWidth: 1, strokeDasharray: "2 4" }),
      }),
      ruleX(drawn, { x: "at", y1: bottom, y2: "high", stroke: tone, strokeWidth: 3, strokeOpacity: 0.4 }),
      dot(
        drawn.filter((one) => one.knee),
        { x: "at", y: "value", r: 9, stroke: "var(--ink)", strokeWidth: 1.8, fill: "none", className: "knee" },
      ),
      dot(drawn, {
        x: "at",
        y: "value",
        r: 4,
        symbol: (one: Drawn) => look(one.named.figure.label).symbol,
        stroke: tone,
        strokeWidth: 1.8,
        fill: (one: Drawn) => (look(one.named.figure.label).hollow ? "var(--surface)" : shade(one.y, series.length)),
        href: (one: Drawn) => `#${one.named.id}`,
        title: (one: Drawn) => said(of, one, side),
      }),
      ...names(of, drawn, domain, latency, height - 56),
    ],
  });
}

function said(of: Picture, one: Drawn, side: Side): string {
  const unit = side === "latency" ? "ms" : of.unit;
  const place = [of.along, of.across].flatMap((axis) =>
    axis ? [`${axis.name} ${valueOf(axis, one.point.at[axis.name])}`] : [],
  );
  return `${place.join(", ")}: ${withUnit(one, unit)}, ${one.named.figure.label}`;
}

/** Each value under its points, as far as there is room. */
function ticks(of: Picture, places: number[], width: number): Markish[] {
  const letters = Math.max(...of.along.values.map((value) => valueOf(of.along, value).length));
  const every = Math.ceil((places.length * (letters + 1) * 7) / Math.max(60, width - 52 - RIGHT));
  const shown = places.map((at, place) => ({ at, place })).filter(({ place }) => place % every === 0);
  return [
    gridX(places, { stroke: "var(--grid)", strokeOpacity: 1 }),
    text(shown, {
      x: "at",
      frameAnchor: "bottom",
      dy: 15,
      text: ({ place }) => shortened(valueOf(of.along, of.along.values[place]), 16),
      fill: "var(--soft)",
    }),
    text([called(of.along)], { frameAnchor: "bottom", dy: 33, text: (name: string) => name, fill: "var(--soft)" }),
  ];
}

function logY(domain: [number, number], length: number): Markish[] {
  const shown = logTicks(domain, length, 26);
  return [
    gridY(shown, { stroke: "var(--grid)", strokeOpacity: 1 }),
    text(shown, {
      y: (value) => value,
      frameAnchor: "left",
      dx: -8,
      textAnchor: "end",
      text: tick,
      fill: "var(--soft)",
    }),
  ];
}

/** Each line's name at its right end; those that would lie on each other are moved apart. */
function names(of: Picture, drawn: Drawn[], [low, high]: [number, number], log: boolean, length: number): Markish[] {
  const { across: axis } = of;
  if (!axis) return [];
  const place = (value: number) => (log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low));
  const ends = axis.values
    .map((_, y) => drawn.filter((one) => one.y === y).sort((a, b) => a.at - b.at))
    .flatMap((line) => (line.length > 0 ? [line[line.length - 1]!] : []))
    .sort((a, b) => b.value - a.value);
  let last = -Infinity;
  const shown = ends.map((one) => {
    const wanted = length * (1 - place(one.value));
    last = Math.max(wanted, last + 14);
    return { one, dy: last - wanted };
  });
  const name = (one: Drawn) => shortened(lineOf(axis, axis.values[one.y]), 13);
  return shown.map(({ one, dy }) =>
    text([one], {
      x: "at",
      y: "value",
      dx: 12,
      dy,
      textAnchor: "start",
      text: name,
      fill: shade(one.y, axis.values.length),
      fontWeight: 600,
    }),
  );
}

/** From the first line's colour to the last one's: the order of the values shows. */
const shade = (place: number, count: number): string => {
  const share = count > 1 ? Math.round((place / (count - 1)) * 100) : 0;
  return `color-mix(in oklab, var(--caution) ${share}%, var(--good))`;
};

/** Two axes as a surface: the more throughput, the fuller the cell. */
export function surface(of: Picture, width: number): Element {
  const axis = of.across!;
  const most = Math.max(...of.spots.map((spot) => spot.point.throughput ?? 0), 1e-9);
  const share = (spot: Spot) => (spot.point.throughput ?? 0) / most;
  const left = Math.min(140, 24 + 7 * Math.max(...axis.values.map((value) => valueOf(axis, value).length)));
  const column = (width - left - 12) / of.along.values.length;
  const fill = (spot: Spot) => `color-mix(in oklab, var(--good) ${Math.round(share(spot) * 100)}%, var(--surface))`;
  return picture(`throughput over ${of.along.name} and ${axis.name}; the table below holds the same numbers`, {
    width,
    height: 46 + 34 * axis.values.length,
    marginLeft: left,
    marginRight: 12,
    marginTop: 4,
    marginBottom: 40,
    x: { type: "band", domain: of.along.values.map((_, place) => place), padding: 0.04, axis: null },
    y: { type: "band", domain: axis.values.map((_, place) => place).reverse(), padding: 0.06, axis: null },
    marks: [
      cell(of.spots, {
        x: "x",
        y: "y",
        fill,
        stroke: (spot: Spot) => (spot.knee ? "var(--ink)" : "var(--rule)"),
        strokeWidth: (spot: Spot) => (spot.knee ? 2.2 : 0.8),
        rx: 3,
        href: (spot: Spot) => `#${spot.named.id}`,
        title: (spot: Spot) =>
          `${of.along.name} ${valueOf(of.along, of.along.values[spot.x])}, ${axis.name} ${valueOf(axis, axis.values[spot.y])}: ` +
          `${rough(spot.point.throughput)} ${of.unit}, ${spot.named.figure.label}`,
      }),
      text(column > 30 ? of.spots : [], {
        x: "x",
        y: "y",
        text: (spot: Spot) => (spot.point.throughput === null ? "–" : tick(spot.point.throughput)),
        fill: (spot: Spot) => (share(spot) > 0.55 ? "var(--surface)" : "var(--ink)"),
        pointerEvents: "none",
      }),
      ...edges(of, column),
    ],
  });
}

function edges(of: Picture, column: number): Markish[] {
  const [x, y] = [of.along, of.across!];
  const label = (axis: typeof x) => (place: number) => shortened(valueOf(axis, axis.values[place]), 14);
  const letters = Math.max(...x.values.map((value) => valueOf(x, value).length)) + 1;
  const every = Math.ceil((letters * 7) / Math.max(1, column));
  const places = x.values.map((_, place) => place).filter((place) => place % every === 0);
  const soft = { fill: "var(--soft)" };
  return [
    text(places, { x: (place: number) => place, frameAnchor: "bottom", dy: 14, text: label(x), ...soft }),
    text([called(x)], { frameAnchor: "bottom", dy: 31, text: (name: string) => name, ...soft }),
    text(
      y.values.map((_, place) => place),
      { y: (place: number) => place, frameAnchor: "left", dx: -8, textAnchor: "end", text: label(y), ...soft },
    ),
  ];
}
