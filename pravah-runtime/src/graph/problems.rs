//! What can be wrong with a graph that was put together at run time.

use pravah_graph::{Finding, Firing, NodeId, Place};

use crate::{
    node::{Name, PolicyProblem},
    quoted::quoted,
};

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
    },
    NotConsumed {
        state: Name,
        node: Name,
    },
    GivesItsInput {
        state: Name,
        node: Name,
    },
    SameState {
        state: Name,
        node: Name,
    },
    GivesTwice {
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
    Unreachable {
        node: Name,
    },
    NoWayToDone {
        node: Name,
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
            Self::NotProduced { state, node } => {
                write!(f, "`{node}` takes `{state}`, which nothing produces")
            }
            Self::NotConsumed { state, node } => {
                write!(f, "`{node}` returns `{state}`, which nothing takes")
            }
            Self::GivesItsInput { state, node } => {
                write!(
                    f,
                    "the join of `{node}` returns `{state}`, which it also takes"
                )
            }
            Self::SameState { state, node } => {
                write!(f, "`{node}` takes `{state}` twice")
            }
            Self::GivesTwice { state, node } => {
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
            Self::Unreachable { node } => write!(f, "no run reaches `{node}`"),
            Self::NoWayToDone { node } => write!(f, "from `{node}` the flow cannot end"),
            Self::Unsound { what } => f.write_str(what),
        }
    }
}

/// A finding of the soundness checker in the words of the graph, whose nodes are `ids`.
pub(super) fn from_finding(finding: &Finding, ids: &[Name]) -> Problem {
    let id = |node: NodeId| ids.get(node.0).cloned().unwrap_or_default();
    let run = |run: &[Firing]| {
        let ids: Vec<_> = run.iter().map(|firing| id(firing.node)).collect();
        if ids.is_empty() {
            "at the start".to_owned()
        } else {
            format!("after {}", quoted(&ids))
        }
    };
    let places = |marked: &[Place]| {
        let mut ids: Vec<Name> = marked
            .iter()
            .map(|place| match place {
                Place::Slot { node, .. } => id(*node),
                Place::Done => "done".into(),
            })
            .collect();
        ids.dedup();
        quoted(&ids)
    };
    match finding {
        Finding::Unreachable { node } => Problem::Unreachable { node: id(*node) },
        Finding::NoWayToDone { node } => Problem::NoWayToDone { node: id(*node) },
        Finding::Deadlock {
            run: firings,
            marked,
        } => Problem::Unsound {
            what: format!(
                "the flow gets stuck {}: {} wait for states that never come",
                run(firings),
                places(marked)
            ),
        },
        Finding::LeftBehind {
            run: firings,
            remaining,
        } => Problem::Unsound {
            what: format!(
                "{} the flow ends while {} still has work: fork branches must meet in a join",
                run(firings),
                places(remaining)
            ),
        },
        Finding::Overwritten {
            run: firings,
            place,
        } => Problem::Unsound {
            what: format!(
                "{} a state that waits for {} is overwritten",
                run(firings),
                places(&[*place])
            ),
        },
        other => Problem::Unsound {
            what: format!("the flow is not sound: {other:?}"),
        },
    }
}
