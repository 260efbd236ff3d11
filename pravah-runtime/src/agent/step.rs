//! One step of an agent: one model call, the tool calls that the last answer asked for, or what was
//! decided of the answer.

use std::{
    future::{Future, ready},
    pin::Pin,
    sync::Arc,
};

use tokio::time::Instant;

use super::{
    AgentConfig, AgentProgress, AgentSpec, Contract, Model, bound, calls,
    config::{no_probabilities, without_probabilities},
    fallback,
    outcome::{AgentStep, Failed},
    request::{ModelEndpoint, request},
    retry, routing,
    turn::Turn,
};
use crate::{
    Context, FlowError,
    error::{Limit, guard},
    events::{EventKind, Watch},
    model::{ModelError, ModelErrorKind, ModelRequest, ModelResponse, ModelUrl},
    trace,
};

/// The outcome of a step, and how far the agent has come with it.
pub(crate) type AgentStepResult = Result<(AgentStep, Arc<AgentProgress>), Failed>;

/// The future of one step of an agent.
pub(crate) type AgentFuture = Pin<Box<dyn Future<Output = AgentStepResult> + Send>>;

/// Takes one step; without a model where it is not the model's turn. The request is written at once, and
/// sent when the future is polled. After an error the caller still has the progress before.
pub(crate) fn step(
    spec: Arc<AgentSpec>,
    mut progress: Arc<AgentProgress>,
    model: Option<Model>,
    watch: Watch,
    ctx: Context,
) -> AgentFuture {
    let Some(model) = model else {
        return Box::pin(async move {
            let changed = Arc::make_mut(&mut progress);
            let step = match changed.decided.clone() {
                Some(decided) => routing::resolve(&spec, decided, changed, &watch),
                None => calls::run(&spec, changed, &watch, &ctx).await,
            };
            match step {
                Ok(step) => Ok((step, progress)),
                Err(error) => Err(Failed::at_start(error)),
            }
        });
    };
    match checked_request(&spec, &progress, model, &watch, &ctx) {
        Ok((request, model)) => Box::pin(ask_model(spec, progress, model, request, watch, ctx)),
        Err(error) => Box::pin(ready(Err(Failed::at_start(error)))),
    }
}

/// Writes the request. Fails if a limit is reached, or if the contract needs probabilities that this model
/// does not return.
fn checked_request(
    spec: &AgentSpec,
    progress: &AgentProgress,
    model: Model,
    watch: &Watch,
    ctx: &Context,
) -> Result<(ModelRequest, ModelEndpoint), FlowError> {
    check_limits(&spec.config, progress, &watch.node)?;
    if let Some(contract) = &spec.config.contract {
        check_probabilities(contract, &watch.node, &model.url)?;
    }
    Ok(request(spec, progress, &watch.node, model, ctx))
}

/// Asks the model, and decides what follows. The C library caches allocations of up to 1,032 bytes, and
/// this future stays below that: a larger one costs each turn half a microsecond.
#[expect(
    clippy::manual_async_fn,
    reason = "the future of an `async fn` stores its arguments twice"
)]
fn ask_model(
    spec: Arc<AgentSpec>,
    mut shared: Arc<AgentProgress>,
    model: ModelEndpoint,
    mut request: ModelRequest,
    watch: Watch,
    ctx: Context,
) -> impl Future<Output = AgentStepResult> + Send {
    async move {
        let progress = Arc::make_mut(&mut shared);
        let start = Instant::now();
        let asked = ask(&spec, progress, &model, &mut request, &watch, &ctx).await;
        if !request.asked.is_empty() && !matches!(&asked, Ok(Err(error)) if !error.was_sent()) {
            progress.requests = progress.requests.saturating_add(1);
        }
        let step = match asked {
            Ok(Ok(response)) => answered(&spec, progress, &model, &request, response, &watch),
            Ok(Err(source)) => {
                progress.add_trying(start.elapsed());
                not_answered(&spec, progress, &watch, &model.url, source, &ctx)
            }
            Err(used_up) => Err(Failed::after(used_up, progress.spent())),
        }?;
        Ok((step, shared))
    }
}

/// Takes the answer into the conversation, and decides what follows.
fn answered(
    spec: &AgentSpec,
    progress: &mut AgentProgress,
    model: &ModelEndpoint,
    request: &ModelRequest,
    mut response: ModelResponse,
    watch: &Watch,
) -> Result<AgentStep, Failed> {
    if watch.is_observed() {
        watch.notify(EventKind::model_answered(
            model.url.to_string(),
            response.usage,
        ));
    }
    bound::bind(&mut response, request, &model.url, progress);
    let stop = response.stop.clone();
    let token_probability = response.token_probability;
    progress.take_answer(response);
    let spent = progress.spent();
    let turn = Turn {
        spec,
        watch,
        is_scripted: model.client.script().is_some(),
        stop,
        max_tokens: request.options.max_tokens,
        token_probability,
        progress,
    };
    // The user's own types are read here, and their code may panic.
    guard(&watch.node, || turn.decide()).unwrap_or_else(|panic| Err(Failed::after(panic, spent)))
}

