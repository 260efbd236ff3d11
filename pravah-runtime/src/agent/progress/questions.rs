//! The tool calls that wait for somebody outside, and the answers that they have got.

use serde_json::Value;

use super::AgentProgress;
use crate::agent::{AgentSpec, OpenCall, Review, approval, pending::Pending};

impl AgentProgress {
    /// Hands a payload to a call that waits for one; `false` if no such call does. With `is_awaited`, a payload that the
    /// tool cannot read fails the step; otherwise the call asks again.
    ///
    /// # Errors
    ///
    /// The call waits for approval, and the payload is no [`Review`], or changes the arguments to what the tool
    /// does not take.
    pub(crate) fn resume(
        &mut self,
        call_id: &str,
        payload: Value,
        (spec, is_awaited): (&AgentSpec, bool),
    ) -> Result<bool, serde_json::Error> {
        let calls = self.asked().iter().zip(&self.pending).enumerate();
        let mut waiting = calls.filter(|(_, (_, pending))| pending.is_open());
        let found = waiting.find(|(_, (call, pending))| pending.question_id(call) == call_id);
        let Some((index, (call, pending))) = found else {
            return Ok(false);
        };
        let answered = match pending {
            Pending::InReview => {
                let review = Review::read(payload)?;
                if let Review::Edit { output } = &review {
                    spec.accepts_arguments(&call.name, output)?;
                }
                Pending::Reviewed { review }
            }
            suspended => suspended.resumed(payload),
        };
        if let Some(pending) = self.pending.get_mut(index) {
            *pending = answered;
        }
        if is_awaited {
            self.resumed = Some(index);
        }
        Ok(true)
    }

    /// Reopens a call whose payload its tool could not read.
    pub(crate) fn reopen(&mut self, call_id: &str) {
        let calls = self.conversation.asked().iter().zip(&mut self.pending);
        for (call, pending) in calls {
            if pending.is_answered() && pending.question_id(call) == call_id {
                *pending = pending.reopened();
            }
        }
        self.resumed = None;
    }

    /// Whether it has an answer that no step has taken yet: to a call, or of a review.
    pub(crate) fn has_an_answer(&self) -> bool {
        self.is_reviewed() || self.pending.iter().any(Pending::is_answered)
    }

    /// Whether the call of this question waits for a payload.
    pub(crate) fn waits_for(&self, call_id: &str) -> bool {
        let mut calls = self.asked().iter().zip(&self.pending);
        calls.any(|(call, pending)| pending.is_open() && pending.question_id(call) == call_id)
    }

    /// Whether a call waits: for a payload, or for an agent that it calls.
    pub(crate) fn waits_for_others(&self) -> bool {
        !self.pending.iter().all(Pending::is_done)
    }

    /// The calls that wait for a payload, with what is asked of them.
    pub(crate) fn open(&self, spec: &AgentSpec) -> Vec<OpenCall> {
        let calls = self.asked().iter().zip(&self.pending);
        let open = calls.filter_map(|(call, pending)| {
            let (value, is_approval) = match pending {
                Pending::Suspended { value, .. } => (value.clone(), false),
                Pending::InReview => (approval::question(spec, call), true),
                _ => return None,
            };
            Some(OpenCall {
                call_id: pending.question_id(call).into_owned(),
                tool: call.name.clone(),
                value,
                is_approval,
            })
        });
        open.collect()
    }

    /// The names of the tools that wait for a payload, or have one that they have yet to take.
    pub(crate) fn tools_that_asked(&self) -> impl Iterator<Item = &str> {
        let calls = self.asked().iter().zip(&self.pending);
        calls.filter_map(|(call, pending)| (pending.times() > 0).then_some(&*call.name))
    }
}
