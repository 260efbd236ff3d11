//! Agents that an agent may call.

use super::{CALL_AGENT, CallableAgent, Callee, RUN_SKILL, TASK_TOOLS};
use crate::{
    graph::NodeSpec,
    invocation::{ContextScope, Join, ToolPolicy},
};

const MAX_DEPTH: u32 = 1;
const MAX_CHILDREN: u32 = 8;

/// The deepest delegation that can be asked for: each level multiplies the agents that a flow has to know.
pub(crate) const DEEPEST: u32 = 4;

/// The agents and flows that an agent may call, and how far that goes.
///
/// The model calls them with the tool `call_agent`, by their names, and each call is answered with what was returned.
/// An agent that is called starts with what the model tells it in place of its own prompt and knows nothing else of
/// the conversation; it has its own preamble, model, tools and policy. A flow starts with the state that the model
/// gives it. Both go on step by step as part of the run, beside the others that are called. One that fails fails its
/// call, of which the model learns. What the constraints of the caller refuse, agents that it calls are refused too.
///
/// ```
/// use pravah_runtime::{Delegation, prelude::*};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
/// use serde_json::json;
///
/// #[derive(Serialize, Deserialize, JsonSchema)] struct Topic { name: String }
/// #[derive(Serialize, Deserialize, JsonSchema)] struct Finding { text: String }
/// #[derive(Serialize, Deserialize, JsonSchema)] struct Question { text: String }
/// #[derive(Serialize, Deserialize, JsonSchema)] struct Report { text: String }
///
/// impl Agent for Topic {
///     type Output = Finding;
///
///     fn build() -> AgentConfig {
///         AgentConfig::new("You look things up.", "openai://gpt-4o-mini")
///     }
/// }
///
/// impl Agent for Question {
///     type Output = Report;
///
///     fn build() -> AgentConfig {
///         AgentConfig::new("You write reports.", "openai://gpt-4o")
///             .with_delegation(Delegation::new().with_agent::<Topic>().max_children(4))
///     }
/// }
///
/// impl Flow for Question {
///     type Output = Report;
///
///     fn build() -> Result<FlowGraph, FlowError> {
///         FlowGraph::builder().agent::<Question>().build()
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
/// let script = ScriptedModel::new()
///     .call("Question", "call_agent", json!({ "agent": "Topic", "prompt": "Trains to Benin" }))
///     .reply("Topic", json!({ "text": "There are none." }))
///     .call("Question", "submit", json!({ "text": "No train goes to Benin." }));
/// let run = FlowRuntime::new(Question { text: "How do I get to Benin?".into() })?;
/// let mut run = run.with_factory(script);
/// let RunOut::Done(report) = run.run(Context::default()).await? else { panic!("nobody is asked") };
/// assert_eq!(report.text, "No train goes to Benin.");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct Delegation {
    pub(super) agents: Vec<Callee>,
    /// What ad-hoc agents are made of.
    pub(super) ad_hoc: Option<Callee>,
    pub(super) skills: Vec<Callee>,
    pub(super) contexts: Vec<ContextScope>,
    pub(crate) tools: ToolPolicy,
    joins: Vec<Join>,
    pub(crate) on_done: OnDone,
    pub(crate) max_depth: u32,
    pub(crate) max_children: u32,
}

impl Default for Delegation {
    fn default() -> Self {
        Self::new()
    }
}

