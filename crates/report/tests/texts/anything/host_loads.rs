//! What hosts counted, sensible or not.

use super::{layer, number, pattern, text};
use model::*;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::*;

pub fn host_load() -> impl Strategy<Value = HostLoad> {
    let disk = (text(), option::of(number()), number()).prop_map(|(name, write_ms, queue)| DiskSecond {
        name,
        write_ms,
        queue,
        ..DiskSecond::default()
    });
    let nic = (text(), number()).prop_map(|(name, sent)| NicSecond { name, sent, ..NicSecond::default() });
    let counted = (vec(disk, 0..3), vec(nic, 0..3), any::<[u64; 2]>(), option::of(number()));
    let counted = (counted, vec(osd_second(), 0..3), option::of((any::<[u32; 2]>(), number())));
    (text(), layer(), text(), pattern(), number(), counted).prop_map(|(host, layer, target, pattern, cpu, counted)| {
        let ((disks, nics, [segments, retransmitted], io), osds, interrupts) = counted;
        let pressure = io.map(|io| Pressure { io, ..Pressure::default() });
        let interrupts = interrupts.map(|([processor, processors], share)| Interrupts {
            processor,
            processors,
            share,
            ..Interrupts::default()
        });
        let counts = HostSecond { segments, retransmitted, pressure, interrupts, ..HostSecond::default() };
        let of_mds = |osd: &OsdSecond| MdsSecond { name: format!("mds.{}", osd.osd), threads: osd.threads.clone() };
        let metadata_servers = osds.iter().map(of_mds).collect();
        let mean = HostSecond { cpu, disks, nics, osds, metadata_servers, ..counts };
        HostLoad { host, step: StepId(0), layer, target, pattern, mean }
    })
}

fn osd_second() -> impl Strategy<Value = OsdSecond> {
    let worst = (text(), number(), option::of(number()), any::<[u64; 2]>(), option::of(any::<u64>())).prop_map(
        |(peer, rtt_ms, rtt_min_ms, [segments, retransmitted], needless)| Connection {
            peer,
            rtt_ms,
            rtt_min_ms,
            cwnd: 10,
            segments,
            retransmitted,
            needless,
        },
    );
    let connections = option::of(option::of(worst));
    (any::<u32>(), btree_map(text(), number(), 0..3), connections).prop_map(|(osd, busiest, connections)| OsdSecond {
        osd,
        threads: busiest.clone(),
        busiest,
        connections: connections.map(|worst| Connections { worst, ..Connections::default() }),
    })
}
