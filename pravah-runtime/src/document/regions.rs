//! Bodies that run for each item of a list, in rounds, or as a flow of their own.

use std::sync::Arc;

use pravah_document::{Condition as ConditionOf, Selector, Template};
use serde_json::{Map, Value, json};

use super::{
    ends::BodyOutput,
    outcome::Outcome,
    rules::{Condition, DocumentRules},
    scope::{Reads, outcome},
};
use crate::{
    error::{FlowError, NodeDataError},
    graph::{LatestIx, ListBody, ListInput},
    node::LatestStates,
    state::Live,
};

/// A template, with where it finds what it names.
pub(super) struct Filled {
    pub(super) template: Template,
    pub(super) reads: Reads,
}

impl Filled {
    pub(super) fn resolve(&self, latest: &LatestStates) -> Result<Value, NodeDataError> {
        Ok(self.template.resolve(&self.reads.values(latest))?)
    }
}

/// A condition that may be written as a template.
pub(super) enum Decision {
    When(Condition),
    Value(Filled),
}

impl Decision {
    pub(super) fn new(condition: &ConditionOf, reads: impl Fn(Vec<&str>) -> Reads) -> Self {
        match condition {
            ConditionOf::When(when) => Self::When(Condition {
                reads: reads(when.roots()),
                when: when.clone(),
            }),
            ConditionOf::Value(template) => Self::Value(Filled {
                reads: reads(template.roots()),
                template: template.clone(),
            }),
        }
    }

    pub(super) fn holds(&self, latest: &LatestStates) -> Result<bool, NodeDataError> {
        self.decide(latest, None)
    }

    /// The same before a round, where so many are done.
    fn holds_after(&self, done: usize, latest: &LatestStates) -> Result<bool, NodeDataError> {
        self.decide(latest, Some(&json!(done)))
    }

    fn decide(
        &self,
        latest: &LatestStates,
        iteration: Option<&Value>,
    ) -> Result<bool, NodeDataError> {
        let reads = match self {
            Self::When(condition) => &condition.reads,
            Self::Value(filled) => &filled.reads,
        };
        let values = reads.values(latest);
        let values = match iteration {
            Some(iteration) => values.with("iteration", iteration),
            None => values,
        };
        match self {
            Self::When(condition) => Ok(condition.when.holds(&values)),
            Self::Value(filled) => match filled.template.resolve(&values)? {
                Value::Bool(holds) => Ok(holds),
                other => Err(NodeDataError::input(format!(
                    "the condition is neither true nor false: {other}"
                ))),
            },
        }
    }
}

fn of_node(node: &str) -> impl Fn(NodeDataError) -> FlowError {
    move |source| FlowError::NodeData {
        node: node.to_owned(),
        source,
    }
}

/// `control.foreach`.
pub(super) struct Foreach {
    pub(super) id: Box<str>,
    pub(super) list: Filled,
    /// What the body calls an item.
    pub(super) item: Box<str>,
}

impl ListBody for Foreach {
    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        let list = self.list.resolve(input.latest);
        match list.map_err(of_node(&self.id))? {
            Value::Array(items) => Ok(items.into_iter().map(Live::new).collect()),
            other => {
                let problem = format!("`list` is no array: {}", kind(&other));
                Err(of_node(&self.id)(NodeDataError::input(problem)))
            }
        }
    }

    fn item(&self, items: &[Live], index: usize, place: &dyn Fn() -> String) -> Option<Live> {
        let item = items.get(index)?.get::<Value>().ok()?;
        let mut names = Map::new();
        for (name, value) in [
            ("index", json!(index)),
            ("count", json!(items.len())),
            ("$index", json!(index)),
            ("$count", json!(items.len())),
            ("$first", json!(index == 0)),
            ("$last", json!(index + 1 == items.len())),
            (
                "sessionId",
                json!(format!("{}/{}[{index}]", place(), self.id)),
            ),
        ] {
            names.insert(name.to_owned(), value);
        }
        names.insert(self.item.to_string(), Value::clone(&item));
        Some(Live::new(Outcome::Succeeded(Value::Object(names))))
    }

    fn collect(
        &self,
        done: &mut dyn Iterator<Item = &mut Live>,
        input: &ListInput<'_>,
    ) -> Result<Live, FlowError> {
        let mut failed = None;
        let iterations: Result<Vec<Value>, _> =
            done.map(|item| self.iteration(item, &mut failed)).collect();
        let iterations = iterations.map_err(|source| FlowError::State {
            state: input.output.to_owned(),
            source,
        })?;
        if let Some(failed) = failed {
            return Err(failed_inside(&self.id, &failed, "body"));
        }
        let output = json!({ "count": iterations.len(), "iterations": iterations });
        Ok(Live::new(Outcome::Succeeded(output)))
    }
}

