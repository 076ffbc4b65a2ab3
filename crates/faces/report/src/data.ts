//! The run that this page carries, as the Rust side wrote it (crates/faces/src/json.rs and src/html/).

import type {
  Detail,
  Estimate,
  Figure,
  Interval,
  LayerName,
  Named,
  PatternName,
  Percentile,
  RawRun,
  Run,
  Sweep,
} from "./types";
import { called, valueOf } from "./words";

export type * from "./types";

export const LAYERS: LayerName[] = ["device", "network", "floor", "store", "osd", "rados", "rbd"];
export const PATTERNS: PatternName[] = [
  "write-latency",
  "read-latency",
  "write-parallel",
  "read-parallel",
  "write-linear",
  "read-linear",
];

const text = (id: string): string => document.getElementById(id)?.textContent ?? "null";

/** The document as it is: what is saved as JSON. */
export const raw = (): string => text("document");

/** What a label means and what to do, in the words of every face; none for `settled`. */
export function meaningOf(label: string): [string, string] | undefined {
  meanings ??= new Map(Object.entries(JSON.parse(text("meanings")) as Record<string, [string, string]>));
  return meanings.get(label);
}
let meanings: Map<string, [string, string]> | undefined;

export function load(): Run {
  // Seeds may lie beyond 2^53: kept as text, so that the very number is shown. In strings the quotes are escaped.
  const run = JSON.parse(raw().replace(/("seed":)(\d{16,})/g, '$1"$2"')) as RawRun;
  let lines: string[] | undefined;
  const hosts = new Map(run.scope.osds.map((osd) => [`osd.${osd.id}`, osd.host]));
  const details = (index: number) => (lines ??= text("details").split("\n"))[index];
  return {
    ...run,
    figures: named(
      run.figures.map(
        (
          { value, ci95, percentiles, percentiles_ci95, response_percentiles, response_percentiles_ci95, ...rest },
          index,
        ) => ({
          ...rest,
          // Of an OSD, where the figure itself does not say.
          host: rest.host ?? hosts.get(rest.target) ?? null,
          estimate: estimate(value, ci95),
          percentiles: joined(percentiles, percentiles_ci95),
          point: pointOf(run.sweep, index),
          response: joined(response_percentiles, response_percentiles_ci95),
        }),
      ),
      details,
    ),
    verdicts: run.verdicts.map(({ value, ci95, ...rest }) => ({ ...rest, estimate: estimate(value, ci95) })),
    chart: run.chart.map(({ value, ci95, ...rest }) => ({ ...rest, estimate: estimate(value, ci95) })),
    ledger: run.ledger.flatMap(({ adds, ci95, ...rest }) => {
      const joined = estimate(adds, ci95);
      return joined === null ? [] : [{ ...rest, adds: joined }];
    }),
  };
}

function pointOf(sweep: Sweep | null, figure: number): string {
  const point = sweep?.points.find((one) => one.figure === figure);
  return point ? sweep!.axes.map((axis) => `${called(axis)} ${valueOf(axis, point.at[axis.name])}`).join(", ") : "";
}

const estimate = (value: number | null, ci95: Interval | null): Estimate | null =>
  value === null ? null : { value, low: ci95?.[0] ?? null, high: ci95?.[1] ?? null };

function joined(values: Record<string, number | null>, intervals: Record<string, Interval>): Percentile[] {
  const all = Object.entries(values).flatMap(([percent, value_ms]) =>
    value_ms === null
      ? []
      : [
          {
            percent: Number(percent),
            value_ms,
            low_ms: intervals[percent]?.[0] ?? null,
            high_ms: intervals[percent]?.[1] ?? null,
          },
        ],
  );
  return all.sort((a, b) => a.percent - b.percent);
}

export const mixed = (figure: Figure): boolean =>
  figure.workload.read_percent > 0 && figure.workload.read_percent < 100;

/** A figure's detail is a line of its own, read when it is looked at: of a large run hardly any ever is. */
function named(figures: Figure[], details: (index: number) => string | undefined): Named[] {
  const taken = new Set<string>();
  return figures.map((figure, index) => {
    const parts = ["figure", figure.layer, figure.target, figure.pattern];
    if (mixed(figure)) parts.push(figure.kind);
    if (figure.at_once > 1 && !figure.target.endsWith(".*")) parts.push("at-once");
    const plain = parts.map(encodeURIComponent).join("/");
    let id = plain;
    for (let n = 2; taken.has(id); n++) id = `${plain}/${n}`;
    taken.add(id);
    return {
      id,
      figure,
      get detail() {
        const line = details(index);
        return line ? (JSON.parse(line) as Detail) : NO_DETAIL;
      },
      index,
    };
  });
}

const NO_DETAIL: Detail = { slices: [], latencies: { power: 7, index: [], count: [], sum_ns: 0, max_ns: 0 } };

/** Lowest and first too high ns of a bin: the recorder's log-linear buckets, 2^power a doubling. */
export function binRange(index: number, power: number): [number, number] {
  const perDoubling = 2 ** power;
  if (index < 2 * perDoubling) return [index, index + 1];
  const doubling = Math.floor((index - 2 * perDoubling) / perDoubling) + power + 1;
  const width = 2 ** (doubling - power);
  const low = 2 ** doubling + (index % perDoubling) * width;
  return [low, low + width];
}
