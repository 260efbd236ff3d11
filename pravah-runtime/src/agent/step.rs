//! One step of an agent: one model call, or the tool calls that the last answer asked for.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::Value;

use super::{
    AgentConfig, AgentProgress, AgentSpec, SUBMIT,
    calls::{self, result},
    envelope,
    explain::explain,
    progress::Pending,
    retry,
};
use crate::{
    Context, FlowError,
    channel::ToModel,
    error::Limit,
    events::{EventKind, Watch},
    model::{
        Arguments, Message, ModelClient, ModelError, ModelRequest, ModelResponse, ModelUrl,
        StopReason, ToolCall, ToolResult,
    },
};

/// What one step came to.
#[derive(Debug)]
pub(crate) enum AgentStep {
    /// The agent has to go on.
    Advanced(AgentProgress),
    /// The model could not answer; it is to be asked again after this time.
    Waits {
        progress: AgentProgress,
        wait: Duration,
    },
    /// Tool calls wait for somebody outside; their siblings are done.
    Suspended {
        progress: AgentProgress,
        /// All that are open, in the order asked.
        calls: Vec<OpenCall>,
    },
    /// The agent is done.
    Done {
        progress: AgentProgress,
        output: Value,
    },
}

/// A tool call that waits for a payload.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct OpenCall {
    /// For `AgentProgress::resume`. A call that suspends again has a new one.
    pub(crate) call_id: String,
    pub(crate) tool: String,
    /// What the tool suspended with.
    pub(crate) value: Value,
}

/// Takes one step. An error leaves nothing behind: the caller still has the progress before.
pub(crate) async fn step(
    spec: Arc<AgentSpec>,
    progress: AgentProgress,
    client: Arc<dyn ModelClient>,
    watch: Watch,
    model: ModelUrl,
    ctx: Context,
) -> Result<AgentStep, FlowError> {
    let node_id = &watch.node;
    if !progress.pending.is_empty() {
        return calls::run(&spec, progress, node_id, &ctx).await;
    }
    check_limits(&spec.config, &progress, node_id)?;
    let request = request(&spec, &progress, node_id, &model, &ctx);
    match ask(&*client, &request, &watch).await {
        Ok(response) => {
            watch.tell(EventKind::Answered {
                model: model.to_string(),
                usage: response.usage,
            });
            let turn = Turn {
                spec: &spec,
                node: node_id,
                progress,
            };
            turn.take(response)
        }
        Err(source) => not_answered(&spec, progress, &watch, &model, source, &ctx),
    }
}

/// Asks the model, as a stream where somebody listens.
async fn ask(
    client: &dyn ModelClient,
    request: &ModelRequest,
    watch: &Watch,
) -> Result<ModelResponse, ModelError> {
    if !watch.observers.want_text() {
        return client.complete(request).await;
    }
    let hear = |text: &str| watch.tell(EventKind::Text(text.to_owned()));
    client.stream(request, &hear).await
}

/// The model could not answer: the agent waits, or fails.
fn not_answered(
    spec: &AgentSpec,
    mut progress: AgentProgress,
    watch: &Watch,
    model: &ModelUrl,
    source: ModelError,
    ctx: &Context,
) -> Result<AgentStep, FlowError> {
    let seed = ctx.step_key().unwrap_or_default();
    let tries = progress.tries.saturating_add(1);
    match retry::wait(&source, tries, spec.config.max_retries, &seed) {
        Some(wait) => {
            watch.tell(EventKind::Waits {
                model: model.to_string(),
                why: source.to_string(),
                until: SystemTime::now() + wait,
            });
            progress.tries = tries;
            Ok(AgentStep::Waits { progress, wait })
        }
        None => Err(FlowError::Model {
            node: watch.node.clone(),
            source,
        }),
    }
}

fn check_limits(
    config: &AgentConfig,
    progress: &AgentProgress,
    node: &str,
) -> Result<(), FlowError> {
    let limit = if progress.turns >= config.max_turns {
        Limit::Turns(config.max_turns)
    } else {
        match config.max_tokens {
            Some(most) if progress.usage().total() >= most => Limit::Tokens(most),
            _ => return Ok(()),
        }
    };
    Err(FlowError::Limit {
        node: node.to_owned(),
        limit,
    })
}

fn request(
    spec: &AgentSpec,
    progress: &AgentProgress,
    node: &str,
    model: &ModelUrl,
    ctx: &Context,
) -> ModelRequest {
    let (tools, output) = spec.asks_for();
    ModelRequest {
        node: node.to_owned(),
        items: ctx
            .step()
            .map(|step| step.items().to_vec())
            .unwrap_or_default(),
        visit: ctx.step().map_or(1, |step| step.visit),
        model: model.model().to_owned(),
        system: spec.config.preamble.clone(),
        messages: progress.conversation().shared(),
        tools,
        output,
        token_probabilities: false,
    }
}

