//! The context: what a node or a tool may reach of the world outside its arguments.

mod asks;
mod capabilities;
mod commands;
mod deps;
mod files;
#[cfg(feature = "providers")]
mod http;
mod input;
mod latest;
mod resolve;
mod resumed;
mod scope;
mod step;
#[cfg(test)]
mod tests;

use std::{
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::error::{DepsError, ErrorText, FlowError, ToolError};
pub use capabilities::Capabilities;
pub use commands::Commands;
pub use deps::Dep;
use deps::Deps;
pub use deps::Injectable;
pub use files::Files;
#[cfg(feature = "providers")]
pub use http::{Http, HttpRequest, HttpResponse};
pub use input::{FlowInput, Input};
pub use latest::Latest;
use resolve::Root;
pub use resumed::Resumed;
pub(crate) use scope::{CallScope, RunView, StepScope, call_name, step_key};
pub use step::Step;

/// What a flow may touch: a directory, some commands and some hosts.
///
/// ```
/// use pravah_runtime::FlowConf;
///
/// let conf = FlowConf { commands: vec!["git".into()], ..FlowConf::default() };
/// assert_eq!(conf.working_dir, std::path::Path::new("."));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowConf {
    /// The directory that all paths resolve in. The default is the current directory.
    pub working_dir: PathBuf,
    /// The commands that may be run, each exactly as it will be asked for. The default is none.
    pub commands: Vec<String>,
    /// The hosts that web requests may reach, each exactly as addresses name it: `api.example.com`, or
    /// `api.example.com:8443` where the port is not the usual one. The default is none.
    pub hosts: Vec<String>,
}

impl Default for FlowConf {
    fn default() -> Self {
        Self {
            working_dir: PathBuf::from("."),
            commands: Vec::new(),
            hosts: Vec::new(),
        }
    }
}

/// What a node or a tool gets besides its input: a sandboxed directory, allowed commands, typed
/// dependencies, and where in the run it is. Cheap to clone.
///
/// ```
/// use pravah_runtime::{Context, FlowConf};
///
/// struct Greeting(&'static str);
///
/// let ctx = Context::new(FlowConf::default()).with_dep(Greeting("hello"));
/// assert_eq!(ctx.dep::<Greeting>()?.0, "hello");
/// assert!(ctx.resolve("../elsewhere").is_err());
/// assert!(ctx.check_command("rm").is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Context {
    shared: Arc<Shared>,
    step: Step,
    /// What constraints of an agent keep from its tools.
    refused: Capabilities,
}

/// What all contexts of a run have in common.
#[derive(Clone)]
struct Shared {
    conf: FlowConf,
    deps: Deps,
    /// Whether spans have what is said to models, and by them.
    traces_content: bool,
    /// Opened when first used, and kept.
    root: OnceLock<Arc<Root>>,
    /// Set up when first used, and kept with its connections.
    #[cfg(feature = "providers")]
    http: OnceLock<reqwest::Client>,
}

impl Context {
    /// A context that touches only what `conf` allows. The directory is opened when first used.
    pub fn new(conf: FlowConf) -> Self {
        Self {
            shared: Arc::new(Shared {
                conf,
                deps: Deps::default(),
                traces_content: false,
                root: OnceLock::new(),
                #[cfg(feature = "providers")]
                http: OnceLock::new(),
            }),
            step: Step::default(),
            refused: Capabilities::NONE,
        }
    }

