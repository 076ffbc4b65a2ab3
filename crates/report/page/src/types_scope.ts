//! What the run was measured on: hosts, disks, OSDs, pools.

export interface Host {
  name: string;
  address: string | null;
  namespace: string | null;
  kernel: string | null;
  cpu: string | null;
  cores: number | null;
  memory: number | null;
  here: boolean;
}
export interface Device {
  path: string;
  host: string | null;
  model: string | null;
  bytes: number | null;
  rotational: boolean | null;
  osds: number[];
}
export interface Osd {
  id: number;
  host: string;
  class: string | null;
  device: string | null;
  up: boolean;
  inside: boolean;
  address: string | null;
  version: string | null;
  store: string | null;
  bytes: number | null;
  bytes_used: number | null;
}
export interface Pool {
  id: number;
  name: string;
  size: number;
  min_size: number;
  erasure_k: number | null;
  pg_num: number;
  applications: string[];
}
export interface Scope {
  fsid: string | null;
  cluster: string | null;
  health: string | null;
  health_checks: string[];
  versions: Record<string, string[]>;
  client_version: string | null;
  hosts: Host[];
  devices: Device[];
  osds: Osd[];
  pools: Pool[];
  options: Record<string, string>;
}
