//! What can be wrong with a graph that was put together at run time.

use pravah_graph::{Finding, Firing, Names, Net, NodeId};

use super::{Name, NodeSpec};
use crate::{node::PolicyProblem, quoted::quoted, topology::ShapeKind};

/// One mistake in a graph.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Problem {
    NoNodes,
    SeveralEnds {
        ends: Vec<Name>,
    },
    NoEnd,
    /// The nodes, with what they return.
    TwoConsumers {
        state: Name,
        nodes: Box<[(Name, Vec<Name>); 2]>,
    },
    TwoTypes {
        state: Name,
        types: [&'static str; 2],
    },
    TwoNodes {
        id: Name,
    },
    NotProduced {
        state: Name,
        node: Name,
        /// All that the node takes.
        takes: Vec<Name>,
    },
    NotConsumed {
        state: Name,
        node: Name,
    },
    ReturnsItsInput {
        state: Name,
        node: Name,
    },
    SameState {
        state: Name,
        node: Name,
    },
    ReturnsTwice {
        state: Name,
        node: Name,
    },
    Agent {
        node: Name,
        problem: String,
    },
    Policy {
        node: Name,
        problem: PolicyProblem,
    },
    PolicyOfNothing,
    PolicyOfFlow {
        node: Name,
    },
    TwoPolicies {
        node: Name,
    },
    /// What nobody catches would be lost.
    Uncaught {
        node: Name,
        state: Name,
    },
    Broken {
        node: Name,
        why: String,
    },
    Unsound {
        what: String,
    },
}

impl Problem {
    /// Whether the net is whole all the same, so that its soundness can be asked for.
    pub(super) fn leaves_the_net(&self) -> bool {
        matches!(
            self,
            Self::TwoTypes { .. }
                | Self::Agent { .. }
                | Self::Policy { .. }
                | Self::PolicyOfNothing
                | Self::PolicyOfFlow { .. }
                | Self::TwoPolicies { .. }
                | Self::Uncaught { .. }
                | Self::Broken { .. }
        )
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoNodes => f.write_str("the graph has no nodes"),
            Self::SeveralEnds { ends } => write!(
                f,
                "the states {} are produced and never consumed: a flow ends in one state",
                quoted(ends)
            ),
            Self::NoEnd => {
                f.write_str("every state that is produced is consumed: the flow never ends")
            }
            Self::TwoConsumers { state, nodes } => {
                let [(one, returned), (other, outputs)] = &**nodes;
                if one == state && other == state && returned == outputs {
                    let outputs = quoted(outputs);
                    return write!(f, "two nodes take `{state}`, and both return {outputs}");
                }
                let [one, other] = nodes.each_ref().map(|(id, outputs)| match id == state {
                    true => format!("the node that returns {}", quoted(outputs)),
                    false => format!("`{id}`"),
                });
                write!(f, "`{state}` has two consumers: {one} and {other}")
            }
            Self::TwoTypes {
                state,
                types: [one, other],
            } => {
                write!(f, "two types are called `{state}`: `{one}` and `{other}`")
            }
            Self::TwoNodes { id } => write!(f, "two nodes are called `{id}`"),
            Self::NotProduced { state, node, takes } => match &**takes {
                [_] => write!(f, "`{node}` takes `{state}`, which nothing produces"),
                takes => write!(
                    f,
                    "the join of {} takes `{state}`, which nothing produces",
                    quoted(takes)
                ),
            },
            Self::NotConsumed { state, node } => {
                write!(f, "`{node}` returns `{state}`, which nothing takes")
            }
            Self::ReturnsItsInput { state, node } => {
                write!(
                    f,
                    "the join of `{node}` returns `{state}`, which it also takes"
                )
            }
            Self::SameState { state, node } => {
                write!(f, "`{node}` takes `{state}` twice")
            }
            Self::ReturnsTwice { state, node } => {
                write!(
                    f,
                    "`{node}` returns `{state}` twice: its outputs must be different states"
                )
            }
            Self::Agent { node, problem } => write!(f, "agent `{node}`: {problem}"),
            Self::Policy { node, problem } => write!(f, "the policy of `{node}`: {problem}"),
            Self::PolicyOfNothing => f.write_str(
                "a policy is set before the first node: `policy` is that of the node before it",
            ),
            Self::PolicyOfFlow { node } => write!(
                f,
                "the flow `{node}` has a policy, and is tried node by node: set it at its nodes"
            ),
            Self::TwoPolicies { node } => {
                write!(f, "`{node}` has two policies: set everything in one")
            }
            Self::Uncaught { node, state } => write!(
                f,
                "agent `{node}` has a contract, and nothing takes `Failure<{state}>`: what it \
                 suppresses and what a person rejects would be lost"
            ),
            Self::Broken { node, why } => write!(f, "`{node}` cannot run: {why}"),
            Self::Unsound { what } => f.write_str(what),
        }
    }
}

impl Problem {
    /// A finding of the soundness checker, whose net is that of these nodes.
    pub(super) fn of_finding(finding: &Finding, net: &Net, nodes: &[NodeSpec]) -> Self {
        let what = finding.fact(net, &Named(nodes));
        let what = what.unwrap_or_else(|| format!("the flow is not sound: {finding:?}"));
        let what = match finding {
            Finding::LeftBehind { .. } => format!("{what}: fork branches must meet in a join"),
            _ => what,
        };
        Self::Unsound { what }
    }
}

struct Named<'a>(&'a [NodeSpec]);

impl Names for Named<'_> {
    fn name(&self, node: NodeId) -> Option<String> {
        Some(self.0.get(node.0)?.id.to_string())
    }

    fn is_caught(&self, firing: &Firing) -> bool {
        let spec = self
            .0
            .get(firing.node.0)
            .filter(|spec| spec.catch.is_some());
        // Its failure is the last of its outcomes.
        spec.is_some_and(|spec| match spec.shape {
            ShapeKind::Choice => firing.outcome == spec.outputs.len(),
            ShapeKind::One | ShapeKind::Fork => firing.outcome == 1,
        })
    }
}
