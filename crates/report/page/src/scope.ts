//! What the run saw (versions, hosts, devices, OSDs, pools, options, health), and what it changed.

import type { Run, Scope } from "./data";
import { h, section, table, type Child } from "./dom";
import { bytes, count } from "./numbers";

const or = (value: string | null | undefined): string => value || "–";

export function scope(run: Run): HTMLElement {
  const { scope: of } = run;
  return section(
    "scope",
    "Scope",
    "What was there, as Fathom saw it before the first step.",
    h("dl", { class: "wide" }, ...general(of).flatMap(([name, value]) => [h("dt", {}, name), h("dd", {}, value)])),
    part("Hosts", hosts(of)),
    part("Devices", devices(of)),
    part("OSDs", osds(of)),
    part("Pools", pools(of)),
    part("Options that differ from their defaults", options(of)),
    part("Changes made", changes(run)),
  );
}

function part(title: string, content: HTMLElement | null): HTMLElement {
  return h("div", { class: "part" }, h("h3", {}, title), content ?? h("p", { class: "empty" }, "None."));
}

function general(of: Scope): [string, Child][] {
  const versions = Object.entries(of.versions)
    .map(([daemon, some]) => `${daemon} ${some.join(", ")}`)
    .join(" · ");
  const checks =
    of.health_checks.length > 0 ? h("ul", {}, ...of.health_checks.map((check) => h("li", {}, check))) : null;
  return [
    ["cluster", or(of.cluster)],
    ["fsid", or(of.fsid)],
    ["health", h("span", {}, or(of.health), checks)],
    ["Ceph", or(versions)],
    ["client library", or(of.client_version)],
  ];
}

/** So many rows of a table are shown until more are asked for. */
const MOST = 200;

/** A table of any length: the first rows, and all of them at the press of a button. */
function long<T>(all: T[], draw: (some: T[]) => HTMLElement): HTMLElement | null {
  if (all.length === 0) return null;
  if (all.length <= MOST) return draw(all);
  const box = h("div", {}, draw(all.slice(0, MOST)));
  const rest = h(
    "button",
    { type: "button", class: "more", click: () => box.replaceChildren(draw(all)) },
    `Show all ${count(all.length)}`,
  );
  box.append(rest);
  return box;
}

function hosts(of: Scope): HTMLElement | null {
  return long(of.hosts, (some) =>
    table(
      "Hosts",
      ["host", "address", "kernel", "processor", "cores", "memory"],
      some.map((host) => [
        h("span", {}, host.name, host.here && h("small", {}, "Fathom ran here")),
        or(host.address),
        or(host.kernel),
        or(host.cpu),
        host.cores === null ? "–" : count(host.cores),
        bytes(host.memory),
      ]),
    ),
  );
}

function devices(of: Scope): HTMLElement | null {
  return long(of.devices, (some) =>
    table(
      "Devices",
      ["device", "host", "model", "size", "kind", "OSDs"],
      some.map((device) => [
        device.path,
        or(device.host),
        or(device.model),
        bytes(device.bytes),
        device.rotational === null ? "–" : device.rotational ? "rotating" : "solid state",
        or(device.osds.map((id) => `osd.${id}`).join(", ")),
      ]),
    ),
  );
}

function osds(of: Scope): HTMLElement | null {
  const used = (all: number | null, some: number | null) =>
    all && some !== null ? `${bytes(some)} of ${bytes(all)}` : bytes(all);
  return long(of.osds, (some) =>
    table(
      "OSDs",
      ["OSD", "host", "class", "store", "device", "state", "address", "version", "used"],
      some.map((osd) => [
        `osd.${osd.id}`,
        osd.host,
        or(osd.class),
        or(osd.store),
        or(osd.device),
        h(
          "span",
          { class: osd.up && osd.inside ? null : "alarm" },
          `${osd.up ? "up" : "down"}, ${osd.inside ? "in" : "out"}`,
        ),
        or(osd.address),
        or(osd.version),
        used(osd.bytes, osd.bytes_used),
      ]),
    ),
  );
}

function pools(of: Scope): HTMLElement | null {
  if (of.pools.length === 0) return null;
  return table(
    "Pools",
    ["pool", "redundancy", "needs at least", "PGs", "applications"],
    of.pools.map((pool) => [
      pool.name,
      pool.erasure_k === null
        ? `${pool.size} replicas`
        : `${pool.erasure_k} data + ${pool.size - pool.erasure_k} coding`,
      count(pool.min_size),
      count(pool.pg_num),
      or(pool.applications.join(", ")),
    ]),
  );
}

function options(of: Scope): HTMLElement | null {
  const all = Object.entries(of.options);
  return all.length === 0 ? null : table("Options", ["option", "value"], all, "fit");
}

function changes({ changes: all }: Run): HTMLElement | null {
  if (all.length === 0) return null;
  return table(
    "Changes",
    ["change", "now"],
    all.map((change) => [
      change.what,
      change.undone ? "undone" : h("b", { class: "alarm" }, "not undone: run fathom restore"),
    ]),
    "fit",
  );
}
