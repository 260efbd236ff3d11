//! The transitions of a net that are not nodes of its document: its start, its end, and where the losers of a merge end.

use std::{collections::BTreeMap, mem, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    bodies::latest,
    outcome::{EdgeToken, Outcome},
    rules::edge_token,
    scope::{outcome, outcome_in},
};
use crate::{
    graph::{Arrived, LatestIx, Rules},
    json,
    node::{Body, Emission, Emitted, Inputs, LatestStates, Running, Started},
    state::{Live, downcast_mut},
};

/// What a document returns: the outputs of its nodes, by their ids.
///
/// Of a node that has failed or was skipped it is a marker: `{ "failed": true, "error": { "kind", "message",
/// "retryable" }, "attempts" }`, or `{ "skipped": true, "reason" }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct DocumentOutput {
    /// By the ids of the nodes.
    #[serde(deserialize_with = "json::object")]
    pub outputs: Map<String, Value>,
    /// The nodes whose failures nothing handled; the run went on without them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<String>,
}

/// What has become of the nodes in a body.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct BodyOutput {
    /// What the body had for its item, or its round.
    pub(super) names: Arc<Outcome>,
    /// By the ids of the nodes.
    pub(super) nodes: BTreeMap<String, Arc<Outcome>>,
}

impl BodyOutput {
    /// The first node whose failure nothing handled.
    pub(super) fn failed(&self) -> Option<&str> {
        let mut nodes = self.nodes.iter();
        let failed = nodes.find(|(_, outcome)| outcome.is_unhandled());
        failed.map(|(id, _)| &**id)
    }

    /// The outputs of its nodes.
    pub(super) fn outputs(&self) -> Map<String, Value> {
        let outcomes = self.nodes.iter();
        outcomes
            .map(|(id, outcome)| (id.clone(), outcome.value().clone()))
            .collect()
    }
}

/// Where a net starts: it keeps what it starts with, and lets the nodes run that no edge leads to.
pub(super) struct StartRules {
    pub(super) edges: usize,
}

impl Rules for StartRules {
    fn pass(&self, arrived: Arrived<'_>) -> Option<Emitted> {
        let input = arrived.tokens().next()?.clone();
        let tokens = (0..self.edges).map(|_| EdgeToken::Fired.live());
        let all = [input].into_iter().chain(tokens);
        Some(Emitted(Emission::All(all.collect())))
    }
}

/// Where the edges of a merge end that takes the first of them: the net ends once all have come.
pub(super) struct CloseRules;

impl Rules for CloseRules {
    fn pass(&self, _: Arrived<'_>) -> Option<Emitted> {
        Some(self.skip())
    }

    fn skip(&self) -> Emitted {
        Emitted(Emission::All(vec![EdgeToken::Fired.live()]))
    }

    fn has_fired(&self, token: &Live) -> bool {
        edge_token(token) == EdgeToken::Fired
    }
}

/// What a net ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum EndsWith {
    /// A [`DocumentOutput`].
    Outputs,
    /// A [`BodyOutput`], with what is kept here.
    Outcomes(LatestIx),
}

/// Where a net ends: it returns what has become of its nodes.
#[derive(Clone)]
pub(super) struct EndRules {
    pub(super) nodes: Arc<[(Box<str>, LatestIx)]>,
    pub(super) ends_with: EndsWith,
}

impl EndRules {
    /// Whether it returns what becomes of this node.
    pub(super) fn has(&self, id: &str) -> bool {
        self.nodes.iter().any(|(known, _)| **known == *id)
    }

    pub(super) fn output(&self, latest: &LatestStates) -> Live {
        let outcome_at = |kept: &LatestIx| outcome(latest.get(kept)?);
        let names = match self.ends_with {
            EndsWith::Outcomes(names) => names,
            EndsWith::Outputs => {
                return self.outputs(|kept| outcome_at(kept).map(Arc::unwrap_or_clone));
            }
        };
        let nodes = self
            .nodes
            .iter()
            .filter_map(|(id, kept)| Some((String::from(&**id), outcome_at(kept)?)));
        let nothing = || Arc::new(Outcome::Succeeded(Value::Null));
        Live::new(BodyOutput {
            names: outcome_at(&names).unwrap_or_else(nothing),
            nodes: nodes.collect(),
        })
    }

    fn outputs(&self, mut outcome_at: impl FnMut(&LatestIx) -> Option<Outcome>) -> Live {
        let mut failed = Vec::new();
        // Made in one go, the object is sorted once.
        let outputs = self.nodes.iter().filter_map(|(id, kept)| {
            let outcome = outcome_at(kept)?;
            if outcome.is_unhandled() {
                failed.push(String::from(&**id));
            }
            Some((String::from(&**id), outcome.into_value()))
        });
        let outputs = outputs.collect();
        Live::new(DocumentOutput { outputs, failed })
    }
}

impl Rules for EndRules {
    fn pass(&self, arrived: Arrived<'_>) -> Option<Emitted> {
        Some(Emitted::only(self.output(arrived.latest)))
    }

    fn pass_end(&self, kept: &mut LatestStates) -> Option<Emitted> {
        if self.ends_with != EndsWith::Outputs {
            return None;
        }
        let take = |at: &LatestIx| take_outcome(&mut kept.get_mut(at)?.live);
        Some(Emitted::only(self.outputs(take)))
    }
}

/// An outcome that is kept, or a copy where others have it too.
fn take_outcome(live: &mut Live) -> Option<Outcome> {
    match live.unique_mut().and_then(downcast_mut::<Outcome>) {
        Some(outcome) => Some(mem::replace(outcome, Outcome::Succeeded(Value::Null))),
        None => outcome_in(live).map(Arc::unwrap_or_clone),
    }
}

/// The end as a step of its own: of a net in which no node runs.
impl Body for EndRules {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let output = self.output(latest(inputs));
        Ok(Running::Ready(Ok(Emitted::only(output))))
    }
}
