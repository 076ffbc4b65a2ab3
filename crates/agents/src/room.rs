//! What may be written in a pod: Kubernetes ends a pod whose files outgrow a limit of it, and with it whatever runs there.

use serde_json::Value;

/// A volume is too small if its limit is below this many times the program's length. A user who may only look at pods can't see how
/// much of the limit is in use.
const MARGIN: u64 = 10;

/// A folder whose volume is too small, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrow {
    pub folder: String,
    pub why: String,
}

/// Where in this container `bytes` more could have the pod evicted. `pod`: as Kubernetes describes it; `container`: `None` is the one that
/// kubectl takes by itself.
///
/// # Errors
/// There is no place for them in it: why, in words.
pub fn narrow(pod: &Value, container: Option<&str>, bytes: u64) -> Result<Vec<Narrow>, String> {
    let all = || pod["spec"]["containers"].as_array().into_iter().flatten();
    let few = |limit: &str| quantity(limit).is_none_or(|most| most < (MARGIN * bytes) as f64);
    // Those of the others count, too: the pod as a whole may use as much as all limits together.
    let limits: Vec<&str> = all().filter_map(|one| one["resources"]["limits"]["ephemeral-storage"].as_str()).collect();
    if limits.iter().any(|limit| few(limit)) {
        return Err(format!(
            "the pod may write little (ephemeral-storage: {}), and Kubernetes could evict it for a copy of the agent, {} MB; take \
             another pod, or raise the limit",
            limits.join(", "),
            bytes.div_ceil(1_000_000)
        ));
    }
    let chosen = container.or(pod["metadata"]["annotations"]["kubectl.kubernetes.io/default-container"].as_str());
    let own = all().find(|one| chosen.is_none_or(|name| one["name"] == name));
    let volume = |name: &Value| pod["spec"]["volumes"].as_array()?.iter().find(|volume| volume["name"] == *name);
    let mounts = own.and_then(|own| own["volumeMounts"].as_array()).into_iter().flatten();
    let narrow = mounts.filter_map(|mount| {
        let empty = &volume(&mount["name"])?["emptyDir"];
        // One in memory is full when it is full.
        let limit = empty["sizeLimit"].as_str().filter(|limit| empty["medium"] != "Memory" && few(limit))?;
        let folder = mount["mountPath"].as_str()?.trim_end_matches('/');
        // It becomes part of a script; places of ours are plain.
        let plain =
            |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '+'));
        (plain(folder) && plain(limit) && !folder.is_empty()).then(|| Narrow {
            folder: folder.to_string(),
            why: format!("its volume may hold {limit}, else Kubernetes evicts the pod"),
        })
    });
    Ok(narrow.collect())
}

/// A number of Kubernetes: `8Mi`, `1G`, `1e9`, `500m`.
fn quantity(text: &str) -> Option<f64> {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = &text[number.len()..];
    let factor = match unit {
        "" => 1.0,
        "m" => 1e-3,
        "k" => 1e3,
        "M" => 1e6,
        "G" => 1e9,
        "T" => 1e12,
        "P" => 1e15,
        "Ki" => 1024f64,
        "Mi" => 1024f64.powi(2),
        "Gi" => 1024f64.powi(3),
        "Ti" => 1024f64.powi(4),
        "Pi" => 1024f64.powi(5),
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const MB: u64 = 1_000_000;

    #[test]
    fn numbers_of_kubernetes_are_read() {
        for (text, bytes) in
            [("8Mi", 8.0 * 1_048_576.0), ("1G", 1e9), ("1e9", 1e9), ("1500m", 1.5), ("7", 7.0), ("0.5Ki", 512.0)]
        {
            assert_eq!(quantity(text), Some(bytes), "{text}");
        }
        assert_eq!((quantity("much"), quantity("1Xi")), (None, None));
    }

    fn pod(limits: [&str; 2]) -> Value {
        let resources = |limit: &str| match limit {
            "" => json!({}),
            limit => json!({"limits": {"ephemeral-storage": limit}}),
        };
        let mounts = json!([
            {"name": "small", "mountPath": "/tmp/"}, {"name": "large", "mountPath": "/var/tmp"}, {"name": "memory", "mountPath": "/dev/shm"},
            {"name": "any", "mountPath": "/x"}, {"name": "small", "mountPath": "/a;b"}
        ]);
        json!({"metadata": {}, "spec": {
            "containers": [
                {"name": "main", "resources": resources(limits[0]), "volumeMounts": mounts},
                {"name": "side", "resources": resources(limits[1])}
            ],
            "volumes": [
                {"name": "small", "emptyDir": {"sizeLimit": "5Mi"}}, {"name": "large", "emptyDir": {"sizeLimit": "5Gi"}},
                {"name": "memory", "emptyDir": {"sizeLimit": "5Mi", "medium": "Memory"}}, {"name": "any", "emptyDir": {}}
            ]
        }})
    }

    #[test]
    fn a_volume_for_which_the_pod_would_be_evicted_is_left_alone() {
        let of = |container: Option<&str>| narrow(&pod(["", ""]), container, 16 * MB).unwrap();
        assert_eq!(of(None).iter().map(|one| one.folder.as_str()).collect::<Vec<_>>(), ["/tmp"]);
        assert_eq!((of(Some("main")), of(Some("side"))), (of(None), vec![]));
        let mut other = pod(["", ""]);
        other["metadata"]["annotations"] = json!({"kubectl.kubernetes.io/default-container": "side"});
        assert_eq!(narrow(&other, None, 16 * MB), Ok(vec![]));
        assert_eq!(narrow(&json!({}), None, 16 * MB), Ok(vec![]));
    }

    #[test]
    fn a_pod_that_may_write_little_is_left_alone() {
        for (limits, fits) in [
            (["8Mi", ""], false),
            (["", "8Mi"], false),
            (["1Gi", ""], true),
            (["1Gi", "1Gi"], true),
            (["some", ""], false),
        ] {
            assert_eq!(narrow(&pod(limits), None, 16 * MB).is_ok(), fits, "{limits:?}");
        }
        let why = narrow(&pod(["8Mi", ""]), None, 16 * MB).unwrap_err();
        assert!(why.contains("8Mi") && why.contains("16 MB"), "{why}");
    }
}
