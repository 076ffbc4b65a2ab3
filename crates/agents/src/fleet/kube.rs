//! Pods by their labels: Rook's OSDs and its toolbox, or load generators that a user has started.

use model::Failure;
use serde_json::Value;
use std::process::Command;

/// How long to wait for an API server that hangs: by itself kubectl waits for ever.
const TIMEOUT: &str = "--request-timeout=30s";

/// The running pods with a label, `NAMESPACE/LABEL=VALUE` or `LABEL=VALUE` in all namespaces, as hosts of a list.
///
/// # Errors
/// kubectl is missing, fails, or finds none.
pub fn pods(selector: &str) -> Result<Vec<String>, Failure> {
    let (namespace, label) = parts(selector);
    if !label.contains('=') || selector.starts_with('-') || label.starts_with('-') {
        return Err(Failure::Usage(format!("kube-label:{selector}: a label is NAME=VALUE, as in app=rook-ceph-osd")));
    }
    let mut command = Command::new("kubectl");
    command.args(["get", "pods", TIMEOUT, "--output", "json", "--selector", label]);
    match namespace {
        Some(namespace) => command.args(["--namespace", namespace]),
        None => command.arg("--all-namespaces"),
    };
    let failed = |why: String| Failure::Failed(format!("kubectl get pods: {why}"));
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => failed("it is not installed on this host".into()),
        _ => failed(error.to_string()),
    })?;
    if !output.status.success() {
        return Err(failed(crate::explain_kubectl(&String::from_utf8_lossy(&output.stderr))));
    }
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
    let (names, others) = names(&answer);
    if names.is_empty() {
        let place = namespace.map_or(String::new(), |namespace| format!(" in namespace {namespace}"));
        let others = match others.as_slice() {
            [] => String::new(),
            [one] => format!(" ({one})"),
            [one, more @ ..] => format!(" ({one}; and {} more do not run)", more.len()),
        };
        return Err(Failure::Failed(format!(
            "no running pod has the label {label}{place}{others}; see: kubectl get pods -A --show-labels"
        )));
    }
    Ok(names)
}

/// The namespace, if one is named, and the label. A label's name may have a prefix before a slash, too, which is a domain: it has a
/// dot, and a namespace never has one.
fn parts(selector: &str) -> (Option<&str>, &str) {
    match selector.split_once('/') {
        Some((namespace, label)) if !namespace.contains(['=', '.']) => (Some(namespace), label),
        _ => (None, selector),
    }
}

/// Those that run, and the others with what they do instead. One that is being deleted has seconds left.
fn names(answer: &Value) -> (Vec<String>, Vec<String>) {
    let (mut running, mut others) = (Vec::new(), Vec::new());
    for pod in answer["items"].as_array().into_iter().flatten() {
        let meta = &pod["metadata"];
        let (Some(namespace), Some(name)) = (meta["namespace"].as_str(), meta["name"].as_str()) else { continue };
        let phase =
            if meta["deletionTimestamp"].is_null() { pod["status"]["phase"].as_str() } else { Some("Terminating") };
        match phase.unwrap_or("Unknown") {
            "Running" => running.push(format!("kube:{namespace}/{name}")),
            phase => others.push(format!("{namespace}/{name} is {phase}")),
        }
    }
    (running, others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pods_become_hosts_of_a_list() {
        let pod = |name: &str, phase: &str| json!({"metadata": {"namespace": "rook-ceph", "name": name}, "status": {"phase": phase}});
        let mut going = pod("osd-2-x", "Running");
        going["metadata"]["deletionTimestamp"] = json!("2026-11-23T18:27:46Z");
        let answer = json!({"items": [pod("osd-0-x", "Running"), {"metadata": {}}, pod("osd-1-x", "Pending"), going]});
        let (running, others) = names(&answer);
        assert_eq!(running, ["kube:rook-ceph/osd-0-x"]);
        assert_eq!(others, ["rook-ceph/osd-1-x is Pending", "rook-ceph/osd-2-x is Terminating"]);
        assert_eq!(names(&json!({})), (vec![], vec![]));
    }

    #[test]
    fn a_labels_prefix_is_no_namespace() {
        for (selector, namespace, label) in [
            ("app=osd", None, "app=osd"),
            ("rook-ceph/app=osd", Some("rook-ceph"), "app=osd"),
            ("app.kubernetes.io/name=osd", None, "app.kubernetes.io/name=osd"),
            ("rook-ceph/app.kubernetes.io/name=osd", Some("rook-ceph"), "app.kubernetes.io/name=osd"),
            ("app=a/b", None, "app=a/b"),
        ] {
            assert_eq!(parts(selector), (namespace, label), "{selector}");
        }
    }

    #[test]
    fn what_is_no_label_is_refused() {
        for bad in ["app", "--all", "rook-ceph/app", "app.kubernetes.io/name", "-x=y"] {
            assert!(matches!(pods(bad), Err(Failure::Usage(_))), "{bad}");
        }
    }
}
