//! How an agent is set up.

use std::{collections::BTreeSet, time::Duration};

use super::{Constraints, Contract, Delegation, SUBMIT, ToolBox, Turns};
use crate::{
    invocation::{RunnerConfig, ToolPolicy},
    model::{GENAI, ModelOptions, ModelUrl, ModelUrlError, Provider, ToolChoice},
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
    /// What runs it elsewhere; nothing else of a model counts then.
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

    /// An agent that runs elsewhere, by a [runner](crate::invocation::Runner) that the run has
    /// ([`FlowRuntime::with_runner`](crate::FlowRuntime::with_runner)). It is told what its prompt says, under the name of
    /// its node; its preamble, model and tools are those that it has there. What it returns is read as its output.
    ///
    /// `description` is for agents that may call it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pravah_runtime::{invocation::{AgentRegistry, LoopbackRunner}, prelude::*};
    /// use schemars::JsonSchema;
    /// use serde::{Deserialize, Serialize};
    /// use serde_json::json;
    ///
    /// #[state] struct Topic { name: String }
    /// #[state] struct Finding { text: String }
    ///
    /// /// What runs there.
    /// mod there {
    ///     # use super::*;
    ///     /// You look things up.
    ///     #[agent(model = "openai://gpt-4o-mini", output = Finding)]
    ///     pub fn archivist(topic: &Topic) -> String { topic.name.clone() }
    /// }
    ///
    /// /// Looks things up in the archive.
    /// #[agent(runner = "loopback", output = Finding)]
    /// fn archivist(topic: &Topic) -> String { format!("What do you know of {}?", topic.name) }
    ///
    /// #[flow]
    /// fn research(topic: Topic) -> Finding { flow! { archivist } }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), FlowError> {
    /// let script = ScriptedModel::new().reply("archivist", json!({ "text": "Little." }));
    /// let runner = LoopbackRunner::new(AgentRegistry::new().with_agent::<there::archivist>())
    ///     .with_context(Context::default().with_dep(script));
    /// let mut run = FlowRuntime::new(Topic { name: "trains".into() })?.with_runner(runner);
    /// let RunOut::Done(finding) = run.run(Context::default()).await? else { panic!("nobody is asked") };
    /// assert_eq!(finding.text, "Little.");
    /// # Ok(()) }
    /// ```
    #[must_use]
    pub fn elsewhere(description: impl Into<String>, runner: impl Into<RunnerConfig>) -> Self {
        Self {
            runner: Some(runner.into()),
            // It has none: what asks for one finds that it runs elsewhere.
            ..Self::new(description, "elsewhere://")
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

    /// Looks for mistakes: in the model URL, in the names of the tools, in the limits, in the delegation, in the
    /// contract.
    ///
    /// # Errors
    ///
    /// All mistakes, in words.
    pub fn check(&self) -> Result<(), Vec<String>> {
        if self.runner.is_some() {
            return self.check_elsewhere();
        }
        let mut problems = self.tools.problems();
        problems.extend(self.delegation.problems());
        problems.extend(self.check_delegation());
        let wrong = self.models().filter_map(|url| url.as_ref().err());
        problems.extend(wrong.map(ToString::to_string));
        let is_gemini = |url: &Result<ModelUrl, _>| {
            url.as_ref()
                .is_ok_and(|url| url.scheme() == Provider::Gemini.scheme())
        };
        let most = match self.models().all(is_gemini) {
            true => MAX_GEMINI_TOOL_NAME,
            false => MAX_TOOL_NAME,
        };
        let mut seen = BTreeSet::new();
        for name in self.tools.names() {
            if name == SUBMIT || self.delegation.reserves(name) {
                problems.push(format!("a tool may not be called `{name}`"));
            } else if !is_tool_name(name, most) {
                problems.push(format!(
                    "`{name}` is not a tool name: it has 1 to {most} letters, digits, `_` and `-`"
                ));
            } else if !seen.insert(name) {
                problems.push(format!("two tools are called `{name}`"));
            }
        }
        if self.max_turns == 0 {
            problems.push("`max_turns` is 0: the model would never be asked".to_owned());
        }
        if self.visit_tokens == Some(0) {
            problems.push("`visit_tokens` is 0: the model would never be asked".to_owned());
        }
        if self.constraints.max_duration == Some(Duration::ZERO) {
            problems.push("`max_duration` is 0: the model would never be asked".to_owned());
        }
        problems.extend(self.check_tool_choice(&self.options).err());
        problems.extend(self.options.problems());
        problems.extend(self.check_contract());
        if let Some(turns) = self.turns {
            problems.extend(turns.problem().map(str::to_owned));
            if self.contract.is_some() {
                problems.push(NO_TURNS_UNDER_CONTRACT.to_owned());
            }
        }
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems),
        }
    }

    /// Whether this agent can do what `options` say of its tools. Those of a client factory are for other
    /// agents too.
    pub(crate) fn check_tool_choice(&self, options: &ModelOptions) -> Result<(), String> {
        match options.tool_choice {
            Some(ToolChoice::Required) if !self.has_tools() => {
                Err("`tool_choice` is `required`, and the agent has no tools".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// What is for a model is of no use where the agent runs elsewhere.
    fn check_elsewhere(&self) -> Result<(), Vec<String>> {
        let Self {
            delegation,
            constraints,
            ..
        } = self;
        let set = [
            ("fallback", !self.fallback.is_empty()),
            ("tools", !self.tools.is_empty()),
            ("delegation", !delegation.is_empty()),
            ("contract", self.contract.is_some()),
            ("turns", self.turns.is_some()),
            ("constraints", *constraints != Constraints::default()),
            ("options", !self.options.says_nothing()),
        ];
        let set = set.into_iter().filter(|(_, is_set)| *is_set);
        let problems: Vec<String> = set
            .map(|(name, _)| format!("the agent runs elsewhere, and has `{name}` for a model"))
            .collect();
        match problems.is_empty() {
            true => Ok(()),
            false => Err(problems),
        }
    }

    fn check_delegation(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if let ToolPolicy::Exact { tools } = &self.delegation.tools {
            let unknown = tools.iter().filter(|tool| self.tools.get(tool).is_none());
            problems.extend(unknown.map(|tool| {
                format!("`{tool}` is to be handed on to agents that it calls, and is not among its tools")
            }));
        }
        if self.delegation.allows_handoff() && (self.contract.is_some() || self.turns.is_some()) {
            problems.push(NO_HANDOFF.to_owned());
        }
        problems
    }

    fn check_contract(&self) -> Vec<String> {
        let Some(contract) = &self.contract else {
            return Vec::new();
        };
        let problems = contract.problems();
        let mut problems: Vec<String> = problems.iter().map(ToString::to_string).collect();
        if contract.is_token_level() {
            if self.has_tools() {
                problems.push(NO_TOOLS_BY_TOKENS.to_owned());
            }
            let urls = self.models().filter_map(|url| url.as_ref().ok());
            problems.extend(urls.filter_map(without_probabilities).map(no_probabilities));
        }
        problems
    }
}

const NO_HANDOFF: &str = "an agent with a contract or with `turns` answers itself, and no \
    other one takes over from it";

const NO_TURNS_UNDER_CONTRACT: &str =
    "a contract decides about one answer, and an agent with `turns` has several";

const NO_TOOLS_BY_TOKENS: &str = "a confidence of `token_level` is that of a text, and an agent \
                                  with tools hands its result in through one";

/// The scheme of a model, if whoever serves it is known to tell no token probabilities.
pub(super) fn without_probabilities(url: &ModelUrl) -> Option<&str> {
    let scheme = url.scheme();
    let tells = match Provider::of_scheme(scheme) {
        Some(provider) => provider.tells_token_probabilities(),
        None => scheme != GENAI,
    };
    (!tells).then_some(scheme)
}

/// Why a scheme cannot be asked for token probabilities.
pub(super) fn no_probabilities(scheme: &str) -> String {
    format!("models of `{scheme}` do not tell how probable their tokens are")
}

/// What the provider of fewest letters takes.
const MAX_TOOL_NAME: usize = 64;
pub(super) const MAX_GEMINI_TOOL_NAME: usize = 128;

/// What every provider takes, up to a number of letters.
pub(super) fn is_tool_name(name: &str, most: usize) -> bool {
    (1..=most).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
