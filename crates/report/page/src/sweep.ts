//! A sweep: for each target its curves as lines, two axes as a surface, every point in a table, and where the curves bend.

import { curves, surface } from "./curves";
import {
  mixed,
  type Figure,
  type Named,
  type Run,
  type Sweep,
  type SweepAxis,
  type SweepKnee,
  type SweepPoint,
} from "./data";
import { h, section, type Child } from "./dom";
import { count, estimate, NOTHING, rough } from "./numbers";
import { place as box } from "./plots";
import { badge, called, numeric, place, valueOf } from "./words";

/** A point with its figure; `x` and `y` are places on the axes of the picture. */
export interface Spot {
  point: SweepPoint;
  named: Named;
  x: number;
  y: number;
  knee: boolean;
}

/** One picture: points that differ only on the axis along which lines go, and on the one that tells lines apart. */
export interface Picture {
  along: SweepAxis;
  across: SweepAxis | null;
  spots: Spot[];
  unit: string;
  /** The other axes' values. */
  rest: string;
}

export function sweep({ sweep: found, figures }: Run): HTMLElement | null {
  if (found === null) return null;
  const targets = grouped(found.points, (point) => {
    const figure = figures[point.figure]?.figure;
    return figure ? [figure.layer, targetOf(found, figure), figure.pattern, figure.kind].join("\n") : "";
  });
  const names = found.axes.map(called).join(" × ");
  const left =
    found.left_out > 0
      ? ` Left out, for more jobs than depth or more clients than jobs: ${count(found.left_out)}.`
      : "";
  return section(
    "sweep",
    "Sweep",
    `Every combination of ${names}, in shuffled order pass by pass. Bars are 95 % intervals; a ring marks the knee, ` +
      `the smallest depth with 95 % of the best throughput.${left}`,
    ...targets.map((points) => target(found, points, figures)),
  );
}

function target(found: Sweep, points: SweepPoint[], figures: Named[]): HTMLElement {
  const first = figures[points[0]!.figure]!.figure;
  const kind = mixed(first) || found.axes.some((axis) => axis.name === "read-share") ? `, its ${first.kind}s` : "";
  const knees = found.knees.filter((knee) => knee.points.some((index) => points.includes(found.points[index]!)));
  return h(
    "div",
    { class: "swept" },
    h("h3", {}, `${place(first.layer, targetOf(found, first))} · ${first.pattern}${kind}`),
    knees.length > 0 && h("ul", { class: "knees" }, ...knees.map((knee) => sentence(found, knee))),
    ...pictures(found, points, figures).flatMap(panels),
    table(found, points, figures),
  );
}

/** Pools that were made for each point are one target all the same. */
const targetOf = (found: Sweep, figure: Figure): string =>
  found.axes.some((axis) => axis.name === "pgs" || axis.name === "osds") ? "pool" : figure.target;

function sentence(found: Sweep, knee: SweepKnee): HTMLElement {
  const point = found.points[knee.points[0]!]!;
  const others = found.axes
    .filter((axis) => axis !== along(found))
    .map((axis) => `${called(axis)} ${told(axis, point)}`);
  return h("li", {}, h("b", {}, others.length > 0 ? `${capital(others.join(", "))}: ` : ""), `${knee.says}.`);
}

/** The depth, along which load grows; else the first axis of numbers, else the first. */
const along = (found: Sweep): SweepAxis =>
  found.axes.find((axis) => axis.name === "depth") ?? found.axes.find(numeric) ?? found.axes[0]!;

function pictures(found: Sweep, points: SweepPoint[], figures: Named[]): Picture[] {
  const [first, ...others] = [along(found), ...found.axes.filter((axis) => axis !== along(found))];
  const [across, ...rest] = others;
  const says = (point: SweepPoint) => rest.map((axis) => `${called(axis)} ${told(axis, point)}`).join(", ");
  return grouped(points, says).map((some) => ({
    along: first!,
    across: across ?? null,
    unit: some[0]!.throughput_unit,
    rest: says(some[0]!),
    spots: some.map((point) => ({
      point,
      named: figures[point.figure]!,
      x: first!.values.indexOf(point.at[first!.name]!),
      y: across ? across.values.indexOf(point.at[across.name]!) : 0,
      knee: marks(found, point, figures).includes("knee"),
    })),
  }));
}