    /// The same context with `value` in it, one for each type; a second value of a type replaces
    /// the first. The agents of a run [without a factory](crate::FlowRuntime::with_factory) take their
    /// models from a [`ClientFactory`](crate::ClientFactory) in the context, or else from a
    /// [`ScriptedModel`](crate::ScriptedModel).
    #[must_use]
    pub fn with_dep<T: Send + Sync + 'static>(self, value: T) -> Self {
        self.with_dep_arc(Arc::new(value))
    }

    /// The same with a value that is shared, such as a trait object: `Arc<dyn Prices>` is the dependency
    /// `Dep<dyn Prices>`.
    #[must_use]
    pub fn with_dep_arc<T: ?Sized + Send + Sync + 'static>(mut self, value: Arc<T>) -> Self {
        Arc::make_mut(&mut self.shared).deps.insert(value);
        self
    }

    /// The same context, with which the spans of a run record what is said to models and by them: prompts, answers,
    /// and the arguments and results of tools. Without it no span has any of that.
    #[must_use]
    pub fn with_traced_content(mut self) -> Self {
        Arc::make_mut(&mut self.shared).traces_content = true;
        self
    }

    pub(crate) fn traces_content(&self) -> bool {
        self.shared.traces_content
    }

    /// The value of type `T` that [`Context::with_dep`] put in, as such or as an `Arc<T>`, or
    /// [`Context::with_dep_arc`].
    ///
    /// A tool that hands the error on does not fail the run: its model is told that the tool is
    /// misconfigured, and goes on; observers receive the error.
    ///
    /// # Errors
    ///
    /// [`DepsError`] if there is none, or if the [constraints](crate::Constraints) of the agent keep it from
    /// its tools; it names the type.
    pub fn dep<T: ?Sized + 'static>(&self) -> Result<Arc<T>, DepsError> {
        match self.refused.meets(Capabilities::DEPS) {
            true => Err(DepsError::refused::<T>()),
            false => self.shared.deps.get(),
        }
    }

    /// The same as [`dep`](Self::dep), where it is no mistake that there is none.
    pub(crate) fn find<T: ?Sized + 'static>(&self) -> Option<Arc<T>> {
        self.shared.deps.find()
    }

    pub(crate) fn has_deps(&self) -> bool {
        !self.shared.deps.is_empty()
    }

    /// What this context allows.
    pub fn conf(&self) -> &FlowConf {
        &self.shared.conf
    }

    /// The input of the innermost enclosing flow whose input is a `T`.
    ///
    /// # Errors
    ///
    /// [`FlowError::NotFound`] if there is none, or outside a run; [`FlowError::State`] if it was
    /// restored from a snapshot and is no `T` any more.
    pub fn input<T>(&self) -> Result<Arc<T>, FlowError>
    where
        T: JsonSchema + Serialize + DeserializeOwned + Send + Sync + 'static,
    {
        let name = T::schema_name();
        let step = self.scope();
        let input = step.and_then(|step| step.run.input(step.node, &name));
        let input = input.ok_or_else(|| {
            let known = step.map(|step| step.run.inputs(step.node));
            FlowError::NotFound(ErrorText::unknown(
                format!("a flow with the input {name}"),
                known.unwrap_or_default(),
            ))
        })?;
        input.get().map_err(|source| FlowError::State {
            state: name.into_owned(),
            source,
        })
    }

    /// The files of the working directory.
    pub fn files(&self) -> Files {
        self.into()
    }

    /// The commands that may be run.
    pub fn commands(&self) -> Commands {
        self.into()
    }

    /// A web client that reaches only the hosts that are listed.
    #[cfg(feature = "providers")]
    pub fn http(&self) -> Http {
        self.into()
    }

    /// Asks whether `command` may be run, see [`Commands::check`].
    ///
    /// # Errors
    ///
    /// [`ToolError::ForbiddenCommand`] if it may not.
    pub fn check_command(&self, command: &str) -> Result<(), ToolError> {
        self.commands().check(command)
    }

    /// Where in its run this is.
    pub fn step(&self) -> &Step {
        &self.step
    }

    /// See [`Step::key`]; `None` outside a run.
    pub fn step_key(&self) -> Option<String> {
        self.scope().map(|_| self.step.key())
    }

    /// See [`Step::cancelled`].
    pub async fn cancelled(&self) {
        self.step.cancelled().await;
    }

    /// See [`Step::is_cancelled`].
    pub fn is_cancelled(&self) -> bool {
        self.step.is_cancelled()
    }

    /// See [`Step::call_id`].
    pub fn call_id(&self) -> Option<&str> {
        self.step.call_id()
    }

    /// What the run was resumed with for this tool call; `None` if it was not suspended here.
    ///
    /// # Errors
    ///
    /// [`ToolError::Deserialize`] if the payload is not a `T`. A tool that fails with it leaves the
    /// suspension open, and `resume` answers [`FlowError::ResumePayload`].
    pub fn resumed<T: DeserializeOwned>(&self) -> Result<Option<T>, ToolError> {
        self.resumed_with(|payload| T::deserialize(payload))
    }

    /// The same for a payload that `read` reads.
    pub(crate) fn resumed_with<T>(
        &self,
        read: impl FnOnce(&serde_json::Value) -> Result<T, serde_json::Error>,
    ) -> Result<Option<T>, ToolError> {
        let Some(call) = self.step.call() else {
            return Ok(None);
        };
        let payload = call.resumed.as_ref().map(read).transpose();
        // A tool may try one type after another: the last counts.
        call.note_unreadable(payload.as_ref().err());
        payload.map_err(ToolError::from)
    }

    /// The context of a step.
    pub(crate) fn into_step(self, scope: StepScope) -> Self {
        Self {
            step: Step::of_node(scope),
            ..self
        }
    }

    /// The context of a tool call within a step, which refuses what the agent must not reach.
    pub(crate) fn in_call(&self, call: Arc<CallScope>, refused: Capabilities) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            step: self.step.in_call(call),
            refused,
        }
    }

    /// Where in its run this is, if it is in one.
    pub(crate) fn scope(&self) -> Option<&StepScope> {
        self.step.scope()
    }
}

impl Default for Context {
    fn default() -> Self {
        Self::new(FlowConf::default())
    }
}

impl std::fmt::Debug for Context {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("conf", &self.shared.conf)
            .field("deps", &self.shared.deps)
            .field("step_key", &self.step_key())
            .finish_non_exhaustive()
    }
}
