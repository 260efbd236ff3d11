//! A node's signature as data, for the checks at compile time and for linking a graph.

use super::{CallOutput, ParamKind, ParamRef, Topology};
use crate::{
    context::Capabilities,
    state::{StateRef, name::ConstStr, name::same},
};

/// How what a node returns goes on.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// One state.
    One,
    /// Exactly one of the states.
    Choice,
    /// All of the states.
    Fork,
}

/// What a node returns.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub kind: ShapeKind,
    pub states: &'static [StateRef],
    /// What the calls of agents bring that the node returns, where it returns some.
    pub calls_return: Option<&'static CallOutput>,
}

impl Shape {
    pub const fn new(kind: ShapeKind, states: &'static [StateRef]) -> Self {
        Self {
            kind,
            states,
            calls_return: None,
        }
    }

    /// The same of a node that returns calls, which bring this.
    pub(crate) const fn of_calls(self, output: &'static CallOutput) -> Self {
        Self {
            calls_return: Some(output),
            ..self
        }
    }
}

/// The names of `Failure<I>`, where `I` is what a node takes: what `catch` hands to the node that
/// rescues it.
#[doc(hidden)]
#[derive(Debug)]
pub struct FailureName {
    name: ConstStr,
    path: ConstStr,
}

impl FailureName {
    #[expect(clippy::indexing_slicing, reason = "constants cannot iterate")]
    pub const fn of(node: Signature) -> Self {
        let params = node.params;
        let mut name = ConstStr::concat(&["Failure_of_"]);
        let mut path = ConstStr::concat(&["pravah_runtime::Failure<"]);
        if params.len() > 1 {
            name = name.push("Tuple_of_");
            path = path.push("(");
        }
        let mut i = 0;
        while i < params.len() {
            if i > 0 {
                name = name.push("_and_");
                path = path.push(", ");
            }
            name = name.push(params[i].name);
            path = path.push(params[i].path);
            i += 1;
        }
        path = path.push(if params.len() > 1 { ")>" } else { ">" });
        Self { name, path }
    }

    pub(crate) const fn name(&self) -> &str {
        self.name.as_str()
    }

    pub(crate) const fn path(&self) -> &str {
        self.path.as_str()
    }

    pub const fn state(&'static self) -> StateRef {
        StateRef::named(self.name.as_str(), self.path.as_str())
    }
}

/// What a node is called, takes and returns.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    pub name: &'static str,
    /// The parameters that consume a state, in order: a slot for each.
    pub params: &'static [ParamRef],
    /// All parameters.
    pub asks: &'static [ParamRef],
    pub inside: Inside,
    pub shape: Shape,
    /// A node that is broken has been reported where it is written; no check speaks of it again.
    pub broken: bool,
    /// Whether it is an agent whose answer may be suppressed or rejected.
    pub contract: bool,
    /// Whether it says how often it may run.
    pub limited: bool,
    /// Whether it is a tool, and no node.
    pub tool: bool,
    /// Of a gate: the type of its answer, as it is written.
    pub answer: &'static str,
}

/// What a node is made of, and what asks for more than the node itself.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum Inside {
    Nothing,
    /// A flow, or the chain of a list.
    Net(&'static Topology),
    /// The tools of an agent, and the agents that it may call.
    Agent {
        tools: &'static [ToolRef],
        agents: &'static [Signature],
        /// Whether it may call them as detached tasks.
        detached: bool,
    },
    /// A remote agent.
    Remote,
    /// The agents and flows that a node calls.
    Calls(&'static [Signature]),
}

/// What a tool is called and asks for.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct ToolRef {
    pub name: &'static str,
    pub asks: &'static [ParamRef],
}

impl Signature {
    /// The signature of a function that has these parameters, of which those that consume a state are
    /// adjacent.
    pub const fn of_function(
        name: &'static str,
        params: &'static [ParamRef],
        shape: Shape,
    ) -> Self {
        let mut states = params;
        while let [first, rest @ ..] = states
            && !matches!(first.kind, ParamKind::State)
        {
            states = rest;
        }
        while let [rest @ .., last] = states
            && !matches!(last.kind, ParamKind::State)
        {
            states = rest;
        }
        let signature = Self::new(name, states, shape);
        Self {
            asks: params,
            ..signature
        }
    }

    /// The same node, which asks for these.
    #[must_use]
    pub const fn asking(self, asks: &'static [ParamRef]) -> Self {
        Self { asks, ..self }
    }

    /// The same node, with what it is made of.
    #[must_use]
    pub const fn with_inside(self, inside: Inside) -> Self {
        Self { inside, ..self }
    }

    /// What the node can reach, with what is inside.
    pub const fn capabilities(self) -> Capabilities {
        capabilities(self.asks).and(self.capabilities_inside())
    }

