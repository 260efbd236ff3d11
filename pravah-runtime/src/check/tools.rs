//! The tools of an agent: their names, and the limits of the provider that its model URL names.

use std::{any::Any, marker::PhantomData};

use serde::Serialize;
use serde_json::Value;

use super::message::{Message, message};
use crate::{
    agent::{SUBMIT, Tool},
    error::ToolError,
    node::NodeError,
    state::name::same,
    topology::{ParamKind, ParamRef},
};

/// A tool whose name is known at compile time.
pub trait NamedTool {
    const NAME: &'static str;
}

/// What is known of the tool `T`: an inherent constant goes before that of a trait.
pub struct ToolName<T>(PhantomData<T>);

impl<T: NamedTool> ToolName<T> {
    pub const NAME: &'static str = T::NAME;
}

impl<T: Tool> ToolName<T> {
    pub const IS_DESTRUCTIVE: bool = T::ANNOTATIONS.is_destructive();
    /// What the tool asks for.
    pub const ASKS: &'static [ParamRef] = T::PARAMS;
}

pub trait NoToolName {
    /// A tool written by hand; its name is checked when the graph is built.
    const NAME: &'static str = "";
    /// Not a tool, which is reported elsewhere: nothing more is to be said.
    const IS_DESTRUCTIVE: bool = true;
    /// It is no tool.
    const ASKS: &'static [ParamRef] = &[];
}

impl<T> NoToolName for ToolName<T> {}

/// What a provider takes.
#[derive(Clone, Copy)]
pub struct ToolLimits {
    provider: &'static str,
    /// The longest name, in bytes.
    name: usize,
    /// The most tools, `submit` included.
    tools: usize,
}

impl ToolLimits {
    /// <https://platform.openai.com/docs/api-reference/chat/create>
    pub const OPENAI: Self = Self {
        provider: "openai",
        name: 64,
        tools: 128,
    };
    /// <https://docs.anthropic.com/en/docs/build-with-claude/structured-outputs>
    pub const ANTHROPIC: Self = Self {
        provider: "anthropic",
        name: 64,
        tools: 20,
    };
    /// <https://ai.google.dev/api/caching#FunctionDeclaration>
    pub const GEMINI: Self = Self {
        provider: "gemini",
        name: 128,
        tools: 128,
    };
    pub const NONE: Self = Self {
        provider: "",
        name: usize::MAX,
        tools: usize::MAX,
    };
}

/// Checks the tool `name` of `agent` against those before it.
#[track_caller]
pub const fn check_tool(agent: &str, name: &str, before: &[&str], limits: ToolLimits) {
    if name.is_empty() {
        return;
    }
    if let Some(mistake) = mistake_of_name(agent, name, before) {
        mistake.fail()
    }
    if let Some(mistake) = beyond_limits(agent, name, before.len(), limits) {
        mistake.fail()
    }
}

/// Another tool that the agent has is called so, or the engine's own.
const fn mistake_of_name(agent: &str, name: &str, before: &[&str]) -> Option<Message> {
    if same(name, SUBMIT) {
        let text = message(&["the agent `", agent, "` has a tool called `", SUBMIT])
            .push("`, which is the engine's own");
        return Some(text.help(&[
            "rename it: the model calls `",
            SUBMIT,
            "` to give the agent's output",
        ]));
    }
    let mut rest = before;
    while let [other, others @ ..] = rest {
        if same(name, other) {
            return Some(
                message(&["the agent `", agent, "` has two tools called `", name, "`"]).help(&[
                    "remove one of them, or rename it: a model calls tools by their names",
                ]),
            );
        }
        rest = others;
    }
    None
}

