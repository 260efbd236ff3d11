//! Models: what is asked of them and what they answer, whoever provides them.

mod error;
mod factory;
#[cfg(feature = "openai")]
mod http;
mod message;
#[cfg(feature = "openai")]
mod openai;
mod request;
#[cfg(feature = "openai")]
mod schema;
mod scripted;
mod url;

pub use error::{ModelError, ModelErrorKind};
pub use factory::ClientFactory;
pub use message::{Arguments, Message, Opaque, ToolCall, ToolResult};
pub use request::{
    ModelClient, ModelFuture, ModelRequest, ModelResponse, OutputSpec, StopReason, ToolSpec, Usage,
};
pub use scripted::{ScriptedCall, ScriptedModel, ScriptedTurn};
pub use url::{ModelUrl, ModelUrlError};
