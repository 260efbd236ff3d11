//! From an invocation to the calls that it asks for.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    AgentRef, AgentRegistry, ContextScope, Executor, ExecutorHint, Invocation, InvokeError, Join,
    Message, Part, Target, ToolPolicy,
};
use crate::{
    agent::{Callee, TaskPrompt, read_input},
    json,
    model::strip,
    node::{Body, Emission, Emitted, Inputs as NodeInputs, NodeCall, Running, Started},
    state::{Live, StateFns},
};

impl AgentRegistry {
    /// Fails unless the registry has all that the invocation asks for.
    pub(super) fn check(&self, invocation: &Invocation) -> Result<(), InvokeError> {
        invocation.validate()?;
        if invocation.context != ContextScope::Independent {
            let context = invocation.context;
            return Err(InvokeError::NoConversation { context });
        }
        if invocation.join == Join::Detached {
            return Err(InvokeError::Detached);
        }
        if let ToolPolicy::Exact { tools } = &invocation.tools
            && let Some(tool) = tools.first()
        {
            let tool = tool.clone();
            return Err(InvokeError::UnknownTool { tool });
        }
        let mut targets = invocation.targets.iter();
        targets.try_for_each(|target| self.check_target(target, &invocation.executor))
    }

    fn check_target(&self, target: &Target, hint: &ExecutorHint) -> Result<(), InvokeError> {
        let forced = match hint {
            ExecutorHint::Force(executor) => Some(executor),
            ExecutorHint::Auto => None,
        };
        if let Some(Executor::Remote { runner }) = target.executor.as_ref().or(forced) {
            let kind = runner.kind.clone();
            return Err(InvokeError::UnknownRunner { kind });
        }
        let AgentRef::Named { agent_id } = &target.agent else {
            return Err(InvokeError::AdHoc);
        };
        match self.agent_ids().any(|known| known == agent_id) {
            true => Ok(()),
            false => Err(InvokeError::UnknownAgent {
                agent_id: agent_id.clone(),
                known: self.agent_ids().map(str::to_owned).collect(),
            }),
        }
    }
}

/// What the flows among the agents take, with the schemas of that.
pub(super) struct Inputs(BTreeMap<String, (StateFns, Value)>);

impl Inputs {
    pub(super) fn of(agents: &[(String, Callee)]) -> Self {
        let flows = agents.iter().filter_map(|(agent_id, callee)| {
            let takes = callee.takes()?;
            // A schema that cannot be written allows everything: the state is read all the same.
            let schema = strip(&takes.root_schema()).unwrap_or(Value::Bool(true));
            Some((agent_id.clone(), (takes, schema)))
        });
        Self(flows.collect())
    }

    fn call(&self, target: &Target) -> NodeCall {
        let name = match &target.agent {
            AgentRef::Named { agent_id } => agent_id.clone(),
            AgentRef::AdHoc { .. } => String::new(),
        };
        let input = match self.0.get(&name) {
            None => Ok(Live::new(TaskPrompt::new(target.message.text()))),
            Some(takes) => target.message.value(&name).and_then(|value| {
                let input = read_input(takes, &name, Some(value))?;
                Ok(Live::new(input))
            }),
        };
        NodeCall {
            name,
            id: None,
            input,
        }
    }
}

/// The calls that the invocation asks for which waits.
impl Body for Inputs {
    fn start(&self, inputs: &mut NodeInputs<'_>) -> Started {
        let invocation = inputs.typed::<Invocation>(0)?;
        let calls = invocation.targets.iter().map(|target| self.call(target));
        let calls = Emission::Calls(calls.collect());
        Ok(Running::Ready(Ok(Emitted(calls))))
    }
}

impl Message {
    /// What it says, as text: data as JSON.
    fn text(&self) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Data(data) => data.to_string(),
        });
        parts.collect::<Vec<_>>().join("\n\n")
    }

    /// The one JSON value that it has, as data or as text.
    fn value(&self, agent_id: &str) -> Result<Value, String> {
        let mut data = self.parts.iter().filter_map(|part| match part {
            Part::Data(data) => Some(data),
            Part::Text(_) => None,
        });
        match (data.next(), data.next()) {
            (Some(value), None) => Ok(value.clone()),
            (Some(_), Some(_)) => Err(format!(
                "`{agent_id}` takes one part of data, and there are several"
            )),
            (None, _) => json::from_str(&self.text()).map_err(|error| {
                format!("`{agent_id}` takes its input as data, or as text that is JSON: {error}")
            }),
        }
    }
}
