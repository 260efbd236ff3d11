//! Decides what follows from a model's answer.

use serde_json::Value;

use super::{
    AgentProgress, AgentSpec, AgentStep, ContractError, Failed, SUBMIT,
    call::{NOT_JSON, result},
    contract::Decided,
    pending::Pending,
    routing::Route,
    spec::{Answer, InvalidAnswer},
};
use crate::{
    FlowError,
    error::{AgentFailure, AgentFailureKind, Limit},
    events::Watch,
    json,
    model::{Arguments, Message, RejectedAnswer, StopReason, ToolCall, ToolResult},
    model_text::ToModel,
    state::Live,
};

/// An answer, recorded in `progress`, with what decides about it.
pub(super) struct Turn<'a> {
    pub(super) spec: &'a AgentSpec,
    pub(super) watch: &'a Watch,
    /// Whether it is from a script.
    pub(super) is_scripted: bool,
    /// Why the answer ended.
    pub(super) stop: StopReason,
    /// The most tokens that the answer could have.
    pub(super) max_tokens: Option<u32>,
    pub(super) token_probability: Option<f64>,
    pub(super) progress: &'a mut AgentProgress,
}

/// What is wrong with an answer that reached its length limit.
const CUT_OFF: &str = "the answer was cut off";
const TOO_LONG: &str = "the answer was cut off because it was too long";

