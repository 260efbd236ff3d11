//! What the builder knows of a state, and the node that it makes of states.

use std::any::type_name;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use super::{About, Name, NodeKind, NodeSpec};
use crate::{node::Policy, state::StateFns, topology::ShapeKind};

/// What a state of a hand-made graph has to be.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a state: it, or a type in it, lacks what every state needs",
    label = "not all of `Serialize`, `Deserialize`, `JsonSchema`, `Send` and `Sync`",
    note = "write `#[state]` above your own type, or derive what is missing"
)]
pub trait Data: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static {}

#[diagnostic::do_not_recommend]
impl<T: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static> Data for T {}

pub(super) fn spec(
    id: Name,
    takes: &[DataState],
    shape: ShapeKind,
    outputs: &[DataState],
    kind: NodeKind,
) -> NodeSpec {
    NodeSpec {
        id,
        params: takes.iter().map(|state| vec![state.name.clone()]).collect(),
        reads: Vec::new(),
        inputs: Vec::new(),
        shape,
        outputs: outputs.iter().map(|state| state.name.clone()).collect(),
        policy: Policy::default(),
        kind,
        catch: None,
        about: About {
            path: takes.first().map_or("", |state| state.path).into(),
            description: None,
            params: takes.iter().map(|state| vec![state.fns]).collect(),
            outputs: outputs.iter().map(|state| state.fns).collect(),
            asks: &[],
        },
    }
}

/// A state of a hand-made graph.
pub(super) struct DataState {
    pub(super) name: Name,
    path: &'static str,
    fns: StateFns,
}

pub(super) fn state<T: Data>() -> DataState {
    DataState {
        name: T::schema_name(),
        path: type_name::<T>(),
        fns: StateFns::of::<T>(),
    }
}
