//! The agents and flows of a host, which invocations name.

use std::sync::{Arc, OnceLock};

use serde_json::Value;

use super::{
    AD_HOC, Invocation, InvocationResult, InvokeError, REMOTE, Runner, RunnerConfig, Runners,
    dispatch::{Dispatcher, Results},
};
use crate::{
    agent::{AgentConfig, CallableAgent, Callee},
    engine::{FlowRuntime, FlowSnapshot, LoadOptions},
    error::FlowError,
    flow::{FlowEnds, Known},
    graph::FlowGraph,
    model::strip,
    state::{AsNoted, Live},
};

/// What the flow is called that makes the calls of an invocation.
const NAME: &str = "Invocation";

/// The agents and flows of a host, by the names that [`Invocation`]s give them: it runs what a program, or somebody
/// elsewhere, asks for as data.
///
/// An invocation is a run as any other: step by step, with a snapshot after each step, with the questions, budgets and
/// observers of a [`FlowRuntime`]. What comes of it is an [`InvocationResult`]. An agent is told the text of its
/// [`Message`](super::Message), with data as JSON, in place of the prompt that its function would write. A flow starts
/// with the data of the message, or with its text as JSON.
///
/// A target that fails does not fail the run: its result says so. So it is with a message that does not fit the input
/// of a flow. A used-up budget is the exception: it stops the run, which goes on with a larger one.
///
/// ```
/// use pravah_runtime::{invocation::{AgentRegistry, Invocation, InvocationResult}, prelude::*};
/// use serde_json::json;
///
/// #[state] struct Topic { name: String }
/// #[state] struct Finding { text: String }
///
/// /// You look things up.
/// #[agent(model = "openai://gpt-4o-mini", output = Finding)]
/// fn researcher(topic: &Topic) -> String { topic.name.clone() }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let registry = AgentRegistry::new().with_agent::<researcher>();
/// let invocation: Invocation = serde_json::from_value(json!({ "targets": [{
///     "agent": { "type": "named", "agent_id": "researcher" },
///     "message": { "role": "user", "parts": [{ "text": "Which trains go to Benin?" }] },
/// }] }))?;
/// let script = ScriptedModel::new().reply("researcher", json!({ "text": "None." }));
/// let run = registry.invoke(invocation)?;
/// let mut run = run.with_factory(script);
/// let RunOut::Done(InvocationResult::Scalar { result, .. }) = run.run(Context::default()).await? else {
///     panic!("nobody is asked")
/// };
/// assert_eq!(result.content, json!({ "text": "None." }));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
pub struct AgentRegistry {
    agents: Vec<(String, Callee)>,
    ad_hoc: Option<AgentConfig>,
    /// The remote agents, with their runners.
    remote_agents: Vec<(String, RunnerConfig)>,
    runners: Runners,
    /// The flow of one node that makes the calls, once it was made.
    known: OnceLock<Arc<Known>>,
}

/// What is known of an agent of an [`AgentRegistry`]; [`describe`](AgentRegistry::describe) returns it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct AgentDescription {
    /// What callers read of it: the documentation of its function, or its preamble.
    pub description: String,
    /// Of a flow, the JSON schema of its input. An agent is told a text.
    pub input_schema: Option<Value>,
}

impl FlowEnds for AgentRegistry {
    type Input = Invocation;
    type Output = InvocationResult;
}

impl AgentRegistry {
    /// No agents.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same agents and `A` under its own name: the name of a function with `#[agent]` or `#[flow]`, or a type that
    /// is an [`Agent`](crate::Agent).
    #[must_use]
    pub fn with_agent<A: CallableAgent>(self) -> Self {
        let callee = A::callee();
        self.with(callee.name(), callee)
    }

    /// The same agents and `A` under another name.
    ///
    /// ```
    /// use pravah_runtime::{invocation::AgentRegistry, prelude::*};
    ///
    /// # #[state] struct Topic { name: String }
    /// # #[state] struct Finding { text: String }
    /// # /// You look things up.
    /// # #[agent(model = "openai://gpt-4o-mini", output = Finding)]
    /// # fn researcher(topic: &Topic) -> String { topic.name.clone() }
    /// let registry = AgentRegistry::new().with_agent_named::<researcher>("archive");
    /// assert_eq!(registry.agent_ids().collect::<Vec<_>>(), ["archive"]);
    /// ```
    #[must_use]
    pub fn with_agent_named<A: CallableAgent>(self, agent_id: impl Into<String>) -> Self {
        self.with(agent_id.into(), A::callee())
    }