/// Asks the model, within the contract's budget. After an error `progress` holds what was paid
/// for.
async fn ask(
    spec: &AgentSpec,
    progress: &mut AgentProgress,
    model: &ModelEndpoint,
    request: &mut ModelRequest,
    watch: &Watch,
    ctx: &Context,
) -> Result<Result<ModelResponse, ModelError>, FlowError> {
    let Some(contract) = &spec.config.contract else {
        return Ok(call(model, request, watch, ctx).await);
    };
    // Boxed, so that the futures of agents without a contract have no room for it.
    let Some(budget) = contract.budget else {
        return Ok(Box::pin(call_without_streaming(contract, model, request, watch, ctx)).await);
    };
    let used_up = || FlowError::Limit {
        node: watch.node.to_string(),
        limit: Limit::Inference(budget),
    };
    let left = budget.saturating_sub(progress.inference());
    if left.is_zero() {
        return Err(used_up());
    }
    let timeout = request.options.timeout.unwrap_or(left);
    request.options.timeout = Some(timeout.min(left));
    let start = Instant::now();
    let answer = Box::pin(call_without_streaming(contract, model, request, watch, ctx)).await;
    let time = start.elapsed();
    progress.add_inference(time);
    match answer {
        Err(error) if error.kind() == ModelErrorKind::TimedOut && time >= left => {
            if let Some(usage) = error.usage() {
                progress.pay(usage);
            }
            Err(used_up())
        }
        answer => Ok(answer),
    }
}

/// Calls a model under a contract: nobody hears its answer before it is decided who may.
async fn call_without_streaming(
    contract: &Contract,
    model: &ModelEndpoint,
    request: &ModelRequest,
    watch: &Watch,
    ctx: &Context,
) -> Result<ModelResponse, ModelError> {
    let invocation = routing::Invocation::new(contract, request, &model.url, watch);
    let answer = model.client.complete(request);
    let answer = trace::chat(&model.url, request, false, ctx, answer).await;
    invocation.end(&answer);
    answer
}

/// Calls the model, as a stream where somebody listens.
async fn call(
    model: &ModelEndpoint,
    request: &ModelRequest,
    watch: &Watch,
    ctx: &Context,
) -> Result<ModelResponse, ModelError> {
    let ModelEndpoint { url, client } = model;
    if !watch.wants_text() {
        let answer = client.complete(request);
        return trace::chat(url, request, false, ctx, answer).await;
    }
    let hear = |text: &str| watch.notify(EventKind::agent_text(text));
    let answer = client.stream(request, &hear);
    trace::chat(url, request, true, ctx, answer).await
}

/// The model could not answer: the agent waits, or fails.
fn not_answered(
    spec: &AgentSpec,
    progress: &mut AgentProgress,
    watch: &Watch,
    model: &ModelUrl,
    source: ModelError,
    ctx: &Context,
) -> Result<AgentStep, Failed> {
    if let Some(usage) = source.usage() {
        progress.pay(usage);
    }
    let seed = ctx.step_key().unwrap_or_default();
    let tries = progress.tries.saturating_add(1);
    let wait = retry::wait(&source, tries, spec.config.max_retries, &seed);
    let source = match wait {
        Some(_) => source,
        None => source.after(tries, progress.trying()),
    };
    match wait {
        Some(wait) => {
            progress.tries = tries;
            progress.add_trying(wait);
            Ok(AgentStep::Waits {
                wait,
                model: model.to_string().into(),
                why: source.to_string().into(),
            })
        }
        None if fallback::is_unavailable(&source)
            && progress.fallback < spec.config.fallback.len() =>
        {
            watch.notify(EventKind::model_fell_back(
                model.to_string(),
                source.to_string(),
            ));
            progress.fallback += 1;
            progress.stop_trying();
            Ok(AgentStep::Asked)
        }
        None => {
            let error = fallback::model_error(progress.fallback, model, &watch.node, source);
            Err(Failed::after(error, progress.spent()))
        }
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
        match config.visit_tokens {
            Some(most) if progress.tokens() >= most => Limit::Tokens(most),
            _ => return Ok(()),
        }
    };
    Err(FlowError::Limit {
        node: node.to_owned(),
        limit,
    })
}

/// A model that was swapped for another may not tell what the contract needs: nothing is sent.
fn check_probabilities(contract: &Contract, node: &str, model: &ModelUrl) -> Result<(), FlowError> {
    match without_probabilities(model) {
        Some(scheme) if contract.is_token_level() => Err(FlowError::Model {
            node: node.to_owned(),
            source: ModelError::new(ModelErrorKind::Config, no_probabilities(scheme)),
        }),
        _ => Ok(()),
    }
}
