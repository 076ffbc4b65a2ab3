//! Buckets with more objects in a part of their index than it should have.

use crate::diagnose::facts::prelude::*;
use model::facts::BucketIndex;

pub static RULE: Rule = Rule {
    id: "rgw-bucket-shards",
    about: Area::Rgw,
    what: "A shard of a bucket's index has more objects than it should.",
    why: "All puts and deletes of these objects are written to one object of the index pool, one after the other; listing takes long, and so does recovering the OSDs that have it.",
    evidence: "The header of a shard counts more entries than rgw_max_objs_per_shard says (default 100,000). Indexes are read where their pool has at most 2,000 objects; unfinished \
               uploads and versions count as objects, as they do in the index. How much time a large shard takes was not measured here: no lab of this project's machines holds 100,000 \
               objects in one; the fault bucket-few-shards sets the option lower instead.",
    sources: &[
        "Ceph's documentation, \"RGW Dynamic Bucket Index Resharding\"",
        "ceph/ceph, src/common/options/rgw.yaml.in: rgw_max_objs_per_shard",
    ],
    needs: &[Source::Facts(FactsPart::BucketIndexes), Source::Facts(FactsPart::Options)],
    suspect,
    fix: "radosgw-admin bucket reshard --bucket NAME --num-shards N, with N at least the number of objects divided by 100,000; leave rgw_dynamic_resharding on, and give buckets that will be large their shards when they are made",
    risk: "writes to the bucket wait while it is split, before Tentacle",
    confirm: "radosgw-admin bucket limit check; put small objects in parallel into that bucket, and into a new one with more shards, by a tool of yours, and compare",
    tried: Tried::Machines,
    ..Rule::OF_FACTS
};

/// rgw_max_objs_per_shard as it comes.
const USUAL_MOST: f64 = 100_000.0;

fn suspect(case: &Case) -> Vec<Suspect> {
    // Gateways may have it set differently: what the most generous of them allows is over for all.
    let most = case.set("rgw_max_objs_per_shard").filter_map(number).fold(f64::NAN, f64::max);
    let most = if most.is_nan() { USUAL_MOST } else { most };
    // Where options are not known, the limit is not.
    if case.cluster().options.is_none() || most <= 0.0 {
        return Vec::new();
    }
    let over = case.cluster().bucket_indexes.iter().flatten().filter(|index| index.most_in_shard as f64 > most);
    listed(over.map(words)).map_or(Vec::new(), |all| {
        let evidence = phrase!("{}; at most {} by rgw_max_objs_per_shard", all, Quantity::Count(most as u64));
        of_cluster("indexes of buckets have too few shards for what they hold", evidence)
    })
}

fn words(index: &BucketIndex) -> String {
    let shards = if index.shards == 1 { "shard" } else { "shards" };
    format!("{}: {} objects in one of {} {shards}", index.bucket, index.most_in_shard, index.shards)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    fn with(most_in_shard: u64) -> impl Fn(&mut model::facts::Facts) {
        let index = BucketIndex { bucket: "photos".into(), shards: 11, most_in_shard };
        move |facts| facts.cluster.bucket_indexes = Some(vec![index.clone()])
    }

    #[test]
    fn it_is_seen() {
        assert_eq!(told(&RULE, with(100_001)), ["cluster"]);
        let lower = |facts: &mut model::facts::Facts| {
            with(2_000)(facts);
            set(facts, "client.rgw", "rgw_max_objs_per_shard", "500");
        };
        assert_eq!(told(&RULE, lower), ["cluster"]);
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, with(100_000)), NOBODY);
        let higher = |facts: &mut model::facts::Facts| {
            with(150_000)(facts);
            set(facts, "client.rgw", "rgw_max_objs_per_shard", "200000");
        };
        assert_eq!(told(&RULE, higher), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster.bucket_indexes = None), NOBODY);
        let no_options = |facts: &mut model::facts::Facts| {
            with(500_000)(facts);
            facts.cluster.options = None;
        };
        assert_eq!(told(&RULE, no_options), NOBODY);
    }
}
