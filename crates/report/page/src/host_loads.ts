//! What other hosts' kernels counted while steps were measured: every step on every host.

import type { HostLoad, Run } from "./data";
import { h, section, table } from "./dom";
import { NOTHING, rough, share } from "./numbers";
import { place } from "./words";

export function hostLoads({ host_loads: loads }: Run): HTMLElement | null {
  if (loads.length === 0) return null;
  const hosts = [...new Set(loads.map(({ host }) => host))];
  return section(
    "host-loads",
    "Hosts under load",
    "Means over each step's slices, counted by the hosts' kernels: how busy processors and the OSDs' threads were, the busiest disk, the busiest interface, TCP segments that were sent again, and the share of the time in which something waited.",
    ...hosts.map((host, index) =>
      h(
        "details",
        { open: index === 0 && hosts.length === 1 },
        h("summary", {}, summary(host, loads)),
        table(
          `What ${host} did`,
          ["step", "processors", "OSD threads", "disk", "network", "sent again", "waits"],
          loads.filter((load) => load.host === host).map(row),
          "fit",
        ),
      ),
    ),
  );
}

function summary(host: string, loads: HostLoad[]): string {
  const own = loads.filter((load) => load.host === host);
  return `${host}: processors up to ${share(Math.max(...own.map(({ cpu }) => cpu)))}`;
}

const most = <T>(all: T[], of: (one: T) => number): T | undefined =>
  all.reduce<T | undefined>((best, one) => (best === undefined || of(one) > of(best) ? one : best), undefined);

function row(load: HostLoad) {
  const disk = most(load.disks, ({ queue }) => queue);
  const nic = most(load.nics, ({ sent, received }) => sent + received);
  const waits = (what: string, ms: number | null) => (ms === null ? [] : [`${rough(ms)} ms a ${what}`]);
  const rate = (bytes: number) => `${rough(bytes / 1e6)} MB/s`;
  const { pressure } = load;
  return [
    `${place(load.layer, load.target)} ${load.pattern}`,
    share(load.cpu),
    threads(load),
    disk
      ? `${disk.name}: ${[...waits("read", disk.read_ms), ...waits("write", disk.write_ms)].join(", ")}, ${rough(disk.queue)} in flight`
      : NOTHING,
    nic ? `${nic.name}: ${rate(nic.sent)} out, ${rate(nic.received)} in` : NOTHING,
    load.segments > 0 ? share(load.retransmitted / load.segments) : NOTHING,
    pressure ? `processor ${share(pressure.cpu)}, I/O ${share(pressure.io)}` : NOTHING,
  ];
}

/** The three busiest kinds of each OSD, in processors. */
function threads({ osds }: HostLoad): string {
  const busiest = (of: Record<string, number>) =>
    Object.entries(of)
      .sort(([, a], [, b]) => b - a)
      .slice(0, 3)
      .map(([name, used]) => `${name} ${rough(used)}`)
      .join(", ");
  return osds.map(({ osd, threads: of }) => `osd.${osd}: ${busiest(of) || "idle"}`).join("; ") || NOTHING;
}
