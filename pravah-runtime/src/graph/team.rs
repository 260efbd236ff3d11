//! The agents and flows that an agent may call, as a graph: a run of it is one call, and starts at one of them.

use std::{borrow::Cow, sync::Arc};

use schemars::Schema;

use super::{
    About, FlowGraph, FlowSpec, NodeKind, NodeSpec,
    link::link_within,
    wiring::{NodeWiring, Port, Wiring},
};
use crate::{
    agent::TaskPrompt,
    error::FlowError,
    index::NodeIx,
    node::{Inputs, Policy, Started},
    state::{StateFns, StateType},
    topology::ShapeKind,
};

/// The node of a team from which an output leads to each of its members. It never runs: a call starts behind it.
pub(crate) const START: NodeIx = NodeIx(0);

/// What the start of a team is called, and takes. `(`: nobody wrote it.
const CALL: &str = "(call)";
/// What a team returns.
const RESULT: &str = "(result)";

/// What that is.
const TASK_PROMPT: StateFns = StateFns {
    schema: |_| Schema::default(),
    type_of: StateType::of::<TaskPrompt>,
};

impl FlowGraph {
    /// The team of these agents and flows, whose ids start with `within`.
    pub(crate) fn of_team(members: Vec<NodeSpec>, within: &str) -> Result<Self, String> {
        let members: Vec<NodeSpec> = members.into_iter().map(called).collect();
        let numbers = 1..=members.len();
        let to_each = numbers.map(|node| vec![Port { node, param: 0 }]);
        let start_wiring = NodeWiring {
            outputs: to_each.collect(),
            catch: Vec::new(),
        };
        let ends = NodeWiring {
            outputs: vec![Vec::new()],
            catch: Vec::new(),
        };
        let wiring = Wiring {
            entry: vec![Port { node: 0, param: 0 }],
            nodes: [start_wiring]
                .into_iter()
                .chain(members.iter().map(|_| ends.clone()))
                .collect(),
        };
        let nodes = [start(&members)].into_iter().chain(members).collect();
        let specs = FlowSpec::new(nodes, wiring);
        let (graph, problems) = link_within(CALL.into(), RESULT.into(), specs, within);
        match problems.first() {
            None => Ok(graph),
            Some(problem) => Err(format!("among what it may call: {problem}")),
        }
    }
}

/// A member as it is called: an agent is told what to do, and asks for nothing itself.
fn called(member: NodeSpec) -> NodeSpec {
    match &member.kind {
        NodeKind::Agent(_) => NodeSpec {
            // The prompt of this agent and of no other.
            params: vec![vec![format!("({})", member.id).into()]],
            reads: Vec::new(),
            about: About {
                params: vec![vec![TASK_PROMPT]],
                asks: &[],
                ..member.about
            },
            ..member
        },
        _ => member,
    }
}

fn start(members: &[NodeSpec]) -> NodeSpec {
    let never = |_: &mut Inputs<'_>| -> Started {
        let why = "the start of a team does not run".to_owned();
        Err(Box::new(FlowError::BuildError(why.into())))
    };
    NodeSpec {
        id: CALL.into(),
        params: vec![vec![CALL.into()]],
        reads: Vec::new(),
        shape: ShapeKind::Choice,
        outputs: members
            .iter()
            .flat_map(|member| member.params.first()?.first().cloned())
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
