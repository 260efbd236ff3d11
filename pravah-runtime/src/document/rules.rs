//! When a node of a document runs, and which of its edges fire.

use std::sync::Arc;

use pravah_document::Selector;
use serde_json::{Value, json};
use smallvec::SmallVec;

use super::{
    bound::BoundWhen,
    outcome::{EdgeToken, Outcome, SkipReason},
    run_state::StateValue,
    said::Said,
    scope::outcome_in,
};
use crate::{
    events::EventKind,
    graph::{Arrived, FailedBody, LatestIx, Rules},
    model::Usage,
    node::{Emission, Emitted, LatestStates},
    state::Live,
};

/// An edge that leads out of a node.
pub(super) struct OutEdge {
    pub(super) on: Selector,
    pub(super) when: Option<BoundWhen>,
    /// Whether it leads to the end of the net.
    pub(super) is_to_end: bool,
}

impl OutEdge {
    /// To the end of the net, which takes whatever comes.
    pub(super) const fn to_end() -> Self {
        Self {
            on: Selector::Any,
            when: None,
            is_to_end: true,
        }
    }

    /// Whether a failure is handled by what the edge leads to.
    fn handles_failure(&self) -> bool {
        self.on != Selector::Success && !self.is_to_end
    }
}

/// Where the outcomes of a transition are kept.
pub(super) struct Kept {
    /// The node whose outcome its edges look at: itself, or the last of a region.
    pub(super) name: Box<str>,
    pub(super) latest: LatestIx,
    /// The other nodes of a region.
    pub(super) others: Vec<LatestIx>,
    /// Whether the outcomes are known when its body returns, as those of the nodes of a region are.
    pub(super) is_region: bool,
}

/// What the body of a node returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Returns {
    /// An outcome.
    Outcome,
    /// A value, which is the output.
    Value,
    /// A value, which goes into `result` of the output.
    Result,
    /// A text, which goes into `text` of the output, beside what it cost, if the provider says that.
    Text,
    /// A value that is to be set in the state of the run.
    RunState,
    /// What is to be told to whoever watches the run.
    Said,
}

/// What the edges of a node carry. Most nodes have few.
type Tokens = SmallVec<[EdgeToken; 8]>;

/// The rules of a node.
pub(super) struct DocumentRules {
    /// Whether all of its edges have to fire.
    pub(super) needs_all: bool,
    pub(super) when: Option<BoundWhen>,
    pub(super) edges: Vec<OutEdge>,
    pub(super) kept: Kept,
    pub(super) returns: Returns,
    pub(super) continue_on_error: bool,
    pub(super) fail_fast: bool,
    /// Whether it fails on purpose: `control.fail`.
    pub(super) always_fails: bool,
    /// Whether a failure may be handled around the net, which sees it as the outcome of the net's last node.
    pub(super) hands_failure_on: bool,
    /// The merges that cancel the node once they have run.
    pub(super) cancelled_by: Vec<LatestIx>,
}

impl DocumentRules {
    /// What the edges carry for an outcome of their source.
    fn tokens(&self, outcome: &Outcome, latest: &LatestStates) -> Tokens {
        let edges = self.edges.iter();
        let token = |edge: &OutEdge| match (outcome, edge.on) {
            (Outcome::Skipped(_), _) => outcome.token_if_skipped(),
            (Outcome::Failed { .. }, Selector::Success) => EdgeToken::UpstreamFailed,
            (Outcome::Succeeded(_), Selector::Failure) => EdgeToken::Skipped,
            _ => {
                let holds = edge.when.as_ref().is_none_or(|bound| {
                    let values = bound.references.values(latest);
                    let values = values.with(&self.kept.name, outcome.value());
                    bound.when.holds(&values)
                });
                match holds {
                    true => EdgeToken::Fired,
                    false => EdgeToken::Skipped,
                }
            }
        };
        edges.map(token).collect()
    }

    /// The outcome that a body has returned. What a body returns that knows of no outcomes is never read as one: it may
    /// be what a model has written.
    fn outcome(&self, output: Live) -> Option<Live> {
        let output = match self.returns {
            Returns::Outcome => return Some(output),
            Returns::Value | Returns::Text => output.to_value().ok()?,
            Returns::Result => json!({ "result": output.to_value().ok()? }),
            Returns::RunState | Returns::Said => json!({ "ok": true }),
        };
        Some(Live::new(Outcome::Succeeded(output)))
    }

    /// What goes on: the outcomes that are kept, and a token for each edge. `known` has the outcomes of the others in
    /// a region; those that have none were skipped.
    fn emitted(
        &self,
        outcome: Live,
        tokens: impl IntoIterator<Item = EdgeToken>,
        known: Option<&LatestStates>,
    ) -> Emitted {
        let others = self.kept.others.iter().map(|other| {
            let known = known.and_then(|known| known.get(other));
            let skipped = || Live::new(Outcome::skipped(SkipReason::Edge));
            known.map_or_else(skipped, |known| known.live.clone())
        });
        let tokens = tokens.into_iter().map(EdgeToken::live);
        let all = [outcome].into_iter().chain(others).chain(tokens);
        Emitted(Emission::All(all.collect()))
    }

    /// Whether a failure may be handled: by what an edge leads to, or around the net.
    pub(super) fn may_handle_failures(&self) -> bool {
        self.hands_failure_on || self.edges.iter().any(OutEdge::handles_failure)
    }

    /// Whether a failure is handled, given the tokens of the edges.
    fn is_handled(&self, tokens: &[EdgeToken]) -> bool {
        let is_taken = |(edge, token): (&OutEdge, &EdgeToken)| {
            edge.handles_failure() && *token == EdgeToken::Fired
        };
        self.continue_on_error || self.edges.iter().zip(tokens).any(is_taken)
    }

