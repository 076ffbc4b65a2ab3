//! Steps of the object layer: objects of a bucket of our own, at a gateway: whole, and by their names.

use crate::planner::draft::Draft;
use model::units::bytes;
use model::workload::MIB;
use model::{Bytes, Change, Failure, Layer, OpClass, Place};

/// Objects of a working set: enough that all shards of an index and all placement groups take part, and few enough to be put in seconds.
const SMALL: Bytes = 4096;
const SMALL_OF_LAB: Bytes = 1024;
/// The most: at a thousand a second they take hours to be put.
const OBJECTS_MOST: Bytes = 10_000_000;
/// Of those that are large.
const LARGE: Bytes = 256;
const LARGE_OF_LAB: Bytes = 32;

pub fn add(draft: &mut Draft) -> Result<(), Failure> {
    let Some(gateway) = draft.inventory.gateway.clone() else {
        // A run of all layers measures what there is; one that names this layer wants it.
        return if draft.request.layers.len() < Layer::ALL.len() { Err(Failure::Usage(nameless())) } else { Ok(()) };
    };
    let bucket = format!("fathom-{}", draft.inventory.run);
    let loads = draft.workloads(Layer::Object, 0);
    if !loads.is_empty() {
        draft.change(Change::Bucket { gateway: gateway.clone(), name: bucket.clone() });
    }
    let host = gateway.url.split_once("://").map_or(gateway.url.as_str(), |(_, rest)| rest);
    let target = match gateway.swift {
        true => format!("gateway {} (Swift)", host.split('/').next().unwrap_or(host)),
        false => format!("gateway {host}"),
    };
    let prefix = draft.name("");
    for (pattern, mut workload) in loads {
        let size = workload.object.unwrap_or(workload.block).max(1);
        // What is put is whole; a part of an object can be read.
        if !workload.mix.has(OpClass::Read) {
            workload.block = size;
        }
        if size < workload.block {
            return Err(Failure::Usage(format!(
                "--object-size {}: it has no part of {} to be read; choose a smaller --block-size",
                bytes(size),
                bytes(workload.block)
            )));
        }
        workload.object = Some(size);
        let objects = match (size >= MIB, draft.small()) {
            (true, false) => LARGE,
            (true, true) => LARGE_OF_LAB,
            (false, false) => SMALL,
            (false, true) => SMALL_OF_LAB,
        };
        let least = size.saturating_mul(workload.depth.max(workload.jobs).into());
        let usual = draft.fitting(objects.saturating_mul(size)) / size * size;
        workload.span = draft.options.working_set.unwrap_or(usual.max(least));
        let all = workload.span / size;
        if all > OBJECTS_MOST {
            return Err(Failure::Usage(format!(
                "--working-set: {} of {} are {all} objects, which have to be put one by one first (at most {OBJECTS_MOST}); choose a smaller one",
                bytes(workload.span),
                bytes(size)
            )));
        }
        let place = |part: &str| Place::Bucket {
            gateway: gateway.clone(),
            bucket: bucket.clone(),
            prefix: format!("{prefix}{part}"),
        };
        let targets = draft.by_clients(Layer::Object, &target, place);
        draft.step(pattern, targets, workload, !pattern.is_metadata());
    }
    Ok(())
}

fn nameless() -> String {
    "no gateway is named: --s3-url http://HOST:PORT or AWS_ENDPOINT_URL, --swift, or a lab with one (--lab --with rgw)"
        .to_string()
}

#[cfg(test)]
mod tests {
    use crate::planner::{self, testing};
    use model::{Change, Gateway, Inventory, Layer, Place};

    fn at_gateway() -> Inventory {
        let (url, region) = ("http://10.1.0.1:8080".to_string(), "us-east-1".to_string());
        let gateway = Gateway {
            url,
            region,
            virtual_host: false,
            swift: false,
            credentials: None,
            profile: None,
            authorities: None,
        };
        Inventory { gateway: Some(gateway), ..testing::inventory(3) }
    }

    #[test]
    fn whole_objects_of_one_bucket_of_the_runs_own() {
        let plan = planner::plan(&at_gateway(), &testing::request(&[Layer::Object])).unwrap();
        let [Change::Bucket { name, .. }] = &plan.changes[..] else { panic!("{:?}", plan.changes) };
        assert!(name.starts_with("fathom-2026"), "{name}");
        assert_eq!(plan.steps.len(), 9);
        for step in &plan.steps {
            assert_eq!(step.workload.object, Some(step.workload.block));
            assert_eq!(step.targets[0].name, "gateway 10.1.0.1:8080");
            let Place::Bucket { bucket, prefix, .. } = &step.targets[0].place else { panic!() };
            assert!(bucket == name && prefix.starts_with("fathom.2026"), "{bucket} {prefix}");
        }
        assert_eq!(plan.steps.iter().map(|step| step.workload.span).max(), Some(1 << 30));
    }

    #[test]
    fn without_a_gateway_it_is_asked_for_where_the_layer_is_named() {
        let inventory = testing::inventory(3);
        let why = planner::plan(&inventory, &testing::request(&[Layer::Object])).unwrap_err().to_string();
        assert!(why.contains("--s3-url http://HOST:PORT"), "{why}");
        let request = testing::request(&[Layer::Rados, Layer::Object]);
        assert!(planner::plan(&inventory, &request).is_err());
        let plan = planner::plan(&inventory, &testing::request(&[Layer::Rados])).unwrap();
        assert!(plan.steps.iter().all(|step| step.layer == Layer::Rados));
    }
}
