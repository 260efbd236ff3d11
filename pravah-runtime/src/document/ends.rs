//! The transitions of a net that are not nodes of its document: its start, its end, and where the losers of a merge end.

use std::{collections::BTreeMap, sync::Arc};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    bodies::latest,
    outcome::{EdgeToken, Outcome},
    rules::edge_token,
    scope::outcome,
};
use crate::{
    graph::{Arrived, LatestIx, Rules},
    json,
    node::{Body, Emission, Emitted, Inputs, LatestStates, Running, Started},
    state::Live,
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
        let tokens = (0..self.edges).map(|_| Live::new(EdgeToken::Fired));
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
        Emitted(Emission::All(vec![Live::new(EdgeToken::Fired)]))
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
        let outcomes = self.nodes.iter().filter_map(|(id, kept)| {
            let outcome = outcome(latest.get(kept)?)?;
            Some((String::from(&**id), outcome))
        });
        match self.ends_with {
            EndsWith::Outcomes(names) => Live::new(BodyOutput {
                names: latest
                    .get(&names)
                    .and_then(outcome)
                    .unwrap_or_else(|| Arc::new(Outcome::Succeeded(Value::Null))),
                nodes: outcomes.collect(),
            }),
            EndsWith::Outputs => {
                let mut output = DocumentOutput::default();
                for (id, outcome) in outcomes {
                    if outcome.is_unhandled() {
                        output.failed.push(id.clone());
                    }
                    output.outputs.insert(id, outcome.value().clone());
                }
                Live::new(output)
            }
        }
    }
}

impl Rules for EndRules {
    fn pass(&self, arrived: Arrived<'_>) -> Option<Emitted> {
        Some(Emitted::only(self.output(arrived.latest)))
    }
}

/// The end as a step of its own: of a net in which no node runs.
impl Body for EndRules {
    fn start(&self, inputs: &mut Inputs<'_>) -> Started {
        let output = self.output(latest(inputs));
        Ok(Running::Ready(Ok(Emitted::only(output))))
    }
}
