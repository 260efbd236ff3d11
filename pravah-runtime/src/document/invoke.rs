//! `agent.invoke`: agents and flows of the host.

mod wait;

use std::sync::Arc;

use pravah_document::Node;
use serde_json::{Value, json};

pub(super) use self::wait::wait_kind;
use super::{
    bodies::{failed, latest},
    bound::BoundTemplate,
    registry::{Implementation, NodeRegistry, Registered},
};
use crate::{
    agent::{OnDone, TaskEnd},
    error::{FlowError, NodeDataError},
    graph::{CombineResults, EndedCalls, InvokeNode, NodeKind},
    invocation::{AgentRegistry, Dispatcher, ExecutorHint, Message, REMOTE, Target},
    json,
    node::{Body, Emission, Emitted, FailureKind, Inputs, NodeCalls, Running, Started},
    quoted::quoted,
    state::Live,
};

/// What runs the types of this module.
pub(super) fn implementation(name: &str) -> Option<Implementation> {
    match name {
        "agent.invoke" => Some(Implementation::Invoke),
        "agent.wait" => Some(Implementation::Wait),
        _ => None,
    }
}

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
    check_no_time_limit(
        node,
        "what is called has time limits of its own: leave `timeoutMs` and `totalTimeoutMs` out",
    )?;
    let agents = registry.agents();
    let source = input.template.source();
    check_fields(&source).map_err(|problem| refused(node, problem))?;
    for agent_id in names(&source) {
        check_name(agents, agent_id).map_err(|problem| refused(node, &problem))?;
    }
    let results = Results::of(&source).map_err(|problem| refused(node, problem))?;
    let on_done = on_done(&source, results).map_err(|problem| refused(node, problem))?;
    let calls = Arc::new(Calls {
        id: node.id.as_str().into(),
        dispatcher: Dispatcher::new(agents),
        input,
        node_type,
        results,
    });
    let invoke = InvokeNode::of_registry(calls, agents, Arc::new(results)).with_on_done(on_done);
    with_team(registry, node, invoke)
}

fn refused(node: &Node, problem: &str) -> FlowError {
    let problem = format!("`{}`: {problem}", node.id);
    FlowError::BuildError(problem.into())
}

/// Fails where a node has a time limit, and says why it has none.
fn check_no_time_limit(node: &Node, why: &str) -> Result<(), FlowError> {
    match node.policy.timeout.or(node.policy.total_timeout) {
        None => Ok(()),
        Some(_) => Err(refused(node, why)),
    }
}

/// The node, with all agents of the host as what it may call; they take messages. Fails where one of them has the name of
/// remote agents.
fn with_team(
    registry: &NodeRegistry,
    node: &Node,
    mut invoke: InvokeNode,
) -> Result<NodeKind, FlowError> {
    if registry.agents().is_local(REMOTE) {
        let problem = "`remote` stands for remote agents, and the host has an agent of that name: register it under another one, with `with_agent_named`";
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
        let calls = match self.results {
            Results::TaskIds => NodeCalls::Detached(calls.collect()),
            Results::One | Results::Several => NodeCalls::Awaited(calls.collect()),
        };
        Ok(Running::Ready(Ok(Emitted(Emission::Calls(calls)))))
    }
}

impl Results {
    /// What a node outputs whose input this is. Fails where a binding decides that.
    fn of(source: &Value) -> Result<Self, &'static str> {
        match (source.get(DETACHED), source.get(TARGETS)) {
            (Some(Value::Bool(true)), _) => Ok(Self::TaskIds),
            (None | Some(Value::Bool(false)), Some(_)) => Ok(Self::Several),
            (None | Some(Value::Bool(false)), None) => Ok(Self::One),
            _ => Err(
                "`detached` is needed before a run, and cannot be a binding: write `true` or `false`",
            ),
        }
    }
}

/// What becomes of the detached tasks of a node when the flow is done.
fn on_done(source: &Value, results: Results) -> Result<OnDone, &'static str> {
    match source.get(ON_DONE).map(Value::as_str) {
        None => Ok(OnDone::Cancel),
        Some(_) if results != Results::TaskIds => Err(
            "`onDone` is only for detached tasks: write `detached: true`, or leave `onDone` out",
        ),
        Some(Some("cancel")) => Ok(OnDone::Cancel),
        Some(Some("wait")) => Ok(OnDone::Wait),
        Some(_) => Err(
            "`onDone` is needed before a run, and cannot be a binding: write `cancel` or `wait`",
        ),
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
            let results = calls.with_ids().map(|(id, end)| ended(&id, end));
            return Ok(Live::new(json!({ "results": results.collect::<Value>() })));
        }
        let ends = calls.ends.into_iter().map(TaskEnd::in_json);
        let ends = ends.map(fit_to_be_stored);
        let calls = EndedCalls {
            ends: ends.collect(),
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

/// How deep a result is in `{ "results": [{ "result": … }] }`.
const LEVELS_AROUND: usize = 3;

/// The same end, which is in JSON, or a failure where no snapshot could carry it in the output of a node.
fn fit_to_be_stored(end: TaskEnd) -> TaskEnd {
    let content = &end.content;
    let unfit = content.read_value(|content| json::check_inside(content, LEVELS_AROUND).err());
    match unfit {
        Ok(Some(unfit)) => {
            let why = format!("what it has returned is {unfit}");
            TaskEnd::failed(why).with_kind(FailureKind::Data)
        }
        _ => end,
    }
}

/// How the task of this id has ended. The end is in JSON; see [`TaskEnd::in_json`].
fn ended(task_id: &str, end: TaskEnd) -> Value {
    let end = fit_to_be_stored(end);
    match end.has_failed() {
        true => json!({ "status": end.status, "error": end.words(), "taskId": task_id }),
        false => json!({ "status": end.status, "result": end.value(), "taskId": task_id }),
    }
}