/// What the provider does not take: the name of a tool, or one tool more than those `before` it.
const fn beyond_limits(
    agent: &str,
    name: &str,
    before: usize,
    limits: ToolLimits,
) -> Option<Message> {
    let provider = limits.provider;
    if name.len() > limits.name {
        return Some(
            message(&["the tool name `", name, "` is too long for `", provider])
                .push("`, which takes ")
                .push_number(limits.name)
                .push(" characters")
                .help(&["rename it"]),
        );
    }
    if !provider.is_empty() && !is_plain(name) {
        return Some(
            message(&["the tool name `", name, "` has letters that `", provider])
                .push("` does not take")
                .help(&["rename it with the letters `a` to `z`, digits and `_`"]),
        );
    }
    if before + 2 > limits.tools {
        return Some(
            message(&["the agent `", agent, "` has too many tools for `", provider])
                .push("`, which takes ")
                .push_number(limits.tools)
                .and(&[", with `", SUBMIT, "` among them"])
                .help(&["remove `", name, "`, or split the agent in two"]),
        );
    }
    None
}

/// Checks that some tool of `agent` is destructive, which a person is to approve.
#[track_caller]
pub const fn check_destructive(agent: &str, are_destructive: &[bool]) {
    let mut i = 0;
    while i < are_destructive.len() {
        if are_destructive[i] {
            return;
        }
        i += 1;
    }
    message(&["no tool of the agent `", agent, "` is destructive"])
        .help(&[
            "write `#[tool(destructive)]` above the tools that are, or name those that a person is to \
             approve: `approve = […]`",
        ])
        .fail()
}

/// Checks a parameter of `tool` that has no name: one that its model writes needs one.
#[track_caller]
pub const fn check_argument(tool: &str, param: ParamRef) {
    if matches!(param.kind, ParamKind::Argument) {
        message(&["an argument of the tool `", tool, "` has no name"])
            .help(&["write `name: Type`: the model names its arguments"])
            .fail()
    }
}

/// Checks a parameter of the external tool `tool`: whoever executes it has only the arguments that the model writes.
#[track_caller]
pub const fn check_external_param(tool: &str, param: ParamRef) {
    if !matches!(param.kind, ParamKind::Argument) {
        message(&[
            "the external tool `",
            tool,
            "` has a parameter that the model does not write",
        ])
        .help(&[
            "remove it: whoever executes the tool has only the arguments that the model writes",
        ])
        .fail()
    }
}

/// Whether a name has only what every provider takes.
const fn is_plain(name: &str) -> bool {
    let name = name.as_bytes();
    let mut i = 0;
    while i < name.len() && (name[i].is_ascii_alphanumeric() || name[i] == b'_') {
        i += 1;
    }
    i == name.len()
}

/// What the function of a tool may return.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "not a result that the model can read",
    note = "a tool returns a `Result` of something that implements `Serialize`, with `ToolError` or any error of its own"
)]
pub trait ToolReturn {
    fn into_result(self) -> Result<Value, ToolError>;
}

impl<T: ToolOutput, E: NodeError + 'static> ToolReturn for Result<T, E> {
    fn into_result(self) -> Result<Value, ToolError> {
        let value = self.map_err(tool_error)?;
        value.into_json().map_err(ToolError::Serialize)
    }
}

/// What the model reads of what a tool returned.
#[diagnostic::on_unimplemented(
    message = "a tool cannot return `{Self}`",
    label = "cannot be written as JSON, which the model reads",
    note = "derive `Serialize` for it, or write `#[state]` above its definition"
)]
pub trait ToolOutput {
    fn into_json(self) -> Result<Value, serde_json::Error>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize> ToolOutput for T {
    fn into_json(self) -> Result<Value, serde_json::Error> {
        serde_json::to_value(self)
    }
}

/// Boxed, a text would be an error like any other; here it is still what the author wrote for the
/// model.
fn tool_error<E: NodeError + 'static>(error: E) -> ToolError {
    let any: &dyn Any = &error;
    if let Some(text) = any.downcast_ref::<String>() {
        return ToolError::message(text);
    }
    if let Some(text) = any.downcast_ref::<&'static str>() {
        return ToolError::message(*text);
    }
    ToolError::from(error.boxed())
}
