//! From an invocation to the calls that it asks for.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{
    AD_HOC, AdHocTools, AgentRef, AgentRegistry, ContextScope, Executor, ExecutorHint, Invocation,
    InvocationResult, InvokeError, Join, Message, Part, REMOTE, RunnerConfig, Target, ToolPolicy,
};
use crate::{
    agent::{AdHocAgent, Callee, TaskPrompt, read_input},
    error::FlowError,
    graph::{CombineResults, EndedCalls},
    json,
    model::strip,
    node::{Body, Emission, Emitted, Inputs, NodeCall, NodeCalls, Running, Started},
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
        if let ToolPolicy::Exact { tools } = &invocation.tools
            && let Some(tool) = tools.first()
        {
            let tool = tool.clone();
            return Err(InvokeError::NoCaller { tool });
        }
        let mut targets = invocation.targets.iter();
        targets.try_for_each(|target| self.check_target(target, &invocation.executor))
    }

    fn check_target(&self, target: &Target, hint: &ExecutorHint) -> Result<(), InvokeError> {
        for part in &target.message.parts {
            if let Part::Data(data) = part {
                let unfit = |unfit: json::Unfit| InvokeError::Data {
                    why: unfit.to_string(),
                };
                json::check(data).map_err(unfit)?;
            }
        }
        self.resolve_executor(target, hint).map(drop)
    }

    /// Where a target runs. Fails where it can run nowhere.
    pub(super) fn resolve_executor(
        &self,
        target: &Target,
        hint: &ExecutorHint,
    ) -> Result<Executor, InvokeError> {
        let wanted = target.executor.as_ref().or(match hint {
            ExecutorHint::Force(executor) => Some(executor),
            ExecutorHint::Auto => None,
        });
        if let Some(Executor::Remote { runner }) = wanted {
            if !self.runners().contains(&runner.kind) {
                let (kind, known) = (runner.kind.clone(), self.runners().kinds());
                return Err(InvokeError::UnknownRunner { kind, known });
            }
            return remote(runner);
        }
        match &target.agent {
            AgentRef::AdHoc { tools, .. } => {
                self.check_ad_hoc(tools.as_ref()).map(|()| Executor::Local)
            }
            AgentRef::Named { agent_id } => self.executor_of(agent_id, wanted),
        }
    }

    /// The same of an agent for which no runner is wanted: in the run of the caller, if it can.
    fn executor_of(
        &self,
        agent_id: &str,
        wanted: Option<&Executor>,
    ) -> Result<Executor, InvokeError> {
        let callee = self.callee(agent_id);
        let own_runner = callee.and_then(Callee::runner);
        if callee.is_some() && own_runner.is_none() {
            return Ok(Executor::Local);
        }
        let Some(runner) = own_runner.as_ref().or(self.runner_of(agent_id)) else {
            return Err(InvokeError::UnknownAgent {
                agent_id: agent_id.to_owned(),
                known: self.agent_ids().map(str::to_owned).collect(),
            });
        };
        if wanted.is_none() && self.runners().contains(&runner.kind) {
            if callee.is_some() {
                // Its own node calls the runner.
                return Ok(Executor::Local);
            }
            return remote(runner);
        }
        Err(InvokeError::NoExecutor {
            agent_id: agent_id.to_owned(),
            needs: runner.kind.clone(),
            is_forced_local: wanted.is_some(),
            runners: self.runners().kinds(),
        })
    }

    /// Fails unless ad-hoc agents are allowed, and may have these tools.
    fn check_ad_hoc(&self, tools: Option<&AdHocTools>) -> Result<(), InvokeError> {
        let base = self.ad_hoc().ok_or(InvokeError::AdHocNotAllowed)?;
        let is_external = |tool: &str| base.tools.external_names().any(|known| known == tool);
        let is_known = |tool: &str| base.tools.names().any(|known| known == tool);
        let (builtin, external) = tools.map_or((&[][..], &[][..]), |tools| {
            (tools.builtin.as_slice(), tools.external.as_slice())
        });
        let builtin = builtin
            .iter()
            .filter(|tool| !is_known(tool) || is_external(tool));
        let external = external
            .iter()
            .filter(|tool| *tool != ALL && !is_external(tool));
        let mut unknown = builtin.chain(external);
        let names = |is_meant: &dyn Fn(&str) -> bool| {
            let names = base.tools.names().filter(|tool| is_meant(tool));
            names.map(str::to_owned).collect()
        };
        match unknown.next() {
            Some(tool) => Err(InvokeError::UnknownTool {
                tool: tool.clone(),
                builtin: names(&|tool| !is_external(tool)),
                external: names(&is_external),
            }),
            None => Ok(()),
        }
    }
}

/// A remote executor, unless no snapshot can carry its configuration.
fn remote(runner: &RunnerConfig) -> Result<Executor, InvokeError> {
    let invalid = |unfit: json::Unfit| InvokeError::InvalidRunnerConfig {
        kind: runner.kind.clone(),
        why: unfit.to_string(),
    };
    json::check(&runner.config).map_err(invalid)?;
    Ok(Executor::remote(runner.clone()))
}

/// A call of a remote agent: what is told to whom, and its runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RemoteCall {
    pub(crate) agent: AgentRef,
    pub(crate) message: Message,
    pub(crate) runner: RunnerConfig,
}

