//! What the nodes of a run ask for and its context lacks.

use std::{error::Error, fmt};

use super::run::Run;
use crate::{
    context::{Capabilities, Context, FlowConf},
    error::{DepsError, FlowError},
    graph::{FlowGraph, NodeKind, NodeSpec, RemoteNode},
    invocation::RunnerError,
    model::ClientFactory,
    topology::ParamRef,
};

/// Something that a node asks for and the context of its run lacks; see
/// [`FlowRuntime::preflight`](crate::FlowRuntime::preflight).
#[derive(Debug)]
#[non_exhaustive]
pub enum Unmet {
    /// A dependency that nobody gave to the context.
    #[non_exhaustive]
    Dep {
        /// The node.
        node: String,
        /// The tool of that agent, where it is a tool that asks.
        tool: Option<String>,
        /// Which dependency, and those that there are.
        source: DepsError,
    },
    /// The input of a flow that is not around the node: it can only be nested in one with that input.
    #[non_exhaustive]
    Input {
        /// The node.
        node: String,
        /// The tool of that agent, where it is a tool that asks.
        tool: Option<String>,
        /// The schema name of the input.
        state: &'static str,
    },
    /// `Http` where the context allows no host, or `Commands` where it allows no command.
    #[non_exhaustive]
    NoneAllowed {
        /// The node.
        node: String,
        /// The tool of that agent, where it is a tool that asks.
        tool: Option<String>,
        /// The field of [`FlowConf`](crate::FlowConf) that is empty: `hosts` or `commands`.
        field: &'static str,
    },
    /// A runner that the run lacks, see [`FlowRuntime::with_runner`](crate::FlowRuntime::with_runner).
    #[non_exhaustive]
    Runner {
        /// The agent.
        node: String,
        /// Which runner, and those that there are.
        source: RunnerError,
    },
    /// A model, or a fallback, that could not be asked: it has no key, or its scheme is unknown.
    #[non_exhaustive]
    Model {
        /// The agent.
        node: String,
        /// Why.
        source: FlowError,
    },
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dep { node, tool, source } => {
                write!(f, "{}: {source}", Asks { node, tool })
            }
            Self::Input { node, tool, state } => write!(
                f,
                "{}: no flow around it starts with `{state}`",
                Asks { node, tool }
            ),
            Self::NoneAllowed { node, tool, field } => write!(
                f,
                "{}: `FlowConf::{field}` is empty, and allows none",
                Asks { node, tool }
            ),
            Self::Runner { node, source } => {
                write!(f, "agent `{node}` cannot run: {source}")
            }
            Self::Model { node, source } => match source {
                FlowError::Model { source, .. } => {
                    write!(f, "the model of agent `{node}` cannot be asked: {source}")
                }
                source => source.fmt(f),
            },
        }
    }
}

impl Error for Unmet {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Dep { source, .. } => source.source(),
            Self::Runner { source, .. } => source.source(),
            Self::Input { .. } | Self::NoneAllowed { .. } => None,
            Self::Model { source, .. } => source.source(),
        }
    }
}

/// Who asks, in words.
struct Asks<'a> {
    node: &'a str,
    tool: &'a Option<String>,
}

impl fmt::Display for Asks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.tool {
            Some(tool) => write!(f, "the tool `{tool}` of `{}`", self.node),
            None => write!(f, "`{}`", self.node),
        }
    }
}

impl Run {
    /// What the flow's nodes ask for and `ctx` lacks, in their order.
    pub(super) fn preflight(&self, ctx: &Context) -> Vec<Unmet> {
        let mut preflight = Preflight {
            run: self,
            ctx,
            factory: &self.factory.get(ctx),
            inputs: Vec::new(),
            unmet: Vec::new(),
        };
        preflight.flow(&self.known.graph, "");
        preflight.running_tasks();
        preflight.unmet
    }
}

struct Preflight<'a> {
    run: &'a Run,
    ctx: &'a Context,
    factory: &'a ClientFactory,
    /// The inputs of the flows around, innermost last.
    inputs: Vec<String>,
    unmet: Vec<Unmet>,
}

impl Preflight<'_> {
    /// A flow; the ids of its nodes start with `place`.
    fn flow(&mut self, graph: &FlowGraph, place: &str) {
        self.inputs.push(graph.input().to_owned());
        self.nodes(graph, place);
        self.inputs.pop();
    }

    fn nodes(&mut self, graph: &FlowGraph, place: &str) {
        for spec in graph.specs.iter() {
            let id = format!("{place}{}", spec.id);
            match &spec.kind {
                NodeKind::Flow(inner) => self.flow(inner, &format!("{id}::")),
                // The item of a list is an input too.
                NodeKind::Each(each) => self.flow(&each.chain, place),
                kind => {
                    self.node(spec, id);
                    // One that cannot be made is in no graph.
                    if let Ok(Some(team)) = kind.make_team("") {
                        self.nodes(&team, place);
                    }
                }
            }
        }
    }

    /// The runners of the remote tasks that go on, whoever has called them.
    fn running_tasks(&mut self) {
        for (path, task) in self.run.state.waits.remote_nodes() {
            if let Err(source) = self.run.options.runners.get(task.runner()) {
                let node = self.run.node_id(path).to_string();
                let is_same = |unmet: &Unmet| matches!(unmet, Unmet::Runner { node: known, .. } if *known == node);
                if !self.unmet.iter().any(is_same) {
                    self.unmet.push(Unmet::Runner { node, source });
                }
            }
        }
    }

    fn node(&mut self, spec: &NodeSpec, id: String) {
        self.asks(spec.about.asks, &id, None);
        if let NodeKind::Remote(RemoteNode { agent: Some(agent) }) = &spec.kind {
            if let Err(source) = self.run.options.runners.get(&agent.runner.kind) {
                let node = id;
                self.unmet.push(Unmet::Runner { node, source });
            }
            return;
        }
        let NodeKind::Agent(agent) = &spec.kind else {
            return;
        };
        let config = &agent.spec.config;
        for (tool, asks) in config.tools.asks() {
            self.asks(asks, &id, Some(tool));
        }
        for number in 0..config.models().count() {
            if let Err(source) = self.run.client(agent, &id, number, self.factory) {
                let node = id.clone();
                self.unmet.push(Unmet::Model { node, source });
            }
        }
    }

    fn asks(&mut self, asks: &[ParamRef], node: &str, tool: Option<&str>) {
        for need in asks.iter().map(|param| param.need) {
            let (node, tool) = (|| node.to_owned(), tool.map(str::to_owned));
            if let Some(Err(source)) = need.dep.map(|dep| (dep.find)(self.ctx)) {
                let node = node();
                self.unmet.push(Unmet::Dep { node, tool, source });
            } else if let Some(state) = need.input.map(|input| input.name)
                && !self.inputs.iter().any(|input| input == state)
            {
                let node = node();
                self.unmet.push(Unmet::Input { node, tool, state });
            } else if let Some(field) = none_allowed(need.capabilities, self.ctx.conf()) {
                let node = node();
                self.unmet.push(Unmet::NoneAllowed { node, tool, field });
            }
        }
    }
}

/// The field of `conf` that allows nothing of what is asked for. Who takes a whole `Context` may need neither.
fn none_allowed(asked: Capabilities, conf: &FlowConf) -> Option<&'static str> {
    match asked {
        Capabilities::HTTP if conf.hosts.is_empty() => Some("hosts"),
        Capabilities::COMMANDS if conf.commands.is_empty() => Some("commands"),
        _ => None,
    }
}