function panels(of: Picture): HTMLElement[] {
  const panel = (title: string, unit: string, drawn: HTMLElement) =>
    h("figure", { class: "panel" }, h("figcaption", {}, h("h3", {}, title), h("span", { class: "unit" }, unit)), drawn);
  const lines = h(
    "div",
    { class: "panels two" },
    panel(
      "Throughput",
      of.unit,
      box(`Throughput over ${called(of.along)}`, (width) => curves("throughput", of, width)),
    ),
    panel(
      "Mean latency",
      "ms",
      box(`Mean latency over ${called(of.along)}`, (width) => curves("latency", of, width)),
    ),
  );
  const flat = of.across && of.across.values.length > 1 && of.along.values.length > 1;
  const map =
    flat &&
    panel(
      `${called(of.along)} × ${called(of.across!)}`,
      of.unit,
      box(`Throughput over ${called(of.along)} and ${called(of.across!)}`, (width) => surface(of, width)),
    );
  return [...(of.rest ? [h("h4", {}, of.rest)] : []), lines, ...(map ? [map] : [])];
}

function table(found: Sweep, points: SweepPoint[], figures: Named[]): HTMLElement {
  const axes = [...found.axes.filter((axis) => axis !== along(found)), along(found)];
  const unit = points[0]!.throughput_unit;
  const places = (point: SweepPoint) => axes.map((axis) => axis.values.indexOf(point.at[axis.name]!));
  const sorted = [...points].sort((a, b) => compare(places(a), places(b)));
  const heads = [...axes.map(called), unit, "latency, ms", "p99, ms", "label", ""];
  const row = (point: SweepPoint) => {
    const { id, figure } = figures[point.figure]!;
    const marked = marks(found, point, figures);
    const cells: Child[] = [
      ...axes.map((axis) => told(axis, point)),
      h("a", { href: `#${id}` }, interval(point.throughput, point.throughput_ci95, unit)),
      interval(point.latency, point.latency_ci95, "ms"),
      rough(figure.percentiles.find((one) => one.percent === 99)?.value_ms ?? null),
      badge(figure.label, figure.why),
      marked.join(", "),
    ];
    const words = axes.length + 3;
    const cell = (child: Child, column: number) => h("td", { class: column < words ? "number" : null }, child);
    return h("tr", { class: marked.includes("knee") ? "knee" : null }, ...cells.map(cell));
  };
  const head = (text: string, column: number) =>
    h("th", { scope: "col", class: column < axes.length + 3 ? "number" : null }, text);
  return h(
    "div",
    { class: "scroll tall", tabindex: 0, role: "region", "aria-label": "Every point" },
    h(
      "table",
      { class: "numbers sweep-table", "aria-label": "Every point" },
      h("thead", {}, h("tr", {}, ...heads.map(head))),
      h("tbody", {}, ...sorted.map(row)),
    ),
  );
}

const interval = (value: number | null, ci95: [number | null, number | null] | null, unit: string): string =>
  value === null ? NOTHING : estimate({ value, low: ci95?.[0] ?? null, high: ci95?.[1] ?? null }, unit);

function marks(found: Sweep, point: SweepPoint, figures: Named[]): string[] {
  const index = found.points.indexOf(point);
  const knee = found.knees.find((one) => one.points.includes(index));
  const depth = figures[point.figure]!.figure.workload.depth;
  if (!knee) return [];
  return [
    ...(knee.depth === depth ? ["knee"] : []),
    ...(knee.balance === depth ? ["balance"] : []),
    ...(knee.best === depth ? ["best"] : []),
  ];
}

const told = (axis: SweepAxis, point: SweepPoint): string => valueOf(axis, point.at[axis.name]);

function grouped<T>(all: T[], key: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(key(one), [...(groups.get(key(one)) ?? []), one]);
  return [...groups.values()];
}

const compare = (a: number[], b: number[]): number => a.reduce((sum, place, at) => sum || place - b[at]!, 0);
/** Names of options stay as they are. */
const capital = (text: string): string => (text.includes("/") ? text : text.charAt(0).toUpperCase() + text.slice(1));
