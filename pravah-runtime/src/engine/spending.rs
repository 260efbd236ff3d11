//! What models cost a run, and whether it may ask one more.

use super::{
    run::Run,
    state::{RunState, budget::Budget, path::NodePath},
};
use crate::{
    agent::{AgentProgress, Spent},
    error::{FlowError, Limit},
    model::Usage,
};

impl Run {
    /// Whether the models that are being asked may use up the budget: no other one is asked meanwhile. What
    /// an answer costs is not known before, so with a limit of tokens models are asked one by one.
    pub(super) fn is_budget_reserved(&self) -> bool {
        let Budget { calls, tokens } = self.state.spending.budget;
        if calls.is_none() && tokens.is_none() {
            return false;
        }
        let asking = u64::try_from(self.flights.asking()).unwrap_or(u64::MAX);
        let reserved = self.state.spending.calls.saturating_add(asking);
        asking > 0 && (tokens.is_some() || calls.is_some_and(|most| reserved >= most))
    }

    /// Fails if the agent `node` may not ask its model.
    pub(super) fn check_budget(&self, node: &str) -> Result<(), FlowError> {
        let Budget { calls, tokens } = self.state.spending.budget;
        let used = self
            .state
            .spending
            .usage
            .values()
            .map(|usage| usage.total());
        let used = used.fold(0, u64::saturating_add);
        let limit = match (calls, tokens) {
            (Some(most), _) if self.state.spending.calls >= most => Limit::RunCalls(most),
            (_, Some(most)) if used >= most => Limit::RunTokens(most),
            _ => return Ok(()),
        };
        Err(FlowError::Limit {
            node: node.to_owned(),
            limit,
        })
    }

    /// Adds what the agent's call cost in this step.
    pub(super) fn count_usage(&mut self, path: &NodePath, spent: Spent) {
        let before = self
            .state
            .frame(&path.frame)
            .progress
            .agents
            .get(&path.node);
        let (before, model) = match before {
            Some(before) => (before.spent(), before.fallback()),
            None => (Spent::default(), 0),
        };
        let cost = spent.usage - before.usage;
        let calls = spent.calls.saturating_sub(before.calls);
        if spent.requests > before.requests {
            let RunState { root, spending, .. } = &mut *self.state;
            spending.count_request(root, path, model);
        }
        if (cost, calls) == Default::default() {
            return;
        }
        self.state.spending.calls = self.state.spending.calls.saturating_add(calls.into());
        let id = self.node_id(path);
        let usage = &mut self.state.spending.usage;
        *usage.get_or_insert_with(id, Usage::default) += cost;
    }

    /// Keeps in mind what an attempt has used that failed: it counts among what the visit may use.
    pub(super) fn count_lost(&mut self, path: &NodePath, spent: Spent) {
        let frame = self.state.frame(&path.frame);
        let before = frame
            .progress
            .agents
            .get(&path.node)
            .map(|before| &**before);
        if let Some(after) = AgentProgress::before_next_attempt(before, spent) {
            let frame = self.state.frame_mut(&path.frame);
            frame.set_agent(path.node, after);
            self.state.settle(&path.frame, None);
        }
    }
}
