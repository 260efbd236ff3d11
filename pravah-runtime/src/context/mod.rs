//! The context: what a node or a tool may reach of the world outside its arguments.

mod commands;
mod deps;
mod files;
mod resolve;
mod scope;
#[cfg(test)]
mod tests;

use std::{
    path::PathBuf,
    pin::pin,
    sync::{Arc, OnceLock},
};

use futures_util::future::select;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    cancel::CancelToken,
    error::{DepsError, ErrorText, FlowError, ToolError},
};
use deps::Deps;
use resolve::Root;
pub(crate) use scope::{CallScope, RunView, StepScope};

/// What a flow may touch: a directory and some commands.
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
}

impl Default for FlowConf {
    fn default() -> Self {
        Self {
            working_dir: PathBuf::from("."),
            commands: Vec::new(),
        }
    }
}

/// What a node or a tool gets beside its input: a sandboxed directory, allowed commands, typed
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
    step: Option<StepScope>,
    call: Option<Arc<CallScope>>,
}

/// What all contexts of a run have in common.
#[derive(Clone)]
struct Shared {
    conf: FlowConf,
    deps: Deps,
    /// Opened when first used, and kept.
    root: OnceLock<Arc<Root>>,
}

impl Context {
    /// A context that touches only what `conf` allows. The directory is opened when first used.
    pub fn new(conf: FlowConf) -> Self {
        Self {
            shared: Arc::new(Shared {
                conf,
                deps: Deps::default(),
                root: OnceLock::new(),
            }),
            step: None,
            call: None,
        }
    }

    /// The same context with `value` in it, one for each type; a second value of a type replaces
    /// the first. The agents of a run [without a factory](crate::FlowRuntime::with_factory) take their
    /// models from a [`ClientFactory`](crate::ClientFactory) in the context, or else from a
    /// [`ScriptedModel`](crate::ScriptedModel).
    #[must_use]
    pub fn with_dep<T: Send + Sync + 'static>(mut self, value: T) -> Self {
        Arc::make_mut(&mut self.shared).deps.insert(value);
        self
    }

    /// The value of type `T` that [`Context::with_dep`] put in, as such or as an `Arc<T>`.
    ///
    /// A tool that hands the error on does not fail the run: its model is told that the tool is
    /// misconfigured, and goes on; observers receive the error.
    ///
    /// # Errors
    ///
    /// [`DepsError`] if there is none; it names the type.
    pub fn dep<T: Send + Sync + 'static>(&self) -> Result<Arc<T>, DepsError> {
        self.shared.deps.get()
    }

    /// The same as [`dep`](Self::dep), where it is no mistake that there is none.
    pub(crate) fn find<T: Send + Sync + 'static>(&self) -> Option<Arc<T>> {
        self.shared.deps.find()
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
        let step = self.step.as_ref();
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

    /// A name for this step of this run, the same for every attempt at it, so that effects outside
    /// can be made once; `None` outside a run. In a tool it is the same for all calls of one turn: see
    /// [`Context::call_id`].
    pub fn step_key(&self) -> Option<String> {
        let key = self.step.as_ref()?.key();
        Some(match &self.call {
            Some(call) => format!("{key}/{}", call.turn),
            None => key,
        })
    }

    /// Ends when the step is not wanted any more: the run was
    /// [cancelled](crate::FlowRuntime::cancel), the attempt took longer than its
    /// [`Policy`](crate::Policy) allows, or something beside it failed and a `catch` around both took the
    /// failure. Outside a run it never ends. The body itself is dropped then, at its next `await`: this is
    /// for what it has started elsewhere.
    pub async fn cancelled(&self) {
        let Some(step) = &self.step else {
            return std::future::pending().await;
        };
        let run = step.run.cancel();
        match &step.cancel {
            Some(attempt) => {
                let (run, attempt) = (pin!(run.cancelled()), pin!(attempt.cancelled()));
                select(run, attempt).await;
            }
            None => run.cancelled().await,
        }
    }

    /// Whether the step is not wanted any more, see [`cancelled`](Self::cancelled).
    pub fn is_cancelled(&self) -> bool {
        self.step.as_ref().is_some_and(|step| {
            let attempt = step.cancel.as_ref();
            step.run.cancel().is_cancelled() || attempt.is_some_and(CancelToken::is_cancelled)
        })
    }

    /// A name for this tool call of this run, the same for every attempt at it and after a
    /// suspension; `None` outside a tool.
    pub fn call_id(&self) -> Option<&str> {
        let call = self.call.as_deref()?;
        Some(call.name(self.step.as_ref()))
    }

    /// What the run was resumed with for this tool call; `None` if it was not suspended here.
    ///
    /// # Errors
    ///
    /// [`ToolError::Deserialize`] if the payload is not a `T`. A tool that fails with it leaves the
    /// suspension open, and `resume` answers [`FlowError::ResumePayload`].
    pub fn resumed<T: DeserializeOwned>(&self) -> Result<Option<T>, ToolError> {
        let Some(call) = self.call.as_deref() else {
            return Ok(None);
        };
        let payload = call.resumed.as_ref().map(T::deserialize).transpose();
        // A tool may try one type after another: the last counts.
        call.note_unreadable(payload.as_ref().err());
        payload.map_err(ToolError::from)
    }

    /// The context of a step.
    pub(crate) fn into_step(self, scope: StepScope) -> Self {
        Self {
            shared: self.shared,
            step: Some(scope),
            call: None,
        }
    }

    /// The context of a tool call within a step.
    pub(crate) fn in_call(&self, call: Arc<CallScope>) -> Self {
        Self {
            call: Some(call),
            ..self.clone()
        }
    }

    /// Where in the run this is.
    pub(crate) fn step(&self) -> Option<&StepScope> {
        self.step.as_ref()
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
