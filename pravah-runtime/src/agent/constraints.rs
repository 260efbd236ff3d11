//! What an agent must not do, whatever its model asks for.

use std::time::Duration;

use crate::context::Capabilities;

/// What an agent must not do, whatever its model asks for; see
/// [`AgentConfig::with_constraints`](crate::AgentConfig::with_constraints).
///
/// The tools of such an agent receive a context that refuses what is refused here. A tool written with
/// `#[tool]` that asks for it is a compile error in an `#[agent(constraints(…))]`. What a tool does beside
/// what it asks Pravah for, such as with `std::fs`, is not seen: this is no sandbox.
///
/// ```
/// use std::time::Duration;
/// use pravah_runtime::{AgentConfig, Constraints};
///
/// let constraints = Constraints::new().no_commands().max_duration(Duration::from_secs(8));
/// let config = AgentConfig::new("You answer questions.", "openai://gpt-4o-mini")
///     .with_constraints(constraints);
/// assert!(config.check().is_ok());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constraints {
    pub(crate) no_network: bool,
    pub(crate) no_commands: bool,
    pub(crate) no_credentials: bool,
    pub(crate) max_duration: Option<Duration>,
}

impl Constraints {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// Refuses web requests, and commands, which might make some.
    #[must_use]
    pub fn no_network(mut self) -> Self {
        self.no_network = true;
        self
    }

    /// Refuses commands.
    #[must_use]
    pub fn no_commands(mut self) -> Self {
        self.no_commands = true;
        self
    }

    /// Refuses the dependencies of the host, which may hold credentials, and commands, which might find
    /// some.
    #[must_use]
    pub fn no_credentials(mut self) -> Self {
        self.no_credentials = true;
        self
    }

    /// How long one attempt at the agent may take. Of this and the `timeout` of its
    /// [`Policy`](crate::Policy) the shorter counts, and of both and the budget of its
    /// [`Contract`](crate::Contract) whichever is over first.
    #[must_use]
    pub fn max_duration(mut self, time: Duration) -> Self {
        self.max_duration = Some(time);
        self
    }

    /// These, and what others refuse too.
    pub(super) fn refusing_too(self, others: &Self) -> Self {
        Self {
            no_network: self.no_network || others.no_network,
            no_commands: self.no_commands || others.no_commands,
            no_credentials: self.no_credentials || others.no_credentials,
            max_duration: self.max_duration,
        }
    }

    /// What is refused.
    pub(crate) fn refused(&self) -> Capabilities {
        let all = [
            (self.no_network, Capabilities::NO_NETWORK),
            (self.no_commands, Capabilities::COMMANDS),
            (self.no_credentials, Capabilities::NO_CREDENTIALS),
        ];
        let refused = all.into_iter().filter(|(is_refused, _)| *is_refused);
        refused.fold(Capabilities::NONE, |all, (_, more)| all.and(more))
    }
}
