//! Teams: the agents and flows that an agent or a node may call, as one graph. A task runs the part of it that was called.

use std::{borrow::Cow, sync::Arc};

use schemars::Schema;
use serde_json::{Map, Value, json};

use super::{
    About, AgentNode, FlowGraph, FlowSpec, InvokeNode, Name, NodeKind, NodeSpec, RemoteNode,
    data::{spec, state},
    invoke::InvokeCallee,
    link::link_within,
    wiring::{NodeWiring, Port, Wiring},
};
use crate::{
    agent::{Agent, AgentConfig, AgentSpec, OutputType, TaskPrompt, ToolBox},
    error::FlowError,
    index::NodeIx,
    invocation::AD_HOC,
    model::Messages,
    node::{Inputs, Policy, Started},
    state::{Live, StateFns, StateType},
    topology::ShapeKind,
};

/// The node of a team from which an output leads to each callee. It never runs: a task starts behind it.
pub(crate) const TEAM_START: NodeIx = NodeIx(0);

/// The id and the input of a team's start. No name of a user's begins with `(`.
const CALL: &str = "(call)";
/// The id of what waits for a detached task.
const AWAITED: &str = "(task)";
/// What a team returns.
const RESULT: &str = "(result)";

/// What a callee that is an agent takes.
const TASK_PROMPT: StateFns = StateFns {
    schema: |_| Schema::default(),
    type_of: StateType::of::<TaskPrompt>,
};

/// Whether this is the id of a team's start, in whichever flow the team is.
pub(super) fn is_team_start(id: &str) -> bool {
    id.ends_with(CALL)
}

impl NodeSpec {
    /// The agent that the type `A` is, for others to call.
    pub(crate) fn callee<A: Agent>() -> Self {
        let kind = AgentNode::of_state::<A>().into_kind(&A::node_id().into());
        let states = [state::<A>(), state::<A::Output>()];
        let [takes, returns] = states.map(|state| [state]);
        let node = spec(A::node_id().into(), &takes, ShapeKind::One, &returns, kind);
        node.under(A::policy())
    }

    /// What waits for a detached task.
    fn await_task() -> Self {
        let (takes, returns) = ([state::<usize>()], [state::<Value>()]);
        let mut node = spec(
            AWAITED.into(),
            &takes,
            ShapeKind::One,
            &returns,
            NodeKind::AwaitTask,
        );
        node.params = vec![vec![own_input(&node)]];
        node
    }

    /// What all ad-hoc agents share: each returns a text.
    pub(super) fn ad_hoc_base(config: AgentConfig) -> Self {
        let schema = json!({ "type": "string" });
        let within = schema.clone();
        let text = OutputType {
            name: "text".to_owned(),
            is_text: true,
            schema,
            within: Arc::new(move || (within.clone(), Map::new())),
            read: Arc::new(|value| Ok(Live::new(value.clone()))),
        };
        let agent = AgentNode {
            spec: Arc::new(AgentSpec::new(config, text)),
            // It is told what its caller says.
            prompt: Arc::new(|_| Ok(Messages::default())),
            team: None,
            is_ad_hoc: true,
        };
        let (takes, returns) = ([state::<String>()], [state::<String>()]);
        spec(
            AD_HOC.into(),
            &takes,
            ShapeKind::One,
            &returns,
            agent.into_kind(&AD_HOC.into()),
        )
    }

    /// The same agent as what ad-hoc agents are made of.
    pub(crate) fn into_ad_hoc(mut self) -> Self {
        self.id = AD_HOC.into();
        if let NodeKind::Agent(agent) = &self.kind {
            let base = AgentNode {
                is_ad_hoc: true,
                ..agent.clone()
            };
            self.kind = base.into_kind(&self.id);
        }
        self
    }

    /// The tools of an agent.
    pub(crate) fn tools(&self) -> Option<&ToolBox> {
        match &self.kind {
            NodeKind::Agent(agent) => Some(&agent.spec.config.tools),
            _ => None,
        }
    }

    /// The description that models of callers read: its doc comment, or else its preamble.
    pub(crate) fn description_for_callers(&self) -> &str {
        match (self.about.description, &self.kind) {
            (Some(description), _) => description,
            (None, NodeKind::Agent(agent)) => &agent.spec.config.preamble,
            (None, NodeKind::Remote(remote)) => remote
                .agent
                .as_ref()
                .map_or("", |agent| &agent.spec.config.preamble),
            (None, _) => "",
        }
    }

