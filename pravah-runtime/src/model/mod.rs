//! Models: what is asked of them and what they answer, whoever provides them.

#[cfg(feature = "providers")]
mod address;
mod cassette;
mod error;
mod factory;
#[cfg(feature = "genai")]
mod genai;
#[cfg(feature = "providers")]
mod http;
#[cfg(feature = "providers")]
mod known;
#[cfg(feature = "providers")]
mod limits;
mod message;
mod messages;
mod options;
mod prompt;
mod provider;
mod redact;
mod request;
mod schema;
mod scripted;
#[cfg(feature = "providers")]
mod server;
mod time_limit;
mod url;
#[cfg(feature = "providers")]
mod wire;

pub use cassette::Cassette;
pub use error::{ModelError, ModelErrorKind};
pub use factory::ClientFactory;
#[cfg(feature = "reqwest")]
pub use http::http_client;
#[cfg(feature = "providers")]
pub(crate) use http::tls_of_any_server;
pub use message::{Arguments, Message, Opaque, ToolCall, ToolResult};
pub use messages::Messages;
pub use options::{Effort, ModelOptions, Reasoning, ToolChoice};
pub use prompt::{Media, Part, Prompt};
pub use provider::Provider;
pub use request::{
    ModelClient, ModelFuture, ModelRequest, ModelResponse, OnText, OutputSpec, StopReason,
    ToolSpec, Usage,
};
#[cfg(feature = "documents")]
pub(crate) use schema::explain_untyped;
pub(crate) use schema::{explain, object, strip, tool_name};
pub(crate) use scripted::RejectedAnswer;
pub use scripted::{ScriptedCall, ScriptedModel, ScriptedTurn};
#[cfg(feature = "providers")]
pub use server::{OutputMode, Server, Timeouts};
pub(crate) use url::GENAI;
pub use url::{ModelUrl, ModelUrlError};
