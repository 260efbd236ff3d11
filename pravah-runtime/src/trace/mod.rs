//! The spans of runs, for whoever subscribes with the crate `tracing`: `invoke_workflow` for a run, `invoke_agent`
//! within it, and within that `chat` for a model call and `execute_tool` for a tool call.
//!
//! `attributes` is the table of what they are called, `span` opens and ends them, `chat` records a model call,
//! `content` writes prompts and answers where they are asked for, and `opentelemetry` does what only that can: links
//! and lists.

mod attributes;
mod chat;
mod content;
#[cfg(feature = "opentelemetry")]
mod opentelemetry;
mod span;

#[cfg(feature = "opentelemetry")]
pub(crate) use self::opentelemetry::{link, traceparent};
pub(crate) use chat::chat;
pub(crate) use span::{OpenSpan, agent, fail, is_wanted, tool, within, workflow};

/// What filters know the spans by.
const TARGET: &str = "pravah";
