//! Which servers may be reached, and with which credentials.

use std::{collections::BTreeMap, fmt};

use pravah_runtime::{
    invocation::{AgentRef, RemoteTask, RunnerError, RunnerErrorKind},
    reqwest::Url,
};
use serde::Deserialize;

/// The settings of an [`Executor`](pravah_runtime::invocation::Executor) that names this runner.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "an object with `url`")]
struct Settings {
    /// Where the agent is: below it is its card.
    url: Option<String>,
}

/// The servers that the host trusts.
#[derive(Debug, Default)]
pub(super) struct Servers {
    agents: BTreeMap<String, Result<Url, String>>,
    origins: Vec<String>,
    /// What is wrong with addresses that were given without an agent.
    problem: Option<String>,
    /// By origin.
    tokens: BTreeMap<String, Token>,
}

/// A bearer token, which `Debug` does not show.
struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("…")
    }
}

impl Servers {
    pub(super) fn add_agent(&mut self, agent_id: String, url: &str) {
        let url = parse(url.strip_suffix(CARD).unwrap_or(url));
        if let Ok(url) = &url {
            self.origins.push(origin_of(url));
        }
        self.agents.insert(agent_id, url);
    }

    pub(super) fn allow(&mut self, url: &str) {
        match parse(url) {
            Ok(url) => self.origins.push(origin_of(&url)),
            Err(problem) => self.problem = Some(problem),
        }
    }

    pub(super) fn add_token(&mut self, url: &str, token: String) {
        match parse(url) {
            Ok(url) => drop(self.tokens.insert(origin_of(&url), Token(token))),
            Err(problem) => self.problem = Some(problem),
        }
    }

    pub(super) fn token_for(&self, url: &Url) -> Option<&str> {
        let token = self.tokens.get(&origin_of(url))?;
        Some(&token.0)
    }

    /// Where the agent of a task is.
    pub(super) fn url_of(&self, task: &RemoteTask) -> Result<Url, RunnerError> {
        if let Some(problem) = &self.problem {
            return Err(invalid(problem));
        }
        let settings = Settings::deserialize(&task.runner.config).map_err(|error| {
            invalid("the settings of the A2A runner cannot be read").with_source(error)
        })?;
        let AgentRef::Named { agent_id, .. } = &task.agent else {
            let why = "an A2A server runs agents of its own, and no ad-hoc agents";
            return Err(RunnerError::new(RunnerErrorKind::Refused, why));
        };
        match (settings.url, self.agents.get(agent_id)) {
            (Some(url), _) => {
                let url = parse(&url).map_err(invalid)?;
                self.check(&url).map(|()| url)
            }
            (None, Some(url)) => url.clone().map_err(invalid),
            (None, None) => {
                let why = format!(
                    "no address is known of the agent `{agent_id}`: give it to the runner with `with_agent`"
                );
                Err(RunnerError::new(RunnerErrorKind::UnknownAgent, why))
            }
        }
    }

    /// Fails for a server that the host has not named: an invocation, or the card of an agent, may name any address.
    pub(super) fn check(&self, url: &Url) -> Result<(), RunnerError> {
        let origin = origin_of(url);
        if self.origins.contains(&origin) {
            return Ok(());
        }
        Err(invalid(format!(
            "`{origin}` is not a server that the runner may reach: allow it with `A2aRunner::allow`, if you trust it"
        )))
    }
}

fn invalid(why: impl Into<String>) -> RunnerError {
    RunnerError::new(RunnerErrorKind::InvalidConfig, why)
}

/// A host in messages.
const HOST: &str = "archive.example.org";

/// Where the card of an agent is, below its address.
pub(super) const CARD: &str = ".well-known/agent-card.json";

/// Reads an address, to which paths can be added.
pub(super) fn parse(url: &str) -> Result<Url, String> {
    let parsed = Url::parse(url)
        .map_err(|error| format!("`{url}` is no URL, such as `https://{HOST}`: {error}"))?;
    match parsed.scheme() {
        "http" | "https" if parsed.username().is_empty() && parsed.password().is_none() => {
            Ok(parsed)
        }
        "http" | "https" => {
            Err("an address has no credentials in it: give a token with `with_bearer`".to_owned())
        }
        _ => Err(format!(
            "`{url}` starts with neither `http://` nor `https://`"
        )),
    }
}

fn origin_of(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// The address `path` below `base`, whether or not that ends with a slash.
pub(super) fn below(base: &Url, path: &str) -> Url {
    let mut url = base.clone();
    let start = base.path().trim_end_matches('/');
    url.set_path(&format!("{start}/{path}"));
    url
}
