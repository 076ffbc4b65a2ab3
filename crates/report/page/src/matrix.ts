//! The network between all pairs of hosts as heat maps: who is how fast towards whom.

import { cell, text } from "@observablehq/plot";
import type { Named, Run } from "./data";
import { h, section } from "./dom";
import { rough, tick } from "./numbers";
import { picture, place as box, shortened } from "./plots";

interface Way {
  from: string;
  to: string;
  value: number;
  id: string;
  label: string;
}

/** Two hosts make no square. */
const HOSTS_LEAST = 3;

export function matrix({ figures }: Run): HTMLElement | null {
  const networks = [...new Set(figures.map(({ figure }) => figure.network))];
  const maps = networks.flatMap((network) => of(figures, network)).filter((one) => one !== null);
  if (maps.length === 0) return null;
  return section(
    "matrix",
    "Between hosts",
    "Rows send, columns receive. The darker, the faster; a slow link is one pale cell, a slow host a pale row, column or both.",
    h("div", { class: "panels two" }, ...maps),
  );
}

/** Streams and round trips on one of the networks between the hosts. */
function of(figures: Named[], network: string | null) {
  const own = figures.filter(({ figure }) => figure.network === network);
  const title = (what: string) => (network === null ? what : `${what}, on network ${network}`);
  return [map(title("Streams"), "MB/s", streams(own), true), map(title("Round trips"), "ms", trips(own), false)];
}

const pairs = (figures: Named[], family: string): { named: Named; from: string; to: string }[] =>
  figures.flatMap((named) => {
    const { layer, chart, at_once, network, pattern, target, estimate } = named.figure;
    const suffix = network === null ? "" : ` (${network})`;
    const [from, to, more] = target.slice(0, target.length - suffix.length).split("→");
    const alone = chart || (network !== null && at_once === 1);
    const own = layer === "network" && alone && estimate !== null && pattern.endsWith(family);
    return own && from && to && more === undefined ? [{ named, from, to }] : [];
  });

/** What is read from a→b comes from b. */
const streams = (figures: Named[]): Way[] =>
  pairs(figures, "linear").map(({ named, from, to }) =>
    named.figure.pattern.startsWith("write") ? way(named, from, to) : way(named, to, from),
  );

/** There and back: the same for both, unless both were measured. */
function trips(figures: Named[]): Way[] {
  const measured = new Map(
    pairs(figures, "latency").map(({ named, from, to }) => [`${from}→${to}`, way(named, from, to)]),
  );
  const back = [...measured.values()].filter(({ from, to }) => !measured.has(`${to}→${from}`));
  return [...measured.values(), ...back.map((one) => ({ ...one, from: one.to, to: one.from }))];
}

const way = ({ figure, id }: Named, from: string, to: string): Way => ({
  from,
  to,
  value: figure.estimate!.value,
  id,
  label: figure.label,
});

/** `more`: the larger, the faster. */
function map(title: string, unit: string, ways: Way[], more: boolean) {
  const hosts = [...new Set(ways.flatMap(({ from, to }) => [from, to]))].sort();
  const met = new Set(ways.map(({ from, to }) => [from, to].sort().join("→")));
  // From one host to each of the others is no square.
  if (hosts.length < HOSTS_LEAST || met.size < (0.9 * hosts.length * (hosts.length - 1)) / 2) return null;
  const values = ways.map(({ value }) => value);
  const best = more ? Math.max(...values) : Math.min(...values);
  const share = (value: number) => (more ? value / best : best / value);
  const drawn = box(`${title} between all hosts`, (width) => square(hosts, ways, unit, share, width));
  return h(
    "figure",
    { class: "panel" },
    h("figcaption", {}, h("h3", {}, title), h("span", { class: "unit" }, unit)),
    drawn,
  );
}

function square(hosts: string[], ways: Way[], unit: string, share: (value: number) => number, width: number): Element {
  const left = Math.min(110, 20 + 7 * Math.max(...hosts.map((host) => host.length)));
  const column = (width - left - 12) / hosts.length;
  const letters = Math.max(3, Math.floor(column / 7));
  const soft = { fill: "var(--soft)" };
  const fill = ({ value }: Way) =>
    `color-mix(in oklab, var(--good) ${Math.round(share(value) * 100)}%, var(--surface))`;
  return picture("the network between all hosts; the table of figures below holds the same numbers", {
    width,
    height: 34 + Math.max(8, Math.min(34, 400 / hosts.length)) * hosts.length,
    marginLeft: left,
    marginRight: 12,
    marginTop: 4,
    marginBottom: 28,
    x: { type: "band", domain: hosts, padding: 0.04, axis: null },
    y: { type: "band", domain: hosts, padding: 0.06, axis: null },
    marks: [
      cell(ways, {
        x: "to",
        y: "from",
        fill,
        stroke: "var(--rule)",
        strokeWidth: 0.8,
        rx: 3,
        href: ({ id }: Way) => `#${id}`,
        title: ({ from, to, value, label }: Way) => `${from} → ${to}: ${rough(value)} ${unit}, ${label}`,
      }),
      text(column > 36 ? ways : [], {
        x: "to",
        y: "from",
        text: ({ value }: Way) => tick(value),
        fill: ({ value }: Way) => (share(value) > 0.55 ? "var(--surface)" : "var(--ink)"),
        pointerEvents: "none",
      }),
      text(hosts, {
        x: (host: string) => host,
        frameAnchor: "bottom",
        dy: 14,
        text: (host: string) => shortened(host, letters),
        ...soft,
      }),
      text(hosts, {
        y: (host: string) => host,
        frameAnchor: "left",
        dx: -8,
        textAnchor: "end",
        text: (host: string) => shortened(host, 13),
        ...soft,
      }),
    ],
  });
}
