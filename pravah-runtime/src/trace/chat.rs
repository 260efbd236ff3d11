//! The span of a model call.

use tracing::{Instrument as _, Span, field::Empty, info_span};

use super::{TARGET, attributes as a, content, span::OpenSpan};
use crate::{
    Context, Step,
    model::{ModelError, ModelFuture, ModelRequest, ModelResponse, ModelUrl, StopReason, Usage},
};

/// The answer of a model, recorded in a span if somebody wants that.
pub(crate) fn chat<'a>(
    model: &ModelUrl,
    request: &'a ModelRequest,
    streams: bool,
    ctx: &Context,
    answer: ModelFuture<'a>,
) -> ModelFuture<'a> {
    let span = open(model, request, streams, ctx.step());
    if span.is_disabled() {
        return answer;
    }
    let records_content = ctx.traces_content();
    Box::pin(async move {
        let open = OpenSpan::new(span.clone());
        if records_content {
            span.record(a::SYSTEM, content::instructions(&request.system));
            span.record(a::INPUT_MESSAGES, content::input(&request.messages));
        }
        let answer = answer.instrument(span).await;
        record(open, &answer, records_content);
        answer
    })
}

fn open(model: &ModelUrl, request: &ModelRequest, streams: bool, step: &Step) -> Span {
    let (address, port) = model.host().unzip();
    let options = &request.options;
    info_span!(
        target: TARGET,
        "chat",
        { a::SPAN_NAME } = format!("chat {}", request.model),
        { a::SPAN_KIND } = "client",
        { a::OPERATION } = "chat",
        { a::PROVIDER } = a::provider(model.scheme()),
        { a::MODEL } = &*request.model,
        // Read inside the macro, which does so only for a span that is wanted: to read the id of a run makes it.
        { a::CONVERSATION } = step.run_id(),
        { a::MAX_TOKENS } = options.max_tokens.map(i64::from),
        { a::TEMPERATURE } = options.temperature,
        { a::TOP_P } = options.top_p,
        { a::SEED } = options.seed,
        { a::STREAM } = streams.then_some(true),
        { a::OUTPUT_TYPE } = request.output.is_some().then_some("json"),
        { a::SERVER_ADDRESS } = address,
        { a::SERVER_PORT } = port.map(i64::from),
        { a::FINISH_REASONS } = Empty,
        { a::INPUT_TOKENS } = Empty,
        { a::OUTPUT_TOKENS } = Empty,
        { a::CACHED_TOKENS } = Empty,
        { a::REASONING_TOKENS } = Empty,
        { a::SYSTEM } = Empty,
        { a::INPUT_MESSAGES } = Empty,
        { a::OUTPUT_MESSAGES } = Empty,
        { a::ERROR_TYPE } = Empty,
        { a::STATUS } = Empty,
    )
}

fn record(open: OpenSpan, answer: &Result<ModelResponse, ModelError>, records_content: bool) {
    let span = open.span();
    match answer {
        Ok(response) => {
            record_usage(span, response.usage);
            record_stop(span, &response.stop);
            if records_content {
                span.record(a::OUTPUT_MESSAGES, content::output(response));
            }
            open.end();
        }
        Err(error) => {
            if let Some(usage) = error.usage() {
                record_usage(span, usage);
            }
            open.fail_as(error.kind().name());
        }
    }
}

/// The numbers as `i64`: subscribers that export them write `u64` as text.
fn record_usage(span: &Span, usage: Usage) {
    let tokens = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    span.record(a::INPUT_TOKENS, tokens(usage.input));
    span.record(a::OUTPUT_TOKENS, tokens(usage.output));
    if usage.cached > 0 {
        span.record(a::CACHED_TOKENS, tokens(usage.cached));
    }
    if usage.reasoning > 0 {
        span.record(a::REASONING_TOKENS, tokens(usage.reasoning));
    }
}

/// The conventions want a list, which `tracing` does not have.
#[cfg(feature = "opentelemetry")]
fn record_stop(span: &Span, stop: &StopReason) {
    super::opentelemetry::record_list(span, a::FINISH_REASONS, a::finish_reason(stop));
}

#[cfg(not(feature = "opentelemetry"))]
fn record_stop(span: &Span, stop: &StopReason) {
    span.record(a::FINISH_REASONS, a::finish_reason(stop));
}