impl Turn<'_> {
    /// Decides what follows from an answer that the progress has recorded.
    pub(super) fn decide(self) -> Result<AgentStep, Failed> {
        // Calls in such an answer are not run.
        match self.stop {
            StopReason::Refusal => {
                return Err(self.failed(AgentFailureKind::Refused));
            }
            StopReason::ContentFilter => {
                return Err(self.failed(AgentFailureKind::Filtered));
            }
            StopReason::ContextWindow => {
                let error = FlowError::Limit {
                    node: self.watch.node.to_string(),
                    limit: Limit::ContextWindow,
                };
                return Err(Failed::after(error, self.progress.spent()));
            }
            _ => {}
        }
        match self.spec.has_tools() {
            _ if self.spec.is_text && self.is_last() => self.text(),
            false => self.structured(),
            true => self.tools(),
        }
    }

    /// Whether there is no call in it that could be run.
    fn is_last(&self) -> bool {
        !self.spec.has_tools() || self.progress.asked().is_empty()
    }

    /// The answer of an agent whose output is a text.
    fn text(mut self) -> Result<AgentStep, Failed> {
        let text = self.progress.text_since_user();
        let invalid = match self.stop {
            StopReason::MaxTokens => Some(TOO_LONG.to_owned()),
            _ if text.trim().is_empty() => Some(self.not_json().to_owned()),
            _ => None,
        };
        let output = self.spec.read_output(&Value::from(text));
        self.refuse_calls();
        let invalid = match (invalid, output) {
            (None, Ok(output)) => {
                return self.end(Answer {
                    output,
                    envelope: None,
                });
            }
            (Some(invalid), _) => InvalidAnswer::plain(invalid),
            (None, Err(error)) => InvalidAnswer::plain(error.to_string()),
        };
        self.repair(&invalid)?;
        let text = format!("{}. Answer with a text.", invalid.reason);
        self.progress.say(Message::user(text.to_model()));
        Ok(AgentStep::Asked)
    }

    /// The answer of an agent without tools: JSON.
    fn structured(mut self) -> Result<AgentStep, Failed> {
        let is_cut_off = self.stop == StopReason::MaxTokens;
        let invalid = match json_in(self.progress.answer_text().unwrap_or_default()) {
            // A truncated number still parses.
            Some(value) if !(is_cut_off && value.is_number()) => match self.spec.read(&value) {
                Ok(answer) => {
                    self.refuse_calls();
                    return self.end(answer);
                }
                Err(invalid) => invalid,
            },
            _ if is_cut_off => InvalidAnswer::plain(TOO_LONG),
            _ => InvalidAnswer::plain(self.not_json()),
        };
        self.refuse_calls();
        self.repair(&invalid)?;
        let text = format!(
            "{}. Answer with JSON that fits the schema, and nothing else.",
            invalid.reason
        );
        self.progress.say(Message::user(text.to_model()));
        Ok(AgentStep::Asked)
    }

    /// What an answer is that should be JSON, or a text.
    fn not_json(&self) -> &'static str {
        let text = self.progress.answer_text().unwrap_or_default();
        match (text.trim().is_empty(), self.progress.asked().is_empty()) {
            (false, _) => "the answer is not JSON",
            (true, false) => "the answer calls a tool, and there are none",
            (true, true) => "the answer is empty",
        }
    }

    /// Answers the calls of an agent without tools.
    fn refuse_calls(&mut self) {
        let calls = self.progress.asked().iter();
        let results: Vec<_> = calls
            .map(|call| not_run(call, "there are no tools"))
            .collect();
        if !results.is_empty() {
            self.progress.say(Message::Tool { results });
        }
    }

    /// The answer of an agent with tools: calls.
    fn tools(mut self) -> Result<AgentStep, Failed> {
        let calls = self.progress.asked();
        // A reason that is not known may be that the answer was interrupted.
        let is_cut_off = matches!(self.stop, StopReason::MaxTokens | StopReason::Other(_));
        if calls.is_empty() {
            let invalid = InvalidAnswer::plain(match self.stop {
                StopReason::MaxTokens => CUT_OFF,
                _ => "the answer calls no tool",
            });
            self.repair(&invalid)?;
            let text = format!(
                "{}. Call a tool; hand in the result with `{SUBMIT}`.",
                invalid.reason
            );
            self.progress.say(Message::user(text.to_model()));
            return Ok(AgentStep::Asked);
        }
        if is_cut_off {
            // One call is incomplete and nothing says which; its arguments may still parse.
            let results = calls.iter().map(|call| not_run(call, CUT_OFF)).collect();
            self.repair(&InvalidAnswer::plain(CUT_OFF))?;
            self.progress.say(Message::Tool { results });
            return Ok(AgentStep::Asked);
        }
        let Some(submit) = calls.iter().position(|call| call.name == SUBMIT) else {
            self.progress.pending = vec![Pending::Asked; calls.len()];
            return Ok(AgentStep::Asked);
        };
        let submitted = match calls.get(submit).map(|call| &call.arguments) {
            Some(Arguments::Json(value)) => self.spec.read(value),
            _ => Err(InvalidAnswer::plain(NOT_JSON)),
        };
        let verdict = submitted.as_ref().err().map(|invalid| &*invalid.reason);
        let results = calls.iter().enumerate().map(|(index, call)| {
            if index == submit {
                result(call, verdict.unwrap_or("accepted"), verdict.is_some())
            } else {
                not_run(call, "`submit` was called in the same answer")
            }
        });
        let results = results.collect();
        match submitted {
            Ok(answer) => {
                self.progress.say(Message::Tool { results });
                self.end(answer)
            }
            Err(invalid) => {
                self.repair(&invalid)?;
                self.progress.say(Message::Tool { results });
                Ok(AgentStep::Asked)
            }
        }
    }

    /// The model has handed in its answer; under a contract it may not go on by itself.
    fn end(self, answer: Answer) -> Result<AgentStep, Failed> {
        match (&self.spec.config.contract, answer.envelope) {
            (Some(contract), Some(envelope)) => {
                let confidence = match (contract.is_token_level(), self.token_probability) {
                    (false, _) => envelope.confidence,
                    (true, Some(sure)) if (0.0..=1.0).contains(&sure) => sure,
                    (true, _) => return Err(self.failed(AgentFailureKind::NoProbabilities)),
                };
                let route = Route {
                    contract,
                    envelope,
                    confidence,
                    output: answer.output,
                };
                Ok(route.take(self.spec, self.progress, self.watch))
            }
            _ => self.listen(answer.output),
        }
    }

    /// A multi-turn agent waits for a message, unless it has had all of its turns.
    fn listen(self, output: Live) -> Result<AgentStep, Failed> {
        let turns = self.spec.config.turns;
        let Some(wait) = turns.and_then(|turns| turns.wait_after(self.progress.turn())) else {
            return Ok(AgentStep::Done(output));
        };
        let output = output.to_value().map_err(|error| {
            let error = FlowError::SerializeError(error.into());
            Failed::after(error, self.progress.spent())
        })?;
        self.progress.decided = Some(Decided::Listening { output });
        Ok(AgentStep::Listens(wait))
    }

    /// Counts one more repair, or fails if there were enough.
    fn repair(&mut self, invalid: &InvalidAnswer) -> Result<(), Failed> {
        let most = self.spec.config.max_repairs;
        if self.progress.repairs >= most {
            let mut detail = invalid.detail.clone();
            if let (StopReason::MaxTokens, Some(most)) = (&self.stop, self.max_tokens) {
                detail = format!("{detail}; `max_tokens` is {most}");
            }
            if let Some(fault) = self.fault_of_script() {
                detail = format!("{detail}; {fault}");
            }
            if self.spec.config.contract.is_some() {
                let error = FlowError::Schema {
                    node: self.watch.node.to_string(),
                    repairs: most,
                    source: ContractError::violation(detail),
                };
                return Err(Failed::after(error, self.progress.spent()));
            }
            return Err(self.failed(AgentFailureKind::InvalidAnswer {
                repairs: most,
                reason: detail,
            }));
        }
        self.progress.repairs += 1;
        Ok(())
    }

    /// What is wrong with the script, where the answer is from one.
    fn fault_of_script(&self) -> Option<String> {
        if !self.is_scripted {
            return None;
        }
        let (tools, output) = self.spec.asks_for();
        let rejected = RejectedAnswer {
            node: &self.watch.node,
            tools: &tools,
            output: output.as_ref(),
            messages: self.progress.messages().clone(),
        };
        rejected.fault()
    }

    /// The answer is of no use, and paid for.
    fn failed(&self, kind: AgentFailureKind) -> Failed {
        let failure = AgentFailure::new(&self.watch.node, kind);
        Failed::after(FlowError::AgentError(failure), self.progress.spent())
    }
}

fn not_run(call: &ToolCall, why: &str) -> ToolResult {
    result(call, &format!("not run: {why}"), true)
}

/// The JSON that a text is, with or without a code fence around it.
fn json_in(text: &str) -> Option<Value> {
    let text = text.trim();
    let fenced = text
        .strip_prefix("```")
        .and_then(|rest| rest.strip_suffix("```"));
    let text = fenced.map_or(text, |rest| rest.strip_prefix("json").unwrap_or(rest));
    json::from_str(text).ok()
}