    /// What is reached from inside the node. Of an agent that is called that is all: its own function does not run.
    pub const fn capabilities_inside(self) -> Capabilities {
        let mut all = Capabilities::NONE;
        match self.inside {
            Inside::Nothing => {}
            // What it reaches there is not known, but the way there is the network.
            Inside::Remote => all = Capabilities::HTTP,
            Inside::Net(net) => {
                let mut rest = net.nodes;
                while let [node, others @ ..] = rest {
                    all = all.and(node.signature.capabilities());
                    rest = others;
                }
            }
            Inside::Agent { tools, agents, .. } => {
                let mut rest = tools;
                while let [tool, others @ ..] = rest {
                    all = all.and(capabilities(tool.asks));
                    rest = others;
                }
                let mut rest = agents;
                while let [agent, others @ ..] = rest {
                    all = all.and(agent.capabilities_inside());
                    rest = others;
                }
            }
            // Unlike the callees of an agent, these run their own functions, so what those ask for counts too.
            Inside::Calls(mut rest) => {
                while let [agent, others @ ..] = rest {
                    all = all.and(agent.capabilities());
                    rest = others;
                }
            }
        }
        all
    }

    /// The same node, under a contract.
    #[must_use]
    pub const fn contracted(self) -> Self {
        Self {
            contract: true,
            ..self
        }
    }

    /// The same node, with a `max_visits`.
    #[must_use]
    pub const fn limited(self) -> Self {
        Self {
            limited: true,
            ..self
        }
    }

    /// The same node, which is a gate whose parameters have these types and whose answer is number `answer`.
    #[must_use]
    pub const fn answered_by(self, types: &[&'static str], answer: usize) -> Self {
        match types.split_at_checked(answer) {
            Some((_, [answer, ..])) => Self { answer, ..self },
            _ => self,
        }
    }

    /// The same node under another name, where two of a flow are called alike.
    #[must_use]
    pub const fn called(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// It is broken if a type that the node takes or returns has been refused where it is written:
    /// such a type holds no states. So it is if it takes none, or if nobody can tell which parameter takes a state.
    pub const fn new(name: &'static str, params: &'static [ParamRef], shape: Shape) -> Self {
        let takes_well = match params {
            // Most nodes are so, and a call would slow constant evaluation.
            [ParamRef { states: [_], .. }] => true,
            _ => is_clear(params),
        };
        Self {
            name,
            params,
            asks: &[],
            inside: Inside::Nothing,
            shape,
            broken: !takes_well || matches!(shape.states, []),
            contract: false,
            limited: false,
            tool: false,
            answer: "",
        }
    }

    pub const BROKEN: Self = Self {
        name: "",
        params: &[],
        asks: &[],
        inside: Inside::Nothing,
        shape: Shape::new(ShapeKind::One, &[]),
        broken: true,
        contract: false,
        limited: false,
        tool: false,
        answer: "",
    };

    /// A tool, of which no check says more than that.
    pub const fn of_tool(name: &'static str) -> Self {
        Self {
            name,
            tool: true,
            ..Self::BROKEN
        }
    }
}

/// Whether there are parameters, each of which takes something, and it is clear which.
const fn is_clear(params: &[ParamRef]) -> bool {
    let mut rest = params;
    while let [param, others @ ..] = rest {
        if matches!(param.states, []) {
            return false;
        }
        rest = others;
    }
    !matches!(params, []) && ambiguous(params).is_none()
}

/// What parameters can reach.
pub(crate) const fn capabilities(params: &[ParamRef]) -> Capabilities {
    let (mut rest, mut all) = (params, Capabilities::NONE);
    while let [param, others @ ..] = rest {
        all = all.and(param.need.capabilities);
        rest = others;
    }
    all
}

pub(crate) const fn contains(states: &[StateRef], state: StateRef) -> bool {
    let mut states = states;
    while let [first, rest @ ..] = states {
        if same(first.name, state.name) {
            return true;
        }
        states = rest;
    }
    false
}

/// The first state that one parameter takes twice, or two whose types differ: whichever of them it is meant
/// for, a reader could not tell. Parameters of one type are told apart by their order.
pub(crate) const fn ambiguous(params: &[ParamRef]) -> Option<StateRef> {
    let mut after = params;
    while let [param, rest @ ..] = after {
        let before = params.split_at(params.len() - after.len()).0;
        let mut states = param.states;
        while let [state, others @ ..] = states {
            let mut before = before;
            while let [other, more @ ..] = before {
                if contains(other.states, *state) && !same(other.path, param.path) {
                    return Some(*state);
                }
                before = more;
            }
            let at = param.states.len() - states.len();
            if contains(param.states.split_at(at).0, *state) {
                return Some(*state);
            }
            states = others;
        }
        after = rest;
    }
    None
}
