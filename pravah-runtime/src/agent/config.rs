//! How an agent is set up.

mod check;

pub(super) use self::check::{
    MAX_GEMINI_TOOL_NAME, is_tool_name, no_probabilities, without_probabilities,
};
use super::{Constraints, Contract, Delegation, ToolBox, Turns};
use crate::{
    invocation::RunnerConfig,
    model::{ModelOptions, ModelUrl, ModelUrlError},
};

const MAX_TURNS: u32 = 16;
const MAX_REPAIRS: u32 = 2;
const MAX_RETRIES: u32 = 4;

/// The prompt, the model, the tools and the limits of an agent.
///
/// Without tools the model is asked for JSON of the output's schema. With tools it must call one of
/// them, or the tool `submit`, whose arguments are the output.
///
/// ```
/// use pravah_runtime::AgentConfig;
///
/// let config = AgentConfig::new("You triage support tickets.", "openai://gpt-4o-mini").max_turns(4);
/// assert!(config.check().is_ok());
///
/// let config = AgentConfig::new("You triage support tickets.", "gpt-4o-mini");
/// assert_eq!(config.check().unwrap_err(), ["`gpt-4o-mini` has no scheme: write `openai://MODEL`"]);
/// ```
#[derive(Clone, Debug)]
pub struct AgentConfig {
    pub(crate) preamble: String,
    pub(crate) model: Result<ModelUrl, ModelUrlError>,
    /// The runner of a remote agent, which has no model here.
    pub(crate) runner: Option<RunnerConfig>,
    /// Asked in this order where the model is unavailable.
    pub(crate) fallback: Vec<Result<ModelUrl, ModelUrlError>>,
    pub(crate) tools: ToolBox,
    pub(crate) delegation: Delegation,
    pub(crate) max_turns: u32,
    pub(crate) max_repairs: u32,
    pub(crate) visit_tokens: Option<u64>,
    pub(crate) max_retries: u32,
    pub(crate) contract: Option<Contract>,
    pub(crate) turns: Option<Turns>,
    pub(crate) constraints: Constraints,
    pub(crate) options: ModelOptions,
}

impl AgentConfig {
    /// An agent without tools. The preamble is the system prompt; the URL is one of
    /// `openai://MODEL`, `openai-responses://MODEL`, `anthropic://MODEL`, `gemini://MODEL`,
    /// `ollama://HOST:PORT/MODEL`, `genai://MODEL`, or of a scheme that the client factory knows.
    pub fn new(preamble: impl Into<String>, model_url: impl AsRef<str>) -> Self {
        Self {
            preamble: preamble.into(),
            model: ModelUrl::custom(model_url.as_ref()),
            runner: None,
            fallback: Vec::new(),
            tools: ToolBox::new(),
            delegation: Delegation::new(),
            max_turns: MAX_TURNS,
            max_repairs: MAX_REPAIRS,
            visit_tokens: None,
            max_retries: MAX_RETRIES,
            contract: None,
            turns: None,
            constraints: Constraints::default(),
            options: ModelOptions::default(),
        }
    }

    /// A remote agent, which has no model here: a [runner](crate::invocation::Runner) of the run, which
    /// [`FlowRuntime::with_runner`](crate::FlowRuntime::with_runner) adds, runs it under the name of its function, or of its
    /// node where it is written by hand. It is told the text of its prompt, and what it returns is read as its output.
    /// `description` is for agents that may call it.
    ///
    /// `#[agent(runner = "loopback", output = Finding)]` writes this:
    ///
    /// ```
    /// use pravah_runtime::AgentConfig;
    ///
    /// let config = AgentConfig::remote("Looks things up in the archive.", "loopback");
    /// assert!(config.check().is_ok());
    ///
    /// let config = config.max_turns(3);
    /// assert_eq!(config.check().unwrap_err(), ["`max_turns` has no effect on a remote agent"]);
    /// ```
    #[must_use]
    pub fn remote(description: impl Into<String>, runner: impl Into<RunnerConfig>) -> Self {
        Self {
            runner: Some(runner.into()),
            ..Self::new(description, "")
        }
    }

    /// Adds a model to go on with, in the same conversation, where the one before is unavailable after
    /// its retries: overloaded, unreachable, too slow, or with its quota used up. An answer is never
    /// asked for again from another model, whatever it is. A fallback that could not be asked, for its
    /// scheme or for an option that it does not take, fails the agent when it starts.
    #[must_use]
    pub fn with_fallback(mut self, model_url: impl AsRef<str>) -> Self {
        self.fallback.push(ModelUrl::custom(model_url.as_ref()));
        self
    }

