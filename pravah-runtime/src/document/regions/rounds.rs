//! `control.loop`, and edges of `type: loop`.

use std::sync::Arc;

use pravah_document::Selector;
use serde_json::{Value, json};

use super::outputs_of;
use crate::{
    document::{
        bound::{BoundCondition, BoundWhen},
        ends::BodyOutput,
        outcome::Outcome,
        rules::DocumentRules,
        scope::outcome,
    },
    error::{FlowError, Limit},
    graph::{LatestIx, ListBody, ListInput},
    node::LatestStates,
    state::Live,
};

/// `control.loop`.
pub(in crate::document) struct Loop {
    pub(in crate::document) id: Box<str>,
    pub(in crate::document) condition: BoundCondition,
    pub(in crate::document) max_iterations: u32,
    pub(in crate::document) stops_at_cap: bool,
    pub(in crate::document) rounds: Rounds,
}

/// What the rounds of a region leave to be read.
pub(in crate::document) struct Rounds(pub(in crate::document) Vec<(Box<str>, LatestIx)>);

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

/// The failure of one round, or one jump, too many.
fn exceeded(id: &str, max_iterations: u32) -> FlowError {
    FlowError::Limit {
        node: id.to_owned(),
        limit: Limit::Iterations(max_iterations),
    }
}

impl ListBody for Loop {
    fn has_rounds(&self) -> bool {
        true
    }

    fn open(&self, input: &ListInput<'_>) -> Result<Arc<[Live]>, FlowError> {
        let holds = self.condition.holds_after(0, input.latest);
        Ok(match holds.map_err(|error| error.in_node(&*self.id))? {
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
        let holds = holds.map_err(|error| error.in_node(&*self.id))?;
        match holds && done >= self.max_iterations as usize {
            true if self.stops_at_cap => Ok(false),
            true => Err(exceeded(&self.id, self.max_iterations)),
            false => Ok(holds),
        }
    }

    fn leaves(&self, output: &Live) -> Vec<(LatestIx, Live)> {
        self.rounds.leaves(output)
    }

    fn collect(&self, done: &mut [Live], input: &ListInput<'_>) -> Result<Live, FlowError> {
        let round = |output: &BodyOutput| json!({ "outputs": output.outputs() });
        let rounds = outputs_of(&self.id, done, input, round)?;
        let output = json!({ "iteration": rounds.len(), "iterations": rounds });
        Ok(Live::new(Outcome::Succeeded(output)))
    }
}

/// What an edge of `type: loop` repeats.
pub(in crate::document) struct Repeated {
    pub(in crate::document) id: Box<str>,
    /// The first and the last node, by their ids.
    pub(in crate::document) ends: [Box<str>; 2],
    /// The rules of the last node.
    pub(in crate::document) rules: Arc<DocumentRules>,
    pub(in crate::document) on: Selector,
    pub(in crate::document) when: Option<BoundWhen>,
    pub(in crate::document) max_iterations: u32,
    pub(in crate::document) rounds: Rounds,
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

    /// Nothing in it has a name of its own in a round.
    fn item(&self, _: &[Live], _: usize, _: &dyn Fn() -> String) -> Option<Live> {
        Some(Live::new(Outcome::Succeeded(Value::Null)))
    }

    fn goes_on(
        &self,
        done: usize,
        _: Option<&Live>,
        input: &ListInput<'_>,
    ) -> Result<bool, FlowError> {
        let jumps = self.jumps(input.latest);
        match jumps && done > self.max_iterations as usize {
            true => Err(exceeded(&self.id, self.max_iterations)),
            false => Ok(jumps),
        }
    }

    fn leaves(&self, output: &Live) -> Vec<(LatestIx, Live)> {
        self.rounds.leaves(output)
    }

    fn collect(&self, _: &mut [Live], input: &ListInput<'_>) -> Result<Live, FlowError> {
        let last = self.outcome(input.latest);
        if let Some(last) = last.filter(|it| self.rules.is_stopped_by(it, input.latest)) {
            let [_, node] = &self.ends;
            return Err(last.error_of(node));
        }
        // What goes on is the outcome of the last node.
        Ok(Live::new(Outcome::Succeeded(Value::Null)))
    }
}