/// Makes calls of the agents of a registry.
pub(crate) struct Dispatcher {
    registry: AgentRegistry,
    /// What the flows among the agents take, with the schemas of that.
    flows: BTreeMap<String, (StateFns, Value)>,
    /// The external tools of ad-hoc agents.
    external_tools: Vec<String>,
}

/// What stands for all external tools.
const ALL: &str = "*";

impl Dispatcher {
    pub(crate) fn new(registry: &AgentRegistry) -> Self {
        let flows = registry.agents().iter().filter_map(|(agent_id, callee)| {
            let takes = callee.takes()?;
            // A schema that cannot be written allows everything: the state is read all the same.
            let schema = strip(&takes.root_schema()).unwrap_or(Value::Bool(true));
            Some((agent_id.clone(), (takes, schema)))
        });
        let base = registry.ad_hoc().into_iter();
        let external_tools = base.flat_map(|base| base.tools.external_names());
        Self {
            registry: registry.clone(),
            flows: flows.collect(),
            external_tools: external_tools.map(str::to_owned).collect(),
        }
    }

    #[cfg(feature = "documents")]
    pub(crate) const fn registry(&self) -> &AgentRegistry {
        &self.registry
    }

    /// The call of a target.
    pub(crate) fn call(&self, target: &Target, hint: &ExecutorHint) -> NodeCall {
        let message = &target.message;
        match self.registry.resolve_executor(target, hint) {
            Ok(Executor::Local) => {}
            Ok(Executor::Remote { runner }) => {
                let (agent, message) = (target.agent.clone(), message.clone());
                return remote_call(Ok(Live::new(RemoteCall {
                    agent,
                    message,
                    runner,
                })));
            }
            // `invoke` has checked this, but the run may be restored by a registry that has changed.
            Err(error) => return remote_call(Err(error.to_string())),
        }
        let (name, input) = match &target.agent {
            AgentRef::AdHoc {
                system_prompt,
                tools,
            } => {
                let ad_hoc = AdHocAgent {
                    system_prompt: system_prompt.clone(),
                    tools: tools.as_ref().map(|tools| self.names(tools)),
                };
                (
                    AD_HOC,
                    Ok(Live::new(
                        TaskPrompt::new(message.text()).for_ad_hoc(ad_hoc),
                    )),
                )
            }
            AgentRef::Named { agent_id } => (&**agent_id, self.input(agent_id, message)),
        };
        NodeCall {
            name: name.to_owned(),
            id: None,
            input,
        }
    }

    /// What an agent or a flow starts with that is told this.
    fn input(&self, agent_id: &str, message: &Message) -> Result<Live, String> {
        match self.flows.get(agent_id) {
            None => Ok(Live::new(TaskPrompt::new(message.text()))),
            Some(takes) => {
                let value = message.value(agent_id)?;
                Ok(Live::new(read_input(takes, agent_id, Some(value))?))
            }
        }
    }

    /// The names of these tools: `*` stands for all external ones.
    fn names(&self, tools: &AdHocTools) -> Vec<String> {
        let external = tools.external.iter().flat_map(|tool| match &**tool {
            ALL => self.external_tools.clone(),
            _ => vec![tool.clone()],
        });
        tools.builtin.iter().cloned().chain(external).collect()
    }
}

fn remote_call(input: Result<Live, String>) -> NodeCall {
    NodeCall {
        name: REMOTE.to_owned(),
        id: None,
        input,
    }
}

/// The calls that the invocation asks for.
impl Body for Dispatcher {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let invocation = inputs.typed::<Invocation>(0)?;
        let targets = invocation.targets.iter();
        let calls = targets.map(|target| self.call(target, &invocation.executor));
        let calls = calls.collect();
        let calls = Emission::Calls(match invocation.join {
            Join::Detached => NodeCalls::Detached(calls),
            Join::Single | Join::All => NodeCalls::Awaited(calls),
        });
        Ok(Running::Ready(Ok(Emitted(calls))))
    }
}

/// What the invocation gets back that waits, as its join says.
pub(super) struct Results;

impl CombineResults for Results {
    fn started(&self, task_ids: Vec<String>) -> Live {
        Live::new(InvocationResult::TaskIds { task_ids })
    }

    fn allows_detached(&self) -> bool {
        true
    }

    fn combine(&self, calls: EndedCalls, inputs: &Inputs<'_>) -> Result<Live, FlowError> {
        let invocation = inputs.typed::<Invocation>(0).map_err(|error| *error)?;
        let ended = calls.with_ids();
        let mut results = ended.map(|(id, end)| end.into_result(id));
        let first = results.next();
        Ok(Live::new(match (invocation.join, first) {
            (Join::Single, Some(result)) => InvocationResult::Scalar { result },
            (_, first) => InvocationResult::Vector {
                results: first.into_iter().chain(results).collect(),
            },
        }))
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
            (Some(_), None) if self.parts.len() > 1 => Err(format!(
                "`{agent_id}` takes data alone, and the message has a text beside it"
            )),
            (Some(value), None) => Ok(value.clone()),
            (Some(_), Some(_)) => Err(format!(
                "`{agent_id}` takes one part of data, and there are several"
            )),
            (None, _) => {
                let value = json::from_str(&self.text()).map_err(|error| {
                    format!(
                        "`{agent_id}` takes its input as data, or as text that is JSON: {error}"
                    )
                })?;
                let unfit = |unfit| format!("the input of `{agent_id}` is {unfit}");
                json::check(&value).map_err(unfit)?;
                Ok(value)
            }
        }
    }
}
