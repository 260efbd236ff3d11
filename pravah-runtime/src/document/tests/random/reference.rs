//! What a document does, by P1 and P2 of the requirements, one node after another: edges are pending, and then fired or
//! skipped.

use std::collections::BTreeSet;

use pravah_document::{Condition, Document, Member, Node, Selector, Work};
use serde_json::{Map, Value, json};

use super::{
    document::{Drawn, last_id},
    frame::{Failure, Frame, Outcome, State},
};

/// What is answered to every question.
pub(super) const ANSWER: &str = "yes";

/// Longer runs are not looked at.
const LONGEST: u64 = 2_000;

/// What has become of a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Story {
    /// The outputs and the nodes that have failed unhandled, or the node whose failure has stopped the run.
    pub(super) end: Result<(Map<String, Value>, BTreeSet<String>), String>,
    /// The steps in their order: the node, its items, and what it has done.
    pub(super) steps: Vec<String>,
}

/// Where a node is: lists, each with the index of an item, and then the node.
pub(super) type Place = Vec<usize>;

/// A run.
pub(super) struct Reference<'d> {
    pub(super) drawn: &'d Drawn,
    pub(super) root: Frame<'d>,
    pub(super) step: u64,
    now: u64,
    timers: BTreeSet<(u64, Place)>,
    questions: Vec<Place>,
    steps: Vec<String>,
    /// Whether a failure has ended what was around it, with what else ran there.
    is_aborted: bool,
}

/// What the document comes to, and whether a failure has ended what was around it, with what else ran there; `None`
/// if that is not in sight.
pub(super) fn story(drawn: &Drawn) -> Option<(Story, bool)> {
    let Document {
        graph,
        input,
        fail_fast,
        ..
    } = &drawn.document;
    let mut scope = Map::new();
    scope.insert("flow".to_owned(), json!({ "input": input }));
    let mut run = Reference {
        drawn,
        root: Frame::start(graph, *fail_fast, scope),
        step: 0,
        now: 0,
        timers: BTreeSet::new(),
        questions: Vec::new(),
        steps: Vec::new(),
        is_aborted: false,
    };
    while run.step < LONGEST {
        if let Err(stopped) = run.advance() {
            return Some((run.story(Err(stopped)), run.is_aborted));
        }
        if run.root.is_over() && run.root.ready.is_empty() {
            let outcomes = run.root.outcomes.iter();
            let outputs = outcomes
                .map(|(id, it)| (id.clone(), it.value.clone()))
                .collect();
            let failed = run.root.failed().map(|(id, _)| id.clone()).collect();
            return Some((run.story(Ok((outputs, failed))), run.is_aborted));
        }
    }
    None
}

impl<'d> Reference<'d> {
    fn story(&mut self, end: Result<(Map<String, Value>, BTreeSet<String>), String>) -> Story {
        Story {
            end,
            steps: std::mem::take(&mut self.steps),
        }
    }

    /// Makes one step. Fails with the node whose failure stops the run.
    fn advance(&mut self) -> Result<(), String> {
        let due = self.timers.first().filter(|(until, _)| *until <= self.now);
        if let Some(due) = due.cloned() {
            self.timers.remove(&due);
            return self.perform(due.1, true);
        }
        if let Some(place) = self.choose(&mut Vec::new()) {
            return self.perform(place, false);
        }
        if let Some((until, _)) = self.timers.first() {
            self.now = *until;
            return Ok(());
        }
        assert!(!self.questions.is_empty(), "P1.8: a deadlock");
        let asked = self.questions.remove(0);
        self.perform(asked, true)
    }