    /// Whether the outcome of a region's last node stops the run.
    pub(super) fn is_stopped_by(&self, outcome: &Outcome, latest: &LatestStates) -> bool {
        let is_over = self.fail_fast && !self.hands_failure_on;
        is_over && outcome.is_unhandled() && !self.is_handled(&self.tokens(outcome, latest))
    }

    fn skipped(&self, reason: SkipReason) -> Emitted {
        let tokens = self.edges.iter().map(|_| reason.token());
        self.emitted(Live::new(Outcome::skipped(reason)), tokens, None)
    }

    /// Why the node does not run, by what came to it.
    fn skip_reason(&self, arrived: Arrived<'_>) -> Option<SkipReason> {
        if self
            .cancelled_by
            .iter()
            .any(|by| has_run(by, arrived.latest))
        {
            return Some(SkipReason::Edge);
        }
        let (mut fired, mut all, mut failed) = (false, true, false);
        for token in arrived.tokens() {
            match edge_token(token) {
                EdgeToken::Fired => fired = true,
                EdgeToken::Skipped => all = false,
                EdgeToken::UpstreamFailed => (all, failed) = (false, true),
            }
        }
        if fired && (all || !self.needs_all) {
            let holds = self.when.as_ref().is_none_or(|it| it.holds(arrived.latest));
            return (!holds).then_some(SkipReason::When);
        }
        Some(match failed {
            true => SkipReason::UpstreamFailed,
            false => SkipReason::Edge,
        })
    }
}

impl Rules for DocumentRules {
    fn pass(&self, arrived: Arrived<'_>) -> Option<Emitted> {
        Some(self.skipped(self.skip_reason(arrived)?))
    }

    fn skip(&self) -> Emitted {
        self.skipped(SkipReason::Edge)
    }

    fn emit(&self, output: Live, arrived: Arrived<'_>) -> Emitted {
        let last = || Some(arrived.latest.get(&self.kept.latest)?.live.clone());
        let own = match self.kept.is_region {
            true => last(),
            false => self.outcome(output),
        };
        // A body of a document returns nothing else.
        let Some(own) = own else {
            return self.skip();
        };
        let evaluate = |outcome: &Outcome| {
            let tokens = self.tokens(outcome, arrived.latest);
            let is_handled = outcome.is_unhandled() && self.is_handled(&tokens);
            let handled = is_handled.then(|| Live::new(outcome.clone().into_handled()));
            (handled, tokens)
        };
        let evaluated = match own.typed::<Outcome>() {
            Some(outcome) => Some(evaluate(outcome)),
            None => outcome_in(&own).map(|outcome| evaluate(&outcome)),
        };
        let Some((handled, tokens)) = evaluated else {
            return self.skip();
        };
        self.emitted(handled.unwrap_or(own), tokens, Some(arrived.latest))
    }

    fn emit_failure(&self, failure: &FailedBody, arrived: Arrived<'_>) -> Option<Emitted> {
        let outcome = Outcome::failed(failure, false);
        let tokens = self.tokens(&outcome, arrived.latest);
        let handled = self.is_handled(&tokens);
        if !handled && self.fail_fast && !self.hands_failure_on {
            return None;
        }
        // Where nothing handles it, whatever depends on it is skipped, and everything else goes on.
        let outcome = match handled {
            true => outcome.into_handled(),
            false => outcome,
        };
        Some(self.emitted(Live::new(outcome), tokens, Some(arrived.latest)))
    }

    fn may_be_retried(&self) -> bool {
        !self.always_fails
    }

    fn hands_failures_on(&self) -> bool {
        self.kept.is_region
    }

    fn shown(&self, live: &Live) -> Option<Value> {
        let outcome = self.outcome(live.clone())?;
        Some(outcome_in(&outcome)?.value().clone())
    }

    fn with_usage(&self, output: Live, usage: Usage) -> Live {
        let text = (self.returns == Returns::Text).then(|| output.to_value());
        let Some(Ok(text)) = text else {
            return output;
        };
        let output = match usage == Usage::default() {
            true => json!({ "text": text }),
            false => json!({
                "text": text,
                "usage": { "inputTokens": usage.input, "outputTokens": usage.output },
            }),
        };
        Live::new(output)
    }

    fn says(&self, output: &Live) -> Option<EventKind> {
        let is_said = self.returns == Returns::Said;
        let said = output.typed::<Said>().filter(|_| is_said);
        said.map(Said::event)
    }

    fn keeps(&self, output: &Live) -> Option<(Arc<str>, Live)> {
        let is_state = self.returns == Returns::RunState;
        let value = output.typed::<StateValue>().filter(|_| is_state);
        value.map(StateValue::parts)
    }

    fn has_fired(&self, token: &Live) -> bool {
        edge_token(token) == EdgeToken::Fired
    }
}

/// Whether a merge has run: in this round, where there are several.
fn has_run(merge: &LatestIx, latest: &LatestStates) -> bool {
    let kept = latest.get(merge).filter(|kept| !kept.is_captured);
    let outcome = kept.and_then(|kept| outcome_in(&kept.live));
    outcome.is_some_and(|outcome| !matches!(*outcome, Outcome::Skipped(_)))
}

pub(super) fn edge_token(token: &Live) -> EdgeToken {
    match token.typed::<EdgeToken>() {
        Some(token) => *token,
        // It was restored, and is read when it is loaded.
        None => token
            .get()
            .map_or(EdgeToken::Skipped, |token: std::sync::Arc<_>| *token),
    }
}
