//! The attributes of spans: those of OpenTelemetry's semantic conventions for generative AI, version 0.1.0
//! (<https://github.com/open-telemetry/semantic-conventions-genai>), which may change until they are stable. They are
//! spelled out here and nowhere else.

use crate::model::StopReason;

// What the crate `tracing-opentelemetry` makes the name, the kind and the status of a span of.
pub(super) const SPAN_NAME: &str = "otel.name";
pub(super) const SPAN_KIND: &str = "otel.kind";
pub(super) const STATUS: &str = "otel.status_code";

pub(super) const OPERATION: &str = "gen_ai.operation.name";
pub(super) const CONVERSATION: &str = "gen_ai.conversation.id";
pub(super) const ERROR_TYPE: &str = "error.type";

/// The name of a workflow, until version 0.1.0.
pub(super) const WORKFLOW_NAME: &str = "gen_ai.workflow.name";
/// The name of an agent, and from version 0.1.0 also that of a workflow.
pub(super) const AGENT_NAME: &str = "gen_ai.agent.name";
/// Not of the conventions: the id of [the run of an agent](crate::EventKind::AgentStarted) in events.
pub(super) const AGENT_RUN: &str = "pravah.agent_run.id";

pub(super) const PROVIDER: &str = "gen_ai.provider.name";
pub(super) const MODEL: &str = "gen_ai.request.model";
pub(super) const MAX_TOKENS: &str = "gen_ai.request.max_tokens";
pub(super) const TEMPERATURE: &str = "gen_ai.request.temperature";
pub(super) const TOP_P: &str = "gen_ai.request.top_p";
pub(super) const SEED: &str = "gen_ai.request.seed";
pub(super) const STREAM: &str = "gen_ai.request.stream";
pub(super) const OUTPUT_TYPE: &str = "gen_ai.output.type";
pub(super) const SERVER_ADDRESS: &str = "server.address";
pub(super) const SERVER_PORT: &str = "server.port";

pub(super) const FINISH_REASONS: &str = "gen_ai.response.finish_reasons";
pub(super) const INPUT_TOKENS: &str = "gen_ai.usage.input_tokens";
pub(super) const OUTPUT_TOKENS: &str = "gen_ai.usage.output_tokens";
pub(super) const CACHED_TOKENS: &str = "gen_ai.usage.cache_read.input_tokens";
pub(super) const REASONING_TOKENS: &str = "gen_ai.usage.reasoning.output_tokens";

pub(super) const TOOL_NAME: &str = "gen_ai.tool.name";
pub(super) const TOOL_TYPE: &str = "gen_ai.tool.type";
pub(super) const TOOL_CALL: &str = "gen_ai.tool.call.id";

// Recorded only if asked for.
pub(super) const SYSTEM: &str = "gen_ai.system_instructions";
pub(super) const INPUT_MESSAGES: &str = "gen_ai.input.messages";
pub(super) const OUTPUT_MESSAGES: &str = "gen_ai.output.messages";
pub(super) const TOOL_ARGUMENTS: &str = "gen_ai.tool.call.arguments";
pub(super) const TOOL_RESULT: &str = "gen_ai.tool.call.result";

/// What the conventions call the provider with this scheme; a scheme of the user's own is its own name.
pub(super) fn provider(scheme: &str) -> &str {
    match scheme {
        "openai-responses" => "openai",
        "gemini" => "gcp.gemini",
        scheme => scheme,
    }
}

pub(super) fn finish_reason(stop: &StopReason) -> &str {
    match stop {
        StopReason::End => "stop",
        StopReason::ToolCalls => "tool_call",
        StopReason::MaxTokens => "length",
        StopReason::ContextWindow => "context_window",
        StopReason::ContentFilter => "content_filter",
        StopReason::Refusal => "refusal",
        StopReason::Other(reason) => reason,
    }
}