    /// The tools that the model may call.
    #[must_use]
    pub fn with_tools(mut self, tools: ToolBox) -> Self {
        self.tools = tools;
        self
    }

    /// The other agents that the model may call: none unless set. An agent that may call others has the tool
    /// `call_agent` for that, and `submit` as one with tools.
    #[must_use]
    pub fn with_delegation(mut self, delegation: Delegation) -> Self {
        self.delegation = delegation;
        self
    }

    /// How often the model may be asked in one visit of the agent: 16 unless set.
    #[must_use]
    pub fn max_turns(mut self, turns: u32) -> Self {
        self.max_turns = turns;
        self
    }

    /// How often in one visit the model is told what was wrong with its answer: 2 unless set.
    #[must_use]
    pub fn max_repairs(mut self, repairs: u32) -> Self {
        self.max_repairs = repairs;
        self
    }

    /// How many tokens, asked and answered, one visit may use, with those of attempts that failed:
    /// without limit unless set. The model is not asked again once they are used up.
    #[must_use]
    pub fn visit_tokens(mut self, tokens: u64) -> Self {
        self.visit_tokens = Some(tokens);
        self
    }

    /// How often in a row a model that could not answer is asked again: 4 unless set. That is one
    /// that is overloaded, limits the rate or could not be reached; the run waits meanwhile, with
    /// [`RunOut::Waiting`](crate::RunOut::Waiting), for at least as long as the provider asks.
    #[must_use]
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.max_retries = retries;
        self
    }

    /// What each request says: the length of an answer, the temperature, the effort of reasoning and the
    /// rest. It comes before what the client factory says.
    ///
    /// ```
    /// use pravah_runtime::{AgentConfig, Effort, ModelOptions};
    ///
    /// let config = AgentConfig::new("You triage support tickets.", "openai://gpt-5-mini")
    ///     .with_options(ModelOptions::new().max_tokens(2_000).reasoning(Effort::Low));
    /// assert!(config.check().is_ok());
    /// ```
    #[must_use]
    pub fn with_options(mut self, options: ModelOptions) -> Self {
        self.options = options;
        self
    }

    /// Says when the agent's answer goes on by itself, when a person has to look at it and when
    /// nobody is to see it: without a contract every answer goes on.
    ///
    /// What is suppressed or rejected goes to the `catch` around the agent, which has to be there.
    ///
    /// ```
    /// use pravah_runtime::{AgentConfig, Contract};
    ///
    /// let config = AgentConfig::new("You decide on refunds.", "openai://gpt-4o-mini")
    ///     .with_contract(Contract::new().suppress_below(0.6).auto_approve_above(0.95));
    /// assert!(config.check().is_ok());
    /// ```
    #[must_use]
    pub fn with_contract(mut self, contract: Contract) -> Self {
        self.contract = Some(contract);
        self
    }

    /// Lets the agent wait for a message after each of its answers. Without it the first answer goes on.
    ///
    /// ```
    /// use pravah_runtime::{AgentConfig, Turns};
    /// use std::time::Duration;
    ///
    /// let turns = Turns::new().max(5).idle(Duration::from_secs(600));
    /// let config = AgentConfig::new("You plan trips.", "openai://gpt-4o-mini").with_turns(turns);
    /// assert!(config.check().is_ok());
    /// ```
    #[must_use]
    pub fn with_turns(mut self, turns: Turns) -> Self {
        self.turns = Some(turns);
        self
    }

    /// What the agent must not do, whatever its model asks for: unless set nothing is refused.
    #[must_use]
    pub fn with_constraints(mut self, constraints: Constraints) -> Self {
        self.constraints = constraints;
        self
    }

    /// Whether the model may call anything besides `submit`.
    pub(super) fn has_tools(&self) -> bool {
        !self.tools.is_empty() || !self.delegation.is_empty()
    }

    /// The model, or the fallback of this number from 1 on, if its URL is one.
    pub(crate) fn model_url(&self, number: usize) -> Result<ModelUrl, ModelUrlError> {
        let last = self.fallback.len();
        let url = self.models().nth(number.min(last));
        url.unwrap_or(&self.model).clone()
    }

    /// The model and its fallbacks.
    pub(crate) fn models(&self) -> impl Iterator<Item = &Result<ModelUrl, ModelUrlError>> {
        [&self.model].into_iter().chain(&self.fallback)
    }
}
