//! Series of points with their intervals over one axis, with what is to be kept, and a ring around what counts.

import { dot, gridX, gridY, line, ruleX, ruleY, text, type Markish, type PlotOptions } from "@observablehq/plot";
import type { Link } from "./blocks";
import { tick } from "./numbers";
import { linearX, linearY, logDomain, logTicks, picture, shortened } from "./plots";
import type { Axis, Lines, Point } from "./types_page";
import { look } from "./words";

interface Drawn extends Point {
  value: number;
  low: number;
  high: number;
  /** Which of the series. */
  line: number;
}

const [LEFT, RIGHT, BOTTOM, TOP, HEIGHT] = [52, 92, 44, 14, 280];

export function drawLines(of: Lines, link: Link, width: number): Element {
  const { caption, x, y, series, bounds } = of;
  const edges = series.flatMap(({ points }) => points.flatMap(({ y: { value, low, high } }) => [value, low, high]));
  const kept = bounds.flatMap((bound) => (bound.y === null ? [] : [bound.y]));
  const most = Math.max(...edges.map((edge) => edge ?? 0), ...kept, 1e-9);
  const domain: [number, number] = y.log ? logDomain([...edges, ...kept], 1.3) : [0, most * 1.06];
  const clip = (value: number) => Math.min(Math.max(value, domain[0]), domain[1]);
  // An interval without an end goes to the top, a value without any is a point.
  const drawn = series.flatMap(({ points }, at) =>
    points.map((point): Drawn => {
      const { value, low, high } = point.y;
      const top = high ?? (low === null ? value : domain[1]);
      return { ...point, value, low: clip(low ?? value), high: clip(top), line: at };
    }),
  );
  const tone = (one: Drawn) => shade(one.line, series.length);
  const named = series.some(({ name }) => name !== "");
  const right = named ? RIGHT : 20;
  const joined = series.every((one) => one.joined);
  return picture(`${caption.title} ${y.title} over ${x.title}; the table below holds the same numbers`, {
    width,
    height: HEIGHT,
    marginLeft: LEFT,
    marginRight: right,
    marginTop: TOP,
    marginBottom: BOTTOM,
    x: across(x),
    y: y.log ? { type: "log", domain, axis: null } : { domain },
    symbol: { type: "identity" },
    marks: [
      ...(y.log ? logY(domain) : linearY(5)),
      ...(x.ticks.length > 0 ? ticks(x, width - LEFT - right) : linearX(width / 110)),
      text([x.title], { frameAnchor: "bottom", dy: 33, text: (name: string) => name, fill: "var(--soft)" }),
      ...bounds.flatMap(limit),
      line(drawn, {
        x: "x",
        y: "value",
        z: "line",
        stroke: tone,
        ...(joined ? { strokeWidth: 1.8 } : { strokeWidth: 1, strokeDasharray: "2 4" }),
      }),
      ruleX(drawn, { x: "x", y1: "low", y2: "high", stroke: tone, strokeWidth: 3, strokeOpacity: 0.4 }),
      dot(
        drawn.filter((one) => one.ring),
        { x: "x", y: "value", r: 9, stroke: "var(--ink)", strokeWidth: 1.8, fill: "none", className: "knee" },
      ),
      dot(drawn, {
        x: "x",
        y: "value",
        r: 4,
        symbol: (one: Drawn) => look(one.label).symbol,
        stroke: tone,
        strokeWidth: 1.8,
        fill: (one: Drawn) => (look(one.label).hollow ? "var(--surface)" : tone(one)),
        href: (one: Drawn) => (one.figure === null ? null : link(one.figure)),
        title: (one: Drawn) => one.y.text,
      }),
      ...names(of, drawn, domain),
    ],
  });
}

/** Numbers that lie far apart on a logarithmic axis; few values get room at both ends. */
function across({ log, ticks: all }: Axis): PlotOptions["x"] {
  const places = all.map(({ at }) => at);
  if (places.length === 0) return { type: "linear", zero: true, nice: true };
  if (log) return { type: "log", domain: logDomain(places, 1.12), axis: null };
  const [low, high] = [Math.min(...places), Math.max(...places)];
  const room = (high - low) * 0.05 || 0.5;
  return { domain: [low - room, high + room], axis: null };
}

/** Each value under its points, as far as there is room. */
function ticks({ ticks: all }: Axis, width: number): Markish[] {
  const letters = Math.max(...all.map((tick) => tick.text.length));
  const every = Math.ceil((all.length * (letters + 1) * 7) / Math.max(60, width));
  return [
    gridX(
      all.map(({ at }) => at),
      { stroke: "var(--grid)", strokeOpacity: 1 },
    ),
    text(
      all.filter((_, place) => place % every === 0),
      {
        x: ({ at }) => at,
        frameAnchor: "bottom",
        dy: 15,
        text: (tick) => shortened(tick.text, 16),
        fill: "var(--soft)",
      },
    ),
  ];
}

function logY(domain: [number, number]): Markish[] {
  const shown = logTicks(domain, HEIGHT - TOP - BOTTOM, 26);
  const soft = { fill: "var(--soft)" };
  return [
    gridY(shown, { stroke: "var(--grid)", strokeOpacity: 1 }),
    text(shown, { y: (value) => value, frameAnchor: "left", dx: -8, textAnchor: "end", text: tick, ...soft }),
  ];
}

function limit({ x, y, text: said }: Lines["bounds"][0]): Markish[] {
  if (x !== null) return [ruleX([x], { stroke: "var(--soft)", strokeDasharray: "2,3" })];
  if (y === null) return [];
  const words = { frameAnchor: "left" as const, dx: 6, dy: -7, textAnchor: "start" as const, fill: "var(--bad)" };
  return [
    ruleY([y], { stroke: "var(--bad)", strokeDasharray: "4,3" }),
    text([y], { y: (at: number) => at, text: () => said, ...words }),
  ];
}

/** Each line's name at its right end; those that would lie on each other are moved apart. */
function names({ y, series }: Lines, drawn: Drawn[], [low, high]: [number, number]): Markish[] {
  const length = HEIGHT - TOP - BOTTOM;
  const place = (value: number) =>
    y.log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const ends = series
    .map((_, at) => drawn.filter((one) => one.line === at).sort((a, b) => a.x - b.x))
    .flatMap((line) => line.slice(-1))
    .sort((a, b) => b.value - a.value);
  let last = -Infinity;
  return ends.map((one) => {
    const wanted = length * (1 - place(one.value));
    last = Math.max(wanted, last + 14);
    return text([one], {
      x: "x",
      y: "value",
      dx: 12,
      dy: last - wanted,
      textAnchor: "start",
      text: () => shortened(series[one.line]!.name, 13),
      fill: shade(one.line, series.length),
      fontWeight: 600,
    });
  });
}

/** From the first line's colour to the last one's: the order of the values shows. */
const shade = (place: number, count: number): string => {
  const share = count > 1 ? Math.round((place / (count - 1)) * 100) : 0;
  return `color-mix(in oklab, var(--caution) ${share}%, var(--good))`;
};
