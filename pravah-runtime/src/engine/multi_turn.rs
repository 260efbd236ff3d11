//! Multi-turn agents: who waits for a message, and what becomes of one.

use std::time::SystemTime;

use serde_json::Value;

use super::{
    clock::at,
    commands::CommandOutcome,
    run::{Run, node_id},
    runtime::FlowRuntime,
    state::{RunState, path::NodePath, progress::Timer},
};
use crate::{
    agent::AgentProgress,
    error::{ErrorText, FlowError},
    events::EventKind,
    graph::{NodeIx, NodeKind},
};

/// A [multi-turn](crate::Turns) agent that has answered and waits for a message; see [`FlowRuntime::listening_agents`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListeningAgent {
    /// The agent run, to send messages to.
    pub agent_run: String,
    /// The node.
    pub node: String,
    /// The items of the lists around the node, outermost first.
    pub items: Vec<usize>,
    /// Which of its turns has ended, from 1.
    pub turn: u32,
    /// What it answered last: the output as JSON.
    pub answer: Value,
    /// By when a message has to come.
    pub until: SystemTime,
}

impl ListeningAgent {
    /// An agent that has answered in its first turn, for tests of what handles one.
    pub fn new(
        agent_run: impl Into<String>,
        node: impl Into<String>,
        answer: Value,
        until: SystemTime,
    ) -> Self {
        Self {
            agent_run: agent_run.into(),
            node: node.into(),
            items: Vec::new(),
            turn: 1,
            answer,
            until,
        }
    }

    /// The same, in these items of lists.
    #[must_use]
    pub fn with_items(mut self, items: impl IntoIterator<Item = usize>) -> Self {
        self.items = items.into_iter().collect();
        self
    }

    /// The same, after this turn.
    #[must_use]
    pub fn with_turn(mut self, turn: u32) -> Self {
        self.turn = turn;
        self
    }
}

impl<F> FlowRuntime<F> {
    /// The agents that have answered and wait for a message, which a [`Hub`](crate::Hub) sends.
    pub fn listening_agents(&self) -> Vec<ListeningAgent> {
        self.inner.state.listening_agents()
    }
}

impl RunState {
    /// The agents that have answered and wait for a message.
    pub(crate) fn listening_agents(&self) -> Vec<ListeningAgent> {
        let waiting = self.waits.times();
        waiting
            .filter_map(|(_, path)| self.listening_at(path))
            .collect()
    }

    /// The agent that waits for a message at `path`, with what it answered and how long it waits.
    fn listener(&self, path: &NodePath) -> Option<(&AgentProgress, &Value, &Timer)> {
        let progress = &self.frame(&path.frame).progress;
        let agent = progress.agents.get(&path.node)?;
        // One that was closed waits no more.
        let timer = progress.timers.get(&path.node)?;
        Some((agent, agent.answer_to_message()?, timer))
    }

    fn listening_at(&self, path: &NodePath) -> Option<ListeningAgent> {
        let (agent, answer, timer) = self.listener(path)?;
        Some(ListeningAgent {
            answer: answer.clone(),
            agent_run: self.agent_run_id(path),
            node: node_id(self, &path.frame, path.node).to_string(),
            items: path.items().collect(),
            turn: agent.turn(),
            until: at(timer.until),
        })
    }
}

impl Run {
    /// Hands a message to an agent run, unless that is at work.
    pub(super) fn take_message(&mut self, id: &str, text: &str) -> CommandOutcome {
        let path = match self.listening_run(id) {
            Ok(path) => path,
            Err(outcome) => return outcome,
        };
        let frame = self.state.frame_mut(&path.frame);
        if let Some(agent) = frame.progress.agents.get(&path.node) {
            let mut agent = (**agent).clone();
            agent.receive(text);
            frame.set_agent(path.node, agent);
        }
        self.go_on_from_answer(&path);
        self.notify_published(&path, || {
            // In documents events have what nodes receive and return.
            let content = self.known.phase.map(|_| text.to_owned());
            EventKind::message_received(&*self.node_id(&path), id, content)
        });
        CommandOutcome::Taken
    }

    /// Lets the last answer of an agent run go on, unless that is at work.
    pub(super) fn take_close(&mut self, id: &str) -> CommandOutcome {
        match self.listening_run(id) {
            Ok(path) => {
                self.go_on_from_answer(&path);
                CommandOutcome::Taken
            }
            Err(outcome) => outcome,
        }
    }

    /// Where an agent run waits for a message; otherwise what becomes of one.
    fn listening_run(&self, id: &str) -> Result<NodePath, CommandOutcome> {
        let path = self.agent_run(id).map_err(CommandOutcome::Refused)?;
        match self.state.listener(&path) {
            Some(_) => Ok(path),
            None => Err(CommandOutcome::Waits),
        }
    }

    fn go_on_from_answer(&mut self, path: &NodePath) {
        // It may have been about to go on by itself.
        self.flights.drop_where(|flight| flight == path);
        self.state.clear_timer(path);
        self.start_clock(path);
        self.state.move_to_front(path);
    }

    /// The agent run at this node that started last, or that is about to start where none has.
    pub(super) fn agent_run_at(&self, node: &str) -> Result<String, FlowError> {
        let agents = self.multi_turn_agents().into_iter();
        let (there, others): (Vec<_>, Vec<_>) =
            agents.partition(|(path, _)| *self.node_id(path) == *node);
        let started = |path: &NodePath| {
            let agents = &self.state.frame(&path.frame).progress.agents;
            agents.get(&path.node).and_then(|agent| agent.start_order())
        };
        let last = there.into_iter().max_by_key(|(path, _)| started(path));
        last.map(|(_, id)| id).ok_or_else(|| {
            let mut nodes: Vec<_> = others
                .iter()
                .map(|(path, _)| self.node_id(path).to_string())
                .collect();
            nodes.dedup();
            FlowError::NoAgentRun(ErrorText::unknown(node, nodes))
        })
    }

    fn agent_run(&self, id: &str) -> Result<NodePath, FlowError> {
        let mut agents = self.multi_turn_agents();
        match agents.iter().position(|(_, other)| other == id) {
            Some(found) => Ok(agents.swap_remove(found).0),
            None => {
                let ids = agents.into_iter().map(|(_, id)| id);
                Err(FlowError::NoAgentRun(ErrorText::unknown(
                    id,
                    ids.collect::<Vec<_>>(),
                )))
            }
        }
    }

    /// The agents that are at work, or about to be, and receive messages, with the ids of their runs.
    fn multi_turn_agents(&self) -> Vec<(NodePath, String)> {
        let mut found = Vec::new();
        self.state.root.walk(|at, frame| {
            let is_multi_turn = |node: &NodeIx| {
                let kind = &frame.table.node(*node).kind;
                matches!(kind, NodeKind::Agent(agent) if agent.spec.config.turns.is_some())
            };
            let agents = frame.fed_nodes().filter(is_multi_turn);
            let mut agents: Vec<_> = agents.map(|node| NodePath::new(at, node)).collect();
            // A node that takes several states was found by each.
            agents.dedup();
            found.append(&mut agents);
        });
        let with_id = |path: NodePath| {
            let id = self.agent_run_id(&path);
            (path, id)
        };
        found.into_iter().map(with_id).collect()
    }
}
