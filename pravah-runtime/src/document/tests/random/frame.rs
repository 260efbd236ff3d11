//! A graph of the reference that runs: its edges are pending, fired or skipped (P1, P2).

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use pravah_document::{Graph, Member, MergeMode, Selector, When, Work};
use serde_json::{Map, Value, json};

use super::{
    document::{ids, last_id},
    inside::Inside,
};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Pending,
    Fired,
    Skipped,
    UpstreamFailed,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Status {
    Succeeded,
    Failed { handled: bool },
    Skipped,
}

#[derive(Clone)]
pub(super) struct Outcome {
    pub(super) status: Status,
    pub(super) value: Value,
}

impl Outcome {
    pub(super) const fn succeeded(value: Value) -> Self {
        let status = Status::Succeeded;
        Self { status, value }
    }

    fn skipped(reason: &str) -> Self {
        Self {
            status: Status::Skipped,
            value: json!({ "skipped": true, "reason": reason }),
        }
    }

    /// Why it has failed.
    pub(super) fn failure(&self) -> Failure {
        Failure {
            kind: match self.value["kind"].as_str() {
                Some("limit") => "limit",
                _ => "error",
            },
            attempts: self.value["attempts"].as_u64().unwrap_or_default(),
        }
    }

    pub(super) fn failed(failure: &Failure, handled: bool) -> Self {
        Self {
            status: Status::Failed { handled },
            value: json!({ "failed": true, "kind": failure.kind, "attempts": failure.attempts }),
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct Failure {
    pub(super) kind: &'static str,
    pub(super) attempts: u64,
}

pub(super) enum State<'d> {
    Pending,
    /// Its edges say that it runs; so often it was tried.
    Running(u64),
    Inside(Box<Inside<'d>>),
    Ended(Status),
}

/// A graph that runs: the document, a body, or the inside of a region.
pub(super) struct Frame<'d> {
    pub(super) graph: &'d Graph,
    pub(super) fail_fast: bool,
    /// What can be named.
    pub(super) scope: Map<String, Value>,
    tokens: Vec<Token>,
    pub(super) nodes: Vec<State<'d>>,
    /// The nodes that can move, and when they became ready.
    pub(super) ready: BTreeSet<(u64, usize)>,
    /// By the ids of the nodes.
    pub(super) outcomes: BTreeMap<String, Outcome>,
}

impl<'d> Frame<'d> {
    pub(super) fn start(graph: &'d Graph, fail_fast: bool, scope: Map<String, Value>) -> Self {
        let mut frame = Self {
            graph,
            fail_fast,
            scope,
            tokens: vec![Token::Pending; graph.edges.len()],
            nodes: graph.members.iter().map(|_| State::Pending).collect(),
            ready: BTreeSet::new(),
            outcomes: BTreeMap::new(),
        };
        for index in 0..graph.members.len() {
            if frame.tokens_to(index).next().is_none() {
                frame.settle(vec![index], 0);
            }
        }
        if frame.is_over() {
            // Nothing runs, and that is a step all the same.
            frame.ready.insert((0, usize::MAX));
        }
        frame
    }

    fn tokens_to(&self, to: usize) -> impl Iterator<Item = Token> {
        let edges = self.graph.edges.iter().zip(&self.tokens);
        edges
            .filter(move |(edge, _)| edge.to == to)
            .map(|(_, token)| *token)
    }

    pub(super) fn is_over(&self) -> bool {
        self.nodes
            .iter()
            .all(|node| matches!(node, State::Ended(_)))
    }

    pub(super) fn failed(&self) -> impl Iterator<Item = (&String, &Outcome)> {
        let outcomes = self.outcomes.iter();
        outcomes.filter(|(_, it)| it.status == Status::Failed { handled: false })
    }

    /// Looks at nodes to which an edge was decided, and at those that follow from them.
    fn settle(&mut self, open: Vec<usize>, step: u64) {
        let mut open = VecDeque::from(open);
        while let Some(node) = open.pop_front() {
            if let State::Pending = self.nodes[node] {
                match self.readiness(node) {
                    None => {}
                    Some(Ok(())) => {
                        self.nodes[node] = State::Running(0);
                        self.ready.insert((step, node));
                    }
                    Some(Err(reason)) => open.extend(self.skip(node, reason)),
                }
            }
        }
    }

    /// P1.4: whether a node runs, or why it does not, once that is known.
    fn readiness(&self, node: usize) -> Option<Result<(), &'static str>> {
        let tokens: Vec<Token> = self.tokens_to(node).collect();
        let has = |token| tokens.contains(&token);
        let mode = merge_mode(&self.graph.members[node]);
        let fires = match mode {
            Some(MergeMode::Any) if has(Token::Fired) => true,
            _ if has(Token::Pending) => return None,
            Some(MergeMode::All) => tokens.iter().all(|token| *token == Token::Fired),
            _ => tokens.is_empty() || has(Token::Fired),
        };
        if self.is_cancelled(node) {
            return Some(Err("edge"));
        }
        if !fires {
            let reason = if has(Token::UpstreamFailed) {
                "upstream_failed"
            } else {
                "edge"
            };
            return Some(Err(reason));
        }
        let when = match &self.graph.members[node] {
            Member::Node(node) => node.when.as_ref(),
            Member::Repeat(_) => None,
        };
        let holds = when.is_none_or(|when| when.holds(&self.scope));
        Some(if holds { Ok(()) } else { Err("when") })
    }

    /// Whether a merge that has run cancels the node.
    fn is_cancelled(&self, node: usize) -> bool {
        let mut members = self.graph.members.iter().enumerate();
        members.any(|(merge, member)| {
            matches!(self.nodes[merge], State::Ended(Status::Succeeded))
                && cancels(member)
                && loses(self.graph, node, merge)
        })
    }

    fn skip(&mut self, node: usize, reason: &str) -> Vec<usize> {
        self.ready.retain(|(_, ready)| *ready != node);
        let member = &self.graph.members[node];
        for id in ids(member) {
            let reason = if id == last_id(member) {
                reason
            } else {
                "edge"
            };
            self.keep(&id, Outcome::skipped(reason));
        }
        self.emit(node, &Outcome::skipped(reason))
    }

    pub(super) fn keep(&mut self, id: &str, outcome: Outcome) {
        self.scope.insert(id.to_owned(), outcome.value.clone());
        self.outcomes.insert(id.to_owned(), outcome);
    }

    /// P1.2: decides the edges of a node that has ended. Returns where they lead.
    fn emit(&mut self, node: usize, outcome: &Outcome) -> Vec<usize> {
        self.nodes[node] = State::Ended(outcome.status);
        let id = last_id(&self.graph.members[node]);
        self.keep(id, outcome.clone());
        let graph = self.graph;
        let mut targets = Vec::new();
        for (index, edge) in graph
            .edges
            .iter()
            .enumerate()
            .filter(|(_, it)| it.from == node)
        {
            self.tokens[index] = self.token(outcome, edge.on, edge.when.as_ref());
            targets.push(edge.to);
        }
        targets
    }

    fn token(&self, outcome: &Outcome, on: Selector, when: Option<&When>) -> Token {
        match (outcome.status, on) {
            (Status::Skipped, _) if outcome.value["reason"] == "upstream_failed" => {
                Token::UpstreamFailed
            }
            (Status::Failed { .. }, Selector::Success) => Token::UpstreamFailed,
            (Status::Skipped, _) | (Status::Succeeded, Selector::Failure) => Token::Skipped,
            _ if when.is_none_or(|when| when.holds(&self.scope)) => Token::Fired,
            _ => Token::Skipped,
        }
    }

    /// Ends a node, with all that follows from it in the same commit.
    pub(super) fn end(&mut self, node: usize, outcome: &Outcome, step: u64) {
        self.ready.retain(|(_, ready)| *ready != node);
        let open = self.emit(node, outcome);
        self.settle(open, step);
        if outcome.status == Status::Succeeded && cancels(&self.graph.members[node]) {
            self.cancel_losers(node, step);
        }
    }

    fn cancel_losers(&mut self, merge: usize, step: u64) {
        for loser in 0..self.nodes.len() {
            let is_pending = match &self.nodes[loser] {
                State::Ended(_) => false,
                // It is skipped when its edges are decided.
                State::Pending => merge_mode(&self.graph.members[loser]) == Some(MergeMode::Any),
                State::Running(_) | State::Inside(_) => true,
            };
            if is_pending && loses(self.graph, loser, merge) {
                let open = self.skip(loser, "edge");
                self.settle(open, step);
            }
        }
    }

    /// Whether a failure is handled by an edge of the node, or by its policy.
    pub(super) fn handles(&mut self, node: usize, failure: &Failure) -> bool {
        let member = &self.graph.members[node];
        if let Member::Node(node) = member
            && node.policy.continue_on_error
        {
            return true;
        }
        let outcome = Outcome::failed(failure, true);
        let before = self
            .scope
            .insert(last_id(member).to_owned(), outcome.value.clone());
        let mut edges = self.graph.edges.iter().filter(|edge| edge.from == node);
        let handles =
            edges.any(|edge| self.token(&outcome, edge.on, edge.when.as_ref()) == Token::Fired);
        match before {
            Some(before) => self.scope.insert(last_id(member).to_owned(), before),
            None => self.scope.remove(last_id(member)),
        };
        handles
    }
}

fn merge_mode(member: &Member) -> Option<MergeMode> {
    match member {
        Member::Node(node) => match node.work {
            Work::Merge { mode, .. } => Some(mode),
            _ => None,
        },
        Member::Repeat(_) => None,
    }
}

pub(super) fn cancels(member: &Member) -> bool {
    matches!(member, Member::Node(node) if matches!(node.work, Work::Merge { cancel_losers: true, .. }))
}

/// Whether every path from a node leads into the merge.
pub(super) fn loses(graph: &Graph, node: usize, merge: usize) -> bool {
    let mut edges = graph
        .edges
        .iter()
        .filter(|edge| edge.from == node)
        .peekable();
    edges.peek().is_some() && edges.all(|edge| edge.to == merge || loses(graph, edge.to, merge))
}