impl Delegation {
    /// No agents.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            agents: Vec::new(),
            ad_hoc: None,
            skills: Vec::new(),
            contexts: Vec::new(),
            tools: ToolPolicy::None,
            joins: Vec::new(),
            on_done: OnDone::Cancel,
            max_depth: MAX_DEPTH,
            max_children: MAX_CHILDREN,
        }
    }

    /// The same agents and `A`: the name of a function with `#[agent]` or `#[flow]`, or a type that is an
    /// [`Agent`](crate::Agent).
    #[must_use]
    pub fn with_agent<A: CallableAgent>(mut self) -> Self {
        self.agents.push(A::callee());
        self
    }

    /// Also allows ad-hoc agents, which the model describes with a `system_prompt` in place of the name of an agent. Each
    /// is the agent `A` with that prompt appended to its preamble: model, limits and output are those of `A`, and its
    /// tools too, or those of them that the model names. In events and scripts they are called `ad_hoc`.
    ///
    /// ```
    /// use pravah_runtime::prelude::*;
    /// use serde_json::json;
    ///
    /// #[state] struct Question { text: String }
    /// #[state] struct Report { text: String }
    ///
    /// /// Be brief.
    /// #[agent(model = "openai://gpt-4o-mini", output = Report)]
    /// fn assistant(question: &Question) -> String { question.text.clone() }
    ///
    /// /// You write reports.
    /// #[agent(model = "openai://gpt-4o", output = Report, delegation(ad_hoc = assistant))]
    /// fn writer(question: &Question) -> String { question.text.clone() }
    ///
    /// #[flow]
    /// fn writing(question: Question) -> Report { flow! { writer } }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let call = json!({ "system_prompt": "You check facts.", "prompt": "Is there a train to Benin?" });
    /// let script = ScriptedModel::new()
    ///     .call("writer", "call_agent", call)
    ///     .reply("ad_hoc", json!({ "text": "No." }))
    ///     .call("writer", "submit", json!({ "text": "No train goes to Benin." }));
    /// let run = FlowRuntime::new(Question { text: "How do I get to Benin?".into() })?;
    /// let mut run = run.with_factory(script);
    /// let RunOut::Done(report) = run.run(Context::default()).await? else { panic!("nobody is asked") };
    /// assert_eq!(report.text, "No train goes to Benin.");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn with_ad_hoc<A: CallableAgent>(mut self) -> Self {
        self.ad_hoc = Some(A::callee());
        self
    }

    /// The same agents, and `A` as a skill: the model runs it with the tool `run_skill`, and unless it asks for an
    /// `independent` one it reads all of the conversation up to that call, whatever [`contexts`](Self::contexts) says. It
    /// has a model: a flow or a remote agent is no skill.
    #[must_use]
    pub fn with_skill<A: CallableAgent>(mut self) -> Self {
        self.skills.push(A::callee());
        self
    }

    /// What the agents that are called know of the conversation: nothing ([`ContextScope::Independent`]) unless set.
    /// Of several the model chooses one for each call. A flow takes its input, and knows nothing else.
    ///
    /// With [`ContextScope::Inherited`] the agent reads what was said up to the call. With [`ContextScope::Shared`] it
    /// takes over: it reads that too, the model of the caller is asked no more, and what it returns the caller
    /// returns, so that it has to be of the same type.
    #[must_use]
    pub fn contexts(mut self, contexts: impl IntoIterator<Item = ContextScope>) -> Self {
        self.contexts = contexts.into_iter().collect();
        self
    }

    /// Which tools of the caller the agents have that it calls, besides their own: [none](ToolPolicy::None) unless
    /// set. Where both have a tool of one name, it is the agent's own.
    #[must_use]
    pub fn tools(mut self, tools: ToolPolicy) -> Self {
        self.tools = tools;
        self
    }

    /// What a call of the agent may wait for: the result of one agent ([`Join::Single`]), unless set, and if `joins` is
    /// empty. Of several the model chooses one for each call, in the argument `join`; the default is the first of single,
    /// all, detached.
    ///
    /// With [`Join::All`] a call returns the results of all its `targets`, in that order; a failure is one of the
    /// results. With [`Join::Detached`] it returns the ids of background tasks at once, and the model gets the tools
    /// `get_task`, `wait_task`, `cancel_task` and `list_my_tasks` for the tasks that it, or agents below it, have
    /// started. Each target counts for [`max_children`](Self::max_children).
    /// [`AgentConfig::check`](crate::AgentConfig::check) finds [`ContextScope::Shared`] as the only context without
    /// [`Join::Single`].
    #[must_use]
    pub fn joins(mut self, joins: impl IntoIterator<Item = Join>) -> Self {
        self.joins = joins.into_iter().collect();
        self
    }

    /// What becomes of detached tasks that have not ended when the flow is done: they are
    /// [cancelled](OnDone::Cancel) unless set.
    #[must_use]
    pub const fn on_done(mut self, on_done: OnDone) -> Self {
        self.on_done = on_done;
        self
    }

    /// How many levels of agents may be below this one, from 1 to 4: with 1, as unless set, those that it calls call no
    /// others; with 2 they do where their own delegation says so. Another number is a mistake that
    /// [`AgentConfig::check`](crate::AgentConfig::check) finds.
    #[must_use]
    pub const fn max_depth(mut self, levels: u32) -> Self {
        self.max_depth = levels;
        self
    }

    /// How many agents may be called in one visit of the agent, by it and by all those below it: 8 unless set. The
    /// model learns of a call beyond that that it was not made.
    #[must_use]
    pub const fn max_children(mut self, agents: u32) -> Self {
        self.max_children = agents;
        self
    }

    /// The contexts in which agents may be called, each once.
    pub(super) fn scopes(&self) -> Vec<ContextScope> {
        let all = [
            ContextScope::Independent,
            ContextScope::Inherited,
            ContextScope::Shared,
        ];
        each_once(all, &self.contexts)
    }

    /// What a call may wait for, each once.
    pub(super) fn join_modes(&self) -> Vec<Join> {
        each_once([Join::Single, Join::All, Join::Detached], &self.joins)
    }

    /// Whether the agent may start detached tasks.
    pub(crate) fn allows_detached(&self) -> bool {
        self.has_agents() && self.joins.contains(&Join::Detached)
    }

    /// Whether an agent may take over from the one that calls it.
    pub(super) fn allows_handoff(&self) -> bool {
        self.contexts.contains(&ContextScope::Shared)
    }

    /// The nodes that may be called.
    pub(crate) fn callees(&self) -> Vec<NodeSpec> {
        let ad_hoc = self.ad_hoc.iter().map(|base| base.spec().into_ad_hoc());
        let skills = self.skills.iter().map(Callee::spec);
        let agents = self.agents.iter().map(Callee::spec);
        agents.chain(ad_hoc).chain(skills).collect()
    }

    /// Whether the agent has a tool of this name in order to call agents, or to manage detached tasks.
    pub(super) fn reserves(&self, name: &str) -> bool {
        (name == CALL_AGENT && self.has_agents())
            || (name == RUN_SKILL && !self.skills.is_empty())
            || (TASK_TOOLS.contains(&name) && self.allows_detached())
    }

    /// Whether no agent can be called.
    pub(super) fn is_empty(&self) -> bool {
        !self.has_agents() && self.skills.is_empty()
    }

    /// Whether there is anybody for the tool `call_agent`.
    fn has_agents(&self) -> bool {
        !self.agents.is_empty() || self.ad_hoc.is_some()
    }

    /// What is left of it where an agent that calls others is itself called, at most so many agents deep.
    pub(super) fn below(&self, depth: u32) -> Self {
        match depth {
            0 => Self::new(),
            _ => Self {
                max_depth: self.max_depth.min(depth),
                ..self.clone()
            },
        }
    }

    /// What is wrong with it, in words.
    pub(super) fn problems(&self) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut problems = Vec::new();
        if !(1..=DEEPEST).contains(&self.max_depth) {
            let depth = self.max_depth;
            problems.push(format!(
                "`max_depth` is {depth}, which is not from 1 to {DEEPEST}"
            ));
        }
        if self.on_done == OnDone::Wait && !self.allows_detached() {
            problems.push("`on_done` is for detached tasks, and the agent starts none".to_owned());
        }
        if self.max_children == 0 {
            problems.push("`max_children` is 0: no agent could be called".to_owned());
        }
        problems
    }
}

/// Those of `all` that are given, in that order; the first of `all` where none is.
fn each_once<T: Copy + PartialEq>(all: [T; 3], given: &[T]) -> Vec<T> {
    match given {
        [] => all.into_iter().take(1).collect(),
        given => all.into_iter().filter(|it| given.contains(it)).collect(),
    }
}

/// What becomes of detached tasks that have not ended when the flow is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnDone {
    /// They are cancelled, and the run ends with the flow.
    #[default]
    Cancel,
    /// The run goes on until they have ended, and ends then with what the flow returned.
    Wait,
}
