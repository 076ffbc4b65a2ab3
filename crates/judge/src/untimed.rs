//! Object gateways that were asked how long their requests took, and have no counter for it under a name that is known.

use model::{Record, ServiceTimer};
use std::collections::BTreeSet;

/// One sentence for all of them.
pub fn untimed_gateways(record: &Record) -> Option<String> {
    let of_buckets = |id| record.plan.steps.iter().any(|step| step.id == id && step.layer.of_buckets());
    let daemons = record.service_times().filter(|seen| of_buckets(seen.step)).flat_map(|seen| &seen.daemons);
    let gateways: Vec<_> = daemons.filter(|daemon| !daemon.daemon.starts_with(METADATA_SERVER)).collect();
    let timed = |timer| gateways.iter().any(|daemon| daemon.spent.contains_key(&timer));
    // One that serves others has nothing to say of this run.
    if gateways.is_empty() || timed(ServiceTimer::Get) || timed(ServiceTimer::Put) {
        return None;
    }
    let names: BTreeSet<&str> = gateways.iter().map(|daemon| daemon.daemon.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    Some(format!(
        "where the time of requests to gateways goes is not told: of {} no counter has a name that Ceph 14 to 20 give it (`rgw_op.get_obj_lat`, \
         `rgw.get_initial_lat`)",
        names.join(", ")
    ))
}

/// How names of metadata servers begin, which are asked beside.
const METADATA_SERVER: &str = "mds.";

#[cfg(test)]
mod tests {
    use super::*;
    use model::testing::{buckets, folders, step};
    use model::{Observation, Pattern, Plan, ServiceTimes, Spent, StepId, TimesOfService};
    use std::collections::BTreeMap;

    fn told(daemons: &[(&str, Option<ServiceTimer>)], of_buckets: bool) -> Option<String> {
        let layer = if of_buckets { buckets() } else { folders() };
        let steps = vec![step(0, layer, Pattern::ReadLatency, &["one"])];
        let daemon = |(name, timer): &(&str, Option<ServiceTimer>)| TimesOfService {
            daemon: name.to_string(),
            spent: timer.iter().map(|timer| (*timer, Spent { times: 1, seconds: 0.1 })).collect::<BTreeMap<_, _>>(),
        };
        let daemons = daemons.iter().map(daemon).collect();
        let times = ServiceTimes { step: StepId(0), pass: 1, daemons };
        let (plan, observations) = (Plan { steps, ..Plan::default() }, vec![Observation::ServiceTimes(times)]);
        untimed_gateways(&Record { plan, observations, ..Record::default() })
    }

    #[test]
    fn gateways_whose_counters_are_not_known_are_named() {
        let (get, put) = (Some(ServiceTimer::Get), Some(ServiceTimer::Put));
        let says =
            told(&[("client.rgw.b", None), ("client.rgw.a", None), ("mds.a", Some(ServiceTimer::Request))], true);
        assert!(says.unwrap().contains("of client.rgw.a, client.rgw.b no counter"));
        for known in
            [&[("client.rgw.a", get)][..], &[("client.rgw.a", None), ("client.rgw.b", put)], &[("mds.a", None)], &[]]
        {
            assert_eq!(told(known, true), None, "{known:?}");
        }
        assert_eq!(told(&[("client.rgw.a", None)], false), None);
    }
}
