//! The agents that one may call, as a graph: a run of it is one call, and starts at one of them.

use std::{borrow::Cow, sync::Arc};

use super::{
    About, FlowGraph, FlowSpec, NodeKind, NodeSpec,
    link::link_within,
    wiring::{NodeWiring, Port, Wiring},
};
use crate::{
    error::FlowError,
    index::NodeIx,
    node::{Inputs, Policy, Started},
    state::StateFns,
    topology::ShapeKind,
};

/// The node of a team from which an output leads to each of its agents. It never runs: a call starts behind it.
pub(crate) const START: NodeIx = NodeIx(0);

/// What the start of a team is called, and takes. `(`: nobody wrote it.
const CALL: &str = "(call)";
/// What an agent of a team takes.
const PROMPT: &str = "prompt";
/// What a team returns.
const RESULT: &str = "(result)";

impl FlowGraph {
    /// The team of these agents, whose ids start with `within`.
    pub(crate) fn of_team(agents: Vec<NodeSpec>, within: &str) -> Result<Self, String> {
        let numbers = 1..=agents.len();
        let to_each = numbers.map(|node| vec![Port { node, param: 0 }]);
        let start = (
            start(agents.len()),
            NodeWiring {
                outputs: to_each.collect(),
                catch: Vec::new(),
            },
        );
        let agents = agents.into_iter().map(|agent| {
            let ends = NodeWiring {
                outputs: vec![Vec::new()],
                catch: Vec::new(),
            };
            (told(agent), ends)
        });
        let (nodes, wirings) = [start].into_iter().chain(agents).unzip();
        let wiring = Wiring {
            entry: vec![Port { node: 0, param: 0 }],
            nodes: wirings,
        };
        let specs = FlowSpec::new(nodes, wiring);
        let (graph, problems) = link_within(CALL.into(), RESULT.into(), specs, within);
        match problems.first() {
            None => Ok(graph),
            Some(problem) => Err(format!("one of the agents that it may call: {problem}")),
        }
    }
}

/// An agent that is told what to do, and asks for nothing itself.
fn told(agent: NodeSpec) -> NodeSpec {
    NodeSpec {
        params: vec![vec![PROMPT.into()]],
        reads: Vec::new(),
        about: About {
            params: vec![vec![StateFns::of::<String>()]],
            asks: &[],
            ..agent.about
        },
        ..agent
    }
}

fn start(agents: usize) -> NodeSpec {
    let never = |_: &mut Inputs<'_>| -> Started {
        let why = "the start of a team does not run".to_owned();
        Err(Box::new(FlowError::BuildError(why.into())))
    };
    NodeSpec {
        id: CALL.into(),
        params: vec![vec![CALL.into()]],
        reads: Vec::new(),
        shape: ShapeKind::Choice,
        outputs: vec![PROMPT.into(); agents],
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
