//! Pods by their labels: Rook's OSDs and its toolbox, or load generators that a user has started.

use crate::failure::Failure;
use serde_json::Value;
use std::process::Command;

/// The running pods with a label, `NAMESPACE/LABEL=VALUE` or `LABEL=VALUE` in all namespaces, as hosts of a list.
///
/// # Errors
/// kubectl is missing, fails, or finds none.
pub fn pods(selector: &str) -> Result<Vec<String>, Failure> {
    let (namespace, label) = match selector.split_once('/') {
        Some((namespace, label)) if !namespace.contains('=') => (Some(namespace), label),
        _ => (None, selector),
    };
    if !label.contains('=') || selector.starts_with('-') || label.starts_with('-') {
        return Err(Failure::Usage(format!("kube-label:{selector}: a label is NAME=VALUE, as in app=rook-ceph-osd")));
    }
    let mut command = Command::new("kubectl");
    command.args(["get", "pods", "--output", "json", "--field-selector", "status.phase=Running", "--selector", label]);
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
        return Err(failed(String::from_utf8_lossy(&output.stderr).trim().to_string()));
    }
    let answer: Value = serde_json::from_slice(&output.stdout).map_err(|error| failed(error.to_string()))?;
    let names = names(&answer);
    if names.is_empty() {
        return Err(Failure::Failed(format!(
            "no running pod has the label {label}; see: kubectl get pods -A --show-labels"
        )));
    }
    Ok(names)
}

fn names(answer: &Value) -> Vec<String> {
    let pods = answer["items"].as_array().into_iter().flatten();
    let name = |pod: &Value| {
        let meta = &pod["metadata"];
        Some(format!("kube:{}/{}", meta["namespace"].as_str()?, meta["name"].as_str()?))
    };
    pods.filter_map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pods_become_hosts_of_a_list() {
        let answer = json!({"items": [{"metadata": {"namespace": "rook-ceph", "name": "osd-0-x"}}, {"metadata": {}}]});
        assert_eq!(names(&answer), ["kube:rook-ceph/osd-0-x"]);
        assert_eq!(names(&json!({})), [""; 0]);
    }

    #[test]
    fn what_is_no_label_is_refused() {
        for bad in ["app", "--all", "rook-ceph/app", "-x=y"] {
            assert!(matches!(pods(bad), Err(Failure::Usage(_))), "{bad}");
        }
    }
}
