//! What was there: versions, hosts, devices, OSDs, pools, options, health; and what was changed.

use crate::block::{Block, Cell, Column, Emphasis, Row, Table};
use crate::numbers::{self, NOTHING};
use model::{Report, Scope, secrets};

pub(super) fn blocks(report: &Report, scope: &Scope) -> Vec<Block> {
    let tables = [
        ("Hosts", hosts(scope)),
        ("Devices", devices(scope)),
        ("OSDs", osds(scope)),
        ("Pools", pools(scope)),
        ("Options that differ from their defaults", options(scope)),
    ];
    let part = |(title, table): (&str, Table)| {
        let content = if table.rows.is_empty() { Block::note("None.") } else { table.into() };
        [Block::title(title), content]
    };
    // Without a cluster nobody looks for its OSDs.
    let told = |(_, table): &(&str, Table)| scope.fsid.is_some() || !table.rows.is_empty();
    let tables = tables.into_iter().filter(told).chain([("Changes made", changes(report))]);
    std::iter::once(general(scope)).chain(tables.flat_map(part)).collect()
}

fn or(text: Option<&String>) -> String {
    text.filter(|text| !text.is_empty()).cloned().unwrap_or_else(|| NOTHING.to_string())
}

fn joined(texts: impl IntoIterator<Item = impl Into<String>>) -> String {
    let texts: Vec<String> = texts.into_iter().map(Into::into).collect();
    if texts.is_empty() { NOTHING.to_string() } else { texts.join(", ") }
}

fn bytes(of: Option<u64>) -> String {
    of.map_or(NOTHING.to_string(), numbers::bytes)
}

fn general(scope: &Scope) -> Block {
    let versions = scope.versions.iter().map(|(daemon, some)| format!("{daemon} {}", some.join(", ")));
    let checks: String = scope.health_checks.iter().map(|check| format!("; {check}")).collect();
    let rows = [
        ("cluster", or(scope.cluster.as_ref())),
        ("fsid", or(scope.fsid.as_ref())),
        ("health", or(scope.health.as_ref()) + &checks),
        ("Ceph", joined(versions)),
        ("client library", or(scope.client_version.as_ref())),
    ];
    Table::plain(["", ""], rows.map(|(name, value)| Row::new([name.to_string(), value]))).into()
}

fn hosts(scope: &Scope) -> Table {
    let row = |host: &model::HostScope| {
        let here = if host.here { " (Fathom ran here)" } else { "" };
        Row::new([
            format!("{}{here}", host.name),
            or(host.address.as_ref()),
            or(host.kernel.as_ref()),
            or(host.cpu.as_ref()),
            host.cores.map_or(NOTHING.to_string(), |cores| cores.to_string()),
            bytes(host.memory),
        ])
    };
    Table::plain(["host", "address", "kernel", "processor", "cores", "memory"], scope.hosts.iter().map(row))
}

fn devices(scope: &Scope) -> Table {
    let row = |device: &model::DeviceScope| {
        let kind = device.rotational.map(|rotates| if rotates { "rotating" } else { "solid state" });
        Row::new([
            device.path.clone(),
            or(device.host.as_ref()),
            or(device.model.as_ref()),
            bytes(device.bytes),
            kind.unwrap_or(NOTHING).to_string(),
            joined(device.osds.iter().map(|id| format!("osd.{id}"))),
        ])
    };
    Table::plain(["device", "host", "model", "size", "kind", "OSDs"], scope.devices.iter().map(row))
}

fn osds(scope: &Scope) -> Table {
    let row = |osd: &model::OsdScope| {
        let state = format!("{}, {}", if osd.up { "up" } else { "down" }, if osd.inside { "in" } else { "out" });
        let used = match (osd.bytes, osd.bytes_used) {
            (Some(all), Some(used)) => format!("{} of {}", numbers::bytes(used), numbers::bytes(all)),
            (all, _) => bytes(all),
        };
        let row = [
            format!("osd.{}", osd.id),
            osd.host.clone(),
            or(osd.class.as_ref()),
            or(osd.store.as_ref()),
            or(osd.device.as_ref()),
        ];
        let emphasis = if osd.up && osd.inside { Emphasis::Plain } else { Emphasis::Bad };
        let rest = [or(osd.address.as_ref()), or(osd.version.as_ref()), used];
        Row::new(row.map(Cell::from).into_iter().chain([Cell::from(state).with(emphasis)]).chain(rest.map(Cell::from)))
    };
    let titles = ["OSD", "host", "class", "store", "device", "state", "address", "version", "used"];
    Table::plain(titles, scope.osds.iter().map(row))
}

fn pools(scope: &Scope) -> Table {
    let row = |pool: &model::PoolScope| {
        let redundancy = match pool.erasure_k {
            None => format!("{} replicas", pool.size),
            Some(data) => format!("{data} data + {} coding", pool.size.saturating_sub(data)),
        };
        Row::new([
            pool.name.clone(),
            redundancy,
            pool.min_size.to_string(),
            numbers::count(u64::from(pool.pg_num)),
            joined(&pool.applications),
        ])
    };
    Table::plain(["pool", "redundancy", "needs at least", "PGs", "applications"], scope.pools.iter().map(row))
}

/// An archive may be older than the list of what is secret.
fn options(scope: &Scope) -> Table {
    let row = |(name, value): (&String, &String)| Row::new([name.clone(), secrets::value(name, value).to_string()]);
    Table::plain(["option", "value"], scope.options.iter().map(row))
}

fn changes(report: &Report) -> Table {
    let row = |undo: &model::Undo| {
        let now = match (undo.undone, &undo.left) {
            (true, _) => Cell::from("undone"),
            (false, None) => Cell::from("not undone: run fathom restore").with(Emphasis::Bad),
            (false, Some(why)) => Cell::from(format!("left as it is: {why}")).with(Emphasis::Bad),
        };
        Row::new([Cell::from(undo.change.what()), now])
    };
    Table::new(["change", "now"].map(Column::left), report.changes.iter().map(row))
}