impl Foreach {
    /// What is returned of an item, and which node of it has failed.
    fn iteration(
        &self,
        done: &Live,
        failed: &mut Option<String>,
    ) -> Result<Value, serde_json::Error> {
        let output = done.get::<BodyOutput>()?;
        *failed = failed.take().or_else(|| output.failed().map(str::to_owned));
        let names = output.names.value();
        let name = |name: &str| names.get(name).cloned().unwrap_or_default();
        Ok(json!({
            "item": name(&self.item),
            "index": name("index"),
            "count": name("count"),
            "sessionId": name("sessionId"),
            "outputs": output.outputs(),
        }))
    }
}

/// `control.loop`.
pub(super) struct Loop {
    pub(super) id: Box<str>,
    pub(super) condition: Decision,
    pub(super) max_iterations: u32,
    pub(super) stops_at_cap: bool,
    pub(super) rounds: Rounds,
}

/// What the rounds of a region leave to be read.
pub(super) struct Rounds(pub(super) Vec<(Box<str>, LatestIx)>);

impl Rounds {
    fn leaves(&self, output: &Live) -> Vec<(LatestIx, Live)> {
        let Ok(output) = output.get::<BodyOutput>() else {
            return Vec::new();
        };
        let nodes = self.0.iter();
        let left = nodes.filter_map(|(id, latest)| {
            let outcome = output.nodes.get(&**id)?;
            Some((*latest, Live::new(Outcome::clone(outcome))))
        });
        left.collect()
    }
}

impl Loop {
    fn exceeded(&self) -> FlowError {
        FlowError::MaxVisits {
            node: self.id.to_string(),
            cycle: vec![self.id.to_string()],
            limit: self.max_iterations,
        }
    }
}

impl ListBody for Loop {
    fn has_rounds(&self) -> bool {
        true
    }

    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        let holds = self.condition.holds_after(0, input.latest);
        Ok(match holds.map_err(of_node(&self.id))? {
            true => Arc::from([Live::new(Value::Null)]),
            false => Arc::default(),
        })
    }

    fn item(&self, _: &[Live], index: usize, _: &dyn Fn() -> String) -> Option<Live> {
        let names = json!({ "iteration": index + 1, "index": index });
        Some(Live::new(Outcome::Succeeded(names)))
    }

    fn goes_on(
        &self,
        done: usize,
        last: Option<&Live>,
        input: &ListInput<'_>,
    ) -> Result<bool, FlowError> {
        let last = last.and_then(|last| last.get::<BodyOutput>().ok());
        // A round needs all before it.
        if last.is_none_or(|last| last.failed().is_some()) {
            return Ok(false);
        }
        let holds = self.condition.holds_after(done, input.latest);
        let holds = holds.map_err(of_node(&self.id))?;
        match holds && done >= self.max_iterations as usize {
            true if self.stops_at_cap => Ok(false),
            true => Err(self.exceeded()),
            false => Ok(holds),
        }
    }

    fn leaves(&self, output: &Live) -> Vec<(LatestIx, Live)> {
        self.rounds.leaves(output)
    }

    fn collect(
        &self,
        done: &mut dyn Iterator<Item = &mut Live>,
        input: &ListInput<'_>,
    ) -> Result<Live, FlowError> {
        let mut failed = None;
        let round = |done: &mut Live| {
            let output = done.get::<BodyOutput>()?;
            failed = failed.take().or_else(|| output.failed().map(str::to_owned));
            Ok(json!({ "outputs": output.outputs() }))
        };
        let rounds: Result<Vec<Value>, _> = done.map(round).collect();
        let rounds = rounds.map_err(|source| FlowError::State {
            state: input.output.to_owned(),
            source,
        })?;
        if let Some(failed) = failed {
            return Err(failed_inside(&self.id, &failed, "body"));
        }
        let output = json!({ "iteration": rounds.len(), "iterations": rounds });
        Ok(Live::new(Outcome::Succeeded(output)))
    }
}

/// What an edge of `type: loop` repeats.
pub(super) struct Repeated {
    pub(super) id: Box<str>,
    /// The first and the last node, by their ids.
    pub(super) ends: [Box<str>; 2],
    /// Those of the last node.
    pub(super) rules: Arc<DocumentRules>,
    pub(super) on: Selector,
    pub(super) when: Option<Condition>,
    pub(super) max_iterations: u32,
    pub(super) rounds: Rounds,
}

