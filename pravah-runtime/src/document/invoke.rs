//! `agent.invoke`: agents and flows of the host.

use std::sync::Arc;

use pravah_document::Node;
use serde_json::{Value, json};

use super::{
    bodies::{failed, latest},
    bound::BoundTemplate,
    registry::{NodeRegistry, Registered},
};
use crate::{
    agent::TaskEnd,
    error::{FlowError, NodeDataError},
    graph::{CombineResults, EndedCalls, InvokeNode, NodeKind},
    invocation::{AgentRegistry, Dispatcher, ExecutorHint, Message, REMOTE, Target},
    node::{Body, Emission, Emitted, Inputs, NodeCalls, Running, Started},
    quoted::quoted,
    state::Live,
};

/// Where several are called.
const TARGETS: &str = "targets";

/// Makes the calls of a node.
struct Calls {
    id: Box<str>,
    input: BoundTemplate,
    node_type: Arc<Registered>,
    dispatcher: Dispatcher,
}

/// Puts together what they return: of one its result, of several how each has ended.
struct Results {
    are_several: bool,
}

pub(super) fn kind(
    registry: &NodeRegistry,
    node: &Node,
    input: BoundTemplate,
    node_type: Arc<Registered>,
) -> Result<NodeKind, FlowError> {
    let refused = |problem: String| {
        let problem = format!("`{}`: {problem}", node.id);
        FlowError::BuildError(problem.into())
    };
    if node.policy.timeout.or(node.policy.total_timeout).is_some() {
        let problem =
            "what is called has time limits of its own: leave `timeoutMs` and `totalTimeoutMs` out";
        return Err(refused(problem.to_owned()));
    }
    let agents = registry.agents();
    if agents.is_local(REMOTE) {
        return Err(refused(
            "the host has an agent `remote`, which remote agents are called: `with_agent_named` \
             gives it another name"
                .to_owned(),
        ));
    }
    let source = input.template.source();
    check_fields(&source).map_err(|problem| refused(problem.to_owned()))?;
    for agent_id in names(&source) {
        check_name(agents, agent_id).map_err(refused)?;
    }
    let results = Results {
        are_several: source.get(TARGETS).is_some(),
    };
    let calls = Calls {
        id: node.id.as_str().into(),
        dispatcher: Dispatcher::new(agents),
        input,
        node_type,
    };
    let mut invoke = InvokeNode::of_registry(Arc::new(calls), agents, Arc::new(results));
    invoke.accept_messages();
    let mut kind = NodeKind::Invoke(invoke);
    let team = kind.make_team("").map_err(refused)?;
    kind.set_team(team);
    Ok(kind)
}

/// Fails unless an input says whom to call: one, or several.
fn check_fields(source: &Value) -> Result<(), &'static str> {
    let has = |field: &str| source.get(field).is_some();
    match (has(TARGETS), has("agent"), has("message")) {
        (true, false, false) => match source.get(TARGETS).and_then(Value::as_array) {
            Some(targets) if targets.is_empty() => Err("`targets` is empty: name an agent"),
            _ => Ok(()),
        },
        (true, _, _) => {
            Err("it has `targets`, and beside that `agent` or `message`: keep one of the two")
        }
        (false, true, true) => Ok(()),
        (false, true, false) => Err("`message` is missing, which is what the agent is told"),
        (false, false, _) => Err("it names no agent: write `agent` and `message`, or `targets`"),
    }
}

/// The names of agents that an input has, as far as it says them without a binding.
fn names(source: &Value) -> impl Iterator<Item = &str> {
    let several = source.get(TARGETS).and_then(Value::as_array);
    let targets = several.into_iter().flatten().chain([source]);
    let names = targets.filter_map(|target| target.get("agent")?.as_str());
    names.filter(|name| !name.contains("{{"))
}

fn check_name(agents: &AgentRegistry, agent_id: &str) -> Result<(), String> {
    if agents.contains(agent_id) {
        return Ok(());
    }
    let known: Vec<&str> = agents.agent_ids().collect();
    Err(match known.is_empty() {
        true => format!(
            "there is no agent `{agent_id}`: the host has registered none, with `NodeRegistry::with_agents`"
        ),
        false => format!(
            "there is no agent `{agent_id}`: the host has {}",
            quoted(&known)
        ),
    })
}

impl Calls {
    fn targets(&self, input: &Value) -> Result<Vec<Target>, String> {
        match input.get(TARGETS).and_then(Value::as_array) {
            Some(targets) => targets.iter().map(|target| self.target(target)).collect(),
            None => Ok(vec![self.target(input)?]),
        }
    }

    fn target(&self, input: &Value) -> Result<Target, String> {
        let agent_id = input
            .get("agent")
            .and_then(Value::as_str)
            .unwrap_or_default();
        check_name(self.dispatcher.registry(), agent_id)?;
        let message = match input.get("message") {
            None | Some(Value::Null) => {
                return Err(format!(
                    "`{agent_id}` is told nothing: `message` is missing"
                ));
            }
            Some(Value::String(text)) if text.trim().is_empty() => {
                return Err(format!("`{agent_id}` is told nothing: `message` is empty"));
            }
            Some(Value::String(text)) => Message::user(text),
            Some(data) => Message::data(data.clone()),
        };
        Ok(Target::named(agent_id, message))
    }
}

impl Body for Calls {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let input = self.input.resolve_as(&self.node_type.input, latest(inputs));
        let targets = input.and_then(|input| self.targets(&input).map_err(NodeDataError::input));
        let targets = targets.map_err(|error| failed(&self.id, error))?;
        let targets = targets.iter();
        let calls = targets.map(|target| self.dispatcher.call(target, &ExecutorHint::Auto));
        let calls = NodeCalls::Awaited(calls.collect());
        Ok(Running::Ready(Ok(Emitted(Emission::Calls(calls)))))
    }
}

impl CombineResults for Results {
    fn combine(&self, calls: EndedCalls, _: &Inputs<'_>) -> Result<Live, FlowError> {
        if !self.are_several {
            let calls = EndedCalls {
                ends: calls.ends.into_iter().map(TaskEnd::in_json).collect(),
                ..calls
            };
            if calls.ends.iter().any(TaskEnd::has_failed) {
                return Err(calls.failure());
            }
            let result = calls.ends.first().map(TaskEnd::value);
            let output = json!({ "result": result, "taskId": calls.task_id(0) });
            return Ok(Live::new(output));
        }
        let results = calls.with_ids().map(|(id, end)| match end.has_failed() {
            true => json!({ "status": end.status, "error": end.why(), "taskId": id }),
            false => json!({ "status": end.status, "result": end.value(), "taskId": id }),
        });
        Ok(Live::new(json!({ "results": results.collect::<Value>() })))
    }
}
