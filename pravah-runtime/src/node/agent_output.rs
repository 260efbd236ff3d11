//! What an agent's model returns, by its type.

use std::sync::Arc;

use schemars::{JsonSchema, SchemaGenerator};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};

use crate::{
    agent::{AgentConfig, AgentSpec, OutputType},
    state::{Live, SealedState, State, StateRef},
};

/// A state that is named as what an agent returns.
#[doc(hidden)]
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the output of an agent: it is not a flow state",
    label = "not a state",
    note = "if `{Self}` is a type of yours, write `#[state]` above it, in place of `#[choice]` if that is there: a node that follows may return the choice; any other goes into a state: `#[state] struct Reply {{ content: {Self} }}`, and `output = Reply`"
)]
pub trait StateOfAgent: Sized {
    const REF: StateRef;

    fn agent_output() -> AgentOutput;
}

#[diagnostic::do_not_recommend]
impl<S: State> StateOfAgent for S {
    const REF: StateRef = <S as SealedState>::REF;

    fn agent_output() -> AgentOutput {
        AgentOutput::of::<S>()
    }
}

/// What an agent has to know of the type that its model returns.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct AgentOutput {
    name: fn() -> String,
    schema: fn() -> Value,
    within: fn() -> (Value, Map<String, Value>),
    read: fn(&Value) -> Result<Live, serde_json::Error>,
}

impl AgentOutput {
    pub(crate) fn of<O>() -> Self
    where
        O: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        Self {
            name: || O::schema_name().into_owned(),
            schema: || schemars::schema_for!(O).to_value(),
            within: || {
                let mut schemas = SchemaGenerator::default();
                let schema = schemas.subschema_for::<O>().to_value();
                (schema, schemas.take_definitions(true))
            },
            read: |value| {
                let output = O::deserialize(value)?;
                // A run has to keep it: an `f32` of 1e39 is read, and written as `null`.
                let json = serde_json::to_string(&output)?;
                serde_json::from_str::<O>(&json)?;
                Ok(Live::new(output))
            },
        }
    }

    pub(crate) fn spec(self, config: AgentConfig) -> AgentSpec {
        let output = OutputType {
            name: (self.name)(),
            is_text: false,
            schema: (self.schema)(),
            within: Arc::new(self.within),
            read: Arc::new(self.read),
        };
        AgentSpec::new(config, output)
    }
}
