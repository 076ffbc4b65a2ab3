//! The raw numbers as files, made of what this page carries: nothing is fetched.

import { raw, type Figure, type Named, type Run } from "./data";
import { h, section } from "./dom";
import { points } from "./strips";

type Field = string | number | boolean | null | undefined;

/** A text that a spreadsheet would take for a formula stays a text, as in the command's CSV. */
function harmless(text: string): string {
  return /^\s*[=+\-@＝＋－＠|%]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

/** RFC 4180: text with quotes, commas or line ends is quoted. */
export function csv(rows: Field[][]): string {
  const field = (value: Field) => {
    const text = value === null || value === undefined ? "" : harmless(String(value));
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return rows.map((row) => row.map(field).join(",")).join("\r\n") + "\r\n";
}

/** What the load generator took, as shares; what measuring one such operation costs by itself, ns. */
function cost({ overhead }: Pick<Run, "overhead">, { effort, workload }: Figure): Field[] {
  const single = Math.ceil(workload.depth / Math.max(workload.jobs, 1)) <= 1;
  const each = overhead && (single ? overhead.operation_ns : overhead.deep_operation_ns);
  return [effort?.busy, effort?.queued, effort?.overhead, each];
}

/** `4096-1048576`, `4096x70-65536x30`: bytes, and percents. */
function sizes({ workload: { sizes } }: Figure): Field {
  if (!sizes) return undefined;
  return "between" in sizes
    ? `${sizes.between.least}-${sizes.between.most}`
    : sizes.shares.map(({ bytes, percent }) => `${bytes}x${percent}`).join("-");
}

function tree({ workload: { tree } }: Figure): Field {
  return tree ? `${tree.levels}x${tree.folders}x${tree.files}${tree.shared ? " shared" : ""}` : undefined;
}

/** Of other operations than reads and writes, by name. */
function mix({ workload: { operations } }: Figure): Field {
  return Object.entries(operations ?? {})
    .map((pair) => pair.join("="))
    .sort()
    .join(" ");
}

function flaws({ verified: of }: Figure): Field[] {
  return [of?.bytes, of?.unknown, of?.wrong, of?.stale, of?.torn, of?.misplaced];
}

export function figureRows(run: Pick<Run, "overhead">, all: Named[]): Field[][] {
  const percents = [50, 95, 99, 99.9, 100];
  const responses = [50, 99, 99.9];
  const head = [
    "layer",
    "target",
    "host",
    "pattern",
    "kind",
    "metric",
    "value",
    "ci95_low",
    "ci95_high",
    "label",
    "why",
    "chart",
    "at_once",
    "slices",
    "seconds",
    "operations",
    "bytes",
    "errors",
    ...percents.flatMap((p) => [`p${p}_ms`, `p${p}_low_ms`, `p${p}_high_ms`]),
    ...responses.map((p) => `response_p${p}_ms`),
    ...responses.map((p) => `first_byte_p${p}_ms`),
    "block",
    "depth",
    "rate",
    "jobs",
    "clients",
    "read_percent",
    "mix",
    "access",
    "durability",
    "span",
    "spread",
    "seed",
    "settings",
    "tree",
    "sizes",
    "busy",
    "queued",
    "overhead",
    "operation_ns",
    "verified_bytes",
    "unknown_bytes",
    "wrong",
    "stale",
    "torn",
    "misplaced",
    "pages_looked_at",
    "empty_pages",
  ];
  return [
    head,
    ...all.map(({ figure: f }) => [
      f.layer,
      f.target,
      f.host,
      f.pattern,
      f.kind,
      f.metric,
      f.estimate?.value,
      f.estimate?.low,
      f.estimate?.high,
      f.label,
      f.why,
      f.chart,
      f.at_once,
      f.slices,
      f.seconds,
      f.operations,
      f.bytes,
      f.errors,
      ...percents.flatMap((percent) => {
        const found = f.percentiles.find((one) => one.percent === percent);
        return [found?.value_ms, found?.low_ms, found?.high_ms];
      }),
      ...responses.map((percent) => f.response.find((one) => one.percent === percent)?.value_ms),
      ...responses.map((percent) => f.first_byte_percentiles[percent]),
      f.workload.sizes ? undefined : f.workload.block,
      f.workload.depth,
      f.workload.rate?.arrivals === "pauses" ? undefined : f.workload.rate?.per_second,
      f.workload.jobs,
      f.workload.clients ?? 1,
      f.workload.read_percent,
      mix(f),
      typeof f.workload.access === "string" ? f.workload.access : `zipf ${f.workload.access.zipf}`,
      f.workload.durability,
      f.workload.sizes ? undefined : f.workload.span,
      f.workload.spread,
      f.workload.seed,
      Object.entries({ ...f.workload.options, ...f.workload.settings })
        .map((pair) => pair.join("="))
        .join(" "),
      tree(f),
      sizes(f),
      ...cost(run, f),
      ...flaws(f),
      f.empty_pages?.looked_at,
      f.empty_pages?.empty,
    ]),
  ];
}

export function windowRows(some: Named[]): Field[][] {
  const head = [
    "step",
    "layer",
    "target",
    "pattern",
    "kind",
    "at_once",
    "pass",
    "slice_started_seconds",
    "seconds",
    "span_seconds",
    "windows",
    "warmup",
    "operations",
    "bytes",
    "errors",
    "mean_ms",
  ];
  return [
    head,
    ...some.flatMap(({ figure, detail }) =>
      detail.slices.flatMap((slice) =>
        points(figure, slice).map((point, i) => [
          figure.step,
          figure.layer,
          figure.target,
          figure.pattern,
          figure.kind,
          figure.at_once,
          slice.pass,
          slice.started_seconds,
          Number(point.seconds.toFixed(6)),
          point.span,
          slice.join ?? 1,
          point.warm,
          point.ops,
          slice.bytes?.[i] ?? point.ops * figure.workload.block,
          point.errors,
          slice.mean_ns[i] === null ? null : slice.mean_ns[i]! / 1e6,
        ]),
      ),
    ),
  ];
}

function save(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = h("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

const clean = (text: string): string => text.replace(/[^A-Za-z0-9.-]+/g, "_").slice(0, 80);

export function saveWindows(named: Named): void {
  const { layer, target, pattern } = named.figure;
  save(`fathom-${clean(`${layer}-${target}-${pattern}`)}-windows.csv`, "text/csv", csv(windowRows([named])));
}

export function downloads(of: Run): HTMLElement {
  const { run: name, figures: all } = of;
  const run = `fathom-${clean(name || "run")}`;
  const button = (id: string, words: string, what: string, act: () => void) =>
    h(
      "li",
      {},
      h("button", { type: "button", class: "save", id, click: act }, words),
      h("span", { class: "soft" }, what),
    );
  return section(
    "raw",
    "Raw numbers",
    "Made here from what this file carries; nothing is fetched.",
    h(
      "ul",
      { class: "downloads" },
      button("save-json", "Document (JSON)", "the whole of fathom.run/1: scope, figures, chart, ledger, findings", () =>
        save(`${run}.json`, "application/json", raw()),
      ),
      button("save-figures", "Figures (CSV)", "one line for each figure, with intervals and percentiles", () =>
        save(`${run}-figures.csv`, "text/csv", csv(figureRows(of, all))),
      ),
      button("save-windows", "Windows (CSV)", "one line for each window of each slice of each figure", () =>
        save(`${run}-windows.csv`, "text/csv", csv(windowRows(all))),
      ),
    ),
  );
}
