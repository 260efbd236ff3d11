//! Where agents run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::InvocationError;
use crate::json;

/// Where an agent runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "an executor as an object, such as { \"type\": \"local\" }"
)]
#[non_exhaustive]
pub enum Executor {
    /// In the run of the caller.
    Local,
    /// Elsewhere.
    #[non_exhaustive]
    Remote {
        /// By what.
        runner: RunnerConfig,
    },
}

/// The runner of remote agents, with its configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "a runner as an object, such as { \"kind\": \"sandbox\" }"
)]
#[non_exhaustive]
pub struct RunnerConfig {
    /// Which runner, of those that the host knows.
    pub kind: String,
    /// Its settings, which nobody else looks at: `{}` where there are none.
    #[serde(default = "no_settings", deserialize_with = "json::value")]
    pub config: Value,
}

fn no_settings() -> Value {
    Value::Object(Map::new())
}

impl RunnerConfig {
    /// A runner without settings.
    #[must_use]
    pub fn new(kind: impl Into<String>) -> Self {
        Self {
            kind: kind.into(),
            config: no_settings(),
        }
    }

    /// The same with these settings.
    #[must_use]
    pub fn with_config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }
}

/// The kind of a runner, as one without settings.
impl From<&str> for RunnerConfig {
    fn from(kind: &str) -> Self {
        Self::new(kind)
    }
}

/// A wish for where agents run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    deny_unknown_fields,
    expecting = "an executor as an object, such as { \"kind\": \"auto\" }"
)]
#[non_exhaustive]
pub enum ExecutorHint {
    /// Where agent and caller allow it and the host can: in the run of the caller, if that is among it.
    #[default]
    Auto,
    /// There, or nowhere.
    Force(Executor),
}

impl ExecutorHint {
    pub(super) fn validate(&self) -> Result<(), InvocationError> {
        match self {
            Self::Force(executor) => executor.validate(),
            Self::Auto => Ok(()),
        }
    }
}

impl Executor {
    /// Elsewhere, by this runner.
    #[must_use]
    pub const fn remote(runner: RunnerConfig) -> Self {
        Self::Remote { runner }
    }

    pub(super) fn validate(&self) -> Result<(), InvocationError> {
        match self {
            Self::Remote { runner } if runner.kind.trim().is_empty() => {
                Err(InvocationError::EmptyRunnerKind)
            }
            _ => Ok(()),
        }
    }
}
