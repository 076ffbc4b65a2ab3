//! Gateways that ask a server of keys.

use crate::diagnose::facts::prelude::*;

pub static RULE: Rule = Rule {
    id: "rgw-sse-kms",
    about: Area::Rgw,
    what: "Object gateways get the keys of encrypted objects from another server (KMS).",
    why: "Each put and get of an object that is encrypted with such a key asks that server first: in one test with 4 MiB objects GET gave 45 % less, PUT 10 %. Small objects wait longer for their key than for the cluster.",
    evidence: "rgw_crypt_s3_kms_backend or rgw_crypt_sse_s3_backend is set to vault or kmip. Whether objects are encrypted by it is not seen.",
    sources: &[
        "ceph.io blog, 2025: benchmarking object storage, part 3",
        "Ceph's documentation, \"Ceph Object Gateway: Encryption\"",
    ],
    needs: &[Source::Facts(FactsPart::Options)],
    suspect,
    fix: "where it is needed, keep that server, or an agent of it (vault agent), near the gateways, and have several; larger objects ask less often",
    risk: "none, where keys stay where they are",
    confirm: "fathom object --s3-url URL in a bucket with encryption by default and in one without it",
    matters: Matters::Little,
    ..Rule::OF_FACTS
};

fn suspect(case: &Case) -> Vec<Suspect> {
    let elsewhere = |option: &SetOption| ["vault", "kmip"].contains(&option.value.as_str());
    ["rgw_crypt_s3_kms_backend", "rgw_crypt_sse_s3_backend"]
        .iter()
        .flat_map(|name| of_settings(case, name, elsewhere, "keys of encrypted objects come from another server"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::testing_facts::*;

    #[test]
    fn it_is_seen() {
        assert_eq!(
            told(&RULE, |facts| set(facts, "client.rgw", "rgw_crypt_s3_kms_backend", "vault")),
            ["client.rgw/rgw_crypt_s3_kms_backend"]
        );
    }

    #[test]
    fn what_is_as_it_should_be_is_no_hint() {
        assert_eq!(told(&RULE, |facts| set(facts, "client.rgw", "rgw_crypt_s3_kms_backend", "testing")), NOBODY);
    }

    #[test]
    fn nobody_is_suspected_where_it_is_not_known() {
        assert_eq!(told(&RULE, |facts| facts.cluster = ClusterFacts::default()), NOBODY);
    }
}
