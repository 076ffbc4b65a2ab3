//! Targets whose data could not be written, and why.

use model::{Place, Step, Target};

/// Targets that could not be filled.
#[derive(Default)]
pub struct Unfilled(pub(crate) Vec<(Place, Option<String>, String)>);

impl Unfilled {
    pub fn of(&self, step: &Step) -> Option<String> {
        step.targets.iter().find_map(|target| self.of_target(target))
    }

    pub fn of_target(&self, target: &Target) -> Option<String> {
        let own = |(place, client, _): &&(Place, Option<String>, String)| match &target.place {
            Place::Replicas { replicas, .. } => replicas.iter().any(|replica| {
                client.as_deref() == Some(&replica.end.host)
                    && matches!(place, Place::Path { path, .. } if *path == replica.path)
            }),
            own => place == own && *client == client_of(target),
        };
        self.0.iter().find(own).map(|(.., why)| why.clone())
    }
}

/// The host that loads it; `None`: this one.
pub fn client_of(target: &Target) -> Option<String> {
    target.client.as_ref().map(|client| client.host.clone())
}