    /// Also allows ad-hoc agents, which an invocation describes with a prompt of its own: an
    /// [`AgentRef::AdHoc`](super::AgentRef::AdHoc). `base` is what they share: the start of their preamble, their model,
    /// their limits, and the tools of which each has all, or those that the invocation names. They return text. In
    /// events and scripts they are called `ad_hoc`.
    ///
    /// ```
    /// use pravah_runtime::{
    ///     AgentConfig,
    ///     invocation::{AgentRegistry, Invocation, InvocationResult, Target},
    ///     prelude::*,
    /// };
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let base = AgentConfig::new("Be brief.", "openai://gpt-4o-mini");
    /// let registry = AgentRegistry::new().with_ad_hoc(base);
    /// let target = Target::ad_hoc("You check facts.", "Is there a train to Benin?");
    /// let script = ScriptedModel::new().reply("ad_hoc", "No.");
    /// let run = registry.invoke(Invocation::single(target))?;
    /// let mut run = run.with_factory(script);
    /// let RunOut::Done(InvocationResult::Scalar { result, .. }) = run.run(Context::default()).await? else {
    ///     panic!("nobody is asked")
    /// };
    /// assert_eq!(result.content, "No.");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_ad_hoc(mut self, base: AgentConfig) -> Self {
        self.ad_hoc = Some(base);
        self.known = OnceLock::new();
        self
    }

    /// Adds a runner. A later one of the same kind replaces it.
    ///
    /// A runner, or an [`Arc`] of one, which several registries can share. In events, steps and questions, a
    /// remote agent that the registry knows only by name is called `remote`.
    #[must_use]
    pub fn with_runner(mut self, runner: impl Runner) -> Self {
        self.runners.add(Arc::new(runner));
        self.known = OnceLock::new();
        self
    }

    /// Adds a remote agent, which a [runner](Self::with_runner) runs. A later one of the same name replaces it. A local
    /// agent of the same name is preferred, unless an invocation [forces](super::ExecutorHint::Force) the runner.
    ///
    /// ```
    /// use pravah_runtime::invocation::{AgentRegistry, Invocation, InvokeError, Target};
    ///
    /// let registry = AgentRegistry::new().with_remote_agent("archivist", "a2a");
    /// let invocation = Invocation::single(Target::named("archivist", "Trains to Benin"));
    /// let error = registry.invoke(invocation).unwrap_err();
    /// assert!(matches!(error, InvokeError::NoExecutor { .. }), "the host has no such runner");
    /// ```
    #[must_use]
    pub fn with_remote_agent(
        mut self,
        agent_id: impl Into<String>,
        runner: impl Into<RunnerConfig>,
    ) -> Self {
        let agent_id = agent_id.into();
        self.remote_agents.retain(|(known, _)| *known != agent_id);
        self.remote_agents.push((agent_id, runner.into()));
        self.known = OnceLock::new();
        self
    }

    pub(crate) const fn runners(&self) -> &Runners {
        &self.runners
    }

    /// The runner of the remote agent of this name, if there is one.
    pub(crate) fn runner_of(&self, agent_id: &str) -> Option<&RunnerConfig> {
        let mut remote = self.remote_agents.iter();
        let (_, runner) = remote.find(|(known, _)| known == agent_id)?;
        Some(runner)
    }

    pub(crate) const fn ad_hoc(&self) -> Option<&AgentConfig> {
        self.ad_hoc.as_ref()
    }

    fn with(mut self, agent_id: String, callee: Callee) -> Self {
        self.agents.push((agent_id, callee));
        self.known = OnceLock::new();
        self
    }

    /// The names of the agents, in the order in which they were added: local ones, then remote
    /// ones.
    pub fn agent_ids(&self) -> impl Iterator<Item = &str> {
        let remote = self.remote_agents.iter().map(|(agent_id, _)| &**agent_id);
        self.local_ids()
            .chain(remote.filter(|it| !self.is_local(it)))
    }

    /// What callers read of the agent of this name; `None` if there is none. Of an agent of
    /// [`with_remote_agent`](Self::with_remote_agent) the description is empty.
    ///
    /// ```
    /// use pravah_runtime::{invocation::AgentRegistry, prelude::*};
    ///
    /// # #[state] struct Topic { name: String }
    /// # #[state] struct Finding { text: String }
    /// /// You look things up.
    /// #[agent(model = "openai://gpt-4o-mini", output = Finding)]
    /// fn researcher(topic: &Topic) -> String { topic.name.clone() }
    ///
    /// let registry = AgentRegistry::new().with_agent::<researcher>();
    /// let about = registry.describe("researcher").unwrap();
    /// assert_eq!(about.description, "You look things up.");
    /// assert_eq!(about.input_schema, None); // it is told a text
    /// ```
    #[must_use]
    pub fn describe(&self, agent_id: &str) -> Option<AgentDescription> {
        match self.callee(agent_id) {
            Some(callee) => Some(AgentDescription {
                description: callee.description(),
                input_schema: callee
                    .takes()
                    .and_then(|takes| strip(&takes.root_schema()).ok()),
            }),
            None => self
                .runner_of(agent_id)
                .map(|_| AgentDescription::default()),
        }
    }

    /// Checks that all agents of the registry can be made, which [`invoke`](Self::invoke) does otherwise when it is first
    /// called.
    ///
    /// ```
    /// use pravah_runtime::invocation::AgentRegistry;
    ///
    /// let registry = AgentRegistry::new().with_remote_agent("archivist", "a2a");
    /// assert!(registry.validate().is_ok());
    /// ```
    ///
    /// # Errors
    ///
    /// [`FlowError::BuildError`] where an agent of the registry cannot be made, or two have one name.
    pub fn validate(&self) -> Result<(), FlowError> {
        self.known().map(drop)
    }

    fn local_ids(&self) -> impl Iterator<Item = &str> {
        self.agents.iter().map(|(agent_id, _)| &**agent_id)
    }

    /// The local agent of this name, which may have a runner.
    pub(crate) fn callee(&self, agent_id: &str) -> Option<&Callee> {
        let mut agents = self.agents.iter();
        let (_, callee) = agents.find(|(known, _)| known == agent_id)?;
        Some(callee)
    }

    /// Whether there is an agent of this name in this process.
    pub(crate) fn is_local(&self, agent_id: &str) -> bool {
        self.callee(agent_id).is_some()
    }

    /// Whether there is an agent of this name.
    #[cfg(feature = "documents")]
    pub(crate) fn contains(&self, agent_id: &str) -> bool {
        self.agent_ids().any(|known| known == agent_id)
    }

    pub(crate) fn agents(&self) -> &[(String, Callee)] {
        &self.agents
    }

    /// The names of the agents, each with that of the state that it returns.
    pub(crate) fn results(&self) -> impl Iterator<Item = (&str, String)> {
        let agents = self.agents.iter();
        agents.map(|(agent_id, callee)| (&**agent_id, callee.returns()))
    }

    /// A run of an invocation that is about to start.
    ///
    /// # Errors
    ///
    /// [`InvokeError::Invalid`] as [`validate`](Invocation::validate) says; for an agent, a runner or a tool that the
    /// registry does not have, the variant that names it; [`InvokeError::NoExecutor`] where an agent can run nowhere that
    /// is allowed; and [`InvokeError::Registry`] where an agent of the registry cannot be made, or two have one name.
    pub fn invoke(&self, invocation: Invocation) -> Result<FlowRuntime<Self>, InvokeError> {
        self.check(&invocation)?;
        let known = self.known().map_err(InvokeError::Registry)?;
        let run = FlowRuntime::start_with(known, Live::new(invocation));
        Ok(run.with_runners(&self.runners))
    }

    /// Goes on with the run of an invocation where `snapshot` left it.
    ///
    /// # Errors
    ///
    /// [`FlowError::SnapLoadError`] if the snapshot is of no invocation, or an agent that it has called is not in the
    /// registry; [`FlowError::BuildError`] if an agent of the registry cannot be made, or two have one name.
    pub fn restore(&self, snapshot: FlowSnapshot) -> Result<FlowRuntime<Self>, FlowError> {
        self.restore_with(snapshot, LoadOptions::default_ref())
    }

    /// The same, as `options` allow.
    ///
    /// # Errors
    ///
    /// Those of [`restore`](Self::restore).
    pub fn restore_with(
        &self,
        snapshot: FlowSnapshot,
        options: &LoadOptions,
    ) -> Result<FlowRuntime<Self>, FlowError> {
        let run = FlowRuntime::restore_with(self.known()?, snapshot, options)?;
        Ok(run.with_runners(&self.runners))
    }

    /// The flow of one node that makes the calls.
    fn known(&self) -> Result<Arc<Known>, FlowError> {
        if let Some(known) = self.known.get() {
            return Ok(Arc::clone(known));
        }
        let ad_hoc = self.ad_hoc.iter().map(|_| AD_HOC);
        let mut ids: Vec<&str> = self.local_ids().chain(ad_hoc).chain([REMOTE]).collect();
        ids.sort_unstable();
        if let Some([twice, _]) = ids.array_windows().find(|[one, next]| one == next) {
            let problem = match *twice {
                REMOTE => "no agent can be called `remote`, which remote agents are: add it with \
                           `with_agent_named`"
                    .to_owned(),
                twice => format!(
                    "two agents are called `{twice}`: add one of them with `with_agent_named`"
                ),
            };
            return Err(FlowError::BuildError(problem.into()));
        }
        if self
            .ad_hoc
            .as_ref()
            .is_some_and(|base| base.runner.is_some())
        {
            let problem = "the base of ad-hoc agents is a remote agent, and has to have a model";
            return Err(FlowError::BuildError(problem.into()));
        }
        let dispatcher = Dispatcher::new(self);
        let graph = FlowGraph::of_invocation(self, Arc::new(dispatcher), Arc::new(Results))?;
        let known = Known {
            graph,
            id: NAME.into(),
            name: NAME.into(),
            phase: None,
            output: Arc::new(AsNoted::<InvocationResult>::clones()),
        };
        Ok(Arc::clone(self.known.get_or_init(|| Arc::new(known))))
    }
}

impl std::fmt::Debug for AgentRegistry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ad_hoc = self.ad_hoc.iter().map(|_| AD_HOC);
        f.debug_list()
            .entries(self.agent_ids().chain(ad_hoc))
            .finish()
    }
}
