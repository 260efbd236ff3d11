//! What the reference does with the items of lists, and with rounds.

use std::collections::BTreeMap;

use pravah_document::{Member, Work};
use serde_json::{Map, Value, json};

use super::{
    document::{ids, last_id},
    frame::{Failure, Frame, Outcome, State, Status},
    reference::{Place, Reference},
    rounds::{failure, goes_on, holds_after, iteration, leaves_outcomes},
};

/// The items of a list, or rounds, or a subflow, that run.
pub(super) struct Inside<'d> {
    /// What runs for each.
    list: Vec<Value>,
    pub(super) items: BTreeMap<usize, Frame<'d>>,
    done: BTreeMap<usize, Value>,
    len: usize,
    next: usize,
    limit: usize,
    /// Why it fails once all are done.
    failure: Option<Failure>,
    /// The first item in which a node has failed that nothing handled: of the failures the list has that one.
    failed_item: Option<usize>,
}

impl Inside<'_> {
    pub(super) fn can_move(&self) -> bool {
        let moves = self.items.values().any(|item| !item.ready.is_empty());
        moves || self.can_start() || self.is_complete()
    }

    fn can_start(&self) -> bool {
        self.next < self.len && self.items.len() < self.limit
    }

    fn is_complete(&self) -> bool {
        self.done.len() == self.len
    }

    /// What it returns.
    pub(super) fn result(&self, member: &Member) -> Result<Value, Failure> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        let done: Vec<&Value> = self.done.values().collect();
        let Member::Node(node) = member else {
            return Ok(Value::Null);
        };
        Ok(match node.work {
            Work::Foreach { .. } => json!({ "count": done.len(), "iterations": done }),
            Work::Loop { .. } => json!({ "iteration": done.len(), "iterations": done }),
            _ => done
                .first()
                .map(|done| json!({ "outputs": done["outputs"] }))
                .unwrap_or_default(),
        })
    }
}

impl<'d> Reference<'d> {
    /// P1.5: the node that became ready first, and of those of one step the one that was declared first.
    pub(super) fn choose(&mut self, around: &mut Place) -> Option<Place> {
        around.push(0);
        let ready: Vec<usize> = self
            .frame(around)
            .ready
            .iter()
            .map(|(_, node)| *node)
            .collect();
        for node in ready {
            *around.last_mut().unwrap() = node;
            let found = self.choose_at(around);
            if found.is_some() {
                return found;
            }
        }
        around.pop();
        None
    }