    pub(super) fn frame(&mut self, place: &[usize]) -> &mut Frame<'d> {
        let mut frame = &mut self.root;
        for item in place.chunks_exact(2) {
            let State::Inside(inside) = &mut frame.nodes[item[0]] else {
                panic!("items are within lists")
            };
            frame = inside.items.get_mut(&item[1]).unwrap();
        }
        frame
    }

    /// The node at a place, unless that is the end of a graph in which nothing runs.
    fn node(&mut self, place: &[usize]) -> Option<&'d Node> {
        let graph = self.frame(place).graph;
        match graph.members.get(*place.last()?)? {
            Member::Node(node) => Some(node),
            Member::Repeat(_) => None,
        }
    }

    /// Lets the node at a place do its work; `is_awaited` where what it waited for has come.
    fn perform(&mut self, place: Place, is_awaited: bool) -> Result<(), String> {
        let node = place[place.len() - 1];
        if node == usize::MAX {
            self.frame(&place).ready.clear();
            return self.over(&place);
        }
        let frame = self.frame(&place);
        if let State::Inside(inside) = &frame.nodes[node] {
            let result = inside.result(&frame.graph.members[node]);
            return match result {
                Ok(value) => self.succeed(&place, value),
                Err(failure) => self.fail(&place, failure),
            };
        }
        let node = self.node(&place).unwrap();
        let scope = self.frame(&place).scope.clone();
        let value = match &node.work {
            Work::Run(input) => return self.work(&place, node, &input.resolve(&scope).unwrap()),
            Work::If(condition) => json!({ "condition": holds(condition, &scope) }),
            Work::Switch { value, cases } => {
                let value = value.resolve(&scope).unwrap();
                let mut scope = scope;
                scope.insert("value".to_owned(), value.clone());
                let case = cases.iter().find(|case| case.when.holds(&scope));
                json!({ "route": case.map_or("default", |case| &case.route), "value": value })
            }
            Work::Merge { .. } => json!({ "merged": true }),
            Work::Gate { .. } if is_awaited => json!({ "response": { "content": ANSWER } }),
            Work::Gate { .. } => return self.ask(place),
            Work::Wait { input } => {
                let ms = input.resolve(&scope).unwrap()["ms"].as_u64().unwrap();
                if !is_awaited {
                    self.log(&place, "Wait");
                    return self.wait(place, ms);
                }
                json!({ "waitedMs": ms })
            }
            other => panic!("{other:?}"),
        };
        self.succeed(&place, value)
    }

    fn work(&mut self, place: &Place, node: &Node, input: &Value) -> Result<(), String> {
        let last = place[place.len() - 1];
        let State::Running(attempts) = &mut self.frame(place).nodes[last] else {
            panic!("it was chosen")
        };
        *attempts += 1;
        let attempts = *attempts;
        if attempts > input["fails"].as_u64().unwrap() {
            return self.succeed(place, worked(input));
        }
        match &node.policy.retry {
            Some(retry) if attempts < u64::from(retry.max_attempts) => {
                self.log(place, "FailedAttempt");
                let wait = u64::try_from(retry.backoff.as_millis()).unwrap();
                match wait {
                    0 => self.woken(place),
                    wait => self.wait(place.clone(), wait),
                }
            }
            _ => self.fail(
                place,
                Failure {
                    kind: "error",
                    attempts,
                },
            ),
        }
    }

    /// A node that is tried again at once keeps its turn, and one that has waited is the next.
    fn woken(&mut self, place: &Place) -> Result<(), String> {
        let last = place[place.len() - 1];
        let frame = self.frame(place);
        if !frame.ready.iter().any(|(_, node)| *node == last) {
            frame.ready.insert((0, last));
        }
        self.settle_lists(place)
    }

    fn ask(&mut self, place: Place) -> Result<(), String> {
        self.log(&place, "Question");
        self.questions.push(place.clone());
        self.suspend(&place)
    }

    fn wait(&mut self, place: Place, ms: u64) -> Result<(), String> {
        self.timers.insert((self.now + ms, place.clone()));
        self.suspend(&place)
    }

    fn suspend(&mut self, place: &Place) -> Result<(), String> {
        let last = place[place.len() - 1];
        self.frame(place).ready.retain(|(_, node)| *node != last);
        self.settle_lists(place)
    }

    /// Notes a step.
    pub(super) fn log(&mut self, place: &[usize], what: &str) {
        self.step += 1;
        let graph = self.frame(place).graph;
        let id = match place.last().and_then(|node| graph.members.get(*node)) {
            Some(Member::Node(node)) => self.full_id(place, &node.id),
            Some(Member::Repeat(repeat)) => self.full_id(place, &repeat.id),
            None => "(end)".to_owned(),
        };
        let items: Vec<usize> = place.chunks_exact(2).map(|item| item[1]).collect();
        self.steps.push(format!("{id}{items:?} {what}"));
    }

    /// The id of a node behind those of the subflows around it.
    fn full_id(&mut self, place: &[usize], id: &str) -> String {
        let mut full = String::new();
        for depth in (1..place.len()).step_by(2) {
            if let Some(node) = self.node(&place[..depth])
                && let Work::Subflow { .. } = node.work
            {
                full += &format!("{}::", node.id);
            }
        }
        full + id
    }

    fn succeed(&mut self, place: &Place, value: Value) -> Result<(), String> {
        self.log(place, "Node");
        self.end(place, &Outcome::succeeded(value))
    }

    /// Ends the node at a place, and the graphs around it that are over by that.
    pub(super) fn end(&mut self, place: &Place, outcome: &Outcome) -> Result<(), String> {
        let (last, step) = (place[place.len() - 1], self.step);
        self.frame(place).end(last, outcome, step);
        self.forget_gone();
        self.settle_lists(place)
    }

    /// What is cancelled waits for nothing.
    fn forget_gone(&mut self) {
        let timers = std::mem::take(&mut self.timers);
        self.timers = timers
            .into_iter()
            .filter(|(_, place)| self.is_open(place))
            .collect();
        let questions = std::mem::take(&mut self.questions);
        self.questions = questions
            .into_iter()
            .filter(|place| self.is_open(place))
            .collect();
    }

    fn is_open(&self, place: &[usize]) -> bool {
        let mut frame = &self.root;
        for item in place.chunks_exact(2) {
            let State::Inside(inside) = &frame.nodes[item[0]] else {
                return false;
            };
            let Some(inner) = inside.items.get(&item[1]) else {
                return false;
            };
            frame = inner;
        }
        matches!(frame.nodes[place[place.len() - 1]], State::Running(_))
    }

    /// Ends a node that has failed, or the run.
    pub(super) fn fail(&mut self, place: &Place, failure: Failure) -> Result<(), String> {
        let mut at = place.clone();
        loop {
            let last = at[at.len() - 1];
            let is_seen_around = self.is_seen_around(&at);
            let frame = self.frame(&at);
            let is_handled = frame.handles(last, &failure);
            if is_handled || is_seen_around || !frame.fail_fast {
                self.log(place, "Failure");
                return self.end(&at, &Outcome::failed(&failure, is_handled));
            }
            self.is_aborted |= at.len() > 1;
            loop {
                let Some(around) = at.len().checked_sub(2).filter(|around| *around > 0) else {
                    return Err(self.id(place));
                };
                at.truncate(around);
                // A region handles no failures but that of its last node.
                if let Member::Node(_) = self.frame(&at).graph.members[at[around - 1]] {
                    break;
                }
            }
        }
    }

    /// Whether a node is the last of a region, and what is around may handle its failure: that is seen when the
    /// region is over.
    pub(super) fn is_seen_around(&mut self, place: &[usize]) -> bool {
        let last = place[place.len() - 1];
        let around = &place[..place.len().saturating_sub(2)];
        let Some(region) = around.last() else {
            return false;
        };
        let graph = self.frame(around).graph;
        let Member::Repeat(repeat) = &graph.members[*region] else {
            return false;
        };
        let mut edges = graph.edges.iter().filter(|edge| edge.from == *region);
        let may_be_handled = repeat.on != Selector::Success
            || edges.any(|edge| edge.on != Selector::Success)
            || self.is_seen_around(around);
        repeat.source == last && may_be_handled
    }

    fn id(&mut self, place: &[usize]) -> String {
        let graph = self.frame(place).graph;
        let id = last_id(&graph.members[place[place.len() - 1]]);
        self.full_id(place, id)
    }
}

pub(super) fn holds(condition: &Condition, scope: &Map<String, Value>) -> bool {
    match condition {
        Condition::When(when) => when.holds(scope),
        Condition::Value(_) => panic!("none is drawn"),
    }
}

/// What a node of the type of tests returns.
pub(super) fn worked(input: &Value) -> Value {
    let seen = match &input["seen"] {
        Value::Bool(seen) => u64::from(*seen) + 2,
        seen => seen.as_u64().unwrap_or_default(),
    };
    json!({ "v": (input["base"].as_u64().unwrap() + seen) % 4, "seen": input["seen"] })
}