impl Repeated {
    /// What has become of the last node.
    fn outcome(&self, latest: &LatestStates) -> Option<Arc<Outcome>> {
        latest.get(&self.rules.kept.latest).and_then(outcome)
    }

    /// Whether the loop edge is taken.
    fn jumps(&self, latest: &LatestStates) -> bool {
        let outcome = self.outcome(latest);
        let is_meant = outcome.is_some_and(|outcome| match &*outcome {
            Outcome::Succeeded(_) => self.on != Selector::Failure,
            Outcome::Failed { .. } => self.on != Selector::Success,
            Outcome::Skipped(_) => false,
        });
        is_meant && self.when.as_ref().is_none_or(|when| when.holds(latest))
    }
}

impl ListBody for Repeated {
    fn has_rounds(&self) -> bool {
        true
    }

    fn open(&self, _: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        Ok(Arc::from([Live::new(Value::Null)]))
    }

    fn item(&self, _: &[Live], index: usize, _: &dyn Fn() -> String) -> Option<Live> {
        let names = json!({ "iteration": index + 1 });
        Some(Live::new(Outcome::Succeeded(names)))
    }

    fn goes_on(
        &self,
        done: usize,
        _: Option<&Live>,
        input: &ListInput<'_>,
    ) -> Result<bool, FlowError> {
        let jumps = self.jumps(input.latest);
        match jumps && done > self.max_iterations as usize {
            true => Err(FlowError::MaxVisits {
                node: self.id.to_string(),
                cycle: self.ends.iter().map(ToString::to_string).collect(),
                limit: self.max_iterations,
            }),
            false => Ok(jumps),
        }
    }

    fn leaves(&self, output: &Live) -> Vec<(LatestIx, Live)> {
        self.rounds.leaves(output)
    }

    fn collect(
        &self,
        _: &mut dyn Iterator<Item = &mut Live>,
        input: &ListInput<'_>,
    ) -> Result<Live, FlowError> {
        let last = self.outcome(input.latest);
        if let Some(last) = last.filter(|it| self.rules.is_stopped_by(it, input.latest)) {
            let [_, node] = &self.ends;
            return Err(last.error_of(node));
        }
        // What goes on is the outcome of the last node.
        Ok(Live::new(Outcome::Succeeded(Value::Null)))
    }
}

/// `control.subflow`.
pub(super) struct Subflow {
    pub(super) id: Box<str>,
    /// What it starts with, where nothing is given, and what is given.
    pub(super) default: Value,
    pub(super) input: Option<Filled>,
}

impl ListBody for Subflow {
    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        let given = self.input.as_ref().map(|given| given.resolve(input.latest));
        let given = given.transpose().map_err(of_node(&self.id))?;
        let input = match given {
            Some(given) => super::merged(self.default.clone(), given),
            None => self.default.clone(),
        };
        let flow = json!({ "input": input });
        Ok(Arc::from([Live::new(Outcome::Succeeded(flow))]))
    }

    fn item(&self, items: &[Live], index: usize, _: &dyn Fn() -> String) -> Option<Live> {
        items.get(index).cloned()
    }

    fn collect(
        &self,
        done: &mut dyn Iterator<Item = &mut Live>,
        input: &ListInput<'_>,
    ) -> Result<Live, FlowError> {
        let output = done.next().map(|done| done.get::<super::DocumentOutput>());
        let output = output.transpose().map_err(|source| FlowError::State {
            state: input.output.to_owned(),
            source,
        })?;
        let output = output.unwrap_or_default();
        if let Some(failed) = output.failed.first() {
            return Err(failed_inside(&self.id, failed, "subflow"));
        }
        let output = json!({ "outputs": output.outputs });
        Ok(Live::new(Outcome::Succeeded(output)))
    }
}

/// The failure of a node in which another has failed that nothing handled, and everything else went on.
fn failed_inside(id: &str, failed: &str, inside: &str) -> FlowError {
    FlowError::node(id, format!("`{failed}` has failed in the {inside}"))
}

/// What a value is, for messages.
pub(super) const fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "it is null",
        Value::Bool(_) => "it is a boolean",
        Value::Number(_) => "it is a number",
        Value::String(_) => "it is a string",
        Value::Array(_) => "it is an array",
        Value::Object(_) => "it is an object",
    }
}