/// The model's answer on its way into the progress.
struct Turn<'a> {
    spec: &'a AgentSpec,
    node: &'a str,
    progress: AgentProgress,
}

/// What is wrong with an answer.
struct Misfit {
    /// For the model.
    reason: String,
    /// For the operator.
    detail: String,
}

impl Misfit {
    fn plain(reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            detail: reason.clone(),
            reason,
        }
    }
}

impl Turn<'_> {
    fn take(mut self, mut response: ModelResponse) -> Result<AgentStep, FlowError> {
        self.progress.answered(&mut response);
        if response.calls.is_empty() {
            let stopped = match response.stop {
                StopReason::Refusal => Some("the model refused to answer"),
                StopReason::ContentFilter => Some("the provider's filter stopped the model"),
                _ => None,
            };
            if let Some(stopped) = stopped {
                return Err(FlowError::AgentError(format!(
                    "agent `{}` failed: {stopped}",
                    self.node
                )));
            }
        }
        if self.spec.config.tools.is_empty() {
            self.structured(response)
        } else {
            self.tools(response)
        }
    }

    /// The answer of an agent without tools: JSON.
    fn structured(mut self, response: ModelResponse) -> Result<AgentStep, FlowError> {
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
            Some(value) => match self.accept(value) {
                Ok(output) => {
                    return Ok(AgentStep::Done {
                        progress: self.progress,
                        output,
                    });
                }
                Err(misfit) => misfit,
            },
            None if response.stop == StopReason::MaxTokens => {
                Misfit::plain("the answer was cut off because it was too long")
            }
            None => Misfit::plain("the answer is not JSON"),
        };
        self.check_repairs(&misfit)?;
        let text = format!(
            "{}. Answer with JSON that fits the schema, and nothing else.",
            misfit.reason
        );
        self.progress.say(Message::User {
            text: text.to_model(),
        });
        Ok(AgentStep::Advanced(self.progress))
    }

    /// The answer of an agent with tools: calls.
    fn tools(mut self, response: ModelResponse) -> Result<AgentStep, FlowError> {
        let calls = response.calls;
        if calls.is_empty() {
            let misfit = Misfit::plain("the answer calls no tool");
            self.check_repairs(&misfit)?;
            let text = format!(
                "{}. Call a tool; hand in the result with `{SUBMIT}`.",
                misfit.reason
            );
            self.progress.say(Message::User {
                text: text.to_model(),
            });
            return Ok(AgentStep::Advanced(self.progress));
        }
        let Some(submit) = calls.iter().position(|call| call.name == SUBMIT) else {
            self.progress.pending = vec![Pending::Asked; calls.len()];
            return Ok(AgentStep::Advanced(self.progress));
        };
        let submitted = match calls.get(submit).map(|call| &call.arguments) {
            Some(Arguments::Json(value)) => self.accept(value.clone()),
            _ => Err(Misfit::plain("the arguments are not JSON")),
        };
        let verdict = match &submitted {
            Ok(_) => "accepted",
            Err(misfit) => {
                self.check_repairs(misfit)?;
                &misfit.reason
            }
        };
        let results = calls.iter().enumerate().map(|(i, call)| {
            if i == submit {
                result(call, verdict, submitted.is_err())
            } else {
                not_run(call, "`submit` was called in the same answer")
            }
        });
        let results = results.collect();
        self.progress.say(Message::Tool { results });
        Ok(match submitted {
            Ok(output) => AgentStep::Done {
                progress: self.progress,
                output,
            },
            Err(_) => AgentStep::Advanced(self.progress),
        })
    }

    /// The output in what the model gave, if it is one.
    fn accept(&self, value: Value) -> Result<Value, Misfit> {
        let schema = &self.spec.output_schema;
        let inner = envelope::open(schema, &value);
        let mut why = String::new();
        for value in inner.into_iter().chain([&value]) {
            match (self.spec.accepts)(value) {
                Ok(()) => return Ok(value.clone()),
                Err(error) if why.is_empty() => why = error,
                Err(_) => {}
            }
        }
        let reason = match explain(schema, inner.unwrap_or(&value)) {
            Some(reason) => format!("the result does not fit: {reason}"),
            None => "the result does not fit the schema".to_owned(),
        };
        Err(Misfit {
            detail: format!("{reason} ({why})"),
            reason,
        })
    }

    /// Counts one more repair, or fails if there were enough.
    fn check_repairs(&mut self, misfit: &Misfit) -> Result<(), FlowError> {
        let most = self.spec.config.max_repairs;
        if self.progress.repairs >= most {
            return Err(FlowError::AgentError(format!(
                "agent `{}` gave no result after {most} repairs: {}",
                self.node, misfit.detail
            )));
        }
        self.progress.repairs += 1;
        Ok(())
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
