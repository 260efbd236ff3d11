//! What can be wrong with the configuration of an agent.

use std::{collections::BTreeSet, time::Duration};

use super::{AgentConfig, MAX_REPAIRS, MAX_RETRIES, MAX_TURNS};
use crate::{
    agent::{Constraints, SUBMIT},
    invocation::ToolPolicy,
    model::{GENAI, ModelOptions, ModelUrl, Provider, ToolChoice},
};

impl AgentConfig {
    /// Looks for mistakes: in the model URL, in the names of the tools, in the limits, in the delegation, in the
    /// contract.
    ///
    /// # Errors
    ///
    /// All mistakes, in words.
    pub fn check(&self) -> Result<(), Vec<String>> {
        if self.runner.is_some() {
            return self.check_remote();
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

    /// A remote agent has nothing that is for a model.
    fn check_remote(&self) -> Result<(), Vec<String>> {
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
            ("max_turns", self.max_turns != MAX_TURNS),
            ("max_repairs", self.max_repairs != MAX_REPAIRS),
            ("max_retries", self.max_retries != MAX_RETRIES),
            ("visit_tokens", self.visit_tokens.is_some()),
        ];
        let set = set.into_iter().filter(|(_, is_set)| *is_set);
        let mut problems: Vec<String> = set
            .map(|(name, _)| format!("`{name}` has no effect on a remote agent"))
            .collect();
        let kind = self.runner.as_ref().map_or("", |runner| &*runner.kind);
        if kind.is_empty() || kind.contains(char::is_whitespace) {
            problems.push(format!("`{kind}` is not the kind of a runner"));
        }
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
pub(in crate::agent) fn without_probabilities(url: &ModelUrl) -> Option<&str> {
    let scheme = url.scheme();
    let tells = match Provider::of_scheme(scheme) {
        Some(provider) => provider.tells_token_probabilities(),
        None => scheme != GENAI,
    };
    (!tells).then_some(scheme)
}

/// Why a scheme cannot be asked for token probabilities.
pub(in crate::agent) fn no_probabilities(scheme: &str) -> String {
    format!("models of `{scheme}` do not tell how probable their tokens are")
}

/// What the provider of fewest letters takes.
const MAX_TOOL_NAME: usize = 64;
pub(in crate::agent) const MAX_GEMINI_TOOL_NAME: usize = 128;

/// What every provider takes, up to a number of letters.
pub(in crate::agent) fn is_tool_name(name: &str, most: usize) -> bool {
    (1..=most).contains(&name.len())
        && name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
}
