//! The run that this page carries, as the Rust side wrote it (crates/report/src/json/ and src/html/).

import { readers, rows, views, type Table } from "./columns";
import type {
  Common,
  Detail,
  Estimate,
  Figure,
  Interval,
  LayerName,
  Named,
  PatternName,
  Percentile,
  RawFigure,
  Run,
  Written,
} from "./types";
import { carried } from "./dom";
import type { PageSection } from "./types_page";

export type * from "./types";

// The compiler tells of one that is missing: every name of the document is a key.
export const LAYERS = Object.keys({
  device: true,
  network: true,
  floor: true,
  store: true,
  osd: true,
  rados: true,
  rbd: true,
  file: true,
  object: true,
  guest: true,
} satisfies Record<LayerName, true>) as LayerName[];
export const PATTERNS = Object.keys({
  "write-latency": true,
  "read-latency": true,
  "write-parallel": true,
  "read-parallel": true,
  "write-linear": true,
  "read-linear": true,
  "create-delete": true,
  stat: true,
  "stat-cached": true,
  "open-read": true,
  list: true,
  rename: true,
  mixed: true,
} satisfies Record<PatternName, true>) as PatternName[];

/** The document `fathom.run/1`, but for its figures; seeds that JavaScript can't hold are text. */
const bare = (): Common => JSON.parse(carried("document")) as Common;
const table = (id: "columns" | "written"): Table => JSON.parse(carried(id)) as Table;

/** The document as text: what is saved as JSON. In strings the quotes are escaped. */
export const raw = (): string =>
  JSON.stringify({ ...bare(), figures: rows(table("columns")) }).replace(/("seed":)"(\d{16,})"/g, "$1$2");

/** What a label means and what to do, in the words of every face; none for `settled`. */
export function meaningOf(label: string): [string, string] | undefined {
  meanings ??= new Map(Object.entries(JSON.parse(carried("meanings")) as Record<string, [string, string]>));
  return meanings.get(label);
}
let meanings: Map<string, [string, string]> | undefined;

export function load(): Run {
  const run = bare();
  const sections = JSON.parse(carried("sections")) as PageSection[];
  return { ...run, sections, figures: named(figuresOf(run), lines("details")) };
}

function figuresOf(run: Common): Figure[] {
  const all = table("columns");
  const read = readers<RawFigure>(all);
  const shown = table("written");
  const written = views<Written>(readers<Written>(shown), shown.rows);
  const hosts = new Map((run.scope?.osds ?? []).map((osd) => [`osd.${osd.id}`, osd.host]));
  const more = {
    // Of an OSD, where the figure itself does not say.
    host: (row: number) => read.host(row) ?? hosts.get(read.target(row)) ?? null,
    estimate: (row: number) => estimate(read.value(row), read.ci95(row)),
    percentiles: (row: number) => joined(read.percentiles(row), read.percentiles_ci95(row), written[row]!.percentiles),
    response: (row: number) =>
      joined(read.response_percentiles(row), read.response_percentiles_ci95(row), written[row]!.response),
    written: (row: number) => written[row]!,
  };
  return views<Figure>({ ...read, ...more }, all.rows);
}

/** The lines of a long text one by one: it is gone through no further than somebody looks. */
function lines(id: string): (index: number) => string {
  let whole: string | undefined;
  const begins = [0];
  return (index) => {
    whole ??= carried(id);
    while (begins.length <= index + 1) begins.push(whole.indexOf("\n", begins.at(-1)) + 1 || whole.length + 1);
    return whole.slice(begins[index], begins[index + 1]! - 1);
  };
}

const estimate = (value: number | null, ci95: Interval | null): Estimate | null =>
  value === null ? null : { value, low: ci95?.[0] ?? null, high: ci95?.[1] ?? null };

function joined(
  values: Record<string, number | null>,
  intervals: Record<string, Interval>,
  written: Written["percentiles"],
): Percentile[] {
  const all = Object.entries(values).flatMap(([percent, value_ms]) =>
    value_ms === null
      ? []
      : [
          {
            percent: Number(percent),
            value_ms,
            low_ms: intervals[percent]?.[0] ?? null,
            high_ms: intervals[percent]?.[1] ?? null,
            text: written[percent] ?? ["", ""],
          },
        ],
  );
  return all.sort((a, b) => a.percent - b.percent);
}

export const mixed = (figure: Figure): boolean =>
  Object.keys(figure.workload.operations ?? {}).length > 1 ||
  ((figure.workload.read_percent ?? 0) > 0 && (figure.workload.read_percent ?? 0) < 100);

/** A figure's name in addresses, unique in its run. */
function names(figures: Figure[]): (index: number) => string {
  const times = new Map<string, number>();
  const parts = figures.map((figure) => {
    const parts = ["figure", figure.layer, figure.target, figure.pattern];
    if (mixed(figure)) parts.push(figure.kind);
    if (figure.at_once > 1 && !figure.target.endsWith(".*")) parts.push("at-once");
    const plain = parts.join("\n");
    const time = (times.get(plain) ?? 0) + 1;
    times.set(plain, time);
    return time > 1 ? [...parts, String(time)] : parts;
  });
  return (index) => parts[index]!.map(encodeURIComponent).join("/");
}

/** A figure's detail is a line of its own, read when it is looked at: of a large run hardly any ever is. */
function named(figures: Figure[], details: (index: number) => string): Named[] {
  const name = names(figures);
  return figures.map((figure, index) => ({
    get id() {
      return name(index);
    },
    figure,
    get detail() {
      const line = details(index);
      return line ? (JSON.parse(line) as Detail) : NO_DETAIL;
    },
    index,
  }));
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
