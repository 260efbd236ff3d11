//! What nodes tell whoever watches a run: `system.log` and `system.metrics`.

use serde::Serialize;
use serde_json::Value;

use crate::{events::EventKind, node::Emitted, state::Live};

/// An event to be, which the rules of the node take out of its output.
#[derive(Serialize)]
pub(super) struct Said {
    name: Box<str>,
    value: Value,
}

impl Said {
    pub(super) fn event(&self) -> EventKind {
        EventKind::emitted(&*self.name, self.value.clone())
    }
}

/// What a node of the type `name` returns that has said its input.
pub(super) fn emitted(name: &str, value: Value) -> Emitted {
    let name = name.into();
    Emitted::only(Live::new(Said { name, value }))
}
