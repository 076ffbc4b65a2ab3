//! More in flight than Ceph's client library lets through: what lies beyond waits in the client, and that counts as the cluster's time.

use model::units::{bytes as shown, counted};
use model::{Inventory, Plan, Step};

/// Of one client (`objecter_inflight_op_bytes`, `objecter_inflight_ops`: 100 MiB and 1,024 in every release).
const BYTES: u64 = 100 << 20;
const OPERATIONS: u64 = 1024;

/// Of the step that has most beyond.
pub fn notes(inventory: &Inventory, plan: &Plan) -> Vec<String> {
    let set = |name: &str, usual: u64| {
        let of = |who: &str| inventory.scope.options.get(&format!("{who}/{name}"))?.parse::<u64>().ok();
        of("client").or_else(|| of("global")).filter(|most| *most > 0).unwrap_or(usual)
    };
    let (bytes, operations) = (set("objecter_inflight_op_bytes", BYTES), set("objecter_inflight_ops", OPERATIONS));
    let in_flight = |step: &Step| u64::from(step.workload.depth.div_ceil(step.workload.clients.max(1)));
    let beyond = |step: &&Step| {
        let each = in_flight(step);
        let share =
            (each.saturating_mul(step.workload.block) as f64 / bytes as f64).max(each as f64 / operations as f64);
        (step.layer.of_pools() && share > 1.0).then_some(share)
    };
    let all = plan.steps.iter().filter_map(|step| Some((step, beyond(&step)?)));
    let Some((step, _)) = all.reduce(|most, step| if step.1 > most.1 { step } else { most }) else { return Vec::new() };
    vec![format!(
        "{} {}: a client would have {} of {} in flight, and Ceph's client library lets through {} or {} at once (objecter_inflight_op_bytes, \
         objecter_inflight_ops); what lies beyond waits in the client, and its time counts (--clients for more of them, or a smaller --depth)",
        step.layer.name(),
        step.pattern.name(),
        counted(in_flight(step), "operation", "operations"),
        shown(step.workload.block),
        shown(bytes),
        counted(operations, "operation", "operations")
    )]
}

#[cfg(test)]
mod tests {
    use crate::planner::{notes, plan, testing};
    use model::Pattern;
    use model::workload::MIB;

    #[test]
    fn what_the_library_does_not_let_through_is_said() {
        let mut inventory = testing::inventory(3);
        let mut request = testing::request(&[testing::pools()]);
        request.workload.patterns = vec![Pattern::WriteParallel];
        let said = |inventory: &model::Inventory, request: &crate::Request| {
            notes(inventory, request, &plan(inventory, request).unwrap()).join(" ")
        };
        (request.workload.block_size, request.workload.depth) = (Some(4 * MIB), Some(25));
        assert!(!said(&inventory, &request).contains("objecter"));
        request.workload.depth = Some(26);
        assert!(
            said(&inventory, &request).contains("26 operations of 4 MiB in flight"),
            "{}",
            said(&inventory, &request)
        );
        inventory.scope.options.insert("client/objecter_inflight_op_bytes".to_string(), "1073741824".to_string());
        assert!(!said(&inventory, &request).contains("objecter"));
        request.workload.depth = Some(2000);
        request.workload.block_size = Some(4096);
        assert!(said(&inventory, &request).contains("2,000 operations"), "{}", said(&inventory, &request));
    }
}
