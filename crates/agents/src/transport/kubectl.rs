//! A pod, through `kubectl exec`, in whatever context the user's kubectl has.

use std::process::Command;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pod {
    pub pod: String,
    namespace: Option<String>,
    container: Option<String>,
}

impl Pod {
    /// `POD`, `NAMESPACE/POD` or `NAMESPACE/POD/CONTAINER`.
    pub fn of(text: &str) -> Result<Pod, String> {
        let parts: Vec<&str> = text.split('/').collect();
        let (namespace, pod, container) = match parts[..] {
            [pod] => (None, pod, None),
            [namespace, pod] => (Some(namespace), pod, None),
            [namespace, pod, container] => (Some(namespace), pod, Some(container)),
            _ => return Err("it is NAMESPACE/POD/CONTAINER at most".into()),
        };
        if parts.iter().any(|part| part.is_empty()) {
            return Err("the pod's name is missing: kube:NAMESPACE/POD".into());
        }
        parts.iter().try_for_each(|part| super::prove_name("pod, namespace or container", part))?;
        Ok(Pod {
            pod: pod.to_string(),
            namespace: namespace.map(str::to_string),
            container: container.map(str::to_string),
        })
    }

    pub fn container(&self) -> Option<&str> {
        self.container.as_deref()
    }

    fn kubectl(&self, words: &[&str]) -> Command {
        let mut command = Command::new("kubectl");
        command.args(words);
        if let Some(namespace) = &self.namespace {
            command.args(["--namespace", namespace]);
        }
        command.arg(&self.pod);
        command
    }

    /// Prints the pod as Kubernetes knows it.
    pub fn described(&self) -> Command {
        self.kubectl(&["get", "pod", "--output", "json"])
    }

    pub fn shell(&self, script: &str) -> Command {
        let mut command = self.kubectl(&["exec", "-i"]);
        if let Some(container) = &self.container {
            command.args(["--container", container]);
        }
        command.args(["--", "sh", "-c", script]);
        command
    }
}
