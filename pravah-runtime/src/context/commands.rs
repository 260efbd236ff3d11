//! Which commands may be run.

use super::Context;
use crate::error::ToolError;

impl Context {
    /// Asks whether `command` may be run. Only what [`FlowConf::commands`] lists, letter by
    /// letter, may: with `git` listed, `/tmp/git` and `git push` may not.
    ///
    /// [`FlowConf::commands`]: super::FlowConf::commands
    ///
    /// # Errors
    ///
    /// [`ToolError::ForbiddenCommand`] if it may not.
    pub fn check_command(&self, command: &str) -> Result<(), ToolError> {
        if self.shared.conf.commands.iter().any(|c| c == command) {
            Ok(())
        } else {
            Err(ToolError::ForbiddenCommand(command.to_owned()))
        }
    }
}
