//! Work that an agent, a node or a program hands to other agents, as data: whom to ask what, with which context and tools,
//! where it runs, and what comes back. An [`AgentRegistry`] runs an [`Invocation`]. Agents of a run call each other in
//! these contexts and with these policies for tools, as their [`Delegation`](crate::Delegation) says, and nodes call them
//! with an [`Invoke`](crate::Invoke).
//!
//! The JSON is in snake case. What may be left out of an invocation has a default, and is written all the same; only the
//! `executor` of a target is left out where there is none. Of a task `context`, `join`, `tools` and `preview` are left out
//! where there is none.
//!
//! ```
//! use pravah_runtime::invocation::{ContextScope, Invocation, InvocationError, Target, ToolPolicy};
//! use serde_json::json;
//!
//! let invocation = Invocation::all([
//!     Target::named("researcher", "Which trains go to Benin?"),
//!     Target::ad_hoc("You check facts.", "Is there a train to Benin?"),
//! ])
//! .with_context(ContextScope::Inherited)
//! .with_tools(ToolPolicy::exact(["search"]));
//! invocation.validate()?;
//!
//! let short = json!({ "targets": [{
//!     "agent": { "type": "named", "agent_id": "researcher" },
//!     "message": { "role": "user", "parts": [{ "text": "Which trains go to Benin?" }] },
//! }] });
//! let read: Invocation = serde_json::from_value(short).unwrap();
//! assert_eq!(read, Invocation::single(Target::named("researcher", "Which trains go to Benin?")));
//!
//! assert_eq!(Invocation::all([]).validate(), Err(InvocationError::NoTargets));
//! # Ok::<(), InvocationError>(())
//! ```

mod dispatch;
mod error;
mod executor;
mod loopback;
mod message;
mod registry;
mod result;
mod runner;
mod target;
#[cfg(test)]
mod tests;
mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What ad-hoc agents are called.
pub(crate) const AD_HOC: &str = "ad_hoc";

/// What remote agents are called that a registry knows only by name.
pub(crate) const REMOTE: &str = "remote";

#[cfg(feature = "documents")]
pub(crate) use self::dispatch::Dispatcher;
pub(crate) use self::{dispatch::RemoteCall, runner::Runners};
pub use self::{
    error::{InvocationError, InvokeError},
    executor::{Executor, ExecutorHint, RunnerConfig},
    loopback::LoopbackRunner,
    message::{Message, Part, Role},
    registry::{AgentDescription, AgentRegistry},
    result::{AgentResult, InvocationResult, TaskSnapshot, TaskStatus},
    runner::{
        RemoteQuestion, RemoteTask, RemoteTaskHandle, RemoteUpdate, Runner, RunnerError,
        RunnerErrorKind, RunnerFuture,
    },
    target::{AdHocTools, AgentRef, Target},
    tools::ToolPolicy,
};

/// Work for one agent or several.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    deny_unknown_fields,
    expecting = "an invocation, an object with `targets`"
)]
#[non_exhaustive]
pub struct Invocation {
    /// Who is asked what.
    pub targets: Vec<Target>,
    /// What the agents know of the conversation that they are called from.
    #[serde(default)]
    pub context: ContextScope,
    /// What the caller waits for.
    #[serde(default)]
    pub join: Join,
    /// Where the agents run; a target may say otherwise.
    #[serde(default)]
    pub executor: ExecutorHint,
    /// Which tools of the caller the agents have besides their own.
    #[serde(default)]
    pub tools: ToolPolicy,
}

/// What an agent that is called knows of the conversation that it is called from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ContextScope {
    /// Nothing: its conversation starts with its message.
    #[default]
    Independent,
    /// All of it up to the call, without calls that have no result.
    Inherited,
    /// All of it, and it takes over: what it returns is what the caller returns, whose model is asked no more.
    Shared,
}

/// What a caller waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Join {
    /// The result of one target.
    #[default]
    Single,
    /// The results of all targets, in the order of the targets.
    All,
    /// Nothing: the tasks run in the background, and their ids are the result. A run from outside goes on until they have
    /// ended.
    Detached,
}

impl ContextScope {
    #[expect(
        clippy::trivially_copy_pass_by_ref,
        reason = "serde calls it with a reference"
    )]
    pub(crate) const fn is_independent(&self) -> bool {
        matches!(self, Self::Independent)
    }
}

impl Join {
    /// Its name in quotes, as models and people read it.
    pub(crate) const fn quoted(self) -> &'static str {
        match self {
            Self::Single => "`single`",
            Self::All => "`all`",
            Self::Detached => "`detached`",
        }
    }
}

impl Invocation {
    fn new(join: Join, targets: impl IntoIterator<Item = Target>) -> Self {
        Self {
            targets: targets.into_iter().collect(),
            context: ContextScope::default(),
            join,
            executor: ExecutorHint::default(),
            tools: ToolPolicy::default(),
        }
    }

    /// One target, whose result is waited for.
    #[must_use]
    pub fn single(target: Target) -> Self {
        Self::new(Join::Single, [target])
    }

    /// Several targets, whose results are waited for.
    #[must_use]
    pub fn all(targets: impl IntoIterator<Item = Target>) -> Self {
        Self::new(Join::All, targets)
    }

    /// Several targets that run in the background. A run from outside has them in its
    /// [`tasks`](crate::FlowRuntime::tasks) after the first step, and returns their ids once all have ended.
    #[must_use]
    pub fn detached(targets: impl IntoIterator<Item = Target>) -> Self {
        Self::new(Join::Detached, targets)
    }

    /// The same with this context.
    #[must_use]
    pub fn with_context(mut self, context: ContextScope) -> Self {
        self.context = context;
        self
    }

    /// The same with a wish for where it runs.
    #[must_use]
    pub fn with_executor(mut self, executor: ExecutorHint) -> Self {
        self.executor = executor;
        self
    }

    /// The same with these tools of the caller.
    #[must_use]
    pub fn with_tools(mut self, tools: ToolPolicy) -> Self {
        self.tools = tools;
        self
    }

    /// Checks all that can be checked without knowing which agents, tools and runners there are.
    ///
    /// # Errors
    ///
    /// The first thing that is wrong: the number of targets, then each target in its order, then the invocation as a
    /// whole.
    pub fn validate(&self) -> Result<(), InvocationError> {
        match (self.join, self.targets.len()) {
            (_, 0) => return Err(InvocationError::NoTargets),
            (Join::Single, got) if got > 1 => {
                return Err(InvocationError::SingleNeedsOneTarget { got });
            }
            _ => {}
        }
        self.targets.iter().try_for_each(Target::validate)?;
        if self.context == ContextScope::Shared && self.join != Join::Single {
            return Err(InvocationError::SharedNeedsSingle);
        }
        self.executor.validate()
    }
}