    /// The input that callers give it, if it is a flow.
    pub(crate) fn input_from_callers(&self) -> Option<StateFns> {
        match &self.kind {
            NodeKind::Flow(_) => self.about.params.first()?.first().copied(),
            _ => None,
        }
    }

    /// A node that could not be made.
    pub(crate) fn not_made(id: &'static str, why: &FlowError) -> Self {
        Self {
            id: id.into(),
            kind: NodeKind::Broken(why.to_string().into()),
            ..Self::broken()
        }
    }
}

impl NodeKind {
    /// The flow that a task of the node runs, with ids that start with `within`; `None` where it calls nobody.
    pub(crate) fn make_team(&self, within: &str) -> Result<Option<FlowGraph>, String> {
        let callees: Vec<NodeSpec> = match self {
            Self::Agent(agent) => agent.callees().into_iter().map(prompted).collect(),
            Self::Invoke(invoke) => {
                let callees = invoke.callees().into_iter().map(called_by_node);
                let awaited = [Ok(NodeSpec::await_task())];
                callees.chain(awaited).collect::<Result<_, _>>()?
            }
            _ => Vec::new(),
        };
        match callees.is_empty() {
            true => Ok(None),
            false => FlowGraph::of_team(callees, within).map(Some),
        }
    }

    /// The same, where the node is linked.
    pub(crate) const fn team(&self) -> Option<&FlowGraph> {
        match self {
            Self::Agent(agent) => agent.team.as_ref(),
            Self::Invoke(invoke) => invoke.team.as_ref(),
            Self::Detached(tasks) => Some(&tasks.team),
            _ => None,
        }
    }

    /// The agents and flows that it may call.
    pub(crate) fn callees(&self) -> Vec<NodeSpec> {
        match self {
            Self::Agent(agent) => agent.callees(),
            Self::Invoke(invoke) => invoke.callees(),
            _ => Vec::new(),
        }
    }

    /// Keeps the team that was made of it.
    pub(crate) fn set_team(&mut self, team: Option<FlowGraph>) {
        match self {
            Self::Agent(agent) => agent.team = team,
            Self::Invoke(invoke) => invoke.team = team,
            _ => {}
        }
    }
}

impl AgentNode {
    /// The agents and flows that it may call, with the tools, the refusals and the depth that they have then.
    fn callees(&self) -> Vec<NodeSpec> {
        let caller = &self.spec.config;
        let depth = caller.delegation.max_depth.saturating_sub(1);
        let mut callees = caller.delegation.callees();
        for callee in &mut callees {
            if let NodeKind::Agent(agent) = &callee.kind {
                let spec = agent.spec.as_callee(caller, depth);
                callee.kind = agent.with_spec(spec).into_kind(&callee.id);
            } else {
                put_below(callee, caller, depth);
            }
        }
        callees
    }

    /// The same node with another agent.
    fn with_spec(&self, spec: AgentSpec) -> Self {
        Self {
            spec: Arc::new(spec),
            ..self.clone()
        }
    }
}

impl InvokeNode {
    fn callees(&self) -> Vec<NodeSpec> {
        self.callees.iter().map(InvokeCallee::spec).collect()
    }

    /// The same node in a flow that an agent calls.
    fn below(&self, caller: &AgentConfig, depth: u32) -> Self {
        let below = |callee: &InvokeCallee| {
            let (make, caller) = (Arc::clone(&callee.make), caller.clone());
            InvokeCallee {
                make: Arc::new(move || {
                    let mut made = make();
                    put_below(&mut made, &caller, depth);
                    made
                }),
                ..callee.clone()
            }
        };
        Self {
            callees: self.callees.iter().map(below).collect(),
            ..self.clone()
        }
    }
}