    fn choose_at(&mut self, place: &mut Place) -> Option<Place> {
        let node = *place.last()?;
        self.open(place);
        let frame = self.frame(place);
        let Some(State::Inside(inside)) = frame.nodes.get(node) else {
            return Some(place.clone());
        };
        let items = inside.items.iter();
        let movable = items
            .filter(|(_, item)| !item.ready.is_empty())
            .map(|(index, _)| *index);
        let next = inside.can_start().then_some(inside.next);
        if inside.is_complete() {
            return Some(place.clone());
        }
        let movable: Vec<usize> = movable.collect();
        for index in movable.into_iter().chain(next) {
            self.start_item(place, index);
            let mut inner = place.clone();
            inner.push(index);
            let found = self.choose(&mut inner);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// Begins a list, rounds, or a subflow.
    fn open(&mut self, place: &Place) {
        let Some(node) = place.last().copied() else {
            return;
        };
        let frame = self.frame(place);
        let Some(State::Running(_)) = frame.nodes.get(node) else {
            return;
        };
        let graph = frame.graph;
        let (list, limit) = match &graph.members[node] {
            Member::Repeat(_) => (vec![Value::Null], 1),
            Member::Node(node) => match &node.work {
                Work::Foreach {
                    list, concurrency, ..
                } => {
                    let list = list.resolve(&frame.scope).unwrap();
                    (list.as_array().unwrap().clone(), *concurrency as usize)
                }
                Work::Loop {
                    condition, body, ..
                } => {
                    for id in body.members.iter().flat_map(ids) {
                        frame.scope.remove(&id);
                    }
                    let runs = holds_after(condition, 0, &frame.scope);
                    (vec![Value::Null; usize::from(runs)], 1)
                }
                Work::Subflow { input, .. } => {
                    let given = input
                        .as_ref()
                        .map(|input| input.resolve(&frame.scope).unwrap());
                    (vec![given.unwrap_or_default()], 1)
                }
                _ => return,
            },
        };
        frame.nodes[node] = State::Inside(Box::new(Inside {
            len: list.len(),
            list,
            items: BTreeMap::new(),
            done: BTreeMap::new(),
            next: 0,
            limit,
            failure: None,
            failed_item: None,
        }));
    }

    fn start_item(&mut self, place: &Place, index: usize) {
        let (node, drawn) = (place[place.len() - 1], self.drawn);
        let frame = self.frame(place);
        let State::Inside(inside) = &mut frame.nodes[node] else {
            return;
        };
        if inside.items.contains_key(&index) {
            return;
        }
        let mut scope = frame.scope.clone();
        let item = inside.list.get(index).cloned().unwrap_or_default();
        let mut fail_fast = frame.fail_fast;
        let graph = match &frame.graph.members[node] {
            Member::Repeat(repeat) => &repeat.graph,
            Member::Node(node) => match &node.work {
                Work::Foreach { body, .. } => {
                    scope.insert("item".to_owned(), item);
                    scope.insert("index".to_owned(), json!(index));
                    scope.insert("$last".to_owned(), json!(index + 1 == inside.len));
                    body
                }
                Work::Loop { body, .. } => {
                    scope.insert("iteration".to_owned(), json!(index + 1));
                    scope.insert("index".to_owned(), json!(index));
                    body
                }
                Work::Subflow { name, .. } => {
                    let mut flows = drawn.subflows.iter();
                    let flow = flows.find(|flow| flow.name == *name).unwrap();
                    let mut input = flow.input.clone();
                    if let Some(n) = item.get("n") {
                        input["n"] = n.clone();
                    }
                    scope = Map::new();
                    scope.insert("flow".to_owned(), json!({ "input": input }));
                    fail_fast = flow.fail_fast;
                    &flow.graph
                }
                _ => return,
            },
        };
        inside
            .items
            .insert(index, Frame::start(graph, fail_fast, scope));
        inside.next = inside.next.max(index + 1);
    }

    /// A graph in which nothing ran is over.
    pub(super) fn over(&mut self, place: &Place) -> Result<(), String> {
        self.log(place, "Node");
        self.settle_lists(place)
    }

    /// Lets the lists around a place know of a step there, from the inside out.
    pub(super) fn settle_lists(&mut self, place: &Place) -> Result<(), String> {
        if place.len() < 3 {
            return Ok(());
        }
        let (around, index) = (place[..place.len() - 2].to_vec(), place[place.len() - 2]);
        let node = around[around.len() - 1];
        let inner = self.frame(place);
        if inner.is_over() && inner.ready.is_empty() {
            return self.note_done(&around, index);
        }
        self.note_movable(&around, node);
        self.settle_lists(&around)
    }

    /// A list that can move is ready, before all others if it was not.
    fn note_movable(&mut self, around: &Place, node: usize) {
        let frame = self.frame(around);
        let State::Inside(inside) = &frame.nodes[node] else {
            return;
        };
        let can_move = inside.can_move();
        let is_ready = frame.ready.iter().any(|(_, ready)| *ready == node);
        match (can_move, is_ready) {
            (true, false) => {
                frame.ready.insert((0, node));
            }
            (false, true) => frame.ready.retain(|(_, ready)| *ready != node),
            _ => {}
        }
    }

    /// Notes that an item is done, and ends the list if that was the last.
    fn note_done(&mut self, around: &Place, index: usize) -> Result<(), String> {
        let node = around[around.len() - 1];
        let frame = self.frame(around);
        let graph = frame.graph;
        let State::Inside(inside) = &mut frame.nodes[node] else {
            return Ok(());
        };
        let done = inside.items.remove(&index).unwrap();
        let failed = done.failed().next().map(|(_, outcome)| outcome.failure());
        inside
            .done
            .insert(index, iteration(&graph.members[node], &done));
        let rounds = inside.done.len();
        if !matches!(graph.members[node], Member::Repeat(_))
            && let Some(failed) = failed
            && inside.failed_item.is_none_or(|before| index < before)
        {
            inside.failed_item = Some(index);
            inside.failure = Some(failure(failed.kind));
        }
        if leaves_outcomes(&graph.members[node]) {
            for (id, outcome) in &done.outcomes {
                frame.scope.insert(id.clone(), outcome.value.clone());
            }
        }
        let goes_on = goes_on(&graph.members[node], &frame.scope, &done, rounds);
        let State::Inside(inside) = &mut frame.nodes[node] else {
            return Ok(());
        };
        match goes_on {
            Ok(true) if inside.failure.is_none() => inside.len += 1,
            Err(failure) => inside.failure = inside.failure.or(Some(failure)),
            Ok(_) => {}
        }
        if let Member::Repeat(_) = &graph.members[node] {
            for (id, outcome) in &done.outcomes {
                frame.keep(id, outcome.clone());
            }
        }
        self.note_ended(around, &done)
    }

    /// Ends a list of which no item is left.
    fn note_ended(&mut self, around: &Place, last: &Frame<'d>) -> Result<(), String> {
        let node = around[around.len() - 1];
        let is_region = matches!(self.frame(around).graph.members[node], Member::Repeat(_));
        let of_region = is_region.then(|| self.outcome_of_region(around, last));
        let frame = self.frame(around);
        let State::Inside(inside) = &frame.nodes[node] else {
            return Ok(());
        };
        match inside.result(&frame.graph.members[node]) {
            Ok(value) if inside.is_complete() => {
                let outcome = of_region.unwrap_or_else(|| Outcome::succeeded(value));
                self.end(around, &outcome)
            }
            _ => {
                self.note_movable(around, node);
                self.settle_lists(around)
            }
        }
    }

    /// What has become of the last node of a region. A failure that nothing handles is that of the region.
    fn outcome_of_region(&mut self, around: &Place, last: &Frame<'d>) -> Outcome {
        let node = around[around.len() - 1];
        let is_seen_around = self.is_seen_around(around);
        let frame = self.frame(around);
        let mut outcome = last.outcomes[last_id(&frame.graph.members[node])].clone();
        let is_over = matches!(&frame.nodes[node], State::Inside(inside) if inside.is_complete());
        if !is_over || outcome.status != (Status::Failed { handled: false }) {
            return outcome;
        }
        let failure = outcome.failure();
        let handled = frame.handles(node, &failure);
        outcome.status = Status::Failed { handled };
        if !handled
            && !is_seen_around
            && frame.fail_fast
            && let State::Inside(inside) = &mut frame.nodes[node]
        {
            inside.failure = inside.failure.or(Some(failure));
        }
        outcome
    }
}
