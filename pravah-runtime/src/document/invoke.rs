//! `agent.invoke`: agents and flows of the host.

mod wait;

use std::sync::Arc;

use pravah_document::Node;
use serde_json::{Value, json};

pub(super) use self::wait::wait_kind;
use super::{
    bodies::{failed, latest},
    bound::BoundTemplate,
    registry::{NodeRegistry, Registered},
};
use crate::{
    agent::{OnDone, TaskEnd},
    error::{FlowError, NodeDataError},
    graph::{CombineResults, EndedCalls, InvokeNode, NodeKind},
    invocation::{AgentRegistry, Dispatcher, ExecutorHint, Message, REMOTE, Target},
    node::{Body, Emission, Emitted, Inputs, NodeCalls, Running, Started},
    quoted::quoted,
    state::Live,
};

/// Where several are called.
const TARGETS: &str = "targets";

/// Where what is called is not waited for.
const DETACHED: &str = "detached";

/// Where it is said what becomes of detached tasks when the flow is done.
const ON_DONE: &str = "onDone";

/// Makes the calls of a node.
struct Calls {
    id: Box<str>,
    input: BoundTemplate,
    node_type: Arc<Registered>,
    dispatcher: Dispatcher,
    results: Results,
}

/// What a node outputs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Results {
    /// The result of the one that it calls.
    One,
    /// How each of those has ended that it calls.
    Several,
    /// The ids of the tasks that it starts.
    TaskIds,
}

pub(super) fn kind(
    registry: &NodeRegistry,
    node: &Node,
    input: BoundTemplate,
    node_type: Arc<Registered>,
) -> Result<NodeKind, FlowError> {
    check_limits(node)?;
    let agents = registry.agents();
    let source = input.template.source();
    check_fields(&source).map_err(|problem| refused(node, problem))?;
    for agent_id in names(&source) {
        check_name(agents, agent_id).map_err(|problem| refused(node, &problem))?;
    }
    let on_done = match source.get(ON_DONE).and_then(Value::as_str) {
        Some("wait") => OnDone::Wait,
        _ => OnDone::Cancel,
    };
    let results = Results::of(&source);
    let calls = Arc::new(Calls {
        id: node.id.as_str().into(),
        dispatcher: Dispatcher::new(agents),
        input,
        node_type,
        results,
    });
    let invoke = InvokeNode::of_registry(calls, agents, Arc::new(results)).with_on_done(on_done);
    node_kind(registry, node, invoke)
}

fn refused(node: &Node, problem: &str) -> FlowError {
    let problem = format!("`{}`: {problem}", node.id);
    FlowError::BuildError(problem.into())
}

/// Fails where a node has a time limit.
fn check_limits(node: &Node) -> Result<(), FlowError> {
    match node.policy.timeout.or(node.policy.total_timeout) {
        None => Ok(()),
        Some(_) => {
            let problem = "what is called has time limits of its own: leave `timeoutMs` and `totalTimeoutMs` out";
            Err(refused(node, problem))
        }
    }
}

/// The node itself, which takes messages.
fn node_kind(
    registry: &NodeRegistry,
    node: &Node,
    mut invoke: InvokeNode,
) -> Result<NodeKind, FlowError> {
    if registry.agents().is_local(REMOTE) {
        let problem = "the host has an agent `remote`, which remote agents are called: `with_agent_named` gives it another name";
        return Err(refused(node, problem));
    }
    invoke.accept_messages();
    let mut kind = NodeKind::Invoke(invoke);
    let team = kind
        .make_team("")
        .map_err(|problem| refused(node, &problem))?;
    kind.set_team(team);
    Ok(kind)
}

/// Fails unless an input says whom to call: one, or several.
fn check_fields(source: &Value) -> Result<(), &'static str> {
    let has = |field: &str| source.get(field).is_some();
    check_detached(source)?;
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

/// Fails unless an input says plainly whether what it calls is detached, and says no more of it otherwise.
fn check_detached(source: &Value) -> Result<(), &'static str> {
    let is_detached = source.get(DETACHED).unwrap_or(&Value::Bool(false));
    let on_done = source.get(ON_DONE);
    let is_binding = |value: &Value| value.as_str().is_some_and(|text| text.contains("{{"));
    match (is_detached, on_done) {
        (Value::Bool(false), Some(_)) => {
            Err("`onDone` is for detached tasks: write `detached: true`, or leave it out")
        }
        (Value::Bool(_), Some(on_done)) if is_binding(on_done) => {
            Err("`onDone` has to be `cancel` or `wait`, and no binding")
        }
        (Value::Bool(_), _) => Ok(()),
        _ => Err(
            "`detached` has to be `true` or `false`, and no binding: what the node outputs follows from it",
        ),
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
        let calls = match self.results {
            Results::TaskIds => NodeCalls::Detached(calls.collect()),
            Results::One | Results::Several => NodeCalls::Awaited(calls.collect()),
        };
        Ok(Running::Ready(Ok(Emitted(Emission::Calls(calls)))))
    }
}

impl Results {
    /// What a node outputs whose input this is.
    fn of(source: &Value) -> Self {
        match (source.get(DETACHED), source.get(TARGETS)) {
            (Some(Value::Bool(true)), _) => Self::TaskIds,
            (_, Some(_)) => Self::Several,
            (_, None) => Self::One,
        }
    }
}

impl CombineResults for Results {
    fn started(&self, task_ids: Vec<String>) -> Live {
        Live::new(json!({ "taskIds": task_ids }))
    }

    fn allows_detached(&self) -> bool {
        *self == Self::TaskIds
    }

    fn combine(&self, calls: EndedCalls, _: &Inputs<'_>) -> Result<Live, FlowError> {
        if *self != Self::One {
            let results = calls.with_ids().map(|(id, end)| ended(&id, &end));
            return Ok(Live::new(json!({ "results": results.collect::<Value>() })));
        }
        let calls = EndedCalls {
            ends: calls.ends.into_iter().map(TaskEnd::in_json).collect(),
            ..calls
        };
        if calls.ends.iter().any(TaskEnd::has_failed) {
            return Err(calls.failure());
        }
        let result = calls.ends.first().map(TaskEnd::value);
        let output = json!({ "result": result, "taskId": calls.task_id(0) });
        Ok(Live::new(output))
    }
}

/// How the task of this id has ended.
fn ended(task_id: &str, end: &TaskEnd) -> Value {
    match end.has_failed() {
        true => json!({ "status": end.status, "error": end.why(), "taskId": task_id }),
        false => json!({ "status": end.status, "result": end.value(), "taskId": task_id }),
    }
}
