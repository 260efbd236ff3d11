//! The answer of a model on its way into the progress of its agent.

use serde_json::Value;

use super::{
    AgentProgress, AgentSpec, AgentStep, Failed, SUBMIT,
    calls::{NOT_JSON, result},
    progress::Pending,
    routing::Route,
    spec::{Answer, Misfit},
};
use crate::{
    FlowError,
    channel::ToModel,
    events::Watch,
    model::{Arguments, Message, ModelResponse, StopReason, ToolCall, ToolResult},
};

/// The model's answer on its way into the progress.
pub(super) struct Turn<'a> {
    pub(super) spec: &'a AgentSpec,
    pub(super) watch: &'a Watch,
    pub(super) token_probability: Option<f64>,
    pub(super) progress: AgentProgress,
}

impl Turn<'_> {
    pub(super) fn take(mut self, mut response: ModelResponse) -> Result<AgentStep, Failed> {
        self.progress.answered(&mut response);
        // Calls that came before that are not run.
        let stopped = match response.stop {
            StopReason::Refusal => Some("the model refused to answer"),
            StopReason::ContentFilter => Some("the provider's filter stopped the model"),
            _ => None,
        };
        if let Some(stopped) = stopped {
            return Err(self.failed(format!("failed: {stopped}")));
        }
        if self.spec.config.tools.is_empty() {
            self.structured(response)
        } else {
            self.tools(response)
        }
    }

    /// The answer of an agent without tools: JSON.
    fn structured(mut self, response: ModelResponse) -> Result<AgentStep, Failed> {
        if !response.calls.is_empty() {
            let results = response
                .calls
                .iter()
                .map(|call| not_run(call, "there are no tools"));
            self.progress.say(Message::Tool {
                results: results.collect(),
            });
        }
        let misfit = match json_in(response.text.as_deref().unwrap_or_default()) {
            Some(value) => match self.spec.read(&value) {
                Ok(answer) => return self.end(answer),
                Err(misfit) => misfit,
            },
            None if response.stop == StopReason::MaxTokens => {
                Misfit::plain("the answer was cut off because it was too long")
            }
            None => Misfit::plain("the answer is not JSON"),
        };
        let mut this = self.repair(&misfit)?;
        let text = format!(
            "{}. Answer with JSON that fits the schema, and nothing else.",
            misfit.reason
        );
        this.progress.say(Message::User {
            text: text.to_model(),
        });
        Ok(AgentStep::Asked(this.progress))
    }

    /// The answer of an agent with tools: calls.
    fn tools(mut self, response: ModelResponse) -> Result<AgentStep, Failed> {
        let calls = response.calls;
        if calls.is_empty() {
            let misfit = Misfit::plain("the answer calls no tool");
            let mut this = self.repair(&misfit)?;
            let text = format!(
                "{}. Call a tool; hand in the result with `{SUBMIT}`.",
                misfit.reason
            );
            this.progress.say(Message::User {
                text: text.to_model(),
            });
            return Ok(AgentStep::Asked(this.progress));
        }
        let Some(submit) = calls.iter().position(|call| call.name == SUBMIT) else {
            self.progress.pending = vec![Pending::Asked; calls.len()];
            return Ok(AgentStep::Asked(self.progress));
        };
        let submitted = match calls.get(submit).map(|call| &call.arguments) {
            Some(Arguments::Json(value)) => self.spec.read(value),
            _ => Err(Misfit::plain(NOT_JSON)),
        };
        let (mut this, verdict) = match &submitted {
            Ok(_) => (self, "accepted"),
            Err(misfit) => (self.repair(misfit)?, &*misfit.reason),
        };
        let results = calls.iter().enumerate().map(|(i, call)| {
            if i == submit {
                result(call, verdict, submitted.is_err())
            } else {
                not_run(call, "`submit` was called in the same answer")
            }
        });
        let results = results.collect();
        this.progress.say(Message::Tool { results });
        match submitted {
            Ok(answer) => this.end(answer),
            Err(_) => Ok(AgentStep::Asked(this.progress)),
        }
    }

    /// The model has handed in its answer; under a contract it may not go on by itself.
    fn end(self, answer: Answer) -> Result<AgentStep, Failed> {
        match (&self.spec.config.contract, answer.envelope) {
            (Some(contract), Some(envelope)) => {
                let confidence = match (contract.is_token_level(), self.token_probability) {
                    (false, _) => envelope.confidence,
                    (true, Some(sure)) if (0.0..=1.0).contains(&sure) => sure,
                    (true, _) => {
                        let why = "failed: the model did not tell how probable its tokens were";
                        return Err(self.failed(why));
                    }
                };
                let route = Route {
                    contract,
                    envelope,
                    confidence,
                };
                Ok(route.take(self.spec, self.progress, self.watch))
            }
            _ => Ok(AgentStep::Done {
                progress: self.progress,
                output: answer.output,
            }),
        }
    }

    /// Counts one more repair, or fails if there were enough.
    fn repair(mut self, misfit: &Misfit) -> Result<Self, Failed> {
        let most = self.spec.config.max_repairs;
        if self.progress.repairs >= most {
            let why = format!("gave no result after {most} repairs: {}", misfit.detail);
            return Err(self.failed(why));
        }
        self.progress.repairs += 1;
        Ok(self)
    }

    /// The answer is of no use, and paid for.
    fn failed(self, why: impl std::fmt::Display) -> Failed {
        Failed {
            error: FlowError::AgentError(format!("agent `{}` {why}", self.watch.node)).into(),
            spent: Some(Box::new(self.progress)),
        }
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
    serde_json::from_str(text).ok()
}
