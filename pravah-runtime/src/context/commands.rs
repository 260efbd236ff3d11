//! Which commands may be run.

use std::{process::Command, sync::Arc};

use super::{Context, Shared};
use crate::error::ToolError;

/// The commands that may be run: what a node or a tool asks for that runs some.
///
/// ```
/// use pravah_runtime::{Context, FlowConf, ToolError};
///
/// let conf = FlowConf { commands: vec!["git".into()], ..FlowConf::default() };
/// let commands = Context::new(conf).commands();
/// assert!(commands.check("git").is_ok());
/// assert!(matches!(commands.check("/tmp/git"), Err(ToolError::ForbiddenCommand(_))));
/// ```
#[derive(Clone)]
pub struct Commands {
    shared: Arc<Shared>,
    /// Whether a constraint of the agent refuses them all.
    are_refused: bool,
}

impl Commands {
    /// Asks whether `command` may be run. Only what [`FlowConf::commands`] lists, letter by
    /// letter, may: with `git` listed, `/tmp/git` and `git push` may not.
    ///
    /// [`FlowConf::commands`]: super::FlowConf::commands
    ///
    /// # Errors
    ///
    /// [`ToolError::ForbiddenCommand`] if it may not.
    pub fn check(&self, command: &str) -> Result<(), ToolError> {
        match self.allowed().iter().any(|allowed| allowed == command) {
            true => Ok(()),
            false => Err(ToolError::ForbiddenCommand(command.to_owned())),
        }
    }

    /// A process of `command`, which is found as the system finds programs, in the working directory. It is
    /// not started.
    ///
    /// # Errors
    ///
    /// [`ToolError::ForbiddenCommand`] if it may not be run, [`ToolError::Io`] if there is no such
    /// directory.
    pub fn command(&self, command: &str) -> Result<Command, ToolError> {
        self.check(command)?;
        let mut process = Command::new(command);
        process.current_dir(&self.shared.root()?.path);
        Ok(process)
    }

    /// The commands that may be run.
    pub fn allowed(&self) -> &[String] {
        match self.are_refused {
            true => &[],
            false => &self.shared.conf.commands,
        }
    }
}

impl From<&Context> for Commands {
    fn from(ctx: &Context) -> Self {
        Self {
            shared: Arc::clone(&ctx.shared),
            are_refused: ctx.refused.meets(super::Capabilities::COMMANDS),
        }
    }
}

impl std::fmt::Debug for Commands {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.allowed()).finish()
    }
}