/// Lets the agents in a flow that is called have `depth` levels of agents below them, and refuse what the caller does.
fn put_below(spec: &mut NodeSpec, caller: &AgentConfig, depth: u32) {
    match &mut spec.kind {
        NodeKind::Agent(agent) => {
            let below = agent.spec.below(caller, depth);
            spec.kind = agent.with_spec(below).into_kind(&spec.id);
        }
        NodeKind::Invoke(invoke) => spec.kind = NodeKind::Invoke(invoke.below(caller, depth)),
        NodeKind::Flow(flow) => flow.change_nodes(|node| put_below(node, caller, depth)),
        NodeKind::Each(each) => each
            .chain
            .change_nodes(|node| put_below(node, caller, depth)),
        // The constraints of the caller cannot be enforced on a remote agent.
        NodeKind::Remote(_) if caller.constraints.no_network => {
            let why = "it is a remote agent, and its caller is under `no_network`";
            spec.kind = NodeKind::Broken(why.into());
        }
        NodeKind::Function(_)
        | NodeKind::Gate(_)
        | NodeKind::Remote(_)
        | NodeKind::AwaitTask
        | NodeKind::Detached(_)
        | NodeKind::Broken(_) => {}
    }
}

/// An agent that takes a prompt in place of its own states.
pub(super) fn prompted(mut callee: NodeSpec) -> NodeSpec {
    let prompt = match &mut callee.kind {
        NodeKind::Agent(agent) => &mut agent.prompt,
        NodeKind::Remote(RemoteNode { agent: Some(agent) }) => &mut agent.prompt,
        _ => return callee,
    };
    *prompt = Arc::new(|inputs| Ok(inputs.typed::<TaskPrompt>(0)?.messages()));
    callee.params = vec![vec![own_input(&callee)]];
    callee.reads = Vec::new();
    callee.about.params = vec![vec![TASK_PROMPT]];
    callee.about.asks = &[];
    callee
}

/// What waits for a callee: for it and for no other.
fn own_input(callee: &NodeSpec) -> Name {
    format!("({})", callee.id).into()
}

/// What a node calls: with its own input, and with nothing else of the flow.
fn called_by_node(mut callee: NodeSpec) -> Result<NodeSpec, String> {
    let id = &callee.id;
    if let Some(state) = callee.reads.first() {
        return Err(format!(
            "`{id}` reads `Latest<{state}>`, and what is called knows its input alone"
        ));
    }
    if !matches!(callee.params.as_slice(), [param] if param.len() == 1) {
        return Err(format!(
            "`{id}` takes several states, and a node calls what takes one"
        ));
    }
    if let NodeKind::Agent(_) | NodeKind::Remote(_) = &callee.kind {
        callee.params = vec![vec![own_input(&callee)]];
    }
    Ok(callee)
}

impl FlowGraph {
    /// The team of these agents and flows.
    fn of_team(callees: Vec<NodeSpec>, within: &str) -> Result<Self, String> {
        let numbers = 1..=callees.len();
        let to_each = numbers.map(|node| vec![Port { node, param: 0 }]);
        let start_wiring = NodeWiring {
            outputs: to_each.collect(),
            catch: Vec::new(),
        };
        let ends = NodeWiring {
            outputs: vec![Vec::new()],
            catch: Vec::new(),
        };
        let ends = callees.iter().map(|_| ends.clone());
        let wiring = Wiring {
            entry: vec![Port { node: 0, param: 0 }],
            nodes: [start_wiring].into_iter().chain(ends).collect(),
        };
        let nodes = [start(&callees)].into_iter().chain(callees).collect();
        let specs = FlowSpec::new(nodes, wiring);
        let (graph, problems) = link_within(CALL.into(), RESULT.into(), specs, within);
        match problems.first() {
            None => Ok(graph),
            Some(problem) => Err(format!("among what it may call: {problem}")),
        }
    }
}

fn start(callees: &[NodeSpec]) -> NodeSpec {
    let never = |_: &mut Inputs<'_>| -> Started {
        let why = "the start of a team does not run".to_owned();
        Err(Box::new(FlowError::BuildError(why.into())))
    };
    NodeSpec {
        id: CALL.into(),
        params: vec![vec![CALL.into()]],
        reads: Vec::new(),
        inputs: Vec::new(),
        shape: ShapeKind::Choice,
        outputs: callees
            .iter()
            .flat_map(|callee| callee.params.first()?.first().cloned())
            .collect(),
        policy: Policy::new(),
        kind: NodeKind::Function(Arc::new(never)),
        catch: None,
        about: About {
            path: Cow::Borrowed(CALL),
            description: None,
            params: Vec::new(),
            outputs: Vec::new(),
            asks: &[],
        },
    }
}
